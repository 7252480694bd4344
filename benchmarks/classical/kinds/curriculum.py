"""Balanced curriculum: courses with prerequisites are assigned to periods.

The maximum load of a period is minimised.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ortools.sat.python import cp_model

from benchmarks.classical.kind import Kind, Model, Rows, Values, table


@dataclass(frozen=True)
class CurriculumInstance:
    """Instance: credits per course, pairs (prerequisite, course), number of periods, and bounds on courses per
    period."""

    credits: list[int]
    before: list[tuple[int, int]]
    periods: int
    fewest: int
    most: int


def generate(size: str) -> CurriculumInstance:
    courses, periods = map(int, size.split("x"))
    source = random.Random(f"curriculum {size}")
    drawn = [c % periods for c in source.sample(range(courses), courses)]  # periods of a valid plan
    before: set[tuple[int, int]] = set()
    while len(before) < courses:
        a, b = source.sample(range(courses), 2)
        if drawn[a] < drawn[b] <= drawn[a] + 2:
            before.add((a, b))
    mean = courses // periods
    return CurriculumInstance(
        [source.randint(1, 7) for _ in range(courses)], sorted(before), periods, mean - 1, mean + 2
    )


def task(data: CurriculumInstance) -> str:
    courses = [(f"c{c}", value) for c, value in enumerate(data.credits)]
    before = [(f"c{a}", f"c{b}") for a, b in data.before]
    return (
        """planspec: task/1
id: curriculum
query: In which period should each course be taken, so that the heaviest period is light?
tables:
"""
        + table("Course", "id, credits: int", courses)
        + table("Before", "first: key Course, then: key Course", before)
        + f"""plan:
  takes: {{course: key Course, period: int}}
scope:
  takes:
    - {{for: c in Course, course: c, period: 1..{data.periods}}}
closed: true
define:
  load(p int): sum(x.course.credits for x in takes if x.period == p)
constraints:
  periods:
    hard: all(x.period in 1..{data.periods} for x in takes)
  before:
    for: b in Before
    hard: takes[b.first].period < takes[b.then].period
  courses:
    for: p in 1..{data.periods}
    hard: count(x for x in takes if x.period == p) in {data.fewest}..{data.most}
minimize: max(load(p) for p in 1..{data.periods})
"""
    )


MINIZINC = """
include "bin_packing_load.mzn";
include "global_cardinality_low_up.mzn";
int: courses; int: periods; int: fewest; int: most; int: pairs;
array[1..courses] of int: credits;
array[1..pairs, 1..2] of int: before;
array[1..courses] of var 1..periods: period;
array[1..periods] of var 0..sum(credits): load;
var ceil(sum(credits) / periods)..sum(credits): heaviest;
constraint forall(p in 1..pairs) (period[before[p, 1]] < period[before[p, 2]]);
constraint bin_packing_load(load, period, credits);
constraint global_cardinality_low_up(period, [p | p in 1..periods], [fewest | p in 1..periods], [most | p in 1..periods]);
constraint forall(p in 1..periods) (load[p] <= heaviest);
solve :: int_search(period, first_fail, indomain_min) minimize heaviest;
"""


def minizinc_data(data: CurriculumInstance) -> Mapping[str, Any]:
    return {
        "courses": len(data.credits),
        "periods": data.periods,
        "fewest": data.fewest,
        "most": data.most,
        "pairs": len(data.before),
        "credits": data.credits,
        "before": [[a + 1, b + 1] for a, b in data.before],
    }


def build_cpsat(data: CurriculumInstance) -> Model:
    model = cp_model.CpModel()
    total = sum(data.credits)
    heaviest = model.new_int_var(-(-total // data.periods), total, "heaviest")
    taken = [[model.new_bool_var("") for _ in range(data.periods)] for _ in data.credits]
    period = [model.new_int_var(1, data.periods, "") for _ in data.credits]
    for literals, each in zip(taken, period, strict=True):
        model.add_exactly_one(literals)
        model.add(each == sum(p * literal for p, literal in enumerate(literals, 1)))
    for a, b in data.before:
        model.add(period[a] < period[b])
    for p in range(data.periods):
        inside = [literals[p] for literals in taken]
        model.add_linear_constraint(sum(inside), data.fewest, data.most)
        model.add(sum(c * literal for c, literal in zip(data.credits, inside, strict=True)) <= heaviest)
    model.minimize(heaviest)
    return Model(model, {"period": period})


def build_cpmpy(cp: Any, data: CurriculumInstance) -> Model:
    total = sum(data.credits)
    period = cp.intvar(1, data.periods, shape=len(data.credits))
    heaviest = cp.intvar(-(-total // data.periods), total)
    model = cp.Model([period[a] < period[b] for a, b in data.before])
    for p in range(1, data.periods + 1):
        model += [cp.sum(period == p) >= data.fewest, cp.sum(period == p) <= data.most]
        model += cp.sum([c * (each == p) for c, each in zip(data.credits, period, strict=True)]) <= heaviest
    model.minimize(heaviest)
    return Model(model, {"period": period})


def rows(_: CurriculumInstance, values: Values) -> Rows:
    return {"takes": [{"course": f"c{c}", "period": period} for c, period in enumerate(values["period"])]}


KIND = Kind(
    name="curriculum",
    sizes=("20x5", "40x8", "70x12"),
    generate=generate,
    task=task,
    minizinc=MINIZINC,
    minizinc_data=minizinc_data,
    build_cpsat=build_cpsat,
    build_cpmpy=build_cpmpy,
    rows=rows,
)
