"""Values of expressions in the search: concrete, tabulated, numeric, or a choice among cases.

A *value* is one of
  - a plain run-time value (integers, texts, static rows, tuples, `None`): known already;
  - `Tab`: a function of few decision variables, given by its table (the tabular stage);
  - `Num`: a linear expression with the condition under which it is defined;
  - `RowVariables`: a row of the search;
  - `Cases`: values under conditions that exclude one another, none where no condition holds;
  - `Items`: a collection whose members are there under conditions.
Conditions themselves are nodes of the IR.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import gcd, prod
from typing import Any, TypeAlias

from planspec.dsl.model import tree as t
from planspec.dsl.model.types import Table
from planspec.dsl.resources.deadline import tick
from planspec.solvers.ir import nodes as ir
from planspec.solvers.ir.builder import NodeBuilder
from planspec.solvers.ir.nodes import FALSE, TRUE, Bool, IntVar, Linear

CELLS = 100_000
"""The most combinations that are tabulated."""

Codes: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Tab:
    """A value for each combination of the variables' codes; none for those left out.

    `space` names the meaning of the code where the one variable's code *is* the value's identity, so that
    two such values are equal exactly if their codes are.
    """

    vars: tuple[IntVar, ...]
    values: Mapping[Codes, Any]
    space: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Num:
    """The number `linear / scale` where `defined` holds."""

    linear: Linear
    defined: Bool = TRUE
    scale: int = 1


@dataclass(frozen=True, slots=True, eq=False)
class RowVariables:
    """A row of the search: `present` says whether the plan has it; `fields` are values."""

    table: Table
    index: int
    present: Bool
    fields: Mapping[str, Value]


@dataclass(frozen=True, slots=True, eq=False)
class Cases:
    """The value of the only condition that holds."""

    cases: tuple[tuple[Bool, Value], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Items:
    """Members with the conditions under which they are in the collection, where there is a collection at all.

    A member that is none is no member. A set literal with a member that is none is itself none.
    """

    members: tuple[tuple[Bool, Value], ...]
    defined: Bool = TRUE


Value: TypeAlias = (
    Any  # Tab | Num | Slot | Cases | Items | a run-time value: the latter are of every Python type
)


_SYMBOLIC = (Tab, Num, RowVariables, Cases, Items)


class TooManyCellsError(Exception):
    """A table would pass the limit; `cells` is its size."""

    def __init__(self, cells: int) -> None:
        super().__init__(f"{cells} combinations")
        self.cells = cells


class NotSupportedError(Exception):
    """An expression that no back end can state; `expr` says which."""

    def __init__(self, message: str, expr: t.Expr) -> None:
        super().__init__(message)
        self.expr = expr


def is_concrete(value: Value) -> bool:
    """The value is known."""
    return not isinstance(value, _SYMBOLIC)


def size_of(over: Iterable[IntVar]) -> int:
    """The number of combinations of codes."""
    size = 1
    for var in over:
        size *= var.domain.size
    return size


def combinations(over: tuple[IntVar, ...]) -> list[Codes]:
    """All combinations of codes.

    Raises:
        TooManyCellsError: there are more than the limit.
    """
    size = size_of(over)
    if size > CELLS:
        raise TooManyCellsError(size)
    made: list[Codes] = [()]
    for var in over:
        codes = list(var.domain)
        made = [(*head, code) for head in made for code in codes]
    return made


def reader(value: Value, over: tuple[IntVar, ...]) -> Callable[[Codes], Any]:
    """What a table, all of whose variables are among some, or a known value comes to for codes of these."""
    if not isinstance(value, Tab):
        return lambda _: value
    cells = value.values.get
    places = [next(at for at, other in enumerate(over) if other.id == var.id) for var in value.vars]
    if places == list(range(len(over))):
        return cells
    return lambda codes: cells(tuple([codes[place] for place in places]))


def joined_vars(values: Iterable[Value]) -> tuple[IntVar, ...]:
    """The variables of several tables, each once."""
    found: dict[int, IntVar] = {}
    for value in values:
        if isinstance(value, Tab):
            for var in value.vars:
                found.setdefault(var.id, var)
    return tuple(found.values())


def lift(function: Callable[..., Any], args: tuple[Value, ...]) -> Value:
    """A strict function applied to known values and tables, cell by cell.

    Raises:
        TooManyCellsError: the arguments' combinations pass the limit.
    """
    tabs = [arg for arg in args if isinstance(arg, Tab)]
    if not tabs:
        return None if any(arg is None for arg in args) else function(*args)
    if any(arg is None for arg in args):
        return None
    if len(tabs) == 1:
        at = next(i for i, arg in enumerate(args) if isinstance(arg, Tab))
        head, tail = args[:at], args[at + 1 :]
        made = (
            (codes, function(*head, value, *tail))
            for codes, value in tabs[0].values.items()
            if value is not None
        )
        return tab(tabs[0].vars, {codes: value for codes, value in made if value is not None})
    over = joined_vars(tabs)
    cells: dict[Codes, Any] = {}
    for codes, picked in _matching(over, tabs):
        chosen = iter(picked)
        value = function(*(next(chosen) if isinstance(arg, Tab) else arg for arg in args))
        if value is not None:
            cells[codes] = value
    return tab(over, cells)


def _hold_to_limit(over: tuple[IntVar, ...], tabs: Sequence[Tab]) -> None:
    """Raise TooManyCellsError if the tables' combinations pass the limit."""
    if size_of(over) > CELLS and prod(max(1, len(each.values)) for each in tabs) > CELLS:
        raise TooManyCellsError(size_of(over))


def _matching(over: tuple[IntVar, ...], tabs: list[Tab]) -> Iterable[tuple[Codes, list[Any]]]:
    """Combinations of `vars` with each table's value there, where all have one."""
    _hold_to_limit(over, tabs)
    if sum(len(each.vars) for each in tabs) == len(over):  # none has a variable of another
        cells = [[cell for cell in each.values.items() if cell[1] is not None] for each in tabs]
        for combination in product(*cells):
            tick()
            yield (
                tuple(code for codes, _ in combination for code in codes),
                [value for _, value in combination],
            )
        return
    rows: list[tuple[dict[int, int], list[Any]]] = [({}, [])]
    for each in tabs:
        ids = [var.id for var in each.vars]
        grown: list[tuple[dict[int, int], list[Any]]] = []
        for known, picked in rows:
            tick()
            free = not any(i in known for i in ids)
            if ids and all(i in known for i in ids):
                value = each.values.get(tuple(known[i] for i in ids))
                if value is not None:
                    grown.append((known, [*picked, value]))
                continue
            for codes, value in each.values.items():
                if value is None:
                    continue
                if free or all(known.get(i, code) == code for i, code in zip(ids, codes, strict=True)):
                    grown.append(({**known, **dict(zip(ids, codes, strict=True))}, [*picked, value]))
        rows = grown
    order = [var.id for var in over]
    for known, picked in rows:
        yield tuple(known[i] for i in order), picked


def matches(a: Tab, b: Tab, plain: Callable[[Any], Any]) -> Value:
    """True where both have the same value, for tables that have no variable in common.

    Args:
        a: the one table.
        b: the other.
        plain: a value by which equality is Python's.

    Raises:
        TooManyCellsError: their combinations pass the limit.
    """
    over = (*a.vars, *b.vars)
    _hold_to_limit(over, (a, b))
    found: dict[Any, list[Codes]] = {}
    for codes, value in b.values.items():
        if value is not None:
            found.setdefault(plain(value), []).append(codes)
    cells = {
        (*codes, *others): True
        for codes, value in a.values.items()
        if value is not None
        for others in found.get(plain(value), ())
    }
    return tab(over, cells)


def tab(over: tuple[IntVar, ...], cells: Mapping[Codes, Any], space: str | None = None) -> Value:
    """A table; a plain value if it is the same everywhere, none if it has no cell."""
    if not cells:
        return None
    if len(cells) == size_of(over):
        values = iter(cells.values())
        first = next(values)
        if all(value is first or (type(value) is type(first) and value == first) for value in values):
            return first
    return Tab(over, cells, space)


class Algebra:
    """Operations on values that make nodes of one model."""

    def __init__(self, model: NodeBuilder) -> None:
        self.model = model
        self._defined: dict[int, tuple[Tab, Bool]] = {}

    def defined(self, value: Value) -> Bool:
        """The condition under which a value is not none."""
        match value:
            case None:
                return FALSE
            case Tab():
                if len(value.values) == size_of(value.vars):
                    return TRUE
                known = self._defined.get(
                    id(value)
                )  # the table is kept with it, so that its id stays its own
                if known is None:
                    known = value, self.model.in_table(value.vars, value.values)
                    self._defined[id(value)] = known
                return known[1]
            case Num() | Items():
                return value.defined
            case Cases():
                return self.model.disj(self.model.conj((g, self.defined(v))) for g, v in value.cases)
        return TRUE

    def truth(self, value: Value) -> Bool:
        """A Boolean value as a condition; none is false."""
        if isinstance(value, Tab):
            return self.model.in_table(value.vars, (codes for codes, v in value.values.items() if v))
        if isinstance(value, Cases):
            return self.model.disj(self.model.conj((g, self.truth(v))) for g, v in value.cases)
        if isinstance(value, Num):
            raise AssertionError("a number is no condition")
        return TRUE if value is True else FALSE if value in (False, None) else value

    def num(self, value: Value) -> Num:
        """A number as a linear expression; not for Cases."""
        match value:
            case Num():
                return value
            case None:
                return Num(self.model.constant(0), FALSE)
            case Fraction():
                return Num(self.model.constant(value.numerator), TRUE, value.denominator)
            case Tab():
                scale = 1
                for each in value.values.values():
                    if isinstance(each, Fraction):
                        scale = scale * each.denominator // gcd(scale, each.denominator)
                cells = {codes: int(each * scale) for codes, each in value.values.items()}
                return Num(self.model.tabled(value.vars, cells), self.defined(value), scale)
            case Cases():
                nums = [(g, self.num(v)) for g, v in value.cases]
                scale = 1
                for _, each in nums:
                    scale = scale * each.scale // gcd(scale, each.scale)
                linear = self.model.select((g, self.model.scale(n.linear, scale // n.scale)) for g, n in nums)
                return Num(linear, self.model.disj(self.model.conj((g, n.defined)) for g, n in nums), scale)
        return Num(self.model.constant(int(value)))

    def restrict(self, value: Value, condition: Bool) -> Value:
        """The value where the condition holds, none elsewhere."""
        if condition is TRUE or value is None:
            return value
        if condition is FALSE:
            return None
        match value:
            case Num():
                return Num(value.linear, self.model.conj((value.defined, condition)), value.scale)
            case Cases():
                return cases((self.model.conj((condition, g)), v) for g, v in value.cases)
            case Items():
                return Items(value.members, self.model.conj((value.defined, condition)))
        if isinstance(condition, ir.InDomain) and isinstance(value, Tab) and condition.var in value.vars:
            at = value.vars.index(condition.var)
            kept = {codes: v for codes, v in value.values.items() if codes[at] in condition.domain}
            return tab(value.vars, kept)
        if isinstance(condition, ir.InDomain) and is_concrete(value):
            return tab((condition.var,), {(code,): value for code in condition.domain})
        return Cases(((condition, value),))

    def choice(self, options: Iterable[tuple[Bool, Value]]) -> Value:
        """A choice, inner choices taken apart."""
        made: list[tuple[Bool, Value]] = []
        for guard, value in options:
            if isinstance(value, Cases):
                made.extend((self.model.conj((guard, g)), v) for g, v in value.cases)
            else:
                made.append((guard, value))
        return cases(made)

    def spread(self, values: tuple[Value, ...]) -> list[tuple[Bool, tuple[Value, ...]]]:
        """Every way to pick one case of each value, with its condition; plain values stay."""
        if not any(isinstance(value, Cases) for value in values):
            return [(TRUE, values)]
        ways: list[tuple[Bool, tuple[Value, ...]]] = [(TRUE, ())]
        for value in values:
            options = value.cases if isinstance(value, Cases) else ((TRUE, value),)
            grown = []
            for guard, head in ways:
                for condition, option in options:
                    both = self.model.conj((guard, condition))
                    if both is not FALSE:
                        grown.append((both, (*head, option)))
            ways = grown
            if len(ways) > CELLS:
                raise TooManyCellsError(len(ways))
        return ways


def cases(options: Iterable[tuple[Bool, Value]]) -> Value:
    """A choice, flattened; a plain value if there is only one that always holds."""
    kept: list[tuple[Bool, Value]] = []
    for guard, value in options:
        if guard is FALSE or value is None:
            continue
        kept.append((guard, value))
    if not kept:
        return None
    if len(kept) == 1 and kept[0][0] is TRUE:
        return kept[0][1]
    return Cases(tuple(kept))


def leaves(node: Bool | Linear | ir.Atom, found: dict[int, IntVar] | None = None) -> dict[int, IntVar]:
    """The decision variables of a node, by id."""
    found = {} if found is None else found
    match node:
        case IntVar():
            found[node.id] = node
        case ir.Tabled(vars=over) | ir.InTable(vars=over):
            for var in over:
                found[var.id] = var
        case ir.InDomain(var=var):
            found[var.id] = var
        case ir.Indicator(condition=inner) | ir.Negation(item=inner):
            leaves(inner, found)
        case ir.Select(cases=options) | ir.Extreme(cases=options):
            for guard, value in options:
                leaves(guard, found)
                leaves(value, found)
        case ir.Quotient(dividend=inner_linear):
            leaves(inner_linear, found)
        case ir.Product(left=left, right=right):
            leaves(left, found)
            leaves(right, found)
        case Linear(terms=terms):
            for atom, _ in terms:
                leaves(atom, found)
        case ir.AtMostZero(linear=linear) | ir.IsZero(linear=linear):
            leaves(linear, found)
        case ir.And(items=items) | ir.Or(items=items):
            for item in items:
                leaves(item, found)
    return found
