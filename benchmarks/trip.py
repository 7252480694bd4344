"""A city-trip task of any size, a plan for it, and a judge of its rules hand-written in Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from planspec.dsl.documents.documents import task_from_text
from planspec.dsl.model.rows import Row, make_row
from planspec.dsl.model.task import Task
from planspec.dsl.model.types import ScalarType
from planspec.verifiers.meaning.plan_rows import Plan

RULES = """\
define:
  party: adults + children
  nights: count(d for d in trip) - 1
  dwell(v visits): v.end - v.start
  lead(p Place): Buffer[p].lead ?? 0min
  spot(p Place): the(s for s in Spot if s.place == p)
  home: the(s for s in Spot if s.hotel == lodging.hotel)
  ride(a Spot, b Spot, m Mode): 0min if a == b else Leg[a, b, m].time ?? 10min
  ride_cost(a Spot, b Spot, m Mode): 3.00 EUR * party if m == bus else Leg[a, b, m].cost ?? 0 if m == taxi else 0
  booked(p Place, d date): any(true for s in Slot if s.place == p and s.day == d)
  move_to(v visits): moves[spot(v.place), v.day]
  first_of(d date): first(v for v in visits if v.day == d, by=v.start)
  last_of(d date): last(v for v in visits if v.day == d, by=v.start)
  fare(p Place): adults * Fare[p, adult].price + children * (Fare[p, child].price ?? Fare[p, adult].price)
constraints:
  present:
    for: w in Wish
    hard: any(true for v in visits if v.place == w.place)
  nothing-else:
    hard: all(any(true for w in Wish if w.place == v.place) for v in visits)
  once:
    for: w in Wish
    hard: count(v for v in visits if v.place == w.place) <= 1
  slot:
    for: w in Wish if any(booked(w.place, d) for d in trip)
    hard: all(Slot[v.place, v.day, v.start].left >= party for v in visits if v.place == w.place)
  window:
    for: w in Wish
    hard: >-
      all(any(x.open <= v.start and (v.end <= x.close or booked(v.place, v.day) and not w.before_closing)
              for x in Window if x.place == v.place and x.day == v.day)
          or booked(v.place, v.day) and not w.before_closing
          for v in visits if v.place == w.place)
  dwell:
    for: w in Wish
    hard: all(dwell(v) in Dwell[w.place, w.style].least..Dwell[w.place, w.style].most for v in visits if v.place == w.place)
  asked-time:
    for: w in Wish if w.from is not none
    hard: all(v.start in w.from..w.until for v in visits if v.place == w.place)
  one-after-another:
    for: d in trip
    hard: >-
      all(move_to(b).origin == spot(a.place) and move_to(b).depart >= a.end and move_to(b).arrive + lead(b.place) <= b.start
          for a, b in steps(v for v in visits if v.day == d, by=v.start))
  from-the-hotel:
    for: d in trip
    hard: move_to(first_of(d)).origin == home and move_to(first_of(d)).arrive + lead(first_of(d).place) <= first_of(d).start
  to-the-hotel:
    for: d in trip
    hard: moves[home, d].origin == spot(last_of(d).place) and moves[home, d].depart >= last_of(d).end
  back-in-time:
    for: d in trip
    hard: moves[home, d].arrive <= back_by
  ride-times:
    hard: all(m.arrive - m.depart == ride(m.origin, m.to, m.mode) for m in moves)
  ride-costs:
    soft: all(m.cost == ride_cost(m.origin, m.to, m.mode) for m in moves)
  ticket:
    for: w in Wish if w.place.kind == attraction
    soft: sum(v.cost for v in visits if v.place == w.place) == fare(w.place)
  rooms:
    soft: lodging.cost == ceil_div(party, 2) * nights * lodging.hotel.rate
  budget:
    soft: sum(v.cost for v in visits) + sum(m.cost for m in moves) + lodging.cost <= 5000 EUR
"""

DAYS = ("2026-07-01", "2026-07-02")
ADULTS, CHILDREN, PARTY, NIGHTS, BACK_BY, BUDGET = 2, 1, 3, 1, 23 * 60, 500_000


def trip_task(visits: int) -> Task:
    """Return a task with the given number of visits on two days. Half of the places have bookable slots."""
    random = Random(visits)
    places = [f"p{at}" for at in range(visits + 8)]
    rows: dict[str, list[str]] = {
        name: [] for name in ["Place", "Slot", "Window", "Dwell", "Buffer", "Fare", "Hotel", "Spot", "Leg", "Wish"]
    }
    for at, place in enumerate(places):
        rows["Place"].append(f"{{id: {place}, kind: {'restaurant' if at % 4 == 3 else 'attraction'}}}")
        rows["Buffer"].append(f"{{place: {place}, lead: {5 * (at % 3)}min}}")
        rows["Dwell"].append(f"{{place: {place}, style: standard, least: 45min, most: 75min}}")
        rows["Fare"].append(f"{{place: {place}, ticket: adult, price: {10 + at} EUR}}")
        if at % 2:
            rows["Fare"].append(f"{{place: {place}, ticket: child, price: {5 + at} EUR}}")
        rows["Spot"].append(f"{{id: s{at}, place: {place}}}")
        for day in DAYS:
            rows["Window"].append(f"{{place: {place}, day: {day}, open: 07:00, close: 14:00}}")
            rows["Window"].append(f"{{place: {place}, day: {day}, open: 12:00, close: 23:00}}")
            if at % 2 == 0:
                rows["Slot"] += [
                    f"{{place: {place}, day: {day}, at: {hour:02}:{minute:02}, left: {random.randint(3, 9)}}}"
                    for hour in range(7, 22)
                    for minute in (0, 30)
                ]
    rows["Hotel"] = ["{id: inn, area: Mitte, rate: 90 EUR}", "{id: ritz, area: Mitte, rate: 400 EUR}"]
    rows["Spot"] += ["{id: h0, hotel: inn}", "{id: h1, hotel: ritz}"]
    spots = [f"s{at}" for at in range(len(places))] + ["h0", "h1"]
    for a in spots:
        for b in spots:
            if a != b:
                rows["Leg"].append(f"{{origin: {a}, to: {b}, mode: foot, time: {random.randint(2, 20)}min}}")
                rows["Leg"].append(
                    f"{{origin: {a}, to: {b}, mode: taxi, time: {random.randint(2, 9)}min, cost: 8 EUR}}"
                )
    for at in range(visits):
        clock = ", from: 07:00, until: 22:00" if at % 3 == 0 else ""
        rows["Wish"].append(f"{{place: p{at}{clock}, before_closing: {'true' if at % 5 else 'false'}}}")
    columns = {
        "Place": "{kind: Kind}",
        "Slot": "{place: key Place, day: key date, at: key time, left: int}",
        "Window": "{place: Place, day: date, open: time, close: time}",
        "Dwell": "{place: key Place, style: key Style, least: duration, most: duration}",
        "Buffer": "{place: key Place, lead: duration}",
        "Fare": "{place: key Place, ticket: key Ticket, price: money}",
        "Hotel": "{area: text, rate: money}",
        "Spot": "{place: Place?, hotel: Hotel?}",
        "Leg": "{origin: key Spot, to: key Spot, mode: key Mode, time: duration?, cost: money?}",
        "Wish": "{place: key Place, style: Style = standard, from: time?, until: time?, before_closing: bool = false}",
    }
    tables = "".join(
        f"  {name}:\n    columns: {columns[name]}\n    rows:\n" + "".join(f"      - {row}\n" for row in each)
        for name, each in rows.items()
    )
    return task_from_text(
        "planspec: task/1\nid: trip\nquery: a trip\ncurrency: EUR\n"
        "types: {Kind: attraction | restaurant, Mode: foot | taxi | bus, Style: brief | standard, Ticket: adult | child}\n"
        f"tables:\n{tables}given:\n  trip: [{', '.join(DAYS)}]\n  adults: {ADULTS}\n  children: {CHILDREN}\n  back_by: 23:00\n"
        "plan:\n  visits: {place: key Place, day: key date, start: time, end: time, cost: money}\n"
        "  moves: {to: key Spot, day: key date, origin: Spot, mode: Mode, depart: time, arrive: time, cost: money}\n"
        "  lodging: {one: true, hotel: Hotel, cost: money}\n" + RULES
    )


def good_plan(task: Task) -> Plan:
    """Return a plan that satisfies every rule."""
    tables = task.tables
    rows: dict[str, list[Any]] = {name: list(facts.rows) for name, facts in task.facts.items()}
    by_place = {spot.place: spot for spot in rows["Spot"] if spot.place is not None}
    hotel = rows["Hotel"][0]
    home = next(spot for spot in rows["Spot"] if spot.hotel is hotel)
    hand = HandWrittenJudge(task)
    visits: list[Row] = []
    moves: list[Row] = []
    wishes = [row.place for row in rows["Wish"]]
    half = (len(wishes) + 1) // 2

    def move(a: Any, b: Any, day: int, depart: int) -> int:
        mode = "taxi" if (a._index + b._index) % 3 else "foot"
        arrive = depart + int(hand.legs[a, b, mode].time)
        cost = 800 if mode == "taxi" else 0
        values = {
            "to": b,
            "day": day,
            "origin": a,
            "mode": mode,
            "depart": depart,
            "arrive": arrive,
            "cost": cost,
        }
        moves.append(make_row(tables["moves"], values, len(moves)))
        return arrive

    for day, places in zip(task.givens["trip"], (wishes[:half], wishes[half:]), strict=True):
        at, clock = home, 7 * 60
        for place in places:
            arrive = move(at, by_place[place], day, clock) + hand.leads[place]
            start = -(-arrive // 30) * 30
            clock, at = start + 60, by_place[place]
            cost = hand.fares[place] if place.kind == "attraction" else 2000
            values = {"place": place, "day": day, "start": start, "end": clock, "cost": cost}
            visits.append(make_row(tables["visits"], values, len(visits)))
        move(at, home, day, clock)
    stay = make_row(tables["lodging"], {"hotel": hotel, "cost": 2 * NIGHTS * 9000}, 0)
    return Plan({"visits": tuple(visits), "moves": tuple(moves), "lodging": (stay,)})


def plan_with_cells(plan: Plan, table: str, at: int, **cells: Any) -> Plan:
    """Return a copy of a plan with cells changed in the row at an index of a table."""
    rows = list(plan.tables[table])
    table_def = rows[at]._table
    values = {name: getattr(rows[at], name) for name in table_def.columns}
    rows[at] = make_row(table_def, {**values, **cells}, at)
    return Plan({**plan.tables, table: tuple(rows)})


def plan_with_missing_cell(plan: Plan) -> Plan:
    """Return a copy of a plan in which the cost of the last move is missing."""
    return plan_with_cells(plan, "moves", len(plan.tables["moves"]) - 1, cost=None)


def bad_plans(task: Task, plan: Plan, random: Random, count: int) -> list[Plan]:
    """Return plans that each differ from the given plan in one number."""
    plans = []
    for _ in range(count):
        table = random.choice(("visits", "visits", "moves"))
        at = random.randrange(len(plan.tables[table]))
        numbers = [
            name
            for name, column in task.tables[table].columns.items()
            if column.type in {ScalarType.TIME, ScalarType.MONEY}
        ]
        name = random.choice(numbers)
        old = getattr(plan.tables[table][at], name)
        plans.append(plan_with_cells(plan, table, at, **{name: old + random.choice((-90, -30, 1, 30, 240))}))
    return plans


class HandWrittenJudge:
    """Hand-written judge of the task's rules, for comparison with planspec's verifier.

    It builds the indexes of the world's tables once, and the indexes of a plan for each plan. The plan's required cells
    must have values, but a row that a rule looks up may be missing.
    """

    def __init__(self, task: Task) -> None:
        tables: dict[str, list[Any]] = {name: list(facts.rows) for name, facts in task.facts.items()}
        self.days: tuple[int, ...] = task.givens["trip"]
        self.wishes = tables["Wish"]
        self.wished = {wish.place for wish in self.wishes}
        self.slots = {(row.place, row.day, row.at): row for row in tables["Slot"]}
        self.booked = {(row.place, row.day) for row in tables["Slot"]}
        self.windows: dict[Any, list[Any]] = {}
        for row in tables["Window"]:
            self.windows.setdefault((row.place, row.day), []).append(row)
        self.dwells = {(row.place, row.style): row for row in tables["Dwell"]}
        self.leads = {row.place: row.lead for row in tables["Buffer"]}
        self.spots = {row.place: row for row in tables["Spot"] if row.place is not None}
        self.homes = {row.hotel: row for row in tables["Spot"] if row.hotel is not None}
        self.legs = {(row.origin, row.to, row.mode): row for row in tables["Leg"]}
        prices = {(row.place, row.ticket): row.price for row in tables["Fare"]}
        self.fares = {
            place: ADULTS * prices[place, "adult"] + CHILDREN * prices.get((place, "child"), prices[place, "adult"])
            for place in tables["Place"]
        }
        self.slotted = [wish for wish in self.wishes if any((wish.place, day) in self.booked for day in self.days)]
        self.timed = [wish for wish in self.wishes if getattr(wish, "from") is not None]
        self.paid = [wish for wish in self.wishes if wish.place.kind == "attraction"]

    def judge(self, plan: Plan) -> tuple[bool, ...]:
        tables: Mapping[str, Sequence[Any]] = plan.tables
        visits, moves, lodging = tables["visits"], tables["moves"], tables["lodging"]
        at: dict[Any, list[Any]] = {}
        on: dict[int, list[Any]] = {day: [] for day in self.days}
        for visit in visits:
            at.setdefault(visit.place, []).append(visit)
            if visit.day in on:
                on[visit.day].append(visit)
        for visits_of_day in on.values():
            visits_of_day.sort(key=lambda visit: visit.start)
        arrivals: dict[Any, Any] = {}
        for move in moves:
            key = move.to, move.day
            arrivals[key] = None if key in arrivals else move
        stay = lodging[0] if len(lodging) == 1 else None
        home = None if stay is None else self.homes.get(stay.hotel)
        verdicts = [wish.place in at for wish in self.wishes]
        verdicts.append(all(visit.place in self.wished for visit in visits))
        verdicts += [len(at.get(wish.place, ())) <= 1 for wish in self.wishes]
        verdicts += [self.is_in_slot(at.get(wish.place, ())) for wish in self.slotted]
        verdicts += [self.is_in_window(wish, at.get(wish.place, ())) for wish in self.wishes]
        verdicts += [self.is_long_enough(wish, at.get(wish.place, ())) for wish in self.wishes]
        verdicts += [
            all(getattr(wish, "from") <= visit.start <= wish.until for visit in at.get(wish.place, ()))
            for wish in self.timed
        ]
        verdicts += [self.is_in_sequence(on[day], day, arrivals) for day in self.days]
        verdicts += [self.can_leave_home(on[day], day, arrivals, home) for day in self.days]
        verdicts += [self.can_return_home(on[day], day, arrivals, home) for day in self.days]
        for day in self.days:
            back = arrivals.get((home, day))
            verdicts.append(back is not None and back.arrive <= BACK_BY)
        verdicts.append(all(move.arrive - move.depart == self.ride(move) for move in moves))
        verdicts.append(all(move.cost == self.ride_cost(move) for move in moves))
        verdicts += [
            sum(visit.cost for visit in at.get(wish.place, ())) == self.fares[wish.place] for wish in self.paid
        ]
        verdicts.append(stay is not None and stay.cost == -(-PARTY // 2) * NIGHTS * stay.hotel.rate)
        spent = sum(visit.cost for visit in visits) + sum(move.cost for move in moves)
        verdicts.append(stay is not None and spent + stay.cost <= BUDGET)
        return tuple(verdicts)

    def is_in_slot(self, visits: Any) -> bool:
        for visit in visits:
            slot = self.slots.get((visit.place, visit.day, visit.start))
            if slot is None or slot.left < PARTY:
                return False
        return True

    def is_in_window(self, wish: Any, visits: Any) -> bool:
        for visit in visits:
            key = visit.place, visit.day
            late = not wish.before_closing and key in self.booked
            if late:
                continue
            for window in self.windows.get(key, ()):
                if window.open <= visit.start and visit.end <= window.close:
                    break
            else:
                return False
        return True

    def is_long_enough(self, wish: Any, visits: Any) -> bool:
        limits = self.dwells.get((wish.place, wish.style))
        if limits is None:
            return not visits
        return all(limits.least <= visit.end - visit.start <= limits.most for visit in visits)

    def is_in_sequence(self, visits: list[Any], day: int, arrivals: dict[Any, Any]) -> bool:
        """Return whether a day's visits are feasible in sequence.

        Visits that start together must be feasible in both orders.
        """
        for place in range(len(visits) - 1):
            a, b = visits[place], visits[place + 1]
            if not self.follows(a, b, day, arrivals) or (a.start == b.start and not self.follows(b, a, day, arrivals)):
                return False
        return True

    def follows(self, a: Any, b: Any, day: int, arrivals: dict[Any, Any]) -> bool:
        move = arrivals.get((self.spots.get(b.place), day))
        return (
            move is not None
            and move.origin is self.spots.get(a.place)
            and move.depart >= a.end
            and move.arrive + self.leads.get(b.place, 0) <= b.start
        )

    def can_leave_home(self, visits: list[Any], day: int, arrivals: dict[Any, Any], home: Any) -> bool:
        if not visits or home is None or (len(visits) > 1 and visits[0].start == visits[1].start):
            return False
        first = visits[0]
        move = arrivals.get((self.spots.get(first.place), day))
        return move is not None and move.origin is home and move.arrive + self.leads.get(first.place, 0) <= first.start

    def can_return_home(self, visits: list[Any], day: int, arrivals: dict[Any, Any], home: Any) -> bool:
        if not visits or home is None or (len(visits) > 1 and visits[-1].start == visits[-2].start):
            return False
        last = visits[-1]
        move = arrivals.get((home, day))
        return move is not None and move.origin is self.spots.get(last.place) and move.depart >= last.end

    def ride(self, move: Any) -> int:
        if move.origin is move.to:
            return 0
        leg = self.legs.get((move.origin, move.to, move.mode))
        return 10 if leg is None or leg.time is None else leg.time

    def ride_cost(self, move: Any) -> int:
        if move.mode == "bus":
            return 300 * PARTY
        if move.mode != "taxi":
            return 0
        leg = self.legs.get((move.origin, move.to, move.mode))
        return 0 if leg is None or leg.cost is None else leg.cost
