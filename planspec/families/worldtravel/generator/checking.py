"""Checks of a city's files. All mistakes are reported before anything is drawn."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from math import nan
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from planspec.dsl.diagnostics.diagnostic import DiagnosticError
from planspec.dsl.model.task import Task
from planspec.families.worldtravel.generator.calendar import draw_calendar, duration, minutes, weekdays
from planspec.families.worldtravel.generator.city import CityFolder, CityRow, mistakes_text
from planspec.families.worldtravel.generator.drawing import Draft, WishDraft
from planspec.families.worldtravel.generator.making import DRAFT, Bench
from planspec.families.worldtravel.generator.scenarios import Party, Stay
from planspec.families.worldtravel.generator.ways import great_circle
from planspec.suite_writing.options import UnsuitableSuiteError
from planspec.verifiers.meaning.interpret import Interpreter

BUS = 300
"""Bus fare per person in the library's constraints, in minor units."""
CURRENCY = "EUR"
"""Currency of the library's constraints."""
SCENARIOS = "scenarios.yaml"
FAR = 50_000.0
"""Largest distance of places and hotels from the middle of a city, in metres."""
DAYS = 7
"""Number of days on which wishes are tried: each weekday once."""


def check(city: CityFolder) -> None:
    """Check that tasks can be made from a city as its author intended.

    Raises:
        UnsuitableSuiteError: there are mistakes; the message has a line for each.
    """
    mistakes = list(faults(city))
    if mistakes:
        raise UnsuitableSuiteError(mistakes_text(city.folder, mistakes))


def faults(city: CityFolder) -> Iterator[str]:
    """Yield the mistakes with their files: first unknown names; if there are none, wishes that no party can have."""
    mistakes = [*_cells(city), *_positions(city), *_head(city), *_spoken(city)]
    yield from mistakes
    if not mistakes:
        yield from _tried(city)


def _cells(city: CityFolder) -> Iterator[str]:
    """Yield mistakes in the cells from which the calendar is drawn."""
    for file, columns in CELLS.items():
        for row in city.rows(file):
            for column, read in columns.items():
                where = f"{file}.csv:{row.line}"
                if isinstance(read, str):
                    yield from _missing(where, read, [row[column]], city.by_id(read))
                    continue
                try:
                    read(row[column])
                except (UnsuitableSuiteError, ValueError) as error:
                    yield f"{where}: {column}: {error}"
    for index, special in enumerate(city.head.closed):
        for hours in special.hours:
            opens, _, closes = hours.partition("-")
            try:
                minutes(opens), minutes(closes)
            except UnsuitableSuiteError as error:
                yield f"{city.where('city.yaml', 'closed', index)}: {error}, or two such as 14:00-20:00"


def _count(text: str) -> int:
    if not text.isdecimal():
        raise ValueError(f"`{text}` is no whole number")
    return int(text)


CELLS: Mapping[str, Mapping[str, str | Callable[[str], object]]] = {
    "hours": {"place": "place", "days": weekdays, "open": minutes, "close": minutes},
    "part_hours": {"part": "part", "days": weekdays, "open": minutes, "close": minutes},
    "starts": {
        "offer": "offer",
        "days": weekdays,
        "first": minutes,
        "last": minutes,
        "every": duration,
        "places": _count,
    },
    "programme": {"offer": "offer", "date": date.fromisoformat, "at": minutes, "places": _count},
}
"""Referenced file of a column, or the function that parses its cells."""


def _positions(city: CityFolder) -> Iterator[str]:
    """Yield invalid coordinates, and positions too far from the others for a day trip."""
    points: list[tuple[str, CityRow, tuple[float, float]]] = []
    for name in ("place", "hotel"):
        for row in city.rows(name):
            point: list[float] = []
            for column, most in (("lat", 90), ("lon", 180)):
                try:
                    degrees = float(row[column])
                except ValueError:
                    degrees = nan
                if abs(degrees) <= most:
                    point.append(degrees)
                else:
                    yield f"{name}.csv:{row.line}: {column}: `{row[column]}` is no number of degrees"
            if len(point) == 2:
                points.append((f"{name}.csv:{row.line}", row, (point[0], point[1])))
    if not points:
        return
    middle = median(lat for _, _, (lat, _) in points), median(lon for _, _, (_, lon) in points)
    for where, row, at in points:
        away = great_circle(at, middle)
        if away > FAR:
            swapped = great_circle((at[1], at[0]), middle) <= FAR
            help_text = "lat and lon are swapped" if swapped else "look at lat and lon"
            yield f"{where}: `{row['id']}` is {away / 1000:,.0f} km from the middle of the others: {help_text}"


def _head(city: CityFolder) -> Iterator[str]:
    """Yield unknown names in `city.yaml`, values that the library does not support, and offers without starts."""
    places, hotels = city.by_id("place"), city.by_id("hotel")
    last = city.head.first + timedelta(days=city.head.days - 1)
    for index, special in enumerate(city.head.closed):
        where = city.where("city.yaml", "closed", index)
        yield from _missing(where, "place", [special.place], places)
        if not city.head.first <= special.date <= last:
            yield f"{where}: {special.date} is not between {city.head.first} and {last}"
    for index, gap in enumerate(city.head.gaps):
        where = city.where("city.yaml", "gaps", index)
        yield from _missing(where, "place or hotel", [gap.origin, gap.to], {**places, **hotels})
    if city.head.currency != CURRENCY:
        where = city.where("city.yaml", "currency")
        yield f"{where}: the library's rules count in {CURRENCY}, and in no other currency"
    if city.head.bus != BUS:
        where = city.where("city.yaml", "bus")
        yield f"{where}: the library's rules charge {BUS / 100:.2f} a head, and no other fare"
    started = {row["offer"] for row in city.rows("starts")} | {row["offer"] for row in city.rows("programme")}
    for offer in city.rows("offer"):
        if offer["id"] not in started:
            yield f"offer.csv:{offer.line}: `{offer['id']}` has no starts: who may come at any minute has more than one plan"


def _spoken(city: CityFolder) -> Iterator[str]:
    """Yield unknown names in `scenarios.yaml`."""
    scenarios = city.scenarios
    places, passes = city.by_id("place"), city.by_id("city_pass")
    for place in scenarios.places:
        yield from _missing(city.where(SCENARIOS, "places", place), "place", [place], places)
    things = {name: city.by_id(name) for name in ("part", "addon")}
    for place, scenario in scenarios.places.items():
        for index, wish in enumerate(scenario.wishes):
            where = city.where(SCENARIOS, "places", place, "wishes", index)
            for kind, names in (("part", wish.parts), ("addon", wish.addons)):
                own = {name for name, row in things[kind].items() if row["place"] == place}
                yield from _missing(where, f"{kind} of `{place}`", names, own)
    for index, stay in enumerate(scenarios.stays):
        near = [] if stay.near is None else [stay.near]
        yield from _missing(city.where(SCENARIOS, "stays", index), "place", near, places)
    for index, core in enumerate(scenarios.cores):
        where = f"{city.where(SCENARIOS, 'cores', index)} (`{core.id}`)"
        yield from _missing(where, "place", core.places, places)
        known_places = [place for place in core.places if place in places]
        yield from _missing(f"{where}: under `places`", "place", known_places, scenarios.places)
        yield from _missing(where, "pass", core.passes, passes)
        covered = [row["place"] for row in city.rows("covers") if row["pass"] in core.passes]
        for place in covered:
            if place not in core.places:
                yield f"{where}: its pass covers `{place}`, which is not among its places"


def _missing(where: str, kind: str, names: Collection[str], existing: Collection[str]) -> Iterator[str]:
    return (f"{where}: no {kind} is called `{name}`" for name in names if name not in existing)


@dataclass
class _WishTrial:
    """Result of a wish over all parties: whether it ever selects one offer, and whether any offer satisfies it."""

    is_selected: bool = False
    is_offered: bool = False


def _tried(city: CityFolder) -> Iterator[str]:
    """Yield wishes, parties and stays that no task can have, by the library's own definitions."""
    scenarios = city.scenarios
    calendar = draw_calendar(city, city.head.first, DAYS, 0)
    trials: dict[tuple[str, int], _WishTrial] = {}
    parties_by_fault: dict[str, list[str]] = {}
    with TemporaryDirectory() as folder:
        try:
            bench = Bench(Path(folder), city, calendar)
            for number in range(max(len(scenario.wishes) for scenario in scenarios.places.values())):
                for party in scenarios.parties:
                    task = bench.task(_draft(city, number, party, scenarios.stays[0]))
                    for fault in _wishes(task, number, trials):
                        parties_by_fault.setdefault(fault, []).append(party.say[0])
            hotels = [
                Interpreter(task).value(task.definitions["right_hotel"].body, {})
                for task in (
                    bench.task(_draft(city, 0, scenarios.parties[0], stay)) for stay in scenarios.stays
                )
            ]
        except DiagnosticError as error:
            # a word that no column accepts: in a table, reported with its line, or in a wish, a party or a
            # stay
            messages = set()
            for diagnostic in error.diagnostics:
                span, name = diagnostic.span, Path(diagnostic.span.source.name).name
                where = f"{name}:{span.line}:{span.column}"
                if name == DRAFT:
                    where = _word_of(city, diagnostic.message)
                elif name == "entry.csv":
                    where = _drawn_from(city, diagnostic.message)
                messages.add(f"{where}: {diagnostic.code} {diagnostic.message} ({diagnostic.primary.text})")
            yield from sorted(messages)
            return
    for fault, parties in parties_by_fault.items():
        others = f", and for {len(parties) - 1} more parties" if len(parties) > 1 else ""
        yield f"{fault} for {parties[0]}{others}"
    for (place, number), trial in trials.items():
        if not trial.is_selected:
            reason = (
                "of the offers that give it, two cost the same" if trial.is_offered else "no offer gives it"
            )
            yield f"{city.where(SCENARIOS, 'places', place, 'wishes', number)}: {reason}, whoever travels"
    for index, hotel in enumerate(hotels):
        if hotel is None:
            where = city.where(SCENARIOS, "stays", index)
            yield f"{where}: no hotel has all of it, or two that have cost the same"


def _drawn_from(city: CityFolder, message: str) -> str:
    """Return the place in the author's files of a mistake in a drawn start."""
    for name in ("starts", "programme"):
        for row in city.rows(name):
            if any(f"`{cell}`" in message for cell in row.values() if cell):
                return f"{name}.csv:{row.line}"
    return "starts.csv"


def _word_of(city: CityFolder, message: str) -> str:
    """Return the place in the author's file of an invalid word in a wish, a party or a stay."""
    word = re.search(r"`([^`]+)`", message)
    lines = (city.folder / SCENARIOS).read_text("utf-8").splitlines()
    numbers = (
        nr
        for nr, line in enumerate(lines, 1)
        if word is not None and re.search(rf"\b{re.escape(word[1])}\b", line)
    )
    return f"{SCENARIOS}:{next(numbers, 1)}"


def _draft(city: CityFolder, number: int, party: Party, stay: Stay) -> Draft:
    """Return a week's trip to all places, with each place's wish of the given number, if it has so many."""
    scenarios = city.scenarios
    wishes = tuple(
        WishDraft(place, scenario.wishes[number])
        for place, scenario in scenarios.places.items()
        if number < len(scenario.wishes)
    )
    days = tuple(city.head.first + timedelta(days=day) for day in range(DAYS))
    return Draft(scenarios.cores[0], days, party, wishes, (), (), stay, "foot", 0, None, False)


def _wishes(task: Task, number: int, trials: dict[tuple[str, int], _WishTrial]) -> Iterator[str]:
    """Record the offers selected by a party's wishes; yield missing prices and lengths."""
    interpreter = Interpreter(task)

    def value(name: str, *arguments: Any) -> Any:
        definition = task.definitions[name]
        return interpreter.value(definition.body, dict(zip(definition.params, arguments, strict=True)))

    offers: Any = task.facts["Offer"].rows
    if number == 0:
        for offer in offers:
            if value("price", offer) is None:
                yield f"fare.csv: `{offer._key[0]}` has no price"
    wish: Any
    for wish in task.facts["Wish"].rows:
        place = str(wish.place._key[0])
        trial = trials.setdefault((place, number), _WishTrial())
        if value("offer", wish) is None:
            trial.is_offered = trial.is_offered or any(value("gives", offer, wish) for offer in offers)
            continue
        trial.is_selected = True
        if value("shortest", wish) is None:
            yield f"dwell.csv: `{place}` has no {wish.style} visit"
        if value("due", wish) is None:
            yield f"menu.csv: `{place}` has no {wish.course}"
