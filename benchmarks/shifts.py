"""Shifts that cover a demand: a task with interchangeable optional rows, with and without symmetry breaking.

Method: each instance comes from a seeded generator. Seconds are CPU seconds from the checked task to the returned
plan, with one worker and `--effort` units of work. The hand-written model is for CP-SAT, with optional shifts in order.
If a run proves no optimum, the number after the seconds is its bound.
"""

from __future__ import annotations

import argparse
from itertools import pairwise
from random import Random
from time import process_time
from typing import Any
from unittest.mock import patch

from ortools.sat.python import cp_model

import planspec
from planspec.solvers.backends.outcome import Limits, Status
from planspec.solvers.questions.prove import solve
from planspec.solvers.reductions import register

SIZES = ((8, 20, 1), (10, 20, 1), (12, 22, 1), (12, 22, 2), (14, 24, 1))
SHORTEST, LONGEST, FEE = 4, 8, 2


def needs(count: int, hours: int, seed: int) -> list[int]:
    """Return the demand of each hour, which `count` - 2 shifts can cover."""
    source = Random(seed)
    need = [0] * hours
    for _ in range(max(2, count - 2)):
        length = source.randint(SHORTEST, LONGEST)
        start = source.randint(0, hours - length)
        for hour in range(start, start + length):
            need[hour] += 1
    return need


def task(count: int, need: list[int]) -> str:
    """Return the task of covering a demand by at most `count` shifts."""
    rows = "\n".join(f"      {hour}, {least}" for hour, least in enumerate(need))
    return f"""planspec: task/1
id: shifts
query: Which shifts cover the demand at the least cost?
tables:
  Hour:
    columns: {{hour: key int, least: int}}
    csv: |
      hour, least
{rows}
plan:
  shifts: {{number: key int, start: int, lasts: int}}
scope:
  shifts:
    - for: n in 1..{count}
      number: n
      start: 0..{len(need) - SHORTEST}
      lasts: {SHORTEST}..{LONGEST}
      optional: true
constraints:
  inside:
    hard: all(s.start + s.lasts <= {len(need)} for s in shifts)
  cover:
    for: h in Hour
    hard: count(s for s in shifts if s.start <= h.hour and h.hour < s.start + s.lasts) >= h.least
minimize: sum(s.lasts + {FEE} for s in shifts)
"""


def hand_written_seconds(count: int, need: list[int], effort: float) -> str:
    """Solve a hand-written CP-SAT model. Return its seconds as text, with the bound if no optimum is proved."""
    began = process_time()
    model, hours = cp_model.CpModel(), len(need)
    shifts: list[tuple[Any, Any, Any]] = []
    covers: list[list[Any]] = [[] for _ in need]
    for _ in range(count):
        used = model.new_bool_var("")
        start, lasts = model.new_int_var(0, hours - SHORTEST, ""), model.new_int_var(SHORTEST, LONGEST, "")
        model.add(start + lasts <= hours)
        shifts.append((used, start, lasts))
        for hour, cover in enumerate(covers):
            inside = model.new_bool_var("")
            model.add_implication(inside, used)
            model.add(start <= hour).only_enforce_if(inside)
            model.add(start + lasts > hour).only_enforce_if(inside)
            cover.append(inside)
    for (used, start, _), (next_used, next_start, _) in pairwise(shifts):
        model.add_implication(next_used, used)
        model.add(start <= next_start).only_enforce_if(next_used)
    for least, cover in zip(need, covers, strict=True):
        model.add(sum(cover) >= least)
    costs = []
    for used, _, lasts in shifts:
        cost = model.new_int_var(0, LONGEST + FEE, "")
        model.add(cost >= lasts + FEE).only_enforce_if(used)
        costs.append(cost)
    model.minimize(sum(costs))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.max_deterministic_time = effort
    status = solver.solve(model)
    seconds = f"{process_time() - began:.2f}"
    return seconds if status == cp_model.OPTIMAL else f"{seconds}, {solver.best_objective_bound:.0f}"


def planspec_seconds(count: int, need: list[int], effort: float, *, symmetry: bool) -> tuple[str, str]:
    """Solve the task with planspec.

    Return two strings: the CPU seconds, followed by the proved bound if no optimum is proved; and the best value.
    """
    ground = planspec.Judge(planspec.loads(task(count, need))).ground
    reductions = tuple(each for each in register.REDUCTIONS if symmetry or each is not register.SYMMETRY)
    with patch.object(register, "REDUCTIONS", reductions):
        began = process_time()
        solution = solve(ground, limits=Limits(seconds=None, effort=effort))
    seconds = f"{process_time() - began:.2f}"
    proved = solution.status is Status.OPTIMAL
    return seconds if proved else f"{seconds}, {solution.bound}", str(solution.value)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--effort", type=float, default=10.0)
    effort = parser.parse_args().effort
    planspec_seconds(3, needs(3, 10, 0), 1.0, symmetry=True)  # warm-up, so that everything is imported
    print("| shifts, hours, seed | without order | with order | by hand | optimum |")
    print("|---|--:|--:|--:|--:|")
    for count, hours, seed in SIZES:
        need = needs(count, hours, seed)
        plain, _ = planspec_seconds(count, need, effort, symmetry=False)
        ordered, value = planspec_seconds(count, need, effort, symmetry=True)
        print(
            f"| {count}, {hours}, {seed} | {plain} | {ordered} | {hand_written_seconds(count, need, effort)} | {value} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
