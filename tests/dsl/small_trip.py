"""A correct library, world and task that use most of the language, and mistakes to insert into them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

LIBRARY = """\
planspec: library/1
id: trips
types:
  Mode: foot | bus | taxi
  Meal: lunch | dinner
tables:
  Place:
    kind: text
    opens: time?
    price: money = 0 EUR
    tags: set of text = {}
  Leg: {origin: key Place, to: key Place, mode: key Mode, time: duration, length: distance}
  Wish: {place: key Place, least: duration = 1h}
given:
  trip: list of date
  party: int = 2
  budget: money?
  banned: set of Mode = {}
plan:
  visits: {place: key Place, day: date, start: time, end: time, mode: Mode?, cost: money}
  meals: {day: key date, meal: key Meal, at: Place?}
  lodging: {one: true, hotel: Place, cost: money}
define:
  dwell(v visits): v.end - v.start
  way(a Place, b Place, m Mode?): 0min if a == b else Leg[a, b, m ?? foot].time ?? 2h
  tickets: sum(v.cost for v in visits) * party
  total: tickets + lodging.cost
  rides(v visits): v.mode is not none and v.mode != foot
  ridden: count(v for v in visits if rides(v))
  kept(w Wish):
    is: all(dwell(v) >= w.least for v in visits if v.place == w.place)
    kind: dwell
    message: "{w.place} needs {w.least}, it gets {dwell(v)}"
constraints:
  wished:
    for: w in Wish
    hard: any(v.place == w.place for v in visits)
    kind: wish
    message: "{w.place} was asked for"
  kept:
    for: w in Wish
    hard: kept(w)
  in-order:
    hard: all(b.start >= a.end + way(a.place, b.place, b.mode) for a, b in steps(v for v in visits, by=v.start, per=v.day))
    kind: order
    message: "from {a.place} to {b.place} it takes {way(a.place, b.place, b.mode)}"
  open:
    hard: all(v.start >= (v.place.opens ?? 08:00) for v in visits)
    kind: hours
  affordable:
    when: budget is not none
    hard: total <= 1.1 * budget
    kind: budget
  no-banned:
    for: m in banned
    hard: all(v.mode != m for v in visits if v.mode is not none)
    kind: mode
  eats:
    for: d in trip for m in {lunch, dinner}
    soft: meals[d, m].at is not none
    weight: 3
    kind: meal
measures: [tickets, total, ridden]
"""

WORLD = """\
planspec: world/1
id: oldtown
uses: [trips]
currency: EUR
tables:
  Place:
    rows:
      - {id: museum, name: Old Museum, kind: art, opens: 10:00, price: 12.50 EUR, tags: [old, art]}
      - {id: park, kind: green}
      - {id: adlon, kind: hotel, price: 90 EUR}
  Leg:
    csv: |
      origin, to, mode, time, length
      museum, park, foot, 12min, 850m
      park, museum, foot, 12min, 850m
      museum, park, bus, 5min, 1.2km
"""

TASK = """\
planspec: task/1
id: trip-1
world: oldtown
uses: [trips]
query: Two of us want the museum and then the park.
given:
  trip: [2026-07-01, 2026-07-02]
  budget: 200 EUR
  banned: [taxi]
  late: 20:00
tables:
  Wish:
    - {place: museum, least: 90min}
    - {place: park}
define:
  asked: (w.place for w in Wish)
scope:
  visits:
    - for: w in Wish
      place: w.place
      day: trip
      start: 08:00..20:00 step 10min
      end: 08:00..22:00 step 10min
      mode: (m for m in Mode if m != taxi)?
      cost: w.place.price
  meals:
    - for: d in trip for m in Meal
      day: d
      meal: m
      at: (p for p in asked if p != museum)?
      optional: true
  lodging:
    hotel: adlon
    cost: 0 EUR..200 EUR step 10 EUR
constraints:
  early:
    hard: visits[museum].start in 09:00..12:00
    kind: request
  not-late:
    hard: all(v.end <= late for v in visits)
    kind: request
    message: "{v.place} ends at {v.end}"
  park-last:
    soft: last(v for v in visits, by=v.day + v.start).place == park
    weight: 2
minimize: total
unique: [visits.start]
"""


def _section(text: str, start: str, end: str) -> str:
    """Return the section `start` of a document, up to the section `end`."""
    return text[text.index(f"\n{start}:") + 1 : text.index(f"\n{end}:") + 1]


ONE_FILE = (
    "planspec: task/1\nid: trip-1\nquery: Two of us want the museum and then the park.\ncurrency: EUR\n"
    + _section(LIBRARY, "types", "tables")
    + """\
tables:
  Place:
    columns:
      kind: text
      opens: time?
      price: money = 0 EUR
      tags: set of text = {}
    rows:
      - {id: museum, name: Old Museum, kind: art, opens: 10:00, price: 12.50 EUR, tags: [old, art]}
      - {id: park, kind: green}
      - {id: adlon, kind: hotel, price: 90 EUR}
  Leg:
    columns: {origin: key Place, to: key Place, mode: key Mode, time: duration, length: distance}
    rows:
      - {origin: museum, to: park, mode: foot, time: 12min, length: 850m}
  Wish:
    columns: {place: key Place, least: duration = 1h}
    rows:
      - {place: museum, least: 90min}
      - {place: park}
given:
  trip: [2026-07-01, 2026-07-02]
  party: 2
  budget: 200 EUR
  late: 20:00
"""
    + _section(LIBRARY, "plan", "constraints")
    + "  banned: {taxi}\n  asked: (w.place for w in Wish)\n"
    + _section(TASK, "scope", "constraints")
    + _section(LIBRARY, "constraints", "measures").replace("    when: budget is not none\n", "")
    + _section(TASK, "constraints", "unique").removeprefix("constraints:\n")
    + "unique: [visits.start]\nmeasures: [tickets, total, ridden]\n"
)
"""Library, world and task in one file."""


@dataclass(frozen=True, slots=True)
class Breakage:
    """A mistake in one of the files, and its expected diagnostic.

    Attributes:
        file: name of the file.
        old: correct text.
        new: text with the mistake.
        code: code of the expected diagnostic.
        underlined: text that the diagnostic underlines.
    """

    file: str
    old: str
    new: str
    code: str
    underlined: str

    def hides(self, other: Breakage) -> bool:
        """Return whether another mistake is not reported if this one is present."""
        return (self.new, other.new) in HIDES


BREAKAGES = tuple(
    Breakage(*row)
    for row in (
        (
            "trips.yaml",
            "Meal: lunch | dinner",
            "Meal: lunch | dinner | lunch",
            "PS003",
            "lunch | dinner | lunch",
        ),
        ("trips.yaml", "opens: time?", "opens: tiem?", "PS205", "tiem"),
        ("trips.yaml", "length: distance", "length: set distance", "PS102", "distance"),
        ("trips.yaml", "party: int = 2", "party: int = 2min", "PS303", "2min"),
        ("trips.yaml", "banned: set of Mode", "banned: set of Modus", "PS205", "Modus"),
        (
            "trips.yaml",
            "dwell(v visits): v.end - v.start",
            "dwell(v visits): v.end - v.begin",
            "PS204",
            "begin",
        ),
        ("trips.yaml", "tickets: sum(v.cost", "tickets: sum(v.start", "PS302", "v.start"),
        ("trips.yaml", "tickets + lodging.cost", "tickets + lodging", "PS302", "+"),
        ("trips.yaml", "is: all(dwell(v) >=", "iss: all(dwell(v) >=", "PS009", "iss"),
        ("trips.yaml", "it gets {dwell(v)}", "it gets {dwell(v)", "PS107", "{"),
        ("trips.yaml", "hard: any(v.place == w.place", "hrad: any(v.place == w.place", "PS009", "hrad"),
        ("trips.yaml", "hard: kept(w)", "hard: kept(w, w)", "PS208", "kept(w, w)"),
        ("trips.yaml", "by=v.start, per=v.day", "bye=v.start, by=v.start, per=v.day", "PS213", "bye=v.start"),
        ("trips.yaml", "?? 08:00", "?? 8h", "PS307", "??"),
        ("trips.yaml", "when: budget is not none", "when: total is not none", "PS308", "total is not none"),
        ("trips.yaml", "total <= 1.1 * budget", "total <= 1.1 * budgett", "PS201", "budgett"),
        (
            "trips.yaml",
            "v.mode != m for v in visits if v.mode is not none",
            "not v.mode == m for v in visits",
            "PS309",
            "v.mode == m",
        ),
        ("trips.yaml", "{lunch, dinner}", "{lunch, diner}", "PS201", "diner"),
        ("trips.yaml", "weight: 3", "weight: heavy", "PS201", "heavy"),
        ("trips.yaml", "measures: [tickets, total,", "measures: [tickets, totals,", "PS201", "totals"),
        ("oldtown.yaml", "opens: 10:00", "opens: 10h", "PS016", "10h"),
        ("oldtown.yaml", "id: park, kind", "id: museum, kind", "PS408", "{id: museum, kind: green}"),
        (
            "oldtown.yaml",
            "park, museum, foot, 12min, 850m",
            "park, museum, foot, 12min",
            "PS015",
            "park, museum, foot, 12min",
        ),
        (
            "oldtown.yaml",
            "museum, park, bus, 5min",
            "museum, prak, bus, 5min",
            "PS410",
            "prak",
        ),
        ("oldtown.yaml", "90 EUR", "90 USD", "PS016", "90 USD"),
        ("trip-1.yaml", "query: Two", "queery: Two", "PS009", "queery"),
        ("trip-1.yaml", "2026-07-02]", "2026-07-32]", "PS016", "2026-07-32"),
        ("trip-1.yaml", "budget: 200 EUR", "budgt: 200 EUR", "PS201", "budgt"),
        ("trip-1.yaml", "- {place: park}", "- {place: prak}", "PS410", "prak"),
        ("trip-1.yaml", "asked: (w.place for w in Wish)", "asked: (w.place for w in Wihs)", "PS201", "Wihs"),
        ("trip-1.yaml", "for: w in Wish\n", "for: w in Wish if w\n", "PS304", "w"),
        (
            "trip-1.yaml",
            "start: 08:00..20:00 step 10min",
            "start: 08:00..20h step 10min",
            "PS307",
            "08:00..20h step 10min",
        ),
        ("trip-1.yaml", "end: 08:00..22:00 step 10min", "end: 08:00..22:00 setp 10min", "PS102", "setp"),
        ("trip-1.yaml", "mode: (m for", "mod: (m for", "PS204", "mod"),
        ("trip-1.yaml", "      day: d\n", "", "PS407", "for: d in trip for m in Meal"),
        ("trip-1.yaml", "optional: true", "optional: yes", "PS016", "yes"),
        ("trip-1.yaml", "hotel: adlon", "hotel: adlonn", "PS201", "adlonn"),
        ("trip-1.yaml", "visits[museum]", "visits[musem]", "PS201", "musem"),
        ("trip-1.yaml", "v.end <= late for", "v.end = late for", "PS103", "="),
        ("trip-1.yaml", "{v.place} ends", "{w.place} ends", "PS201", "w"),
        ("trip-1.yaml", "by=v.day + v.start", "by=v.start + v.day", "PS302", "+"),
        ("trip-1.yaml", "minimize: total", "minimize: asked", "PS303", "asked"),
        ("trip-1.yaml", "unique: [visits.start]", "unique: [visits.begin]", "PS204", "visits.begin"),
    )
)

HIDES = {
    ("opens: tiem?", "?? 8h"),
    ("opens: tiem?", "opens: 10h"),
    ("banned: set of Modus", "not v.mode == m for v in visits"),
    ("tickets: sum(v.start", "tickets + lodging"),
    ("tickets: sum(v.start", "when: total is not none"),
    ("tickets + lodging", "when: total is not none"),
    ("id: museum, kind", "museum, prak, bus, 5min"),
    ("id: museum, kind", "- {place: prak}"),
    ("id: museum, kind", "hotel: adlonn"),
    ("id: museum, kind", "visits[musem]"),
    ("asked: (w.place for w in Wihs)", "minimize: asked"),
    ("v.end = late for", "{w.place} ends"),
}
"""Pairs of mistakes, the first of which hides the second: for example, values of an unknown type are not checked."""


def write_trip(folder: Path, breakages: tuple[Breakage, ...] = ()) -> Path:
    """Write the three files with these mistakes, and return the path of the task."""
    texts = {"trips.yaml": LIBRARY, "oldtown.yaml": WORLD, "trip-1.yaml": TASK}
    for breakage in breakages:
        assert texts[breakage.file].count(breakage.old) == 1, breakage
        texts[breakage.file] = texts[breakage.file].replace(breakage.old, breakage.new)
    for name, text in texts.items():
        (folder / name).write_text(text, "utf-8")
    return folder / "trip-1.yaml"
