"""Checks of a city's files, which report all mistakes before anything is generated."""

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
from planspec.families.worldtravel.generator.calendar import (
    draw_calendar,
    parse_clock,
    parse_duration,
    parse_weekdays,
)
from planspec.families.worldtravel.generator.city import CityFolder, CityRow, mistakes_text
from planspec.families.worldtravel.generator.drawing import Draft, WishDraft
from planspec.families.worldtravel.generator.making import DRAFT_FILE, DraftSolver
from planspec.families.worldtravel.generator.routes import great_circle_metres
from planspec.families.worldtravel.generator.scenarios import Party, StayScenario
from planspec.families.worldtravel.generator.written_requests import request_faults
from planspec.suite_writing.options import UnsuitableSuiteError
from planspec.verifiers.meaning.interpret import Interpreter

BUS = 300
"""Bus fare per person in the constraints of the library `worldtravel`, in minor units."""
CURRENCY = "EUR"
"""Currency in the constraints of the library `worldtravel`."""
SCENARIOS = "scenarios.yaml"
MAX_DISTANCE_M = 50_000.0
"""Maximum distance of a place or hotel from the city centre, in metres."""
DAYS = 7
"""Number of days in the trips with which wishes are tried: one for each weekday."""


def check_city(city: CityFolder) -> None:
    """Check that tasks can be made from a city's files.

    Raises:
        UnsuitableSuiteError: the files have mistakes. The message has a line for each.
    """
    mistakes = list(city_faults(city))
    if mistakes:
        raise UnsuitableSuiteError(mistakes_text(city.folder, mistakes))


def city_faults(city: CityFolder) -> Iterator[str]:
    """Yield a message for each mistake in a city's files.

    Wishes (requested kinds of visit) are tried only if the files have no other mistake.
    """
    mistakes = [
        *_cell_faults(city),
        *_position_faults(city),
        *_head_faults(city),
        *_scenario_faults(city),
        *_focus_faults(city),
        *request_faults(city),
    ]
    yield from mistakes
    if not mistakes:
        yield from _wish_faults(city)


def _cell_faults(city: CityFolder) -> Iterator[str]:
    """Yield a message for each mistake in the cells from which the calendar is drawn."""
    for file, columns in CELLS.items():
        for row in city.rows(file):
            for column, read in columns.items():
                location = f"{file}.csv:{row.line}"
                if isinstance(read, str):
                    yield from _unknown_name_faults(location, read, [row[column]], city.rows_by_id(read))
                    continue
                try:
                    read(row[column])
                except (UnsuitableSuiteError, ValueError) as error:
                    yield f"{location}: {column}: {error}"
    for index, special in enumerate(city.head.closed):
        for hours in special.hours:
            opens, _, closes = hours.partition("-")
            try:
                parse_clock(opens), parse_clock(closes)
            except UnsuitableSuiteError as error:
                yield f"{city.location('city.yaml', 'closed', index)}: {error}, or two such as 14:00-20:00"


def _parse_count(text: str) -> int:
    if not text.isdecimal():
        raise ValueError(f"`{text}` is not a whole number")
    return int(text)


CELLS: Mapping[str, Mapping[str, str | Callable[[str], object]]] = {
    "hours": {"place": "place", "days": parse_weekdays, "open": parse_clock, "close": parse_clock},
    "part_hours": {"part": "part", "days": parse_weekdays, "open": parse_clock, "close": parse_clock},
    "starts": {
        "offer": "offer",
        "days": parse_weekdays,
        "first": parse_clock,
        "last": parse_clock,
        "every": parse_duration,
        "places": _parse_count,
    },
    "programme": {"offer": "offer", "date": date.fromisoformat, "at": parse_clock, "places": _parse_count},
}
"""For each file and column, the file to which cells refer, or the function that parses them."""


def _position_faults(city: CityFolder) -> Iterator[str]:
    """Yield a message for each invalid coordinate, and for each position too far from the city centre."""
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
                    yield f"{name}.csv:{row.line}: {column}: `{row[column]}` is not a number of degrees"
            if len(point) == 2:
                points.append((f"{name}.csv:{row.line}", row, (point[0], point[1])))
    if not points:
        return
    middle = median(lat for _, _, (lat, _) in points), median(lon for _, _, (_, lon) in points)
    for location, row, at in points:
        away = great_circle_metres(at, middle)
        if away > MAX_DISTANCE_M:
            swapped = great_circle_metres((at[1], at[0]), middle) <= MAX_DISTANCE_M
            help_text = "lat and lon are swapped" if swapped else "look at lat and lon"
            yield f"{location}: `{row['id']}` is {away / 1000:,.0f} km from the middle of the others: {help_text}"


def _head_faults(city: CityFolder) -> Iterator[str]:
    """Yield a message for each mistake in `city.yaml`, and for each offer without start times."""
    places, hotels = city.rows_by_id("place"), city.rows_by_id("hotel")
    last = city.head.first + timedelta(days=city.head.days - 1)
    for index, special in enumerate(city.head.closed):
        location = city.location("city.yaml", "closed", index)
        yield from _unknown_name_faults(location, "place", [special.place], places)
        if not city.head.first <= special.date <= last:
            yield f"{location}: {special.date} is not between {city.head.first} and {last}"
    for index, gap in enumerate(city.head.gaps):
        location = city.location("city.yaml", "gaps", index)
        yield from _unknown_name_faults(location, "place or hotel", [gap.origin, gap.to], {**places, **hotels})
    if city.head.currency != CURRENCY:
        location = city.location("city.yaml", "currency")
        yield f"{location}: the library's constraints support only {CURRENCY}"
    if city.head.bus != BUS:
        location = city.location("city.yaml", "bus")
        yield f"{location}: the library's constraints support only a fare of {BUS / 100:.2f} per person"
    offers_with_starts = {row["offer"] for row in city.rows("starts")} | {
        row["offer"] for row in city.rows("programme")
    }
    for offer in city.rows("offer"):
        if offer["id"] not in offers_with_starts:
            yield f"offer.csv:{offer.line}: `{offer['id']}` has no start times: with visits at any minute, a task has more than one plan"


def _scenario_faults(city: CityFolder) -> Iterator[str]:
    """Yield a message for each unknown name in `scenarios.yaml`."""
    scenarios = city.scenarios
    places, passes = city.rows_by_id("place"), city.rows_by_id("city_pass")
    for place in scenarios.places:
        yield from _unknown_name_faults(city.location(SCENARIOS, "places", place), "place", [place], places)
    things = {name: city.rows_by_id(name) for name in ("part", "addon")}
    for place, scenario in scenarios.places.items():
        for index, wish in enumerate(scenario.wishes):
            location = city.location(SCENARIOS, "places", place, "wishes", index)
            for kind, names in (("part", wish.parts), ("addon", wish.addons)):
                own = {name for name, row in things[kind].items() if row["place"] == place}
                yield from _unknown_name_faults(location, f"{kind} of `{place}`", names, own)
    for index, stay in enumerate(scenarios.stays):
        near = [] if stay.near is None else [stay.near]
        yield from _unknown_name_faults(city.location(SCENARIOS, "stays", index), "place", near, places)
    for index, core in enumerate(scenarios.cores):
        location = f"{city.location(SCENARIOS, 'cores', index)} (`{core.id}`)"
        yield from _unknown_name_faults(location, "place", core.places, places)
        known_places = [place for place in core.places if place in places]
        yield from _unknown_name_faults(f"{location}: under `places`", "place", known_places, scenarios.places)
        yield from _unknown_name_faults(location, "pass", core.passes, passes)
        promised = [subject for subject, _, _ in core.promised()]
        yield from _unknown_name_faults(location, "place or pass of the core", promised, [*core.places, *core.passes])
        covered = [row["place"] for row in city.rows("covers") if row["pass"] in core.passes]
        for place in covered:
            if place not in core.places:
                yield f"{location}: its pass covers `{place}`, which is not among its places"


def _focus_faults(city: CityFolder) -> Iterator[str]:
    """Yield a message for each focus (kind of wish to include in tasks) with an unknown place or no matching wish."""
    scenarios = city.scenarios
    for index, focus in enumerate(scenarios.focuses):
        location = f"{city.location(SCENARIOS, 'focuses', index)} (`{focus.title}`)"
        yield from _unknown_name_faults(location, "place", focus.places, scenarios.places)
        wishes = ((place, kind) for place, scenario in scenarios.places.items() for kind in scenario.wishes)
        if not any(focus.includes(place, kind) for place, kind in wishes):
            yield f"{location}: no wish has {' and '.join(f'`{column}`' for column in focus.columns)}"


def _unknown_name_faults(location: str, kind: str, names: Collection[str], existing: Collection[str]) -> Iterator[str]:
    return (f"{location}: no {kind} is called `{name}`" for name in names if name not in existing)


@dataclass
class _WishTrial:
    """Result of trying a wish (requested kind of visit) with all groups of travellers.

    Attributes:
        is_selected: whether the library selects exactly one offer for the wish of at least one group.
        is_offered: whether at least one offer satisfies the wish of at least one group.
    """

    is_selected: bool = False
    is_offered: bool = False


def _wish_faults(city: CityFolder) -> Iterator[str]:
    """Yield a message for each wish, and each set of hotel requirements, that no offer or hotel satisfies."""
    scenarios = city.scenarios
    calendar = draw_calendar(city, city.head.first, DAYS, 0)
    trials: dict[tuple[str, int], _WishTrial] = {}
    parties_by_fault: dict[str, list[str]] = {}
    with TemporaryDirectory() as folder:
        try:
            draft_solver = DraftSolver(Path(folder), city, calendar)
            for number in range(max(len(scenario.wishes) for scenario in scenarios.places.values())):
                for party in scenarios.parties:
                    task = draft_solver.load_task(_trial_draft(city, number, party, scenarios.stays[0]))
                    for fault in _try_wishes(task, number, trials):
                        parties_by_fault.setdefault(fault, []).append(party.say[0])
            hotels = [
                Interpreter(task).value(task.definitions["right_hotel"].body, {})
                for task in (
                    draft_solver.load_task(_trial_draft(city, 0, scenarios.parties[0], stay))
                    for stay in scenarios.stays
                )
            ]
        except DiagnosticError as error:
            # An invalid word may come from a CSV table, or from a wish, a party or a stay in `scenarios.yaml`.
            messages = set()
            for diagnostic in error.diagnostics:
                span, name = diagnostic.span, Path(diagnostic.span.source.name).name
                location = f"{name}:{span.line}:{span.column}"
                if name == DRAFT_FILE:
                    location = _source_of_word(city, diagnostic.message)
                elif name == "entry.csv":
                    location = _source_of_start(city, diagnostic.message)
                messages.add(f"{location}: {diagnostic.code} {diagnostic.message} ({diagnostic.primary.text})")
            yield from sorted(messages)
            return
    for fault, parties in parties_by_fault.items():
        others = f", and for {len(parties) - 1} more parties" if len(parties) > 1 else ""
        yield f"{fault} for {parties[0]}{others}"
    for (place, number), trial in trials.items():
        if not trial.is_selected:
            reason = "two offers that satisfy it cost the same" if trial.is_offered else "no offer satisfies it"
            yield f"{city.location(SCENARIOS, 'places', place, 'wishes', number)}: {reason}, for every party"
    for index, hotel in enumerate(hotels):
        if hotel is None:
            location = city.location(SCENARIOS, "stays", index)
            yield f"{location}: no hotel meets the requirements, or two that meet them cost the same"


def _source_of_start(city: CityFolder, message: str) -> str:
    """Return the position of the row with the invalid start time that a message quotes, as `file:line`."""
    for name in ("starts", "programme"):
        for row in city.rows(name):
            if any(f"`{cell}`" in message for cell in row.values() if cell):
                return f"{name}.csv:{row.line}"
    return "starts.csv"


def _source_of_word(city: CityFolder, message: str) -> str:
    """Return the position of the first line with the word that a message quotes, as `file:line`.

    The message is about a wish, a group of travellers (party), or requirements for the hotel (stay).
    """
    word = re.search(r"`([^`]+)`", message)
    lines = (city.folder / SCENARIOS).read_text("utf-8").splitlines()
    numbers = (
        nr for nr, line in enumerate(lines, 1) if word is not None and re.search(rf"\b{re.escape(word[1])}\b", line)
    )
    return f"{SCENARIOS}:{next(numbers, 1)}"


def _trial_draft(city: CityFolder, index: int, party: Party, stay: StayScenario) -> Draft:
    """Return a draft of a week-long trip.

    It has the wish at `index` in the list of each place. Places with a shorter list are left out.
    """
    scenarios = city.scenarios
    wishes = tuple(
        WishDraft(place, scenario.wishes[index])
        for place, scenario in scenarios.places.items()
        if index < len(scenario.wishes)
    )
    days = tuple(city.head.first + timedelta(days=day) for day in range(DAYS))
    return Draft(scenarios.cores[0], days, party, wishes, (), (), stay, "foot", 0, None, False)


def _try_wishes(task: Task, index: int, trials: dict[tuple[str, int], _WishTrial]) -> Iterator[str]:
    """Try the wishes of a task. Record the results in `trials`, and yield messages about missing cells.

    Args:
        task: task made from a trial draft.
        index: index of the wishes in their places' lists.
        trials: receives the results, by place and index.
    """
    interpreter = Interpreter(task)

    def value(name: str, *arguments: Any) -> Any:
        definition = task.definitions[name]
        return interpreter.value(definition.body, dict(zip(definition.params, arguments, strict=True)))

    offers: Any = task.facts["Offer"].rows
    if index == 0:
        for offer in offers:
            if value("price", offer) is None:
                yield f"fare.csv: `{offer._key[0]}` has no price"
    wish: Any
    for wish in task.facts["Wish"].rows:
        place = str(wish.place._key[0])
        trial = trials.setdefault((place, index), _WishTrial())
        tickets = value("tickets", wish)
        dues = [value("due_by", ticket, wish) for ticket in tickets]
        trial.is_offered = trial.is_offered or bool(tickets)
        if not tickets or (None not in dues and dues.count(min(dues)) > 1):
            continue
        trial.is_selected = True
        if any(value("shortest", ticket, wish) is None for ticket in tickets):
            yield f"dwell.csv: `{place}` has no {wish.style} visit"
        if None in dues:
            yield f"menu.csv: `{place}` has no {wish.course}"
