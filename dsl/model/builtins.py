"""The builtins: one row for each, read by the checker, the documentation and the completeness test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Shape = Literal["aggregate", "scalar", "relation"]


@dataclass(frozen=True, slots=True)
class Builtin:
    """A builtin function.

    Args:
        name: as it is written.
        shape: over a generator (aggregate), of arguments (scalar), or a relation to range over.
        signature: for people.
        none_when: when its value is none.
        doc: one sentence.
        keywords: keyword arguments and whether each is required.
        example: an expression over the reference's sample task that the tests evaluate.
    """

    name: str
    shape: Shape
    signature: str
    none_when: str
    doc: str
    keywords: tuple[tuple[str, bool], ...] = ()
    example: str = ""


_ROWS = (
    Builtin("all", "aggregate", "all(condition for ...) -> bool", "never", "True if the condition holds for every binding; of nothing, true.", (), "all(v.cost >= 0 for v in visits)"),
    Builtin("any", "aggregate", "any(condition for ...) -> bool", "never", "True if the condition holds for some binding; of nothing, false.", (), "any(v.mode == taxi for v in visits)"),
    Builtin("count", "aggregate", "count(x for ...) -> int", "never", "How many bindings there are; of nothing, 0.", (), "count(v for v in visits if v.mode == taxi)"),
    Builtin("sum", "aggregate", "sum(x for ...) -> the unit of x", "a term is none", "The sum of the terms; of nothing, 0.", (), "sum(v.cost for v in visits)"),
    Builtin("min", "aggregate", "min(x for ...), min(a, b, ...) -> the type of x", "of nothing, or a term is none", "The least value.", (), "min(v.start for v in visits)"),
    Builtin("max", "aggregate", "max(x for ...), max(a, b, ...) -> the type of x", "of nothing, or a term is none", "The greatest value.", (), "max(v.end for v in visits)"),
    Builtin("all_different", "aggregate", "all_different(x for ...) -> bool", "never (false if a term is none)", "True if no value occurs twice; of nothing, true.", (), "all_different(v.place for v in visits)"),
    Builtin("the", "aggregate", "the(x for ...) -> the type of x", "there is no binding, or several", "The value of the only binding.", (), "the(p for p in Place if p.stars == 5)"),
    Builtin("first", "aggregate", "first(x for ..., by=k) -> the type of x", "of nothing, or on a tie", "The value with the least key.", (("by", True),), "first(v for v in visits, by=v.start)"),
    Builtin("last", "aggregate", "last(x for ..., by=k) -> the type of x", "of nothing, or on a tie", "The value with the greatest key.", (("by", True),), "last(v for v in visits, by=v.start)"),
    Builtin("steps", "relation", "for a, b in steps(x for ..., by=k, per=g)", "never", "Pairs of neighbours: different rows of the same group, a not later than b, none strictly between; ties are steps both ways.", (("by", False), ("per", False)), "all(a.end <= b.start for a, b in steps(v for v in visits, by=v.start))"),
    Builtin("abs", "scalar", "abs(x) -> the unit of x", "x is none", "The distance from zero.", (), "abs(visits[museum].end - visits[museum].start - 90min) <= 30min"),
    Builtin("ceil_div", "scalar", "ceil_div(a, b) -> int, or the unit of a", "the divisor is not positive", "Division rounded up: by an int in the unit of a, by the same unit as an int.", (), "ceil_div(party, 2)"),
    Builtin("day_of_week", "scalar", "day_of_week(d) -> int", "d is none", "The day of the week of a date, from 1 for Monday to 7 for Sunday (ISO 8601).", (), "day_of_week(2026-07-05) in {6, 7}"),
    Builtin("contains", "scalar", "contains(text, part) -> bool", "never (false if an argument is none)", "True if `part` occurs in `text`, letter for letter.", (), 'contains(visits[museum].place.label, "old")'),
)  # fmt: skip

BUILTINS: dict[str, Builtin] = {row.name: row for row in _ROWS}
AGGREGATES = frozenset(row.name for row in _ROWS if row.shape == "aggregate")
