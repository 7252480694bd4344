"""The decision variables of a CPMpy model as tables of a plan."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from planspec.foreign_models.families import RANGE_NAMES, Names
from planspec.foreign_models.terms import ATOM, CHOICE, Term

SCALARS = "vars"
"""Name of the plan table for variables that are not in an array."""
WORDS = (
    *("if", "else", "implies", "or", "and", "not", "in", "is", "for", "none", "true", "false"),
    *("step", "unknown", "key", "set", "list", "of"),
)
"""Words that the language reserves everywhere or in some contexts."""
FEWEST = 3
"""Minimum number of variables with numbered names, such as `x_1`, that are turned into an array."""
_NUMBERED = re.compile(r"(.*[^\W\d])_(\d+(?:_\d+)*)")
_ARRAY_CELL = re.compile(r"(.*\S)\s*\[(\d+(?:\s*,\s*\d+)*)\]", re.DOTALL)

Index: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Variable:
    """A decision variable.

    Attributes:
        name: name in the model.
        low: minimum value.
        high: maximum value.
        is_bool: whether the values are Booleans.
    """

    name: str
    low: int
    high: int
    is_bool: bool


@dataclass(slots=True)
class PlanTable:
    """A table of the plan.

    Attributes:
        name: name of the table.
        cells: variables of the array by index; empty if the table holds scalars.
        fields: scalar variables by field name; empty for an array.
    """

    name: str
    cells: dict[Index, Variable] = field(default_factory=dict)
    fields: dict[str, Variable] = field(default_factory=dict)

    @property
    def is_bool(self) -> bool:
        """Whether the table is an array of Boolean variables."""
        return next(iter(self.cells.values())).is_bool

    def key_names(self) -> tuple[str, ...]:
        """Return the names of the key columns."""
        size = len(next(iter(self.cells), ()))
        return tuple(RANGE_NAMES[:size]) if size <= len(RANGE_NAMES) else tuple(f"i{n}" for n in range(size))


class Variables:
    """Assignment of a model's variables to cells of plan tables.

    Args:
        variables: CPMpy's variables, in order.
        places: array name and index of unnamed variables, by the name that CPMpy generated.
        names: names in the task.
    """

    def __init__(self, variables: Iterable[Any], places: Mapping[str, tuple[str, Index]], names: Names) -> None:
        self._names = names
        self._terms: dict[str, Term] = {}
        self._tables: dict[tuple[str, int, bool], PlanTable] = {}
        self._scalars: PlanTable | None = None
        self._fields = Names((*WORDS, "one"))
        listed = list(variables)
        further = numbered_places([each for each in listed if each.name not in places])
        for variable in listed:
            self._place(variable, {**further, **places})

    @property
    def tables(self) -> list[PlanTable]:
        """The tables of the plan: first the arrays, then the table of scalars."""
        return [*self._tables.values(), *([self._scalars] if self._scalars else [])]

    def cell(self, variable: Any) -> Term:
        """Return the term for a variable's value. A new variable becomes a scalar."""
        if variable.name not in self._terms:
            self._place(variable, {variable.name: ("aux", ())})
        return self._terms[variable.name]

    def add_array(self, name: str, variables: Sequence[Any]) -> None:
        """Add auxiliary variables as a new array."""
        bases = {key[0] for key in self._tables}
        base = next(
            wish for wish in itertools.chain([name], (f"{name}{n}" for n in itertools.count(2))) if wish not in bases
        )
        for place, variable in enumerate(variables):
            self._place(variable, {variable.name: (base, (place,))})

    def _place(self, variable: Any, places: Mapping[str, tuple[str, Index]]) -> None:
        made = Variable(variable.name, variable.lb, variable.ub, variable.is_bool())
        base, index = places.get(made.name) or split_name(made.name)
        if not index:
            self._add_scalar(made, base)
            return
        key = (base, len(index), made.is_bool)
        table = self._tables.get(key)
        if table is None:
            table = PlanTable(self._names.fresh(identifier(base)))
            self._tables[key] = table
        if index in table.cells:  # happens if two arrays have the same name
            self._add_scalar(made, made.name)
            return
        table.cells[index] = made
        form = f"{table.name}[{', '.join(['{}'] * len(index))}].value"
        self._terms[made.name] = Term(form, index, ATOM, (CHOICE,) * len(index), cell=True)

    def _add_scalar(self, variable: Variable, name: str) -> None:
        if self._scalars is None:
            self._scalars = PlanTable(self._names.fresh(SCALARS))
        column = self._fields.fresh(identifier(name))
        self._scalars.fields[column] = variable
        self._terms[variable.name] = Term(f"{self._scalars.name}.{column}", cell=True)


def split_name(name: str) -> tuple[str, Index]:
    """Return the array and the index in a name such as `x[0,1]`. The index of a scalar is empty."""
    match = _ARRAY_CELL.fullmatch(name)
    return (match[1], tuple(map(int, match[2].split(",")))) if match else (name, ())


def numbered_places(variables: Sequence[Any]) -> dict[str, tuple[str, Index]]:
    """Return the array name and index for numbered variables such as `x_1`, if enough of them share a prefix.

    The keys are the variables' names.
    """
    groups: dict[object, dict[str, tuple[str, Index]]] = {}
    for variable in variables:
        match = _NUMBERED.fullmatch(variable.name)
        if match and not is_numbered(variable.name):
            index = tuple(map(int, match[2].split("_")))
            groups.setdefault((match[1], len(index), variable.is_bool()), {})[variable.name] = (match[1], index)
    return {name: place for group in groups.values() if len(group) >= FEWEST for name, place in group.items()}


def identifier(name: str) -> str:
    """Return a name as a valid identifier of the language."""
    word = re.sub(r"\W+", "_", name).strip("_") or "x"
    return f"v_{word}" if word[0].isdigit() else word


def array_places(variables: Mapping[str, Any]) -> dict[str, tuple[str, Index]]:
    """Return the array name and index of unnamed variables, found through the arrays that contain them.

    Args:
        variables: global and local variables of the file.
    """
    places: dict[str, tuple[str, Index]] = {}
    for name, value in variables.items():
        if not name.startswith("_"):
            for index, each in _walk(value, ()):
                if is_numbered(each.name):
                    places.setdefault(each.name, (name, index))
    return places


def is_numbered(name: str) -> bool:
    """Return whether a variable's name was generated by CPMpy."""
    return re.fullmatch(r"(IV|BV)\d+", split_name(name)[0]) is not None


def _walk(value: Any, index: Index) -> Iterable[tuple[Index, Any]]:
    """Yield the variables in a variable, array, list, or list of lists, each with its index."""
    if type(value).__name__ in ("_IntVarImpl", "_BoolVarImpl"):
        yield index, value
    elif isinstance(value, list | tuple) or type(value).__name__ == "NDVarArray":
        for place, item in enumerate(value):
            yield from _walk(item, (*index, place))


def constant_titles(variables: Mapping[str, Any]) -> dict[tuple[int, ...], str]:
    """Return the names of the file's lists of integers, by their values.

    Args:
        variables: the file's global variables.
    """
    titles: dict[tuple[int, ...], str] = {}
    for name, value in variables.items():
        numbers = _whole_numbers(value)
        if len(numbers) > 2 and not name.startswith("_"):
            titles.setdefault(numbers, identifier(name))
    return titles


def _whole_numbers(value: Any) -> tuple[int, ...]:
    import numpy as np

    if isinstance(value, np.ndarray) and value.dtype.kind == "i":
        return tuple(int(each) for each in value.flat)
    if not isinstance(value, Sequence) or isinstance(value, str | bytes):
        return ()
    if all(type(each) is int for each in value):
        return tuple(value)
    rows = [_whole_numbers(each) for each in value]
    return tuple(each for row in rows for each in row) if all(rows) else ()
