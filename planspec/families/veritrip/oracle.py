"""Improvement of solutions: all preferences, and a path through the city that is as short as possible."""

from __future__ import annotations

from dataclasses import replace

from planspec.api.judging import Judge
from planspec.api.loading import load
from planspec.api.oracles import ImprovedSolution
from planspec.families.veritrip.shortening import Shortened, shortened
from planspec.solvers.backends.outcome import Limits
from planspec.solvers.questions import prove
from planspec.solvers.questions.prove import Solution
from planspec.verifiers.meaning.plan_rows import Plan

FULLEST = "total - count(i for i in itinerary) * 100000 {currency}"
"""Objective for as many activities as possible.

Among such plans it prefers the cheapest, which leaves room for exchanges.
"""
START = 0.2
"""Share of the time spent on a start."""


def better(name: str, judge: Judge, solution: Solution, seconds: float) -> ImprovedSolution:
    """Return a solution with a shorter path, and its distance from the shortest.

    Args:
        name: name under which the task was loaded.
        judge: judge of the task.
        solution: solution with a plan.
        seconds: wall-clock time.
    """
    result = nearest(name, judge, solution, seconds)
    return ImprovedSolution(replace(solution, plan=result.plan), _in_words(result))


def _in_words(result: Shortened) -> str | None:
    """Describe the difference between the plan's path and the shortest one in a sentence."""
    if result.margin is None or result.detour is None:
        return None
    least, most = result.margin
    if not most:
        return f"the way through its {result.detour.places} places is the shortest, proved: AM 0"
    excess = (
        f"{float(most):.0f} m" if least == most else f"between {float(least):.0f} and {float(most):.0f} m"
    )
    return (
        f"the way through its {result.detour.places} places is {excess} longer for each place than the shortest (AM); "
        "no plan with a better one was found, which is no proof that there is none"
    )


def nearest(name: str, judge: Judge, solution: Solution, seconds: float) -> Shortened:
    """Return a plan with a shorter path and no less weight of preferences than the given solution.

    Args:
        name: name under which the task was loaded.
        judge: judge of the task.
        solution: solution with a plan.
        seconds: wall-clock time.
    """
    assert solution.plan is not None
    start = _fullest(name, judge, solution, seconds * START) or solution.plan
    return shortened(judge, start, seconds * (1 - START))


def _fullest(name: str, judge: Judge, solution: Solution, seconds: float) -> Plan | None:
    """Return a full and cheap plan that satisfies as much as the solution; None if there is none in time."""
    objective_judge = Judge(load(name, minimize=FULLEST.format(currency=judge.task.currency)))
    other = prove.solve(objective_judge.ground, limits=Limits(seconds=seconds))
    if other.plan is None or other.soft_weight < solution.soft_weight:
        return None
    return judge.read(objective_judge.encode(other.plan))  # rows of one task are not those of another
