"""Improvement of a solver's plans: a shorter path through the city, with at least the same weight of preferences."""

from __future__ import annotations

from dataclasses import replace

from planspec.api.judging import Judge
from planspec.api.loading import load
from planspec.api.oracles import ImprovedSolution
from planspec.families.veritrip.shortening import ShortenedPlan, shorten_plan
from planspec.solvers.backends.outcome import Limits
from planspec.solvers.questions import prove
from planspec.solvers.questions.prove import Solution
from planspec.verifiers.meaning.plan_rows import Plan

FULLEST_OBJECTIVE = "total - count(i for i in itinerary) * 100000 {currency}"
"""Objective, to be minimised, of a plan with as many activities as possible.

On a tie, the cheaper plan is better, since it leaves money for exchanging places.
"""
START_SHARE = 0.2
"""Share of the time and effort spent on the search's initial plan."""


def improve_solution(name: str, judge: Judge, solution: Solution, limits: Limits) -> ImprovedSolution:
    """Return a solution with a shorter path, and a sentence on how far the path is from the shortest.

    Args:
        name: name under which the task was loaded.
        judge: judge of the task.
        solution: solution with a plan.
        limits: limits of time and effort, at least one of which is not None.
    """
    result = shorten_path(name, judge, solution, limits)
    return ImprovedSolution(replace(solution, plan=result.plan), _describe_path(result))


def _describe_path(result: ShortenedPlan) -> str | None:
    """Return a sentence that compares the path with the shortest one, or None if the plan has no path."""
    if result.margin is None or result.detour is None:
        return None
    least, most = result.margin
    if not most:
        return f"the way through its {result.detour.places} places is the shortest, proved: AM 0"
    excess = f"{float(most):.0f} m" if least == most else f"between {float(least):.0f} and {float(most):.0f} m"
    return (
        f"the way through its {result.detour.places} places is {excess} longer for each place than the shortest (AM); "
        "no plan with a better one was found, which is no proof that there is none"
    )


def shorten_path(name: str, judge: Judge, solution: Solution, limits: Limits) -> ShortenedPlan:
    """Return a plan with a shorter path than the solution's. Its weight of preferences is not smaller.

    Args:
        name: name under which the task was loaded.
        judge: judge of the task.
        solution: solution with a plan.
        limits: limits of time and effort, at least one of which is not None.
    """
    assert solution.plan is not None
    start = _fullest_plan(name, judge, solution, limits.scaled(START_SHARE)) or solution.plan
    return shorten_plan(judge, start, limits.scaled(1 - START_SHARE))


def _fullest_plan(name: str, judge: Judge, solution: Solution, limits: Limits) -> Plan | None:
    """Return a plan with many activities and a low cost; None if none is found.

    Its weight of preferences is not smaller than the solution's.
    """
    objective_judge = Judge(load(name, minimize=FULLEST_OBJECTIVE.format(currency=judge.task.currency)))
    other = prove.solve(objective_judge.ground, limits=limits)
    if other.plan is None or other.soft_weight < solution.soft_weight:
        return None
    return judge.read(objective_judge.encode(other.plan))  # converts the rows to those of the solution's task
