"""Search for a plan whose path through the city is as short as possible for its places.

The paper's margin compares a plan's path with the shortest path through the same places, which no linear
objective expresses. Attractions are therefore exchanged between visits, for others, and restaurants too, as
long as the path of the solver's plan gets shorter. The verifier judges each changed plan, and one that
satisfies less is dropped. Then the shortest path is computed exactly. A margin of zero proves itself.
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
"""Rate at which more visits are left out after `FULL`: all optional ones at two thirds of the time."""
KICKS = (1, 2, 3, 5, 8, 13, 20)
"""Numbers of random exchanges made in turn when the search is stuck."""
FULL = 0.25
"""Share of the time in which no visit and no meal is left out."""
WHOLE = frozenset({"attractions_uniqueness", "meals_uniqueness", "is_within_budget"})
"""Rules about the whole plan, which another row can satisfy."""
KINDS = {"attraction": ("attraction", "ticket"), "meal": ("restaurant", "price")}
"""Column of an activity's place and the place's price column, by kind of activity."""


@dataclass(frozen=True, slots=True)
class Shortened:
    """A plan and the distance of its path from the shortest one.

    Attributes:
        margin: least and greatest value of the paper's AM, in metres on its map; None for a plan without
            known places.
    """

    plan: Plan
    detour: Detour | None
    margin: tuple[Fraction, Fraction] | None


@dataclass(frozen=True, slots=True)
class _Slot:
    """A visit or a meal offered by the scope.

    Attributes:
        key: day and number.
        options: possible rows by the place that they visit; None maps to None if the slot can stay empty.
    """

    key: tuple[int, int]
    options: Mapping[Row | None, Row | None]


RowTour: TypeAlias = tuple[Row | None, ...]
"""Place of each slot."""


def shortened(judge: Judge, plan: Plan, seconds: float = SECONDS, seed: int = 0) -> Shortened:
    """Return the best plan found in the given time, with no less weight of preferences and the shortest path.

    Args:
        judge: judge of the plan's task.
        plan: plan accepted by the verifier.
        seconds: wall-clock time.
        seed: seed of the random exchanges with which the search leaves a local optimum.
    """
    begun = monotonic()
    best = _measured(judge, plan)
    if not _excess(best):
        return best
    search = _PlanSearch(judge, plan)
    way, random = search.way, Random(seed)
    for kicks in chain((0,), cycle(KICKS)):
        spent = (monotonic() - begun) / seconds
        if spent > 1 or not _excess(best):
            return best
        drops = round(STEEP * spent * len(search.slots)) if spent > FULL else 0
        candidate = search.kicked(search.thinned(way, random, drops), random, kicks)
        candidate = search.descend(candidate, begun + seconds, leave_out=drops > 0)
        result = _measured(judge, search.plan(candidate))
        if _excess(result) < _excess(best):
            best, way = result, candidate
    raise AssertionError("the cycle has no end")


def _excess(result: Shortened) -> Fraction:
    """Return the greatest possible margin; zero for a plan without known places."""
    return result.margin[1] if result.margin is not None else Fraction(0)


def _measured(judge: Judge, plan: Plan) -> Shortened:
    detour = detour_of(plan, judge.task.currency, table="itinerary")
    return Shortened(plan, detour, margin(detour.plane, detour.places) if detour is not None else None)


class _PlanSearch:
    """Search that exchanges places in a plan.

    Attributes:
        way: path of the initial plan.
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
        """Return the plan with the given places in its slots."""
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
        statuses = self.compiled.judge_and_measure(plan)[0]
        return {i.id: bool(s) for i, s in zip(self.instances, statuses, strict=True) if s is not None}

    def _soft(self, statuses: Mapping[str, bool]) -> int:
        return sum(i.weight for i in self.instances if not i.constraint.hard and statuses.get(i.id, False))

    def allowed(self, way: RowTour) -> bool:
        """Return whether every hard rule holds, with no less weight of preferences than initially."""
        statuses = self._statuses(self.plan(way))
        hard = all(statuses.get(i.id, True) for i in self.instances if i.constraint.hard)
        return hard and self._soft(statuses) >= self.least

    # ------------------------------------------------------------------ options of slots

    def _slot(self, offered: GroundRow) -> _Slot:
        """Return for each place the first row of the scope that breaks no rule about this row alone."""
        activity = str(_constant(offered, "activity"))
        column, cost = KINDS[activity]
        key = _constant(offered, "date"), _constant(offered, "number")
        existing: Any = self.rows.get(key)
        options: dict[Row | None, Row | None] = {} if existing is None else {self._place(existing): existing}
        if offered.optional:
            options[None] = None
        loose = {i.id for i in self.instances if not i.constraint.hard} | WHOLE | self.broken
        fixed = {
            name: _constant(offered, name)
            for name in self.table.columns
            if name not in {"start", "end", "price", column}
        }
        for place, start, end in product(
            *(_choices(offered.fields[name]) for name in (column, "start", "end"))
        ):
            if place not in options:
                cells = {**fixed, column: place, "start": start, "end": end, "price": getattr(place, cost)}
                row = make_row(self.table, cells, 0)
                statuses = self._statuses(self._with({**self.rows, key: row}))
                if {name for name, holds in statuses.items() if not holds} <= loose:
                    options[place] = row
        return _Slot(key, options)

    def _place(self, row: Any) -> Row | None:
        if row is None:
            return None
        place: Row | None = getattr(row, KINDS[row.activity][0])
        return place

    # ------------------------------------------------------------------ paths

    def _once(self, way: RowTour) -> list[int]:
        return [self.places[place] for place in dict.fromkeys(way) if place is not None]

    def length(self, way: RowTour) -> tuple[int, int]:
        """Return the value to minimise: the length of the closed path through the places."""
        once = self._once(way)
        return 0, int(self.metres[once, [*once[1:], *once[:1]]].sum())

    def worth(self, way: RowTour) -> tuple[int, int]:
        """Return the value to minimise: the certain excess over the shortest path, then the length."""
        once = self._once(way)
        return slack(self.metres[np.ix_(once, once)]), self.length(way)[1]

    def descend(self, way: RowTour, deadline: float, *, leave_out: bool) -> RowTour:
        """Exchange places while the path gets shorter, then while it gets closer to the shortest."""
        for worth, drops in ((self.length, False), (self.worth, leave_out)):
            best, is_improving = worth(way), True
            while is_improving and monotonic() < deadline:
                is_improving = False
                for change in self._changes(way, drops=drops):
                    candidate = _changed(way, change)
                    value = worth(candidate)
                    if value < best and self.allowed(candidate):
                        way, best, is_improving = candidate, value, True
                        break
        return way

    def _changes(self, way: RowTour, *, drops: bool) -> Iterator[dict[int, Row | None]]:
        """Yield slots with their new places: one gets another or no place, or two exchange theirs."""
        for n, slot in enumerate(self.slots):
            for place in slot.options:
                if place not in way and (place is not None or drops):
                    yield {n: place}
            for m in range(n + 1, len(self.slots)):
                if way[m] != way[n] and way[m] in slot.options and way[n] in self.slots[m].options:
                    yield {n: way[m], m: way[n]}

    def kicked(self, way: RowTour, random: Random, kicks: int) -> RowTour:
        """Return the path after some allowed random exchanges."""
        for _ in range(kicks):
            changes = list(self._changes(way, drops=False))
            for change in random.sample(changes, min(20, len(changes))):
                if self.allowed(candidate := _changed(way, change)):
                    way = candidate
                    break
        return way

    def thinned(self, way: RowTour, random: Random, drops: int) -> RowTour:
        """Return the path without some optional places."""
        for n in random.sample(range(len(way)), len(way)):
            if drops and way[n] is not None and None in self.slots[n].options:
                candidate = _changed(way, {n: None})
                if self.allowed(candidate):
                    way, drops = candidate, drops - 1
        return way


def _changed(way: RowTour, change: Mapping[int, Row | None]) -> RowTour:
    return tuple(change.get(n, place) for n, place in enumerate(way))


def _constant(row: GroundRow, name: str) -> Any:
    """Return the constant fixed by a scope's row, or None if the field is open."""
    values = row.fields[name].values
    return values[0] if values is not None and len(values) == 1 else None


def _choices(domain: FieldDomain) -> Sequence[Any]:
    if domain.interval is None:
        return domain.values or ()
    low, high, step = domain.interval
    return range(low, high + 1, step)
