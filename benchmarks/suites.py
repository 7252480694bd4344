"""Throughput of suites and streams of answers, compared with targets.

Figures are based on the CPU time of one process (`time.process_time`), so that other load on the machine matters
little. Each line of the output is a measurement: a median over rounds. The rounds of different lines alternate.
`before` is the figure of an earlier version, before suites were optimised, on the same kind of machine. Some lines need
public data, and say so if the data are missing. Run it as `python -m benchmarks.suites [LINE...]`.

Each line in `LINES` has a function that returns its figure. The function prepares its data in a temporary folder,
outside the measured time.
"""

from __future__ import annotations

import argparse
import gc
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import cycle, islice
from math import isnan, nan
from pathlib import Path
from random import Random
from statistics import mean, median
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import planspec
from benchmarks.mobilitybench import reference_trace
from benchmarks.travelplanner import answers as public_plans
from planspec.commands.console import collect_garbage_often
from planspec.dsl.documents.documents import task_from_path
from planspec.dsl.workspace.workspace import Workspace
from planspec.families.mobilitybench.episode import Episode
from planspec.families.mobilitybench.metrics import score_trace
from planspec.families.mobilitybench.metrics.trace_metrics import verdict_of
from planspec.families.mobilitybench.suite import read_episodes
from planspec.families.travelplanner.importing.suite import import_travelplanner
from planspec.traces.record import Trace
from planspec.verifiers.meaning.ground import ground
from tests.paths import ROOT, SHARED

QUERIES = 1_000
ANSWERS = 5_000
EPISODES = ROOT / "tasks" / "mobilitybench"
BERLIN = ROOT / "tasks" / "worldtravel-berlin"


@dataclass(frozen=True, slots=True)
class BenchmarkLine:
    """A measurement with its target.

    Attributes:
        subject: subject of the measurement.
        unit: unit of the figures.
        target: figure to reach.
        former: figure of the earlier version, before suites were optimised.
        is_higher_better: whether a higher figure is better.
        method: description of the measurement.
        measure: function that measures the figure once.
    """

    subject: str
    unit: str
    target: float
    former: float
    is_higher_better: bool
    method: str
    measure: Callable[[], float]

    def is_reached(self, figure: float) -> bool:
        """Return whether a figure meets the target."""
        return figure >= self.target if self.is_higher_better else figure <= self.target


def seconds_of(work: Callable[[], object]) -> float:
    """Return the CPU seconds that a call takes.

    Existing objects are frozen (`gc.freeze`), so that the garbage collector skips the objects of other measurements.
    """
    gc.collect()
    gc.freeze()
    began = process_time()
    work()
    spent = process_time() - began
    gc.unfreeze()
    return spent


def items_per_second(work: Callable[[], object], items: int) -> float:
    """Return the items per CPU second."""
    return items / seconds_of(work)


# ------------------------------------------------------------------ data

_FOLDER = TemporaryDirectory(prefix="planspec-suites-")


@cache
def trips() -> tuple[Path, list[dict[str, Any]]]:
    """Write a suite of distinct TravelPlanner queries and, in the folder `one`, a suite of only the first query.

    The queries belong to the public recorded plans or, without these, to the small shipped world. If there are too few,
    they are repeated with other budgets.

    Returns:
        The folder of the suite, and a plan for each task.
    """
    folder = Path(_FOLDER.name) / "trips"
    folder.mkdir()
    database, _, queries, plans = public_plans(folder)
    by_query: dict[str, list[Any]] = {}
    for query_id, plan in plans:
        by_query.setdefault(query_id, []).append(plan)
    records, lines = [], []
    for number, query_id in islice(enumerate(cycle(by_query)), QUERIES):
        turn = number // len(by_query)
        records.append({**queries[query_id], "id": f"q{number}", "budget": int(queries[query_id]["budget"]) + turn})
        lines.append({"task": f"q{number}", "plan": by_query[query_id][turn % len(by_query[query_id])]})
    file = folder / "queries.jsonl"
    file.write_text("".join(json.dumps(query) + "\n" for query in records), "utf-8")
    import_travelplanner(database, [file], folder / "suite")
    first = next(query for query in records if query["id"] == lines[0]["task"])
    one_query = folder / "query.jsonl"
    one_query.write_text(json.dumps(first) + "\n", "utf-8")
    import_travelplanner(database, [one_query], folder / "one")
    tasks = {path.stem for path in (folder / "suite" / "tasks").glob("*.yaml")}  # some queries are not imported
    return folder / "suite", [line for line in lines if line["task"] in tasks]


def trip_tasks() -> list[Path]:
    """Return the paths of the tasks in the suite of TravelPlanner queries, in order."""
    return sorted((trips()[0] / "tasks").glob("*.yaml"))


@cache
def samples() -> tuple[planspec.Task, list[bytes]]:
    """Return a task and many different answers to it, made from real plans by exchanging meals and sights."""
    suite, lines = trips()
    first = lines[0]
    days = [day for line in lines for day in line["plan"] if isinstance(day, dict)]
    random = Random(1)

    def draw_answers() -> Iterator[bytes]:
        for number in range(ANSWERS):
            plan = [dict(day) for day in first["plan"]]
            for day in plan:
                name = random.choice(("breakfast", "lunch", "dinner", "attraction"))
                day[name] = random.choice(days).get(name, "-")
            yield json.dumps({"task": first["task"], "sample": number, "plan": plan}).encode()

    return planspec.load(suite / "tasks" / f"{first['task']}.yaml"), list(draw_answers())


@cache
def traces() -> list[tuple[Episode, Trace]]:
    """Return each shipped episode with a trace: the calls of its reference program and its reference answer."""
    return [(episode, reference_trace(episode)) for episode in read_episodes(EPISODES)]


PICKY = {
    "house rule": "smoking",
    "cuisine": ["American", "French", "Indian", "Mediterranean"],
    "room type": "shared room",
}
REFUSED = (
    "poor 1",
    "picky 1",
    "poor 16",
    "picky 16",
    "picky 31",
    "picky 21",
    "poor 36",
    "picky 36",
    "picky 11",
    "picky 41",
)
"""Training queries of 3, 5 and 7 days that become infeasible with a quarter of the budget or additional requests."""
PRICED = ("2", "17", "32", "7", "22", "36", "41")
"""Training queries of 3, 5 and 7 days, whose cheapest plan is searched for."""


@cache
def training_trip_tasks() -> Mapping[str, planspec.Task]:
    """Return tasks of public training queries by name; empty if the data are missing.

    Each query occurs unchanged, with a small budget (`poor`), or with additional requests (`picky`).
    """
    data = SHARED / "data" / "travelplanner"
    if not data.exists():
        return {}
    queries: list[dict[str, Any]] = []
    for number, line in enumerate((data / "queries_train.jsonl").read_text("utf-8").splitlines(), 1):
        query = json.loads(line)
        picky = {**PICKY, "transportation": "no flight" if number % 2 else "no self-driving"}
        queries.append({**query, "id": str(number)})
        queries.append({**query, "id": f"poor-{number}", "budget": int(query["budget"]) // 4})
        queries.append({**query, "id": f"picky-{number}", "local_constraint": picky})
    folder = Path(_FOLDER.name) / "training"
    folder.mkdir()
    (folder / "queries.jsonl").write_text("".join(json.dumps(query) + "\n" for query in queries), "utf-8")
    import_travelplanner(data / "db", [folder / "queries.jsonl"], folder / "suite")
    tasks, workspace = folder / "suite" / "tasks", Workspace()
    refused = {name: planspec.load(tasks / f"{name.replace(' ', '-')}.yaml", workspace=workspace) for name in REFUSED}
    priced = {name: planspec.load(tasks / f"{name}.yaml", workspace=workspace, minimize="total") for name in PRICED}
    return refused | priced


# ------------------------------------------------------------------ figures


def measure_scores(profile: str) -> float:
    """Return the plans per second of `score` on distinct queries. Each task is loaded, grounded and judged once.

    Start-up, which reads the library and the world, is measured with a suite of one task and subtracted.
    """
    suite, lines = trips()

    def start() -> None:
        planspec.score(suite.parent / "one", lines[:1], profile=profile, details=False)

    start()  # the first call loads required modules
    start_s = seconds_of(start)
    spent = seconds_of(lambda: planspec.score(suite, lines, profile=profile, details=False))
    return (len(lines) - 1) / (spent - start_s)


def measure_samples() -> float:
    """Return the answers to one task judged per second, including reading JSON and writing short verdicts."""
    task, lines = samples()
    out = Path(_FOLDER.name) / "verdicts.jsonl"

    def judging_seconds(answers: list[bytes]) -> float:
        began = process_time()
        planspec.score_many(task, answers, out=out)
        return process_time() - began

    judging_seconds(lines)  # the first call loads required modules
    return (len(lines) - 1) / (judging_seconds(lines) - judging_seconds(lines[:1]))


def measure_traces() -> float:
    """Return the traces scored per second by the strict profile. Each trace's task is loaded, grounded and judged."""
    runs = traces()

    def work() -> None:
        for episode, run in runs:
            verdict = verdict_of(EPISODES / "tasks" / f"{episode.id}.yaml", episode, run)
            assert score_trace(episode, run, verdict).metrics["FPR"].value == 1

    work()  # the first round reads the library and compiles code that tasks share
    return items_per_second(work, len(runs))


def measure_conflicts() -> float:
    """Return the mean CPU seconds for explaining an infeasible trip: conflicts, relaxations and required amounts."""
    times: list[float] = []

    def work(task: planspec.Task) -> None:
        assert planspec.why(task, all=True, limits=120).status == "infeasible"

    for name in REFUSED:
        task = training_trip_tasks().get(name)
        if task is not None:
            times.append(seconds_of(lambda task=task: work(task)))  # type: ignore[misc]
    return mean(times) if times else nan


def measure_cheapest() -> float:
    """Return the median CPU seconds for finding the cheapest plan of a trip and proving it."""
    times: list[float] = []

    def work(task: planspec.Task) -> None:
        assert planspec.solve(task, limits=300).status == "optimal"

    for name in PRICED:
        task = training_trip_tasks().get(name)
        if task is not None:
            times.append(seconds_of(lambda task=task: work(task)))  # type: ignore[misc]
    return median(times) if times else nan


def measure_loading(tasks: Sequence[Path]) -> float:
    """Return the median milliseconds until a task is ready to judge: read, checked and grounded.

    A first round over the same tasks caches the libraries; the tasks themselves are not cached.
    """
    workspace = Workspace()

    def ready_milliseconds(path: Path) -> float:
        began = process_time()
        ground(task_from_path(path, workspace), scope=False)
        return process_time() - began

    for path in tasks:
        ready_milliseconds(path)
    gc.collect()
    return median(ready_milliseconds(path) for path in tasks) * 1_000


LINES: Mapping[str, BenchmarkLine] = {
    "load-travelplanner": BenchmarkLine(
        "a further TravelPlanner task, ready to judge",
        "ms",
        1.5,
        39,
        False,
        "read, checked, grounded without its scope's rows; median of 200",
        lambda: measure_loading(trip_tasks()[:200]),
    ),
    "load-mobilitybench": BenchmarkLine(
        "a further MobilityBench task, ready to judge",
        "ms",
        1.5,
        17,
        False,
        "the same, of those that ship",
        lambda: measure_loading(sorted((EPISODES / "tasks").glob("*.yaml"))),
    ),
    "load-berlin": BenchmarkLine(
        "a further Berlin task, ready to judge",
        "ms",
        5,
        5.6,
        False,
        "the same, of those that ship",
        lambda: measure_loading(sorted(BERLIN.glob("*.task.yaml"))),
    ),
    "samples": BenchmarkLine(
        "one task, many answers",
        "answers/s",
        5_000,
        1_300,
        True,
        "score_many to a file, details off; one TravelPlanner task, 5,000 different answers as JSON; less the call with one",
        measure_samples,
    ),
    "official": BenchmarkLine(
        "distinct TravelPlanner queries, official",
        "plans/s",
        400,
        20,
        True,
        "score of about 1,000 queries, each with a plan, in this process; less the call with one",
        lambda: measure_scores("official"),
    ),
    "strict": BenchmarkLine(
        "distinct TravelPlanner queries, strict",
        "plans/s",
        250,
        20,
        True,
        "the same",
        lambda: measure_scores("strict"),
    ),
    "traces": BenchmarkLine(
        "MobilityBench traces with verdicts, strict",
        "traces/s",
        600,
        56,
        True,
        "verdict and metrics of a run at each episode that ships; a second round, start-up taken off",
        measure_traces,
    ),
    "muses": BenchmarkLine(
        "TravelPlanner trips without a plan, all conflicts",
        "s a trip",
        0.10,
        2.3,
        False,
        "why --all, from the checked task; mean of ten training queries with a quarter of the budget or more requests",
        measure_conflicts,
    ),
    "cheapest": BenchmarkLine(
        "TravelPlanner trips, cheapest plan and proof",
        "s a trip",
        2,
        15,
        False,
        "solve --minimize total, from the checked task; median of seven training queries of 3, 5 and 7 days",
        measure_cheapest,
    ),
}
"""Lines of the output, keyed by name."""


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lines", nargs="*", metavar="LINE", help=f"one of {', '.join(LINES)} (default: all)")
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    chosen = {name: LINES[name] for name in args.lines or LINES}
    collect_garbage_often()  # as the measured commands do
    figures: dict[str, list[float]] = {name: [] for name in chosen}
    for _ in range(args.rounds):
        for name, line in chosen.items():
            figures[name].append(line.measure())
    print(f"{'line':<18} {'what':<44} {'target':>10} {'before':>10} {'now':>10} {'unit':<10} method")
    for name, line in chosen.items():
        now = median(figures[name])
        mark = "  (data missing)" if isnan(now) else "" if line.is_reached(now) else "  (misses the target)"
        print(
            f"{name:<18} {line.subject:<44} {line.target:>10,g} {line.former:>10,g} {now:>10,.4g} {line.unit:<10} {line.method}{mark}"
        )


if __name__ == "__main__":
    main()
