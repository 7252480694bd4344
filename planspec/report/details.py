"""The details of one task on a page: its plans, judged again with every margin, beside the oracle's plan."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from planspec.api.judging import Judge
from planspec.api.loading import load
from planspec.api.verdicts import read_common
from planspec.dsl.workspace.workspace import Workspace
from planspec.environments import AgentTask, UnknownSettingError, open_task
from planspec.environments.plain import text as plain
from planspec.errors import DiagnosticError, NotFoundError
from planspec.report.itinerary import Itinerary
from planspec.report.perception import perception_shown, reading_shown
from planspec.report.places import plan_shown
from planspec.report.proofs import Key, ProofEntry, Prover, hash_of
from planspec.report.record import (
    AttemptShown,
    FindingShown,
    OracleShown,
    PlanShown,
    RepairShown,
    TaskShown,
)
from planspec.report.texts import line, number, shown, written
from planspec.report.traces import trace_shown
from planspec.runs import Attempt
from planspec.runs.record import ModelPrice
from planspec.runs.running import fingerprint
from planspec.verifiers.answers.format import TABLES
from planspec.verifiers.meaning.margin import in_words
from planspec.verifiers.meaning.verdict import Finding, Verdict

MOST_FINDINGS = 300


@dataclass(frozen=True, slots=True)
class RunAttempt:
    """An attempt of one of the runs.

    Attributes:
        run: its place on the page.
        sha256: of the task that was attempted.
        prices: of models, as the run has them.
    """

    run: int
    sha256: str
    attempt: Attempt
    prices: Mapping[str, ModelPrice] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TaskPageRequest:
    """One task of which a page shows everything.

    Attributes:
        task: its id.
        path: of its file; None where the suite is not to be found.
        folder: of the suite.
        shipped: the copy of what shipped with planspec when the run was made; None for what ships now.
        setting: of the first run.
        sha256: of the task when the first run attempted it.
        facts: name and value, of the task.
        attempts: in the order in which they are shown.
        seconds: for each question to a solver; None to ask none.
        known: what was found before.
    """

    task: str
    path: Path | None
    folder: Path | None
    setting: str
    sha256: str
    facts: tuple[tuple[str, str], ...]
    attempts: Sequence[RunAttempt]
    seconds: float | None
    shipped: Path | None = None
    known: Mapping[Key, ProofEntry] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TaskPage:
    """The details of a task, and the proofs that were found for it now."""

    shown: TaskShown
    found: tuple[ProofEntry, ...] = ()


def tell(asked: TaskPageRequest) -> TaskPage:
    """Everything that a page shows of a task."""
    try:
        opened = _opened(asked)
    except (NotFoundError, DiagnosticError, OSError) as error:
        return TaskPage(_bare(asked, f"the task is not to be found any more: {error}"))
    if opened is None:
        return TaskPage(_bare(asked, "the suite is not where it was: answers stand as they were given"))
    task = opened.judge.task
    if fingerprint(task).hex() != asked.sha256:
        return TaskPage(_bare(asked, "the task was changed since: answers stand as they were given"))
    return _Telling(asked, opened).told()


@cache
def _workspace(shipped: Path | None) -> Workspace:
    """One for each process, and each run whose documents are copies: what tasks share is read once in each."""
    return Workspace() if shipped is None else Workspace(shipped)


def _opened(asked: TaskPageRequest) -> AgentTask | None:
    """The task as agents saw it; without its tools where those lack something that tasks do without."""
    if asked.path is None:
        return None
    workspace = _workspace(asked.shipped)
    try:
        return open_task(asked.path, asked.setting, folder=asked.folder, workspace=workspace)
    except UnknownSettingError:
        name = str(asked.path)
        last = load(name, workspace=workspace)
        turns = range(1, last.turns or 1)
        earlier = (Judge(load(f"{name}@{turn}", workspace=workspace)) for turn in turns)
        return plain(name, (*earlier, Judge(last)), asked.folder)


def _bare(asked: TaskPageRequest, told: str) -> TaskShown:
    return TaskShown(
        task=asked.task, facts=asked.facts, told=line(told),
        attempts=tuple(map(_attempt, asked.attempts)),
    )  # fmt: skip


class _Telling:
    """Tells of one task that could be opened."""

    def __init__(self, asked: TaskPageRequest, opened: AgentTask) -> None:
        self._asked, self._opened = asked, opened
        self._itinerary = Itinerary(opened.judge.task)
        self._prover = Prover(opened.name, opened.judge, asked.sha256, asked.seconds or 0.0)
        self._found: list[ProofEntry] = []
        self._known = dict(asked.known)

    def told(self) -> TaskPage:
        asked, task = self._asked, self._opened.judge.task
        shown_ = TaskShown(
            task=asked.task,
            title=line(task.title),
            queries=tuple(shown(judge.task.query) for judge in self._opened.judges),
            facts=asked.facts,
            oracle=self._oracle(),
            attempts=tuple(map(self._attempt, asked.attempts)),
        )
        return TaskPage(shown_, tuple(self._found))

    def _oracle(self) -> OracleShown | None:
        if self._asked.seconds is None:
            return None
        best = self._entry((self._asked.sha256, None), self._prover.best).best
        if best is None:
            return None
        plan = None
        if best.tables is not None:
            rows, _ = TABLES.decode(self._opened.judge.task, best.tables)
            plan = plan_shown(self._itinerary, rows)
        return OracleShown(status=best.status, plan=plan, told=best.told)

    def _entry(self, key: Key, find: Any) -> ProofEntry:
        if key not in self._known:
            self._known[key] = find()
            self._found.append(self._known[key])
        return self._known[key]

    def _attempt(self, made: RunAttempt) -> AttemptShown:
        attempt = made.attempt
        if made.sha256 != self._asked.sha256 or attempt.failure is not None or not attempt.turns:
            return _attempt(made)
        answer = attempt.turns[-1].answer
        said = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
        plan = self._opened.judge.read(self._opened.standing(said, attempt.trace))
        if plan is None:
            return _attempt(made)
        verdict = read_common(attempt.verdict)
        again = self._opened.verdict(said, attempt.trace)
        findings = again.findings if again.status == verdict.status else verdict.findings
        repair: RepairShown | None = None
        if attempt.status == "fail" and self._asked.seconds is not None:
            name = hash_of(attempt.turns[-1].answer)
            entry = self._entry((self._asked.sha256, name), lambda: self._prover.repair(plan, name))
            repair = entry.repair
            if repair is not None and entry.repaired is not None:
                rows, _ = TABLES.decode(self._opened.judge.task, entry.repaired)
                repair = repair.model_copy(update={"plan": plan_shown(self._itinerary, rows)})
        return _attempt(made, plan_shown(self._itinerary, plan), findings, repair)


def _attempt(
    made: RunAttempt,
    plan: PlanShown | None = None,
    findings: Sequence[Finding] | None = None,
    repair: RepairShown | None = None,
) -> AttemptShown:
    attempt = made.attempt
    verdict = read_common(attempt.verdict)
    return AttemptShown(
        run=made.run, repeat=attempt.repeat, status=attempt.status,
        failure=None if attempt.failure is None else (attempt.failure.boundary, shown(attempt.failure.message)),
        traceback=None if attempt.failure is None or attempt.failure.traceback is None else shown(attempt.failure.traceback),
        hard=(verdict.hard.satisfied, verdict.hard.total), soft=(verdict.soft.satisfied, verdict.soft.total),
        facts=tuple(_facts(attempt, verdict)), plan=plan,
        findings=findings_shown(verdict.findings if findings is None else findings), repair=repair,
        answers=tuple(written(turn.answer) for turn in attempt.turns if turn.answer is not None),
        perception=None if attempt.facts is None else perception_shown(attempt.facts, turns=len(attempt.turns)),
        reading=None if attempt.read is None else reading_shown(attempt.read),
        trace=trace_shown(attempt.trace, made.prices, attempt.seconds),
    )  # fmt: skip


def findings_shown(findings: Sequence[Finding]) -> tuple[FindingShown, ...]:
    """The findings in the order in which they are read: violated ones first, hard before soft; no more than `MOST_FINDINGS`."""
    return tuple(map(_finding, sorted(findings, key=_order)[:MOST_FINDINGS]))


def _order(finding: Finding) -> tuple[int, int]:
    """The order of findings: violated ones first, hard before soft."""
    return ("violated", "satisfied").index(finding.status) if finding.status != "not-applicable" else 2, (
        "shape", "hard", "soft"
    ).index(finding.level)  # fmt: skip


def _finding(finding: Finding) -> FindingShown:
    margin = None if finding.margin is None else in_words(finding.margin, finding.unit)
    return FindingShown(
        constraint=line(finding.constraint), level=finding.level, kind=finding.kind, status=finding.status,
        message=line(finding.message, 1000), margin=margin,
        rows=tuple((row.table, row.key) for row in finding.rows) if finding.status == "violated" else (),
        since=finding.since,
    )  # fmt: skip


def _facts(attempt: Attempt, verdict: Verdict) -> Sequence[tuple[str, str]]:
    """The short facts about an attempt, each with its label."""
    made: list[tuple[str, str]] = [("seconds", number(attempt.seconds))]
    tokens = attempt.trace.tokens_of(None)
    if tokens is not None:
        made += [("tokens in", number(tokens.input)), ("tokens out", number(tokens.output))]
    calls = sum(not call.own for call in attempt.trace.calls)
    if calls:
        made.append(("tool calls", str(calls)))
    told: Mapping[str, JsonValue] = verdict.metrics
    made += [(line(name, 80), line(value, 80)) for name, value in told.items() if value is not None]
    return made
