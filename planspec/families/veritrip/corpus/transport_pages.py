"""Timetable pages: all services of one direction and day, or all that leave one station on one day."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from planspec.families.veritrip.corpus.draft import DocumentDraft
from planspec.families.veritrip.corpus.filler import AIR, RAIL
from planspec.families.veritrip.corpus.surface import MONTHS, capital, hhmm, long_day, money, twelve_hours
from planspec.families.veritrip.facts import Service, Vehicle

MOST_ON_A_PAGE = 12
"""Maximal number of services on a page, which keeps it below 400 words."""


@dataclass(frozen=True, slots=True)
class Timetable:
    """The services of one page.

    Attributes:
        services: services in the order of departure; not empty.
        station: station of a departure board, or None for a page on two cities.
        part: number of the page for the same direction or station and day, from 1.
        parts: number of these pages.
    """

    services: tuple[Service, ...]
    station: str | None
    part: int
    parts: int


def by_direction(services: Sequence[Service], most: int = MOST_ON_A_PAGE) -> list[Timetable]:
    """Return pages that contain every service once, at most `most` on each."""
    groups: dict[tuple[date, str, str, Vehicle], list[Service]] = defaultdict(list)
    for service in services:
        groups[service.date, service.origin_city, service.to_city, service.vehicle].append(service)
    return [page for group in groups.values() for page in _pages(group, None, most)]


def by_station(services: Sequence[Service], most: int = MOST_ON_A_PAGE) -> list[Timetable]:
    """Return departure boards that contain every service once, under the station where it departs."""
    groups: dict[tuple[date, str, str, Vehicle], list[Service]] = defaultdict(list)
    for service in services:
        groups[service.date, service.origin_city, service.origin, service.vehicle].append(service)
    return [page for (_, _, station, _), group in groups.items() for page in _pages(group, station, most)]


def _pages(group: list[Service], station: str | None, most: int) -> list[Timetable]:
    ordered = sorted(group, key=lambda service: (service.depart, service.number, service.to))
    parts = -(-len(ordered) // most)
    size = -(-len(ordered) // parts)
    cut = [tuple(ordered[start : start + size]) for start in range(0, len(ordered), size)]
    return [Timetable(services, station, part, len(cut)) for part, services in enumerate(cut, 1)]


def write_timetable(draft: DocumentDraft, page: Timetable) -> None:
    """Write a page that states every field of each of its services."""
    first, last = page.services[0], page.services[-1]
    train = first.vehicle == "train"
    when = long_day(first.date)
    short = f"{MONTHS[first.date.month - 1]} {first.date.day}, {first.date.year}"
    noun = "train" if train else "flight"
    draft.dated(date(2025, 9, 1), date(2025, 10, 10))
    draft.origin = draft.pick(
        ("railway timetable", "booking portal", "station notice")
        if train
        else ("airport timetable", "booking portal", "airline site")
    )
    window = ""
    if page.parts > 1:
        window = f", departures {hhmm(first.depart)} to {hhmm(last.depart)}"
    if page.station is None:
        origin, to = first.origin_city, first.to_city
        kind = draft.pick(
            ("High-speed trains", "Trains", "Train timetable") if train else ("Flights", "Flight schedule")
        )
        draft.title = f"{kind} from {origin} to {to} on {short}{window}"
        head = draft.pick(
            (
                f"All {noun}s from {origin} to {to} on {when}{window}.",
                f"{capital(noun)}s that leave {origin} for {to} on {when}{window}, with fares for one person.",
                f"From {origin} to {to} by {'rail' if train else 'air'}: the {noun}s of {when}{window}.",
            )
        )
    else:
        draft.title = f"{page.station}: {noun} departures on {short}{window}"
        head = draft.pick(
            (
                f"Departure board of {page.station} in {first.origin_city} for {when}{window}.",
                f"What leaves {page.station} ({first.origin_city}) on {when}{window}: {noun}s, times and fares.",
            )
        )
    draft.paragraph(head, f"Date of travel: {first.date.isoformat()}.")
    lines = [
        _line(draft, service, style) for style in [draft.chance.randrange(4)] for service in page.services
    ]
    if draft.chance.random() < 0.75:
        draft.paragraph("\n".join(lines))
    else:
        draft.paragraph("\n".join(f"{number}. {line}" for number, line in enumerate(lines, 1)))
    if len(page.services) > 2 and draft.chance.random() < 0.5:
        draft.paragraph(
            f"In all {len(page.services)} {noun}s are listed here; "
            f"the first leaves at {hhmm(first.depart)} and the last at {hhmm(last.depart)}."
        )
    draft.fill(RAIL if train else AIR, max(60, draft.words() + 20))


def _line(draft: DocumentDraft, service: Service, style: int) -> str:
    """Write one service with all its fields; the day is at the head of the page."""
    subject = f"{service.number} {service.date.isoformat()}"
    for name, value in (
        ("number", service.number),
        ("date", service.date.isoformat()),
        ("origin", service.origin),
        ("to", service.to),
        ("depart", hhmm(service.depart)),
        ("arrive", hhmm(service.arrive)),
        ("price", service.price),
    ):
        draft.claim(subject, service.origin_city, name, value)
    fare = money(service.price, draft.currency, draft.chance)
    depart, arrive = hhmm(service.depart), hhmm(service.arrive)
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
