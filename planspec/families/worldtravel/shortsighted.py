"""Planners that never look ahead: a task that one of them solves requires no planning.

Each continues from its position with the library's own definitions of the next visit. It picks a place by its
strategy, rides there at once by the requested mode, takes the earliest available start, and stays as briefly
as allowed. Nothing is ever undone. All of them book the right hotel, so that only the days differ.
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

Gone = Collection[tuple[str, date, int]]
"""Additional sold-out starts: offer, day, and minutes after midnight."""
LAZY = "query's order"
RANDOM = "random order"


@dataclass(frozen=True, slots=True)
class NextStop:
    """A feasible next visit; times in minutes after midnight."""

    wish: Any
    mode: str
    arrive: int
    start: int
    end: int


Choice = Callable[[NextStop], Any]
STRATEGIES: Mapping[str, Choice] = {
    "earliest start first": lambda stop: (stop.start, stop.end),
    "nearest next": lambda stop: stop.arrive,
    "longest visit first": lambda stop: stop.start - stop.end,
}
PLANNERS = (*STRATEGIES, RANDOM, LAZY)


def plans(task: Task, *, gone: Gone = (), seed: int = 0) -> Iterator[tuple[str, Plan]]:
    """Yield the plans of all planners, with their names. A planner that gets stuck leaves out the rest.

    Args:
        task: task of the library of WorldTravel's cities.
        gone: additional sold-out starts.
        seed: seed of the random order, which also depends on the first day.
    """
    traveller = _Traveller(task, gone)
    wishes: list[Any] = list(task.facts["Wish"].rows)
    for name, choice in STRATEGIES.items():
        yield name, traveller.plan(wishes, choice)
    random = Random(f"{seed} {task.givens['trip'][0]}")
    yield RANDOM, traveller.plan(wishes, _as_listed(random.sample(wishes, len(wishes))))
    yield LAZY, traveller.plan(wishes, _as_listed(wishes), careless=True)


def _as_listed(wishes: Sequence[Any]) -> Choice:
    return lambda stop: wishes.index(stop.wish)


class _Traveller:
    """Evaluates a task's facts for the next visit.

    Args:
        task: task whose definitions are used.
        gone: additional sold-out starts.
    """

    def __init__(self, task: Task, gone: Gone) -> None:
        self._task = task
        self._gone = gone
        self._interpreter = Interpreter(task)
        spots: Any = task.facts["Spot"].rows
        self._spots = {spot.place or spot.hotel: spot for spot in spots}
        self._modes = task.enums["Mode"].members

    def plan(self, wishes: Sequence[Any], choice: Choice, *, careless: bool = False) -> Plan:
        """Return the plan that a planner makes of the wishes.

        Args:
            wishes: wishes, each visited once.
            choice: sort key of stops; the least one is taken, the first of equals.
            careless: whether meals, orders, light and closing times are ignored.
        """
        left = list(wishes)
        hotel = self._value("right_hotel")
        home = self._spots[hotel]
        visits: list[Row] = []
        moves: list[Row] = []
        for day in self._task.givens["trip"]:
            spot, now = home, self._task.givens["leave_at"]
            while stops := [
                s for w in self._open(left, careless) if (s := self._stop(w, day, spot, now, careless))
            ]:
                stop = min(stops, key=choice)
                visits.append(self._visit(stop.wish, day, stop.start, stop.end, len(visits)))
                to = self._spots[stop.wish.place]
                moves.append(self._move(spot, to, stop.mode, day, now, len(moves)))
                left.remove(stop.wish)
                spot, now = to, stop.end
            if spot is not home:
                moves.append(self._move(spot, home, self._mode(spot, home), day, now, len(moves)))
        lodging = make_row(self._task.tables["lodging"], {"hotel": hotel, "cost": 0}, 0)
        return Plan({"visits": tuple(visits), "moves": tuple(moves), "lodging": (lodging,)})

    def _open(self, left: Sequence[Any], careless: bool) -> list[Any]:
        """Return the wishes that need not wait for another."""
        if careless:
            return list(left)
        waiting = {wish.place for wish in left}
        befores: Any = self._task.facts["Before"].rows
        later = {row.later for row in befores if row.earlier in waiting}
        return [wish for wish in left if wish.place not in later]

    def _stop(self, wish: Any, day: int, spot: Row, now: int, careless: bool) -> NextStop | None:
        """Return the earliest visit of a wish from a spot and a time on, or None."""
        mode = self._mode(spot, self._spots[wish.place])
        arrive = now + self._value("ride_time", spot, self._spots[wish.place], mode)
        ready = arrive + self._value("lead", wish)
        least = self._value("shortest", wish)
        for start in sorted(self._begins(wish, day, ready)):
            visit = self._visit(wish, day, start, start + least, 0)
            if self._lets_in(wish, visit, careless):
                return NextStop(wish, mode, arrive, start, start + least)
        return None

    def _begins(self, wish: Any, day: int, ready: int) -> set[int]:
        """Return possible starts of a visit: booked starts, or without them the arrival or the opening."""
        offer = self._value("offer", wish)
        if self._value("has_starts", offer):
            entries: Any = self._task.facts["Entry"].rows
            name, on = str(offer._key[0]), date.fromordinal(day)
            return {
                e.at for e in entries
                if e.offer is offer and e.day == day and e.at >= ready and (name, on, e.at) not in self._gone
            }  # fmt: skip
        windows: Any = self._task.facts["Window"].rows
        return {max(ready, w.open) for w in windows if w.place == wish.place and w.day == day}

    def _lets_in(self, wish: Any, visit: Row, careless: bool) -> bool:
        """Return whether a visit satisfies the library's conditions on it alone."""
        if self._value("has_starts", self._value("offer", wish)) and not self._value(
            "starts_at", wish, visit
        ):
            return False
        if not self._value("timed", wish) and not self._value("open_at", visit):
            return False
        if careless:
            return True
        light: Any = self._task.facts["Light"].by_key.get((wish.place,)) if wish.photographs else None
        return (
            self._value("at_meal", wish, visit)
            and (not wish.before_closing or self._value("open_at", visit))
            and (light is None or getattr(light, "from") <= visit.start <= light.until)  # type: ignore[attr-defined]
        )

    def _mode(self, a: Row, b: Row) -> str:
        """Return the requested mode, or the fastest on the map if the map lacks it."""
        available = [m for m in self._modes if self._value("by_map", a, b, m)]
        requested = [m for m in available if self._value("as_asked", a, b, m)]
        return min(requested or available, key=lambda m: self._value("ride_time", a, b, m))

    def _visit(self, wish: Any, day: int, start: int, end: int, index: int) -> Row:
        values = {"place": wish.place, "day": day, "session": 1, "start": start, "end": end, "cost": 0}
        return make_row(self._task.tables["visits"], values, index)

    def _move(self, a: Row, b: Row, mode: str, day: int, depart: int, index: int) -> Row:
        arrive = depart + self._value("ride_time", a, b, mode)
        values = {
            "to": b, "day": day, "session": 1, "origin": a, "mode": mode, "depart": depart, "arrive": arrive, "cost": 0,
        }  # fmt: skip
        return make_row(self._task.tables["moves"], values, index)

    def _value(self, name: str, *arguments: Any) -> Any:
        definition = self._task.definitions[name]
        return self._interpreter.value(definition.body, dict(zip(definition.params, arguments, strict=True)))
