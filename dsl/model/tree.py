"""The checked tree: expressions whose names, types and stages are known.

A closed union of frozen nodes. Every node carries its type, its span, its stage (STATIC where it mentions
no plan table, taking parameters for static) and whether it may be none (`partial`). Values are those of
`planspec.dsl.model.types`: integers for every unit, `Fraction` for decimal, text for text and enum members, rows
for references, tuples for sets and lists, `None` for none.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeAlias
from typing import Literal as Lit

from planspec.dsl.diagnostics.source import Span
from planspec.dsl.model.types import Column, EnumType, Stage, Table, Type


@dataclass(frozen=True, slots=True, eq=False)
class Binding:
    """A variable that a generator, a `for:` or a parameter binds; compares by identity."""

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
    """The base of all expressions."""

    type: Type
    span: Span
    stage: Stage
    partial: bool


@dataclass(frozen=True, slots=True, eq=False)
class Literal(Typed):
    """A constant: a literal, an enum member (its name), a static row by its key, `none` (value None)."""

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
    """A static row by its key, known only when the world is (`Place.pergamon`, or a bare key).

    Resolved at run time through `by_key[(key,)]` of the task's facts; the checker has made sure that it is there
    whenever the world's rows are known.
    """

    table: Table
    key: Any


@dataclass(frozen=True, slots=True, eq=False)
class Apply(Typed):
    """A definition's value (`args` empty and no parameters) or a call of it.

    Strict in each argument whose parameter is not optional: none in, none out (false if Boolean).
    """

    definition: Definition
    args: tuple[Expr, ...]


@dataclass(frozen=True, slots=True, eq=False)
class FieldOf(Typed):
    """A column of a row; none of none."""

    row: Expr
    column: Column


@dataclass(frozen=True, slots=True, eq=False)
class Lookup(Typed):
    """`T[k, ...]`: the row with these leading key columns, none if no or several present rows have them."""

    table: Table
    keys: tuple[Expr, ...]


@dataclass(frozen=True, slots=True, eq=False)
class OnlyRow(Typed):
    """The row of a `one` table (`lodging`), none if there is not exactly one."""

    table: Table


@dataclass(frozen=True, slots=True, eq=False)
class Negate(Typed):
    """`-x`."""

    operand: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Arith(Typed):
    """`left op right` on numbers with units; `//` and `%` floor and are none where the divisor is not positive.

    date + time is a moment: 1440 * date + time.  Strict.
    """

    op: Lit["+", "-", "*", "//", "%"]
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Compare(Typed):
    """`a op b op c ...`: one atom; false if any operand is none. Each operand is evaluated once.

    Integers against decimals compare exactly. `==`/`!=` on rows is identity, on sets equality as sets.
    """

    operands: tuple[Expr, ...]
    ops: tuple[Lit["==", "!=", "<", "<=", ">", ">="], ...]


@dataclass(frozen=True, slots=True, eq=False)
class InSet(Typed):
    """`item in collection` (or `not in`): false if either is none."""

    item: Expr
    collection: Expr  # of a set or list type; a RangeOf is a set type too
    negated: bool


@dataclass(frozen=True, slots=True, eq=False)
class IsNone(Typed):
    """`x is none` / `x is not none`; never none itself."""

    operand: Expr
    negated: bool


@dataclass(frozen=True, slots=True, eq=False)
class IsUnknown(Typed):
    """`row.column is unknown`: the answer named something there and no row has that name.

    False where `row` is none (also negated: `is not unknown` is true there); constantly false in a solver.
    """

    row: Expr
    column: Column
    negated: bool


@dataclass(frozen=True, slots=True, eq=False)
class Coalesce(Typed):
    """`left ?? right`."""

    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Conditional(Typed):
    """`then if condition else otherwise`; the branch not taken is not evaluated."""

    condition: Expr
    then: Expr
    otherwise: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Not(Typed):
    """`not x`."""

    operand: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Logic(Typed):
    """`a and b and ...`, `a or b or ...`, `a implies b` (two operands); left to right, short-circuit.

    Operands are Boolean expressions, so none of them is ever none.
    """

    op: Lit["and", "or", "implies"]
    operands: tuple[Expr, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Call(Typed):
    """A builtin scalar function of `planspec.dsl.check.builtins`; strict."""

    function: str
    args: tuple[Expr, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Aggregate(Typed):
    """An aggregate over the bindings of `clauses` whose conditions are true.

    `all any count sum min max all_different the first last`. `count(v for ...)` counts bindings; its body is
    evaluated for nothing. `first`/`last` use `by` (least / greatest; none on a tie or of nothing; bindings
    whose `by` is none take no part). `the`: the body of the only binding, none otherwise. A none term makes
    `sum`, `min`, `max` none and `all_different` false.
    """

    function: Lit["all", "any", "count", "sum", "min", "max", "all_different", "the", "first", "last"]
    body: Expr
    clauses: tuple[Clause, ...]
    by: Expr | None = None


@dataclass(frozen=True, slots=True, eq=False)
class SetLiteral(Typed):
    """`{a, b, c}`; strict."""

    items: tuple[Expr, ...]


@dataclass(frozen=True, slots=True, eq=False)
class SetOf(Typed):
    """`(body for ... if ...)`: the distinct bodies in order; none bodies are left out."""

    body: Expr
    clauses: tuple[Clause, ...]


@dataclass(frozen=True, slots=True, eq=False)
class RangeOf(Typed):
    """`low..high step s`: both ends in; as a set it holds low, low+s, ... up to high. Strict.

    As the right side of `in` without a step it is an interval test (and `low`, `high` may be planned).
    `step` None is one unit. A step that is not positive is none.
    """

    low: Expr
    high: Expr
    step: Expr | None


@dataclass(frozen=True, slots=True, eq=False)
class AllRows(Typed):
    """A table's name as a collection: all its (present) rows."""

    table: Table


@dataclass(frozen=True, slots=True, eq=False)
class AllMembers(Typed):
    """An enum's name as a collection: its members in order."""

    enum: EnumType


@dataclass(frozen=True, slots=True, eq=False)
class Steps(Typed):
    """`steps(body for ... if ..., by=, per=)`: the relation of neighbours (see language reference).

    The clauses' bindings are visible in `body`, `by` and `per`. Elements are the bodies of the true
    bindings, told apart by their place; those with none `by` or `per` take no part. `by` None (over one
    list only): order of the list.
    """

    body: Expr
    clauses: tuple[Clause, ...]
    by: Expr | None
    per: Expr | None


@dataclass(frozen=True, slots=True, eq=False)
class Clause:
    """`for targets in source if condition`: two targets if the source is Steps, else one.

    A later clause sees the targets of the earlier ones; the condition sees them and its own targets.
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
    | SetLiteral
    | SetOf
    | RangeOf
    | AllRows
    | AllMembers
    | Steps
)

TextPart: TypeAlias = str | Expr
"""A piece of a message: text, or the expression of a hole."""


@dataclass(slots=True, eq=False)
class Definition:
    """A named value or function; `body` is set once it is checked.

    A predicate (Boolean) may carry the kind and message that a constraint which is one call of it inherits.
    `message` sees the parameters and the variables of the body's outermost `all` or `all_different`.
    """

    name: str
    params: tuple[Binding, ...]
    span: Span
    body: Expr = field(init=False)
    kind: str | None = None
    message: tuple[TextPart, ...] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Constraint:
    """A rule: its template over `clauses` (the `for:`), one instance for each binding.

    `weight` is that of a soft constraint, 1 if it is None; it sees the `for:` variables.
    `message` (and `margin`) see the `for:` variables and those of the body's outermost `all` or `all_different`; a body that is
    one call of a predicate inherits kind and message of that predicate (`message` then None). `says` is what the rule
    asks, in the author's words; it sees the `for:` variables. `background`: an explanation never gives the rule up.
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
    span: Span  # of the body's text
    says: tuple[TextPart, ...] | None = None
    background: bool = False
