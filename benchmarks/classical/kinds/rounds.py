"""Route with time windows: one van visits all customers in time. The length is minimised (TSPTW)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ortools.sat.python import cp_model

from benchmarks.classical.kind import Kind, Model, Rows, Values
from benchmarks.classical.kinds.town import SERVICE, Town, customers_table, town


def generate(size: str) -> Town:
    return town(int(size), 1, 40, f"rounds {size}")


def task(data: Town) -> str:
    return (
        """planspec: task/1
id: rounds
query: When does the van call on each customer, so that its way is short?
tables:
"""
        + customers_table(data)
        + f"""plan:
  calls: {{customer: key Customer, at: int}}
scope:
  calls:
    - {{for: c in Customer, customer: c, at: c.from..c.until}}
closed: true
define:
  out(c Customer): abs(c.east) + abs(c.north)
  way(a Customer, b Customer): abs(a.east - b.east) + abs(a.north - b.north)
constraints:
  window:
    hard: all(x.customer.from <= x.at and x.at <= x.customer.until for x in calls)
  leave:
    hard: all(out(x.customer) <= x.at for x in calls)
  drive:
    hard: all(a.at + {SERVICE} + way(a.customer, b.customer) <= b.at for a, b in steps(x for x in calls, by=x.at))
minimize: >-
  sum(way(a.customer, b.customer) for a, b in steps(x for x in calls, by=x.at))
  + out(first(x.customer for x in calls, by=x.at)) + out(last(x.customer for x in calls, by=x.at))
"""
    )


MINIZINC = """
include "circuit.mzn";
int: places; int: service;
array[1..places, 1..places] of int: way;
array[1..places] of int: opens;
array[1..places] of int: closes;
array[1..places] of var 1..places: next;
array[1..places] of var 0..max(closes): at;
constraint circuit(next);
constraint forall(p in 1..places) (at[p] in opens[p]..closes[p]);
constraint forall(p in 2..places) (at[p] >= way[1, p] /\\ (next[p] = 1 \\/ at[p] + service + way[p, next[p]] <= at[next[p]]));
solve :: int_search(next, first_fail, indomain_min) minimize sum(p in 1..places) (way[p, next[p]]);
"""


def minizinc_data(data: Town) -> Mapping[str, Any]:
    places = range(data.count + 1)
    return {
        "places": len(places),
        "service": SERVICE,
        "way": [[data.minutes_between(a, b) for b in places] for a in places],
        "opens": [first for first, _ in data.windows],
        "closes": [last for _, last in data.windows],
    }


def build_cpsat(data: Town) -> Model:
    model = cp_model.CpModel()
    at = [
        model.new_int_var(max(first, data.minutes_between(0, c)), last, "")
        for c, (first, last) in enumerate(data.windows)
    ]
    arcs = []
    for a in range(data.count + 1):
        for b in range(data.count + 1):
            if (b and not data.can_follow(a, b)) or a == b:
                continue
            literal = model.new_bool_var("")
            arcs.append((a, b, literal))
            if a and b:
                model.add(at[a] + SERVICE + data.minutes_between(a, b) <= at[b]).only_enforce_if(literal)
    model.add_circuit(arcs)
    model.minimize(sum(data.minutes_between(a, b) * literal for a, b, literal in arcs))
    return Model(model, {"at": at})


def build_cpmpy(cp: Any, data: Town) -> Model:
    count = data.count + 1
    following = cp.intvar(0, count - 1, shape=count)
    at = cp.intvar(0, data.day, shape=count)
    ways = [cp.Element([data.minutes_between(a, b) for b in range(count)], following[a]) for a in range(count)]
    model = cp.Model(cp.Circuit(following))
    for c, (first, last) in enumerate(data.windows):
        model += [at[c] >= max(first, data.minutes_between(0, c)), at[c] <= last]
        if c:
            model += (following[c] == 0) | (at[c] + SERVICE + ways[c] <= at[following[c]])
    model.minimize(cp.sum(ways))
    return Model(model, {"at": at})


def rows(_: Town, values: Values) -> Rows:
    return {"calls": [{"customer": f"c{c}", "at": at} for c, at in enumerate(values["at"]) if c]}


KIND = Kind(
    name="rounds",
    sizes=("10", "30", "60"),
    generate=generate,
    task=task,
    minizinc=MINIZINC,
    minizinc_data=minizinc_data,
    build_cpsat=build_cpsat,
    build_cpmpy=build_cpmpy,
    rows=rows,
)
