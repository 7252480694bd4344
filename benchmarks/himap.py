"""Ablation of HiMAP-Travel: scripted policies plan the days, without a language model.

Run it as `python -m benchmarks.himap [--seeds N] [--small]`.

The trips are the public train queries if their tables are beside the checkout, and otherwise the feasible trips of the
small invented world. The rating of each venue by each traveller is drawn from the seed. Each configuration plans every
trip with every seed, and shares are over all pairs of trip and seed. A difference compares the same trips and seeds.
Its interval is the middle 95 % of bootstrap means. Trips are resampled together with all their seeds. The column
`shows` is `yes` if the whole interval has the sign of the paper's difference.

The final plan may exceed the budget, because it contains the executors' last proposals for rejected days. With the
monitor, the committed costs never exceed the budget.

The table of times covers only the planning of days. Each call of an executor takes `--latency` seconds, like a call of
a remote service. There is no bargaining, so every day is planned once. The policy is greedy, because it takes hardly
any time itself. For the intervals, seeds and trips are resampled.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any

from planspec.agents import Desk, Limits, TaskView
from planspec.api.judging import Judge
from planspec.api.loading import load
from planspec.dsl.model.environment import DeclaredSetting
from planspec.dsl.workspace.workspace import Workspace
from planspec.families.travelplanner.himap import HiMAP
from planspec.families.travelplanner.importing.suite import import_travelplanner
from planspec.traces.record import Trace
from tests.paths import ROOT, SHARED

DATA = SHARED / "data" / "travelplanner"
SMALL = ROOT / "tasks" / "travelplanner-small" / "tasks"
FEASIBLE = range(1, 13)
RESAMPLES = 4_000
OFF: Mapping[str, dict[str, bool]] = {
    "full": {},
    "monitor": {"monitor": False},
    "coordinator": {"coordinator": False},
    "monitor, coordinator": {"monitor": False, "coordinator": False},
    "bargaining": {"bargaining": False},
    "parallel": {"parallel": False},
}


@dataclass(frozen=True, slots=True)
class PrivilegedTask:
    """Task for a privileged agent, which gets the task itself; a short form of `OpenedTask`."""

    name: str
    judges: tuple[Judge, ...]
    folder: Path | None = None
    declared: DeclaredSetting | None = None
    resolve: Callable[[str, Trace], Any] | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """Results of planning a trip.

    Attributes:
        passed: whether the plan passes.
        twice: whether the plan visits some restaurant or attraction twice.
        overspent: whether the plan exceeds the budget.
        rejected: whether a day is still rejected at the end.
        modes: whether the plan breaks the rule about transport modes.
        iterations: number of iterations.
        seconds: seconds that the executors need to plan the days.
        budget: cost as a share of the budget.
        calls: number of calls to agents.
    """

    passed: float
    twice: float
    overspent: float
    rejected: float
    modes: float
    iterations: float
    seconds: float
    budget: float
    calls: float


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim of the paper, which is a row of the printed table.

    Attributes:
        ablated: name of the ablated configuration.
        baseline: name of the configuration that it is compared with.
        name: name of the metric.
        metric: function that returns the metric of an outcome.
        paper: result in the paper, with the number of its table.
        sign: sign of the difference in the paper.
    """

    ablated: str
    baseline: str
    name: str
    metric: Callable[[Outcome], float]
    paper: str
    sign: int


CLAIMS = (
    Claim("monitor", "full", "a venue twice", lambda o: o.twice, "up: restaurants 7.7 to 34.1 % (table 26)", 1),
    Claim("monitor", "full", "overspent", lambda o: o.overspent, "up: 4.8 to 12.5 % (table 26)", 1),
    Claim("monitor", "full", "passes", lambda o: o.passed, "down: -9.6 points (table 7)", -1),
    Claim("coordinator", "full", "overspent", lambda o: o.overspent, "up: 4.1 to 28.4 % (table 27)", 1),
    Claim("coordinator", "full", "budget used", lambda o: o.budget, "down: 0.94 to 0.67 (table 27)", -1),
    Claim("coordinator", "full", "passes", lambda o: o.passed, "down: -13.0 points (table 7)", -1),
    Claim("monitor, coordinator", "monitor", "overspent", lambda o: o.overspent, "up, by the same reasoning", 1),
    Claim("bargaining", "full", "a day stays rejected", lambda o: o.rejected, "up: 3.8 to 28.6 % (table 29)", 1),
    Claim("bargaining", "full", "overspent", lambda o: o.overspent, "up: 4.1 to 15.2 % (table 29)", 1),
    Claim("bargaining", "full", "passes", lambda o: o.passed, "down: -3.9 points (table 7)", -1),
    Claim("parallel", "full", "passes", lambda o: o.passed, "down: -7.2 points (table 7)", -1),
)


def trips(small: bool) -> Iterator[tuple[str, Judge]]:
    """Yield the name and the judge of each trip: of the small world if `small` or if the public data are missing."""
    if small or not DATA.exists():
        for number in FEASIBLE:
            yield str(number), Judge(load(SMALL / f"{number}.yaml"))
        return
    with tempfile.TemporaryDirectory() as folder:
        file, workspace = DATA / "queries_train.jsonl", Workspace()
        import_travelplanner(DATA / "db", [file], Path(folder))
        for line in file.read_text("utf-8").splitlines():
            record = json.loads(line)
            if record.get("reference_info_available", True):
                path = Path(folder) / "tasks" / f"{record['idx']}.yaml"
                yield str(record["idx"]), Judge(load(path, workspace=workspace))


def plan_trip(name: str, judge: Judge, seed: int, **options: Any) -> Outcome:
    """Let HiMAP plan the trip of a task, and return its measured outcome. `options` are arguments of `HiMAP`."""
    limits = Limits(tool_calls=None, steps=None)
    view = TaskView(name, "travelplanner", "text", judge.task.query, "", limits=limits, seed=seed)
    desk = Desk(view.tools, limits, seed)
    agent = HiMAP(**options)
    agent.privilege(PrivilegedTask(name, (judge,)))
    verdict = judge.decoded(agent.answer(view, desk), details="violated")
    note = desk.notes["himap"][-1]
    broken = {finding.constraint for finding in verdict.findings if finding.status == "violated"}
    spent, budget = verdict.metrics.get("total"), judge.task.givens["budget"]
    spent_cents = None if spent is None else round(float(str(spent).split()[0]) * 100)
    return Outcome(
        passed=verdict.status == "pass",
        twice=bool(broken & {"is_valid_restaurants", "is_valid_attractions"}),
        overspent=spent_cents is not None and spent_cents > budget,
        rejected=not note["agreed"],
        modes="is_valid_transportation" in broken,
        iterations=note["iterations"],
        seconds=note["executors_s"],
        budget=0.0 if spent_cents is None else spent_cents / budget,
        calls=sum(note["calls"].values()),
    )


Outcomes = Mapping[str, Sequence[Outcome]]
"""Outcomes of each trip, one for each seed."""


def interval(values: Sequence[float]) -> tuple[float, float]:
    """Return the middle 95 % of bootstrap means over trips."""
    random = Random(0)
    means = sorted(fmean(random.choices(values, k=len(values))) for _ in range(RESAMPLES))
    return means[round(0.025 * (RESAMPLES - 1))], means[round(0.975 * (RESAMPLES - 1))]


def claim_row(claim: Claim, results: Mapping[str, Outcomes]) -> str:
    """Format a row of the table of claims: the paper's result, and the measured difference with its interval."""
    ablated, baseline = results[claim.ablated], results[claim.baseline]
    differences = [
        fmean(claim.metric(a) - claim.metric(b) for a, b in zip(ablated[trip], baseline[trip], strict=True))
        for trip in ablated
    ]
    low, high = interval(differences)
    shares = [fmean(claim.metric(o) for outcomes in each.values() for o in outcomes) for each in (baseline, ablated)]
    shown = low * claim.sign > 0 and high * claim.sign > 0
    contrary = low * claim.sign < 0 and high * claim.sign < 0
    conclusion = (
        "yes" if shown else "no: the contrary" if contrary else "no: none seen" if low == high == 0 else "not clear"
    )
    return (
        f"| {claim.ablated} | {claim.name} | {claim.paper} | {shares[0]:.3f} | {shares[1]:.3f} "
        f"| {fmean(differences):+.3f} [{low:+.3f}, {high:+.3f}] | {conclusion} |"
    )


def slope(points: Sequence[tuple[int, float]]) -> float:
    """Return the slope of a linear fit by least squares: seconds per additional day."""
    days, times = [d for d, _ in points], [t for _, t in points]
    middle = fmean(days)
    return sum((d - middle) * t for d, t in points) / sum((d - middle) ** 2 for d in days) if times else 0.0


def print_times(judges: Sequence[tuple[str, Judge]], seeds: int, latency: float) -> None:
    """Print the table of planning times by the number of days."""
    print(f"\nDay planning, {latency:g} s a call; seconds by days of the trip, mean [95 %]; growth a day\n")
    by_days: dict[int, list[tuple[str, Judge]]] = {}
    for name, judge in judges:
        by_days.setdefault(len(judge.task.givens["trip"]), []).append((name, judge))
    print(f"| days at once | {' | '.join(f'{days} days' for days in sorted(by_days))} | a day more | R² of a line |")
    print(f"|---|{'---|' * (len(by_days) + 2)}")
    for workers in (1, 3):
        points: list[tuple[int, float]] = []
        cells: list[str] = []
        for days, group in sorted(by_days.items()):
            times = [
                plan_trip(
                    name, judge, seed, policy="greedy", bargaining=False, workers=workers, latency=latency
                ).seconds
                for name, judge in group[:4]
                for seed in range(seeds)
            ]
            points += [(days, time) for time in times]
            low, high = interval(times)
            cells.append(f"{fmean(times):.2f} [{low:.2f}, {high:.2f}]")
        random = Random(0)
        slopes = sorted(slope(random.choices(points, k=len(points))) for _ in range(RESAMPLES))
        low, high = slopes[round(0.025 * (RESAMPLES - 1))], slopes[round(0.975 * (RESAMPLES - 1))]
        print(
            f"| {workers} | {' | '.join(cells)} | {slope(points):+.3f} s [{low:+.3f}, {high:+.3f}] | {explained_variance(points):.2f} |"
        )


def explained_variance(points: Sequence[tuple[int, float]]) -> float:
    """Return the share of the variance that a linear fit explains (R²)."""
    rise, middle, mean = slope(points), fmean(d for d, _ in points), fmean(t for _, t in points)
    residual = sum((t - mean - rise * (d - middle)) ** 2 for d, t in points)
    return 1 - residual / sum((t - mean) ** 2 for _, t in points)


def main() -> None:
    """Measure, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument(
        "--small", action="store_true", help="use the small world even if the public tables are present"
    )
    parser.add_argument("--policy", choices=("solver", "greedy"), default="solver")
    parser.add_argument("--latency", type=float, default=0.05, help="seconds of each call, for the table of times")
    parser.add_argument("--only", choices=("shares", "times"), help="print one of the two tables")
    options = parser.parse_args()
    judges = list(trips(options.small))
    if options.only != "times":
        print_shares(judges, options.seeds, options.policy)
    if options.only != "shares":
        print_times(judges, min(options.seeds, 3), options.latency)


def print_shares(judges: Sequence[tuple[str, Judge]], seeds: int, policy: str) -> None:
    """Print the table that compares the paper's claims with the measured shares."""
    results: dict[str, dict[str, list[Outcome]]] = {}
    for name, off in OFF.items():
        results[name] = {
            trip: [plan_trip(trip, judge, seed, policy=policy, **off) for seed in range(seeds)]
            for trip, judge in judges
        }
        outcomes = [outcome for each in results[name].values() for outcome in each]
        print(
            f"without {name}: " if off else "with all: ",
            f"passes {fmean(o.passed for o in outcomes):.3f}, twice {fmean(o.twice for o in outcomes):.3f}, ",
            f"overspent {fmean(o.overspent for o in outcomes):.3f}, rejected {fmean(o.rejected for o in outcomes):.3f}, ",
            f"modes {fmean(o.modes for o in outcomes):.3f}, rounds {fmean(o.iterations for o in outcomes):.2f}, ",
            f"calls {fmean(o.calls for o in outcomes):.1f}",
            sep="",
            flush=True,
        )
    print(f"\n{len(judges)} trips, {seeds} seeds, policy {policy}\n")
    print("| without | metric | paper | with | without | difference [95 %] | shows |\n|---|---|---|---|---|---|---|")
    for claim in CLAIMS:
        print(claim_row(claim, results))


if __name__ == "__main__":
    main()
