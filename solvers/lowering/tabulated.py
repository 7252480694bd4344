"""Cache of the results of functions of static data, for arguments that depend on decision variables.

Most results are tables over the codes of these variables, that is, over integers that encode values. Variables with
the same codes and values share the tables.
"""

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
    """A cached result: a table over some variables of the arguments of the cached call.

    `indices` has the indices of these variables among all variables of the call's arguments.
    """

    indices: tuple[int, ...]
    values: Mapping[Codes, Any]
    space: str | None


@dataclass(frozen=True, slots=True)
class _Membership:
    """A cached result: the condition that a variable has a value in `domain`.

    `index` is the index of the variable among all variables of the arguments of the cached call.
    """

    index: int
    domain: Domain


@dataclass(frozen=True, slots=True)
class _RowSet:
    """A cached result: the condition that the codes of some variables form one of `rows`.

    `indices` has the indices of these variables among all variables of the arguments of the cached call.
    """

    indices: tuple[int, ...]
    rows: frozenset[Codes]


@dataclass(frozen=True, slots=True)
class _FixedValue:
    """A cached result that does not depend on the variables of the arguments of the cached call."""

    value: Any


_Result: TypeAlias = _CellTable | _Membership | _RowSet | _FixedValue


class Tabulated:
    """Cache of the results of functions that read only their arguments and static tables, by function and arguments.

    An argument is a constant or a table (`Tab`), which maps the codes of decision variables to values. Codes are
    integers that encode values. If fields of one column have the same codes and values, their tables share one mapping
    object, even in different models of a task. The cache key contains the identity of this object, so a result is
    computed only once for all these fields.
    """

    def __init__(self) -> None:
        self._cells: dict[Hashable, dict[Codes, Any]] = {}
        self._results: dict[Hashable, tuple[_Result | None, tuple[Value, ...]]] = {}

    def cells(self, key: Hashable, compute: Callable[[], dict[Codes, Any]]) -> dict[Codes, Any]:
        """Return the values for which a variable's codes stand, by code. Each key is a tuple of one code.

        The result is shared by all variables with equal codes and values.

        Args:
            key: key in the cache. Equal keys must stand for equal domains and equal values of each code.
            compute: function that returns the cells. It is called only if the key is new.
        """
        cached = self._cells.get(key)
        if cached is None:
            cached = self._cells[key] = compute()
        return cached

    def result(
        self, function: Hashable, args: tuple[Value, ...], model: NodeBuilder, compute: Callable[[], Value]
    ) -> Value:
        """Return the result of a function for symbolic arguments, from the cache if possible.

        Args:
            function: key of the function. Its result must depend only on its arguments and on static tables.
            args: arguments of the function: tables (`Tab`) and constants.
            model: builder of the result's nodes.
            compute: function that returns the result. It is called only if no result for equal arguments is cached.
        """
        indices: dict[int, int] = {}
        key = (
            function,
            *(
                (Tab, id(arg.values), arg.space, *[indices.setdefault(v.id, len(indices)) for v in arg.vars])
                if isinstance(arg, Tab)
                else arg
                for arg in args
            ),
        )
        cached = self._results.get(key)
        if cached is not None and cached[0] is not None:
            return _with_variables(cached[0], joined_vars(args), model)
        value = compute()
        if cached is None:  # the arguments must stay alive, because their identity is in the key
            self._results[key] = _without_variables(value, indices), args
        return value


def is_tabular(args: tuple[Value, ...]) -> bool:
    """Return whether each argument is a constant or a table, and at least one is a table."""
    return any(isinstance(arg, Tab) for arg in args) and all(
        isinstance(arg, Tab) or (is_concrete(arg) and not isinstance(arg, BOOLS)) for arg in args
    )


def _without_variables(value: Value, indices: Mapping[int, int]) -> _Result | None:
    """Replace the variables of a value by their indices, so that it can be cached; None if that is not possible."""
    match value:
        case Tab(vars=vars_, values=values, space=space):
            indices_ = _indices_of(vars_, indices)
            return None if indices_ is None else _CellTable(indices_, values, space)
        case BooleanConstant():
            return _FixedValue(value)
        case InDomain(var=var, domain=domain):
            return _Membership(indices[var.id], domain) if var.id in indices else None
        case InTable(vars=vars_, rows=rows):
            indices_ = _indices_of(vars_, indices)
            return None if indices_ is None else _RowSet(indices_, rows)
    return _FixedValue(value) if is_concrete(value) and not isinstance(value, BOOLS) else None


def _indices_of(vars_: tuple[IntVar, ...], indices: Mapping[int, int]) -> tuple[int, ...] | None:
    return tuple(indices[var.id] for var in vars_) if all(var.id in indices for var in vars_) else None


def _with_variables(result: _Result, vars_: tuple[IntVar, ...], model: NodeBuilder) -> Value:
    """Return a cached result as a symbolic value over the given variables: the inverse of `_without_variables`."""
    match result:
        case _CellTable(indices=indices, values=values, space=space):
            return Tab(tuple(vars_[index] for index in indices), values, space)
        case _Membership(index=index, domain=domain):
            return model.member(vars_[index], domain)
        case _RowSet(indices=indices, rows=rows):
            return model.in_table(tuple(vars_[index] for index in indices), rows)
        case _FixedValue(value=value):
            return value
