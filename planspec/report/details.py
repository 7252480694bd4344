"""Details of one task on a page: the best plan, and the plans of attempts, judged again to obtain all margins."""

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
from planspec.dsl.diagnostics.diagnostic import DiagnosticError
from planspec.dsl.workspace.workspace import Workspace
from planspec.environments import AgentTask, UnknownSettingError, open_task
from planspec.errors import NotFoundError
from planspec.report.itinerary import Itinerary
from planspec.report.perception import shown_perception, shown_reading
from planspec.report.places import shown_plan
from planspec.report.proofs import Key, ProofEntry, Prover, answer_hash
from planspec.report.record import (
    ShownAttempt,
    ShownFinding,
    ShownOracle,
    ShownPlan,
    ShownRepair,
    ShownTask,
)
from planspec.report.texts import json_text, line, number, visible_text
from planspec.report.traces import shown_trace
from planspec.runs import Attempt
from planspec.runs.record import ModelPrice
from planspec.runs.running import fingerprint
from planspec.verifiers.answers.format import TABLES
from planspec.verifiers.meaning.margin import margin_text
from planspec.verifiers.meaning.verdict import Finding, Verdict

MOST_FINDINGS = 300


@dataclass(frozen=True, slots=True)
class RunAttempt:
    """An attempt of one of the runs.

    Attributes:
        run: index of the run on the page, counted from 0.
        sha256: hash of the task at the time of the attempt.
        attempt: the attempt.
        prices: prices of models in the run.
    """

    run: int
    sha256: str
    attempt: Attempt
    prices: Mapping[str, ModelPrice] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TaskPageRequest:
    """Request for all details of one task.

    Attributes:
        task: id of the task.
        path: file of the task; None if the suite no longer exists.
        folder: folder of the suite.
        setting: setting of the first run.
        sha256: hash of the task when the first run attempted it.
        facts: names and values of properties of the task, such as its number of constraints.
        attempts: attempts in the order in which they are shown.
        seconds: time limit of each search by a solver, in seconds; None to skip searches.
        shipped: folder with a copy of the documents that shipped with planspec at the time of the run; None
            to use the current ones.
        proofs: proofs that earlier reports found.
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
    proofs: Mapping[Key, ProofEntry] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TaskPage:
    """The details of a task, and new proofs found for them."""

    shown: ShownTask
    proofs: tuple[ProofEntry, ...] = ()


def task_page(request: TaskPageRequest) -> TaskPage:
    """Return the details of a task for a page."""
    try:
        agent_task = _open_agent_task(request)
    except (NotFoundError, DiagnosticError, OSError) as error:
        return TaskPage(_page_without_plans(request, f"the task is not to be found any more: {error}"))
    if agent_task is None:
        return TaskPage(_page_without_plans(request, "the suite is not where it was: answers stand as they were given"))
    task = agent_task.judge.task
    if fingerprint(task).hex() != request.sha256:
        return TaskPage(_page_without_plans(request, "the task was changed since: answers stand as they were given"))
    return _TaskPageBuilder(request, agent_task).build()


@cache
def _workspace(shipped: Path | None) -> Workspace:
    """Return a workspace that uses the shipped documents in a folder, or planspec's own if it is None.

    Each process reuses its workspace, so that documents are read once.
    """
    return Workspace() if shipped is None else Workspace(shipped)


def _open_agent_task(request: TaskPageRequest) -> AgentTask | None:
    """Return the task in the agents' setting; None if its file is unknown.

    If the setting cannot be opened, the task is returned without tools.
    """
    if request.path is None:
        return None
    workspace = _workspace(request.shipped)
    try:
        return open_task(request.path, request.setting, folder=request.folder, workspace=workspace)
    except UnknownSettingError:
        name = str(request.path)
        last = load(name, workspace=workspace)
        turns = range(1, last.turns or 1)
        earlier = (Judge(load(f"{name}@{turn}", workspace=workspace)) for turn in turns)
        judges = (*earlier, Judge(last))
        for judge in judges:
            judge.refusals = judge.task.environment.refusals_in(request.setting)
        return AgentTask(name, judges, request.setting, brief="", folder=request.folder)


def _page_without_plans(request: TaskPageRequest, reason: str) -> ShownTask:
    return ShownTask(
        task=request.task,
        facts=request.facts,
        told=line(reason),
        attempts=tuple(map(_shown_attempt, request.attempts)),
    )


class _TaskPageBuilder:
    """Builder of the page of a task that could be opened."""

    def __init__(self, request: TaskPageRequest, agent_task: AgentTask) -> None:
        self._request, self._agent_task = request, agent_task
        self._itinerary = Itinerary(agent_task.judge.task)
        self._prover = Prover(agent_task.name, agent_task.judge, request.sha256, request.seconds or 0.0)
        self._new_proofs: list[ProofEntry] = []
        self._proofs = dict(request.proofs)

    def build(self) -> TaskPage:
        request, task = self._request, self._agent_task.judge.task
        shown_ = ShownTask(
            task=request.task,
            title=line(task.title),
            queries=tuple(visible_text(judge.task.query) for judge in self._agent_task.judges),
            facts=request.facts,
            oracle=self._shown_oracle(),
            attempts=tuple(map(self._shown_attempt, request.attempts)),
        )
        return TaskPage(shown_, tuple(self._new_proofs))

    def _shown_oracle(self) -> ShownOracle | None:
        if self._request.seconds is None:
            return None
        best = self._proof_entry((self._request.sha256, None), self._prover.best).best
        if best is None:
            return None
        plan = None
        if best.tables is not None:
            rows, _ = TABLES.decode(self._agent_task.judge.task, best.tables)
            plan = shown_plan(self._itinerary, rows, self._agent_task.judge.ground)
        return ShownOracle(status=best.status, plan=plan, told=best.told)

    def _proof_entry(self, key: Key, find: Any) -> ProofEntry:
        if key not in self._proofs:
            self._proofs[key] = find()
            self._new_proofs.append(self._proofs[key])
        return self._proofs[key]

    def _shown_attempt(self, run_attempt: RunAttempt) -> ShownAttempt:
        attempt = run_attempt.attempt
        if run_attempt.sha256 != self._request.sha256 or attempt.failure is not None or not attempt.turns:
            return _shown_attempt(run_attempt)
        answer = attempt.turns[-1].answer
        text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
        plan = self._agent_task.judge.read(self._agent_task.resolve_references(text, attempt.trace))
        if plan is None:
            return _shown_attempt(run_attempt)
        verdict = read_common(attempt.verdict)
        again = self._agent_task.verdict(text, attempt.trace)
        findings = again.findings if again.status == verdict.status else verdict.findings
        repair: ShownRepair | None = None
        if attempt.status == "fail" and self._request.seconds is not None:
            name = answer_hash(attempt.turns[-1].answer)
            entry = self._proof_entry((self._request.sha256, name), lambda: self._prover.repair(plan, name))
            repair = entry.repair
            if repair is not None and entry.repaired is not None:
                rows, _ = TABLES.decode(self._agent_task.judge.task, entry.repaired)
                repair = repair.model_copy(
                    update={"plan": shown_plan(self._itinerary, rows, self._agent_task.judge.ground)}
                )
        return _shown_attempt(
            run_attempt, shown_plan(self._itinerary, plan, self._agent_task.judge.ground), findings, repair
        )


def _shown_attempt(
    run_attempt: RunAttempt,
    plan: ShownPlan | None = None,
    findings: Sequence[Finding] | None = None,
    repair: ShownRepair | None = None,
) -> ShownAttempt:
    attempt = run_attempt.attempt
    verdict = read_common(attempt.verdict)
    return ShownAttempt(
        run=run_attempt.run,
        repeat=attempt.repeat,
        status=attempt.status,
        failure=None if attempt.failure is None else (attempt.failure.boundary, visible_text(attempt.failure.message)),
        traceback=None
        if attempt.failure is None or attempt.failure.traceback is None
        else visible_text(attempt.failure.traceback),
        hard=(verdict.hard.satisfied, verdict.hard.total),
        soft=(verdict.soft.satisfied, verdict.soft.total),
        facts=tuple(_attempt_figures(attempt, verdict)),
        plan=plan,
        findings=shown_findings(verdict.findings if findings is None else findings),
        repair=repair,
        answers=tuple(json_text(turn.answer) for turn in attempt.turns if turn.answer is not None),
        perception=None if attempt.facts is None else shown_perception(attempt.facts, turns=len(attempt.turns)),
        reading=None if attempt.read is None else shown_reading(attempt.read),
        trace=shown_trace(attempt.trace, run_attempt.prices, attempt.seconds),
    )


def shown_findings(findings: Sequence[Finding]) -> tuple[ShownFinding, ...]:
    """Return at most `MOST_FINDINGS` findings for a page: violated ones first, then hard before soft."""
    return tuple(map(_shown_finding, sorted(findings, key=_finding_order)[:MOST_FINDINGS]))


def _finding_order(finding: Finding) -> tuple[int, int]:
    """Return a sort key of findings: violated ones first, hard before soft."""
    return ("violated", "satisfied").index(finding.status) if finding.status != "not-applicable" else 2, (
        "shape",
        "hard",
        "soft",
    ).index(finding.level)


def _shown_finding(finding: Finding) -> ShownFinding:
    margin = None if finding.margin is None else margin_text(finding.margin, finding.unit)
    return ShownFinding(
        constraint=line(finding.constraint),
        level=finding.level,
        kind=finding.kind,
        status=finding.status,
        message=line(finding.message, 1000),
        margin=margin,
        rows=tuple((row.table, row.key) for row in finding.rows) if finding.status == "violated" else (),
        since=finding.since,
    )


def _attempt_figures(attempt: Attempt, verdict: Verdict) -> Sequence[tuple[str, str]]:
    """Return labels and values of an attempt's measurements, such as seconds and tokens."""
    facts: list[tuple[str, str]] = [("seconds", number(attempt.seconds))]
    tokens = attempt.trace.tokens_of(None)
    if tokens is not None:
        facts += [("tokens in", number(tokens.input)), ("tokens out", number(tokens.output))]
    calls = sum(not call.own for call in attempt.trace.calls)
    if calls:
        facts.append(("tool calls", str(calls)))
    metrics: Mapping[str, JsonValue] = verdict.metrics
    facts += [(line(name, 80), line(value, 80)) for name, value in metrics.items() if value is not None]
    if verdict.status != "undelivered":
        facts += [(line(each.name, 80), line(each.detail, 120)) for each in verdict.objectives]
    return facts
