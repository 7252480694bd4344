"""Code generation for loops over the bindings of a generator, with indexes and with conditions tested early."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from planspec.dsl.model.equalities import Equality, equality
from planspec.dsl.model.facts import group
from planspec.dsl.model.tree import (
    Aggregate,
    AllRows,
    Binding,
    Clause,
    Expr,
    FieldOf,
    RangeOf,
    SetLiteral,
    SetOf,
    Steps,
    Var,
)
from planspec.dsl.model.types import RowType, ScalarType, ScaledType, Table
from planspec.verifiers.compiled import syntax as py
from planspec.verifiers.compiled.analysis import conditions_of, conjuncts
from planspec.verifiers.compiled.frame import PLAN, Frame
from planspec.verifiers.compiled.value import (
    Block,
    Known,
    Nullable,
    Total,
    UnsupportedExpressionError,
    Value,
    comparable,
)

FILTER_LIMIT = 512
"""Maximum number of static elements that are filtered at compile time. Filtering more would take too long."""
FEW = 16
"""A loop with at most this many iterations, within at most two other loops, need not count its steps."""
PARTS_OF_A_STEP = 30
"""An iteration counts one step, plus the number of nodes in the loop's body divided by this number."""
CLAUSE_LIMIT = 15
"""Maximum depth of nested loops in one function. Deeper aggregates become functions, as Python allows 20 levels."""


@dataclass(frozen=True, slots=True)
class LoopSource:
    """The collection that a loop iterates over.

    Attributes:
        code: code for the collection; None if it is looked up in `index`.
        nullable: whether each of the loop's variables may be *none*.
        rest: conditions that the loop must still test.
        index: code for a dictionary from keys to lists of rows; None if no index is used.
        key: code for the key that is looked up in the index; None if no index is used.
        level: level of the innermost loop that binds a variable of the key.
    """

    code: ast.expr | None
    nullable: tuple[bool, ...]
    rest: tuple[Expr, ...]
    index: ast.expr | None = None
    key: ast.expr | None = None
    level: int = 0


def leave_unless(frame: Frame, condition: Expr, exit_: Sequence[ast.stmt], *, conditional: bool = False) -> None:
    """Write code that runs the statements `exit_`, such as `continue`, if a condition does not hold.

    `conditional` tells whether the surrounding loop may skip the test, for example because an earlier test ends the
    iteration.
    """
    before = frame.conditional
    for part in conjuncts(condition):
        frame.conditional = before or conditional
        test = frame.test(part)
        conditional = True
        if not py.is_literal(test, True):
            frame.emit(py.if_(py.negation(test), list(exit_)))
    frame.conditional = before


def single_loop_source(frame: Frame, clauses: Sequence[Clause], conditions: Sequence[Expr]) -> LoopSource | None:
    """Return what the loop of a generator iterates over, if it has one clause and only conditions on its variables.

    Otherwise return None.
    """
    if len(clauses) != 1 or _place_conditions(frame, clauses, conditions)[0]:
        return None
    return source_of(frame, clauses[0], conditions)


def covers_whole_source(source: LoopSource, expr: Aggregate | Steps) -> bool:
    """Return whether a loop has no conditions left to test, and Python's `len` can count its elements."""
    return not source.rest and not isinstance(expr.clauses[0].source, Steps)


def is_only_variable(body: Expr, expr: Aggregate | Steps) -> bool:
    """Return whether the body consists of the generator's only variable."""
    return isinstance(body, Var) and body.binding is expr.clauses[0].targets[0]


def generate_loops(
    frame: Frame,
    clauses: Sequence[Clause],
    conditions: Sequence[Expr],
    body: Callable[[], bool],
    first: LoopSource | None = None,
) -> None:
    """Write loops that run a body for every binding for which the conditions hold.

    Args:
        frame: function that contains the loops.
        clauses: clauses of the variables.
        conditions: conditions of all clauses, and of the aggregate itself.
        body: function that writes the body into the innermost loop, and returns whether the body may leave the loops
            by `break`.
        first: collection for the loop of the first clause; None if it has not been determined yet.
    """
    if len(clauses) > CLAUSE_LIMIT:
        raise UnsupportedExpressionError
    before, placed = _place_conditions(frame, clauses, conditions)
    if not before:
        _write_loop(frame, clauses, placed, 0, body, first)
        return
    test = frame.test(before[0])
    with frame.inside(frame.branch(), conditional=True) as block:
        if before[1:]:
            generate_loops(frame, clauses, [condition for condition in conditions if condition is not before[0]], body)
        else:
            _write_loop(frame, clauses, placed, 0, body, first)
    frame.emit(py.if_(test, block.body))


def _place_conditions(
    frame: Frame, clauses: Sequence[Clause], conditions: Sequence[Expr]
) -> tuple[list[Expr], list[list[Expr]]]:
    """Return the conditions to test before the loops, and for each loop the conditions to test in it."""
    placed: list[list[Expr]] = [[] for _ in clauses]
    before: list[Expr] = []
    for condition in conditions:
        free = frame.analysis.traits(condition).free
        for depth in range(len(clauses) - 1, -1, -1):
            if not free.isdisjoint(clauses[depth].targets):
                placed[depth].append(condition)
                break
        else:
            before.append(condition)
    return before, placed


def _write_loop(
    frame: Frame,
    clauses: Sequence[Clause],
    placed: Sequence[Sequence[Expr]],
    depth: int,
    body: Callable[[], bool],
    first: LoopSource | None = None,
) -> bool:
    """Write the loops of the clauses from position `depth`. Return whether the body may leave the loops by `break`.

    `placed` has for each clause the conditions to test in its loop.
    """
    if depth == len(clauses):
        return body()
    clause = clauses[depth]
    source = first or source_of(frame, clause, placed[depth])
    code = items_of(frame, source)
    inner = Block(frame.block.level + 1, frame.block, frame.block.depth + 1)
    names = [frame.program.unique_name(target.name) for target in clause.targets]
    for target, identifier, nullable in zip(clause.targets, names, source.nullable, strict=True):
        frame.bind(target, (Nullable if nullable else Total)(py.name(identifier)), inner.level)
    with frame.inside(inner):
        for at, condition in enumerate(source.rest):
            leave_unless(frame, condition, [py.CONTINUE], conditional=at > 0)
        breaks = _write_loop(frame, clauses, placed, depth + 1, body)
        if breaks and depth + 1 < len(clauses):
            frame.emit(py.BREAK)
    outward = [py.CONTINUE] if breaks and depth > 0 else []
    code = _counting_steps(frame, clause.source, code, 1 + py.size(inner.body) // PARTS_OF_A_STEP)
    frame.emit(py.loop(names, code, inner.body or [py.CONTINUE], outward))
    return breaks


def _counting_steps(frame: Frame, source: Expr, code: ast.expr, weight: int) -> ast.expr:
    """Return code for a loop's collection that counts `weight` steps for each element."""
    match source:
        case Steps():
            return code  # the runtime function that creates the pairs counts their steps
        case AllRows(table=table) if table.plan and frame.block.level == 0:
            frame.program.once[table.name] += weight  # the steps of all these loops are counted before they run
            return code
    code = frame.store(code, "items")
    length = py.call(py.name("len"), code)
    steps = length if weight == 1 else py.arithmetic(length, "*", py.constant(weight))
    counting = frame.step_counter(steps)
    if frame.block.level <= 2:  # a short inner loop need not be counted, because the loop around it is
        counting = py.if_(py.compare(length, ">", py.constant(FEW)), [counting])
    frame.emit(counting)
    return code


# Sources ----------------------------------------------------------------------------------------------


def items_of(frame: Frame, source: LoopSource) -> ast.expr:
    """Return code for the elements of `source`. A lookup in an index is moved out of loops as far as possible."""
    if source.code is not None:
        return source.code
    assert source.index is not None
    assert source.key is not None
    rows = py.call(py.attribute(source.index, "get"), source.key, py.NOTHING)
    text = _code_key(source.index), _code_key(source.key)
    if None in text:
        return rows
    shared = frame.block.find(text)
    if shared is None:
        with frame.inside(frame.block.above(source.level)):
            shared = frame.block.shared[text] = frame.as_repeatable(Total(rows), "rows")
    return frame.as_nullable(shared)


def source_of(frame: Frame, clause: Clause, conditions: Sequence[Expr]) -> LoopSource:
    """Return the collection for a clause's loop. With an index, some of the conditions need not be tested."""
    match clause.source:
        case AllRows(table=table):
            return _rows_source(frame, table, clause.targets[0], conditions)
        case Steps() as steps:
            code, nullable = generate_pairs(frame, steps)
            return LoopSource(code, (nullable, nullable), tuple(conditions))
        case other:
            static_items = _known_items(frame, other)
            if static_items is not None:
                return _filtered_source(frame, clause.targets[0], static_items, conditions)
            if isinstance(other, RangeOf):
                return LoopSource(_range_items(frame, other), (False,), tuple(conditions))
            code = _non_null_collection(frame, frame.value(other))
            return LoopSource(code, (not isinstance(other, (SetOf, SetLiteral)),), tuple(conditions))


def _known_items(frame: Frame, source: Expr) -> list[Sequence[Any]] | None:
    """Return the elements of a collection, one sequence for each judged instance of the constraint.

    Return None if they depend on the plan or on a loop variable.
    """
    traits = frame.analysis.traits(source)
    if traits.varies or not traits.free <= frame.scope.known_names:
        return None
    lists: list[Sequence[Any]] = []
    for env in frame.scope.envs:
        items = frame.statics.interpreter.items(source, env)
        lists.append(items if isinstance(items, range) else tuple(items))
    return lists


def _non_null_collection(frame: Frame, value: Value) -> ast.expr:
    return value.code if isinstance(value, Total) else py.or_nothing(frame.as_nullable(value))


def _range_items(frame: Frame, expr: RangeOf) -> ast.expr:
    ends = [expr.low, expr.high] if expr.step is None else [expr.low, expr.high, expr.step]
    parts = [frame.parts(frame.value(end)) for end in ends]
    codes = [code for _, code in parts]
    if expr.step is None and not any(
        isinstance(end.type, ScaledType) or end.type is ScalarType.DECIMAL for end in ends
    ):
        code = py.call(py.name("range"), codes[0], py.arithmetic(codes[1], "+", py.constant(1)))
    else:
        code = py.call(py.name("ascending_range"), *codes, *([py.constant(1)] if expr.step is None else []))
    return py.choose(py.conjunction([guard for guards, _ in parts for guard in guards]), code, py.NOTHING)


def _rows_source(frame: Frame, table: Table, target: Binding, conditions: Sequence[Expr]) -> LoopSource:
    equalities: list[Equality] = []
    rest: list[Expr] = []
    for condition in conditions:
        match = _equality(frame, condition, target)
        if match is None or match.column in [other.column for other in equalities]:
            rest.append(condition)
        else:
            equalities.append(match)
    equalities.sort(key=lambda equality: equality.column.name)
    columns = tuple(each.column.name for each in equalities)
    if not table.plan:
        return _static_source(frame, table, target, equalities, columns, rest)
    if not equalities or frame.block.level == 0:
        return LoopSource(frame.rows_of(table), (False,), tuple(conditions))
    function = frame.program.index(table, columns, unique=False)
    index = frame.local(function, py.call(py.name(function), py.name(PLAN)), "index")
    return _indexed_source(frame, index, equalities, rest)


def _static_source(
    frame: Frame,
    table: Table,
    target: Binding,
    equalities: Sequence[Equality],
    columns: tuple[str, ...],
    rest: Sequence[Expr],
) -> LoopSource:
    if not columns and frame.program.common:
        return LoopSource(frame.rows_of(table), (False,), tuple(rest))
    key_values = [frame.static_values(equality.key) for equality in equalities]
    if not frame.program.common and all(values is not None for values in key_values):
        keys = (
            list(zip(*(values for values in key_values if values is not None), strict=True)) or [()] * frame.instances
        )
        if not columns:
            return _filtered_source(frame, target, [frame.statics.rows(table)] * frame.instances, rest)
        groups = frame.statics.facts(table).grouped([equality.column for equality in equalities])
        return _filtered_source(frame, target, [groups.get(key if len(key) > 1 else key[0], ()) for key in keys], rest)
    index_columns = [equality.column for equality in equalities]
    own = [condition for condition in rest if _is_static_test_of(frame, condition, target)]
    if own and not frame.program.common and len(frame.statics.rows(table)) <= FILTER_LIMIT:
        chosen = _chosen_items(frame, target, frame.statics.rows(table), own, {})
        index = frame.program.constant(group(chosen, index_columns))
        rest = [condition for condition in rest if condition not in own]
    else:
        index = frame.program.of_task(
            (table, columns), lambda linked: linked.statics.facts(table).grouped(index_columns)
        )
    return _indexed_source(frame, index, equalities, rest)


def _indexed_source(frame: Frame, index: ast.expr, equalities: Sequence[Equality], rest: Sequence[Expr]) -> LoopSource:
    codes = [frame.as_nullable(frame.value(equality.key)) for equality in equalities]
    level = max(frame.scope.level_of(frame.analysis.traits(equality.key).free) for equality in equalities)
    key = codes[0] if len(codes) == 1 else py.tuple_(codes)
    return LoopSource(None, (False,), tuple(rest), index, key, level)


def _equality(frame: Frame, condition: Expr, target: Binding) -> Equality | None:
    match = equality(condition, target)
    return match if match is not None and _is_bound_before(frame, match.key, target) else None


def _is_bound_before(frame: Frame, expr: Expr, target: Binding) -> bool:
    """Return whether all variables of an expression have a value before the loop over `target`."""
    free, scope = frame.analysis.traits(expr).free, frame.scope
    return target not in free and all(name in scope.bound or name in scope.known_names for name in free)


def _is_static_test_of(frame: Frame, condition: Expr, target: Binding) -> bool:
    traits = frame.analysis.traits(condition)
    return not traits.varies and traits.free == {target}


def _filtered_source(
    frame: Frame, target: Binding, lists: Sequence[Sequence[Any]], conditions: Sequence[Expr]
) -> LoopSource:
    """Return a loop's collection of static elements, filtered by the conditions that do not depend on the plan.

    Args:
        frame: function under generation.
        target: variable of the loop.
        lists: for each instance, the elements before filtering.
        conditions: conditions of the loop.
    """
    rest = list(conditions)
    if rest and max(map(len, lists)) <= FILTER_LIMIT:
        names = frame.scope.known_names | {target}
        traits_of = {condition: frame.analysis.traits(condition) for condition in rest}
        own = [condition for condition, traits in traits_of.items() if not traits.varies and traits.free <= names]
        if own:
            envs = frame.scope.envs
            lists = [_chosen_items(frame, target, items, own, env) for items, env in zip(lists, envs, strict=True)]
            rest = [condition for condition in rest if condition not in own]
    nullable = any(None in items for items in lists if not isinstance(items, range))
    return LoopSource(frame.as_nullable(frame.value_before_plan(lists)), (nullable,), tuple(rest))


def _chosen_items(
    frame: Frame, target: Binding, items: Sequence[Any], conditions: Sequence[Expr], env: Any
) -> tuple[Any, ...]:
    holds = frame.statics.interpreter.holds
    return tuple(item for item in items if all(holds(condition, {**env, target: item}) for condition in conditions))


def generate_pairs(frame: Frame, steps: Steps) -> tuple[ast.expr, bool]:
    """Return code for the pairs of neighbours that a `steps` yields, and whether their elements may be *none*."""
    conditions = conditions_of(steps.clauses)
    first = single_loop_source(frame, steps.clauses, conditions)
    if first is not None and covers_whole_source(first, steps) and is_only_variable(steps.body, steps):
        rank = _row_key(frame, steps.by, steps.clauses[0].targets[0])
        if rank is not None and steps.per is None and not first.nullable[0]:
            return py.call(py.name("neighbours_of"), items_of(frame, first), frame.as_nullable(rank)), False
    elements = frame.new_variable(py.EMPTY_LIST, "elements")
    ranks = frame.new_variable(py.EMPTY_LIST, "ranks") if steps.by is not None else None
    groups = frame.new_variable(py.EMPTY_LIST, "groups") if steps.per is not None else None
    nullable = False

    def append(to: str, code: ast.expr) -> None:
        frame.emit(py.expression_statement(py.call(py.attribute(py.name(to), "append"), code)))

    def present(expr: Expr) -> ast.expr:
        guards, code = frame.parts(frame.value(expr))
        if guards:
            frame.emit(py.if_(py.negation(py.conjunction(guards)), [py.CONTINUE]))
        return frame.store(comparable(code, expr.type), "rank")

    def body() -> bool:
        nonlocal nullable
        rank = None if steps.by is None else present(steps.by)
        group = None if steps.per is None else present(steps.per)
        element = frame.value(steps.body)
        nullable = not isinstance(element, Total)
        if ranks is not None and rank is not None:
            append(ranks, rank)
        if groups is not None and group is not None:
            append(groups, group)
        append(elements, frame.as_nullable(element))
        return False

    generate_loops(frame, steps.clauses, conditions, body, first)
    order = py.call(py.name("range"), py.call(py.name("len"), py.name(elements)))
    lists = [order if ranks is None else py.name(ranks), py.name(elements)]
    if groups is None:
        return py.call(py.name("neighbours"), *lists), nullable
    return py.call(py.name("neighbours_within"), py.name(groups), *lists), nullable


def _row_key(frame: Frame, expr: Expr | None, target: Binding) -> Value | None:
    """Return the function from a row to its sort key, as a constant of the generated code.

    Return None unless the key `expr` is a mandatory column of the row variable `target`.
    """
    match expr:
        case FieldOf(row=Var(binding=binding, type=RowType(table=table)), column=column) if binding is target:
            return None if frame.program.may_be_none(table, column) else Known(attrgetter(column.name))
        case _:
            return None


def _code_key(code: ast.expr) -> str | None:
    """Return text that identifies code made only of names, constants and columns; None for other code."""
    match code:
        case ast.Name():
            return code.id
        case ast.Constant():
            return repr(code.value)
        case ast.Attribute():
            base = _code_key(code.value)
            return None if base is None else f"{base}.{code.attr}"
        case ast.Tuple():
            parts = [_code_key(element) for element in code.elts]
            return None if None in parts else f"({', '.join(map(str, parts))})"
        case _:
            return None
