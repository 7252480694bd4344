"""Texts of random tasks with small worlds, scopes and well-typed constraints."""

from __future__ import annotations

from functools import cache
from random import Random

from hypothesis import strategies as st

from tests.differential.grammar import Choose, ExpressionWriter

HEAD = """\
planspec: task/1
id: drawn
query: drawn by a machine
currency: EUR
types:
  Colour: red | green | blue
tables:
  Item:
    columns:
      size: int
      colour: Colour
      mate: Item?
      tags: set of Colour
      at: time
      price: money?
      heavy: bool = false
      weight: decimal = 0.5
      label: text?
      rest: time?
      lucky: set of int = {{}}
    rows:
{items}
  Fact:
    columns: {{item: key Item, n: key int, worth: duration?, tone: Colour, from: moment?}}
    rows:
{facts}
  Spare:
    columns: {{item: Item?, far: distance?}}
    rows:
      - {{item: a, far: 800m}}
      - {{item: b, far: 1.5km}}
      - {{item: none, far: 800m}}
      - {{item: a, far: none}}
given:
  limit: 2
  zero: 0
  back: -1
  cap: 3.00 EUR
  noon: 12:00
  half: 0.5
  away: 2km
  keen: true
  still: 0min
  counts: [0, 2, 0, -1]
  wanted: [1, 0, 1]
  turned: [0, 1, 1]
  days: [2026-07-01, 2026-07-02]
plan:
  picks:
    slot: key int
    item: Item
    other: Item?
    start: time
    n: int
    hue: Colour?
    marks: set of Colour = {{}}
    done: bool = false
    part: decimal = 0.5
    day: date = 2026-07-01
  moves: {{from: Item?, at: moment?, far: distance = 1km}}
  note: {{one: true, flag: bool, level: int?, until: time}}
define:
  liked: {{Colour.red, Colour.blue}}
  longest: max(i.size for i in Item)
  early: 00:00 - 30min
  none_long: min(f.worth for f in Fact if f.n > 99)
  hues: (p.hue for p in picks)
  late(p picks): p.start > noon
  worth(i Item, k int): Fact[i, k].worth ?? 10min
  partner(i Item): i.mate
  tagged(i Item): i.tags
  shades(i Item): >-
    {{i.colour, Colour.blue}}
  cheap(m money): picks[1].n >= 0
  alike(k int, other Item?): picks[1].n == k or other is none
  some_item(i Item?): i ?? Item.a
  shift(a time, by duration?): a + (by ?? 5min)
  after(a time): any(p.start > a for p in picks)
  before(a time): not any(p.start > a for p in picks)
  second(a time, b int): b
  kin(a Item, b Item?): a.mate == b or b is none
  known(i Item?): i is not none
"""

INDENT = "      "


def world_text(choose: Choose) -> str:
    """Return the first part of a task's text, which has tables with a few rows."""
    ids = ["a", "b", "c"][: int(choose(["2", "3"]))]
    colours = ["red", "green", "blue"]
    items: list[str] = []
    facts: list[str] = []
    for i in ids:
        cells = {
            "id": i,
            "size": choose(["-2", "-1", "0", "1", "2", "3"]),
            "colour": choose(colours),
            "mate": choose(["none", *ids]),
            "tags": choose(["[]", "[red]", "[blue]", "[red, green]", "[green, blue]"]),
            "at": choose(["'09:00'", "'12:00'", "'25:30'"]),
            "price": choose(["none", "1.50 EUR", "2.00 EUR", "0.75 EUR"]),
            "heavy": choose(["true", "false"]),
            "weight": choose(["0.5", "2", "-0.25"]),
            "label": choose(["none", "a mill", "old"]),
            "rest": choose(["none", "none", "'01:00'"]),
            "lucky": choose(["[]", "[2]", "[0, 1]"]),
        }
        items.append(_row_text(cells))
        facts.extend(_fact_row(choose, i, n) for n in range(3) if choose(["yes", "no"]) == "yes")
    return HEAD.format(items="\n".join(items), facts="\n".join(facts) or f"{INDENT}[]")


def _fact_row(choose: Choose, item: str, n: int) -> str:
    """Return the text of a row of facts."""
    cells = {
        "item": item,
        "n": str(n),
        "worth": choose(["none", "30min", "2h", "0min"]),
        "tone": choose(["red", "green", "blue"]),
        "from": choose(["none", "2026-07-01 09:00", "2026-07-02 12:00"]),
    }
    return _row_text(cells)


def _row_text(cells: dict[str, str]) -> str:
    """Return the text of a row with these cells."""
    return f"{INDENT}- {{{', '.join(f'{name}: {cell}' for name, cell in cells.items())}}}"


PICK = {
    "item": (["a", "b"], ["Item", "{a, b}", "(i for i in Item if i.size > -2 or i.size <= -2)"]),
    "other": (["none", "none", "a"], ["({a, b})?", "(a)?", "Item"]),
    "start": (
        ["09:00", "12:00", "25:30"],
        ["{09:00, 12:30}", "12:00..13:00 step 30min", "{12:00, 25:00}", "({early + 30min, 24:30})"],
    ),
    "n": (["0", "1"], ["1..2", "{-1, 2}", "0..limit step limit"]),
    "hue": (["none", "red"], ["({red, blue})?", "(red)?", "Colour"]),
    "marks": (["{}", "{red}", "Item.a.tags", "{red, green}"], ["{blue}"]),
    "done": (["false", "true"], ["{true, false}"]),
    "part": (["0.5", "1"], ["({0.5, 1.5})"]),
    "day": (["2026-07-01", "2026-07-02"], ["days"]),
}
"""For each field of a pick, constants and open domains from which the scope draws."""


def scope_text(choose: Choose) -> str:
    """Return the text of a scope with two or three picks, perhaps moves, and a note.

    Most scopes have a few hundred plans.
    """
    lines = ["scope:", "  picks:"]
    for slot in range(1, int(choose(["2", "2", "3"])) + 1):
        open_fields = {choose(list(PICK)), choose(list(PICK))}
        fields = {name: choose(PICK[name][name in open_fields]) for name in PICK}
        lines += _entry_lines(
            {
                "slot": choose([str(slot), str(slot), str(slot), "1..2"]),
                **fields,
                "optional": choose(["true", "false", "false"]),
            }
        )
    if choose(["moves", "no"]) == "moves":
        lines.append("  moves:")
        for _ in range(int(choose(["1", "1", "2"]))):
            lines += _entry_lines(
                {
                    "from": choose(["a", "none", "Item?"]),
                    "at": choose(["none", "(2026-07-01 + 09:00)", "({2026-07-01 + 25:00})?"]),
                    "far": choose(["1km", "1km", "1km..2km step 500m"]),
                    "optional": choose(["true", "false"]),
                }
            )
    note = (
        choose(["flag: {true, false}", "flag: true"]),
        choose(["level: none", "level: 1", "level: (0..1)?"]),
    )
    until = choose(["until: 12:00", "until: 12:00", "until: ({09:00, 24:30})"])
    return "\n".join([*lines, "  note:", *(f"    {each}" for each in (*note, until))]) + "\n"


def _entry_lines(fields: dict[str, str]) -> list[str]:
    """Return the lines of an entry of the scope."""
    return [f"    {'  ' if i else '- '}{name}: {domain}" for i, (name, domain) in enumerate(fields.items())]


def constraint_text(choose: Choose, name: str, depth: int, level: str = "hard") -> str:
    """Return the text of a constraint, which may have `for:`, `when:` or `weight:`."""
    writer = ExpressionWriter(choose)
    ranges = choose(["", "", "", "", "x in Item", "x in 0..2", "x in Item if x.size > 0", "f in Fact for y in liked"])
    reach = {
        "": {},
        "x in I": {"Item": ["x"]},
        "x in 0": {"int": ["x"]},
        "f in F": {"Fact": ["f"], "colour": ["y"]},
    }[ranges[:6]]
    lines = [f"  {name}:", f"    for: {ranges}"] if ranges else [f"  {name}:"]
    lines += choose(
        ["", "", "", "    when: limit > 2", "    when: keen", "    when: Item.b.rest is not none"]
    ).splitlines()
    lines += [f"    {level}: >-", f"      {writer.expression('bool', depth, reach)}"]
    if level == "soft":
        lines += choose(["", "    weight: 3", "    weight: max(Item.a.size, 0)"]).splitlines()
    return "\n".join(lines) + "\n"


def objective_text(choose: Choose, depth: int = 2) -> str:
    """Return the text of up to two objectives, which may be *none* on some plans or on all."""
    if choose(["objective", "none"]) == "none":
        return ""
    directions = [choose(["minimize", "maximize"])]
    kinds = ["int", "int", "duration", "money", "decimal", "distance"]
    expressions = [ExpressionWriter(choose).expression(choose(kinds), depth)]
    if choose(["one", "two"]) == "two":
        directions.append(choose(["minimize", "maximize"]))
        expressions.append(ExpressionWriter(choose).expression(choose(kinds), 1))
    if len(set(directions)) < len(directions):
        return f"{directions[0]}:\n" + "".join(f"  - >-\n    {expression}\n" for expression in expressions)
    return "".join(
        f"{direction}: >-\n  {expression}\n" for direction, expression in zip(directions, expressions, strict=True)
    )


def task_text(choose: Choose, depth: int = 3) -> str:
    """Return the text of a task with one to three constraints."""
    count = int(choose(["1", "2", "3"]))
    levels = ["hard", *(choose(["hard", "soft"]) for _ in range(count - 1))]
    depths = [str(each) for each in range(1, depth + 1)]
    rules = [constraint_text(choose, f"c{i}", int(choose(depths)), level) for i, level in enumerate(levels)]
    return world_text(choose) + scope_text(choose) + "constraints:\n" + "".join(rules) + objective_text(choose)


def hard_task_text(choose: Choose, min_count: int, max_count: int) -> str:
    """Return the text of a task with `min_count` to `max_count` constraints, all hard."""
    count = int(choose([str(each) for each in range(min_count, max_count + 1)]))
    rules = [constraint_text(choose, f"c{i}", int(choose(["1", "2"]))) for i in range(count)]
    return world_text(choose) + scope_text(choose) + "constraints:\n" + "".join(rules)


def seeded_choice(seed: int) -> Choose:
    """Return a function whose choices are determined by a seed."""
    return Random(seed).choice


@st.composite
def choices(draw: st.DrawFn) -> Choose:
    """Draw a function whose choices are made, and simplified on a failure, by Hypothesis."""
    return lambda options: draw(_one_of(tuple(options)))


@cache
def _one_of(options: tuple[str, ...]) -> st.SearchStrategy[str]:
    """Return a strategy for some options.

    It is cached because creating it takes longer than drawing from it.
    """
    return st.sampled_from(options)


@st.composite
def tasks(draw: st.DrawFn, depth: int = 3) -> str:
    """Draw the text of a task."""
    return task_text(draw(choices()), depth)
