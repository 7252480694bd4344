"""Greedy planners without look-ahead. A task that one of them solves requires no planning.

Each planner picks its next place by a strategy, goes there at once by the requested mode, takes the earliest available
start time, and stays as briefly as allowed. It evaluates the definitions of the library `worldtravel` and never undoes
a choice. All planners book the right hotel, so only their days differ.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from random import Random
from typing import Any

from planspec.dsl.model.rows import Row, make_row
from planspec.dsl.model.task import Task
from planspec.verifiers.meaning.interpret import Interpreter
from planspec.verifiers.meaning.plan_rows import Plan

SoldOut = Collection[tuple[str, date, int]]
"""Sold-out start times: id of the offer (ticket or table), day, and minutes after midnight."""
QUERY_ORDER = "query's order"
RANDOM_ORDER = "random order"


@dataclass(frozen=True, slots=True)
class NextStop:
    """A feasible next visit.

    Attributes:
        wish: row of `Wish` with the place.
        mode: mode of transport to the place.
        arrive: arrival, in minutes after midnight.
        start: start of the visit, in minutes after midnight.
        end: end of the visit, in minutes after midnight.
    """

    wish: Any
    mode: str
    arrive: int
    start: int
    end: int


SortKey = Callable[[NextStop], Any]
STRATEGIES: Mapping[str, SortKey] = {
    "earliest start first": lambda stop: (stop.start, stop.end),
    "nearest next": lambda stop: stop.arrive,
    "longest visit first": lambda stop: stop.start - stop.end,
}
PLANNERS = (*STRATEGIES, RANDOM_ORDER, QUERY_ORDER)


def plans(task: Task, *, sold_out: SoldOut = (), seed: int = 0) -> Iterator[tuple[str, Plan]]:
    """Yield the name and plan of each planner.

    A plan may lack visits: a planner stops when it finds no next visit.

    Args:
        task: task that uses the library `worldtravel`.
        sold_out: start times to treat as sold out, in addition to those in the task's tables.
        seed: seed of the random order. The order also depends on the first day.
    """
    traveller = _Traveller(task, sold_out)
    wishes: list[Any] = list(task.facts["Wish"].rows)
    for name, sort_key in STRATEGIES.items():
        yield name, traveller.plan(wishes, sort_key)
    random = Random(f"{seed} {task.givens['trip'][0]}")
    yield RANDOM_ORDER, traveller.plan(wishes, _given_order_key(random.sample(wishes, len(wishes))))
    yield QUERY_ORDER, traveller.plan(wishes, _given_order_key(wishes), ignores_wishes=True)


def _given_order_key(wishes: Sequence[Any]) -> SortKey:
    """Return a sort key that puts stops in the order of the given wishes."""
    return lambda stop: wishes.index(stop.wish)


class _Traveller:
    """Planner that adds one visit after another, as the definitions of the task's library permit.

    Args:
        task: task to plan.
        sold_out: start times to treat as sold out, in addition to those in the task's tables.
    """

    def __init__(self, task: Task, sold_out: SoldOut) -> None:
        self._task = task
        self._sold_out = sold_out
        self._interpreter = Interpreter(task)
        spots: Any = task.facts["Spot"].rows
        self._spots = {spot.place or spot.hotel: spot for spot in spots}
        self._modes = task.enums["Mode"].members

    def plan(self, wishes: Sequence[Any], sort_key: SortKey, *, ignores_wishes: bool = False) -> Plan:
        """Return a plan that visits the place of each wish at most once.

        Args:
            wishes: rows of the table `Wish`.
            sort_key: sort key of stops. The smallest stop is taken; ties go to the first.
            ignores_wishes: whether to ignore mealtimes, required orders, light and visits that must end
                before closing time. Only start times and opening hours are then checked.
        """
        remaining = list(wishes)
        hotel = self._evaluate("right_hotel")
        home = self._spots[hotel]
        visits: list[Row] = []
        moves: list[Row] = []
        for day in self._task.givens["trip"]:
            spot, now = home, self._task.givens["leave_at"]
            while stops := [
                s
                for w in self._next_wishes(remaining, ignores_wishes)
                if (s := self._next_stop(w, day, spot, now, ignores_wishes))
            ]:
                stop = min(stops, key=sort_key)
                visits.append(self._visit_row(stop.wish, day, stop.start, stop.end, len(visits)))
                to = self._spots[stop.wish.place]
                moves.append(self._move_row(spot, to, stop.mode, day, now, len(moves)))
                remaining.remove(stop.wish)
                spot, now = to, stop.end
            if spot is not home:
                moves.append(self._move_row(spot, home, self._choose_mode(spot, home), day, now, len(moves)))
        lodging = make_row(self._task.tables["lodging"], {"hotel": hotel, "cost": 0}, 0)
        return Plan({"visits": tuple(visits), "moves": tuple(moves), "lodging": (lodging,)})

    def _next_wishes(self, remaining: Sequence[Any], ignores_wishes: bool) -> list[Any]:
        """Return the wishes for places that may be visited next under the required orders."""
        if ignores_wishes:
            return list(remaining)
        waiting = {wish.place for wish in remaining}
        befores: Any = self._task.facts["Before"].rows
        later = {row.later for row in befores if row.earlier in waiting}
        return [wish for wish in remaining if wish.place not in later]

    def _next_stop(self, wish: Any, day: int, spot: Row, now: int, ignores_wishes: bool) -> NextStop | None:
        """Return the earliest visit for a wish with any suitable ticket, or None if there is none.

        Args:
            wish: row of `Wish` with the place.
            day: day as an ordinal.
            spot: row of `Spot` for the current position.
            now: current time, in minutes after midnight.
            ignores_wishes: see `plan`.
        """
        mode = self._choose_mode(spot, self._spots[wish.place])
        arrive = now + self._evaluate("ride_time", spot, self._spots[wish.place], mode)
        stops = [
            NextStop(wish, mode, arrive, start, start + shortest)
            for offer in self._evaluate("tickets", wish)
            for shortest in [self._evaluate("shortest", offer, wish)]
            for start in self._possible_starts(wish, offer, day, arrive + self._evaluate("lead", offer, wish))
            if self._satisfies_own_conditions(
                wish, offer, self._visit_row(wish, day, start, start + shortest, 0), ignores_wishes
            )
        ]
        return min(stops, key=lambda stop: (stop.start, stop.end), default=None)

    def _possible_starts(self, wish: Any, offer: Any, day: int, ready: int) -> set[int]:
        """Return the possible start times of a visit with a ticket, in minutes after midnight.

        These are the start times of the ticket that are not before the arrival (`ready`). A ticket without start times
        permits one start in each opening window: the arrival or the opening time, whichever is later.
        """
        if self._evaluate("has_starts", offer):
            entries: Any = self._task.facts["Entry"].rows
            name, on = str(offer._key[0]), date.fromordinal(day)
            return {
                e.at
                for e in entries
                if e.offer is offer and e.day == day and e.at >= ready and (name, on, e.at) not in self._sold_out
            }
        windows: Any = self._task.facts["Window"].rows
        return {max(ready, w.open) for w in windows if w.place == wish.place and w.day == day}

    def _satisfies_own_conditions(self, wish: Any, offer: Any, visit: Row, ignores_wishes: bool) -> bool:
        """Return whether a visit satisfies the library's conditions that involve only this visit.

        Args:
            wish: row of `Wish` with the place.
            offer: ticket of the visit.
            visit: row of `visits`.
            ignores_wishes: whether to check only start times and opening hours.
        """
        if self._evaluate("has_starts", offer) and not self._evaluate("starts_at", offer, wish, visit):
            return False
        if not offer.booked and not self._evaluate("open_at", visit):
            return False
        if ignores_wishes:
            return True
        light: Any = self._task.facts["Light"].by_key.get((wish.place,)) if wish.photographs else None
        return (
            self._evaluate("at_meal", wish, visit)
            and (not wish.before_closing or self._evaluate("open_at", visit))
            and (light is None or getattr(light, "from") <= visit.start <= light.until)  # type: ignore[attr-defined]
        )

    def _choose_mode(self, a: Row, b: Row) -> str:
        """Return the fastest requested mode between two spots (ends of routes).

        If the map has no requested mode, return the fastest of all.
        """
        available = [m for m in self._modes if self._evaluate("by_map", a, b, m)]
        requested = [m for m in available if self._evaluate("as_asked", a, b, m)]
        return min(requested or available, key=lambda m: self._evaluate("ride_time", a, b, m))

    def _visit_row(self, wish: Any, day: int, start: int, end: int, index: int) -> Row:
        values = {"place": wish.place, "day": day, "session": 1, "start": start, "end": end, "cost": 0}
        return make_row(self._task.tables["visits"], values, index)

    def _move_row(self, a: Row, b: Row, mode: str, day: int, depart: int, index: int) -> Row:
        arrive = depart + self._evaluate("ride_time", a, b, mode)
        values = {
            "to": b,
            "day": day,
            "session": 1,
            "origin": a,
            "mode": mode,
            "depart": depart,
            "arrive": arrive,
            "cost": 0,
        }
        return make_row(self._task.tables["moves"], values, index)

    def _evaluate(self, name: str, *arguments: Any) -> Any:
        definition = self._task.definitions[name]
        return self._interpreter.value(definition.body, dict(zip(definition.params, arguments, strict=True)))
