"""A request, its right document, and twelve ways to insert a mistake into the document."""

from __future__ import annotations

from tests.planspec.drafting.faulty import Spoiling

QUERY = (
    "The museum for at least ninety minutes and then the park, between 14:00 and 17:00, with at least 15 minutes between"
    " the two. The museum costs 12 euros and the park 10; a guide costs 2 euros at either, and a taxi 5 euros for each way"
    " that I do not walk. It is 800 m to the museum and 1200 m to the park. I can spend 32 euros at most and walk 1500 m"
    " at most. Take a guide at no more than one of them."
)
RIGHT = """\
currency: EUR
types:
  Stop: museum | park
tables:
  Site:
    columns: {stop: key Stop, price: money, way: distance}
    rows:
      - {stop: museum, price: 12 EUR, way: 800m}
      - {stop: park, price: 10 EUR, way: 1200m}
given:
  budget: 32 EUR
  walk: 1500m
  stay: 90min
  gap: 15min
tells:
  budget: I can spend 32 euros at most
  walk: walk 1500 m at most
  stay: at least ninety minutes
  gap: at least 15 minutes between
plan:
  visits: {stop: key Stop, start: time, end: time, guided: bool, onfoot: bool}
define:
  guides: count(v for v in visits if v.guided)
  price(v visits): Site[v.stop].price + (2 EUR if v.guided else 0 EUR) + (0 EUR if v.onfoot else 5 EUR)
scope:
  visits:
    - for: s in Stop
      stop: s
      start: 14:00..17:00 step 15min
      end: 14:00..17:00 step 15min
      guided: ({true, false})
      onfoot: ({true, false})
constraints:
  stays:
    hard: visits[museum].end - visits[museum].start >= stay
  forwards:
    hard: all(v.start <= v.end for v in visits)
  order:
    hard: visits[museum].end + gap <= visits[park].start
  purse:
    hard: sum(price(v) for v in visits) <= budget
  walking:
    hard: sum(Site[v.stop].way for v in visits if v.onfoot) <= walk
  one-guide:
    hard: guides <= 1
"""
SPOILINGS = (
    Spoiling("< for <=", "<= budget", "< budget", ("purse",)),
    Spoiling("a dropped rule", "  order:\n    hard: visits[museum].end + gap <= visits[park].start\n", "", ("order",)),
    Spoiling("a wrong unit", "walk: 1500m\n", "walk: 1500km\n", ("walk",)),
    Spoiling(
        "a condition in count", "count(v for v in visits if v.guided)", "count(v.guided for v in visits)", ("count",)
    ),
    Spoiling("a wrong value", "budget: 32 EUR", "budget: 36 EUR", ("budget",)),
    Spoiling(
        "a swapped name",
        "visits[museum].end + gap <= visits[park].start",
        "visits[park].end + gap <= visits[museum].start",
        ("order",),
    ),
    Spoiling("a missing given", "  gap: 15min\n", "", ("gap",)),
    Spoiling("an invented column", "(0 EUR if v.onfoot", "(v.fee if v.onfoot", ("fee",)),
    Spoiling("a wrong aggregate", "sum(price(v)", "max(price(v)", ("purse",)),
    Spoiling("soft for hard", "  one-guide:\n    hard:", "  one-guide:\n    soft:", ("one-guide",)),
    Spoiling("a wrong scope", "start: 14:00..17:00 step 15min", "start: 14:30..17:00 step 15min", ("scope",)),
    Spoiling(
        "an over-strict rule",
        "  one-guide:",
        "  early:\n    hard: visits[park].end <= 16:30\n  one-guide:",
        ("early",),
    ),
)
