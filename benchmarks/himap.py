"""What each part of HiMAP-Travel is worth with day policies that have no model: `python -m benchmarks.himap [--seeds N] [--small]`.

Trips of the small invented world that have a plan, or where the public tables lie beside the checkout, trips of its train
queries. A seed draws how much everyone likes each venue. Each configuration plans every trip with every seed; shares are over
trips and seeds. A difference is between the same trips and seeds, its interval the middle 95 % of bootstrap means with trips
drawn again (all seeds of a trip stay together). `shows` says whether the whole interval lies on the paper's side of 0.

What overspends is the plan that is answered: of days that were refused it has what their executors proposed last. With the
monitor nothing committed ever passes the budget.

Times are of day planning alone, in one round, with `--latency` seconds for each call of an executor, as if something far away
answered it: without bargaining, so that every day is planned once, and by greed, which takes next to no time of its own. Seeds
and trips are drawn again for their intervals.
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
class Given:
    """A task as `HiMAP.privilege` takes it."""

    name: str
    judges: tuple[Judge, ...]
    folder: Path | None = None
    resolve: Callable[[str, Trace], Any] | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one trip: shares of one are 0 or 1."""

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
    """A row of the table.

    Attributes:
        off: what is left out.
        against: with what it is compared.
        metric: of `Outcome`.
        paper: what the paper reports, and where.
        sign: of the difference that the paper reports.
    """

    off: str
    against: str
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
)  # fmt: skip


def trips(small: bool) -> Iterator[tuple[str, Judge]]:
    """The trips to plan."""
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


def planned(name: str, judge: Judge, seed: int, **options: Any) -> Outcome:
    """One trip, planned once."""
    limits = Limits(tool_calls=None, steps=None)
    view = TaskView(name, "travelplanner", "text", judge.task.query, "", limits=limits, seed=seed)
    desk = Desk(view.tools, limits, seed)
    agent = HiMAP(**options)
    agent.privilege(Given(name, (judge,)))
    verdict = judge.decoded(agent.answer(view, desk), details="violated")
    note = desk.notes["himap"][-1]
    broken = {finding.constraint for finding in verdict.findings if finding.status == "violated"}
    spent, budget = verdict.metrics.get("total"), judge.task.givens["budget"]
    used = None if spent is None else round(float(str(spent).split()[0]) * 100)
    return Outcome(
        passed=verdict.status == "pass",
        twice=bool(broken & {"is_valid_restaurants", "is_valid_attractions"}),
        overspent=used is not None and used > budget,
        rejected=not note["agreed"],
        modes="is_valid_transportation" in broken,
        iterations=note["iterations"],
        seconds=note["executors_s"],
        budget=0.0 if used is None else used / budget,
        calls=sum(note["calls"].values()),
    )


Outcomes = Mapping[str, Sequence[Outcome]]
"""By trip, one for each seed."""


def interval(values: Sequence[float]) -> tuple[float, float]:
    """The middle 95 % of means over trips drawn again."""
    random = Random(0)
    means = sorted(fmean(random.choices(values, k=len(values))) for _ in range(RESAMPLES))
    return means[round(0.025 * (RESAMPLES - 1))], means[round(0.975 * (RESAMPLES - 1))]


def compared(claim: Claim, results: Mapping[str, Outcomes]) -> str:
    """A row of the table of claims."""
    off, against = results[claim.off], results[claim.against]
    apart = [
        fmean(claim.metric(a) - claim.metric(b) for a, b in zip(off[trip], against[trip], strict=True))
        for trip in off
    ]
    low, high = interval(apart)
    shares = [fmean(claim.metric(o) for of in each.values() for o in of) for each in (against, off)]
    shown = low * claim.sign > 0 and high * claim.sign > 0
    contrary = low * claim.sign < 0 and high * claim.sign < 0
    said = (
        "yes"
        if shown
        else "no: the contrary"
        if contrary
        else "no: none seen"
        if low == high == 0
        else "not clear"
    )
    return (
        f"| {claim.off} | {claim.name} | {claim.paper} | {shares[0]:.3f} | {shares[1]:.3f} "
        f"| {fmean(apart):+.3f} [{low:+.3f}, {high:+.3f}] | {said} |"
    )


def slope(points: Sequence[tuple[int, float]]) -> float:
    """Seconds more for each day more, by least squares."""
    days, times = [d for d, _ in points], [t for _, t in points]
    middle = fmean(days)
    return sum((d - middle) * t for d, t in points) / sum((d - middle) ** 2 for d in days) if times else 0.0


def timed(judges: Sequence[tuple[str, Judge]], seeds: int, latency: float) -> None:
    """The table of times."""
    print(f"\nDay planning, {latency:g} s a call; seconds by days of the trip, mean [95 %]; growth a day\n")
    by_days: dict[int, list[tuple[str, Judge]]] = {}
    for name, judge in judges:
        by_days.setdefault(len(judge.task.givens["trip"]), []).append((name, judge))
    print(
        f"| days at once | {' | '.join(f'{days} days' for days in sorted(by_days))} | a day more | R² of a line |"
    )
    print(f"|---|{'---|' * (len(by_days) + 2)}")
    for workers in (1, 3):
        points: list[tuple[int, float]] = []
        cells: list[str] = []
        for days, group in sorted(by_days.items()):
            times = [
                planned(
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
            f"| {workers} | {' | '.join(cells)} | {slope(points):+.3f} s [{low:+.3f}, {high:+.3f}] | {straight(points):.2f} |"
        )


def straight(points: Sequence[tuple[int, float]]) -> float:
    """The share of the variance that a line explains."""
    rise, middle, mean = slope(points), fmean(d for d, _ in points), fmean(t for _, t in points)
    left = sum((t - mean - rise * (d - middle)) ** 2 for d, t in points)
    return 1 - left / sum((t - mean) ** 2 for _, t in points)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--small", action="store_true", help="the small world, whatever else is there")
    parser.add_argument("--policy", choices=("solver", "greedy"), default="solver")
    parser.add_argument("--latency", type=float, default=0.05, help="seconds a call, for the times")
    parser.add_argument("--only", choices=("shares", "times"), help="one of both tables alone")
    options = parser.parse_args()
    judges = list(trips(options.small))
    if options.only != "times":
        shares(judges, options.seeds, options.policy)
    if options.only != "shares":
        timed(judges, min(options.seeds, 3), options.latency)


def shares(judges: Sequence[tuple[str, Judge]], seeds: int, policy: str) -> None:
    """The table of claims."""
    results: dict[str, dict[str, list[Outcome]]] = {}
    for name, off in OFF.items():
        results[name] = {
            trip: [planned(trip, judge, seed, policy=policy, **off) for seed in range(seeds)]
            for trip, judge in judges
        }
        done = [outcome for each in results[name].values() for outcome in each]
        print(
            f"without {name}: " if off else "with all: ",
            f"passes {fmean(o.passed for o in done):.3f}, twice {fmean(o.twice for o in done):.3f}, ",
            f"overspent {fmean(o.overspent for o in done):.3f}, rejected {fmean(o.rejected for o in done):.3f}, ",
            f"modes {fmean(o.modes for o in done):.3f}, rounds {fmean(o.iterations for o in done):.2f}, ",
            f"calls {fmean(o.calls for o in done):.1f}",
            sep="", flush=True,
        )  # fmt: skip
    print(f"\n{len(judges)} trips, {seeds} seeds, policy {policy}\n")
    print(
        "| without | metric | paper | with | without | difference [95 %] | shows |\n|---|---|---|---|---|---|---|"
    )
    for claim in CLAIMS:
        print(compared(claim, results))


if __name__ == "__main__":
    main()
