"""The checked tree: expressions with resolved names, types and stages.

The nodes are a closed union of frozen dataclasses. Every node has a type, a span, a stage (STATIC if it mentions no
plan table; parameters count as static) and `partial`, which is true if its value may be *none*. Values are as described
in `planspec.dsl.model.types`: integers for every unit, `Fraction` for decimals, strings for texts and enum
members, rows for references, tuples for sets and lists, and `None` for *none*. A strict expression is *none* if an
operand is *none*.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeAlias
from typing import Literal as Lit

from planspec.dsl.diagnostics.source import Span
from planspec.dsl.model.types import Column, EnumType, Stage, Table, Type


@dataclass(frozen=True, slots=True, eq=False)
class Binding:
    """A variable bound by a generator, a `for:` or a parameter. Bindings are compared by identity."""

    name: str
    type: Type
    span: Span
    optional: bool = False  # a parameter of type `T?`, or `for x in` over values that may be none


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """A typed parameter of a task; its value is in `Task.givens` under its name."""

    name: str
    type: Type
    optional: bool
    span: Span
    has_default: bool = False
    default: Any = None


@dataclass(frozen=True, slots=True, eq=False)
class Typed:
    """Base class of all expressions.

    Attributes:
        stage: whether the value depends on the plan.
        partial: whether the value may be *none*.
    """

    type: Type
    span: Span
    stage: Stage
    partial: bool


@dataclass(frozen=True, slots=True, eq=False)
class Literal(Typed):
    """A constant: a literal, an enum member (its name), a static row by its key, or *none* (value `None`)."""

    value: Any


@dataclass(frozen=True, slots=True, eq=False)
class Var(Typed):
    """A bound variable."""

    binding: Binding


@dataclass(frozen=True, slots=True, eq=False)
class GivenRef(Typed):
    """The value of a given."""

    given: Given


@dataclass(frozen=True, slots=True, eq=False)
class RowNamed(Typed):
    """A reference to a static row by its key, such as `Place.pergamon`, in a document checked without the world.

    It is resolved at run time through `by_key[(key,)]` of the task's facts. The checker has verified that
    the key exists if the world's rows are available to it.
    """

    table: Table
    key: Any


@dataclass(frozen=True, slots=True, eq=False)
class Apply(Typed):
    """The value of a definition without parameters (`args` is empty), or a call of a definition.

    A call is strict in each argument whose parameter is not optional: if the argument is *none*, the value is *none*,
    or false for a Boolean definition.
    """

    definition: Definition
    args: tuple[Expr, ...]


@dataclass(frozen=True, slots=True, eq=False)
class FieldOf(Typed):
    """The value of a column of a row; *none* if the row is *none*."""

    row: Expr
    column: Column


@dataclass(frozen=True, slots=True, eq=False)
class Lookup(Typed):
    """`T[k, ...]`: the only row with these values in the first key columns; *none* if there is no row or several."""

    table: Table
    keys: tuple[Expr, ...]


@dataclass(frozen=True, slots=True, eq=False)
class OnlyRow(Typed):
    """The row of a plan table with `one: true`, such as `lodging`; *none* unless there is exactly one row."""

    table: Table


@dataclass(frozen=True, slots=True, eq=False)
class Negate(Typed):
    """`-x`."""

    operand: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Arith(Typed):
    """`left op right` on numbers with units, strict.

    `//` and `%` round down, and are *none* if the divisor is not positive. A date plus a time is a moment:
    1440 * date + time.
    """

    op: Lit["+", "-", "*", "//", "%"]
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Compare(Typed):
    """`a op b op c ...`: a single condition, false if any operand is *none*. Each operand is evaluated once.

    Integers and decimals are compared exactly. `==` and `!=` compare rows by identity and sets as sets.
    """

    operands: tuple[Expr, ...]
    ops: tuple[Lit["==", "!=", "<", "<=", ">", ">="], ...]


@dataclass(frozen=True, slots=True, eq=False)
class InSet(Typed):
    """`item in collection` (or `not in`): false if either is *none*."""

    item: Expr
    collection: Expr  # of a set or list type, such as a RangeOf
    negated: bool


@dataclass(frozen=True, slots=True, eq=False)
class IsNone(Typed):
    """`x is none` or `x is not none`; never *none* itself."""

    operand: Expr
    negated: bool


@dataclass(frozen=True, slots=True, eq=False)
class IsUnknown(Typed):
    """`row.column is unknown`: the answer has a name in this column that is not the name of a row.

    False if `row` is *none* (then `is not unknown` is true). Always false in a solver.
    """

    row: Expr
    column: Column
    negated: bool


@dataclass(frozen=True, slots=True, eq=False)
class Coalesce(Typed):
    """`left ?? right`: the value of `left` or, if that is *none*, of `right`."""

    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Conditional(Typed):
    """`then if condition else otherwise`; the other branch is not evaluated."""

    condition: Expr
    then: Expr
    otherwise: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Not(Typed):
    """`not x`."""

    operand: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Logic(Typed):
    """`a and b and ...`, `a or b or ...`, or `a implies b` (two operands), from left to right with short-circuiting.

    Operands are Boolean expressions and therefore never *none*.
    """

    op: Lit["and", "or", "implies"]
    operands: tuple[Expr, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Call(Typed):
    """A call of a scalar function of `planspec.dsl.check.builtins`; strict."""

    function: str
    args: tuple[Expr, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Aggregate(Typed):
    """An aggregate over the bindings of `clauses` whose conditions are true.

    `count(v for ...)` counts bindings and ignores its body. `first` and `last` are the body of the binding with the
    minimum or maximum `by`, *none* on a tie or without bindings; bindings whose `by` is *none* are left out. `the` is
    the body of the only binding, otherwise *none*. A term that is *none* makes `sum`, `min` and `max` *none* and `all_different` false.
    """

    function: Lit["all", "any", "count", "sum", "min", "max", "all_different", "the", "first", "last"]
    body: Expr
    clauses: tuple[Clause, ...]
    by: Expr | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Intervals(Typed):
    """`no_overlap(body for ..., from=, to=, gap=, per=)` or `peak(body for ..., from=, to=, per=)`.

    Each true binding has an interval from `start` to `end`. Bindings with *none* for both ends, or for `per`, are
    left out. If exactly one end is *none*, or `end` is before `start`, `no_overlap` is false and `peak` is *none*.

    `no_overlap` holds if, for any two intervals of a group, one of them ends and its `gap` passes before or when the
    other starts. No interval may follow one whose gap is *none*; a negative gap counts as 0. `peak` is the maximum,
    over all moments and groups, of the sum of the bodies of the intervals that contain the moment
    (`start <= moment < end`). It is at least 0, and *none* if a body is *none*.

    The variables `shown` are also visible in messages and margins: the elements `earlier` and `later` of `no_overlap`,
    and the moment `at` of `peak`.
    """

    function: Lit["no_overlap", "peak"]
    body: Expr
    clauses: tuple[Clause, ...]
    start: Expr
    end: Expr
    gap: Expr | None
    per: Expr | None
    shown: tuple[Binding, ...]


@dataclass(frozen=True, slots=True, eq=False)
class SetLiteral(Typed):
    """`{a, b, c}`; strict."""

    items: tuple[Expr, ...]


@dataclass(frozen=True, slots=True, eq=False)
class SetOf(Typed):
    """`(body for ... if ...)`: the distinct values of `body` in order, without *none*."""

    body: Expr
    clauses: tuple[Clause, ...]


@dataclass(frozen=True, slots=True, eq=False)
class RangeOf(Typed):
    """`low..high step s`: an inclusive range, strict. As a set, it contains low, low+s, ... up to high.

    On the right of `in` and without a step, it is an interval test, and `low` and `high` may depend on the plan. A
    `step` of `None` is one unit. The range is *none* if the step is not positive.
    """

    low: Expr
    high: Expr
    step: Expr | None


@dataclass(frozen=True, slots=True, eq=False)
class AllRows(Typed):
    """A table name as a collection: all rows of the table, in a plan table the rows of the plan."""

    table: Table


@dataclass(frozen=True, slots=True, eq=False)
class AllMembers(Typed):
    """An enum name as a collection: its members in order."""

    enum: EnumType


@dataclass(frozen=True, slots=True, eq=False)
class Steps(Typed):
    """`steps(body for ... if ..., by=, per=)`: the pairs of consecutive elements of a collection.

    The elements are the values of `body`, one for each binding of the clauses' variables that satisfies the conditions.
    Two elements are consecutive if they have equal values of `per` and none of this group lies between them in the
    order of `by`. Elements whose `by` or `per` is *none* are left out. `by` and `per` may use the clauses' variables.
    If `by` is `None`, which is possible only over a single list, the elements keep the order of the list.
    """

    body: Expr
    clauses: tuple[Clause, ...]
    by: Expr | None
    per: Expr | None


@dataclass(frozen=True, slots=True, eq=False)
class Clause:
    """`for targets in source if condition`: two targets if the source is `Steps`, otherwise one.

    The targets of earlier clauses are visible in a clause. In its condition, its own targets are also visible.
    """

    targets: tuple[Binding, ...]
    source: Expr
    condition: Expr | None


Expr: TypeAlias = (
    Literal
    | Var
    | GivenRef
    | RowNamed
    | Apply
    | FieldOf
    | Lookup
    | OnlyRow
    | Negate
    | Arith
    | Compare
    | InSet
    | IsNone
    | IsUnknown
    | Coalesce
    | Conditional
    | Not
    | Logic
    | Call
    | Aggregate
    | Intervals
    | SetLiteral
    | SetOf
    | RangeOf
    | AllRows
    | AllMembers
    | Steps
)

TextPart: TypeAlias = str | Expr
"""A part of a message: text, or the expression in a placeholder."""


@dataclass(slots=True, eq=False)
class Definition:
    """A named value or function; `body` is set once it is checked.

    A predicate (a Boolean definition) may have a kind and a message. A constraint inherits both if its body is a
    single call of the predicate. In `message`, the parameters are visible, and so are the variables of the body's
    outermost `all`, `all_different`, `no_overlap` or comparison of a `peak`.
    """

    name: str
    params: tuple[Binding, ...]
    span: Span
    body: Expr = field(init=False)
    kind: str | None = None
    message: tuple[TextPart, ...] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Constraint:
    """A constraint, with one instance for each binding of `clauses` (its `for:`).

    `weight` is the weight of a soft constraint; `None` stands for 1. `says` is the author's wording of the rule.
    The `for:` variables are visible in `weight`, `says`, `message` and `margin`. In `message` and `margin`, the
    variables of the body's outermost `all`, `all_different`, `no_overlap` or comparison of a `peak` are also visible.
    If the body is a single call of a predicate, the constraint inherits the predicate's kind and message (`message`
    is then `None`). Explanations never suggest giving up a `background` constraint.
    """

    id: str
    clauses: tuple[Clause, ...]
    when: Expr | None
    hard: bool
    weight: Expr | None
    body: Expr
    kind: str | None
    message: tuple[TextPart, ...] | None
    margin: Expr | None
    span: Span  # location of the body
    says: tuple[TextPart, ...] | None = None
    background: bool = False
