"""Best known plans: the solver's, improved by the family if it weighs more than the solver can express."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from planspec.api.judging import Judge
from planspec.family.descriptor import Part
from planspec.family.registry import family_of
from planspec.solvers.backends.outcome import Limits
from planspec.solvers.questions import prove
from planspec.solvers.questions.budget import TimeBudget
from planspec.solvers.questions.prove import Solution


@dataclass(frozen=True, slots=True)
class ImprovedSolution:
    """A solution improved by a family.

    Attributes:
        solution: the improved solution.
        note: sentence for people; None if there is nothing to add.
    """

    solution: Solution
    note: str | None = None


BETTERING_S = 60.0
"""Time in which a family may improve a plan, if nothing else limits it."""

Better: TypeAlias = Callable[[str, Judge, Solution, float], ImprovedSolution]
"""Maps a task's name, its judge, a solution with a plan, and seconds to a solution that satisfies no less."""
BETTER: Part[Better | None] = Part("better", None)
"""Improver of a solver's plan, for metrics that no solver optimises."""


@dataclass(frozen=True, slots=True)
class Performance:
    """Resources of an agent that does everything an answer requires.

    Attributes:
        name: path or id by which the task was loaded.
        judge: judge of the task at this turn.
        folder: folder of its suite; None if unknown.
        tools: names of the setting's tools.
        call: calls one of the tools.
    """

    name: str
    judge: Judge
    folder: Path | None
    tools: frozenset[str]
    call: Callable[[str, Any], object]


Perform: TypeAlias = Callable[[Any, Performance], Any]
"""Extends an answer by what else the family's metrics expect, and makes the tool calls behind it."""
PERFORM: Part[Perform | None] = Part("perform", None)
"""Adds the tool calls that trace metrics expect to a solver's answer."""


def whole_answer(answer: Any, performance: Performance) -> Any:
    """Complete a solver's answer by the tool calls and declarations that the family's metrics expect."""
    perform = PERFORM.of(family_of(performance.judge.task.family))
    return answer if perform is None else perform(answer, performance)


def best_plan(name: str, judge: Judge, *, backend: str = "cpsat", limits: Limits | None = None) -> Solution:
    """Find the best plan of a task.

    Args:
        name: path or id by which the task was loaded.
        judge: judge of the task.
        backend: back end that searches.
        limits: limits on the whole search.

    Raises:
        DiagnosticError: the task has no encoding.
        InternalError: the back end's plan does not pass the verifier.
    """
    clock = TimeBudget(limits or Limits())
    solution = prove.solve(judge.ground, backend=backend, limits=clock.limits)
    further = BETTER.of(family_of(judge.task.family)) if judge.task.objective is None else None
    if further is None or solution.plan is None or clock.over:
        return solution
    return further(name, judge, solution, BETTERING_S if clock.left is None else clock.left).solution
