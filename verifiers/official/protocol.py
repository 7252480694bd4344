"""Interface of the `official` profile of families with a public evaluator."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, runtime_checkable

from planspec.verifiers.meaning.verdict import STRICT as STRICT_JSON
from planspec.verifiers.meaning.verdict import Finding, FindingStatus, Verdict

STRICT = "strict"
"""Profile of the library's own meaning, which every task has."""
OFFICIAL = "official"
"""Profile of the family's public evaluator."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileDifference:
    """One cause of a difference between the profiles in a rule.

    Attributes:
        constraint: the rule.
        strict: status according to the library.
        official: status according to the public evaluator.
        quirk: name of the cause, such as `letter-case`; `unexplained` if none was found.
        message: place in the plan, and the cause.
    """

    __pydantic_config__: ClassVar[Mapping[str, Any]] = STRICT_JSON
    constraint: str
    strict: FindingStatus
    official: FindingStatus
    quirk: str
    message: str


@runtime_checkable
class Official(Protocol):
    """A public evaluator as a profile of one task."""

    def judge(self, data: Any, findings: Iterable[Finding] = ()) -> Verdict:
        """Return the verdict on an answer's JSON.

        Args:
            data: the answer without its envelope.
            findings: findings from reading the answer; they are listed but fail nothing, as the evaluator
                does not see them.
        """

    def undelivered(self, reason: str) -> Verdict:
        """Return the verdict on a missing plan."""

    def hard_counts(self) -> Mapping[str, int]:
        """Return the number of hard rules that a plan must satisfy, by kind."""

    def differences(self, data: Any, strict: Verdict, official: Verdict) -> tuple[ProfileDifference, ...]:
        """Return a cause for each rule on which the verdicts on one answer differ."""
