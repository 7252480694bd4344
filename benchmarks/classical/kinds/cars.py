"""Car sequencing: an order of cars such that each station can fit its option into the cars of every window."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ortools.sat.python import cp_model

from benchmarks.classical.kind import Kind, Model, Rows, Values, names, table

STATIONS = ((1, 2), (2, 3), (1, 3), (2, 5), (1, 5))
"""For each option, the maximum number of cars with the option in a window, and the length of the window."""


@dataclass(frozen=True)
class CarsInstance:
    """Instance: the options of each model, and the number of ordered cars of each model."""

    options: list[list[int]]
    ordered: list[int]

    @property
    def cars(self) -> int:
        return sum(self.ordered)


def generate(size: str) -> CarsInstance:
    cars = int(size)
    source = random.Random(f"cars {size}")
    sets = {tuple(o for o in range(len(STATIONS)) if source.random() < 0.4) for _ in range(max(5, cars // 4))}
    models = [list(each) for each in sorted(sets | {()})]  # a car without options fits at every position
    built: list[int] = []
    for _ in range(cars):
        possible = [m for m in range(len(models)) if _fits(models, [*built, m])]
        most = max(len(models[m]) for m in possible)  # cars with many options first, so that the instance is tight
        built.append(source.choice([m for m in possible if len(models[m]) >= most - (source.random() < 0.3)]))
    used = sorted(set(built))
    return CarsInstance([models[m] for m in used], [built.count(m) for m in used])


def _fits(models: list[list[int]], built: list[int]) -> bool:
    return all(sum(o in models[m] for m in built[-width:]) <= most for o, (most, width) in enumerate(STATIONS))


def task(data: CarsInstance) -> str:
    stations = [
        (f"o{o}", most, width, [f"c{m}" for m, options in enumerate(data.options) if o in options])
        for o, (most, width) in enumerate(STATIONS)
    ]
    ordered = [(f"c{m}", count) for m, count in enumerate(data.ordered)]
    return (
        f"""planspec: task/1
id: cars
query: In which order can the cars be built?
types:
  Model: {names("c", len(data.ordered))}
tables:
"""
        + table("Station", "id, most: int, width: int, models: set of Model", stations, splits="models")
        + table("Order", "model: key Model, cars: int", ordered)
        + f"""plan:
  line: {{place: key int, model: Model}}
scope:
  line:
    - {{for: p in 1..{data.cars}, place: p, model: Model}}
closed: true
constraints:
  ordered:
    for: o in Order
    hard: count(x for x in line if x.model == o.model) == o.cars
  station:
    for: s in Station for p in 1..{data.cars} if p + s.width - 1 <= {data.cars}
    hard: count(k for k in p..p + s.width - 1 if line[k].model in s.models) <= s.most
"""
    )


MINIZINC = """
include "global_cardinality.mzn";
int: cars; int: models; int: stations;
array[1..stations] of int: most;
array[1..stations] of int: width;
array[1..models] of int: ordered;
array[1..models, 1..stations] of 0..1: fitted;
array[1..cars] of var 1..models: model;
array[1..cars, 1..stations] of var 0..1: busy;
constraint global_cardinality(model, [m | m in 1..models], ordered);
constraint forall(c in 1..cars, s in 1..stations) (busy[c, s] = fitted[model[c], s]);
constraint forall(s in 1..stations, c in 1..cars - width[s] + 1) (sum(k in c..c + width[s] - 1) (busy[k, s]) <= most[s]);
solve :: int_search(model, input_order, indomain_max) satisfy;
"""


def minizinc_data(data: CarsInstance) -> Mapping[str, Any]:
    return {
        "cars": data.cars,
        "models": len(data.ordered),
        "stations": len(STATIONS),
        "most": [most for most, _ in STATIONS],
        "width": [width for _, width in STATIONS],
        "ordered": data.ordered,
        "fitted": [[int(o in options) for o in range(len(STATIONS))] for options in data.options],
    }


def build_cpsat(data: CarsInstance) -> Model:
    model = cp_model.CpModel()
    count = len(data.ordered)
    built = [[model.new_bool_var("") for _ in range(count)] for _ in range(data.cars)]
    for place in built:
        model.add_exactly_one(place)
    for m, ordered in enumerate(data.ordered):
        model.add(sum(place[m] for place in built) == ordered)
    for o, (most, width) in enumerate(STATIONS):
        fitted = [m for m, options in enumerate(data.options) if o in options]
        for first in range(data.cars - width + 1):
            model.add(sum(place[m] for place in built[first : first + width] for m in fitted) <= most)
    return Model(model, {"model": [sum((m + 1) * place[m] for m in range(count)) for place in built]})


def build_cpmpy(cp: Any, data: CarsInstance) -> Model:
    car = cp.intvar(1, len(data.ordered), shape=data.cars)
    model = cp.Model(cp.GlobalCardinalityCount(car, list(range(1, len(data.ordered) + 1)), data.ordered))
    for o, (most, width) in enumerate(STATIONS):
        fitted = [m for m, options in enumerate(data.options, 1) if o in options]
        busy = [cp.any([each == m for m in fitted]) for each in car]
        model += [cp.sum(busy[first : first + width]) <= most for first in range(data.cars - width + 1)]
    return Model(model, {"model": car})


def rows(_: CarsInstance, values: Values) -> Rows:
    return {"line": [{"place": p, "model": f"c{m - 1}"} for p, m in enumerate(values["model"], 1)]}


KIND = Kind(
    name="cars",
    sizes=("15", "30", "45"),
    generate=generate,
    task=task,
    minizinc=MINIZINC,
    minizinc_data=minizinc_data,
    build_cpsat=build_cpsat,
    build_cpmpy=build_cpmpy,
    rows=rows,
    has_objective=False,
)
