"""Lowering of aggregates such as `sum`, of lookups and of generators, over rows of plan tables and static tables."""

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
from planspec.solvers.lowering import no_overlap
from planspec.solvers.lowering import steps as neighbours
from planspec.solvers.lowering.context import LoweringContext, SymbolicEnv
from planspec.solvers.lowering.relations import DifferenceRule, Element, Ranking, binding_key
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
    context: LoweringContext, clauses: Sequence[t.Clause], env: SymbolicEnv, guard: Bool = TRUE
) -> Iterator[tuple[Bool, SymbolicEnv]]:
    """Yield each possible binding of the variables of generator clauses, with its condition.

    The clauses are those of `for x in R if x.a > 1`, for example. A binding is `env` with a value for each variable of
    the clauses. Its condition holds if the collections have these values, the tests after `if` are true, and `guard`
    holds.
    """
    if not clauses:
        yield guard, env
        return
    clause, rest = clauses[0], clauses[1:]
    conditions: tuple[t.Expr, ...] = () if clause.condition is None else (clause.condition,)
    if isinstance(clause.source, t.Steps):
        source = clause.source
        pairs = neighbours.pairs(context, source, bindings(context, source.clauses, env))
        options: Iterator[tuple[Bool, tuple[Value, ...]]] = ((g, (a, b)) for g, a, b in pairs)
    elif isinstance(clause.source, t.AllRows) and not clause.source.table.plan:
        rows, conditions = _filter_rows(context, clause.source.table, clause, env)
        options = ((TRUE, (row,)) for row in rows)
    else:
        options = ((g, (v,)) for g, v in members(context, clause.source, env))
    for present, values in options:
        tick()
        if present is FALSE:
            continue
        inner = {**env, **dict(zip(clause.targets, values, strict=True))}
        condition = context.model.conj((guard, present))
        for each in conditions:
            if condition is FALSE:
                break
            condition = context.model.conj((condition, context.condition(each, inner)))
        if condition is FALSE:
            continue
        if rest:
            yield from bindings(context, rest, inner, condition)
        else:
            yield condition, inner


def members(context: LoweringContext, source: t.Expr, env: SymbolicEnv) -> Iterator[tuple[Bool, Value]]:
    """Yield the possible members of a collection expression, each with the condition that the collection has it."""
    if isinstance(source, t.AllRows) and source.table.plan:
        for slot in context.slots.by_table[source.table.name]:
            yield slot.present, slot
        return
    if isinstance(source, t.AllRows):
        for row in context.task.facts[source.table.name].rows:
            yield TRUE, row
        return
    yield from _members(context, context.value(source, env))


def _members(context: LoweringContext, collection: Value) -> Iterator[tuple[Bool, Value]]:
    """Yield each possible member of a collection, with the condition that the collection has it.

    A collection that is *none* has no members.
    """
    match collection:
        case None:
            return
        case Items():
            yield from _distinct_members(context, collection)
        case Tab():
            values: dict[Any, None] = {}
            for contained in collection.values.values():
                values.update(dict.fromkeys(contained))
            for value in values:
                yield (
                    context.model.in_table(
                        collection.vars,
                        [c for c, contained in collection.values.items() if value in contained],
                    ),
                    value,
                )
        case Cases():
            for guard, value in collection.cases:
                for present, member in _members(context, value):
                    yield context.model.conj((guard, present)), member
        case _:
            for value in collection:
                yield TRUE, value


def _distinct_members(context: LoweringContext, items: Items) -> Iterator[tuple[Bool, Value]]:
    """Yield the possible members of a set, each with the condition that it is present and equals no earlier member."""
    earlier: list[tuple[Bool, Value]] = []
    for guard, value in items.members:
        condition = context.model.conj((items.defined, guard, context.algebra.defined(value)))
        same = [context.model.conj((g, context.atoms.equal(v, value))) for g, v in earlier]
        yield context.model.conj((condition, *(context.model.negate(x) for x in same))), value
        earlier.append((condition, value))


def _filter_rows(
    context: LoweringContext, table: Table, clause: t.Clause, env: SymbolicEnv
) -> tuple[Sequence[Any], tuple[t.Expr, ...]]:
    """Return the rows of a static table that a generator clause may select, and its conditions still to be tested.

    If the clause requires that a column equals some value, as in `for x in R if x.city == c`, the rows are looked up
    in an index.
    """
    facts = context.task.facts[table.name]
    constants: dict[Column, Any] = {}
    tabled: tuple[Column, Tab] | None = None
    conditions: tuple[t.Expr, ...] = () if clause.condition is None else (clause.condition,)
    equalities = context.equalities(clause)
    for each in equalities:
        if each.many:
            continue
        value = context.value(each.key, env)
        if is_concrete(value):
            constants[each.column] = value
        elif isinstance(value, Tab) and tabled is None:
            tabled = each.column, value
    if constants:
        if len(constants) == len(equalities):
            conditions = context.remaining_conditions(clause)
        rows = facts.grouped(tuple(constants)).get(key_of(tuple(constants.values()), tuple(constants)), ())
        return rows, conditions
    if tabled is not None:
        column, values = tabled
        index = facts.grouped((column,))
        keys = dict.fromkeys(hashable(v) for v in values.values.values())
        return [row for v in keys for row in index.get(v, ())], conditions
    return facts.rows, conditions


def items(context: LoweringContext, expr: t.SetOf | t.AllRows, env: SymbolicEnv) -> Value:
    """Return the possible members, with conditions, of a set comprehension or of the set of all rows of a table."""
    if isinstance(expr, t.AllRows):
        return Items(tuple(members(context, expr, env)))
    conditional = []
    for guard, inner in bindings(context, expr.clauses, env):
        value = context.value(expr.body, inner)
        conditional.append((context.model.conj((guard, context.algebra.defined(value))), value))
    return Items(tuple(conditional))


# -- lookups -----------------------------------------------------------------------------------------


def lookup(context: LoweringContext, expr: t.Lookup, keys: tuple[Value, ...]) -> Value:
    """Return the only row of a table whose leading key columns have the values `keys`, as a symbolic value.

    The result is *none* if there is no such row, or several.
    """
    if any(key is None for key in keys):
        return None
    if any(isinstance(key, Cases) for key in keys):
        return context.algebra.choice(
            (guard, lookup(context, expr, picked)) for guard, picked in context.algebra.combine_cases(keys)
        )
    if expr.table.plan:
        return _lookup_planned(context, expr.table, keys)
    facts = context.task.facts[expr.table.name]
    if not is_tabular(keys):
        return _lookup_static(facts, keys)
    return context.tabulated.result(id(facts), keys, context.model, lambda: _lookup_static(facts, keys))


def _lookup_planned(context: LoweringContext, table: Table, keys: tuple[Value, ...]) -> Value:
    """Return the only present row of a plan table with the given keys, as a choice among the possible rows."""
    matches: list[tuple[Bool, RowVariables]] = []
    for slot in context.slots_with_key(table, keys):
        same = [context.atoms.equal(slot.fields[name], key) for name, key in zip(table.key, keys, strict=False)]
        condition = context.model.conj((slot.present, *same))
        if condition is not FALSE:
            matches.append((condition, slot))
    return cases(options_if_alone(context, matches))


def options_if_alone(context: LoweringContext, options: Sequence[tuple[Bool, Value]]) -> list[tuple[Bool, Value]]:
    """Return the options, pairs (condition, value), with conditions that also require that no other option exists."""
    exclusive = []
    for i, (guard, value) in enumerate(options):
        others = [context.model.negate(g) for j, (g, _) in enumerate(options) if j != i]
        exclusive.append((context.model.conj((guard, *others)), value))
    context.model.exclusive(guard for guard, _ in exclusive)
    return exclusive


def _lookup_static(facts: Facts, keys: tuple[Value, ...]) -> Value:
    """Return the row of a static table with the given keys, some of which may depend on the plan.

    The result is *none* for keys that no row has, or several rows have.
    """
    table = facts.table
    tabs: list[tuple[int, Tab]] = []
    constants: list[tuple[int, Any]] = []
    for i, key in enumerate(keys):
        if isinstance(key, Num):
            tabs.append((i, numbers.tabulated(key)))
        elif isinstance(key, Tab):
            tabs.append((i, key))
        else:
            constants.append((i, key))
    rows: Sequence[Any] = facts.rows
    for count, (i, key) in enumerate(constants):
        name = table.key[i]
        if count == 0:
            rows = facts.grouped((table.columns[name],)).get(hashable(key), ())
        else:
            rows = [row for row in rows if getattr(row, name) == key]
    if not tabs:
        return rows[0] if len(rows) == 1 else None
    variables = joined_vars(each for _, each in tabs)
    if size_of(variables) <= len(rows):
        return tab(variables, _cells_from_combinations(facts, keys, dict(tabs), variables))
    return tab(variables, _cells_from_rows(table, rows, tabs, variables))


def _cells_from_combinations(
    facts: Facts, keys: tuple[Value, ...], tabs: Mapping[int, Tab], variables: tuple[IntVar, ...]
) -> dict[tuple[int, ...], Any]:
    """Return the row that a lookup in a static table finds for each combination of codes of decision variables.

    Codes are integers that encode values. Combinations for which no row or several rows are found are left out. The
    function iterates over the combinations, which is fast if there are fewer combinations than rows.

    Args:
        facts: the rows of the table.
        keys: keys of the lookup, each a constant or a table.
        tabs: the items of `keys` that depend on the plan, by their index.
        variables: variables on which these items depend. Each key of the result has one code for each variable.
    """
    table = facts.table
    columns = [table.columns[name] for name in table.key[: len(keys)]]
    index = facts.grouped(columns)
    places = {var.id: place for place, var in enumerate(variables)}
    parts = [
        (tabs[i].values, tuple(places[var.id] for var in tabs[i].vars)) if i in tabs else (None, ())
        for i in range(len(keys))
    ]
    cells: dict[tuple[int, ...], Any] = {}
    for codes in combinations(variables):
        values = [
            keys[i] if values is None else values.get(tuple(codes[place] for place in places_of_key))
            for i, (values, places_of_key) in enumerate(parts)
        ]
        rows = index.get(key_of(values, columns), ())
        if len(rows) == 1:
            cells[codes] = rows[0]
    return cells


def _cells_from_rows(
    table: Table, rows: Sequence[Any], tabs: Sequence[tuple[int, Tab]], variables: tuple[IntVar, ...]
) -> dict[tuple[int, ...], Any]:
    """Return the row that a lookup in a static table finds for each combination of codes of decision variables.

    The result is that of `_cells_from_combinations`, but the function iterates over the rows, which is fast if there
    are fewer rows than combinations.

    Args:
        table: the table.
        rows: rows whose key columns match the constant keys of the lookup.
        tabs: index and values of each key of the lookup that depends on the plan.
        variables: variables on which these keys depend. Each key of the result has one code for each variable.
    """
    codes_by_column: list[tuple[str, tuple[int, ...], dict[Any, list[tuple[int, ...]]]]] = []
    for i, each in tabs:
        codes_by_value: dict[Any, list[tuple[int, ...]]] = {}
        for codes, value in each.values.items():
            codes_by_value.setdefault(hashable(value), []).append(codes)
        codes_by_column.append((table.key[i], tuple(var.id for var in each.vars), codes_by_value))
    order = [var.id for var in variables]
    cells: dict[tuple[int, ...], Any] = {}
    duplicates: set[tuple[int, ...]] = set()
    steps = 0
    for row in rows:
        tick()
        partial: list[dict[int, int]] = [{}]
        for name, ids, codes_by_value in codes_by_column:
            extended: list[dict[int, int]] = []
            for assignment in partial:
                extended.extend(
                    {**assignment, **dict(zip(ids, codes, strict=True))}
                    for codes in codes_by_value.get(hashable(getattr(row, name)), ())
                    if all(assignment.get(i, code) == code for i, code in zip(ids, codes, strict=True))
                )
            partial = extended
            steps += len(partial)
            if steps > 20 * 100_000:
                raise TooManyCellsError(steps)
        for assignment in partial:
            key_codes = tuple(assignment[i] for i in order)
            if key_codes in cells:
                duplicates.add(key_codes)
            cells[key_codes] = row
    for codes in duplicates:
        del cells[codes]
    return cells


# -- aggregates --------------------------------------------------------------------------------------


def condition(context: LoweringContext, expr: t.Aggregate, env: SymbolicEnv) -> Bool:
    """Translate an aggregate `all`, `any` or `all_different` to a condition on the plan."""
    model = context.model
    if expr.function == "all_different":
        return _all_different(context, expr, env)
    if isinstance(expr.clauses[0].source, t.Steps):
        in_order = no_overlap.condition(context, expr, env, bindings(context, expr.clauses[0].source.clauses, env))
        if in_order is not None:
            return in_order
    conditions: list[Bool] = []
    for guard, inner in bindings(context, expr.clauses, env):
        body = context.condition(expr.body, inner)
        if expr.function == "all":
            conditions.append(model.disj((model.negate(guard), body)))
            if conditions[-1] is FALSE:
                return FALSE
        else:
            conditions.append(model.conj((guard, body)))
            if conditions[-1] is TRUE:
                return TRUE
    return context.fold(model.conj(conditions) if expr.function == "all" else model.disj(conditions))


def _all_different(context: LoweringContext, expr: t.Aggregate, env: SymbolicEnv) -> Bool:
    model = context.model
    lists = not isinstance(expr.body.type, SetType)
    terms = [(guard, context.value(expr.body, inner)) for guard, inner in bindings(context, expr.clauses, env)]
    conditions = [model.disj((model.negate(guard), context.algebra.defined(value))) for guard, value in terms]
    for i, (guard, value) in enumerate(terms):
        for other, another in terms[i + 1 :]:
            same = context.atoms.equal(value, another, lists=lists)
            if same is not FALSE:
                conditions.append(model.disj((model.negate(guard), model.negate(other), model.negate(same))))
    result = model.conj(conditions)
    forms = [
        value.linear
        for guard, value in terms
        if guard is TRUE and isinstance(value, Num) and value.defined is TRUE and value.scale == 1
    ]
    if len(forms) > 2:
        context.encountered.differences.append(DifferenceRule(tuple(forms), len(forms) == len(terms), result))
    return result


def value(context: LoweringContext, expr: t.Aggregate, env: SymbolicEnv) -> Value:
    """Translate an aggregate `count`, `sum`, `min`, `max`, `the`, `first` or `last` to a symbolic value."""
    model = context.model
    options = list(bindings(context, expr.clauses, env))
    match expr.function:
        case "count":
            return plain_if_constant(Num(model.sum(model.indicator(guard) for guard, _ in options)))
        case "sum":
            return _sum(context, [(guard, context.value(expr.body, inner)) for guard, inner in options])
        case "min" | "max":
            return _extreme(
                context,
                [(g, context.value(expr.body, inner)) for g, inner in options],
                greatest=expr.function == "max",
            )
        case "the":
            return _pick_case(context, expr, options_if_alone(context, options))
        case _:
            return _pick_case(context, expr, _extremal_bindings(context, expr, options))


def _pick_case(context: LoweringContext, expr: t.Aggregate, options: Sequence[tuple[Bool, Any]]) -> Value:
    """Return the value of an aggregate's body under the only binding whose condition holds.

    `options` has pairs (condition, binding). At most one of the conditions holds in a plan.
    """
    if expr.type is ScalarType.BOOL:
        return context.model.disj(
            context.model.conj((guard, context.condition(expr.body, inner))) for guard, inner in options
        )
    results: list[tuple[Bool, Value]] = []
    for guard, inner in options:
        if guard is FALSE:
            continue
        value_ = context.value(expr.body, inner)
        if isinstance(value_, Cases):
            results.extend((context.model.conj((guard, g)), v) for g, v in value_.cases)
        else:
            results.append((guard, value_))
    return cases(results)


def _extremal_bindings(
    context: LoweringContext, expr: t.Aggregate, options: list[tuple[Bool, Any]]
) -> list[tuple[Bool, Any]]:
    """Return each binding with the condition that its rank, the value of `by=`, is strictly least (or greatest).

    `options` has pairs of the condition that a binding exists, and the binding. The least rank is for `first`, the
    greatest for `last`.
    """
    assert expr.by is not None
    model = context.model
    ranks = [context.value(expr.by, inner) for _, inner in options]
    present = [
        model.conj((guard, context.algebra.defined(rank))) for (guard, _), rank in zip(options, ranks, strict=True)
    ]
    op = "<" if expr.function == "first" else ">"
    chosen = []
    for i, (_, inner) in enumerate(options):
        beats = []
        for j, rank in enumerate(ranks):
            if j != i:
                beats.append(model.disj((model.negate(present[j]), context.compare_order(op, ranks[i], rank))))
        chosen.append((model.conj((present[i], *beats)), inner))
    model.exclusive(guard for guard, _ in chosen)
    elements = [
        Element(binding_key(expr.clauses, inner), guard, rank)
        for (_, inner), guard, rank in zip(options, present, ranks, strict=True)
    ]
    context.encountered.rankings.append(Ranking(expr.function == "first", elements, [guard for guard, _ in chosen]))
    return chosen


def _sum(context: LoweringContext, terms: list[tuple[Bool, Value]]) -> Value:
    """Return the sum of the values whose conditions hold; *none* if one of them is *none*."""
    model = context.model
    parts = []
    defined = []
    scale = 1
    for guard, value_ in terms:
        each = context.algebra.num(value_)
        defined.append(model.disj((model.negate(guard), each.defined)))
        parts.append((guard, each))
        scale = scale * each.scale // gcd(scale, each.scale)
    linears = []
    for guard, each in parts:
        linear = model.scale(each.linear, scale // each.scale)
        linears.append(linear if guard is TRUE else model.select(((guard, linear),)))
    return plain_if_constant(Num(model.sum(linears), model.conj(defined), scale))


def _extreme(context: LoweringContext, terms: list[tuple[Bool, Value]], *, greatest: bool) -> Value:
    """Return the maximum (or minimum) of the values whose conditions hold.

    The result is *none* if no condition holds, or if one of these values is *none*.
    """
    model = context.model
    nums = [(guard, context.algebra.num(value_)) for guard, value_ in terms]
    scale = 1
    for _, each in nums:
        scale = scale * each.scale // gcd(scale, each.scale)
    linear = model.extreme(((g, model.scale(n.linear, scale // n.scale)) for g, n in nums), greatest=greatest)
    defined = [model.disj((model.negate(g), n.defined)) for g, n in nums]
    return plain_if_constant(Num(linear, model.conj((model.disj(g for g, _ in nums), *defined)), scale))


def plain_if_constant(value_: Num) -> Value:
    """Return a constant number as a plain value, and None for a number that is never defined.

    Other numbers are returned unchanged.
    """
    if value_.defined is FALSE:
        return None
    if value_.defined is TRUE and value_.linear.is_constant and value_.scale == 1:
        return value_.linear.constant
    return value_
