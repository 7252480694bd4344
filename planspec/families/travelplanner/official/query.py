"""Conversion of a task's givens to the query that TravelPlanner's public evaluator reads."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import inf
from typing import Any

from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import Task
from planspec.dsl.model.values import minor_digits
from planspec.errors import UnsuitableTaskError
from planspec.families.travelplanner.official.reading import EvaluatorQuery

ROOMS = {
    "entire_room": "entire room", "a_private_room": "private room", "a_shared_room": "shared room",
    "not_shared_room": "not shared room",
}  # fmt: skip
RULES = {
    "smoking": "smoking", "parties": "parties", "children": "children under 10", "visitors": "visitors",
    "pets": "pets",
}  # fmt: skip
MODES = {"flight": "no flight", "self_driving": "no self-driving"}


def query_of(task: Task) -> EvaluatorQuery:
    """Return the query of a task, from its givens alone. Without a budget there is no limit.

    Raises:
        UnsuitableTaskError: `org`, `trip`, or both `dest` and `town` are missing.
    """
    given = task.givens
    aim = given.get("dest") or given.get("town")
    trip = given.get("trip")
    if given.get("org") is None or aim is None or not isinstance(trip, tuple):
        raise UnsuitableTaskError(
            "TravelPlanner's public evaluator needs the givens `org`, `trip` and one of `dest` and `town`, "
            f"which `{task.id}` has not"
        )
    return EvaluatorQuery(
        name(given["org"]), name(aim), len(trip), given.get("cities", 1), given.get("party", 1), _dollars(task),
        {
            "house rule": _word(RULES, given.get("rule")),
            "cuisine": [name(taste) for taste in given.get("tastes") or ()] or None,
            "room type": _word(ROOMS, given.get("room")),
            "transportation": [_word(MODES, mode) for mode in given.get("without") or ()] or None,
        },
    )  # fmt: skip


def name(row: Row) -> str:
    """Return a row's name in texts."""
    return str(row._key[0])


def _word(words: Mapping[str, str], value: Any) -> str | None:
    return None if value is None else words.get(value, value)


def _dollars(task: Task) -> float:
    budget = task.givens.get("budget")
    if budget is None:
        return inf
    return float(Fraction(budget, 10 ** minor_digits(task.currency or "")))
