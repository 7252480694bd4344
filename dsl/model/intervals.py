"""Search for `no_overlap(...)` and `peak(...)` in a condition."""

from __future__ import annotations

from planspec.dsl.model import tree as t


def is_peak(expr: t.Expr) -> bool:
    """Return whether an expression is a `peak`."""
    return isinstance(expr, t.Intervals) and expr.function == "peak"


def outermost_intervals(body: t.Expr) -> t.Intervals | None:
    """Return a `no_overlap` that is the whole condition, or the only `peak` of a comparison; otherwise None."""
    if isinstance(body, t.Intervals):
        return body
    if isinstance(body, t.Compare) and t.Intervals in map(type, body.operands):
        peaks = [operand for operand in body.operands if isinstance(operand, t.Intervals)]
        return peaks[0] if len(peaks) == 1 else None
    return None
