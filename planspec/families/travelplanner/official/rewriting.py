"""Mends that rewrite a plan's texts as the strict profile reads them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from planspec.families.travelplanner.official.diagnosis import place_quirk, ride_quirk, where_quirk
from planspec.families.travelplanner.official.draft import (
    NOWHERE,
    DayItem,
    Mend,
    PlanDraft,
    ReadDay,
    put,
    text,
)
from planspec.families.travelplanner.official.facts import ReferenceTables
from planspec.families.travelplanner.official.query import name
from planspec.families.travelplanner.official.reading import MEALS, EvaluatorQuery, empty

TABLES = {
    **dict.fromkeys(MEALS, "restaurants"),
    "accommodation": "accommodations",
    "attraction": "attractions",
}
WORDS = {"flight": "Flight Number", "self_driving": "Self-driving", "taxi": "Taxi", "other": "x"}


@dataclass(frozen=True, slots=True)
class RewriteRequest:
    """The plan and the query for which mends are made.

    Attributes:
        rule: public name of the rule.
        query: query of the task.
        facts: the evaluator's tables.
        days: days of the plan with the strict profile's reading; the evaluator reads the first of them.
        town: city that a task asks for, or None.
    """

    rule: str
    query: EvaluatorQuery
    facts: ReferenceTables
    days: Sequence[ReadDay]
    town: str | None


def where(day: ReadDay) -> str:
    """Return the text of `current_city` in the strict profile's reading."""
    if day.row is None:
        return text(day.texts, "current_city")
    city = city_in(day, "city")
    start = getattr(day.row, "from")
    return (
        city if start is None and "from" not in day.row._unknown else f"from {city_in(day, 'from')} to {city}"
    )


def city_in(day: ReadDay, column: str) -> str:
    """Return the name of the city in a column."""
    row = getattr(day.row, column)
    return name(row) if row is not None else NOWHERE if column in day.row._unknown else "-"


def wheres(request: RewriteRequest) -> Iterator[Mend]:
    """Yield mends of the cities in which the days are spent."""
    for day in request.days:
        if where(day) != text(day.texts, "current_city") or "current_city" not in day.texts:
            yield put(where_quirk(day), day, "current_city", where(day))


def places(
    request: RewriteRequest,
    names: Iterable[str],
    unknown: str | Callable[[PlanDraft], str],
    *,
    quirk: str | None = None,
    alone: bool = False,
) -> Iterator[Mend]:
    """Yield mends of meals and accommodations: each known one gets a listing of its own."""
    for day in request.days:
        for field in names:
            cell = day.hotel if field == "accommodation" else day.meals[field]
            if cell.blank:
                if not empty(day.texts.get(field)):
                    yield put("exact-names", day, field, "-")
                elif field not in day.texts:
                    yield put("missing-field", day, field, "-")
                continue
            yield put(
                quirk if quirk and not cell.is_known else place_quirk(request.facts, TABLES[field], cell, alone=alone),
                day, field, _listed(field, cell) if cell.is_known else unknown,
            )  # fmt: skip


def _listed(field: str, cell: DayItem) -> Callable[[PlanDraft], str]:
    return lambda draft: draft.hotel(cell.row) if field == "accommodation" else draft.restaurant(cell.row)


def sights(request: RewriteRequest, unknown: str | None, quirk: str | None = None) -> Iterator[Mend]:
    """Yield mends of attractions: each known one gets a row of its own.

    Unknown ones become `unknown`, or are dropped if it is None.
    """
    for day in request.days:
        value = text(day.texts, "attraction")
        if not day.sights:
            if not empty(value):
                yield put("raw-texts", day, "attraction", "-")
            continue
        quirks = [place_quirk(request.facts, "attractions", DayItem(part.strip(), cell.row, cell.is_known))
                  for part, cell in zip(_parts(value), day.sights, strict=False)]  # fmt: skip

        def end(draft: PlanDraft, day: ReadDay = day) -> str:
            now = str(draft.days[day.number - 1]["attraction"]).rstrip("; ")
            return "-" if empty(now) else f"{now};"

        def rewrite(draft: PlanDraft, day: ReadDay = day) -> str:
            cells = [
                draft.attraction(cell.row) if cell.row is not None else unknown
                for cell in day.sights
                if cell.row is not None or unknown is not None
            ]
            ended = not _last(text(day.texts, "attraction"))
            return ";".join(cell for cell in cells if cell is not None) + (";" if ended and cells else "")

        telling = [slug for slug in quirks if slug != "raw-texts"]
        yield put(telling[0] if telling else quirk or "raw-texts", day, "attraction", rewrite)
        if _last(value):
            yield put("last-attraction", day, "attraction", end)


def _parts(names: str) -> list[str]:
    return [part for part in names.split(";") if part.strip() not in ("", "-")]


def _last(names: str) -> bool:
    """Return whether the text goes on after the last semicolon."""
    return bool(names.rpartition(";")[2].strip())


def rides(
    request: RewriteRequest, rewrite: Callable[[ReadDay], str], quirk: str | None = None
) -> Iterator[Mend]:
    """Yield mends of the rides of the days."""
    for day in request.days:
        if day.row is None or day.row.mode is None:
            if "transportation" not in day.texts or not empty(day.texts["transportation"]):
                yield put(quirk or ride_quirk(request.facts, day), day, "transportation", "-")
            continue
        yield put(quirk or ride_quirk(request.facts, day), day, "transportation", rewrite(day))
