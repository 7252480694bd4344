"""Three greedy planners over a WorldTravel task: what someone does who never looks ahead.

Each goes on from where it stands: it picks the next place by its strategy, takes the earliest start that the
place offers from then on, and stays as briefly as the wish allows. It goes by the fastest mode of transport
that the purse still bears once tickets, meals and rooms are set aside, or always by one and the same. It sleeps
in the cheapest hotel of the scope. Nothing is ever taken back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from planspec.api.judging import Judge
from planspec.dsl.model.rows import Row, make_row
from planspec.verifiers.meaning.plan_rows import Plan

STRATEGIES = ("earliest slot first", "nearest next", "longest visit first")
MODES = ("taxi", "bus", "foot")
TRAVEL = ("affordable", *MODES)
LATEST = 25 * 60


@dataclass(frozen=True)
class Stop:
    """A visit that fits from here: how one goes there, and when one arrives, starts and ends."""

    wish: Any
    mode: str
    arrive: int
    start: int
    end: int


class Traveller:
    """A task's facts, as a greedy planner reads them."""

    def __init__(self, judge: Judge, mode: str) -> None:
        self.judge = judge
        self.task = judge.task
        self.mode = mode
        self.facts = judge.task.facts
        self.givens = judge.task.givens
        self.party = sum(self.givens[who] for who in ("adults", "children", "students", "seniors"))
        hotels = judge.ground.rows["lodging"][0].fields["hotel"].values or ()
        self.hotel = min(hotels, key=lambda h: h.rate)
        spots: list[Any] = list(self.facts["Spot"].rows)
        self.spots = {s.place or s.hotel: s for s in spots}
        rooms = -(-self.party // 2) * self.givens["nights"] * self.hotel.rate
        budget = self.givens["budget"]
        tickets = sum(self.cost(w) for w in self.facts["Wish"].rows)
        self.left: int | None = None if budget is None else budget - rooms - tickets

    def ride(self, a: Row, b: Row, mode: str) -> int:
        """Minutes between two spots."""
        return self._defined("ride", a, b, mode)

    def fee(self, a: Row, b: Row, mode: str) -> int:
        """Cents for a way between two spots."""
        return self._defined("ride_cost", a, b, mode)

    def way(self, a: Row, b: Row) -> str:
        """The mode for a way; where not even one is free enough, on foot."""
        if self.mode != "affordable":
            return self.mode
        fit = [m for m in MODES if self.left is None or self.fee(a, b, m) <= self.left]
        return min(fit or ["foot"], key=lambda m: self.ride(a, b, m))

    def _defined(self, name: str, *values: Any) -> int:
        definition = self.task.definitions[name]
        arguments = dict(zip(definition.params, values, strict=True))
        return int(self.judge.ground.interpreter.value(definition.body, arguments) or 0)

    def next_stop(self, wish: Any, day: int, spot: Row, now: int) -> Stop | None:
        """The earliest visit of a wish from a spot and a time on."""
        place = wish.place
        buffer: Any = self.facts["Buffer"].by_key.get((place,))
        mode = self.way(spot, self.spots[place])
        arrive = now + self.ride(spot, self.spots[place], mode)
        ready = arrive + (buffer.lead if buffer else 0)
        dwell: Any = self.facts["Dwell"].by_key[place, wish.style, self.givens["profile"]]
        low = max(ready, getattr(wish, "from") or 0)
        high = wish.until if wish.until is not None else LATEST
        slots = [s for s in self.facts["Slot"].rows if s.place is place and s.day == day]  # type: ignore[attr-defined]
        if any(s.place is place and s.day in self.givens["trip"] for s in self.facts["Slot"].rows):  # type: ignore[attr-defined]
            starts = sorted(s.at for s in slots if s.left >= self.party and low <= s.at <= high)  # type: ignore[attr-defined]
        else:
            windows = [w for w in self.facts["Window"].rows if w.place is place and w.day == day]  # type: ignore[attr-defined]
            begins = [(max(low, w.open), w) for w in windows]  # type: ignore[attr-defined]
            starts = sorted(b for b, w in begins if b <= high and b + dwell.least <= w.close)  # type: ignore[attr-defined]
        return Stop(wish, mode, arrive, starts[0], starts[0] + dwell.least) if starts else None

    def cost(self, wish: Any) -> int:
        """The cheapest tickets, or the menu that was asked for."""
        if wish.place.kind == "attraction":
            return self._defined("fare", wish.place)
        menu: Any = self.facts["Menu"].by_key.get((wish.place, wish.course))
        return 0 if menu is None else int(menu.price) * self.party


CHOICES: Mapping[str, Callable[[Traveller, Row, Stop], Any]] = {
    "earliest slot first": lambda t, spot, stop: stop.start,
    "nearest next": lambda t, spot, stop: stop.arrive,
    "longest visit first": lambda t, spot, stop: stop.start - stop.end,
}


def greedy_plan(judge: Judge, strategy: str, mode: str) -> Plan | None:
    """The plan of one strategy with one way to travel, of `TRAVEL`; None where it gets stuck."""
    traveller = Traveller(judge, mode)
    wishes = list(traveller.facts["Wish"].rows)
    visits: list[Row] = []
    moves: list[Row] = []
    home = traveller.spots[traveller.hotel]
    for day in traveller.givens["trip"]:
        spot, now = home, traveller.givens["leave_at"]
        while wishes:
            stops = [s for w in wishes if (s := traveller.next_stop(w, day, spot, now))]
            if not stops:
                break
            stop = min(stops, key=lambda s: CHOICES[strategy](traveller, spot, s))
            place = stop.wish.place
            values = {
                "place": place,
                "day": day,
                "session": 1,
                "start": stop.start,
                "end": stop.end,
                "cost": traveller.cost(stop.wish),
            }
            visits.append(make_row(traveller.task.tables["visits"], values, len(visits)))
            moves.append(_move(traveller, spot, traveller.spots[place], day, now, stop.mode, len(moves)))
            wishes.remove(stop.wish)
            spot, now = traveller.spots[place], stop.end
        if spot is not home:
            moves.append(_move(traveller, spot, home, day, now, traveller.way(spot, home), len(moves)))
    if wishes:
        return None
    lodging = make_row(traveller.task.tables["lodging"], {"hotel": traveller.hotel, "cost": 0}, 0)
    return Plan({"visits": tuple(visits), "moves": tuple(moves), "lodging": (lodging,)})


def _move(t: Traveller, a: Row, b: Row, day: int, depart: int, mode: str, index: int) -> Row:
    fee = t.fee(a, b, mode)
    if t.left is not None:
        t.left -= fee
    values = {
        "to": b,
        "day": day,
        "session": 1,
        "origin": a,
        "mode": mode,
        "depart": depart,
        "arrive": depart + t.ride(a, b, mode),
        "cost": fee,
    }
    return make_row(t.task.tables["moves"], values, index)


def passes(judge: Judge, strategy: str) -> bool:
    """The strategy reaches a plan that passes, by one way to travel or another."""
    plans = (greedy_plan(judge, strategy, mode) for mode in TRAVEL)
    return any(plan is not None and judge.plan(plan, details="none").status == "pass" for plan in plans)
