"""Code generation for scalars: columns, lookups, arithmetic, handling of *none*, logic and builtins."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from planspec.dsl.model.tree import (
    Arith,
    Call,
    Coalesce,
    Conditional,
    FieldOf,
    IsNone,
    Literal,
    Logic,
    Lookup,
    RangeOf,
)
from planspec.dsl.model.types import RowType, ScalarType, SetType
from planspec.dsl.resources.units import MINUTES_A_DAY
from planspec.verifiers.compiled import syntax as py
from planspec.verifiers.compiled.frame import PLAN, Frame
from planspec.verifiers.compiled.value import Block, Guarded, Known, Nullable, Total, Value, is_never_none


def generate_field(frame: Frame, expr: FieldOf) -> Value:
    """Return code for a column of a row."""
    assert isinstance(expr.row.type, RowType)
    is_boolean = expr.type is ScalarType.BOOL
    value = frame.value(expr.row)
    if isinstance(value, Known) and value.value is None:
        return Known(False) if is_boolean else value
    guards, row = frame.parts(value)
    code = py.attribute(row, expr.column.name)
    nullable = frame.program.may_be_none(expr.row.type.table, expr.column)
    if is_boolean:
        return Total(py.conjunction([*guards, py.compare(code, "is", py.TRUE) if nullable else code]))
    if nullable:
        return frame.guarded(guards, Nullable(code))
    return frame.guarded(guards, Total(code))


def generate_lookup(frame: Frame, expr: Lookup) -> Value:
    """Return code for the lookup of a row by its key columns."""
    table, count = expr.table, len(expr.keys)
    values = [frame.value(key) for key in expr.keys]
    if any(isinstance(value, Known) and value.value is None for value in values):
        return Known(None)
    guards: list[ast.expr] = []
    codes: list[ast.expr] = []
    for name, value in zip(table.key, values, strict=False):
        if isinstance(table.columns[name].type, SetType):
            more, code = frame.parts(value)
            guards += more
            codes.append(py.call(py.name("frozenset"), code))
        else:
            codes.append(frame.as_nullable(value))  # no test for None is needed, since a key with None finds no row
    if table.plan:
        function = frame.program.index(table, table.key[:count], unique=True)
        index = frame.local(function, py.call(py.name(function), py.name(PLAN)), "index")
        find = py.attribute(index, "get")
    else:
        find = frame.program.of_task((table, count), lambda linked: linked.statics.finder(table, count))
    return frame.guarded(guards, Nullable(py.call(find, codes[0] if count == 1 else py.tuple_(codes))))


def generate_arithmetic(frame: Frame, expr: Arith) -> Value:
    """Return code for arithmetic. A loop visits left operands, since a long sum would exceed the recursion limit."""
    chain = [expr]
    while isinstance(chain[-1].left, Arith) and _is_plain(frame, chain[-1].left):
        chain.append(chain[-1].left)
    value = frame.value(chain[-1].left)
    for each in reversed(chain):
        value = _operation(frame, each, value, frame.value(each.right))
    return value


def _is_plain(frame: Frame, expr: Arith) -> bool:
    """Return whether an expression is not constant, and its code is not moved out of the current loop."""
    traits, scope = frame.analysis.traits(expr), frame.scope
    return (traits.varies or not traits.free <= scope.known_names) and (
        frame.conditional or scope.level_of(traits.free) == frame.block.level
    )


def _operation(frame: Frame, expr: Arith, left: Value, right: Value) -> Value:
    if expr.op == "+" and expr.type is ScalarType.MOMENT:
        left = _days_in_minutes(frame, left) if expr.left.type is ScalarType.DATE else left
        right = _days_in_minutes(frame, right) if expr.right.type is ScalarType.DATE else right
    for value in (left, right):
        if isinstance(value, Known) and value.value is None:
            return value
    guards, left_code = frame.parts(left)
    more, right_code = frame.parts(right)
    guards += more
    if expr.op in {"//", "%"}:
        if isinstance(right, Known):
            guards += () if right.value > 0 else (py.FALSE,)
        else:
            divisor = py.name(frame.program.unique_name("divisor"))
            assert isinstance(divisor, ast.Name)
            guards += (py.compare(py.named(divisor.id, right_code), ">", py.ZERO),)
            right_code = divisor
    code = py.arithmetic(left_code, expr.op, right_code)
    return Guarded(guards, code) if guards else Total(code)


def _days_in_minutes(frame: Frame, days: Value) -> Value:
    if isinstance(days, Known):
        return days if days.value is None else Known(days.value * MINUTES_A_DAY)
    guards, code = frame.parts(days)
    return frame.guarded(guards, Total(py.arithmetic(code, "*", py.constant(MINUTES_A_DAY))))


def generate_none_test(frame: Frame, expr: IsNone) -> Value:
    """Return code for the test whether a value is, or is not, *none*."""
    value = frame.value(expr.operand)
    match value:
        case Known():
            return Known((value.value is None) != expr.negated)
        case Total():
            return Known(expr.negated)
        case Nullable():
            return Total((py.is_present if expr.negated else py.is_none)(value.code))
        case Guarded():
            present = py.conjunction(value.guards)
            return Total(present if expr.negated else py.negation(present))


def generate_coalesce(frame: Frame, expr: Coalesce) -> Value:
    """Return code for the left operand, or for the right operand if the left one is *none*."""
    left = frame.value(expr.left)
    if isinstance(left, Total) or (isinstance(left, Known) and left.value is not None):
        return left
    if isinstance(left, Known):
        return frame.value(expr.right)
    with frame.inside(frame.branch(), conditional=True) as block:
        right = frame.value(expr.right)
    kind = Total if isinstance(right, Total) or (isinstance(right, Known) and right.value is not None) else Nullable
    if not block.body:
        guards, code = frame.parts(left)
        return kind(py.choose(py.conjunction(guards), code, frame.as_nullable(right)))
    result = frame.program.unique_name("t")
    frame.emit(py.assign(result, frame.as_nullable(left)))
    block.body.append(py.assign(result, frame.as_nullable(right)))
    frame.emit(py.if_(py.is_none(py.name(result)), block.body))
    return kind(py.name(result))


def generate_conditional(frame: Frame, expr: Conditional) -> Value:
    """Return code for a conditional expression. Only the chosen value is evaluated."""
    test = frame.test(expr.condition)
    if isinstance(test, ast.Constant):
        return frame.value(expr.then if test.value else expr.otherwise)
    with frame.inside(frame.branch(), conditional=True) as first:
        then = frame.value(expr.then)
    with frame.inside(frame.branch(), conditional=True) as second:
        otherwise = frame.value(expr.otherwise)
    total = all(is_never_none(value) for value in (then, otherwise))
    kind = Total if total else Nullable
    if not first.body and not second.body:
        return kind(py.choose(test, frame.as_nullable(then), frame.as_nullable(otherwise)))
    result = frame.program.unique_name("t")
    first.body.append(py.assign(result, frame.as_nullable(then)))
    second.body.append(py.assign(result, frame.as_nullable(otherwise)))
    frame.emit(py.if_(test, first.body, second.body))
    return kind(py.name(result))


def generate_logic(frame: Frame, expr: Logic) -> ast.expr:
    """Return code for `and`, `or` or `implies`, with short-circuit evaluation.

    If only the first operand needs statements, the code is a single Python expression. Otherwise the statements of
    an operand are in an `if` that tests the earlier operands.
    """
    is_inverted = expr.op == "implies"  # `a implies b` is `not a or b`
    decides = expr.op == "and"
    tests: list[ast.expr] = []
    result: str | None = None
    pending: list[tuple[Block, ast.stmt]] = []  # an `if` is appended to a block only after its own block is complete
    before = frame.block, frame.conditional
    for at, operand in enumerate(expr.operands):
        block = frame.block if at == 0 else frame.branch()
        with frame.inside(block, conditional=frame.conditional or at > 0):
            test = frame.test(operand)
        if is_inverted and at == 0:
            test = py.negation(test)
        if at > 0 and block.body:
            joined = py.conjunction(tests) if decides else py.disjunction(tests)
            if result is None:
                result = frame.program.unique_name("t")
            frame.emit(py.assign(result, joined))
            goes_on = py.name(result) if decides else py.negation(py.name(result))
            pending.append((frame.block, py.if_(goes_on, block.body)))
            frame.block, frame.conditional = block, True
            tests = []
        tests.append(test)
        if isinstance(test, ast.Constant) and test.value is not decides:
            break
    joined = py.conjunction(tests) if decides else py.disjunction(tests)
    if result is None:
        return joined
    frame.emit(py.assign(result, joined))
    for block, statement in reversed(pending):
        block.body.append(statement)
    frame.block, frame.conditional = before
    return py.name(result)


def generate_builtin(frame: Frame, expr: Call) -> Value:
    """Return code for a call of a builtin function of the task's language, such as `abs`."""
    match expr.function:
        case "min" | "max":
            return frame.strict(expr.args, lambda codes: _extreme_of(expr.function, codes))
        case "abs":
            return frame.strict(expr.args, lambda codes: py.call(py.name("abs"), codes[0]))
        case "day_of_week":
            return frame.strict(expr.args, lambda codes: _day_of_week(codes[0]))
        case "contains":
            is_contained = frame.strict(expr.args, lambda codes: py.compare(codes[1], "in", codes[0]))
            return Total(frame.holds(is_contained))
        case "ceil_div":
            value, divisor = frame.value(expr.args[0]), frame.value(expr.args[1])
            if any(isinstance(each, Known) and each.value is None for each in (value, divisor)):
                return Known(None)
            guards, code = frame.parts(value)
            more, by = frame.parts(divisor)
            if not (isinstance(divisor, Known) and divisor.value > 0):
                identifier = frame.program.unique_name("divisor")
                more, by = (
                    (*more, py.compare(py.named(identifier, by), ">", py.ZERO)),
                    py.name(identifier),
                )
            return frame.guarded((*guards, *more), Total(py.minus(py.arithmetic(py.minus(code), "//", by))))
        case _:
            raise AssertionError(f"no builtin {expr.function}")


def generate_range(frame: Frame, expr: RangeOf) -> Value:
    """Return code for a range that is used as a set."""
    step = Literal(ScalarType.INT, expr.span, expr.stage, partial=False, value=1) if expr.step is None else expr.step
    range_ = frame.strict([expr.low, expr.high, step], lambda codes: py.call(py.name("range_of"), *codes))
    guards, code = frame.parts(range_)
    return frame.guarded(guards, Nullable(code))


def _day_of_week(day: ast.expr) -> ast.expr:
    """Return code for the day of the week of a date that is not *none*: 1 for Monday to 7 for Sunday."""
    since_monday = py.arithmetic(py.arithmetic(day, "-", py.constant(1)), "%", py.constant(7))
    return py.arithmetic(since_monday, "+", py.constant(1))


def _extreme_of(function: str, codes: Sequence[ast.expr]) -> ast.expr:
    if len(codes) == 2 and all(isinstance(code, (ast.Name, ast.Constant)) for code in codes):
        first, second = codes
        return py.choose(py.compare(second, "<" if function == "min" else ">", first), second, first)
    return py.call(py.name(function), *codes)
