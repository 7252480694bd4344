"""Generalised assignment: every job is assigned to one agent at minimum total cost. Each agent has limited time."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ortools.sat.python import cp_model

from benchmarks.classical.kind import Kind, Model, Rows, Values, names, table


@dataclass(frozen=True)
class AssignmentInstance:
    """Instance: time and cost of each job for each agent, and the available time of each agent."""

    takes: list[list[int]]
    cost: list[list[int]]
    time: list[int]


def generate(size: str) -> AssignmentInstance:
    jobs, agents = map(int, size.split("x"))
    source = random.Random(f"assignment {size}")
    takes = [[source.randint(5, 25) for _ in range(agents)] for _ in range(jobs)]
    cost = [[60 - 2 * each + source.randint(-8, 8) for each in by_agent] for by_agent in takes]  # less time costs more
    return AssignmentInstance(takes, cost, [sum(each[a] for each in takes) * 4 // (5 * agents) for a in range(agents)])


def task(data: AssignmentInstance) -> str:
    fits = [
        (f"j{j}", f"a{a}", takes, data.cost[j][a])
        for j, by_agent in enumerate(data.takes)
        for a, takes in enumerate(by_agent)
    ]
    return (
        f"""planspec: task/1
id: assignment
query: Who should do which job, so that all of them cost little?
types:
  Job: {names("j", len(data.takes))}
tables:
"""
        + table("Agent", "id, time: int", [(f"a{a}", time) for a, time in enumerate(data.time)])
        + table("Fit", "job: key Job, agent: key Agent, takes: int, cost: int", fits)
        + """plan:
  does: {job: key Job, agent: Agent}
scope:
  does:
    - {for: j in Job, job: j, agent: Agent}
closed: true
constraints:
  time:
    for: a in Agent
    hard: sum(Fit[x.job, a].takes for x in does if x.agent == a) <= a.time
minimize: sum(Fit[x.job, x.agent].cost for x in does)
"""
    )


MINIZINC = """
int: jobs; int: agents;
array[1..jobs, 1..agents] of int: takes;
array[1..jobs, 1..agents] of int: cost;
array[1..agents] of int: time;
array[1..jobs] of var 1..agents: agent;
constraint forall(a in 1..agents) (sum(j in 1..jobs) (takes[j, a] * (agent[j] = a)) <= time[a]);
solve minimize sum(j in 1..jobs) (cost[j, agent[j]]);
"""


def minizinc_data(data: AssignmentInstance) -> Mapping[str, Any]:
    return {
        "jobs": len(data.takes),
        "agents": len(data.time),
        "takes": data.takes,
        "cost": data.cost,
        "time": data.time,
    }


def build_cpsat(data: AssignmentInstance) -> Model:
    model = cp_model.CpModel()
    does = [[model.new_bool_var("") for _ in data.time] for _ in data.takes]
    for literals in does:
        model.add_exactly_one(literals)
    for a, time in enumerate(data.time):
        model.add(sum(takes[a] * literals[a] for takes, literals in zip(data.takes, does, strict=True)) <= time)
    pairs = zip(data.cost, does, strict=True)
    model.minimize(sum(c * each for cost, literals in pairs for c, each in zip(cost, literals, strict=True)))
    return Model(model, {"agent": [sum((a + 1) * each for a, each in enumerate(literals)) for literals in does]})


def build_cpmpy(cp: Any, data: AssignmentInstance) -> Model:
    agent = cp.intvar(0, len(data.time) - 1, shape=len(data.takes))
    model = cp.Model()
    for a, time in enumerate(data.time):
        model += cp.sum([takes[a] * (each == a) for takes, each in zip(data.takes, agent, strict=True)]) <= time
    model.minimize(cp.sum([cp.Element(cost, each) for cost, each in zip(data.cost, agent, strict=True)]))
    return Model(model, {"agent": [each + 1 for each in agent]})


def rows(_: AssignmentInstance, values: Values) -> Rows:
    return {"does": [{"job": f"j{j}", "agent": f"a{agent - 1}"} for j, agent in enumerate(values["agent"])]}


KIND = Kind(
    name="assignment",
    sizes=("15x5", "25x5", "30x6"),
    generate=generate,
    task=task,
    minizinc=MINIZINC,
    minizinc_data=minizinc_data,
    build_cpsat=build_cpsat,
    build_cpmpy=build_cpmpy,
    rows=rows,
)
