"""Projects: activities with predecessors share resources of limited capacity. The makespan is minimised (RCPSP)."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ortools.sat.python import cp_model

from benchmarks.classical.kind import Kind, Model, Rows, Values, names, table


@dataclass(frozen=True)
class ProjectsInstance:
    """Instance: length, successors and resource use of each activity, and the capacity of each resource."""

    takes: list[int]
    followers: list[list[int]]
    units: list[list[int]]
    capacity: list[int]

    @property
    def horizon(self) -> int:
        return sum(self.takes)


def generate(size: str) -> ProjectsInstance:
    count, resources = map(int, size.split("x"))
    source = random.Random(f"projects {size}")
    takes = [source.randint(1, 10) for _ in range(count)]
    followers = [
        sorted(
            source.sample(
                range(i + 1, min(count, i + 12)), min(source.randint(1, 2), max(0, min(count, i + 12) - i - 1))
            )
        )
        for i in range(count)
    ]
    units = [[source.randint(1, 9) if source.random() < 0.6 else 0 for _ in range(resources)] for _ in range(count)]
    return ProjectsInstance(takes, followers, units, [12 + source.randint(0, 4) for _ in range(resources)])


def task(data: ProjectsInstance) -> str:
    count, resources = len(data.takes), len(data.capacity)
    activities = [(f"a{i}", takes) for i, takes in enumerate(data.takes)]
    after = [(f"a{i}", f"a{j}") for i in range(count) for j in data.followers[i]]
    needs = [(f"a{i}", f"r{r}", data.units[i][r]) for i in range(count) for r in range(resources) if data.units[i][r]]
    return (
        f"""planspec: task/1
id: projects
query: Schedule the activities so that the project ends as early as possible.
types:
  Resource: {names("r", resources)}
tables:
"""
        + table("Activity", "id, takes: int", activities)
        + table("Capacity", "resource: key Resource, units: int", [(f"r{r}", c) for r, c in enumerate(data.capacity)])
        + table("Need", "activity: key Activity, resource: key Resource, units: int", needs)
        + table("After", "first: key Activity, then: key Activity", after)
        + f"""plan:
  runs: {{activity: key Activity, start: int}}
scope:
  runs:
    - {{for: a in Activity, activity: a, start: 0..{data.horizon}}}
closed: true
define:
  start(a Activity): runs[a].start
  done(a Activity): runs[a].start + a.takes
constraints:
  after:
    for: x in After
    hard: done(x.first) <= start(x.then)
  capacity:
    for: n in Need
    hard: >-
      sum(o.units if start(o.activity) <= start(n.activity) and start(n.activity) < done(o.activity) else 0
          for o in Need if o.resource == n.resource) <= Capacity[n.resource].units
minimize: max(done(a) for a in Activity)
"""
    )


MINIZINC = """
include "cumulative.mzn";
int: activities; int: resources; int: horizon;
array[1..activities] of int: takes;
array[1..activities] of set of int: followers;
array[1..resources, 1..activities] of int: units;
array[1..resources] of int: capacity;
array[1..activities] of var 0..horizon: start;
var 0..horizon: end;
constraint forall(a in 1..activities, b in followers[a]) (start[a] + takes[a] <= start[b]);
constraint forall(r in 1..resources) (cumulative(start, takes, units[r, ..], capacity[r]));
constraint forall(a in 1..activities) (start[a] + takes[a] <= end);
solve :: int_search(start, smallest, indomain_min) minimize end;
"""


def minizinc_data(data: ProjectsInstance) -> Mapping[str, Any]:
    return {
        "activities": len(data.takes),
        "resources": len(data.capacity),
        "horizon": data.horizon,
        "takes": data.takes,
        "followers": [{"set": [j + 1 for j in each]} for each in data.followers],
        "units": [[each[r] for each in data.units] for r in range(len(data.capacity))],
        "capacity": data.capacity,
    }


def build_cpsat(data: ProjectsInstance) -> Model:
    model = cp_model.CpModel()
    end = model.new_int_var(0, data.horizon, "end")
    start = [model.new_int_var(0, data.horizon, "") for _ in data.takes]
    intervals = [model.new_fixed_size_interval_var(s, takes, "") for s, takes in zip(start, data.takes, strict=True)]
    for i, followers in enumerate(data.followers):
        for j in followers:
            model.add(start[i] + data.takes[i] <= start[j])
        model.add(start[i] + data.takes[i] <= end)
    for r, capacity in enumerate(data.capacity):
        model.add_cumulative(intervals, [each[r] for each in data.units], capacity)
    model.minimize(end)
    return Model(model, {"start": start})


def build_cpmpy(cp: Any, data: ProjectsInstance) -> Model:
    count = len(data.takes)
    start = cp.intvar(0, data.horizon, shape=count)
    end = cp.intvar(0, data.horizon)
    done = [s + takes for s, takes in zip(start, data.takes, strict=True)]
    model = cp.Model([each <= end for each in done])
    for i, followers in enumerate(data.followers):
        model += [done[i] <= start[j] for j in followers]
    for r, capacity in enumerate(data.capacity):
        model += cp.Cumulative(list(start), data.takes, done, [each[r] for each in data.units], capacity)
    model.minimize(end)
    return Model(model, {"start": start})


def rows(_: ProjectsInstance, values: Values) -> Rows:
    return {"runs": [{"activity": f"a{i}", "start": start} for i, start in enumerate(values["start"])]}


KIND = Kind(
    name="projects",
    sizes=("15x3", "40x4", "90x4"),
    generate=generate,
    task=task,
    minizinc=MINIZINC,
    minizinc_data=minizinc_data,
    build_cpsat=build_cpsat,
    build_cpmpy=build_cpmpy,
    rows=rows,
)
