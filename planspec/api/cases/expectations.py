"""What a case expects of its verdict, and where the verdict differs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar, Literal, TypeAlias

from planspec.dsl.documents.cases import rule_of
from planspec.dsl.model.case import Case
from planspec.dsl.yaml.reader import Scalar
from planspec.verifiers.meaning.margin import amount_of, in_words
from planspec.verifiers.meaning.verdict import STRICT, Finding, Verdict

Aspect: TypeAlias = Literal["hard", "soft", "shape", "margin", "delivery", "time"]
"""What an expectation is about; `time` where the answer took too long to judge."""
NOT_JUDGED = "not-judged"


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseDifference:
    """A difference between what a case expects and what came out."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = STRICT
    aspect: Aspect = field(metadata={"description": "what it is about"})
    name: str = field(
        metadata={
            "description": "the instance or constraint, the kind of a finding on the shape, or `answer`"
        }
    )
    expected: str = field(metadata={"description": "by the case, in a word or two"})
    found: str = field(metadata={"description": "what came out"})
    finding: Finding | None = field(
        default=None, metadata={"description": "which finding says so; null where there is none"}
    )


def differences(case: Case, verdict: Verdict) -> Iterator[CaseDifference]:
    """Where a verdict is another than the one that a case expects."""
    late = next((f for f in verdict.findings if f.level == "shape" and f.kind == NOT_JUDGED), None)
    if late is not None:
        yield CaseDifference(
            aspect="time", name="answer", expected="a verdict", found="not judged", finding=late
        )
    elif (verdict.status == "undelivered") != case.undelivered:
        found = "undelivered" if verdict.status == "undelivered" else "a plan"
        expected = "a plan" if verdict.status == "undelivered" else "undelivered"
        reason = next((f for f in verdict.findings if f.kind == "undelivered"), None)
        yield CaseDifference(aspect="delivery", name="answer", expected=expected, found=found, finding=reason)
    elif not case.undelivered:
        yield from _of_level("hard", case.violates, verdict)
        if case.soft is not None:
            yield from _of_level("soft", case.soft, verdict)
        yield from _of_shape(case, verdict)
        yield from _of_margins(case, verdict)


def _of_level(
    level: Literal["hard", "soft"], named: Iterable[Scalar], verdict: Verdict
) -> Iterator[CaseDifference]:
    """Violations that the case does not name, and names without one."""
    words = dict.fromkeys(word.text for word in named)
    findings = [finding for finding in verdict.findings if finding.level == level]
    for finding in findings:
        if finding.status == "violated" and not words.keys() & _names(finding):
            yield CaseDifference(
                aspect=level, name=finding.constraint, expected="satisfied", found="violated", finding=finding
            )
    for word in words:
        meant = [finding for finding in findings if word in _names(finding)]
        if not any(finding.status == "violated" for finding in meant):
            shown = next((f for f in meant if f.status == "satisfied"), next(iter(meant), None))
            found = (
                "not there"
                if shown is None
                else "satisfied"
                if shown.status == "satisfied"
                else "not applicable"
            )
            yield CaseDifference(aspect=level, name=word, expected="violated", found=found, finding=shown)


def _of_shape(case: Case, verdict: Verdict) -> Iterator[CaseDifference]:
    kinds = dict.fromkeys(word.text for word in case.shape)
    found = {
        f.kind or "": f for f in reversed(verdict.findings) if f.level == "shape" and f.status == "violated"
    }
    for kind, finding in reversed(found.items()):
        if kind not in kinds:
            yield CaseDifference(
                aspect="shape", name=kind, expected="nothing", found="violated", finding=finding
            )
    for kind in kinds:
        if kind not in found:
            yield CaseDifference(aspect="shape", name=kind, expected="violated", found="nothing")


def _of_margins(case: Case, verdict: Verdict) -> Iterator[CaseDifference]:
    for word, value in case.margins:
        finding = next(
            (f for f in verdict.findings if f.status != "not-applicable" and word.text in _names(f)), None
        )
        if finding is None or not _is_same(value.text, finding):
            margin = None if finding is None else finding.margin
            found = "no margin" if finding is None or margin is None else in_words(margin, finding.unit)
            yield CaseDifference(
                aspect="margin", name=word.text, expected=value.text, found=found, finding=finding
            )


def _is_same(text: str, finding: Finding) -> bool:
    if finding.margin is None:
        return False
    amount = amount_of(text, finding.unit)
    return text == in_words(finding.margin, finding.unit) or amount == Fraction(finding.margin)


def _names(finding: Finding) -> set[str]:
    """The names that mean an instance: its id, and its rule's."""
    return {finding.constraint, rule_of(finding.constraint)}
