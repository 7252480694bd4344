"""Conversion of a task's givens (its named inputs) to the query that TravelPlanner's public evaluator reads."""

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
    "entire_room": "entire room",
    "a_private_room": "private room",
    "a_shared_room": "shared room",
    "not_shared_room": "not shared room",
}
RULES = {
    "smoking": "smoking",
    "parties": "parties",
    "children": "children under 10",
    "visitors": "visitors",
    "pets": "pets",
}
MODES = {"flight": "no flight", "self_driving": "no self-driving"}


def query_of(task: Task) -> EvaluatorQuery:
    """Return the query that a task's givens describe. If the task has no budget, the query's budget is infinite.

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
        name_of(given["org"]),
        name_of(aim),
        len(trip),
        given.get("cities", 1),
        given.get("party", 1),
        _budget_in_dollars(task),
        {
            "house rule": _public_word(RULES, given.get("rule")),
            "cuisine": [name_of(taste) for taste in given.get("tastes") or ()] or None,
            "room type": _public_word(ROOMS, given.get("room")),
            "transportation": [_public_word(MODES, mode) for mode in given.get("without") or ()] or None,
        },
    )


def name_of(row: Row) -> str:
    """Return the name of a row in the strings of plans and queries."""
    return str(row._key[0])


def _public_word(words: Mapping[str, str], value: Any) -> str | None:
    return None if value is None else words.get(value, value)


def _budget_in_dollars(task: Task) -> float:
    budget = task.givens.get("budget")
    if budget is None:
        return inf
    return float(Fraction(budget, 10 ** minor_digits(task.currency or "")))
