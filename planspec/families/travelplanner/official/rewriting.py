"""A plan's texts as the strict profile reads them, as mends of what the evaluator reads in them."""

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
        rule: its public name.
        query: the task's.
        facts: the evaluator's tables.
        days: the plan's, beside what the strict profile reads in them; the evaluator reads the first of them.
        town: the city that a task asks for, if it asks for one.
    """

    rule: str
    query: EvaluatorQuery
    facts: ReferenceTables
    days: Sequence[ReadDay]
    town: str | None


def where(day: ReadDay) -> str:
    """The city in which a day is spent."""
    if day.row is None:
        return text(day.texts, "current_city")
    city = city_in(day, "city")
    start = getattr(day.row, "from")
    return (
        city if start is None and "from" not in day.row._unknown else f"from {city_in(day, 'from')} to {city}"
    )


def city_in(day: ReadDay, column: str) -> str:
    """The city of a column, by its name."""
    row = getattr(day.row, column)
    return name(row) if row is not None else NOWHERE if column in day.row._unknown else "-"


def wheres(of: RewriteRequest) -> Iterator[Mend]:
    """Mend the cities in which the days are spent."""
    for day in of.days:
        if where(day) != text(day.texts, "current_city") or "current_city" not in day.texts:
            yield put(where_quirk(day), day, "current_city", where(day))


def places(
    of: RewriteRequest,
    names: Iterable[str],
    unknown: str | Callable[[PlanDraft], str],
    *,
    quirk: str | None = None,
    alone: bool = False,
) -> Iterator[Mend]:
    """Meals and accommodations: a listing of its own for each that is known."""
    for day in of.days:
        for field in names:
            cell = day.hotel if field == "accommodation" else day.meals[field]
            if cell.blank:
                if not empty(day.texts.get(field)):
                    yield put("exact-names", day, field, "-")
                elif field not in day.texts:
                    yield put("missing-field", day, field, "-")
                continue
            yield put(
                quirk if quirk and not cell.known else place_quirk(of.facts, TABLES[field], cell, alone=alone),
                day, field, _listed(field, cell) if cell.known else unknown,
            )  # fmt: skip


def _listed(field: str, cell: DayItem) -> Callable[[PlanDraft], str]:
    return lambda draft: draft.hotel(cell.row) if field == "accommodation" else draft.restaurant(cell.row)


def sights(of: RewriteRequest, unknown: str | None, quirk: str | None = None) -> Iterator[Mend]:
    """Attractions: all are read; each is one of its own, those that are unknown are `unknown`, or left out."""
    for day in of.days:
        said = text(day.texts, "attraction")
        if not day.sights:
            if not empty(said):
                yield put("raw-texts", day, "attraction", "-")
            continue
        quirks = [place_quirk(of.facts, "attractions", DayItem(part.strip(), cell.row, cell.known))
                  for part, cell in zip(_parts(said), day.sights, strict=False)]  # fmt: skip

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

        telling = [told for told in quirks if told != "raw-texts"]
        yield put(telling[0] if telling else quirk or "raw-texts", day, "attraction", rewrite)
        if _last(said):
            yield put("last-attraction", day, "attraction", end)


def _parts(said: str) -> list[str]:
    return [part for part in said.split(";") if part.strip() not in ("", "-")]


def _last(said: str) -> bool:
    """Something stands behind the last semicolon."""
    return bool(said.rpartition(";")[2].strip())


def rides(of: RewriteRequest, made: Callable[[ReadDay], str], quirk: str | None = None) -> Iterator[Mend]:
    """Mend the rides of the days."""
    for day in of.days:
        if day.row is None or day.row.mode is None:
            if "transportation" not in day.texts or not empty(day.texts["transportation"]):
                yield put(quirk or ride_quirk(of.facts, day), day, "transportation", "-")
            continue
        yield put(quirk or ride_quirk(of.facts, day), day, "transportation", made(day))
