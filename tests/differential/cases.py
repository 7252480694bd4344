"""Conditions written by hand, at least one for each builtin and for each rule about *none*."""

from __future__ import annotations

from collections.abc import Mapping

from tests.differential.programs import HEAD
from tests.scalar_builtins import SCALAR_BUILTINS

ITEMS = """\
      - {id: a, size: 2, colour: red, mate: b, tags: [red, green], at: '09:00', price: 1.50 EUR}
      - {id: b, size: -1, colour: green, mate: none, tags: [], at: '12:00', price: none, heavy: true}
      - {id: c, size: 3, colour: blue, mate: c, tags: [blue], at: '25:30', price: 0.75 EUR}"""
FACTS = """\
      - {item: a, n: 0, worth: 30min, tone: red}
      - {item: a, n: 1, worth: none, tone: blue}
      - {item: b, n: 2, worth: 2h, tone: green}
      - {item: c, n: 1, worth: 0min, tone: blue}"""
SCOPE = """\
scope:
  picks:
    - {slot: 1, item: Item, other: none, start: 12:00, n: 1, hue: red}
    - slot: 2
      item: ({a, b})
      other: ({b})?
      start: ({12:00, 25:00})
      n: -1
      hue: ({red})?
      optional: true
    - slot: ({1, 3})
      item: b
      other: none
      start: ({09:00, 12:00})
      n: ({0, 2})
      hue: none
      optional: true
  note: {flag: true, level: none, until: 24:30}
"""

BUILTIN_CASES: dict[str, list[str]] = {
    "all": [
        "all(p.n >= 0 for p in picks)",
        "all(p.other.size > 0 for p in picks)",
        "all(p.n > 0 for p in picks if p.hue == red)",
        "all(p.n > q.n for p in picks for q in picks if p != q)",
        "all(p.n >= q.n for p in picks if p.hue == red for q in picks if p != q)",
        "all(f.n <= g.n for f in Fact if f.item == a for g in Fact if g.item == f.item and g.n == f.n + picks[1].n)",
    ],
    "any": [
        "any(p.item == b for p in picks)",
        "any(p.other == Item.b for p in picks)",
        "any(p.start < q.start for p in picks for q in picks)",
        "any(i.size == p.n for i in Item for p in picks)",
        "any(i.size == p.n for i in Item if i.mate is not none for p in picks)",
    ],
    "count": [
        "count(p for p in picks) == 2",
        "count(p for p in picks if p.item == a) >= 1",
        "count(p for p in picks if not (p.other.size > 0)) > 1",
        "count(i for i in Item if any(p.item == i for p in picks)) == 2",
        "count(p for p in picks if p.n >= 0 for i in Item if i.size > p.n for f in Fact if f.item == i) > 1",
    ],
    "sum": [
        "sum(p.n for p in picks) == 1",
        "sum(p.item.price for p in picks) <= 3.00 EUR",
        "sum(p.item.price ?? 1.00 EUR for p in picks) <= 3.00 EUR",
        "sum(p.other.size for p in picks if p.other is not none) > 0",
        "sum(p.n for p in picks if p.n > 5) == 0",
        "sum(f.n for p in picks if p.hue is none for f in Fact if f.item == p.item) == 2",
    ],
    "min": [
        "min(p.start for p in picks) >= 12:00",
        "min(p.n for p in picks if p.n > 5) == 0",
        "min(picks[2].n, 0) == -1",
        "min(p.item.size for p in picks) < 0",
        "min(picks[1].start, picks[2].start) == 12:00",
    ],
    "max": [
        "max(p.start for p in picks) <= 12:30",
        "max(p.item.size for p in picks if p.hue is not none) == 2",
        "max(picks[2].n, 0 - 1, 0) >= 0",
        "max(p.other.size for p in picks) > 0",
    ],
    "all_different": [
        "all_different(p.item for p in picks)",
        "all_different(p.hue for p in picks)",
        "all_different(p.start for p in picks if p.n >= 0)",
        "all_different(p.hue for p in picks if p.hue is not none)",
    ],
    "no_overlap": [
        "no_overlap(p for p in picks, from=p.start, to=p.start + 1h)",
        "no_overlap(p for p in picks, from=p.start, to=p.start)",
        "no_overlap(p for p in picks, from=p.start, to=p.start + 3h, per=p.item)",
        "no_overlap(p for p in picks, from=p.start, to=p.start + 2h, gap=1h, per=p.hue)",
        "no_overlap(p for p in picks if p.n >= 0, from=p.n, to=p.n + p.item.size)",
        "no_overlap(p for p in picks, from=p.slot, to=p.slot + 1, gap=p.n)",
        "no_overlap(p for p in picks, from=p.n, to=p.other.size)",
        "no_overlap(p for p in picks, from=p.other.size, to=p.other.size + p.slot)",
        "no_overlap(p for p in picks, from=p.slot, to=p.slot, gap=p.other.size)",
        "no_overlap(p for p in picks for i in Item if i.size > p.n, from=p.start, to=i.at, per=i)",
        "no_overlap(f for f in Fact, from=picks[1].n, to=f.n)",
        "no_overlap(p for p in picks, from=2026-07-01 + p.start, to=2026-07-02 + p.item.at, per=p.item.tags)",
    ],
    "peak": [
        "peak(1 for p in picks, from=p.start, to=p.start + 1h) <= 1",
        "peak(p.n for p in picks, from=p.slot, to=p.slot + 2) <= 1",
        "2 > peak(p.n for p in picks, from=p.slot, to=p.slot + 2)",
        "peak(p.n for p in picks, from=p.n, to=p.n + p.item.size) >= 1",
        "peak(p.item.price for p in picks, from=p.start, to=p.start + 4h, per=p.item) < 1.50 EUR",
        "peak(p.item.size ?? 0 for p in picks, from=p.slot, to=3) == 0",
        "peak(1 for p in picks, from=p.start, to=p.other.at) <= 2",
        "peak(1 for p in picks, from=p.other.size, to=p.other.size + p.slot) <= 0",
        "peak(p.other.size for p in picks, from=p.slot, to=p.slot + 1) <= 5",
        "peak(2 for p in picks if p.hue is none, from=p.start, to=p.start + 13h, per=p.item.tags) <= picks[1].item.size",
        "peak(1 for p in picks, from=p.start, to=p.start + 1h) <= peak(p.n for p in picks, from=0, to=1)",
        "peak(0.5 * p.n for p in picks, from=p.slot, to=p.slot + 2) <= 0.5",
    ],
    "the": [
        "the(p for p in picks if p.n >= 0).item == a",
        "the(p for p in picks).slot == 1",
        "the(p.n for p in picks if p.hue == red) > 0",
    ],
    "first": [
        "first(p for p in picks, by=p.start).item == b",
        "first(p for p in picks if p.n < 2, by=p.n).slot == 2",
        "first(p.item for p in picks, by=p.other.size) == b",
        "(first(p.item for p in picks, by=p.start).size ?? 1) + (last(p.n for p in picks, by=p.n) ?? 5) == 4",
        "(first(p.other for p in picks, by=p.n).size ?? last(p for p in picks, by=p.slot).n) - first(p.n for p in picks, by=p.slot) >= 1",
        "first(p for p in picks, by=p.start).start - last(p for p in picks, by=p.n).start >= 0min",
    ],
    "last": [
        "last(p for p in picks, by=p.start).n == 1",
        "last(p for p in picks, by=p.n).item == c",
        "last(p for p in picks if p.hue == blue, by=p.start).item == a",
    ],
    "steps": [
        "all(p.item != q.item for p, q in steps(x for x in picks, by=x.start))",
        "all(p.n <= q.n for p, q in steps(x for x in picks, by=x.start))",
        "any(q.start - p.start > 60min for p, q in steps(x for x in picks, by=x.start))",
        "all(p.n < q.n for p, q in steps(x for x in picks, by=x.start, per=x.item))",
        "count(p for p, q in steps(x for x in picks if x.n >= 0, by=x.n)) == 1",
        "all(p.n != q.n for p, q in steps(x for x in picks, by=x.start, per=x.hue))",
        "any(p.n > q.n for p, q in steps(x for x in picks, by=x.other.size))",
    ],
    **{name: list(row.conditions) for name, row in SCALAR_BUILTINS.items()},
}

OTHER_CASES = [
    # negative dividends, divisors that are not positive
    "sum(p.n - 2 for p in picks) // 2 == -2",
    "(picks[2].n * 3) // 2 == -2",
    "(picks[2].n * 3) % 2 == 1",
    "limit // picks[3].n == 1",
    "limit % (picks[2].n + 1) == 0",
    "sum(p.n - 2 for p in picks) % 3 == 0",
    # *none* makes the nearest enclosing Boolean false
    "picks[3].n > 0",
    "not (picks[3].n > 0)",
    "picks[3].n != 2",
    "not (picks[3].n != 2)",
    "picks[2].other == Item.b",
    "picks[2].other != Item.b",
    "(picks[2].other == Item.b) == (picks[3].n == 0)",
    "picks[2].other.mate is none",
    "picks[2].other is not none implies picks[2].other.size > 0",
    "(picks[3].n ?? 7) == 7",
    "picks[2].other.mate == Item.c",
    "(picks[2].hue ?? Colour.green) != red",
    "0 < picks[3].n <= 2",
    "picks[3].n in 1..2",
    "picks[3].n not in 1..2",
    "picks[2].hue in liked",
    "picks[2].hue not in liked",
    "picks[2].item.colour in picks[1].item.tags",
    "picks[2].hue not in picks[1].item.tags",
    "picks[2].other is none",
    "late(picks[2])",
    "not late(picks[2])",
    # times past midnight, grids, and moments in a table that is looked up by keys that depend on the plan
    "picks[2].start == 25:00",
    "picks[2].start in 12:00..25:00 step 30min",
    "picks[1].item.at + 30min <= picks[2].start",
    "Fact[picks[1].item, picks[1].n].worth ?? 5min <= 30min",
    "Fact[picks[1].item, picks[3].n].tone == blue",
    "worth(picks[1].item, picks[3].n) >= 30min",
    "(picks[1].item if picks[3].n == 0 else picks[2].item).size > 0",
    "partner(picks[1].item) == picks[2].item",
    "picks[1].item == picks[2].item",
    "picks[1].item != picks[2].other",
    "2 * sum(p.n for p in picks) <= 3",
    "1.5 * (picks[2].item.price ?? 0 EUR) <= 2.00 EUR",
    "picks[1].n * picks[3].n == 2",
    "(sum(p.n for p in picks) if picks[3] is none else 5) > 0",
    "picks[picks[3].n].item == a",
    "picks[2].start - picks[3].start < 3h",
    "sum(p.n for p in picks) != 1",
    "picks[3].n != picks[2].n + 1",
    "picks[2].start != picks[3].start + 3h",
    "picks[2].item.heavy",
    "not picks[2].other.heavy",
    "picks[3].n == picks[2].n + 1",
    "note.flag",
    "note.level is none",
    "all(p.slot <= 2 for p in picks)",
    "picks[1].slot == 1",
    # rows of a table selected by equality of one or two columns, with values that depend on the plan, with none
    "count(f for f in Fact if f.tone == blue) == count(p for p in picks)",
    "any(f.n == 1 and f.item == c for p in picks for f in Fact if f.tone == blue and p.slot == 2)",
    "sum(f.n for p in picks for f in Fact if f.item == p.item) == 3",
    "all(f.n < p.n for p in picks for f in Fact if p.hue == f.tone)",
    "any(f.worth == 0min for p in picks for f in Fact if f.item == p.item and f.n == p.n)",
    "count(i for p in picks for i in Item if i.mate == p.other) >= 1",
    "count(f for p in picks for f in Fact if f.tone in liked and f.item == p.item) == 2",
    "sum(f.n for p in picks for f in Fact if f.tone in p.item.tags) >= 2",
    "any(f.worth is none for p in picks for f in Fact if f.item in {p.item, p.other} and f.n in {1, p.n})",
    "count(f for p in picks for f in Fact if f.worth == Fact[p.item, p.n].worth) == 1",
]

SET_CASES = [
    # sets whose members depend on the plan, compared with literals, lists, set columns, and each other
    "(p.hue for p in picks) == {red}",
    "(p.hue for p in picks) != {red}",
    "{picks[2].hue} == {red}",
    "{picks[2].hue} != {red}",
    "(p.n for p in picks) == wanted",
    "(p.n for p in picks) != wanted",
    "wanted == (p.n for p in picks if p.slot != 2)",
    "picks[2].item.tags == {picks[1].hue, Colour.green}",
    "picks[2].item.tags != {picks[2].hue}",
    "{picks[1].hue} == picks[2].item.tags",
    "picks[1].item.tags == picks[2].item.tags",
    "picks[2].other.tags != picks[1].item.tags",
    "picks[1].item.mate.tags == shades(picks[2].item)",
    "{picks[1].item, picks[2].item} == {Item.a, Item.b}",
    "{picks[1].item, picks[2].item} != {Item.b, Item.c}",
    "{picks[2].item, picks[3].item} == (p.item for p in picks if p.slot > 1)",
    "(p.item for p in picks) == (p.other for p in picks)",
    "(p.start for p in picks) == {12:00, picks[3].start}",
    "(p.n > 0 for p in picks) == {true}",
    "(p for p in picks) == {picks[1], picks[2]}",
    # lists have an order and repetitions; sets have neither
    "(wanted if picks[3].n == 0 else turned) == turned",
    "(wanted if picks[3].n == 0 else turned) != wanted",
    "(wanted if picks[3].n == 0 else turned) == (p.n for p in picks)",
    # membership with a member or a set that is none
    "picks[1].hue not in shades(picks[2].item.mate)",
    "picks[1].hue in shades(picks[1].item.mate)",
    "picks[2].hue not in {picks[2].hue, Colour.green}",
    "Colour.red in {picks[2].hue, picks[1].hue}",
    "shades(picks[2].item.mate) is none",
    "{picks[2].hue} is not none",
    "{picks[2].hue, Colour.red} is none",
    "picks[3].n not in {picks[2].n, 2}",
    "picks[2].item in (p.other for p in picks)",
    "picks[2].other not in (p.item for p in picks)",
    "({picks[2].hue} if picks[2].n < 0 else picks[1].item.tags) == {red}",
    "(picks[3].n > 0) in {picks[2].n < 0, note.flag}",
    # iteration over sets: set columns of chosen rows, sets with the member none, one of two sets
    "all(x != green for x in first(p for p in picks, by=p.n).item.tags)",
    "count(x for x in last(p for p in picks, by=p.start).item.tags) == 2",
    "any(x == blue for x in the(p for p in picks if p.n > 0).item.tags)",
    "count(x for x in picks[1].item.mate.tags) == 0",
    # ranges with a step that is a given and not positive
    "picks[3].n not in 5..9 step zero",
    "picks[3].n in 0..9 step zero",
    "picks[3].n not in 1..9 step limit",
    "not (picks[3].n in 1..9 step zero)",
    "picks[3].n not in 0..picks[2].n",
    "all(x > 0 for x in 0..limit step zero)",
    # arguments that are none on some plans or on all
    "cheap(Item.b.price + 1 EUR * picks[1].n)",
    "not cheap(picks[2].other.price)",
    "alike(Item.b.price // 1 EUR, none)",
    "not alike(Item.b.price // 1 EUR, picks[2].other)",
    "alike(picks[3].n, picks[2].other)",
    "alike(Fact[picks[3].item, picks[3].n].n, Item.a)",
    "late(picks[3]) == late(picks[2])",
    "worth(Item.b.mate, picks[3].n) is none",
    # Boolean columns of rows that may be absent
    "picks[2].other.heavy == false",
    "picks[2].other.heavy == picks[1].item.heavy",
    "picks[2].other.heavy != note.flag",
]

CASES = [body for bodies in BUILTIN_CASES.values() for body in bodies] + OTHER_CASES + SET_CASES


def case_task(body: str, level: str = "hard") -> str:
    """Return the text of a task with one constraint over the fixed world."""
    return cases_task({"c": (level, body)})


def cases_task(constraints: Mapping[str, tuple[str, str]]) -> str:
    """Return the text of a task over the fixed world. `constraints` maps each name to a level and a body."""
    rules = "".join(f"  {name}:\n    {level}: >-\n      {body}\n" for name, (level, body) in constraints.items())
    return f"{HEAD.format(items=ITEMS, facts=FACTS)}{SCOPE}constraints:\n{rules}"
