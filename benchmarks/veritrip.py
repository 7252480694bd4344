"""VeriTrip: speed of judging answers, quality of the oracle, and times of exact tours.

- Judging: the solver's answer to each shipped task is judged as in `planspec score`, with details of violated rules
  only. Each answer is judged with rules, cells and citations, and also without cells and citations. Tasks are loaded
  before the measurement. Figures are medians over rounds, in which both variants alternate. The detour of a plan is
  measured separately, since it needs an exact tour.
- Oracle: `planspec solve` searches for a plan with all preferences and the shortest route, on every nth task. The
  table shows the number of plans with AM 0, and the margins of the others in metres for each place.
- Sizes (only with `--sizes FOLDER`): the sizes of a generated folder, compared with the paper's.
- Parsers (only with `--parsers FOLDER --extracted FILE...`): agreement of the facts that other parsers extract from
  documents with the facts that the documents state.
- Tours: times of exact closed tours through several places of a city, as medians over random draws.

The corpus, its search and its pictures are measured by benchmarks.retrieval and benchmarks.pictures.
Run it as `python -m benchmarks.veritrip`.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter
from typing import Any

import planspec
from benchmarks.veritrip_parsers import DOCUMENTS, print_agreement
from benchmarks.veritrip_sizes import print_sizes
from planspec.api.catalog import Catalog
from planspec.dsl.workspace.workspace import Workspace
from planspec.families.veritrip.fact_bases import fact_bases
from planspec.families.veritrip.plan_improvement import shorten_path
from planspec.scores.detour import detour_of
from planspec.solvers.backends.outcome import Limits
from planspec.solvers.questions import prove
from planspec.solvers.tour import shortest
from planspec.solvers.tour.distances import web_mercator_distances

SIZES = (5, 10, 15, 20, 25, 30, 35, 40)


def measure_judging(judges: dict[str, planspec.Judge], answers: dict[str, Any], rounds: int) -> None:
    def answers_per_second(*, cells: bool) -> float:
        start = perf_counter()
        for name, judge in judges.items():
            if cells:
                judge.answer(answers[name], details="violated")
            elif (plan := judge.read(answers[name])) is not None:
                judge.plan(plan, details="violated")
        spent = perf_counter() - start
        return len(judges) / spent

    for _ in range(2):
        answers_per_second(cells=True)
    both = [(answers_per_second(cells=True), answers_per_second(cells=False)) for _ in range(rounds)]
    with_cells, rules_alone = (median(part) for part in zip(*both, strict=True))
    print(f"judged in a second: {with_cells:.0f} answers with their cells, {rules_alone:.0f} by the rules alone")
    plans = {name: judge.read(answers[name]) for name, judge in judges.items()}
    start = perf_counter()
    sizes = [
        detour.places
        for name, plan in plans.items()
        if plan and (detour := detour_of(plan, judges[name].task.currency))
    ]
    spent = (perf_counter() - start) / len(sizes)
    print(
        f"detour of a plan compared with the exact shortest tour, in both metrics: {spent * 1000:.0f} ms on average ({min(sizes)} to {max(sizes)} places)"
    )


def measure_oracle(names: list[str], seconds: float) -> None:
    print(f"oracle, {len(names)} tasks, {seconds:g} s each at most")
    margins, times = [], []
    for name in names:
        judge = planspec.Judge(planspec.load(name))
        start = perf_counter()
        optimum = prove.solve(judge.ground, limits=Limits(seconds=seconds))
        near_plan = shorten_path(name, judge, optimum, Limits(seconds=seconds))
        times.append(perf_counter() - start)
        verdict = judge.plan(near_plan.plan)
        assert verdict.status == "pass" and verdict.soft.satisfied == verdict.soft.total, name
        assert near_plan.margin is not None, name
        margins.append(float(near_plan.margin[1]))
        if margins[-1]:
            print(
                f"  {name}: {margins[-1]:.1f} m for each of {near_plan.detour.places if near_plan.detour else 0} places"
            )
    print(
        f"  AM 0: {sum(not m for m in margins)} of {len(margins)}; seconds: median {median(times):.1f}, most {max(times):.1f}"
    )


def measure_tours(draws: int) -> None:
    places = [p for base in fact_bases(0).values() for p in base.places if p.city == base.cities[0]]
    random = Random(0)
    print("places  method     ms (median)  proved")
    for size in SIZES:
        times, proved, methods = [], 0, set()
        for _ in range(draws):
            chosen = random.sample([p for p in places if p.city == places[0].city], size)
            matrix = web_mercator_distances([(float(p.latitude), float(p.longitude)) for p in chosen])
            start = perf_counter()
            tour = shortest(matrix)
            times.append(perf_counter() - start)
            proved += tour.status == "optimal"
            methods.add(tour.method)
        print(f"{size:6}  {'/'.join(sorted(methods)):9}  {median(times) * 1000:11.1f}  {proved}/{draws}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--every", type=int, default=6, metavar="N", help="the oracle solves every Nth task")
    parser.add_argument("--timeout", type=float, default=60.0)
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument(
        "--sizes", type=Path, metavar="FOLDER", help="print the sizes of a generated suite and the paper's"
    )
    parser.add_argument(
        "--parsers", type=Path, metavar="FOLDER", help="compare what parsers extracted from a suite's documents"
    )
    parser.add_argument("--extracted", type=Path, nargs="+", default=[], metavar="FILE", help="a file for each parser")
    parser.add_argument("--documents", type=int, default=DOCUMENTS, help="documents in the sample of --parsers")
    args = parser.parse_args()
    if args.parsers is not None:
        print_agreement(args.parsers, args.extracted, args.documents)
        return
    if args.sizes is not None:
        print_sizes(args.sizes)
        return
    entries = [entry for entry in Catalog().tasks() if entry.suite == "veritrip"]
    workspace = Workspace()
    judges = {e.id: planspec.Judge(planspec.load(e.path, workspace=workspace)) for e in entries}
    answers: dict[str, Any] = {}
    for name, judge in judges.items():
        plan = prove.solve(judge.ground).plan
        assert plan is not None, name
        answers[name] = judge.encode(plan)
    measure_judging(judges, answers, args.rounds)
    measure_tours(args.draws)
    measure_oracle([e.id for e in entries][:: args.every], args.timeout)


if __name__ == "__main__":
    main()
