"""Warnings about weekdays in the queries that do not match their dates."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date
from itertools import pairwise

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.model.types import ScalarType
from planspec.verifiers.environment.query_text.dates import MONTH_NUMBERS
from planspec.verifiers.environment.query_text.passages import Passage
from planspec.verifiers.environment.query_text.queries import PlacedMention, Queries, QueryPart

BESIDE = re.compile(rf",? ?(?:the |den |dem )?(?:(?:{'|'.join(MONTH_NUMBERS)})\.? (?:the )?)?")
"""Pattern of the text between a weekday and the day of its date, as in `Friday, the 3rd`."""
UP_TO = re.compile(r"\b(?:to|until|till|through|bis)\b|–|-|至|到")
"""Pattern of words between the two ends of a range, as in `from Monday to Friday`."""


def report_days_of_week(queries: Queries, quotations: Sequence[Passage], report: Report) -> None:
    """Warn of weekdays that contradict a date.

    A weekday is compared with the date directly after it. In a quotation, the two weekdays in `from Monday to Friday`
    are compared with the first and the last date that the quotation states.
    """
    for placed, right in (*_before_dates(queries), *_at_ends(queries, quotations)):
        report.warning(
            "PS441",
            f"the query says `{queries.text(placed.part)}`, and the date is a {right:%A}",
            queries.span(placed.part),
            f"{right.isoformat()} is meant",
            help="mend the weekday or the date",
        )


def _before_dates(queries: Queries) -> Iterator[tuple[PlacedMention, date]]:
    """Yield weekdays that contradict the date directly after them, with that date. Dates without a year are ignored."""
    for one, other in pairwise(queries.mentions):
        if not (one.mention.has("weekday") and other.mention.has("date")) or one.part.query != other.part.query:
            continue
        between = queries.texts[one.part.query][one.part.end : other.part.start]
        if BESIDE.fullmatch(re.sub(r"\s+", " ", between).lower()) is None:
            continue
        days = list(filter(None, (_date(r.value, r.detail) for r in other.mention.readings if r.measure == "date")))
        if days and len({day.weekday() for day in days}) == 1 and not _is_on(one, days[0]):
            yield one, days[0]


def _at_ends(queries: Queries, quotations: Sequence[Passage]) -> Iterator[tuple[PlacedMention, date]]:
    """Yield wrong weekdays in `from Monday to Friday` in quotations that state consecutive dates.

    Each weekday comes with the date that it contradicts: the first or the last date.
    """
    for passage in quotations:
        days = sorted({value for value, type_ in passage.values if type_ is ScalarType.DATE})
        if len(days) < 2 or len(passage.values) != len(days) or days[-1] - days[0] != len(days) - 1:
            continue
        inside = [p for p in queries.mentions if passage.part.contains(p.part) and p.mention.has("weekday")]
        if len(inside) != 2 or not UP_TO.search(_between(queries, inside[0].part, inside[1].part)):
            continue
        ends = zip(inside, (days[0], days[-1]), strict=True)
        yield from ((p, date.fromordinal(day)) for p, day in ends if not _is_on(p, date.fromordinal(day)))


def _between(queries: Queries, one: QueryPart, other: QueryPart) -> str:
    return queries.texts[one.query][one.end : other.start].casefold()


def _is_on(placed: PlacedMention, day: date) -> bool:
    return any(r.measure == "weekday" and r.value == day.weekday() for r in placed.mention.readings)


def _date(value: object, year: object) -> date | None:
    """Return a date from a reading's value and year; None if the year is missing or the day does not exist."""
    if not isinstance(year, int):
        return None
    try:
        month, day = divmod(int(str(value)), 100)
        return date(year, month, day)
    except ValueError:
        return None
