"""What is wrong with a city: said of all its files before anything is drawn."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from planspec.dsl.model.task import Task
from planspec.errors import DiagnosticError
from planspec.families.suite_writing.options import UnfitSuite
from planspec.families.worldtravel.generator.calendar import draw_calendar
from planspec.families.worldtravel.generator.city import City
from planspec.families.worldtravel.generator.drawing import Draft, WishDraft
from planspec.families.worldtravel.generator.making import DRAFT, Bench
from planspec.families.worldtravel.generator.scenarios import Party, Stay
from planspec.verifiers.meaning.interpret import Interpreter

TOLD = 12
"""Faults that are told at once."""
BUS = 300
"""What the library's rules charge a head for a ride by bus, in minor units."""
CURRENCY = "EUR"
"""What the library's rules count in."""
DAYS = 7
"""Days on which wishes are tried: each weekday once."""


def check(city: City) -> None:
    """Refuse a city of which tasks cannot be made as its author meant.

    Raises:
        UnfitSuite: with all that is wrong, a line each.
    """
    found = list(faults(city))
    if found:
        more = [f"and {len(found) - TOLD} more"] if len(found) > TOLD else []
        mistakes = "1 mistake" if len(found) == 1 else f"{len(found)} mistakes"
        raise UnfitSuite("\n  ".join([f"{city.folder}: {mistakes}", *found[:TOLD], *more]))


def faults(city: City) -> Iterator[str]:
    """What is wrong, each with its file: first what names nothing; if all names are known, what no party can have."""
    wrong = [*_positions(city), *_unknown(city)]
    yield from wrong
    if not wrong:
        yield from _tried(city)


def _positions(city: City) -> Iterator[str]:
    for name in ("place", "hotel"):
        for row in city.rows(name):
            for column, most in (("lat", 90), ("lon", 180)):
                try:
                    fit = abs(float(row[column])) <= most
                except ValueError:
                    fit = False
                if not fit:
                    yield f"{name}.csv: `{row['id']}`: {column}: `{row[column]}` is no number of degrees"


def _unknown(city: City) -> Iterator[str]:
    """Names in `city.yaml` and `scenarios.yaml` of things that the tables do not have."""
    places, hotels, passes = (city.by_id(name) for name in ("place", "hotel", "city_pass"))
    last = city.head.first + timedelta(days=city.head.days - 1)
    for special in city.head.closed:
        yield from _missing("city.yaml: closed", "place", [special.place], places)
        if not city.head.first <= special.date <= last:
            yield f"city.yaml: closed: {special.date} is not between {city.head.first} and {last}"
    for gap in city.head.gaps:
        yield from _missing("city.yaml: gaps", "place or hotel", [gap.origin, gap.to], {**places, **hotels})
    if city.head.currency != CURRENCY:
        yield f"city.yaml: currency: the library's rules count in {CURRENCY}, and in no other currency"
    if city.head.bus != BUS:
        yield f"city.yaml: bus: the library's rules charge {BUS / 100:.2f} a head, and no other fare"
    started = {row["offer"] for row in city.rows("starts")} | {row["offer"] for row in city.rows("programme")}
    for offer in city.rows("offer"):
        if offer["id"] not in started:
            yield f"offer.csv: `{offer['id']}` has no starts: who may come at any minute has more than one plan"
    scenarios = city.scenarios
    yield from _missing("scenarios.yaml: places", "place", scenarios.places, places)
    things = {name: city.by_id(name) for name in ("part", "addon")}
    for place, scenario in scenarios.places.items():
        for index, wish in enumerate(scenario.wishes):
            where = f"scenarios.yaml: places.{place}.wishes.{index}"
            for kind, names in (("part", wish.parts), ("addon", wish.addons)):
                own = {name for name, row in things[kind].items() if row["place"] == place}
                yield from _missing(where, f"{kind} of `{place}`", names, own)
    for index, stay in enumerate(scenarios.stays):
        near = [] if stay.near is None else [stay.near]
        yield from _missing(f"scenarios.yaml: stays.{index}", "place", near, places)
    for core in scenarios.cores:
        where = f"scenarios.yaml: cores: `{core.id}`"
        yield from _missing(where, "place", core.places, places)
        spoken = [place for place in core.places if place in places]
        yield from _missing(f"{where}: under `places`", "place", spoken, scenarios.places)
        yield from _missing(where, "pass", core.passes, passes)
        covered = [row["place"] for row in city.rows("covers") if row["pass"] in core.passes]
        for place in covered:
            if place not in core.places:
                yield f"{where}: its pass covers `{place}`, which is not among its places"


def _missing(where: str, kind: str, names: Collection[str], known: Collection[str]) -> Iterator[str]:
    return (f"{where}: no {kind} is called `{name}`" for name in names if name not in known)


@dataclass
class _Found:
    """What came of a wish for one party or more: whether one offer was meant, and if never, why not."""

    meant: bool = False
    given: bool = False


def _tried(city: City) -> Iterator[str]:
    """Wishes, parties and stays that no task can have, by the library's own definitions."""
    scenarios = city.scenarios
    calendar = draw_calendar(city, city.head.first, DAYS, 0)
    found: dict[tuple[str, int], _Found] = {}
    lacking: dict[str, list[str]] = {}
    with TemporaryDirectory() as folder:
        try:
            bench = Bench(Path(folder), city, calendar)
            for number in range(max(len(scenario.wishes) for scenario in scenarios.places.values())):
                for party in scenarios.parties:
                    task = bench.task(_draft(city, number, party, scenarios.stays[0]))
                    for fault in _wishes(task, number, found):
                        lacking.setdefault(fault, []).append(party.say[0])
            hotels = [
                Interpreter(task).value(task.definitions["right_hotel"].body, {})
                for task in (
                    bench.task(_draft(city, 0, scenarios.parties[0], stay)) for stay in scenarios.stays
                )
            ]
        except DiagnosticError as error:
            # a word that no column takes: of a table, told with its line, or of a wish, a party or a stay
            unfit = set()
            for diagnostic in error.diagnostics:
                span, name = diagnostic.span, Path(diagnostic.span.source.name).name
                where = "scenarios.yaml" if name == DRAFT else f"{name}:{span.line}:{span.column}"
                if name == "entry.csv":
                    where = _drawn_from(city, diagnostic.message)
                unfit.add(f"{where}: {diagnostic.code} {diagnostic.message} ({diagnostic.primary.text})")
            yield from sorted(unfit)
            return
    for fault, parties in lacking.items():
        others = f", and for {len(parties) - 1} more parties" if len(parties) > 1 else ""
        yield f"{fault} for {parties[0]}{others}"
    for (place, number), what in found.items():
        if not what.meant:
            why = "of the offers that give it, two cost the same" if what.given else "no offer gives it"
            yield f"scenarios.yaml: places.{place}.wishes.{number}: {why}, whoever travels"
    for index, hotel in enumerate(hotels):
        if hotel is None:
            yield f"scenarios.yaml: stays.{index}: no hotel has all of it, or two that have cost the same"


def _drawn_from(city: City, message: str) -> str:
    """Where the author wrote what a start of the calendar has wrong."""
    for name in ("starts", "programme"):
        for line, row in enumerate(city.rows(name), 2):
            if any(f"`{cell}`" in message for cell in row.values() if cell):
                return f"{name}.csv:{line}"
    return "starts.csv"


def _draft(city: City, number: int, party: Party, stay: Stay) -> Draft:
    """A trip of a week to all places, with the wish of a number for each that has so many."""
    scenarios = city.scenarios
    wishes = tuple(
        WishDraft(place, scenario.wishes[number])
        for place, scenario in scenarios.places.items()
        if number < len(scenario.wishes)
    )
    days = tuple(city.head.first + timedelta(days=day) for day in range(DAYS))
    return Draft(scenarios.cores[0], days, party, wishes, (), (), stay, "foot", 0, None, False)


def _wishes(task: Task, number: int, found: dict[tuple[str, int], _Found]) -> Iterator[str]:
    """Note which offers the wishes of a party mean; the prices and lengths that the tables lack for it."""
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
        what = found.setdefault((place, number), _Found())
        if value("offer", wish) is None:
            what.given = what.given or any(value("gives", offer, wish) for offer in offers)
            continue
        what.meant = True
        if value("shortest", wish) is None:
            yield f"dwell.csv: `{place}` has no {wish.style} visit"
        if value("due", wish) is None:
            yield f"menu.csv: `{place}` has no {wish.course}"
