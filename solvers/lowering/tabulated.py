"""Results of static functions over codes, computed once for all variables with the same codes."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from planspec.solvers.ir.builder import NodeBuilder
from planspec.solvers.ir.domain import Domain
from planspec.solvers.ir.nodes import BOOLS, BooleanConstant, InDomain, InTable, IntVar
from planspec.solvers.lowering.symbolic import Codes, Tab, Value, is_concrete, joined_vars


@dataclass(frozen=True, slots=True)
class _CellTable:
    """A table over the variables at some places."""

    places: tuple[int, ...]
    values: Mapping[Codes, Any]
    space: str | None


@dataclass(frozen=True, slots=True)
class _Membership:
    """A domain of the variable at a place."""

    place: int
    domain: Domain


@dataclass(frozen=True, slots=True)
class _Rows:
    """Combinations of the variables at some places."""

    places: tuple[int, ...]
    rows: frozenset[Codes]


@dataclass(frozen=True, slots=True)
class _FixedValue:
    """A value that does not depend on the variables."""

    value: Any


_Result: TypeAlias = _CellTable | _Membership | _Rows | _FixedValue


class Tabulated:
    """The results of functions that read no plan, by their arguments.

    Tables over different variables with the same codes and values share one mapping of cells, in every model
    of a task. The mapping's identity therefore represents all of them: a result computed from such tables is
    valid for each.
    """

    def __init__(self) -> None:
        self._cells: dict[Hashable, dict[Codes, Any]] = {}
        self._results: dict[Hashable, tuple[_Result | None, tuple[Value, ...]]] = {}

    def cells(self, key: Hashable, make: Callable[[], dict[Codes, Any]]) -> dict[Codes, Any]:
        """Return the cells of a variable's own table.

        Args:
            key: determines the variable's domain, and the value of each code.
            make: makes the cells, the first time.
        """
        cached = self._cells.get(key)
        if cached is None:
            cached = self._cells[key] = make()
        return cached

    def result(
        self, function: Hashable, args: tuple[Value, ...], model: NodeBuilder, make: Callable[[], Value]
    ) -> Value:
        """Return the result of a function.

        Args:
            function: key of the function, which reads nothing but its arguments and facts.
            args: tables and constants.
            model: builder for nodes of the result.
            make: computes the result, the first time.
        """
        places: dict[int, int] = {}
        key = (
            function,
            *(
                (Tab, id(arg.values), arg.space, *[places.setdefault(v.id, len(places)) for v in arg.vars])
                if isinstance(arg, Tab)
                else arg
                for arg in args
            ),
        )
        cached = self._results.get(key)
        if cached is not None and cached[0] is not None:
            return _with_variables(cached[0], joined_vars(args), model)
        value = make()
        if cached is None:  # the arguments must stay alive, as their identity is in the key
            self._results[key] = _result(value, places), args
        return value


def is_tabular(args: tuple[Value, ...]) -> bool:
    """Return whether all arguments are constants or tables, and some are tables."""
    return any(isinstance(arg, Tab) for arg in args) and all(
        isinstance(arg, Tab) or (is_concrete(arg) and not isinstance(arg, BOOLS)) for arg in args
    )


def _result(value: Value, places: Mapping[int, int]) -> _Result | None:
    """Return a value without its variables; None if it has no such form."""
    match value:
        case Tab(vars=vars_, values=values, space=space):
            places_ = _places(vars_, places)
            return None if places_ is None else _CellTable(places_, values, space)
        case BooleanConstant():
            return _FixedValue(value)
        case InDomain(var=var, domain=domain):
            return _Membership(places[var.id], domain) if var.id in places else None
        case InTable(vars=vars_, rows=rows):
            places_ = _places(vars_, places)
            return None if places_ is None else _Rows(places_, rows)
    return _FixedValue(value) if is_concrete(value) and not isinstance(value, BOOLS) else None


def _places(vars_: tuple[IntVar, ...], places: Mapping[int, int]) -> tuple[int, ...] | None:
    return tuple(places[var.id] for var in vars_) if all(var.id in places for var in vars_) else None


def _with_variables(result: _Result, vars_: tuple[IntVar, ...], model: NodeBuilder) -> Value:
    """Return a result over other variables."""
    match result:
        case _CellTable(places=places, values=values, space=space):
            return Tab(tuple(vars_[place] for place in places), values, space)
        case _Membership(place=place, domain=domain):
            return model.member(vars_[place], domain)
        case _Rows(places=places, rows=rows):
            return model.in_table(tuple(vars_[place] for place in places), rows)
        case _FixedValue(value=value):
            return value
