"""Interface of the `official` profile, in which a benchmark's public evaluator decides."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, runtime_checkable

from planspec.verifiers.meaning.verdict import STRICT as STRICT_JSON
from planspec.verifiers.meaning.verdict import Finding, FindingStatus, Verdict

STRICT = "strict"
"""Profile in which planspec's constraints decide. Every task has it."""
OFFICIAL = "official"
"""Profile in which the public evaluator of the family (benchmark) decides."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileDifference:
    """A constraint that the two profiles judge differently, and the cause.

    Attributes:
        constraint: id of the constraint.
        strict: status in the `strict` profile.
        official: status in the `official` profile.
        quirk: name of the cause, such as `letter-case`; `unexplained` if no cause was found.
        message: text that names the position in the plan and the cause.
    """

    __pydantic_config__: ClassVar[Mapping[str, Any]] = STRICT_JSON
    constraint: str
    strict: FindingStatus
    official: FindingStatus
    quirk: str
    message: str


@runtime_checkable
class Official(Protocol):
    """A public benchmark's evaluator, applied to one task."""

    def judge(self, data: Any, findings: Iterable[Finding] = ()) -> Verdict:
        """Return the verdict on an answer's JSON.

        Args:
            data: the answer without its envelope (`{"task": ..., "plan": ...}`).
            findings: findings from reading the answer. They are listed, but do not affect the status, since the
                evaluator does not see them.
        """

    def undelivered(self, reason: str) -> Verdict:
        """Return the verdict on a missing plan."""

    def hard_counts(self) -> Mapping[str, int]:
        """Return the number of hard constraints that a plan must satisfy, by kind."""

    def differences(self, data: Any, strict: Verdict, official: Verdict) -> tuple[ProfileDifference, ...]:
        """Return the constraints that the two verdicts on an answer judge differently, each with a cause."""
