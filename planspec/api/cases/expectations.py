"""Differences between the verdict that a case expects and the actual one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar, Literal, TypeAlias

from planspec.dsl.documents.cases import rule_of
from planspec.dsl.model.case import Case
from planspec.dsl.yaml.reader import Scalar
from planspec.verifiers.meaning.margin import margin_text, parse_margin
from planspec.verifiers.meaning.verdict import STRICT, Finding, Verdict

Aspect: TypeAlias = Literal["hard", "soft", "shape", "margin", "delivery", "refusal", "time"]
"""Aspect of a verdict on which expectation and verdict can differ; `time` if judging took too long."""
NOT_JUDGED = "not-judged"


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseDifference:
    """A difference between the expected and the actual verdict."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = STRICT
    aspect: Aspect = field(metadata={"description": "aspect of the verdict that differs"})
    name: str = field(metadata={"description": "instance or constraint, kind of a shape finding, or `answer`"})
    expected: str = field(metadata={"description": "expected result, in a word or two"})
    found: str = field(metadata={"description": "actual result"})
    finding: Finding | None = field(
        default=None, metadata={"description": "finding with the actual result; null if there is none"}
    )


def differences(case: Case, verdict: Verdict) -> Iterator[CaseDifference]:
    """Yield the differences between a verdict and the verdict that a case expects."""
    late = next((f for f in verdict.findings if f.level == "shape" and f.kind == NOT_JUDGED), None)
    if late is not None:
        yield CaseDifference(aspect="time", name="answer", expected="a verdict", found="not judged", finding=late)
    elif case.refuses:
        yield from _refusal_differences(case, verdict)
    elif (verdict.status == "undelivered") != case.undelivered:
        found = "undelivered" if verdict.status == "undelivered" else "a plan"
        expected = "a plan" if verdict.status == "undelivered" else "undelivered"
        reason = next((f for f in verdict.findings if f.kind == "undelivered"), None)
        yield CaseDifference(aspect="delivery", name="answer", expected=expected, found=found, finding=reason)
    elif not case.undelivered:
        yield from _level_differences("hard", case.violates, verdict)
        if case.soft is not None:
            yield from _level_differences("soft", case.soft, verdict)
        yield from _shape_differences(case, verdict)
        yield from _margin_differences(case, verdict)


def _refusal_differences(case: Case, verdict: Verdict) -> Iterator[CaseDifference]:
    """Yield the differences for a case that expects the answer "there is no plan" to be right."""
    judgement = verdict.refusal
    finding = next((f for f in verdict.findings if f.level == "shape"), None)
    if judgement is None or not judgement.right:
        found = "no refusal" if judgement is None else "wrong" if judgement.right is False else "undecided"
        yield CaseDifference(aspect="refusal", name="answer", expected="a right refusal", found=found, finding=finding)
        return
    if case.conflict is None:
        return
    named = {word.text for word in case.conflict.rules}
    rules = {*judgement.conflict, *map(rule_of, judgement.conflict)}
    if case.conflict.exactly:
        covered = all(name in named or rule_of(name) in named for name in judgement.conflict)
        met, expected = covered and named <= rules and judgement.minimal is not False, "exactly "
    else:
        met, expected = bool(named & rules), "one of "
    if not met:
        conflict = ", ".join(judgement.conflict) or "no rule"
        expected += ", ".join(sorted(named))
        yield CaseDifference(aspect="refusal", name="conflict", expected=expected, found=conflict, finding=finding)


def _level_differences(
    level: Literal["hard", "soft"], listed: Iterable[Scalar], verdict: Verdict
) -> Iterator[CaseDifference]:
    """Yield violations that a case does not list, and constraints that it lists but that are not violated."""
    words = dict.fromkeys(word.text for word in listed)
    findings = [finding for finding in verdict.findings if finding.level == level]
    for finding in findings:
        if finding.status == "violated" and not words.keys() & _matching_names(finding):
            yield CaseDifference(
                aspect=level, name=finding.constraint, expected="satisfied", found="violated", finding=finding
            )
    for word in words:
        matches = [finding for finding in findings if word in _matching_names(finding)]
        if not any(finding.status == "violated" for finding in matches):
            shown = next((f for f in matches if f.status == "satisfied"), next(iter(matches), None))
            found = "not there" if shown is None else "satisfied" if shown.status == "satisfied" else "not applicable"
            yield CaseDifference(aspect=level, name=word, expected="violated", found=found, finding=shown)


def _shape_differences(case: Case, verdict: Verdict) -> Iterator[CaseDifference]:
    kinds = dict.fromkeys(word.text for word in case.shape)
    found = {f.kind or "": f for f in reversed(verdict.findings) if f.level == "shape" and f.status == "violated"}
    for kind, finding in reversed(found.items()):
        if kind not in kinds:
            yield CaseDifference(aspect="shape", name=kind, expected="nothing", found="violated", finding=finding)
    for kind in kinds:
        if kind not in found:
            yield CaseDifference(aspect="shape", name=kind, expected="violated", found="nothing")


def _margin_differences(case: Case, verdict: Verdict) -> Iterator[CaseDifference]:
    for word, value in case.margins:
        finding = next(
            (f for f in verdict.findings if f.status != "not-applicable" and word.text in _matching_names(f)),
            None,
        )
        if finding is None or not _is_same_margin(value.text, finding):
            margin = None if finding is None else finding.margin
            found = "no margin" if finding is None or margin is None else margin_text(margin, finding.unit)
            yield CaseDifference(aspect="margin", name=word.text, expected=value.text, found=found, finding=finding)


def _is_same_margin(text: str, finding: Finding) -> bool:
    if finding.margin is None:
        return False
    amount = parse_margin(text, finding.unit)
    return text == margin_text(finding.margin, finding.unit) or amount == Fraction(finding.margin)


def _matching_names(finding: Finding) -> set[str]:
    """Return the names by which a case can list a violation: ids of the constraint instance and the constraint."""
    return {finding.constraint, rule_of(finding.constraint)}
