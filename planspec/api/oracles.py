"""The best plan that is known how to find: the solver's, made better where a family has more to ask than a solver can."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from planspec.api.judging import Judge
from planspec.families.registry import family_of
from planspec.solvers.backends.outcome import Limits
from planspec.solvers.questions import prove
from planspec.solvers.questions.budget import TimeBudget
from planspec.solvers.questions.prove import Solution


@dataclass(frozen=True, slots=True)
class ImprovedSolution:
    """A solution that a family made better, and what there is to say of it.

    Attributes:
        told: a sentence for people; None where there is nothing to say.
    """

    solution: Solution
    told: str | None = None


BETTERING_S = 60.0
"""The time that a family gets to better a plan, if nothing else limits it."""

Better: TypeAlias = Callable[[str, Judge, Solution, float], ImprovedSolution]
"""From a task's name, its judge, a solution with a plan and seconds to a solution that satisfies no less."""


@dataclass(frozen=True, slots=True)
class Performance:
    """What somebody works with who does all that an answer takes.

    Attributes:
        name: by which the task was loaded.
        judge: of the task at this turn.
        folder: of its suite, if it is known.
        tools: the names of the setting's tools.
        call: calls one of them.
    """

    name: str
    judge: Judge
    folder: Path | None
    tools: frozenset[str]
    call: Callable[[str, Any], object]


Perform: TypeAlias = Callable[[Any, Performance], Any]
"""From an answer to the answer with what else the family's metrics look at; the calls that tell it are made."""


def whole_answer(answer: Any, given: Performance) -> Any:
    """An answer as one gives it who did everything else right, too: the calls are made, and what is declared is said."""
    perform = family_of(given.judge.task.family).perform
    return answer if perform is None else perform.load()(answer, given)


def best_plan(name: str, judge: Judge, *, backend: str = "cpsat", limits: Limits | None = None) -> Solution:
    """The best plan of a task.

    Args:
        name: by which the task was loaded.
        judge: of the task.
        backend: who searches.
        limits: hold for everything together.

    Raises:
        DiagnosticError: the task has no encoding.
        InternalError: the back end's plan does not pass the verifier.
    """
    clock = TimeBudget(limits or Limits())
    found = prove.solve(judge.ground, backend=backend, limits=clock.limits)
    further = family_of(judge.task.family).better if judge.task.objective is None else None
    if further is None or found.plan is None or clock.over:
        return found
    return further.load()(name, judge, found, BETTERING_S if clock.left is None else clock.left).solution
