"""The best answer: all preferences, and a way through the city that is as short as a way through its places can be."""

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
"""An objective for as many activities as possible, and among such plans a cheap one, which leaves room for
exchanges."""
START = 0.2
"""The share of the time in which a start is looked for."""


def better(name: str, judge: Judge, found: Solution, seconds: float) -> ImprovedSolution:
    """A solution with a better way, and how far that is from the shortest.

    Args:
        name: of the task, as it was loaded.
        judge: of the task.
        found: with a plan.
        seconds: wall-clock time.
    """
    way = nearest(name, judge, found, seconds)
    return ImprovedSolution(replace(found, plan=way.plan), _in_words(way))


def _in_words(way: Shortened) -> str | None:
    """A sentence about the difference between the plan's way and the shortest one."""
    if way.margin is None or way.detour is None:
        return None
    least, most = way.margin
    if not most:
        return f"the way through its {way.detour.places} places is the shortest, proved: AM 0"
    told = f"{float(most):.0f} m" if least == most else f"between {float(least):.0f} and {float(most):.0f} m"
    return (
        f"the way through its {way.detour.places} places is {told} longer for each place than the shortest (AM); "
        "no plan with a better one was found, which is no proof that there is none"
    )


def nearest(name: str, judge: Judge, found: Solution, seconds: float) -> Shortened:
    """A plan with no less weight of preferences than the one that was found, and with a better way.

    Args:
        name: of the task, as it was loaded.
        judge: of the task.
        found: with a plan.
        seconds: wall-clock time.
    """
    assert found.plan is not None
    start = _fullest(name, judge, found, seconds * START) or found.plan
    return shortened(judge, start, seconds * (1 - START))


def _fullest(name: str, judge: Judge, found: Solution, seconds: float) -> Plan | None:
    """A full and cheap plan that fulfils as much as the one that was found, if one comes up in time."""
    asked = Judge(load(name, minimize=FULLEST.format(currency=judge.task.currency)))
    other = prove.solve(asked.ground, limits=Limits(seconds=seconds))
    if other.plan is None or other.soft_weight < found.soft_weight:
        return None
    return judge.read(asked.encode(other.plan))  # rows of one task are not those of another
