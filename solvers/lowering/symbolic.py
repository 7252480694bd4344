"""Symbolic values of expressions, which may depend on the plan: constants, tables, linear expressions and choices.

A *value* is one of

- a plain Python value (integer, string, row of a static table, tuple, `None`), which does not depend on the plan;
- `Tab`: a function of a few decision variables, given by its table;
- `Num`: a linear expression with the condition under which it is defined;
- `RowVariables`: a slot, that is, a row that the plan may have;
- `Cases`: values under mutually exclusive conditions, *none* if no condition holds;
- `Items`: a collection whose members are present under conditions.

Conditions are nodes of the IR.
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
"""Maximum number of combinations of codes (cells) in a table."""

Codes: TypeAlias = tuple[int, ...]
"""Codes (integers that encode values), one for each of some variables."""


@dataclass(frozen=True, slots=True, eq=False)
class Tab:
    """A function of a few decision variables as a table, with a value for each combination of the variables' codes.

    The value is *none* for missing combinations. Codes are integers that encode values.

    `space` is the name of a code space: two values with the same space are equal if and only if their codes are equal.
    It is set only if the table has one variable and the variable's code identifies the value.
    """

    vars: tuple[IntVar, ...]
    values: Mapping[Codes, Any]
    space: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Num:
    """The number `linear / scale` if `defined` holds, else *none*."""

    linear: Linear
    defined: Bool = TRUE
    scale: int = 1


@dataclass(frozen=True, slots=True, eq=False)
class RowVariables:
    """A slot: a row that the plan may have, with symbolic values.

    Attributes:
        table: plan table of the row.
        index: index of the row among the rows that the plan may have in the table.
        present: condition that the plan has the row.
        fields: symbolic value of each field, by column.
    """

    table: Table
    index: int
    present: Bool
    fields: Mapping[str, Value]


@dataclass(frozen=True, slots=True, eq=False)
class Cases:
    """A choice among values under mutually exclusive conditions; *none* if no condition holds.

    If `is_total` is true, one of the conditions always holds, and its value is not *none*.
    """

    cases: tuple[tuple[Bool, Value], ...]
    is_total: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Items:
    """A collection: its possible members, each with the condition that the collection has it.

    If `defined` does not hold, the collection is *none*. Members that are *none* are ignored, except in a set
    literal, which is then itself *none*.
    """

    members: tuple[tuple[Bool, Value], ...]
    defined: Bool = TRUE


Value: TypeAlias = Any  # Tab, Num, RowVariables, Cases, Items or a plain value, which may have any Python type


_SYMBOLIC = frozenset[type]({Tab, Num, RowVariables, Cases, Items})
_OPEN = _SYMBOLIC | frozenset(ir.BOOLS)
"""Classes of values that may depend on the plan."""


class TooManyCellsError(Exception):
    """A table would have too many cells, that is, combinations of its variables' values; `cells` is their number."""

    def __init__(self, cells: int) -> None:
        super().__init__(f"{cells} combinations")
        self.cells = cells


class NotSupportedError(Exception):
    """An expression, `expr`, has no encoding for back ends."""

    def __init__(self, message: str, expr: t.Expr) -> None:
        super().__init__(message)
        self.expr = expr


def is_concrete(value: Value) -> bool:
    """Return whether a value is not symbolic. Symbolic values are instances of `Tab`, `Num` and similar classes.

    A condition counts as concrete; see `is_constant`.
    """
    return type(value) not in _SYMBOLIC


def is_constant(value: Value) -> bool:
    """Return whether a value is a plain Python value: neither symbolic nor a condition."""
    return type(value) not in _OPEN


def size_of(variables: Iterable[IntVar]) -> int:
    """Return the number of combinations of values that the variables may have."""
    size = 1
    for var in variables:
        size *= var.domain.size
    return size


def combinations(variables: tuple[IntVar, ...]) -> list[Codes]:
    """Return all combinations of values (codes) that the variables may have.

    Raises:
        TooManyCellsError: there are more than `CELLS`.
    """
    size = size_of(variables)
    if size > CELLS:
        raise TooManyCellsError(size)
    rows: list[Codes] = [()]
    for var in variables:
        codes = list(var.domain)
        rows = [(*head, code) for head in rows for code in codes]
    return rows


def cell_reader(value: Value, variables: tuple[IntVar, ...]) -> Callable[[Codes], Any]:
    """Return a function that takes codes of `variables` and returns what `value` is for them.

    `value` is a constant, or a table over a subset of these variables.
    """
    if not isinstance(value, Tab):
        return lambda _: value
    cells = value.values.get
    positions = [next(i for i, other in enumerate(variables) if other.id == var.id) for var in value.vars]
    if positions == list(range(len(variables))):
        return cells
    return lambda codes: cells(tuple([codes[position] for position in positions]))


def joined_vars(values: Iterable[Value]) -> tuple[IntVar, ...]:
    """Return the variables of several tables, each once."""
    by_id: dict[int, IntVar] = {}
    for value in values:
        if isinstance(value, Tab):
            for var in value.vars:
                by_id.setdefault(var.id, var)
    return tuple(by_id.values())


def lift(function: Callable[..., Any], args: tuple[Value, ...]) -> Value:
    """Apply a function to arguments that are constants or tables (`Tab`).

    The result is a table with the function's value for each combination of codes of the arguments' variables, or a
    constant if all arguments are constants. The value is *none* for combinations for which an argument is *none*.

    Raises:
        TooManyCellsError: the arguments' combinations exceed the limit.
    """
    tabs = [arg for arg in args if isinstance(arg, Tab)]
    if not tabs:
        return None if any(arg is None for arg in args) else function(*args)
    if any(arg is None for arg in args):
        return None
    if len(tabs) == 1:
        place = next(i for i, arg in enumerate(args) if isinstance(arg, Tab))
        head, tail = args[:place], args[place + 1 :]
        results = (
            (codes, function(*head, value, *tail)) for codes, value in tabs[0].values.items() if value is not None
        )
        return tab(tabs[0].vars, {codes: value for codes, value in results if value is not None})
    variables = joined_vars(tabs)
    cells: dict[Codes, Any] = {}
    for codes, chosen_values in _joined_rows(variables, tabs):
        chosen = iter(chosen_values)
        value = function(*(next(chosen) if isinstance(arg, Tab) else arg for arg in args))
        if value is not None:
            cells[codes] = value
    return tab(variables, cells)


def _check_limit(variables: tuple[IntVar, ...], tabs: Sequence[Tab]) -> None:
    """Raise TooManyCellsError if the tables have too many combinations of codes."""
    if size_of(variables) > CELLS and prod(max(1, len(each.values)) for each in tabs) > CELLS:
        raise TooManyCellsError(size_of(variables))


def _joined_rows(variables: tuple[IntVar, ...], tabs: list[Tab]) -> Iterable[tuple[Codes, list[Any]]]:
    """Yield each combination of the variables' codes for which all tables have a value, and these values."""
    _check_limit(variables, tabs)
    if sum(len(each.vars) for each in tabs) == len(variables):  # the tables share no variable
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
        for codes_by_id, chosen_values in rows:
            tick()
            free = not any(i in codes_by_id for i in ids)
            if ids and all(i in codes_by_id for i in ids):
                value = each.values.get(tuple(codes_by_id[i] for i in ids))
                if value is not None:
                    grown.append((codes_by_id, [*chosen_values, value]))
                continue
            for codes, value in each.values.items():
                if value is None:
                    continue
                if free or all(codes_by_id.get(i, code) == code for i, code in zip(ids, codes, strict=True)):
                    grown.append(({**codes_by_id, **dict(zip(ids, codes, strict=True))}, [*chosen_values, value]))
        rows = grown
    order = [var.id for var in variables]
    for codes_by_id, chosen_values in rows:
        yield tuple(codes_by_id[i] for i in order), chosen_values


def equality_table(a: Tab, b: Tab, plain: Callable[[Any], Any]) -> Value:
    """Return a table over the variables of two tables: true for codes with equal values, otherwise *none*.

    Args:
        a: one table.
        b: the other table, which has no variable in common with it.
        plain: function that converts a value so that Python's `==` compares it correctly.

    Raises:
        TooManyCellsError: the tables' combinations exceed the limit.
    """
    variables = (*a.vars, *b.vars)
    _check_limit(variables, (a, b))
    codes_by_value: dict[Any, list[Codes]] = {}
    for codes, value in b.values.items():
        if value is not None:
            codes_by_value.setdefault(plain(value), []).append(codes)
    cells = {
        (*codes, *others): True
        for codes, value in a.values.items()
        if value is not None
        for others in codes_by_value.get(plain(value), ())
    }
    return tab(variables, cells)


def tab(variables: tuple[IntVar, ...], cells: Mapping[Codes, Any], space: str | None = None) -> Value:
    """Return a table with the given cells (values by codes of the variables); see `Tab` for `space`.

    Return the value itself if all combinations have the same value, and None if there are no cells.
    """
    if not cells:
        return None
    if len(cells) == size_of(variables):
        values = iter(cells.values())
        first = next(values)
        if all(value is first or (type(value) is type(first) and value == first) for value in values):
            return first
    return Tab(variables, cells, space)


class Algebra:
    """Operations on symbolic values, such as the condition that a value is defined. They build nodes of one model."""

    def __init__(self, model: NodeBuilder) -> None:
        self.model = model
        self._defined: dict[int, tuple[Tab, Bool]] = {}

    def defined(self, value: Value) -> Bool:
        """Return the condition that a value is not *none*."""
        match value:
            case None:
                return FALSE
            case Tab():
                if len(value.values) == size_of(value.vars):
                    return TRUE
                cached = self._defined.get(id(value))  # the table is in the cache, so that its id stays unique
                if cached is None:
                    cached = value, self.model.in_table(value.vars, value.values)
                    self._defined[id(value)] = cached
                return cached[1]
            case Num() | Items():
                return value.defined
            case Cases(is_total=True):
                return TRUE
            case Cases():
                return self.model.disj(self.model.conj((g, self.defined(v))) for g, v in value.cases)
        return TRUE

    def truth(self, value: Value) -> Bool:
        """Return a Boolean value as a condition; *none* is false."""
        if isinstance(value, Tab):
            return self.model.in_table(value.vars, (codes for codes, v in value.values.items() if v))
        if isinstance(value, Cases):
            return self.model.disj(self.model.conj((g, self.truth(v))) for g, v in value.cases)
        if isinstance(value, Num):
            raise AssertionError("a number is no condition")
        return TRUE if value is True else FALSE if value in (False, None) else value

    def num(self, value: Value) -> Num:
        """Return a numeric value as a linear expression. The value may be a choice (`Cases`) among numbers."""
        if type(value) is int:
            return Num(self.model.constant(value))
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
                return Num(linear, self.defined(value), scale)
        return Num(self.model.constant(int(value)))

    def restrict(self, value: Value, condition: Bool, stronger: Sequence[Bool] = ()) -> Value:
        """Return the value if the condition holds, else *none*.

        Each condition in `stronger` implies `condition`. Cases of the value under these conditions therefore remain
        unchanged.
        """
        if condition is TRUE or value is None:
            return value
        if condition is FALSE:
            return None
        match value:
            case Num():
                return Num(value.linear, self.model.conj((value.defined, condition)), value.scale)
            case Cases():
                implied = set(map(id, stronger))
                return cases((g if id(g) in implied else self.model.conj((condition, g)), v) for g, v in value.cases)
            case Items():
                return Items(value.members, self.model.conj((value.defined, condition)))
        if isinstance(condition, ir.InDomain) and isinstance(value, Tab) and condition.var in value.vars:
            place = value.vars.index(condition.var)
            cells = {codes: v for codes, v in value.values.items() if codes[place] in condition.domain}
            return tab(value.vars, cells)
        if isinstance(condition, ir.InDomain) and is_concrete(value):
            return tab((condition.var,), {(code,): value for code in condition.domain})
        return Cases(((condition, value),))

    def choice(self, options: Iterable[tuple[Bool, Value]]) -> Value:
        """Return a choice among pairs (condition, value). Values that are themselves choices are flattened."""
        flat: list[tuple[Bool, Value]] = []
        for guard, value in options:
            if isinstance(value, Cases):
                flat.extend((self.model.conj((guard, g)), v) for g, v in value.cases)
            else:
                flat.append((guard, value))
        return cases(flat)

    def combine_cases(self, values: tuple[Value, ...]) -> list[tuple[Bool, tuple[Value, ...]]]:
        """Return every combination of cases, one case of each value, with the condition that it applies.

        A value that is not `Cases` counts as a single case.
        """
        if not any(isinstance(value, Cases) for value in values):
            return [(TRUE, values)]
        combined: list[tuple[Bool, tuple[Value, ...]]] = [(TRUE, ())]
        for value in values:
            options = value.cases if isinstance(value, Cases) else ((TRUE, value),)
            grown = []
            for guard, head in combined:
                for condition, option in options:
                    condition_ = self.model.conj((guard, condition))
                    if condition_ is not FALSE:
                        grown.append((condition_, (*head, option)))
            combined = grown
            if len(combined) > CELLS:
                raise TooManyCellsError(len(combined))
        return combined


def cases(options: Iterable[tuple[Bool, Value]]) -> Value:
    """Return a choice (`Cases`) among the given pairs (condition, value), simplified.

    Return the value of a case that always holds, or None if no case is possible.
    """
    possible: list[tuple[Bool, Value]] = []
    for guard, value in options:
        if guard is FALSE or value is None:
            continue
        possible.append((guard, value))
    if not possible:
        return None
    if len(possible) == 1 and possible[0][0] is TRUE:
        return possible[0][1]
    return Cases(tuple(possible))


def leaves(  # noqa: C901 one case for each kind of node
    node: Bool | Linear | ir.Atom, variables: dict[int, IntVar] | None = None, most: int | None = None
) -> dict[int, IntVar]:
    """Return the decision variables of a node, by id.

    Args:
        node: the node.
        variables: receives the variables; a new dictionary by default.
        most: number of variables above which the search for more variables may stop; None for no limit.
    """
    variables = {} if variables is None else variables
    if most is not None and len(variables) > most:
        return variables
    match node:
        case IntVar():
            variables[node.id] = node
        case ir.Tabled(vars=vars_) | ir.InTable(vars=vars_):
            for var in vars_:
                variables[var.id] = var
        case ir.InDomain(var=var):
            variables[var.id] = var
        case ir.Indicator(condition=inner) | ir.Negation(item=inner):
            leaves(inner, variables, most)
        case ir.Select(cases=options) | ir.Extreme(cases=options):
            for guard, value in options:
                leaves(guard, variables, most)
                leaves(value, variables, most)
        case ir.Quotient(dividend=inner_linear):
            leaves(inner_linear, variables, most)
        case ir.Product(left=left, right=right):
            leaves(left, variables, most)
            leaves(right, variables, most)
        case Linear(terms=terms):
            for atom, _ in terms:
                leaves(atom, variables, most)
        case ir.AtMostZero(linear=linear) | ir.IsZero(linear=linear):
            leaves(linear, variables, most)
        case ir.And(items=items) | ir.Or(items=items):
            for item in items:
                leaves(item, variables, most)
    return variables
