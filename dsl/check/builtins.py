"""The table of builtin functions, which the checker, the documentation and the tests share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from planspec.dsl.check.type_rules import NUMBERS, arithmetic_type, common_type, is_open, without_factor
from planspec.dsl.model import tree as t
from planspec.dsl.model.types import ORDERED, ScalarType, Special, Type

Shape: TypeAlias = Literal["aggregate", "scalar", "relation"]
TypeOrIndex: TypeAlias = Type | int
"""A type, or the index of an argument with an unsuitable type."""
TypeRule: TypeAlias = Callable[[Sequence[Type]], TypeOrIndex]
"""Function from the types of the arguments, or of an aggregate's body, to the type of the value.

The result is the index of an argument if that argument is unsuitable.
"""

MAX_ARGUMENTS = 64
"""The maximum number of arguments of `min` and `max`."""


def _never_typed(_types: Sequence[Type]) -> TypeOrIndex:
    return 0


def _bool_type(_types: Sequence[Type]) -> TypeOrIndex:
    return ScalarType.BOOL


def _int_type(_types: Sequence[Type]) -> TypeOrIndex:
    return ScalarType.INT


def _type_of_single(types: Sequence[Type]) -> TypeOrIndex:
    return 0 if is_open(types[0]) else types[0]


def _type_of_sum(types: Sequence[Type]) -> TypeOrIndex:
    return types[0] if without_factor(types[0]) in NUMBERS else 0


def _type_of_difference(types: Sequence[Type]) -> TypeOrIndex:
    return types[0] if types[0] in NUMBERS else 0


def _type_of_least(types: Sequence[Type]) -> TypeOrIndex:
    both = types[0]
    for place, type_ in enumerate(types[1:], 1):
        wider = common_type(both, type_)
        if wider is None:
            return place
        both = wider
    if both is Special.UNIT_ZERO:
        return ScalarType.INT
    return both if both in ORDERED else 0


def _type_of_quotient(types: Sequence[Type]) -> TypeOrIndex:
    type_ = None if any(map(is_open, types)) else arithmetic_type("//", *types)
    return 0 if type_ is None else type_


def _type_of_day_number(types: Sequence[Type]) -> TypeOrIndex:
    return ScalarType.INT if types[0] is ScalarType.DATE else 0


def _type_of_text_test(types: Sequence[Type]) -> TypeOrIndex:
    bad = next((place for place, type_ in enumerate(types) if type_ is not ScalarType.TEXT), None)
    return ScalarType.BOOL if bad is None else bad


def _is_never_partial(_args: Sequence[t.Expr]) -> bool:
    return False


def _is_any_partial(args: Sequence[t.Expr]) -> bool:
    return any(arg.partial for arg in args)


def _may_divide_by_zero(args: Sequence[t.Expr]) -> bool:
    _, divisor = args
    return _is_any_partial(args) or not (isinstance(divisor, t.Literal) and divisor.value > 0)


@dataclass(frozen=True, slots=True)
class Builtin:
    """A builtin function.

    Args:
        name: its name.
        shape: `aggregate` (takes a generator), `scalar` (takes values) or `relation` (a collection for
            `for`).
        signature: signature in the documentation.
        none_when: condition under which its value is *none*.
        doc: description in one sentence.
        example: an expression over the reference's sample task, evaluated by the tests.
        keywords: pairs of a keyword argument and whether it is required.
        type_rule: returns the type of the value, or the index of an argument with an unsuitable type.
        arity: minimum and maximum number of values as arguments; None if it takes none.
        body: whether an aggregate evaluates a condition or a value for each binding.
        own_type: whether the value has the type of the arguments or of the body, as in `min(a, b)`.
        collection: whether an aggregate also takes a plain collection.
        repeats: whether repeated values change the result of an aggregate, as in `sum`.
        partial: returns whether the value may be *none*, given the arguments (or body).
        none_if_empty: whether an aggregate over an empty collection is *none*.
        whole: name of the argument that may not be an amount multiplied by a decimal, such as `1.5 * price`. The
            message names it so. Empty if such an amount is allowed.
        refusal: code and headline of the diagnostic for an unsuitable body of an aggregate.
    """

    name: str
    shape: Shape
    signature: str
    none_when: str
    doc: str
    example: str
    keywords: tuple[tuple[str, bool], ...] = ()
    type_rule: TypeRule = _never_typed
    arity: tuple[int, int] | None = None
    body: Literal["condition", "value"] = "value"
    own_type: bool = False
    collection: bool = False
    repeats: bool = False
    partial: Callable[[Sequence[t.Expr]], bool] = _is_never_partial
    none_if_empty: bool = False
    whole: str = ""
    refusal: tuple[str, str] = ("", "")


_ROWS = (
    Builtin(
        "all",
        "aggregate",
        "all(condition for ...) -> bool",
        "never",
        "True if the condition holds for every binding; true without any binding.",
        example="all(v.cost >= 0 for v in visits)",
        type_rule=_bool_type,
        body="condition",
    ),
    Builtin(
        "any",
        "aggregate",
        "any(condition for ...) -> bool",
        "never",
        "True if the condition holds for some binding; false without any binding.",
        example="any(v.mode == taxi for v in visits)",
        type_rule=_bool_type,
        body="condition",
    ),
    Builtin(
        "count",
        "aggregate",
        "count(x for ...) -> int",
        "never",
        "The number of bindings; 0 without any. Conditions belong behind `if`.",
        example="count(v for v in visits if v.mode == taxi)",
        type_rule=_int_type,
        collection=True,
        repeats=True,
    ),
    Builtin(
        "sum",
        "aggregate",
        "sum(x for ...) -> the unit of x",
        "a term is none",
        "The sum of the terms; 0 without any.",
        example="sum(v.cost for v in visits)",
        type_rule=_type_of_sum,
        own_type=True,
        collection=True,
        repeats=True,
        partial=_is_any_partial,
        refusal=("PS302", "{type} cannot be summed"),
    ),
    Builtin(
        "min",
        "aggregate",
        "min(x for ...), min(a, b, ...) -> the type of x",
        "there is no term, or a term is none",
        "The smallest value.",
        example="min(v.start for v in visits)",
        type_rule=_type_of_least,
        arity=(2, MAX_ARGUMENTS),
        own_type=True,
        collection=True,
        partial=_is_any_partial,
        none_if_empty=True,
        whole="an argument of `min`",
        refusal=("PS317", "{type} has no order"),
    ),
    Builtin(
        "max",
        "aggregate",
        "max(x for ...), max(a, b, ...) -> the type of x",
        "there is no term, or a term is none",
        "The largest value.",
        example="max(v.end for v in visits)",
        type_rule=_type_of_least,
        arity=(2, MAX_ARGUMENTS),
        own_type=True,
        collection=True,
        partial=_is_any_partial,
        none_if_empty=True,
        whole="an argument of `max`",
        refusal=("PS317", "{type} has no order"),
    ),
    Builtin(
        "all_different",
        "aggregate",
        "all_different(x for ...) -> bool",
        "never",
        "True if no value occurs twice; true without any value, and false if a term is none.",
        example="all_different(v.place for v in visits)",
        type_rule=_bool_type,
        collection=True,
        repeats=True,
        whole="a value that is compared",
    ),
    Builtin(
        "no_overlap",
        "aggregate",
        "no_overlap(x for ..., from=a, to=b, gap=g, per=k) -> bool",
        "never",
        "True if, of any two rows of a group, one's end plus gap is at most the other's start. False if a row has only a start or only an end, or ends before it starts.",
        example="no_overlap(v for v in visits, from=v.start, to=v.end, gap=15min)",
        keywords=(("from", True), ("to", True), ("gap", False), ("per", False)),
        type_rule=_bool_type,
    ),
    Builtin(
        "peak",
        "aggregate",
        "peak(x for ..., from=a, to=b, per=k) -> the unit of x",
        "a term is none, or a row has only a start or only an end, or ends before it starts",
        "The largest sum of x over a group's rows that run at the same moment, `from` included and `to` excluded; at least 0.",
        example="peak(1 for v in visits, from=v.start, to=v.end) <= 2",
        keywords=(("from", True), ("to", True), ("per", False)),
        type_rule=_type_of_sum,
        own_type=True,
        refusal=("PS302", "{type} cannot be summed"),
    ),
    Builtin(
        "the",
        "aggregate",
        "the(x for ...) -> the type of x",
        "there is no binding, or several",
        "The value of the only binding.",
        example="the(p for p in Place if p.stars == 5)",
        type_rule=_type_of_single,
        own_type=True,
        none_if_empty=True,
        refusal=("PS315", "the type of this `the` cannot be determined"),
    ),
    Builtin(
        "first",
        "aggregate",
        "first(x for ..., by=k) -> the type of x",
        "there is no binding, or a tie",
        "The value with the smallest `by`.",
        example="first(v for v in visits, by=v.start)",
        keywords=(("by", True),),
        type_rule=_type_of_single,
        own_type=True,
        none_if_empty=True,
        refusal=("PS315", "the type of this `first` cannot be determined"),
    ),
    Builtin(
        "last",
        "aggregate",
        "last(x for ..., by=k) -> the type of x",
        "there is no binding, or a tie",
        "The value with the largest `by`.",
        example="last(v for v in visits, by=v.start)",
        keywords=(("by", True),),
        type_rule=_type_of_single,
        own_type=True,
        none_if_empty=True,
        refusal=("PS315", "the type of this `last` cannot be determined"),
    ),
    Builtin(
        "steps",
        "relation",
        "for a, b in steps(x for ..., by=k, per=g)",
        "never",
        "Pairs of neighbours among the rows of a group: a is not later than b, and no row lies strictly between.",
        example="all(a.end <= b.start for a, b in steps(v for v in visits, by=v.start))",
        keywords=(("by", False), ("per", False)),
    ),
    Builtin(
        "abs",
        "scalar",
        "abs(x) -> the unit of x",
        "x is none",
        "The absolute value.",
        example="abs(visits[museum].end - visits[museum].start - 90min) <= 30min",
        type_rule=_type_of_difference,
        arity=(1, 1),
        partial=_is_any_partial,
        whole="an argument of `abs`",
    ),
    Builtin(
        "ceil_div",
        "scalar",
        "ceil_div(a, b) -> int, or the unit of a",
        "the divisor is not positive",
        "Division rounded up: in the unit of a if b is an int, and an int if b has that unit.",
        example="ceil_div(party, 2)",
        type_rule=_type_of_quotient,
        arity=(2, 2),
        partial=_may_divide_by_zero,
        whole="an argument of `ceil_div`",
    ),
    Builtin(
        "day_of_week",
        "scalar",
        "day_of_week(d) -> int",
        "d is none",
        "The day of the week of a date, from 1 for Monday to 7 for Sunday (ISO 8601).",
        example="day_of_week(2026-07-05) in {6, 7}",
        type_rule=_type_of_day_number,
        arity=(1, 1),
        partial=_is_any_partial,
        whole="an argument of `day_of_week`",
    ),
    Builtin(
        "contains",
        "scalar",
        "contains(text, part) -> bool",
        "never",
        "True if `part` occurs in `text`, letter for letter; false if an argument is none.",
        example='contains(visits[museum].place.label, "old")',
        type_rule=_type_of_text_test,
        arity=(2, 2),
        whole="an argument of `contains`",
    ),
)

BUILTINS: dict[str, Builtin] = {row.name: row for row in _ROWS}
