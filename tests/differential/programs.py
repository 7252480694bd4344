"""Hypothesis writes tasks: small worlds, scopes and well-typed expressions over them, as an author would."""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import strategies as st

HEAD = """\
planspec: task/1
id: drawn
query: drawn by a machine
currency: EUR
types:
  Colour: red | green | blue
tables:
  Item:
    columns: {{size: int, colour: Colour, mate: Item?, tags: set of Colour, at: time, price: money?, heavy: bool = false}}
    rows:
{items}
  Fact:
    columns: {{item: key Item, n: key int, worth: duration?, tone: Colour}}
    rows:
{facts}
given:
  limit: 2
  cap: 3.00 EUR
  noon: 12:00
  zero: 0
  wanted: [1, 0, 1]
  turned: [0, 1, 1]
plan:
  picks: {{slot: key int, item: Item, other: Item?, start: time, n: int, hue: Colour?}}
  note: {{one: true, flag: bool, level: int?, until: time}}
define:
  liked: {{Colour.red, Colour.blue}}
  longest: max(i.size for i in Item)
  late(p picks): p.start > noon
  worth(i Item, k int): Fact[i, k].worth ?? 10min
  partner(i Item): i.mate
  shades(i Item): >-
    {{i.colour, Colour.blue}}
  cheap(m money): picks[1].n >= 0
  alike(k int, other Item?): picks[1].n == k or other is none
"""

INDENT = "      "


@dataclass
class Names:
    """The variables in reach, by type, and how many were made."""

    rows: dict[str, list[str]] = field(default_factory=lambda: {"picks": [], "Item": [], "Fact": []})
    numbers: list[str] = field(default_factory=list)
    colours: list[str] = field(default_factory=list)
    made: int = 0

    def with_row(self, table: str, name: str) -> Names:
        """One more variable over a table's rows."""
        rows = {key: list(value) for key, value in self.rows.items()}
        rows[table].append(name)
        return Names(rows, list(self.numbers), list(self.colours), self.made + 1)

    def with_value(self, kind: str, name: str) -> Names:
        """One more number or colour."""
        made = Names(
            {k: list(v) for k, v in self.rows.items()}, list(self.numbers), list(self.colours), self.made + 1
        )
        (made.numbers if kind == "int" else made.colours).append(name)
        return made

    def fresh(self, prefix: str) -> str:
        """A name that nothing has."""
        return f"{prefix}{self.made}"


Draw = st.DrawFn


def pick(draw: Draw, options: list[str]) -> str:
    """One of several texts."""
    return draw(st.sampled_from(options))


def row(draw: Draw, table: str, names: Names, depth: int) -> str:
    """An expression for a row of a table."""
    options = list(names.rows[table])
    if table == "picks":
        options += ["picks[1]", "picks[2]"]
        if depth > 0:
            condition = boolean(draw, names.with_row("picks", "q9"), 0) if draw(st.booleans()) else "true"
            options += [
                f"first(q9 for q9 in picks if {condition}, by=q9.start)",
                f"last(q9 for q9 in picks if {condition}, by=q9.n)",
                f"the(q9 for q9 in picks if {condition})",
                f"picks[{number(draw, names, 0)}]",
            ]
    elif table == "Item":
        options += ["Item.a", "Item.b", 'Item["zz"]']
        if depth > 0:
            pick_row = row(draw, "picks", names, depth - 1)
            options += [f"{pick_row}.item", f"{pick_row}.other", f"({pick_row}.other ?? Item.a)"]
            options += [
                f"partner({row(draw, 'Item', names, depth - 1)})",
                f"{row(draw, 'Item', names, depth - 1)}.mate",
            ]
            options += [f"the(i9 for i9 in Item if i9.size == {number(draw, names, 0)})"]
            options += [
                f"({row(draw, 'Item', names, 0)} if {boolean(draw, names, 0)} else {row(draw, 'Item', names, 0)})"
            ]
    else:
        options += [f"Fact[{row(draw, 'Item', names, max(0, depth - 1))}, {number(draw, names, 0)}]"]
    return pick(draw, options)


def colour(draw: Draw, names: Names, depth: int) -> str:
    """A colour, perhaps none."""
    options = ["Colour.red", "Colour.green", *names.colours]
    if depth > 0:
        options += [
            f"{row(draw, 'Item', names, depth - 1)}.colour",
            f"{row(draw, 'picks', names, depth - 1)}.hue",
        ]
        options += [
            f"{row(draw, 'Fact', names, depth - 1)}.tone",
            f"({row(draw, 'picks', names, 0)}.hue ?? Colour.blue)",
        ]
    return pick(draw, options)


def number(draw: Draw, names: Names, depth: int) -> str:
    """An int, perhaps none."""
    options = ["0", "1", "2", "-1", "limit", "longest", *names.numbers]
    options += [f"{p}.n" for p in names.rows["picks"]] + [f"{i}.size" for i in names.rows["Item"]]
    if depth > 0:
        a, b = number(draw, names, depth - 1), number(draw, names, depth - 1)
        options += [
            f"({a} + {b})",
            f"({a} - {b})",
            f"({a} * {b})",
            f"-({a})",
            f"abs({a})",
            f"min({a}, {b})",
            f"max({a}, {b})",
        ]
        options += [
            f"({a} // {pick(draw, ['2', '3', 'limit', '-1', '0 + 0'])})",
            f"({a} % {pick(draw, ['2', '3', 'limit'])})",
        ]
        options += [
            f"ceil_div({a}, 2)",
            f"day_of_week(2026-07-01 + {a})",
            f"({a} if {boolean(draw, names, depth - 1)} else {b})",
            "(note.level ?? 7)",
            "note.level",
        ]
        options += [
            f"{row(draw, 'picks', names, depth - 1)}.n",
            f"{row(draw, 'Item', names, depth - 1)}.size",
        ]
        inner = names.with_row("picks", names.fresh("p"))
        variable = inner.rows["picks"][-1]
        where = f" if {boolean(draw, inner, depth - 1)}" if draw(st.booleans()) else ""
        term = number(draw, inner, depth - 1)
        options += [f"{f}({term} for {variable} in picks{where})" for f in ("sum", "min", "max")]
        options += [
            f"count({variable} for {variable} in picks{where})",
            f"(({duration(draw, names, 0)}) // 20min)",
        ]
    return pick(draw, options)


def time(draw: Draw, names: Names, depth: int) -> str:
    """A time, perhaps none."""
    options = ["noon", "09:00", "13:30", "note.until", "picks[1].start"]
    options += [f"{p}.start" for p in names.rows["picks"]] + [f"{i}.at" for i in names.rows["Item"]]
    if depth > 0:
        options += [
            f"({time(draw, names, depth - 1)} + {duration(draw, names, depth - 1)})",
            f"{row(draw, 'Item', names, depth - 1)}.at",
        ]
        options += [
            f"min({time(draw, names, 0)}, {time(draw, names, 0)})",
            "max(p8.start for p8 in picks if p8.n > 0)",
        ]
    return pick(draw, options)


def duration(draw: Draw, names: Names, depth: int) -> str:
    """A duration, perhaps none."""
    options = ["30min", "2h", "0min", f"worth(Item.a, {number(draw, names, 0)})"]
    if depth > 0:
        options += [
            f"({time(draw, names, depth - 1)} - {time(draw, names, depth - 1)})",
            f"{row(draw, 'Fact', names, depth - 1)}.worth",
        ]
        options += [
            f"worth({row(draw, 'Item', names, depth - 1)}, {number(draw, names, depth - 1)})",
            f"(2 * {duration(draw, names, 0)})",
        ]
    return pick(draw, options)


def money(draw: Draw, names: Names, depth: int) -> str:
    """An amount, perhaps none."""
    options = ["cap", "1.50 EUR", f"{row(draw, 'Item', names, depth)}.price"]
    if depth > 0:
        options += [
            f"({money(draw, names, 0)} + {money(draw, names, 0)})",
            "sum(p7.item.price for p7 in picks)",
        ]
        options += ["sum(p7.item.price ?? 0 EUR for p7 in picks)"]
    return pick(draw, options)


def boolean(draw: Draw, names: Names, depth: int) -> str:
    """A condition."""
    op = pick(draw, ["==", "!=", "<", "<=", ">", ">="])
    kind = draw(st.sampled_from([number, number, time, time, duration, money]))
    low = max(0, depth - 1)
    options = [f"{kind(draw, names, low)} {op} {kind(draw, names, low)}"]
    options += [f"{p}.item.heavy" for p in names.rows["picks"]]
    if depth > 0:
        options += _atoms(draw, names, depth)
        a, b = boolean(draw, names, depth - 1), boolean(draw, names, depth - 1)
        options += [f"({a} and {b})", f"({a} or {b})", f"(not ({a}))", f"({a} implies {b})"]
        options += [f"({a} if {b} else {boolean(draw, names, 0)})", f"(({a}) == ({b}))"]
        options += _aggregates(draw, names, depth)
    return pick(draw, options)


def _atoms(draw: Draw, names: Names, depth: int) -> list[str]:
    low = depth - 1
    equals = pick(draw, ["==", "!="])
    options = [f"{colour(draw, names, low)} {equals} {colour(draw, names, low)}"]
    options += [f"{row(draw, 'Item', names, low)} {equals} {row(draw, 'Item', names, low)}"]
    options += [
        f"{colour(draw, names, low)} {pick(draw, ['in', 'not in'])} {pick(draw, ['liked', '{red, green}'])}"
    ]
    options += [f"{colour(draw, names, low)} in {row(draw, 'Item', names, low)}.tags"]
    options += [
        f"{number(draw, names, low)} {pick(draw, ['in', 'not in'])} {number(draw, names, 0)}..{number(draw, names, 0)}"
    ]
    options += [
        f"{time(draw, names, low)} in 09:00..14:00 step 30min",
        f"{number(draw, names, low)} in {{0, 2, 5}}",
    ]
    options += [f"{time(draw, names, 0)} <= {time(draw, names, low)} < {time(draw, names, 0)}"]
    nones = [
        row(draw, "Item", names, low),
        row(draw, "picks", names, low),
        colour(draw, names, low),
        number(draw, names, low),
    ]
    options += [f"({pick(draw, nones)}) is {pick(draw, ['none', 'not none'])}"]
    options += [
        "note.flag",
        f"late({row(draw, 'picks', names, low)})",
        f"1.5 * {money(draw, names, 0)} <= {money(draw, names, low)}",
    ]
    options += ["picks[1].item is unknown", "picks[2].other is not unknown"]
    return options


def _aggregates(draw: Draw, names: Names, depth: int) -> list[str]:
    function = pick(draw, ["all", "any"])
    inner = names.with_row("picks", names.fresh("p"))
    variable = inner.rows["picks"][-1]
    where = f" if {boolean(draw, inner, depth - 1)}" if draw(st.booleans()) else ""
    options = [f"{function}({boolean(draw, inner, depth - 1)} for {variable} in picks{where})"]
    terms = [f"{variable}.item", f"{variable}.n", f"{variable}.hue", f"{variable}.start"]
    options += [f"all_different({pick(draw, terms)} for {variable} in picks{where})"]
    pair = inner.with_row("picks", inner.fresh("p"))
    other = pair.rows["picks"][-1]
    by = pick(draw, ["start", "n"])
    per = pick(draw, ["", ", per=p6.item", ", per=p6.hue"])
    only = pick(draw, ["", " if p6.n > 0", " if p6.hue is not none"])
    body = boolean(draw, pair, depth - 1)
    options += [
        f"{function}({body} for {variable}, {other} in steps(p6 for p6 in picks{only}, by=p6.{by}{per}))"
    ] * 2
    facts = names.with_row("Item", names.fresh("i"))
    item = facts.rows["Item"][-1]
    options += [f"{function}({boolean(draw, facts, depth - 1)} for {item} in Item)"]
    both = inner.with_row("Item", inner.fresh("i"))
    second = both.rows["Item"][-1]
    filters = [f" if {boolean(draw, scope_, 0)}" if draw(st.booleans()) else "" for scope_ in (inner, both)]
    options += [
        f"{function}({boolean(draw, both, depth - 1)} for {variable} in picks{filters[0]} for {second} in Item{filters[1]})"
    ]
    numbers = names.with_value("int", names.fresh("k"))
    options += [f"{function}({boolean(draw, numbers, depth - 1)} for {numbers.numbers[-1]} in 0..2)"]
    return options


@st.composite
def worlds(draw: Draw) -> str:
    """The head of a task: tables with a few rows."""
    ids = ["a", "b", "c"][: draw(st.integers(2, 3))]
    items = []
    for i in ids:
        mate = draw(st.sampled_from(["none", *ids]))
        tags = draw(st.lists(st.sampled_from(["red", "green", "blue"]), unique=True, max_size=2))
        price = draw(st.sampled_from(["none", "1.50 EUR", "2.00 EUR", "0.75 EUR"]))
        at = draw(st.sampled_from(["09:00", "12:00", "25:30"]))
        cells = f"id: {i}, size: {draw(st.integers(-2, 3))}, colour: {draw(st.sampled_from(['red', 'green', 'blue']))}"
        heavy = draw(st.sampled_from(["true", "false"]))
        items.append(
            f"{INDENT}- {{{cells}, mate: {mate}, tags: [{', '.join(tags)}], at: '{at}', price: {price}, heavy: {heavy}}}"
        )
    facts = []
    for i in ids:
        for n in range(3):
            if draw(st.booleans()):
                worth = draw(st.sampled_from(["none", "30min", "2h", "0min"]))
                tone = draw(st.sampled_from(["red", "green", "blue"]))
                facts.append(f"{INDENT}- {{item: {i}, n: {n}, worth: {worth}, tone: {tone}}}")
    return HEAD.format(items="\n".join(items), facts="\n".join(facts) or f"{INDENT}[]")


@st.composite
def scopes(draw: Draw) -> str:
    """A scope of two or three picks and a note, of at most a few thousand plans."""
    lines = ["scope:", "  picks:"]
    for slot in range(1, draw(st.integers(2, 3)) + 1):
        item = draw(
            st.sampled_from(["Item", "{a, b}", "a", "(i for i in Item if i.size > -2 or i.size <= -2)"])
        )
        other = draw(st.sampled_from(["none", "a", "({a, b})?"]))
        start = draw(
            st.sampled_from(["09:00", "{09:00, 12:30}", "12:00..13:00 step 30min", "{12:00, 25:00}"])
        )
        n = draw(st.sampled_from(["0", "1..2", "{-1, 2}", "1"]))
        hue = draw(st.sampled_from(["none", "red", "({red, blue})?"]))
        optional = draw(st.sampled_from(["true", "false", "false"]))
        key = draw(st.sampled_from([str(slot), str(slot), "1..2"]))
        lines.append(
            f"    - slot: {key}\n      item: {item}\n      other: {other}\n      start: {start}\n      n: {n}\n      hue: {hue}\n      optional: {optional}"
        )
    flag = draw(st.sampled_from(["true", "{true, false}"]))
    level = draw(st.sampled_from(["none", "1", "(0..1)?"]))
    lines.append(
        f"  note:\n    flag: {flag}\n    level: {level}\n    until: {draw(st.sampled_from(['12:00', '{09:00, 24:30}']))}"
    )
    return "\n".join(lines) + "\n"


@st.composite
def tasks(draw: Draw, depth: int = 3) -> str:
    """A whole task with one to three constraints."""
    lines = [draw(worlds()), draw(scopes()), "constraints:\n"]
    for i in range(draw(st.integers(1, 3))):
        level = "hard" if i == 0 else draw(st.sampled_from(["hard", "soft"]))
        body = boolean(draw, Names(), draw(st.integers(1, depth)))
        lines.append(f"  c{i}:\n    {level}: >-\n      {body}\n")
    objective = draw(
        st.sampled_from(
            [
                "",
                "minimize: sum(p.n for p in picks) + (note.level ?? 3)\n",
                "maximize: max(p.start for p in picks) - 08:00\n",
            ]
        )
    )
    return "".join(lines) + objective
