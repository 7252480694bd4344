"""The builtins: one row for each, read by the checker, the documentation and the completeness test."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from planspec.dsl.check.type_rules import NUMBERS, arithmetic, is_open, joined, unit_of
from planspec.dsl.model import tree as t
from planspec.dsl.model.types import ORDERED, ScalarType, Special, Type

Shape: TypeAlias = Literal["aggregate", "scalar", "relation"]
Typing: TypeAlias = Callable[[Sequence[Type]], Type | int]
"""Types of the arguments, or of an aggregate's body -> the type of the value, or the place of what has no meaning there."""

MOST = 64
"""The most arguments of `min` and `max`."""


def _no_value(_types: Sequence[Type]) -> Type | int:
    return 0


def _truth(_types: Sequence[Type]) -> Type | int:
    return ScalarType.BOOL


def _number(_types: Sequence[Type]) -> Type | int:
    return ScalarType.INT


def _itself(types: Sequence[Type]) -> Type | int:
    return 0 if is_open(types[0]) else types[0]


def _summed(types: Sequence[Type]) -> Type | int:
    return types[0] if unit_of(types[0]) in NUMBERS else 0


def _distance(types: Sequence[Type]) -> Type | int:
    return types[0] if types[0] in NUMBERS else 0


def _least(types: Sequence[Type]) -> Type | int:
    both = types[0]
    for place, type_ in enumerate(types[1:], 1):
        more = joined(both, type_)
        if more is None:
            return place
        both = more
    if both is Special.UNIT_ZERO:
        return ScalarType.INT
    return both if both in ORDERED else 0


def _quotient(types: Sequence[Type]) -> Type | int:
    made = None if any(map(is_open, types)) else arithmetic("//", *types)
    return 0 if made is None else made


def _day(types: Sequence[Type]) -> Type | int:
    return ScalarType.INT if types[0] is ScalarType.DATE else 0


def _occurs(types: Sequence[Type]) -> Type | int:
    bad = next((place for place, type_ in enumerate(types) if type_ is not ScalarType.TEXT), None)
    return ScalarType.BOOL if bad is None else bad


def _never(_args: Sequence[t.Expr]) -> bool:
    return False


def _with_them(args: Sequence[t.Expr]) -> bool:
    return any(arg.partial for arg in args)


def _unless_divided_by_a_number(args: Sequence[t.Expr]) -> bool:
    _, divisor = args
    return _with_them(args) or not (isinstance(divisor, t.Literal) and divisor.value > 0)


@dataclass(frozen=True, slots=True)
class Builtin:
    """A builtin function.

    Args:
        name: as it is written.
        shape: over a generator (aggregate), of arguments (scalar), or a relation to range over.
        signature: for people.
        none_when: when its value is none.
        doc: one sentence.
        example: an expression over the reference's sample task that the tests evaluate.
        keywords: keyword arguments and whether each is required.
        typed: which types it takes, and the type of its value.
        arity: the least and the greatest number of arguments; of an aggregate, where it takes values, too.
        body: what an aggregate looks at for each binding.
        own_type: its value is of its arguments' (or body's) type, which give it to each other.
        collection: an aggregate that takes a plain collection, too.
        repeats: an aggregate to which it matters how often a value occurs.
        partial: of these arguments (or this body) the value may be none.
        of_nothing: an aggregate that is none of nothing, so that its value may always be none.
        whole: what a unit times a decimal would be there, for people; empty where it may stand.
        refusal: the code and headline where the body of an aggregate has no meaning.
    """

    name: str
    shape: Shape
    signature: str
    none_when: str
    doc: str
    example: str
    keywords: tuple[tuple[str, bool], ...] = ()
    typed: Typing = _no_value
    arity: tuple[int, int] | None = None
    body: Literal["condition", "value"] = "value"
    own_type: bool = False
    collection: bool = False
    repeats: bool = False
    partial: Callable[[Sequence[t.Expr]], bool] = _never
    of_nothing: bool = False
    whole: str = ""
    refusal: tuple[str, str] = ("", "")


_ROWS = (
    Builtin(
        "all", "aggregate", "all(condition for ...) -> bool", "never",
        "True if the condition holds for every binding; of nothing, true.",
        example="all(v.cost >= 0 for v in visits)",
        typed=_truth, body="condition",
    ),
    Builtin(
        "any", "aggregate", "any(condition for ...) -> bool", "never",
        "True if the condition holds for some binding; of nothing, false.",
        example="any(v.mode == taxi for v in visits)",
        typed=_truth, body="condition",
    ),
    Builtin(
        "count", "aggregate", "count(x for ...) -> int", "never",
        "How many bindings there are; of nothing, 0. A condition stands behind `if`: as the value of `count` it is not asked.",
        example="count(v for v in visits if v.mode == taxi)",
        typed=_number, collection=True, repeats=True,
    ),
    Builtin(
        "sum", "aggregate", "sum(x for ...) -> the unit of x", "a term is none",
        "The sum of the terms; of nothing, 0.",
        example="sum(v.cost for v in visits)",
        typed=_summed, own_type=True, collection=True, repeats=True, partial=_with_them, refusal=("PS302", "{type} cannot be summed"),
    ),
    Builtin(
        "min", "aggregate", "min(x for ...), min(a, b, ...) -> the type of x", "of nothing, or a term is none",
        "The least value.",
        example="min(v.start for v in visits)",
        typed=_least, arity=(2, MOST), own_type=True, collection=True, partial=_with_them, of_nothing=True, whole="an argument of `min`", refusal=("PS317", "{type} has no order"),
    ),
    Builtin(
        "max", "aggregate", "max(x for ...), max(a, b, ...) -> the type of x", "of nothing, or a term is none",
        "The greatest value.",
        example="max(v.end for v in visits)",
        typed=_least, arity=(2, MOST), own_type=True, collection=True, partial=_with_them, of_nothing=True, whole="an argument of `max`", refusal=("PS317", "{type} has no order"),
    ),
    Builtin(
        "all_different", "aggregate", "all_different(x for ...) -> bool", "never (false if a term is none)",
        "True if no value occurs twice; of nothing, true.",
        example="all_different(v.place for v in visits)",
        typed=_truth, collection=True, repeats=True, whole="a value that is told apart",
    ),
    Builtin(
        "the", "aggregate", "the(x for ...) -> the type of x", "there is no binding, or several",
        "The value of the only binding.",
        example="the(p for p in Place if p.stars == 5)",
        typed=_itself, own_type=True, of_nothing=True, refusal=("PS315", "nothing says of which type this `the` is"),
    ),
    Builtin(
        "first", "aggregate", "first(x for ..., by=k) -> the type of x", "of nothing, or on a tie",
        "The value with the least key.",
        example="first(v for v in visits, by=v.start)", keywords=(("by", True),),
        typed=_itself, own_type=True, of_nothing=True, refusal=("PS315", "nothing says of which type this `first` is"),
    ),
    Builtin(
        "last", "aggregate", "last(x for ..., by=k) -> the type of x", "of nothing, or on a tie",
        "The value with the greatest key.",
        example="last(v for v in visits, by=v.start)", keywords=(("by", True),),
        typed=_itself, own_type=True, of_nothing=True, refusal=("PS315", "nothing says of which type this `last` is"),
    ),
    Builtin(
        "steps", "relation", "for a, b in steps(x for ..., by=k, per=g)", "never",
        "Pairs of neighbours: different rows of the same group, a not later than b, none strictly between; ties are steps both ways.",
        example="all(a.end <= b.start for a, b in steps(v for v in visits, by=v.start))", keywords=(("by", False), ("per", False)),
    ),
    Builtin(
        "abs", "scalar", "abs(x) -> the unit of x", "x is none",
        "The distance from zero.",
        example="abs(visits[museum].end - visits[museum].start - 90min) <= 30min",
        typed=_distance, arity=(1, 1), partial=_with_them, whole="an argument of `abs`",
    ),
    Builtin(
        "ceil_div", "scalar", "ceil_div(a, b) -> int, or the unit of a", "the divisor is not positive",
        "Division rounded up: by an int in the unit of a, by the same unit as an int.",
        example="ceil_div(party, 2)",
        typed=_quotient, arity=(2, 2), partial=_unless_divided_by_a_number, whole="an argument of `ceil_div`",
    ),
    Builtin(
        "day_of_week", "scalar", "day_of_week(d) -> int", "d is none",
        "The day of the week of a date, from 1 for Monday to 7 for Sunday (ISO 8601).",
        example="day_of_week(2026-07-05) in {6, 7}",
        typed=_day, arity=(1, 1), partial=_with_them, whole="an argument of `day_of_week`",
    ),
    Builtin(
        "contains", "scalar", "contains(text, part) -> bool", "never (false if an argument is none)",
        "True if `part` occurs in `text`, letter for letter.",
        example='contains(visits[museum].place.label, "old")',
        typed=_occurs, arity=(2, 2), whole="an argument of `contains`",
    ),
)  # fmt: skip

BUILTINS: dict[str, Builtin] = {row.name: row for row in _ROWS}
