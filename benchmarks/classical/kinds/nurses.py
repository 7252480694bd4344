"""Nurse rostering: shifts need nurses, some sequences of shifts are forbidden, and assignments have costs."""

from __future__ import annotations

import itertools
import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ortools.sat.python import cp_model

from benchmarks.classical.kind import Kind, Model, Rows, Values, names, table

SHIFTS = ("off", "early", "late", "night")
FORBIDDEN = ((2, 1), (3, 1), (3, 2))
"""Forbidden pairs of shifts on consecutive days."""


@dataclass(frozen=True)
class NursesInstance:
    """Instance: nurses needed per day and shift, cost per nurse, day and shift, bounds on a nurse's working days."""

    staff: list[list[int]]
    cost: list[list[list[int]]]
    fewest: int
    most: int


def generate(size: str) -> NursesInstance:
    nurses, days = map(int, size.split("x"))
    source = random.Random(f"nurses {size}")
    staff = [[max(1, round(nurses * share)) for share in (0.25, 0.22, 0.15)] for _ in range(days)]
    cost = [[[0] * 4 for _ in range(days)] for _ in range(nurses)]
    for nurse in cost:
        for day in range(days):
            nurse[day][source.randrange(4)] = source.randint(1, 9)
    mean = sum(map(sum, staff)) / nurses
    return NursesInstance(staff, cost, int(mean) - 1, int(mean) + 2)


def task(data: NursesInstance) -> str:
    nurses, days = len(data.cost), len(data.staff)
    staff = [(d, SHIFTS[s + 1], count) for d, each in enumerate(data.staff, 1) for s, count in enumerate(each)]
    dislikes = [
        (f"n{n}", d, SHIFTS[s], cost)
        for n, by_day in enumerate(data.cost)
        for d, by_shift in enumerate(by_day, 1)
        for s, cost in enumerate(by_shift)
        if cost
    ]
    return (
        f"""planspec: task/1
id: nurses
query: Draw up the roster that annoys the nurses least.
types:
  Nurse: {names("n", nurses)}
  Shift: {" | ".join(SHIFTS)}
tables:
"""
        + table("Staff", "day: key int, shift: key Shift, count: int", staff)
        + table("Never", "first: key Shift, next: key Shift", [(SHIFTS[a], SHIFTS[b]) for a, b in FORBIDDEN])
        + table("Dislike", "nurse: key Nurse, day: key int, shift: key Shift, cost: int", dislikes)
        + f"""plan:
  duties: {{nurse: key Nurse, day: key int, shift: Shift}}
scope:
  duties:
    - {{for: n in Nurse for d in 1..{days}, nurse: n, day: d, shift: Shift}}
closed: true
define:
  works(n Nurse, d int): duties[n, d].shift != off
constraints:
  staff:
    for: k in Staff
    hard: count(x for x in duties if x.day == k.day and x.shift == k.shift) == k.count
  order:
    for: n in Nurse for d in 2..{days} for k in Never
    hard: duties[n, d - 1].shift != k.first or duties[n, d].shift != k.next
  rest:
    for: n in Nurse for d in 1..{days - 5}
    hard: count(k for k in d..d + 5 if works(n, k)) <= 5
  single:
    for: n in Nurse for d in 2..{days - 1}
    hard: works(n, d) or not works(n, d - 1) or not works(n, d + 1)
  share:
    for: n in Nurse
    hard: count(d for d in 1..{days} if works(n, d)) in {data.fewest}..{data.most}
minimize: sum(k.cost for k in Dislike if duties[k.nurse, k.day].shift == k.shift)
"""
    )


MINIZINC = """
int: nurses; int: days; int: fewest; int: most;
array[1..days, 1..3] of int: staff;
array[1..nurses, 1..days, 0..3] of int: cost;
array[1..nurses, 1..days] of var 0..3: shift;
constraint forall(d in 1..days, s in 1..3) (sum(n in 1..nurses) (shift[n, d] = s) = staff[d, s]);
constraint forall(n in 1..nurses, d in 2..days) (
  (shift[n, d - 1] >= 2 -> shift[n, d] != 1) /\\ (shift[n, d - 1] = 3 -> shift[n, d] != 2));
constraint forall(n in 1..nurses, d in 1..days - 5) (exists(k in d..d + 5) (shift[n, k] = 0));
constraint forall(n in 1..nurses, d in 2..days - 1) (shift[n, d] != 0 \\/ shift[n, d - 1] = 0 \\/ shift[n, d + 1] = 0);
constraint forall(n in 1..nurses) (sum(d in 1..days) (shift[n, d] != 0) in fewest..most);
solve minimize sum(n in 1..nurses, d in 1..days) (cost[n, d, shift[n, d]]);
"""


def minizinc_data(data: NursesInstance) -> Mapping[str, Any]:
    return {
        "nurses": len(data.cost),
        "days": len(data.staff),
        "fewest": data.fewest,
        "most": data.most,
        "staff": data.staff,
        "cost": data.cost,
    }


def build_cpsat(data: NursesInstance) -> Model:
    model = cp_model.CpModel()
    nurses, days = len(data.cost), len(data.staff)
    on = [[[model.new_bool_var("") for _ in range(4)] for _ in range(days)] for _ in range(nurses)]
    for row in on:
        for day in row:
            model.add_exactly_one(day)
        for before, after in itertools.pairwise(row):
            for a, b in FORBIDDEN:
                model.add_bool_or(~before[a], ~after[b])
        for d in range(days - 5):
            model.add_bool_or(row[k][0] for k in range(d, d + 6))
        for d in range(1, days - 1):
            model.add_bool_or(~row[d][0], row[d - 1][0], row[d + 1][0])
        model.add_linear_constraint(sum(~day[0] for day in row), data.fewest, data.most)
    for d, staff in enumerate(data.staff):
        for s, count in enumerate(staff, 1):
            model.add(sum(row[d][s] for row in on) == count)
    costs = zip(on, data.cost, strict=True)
    model.minimize(sum(cost[d][s] * row[d][s] for row, cost in costs for d in range(days) for s in range(4)))
    return Model(model, {"shift": [[sum(s * day[s] for s in range(1, 4)) for day in row] for row in on]})


def build_cpmpy(cp: Any, data: NursesInstance) -> Model:
    nurses, days = len(data.cost), len(data.staff)
    shift = cp.intvar(0, 3, shape=(nurses, days))
    model = cp.Model()
    for n in range(nurses):
        model += [(shift[n, d] != a) | (shift[n, d + 1] != b) for d in range(days - 1) for a, b in FORBIDDEN]
        model += [cp.any(shift[n, d : d + 6] == 0) for d in range(days - 5)]
        model += [(shift[n, d] != 0) | (shift[n, d - 1] == 0) | (shift[n, d + 1] == 0) for d in range(1, days - 1)]
        model += [cp.sum(shift[n, :] != 0) >= data.fewest, cp.sum(shift[n, :] != 0) <= data.most]
    for d, staff in enumerate(data.staff):
        model += [cp.Count(shift[:, d], s) == count for s, count in enumerate(staff, 1)]
    costs = [(n, d, s) for n in range(nurses) for d in range(days) for s in range(4) if data.cost[n][d][s]]
    model.minimize(cp.sum([data.cost[n][d][s] * (shift[n, d] == s) for n, d, s in costs]))
    return Model(model, {"shift": shift})


def rows(_: NursesInstance, values: Values) -> Rows:
    return {
        "duties": [
            {"nurse": f"n{n}", "day": d, "shift": SHIFTS[s]}
            for n, row in enumerate(values["shift"])
            for d, s in enumerate(row, 1)
        ]
    }


KIND = Kind(
    name="nurses",
    sizes=("6x7", "8x14", "16x14"),
    generate=generate,
    task=task,
    minizinc=MINIZINC,
    minizinc_data=minizinc_data,
    build_cpsat=build_cpsat,
    build_cpmpy=build_cpmpy,
    rows=rows,
)
