"""Knapsack with several resources: a choice of items with maximum total value."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ortools.sat.python import cp_model

from benchmarks.classical.kind import Kind, Model, Rows, Values, names, table


@dataclass(frozen=True)
class KnapsackInstance:
    """Instance: value of each item, its use of each resource, and the capacity of each resource."""

    worth: list[int]
    use: list[list[int]]
    capacity: list[int]


def generate(size: str) -> KnapsackInstance:
    items, resources = map(int, size.split("x"))
    source = random.Random(f"knapsack {size}")
    use = [[source.randint(5, 60) for _ in range(resources)] for _ in range(items)]
    worth = [sum(each) // resources + source.randint(0, 15) for each in use]
    return KnapsackInstance(worth, use, [sum(each[r] for each in use) // 2 for r in range(resources)])


def task(data: KnapsackInstance) -> str:
    use = [(f"i{i}", f"r{r}", amount) for i, each in enumerate(data.use) for r, amount in enumerate(each)]
    return (
        f"""planspec: task/1
id: knapsack
query: Which items should be packed, so that they are worth the most?
types:
  Resource: {names("r", len(data.capacity))}
tables:
"""
        + table("Item", "id, worth: int", [(f"i{i}", worth) for i, worth in enumerate(data.worth)])
        + table("Capacity", "resource: key Resource, amount: int", [(f"r{r}", c) for r, c in enumerate(data.capacity)])
        + table("Use", "item: key Item, resource: key Resource, amount: int", use)
        + """plan:
  packed: {item: key Item}
scope:
  packed:
    - {for: i in Item, item: i, optional: true}
closed: true
constraints:
  capacity:
    for: c in Capacity
    hard: sum(Use[x.item, c.resource].amount for x in packed) <= c.amount
maximize: sum(x.item.worth for x in packed)
"""
    )


MINIZINC = """
int: items; int: resources;
array[1..items] of int: worth;
array[1..items, 1..resources] of int: use;
array[1..resources] of int: capacity;
array[1..items] of var 0..1: packed;
constraint forall(r in 1..resources) (sum(i in 1..items) (use[i, r] * packed[i]) <= capacity[r]);
solve :: int_search(packed, input_order, indomain_max) maximize sum(i in 1..items) (worth[i] * packed[i]);
"""


def minizinc_data(data: KnapsackInstance) -> Mapping[str, Any]:
    return {
        "items": len(data.worth),
        "resources": len(data.capacity),
        "worth": data.worth,
        "use": data.use,
        "capacity": data.capacity,
    }


def build_cpsat(data: KnapsackInstance) -> Model:
    model = cp_model.CpModel()
    packed = [model.new_bool_var("") for _ in data.worth]
    for r, capacity in enumerate(data.capacity):
        model.add(sum(use[r] * each for use, each in zip(data.use, packed, strict=True)) <= capacity)
    model.maximize(sum(worth * each for worth, each in zip(data.worth, packed, strict=True)))
    return Model(model, {"packed": packed})


def build_cpmpy(cp: Any, data: KnapsackInstance) -> Model:
    packed = cp.boolvar(shape=len(data.worth))
    model = cp.Model([cp.sum([use[r] for use in data.use] * packed) <= c for r, c in enumerate(data.capacity)])
    model.maximize(cp.sum(data.worth * packed))
    return Model(model, {"packed": packed})


def rows(_: KnapsackInstance, values: Values) -> Rows:
    return {"packed": [{"item": f"i{i}"} for i, packed in enumerate(values["packed"]) if packed]}


KIND = Kind(
    name="knapsack",
    sizes=("20x5", "40x5", "70x5"),
    generate=generate,
    task=task,
    minizinc=MINIZINC,
    minizinc_data=minizinc_data,
    build_cpsat=build_cpsat,
    build_cpmpy=build_cpmpy,
    rows=rows,
    maximizes=True,
)
