"""A public evaluator that accepts every errand with at least one shop."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from planspec.dsl.model.task import Task
from planspec.verifiers.meaning.verdict import Finding, Tally, Verdict
from planspec.verifiers.official.protocol import OFFICIAL, ProfileDifference


class NonEmptyErrandOfficial:
    """The profile `official` of an errand."""

    def __init__(self, task: Task) -> None:
        self.task = task

    def judge(self, data: Any, findings: Iterable[Finding] = ()) -> Verdict:
        return self._verdict("pass" if data.get("go") else "fail", findings)

    def undelivered(self, reason: str) -> Verdict:
        return self._verdict("undelivered", ())

    def asked(self) -> Mapping[str, int]:
        return {}

    def differences(self, data: Any, strict: Verdict, official: Verdict) -> tuple[ProfileDifference, ...]:
        return ()

    def _verdict(self, status: Any, findings: Iterable[Finding]) -> Verdict:
        none = Tally(satisfied=0, total=0)
        return Verdict(
            task=self.task.id,
            profile=OFFICIAL,
            status=status,
            hard=none,
            soft=none,
            metrics={},
            in_scope=False,
            findings=tuple(findings),
        )
