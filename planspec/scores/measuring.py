"""Values of answers besides the verdict: the share of the previous plan that is kept, and the route's detour."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Protocol

from pydantic import JsonValue

from planspec.family.descriptor import Part
from planspec.verifiers.meaning.retention import kept_share
from planspec.verifiers.metrics.scored import Detour

if TYPE_CHECKING:
    from planspec.api.judging import Judge

ROUTE_TABLES: Part[tuple[str, ...]] = Part("route_tables", ())
"""Plan tables whose places form a plan's route. Empty if the family's metrics do not measure routes.

The first table has the visits. An optional second table has the rooms, which a second route includes.
"""


class Measures(Protocol):
    """Computes properties of tasks and answers for the tables of a family's publication."""

    def of_task(self, judge: Judge) -> dict[str, JsonValue]:
        """Return properties of a task by name."""

    def of_answer(self, judge: Judge, answer: Any) -> dict[str, JsonValue]:
        """Return properties of an answer by name; empty if it has no plan."""


MEASURES: Part[Measures | None] = Part("measures", None)
"""Properties that the family's publication reports (part `run_tables`). They are stored with the run."""


def mean_kept_share(judge: Judge, answers: Sequence[Any]) -> Fraction | None:
    """Return the share of a turn's plan that the next turn's plan keeps, averaged over turns.

    Refusals and missing answers are skipped. Return None if there are fewer than two plans.

    Args:
        judge: judge of the last turn.
        answers: answers of the turns in order.
    """
    plans = [plan for plan in map(judge.read, answers) if plan is not None]
    shares = [kept_share(judge.task, a, b) for a, b in pairwise(plans)]
    return sum(shares, Fraction(0)) / len(shares) if shares else None


def plan_detour(judge: Judge, answer: Any) -> Detour | None:
    """Return the detour of the plan in an answer.

    Return None if the family does not measure routes, there is no plan, or no place has coordinates.

    Args:
        judge: judge of the task.
        answer: answer as given by the agent.
    """
    from planspec.scores.detour import detour_of

    tables = ROUTE_TABLES.of(judge.family)
    if not tables:
        return None
    plan = judge.read(answer)
    if plan is None:
        return None
    return detour_of(plan, judge.task.currency, table=tables[0], beds=tables[1] if len(tables) > 1 else None)
