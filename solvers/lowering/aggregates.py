"""Aggregates, lookups and generators over slots and facts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import gcd
from typing import Any

from planspec.dsl.model import tree as t
from planspec.dsl.model.facts import Facts, hashable, key_of
from planspec.dsl.model.types import Column, ScalarType, SetType, Table
from planspec.dsl.resources.deadline import tick
from planspec.solvers.ir.nodes import FALSE, TRUE, Bool, IntVar
from planspec.solvers.lowering import arithmetic as numbers
from planspec.solvers.lowering import steps as neighbours
from planspec.solvers.lowering.context import LoweringContext, SymbolicEnv
from planspec.solvers.lowering.routes import Element, Ranking, bound
from planspec.solvers.lowering.symbolic import (
    Cases,
    Items,
    Num,
    RowVariables,
    Tab,
    TooManyCellsError,
    Value,
    cases,
    combinations,
    is_concrete,
    joined_vars,
    size_of,
    tab,
)
from planspec.solvers.lowering.tabulated import is_tabular


def bindings(
    low: LoweringContext, clauses: Sequence[t.Clause], env: SymbolicEnv, guard: Bool = TRUE
) -> Iterator[tuple[Bool, SymbolicEnv]]:
    """Every binding that may be, with the condition under which it is."""
    if not clauses:
        yield guard, env
        return
    clause, rest = clauses[0], clauses[1:]
    if isinstance(clause.source, t.Steps):
        source = clause.source
        pairs = neighbours.pairs(low, source, bindings(low, source.clauses, env))
        options: Iterator[tuple[Bool, tuple[Value, ...]]] = ((g, (a, b)) for g, a, b in pairs)
    else:
        options = ((g, (v,)) for g, v in members(low, clause.source, env, clause))
    for present, values in options:
        tick()
        if present is FALSE:
            continue
        inner = {**env, **dict(zip(clause.targets, values, strict=True))}
        here = low.model.conj((guard, present))
        if clause.condition is not None and here is not FALSE:
            here = low.model.conj((here, low.condition(clause.condition, inner)))
        if here is not FALSE:
            yield from bindings(low, rest, inner, here)


def members(
    low: LoweringContext, source: t.Expr, env: SymbolicEnv, clause: t.Clause | None = None
) -> Iterator[tuple[Bool, Value]]:
    """The possible members of a collection, each with its condition."""
    if isinstance(source, t.AllRows) and source.table.plan:
        for slot in low.slots.by_table[source.table.name]:
            yield slot.present, slot
        return
    if isinstance(source, t.AllRows):
        for row in _filtered(low, source.table, clause, env):
            yield TRUE, row
        return
    yield from _members(low, low.value(source, env))


def _members(low: LoweringContext, found: Value) -> Iterator[tuple[Bool, Value]]:
    """The members of a collection's value; a collection that is none has none."""
    match found:
        case None:
            return
        case Items():
            yield from _distinct(low, found)
        case Tab():
            every: dict[Any, None] = {}
            for held in found.values.values():
                every.update(dict.fromkeys(held))
            for value in every:
                yield (
                    low.model.in_table(found.vars, [c for c, held in found.values.items() if value in held]),
                    value,
                )
        case Cases():
            for guard, value in found.cases:
                for present, member in _members(low, value):
                    yield low.model.conj((guard, present)), member
        case _:
            for value in found:
                yield TRUE, value


def _distinct(low: LoweringContext, items: Items) -> Iterator[tuple[Bool, Value]]:
    """A set's members, each once: a later one counts only where no earlier one equals it."""
    before: list[tuple[Bool, Value]] = []
    for guard, value in items.members:
        here = low.model.conj((items.defined, guard, low.algebra.defined(value)))
        same = [low.model.conj((g, low.atoms.equal(v, value))) for g, v in before]
        yield low.model.conj((here, *(low.model.negate(x) for x in same))), value
        before.append((here, value))


def _filtered(low: LoweringContext, table: Table, clause: t.Clause | None, env: SymbolicEnv) -> Sequence[Any]:
    """A static table's rows, by index where the clause's condition asks for equality with known values."""
    facts = low.task.facts[table.name]
    known: dict[Column, Any] = {}
    tabled: tuple[Column, Tab] | None = None
    for each in low.equalities(clause) if clause is not None else ():
        if each.many:
            continue
        value = low.value(each.key, env)
        if is_concrete(value):
            known[each.column] = value
        elif isinstance(value, Tab) and tabled is None:
            tabled = each.column, value
    if known:
        return facts.grouped(tuple(known)).get(key_of(tuple(known.values()), tuple(known)), ())
    if tabled is not None:
        column, values = tabled
        index = facts.grouped((column,))
        wanted = dict.fromkeys(hashable(v) for v in values.values.values())
        return [row for v in wanted for row in index.get(v, ())]
    return facts.rows


def items(low: LoweringContext, expr: t.SetOf | t.AllRows, env: SymbolicEnv) -> Value:
    """A set of planned members."""
    if isinstance(expr, t.AllRows):
        return Items(tuple(members(low, expr, env)))
    made = []
    for guard, inner in bindings(low, expr.clauses, env):
        value = low.value(expr.body, inner)
        made.append((low.model.conj((guard, low.algebra.defined(value))), value))
    return Items(tuple(made))


# -- lookups -----------------------------------------------------------------------------------------


def lookup(low: LoweringContext, expr: t.Lookup, keys: tuple[Value, ...]) -> Value:
    """The row with these leading key columns."""
    if any(key is None for key in keys):
        return None
    if any(isinstance(key, Cases) for key in keys):
        return low.algebra.choice(
            (guard, lookup(low, expr, picked)) for guard, picked in low.algebra.spread(keys)
        )
    if expr.table.plan:
        return _planned(low, expr.table, keys)
    facts = low.task.facts[expr.table.name]
    if not is_tabular(keys):
        return _static(facts, keys)
    return low.tabulated.result(id(facts), keys, low.model, lambda: _static(facts, keys))


def _planned(low: LoweringContext, table: Table, keys: tuple[Value, ...]) -> Value:
    matches: list[tuple[Bool, RowVariables]] = []
    for slot in low.slots.by_table[table.name]:
        same = [low.atoms.equal(slot.fields[name], key) for name, key in zip(table.key, keys, strict=False)]
        here = low.model.conj((slot.present, *same))
        if here is not FALSE:
            matches.append((here, slot))
    return cases(alone(low, matches))


def alone(low: LoweringContext, options: Sequence[tuple[Bool, Value]]) -> list[tuple[Bool, Value]]:
    """Each option where no other one is there."""
    made = []
    for i, (guard, value) in enumerate(options):
        others = [low.model.negate(g) for j, (g, _) in enumerate(options) if j != i]
        made.append((low.model.conj((guard, *others)), value))
    low.model.exclusive(guard for guard, _ in made)
    return made


def _static(facts: Facts, keys: tuple[Value, ...]) -> Value:
    """A static table by keys: for each combination of the planned ones, the row."""
    table = facts.table
    tabs: list[tuple[int, Tab]] = []
    known: list[tuple[int, Any]] = []
    for i, key in enumerate(keys):
        if isinstance(key, Num):
            tabs.append((i, numbers.tabulated(key)))
        elif isinstance(key, Tab):
            tabs.append((i, key))
        else:
            known.append((i, key))
    rows: Sequence[Any] = facts.rows
    for at, (i, key) in enumerate(known):
        name = table.key[i]
        if at == 0:
            rows = facts.grouped((table.columns[name],)).get(hashable(key), ())
        else:
            rows = [row for row in rows if getattr(row, name) == key]
    if not tabs:
        return rows[0] if len(rows) == 1 else None
    over = joined_vars(each for _, each in tabs)
    if size_of(over) <= len(rows):
        return tab(over, _by_codes(facts, keys, dict(tabs), over))
    return tab(over, _by_rows(table, rows, tabs, over))


def _by_codes(
    facts: Facts, keys: tuple[Value, ...], tabs: Mapping[int, Tab], over: tuple[IntVar, ...]
) -> dict[tuple[int, ...], Any]:
    """For each combination of codes the row, where the combinations are fewer than the rows."""
    table = facts.table
    columns = [table.columns[name] for name in table.key[: len(keys)]]
    index = facts.grouped(columns)
    places = {var.id: place for place, var in enumerate(over)}
    parts = [
        (tabs[i].values, tuple(places[var.id] for var in tabs[i].vars)) if i in tabs else (None, ())
        for i in range(len(keys))
    ]
    cells: dict[tuple[int, ...], Any] = {}
    for codes in combinations(over):
        values = [
            keys[i] if values is None else values.get(tuple(codes[place] for place in at))
            for i, (values, at) in enumerate(parts)
        ]
        found = index.get(key_of(values, columns), ())
        if len(found) == 1:
            cells[codes] = found[0]
    return cells


def _by_rows(
    table: Table, rows: Sequence[Any], tabs: Sequence[tuple[int, Tab]], over: tuple[IntVar, ...]
) -> dict[tuple[int, ...], Any]:
    """For each row the combinations of codes that mean it."""
    inverted: list[tuple[str, tuple[int, ...], dict[Any, list[tuple[int, ...]]]]] = []
    for i, each in tabs:
        back: dict[Any, list[tuple[int, ...]]] = {}
        for codes, value in each.values.items():
            back.setdefault(hashable(value), []).append(codes)
        inverted.append((table.key[i], tuple(var.id for var in each.vars), back))
    order = [var.id for var in over]
    cells: dict[tuple[int, ...], Any] = {}
    twice: set[tuple[int, ...]] = set()
    steps = 0
    for row in rows:
        tick()
        ways: list[dict[int, int]] = [{}]
        for name, ids, back in inverted:
            grown: list[dict[int, int]] = []
            for way in ways:
                grown.extend(
                    {**way, **dict(zip(ids, codes, strict=True))}
                    for codes in back.get(hashable(getattr(row, name)), ())
                    if all(way.get(i, code) == code for i, code in zip(ids, codes, strict=True))
                )
            ways = grown
            steps += len(ways)
            if steps > 20 * 100_000:
                raise TooManyCellsError(steps)
        for way in ways:
            key_codes = tuple(way[i] for i in order)
            if key_codes in cells:
                twice.add(key_codes)
            cells[key_codes] = row
    for codes in twice:
        del cells[codes]
    return cells


# -- aggregates --------------------------------------------------------------------------------------


def condition(low: LoweringContext, expr: t.Aggregate, env: SymbolicEnv) -> Bool:
    """`all`, `any` and `all_different`."""
    model = low.model
    if expr.function == "all_different":
        return _all_different(low, expr, env)
    made: list[Bool] = []
    for guard, inner in bindings(low, expr.clauses, env):
        body = low.condition(expr.body, inner)
        if expr.function == "all":
            made.append(model.disj((model.negate(guard), body)))
            if made[-1] is FALSE:
                return FALSE
        else:
            made.append(model.conj((guard, body)))
            if made[-1] is TRUE:
                return TRUE
    return low.folded(model.conj(made) if expr.function == "all" else model.disj(made))


def _all_different(low: LoweringContext, expr: t.Aggregate, env: SymbolicEnv) -> Bool:
    model = low.model
    lists = not isinstance(expr.body.type, SetType)
    terms = [(guard, low.value(expr.body, inner)) for guard, inner in bindings(low, expr.clauses, env)]
    made = [model.disj((model.negate(guard), low.algebra.defined(value))) for guard, value in terms]
    for i, (guard, value) in enumerate(terms):
        for other, another in terms[i + 1 :]:
            same = low.atoms.equal(value, another, lists=lists)
            if same is not FALSE:
                made.append(model.disj((model.negate(guard), model.negate(other), model.negate(same))))
    return model.conj(made)


def value(low: LoweringContext, expr: t.Aggregate, env: SymbolicEnv) -> Value:
    """`count`, `sum`, `min`, `max`, `the`, `first`, `last`."""
    model = low.model
    found = list(bindings(low, expr.clauses, env))
    match expr.function:
        case "count":
            return number(Num(model.sum(model.indicator(guard) for guard, _ in found)))
        case "sum":
            return _sum(low, [(guard, low.value(expr.body, inner)) for guard, inner in found])
        case "min" | "max":
            return _extreme(
                low, [(g, low.value(expr.body, inner)) for g, inner in found], greatest=expr.function == "max"
            )
        case "the":
            return _pick(low, expr, alone(low, found))
        case _:
            return _pick(low, expr, _ranked(low, expr, found))


def _pick(low: LoweringContext, expr: t.Aggregate, options: Sequence[tuple[Bool, Any]]) -> Value:
    if expr.type is ScalarType.BOOL:
        return low.model.disj(
            low.model.conj((guard, low.condition(expr.body, inner))) for guard, inner in options
        )
    made: list[tuple[Bool, Value]] = []
    for guard, inner in options:
        if guard is FALSE:
            continue
        value_ = low.value(expr.body, inner)
        if isinstance(value_, Cases):
            made.extend((low.model.conj((guard, g)), v) for g, v in value_.cases)
        else:
            made.append((guard, value_))
    return cases(made)


def _ranked(low: LoweringContext, expr: t.Aggregate, found: list[tuple[Bool, Any]]) -> list[tuple[Bool, Any]]:
    """Each binding where it is the only first (or last) one."""
    assert expr.by is not None
    model = low.model
    ranks = [low.value(expr.by, inner) for _, inner in found]
    here = [
        model.conj((guard, low.algebra.defined(rank))) for (guard, _), rank in zip(found, ranks, strict=True)
    ]
    op = "<" if expr.function == "first" else ">"
    made = []
    for i, (_, inner) in enumerate(found):
        beats = []
        for j, rank in enumerate(ranks):
            if j != i:
                beats.append(model.disj((model.negate(here[j]), low.ordered(op, ranks[i], rank))))
        made.append((model.conj((here[i], *beats)), inner))
    model.exclusive(guard for guard, _ in made)
    elements = [
        Element(bound(expr.clauses, inner), guard, rank)
        for (_, inner), guard, rank in zip(found, here, ranks, strict=True)
    ]
    low.met.rankings.append(Ranking(expr.function == "first", elements, [guard for guard, _ in made]))
    return made


def _sum(low: LoweringContext, terms: list[tuple[Bool, Value]]) -> Value:
    model = low.model
    parts = []
    defined = []
    scale = 1
    for guard, value_ in terms:
        each = low.algebra.num(value_)
        defined.append(model.disj((model.negate(guard), each.defined)))
        parts.append((guard, each))
        scale = scale * each.scale // gcd(scale, each.scale)
    linears = []
    for guard, each in parts:
        linear = model.scale(each.linear, scale // each.scale)
        linears.append(linear if guard is TRUE else model.select(((guard, linear),)))
    return number(Num(model.sum(linears), model.conj(defined), scale))


def _extreme(low: LoweringContext, terms: list[tuple[Bool, Value]], *, greatest: bool) -> Value:
    model = low.model
    nums = [(guard, low.algebra.num(value_)) for guard, value_ in terms]
    scale = 1
    for _, each in nums:
        scale = scale * each.scale // gcd(scale, each.scale)
    linear = model.extreme(((g, model.scale(n.linear, scale // n.scale)) for g, n in nums), greatest=greatest)
    defined = [model.disj((model.negate(g), n.defined)) for g, n in nums]
    return number(Num(linear, model.conj((model.disj(g for g, _ in nums), *defined)), scale))


def number(value_: Num) -> Value:
    """The number itself if it is known."""
    if value_.defined is FALSE:
        return None
    if value_.defined is TRUE and value_.linear.is_constant and value_.scale == 1:
        return value_.linear.constant
    return value_
