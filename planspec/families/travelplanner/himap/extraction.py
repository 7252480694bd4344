"""What a coordinator took down of a request, against what the task's author wrote: R_extract."""

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
from planspec.families.travelplanner.himap.wishes import BLANK, Request, cents
from planspec.verifiers.answers.names import folded


@dataclass(frozen=True, slots=True)
class Extraction:
    """How much of a request was read rightly.

    Attributes:
        slots: of the request, in all.
        wrong: those that were read wrongly: what was said, and what the task gives.
    """

    slots: int
    wrong: Mapping[str, tuple[Any, Any]]

    @property
    def share(self) -> Fraction:
        """R_extract: the share of the slots that were read rightly, from 0 to 1."""
        return Fraction(self.slots - len(self.wrong), self.slots)

    def as_json(self) -> dict[str, Any]:
        """The record of it; the share as text, exactly."""
        wrong = {slot: {"said": said, "given": given} for slot, (said, given) in self.wrong.items()}
        return {"share": str(self.share), "wrong": wrong}


def extraction(task: Task, said: Request | None) -> Extraction:
    """Compares a request as it was taken down with the givens of its task; names are folded, cuisines a set.

    Args:
        task: of the family `travelplanner`.
        said: None where nothing was taken down: every slot is wrong.
    """
    given = _given(task)
    told = dict.fromkeys(given) if said is None else _said(said)
    wrong = {slot: (told[slot], given[slot]) for slot in given if _alike(told[slot]) != _alike(given[slot])}
    return Extraction(len(given), wrong)


def _given(task: Task) -> dict[str, Any]:
    """The slots as the task gives them."""
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


def _said(request: Request) -> dict[str, Any]:
    made = request.model_dump()
    bound = cents(request.budget)
    return made | {"budget": None if bound is None else money(bound)}


def _alike(value: Any) -> Any:
    """A value as it is compared."""
    match value:
        case str():
            return folded(value)
        case list():
            return frozenset(map(folded, value))
        case _:
            return value
