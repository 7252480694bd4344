"""A task with conditions and values that use every construct of the language."""

from __future__ import annotations

from planspec.dsl.documents.documents import task_from_text
from planspec.dsl.model.task import Task

HEAD = """\
planspec: task/1
id: rich
query: everything that the language has
currency: EUR
types: {Mode: foot | bus | taxi}
tables:
  Area: {columns: {}, rows: [{id: north}, {id: south}]}
  Place:
    columns:
      name: text?
      stars: int?
      price: money?
      open: bool = false
      tags: set of text = {}
      area: Area?
      from: time?
      hidden: bool = false
      weight: decimal?
    rows:
      - {id: museum, name: Old Museum, stars: 5, price: 12.50 EUR, open: true, tags: [art, old], area: north, from: 09:00, weight: 0.5}
      - {id: park, price: 0 EUR, open: true, tags: [green], area: south, hidden: true, weight: 2}
      - {id: tower, stars: 3, from: 10:00, area: north, hidden: false}
      - {id: bar, stars: 3, tags: [old, art], area: south}
  Slot:
    columns: {place: key Place, at: key time, left: int, until: time?}
    rows:
      - {place: museum, at: 09:00, left: 2, until: 10:00}
      - {place: museum, at: 10:00, left: 0}
      - {place: tower, at: 10:00, left: 4, until: 12:00}
  Leg:
    columns: {origin: key Place, to: key Place, mode: key Mode, time: duration?, cost: money?}
    rows:
      - {origin: museum, to: park, mode: foot, time: 15min, cost: 0 EUR}
      - {origin: park, to: museum, mode: foot, time: 20min}
      - {origin: museum, to: tower, mode: bus, time: 30min, cost: 3 EUR}
      - {origin: museum, to: tower, mode: taxi, cost: 12 EUR}
      - {origin: tower, to: park, mode: bus, time: 10min, cost: 3 EUR}
  Wish:
    columns: {place: key Place, most: duration?, mode: Mode?, strict: bool = false}
    rows:
      - {place: museum, most: 90min, mode: bus, strict: true}
      - {place: tower, mode: taxi}
      - {place: park, most: 60min}
  Bag:
    columns: {n: int, area: Area?}
    rows: [{n: 4, area: north}, {n: 4, area: north}, {n: 1}]
given:
  days: [2026-07-01, 2026-07-02]
  wanted: [2026-07-02]
  party: 3
  budget: 20 EUR
plan:
  visits:
    place: key Place
    day: key date = 2026-07-01
    start: time
    end: time
    cost: money?
    mode: Mode?
    note: text?
    fun: bool = false
    tags: set of text = {}
    share: decimal = 1
  moves: {to: key Place, day: key date, origin: Place, mode: Mode, depart: time, arrive: time, cost: money}
  extras:
    place: Place?
    cost: money?
    fun: bool = true
    seen: set of Place = {}
    area: Area?
  lodging: {one: true, hotel: Place?, cost: money}
define:
  dwell(v visits): v.end - v.start
  lead(p Place): Slot[p, 10:00].left * 1min ?? 5min
  area_of(p Place): the(a for a in Area if a == p.area)
  ride(a Place, b Place, m Mode): 0min if a == b else Leg[a, b, m].time ?? 10min
  booked(p Place): any(s.left > 0 for s in Slot if s.place == p)
  move_to(v visits): moves[v.place, v.day]
  first_of(d date): first(v for v in visits if v.day == d, by=v.start)
  last_of(d date): last(v for v in visits if v.day == d, by=v.start)
  shown(p Place?): >-
    "nowhere" if p is none else p.name ?? "unnamed"
  longest: max(v.end - v.start for v in visits)
  total: sum(v.cost for v in visits if v.cost is not none) + lodging.cost
  asked: (w.place for w in Wish)
  seen_areas: (v.place.area for v in visits)
  late(v visits, than time): v.start > than
  on_day(p Place, ds set of date): any(v.place == p and v.day in ds for v in visits)
  near(p Place, q Place): p.area == q.area and area_of(p) is not none
  halves(n int): n // 2 + n % 2
  costly(v visits): v.cost >= 10 EUR
"""

CONDITIONS = [
    # comparisons and none
    "all(v.start < v.end for v in visits)",
    "all(v.cost != 3 EUR for v in visits)",
    "all(not (v.cost == 3 EUR) for v in visits)",
    "all(not (v.cost < 3 EUR) for v in visits if v.cost is not none)",
    "any(v.cost is none for v in visits)",
    "all(v.place != w.place for v in visits for w in visits if v.start < w.start)",
    "all(09:00 <= v.start <= v.end < 24:00 for v in visits)",
    "all(v.start == v.end == 10:00 for v in visits)",
    "lodging.hotel == Place.bar",
    "lodging.hotel != Place.bar",
    "not (lodging.hotel != Place.bar)",
    "lodging.hotel is none",
    "lodging.hotel is unknown",
    "lodging.hotel is not unknown",
    "all(v.mode == bus or v.mode is none for v in visits)",
    "all(v.mode in {bus, taxi} for v in visits)",
    "all(v.mode not in {bus, taxi} for v in visits)",
    "all(v.place in asked for v in visits)",
    "all(v.day not in wanted for v in visits)",
    "all(v.tags == v.place.tags for v in visits)",
    "all(v.tags != v.place.tags for v in visits)",
    'any(v.tags == {"old", "art"} for v in visits)',
    'any("old" in v.tags for v in visits)',
    "all(v.note not in v.place.tags for v in visits)",
    "any(v.place in e.seen for v in visits for e in extras)",
    'all(contains(v.note, "old") for v in visits)',
    "all(contains(v.place.name, v.note) implies v.fun for v in visits)",
    "all(v.start in 09:00..10:00 for v in visits)",
    "all(v.start not in 09:00..v.end for v in visits)",
    "all(v.start in 09:00..12:00 step 15min for v in visits)",
    "all(v.start not in 09:00..12:00 step 15min for v in visits)",
    "all(v.cost in 0 EUR..e.cost step 30 EUR for v in visits for e in extras)",
    "all(v.place.from <= v.start for v in visits)",
    "all(v.place.open for v in visits)",
    "all(not v.place.hidden for v in visits)",
    "any(v.place.hidden == true for v in visits)",
    "all(v.fun == v.place.open for v in visits)",
    "all(e.fun != e.place.open for e in extras)",
    "all(e.place.open == e.fun for e in extras)",
    "all(v.share * 2 >= v.place.weight for v in visits)",
    "all(0.35 * v.cost <= lodging.cost for v in visits)",
    "all(lodging.cost > v.cost * 1.5 for v in visits)",
    "0.5 * sum(dwell(v) for v in visits) == 0.25 * (lodging.cost // 1 EUR * 1min)",
    # operators
    "all(dwell(v) // 30min >= v.place.stars for v in visits)",
    "all(dwell(v) % 30min == 0 for v in visits)",
    "all(v.cost // lodging.cost * 1 >= 0 for v in visits)",
    "all(ceil_div(v.cost, 2) >= -v.cost for v in visits)",
    "all(day_of_week(v.day) in 1..5 for v in visits if v.day is not none)",
    "count(v for v in visits if day_of_week(v.day + 1) > 3) <= 1",
    "all(ceil_div(v.cost, lodging.cost) <= 3 for v in visits)",
    "all(abs(v.start - v.end) >= 0min for v in visits)",
    "all(min(v.start, v.end, 10:00) == v.start for v in visits)",
    "all(max(v.start, w.end) > min(v.start, w.end) for v in visits for w in visits)",
    "all(max(v.cost ?? 0, 10 EUR) <= 20 EUR for v in visits)",
    "all(v.day + v.start <= 2026-07-02 + 10:00 for v in visits)",
    "all(v.day + 1 in days for v in visits)",
    "all((v.cost if v.fun else lodging.cost) >= 0 for v in visits)",
    "all((v.cost if v.place.hidden else v.place.price) >= 0 for v in visits)",
    "all(v.cost ?? v.place.price ?? lodging.cost ?? 0 >= 0 for v in visits)",
    "all(v.fun implies v.mode == foot implies v.cost == 0 for v in visits)",
    "all(v.fun and v.place.open or not v.fun and any(e.place == v.place for e in extras) for v in visits)",
    "all(v.fun or any(e.place == v.place for e in extras) or any(e.area == v.place.area for e in extras) for v in visits)",
    "all(v.fun and count(e for e in extras) > 1 and sum(e.cost for e in extras) > 0 and v.cost is none for v in visits)",
    "any(v.fun for v in visits) implies any(e.fun for e in extras)",
    "not all(v.fun for v in visits)",
    "total <= budget",
    # lookups
    "all(Slot[v.place, v.start].left >= party for v in visits)",
    "all(Slot[v.place, v.start] is none or Slot[v.place, v.start].until >= v.end for v in visits)",
    "all(Slot[v.place].left >= 0 for v in visits)",
    "all(Leg[a.place, b.place, b.mode].time <= 20min for a in visits for b in visits)",
    "all(Leg[a.place, b.place, b.mode].cost ?? 1 EUR <= 3 EUR for a in visits for b in visits if a.start < b.start)",
    "visits[museum, 2026-07-01].start == 09:00",
    "visits[museum].start == 09:00",
    "visits[museum].start != 09:00",
    "all(moves[v.place, v.day].arrive <= v.start for v in visits)",
    "all(move_to(v).origin != v.place and move_to(v).arrive <= v.start and move_to(v).mode != taxi for v in visits)",
    "all(visits[e.place].start is none for e in extras)",
    'Place["Old Museum"] is none',
    # aggregates
    "any(true for v in visits if v.place == Place.museum)",
    "any(true for v in visits)",
    "any(v.fun and v.place == e.place for v in visits for e in extras)",
    "any(s.place == v.place and s.at == v.start and s.left > 0 for v in visits for s in Slot)",
    "count(v for v in visits) == 2",
    "count(v for v in visits for w in visits if v.start == w.start) == count(v for v in visits)",
    "count(e for v in visits for e in extras if e.place == v.place) <= 2",
    "count(a for a in Area if any(v.place.area == a for v in visits)) == 2",
    "count(t for v in visits for t in v.tags) <= 3",
    "count(d for d in days if any(v.day == d for v in visits)) == 2",
    "count(k for k in 1..5 if k < count(v for v in visits)) >= 2",
    "count(m for m in Mode if any(v.mode == m for v in visits)) >= 2",
    "sum(v.cost for v in visits) <= 20 EUR",
    "sum(v.cost ?? 0 for v in visits) <= 20 EUR",
    "sum(v.share for v in visits) == 1.5",
    "sum(s.left for v in visits for s in Slot if s.place == v.place and s.at == v.start) >= 2",
    "min(v.start for v in visits) == 09:00",
    "max(v.cost for v in visits) <= 12.50 EUR",
    "max(v.cost for v in visits) is none",
    "min(v.share for v in visits) < max(v.share for v in visits)",
    "all_different(v.place for v in visits)",
    "all_different(v.cost for v in visits)",
    "all_different(v.tags for v in visits)",
    "all_different(v.place for v in visits if v.fun)",
    "the(v for v in visits).start == 09:00",
    "the(v for v in visits if v.place == Place.park).cost is none",
    "the(v.cost for v in visits if v.fun) >= 0",
    "the(s for s in Slot if s.place == first_of(days_first).place).left > 0",
    "first(v for v in visits, by=v.start).place == Place.museum",
    "first(v for v in visits, by=v.cost).cost >= 0",
    "last(v.cost for v in visits if v.fun, by=v.end) >= 0",
    "last(e for e in extras, by=e.cost) is none",
    "first(v for v in visits, by=v.share).share <= 1",
    "Place.museum in (v.place for v in visits)",
    "seen_areas == (a for a in Area)",
    "lodging.hotel in {Place.bar, first_of(days_first).place}",
    # intervals and pairs of neighbours
    "no_overlap(v for v in visits, from=v.day + v.start, to=v.day + v.end)",
    "no_overlap(v for v in visits if v.fun, from=v.start, to=v.start + 1h, gap=30min, per=v.day)",
    "no_overlap(v for v in visits, from=v.day, to=v.day + 1, gap=v.place.stars, per=v.tags)",
    "no_overlap(v for v in visits for e in extras if e.place == v.place, from=v.start, to=v.end, per=e.place)",
    "no_overlap(v for v in visits, from=v.cost // 1 EUR, to=v.place.stars)",
    "peak(1 for v in visits, from=v.day + v.start, to=v.day + v.end) <= 1",
    "peak(v.place.stars for v in visits, from=v.start, to=v.end, per=v.day) <= 3",
    "peak(v.cost for v in visits if v.fun, from=v.day, to=v.day + 2) <= lodging.cost",
    "peak(1 for v in visits, from=v.start, to=v.start + 1h, per=v.tags) >= 2",
    "all(b.start >= a.end for a, b in steps(v for v in visits, by=v.start))",
    "all(b.start >= a.end for a, b in steps(v for v in visits if v.day in days, by=v.start, per=v.day))",
    "all(b.start >= a.end + ride(a.place, b.place, b.mode ?? foot) for a, b in steps(v for v in visits, by=v.start, per=v.day))",
    "all(a.cost <= b.cost for a, b in steps(v for v in visits, by=v.cost))",
    "count(a for a, b in steps(v for v in visits, by=v.start)) == 1",
    "any(true for a, b in steps(v.place for v in visits, by=v.end) if a == b)",
    "all(a != b for a, b in steps(v.mode for v in visits, by=v.end))",
    "all(any(v.day == a and w.day == b and v.start < w.start for v in visits for w in visits) for a, b in steps(d for d in days))",
    "count(a for a, b in steps(v for v in visits, by=v.start, per=v.tags)) <= 1",
    "the(a for a, b in steps(v for v in visits, by=v.start)).fun",
    # definitions
    "longest <= 90min",
    "total <= 20 EUR",
    "all(lead(v.place) <= 5min for v in visits)",
    "all(lead(e.place) <= 5min for e in extras)",
    "all(booked(v.place) for v in visits)",
    "all(not booked(e.place) for e in extras)",
    'all(shown(e.place) == "nowhere" for e in extras)',
    "all(shown(e.place) != v.note for e in extras for v in visits)",
    "all(near(v.place, lodging.hotel) for v in visits)",
    "all(near(a.place, b.place) implies late(b, a.start) for a in visits for b in visits)",
    "all(not late(first_of(d), 10:00) for d in days)",
    "all(first_of(d).end <= last_of(d).start and first_of(d).place == last_of(d).place or first_of(d).fun for d in days)",
    "all(halves(e.place.stars) >= 2 for e in extras)",
    "all(area_of(e.place) == e.area for e in extras)",
    "all(on_day(w.place, days) for w in Wish)",
    "all(costly(v) or not costly(move_v) for v in visits for move_v in visits)",
    "all(v.cost + total >= longest // 1min * 1 EUR for v in visits)",
    "all(any(any(v.start == w.start and e.place == w.place for e in extras) for w in visits) for v in visits)",
]

RULES = """
  slot:
    for: w in Wish
    hard: all(Slot[v.place, v.start].left >= party for v in visits if v.place == w.place)
  dwell:
    for: w in Wish
    hard: all(dwell(v) <= w.most for v in visits if v.place == w.place)
  present:
    for: w in Wish if not w.strict
    hard: any(true for v in visits if v.place == w.place)
  mode:
    for: w in Wish
    when: w.mode is not none
    hard: all(v.mode == w.mode for v in visits if v.place == w.place and v.fun)
  twice:
    for: w in Wish for d in days
    hard: count(v for v in visits if v.place == w.place and v.day == d) <= 1
  by-day:
    for: d in days
    hard: first_of(d).start >= 09:00 and (last_of(d).end <= 12:00 or move_to(last_of(d)).mode == taxi)
  areas:
    for: w in Wish
    hard: any(v.place.area == w.place.area for v in visits) implies booked(w.place) or lead(w.place) > 5min
  called:
    for: w in Wish
    hard: on_day(w.place, days) or near(w.place, lodging.hotel)
  optional:
    for: w in Wish
    hard: all(v.start + (w.most ?? 30min) <= v.end or w.strict for v in visits)
  fixed:
    for: w in Wish
    hard: w.most <= 90min or w.strict
  filtered:
    for: w in Wish
    hard: all(any(s.left >= 1 for s in Slot if s.place == w.place and s.at >= v.start) for v in visits if v.place == w.place)
  legs:
    for: w in Wish
    hard: all(any(g.time <= dwell(v) for g in Leg if g.origin == w.place and g.to == v.place and g.mode != taxi) for v in visits)
  nested:
    for: w in Wish
    hard: all(any(e.place == v.place and e.area == w.place.area for e in extras) or sum(m.cost for m in moves) > 1 EUR for v in visits)
  lookup:
    for: w in Wish
    hard: visits[w.place].end - visits[w.place].start <= w.most
  chosen:
    for: w in Wish
    hard: w.place in (v.place for v in visits) and (w.most if w.strict else longest) >= 60min
"""

VALUES = [
    "sum(v.cost for v in visits)",
    "min(v.share for v in visits)",
    "total",
    "longest",
    "party * 2",
    "(v.place for v in visits)",
    "seen_areas",
    "asked",
    "first_of(days_first).place",
    "(t for v in visits for t in v.tags)",
    "(a.place for a, b in steps(v for v in visits, by=v.start, per=v.day))",
    "total ?? 3 EUR",
    "the(v for v in visits).note",
    "1.5 * 2 * sum(v.share for v in visits)",
    "lodging.hotel",
    "lodging",
    "count(v for v in visits) if total is none else 0",
    "any(v.fun for v in visits)",
    "2026-07-01 + first_of(days_first).start",
]


def rich_task() -> Task:
    """Return a task that has each of `CONDITIONS` as a constraint and each of `VALUES` as a measure."""
    text = HEAD + "  days_first: 2026-07-01\n"
    text += "".join(f"  value_{at}: {_block(each)}" for at, each in enumerate(VALUES))
    text += "constraints:" + RULES
    text += "".join(f"  c{at}:\n    hard: {_block(each)}" for at, each in enumerate(CONDITIONS))
    return task_from_text(text + f"measures: [{', '.join(f'value_{at}' for at in range(len(VALUES)))}]\n")


def _block(expression: str) -> str:
    return f">-\n      {expression}\n"
