"""Random problems, written twice: once through a `NodeBuilder`, once as plain arithmetic without nodes.

An expression is a tree that can be built and evaluated. Its evaluation shares nothing with the builder's
folding, with `evaluate` or with a back end, so it judges all three.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias, assert_never

from hypothesis import strategies as st

from planspec.solvers.ir.builder import NodeBuilder
from planspec.solvers.ir.domain import Domain
from planspec.solvers.ir.nodes import Bool, IntVar, Linear
from planspec.solvers.ir.problem import Problem, Rooted

Codes: TypeAlias = tuple[int, ...]


@dataclass(frozen=True)
class Value:
    """A constant."""

    value: int


@dataclass(frozen=True)
class Variable:
    """A decision variable."""

    at: int


@dataclass(frozen=True)
class Sum:
    """A weighted sum."""

    parts: tuple[tuple[int, Int], ...]


@dataclass(frozen=True)
class Lookup:
    """A function of variables."""

    at: Codes
    rows: tuple[tuple[Codes, int], ...]
    default: int


@dataclass(frozen=True)
class Truth:
    """A condition as a number."""

    condition: Cond


@dataclass(frozen=True)
class Switch:
    """The value of the first case that holds; later guards are built to exclude the earlier ones."""

    cases: tuple[tuple[Cond, Int], ...]


@dataclass(frozen=True)
class Peak:
    """The greatest or least value among the cases that hold."""

    greatest: bool
    cases: tuple[tuple[Cond, Int], ...]


@dataclass(frozen=True)
class Floor:
    """Division by a positive constant."""

    dividend: Int
    divisor: int


@dataclass(frozen=True)
class Times:
    """A product."""

    left: Int
    right: Int


Int: TypeAlias = Value | Variable | Sum | Lookup | Truth | Switch | Peak | Floor | Times


@dataclass(frozen=True)
class Fixed:
    """True or false."""

    value: bool


@dataclass(frozen=True)
class Among:
    """A variable that has one of these values."""

    at: int
    values: frozenset[int]


@dataclass(frozen=True)
class Listed:
    """A row of variables that is in a table."""

    at: Codes
    rows: frozenset[Codes]


@dataclass(frozen=True)
class Compared:
    """A number that is at most zero, or exactly zero."""

    exactly: bool
    number: Int


@dataclass(frozen=True)
class Joined:
    """All or any of some conditions."""

    every: bool
    items: tuple[Cond, ...]


@dataclass(frozen=True)
class Opposite:
    """The negation of a condition."""

    item: Cond


Cond: TypeAlias = Fixed | Among | Listed | Compared | Joined | Opposite


def number(node: Int, values: Mapping[int, int]) -> int:
    """Return the value of a tree, evaluated directly."""
    match node:
        case Value(constant):
            return constant
        case Variable(at):
            return values[at]
        case Sum(parts):
            return sum(c * number(part, values) for c, part in parts)
        case Lookup(at, rows, default):
            return dict(rows).get(tuple(values[i] for i in at), default)
        case Truth(condition):
            return 1 if holds(condition, values) else 0
        case Switch(cases):
            for guard, value in cases:
                if holds(guard, values):
                    return number(value, values)
            return 0
        case Peak(greatest, cases):
            reached = sorted(number(value, values) for guard, value in cases if holds(guard, values))
            return 0 if not reached else reached[-1] if greatest else reached[0]
        case Floor(dividend, divisor):
            whole = number(dividend, values)
            return (whole - whole % divisor) // divisor
        case Times(left, right):
            return number(left, values) * number(right, values)
        case _:
            assert_never(node)


def holds(node: Cond, values: Mapping[int, int]) -> bool:
    """Return whether the condition of a tree holds, evaluated directly."""
    match node:
        case Fixed(value):
            return value
        case Among(at, members):
            return values[at] in members
        case Listed(at, rows):
            return tuple(values[i] for i in at) in rows
        case Compared(exactly, compared):
            value_ = number(compared, values)
            return value_ == 0 if exactly else value_ <= 0
        case Joined(every, items):
            truths = [holds(item, values) for item in items]
            return False not in truths if every else True in truths
        case Opposite(item):
            return not holds(item, values)
        case _:
            assert_never(node)


class Builder:
    """Builds trees with a model over variables of given domains."""

    def __init__(self, domains: tuple[Codes, ...]) -> None:
        self.model = NodeBuilder()
        self.vars = [self.model.var(f"x{i}", Domain.of(values)) for i, values in enumerate(domains)]

    def _row(self, at: Codes) -> tuple[IntVar, ...]:
        return tuple(self.vars[i] for i in at)

    def number(self, node: Int) -> Linear:
        model = self.model
        match node:
            case Value(constant):
                return model.constant(constant)
            case Variable(at):
                return model.of(self.vars[at])
            case Sum(parts):
                return model.sum(model.scale(self.number(part), c) for c, part in parts)
            case Lookup(at, rows, default):
                inside = {
                    r: v for r, v in rows if all(c in self.vars[i].domain for c, i in zip(r, at, strict=True))
                }
                return model.tabled(self._row(at), inside, default)
            case Truth(condition):
                return model.indicator(self.condition(condition))
            case Switch(cases):
                branches: list[tuple[Bool, Linear]] = []
                before: list[Bool] = []
                for guard, value in cases:
                    on = self.condition(guard)
                    branches.append((model.conj([on, *before]), self.number(value)))
                    before.append(model.negate(on))
                return model.select(branches)
            case Peak(greatest, cases):
                pairs = [(self.condition(guard), self.number(value)) for guard, value in cases]
                return model.extreme(pairs, greatest=greatest)
            case Floor(dividend, divisor):
                return model.quotient(self.number(dividend), divisor)
            case Times(left, right):
                return model.product(self.number(left), self.number(right))
            case _:
                assert_never(node)

    def condition(self, node: Cond) -> Bool:
        model = self.model
        match node:
            case Fixed(value):
                return model.conj([]) if value else model.disj([])
            case Among(at, members):
                return model.member(self.vars[at], Domain.of(members))
            case Listed(at, rows):
                return model.in_table(self._row(at), rows)
            case Compared(exactly, compared):
                linear = self.number(compared)
                return model.is_zero(linear) if exactly else model.at_most_zero(linear)
            case Joined(every, items):
                parts = [self.condition(item) for item in items]
                return model.conj(parts) if every else model.disj(parts)
            case Opposite(item):
                return model.negate(self.condition(item))
            case _:
                assert_never(node)

    def problem(self, *hard: Cond) -> Problem:
        rooted = [Rooted(self.condition(node), f"hard {i}") for i, node in enumerate(hard)]
        return Problem(self.model, rooted, [], (), [], {})

    def differs(self, values: Mapping[int, int]) -> Bool:
        """Return the condition that some variable has another value."""
        model = self.model
        return model.disj(model.negate(model.member(v, Domain.of([values[v.id]]))) for v in self.vars)


@dataclass(frozen=True)
class World:
    """Small domains, conditions over them, and an objective."""

    domains: tuple[Codes, ...]
    hard: tuple[Cond, ...]
    soft: tuple[Cond, ...]
    objective: Int

    def assignments(self) -> list[dict[int, int]]:
        """Return all assignments."""
        return [dict(enumerate(row)) for row in product(*self.domains)]

    def solutions(self, *more: Cond) -> list[dict[int, int]]:
        """Return the assignments that satisfy the hard conditions and some more."""
        conditions = (*self.hard, *more)
        return [values for values in self.assignments() if all(holds(node, values) for node in conditions)]


SMALL = st.integers(-6, 6)
DOMAINS = st.one_of(
    st.just((0, 1)),
    st.frozensets(SMALL, min_size=1, max_size=5).map(lambda values: tuple(sorted(values))),
)


@st.composite
def _some_domains(draw: st.DrawFn) -> tuple[Codes, ...]:
    """Draw two to four domains with at most 200 assignments."""
    domains: list[Codes] = []
    size = 1
    for values in draw(st.lists(DOMAINS, min_size=2, max_size=4)):
        shortened = values[: max(1, 200 // size)]
        domains.append(shortened)
        size *= len(shortened)
    return tuple(domains)


WORLD_DOMAINS = st.shared(_some_domains(), key="domains of a world")
"""Domains of the world being drawn, shared so that strategies over them are built once and not for each
world."""


@st.composite
def _places(draw: st.DrawFn) -> int:
    return draw(st.integers(0, len(draw(WORLD_DOMAINS)) - 1))


PLACES = _places()


def _codes(domains: Sequence[Codes], at: Codes) -> st.SearchStrategy[Codes]:
    return st.tuples(*(st.sampled_from(domains[i]) for i in at))


@st.composite
def _lookups(draw: st.DrawFn) -> Lookup:
    domains = draw(WORLD_DOMAINS)
    at = tuple(draw(st.lists(PLACES, min_size=1, max_size=2)))
    slope = draw(st.sampled_from([None, None, -2, 1, 3]))
    if slope is not None:
        return Lookup(at[:1], tuple(((c,), slope * c + 1) for c in domains[at[0]]), 0)
    rows = draw(st.dictionaries(_codes(domains, at), SMALL, max_size=8))
    return Lookup(at, tuple(rows.items()), draw(SMALL))


@st.composite
def _listed(draw: st.DrawFn) -> Listed:
    at = tuple(draw(st.lists(PLACES, min_size=1, max_size=3)))
    return Listed(at, draw(st.frozensets(_codes(draw(WORLD_DOMAINS), at), max_size=8)))


@st.composite
def _among(draw: st.DrawFn) -> Among:
    at = draw(PLACES)
    return Among(at, draw(st.frozensets(st.sampled_from(draw(WORLD_DOMAINS)[at]))))


def weighted(numbers: st.SearchStrategy[Int]) -> st.SearchStrategy[Sum]:
    """Return a strategy for sums of one to three terms."""
    parts = st.lists(st.tuples(st.sampled_from([-3, -1, 1, 1, 2]), numbers), min_size=1, max_size=3)
    return parts.map(lambda items: Sum(tuple(items)))


def deeper(numbers: st.SearchStrategy[Int], conditions: st.SearchStrategy[Cond]) -> st.SearchStrategy[Int]:
    """Return a strategy for numbers one level deeper."""
    cases = st.lists(st.tuples(conditions, numbers), max_size=3).map(tuple)
    always = st.lists(st.tuples(st.just(Fixed(True)), numbers), min_size=2, max_size=3).map(tuple)
    return st.one_of(
        numbers,
        weighted(numbers),
        st.builds(Truth, conditions),
        st.builds(Switch, cases),
        st.builds(Peak, st.booleans(), st.one_of(cases, cases, always)),
        st.builds(Floor, numbers, st.integers(1, 4)),
        st.builds(Times, numbers, numbers),
    )


def combined(numbers: st.SearchStrategy[Int], conditions: st.SearchStrategy[Cond]) -> st.SearchStrategy[Cond]:
    """Return a strategy for conditions one level deeper."""
    return st.one_of(
        conditions,
        st.builds(Compared, st.booleans(), weighted(numbers)),
        st.builds(Joined, st.booleans(), st.lists(conditions, max_size=3).map(tuple)),
        st.builds(Opposite, conditions),
    )


def _expressions() -> tuple[st.SearchStrategy[Int], st.SearchStrategy[Cond]]:
    """Return strategies for numbers and conditions, with every kind of node inside every other."""
    numbers: st.SearchStrategy[Int] = st.one_of(
        st.builds(Value, SMALL), st.builds(Variable, PLACES), _lookups()
    )
    conditions: st.SearchStrategy[Cond] = st.one_of(
        st.builds(Fixed, st.booleans()),
        _among(),
        _listed(),
        st.builds(Compared, st.booleans(), weighted(st.one_of(st.builds(Variable, PLACES), numbers))),
    )
    for _ in range(2):
        numbers, conditions = deeper(numbers, conditions), combined(numbers, conditions)
    return numbers, conditions


NUMBERS, CONDITIONS = _expressions()


@st.composite
def worlds(draw: st.DrawFn) -> World:
    """Draw a world of two to four variables with at most 200 assignments."""
    hard = tuple(draw(st.lists(CONDITIONS, max_size=3)))
    soft = tuple(draw(st.lists(CONDITIONS, max_size=3)))
    return World(draw(WORLD_DOMAINS), hard, soft, draw(NUMBERS))
