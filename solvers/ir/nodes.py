"""The solvers' language: a few kinds of total expressions over bounded integers.

A `NodeBuilder` (`planspec.solvers.ir.builder`) makes and interns every node, so equal nodes are the same
object and back ends cache by identity. Every expression has a value, because lowering has made definedness
explicit. Constants are folded when nodes are made: a condition on one variable becomes an
`InDomain`, a comparison of constants becomes TRUE or FALSE, and one of two complementary comparisons is the
`Negation` of the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from planspec.solvers.ir.domain import Domain


@dataclass(frozen=True, slots=True, eq=False)
class IntVar:
    """A decision variable. `domain` is its initial domain, which presolve may narrow."""

    id: int
    name: str
    domain: Domain


@dataclass(frozen=True, slots=True, eq=False)
class Tabled:
    """An integer function of a few variables, given as a table: `values[codes]`, or `default` for missing codes."""

    vars: tuple[IntVar, ...]
    values: Mapping[tuple[int, ...], int]
    default: int
    low: int
    high: int


@dataclass(frozen=True, slots=True, eq=False)
class Indicator:
    """1 if the condition holds, else 0."""

    condition: Bool


@dataclass(frozen=True, slots=True, eq=False)
class Select:
    """The value of the case whose guard holds; 0 if no guard holds. Guards exclude one another."""

    cases: tuple[tuple[Bool, Linear], ...]
    low: int
    high: int


@dataclass(frozen=True, slots=True, eq=False)
class Extreme:
    """The maximum (or minimum) of the cases whose guards hold; 0 if no guard holds."""

    greatest: bool
    cases: tuple[tuple[Bool, Linear], ...]
    low: int
    high: int


@dataclass(frozen=True, slots=True, eq=False)
class Quotient:
    """`dividend / divisor`, rounded down; the divisor is positive."""

    dividend: Linear
    divisor: int
    low: int
    high: int


@dataclass(frozen=True, slots=True, eq=False)
class Product:
    """`left * right`."""

    left: Linear
    right: Linear
    low: int
    high: int


Atom: TypeAlias = IntVar | Tabled | Indicator | Select | Extreme | Quotient | Product


@dataclass(frozen=True, slots=True, eq=False)
class Linear:
    """`sum(coefficient * atom) + constant`. Each atom occurs once, and no coefficient is 0."""

    terms: tuple[tuple[Atom, int], ...]
    constant: int
    low: int
    high: int

    @property
    def is_constant(self) -> bool:
        """Whether the expression has no atom."""
        return not self.terms


@dataclass(frozen=True, slots=True, eq=False)
class BooleanConstant:
    """TRUE or FALSE."""

    value: bool


TRUE = BooleanConstant(True)
FALSE = BooleanConstant(False)


@dataclass(frozen=True, slots=True, eq=False)
class InDomain:
    """`var in domain`, where `domain` is a proper, non-empty part of the variable's own domain."""

    var: IntVar
    domain: Domain


@dataclass(frozen=True, slots=True, eq=False)
class InTable:
    """The codes of two or more variables together form one of `rows`."""

    vars: tuple[IntVar, ...]
    rows: frozenset[tuple[int, ...]]


@dataclass(frozen=True, slots=True, eq=False)
class AtMostZero:
    """`linear <= 0`."""

    linear: Linear


@dataclass(frozen=True, slots=True, eq=False)
class IsZero:
    """`linear == 0`."""

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

    The negation of an `InDomain` is an `InDomain` of the complement.
    """

    item: Bool


Bool: TypeAlias = BooleanConstant | InDomain | InTable | AtMostZero | IsZero | And | Or | Negation
BOOLS: tuple[type, ...] = (BooleanConstant, InDomain, InTable, AtMostZero, IsZero, And, Or, Negation)
"""The classes of conditions."""


def conjuncts(condition: Bool) -> tuple[Bool, ...]:
    """Return the parts of a conjunction, or the condition itself."""
    return condition.items if isinstance(condition, And) else (condition,)


def add_parts(node: Bool | Linear | Atom, parts: set[int]) -> None:
    """Add to `parts` the ids of a node and of all its descendants, except variables."""
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
    """Return a lower and an upper bound of an atom."""
    match atom:
        case IntVar(domain=domain):
            return domain.low, domain.high
        case Indicator():
            return 0, 1
        case _:
            return atom.low, atom.high
