"""Code generation for `no_overlap(...)` and `peak(...)`: loops that collect intervals, then a sweep over them."""

from __future__ import annotations

import ast

from planspec.dsl.model.tree import Expr, Intervals
from planspec.verifiers.compiled import loop
from planspec.verifiers.compiled import syntax as py
from planspec.verifiers.compiled.analysis import conditions_of
from planspec.verifiers.compiled.frame import Frame
from planspec.verifiers.compiled.value import Nullable, Total, Value, comparable, is_never_none


def generate_intervals(frame: Frame, expr: Intervals) -> Value:
    """Return code for a `no_overlap` or `peak`."""
    is_peak = expr.function == "peak"
    valid = frame.new_variable(py.TRUE, "valid")
    groups = None if expr.per is None else frame.new_variable(py.EMPTY_LIST, "groups")
    starts, ends = (frame.new_variable(py.EMPTY_LIST, hint) for hint in ("starts", "ends"))
    amounts = frame.new_variable(py.EMPTY_LIST, "amounts") if is_peak else None
    failure = [py.assign(valid, py.FALSE), py.BREAK]

    def append(to: str, code: ast.expr) -> None:
        frame.emit(py.expression_statement(py.call(py.attribute(py.name(to), "append"), code)))

    def present(part: Expr, otherwise: list[ast.stmt]) -> ast.expr:
        guards, code = frame.parts(frame.value(part))
        if guards:
            frame.emit(py.if_(py.negation(py.conjunction(guards)), otherwise))
        return code

    def body() -> bool:
        group = None
        if expr.per is not None:
            group = frame.store(comparable(present(expr.per, [py.CONTINUE]), expr.per.type), "group")
        values = [frame.value(expr.start), frame.value(expr.end)]
        start, end = (frame.store(frame.as_nullable(value), "end") for value in values)
        missing = [
            py.is_none(code) for code, value in zip((start, end), values, strict=True) if not is_never_none(value)
        ]
        if len(missing) == 2:
            frame.emit(py.if_(py.conjunction(missing), [py.CONTINUE]))
        frame.emit(py.if_(py.disjunction([*missing, py.compare(end, "<", start)]), failure))
        if amounts is not None:
            append(amounts, present(expr.body, failure))
        elif expr.gap is not None:
            end = py.call(py.name("until"), end, frame.as_nullable(frame.value(expr.gap)))
        append(starts, start)
        append(ends, end)
        if groups is not None and group is not None:
            append(groups, group)
        return True

    loop.generate_loops(frame, expr.clauses, conditions_of(expr.clauses), body)
    lists = [py.NONE if groups is None else py.name(groups), py.name(starts), py.name(ends)]
    if amounts is None:
        return Total(py.conjunction([py.name(valid), py.call(py.name("intervals_apart"), *lists)]))
    peak = py.call(py.name("peak_of_groups"), *lists, py.name(amounts))
    return Nullable(py.choose(py.name(valid), peak, py.NONE))
