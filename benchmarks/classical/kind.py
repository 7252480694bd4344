"""Kinds of classical problems: models of an instance for four systems, and conversion of their values to rows."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

Values: TypeAlias = Mapping[str, Any]
"""Values of a solution: nested lists of ints by name, such as the start of each operation.

All systems use the same names.
"""
Rows: TypeAlias = dict[str, list[dict[str, Any]]]
"""An answer to planspec's task: rows by table."""
D = TypeVar("D")


class Model(NamedTuple):
    """A model for CP-SAT or CPMpy.

    `variables` maps the names of `Values` to variables of the model, or to expressions.
    """

    model: Any
    variables: Mapping[str, Any]


def same_value(_: Any, value: int) -> int:
    """Return an objective value unchanged: the default for objectives with the same unit in all systems."""
    return value


@dataclass(frozen=True)
class Kind(Generic[D]):
    """A kind of problem, such as job-shop scheduling, with its generator and its models.

    Attributes:
        name: name on the command line.
        sizes: names of three instances, from small to large. The same name always gives the same instance.
        generate: function that returns the instance of a size.
        task: function that writes an instance as a task of planspec.
        minizinc: model in MiniZinc, without data.
        minizinc_data: function that returns the data of the MiniZinc model.
        build_cpsat: function that builds an expert's model for CP-SAT.
        build_cpmpy: function that builds a model in CPMpy. The module `cpmpy` is its first argument.
        rows: function that converts the values of another system's solution to an answer to planspec's task.
        has_objective: whether the problem has an objective.
        maximizes: whether the objective is maximised.
        objective: function that converts an objective value of the other systems to planspec's unit.
        read: function that reads a public instance from a folder, or None if there are no public instances.
        optima: function that returns the optima of the public instances in a folder, by name.
    """

    name: str
    sizes: tuple[str, str, str]
    generate: Callable[[str], D]
    task: Callable[[D], str]
    minizinc: str
    minizinc_data: Callable[[D], Mapping[str, Any]]
    build_cpsat: Callable[[D], Model]
    build_cpmpy: Callable[[Any, D], Model]
    rows: Callable[[D, Values], Rows]
    has_objective: bool = True
    maximizes: bool = False
    objective: Callable[[D, int], int] = same_value
    read: Callable[[Path, str], D] | None = None
    optima: Callable[[Path], Mapping[str, int]] | None = None

    def instance(self, size: str, folder: Path | None = None) -> D:
        """Return the generated instance of a size, or the public instance with that name."""
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
                return _count(inspect.getsource(self.build_cpmpy))
            case _:
                return _count(inspect.getsource(self.build_cpsat))


def _count(text: str) -> int:
    return sum(bool(line.strip()) for line in text.splitlines())


def _lines_of_task(text: str) -> int:
    """Return the number of lines of a task, without its heading and without table rows (indented by 6 spaces)."""
    facts, plan, model = text.partition("\nplan:\n")
    declared = [line for line in facts.splitlines()[3:] if not line.startswith(" " * 6)]
    return _count("\n".join(declared)) + _count(plan + model)


def table(name: str, columns: str, rows: list[tuple[Any, ...]], splits: str | None = None) -> str:
    """Return the YAML of a table of facts with its rows as CSV.

    Args:
        name: name of the table.
        columns: declarations of the columns, such as `job: key Job, takes: int`. A column `id` needs no declaration.
        rows: one tuple for each row. A set is written as its members separated by spaces.
        splits: name of the column with sets, or None.
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
