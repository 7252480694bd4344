"""The interface of the profile `official`, for families that have a public evaluator."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, runtime_checkable

from planspec.verifiers.meaning.verdict import STRICT as STRICT_JSON
from planspec.verifiers.meaning.verdict import Finding, FindingStatus, Verdict

STRICT = "strict"
"""The library's meaning, which every task has."""
OFFICIAL = "official"
"""The profile of the family's public evaluator."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileDifference:
    """One cause for which the profiles part in a rule.

    Attributes:
        constraint: the rule.
        strict: what the library says of it.
        official: what the public evaluator says.
        quirk: the slug of the cause, `unexplained` if none was found.
        message: where in the plan it shows, and what the cause is.
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
        """The verdict on an answer's JSON.

        Args:
            data: the answer without its envelope.
            findings: from reading the answer; they are listed and fail nothing, as the evaluator does not see them.
        """

    def undelivered(self, reason: str) -> Verdict:
        """The verdict where there is no plan."""

    def asked(self) -> Mapping[str, int]:
        """The number of hard rules that are asked of a plan, by their kinds."""

    def differences(self, data: Any, strict: Verdict, official: Verdict) -> tuple[ProfileDifference, ...]:
        """Why both verdicts on one answer part, for each rule in which they do."""
