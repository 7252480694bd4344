"""Random problems as trees that can be evaluated directly, and built as nodes with a `NodeBuilder`.

Direct evaluation shares no code with the builder, which simplifies nodes, with `evaluate` and with the back ends. Its
results are the expected ones for all three.
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
class Constant:
    """An integer constant."""

    value: int


@dataclass(frozen=True)
class Variable:
    """A decision variable, by its index."""

    index: int


@dataclass(frozen=True)
class Sum:
    """A weighted sum."""

    parts: tuple[tuple[int, Int], ...]


@dataclass(frozen=True)
class Function:
    """A function of variables, given by rows with values of the variables and a result. Other values give the
    default.
    """

    indices: Codes
    rows: tuple[tuple[Codes, int], ...]
    default: int


@dataclass(frozen=True)
class IndicatorOf:
    """A number that is 1 if a condition holds, and 0 if not."""

    condition: Cond


@dataclass(frozen=True)
class Switch:
    """The value of the first case whose condition holds, or 0 if there is none.

    In the built node, the condition of each case excludes earlier cases.
    """

    cases: tuple[tuple[Cond, Int], ...]


@dataclass(frozen=True)
class Extreme:
    """The maximum or minimum of the cases whose conditions hold, or 0 if no condition holds."""

    greatest: bool
    cases: tuple[tuple[Cond, Int], ...]


@dataclass(frozen=True)
class FloorDivision:
    """Division by a positive constant."""

    dividend: Int
    divisor: int


@dataclass(frozen=True)
class Product:
    """A product of two expressions."""

    left: Int
    right: Int


Int: TypeAlias = Constant | Variable | Sum | Function | IndicatorOf | Switch | Extreme | FloorDivision | Product


@dataclass(frozen=True)
class FixedCondition:
    """A condition that is true or false."""

    value: bool


@dataclass(frozen=True)
class Membership:
    """A condition that a variable has one of these values."""

    index: int
    values: frozenset[int]


@dataclass(frozen=True)
class InTable:
    """A condition that the values of some variables are a row of a table."""

    indices: Codes
    rows: frozenset[Codes]


@dataclass(frozen=True)
class ComparedWithZero:
    """A condition that a number is at most zero or, if `exactly`, equal to zero."""

    exactly: bool
    number: Int


@dataclass(frozen=True)
class Junction:
    """The conjunction of some conditions if `every` is true, otherwise their disjunction."""

    every: bool
    items: tuple[Cond, ...]


@dataclass(frozen=True)
class Negated:
    """The negation of a condition."""

    item: Cond


Cond: TypeAlias = FixedCondition | Membership | InTable | ComparedWithZero | Junction | Negated


def number(node: Int, values: Mapping[int, int]) -> int:
    """Return the value of an expression under an assignment, evaluated directly."""
    match node:
        case Constant(constant):
            return constant
        case Variable(index):
            return values[index]
        case Sum(parts):
            return sum(c * number(part, values) for c, part in parts)
        case Function(indices, rows, default):
            return dict(rows).get(tuple(values[i] for i in indices), default)
        case IndicatorOf(condition):
            return 1 if holds(condition, values) else 0
        case Switch(cases):
            for guard, value in cases:
                if holds(guard, values):
                    return number(value, values)
            return 0
        case Extreme(greatest, cases):
            reached = sorted(number(value, values) for guard, value in cases if holds(guard, values))
            return 0 if not reached else reached[-1] if greatest else reached[0]
        case FloorDivision(dividend, divisor):
            whole = number(dividend, values)
            return (whole - whole % divisor) // divisor
        case Product(left, right):
            return number(left, values) * number(right, values)
        case _:
            assert_never(node)


def holds(node: Cond, values: Mapping[int, int]) -> bool:
    """Return whether a condition holds under an assignment, evaluated directly."""
    match node:
        case FixedCondition(value):
            return value
        case Membership(index, members):
            return values[index] in members
        case InTable(indices, rows):
            return tuple(values[i] for i in indices) in rows
        case ComparedWithZero(exactly, compared):
            value_ = number(compared, values)
            return value_ == 0 if exactly else value_ <= 0
        case Junction(every, items):
            truths = [holds(item, values) for item in items]
            return False not in truths if every else True in truths
        case Negated(item):
            return not holds(item, values)
        case _:
            assert_never(node)


class TreeBuilder:
    """Builds expressions and conditions as nodes, over variables with given domains."""

    def __init__(self, domains: tuple[Codes, ...]) -> None:
        self.model = NodeBuilder()
        self.vars = [self.model.var(f"x{i}", Domain.of(values)) for i, values in enumerate(domains)]

    def _row(self, indices: Codes) -> tuple[IntVar, ...]:
        return tuple(self.vars[i] for i in indices)

    def number(self, node: Int) -> Linear:
        """Build an expression."""
        model = self.model
        match node:
            case Constant(constant):
                return model.constant(constant)
            case Variable(index):
                return model.of(self.vars[index])
            case Sum(parts):
                return model.sum(model.scale(self.number(part), c) for c, part in parts)
            case Function(indices, rows, default):
                inside = {
                    r: v for r, v in rows if all(c in self.vars[i].domain for c, i in zip(r, indices, strict=True))
                }
                return model.tabled(self._row(indices), inside, default)
            case IndicatorOf(condition):
                return model.indicator(self.condition(condition))
            case Switch(cases):
                branches: list[tuple[Bool, Linear]] = []
                before: list[Bool] = []
                for guard, value in cases:
                    on = self.condition(guard)
                    branches.append((model.conj([on, *before]), self.number(value)))
                    before.append(model.negate(on))
                return model.select(branches)
            case Extreme(greatest, cases):
                pairs = [(self.condition(guard), self.number(value)) for guard, value in cases]
                return model.extreme(pairs, greatest=greatest)
            case FloorDivision(dividend, divisor):
                return model.quotient(self.number(dividend), divisor)
            case Product(left, right):
                return model.product(self.number(left), self.number(right))
            case _:
                assert_never(node)

    def condition(self, node: Cond) -> Bool:
        """Build a condition."""
        model = self.model
        match node:
            case FixedCondition(value):
                return model.conj([]) if value else model.disj([])
            case Membership(index, members):
                return model.member(self.vars[index], Domain.of(members))
            case InTable(indices, rows):
                return model.in_table(self._row(indices), rows)
            case ComparedWithZero(exactly, compared):
                linear = self.number(compared)
                return model.is_zero(linear) if exactly else model.at_most_zero(linear)
            case Junction(every, items):
                parts = [self.condition(item) for item in items]
                return model.conj(parts) if every else model.disj(parts)
            case Negated(item):
                return model.negate(self.condition(item))
            case _:
                assert_never(node)

    def problem(self, *hard: Cond) -> Problem:
        """Build a problem with these hard conditions."""
        rooted = [Rooted(self.condition(node), f"hard {i}") for i, node in enumerate(hard)]
        return Problem(self.model, rooted, [], (), [], {})

    def differs_from(self, values: Mapping[int, int]) -> Bool:
        """Return a node for the condition that some variable has another value than in the assignment."""
        model = self.model
        return model.disj(model.negate(model.member(v, Domain.of([values[v.id]]))) for v in self.vars)


@dataclass(frozen=True)
class World:
    """Small domains, hard and soft conditions over them, and an objective."""

    domains: tuple[Codes, ...]
    hard: tuple[Cond, ...]
    soft: tuple[Cond, ...]
    objective: Int

    def assignments(self) -> list[dict[int, int]]:
        """Return all assignments of values to the variables."""
        return [dict(enumerate(row)) for row in product(*self.domains)]

    def solutions(self, *more: Cond) -> list[dict[int, int]]:
        """Return the assignments that satisfy the hard conditions and these additional ones."""
        conditions = (*self.hard, *more)
        return [values for values in self.assignments() if all(holds(node, values) for node in conditions)]


SMALL = st.integers(-6, 6)
DOMAINS = st.one_of(
    st.just((0, 1)),
    st.frozensets(SMALL, min_size=1, max_size=5).map(lambda values: tuple(sorted(values))),
)


@st.composite
def _domain_lists(draw: st.DrawFn) -> tuple[Codes, ...]:
    """Draw two to four domains that have at most 200 assignments together."""
    domains: list[Codes] = []
    size = 1
    for values in draw(st.lists(DOMAINS, min_size=2, max_size=4)):
        shortened = values[: max(1, 200 // size)]
        domains.append(shortened)
        size *= len(shortened)
    return tuple(domains)


WORLD_DOMAINS = st.shared(_domain_lists(), key="domains of a world")
"""Domains of the world being drawn.

They are shared within an example, so that the strategies that use them are built only once.
"""


@st.composite
def _variable_indices(draw: st.DrawFn) -> int:
    """Draw the index of a variable."""
    return draw(st.integers(0, len(draw(WORLD_DOMAINS)) - 1))


INDICES = _variable_indices()


def _rows_of_values(domains: Sequence[Codes], indices: Codes) -> st.SearchStrategy[Codes]:
    """Return a strategy for values of these variables."""
    return st.tuples(*(st.sampled_from(domains[i]) for i in indices))


@st.composite
def _functions(draw: st.DrawFn) -> Function:
    """Draw a function of one or two variables."""
    domains = draw(WORLD_DOMAINS)
    indices = tuple(draw(st.lists(INDICES, min_size=1, max_size=2)))
    slope = draw(st.sampled_from([None, None, -2, 1, 3]))
    if slope is not None:
        return Function(indices[:1], tuple(((c,), slope * c + 1) for c in domains[indices[0]]), 0)
    rows = draw(st.dictionaries(_rows_of_values(domains, indices), SMALL, max_size=8))
    return Function(indices, tuple(rows.items()), draw(SMALL))


@st.composite
def _table_conditions(draw: st.DrawFn) -> InTable:
    """Draw a condition that values of variables are a row of a table."""
    indices = tuple(draw(st.lists(INDICES, min_size=1, max_size=3)))
    return InTable(indices, draw(st.frozensets(_rows_of_values(draw(WORLD_DOMAINS), indices), max_size=8)))


@st.composite
def _memberships(draw: st.DrawFn) -> Membership:
    """Draw a condition that a variable has one of some values."""
    index = draw(INDICES)
    return Membership(index, draw(st.frozensets(st.sampled_from(draw(WORLD_DOMAINS)[index]))))


def weighted_sums(numbers: st.SearchStrategy[Int]) -> st.SearchStrategy[Sum]:
    """Return a strategy for weighted sums of one to three terms."""
    parts = st.lists(st.tuples(st.sampled_from([-3, -1, 1, 1, 2]), numbers), min_size=1, max_size=3)
    return parts.map(lambda items: Sum(tuple(items)))


def deeper_numbers(numbers: st.SearchStrategy[Int], conditions: st.SearchStrategy[Cond]) -> st.SearchStrategy[Int]:
    """Return a strategy for numbers that are composed of these numbers and conditions, or are one of these."""
    cases = st.lists(st.tuples(conditions, numbers), max_size=3).map(tuple)
    always = st.lists(st.tuples(st.just(FixedCondition(True)), numbers), min_size=2, max_size=3).map(tuple)
    return st.one_of(
        numbers,
        weighted_sums(numbers),
        st.builds(IndicatorOf, conditions),
        st.builds(Switch, cases),
        st.builds(Extreme, st.booleans(), st.one_of(cases, cases, always)),
        st.builds(FloorDivision, numbers, st.integers(1, 4)),
        st.builds(Product, numbers, numbers),
    )


def deeper_conditions(numbers: st.SearchStrategy[Int], conditions: st.SearchStrategy[Cond]) -> st.SearchStrategy[Cond]:
    """Return a strategy for conditions that are composed of these numbers and conditions, or are one of these."""
    return st.one_of(
        conditions,
        st.builds(ComparedWithZero, st.booleans(), weighted_sums(numbers)),
        st.builds(Junction, st.booleans(), st.lists(conditions, max_size=3).map(tuple)),
        st.builds(Negated, conditions),
    )


def _expressions() -> tuple[st.SearchStrategy[Int], st.SearchStrategy[Cond]]:
    """Return strategies for numbers and conditions in which every kind of node occurs inside every other."""
    numbers: st.SearchStrategy[Int] = st.one_of(st.builds(Constant, SMALL), st.builds(Variable, INDICES), _functions())
    conditions: st.SearchStrategy[Cond] = st.one_of(
        st.builds(FixedCondition, st.booleans()),
        _memberships(),
        _table_conditions(),
        st.builds(ComparedWithZero, st.booleans(), weighted_sums(st.one_of(st.builds(Variable, INDICES), numbers))),
    )
    for _ in range(2):
        numbers, conditions = deeper_numbers(numbers, conditions), deeper_conditions(numbers, conditions)
    return numbers, conditions


NUMBERS, CONDITIONS = _expressions()


@st.composite
def worlds(draw: st.DrawFn) -> World:
    """Draw a world of two to four variables with at most 200 assignments."""
    hard = tuple(draw(st.lists(CONDITIONS, max_size=3)))
    soft = tuple(draw(st.lists(CONDITIONS, max_size=3)))
    return World(draw(WORLD_DOMAINS), hard, soft, draw(NUMBERS))
