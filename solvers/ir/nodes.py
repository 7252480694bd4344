"""The solvers' language: few kinds of total expressions over bounded integers.

A `Model` (`planspec.solvers.ir.builder`) makes and interns every node, so equal nodes are the same object and back ends cache by identity.
Definedness is gone at this level: the lowering has made it explicit. Nodes fold constants when they are
made: a one-variable condition becomes a `InDomain`, a comparison of constants becomes TRUE or FALSE, and of
two complementary comparisons one is the `Negation` of the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from planspec.solvers.ir.domain import Domain


@dataclass(frozen=True, slots=True, eq=False)
class IntVar:
    """A decision variable; `domain` is where it was born, presolve may know better."""

    id: int
    name: str
    domain: Domain


@dataclass(frozen=True, slots=True, eq=False)
class Tabled:
    """An integer function of few variables: `values[codes of vars]`, `default` for combinations left out."""

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
    """The value of the first case whose guard holds, 0 if none does. Guards exclude one another."""

    cases: tuple[tuple[Bool, Linear], ...]
    low: int
    high: int


@dataclass(frozen=True, slots=True, eq=False)
class Extreme:
    """The greatest (or least) value among the cases whose guards hold, 0 if none does."""

    greatest: bool
    cases: tuple[tuple[Bool, Linear], ...]
    low: int
    high: int


@dataclass(frozen=True, slots=True, eq=False)
class Quotient:
    """Floor of `dividend / divisor`, divisor positive."""

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
    """`sum(coefficient * atom) + constant`, each atom once, no zero coefficient."""

    terms: tuple[tuple[Atom, int], ...]
    constant: int
    low: int
    high: int

    @property
    def is_constant(self) -> bool:
        """There is no atom in it."""
        return not self.terms


@dataclass(frozen=True, slots=True, eq=False)
class BooleanConstant:
    """TRUE or FALSE."""

    value: bool


TRUE = BooleanConstant(True)
FALSE = BooleanConstant(False)


@dataclass(frozen=True, slots=True, eq=False)
class InDomain:
    """`var` is in `domain` (a proper, non-empty part of the variable's own)."""

    var: IntVar
    domain: Domain


@dataclass(frozen=True, slots=True, eq=False)
class InTable:
    """The codes of two or more variables are one of `rows`."""

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
    """All of two or more."""

    items: tuple[Bool, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Or:
    """Any of two or more."""

    items: tuple[Bool, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Negation:
    """The opposite of an `AtMostZero`, `IsZero`, `InTable`, `And` or `Or` (a `InDomain` complements itself)."""

    item: Bool


Bool: TypeAlias = BooleanConstant | InDomain | InTable | AtMostZero | IsZero | And | Or | Negation
BOOLS: tuple[type, ...] = (BooleanConstant, InDomain, InTable, AtMostZero, IsZero, And, Or, Negation)
"""The classes of conditions."""


def bounds(atom: Atom) -> tuple[int, int]:
    """The least and the greatest value of an atom."""
    match atom:
        case IntVar(domain=domain):
            return domain.low, domain.high
        case Indicator():
            return 0, 1
        case _:
            return atom.low, atom.high
