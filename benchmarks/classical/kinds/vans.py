"""Vans with time windows and loads: one van visits each customer. The total length is minimised (VRPTW)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ortools.sat.python import cp_model

from benchmarks.classical.kind import Kind, Model, Rows, Values, names
from benchmarks.classical.kinds.town import SERVICE, Town, customers_table, town


def generate(size: str) -> Town:
    customers, vans = map(int, size.split("x"))
    return town(customers, vans, 30, f"vans {size}")


def task(data: Town) -> str:
    return (
        f"""planspec: task/1
id: vans
query: Which van calls on each customer and when, so that the ways are short?
types:
  Van: {names("v", data.vans)}
tables:
"""
        + customers_table(data)
        + f"""plan:
  calls: {{customer: key Customer, van: Van, at: int}}
scope:
  calls:
    - {{for: c in Customer, customer: c, van: Van, at: c.from..c.until}}
closed: true
define:
  out(c Customer): abs(c.east) + abs(c.north)
  way(a Customer, b Customer): abs(a.east - b.east) + abs(a.north - b.north)
constraints:
  window:
    hard: all(x.customer.from <= x.at and x.at <= x.customer.until for x in calls)
  leave:
    hard: all(out(x.customer) <= x.at for x in calls)
  home:
    hard: all(x.at + {SERVICE} + out(x.customer) <= {data.day} for x in calls)
  drive:
    hard: >-
      all(a.at + {SERVICE} + way(a.customer, b.customer) <= b.at
          for a, b in steps(x for x in calls, by=x.at, per=x.van))
  load:
    for: v in Van
    hard: sum(x.customer.load for x in calls if x.van == v) <= {data.capacity}
minimize: >-
  sum(way(a.customer, b.customer) for a, b in steps(x for x in calls, by=x.at, per=x.van))
  + sum(out(first(x.customer for x in calls if x.van == v, by=x.at)) ?? 0 for v in Van)
  + sum(out(last(x.customer for x in calls if x.van == v, by=x.at)) ?? 0 for v in Van)
"""
    )


MINIZINC = """
include "circuit.mzn";
int: customers; int: vans; int: service; int: capacity; int: day;
int: nodes = customers + 2 * vans;  % customers, then the start of each van, then its end
array[1..nodes, 1..nodes] of int: way;
array[1..nodes] of int: opens;
array[1..nodes] of int: closes;
array[1..customers] of int: loads;
array[1..nodes] of var 1..nodes: next;
array[1..nodes] of var 0..day: at;
array[1..nodes] of var 1..vans: van;
constraint circuit(next);
constraint forall(v in 1..vans) (
  van[customers + v] = v /\\ van[customers + vans + v] = v /\\ at[customers + v] = 0
  /\\ next[customers + vans + v] = customers + v mod vans + 1);
constraint forall(n in 1..nodes) (at[n] in opens[n]..closes[n]);
constraint forall(n in 1..customers + vans) (
  van[next[n]] = van[n] /\\ at[n] + way[n, next[n]] + (if n <= customers then service else 0 endif) <= at[next[n]]);
constraint forall(v in 1..vans) (sum(c in 1..customers) (loads[c] * (van[c] = v)) <= capacity);
solve :: int_search(next, first_fail, indomain_min) minimize sum(n in 1..customers + vans) (way[n, next[n]]);
"""


def _nodes(data: Town) -> list[int]:
    """Return the place of each node: the customers, then the depot for the start and for the end of each van."""
    return [*range(1, data.count + 1), *[0] * (2 * data.vans)]


def minizinc_data(data: Town) -> Mapping[str, Any]:
    nodes = _nodes(data)
    return {
        "customers": data.count,
        "vans": data.vans,
        "service": SERVICE,
        "capacity": data.capacity,
        "day": data.day,
        "way": [[data.minutes_between(a, b) for b in nodes] for a in nodes],
        "opens": [data.windows[each][0] for each in nodes],
        "closes": [data.windows[each][1] for each in nodes],
        "loads": data.loads[1:],
    }


def build_cpsat(data: Town) -> Model:
    model = cp_model.CpModel()
    at: list[Any] = [0]
    carried: list[Any] = [0]
    for c in range(1, data.count + 1):
        first, last = data.windows[c]
        at.append(
            model.new_int_var(
                max(first, data.minutes_between(0, c)), min(last, data.day - SERVICE - data.minutes_between(c, 0)), ""
            )
        )
        carried.append(model.new_int_var(data.loads[c], data.capacity, ""))
    arcs = {}
    for a in range(data.count + 1):
        for b in range(data.count + 1):
            if a == b or (b and not data.can_follow(a, b)):
                continue
            if a and b and data.loads[a] + data.loads[b] > data.capacity:
                continue
            arcs[a, b] = literal = model.new_bool_var("")
            if a and b:
                model.add(at[a] + SERVICE + data.minutes_between(a, b) <= at[b]).only_enforce_if(literal)
                model.add(carried[a] + data.loads[b] <= carried[b]).only_enforce_if(literal)
    model.add_multiple_circuit([(a, b, literal) for (a, b), literal in arcs.items()])
    used = sum(literal for (a, _), literal in arcs.items() if not a)
    model.add_linear_constraint(used, -(-sum(data.loads) // data.capacity), data.vans)
    model.minimize(sum(data.minutes_between(a, b) * literal for (a, b), literal in arcs.items()))
    following = [sum(b * literal for (a, b), literal in arcs.items() if a == c) for c in range(1, data.count + 1)]
    return Model(model, {"next": following, "at": at[1:]})


def build_cpmpy(cp: Any, data: Town) -> Model:
    nodes, n, vans = _nodes(data), data.count, data.vans
    following = cp.intvar(0, len(nodes) - 1, shape=len(nodes))
    at = cp.intvar(0, data.day, shape=len(nodes))
    van = cp.intvar(0, vans - 1, shape=len(nodes))
    ways = [
        cp.Element([data.minutes_between(a, b) for b in nodes], each) for a, each in zip(nodes, following, strict=True)
    ]
    model = cp.Model(cp.Circuit(following))
    for v in range(vans):
        model += [
            van[n + v] == v,
            van[n + vans + v] == v,
            at[n + v] == 0,
            following[n + vans + v] == n + (v + 1) % vans,
        ]
        model += cp.sum([data.loads[c + 1] * (van[c] == v) for c in range(n)]) <= data.capacity
    for number, place in enumerate(nodes):
        model += [at[number] >= data.windows[place][0], at[number] <= data.windows[place][1]]
        if number < n + vans:
            model += van[following[number]] == van[number]
            model += at[number] + ways[number] + (SERVICE if number < n else 0) <= at[following[number]]
    model.minimize(cp.sum(ways[: n + vans]))
    return Model(model, {"next": [each + 1 for each in following[:n]], "at": at[:n]})


def rows(data: Town, values: Values) -> Rows:
    following = {c: b if b <= data.count else 0 for c, b in enumerate(values["next"][: data.count], 1)}
    firsts = sorted(set(following) - set(following.values()))
    calls = []
    for van, first in enumerate(firsts):
        customer = first
        while customer:
            calls.append({"customer": f"c{customer}", "van": f"v{van}", "at": values["at"][customer - 1]})
            customer = following[customer]
    return {"calls": calls}


KIND = Kind(
    name="vans",
    sizes=("8x2", "16x3", "25x5"),
    generate=generate,
    task=task,
    minizinc=MINIZINC,
    minizinc_data=minizinc_data,
    build_cpsat=build_cpsat,
    build_cpmpy=build_cpmpy,
    rows=rows,
)
