"""Best known plans. Solvers find them, and families can improve them by metrics that no solver can express."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from planspec.api.judging import Judge
from planspec.dsl.workspace.shards import split_task_path
from planspec.family.descriptor import Part
from planspec.family.registry import family_of
from planspec.solvers.backends.outcome import Limits
from planspec.solvers.lowering.problem import Lowered
from planspec.solvers.questions import prove
from planspec.solvers.questions.budget import TimeBudget
from planspec.solvers.questions.prove import Level, Solution
from planspec.verifiers.meaning.ground import Ground


@dataclass(frozen=True, slots=True)
class ImprovedSolution:
    """A solver's solution after the task's family improved it.

    Attributes:
        solution: the improved solution.
        note: sentence about the improvement for users, or None.
    """

    solution: Solution
    note: str | None = None


BETTERING_S = 60.0
"""Time limit in seconds for a family to improve a plan, if neither time nor effort is limited."""

Better: TypeAlias = Callable[[str, Judge, Solution, Limits], ImprovedSolution]
"""Function from a task's name, its judge, a solution with a plan, and limits to a solution that is at least as good.

Time or effort is limited. If only effort is limited, the result must not depend on the machine's load.
"""
BETTER: Part[Better | None] = Part("better", None)
"""Function by which a family improves a solver's plan, for metrics that no solver optimises."""


@dataclass(frozen=True, slots=True)
class Performance:
    """The task and the tools for completing a solver's answer.

    Attributes:
        name: path or id by which the task was loaded.
        judge: judge of the task at this turn.
        folder: folder of its suite; None if unknown.
        tools: names of the setting's tools.
        call: function that calls one of the tools.
    """

    name: str
    judge: Judge
    folder: Path | None
    tools: frozenset[str]
    call: Callable[[str, Any], object]


Perform: TypeAlias = Callable[[Any, Performance], Any]
"""Function that adds what the family's metrics expect to an answer: declarations and tool calls."""
PERFORM: Part[Perform | None] = Part("perform", None)
"""Function with which a family completes a solver's answer, and makes the tool calls that its metrics expect."""


def whole_answer(answer: Any, performance: Performance) -> Any:
    """Complete a solver's answer with the declarations and tool calls that the family's metrics expect."""
    perform = PERFORM.of(family_of(performance.judge.task.family))
    return answer if perform is None else perform(answer, performance)


def best_plan(
    judge: Judge,
    *,
    name: str | None = None,
    backend: str = "cpsat",
    limits: Limits | None = None,
    second: bool = False,
    on_progress: Callable[[Level], None] | None = None,
    on_improve: Callable[[], None] | None = None,
    lowering: Callable[[Ground], Lowered] | None = None,
) -> Solution:
    """Find the best plan of a task, and let the task's family improve it.

    The family can improve the plan of a task without objectives, by metrics that no solver optimises.

    Args:
        judge: judge of the task.
        name: path or id by which the task was loaded; by default the file of its text.
        backend: back end that searches.
        limits: limits on the whole search, including grounding.
        second: whether a second back end may use the remaining time to confirm the result.
        on_progress: called when the best value or the bound of an objective improves, from any thread.
        on_improve: called before the family improves the plan.
        lowering: function that translates the task for the solvers. Pass one to share the translation with other
            questions; by default the task is translated anew.

    Raises:
        DiagnosticError: the task cannot be encoded for solvers.
        InternalError: the back end's plan does not pass the verifier.
    """
    clock = TimeBudget(limits or Limits())
    with clock:
        ground = judge.ground
    solution = prove.solve(
        ground,
        backend=backend,
        limits=clock.rest,
        on_progress=on_progress,
        second=second,
        lowering=lowering,
    )
    clock.spend(solution.effort)
    solution = replace(solution, format=judge.format)
    improve = BETTER.of(judge.family) if judge.task.objective is None else None
    if improve is None or solution.plan is None or clock.over:
        return solution
    if name is None:
        name = str(judge.task.file)
        inside = split_task_path(Path(name))
        if not (Path(name) if inside is None else inside[0]).is_file():
            return solution
    if on_improve is not None:
        on_improve()
    rest = clock.rest if clock.limited else replace(clock.rest, seconds=BETTERING_S)
    improved = improve(name, judge, solution, rest)
    return replace(improved.solution, remark=improved.note)
