"""Enumeration of all minimal unsatisfiable subsets (MUSes): planspec compared with CPMpy's `marco`.

Method: both sides enumerate every MUS of the same constraints over the same domains. They alternate in one process,
`--rounds` times, and figures are medians. The problems are randomly drawn: jobs with deadlines on one machine, and
bounds on sums. planspec gets task texts, and CPMpy equal hand-written models. The timed part includes the
transformation for the solver. It excludes checking and lowering in planspec, and building the expressions in CPMpy.
Both must find the same number of MUSes.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import time
from typing import Any

import cpmpy
from cpmpy.tools.explain import marco as cpmpy_marco

from planspec.dsl.documents.documents import task_from_text
from planspec.solvers.backends.outcome import Limits
from planspec.solvers.questions.budget import TimeBudget
from planspec.solvers.questions.conflicts import relaxable
from planspec.solvers.questions.cores import marco
from planspec.verifiers.meaning.ground import ground


def jobs_problem(jobs: int, seed: int) -> tuple[str, list[Any]]:
    """Return a problem as task text and as CPMpy constraints: jobs on one machine that must meet their deadlines."""
    random.seed(seed)
    takes = [random.choice([1, 2, 3]) for _ in range(jobs)]
    due = [random.randint(3, 2 * jobs - 2) for _ in range(jobs)]
    rows = "\n".join(
        f"      - {{id: j{i}, takes: {t}, due: {d}}}" for i, (t, d) in enumerate(zip(takes, due, strict=True))
    )
    text = f"""planspec: task/1
id: shop
query: Which deadlines and which machines conflict?
tables:
  Job:
    columns: {{takes: int, due: int}}
    rows:
{rows}
plan: {{runs: {{job: key Job, start: int}}}}
scope: {{runs: [{{for: j in Job, job: j, start: 0..{3 * jobs}}}]}}
constraints:
  due:
    for: j in Job
    hard: runs[j].start + j.takes <= j.due
  apart:
    for: a in Job for b in Job if a.takes * 1000 + a.due < b.takes * 1000 + b.due
    hard: runs[a].start + a.takes <= runs[b].start or runs[b].start + b.takes <= runs[a].start
"""
    start = cpmpy.intvar(0, 3 * jobs, shape=jobs)
    soft = [start[i] + takes[i] <= due[i] for i in range(jobs)]
    soft += [
        (start[a] + takes[a] <= start[b]) | (start[b] + takes[b] <= start[a])
        for a in range(jobs)
        for b in range(jobs)
        if takes[a] * 1000 + due[a] < takes[b] * 1000 + due[b]
    ]
    return text, soft


def sums_problem(rules: int, seed: int) -> tuple[str, list[Any]]:
    """Return a problem as task text and as CPMpy constraints: `rules` bounds on sums of three out of six numbers."""
    random.seed(seed)
    picked = [(sorted(random.sample(range(6), 3)), random.randint(5, 24)) for _ in range(rules)]
    lines = []
    numbers = cpmpy.intvar(0, 9, shape=6)
    soft = []
    for i, (indices, total) in enumerate(picked):
        form = " + ".join(f"x[{k}].n" for k in indices)
        op = ("<=", ">=", "==")[i % 3]
        lines.append(f"  r{i}:\n    hard: {form} {op} {total}\n")
        left = sum(numbers[k] for k in indices)
        soft.append(left <= total if op == "<=" else left >= total if op == ">=" else left == total)
    text = (
        "planspec: task/1\nid: sums\nquery: Which sums conflict?\nplan: {x: {k: key int, n: int}}\n"
        "scope: {x: [{for: q in 0..5, k: q, n: 0..9}]}\nconstraints:\n" + "".join(lines)
    )
    return text, soft


def run_planspec(text: str, solver: str) -> tuple[float, int]:
    """Return the milliseconds that planspec needs for all MUSes, and their number."""
    problem = relaxable(ground(task_from_text(text)), bounds=False)
    start = time.perf_counter()
    subsets = list(marco(problem.oracle(solver, TimeBudget(Limits(seconds=600)))))
    return (time.perf_counter() - start) * 1000, sum(not satisfiable for satisfiable, _ in subsets)


def run_cpmpy(soft: list[Any], solver: str) -> tuple[float, int]:
    """Return the milliseconds that CPMpy needs for all MUSes, and their number."""
    start = time.perf_counter()
    muses = [kind for kind, _ in cpmpy_marco(soft, solver=solver) if kind == "MUS"]
    return (time.perf_counter() - start) * 1000, len(muses)


def main() -> None:
    """Print one row for each problem, and the median ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    problems = [(f"shop {n}, seed {s}", *jobs_problem(n, s)) for n, s in ((6, 3), (7, 3), (7, 8))]
    problems += [(f"sums {n}, seed {s}", *sums_problem(n, s)) for n, s in ((9, 1), (12, 2), (15, 3))]
    print(f"all MUSes; medians of {rounds} rounds; load {os.getloadavg()[0]:.1f}")
    print(
        f"{'problem':<18}{'MUSes':>6}{'cpsat':>9}{'cpmpy ortools':>15}{'ratio':>8}{'smt':>9}{'cpmpy z3':>10}{'ratio':>8}  ms"
    )
    ratios: dict[str, list[float]] = {"cpsat": [], "smt": []}
    for name, text, soft in problems:
        line, count = "", 0
        for solver, other in (("cpsat", "ortools"), ("smt", "z3")):
            planspec_ms, cpmpy_ms = [], []
            for _ in range(rounds):
                a, count = run_planspec(text, solver)
                b, other_count = run_cpmpy(soft, other)
                assert count == other_count, (name, solver, count, other_count)
                planspec_ms.append(a)
                cpmpy_ms.append(b)
            ratio = statistics.median(planspec_ms) / statistics.median(cpmpy_ms)
            ratios[solver].append(ratio)
            width = (9, 15) if solver == "cpsat" else (9, 10)
            line += (
                f"{statistics.median(planspec_ms):{width[0]}.0f}{statistics.median(cpmpy_ms):{width[1]}.0f}{ratio:8.2f}"
            )
        print(f"{name:<18}{count:>6}{line}")
    print(
        f"median ratio to CPMpy: cpsat {statistics.median(ratios['cpsat']):.2f}, smt {statistics.median(ratios['smt']):.2f} "
        "(below 1: planspec is faster)"
    )


if __name__ == "__main__":
    main()
