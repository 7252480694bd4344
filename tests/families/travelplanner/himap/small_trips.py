"""Trips in the small invented world, and test doubles for parts of HiMAP."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from planspec.agents import Desk, Limits, TaskView
from planspec.api.judging import Judge
from planspec.api.loading import load
from planspec.families.travelplanner.himap import HiMAP
from planspec.families.travelplanner.himap.executor import State
from planspec.families.travelplanner.himap.goals import (
    Cancelled,
    Committed,
    DayDraft,
    ExecutorCounts,
    Feedback,
    Goal,
    Outcome,
    Rejected,
)
from planspec.families.travelplanner.himap.market import Market
from planspec.monitor import OK, Refusal, Reply
from planspec.traces.record import Trace
from planspec.verifiers.meaning.verdict import Verdict
from tests.paths import ROOT
from tests.shipped import WORKSPACE

TASKS = ROOT / "tasks" / "travelplanner-small" / "tasks"


@dataclass(frozen=True, slots=True)
class OpenedTrip:
    name: str
    judges: tuple[Judge, ...]
    folder: Path | None = None
    resolve: Callable[[str, Trace], Any] | None = None
    declared: None = None


@cache
def judge(number: int) -> Judge:
    return Judge(load(TASKS / f"{number}.yaml", workspace=WORKSPACE))


@cache
def market(number: int) -> Market:
    """Return the offers (such as rides and hotels) for a trip that its wishes allow."""
    return Market(judge(number).task)


def view(number: int, seed: int = 0, **other: Any) -> TaskView:
    """Return an agent's view of a trip."""
    task = judge(number).task
    given: dict[str, Any] = {"brief": "", "limits": Limits(tool_calls=None, steps=None), "seed": seed}
    return TaskView(task.id, task.family, "tools", task.query, **(given | other))


def run_agent(number: int, seed: int = 0, **options: Any) -> tuple[Verdict, dict[str, Any], Desk]:
    """Run HiMAP on a trip. Return the verdict on its answer, its note on the turn, and the desk, which records the calls."""
    agent = HiMAP(**options)
    agent.privilege(OpenedTrip(str(number), (judge(number),)))
    trip_view = view(number, seed)
    desk = Desk(trip_view.tools, trip_view.limits, seed)
    verdict = judge(number).decoded(agent.answer(trip_view, desk))
    return verdict, desk.notes["himap"][-1], desk


def violated_rules(verdict: Verdict) -> set[str]:
    """Return the names of the violated constraints."""
    return {finding.constraint for finding in verdict.findings if finding.status == "violated"}


def goal(day: int, **other: Any) -> Goal:
    """Return the goal (assignment) of the executor of a day."""
    given: dict[str, Any] = {"date": f"2022-03-{day:02}", "role": "stay", "origin": None, "city": "Brindle"}
    return Goal(day, **(given | other))


def committed_outcome(goal: Goal) -> Committed:
    """Return the outcome of a day that was planned and committed."""
    return Committed(goal, Feedback(goal.day, "feasible", 0), DayDraft({}, 0), ExecutorCounts())


def rejected_outcome(goal: Goal) -> Rejected:
    """Return the outcome of a day that was rejected because 100 cents were missing."""
    return Rejected(goal, Feedback(goal.day, "infeasible", 100, "budget"), None, ExecutorCounts())


class RecordingState:
    """A shared state that records all actions and refuses none."""

    def __init__(self) -> None:
        self.actions: list[Mapping[str, Any]] = []
        self.marks: list[int] = []
        self.rollbacks = 0
        self._lock = threading.Lock()

    def commit(self, action: Mapping[str, Any]) -> Reply:
        with self._lock:
            self.actions.append(action)
        return OK

    def checkpoint(self) -> int | Refusal:
        self.marks.append(len(self.actions))
        return len(self.marks)

    def rollback(self, token: int | None = None) -> Reply:
        assert token is not None
        del self.actions[self.marks[token - 1] :]
        self.rollbacks += 1
        return OK


@dataclass
class ScriptedExecutor:
    """An executor with a scripted outcome for each day: done, rejected, or wait until it is cancelled."""

    play: Callable[[Goal], str]

    def __call__(self, goal: Goal, state: State, cancelled: threading.Event) -> Outcome:
        match self.play(goal):
            case "done":
                state.commit({"day": goal.day})
                return committed_outcome(goal)
            case "wait":
                assert cancelled.wait(20), "nobody cancelled"
                return Cancelled(goal, ExecutorCounts())
            case "rejected":
                return rejected_outcome(goal)
            case other:
                raise RuntimeError(other)
