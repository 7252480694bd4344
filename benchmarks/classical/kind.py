"""The form of a classical problem: one instance in the languages of four systems, and the way back from their values."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

Values: TypeAlias = Mapping[str, Any]
"""Nested lists of ints by name, such as the start of each operation. Every system returns the same names."""
Rows: TypeAlias = dict[str, list[dict[str, Any]]]
"""An answer to the planspec task: rows by table."""
D = TypeVar("D")


class Model(NamedTuple):
    """A model of one of the Python systems, and its variables, or expressions over them, under the names of `Values`."""

    model: Any
    variables: Mapping[str, Any]


def same(_: Any, value: int) -> int:
    """Return the value of an objective that all systems count alike."""
    return value


@dataclass(frozen=True)
class Kind(Generic[D]):
    """A kind of problem.

    Attributes:
        name: name on the command line.
        sizes: names of three instances, from small to large. The same name always gives the same instance.
        generate: makes the instance of a size.
        task: writes an instance as a task of planspec.
        minizinc: model in MiniZinc, without data.
        parameters: the data of the MiniZinc model.
        by_hand: model for CP-SAT as an expert writes it.
        by_cpmpy: model in CPMpy, which is the first argument.
        rows: makes an answer of planspec from the values of another system.
        has_objective: whether there is something to minimise or maximise.
        maximizes: whether the objective is maximised.
        objective: value of the task's objective, in planspec's unit, for an objective value of the other systems.
        read: reads a public instance from a folder; None if there are no public ones.
        optima: optima of the public instances in a folder.
    """

    name: str
    sizes: tuple[str, str, str]
    generate: Callable[[str], D]
    task: Callable[[D], str]
    minizinc: str
    parameters: Callable[[D], Mapping[str, Any]]
    by_hand: Callable[[D], Model]
    by_cpmpy: Callable[[Any, D], Model]
    rows: Callable[[D, Values], Rows]
    has_objective: bool = True
    maximizes: bool = False
    objective: Callable[[D, int], int] = same
    read: Callable[[Path, str], D] | None = None
    optima: Callable[[Path], Mapping[str, int]] | None = None

    def instance(self, size: str, folder: Path | None = None) -> D:
        """Return the instance of a size, or the public one of this name."""
        if size in self.sizes or self.read is None or folder is None:
            return self.generate(size)
        return self.read(folder, size)

    def lines(self, system: str, data: D) -> int:
        """Return the number of lines of a model's text, without the data."""
        match system:
            case "planspec":
                return _lines_of_task(self.task(data))
            case "minizinc":
                return _count(self.minizinc)
            case "cpmpy":
                return _count(inspect.getsource(self.by_cpmpy))
            case _:
                return _count(inspect.getsource(self.by_hand))


def _count(text: str) -> int:
    return sum(bool(line.strip()) for line in text.splitlines())


def _lines_of_task(text: str) -> int:
    """Count the lines of a task without the rows of tables, which are indented by six, and without the heading."""
    facts, plan, model = text.partition("\nplan:\n")
    declared = [line for line in facts.splitlines()[3:] if not line.startswith(" " * 6)]
    return _count("\n".join(declared)) + _count(plan + model)


def table(name: str, columns: str, rows: list[tuple[Any, ...]], splits: str | None = None) -> str:
    """Return the YAML of a table of facts with its rows as CSV.

    Args:
        name: name of the table.
        columns: declarations of the columns, such as `job: key Job, takes: int`. A column `id` needs none.
        rows: one tuple for each row; sets are joined by blanks.
        splits: column that holds a set, if one does.
    """
    names = [each.split(":")[0].strip() for each in columns.split(",")]
    declared = ", ".join(each.strip() for each in columns.split(",") if ":" in each)
    lines = [f"  {name}:", f"    columns: {{{declared}}}"]
    if splits is not None:
        lines.append(f'    map: {{{splits}: {{from: {splits}, split: " "}}}}')
    lines += ["    csv: |", "      " + ", ".join(names)]
    lines += ["      " + ", ".join(_cell(cell) for cell in row) for row in rows]
    return "\n".join(lines) + "\n"


def _cell(cell: Any) -> str:
    return " ".join(str(each) for each in cell) if isinstance(cell, (list, tuple)) else str(cell)


def names(letter: str, count: int) -> str:
    """Return the members of an enum, such as `j0 | j1 | j2`."""
    return " | ".join(f"{letter}{number}" for number in range(count))
