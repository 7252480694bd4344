"""Quasigroup completion: a square with each number once in each row and column. Some numbers are given."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from ortools.sat.python import cp_model

from benchmarks.classical.kind import Kind, Model, Rows, Values, table

Square = list[list[int]]
"""Instance: rows of numbers from 1, with 0 for an empty cell."""


def generate(size: str) -> Square:
    """Shuffle a cyclic Latin square by exchanging numbers between two rows, and clear some of its cells."""
    side, holes = map(int, size.split("-"))
    source = random.Random(f"square {size}")
    grid = [[(r + c) % side + 1 for c in range(side)] for r in range(side)]
    for _ in range(20 * side):
        if source.random() < 0.5:
            grid = [list(column) for column in zip(*grid, strict=True)]
        a, b = source.sample(range(side), 2)
        cycle = [source.randrange(side)]  # both rows have the same set of numbers in these columns
        while grid[b][cycle[-1]] != grid[a][cycle[0]]:
            cycle.append(grid[a].index(grid[b][cycle[-1]]))
        for c in cycle:
            grid[a][c], grid[b][c] = grid[b][c], grid[a][c]
    for cell in source.sample(range(side * side), holes):
        grid[cell // side][cell % side] = 0
    return grid


def task(data: Square) -> str:
    side = len(data)
    given = [(r, c, value) for r, row in enumerate(data, 1) for c, value in enumerate(row, 1) if value]
    return (
        """planspec: task/1
id: square
query: Which numbers are missing?
tables:
"""
        + table("Given", "row: key int, column: key int, value: int", given)
        + f"""plan:
  cells: {{row: key int, column: key int, value: int}}
scope:
  cells:
    - {{for: r in 1..{side} for c in 1..{side}, row: r, column: c, value: 1..{side}}}
closed: true
constraints:
  range:
    hard: all(x.value in 1..{side} for x in cells)
  given:
    for: g in Given
    hard: cells[g.row, g.column].value == g.value
  row:
    for: r in 1..{side}
    hard: all_different(cells[r, c].value for c in 1..{side})
  column:
    for: c in 1..{side}
    hard: all_different(cells[r, c].value for r in 1..{side})
"""
    )


MINIZINC = """
include "alldifferent.mzn";
int: side;
array[1..side, 1..side] of 0..side: given;
array[1..side, 1..side] of var 1..side: value;
constraint forall(r, c in 1..side where given[r, c] > 0) (value[r, c] = given[r, c]);
constraint forall(r in 1..side) (alldifferent(value[r, ..]) :: domain);
constraint forall(c in 1..side) (alldifferent(value[.., c]) :: domain);
solve :: int_search([value[r, c] | r, c in 1..side], first_fail, indomain_min) satisfy;
"""


def minizinc_data(data: Square) -> Mapping[str, Any]:
    return {"side": len(data), "given": data}


def build_cpsat(data: Square) -> Model:
    model = cp_model.CpModel()
    side = len(data)
    value = [[model.new_int_var(g or 1, g or side, "") for g in row] for row in data]
    for line in (*value, *zip(*value, strict=True)):
        model.add_all_different(line)
    return Model(model, {"value": value})


def build_cpmpy(cp: Any, data: Square) -> Model:
    side = len(data)
    value = cp.intvar(1, side, shape=(side, side))
    model = cp.Model([cp.AllDifferent(row) for row in value], [cp.AllDifferent(column) for column in value.T])
    model += [value[r, c] == g for r, row in enumerate(data) for c, g in enumerate(row) if g]
    return Model(model, {"value": value})


def rows(_: Square, values: Values) -> Rows:
    return {
        "cells": [
            {"row": r, "column": c, "value": value}
            for r, row in enumerate(values["value"], 1)
            for c, value in enumerate(row, 1)
        ]
    }


KIND = Kind(
    name="square",
    sizes=("10-45", "20-160", "30-380"),
    generate=generate,
    task=task,
    minizinc=MINIZINC,
    minizinc_data=minizinc_data,
    build_cpsat=build_cpsat,
    build_cpmpy=build_cpmpy,
    rows=rows,
    has_objective=False,
)
