"""Fixes that rewrite a plan's texts so that the evaluator reads them as the strict profile does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from planspec.families.travelplanner.official.diagnosis import current_city_quirk, place_quirk, ride_quirk
from planspec.families.travelplanner.official.draft import (
    NOWHERE,
    DayItem,
    PlanDraft,
    QuirkFix,
    ReadDay,
    field_text,
    replace_text,
)
from planspec.families.travelplanner.official.facts import ReferenceTables
from planspec.families.travelplanner.official.query import name_of
from planspec.families.travelplanner.official.reading import MEALS, EvaluatorQuery, is_empty

TABLES = {
    **dict.fromkeys(MEALS, "restaurants"),
    "accommodation": "accommodations",
    "attraction": "attractions",
}
WORDS = {"flight": "Flight Number", "self_driving": "Self-driving", "taxi": "Taxi", "other": "x"}


@dataclass(frozen=True, slots=True)
class RewriteRequest:
    """The plan, the query and the rule for which fixes are generated.

    Attributes:
        rule: name of the rule in the evaluator.
        query: query of the task.
        facts: the evaluator's tables.
        days: all days of the plan as the strict profile reads them. The evaluator reads only the requested number.
        town: name of the task's destination if it is a city; None if it is a state.
    """

    rule: str
    query: EvaluatorQuery
    facts: ReferenceTables
    days: Sequence[ReadDay]
    town: str | None


def current_city_text(day: ReadDay) -> str:
    """Return a text for `current_city` that the evaluator reads as the strict profile reads the original text."""
    if day.row is None:
        return field_text(day.texts, "current_city")
    city = city_name(day, "city")
    start = getattr(day.row, "from")
    return city if start is None and "from" not in day.row._unknown else f"from {city_name(day, 'from')} to {city}"


def city_name(day: ReadDay, column: str) -> str:
    """Return the name of the city in a column of the table `days`: `NOWHERE` if unknown, a dash if there is none."""
    row = getattr(day.row, column)
    return name_of(row) if row is not None else NOWHERE if column in day.row._unknown else "-"


def city_text_fixes(request: RewriteRequest) -> Iterator[QuirkFix]:
    """Yield fixes of quirks by rewriting the texts of `current_city`."""
    for day in request.days:
        if current_city_text(day) != field_text(day.texts, "current_city") or "current_city" not in day.texts:
            yield replace_text(current_city_quirk(day), day, "current_city", current_city_text(day))


def place_text_fixes(
    request: RewriteRequest,
    names: Iterable[str],
    unknown: str | Callable[[PlanDraft], str],
    *,
    quirk: str | None = None,
    needs_single_match: bool = False,
) -> Iterator[QuirkFix]:
    """Yield fixes of quirks by rewriting the texts of meals and accommodations.

    Each known place gets its own row in the evaluator's tables.

    Args:
        request: plan, query and rule.
        names: fields of the days to fix, such as `dinner`.
        unknown: replacement for the text of an unknown place.
        quirk: quirk to report for unknown places; None to diagnose it.
        needs_single_match: whether the evaluator applies the rule only if exactly one place matches the text.
    """
    for day in request.days:
        for field in names:
            item = day.hotel if field == "accommodation" else day.meals[field]
            if item.is_blank:
                if not is_empty(day.texts.get(field)):
                    yield replace_text("exact-names", day, field, "-")
                elif field not in day.texts:
                    yield replace_text("missing-field", day, field, "-")
                continue
            yield replace_text(
                quirk
                if quirk and not item.is_known
                else place_quirk(request.facts, TABLES[field], item, needs_single_match=needs_single_match),
                day,
                field,
                _add_place(field, item) if item.is_known else unknown,
            )


def _add_place(field: str, item: DayItem) -> Callable[[PlanDraft], str]:
    return lambda draft: draft.add_hotel(item.row) if field == "accommodation" else draft.add_restaurant(item.row)


def attraction_text_fixes(request: RewriteRequest, unknown: str | None, quirk: str | None = None) -> Iterator[QuirkFix]:
    """Yield fixes of quirks by rewriting the texts of attractions.

    Each known attraction gets its own row in the evaluator's tables.

    Args:
        request: plan, query and rule.
        unknown: replacement for an unknown attraction; None to drop it.
        quirk: quirk to report if none is diagnosed.
    """
    for day in request.days:
        value = field_text(day.texts, "attraction")
        if not day.sights:
            if not is_empty(value):
                yield replace_text("raw-texts", day, "attraction", "-")
            continue
        quirks = [
            place_quirk(request.facts, "attractions", DayItem(part.strip(), item.row, item.is_known))
            for part, item in zip(_attraction_names(value), day.sights, strict=False)
        ]

        def add_semicolon(draft: PlanDraft, day: ReadDay = day) -> str:
            now = str(draft.days[day.number - 1]["attraction"]).rstrip("; ")
            return "-" if is_empty(now) else f"{now};"

        def rewrite(draft: PlanDraft, day: ReadDay = day) -> str:
            cells = [
                draft.add_attraction(item.row) if item.row is not None else unknown
                for item in day.sights
                if item.row is not None or unknown is not None
            ]
            keeps_semicolon = not _has_unread_end(field_text(day.texts, "attraction"))
            return ";".join(item for item in cells if item is not None) + (";" if keeps_semicolon and cells else "")

        specific = [slug for slug in quirks if slug != "raw-texts"]
        yield replace_text(specific[0] if specific else quirk or "raw-texts", day, "attraction", rewrite)
        if _has_unread_end(value):
            yield replace_text("last-attraction", day, "attraction", add_semicolon)


def _attraction_names(names: str) -> list[str]:
    return [part for part in names.split(";") if part.strip() not in ("", "-")]


def _has_unread_end(names: str) -> bool:
    """Return whether there is text after the last semicolon, which the evaluator does not read."""
    return bool(names.rpartition(";")[2].strip())


def ride_text_fixes(
    request: RewriteRequest, rewrite: Callable[[ReadDay], str], quirk: str | None = None
) -> Iterator[QuirkFix]:
    """Yield fixes of quirks by rewriting the texts of `transportation`.

    Args:
        request: plan, query and rule.
        rewrite: function that returns the new text for a day's ride.
        quirk: quirk to report; None to diagnose it.
    """
    for day in request.days:
        if day.row is None or day.row.mode is None:
            if "transportation" not in day.texts or not is_empty(day.texts["transportation"]):
                yield replace_text(quirk or ride_quirk(request.facts, day), day, "transportation", "-")
            continue
        yield replace_text(quirk or ride_quirk(request.facts, day), day, "transportation", rewrite(day))
