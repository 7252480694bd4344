"""The nodes of the IR: expressions over bounded integers, each of which has a value in every assignment.

A `NodeBuilder` (`planspec.solvers.ir.builder`) builds and shares nodes. Equal nodes are the same object, so back ends
cache them by identity. Lowering turns expressions that may be undefined into total expressions with explicit
conditions. The builder simplifies: a condition on one variable becomes an `InDomain`, and a comparison of constants
becomes TRUE or FALSE. One of two complementary comparisons is the `Negation` of the other. The attributes `low` and
`high` of a node are bounds of its value.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from planspec.solvers.ir.domain import Domain


@dataclass(frozen=True, slots=True, eq=False)
class IntVar:
    """An integer decision variable.

    Attributes:
        id: number of the variable in its problem, from 0. Assignments refer to variables by it.
        name: name for messages and proofs.
        domain: values that the variable may take. Back ends may derive narrower domains.
    """

    id: int
    name: str
    domain: Domain


@dataclass(frozen=True, slots=True, eq=False)
class Tabled:
    """An integer function of a few variables, given as a table.

    Its value is `values[codes]`, where `codes` are the values of `vars` in order, or `default` if the table lacks this
    combination. `low` and `high` are bounds of its value.
    """

    vars: tuple[IntVar, ...]
    values: Mapping[tuple[int, ...], int]
    default: int
    low: int
    high: int


@dataclass(frozen=True, slots=True, eq=False)
class Indicator:
    """An integer atom that is 1 if the condition holds, else 0."""

    condition: Bool


@dataclass(frozen=True, slots=True, eq=False)
class Select:
    """An integer atom: the value of the case (guard, value) whose guard holds; 0 if no guard holds.

    Guards are conditions. In any assignment, at most one of them holds. `low` and `high` are bounds of the value.
    """

    cases: tuple[tuple[Bool, Linear], ...]
    low: int
    high: int


@dataclass(frozen=True, slots=True, eq=False)
class Extreme:
    """An integer atom: the maximum or minimum of the values whose guards hold; 0 if no guard holds.

    `greatest` is true for the maximum. `cases` are pairs of a guard (a condition) and a value. `low` and `high` are
    bounds of the result.
    """

    greatest: bool
    cases: tuple[tuple[Bool, Linear], ...]
    low: int
    high: int


@dataclass(frozen=True, slots=True, eq=False)
class Quotient:
    """The integer atom `dividend / divisor`, rounded down. It is between `low` and `high`; the divisor is positive."""

    dividend: Linear
    divisor: int
    low: int
    high: int


@dataclass(frozen=True, slots=True, eq=False)
class Product:
    """The integer atom `left * right`, which lies between `low` and `high`."""

    left: Linear
    right: Linear
    low: int
    high: int


Atom: TypeAlias = IntVar | Tabled | Indicator | Select | Extreme | Quotient | Product
"""An integer term that occurs in linear expressions: a variable or a function of variables."""


@dataclass(frozen=True, slots=True, eq=False)
class Linear:
    """The linear expression `sum(coefficient * atom) + constant`. Each atom occurs once, and no coefficient is 0.

    Attributes:
        terms: pairs of an atom and its coefficient.
        constant: the constant.
        low: a lower bound of the value.
        high: an upper bound of the value.
    """

    terms: tuple[tuple[Atom, int], ...]
    constant: int
    low: int
    high: int

    @property
    def is_constant(self) -> bool:
        """Whether the expression is a constant, without any atom."""
        return not self.terms


@dataclass(frozen=True, slots=True, eq=False)
class BooleanConstant:
    """The constant condition TRUE or FALSE."""

    value: bool


TRUE = BooleanConstant(True)
"""The condition that always holds. The builder of nodes uses no other instance."""
FALSE = BooleanConstant(False)
"""The condition that never holds. The builder of nodes uses no other instance."""


@dataclass(frozen=True, slots=True, eq=False)
class InDomain:
    """The condition `var in domain`. `domain` is a non-empty, proper subset of the variable's domain."""

    var: IntVar
    domain: Domain


@dataclass(frozen=True, slots=True, eq=False)
class InTable:
    """The condition that the values of two or more variables, in order, form one of the tuples in `rows`."""

    vars: tuple[IntVar, ...]
    rows: frozenset[tuple[int, ...]]


@dataclass(frozen=True, slots=True, eq=False)
class AtMostZero:
    """The condition `linear <= 0`."""

    linear: Linear


@dataclass(frozen=True, slots=True, eq=False)
class IsZero:
    """The condition `linear == 0`."""

    linear: Linear


@dataclass(frozen=True, slots=True, eq=False)
class And:
    """Conjunction of two or more conditions."""

    items: tuple[Bool, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Or:
    """Disjunction of two or more conditions."""

    items: tuple[Bool, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Negation:
    """Negation of an `AtMostZero`, `IsZero`, `InTable`, `And` or `Or`.

    The negation of an `InDomain` is another `InDomain`, with the complement of the domain.
    """

    item: Bool


Bool: TypeAlias = BooleanConstant | InDomain | InTable | AtMostZero | IsZero | And | Or | Negation
BOOLS: tuple[type, ...] = (BooleanConstant, InDomain, InTable, AtMostZero, IsZero, And, Or, Negation)
"""The classes of conditions."""


def conjuncts(condition: Bool) -> tuple[Bool, ...]:
    """Return the items of a conjunction; for any other condition, a tuple of this condition alone."""
    return condition.items if isinstance(condition, And) else (condition,)


def add_parts(node: Bool | Linear | Atom, parts: set[int]) -> None:
    """Add the Python `id()` of a node and of all its descendants, except variables, to the set `parts`."""
    if id(node) in parts or isinstance(node, IntVar):
        return
    parts.add(id(node))
    match node:
        case Linear(terms=terms):
            inner: Iterable[Bool | Linear | Atom] = (atom for atom, _ in terms)
        case Indicator(condition=condition):
            inner = (condition,)
        case Negation(item=item):
            inner = (item,)
        case And(items=items) | Or(items=items):
            inner = items
        case AtMostZero(linear=linear) | IsZero(linear=linear) | Quotient(dividend=linear):
            inner = (linear,)
        case Select(cases=cases) | Extreme(cases=cases):
            inner = (part for case in cases for part in case)
        case Product(left=left, right=right):
            inner = (left, right)
        case _:
            inner = ()
    for each in inner:
        add_parts(each, parts)


def bounds(atom: Atom) -> tuple[int, int]:
    """Return a lower and an upper bound of the value of an atom."""
    match atom:
        case IntVar(domain=domain):
            return domain.low, domain.high
        case Indicator():
            return 0, 1
        case _:
            return atom.low, atom.high
