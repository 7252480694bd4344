"""The attempts of a run as input for metrics, including expected attempts that were never recorded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from pydantic import ValidationError

from planspec.api.verdicts import read_verdict
from planspec.family.registry import family_of
from planspec.runs import Attempt, InvalidRunError, Run, RunFolder
from planspec.scores.known import RunFacts, load_or_compute_facts
from planspec.verifiers.meaning.verdict import Verdict, undelivered
from planspec.verifiers.metrics.scored import Scored

MISSING = "there is no record of an attempt"
"""Message for an attempt that was never recorded."""
Row: TypeAlias = tuple[Scored, ...]
"""Attempts at one task, one for each repeat."""


@dataclass(frozen=True, eq=False)
class AttemptedRun:
    """A run with the data needed to score it.

    Attributes:
        folder: folder of the run.
        run: header of the run.
        attempts: recorded attempts, keyed by task and repeat.
        facts: cached properties of the run's tasks and answers that are slow to compute.
        suite: current file or id of the suite.
    """

    folder: RunFolder
    run: Run
    attempts: Mapping[tuple[str, int], Attempt]
    facts: RunFacts
    suite: str

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """Scored attempts at each task, in the order of the tasks."""
        return tuple(tuple(self._scored(task, repeat) for repeat in range(self.run.repeats)) for task in self.run.tasks)

    def at(self, task: str) -> list[Attempt]:
        """Return the recorded attempts at a task, in order of their repeats."""
        keys = ((task, repeat) for repeat in range(self.run.repeats))
        return [self.attempts[key] for key in keys if key in self.attempts]

    def _scored(self, task: str, repeat: int) -> Scored:
        facts, attempt = self.facts.tasks[task], self.attempts.get((task, repeat))
        required = {kind: n for kind, n in facts.by_kind().items() if kind is not None}
        if attempt is None:
            nothing = undelivered(task, MISSING, hard=facts.hard, soft=facts.soft, objectives=facts.objectives)
            return Scored.of(nothing, required, facts.labels, infeasible=facts.infeasible)
        verdict, answers = self._verdict(attempt), self.facts.of(attempt)
        calls, seen, read = tool_call_count(attempt), attempt.facts, attempt.read
        return Scored.of(
            verdict,
            required,
            facts.labels,
            kept=answers.kept,
            detour=answers.detour,
            tool_calls=calls,
            facts_seen=None if seen is None else seen.seen_share,
            facts_ignored=None if seen is None else seen.ignored_share,
            facts_misread=None if read is None else read.wrong_share,
            right_as_read=None if read is None or read.wrong_share is None else read.status == "pass",
            infeasible=facts.infeasible,
        )

    def _verdict(self, attempt: Attempt) -> Verdict:
        try:
            return read_verdict(attempt.verdict, family_of(self.run.family).verdict.load())
        except ValidationError as error:
            raise InvalidRunError(
                f"`{self.folder.attempts_file}`: `{attempt.task}`, repeat {attempt.repeat}: its verdict is invalid: "
                + error.errors()[0]["msg"]
            ) from None


def read_attempts(folder: RunFolder, *, anchors: bool, jobs: int = 1, suite: str | None = None) -> AttemptedRun:
    """Read the attempts of a run, and the properties of its tasks and answers that scores need.

    Args:
        folder: folder of the run.
        anchors: whether to count the tasks' temporal anchors (times that facts fix).
        jobs: number of processes.
        suite: current file or id of a suite that has moved; else None.

    Raises:
        InvalidRunError: the folder is not a run, or a record does not belong to an attempt of the run.
        ChangedSuiteError: the suite has changed since the run.
        NotFoundError: the suite no longer exists.
    """
    run = folder.read_header()
    attempts: dict[tuple[str, int], Attempt] = {}
    for attempt in folder.attempts():
        if attempt.task not in run.tasks or attempt.repeat >= run.repeats or attempt.key in attempts:
            raise InvalidRunError(
                f"`{folder.attempts_file}`: `{attempt.task}`, repeat {attempt.repeat}, "
                + ("is there twice" if attempt.key in attempts else "is no attempt of the run")
            )
        attempts[attempt.key] = attempt
    run_facts = load_or_compute_facts(folder, tuple(attempts.values()), anchors=anchors, jobs=jobs, suite=suite)
    return AttemptedRun(folder, run, attempts, run_facts, suite or run.suite_path)


def tool_call_count(attempt: Attempt) -> int | None:
    """Return the number of tool calls of an attempt; None if the process died and the trace was lost."""
    return None if attempt.lost else sum(not call.own for call in attempt.trace.calls)
