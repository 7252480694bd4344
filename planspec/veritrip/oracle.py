"""The best answer: all preferences, and a way through the city that is as short as a way through its places can be."""

from __future__ import annotations

from planspec.api import Judge, load
from planspec.solvers import prove
from planspec.solvers.outcome import Limits
from planspec.solvers.prove import Solution
from planspec.verifiers.plan_rows import Plan
from planspec.veritrip.shortening import Shortened, shortened

FULLEST = "total - count(i for i in itinerary) * 100000 {currency}"
"""As many activities as can be, and of such plans a cheap one, which leaves room for exchanges."""
START = 0.2
"""Of the time, in which a start is looked for."""


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
