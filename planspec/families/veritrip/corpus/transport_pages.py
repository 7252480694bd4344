"""Timetable pages: the trains or flights of a day in one direction, or from one station."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from planspec.dsl.resources.english_words import MONTHS
from planspec.families.veritrip.corpus.draft import DocumentDraft
from planspec.families.veritrip.corpus.filler import AIR, RAIL
from planspec.families.veritrip.corpus.surface import capitalize, format_time, long_date, price_phrase, twelve_hours
from planspec.families.veritrip.facts import Service, Vehicle

MOST_ON_A_PAGE = 12
"""Maximal number of trains or flights on a page. It keeps pages below 400 words."""


@dataclass(frozen=True, slots=True)
class Timetable:
    """One page of a timetable.

    Attributes:
        services: trains or flights in the order of departure, at least one.
        station: station of a departure board; None for a page on a direction.
        part: number of the page, from 1, among the pages with the same day and direction or station.
        part_count: number of the pages with the same day and direction or station.
    """

    services: tuple[Service, ...]
    station: str | None
    part: int
    part_count: int


def pages_by_direction(services: Sequence[Service], max_services: int = MOST_ON_A_PAGE) -> list[Timetable]:
    """Return pages by direction and day that together contain every train or flight once."""
    groups: dict[tuple[date, str, str, Vehicle], list[Service]] = defaultdict(list)
    for service in services:
        groups[service.date, service.origin_city, service.to_city, service.vehicle].append(service)
    return [page for group in groups.values() for page in _split_into_pages(group, None, max_services)]


def pages_by_station(services: Sequence[Service], max_services: int = MOST_ON_A_PAGE) -> list[Timetable]:
    """Return departure boards by station and day that together contain every train or flight once."""
    groups: dict[tuple[date, str, str, Vehicle], list[Service]] = defaultdict(list)
    for service in services:
        groups[service.date, service.origin_city, service.origin, service.vehicle].append(service)
    return [
        page for (_, _, station, _), group in groups.items() for page in _split_into_pages(group, station, max_services)
    ]


def _split_into_pages(group: list[Service], station: str | None, max_services: int) -> list[Timetable]:
    ordered = sorted(group, key=lambda service: (service.depart, service.number, service.to))
    part_count = -(-len(ordered) // max_services)
    size = -(-len(ordered) // part_count)
    pieces = [tuple(ordered[start : start + size]) for start in range(0, len(ordered), size)]
    return [Timetable(services, station, part, len(pieces)) for part, services in enumerate(pieces, 1)]


def write_timetable(draft: DocumentDraft, page: Timetable) -> None:
    """Write a page that states every field of its trains or flights."""
    first, last = page.services[0], page.services[-1]
    train = first.vehicle == "train"
    date_text = long_date(first.date)
    short = f"{MONTHS[first.date.month - 1]} {first.date.day}, {first.date.year}"
    noun = "train" if train else "flight"
    draft.publish_between(date(2025, 9, 1), date(2025, 10, 10))
    draft.origin = draft.pick(
        ("railway timetable", "booking portal", "station notice")
        if train
        else ("airport timetable", "booking portal", "airline site")
    )
    window = ""
    if page.part_count > 1:
        window = f", departures {format_time(first.depart)} to {format_time(last.depart)}"
    if page.station is None:
        origin, to = first.origin_city, first.to_city
        kind = draft.pick(
            ("High-speed trains", "Trains", "Train timetable") if train else ("Flights", "Flight schedule")
        )
        draft.title = f"{kind} from {origin} to {to} on {short}{window}"
        head = draft.pick(
            (
                f"All {noun}s from {origin} to {to} on {date_text}{window}.",
                f"{capitalize(noun)}s that leave {origin} for {to} on {date_text}{window}, with fares for one person.",
                f"From {origin} to {to} by {'rail' if train else 'air'}: the {noun}s of {date_text}{window}.",
            )
        )
    else:
        draft.title = f"{page.station}: {noun} departures on {short}{window}"
        head = draft.pick(
            (
                f"Departure board of {page.station} in {first.origin_city} for {date_text}{window}.",
                f"What leaves {page.station} ({first.origin_city}) on {date_text}{window}: {noun}s, times and fares.",
            )
        )
    draft.add_paragraph(head, f"Date of travel: {first.date.isoformat()}.")
    lines = [_service_line(draft, service, style) for style in [draft.rng.randrange(4)] for service in page.services]
    if draft.rng.random() < 0.75:
        draft.add_paragraph("\n".join(lines))
    else:
        draft.add_paragraph("\n".join(f"{number}. {line}" for number, line in enumerate(lines, 1)))
    if len(page.services) > 2 and draft.rng.random() < 0.5:
        draft.add_paragraph(
            f"In all {len(page.services)} {noun}s are listed here; "
            f"the first leaves at {format_time(first.depart)} and the last at {format_time(last.depart)}."
        )
    draft.fill(RAIL if train else AIR, max(60, draft.words() + 20))


def _service_line(draft: DocumentDraft, service: Service, style: int) -> str:
    """Return a line, in one of several styles, with all fields of a train or flight except the day.

    The heading of the page names the day.
    """
    subject = f"{service.number} {service.date.isoformat()}"
    for name, value in (
        ("number", service.number),
        ("date", service.date.isoformat()),
        ("origin", service.origin),
        ("to", service.to),
        ("depart", format_time(service.depart)),
        ("arrive", format_time(service.arrive)),
        ("price", service.price),
    ):
        draft.add_claim(subject, service.origin_city, name, value)
    fare = price_phrase(service.price, draft.currency, draft.rng)
    depart, arrive = format_time(service.depart), format_time(service.arrive)
    hours, minutes = divmod(service.arrive - service.depart, 60)
    word = "Train" if service.vehicle == "train" else "Flight"
    match style:
        case 0:
            return f"{service.number}: {service.origin} {depart} - {service.to} {arrive}, {fare}"
        case 1:
            return (
                f"{word} {service.number} departs {service.origin} at {depart} and arrives at {service.to} "
                f"at {arrive}; {fare} per person."
            )
        case 2:
            return (
                f"{service.number} | {service.origin} to {service.to} | "
                f"{twelve_hours(service.depart)} to {twelve_hours(service.arrive)} | {hours} h {minutes} min | {fare}"
            )
        case _:
            return (
                f"{depart} from {service.origin}, {word.lower()} {service.number} to {service.to}, "
                f"there at {arrive} ({fare})"
            )
