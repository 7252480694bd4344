"""Job shop: each job uses the machines in its own order. The makespan is minimised."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ortools.sat.python import cp_model

from benchmarks.classical.kind import Kind, Model, Rows, Values, names, table

Jobs = list[list[tuple[int, int]]]
"""Instance: for each job, its operations in order, as machine and duration."""


def generate(size: str) -> Jobs:
    jobs, machines = map(int, size.split("x"))
    source = random.Random(f"job-shop {size}")
    return [[(m, source.randint(1, 99)) for m in source.sample(range(machines), machines)] for _ in range(jobs)]


def read(folder: Path, name: str) -> Jobs:
    text = (folder / f"{name}.txt").read_text("utf-8")
    lines = [line.split() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    width = max(map(len, lines))
    return [list(zip(map(int, line[::2]), map(int, line[1::2]), strict=True)) for line in lines if len(line) == width]


def optima(folder: Path) -> Mapping[str, int]:
    found = json.loads((folder / "optima.json").read_text("utf-8"))
    return {name: each["optimum"] for name, each in found.items()}


def machines_of(jobs: Jobs) -> int:
    return 1 + max(machine for job in jobs for machine, _ in job)


def horizon(jobs: Jobs) -> int:
    """Return the makespan of a greedy schedule, as an upper bound."""
    free, ready = [0] * machines_of(jobs), [0] * len(jobs)
    for turn in range(max(map(len, jobs))):
        for number, job in enumerate(jobs):
            if turn < len(job):
                machine, takes = job[turn]
                free[machine] = ready[number] = max(free[machine], ready[number]) + takes
    return max(ready)


def task(jobs: Jobs) -> str:
    work = [(f"j{j}", f"m{m}", k, takes) for j, job in enumerate(jobs) for k, (m, takes) in enumerate(job)]
    return (
        f"""planspec: task/1
id: job-shop
query: Run every job over the machines in its own order, and finish as early as possible.
types:
  Job: {names("j", len(jobs))}
  Machine: {names("m", machines_of(jobs))}
tables:
"""
        + table("Work", "job: key Job, machine: key Machine, turn: int, takes: int", work)
        + f"""plan:
  runs: {{job: key Job, machine: key Machine, start: int}}
scope:
  runs:
    - for: w in Work
      job: w.job
      machine: w.machine
      start: 0..{horizon(jobs)}
closed: true
define:
  done(r runs): r.start + Work[r.job, r.machine].takes
constraints:
  order:
    for: a in Work for b in Work if b.job == a.job and b.turn == a.turn + 1
    hard: done(runs[a.job, a.machine]) <= runs[b.job, b.machine].start
  machine:
    for: m in Machine
    hard: all(done(a) <= b.start for a, b in steps(r for r in runs if r.machine == m, by=r.start))
minimize: max(done(r) for r in runs)
"""
    )


MINIZINC = """
include "disjunctive.mzn";
int: jobs; int: machines; int: horizon;
array[1..jobs, 1..machines] of int: machine;
array[1..jobs, 1..machines] of int: takes;
array[1..jobs, 1..machines] of var 0..horizon: start;
var 0..horizon: end;
constraint forall(j in 1..jobs, k in 1..machines - 1) (start[j, k] + takes[j, k] <= start[j, k + 1]);
constraint forall(m in 0..machines - 1) (
  disjunctive([start[j, k] | j in 1..jobs, k in 1..machines where machine[j, k] = m],
              [takes[j, k] | j in 1..jobs, k in 1..machines where machine[j, k] = m]));
constraint forall(j in 1..jobs) (start[j, machines] + takes[j, machines] <= end);
solve minimize end;
"""


def minizinc_data(jobs: Jobs) -> Mapping[str, Any]:
    return {
        "jobs": len(jobs),
        "machines": machines_of(jobs),
        "horizon": horizon(jobs),
        "machine": [[m for m, _ in job] for job in jobs],
        "takes": [[takes for _, takes in job] for job in jobs],
    }


def build_cpsat(jobs: Jobs) -> Model:
    model = cp_model.CpModel()
    latest = horizon(jobs)
    end = model.new_int_var(0, latest, "end")
    start = [[model.new_int_var(0, latest, "") for _ in job] for job in jobs]
    on: list[list[Any]] = [[] for _ in range(machines_of(jobs))]
    for job, row in zip(jobs, start, strict=True):
        for k, (machine, takes) in enumerate(job):
            on[machine].append(model.new_fixed_size_interval_var(row[k], takes, ""))
            model.add(row[k] + takes <= (row[k + 1] if k + 1 < len(job) else end))
    for intervals in on:
        model.add_no_overlap(intervals)
    model.minimize(end)
    return Model(model, {"start": start})


def build_cpmpy(cp: Any, jobs: Jobs) -> Model:
    latest = horizon(jobs)
    end = cp.intvar(0, latest)
    start = [cp.intvar(0, latest, shape=len(job)) for job in jobs]
    model = cp.Model()
    for job, row in zip(jobs, start, strict=True):
        for k, (_, takes) in enumerate(job):
            model += row[k] + takes <= (row[k + 1] if k + 1 < len(job) else end)
    for machine in range(machines_of(jobs)):
        run = [(start[j][k], takes) for j, job in enumerate(jobs) for k, (m, takes) in enumerate(job) if m == machine]
        model += cp.NoOverlap([s for s, _ in run], [takes for _, takes in run], [s + takes for s, takes in run])
    model.minimize(end)
    return Model(model, {"start": start})


def rows(jobs: Jobs, values: Values) -> Rows:
    return {
        "runs": [
            {"job": f"j{j}", "machine": f"m{m}", "start": values["start"][j][k]}
            for j, job in enumerate(jobs)
            for k, (m, _) in enumerate(job)
        ]
    }


KIND = Kind(
    name="job-shop",
    sizes=("6x6", "10x10", "15x8"),
    generate=generate,
    task=task,
    minizinc=MINIZINC,
    minizinc_data=minizinc_data,
    build_cpsat=build_cpsat,
    build_cpmpy=build_cpmpy,
    rows=rows,
    read=read,
    optima=optima,
)
