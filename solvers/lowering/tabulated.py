"""What static functions come to over codes: worked out once for all variables that have the same codes."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from planspec.solvers.ir.builder import NodeBuilder
from planspec.solvers.ir.domain import Domain
from planspec.solvers.ir.nodes import BOOLS, BooleanConstant, InDomain, InTable, IntVar
from planspec.solvers.lowering.symbolic import Codes, Tab, Value, is_concrete, joined_vars


@dataclass(frozen=True, slots=True)
class _Cells:
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
class _Known:
    """A value, whatever the variables have."""

    value: Any


_Result: TypeAlias = _Cells | _Membership | _Rows | _Known


class Tabulated:
    """The results of functions that read no plan, by what they are applied to.

    Tables over different variables with the same codes and values have one mapping of cells, in every model of a task, so
    that its identity stands for both: whatever is worked out of such tables alone is so for all of them.
    """

    def __init__(self) -> None:
        self._cells: dict[Hashable, dict[Codes, Any]] = {}
        self._results: dict[Hashable, tuple[_Result | None, tuple[Value, ...]]] = {}

    def cells(self, key: Hashable, make: Callable[[], dict[Codes, Any]]) -> dict[Codes, Any]:
        """The cells of a variable's own table.

        Args:
            key: decides the variable's domain, and the value of each code.
            make: makes them, the first time.
        """
        found = self._cells.get(key)
        if found is None:
            found = self._cells[key] = make()
        return found

    def result(
        self, function: Hashable, args: tuple[Value, ...], model: NodeBuilder, make: Callable[[], Value]
    ) -> Value:
        """What a function comes to.

        Args:
            function: names it; it reads nothing but its arguments and facts.
            args: tables and known values.
            model: makes nodes of the result.
            make: works it out, the first time.
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
        found = self._results.get(key)
        if found is not None and found[0] is not None:
            return _over(found[0], joined_vars(args), model)
        made = make()
        if found is None:  # the arguments are kept, as their identity is in the key
            self._results[key] = _result(made, places), args
        return made


def is_tabular(args: tuple[Value, ...]) -> bool:
    """All are known values or tables, and some are tables."""
    return any(isinstance(arg, Tab) for arg in args) and all(
        isinstance(arg, Tab) or (is_concrete(arg) and not isinstance(arg, BOOLS)) for arg in args
    )


def _result(value: Value, places: Mapping[int, int]) -> _Result | None:
    """A value without its variables; None of one that is not said so easily."""
    match value:
        case Tab(vars=over, values=values, space=space):
            at = _places(over, places)
            return None if at is None else _Cells(at, values, space)
        case BooleanConstant():
            return _Known(value)
        case InDomain(var=var, domain=domain):
            return _Membership(places[var.id], domain) if var.id in places else None
        case InTable(vars=over, rows=rows):
            at = _places(over, places)
            return None if at is None else _Rows(at, rows)
    return _Known(value) if is_concrete(value) and not isinstance(value, BOOLS) else None


def _places(over: tuple[IntVar, ...], places: Mapping[int, int]) -> tuple[int, ...] | None:
    return tuple(places[var.id] for var in over) if all(var.id in places for var in over) else None


def _over(result: _Result, over: tuple[IntVar, ...], model: NodeBuilder) -> Value:
    """A result over other variables."""
    match result:
        case _Cells(places=places, values=values, space=space):
            return Tab(tuple(over[place] for place in places), values, space)
        case _Membership(place=place, domain=domain):
            return model.member(over[place], domain)
        case _Rows(places=places, rows=rows):
            return model.in_table(tuple(over[place] for place in places), rows)
        case _Known(value=value):
            return value
