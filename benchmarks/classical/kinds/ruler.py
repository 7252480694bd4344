"""Golomb ruler: marks whose distances are all different, on a ruler of minimum length."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations, pairwise
from typing import Any

from ortools.sat.python import cp_model

from benchmarks.classical.kind import Kind, Model, Rows, Values


def longest(marks: int) -> int:
    return marks * marks


def task(marks: int) -> str:
    return f"""planspec: task/1
id: ruler
query: Where are the marks of the shortest ruler on which no two distances are equal?
plan:
  marks: {{number: key int, at: int}}
scope:
  marks:
    - {{for: m in 1..{marks}, number: m, at: 0..{longest(marks)}}}
closed: true
define:
  at(m int): marks[m].at
constraints:
  zero:
    hard: at(1) == 0
  rising:
    for: m in 2..{marks}
    hard: at(m - 1) < at(m)
  distinct:
    hard: all_different(at(b) - at(a) for a in 1..{marks} for b in a + 1..{marks})
  # symmetry breaking: a ruler and its mirror image are equivalent
  turned:
    hard: at(2) - at(1) < at({marks}) - at({marks - 1})
minimize: at({marks})
"""


MINIZINC = """
include "alldifferent.mzn";
int: marks; int: longest = marks * marks;
array[1..marks] of var 0..longest: at;
constraint at[1] = 0;
constraint forall(m in 2..marks) (at[m - 1] < at[m]);
constraint alldifferent([at[b] - at[a] | a, b in 1..marks where a < b]) :: domain;
constraint at[2] - at[1] < at[marks] - at[marks - 1];
solve :: int_search(at, input_order, indomain_min) minimize at[marks];
"""


def minizinc_data(marks: int) -> Mapping[str, Any]:
    return {"marks": marks}


def build_cpsat(marks: int) -> Model:
    model = cp_model.CpModel()
    at = [model.new_int_var(0, longest(marks), "") for _ in range(marks)]
    model.add(at[0] == 0)
    gaps = {}
    for a, b in combinations(range(marks), 2):
        least = (b - a) * (b - a + 1) // 2  # lower bound: the b - a distances between adjacent marks are distinct
        gaps[a, b] = model.new_int_var(least, longest(marks), "")
        model.add(gaps[a, b] == at[b] - at[a])
    model.add_all_different(gaps.values())
    model.add(gaps[0, 1] < gaps[marks - 2, marks - 1])
    model.minimize(at[-1])
    return Model(model, {"at": at})


def build_cpmpy(cp: Any, marks: int) -> Model:
    at = cp.intvar(0, longest(marks), shape=marks)
    model = cp.Model(at[0] == 0, [a < b for a, b in pairwise(at)])
    model += cp.AllDifferent([b - a for a, b in combinations(at, 2)])
    model += at[1] - at[0] < at[-1] - at[-2]
    model.minimize(at[-1])
    return Model(model, {"at": at})


def rows(_: int, values: Values) -> Rows:
    return {"marks": [{"number": m, "at": at} for m, at in enumerate(values["at"], 1)]}


KIND = Kind(
    name="ruler",
    sizes=("7", "8", "10"),
    generate=int,
    task=task,
    minizinc=MINIZINC,
    minizinc_data=minizinc_data,
    build_cpsat=build_cpsat,
    build_cpmpy=build_cpmpy,
    rows=rows,
)
