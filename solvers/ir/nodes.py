"""The solvers' language: few kinds of total expressions over bounded integers.

A `Model` (`planspec.solvers.ir.builder`) makes and interns every node, so equal nodes are the same object and back ends cache by identity.
Definedness is gone at this level: the lowering has made it explicit. Nodes fold constants when they are
made: a one-variable condition becomes a `Member`, a comparison of constants becomes TRUE or FALSE, and of
two complementary comparisons one is the `Not` of the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from planspec.solvers.ir.domain import Domain

if TYPE_CHECKING:
    from planspec.solvers.ir.builder import Model


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
class Constant:
    """TRUE or FALSE."""

    value: bool


TRUE = Constant(True)
FALSE = Constant(False)


@dataclass(frozen=True, slots=True, eq=False)
class Member:
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
class Not:
    """The opposite of an `AtMostZero`, `IsZero`, `InTable`, `And` or `Or` (a `Member` complements itself)."""

    item: Bool


Bool: TypeAlias = Constant | Member | InTable | AtMostZero | IsZero | And | Or | Not
BOOLS: tuple[type, ...] = (Constant, Member, InTable, AtMostZero, IsZero, And, Or, Not)
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


@dataclass(frozen=True, slots=True, eq=False)
class Rooted:
    """A condition that must hold, or is rewarded, and the author's name for it."""

    condition: Bool
    origin: str  # an instance's id (`slot[pergamon]`), or `scope:TABLE.FIELD`, or `plan:...` for shape rules


@dataclass(frozen=True, slots=True, eq=False)
class Routes:
    """Routes on which some nodes stand: a fact that follows from others, so that a back end may do without it.

    Attributes:
        arcs: from node, to node, and the condition under which the arc is used; None for one that is used where
            nothing else is. Node 0 is the depot, where every route begins and ends. Each other node has one arc that
            comes and one that goes, in a route or to itself.
    """

    arcs: tuple[tuple[int, int, Bool | None], ...]


@dataclass(frozen=True, slots=True, eq=False)
class RowVars:
    """A row of the search: when it is present, and its fields' codes."""

    table: str
    present: Bool
    fields: Mapping[str, Linear]  # a code for each column; see Problem.decode


@dataclass(frozen=True, slots=True, eq=False)
class Objective:
    """The expression to minimise after the soft weight; where `defined` does not hold, `linear` means nothing.

    Attributes:
        linear: the value that the task means times `scale`, or the negative of that.
        scale: the task's value is `linear / scale`.
        maximize: the task maximises, so that `linear` is the negative.
    """

    linear: Linear
    defined: Bool
    scale: int = 1
    maximize: bool = False


@dataclass(slots=True, eq=False)
class Problem:
    """A problem for a back end.

    Attributes:
        model: maker of all nodes below.
        hard: all of them hold.
        soft: (condition, weight > 0): solve maximises the weight of those that hold.
        objectives: what ranks the assignments of the greatest soft weight, each those that are the best by the ones
            before it. They forbid none: one without a value comes after all that have one.
        rows: the plan's rows, for decoding and for telling plans apart.
        identity: for each table, the columns that tell plans apart (keys and unique fields).
        routes: follow from the hard conditions, all of which must hold where they are used.
    """

    model: Model
    hard: list[Rooted]
    soft: list[tuple[Rooted, int]]
    objectives: Sequence[Objective]
    rows: list[RowVars]
    identity: Mapping[str, tuple[str, ...]]
    routes: Sequence[Routes] = ()
