"""Code generation for aggregates and sets that depend on the plan, with loops that end as early as possible."""

from __future__ import annotations

import ast
from typing import assert_never

from planspec.dsl.model.tree import Aggregate, Expr, Intervals, SetOf
from planspec.verifiers.compiled import intervals, loop
from planspec.verifiers.compiled import syntax as py
from planspec.verifiers.compiled.analysis import conditions_of, conjuncts
from planspec.verifiers.compiled.frame import Frame
from planspec.verifiers.compiled.loop import CLAUSE_LIMIT, LoopSource
from planspec.verifiers.compiled.value import Block, Guarded, Known, Nullable, Total, Value, comparable


def generate_aggregate(frame: Frame, expr: Aggregate | Intervals | SetOf) -> Value:
    """Return code for an aggregate, a set comprehension, a `no_overlap` or a `peak`.

    If its loops would be nested too deeply for Python, they are placed in a function of their own.
    """
    if frame.block.depth + len(expr.clauses) <= CLAUSE_LIMIT:
        return _inline_loop(frame, expr)
    outer, function = frame.block, frame.program.unique_name("inner")
    with frame.inside(Block(outer.level, outer)) as block:
        value = _inline_loop(frame, expr)
        frame.emit(py.return_(frame.as_nullable(value)))
    frame.emit(py.function(function, [], block.body))
    called = py.call(py.name(function))
    return Total(called) if isinstance(value, Total) else Nullable(called)


def _inline_loop(frame: Frame, expr: Aggregate | Intervals | SetOf) -> Value:
    """Return code for an aggregate, set or interval expression, with its loops in the current function."""
    if isinstance(expr, Intervals):
        return intervals.generate_intervals(frame, expr)
    if isinstance(expr, SetOf):
        return _set(frame, expr)
    match expr.function:
        case "all":
            return _all(frame, expr)
        case "any":
            return _any(frame, expr)
        case "count":
            return _count(frame, expr)
        case "sum":
            return _sum(frame, expr)
        case "min" | "max":
            return _minimum_or_maximum(frame, expr, "<" if expr.function == "min" else ">")
        case "all_different":
            return _all_different(frame, expr)
        case "the":
            return _the(frame, expr)
        case "first" | "last":
            return _extreme(frame, expr, "<" if expr.function == "first" else ">")
        case _:
            assert_never(expr.function)


def _all(frame: Frame, expr: Aggregate) -> Value:
    result = frame.new_variable(py.TRUE, "every")
    conditions = conditions_of(expr.clauses)

    def body() -> bool:
        loop.leave_unless(frame, expr.body, [py.assign(result, py.FALSE), py.BREAK])
        return True

    loop.generate_loops(frame, expr.clauses, conditions, body)
    return Total(py.name(result))


def _any(frame: Frame, expr: Aggregate) -> Value:
    conditions = [*conditions_of(expr.clauses), *conjuncts(expr.body)]
    conditions = [each for each in conditions if (values := frame.static_values(each)) is None or not all(values)]
    first = loop.single_loop_source(frame, expr.clauses, conditions)
    if first is not None and loop.covers_whole_source(first, expr):
        if first.index is not None and first.key is not None:
            return Total(py.compare(first.key, "in", first.index))
        return Total(py.compare(_length(frame, first), ">", py.ZERO))
    result = frame.new_variable(py.FALSE, "some")

    def body() -> bool:
        frame.emit(py.assign(result, py.TRUE))
        frame.emit(py.BREAK)
        return True

    loop.generate_loops(frame, expr.clauses, conditions, body, first)
    return Total(py.name(result))


def _length(frame: Frame, source: LoopSource) -> ast.expr:
    return py.call(py.name("len"), loop.items_of(frame, source))


def _count(frame: Frame, expr: Aggregate) -> Value:
    conditions = conditions_of(expr.clauses)
    first = loop.single_loop_source(frame, expr.clauses, conditions)
    if first is not None and loop.covers_whole_source(first, expr):
        return Total(_length(frame, first))
    result = frame.new_variable(py.ZERO, "count")

    def body() -> bool:
        frame.emit(py.add_to(result, py.constant(1)))
        return False

    loop.generate_loops(frame, expr.clauses, conditions, body, first)
    return Total(py.name(result))


def _checked_term(frame: Frame, expr: Expr, result: str, otherwise: ast.expr) -> tuple[ast.expr, bool]:
    """Return code for the term of an aggregate, to be used in its loop.

    If the term may be *none*, write a test before it that sets `result` to `otherwise` and leaves the loop.

    Returns:
        The code, and whether the test was written.
    """
    value = frame.value(expr)
    if isinstance(value, Total) or (isinstance(value, Known) and value.value is not None):
        return frame.as_nullable(value), False
    guards, code = frame.parts(value)
    frame.emit(py.if_(py.negation(py.conjunction(guards)), [py.assign(result, otherwise), py.BREAK]))
    return code, True


def _sum(frame: Frame, expr: Aggregate) -> Value:
    result = frame.new_variable(py.ZERO, "total")
    partial = False

    def body() -> bool:
        nonlocal partial
        code, partial = _checked_term(frame, expr.body, result, py.NONE)
        frame.emit(py.add_to(result, code))
        return partial

    loop.generate_loops(frame, expr.clauses, conditions_of(expr.clauses), body)
    return (Nullable if partial else Total)(py.name(result))


def _minimum_or_maximum(frame: Frame, expr: Aggregate, better: str) -> Value:
    """Return code for a `min` (with the operator `<` as `better`) or a `max` (with `>`)."""
    result = frame.new_variable(py.NONE, "best")

    def body() -> bool:
        code, partial = _checked_term(frame, expr.body, result, py.NONE)
        term = frame.store(code, "term")
        chosen = py.disjunction([py.is_none(py.name(result)), py.compare(term, better, py.name(result))])
        frame.emit(py.if_(chosen, [py.assign(result, term)]))
        return partial

    loop.generate_loops(frame, expr.clauses, conditions_of(expr.clauses), body)
    return Nullable(py.name(result))


def _all_different(frame: Frame, expr: Aggregate) -> Value:
    result = frame.new_variable(py.TRUE, "different")
    seen = frame.new_variable(py.call(py.name("set")), "seen")

    def body() -> bool:
        code, _ = _checked_term(frame, expr.body, result, py.FALSE)
        term = frame.store(comparable(code, expr.body.type), "term")
        twice = py.compare(term, "in", py.name(seen))
        frame.emit(py.if_(twice, [py.assign(result, py.FALSE), py.BREAK]))
        frame.emit(py.expression_statement(py.call(py.attribute(py.name(seen), "add"), term)))
        return True

    loop.generate_loops(frame, expr.clauses, conditions_of(expr.clauses), body)
    return Total(py.name(result))


def _the(frame: Frame, expr: Aggregate) -> Value:
    conditions = conditions_of(expr.clauses)
    first = loop.single_loop_source(frame, expr.clauses, conditions)
    if first is not None and loop.covers_whole_source(first, expr) and loop.is_only_variable(expr.body, expr):
        rows = _row_list(frame, first)
        if rows is not None:
            one = py.compare(py.call(py.name("len"), rows), "==", py.constant(1))
            row = py.item(rows, py.ZERO)
            return Nullable(py.choose(one, row, py.NONE)) if first.nullable[0] else Guarded((one,), row)
    result = frame.new_variable(py.NONE, "only")
    found_one = frame.new_variable(py.FALSE, "found")

    def body() -> bool:
        several = [py.assign(result, py.NONE), py.BREAK]
        frame.emit(py.if_(py.name(found_one), several))
        frame.emit(py.assign(found_one, py.TRUE))
        frame.emit(py.assign(result, frame.as_nullable(frame.value(expr.body))))
        return True

    loop.generate_loops(frame, expr.clauses, conditions, body, first)
    return Nullable(py.name(result))


def _row_list(frame: Frame, source: LoopSource) -> ast.expr | None:
    """Return code for a list or tuple of the elements that a loop visits; None if they are not a list or tuple."""
    code = loop.items_of(frame, source)
    return frame.store(code, "rows") if source.index is not None or isinstance(code, ast.Name) else None


def _extreme(frame: Frame, expr: Aggregate, better: str) -> Value:
    """Return code for a `first` (with the operator `<` as `better`) or a `last` (with `>`).

    The generated loop stores the best rank so far and the value of the body for it, or *none* after a tie.
    """
    result = frame.new_variable(py.NONE, "chosen")
    best = frame.new_variable(py.NONE, "best")
    by = expr.by
    assert by is not None

    def body() -> bool:
        guards, code = frame.parts(frame.value(by))
        if guards:
            frame.emit(py.if_(py.negation(py.conjunction(guards)), [py.CONTINUE]))
        rank = frame.store(code, "rank")
        better_one = py.disjunction([py.is_none(py.name(best)), py.compare(rank, better, py.name(best))])
        with frame.inside(frame.branch(), conditional=True) as block:
            frame.emit(py.assign(best, rank))
            frame.emit(py.assign(result, frame.as_nullable(frame.value(expr.body))))
        tie = py.if_(py.compare(rank, "==", py.name(best)), [py.assign(result, py.NONE)])
        frame.emit(py.if_(better_one, block.body, [tie]))
        return False

    loop.generate_loops(frame, expr.clauses, conditions_of(expr.clauses), body)
    return Nullable(py.name(result))


def _set(frame: Frame, expr: SetOf) -> Value:
    result = frame.new_variable(py.EMPTY_DICT, "items")

    def body() -> bool:
        guards, code = frame.parts(frame.value(expr.body))
        keep = py.assign_item(py.name(result), code, py.NONE)
        frame.emit(py.if_(py.conjunction(guards), [keep]) if guards else keep)
        return False

    loop.generate_loops(frame, expr.clauses, conditions_of(expr.clauses), body)
    return Total(py.call(py.name("tuple"), py.name(result)))
