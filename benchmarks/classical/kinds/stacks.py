"""Open stacks: a sequence of products that minimises the maximum number of customers with incomplete orders."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ortools.sat.python import cp_model

from benchmarks.classical.kind import Kind, Model, Rows, Values, names, table


@dataclass(frozen=True)
class StacksInstance:
    """Instance: number of products, and the products ordered by each customer."""

    products: int
    wants: list[list[int]]


def generate(size: str) -> StacksInstance:
    products, customers = map(int, size.split("x"))
    source = random.Random(f"stacks {size}")
    return StacksInstance(
        products, [sorted(source.sample(range(products), source.randint(2, 4))) for _ in range(customers)]
    )


def task(data: StacksInstance) -> str:
    customers = [(f"c{c}", [f"p{p}" for p in wants]) for c, wants in enumerate(data.wants)]
    return (
        f"""planspec: task/1
id: stacks
query: In which order should the products be made, so that few orders are open at a time?
types:
  Product: {names("p", data.products)}
tables:
"""
        + table("Customer", "id, wants: set of Product", customers, splits="wants")
        + f"""plan:
  turns: {{product: key Product, place: int}}
scope:
  turns:
    - {{for: p in Product, product: p, place: 1..{data.products}}}
closed: true
define:
  opens(c Customer): min(turns[p].place for p in c.wants)
  closes(c Customer): max(turns[p].place for p in c.wants)
constraints:
  places:
    hard: all(t.place in 1..{data.products} for t in turns)
  once:
    hard: all_different(t.place for t in turns)
minimize: max(count(c for c in Customer if opens(c) <= t and t <= closes(c)) for t in 1..{data.products})
"""
    )


MINIZINC = """
include "alldifferent.mzn";
int: products; int: customers;
array[1..customers] of set of int: wants;
array[1..products] of var 1..products: place;
array[1..customers] of var 1..products: opens;
array[1..customers] of var 1..products: closes;
var 1..customers: stacks;
constraint alldifferent(place);
constraint forall(c in 1..customers) (
  opens[c] = min([place[p] | p in wants[c]]) /\\ closes[c] = max([place[p] | p in wants[c]]));
constraint forall(t in 1..products) (sum(c in 1..customers) (opens[c] <= t /\\ t <= closes[c]) <= stacks);
solve :: int_search(place, first_fail, indomain_min) minimize stacks;
"""


def minizinc_data(data: StacksInstance) -> Mapping[str, Any]:
    wants = [{"set": [p + 1 for p in each]} for each in data.wants]
    return {"products": data.products, "customers": len(data.wants), "wants": wants}


def build_cpsat(data: StacksInstance) -> Model:
    model = cp_model.CpModel()
    place = [model.new_int_var(1, data.products, "") for _ in range(data.products)]
    model.add_all_different(place)
    stacks = model.new_int_var(1, len(data.wants), "stacks")
    intervals = []
    for wants in data.wants:
        opens = model.new_int_var(1, data.products, "")
        closes = model.new_int_var(2, data.products + 1, "")
        length = model.new_int_var(len(wants), data.products, "")
        for p in wants:
            model.add(opens <= place[p])
            model.add(place[p] < closes)
        intervals.append(model.new_interval_var(opens, length, closes, ""))
    model.add_cumulative(intervals, [1] * len(intervals), stacks)
    model.minimize(stacks)
    return Model(model, {"place": place})


def build_cpmpy(cp: Any, data: StacksInstance) -> Model:
    place = cp.intvar(1, data.products, shape=data.products)
    stacks = cp.intvar(1, len(data.wants))
    spans = [(cp.min([place[p] for p in wants]), cp.max([place[p] for p in wants])) for wants in data.wants]
    model = cp.Model(cp.AllDifferent(place))
    for t in range(1, data.products + 1):
        model += cp.sum([(opens <= t) & (t <= closes) for opens, closes in spans]) <= stacks
    model.minimize(stacks)
    return Model(model, {"place": place})


def rows(_: StacksInstance, values: Values) -> Rows:
    return {"turns": [{"product": f"p{p}", "place": place} for p, place in enumerate(values["place"])]}


KIND = Kind(
    name="stacks",
    sizes=("10x10", "12x12", "15x15"),
    generate=generate,
    task=task,
    minizinc=MINIZINC,
    minizinc_data=minizinc_data,
    build_cpsat=build_cpsat,
    build_cpmpy=build_cpmpy,
    rows=rows,
)
