"""A plan whose way through the city is as short as a way through its places can be.

The paper's margin compares a plan's way with the shortest way through the same places, which no linear objective says. A
plan that the solver found is therefore changed by exchanging attractions between visits, for others, and restaurants,
as long as its way gets shorter; each changed plan is judged by the verifier, and one that satisfies less is dropped.
Then the shortest way is found exactly. A margin of nothing proves itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, cycle, product
from random import Random
from time import monotonic
from typing import Any, TypeAlias

import numpy as np

from planspec.api.judging import Judge
from planspec.dsl.model.rows import Row, make_row
from planspec.families.veritrip.slack import slack
from planspec.families.veritrip.verdict_metrics import margin
from planspec.measures.detour import detour_of
from planspec.solvers.tour.distances import web_mercator
from planspec.verifiers.meaning.ground import FieldDomain, GroundRow
from planspec.verifiers.meaning.plan_rows import Plan
from planspec.verifiers.metrics.scored import Detour

SECONDS = 30.0
STEEP = 1.5
"""The steepness with which more and more is left out after that: all that can be at two thirds of the time."""
KICKS = (1, 2, 3, 5, 8, 13, 20)
"""The numbers of random exchanges that are made in turn when the search is stuck."""
FULL = 0.25
"""The share of the time in which no visit and no meal is left out."""
WHOLE = frozenset({"attractions_uniqueness", "meals_uniqueness", "is_within_budget"})
"""Rules of the whole plan, which another row can mend."""
KINDS = {"attraction": ("attraction", "ticket"), "meal": ("restaurant", "price")}
"""The column of an activity's place, and the place's column with its price, by kind of activity."""


@dataclass(frozen=True, slots=True)
class Shortened:
    """A plan and how far its way is from the shortest.

    Attributes:
        margin: the paper's AM in metres on its map, at least and at most; None of a plan without known places.
    """

    plan: Plan
    detour: Detour | None
    margin: tuple[Fraction, Fraction] | None


@dataclass(frozen=True, slots=True)
class _Slot:
    """A visit or a meal that the scope offers.

    Attributes:
        key: its day and number.
        options: the rows that can stand there, by the place that they go to; None by None where it can be left out.
    """

    key: tuple[int, int]
    options: Mapping[Row | None, Row | None]


RowTour: TypeAlias = tuple[Row | None, ...]
"""The place of each slot."""


def shortened(judge: Judge, plan: Plan, seconds: float = SECONDS, seed: int = 0) -> Shortened:
    """The best plan that is found in some seconds: no preference less is fulfilled, and its way is the best known.

    Args:
        judge: of the plan's task.
        plan: one that the verifier accepts.
        seconds: wall-clock time.
        seed: of the random exchanges by which the search goes on from where it is stuck.
    """
    begun = monotonic()
    best = _measured(judge, plan)
    if not _excess(best):
        return best
    search = _Search(judge, plan)
    way, random = search.way, Random(seed)
    for kicks in chain((0,), cycle(KICKS)):
        spent = (monotonic() - begun) / seconds
        if spent > 1 or not _excess(best):
            return best
        drops = round(STEEP * spent * len(search.slots)) if spent > FULL else 0
        tried = search.kicked(search.thinned(way, random, drops), random, kicks)
        tried = search.descend(tried, begun + seconds, leave_out=drops > 0)
        found = _measured(judge, search.plan(tried))
        if _excess(found) < _excess(best):
            best, way = found, tried
    raise AssertionError("the cycle has no end")


def _excess(made: Shortened) -> Fraction:
    """The greatest possible margin; nothing of a plan without known places."""
    return made.margin[1] if made.margin is not None else Fraction(0)


def _measured(judge: Judge, plan: Plan) -> Shortened:
    detour = detour_of(plan, judge.task.currency, table="itinerary")
    return Shortened(plan, detour, margin(detour.plane, detour.places) if detour is not None else None)


class _Search:
    """Exchanges of places in a plan.

    Attributes:
        way: of the plan at first.
    """

    def __init__(self, judge: Judge, plan: Plan) -> None:
        self.compiled = judge.compiled
        self.instances = judge.ground.instances
        self.first = plan
        self.table = judge.task.tables["itinerary"]
        rows: list[Any] = list(plan.tables["itinerary"])
        self.rows = {(row.date, row.number): row for row in rows}
        offered = [row for row in judge.ground.rows["itinerary"] if _constant(row, "activity") in KINDS]
        offered.sort(key=lambda row: (_constant(row, "date"), _choices(row.fields["start"])[0]))
        self.broken = {name for name, holds in self._statuses(plan).items() if not holds}
        self.slots = [slot for row in offered if len((slot := self._slot(row)).options) > 1]
        self.way: RowTour = tuple(self._place(self.rows.get(slot.key)) for slot in self.slots)
        places = dict.fromkeys(place for slot in self.slots for place in slot.options if place is not None)
        self.places = {place: n for n, place in enumerate(places)}
        self.metres = web_mercator([(float(p.latitude), float(p.longitude)) for p in places])  # type: ignore[attr-defined]
        self.least = self._soft(self._statuses(plan))

    # ------------------------------------------------------------------ plans

    def plan(self, way: RowTour) -> Plan:
        """The plan whose slots go there."""
        rows = dict(self.rows)
        for slot, place in zip(self.slots, way, strict=True):
            row = slot.options[place]
            if row is None:
                rows.pop(slot.key, None)
            else:
                rows[slot.key] = row
        return self._with(rows)

    def _with(self, rows: Mapping[tuple[int, int], Row]) -> Plan:
        return Plan({**self.first.tables, "itinerary": tuple(rows[key] for key in sorted(rows))})

    def _statuses(self, plan: Plan) -> dict[str, bool]:
        found = self.compiled.judge_and_measure(plan)[0]
        return {i.id: bool(s) for i, s in zip(self.instances, found, strict=True) if s is not None}

    def _soft(self, held: Mapping[str, bool]) -> int:
        return sum(i.weight for i in self.instances if not i.constraint.hard and held.get(i.id, False))

    def allowed(self, way: RowTour) -> bool:
        """Every hard rule holds, and no less weight of preferences than at first."""
        held = self._statuses(self.plan(way))
        hard = all(held.get(i.id, True) for i in self.instances if i.constraint.hard)
        return hard and self._soft(held) >= self.least

    # ------------------------------------------------------------------ what can stand where

    def _slot(self, offered: GroundRow) -> _Slot:
        """For each place to go to the first row of the scope by which no rule breaks that concerns this row alone."""
        activity = str(_constant(offered, "activity"))
        column, cost = KINDS[activity]
        key = _constant(offered, "date"), _constant(offered, "number")
        known: Any = self.rows.get(key)
        made: dict[Row | None, Row | None] = {} if known is None else {self._place(known): known}
        if offered.optional:
            made[None] = None
        loose = {i.id for i in self.instances if not i.constraint.hard} | WHOLE | self.broken
        fixed = {
            name: _constant(offered, name)
            for name in self.table.columns
            if name not in {"start", "end", "price", column}
        }
        for place, start, end in product(
            *(_choices(offered.fields[name]) for name in (column, "start", "end"))
        ):
            if place not in made:
                cells = {**fixed, column: place, "start": start, "end": end, "price": getattr(place, cost)}
                row = make_row(self.table, cells, 0)
                held = self._statuses(self._with({**self.rows, key: row}))
                if {name for name, holds in held.items() if not holds} <= loose:
                    made[place] = row
        return _Slot(key, made)

    def _place(self, row: Any) -> Row | None:
        if row is None:
            return None
        found: Row | None = getattr(row, KINDS[row.activity][0])
        return found

    # ------------------------------------------------------------------ ways

    def _once(self, way: RowTour) -> list[int]:
        return [self.places[place] for place in dict.fromkeys(way) if place is not None]

    def length(self, way: RowTour) -> tuple[int, int]:
        """The value to minimise: the length of the closed way through its places."""
        once = self._once(way)
        return 0, int(self.metres[once, [*once[1:], *once[:1]]].sum())

    def worth(self, way: RowTour) -> tuple[int, int]:
        """The value to minimise: the certain excess of the way over the shortest, and then its length."""
        once = self._once(way)
        return slack(self.metres[np.ix_(once, once)]), self.length(way)[1]

    def descend(self, way: RowTour, deadline: float, *, leave_out: bool) -> RowTour:
        """Exchange places while the way gets shorter, and then while it gets nearer to the shortest."""
        for worth, drops in ((self.length, False), (self.worth, leave_out)):
            best, going = worth(way), True
            while going and monotonic() < deadline:
                going = False
                for change in self._changes(way, drops=drops):
                    tried = _changed(way, change)
                    reached = worth(tried)
                    if reached < best and self.allowed(tried):
                        way, best, going = tried, reached, True
                        break
        return way

    def _changes(self, way: RowTour, *, drops: bool) -> Iterator[dict[int, Row | None]]:
        """Slots with the places that they get: one gets another place, or none, or two exchange theirs."""
        for n, slot in enumerate(self.slots):
            for place in slot.options:
                if place not in way and (place is not None or drops):
                    yield {n: place}
            for m in range(n + 1, len(self.slots)):
                if way[m] != way[n] and way[m] in slot.options and way[n] in self.slots[m].options:
                    yield {n: way[m], m: way[n]}

    def kicked(self, way: RowTour, random: Random, kicks: int) -> RowTour:
        """The way after some exchanges by chance that are allowed."""
        for _ in range(kicks):
            changes = list(self._changes(way, drops=False))
            for change in random.sample(changes, min(20, len(changes))):
                if self.allowed(tried := _changed(way, change)):
                    way = tried
                    break
        return way

    def thinned(self, way: RowTour, random: Random, drops: int) -> RowTour:
        """The way without some places that can be left out."""
        for n in random.sample(range(len(way)), len(way)):
            if drops and way[n] is not None and None in self.slots[n].options:
                tried = _changed(way, {n: None})
                if self.allowed(tried):
                    way, drops = tried, drops - 1
        return way


def _changed(way: RowTour, change: Mapping[int, Row | None]) -> RowTour:
    return tuple(change.get(n, place) for n, place in enumerate(way))


def _constant(row: GroundRow, name: str) -> Any:
    """The constant that a scope's row fixes; None if it leaves the field open."""
    values = row.fields[name].values
    return values[0] if values is not None and len(values) == 1 else None


def _choices(domain: FieldDomain) -> Sequence[Any]:
    if domain.interval is None:
        return domain.values or ()
    low, high, step = domain.interval
    return range(low, high + 1, step)
