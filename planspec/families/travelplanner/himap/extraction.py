"""Computation of R_extract, the share of a request that the coordinator extracted correctly from the user's text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Any

from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import Task
from planspec.dsl.model.value_text import row_key
from planspec.families.travelplanner.himap.goals import money
from planspec.families.travelplanner.himap.role_tools import BLANK, Request, to_cents
from planspec.verifiers.answers.names import folded_name


@dataclass(frozen=True, slots=True)
class Extraction:
    """Accuracy of a request that the coordinator extracted.

    Attributes:
        slots: number of slots of the request, such as its budget.
        wrong: extracted value and correct value of each wrong slot, by slot.
    """

    slots: int
    wrong: Mapping[str, tuple[Any, Any]]

    @property
    def share(self) -> Fraction:
        """R_extract: share of correctly extracted slots, from 0 to 1."""
        return Fraction(self.slots - len(self.wrong), self.slots)

    def as_json(self) -> dict[str, Any]:
        """Return the JSON record. The share is an exact fraction, as a string."""
        wrong = {slot: {"said": read, "given": given} for slot, (read, given) in self.wrong.items()}
        return {"share": str(self.share), "wrong": wrong}


def check_extraction(task: Task, request: Request | None) -> Extraction:
    """Compare an extracted request with the givens of its task.

    The comparison ignores case, accents and punctuation of names, and the order of cuisines.

    Args:
        task: task of the family `travelplanner`.
        request: extracted request, or None if nothing was extracted.
    """
    given = _task_slots(task)
    values = dict.fromkeys(given) if request is None else _request_slots(request)
    wrong = {
        slot: (values[slot], given[slot]) for slot in given if _normalized(values[slot]) != _normalized(given[slot])
    }
    return Extraction(len(given), wrong)


def _task_slots(task: Task) -> dict[str, Any]:
    """Return the correct value of each slot, from the task's givens."""
    givens = task.givens
    without = {"flight": "no flight", "self_driving": "no self-driving"}
    room = givens["room"]
    return {
        "origin": _name(givens["org"]),
        "destination": _name(givens["town"] or givens["dest"]),
        "days": len(givens["trip"]),
        "start_date": str(date.fromordinal(min(givens["trip"]))),
        "visiting_city_number": givens["cities"],
        "people_number": givens["party"],
        "budget": None if givens["budget"] is None else money(givens["budget"]),
        "house_requirement": givens["rule"] or BLANK,
        "cuisine_requirement": sorted(map(_name, givens["tastes"])),
        "room_requirement": BLANK if room is None else room.removeprefix("a_").replace("_", " "),
        "transportation_requirement": ", ".join(without[mode] for mode in givens["without"]) or BLANK,
    }


def _name(value: Any) -> str:
    return row_key(value, None) if isinstance(value, Row) else str(value)


def _request_slots(request: Request) -> dict[str, Any]:
    slots_ = request.model_dump()
    bound = to_cents(request.budget)
    return slots_ | {"budget": None if bound is None else money(bound)}


def _normalized(value: Any) -> Any:
    """Normalise a value for comparison: fold the case of names, and ignore the order of lists."""
    match value:
        case str():
            return folded_name(value)
        case list():
            return frozenset(map(folded_name, value))
        case _:
            return value
