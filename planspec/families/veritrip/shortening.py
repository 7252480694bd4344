"""Local search for a plan with a path through the city that is as short as possible for the plan's places.

The paper's margin compares a plan's path with the shortest path through the same places. No linear objective expresses
it. The search therefore starts from the solver's plan. It exchanges attractions and restaurants, with each other or for
new ones, as long as the path gets shorter. The verifier judges each changed plan. A plan that violates a hard rule or
loses weight of preferences is rejected. Finally, the shortest path through the plan's places is computed. A margin of
zero is optimal.
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
from planspec.scores.detour import detour_of
from planspec.solvers.backends.outcome import Limits
from planspec.solvers.tour.distances import web_mercator_distances
from planspec.verifiers.meaning.ground import FieldDomain, GroundRow
from planspec.verifiers.meaning.plan_rows import Plan
from planspec.verifiers.metrics.scored import Detour

STEPS_OF_EFFORT = 1_000
"""Steps of the search for one unit of effort. They take about a second."""
LEAVE_OUT_RATE = 1.5
"""Rate at which more slots may be left out: the share of the slots divided by the share of the limits used so far."""
KICKS = (1, 2, 3, 5, 8, 13, 20)
"""Numbers of random exchanges tried in turn to leave a local optimum."""
FULL_SHARE = 0.25
"""Share of the search's limits. Until it is used up, the search leaves out no visit and no meal."""
PLAN_RULES = frozenset({"attractions_uniqueness", "meals_uniqueness", "is_within_budget"})
"""Rules about the whole plan. If one row violates such a rule, other rows may compensate."""
PLACE_COLUMNS = {"attraction": ("attraction", "ticket"), "meal": ("restaurant", "price")}
"""Column of the place, and column of the place's price, by kind of activity."""


@dataclass(frozen=True, slots=True)
class ShortenedPlan:
    """A plan, and how much longer its path is than the shortest one.

    Attributes:
        plan: plan.
        detour: lengths of the plan's path and of the shortest path through its places; None if no place of the plan is
            known.
        margin: bounds of the plan's average margin (AM), in metres on the Web Mercator map; None if the path has no
            length.
    """

    plan: Plan
    detour: Detour | None
    margin: tuple[Fraction, Fraction] | None


@dataclass(frozen=True, slots=True)
class _Slot:
    """Position in a plan that can hold a visit or a meal.

    Attributes:
        key: date and number of the activity.
        options: possible row for each place. The key None is present if the slot may be empty.
    """

    key: tuple[int, int]
    options: Mapping[Row | None, Row | None]


RowTour: TypeAlias = tuple[Row | None, ...]
"""Place in each slot, in the order of the slots; None for an empty slot."""


class _SearchLimits:
    """Limits on the search, in seconds or in steps.

    A step is a plan that is judged, or a path that is compared with the shortest one.

    Args:
        limits: limits of time and effort, at least one of which is not None. The search's result does not depend on
            the machine's load if there is only a limit of effort.
    """

    def __init__(self, limits: Limits) -> None:
        assert limits.seconds is not None or limits.effort is not None, "the search ends only at a limit"
        self._limits = limits
        self._begun = monotonic()
        self.steps = 0

    @property
    def used_share(self) -> float:
        """Share of the limits used so far: of the time or of the steps, whichever is larger; at least 1 at the end."""
        seconds, effort = self._limits.seconds, self._limits.effort
        by_time = 0.0 if seconds is None else _share(monotonic() - self._begun, seconds)
        return max(by_time, 0.0 if effort is None else _share(self.steps, effort * STEPS_OF_EFFORT))


def _share(used: float, limit: float) -> float:
    return used / limit if limit > 0 else 1.0


def shorten_plan(judge: Judge, plan: Plan, limits: Limits) -> ShortenedPlan:
    """Return the plan with the smallest margin found within the limits.

    Its weight of preferences is not smaller than the initial plan's.

    Args:
        judge: judge of the plan's task.
        plan: initial plan, which satisfies every hard rule.
        limits: limits of time and effort, at least one of which is not None. Their seed is that of the random
            exchanges by which the search leaves a local optimum.
    """
    usage = _SearchLimits(limits)
    best = _measure_plan(judge, plan)
    if not _upper_margin(best):
        return best
    search = _PlanSearch(judge, plan, usage)
    tour, random = search.tour, Random(limits.seed)
    for kick_count in chain((0,), cycle(KICKS)):
        used = usage.used_share
        if used >= 1 or not _upper_margin(best):
            return best
        drop_count = round(LEAVE_OUT_RATE * used * len(search.slots)) if used > FULL_SHARE else 0
        candidate = search.kick(search.leave_out_places(tour, random, drop_count), random, kick_count)
        candidate = search.descend(candidate, may_drop=drop_count > 0)
        result = _measure_plan(judge, search.plan(candidate))
        if _upper_margin(result) < _upper_margin(best):
            best, tour = result, candidate
    raise AssertionError("the cycle has no end")


def _upper_margin(result: ShortenedPlan) -> Fraction:
    """Return the upper bound of a plan's margin, or zero if the plan has no margin."""
    return result.margin[1] if result.margin is not None else Fraction(0)


def _measure_plan(judge: Judge, plan: Plan) -> ShortenedPlan:
    detour = detour_of(plan, judge.task.currency, table="itinerary")
    return ShortenedPlan(plan, detour, margin(detour.plane, detour.places) if detour is not None else None)


class _PlanSearch:
    """Search that exchanges the places of a plan's visits and meals.

    Attributes:
        tour: places of the initial plan.
    """

    def __init__(self, judge: Judge, plan: Plan, usage: _SearchLimits) -> None:
        self.usage = usage
        self.compiled = judge.compiled
        self.instances = judge.ground.instances
        self.initial_plan = plan
        self.table = judge.task.tables["itinerary"]
        rows: list[Any] = list(plan.tables["itinerary"])
        self.rows = {(row.date, row.number): row for row in rows}
        offered = [row for row in judge.ground.rows["itinerary"] if _constant(row, "activity") in PLACE_COLUMNS]
        offered.sort(key=lambda row: (_constant(row, "date"), _choices(row.fields["start"])[0]))
        self.broken = {name for name, holds in self._statuses(plan).items() if not holds}
        self.slots = [slot for row in offered if len((slot := self._make_slot(row)).options) > 1]
        self.tour: RowTour = tuple(self._place(self.rows.get(slot.key)) for slot in self.slots)
        places = dict.fromkeys(place for slot in self.slots for place in slot.options if place is not None)
        self.places = {place: n for n, place in enumerate(places)}
        self.metres = web_mercator_distances([(float(p.latitude), float(p.longitude)) for p in places])  # type: ignore[attr-defined]
        self.min_soft_weight = self._soft_weight(self._statuses(plan))

    # ------------------------------------------------------------------ plans

    def plan(self, tour: RowTour) -> Plan:
        """Return the plan with the tour's places in its slots."""
        rows = dict(self.rows)
        for slot, place in zip(self.slots, tour, strict=True):
            row = slot.options[place]
            if row is None:
                rows.pop(slot.key, None)
            else:
                rows[slot.key] = row
        return self._plan_with(rows)

    def _plan_with(self, rows: Mapping[tuple[int, int], Row]) -> Plan:
        return Plan({**self.initial_plan.tables, "itinerary": tuple(rows[key] for key in sorted(rows))})

    def _statuses(self, plan: Plan) -> dict[str, bool]:
        statuses = self.compiled.judge_and_measure(plan)[0]
        return {i.id: bool(s) for i, s in zip(self.instances, statuses, strict=True) if s is not None}

    def _soft_weight(self, statuses: Mapping[str, bool]) -> int:
        return sum(i.weight for i in self.instances if not i.constraint.hard and statuses.get(i.id, False))

    def is_allowed(self, tour: RowTour) -> bool:
        """Return whether every hard rule holds and the weight of preferences has not decreased.

        Each call counts as a step of the search.
        """
        self.usage.steps += 1
        statuses = self._statuses(self.plan(tour))
        hard = all(statuses.get(i.id, True) for i in self.instances if i.constraint.hard)
        return hard and self._soft_weight(statuses) >= self.min_soft_weight

    # ------------------------------------------------------------------ options of slots

    def _make_slot(self, offered: GroundRow) -> _Slot:
        """Return the slot (position for a visit or a meal) that a row of the task's scope offers.

        The slot maps each place to its first possible row that violates no rule about single rows.
        """
        activity = str(_constant(offered, "activity"))
        column, cost = PLACE_COLUMNS[activity]
        key = _constant(offered, "date"), _constant(offered, "number")
        existing: Any = self.rows.get(key)
        options: dict[Row | None, Row | None] = {} if existing is None else {self._place(existing): existing}
        if offered.optional:
            options[None] = None
        loose = {i.id for i in self.instances if not i.constraint.hard} | PLAN_RULES | self.broken
        fixed = {
            name: _constant(offered, name)
            for name in self.table.columns
            if name not in {"start", "end", "price", column}
        }
        for place, start, end in product(*(_choices(offered.fields[name]) for name in (column, "start", "end"))):
            if place not in options:
                cells = {**fixed, column: place, "start": start, "end": end, "price": getattr(place, cost)}
                row = make_row(self.table, cells, 0)
                statuses = self._statuses(self._plan_with({**self.rows, key: row}))
                if {name for name, holds in statuses.items() if not holds} <= loose:
                    options[place] = row
        return _Slot(key, options)

    def _place(self, row: Any) -> Row | None:
        if row is None:
            return None
        place: Row | None = getattr(row, PLACE_COLUMNS[row.activity][0])
        return place

    # ------------------------------------------------------------------ paths

    def _distinct_places(self, tour: RowTour) -> list[int]:
        return [self.places[place] for place in dict.fromkeys(tour) if place is not None]

    def length_cost(self, tour: RowTour) -> tuple[int, int]:
        """Return the cost that the first phase of `descend` minimises: 0, and the metres of the closed path."""
        once = self._distinct_places(tour)
        return 0, int(self.metres[once, [*once[1:], *once[:1]]].sum())

    def excess_cost(self, tour: RowTour) -> tuple[int, int]:
        """Return the cost that the second phase of `descend` minimises.

        It is a pair: a lower bound of how much longer the path is than the shortest one, and the path's length.
        Each call counts as a step of the search.
        """
        self.usage.steps += 1
        once = self._distinct_places(tour)
        return slack(self.metres[np.ix_(once, once)]), self.length_cost(tour)[1]

    def descend(self, tour: RowTour, *, may_drop: bool) -> RowTour:
        """Improve a tour by local search in two phases.

        The first phase shortens the path. The second phase reduces how much longer the path is than the
        shortest path through its places.

        Args:
            tour: initial tour.
            may_drop: whether the second phase may also leave places out.
        """
        for cost_of, phase_may_drop in ((self.length_cost, False), (self.excess_cost, may_drop)):
            best, is_improving = cost_of(tour), True
            while is_improving and self.usage.used_share < 1:
                is_improving = False
                for change in self._changes(tour, may_drop=phase_may_drop):
                    candidate = _apply_change(tour, change)
                    value = cost_of(candidate)
                    if value < best and self.is_allowed(candidate):
                        tour, best, is_improving = candidate, value, True
                        break
        return tour

    def _changes(self, tour: RowTour, *, may_drop: bool) -> Iterator[dict[int, Row | None]]:
        """Yield the possible changes, each as the new places of the changed slots, by index of the slot.

        One slot gets another place or becomes empty, or two slots swap places.
        """
        for n, slot in enumerate(self.slots):
            for place in slot.options:
                if place not in tour and (place is not None or may_drop):
                    yield {n: place}
            for m in range(n + 1, len(self.slots)):
                if tour[m] != tour[n] and tour[m] in slot.options and tour[n] in self.slots[m].options:
                    yield {n: tour[m], m: tour[n]}

    def kick(self, tour: RowTour, random: Random, kick_count: int) -> RowTour:
        """Return the tour after up to `kick_count` random exchanges that are allowed."""
        for _ in range(kick_count):
            changes = list(self._changes(tour, may_drop=False))
            for change in random.sample(changes, min(20, len(changes))):
                if self.is_allowed(candidate := _apply_change(tour, change)):
                    tour = candidate
                    break
        return tour

    def leave_out_places(self, tour: RowTour, random: Random, drop_count: int) -> RowTour:
        """Return the tour with up to `drop_count` random optional slots emptied."""
        for n in random.sample(range(len(tour)), len(tour)):
            if drop_count and tour[n] is not None and None in self.slots[n].options:
                candidate = _apply_change(tour, {n: None})
                if self.is_allowed(candidate):
                    tour, drop_count = candidate, drop_count - 1
        return tour


def _apply_change(tour: RowTour, change: Mapping[int, Row | None]) -> RowTour:
    return tuple(change.get(n, place) for n, place in enumerate(tour))


def _constant(row: GroundRow, name: str) -> Any:
    """Return the only value that the task's scope allows in a field of a row, or None if there are several."""
    values = row.fields[name].values
    return values[0] if values is not None and len(values) == 1 else None


def _choices(domain: FieldDomain) -> Sequence[Any]:
    if domain.interval is None:
        return domain.values or ()
    low, high, step = domain.interval
    return range(low, high + 1, step)
