"""Time that planspec's solver needs for TravelPlanner's queries.

Run it as `python -m benchmarks.trips [--timeout S] [--cheapest] [--smt] [QUERY...]`.

If the public tables are beside the checkout, the queries are the public train and validation queries with flights.
Otherwise they are the queries of the shipped small world. Each query is run once with one worker. The benchmark prints
the time from the checked task to a plan accepted by the verifier, including grounding and lowering. It also prints the
rules of the public evaluator that the plan violates. `--smt` adds the time of Z3, and `--cheapest` CP-SAT's CPU seconds
for the cheapest plan with its proof. Medians and 95th percentiles are over queries.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import planspec
from planspec.dsl.workspace.workspace import Workspace
from planspec.families.travelplanner.importing.suite import import_travelplanner
from planspec.solvers.backends.outcome import Limits, Status
from planspec.solvers.questions import prove
from tests.paths import ROOT, SHARED

DATA = SHARED / "data" / "travelplanner"
SMALL = ROOT / "tasks" / "travelplanner-small"
SOON_S = 30


@dataclass(slots=True)
class Row:
    """Results for one query.

    Attributes:
        query: name of the query.
        days: number of days of the trip.
        status: status of the search.
        seconds: time to a verified plan.
        quirks: names of the public evaluator's rules that the plan violates.
        smt: status and seconds of Z3; None if not requested.
        cheapest: status and CPU seconds of the search for the cheapest plan; None if not requested.
    """

    query: str
    days: int
    status: str
    seconds: float
    quirks: list[str]
    smt: tuple[str, float] | None = None
    cheapest: tuple[str, float] | None = None


@dataclass(slots=True)
class Table:
    """Table of results, printed row by row."""

    rows: list[Row] = field(default_factory=list)

    def add(self, row: Row) -> None:
        """Print a row and store it."""
        self.rows.append(row)
        parts = [f"{row.query:<12}{row.days} days  {row.status:<11}{row.seconds:7.2f} s"]
        parts += [f"smt {row.smt[0]} {row.smt[1]:.2f} s"] if row.smt else []
        parts += [f"cheapest {row.cheapest[0]} {row.cheapest[1]:.2f} s"] if row.cheapest else []
        parts += [f"official: {', '.join(row.quirks)}"] if row.quirks else []
        print("  ".join(parts), flush=True)

    def print_summary(self) -> None:
        """Print counts and percentiles."""
        for days in sorted({row.days for row in self.rows}):
            _print_summary_line(f"{days} days", [row for row in self.rows if row.days == days])
        _print_summary_line("all", self.rows)
        refused = sum(bool(row.quirks) for row in self.rows)
        print(f"plans that the public evaluator does not accept: {refused}")


def _print_summary_line(name: str, rows: Sequence[Row]) -> None:
    statuses = {row.status for row in rows}
    counts = ", ".join(f"{sum(row.status == status for row in rows)} {status}" for status in sorted(statuses))
    parts = [f"{name}: {counts}", f"cpsat {_times_text([row.seconds for row in rows])}"]
    for label, attribute in (("smt", "smt"), ("cheapest", "cheapest")):
        results = [getattr(row, attribute) for row in rows if getattr(row, attribute)]
        if results:
            proved = sum(status in ("optimal", "infeasible") for status, _ in results)
            parts.append(
                f"{label} {_times_text([seconds for _, seconds in results])}, {proved} of {len(results)} decided, "
                f"{sum(seconds <= SOON_S for _, seconds in results)} within {SOON_S} s"
            )
    print("; ".join(parts))


def _times_text(times: Sequence[float]) -> str:
    ranked = sorted(times)
    return (
        f"median {median(ranked):.2f} s, 95th percentile {ranked[min(len(ranked) - 1, int(0.95 * len(ranked)))]:.2f} s"
    )


def queries() -> Iterator[tuple[str, Path]]:
    """Yield the names of the queries with the paths of their tasks."""
    if not DATA.exists():
        for path in sorted((SMALL / "tasks").glob("*.yaml"), key=lambda p: int(p.stem)):
            yield f"small {path.stem}", path
        return
    with tempfile.TemporaryDirectory() as folder:
        for name in ("train", "validation_odd"):
            file = DATA / f"queries_{name}.jsonl"
            out = Path(folder) / name
            import_travelplanner(DATA / "db", [file], out)
            for line in file.read_text("utf-8").splitlines():
                record = json.loads(line)
                if record.get("reference_info_available", True):
                    yield f"{name.split('_')[0][:5]} {record['idx']}", out / "tasks" / f"{record['idx']}.yaml"


def measure(name: str, path: Path, workspace: Workspace, options: Any) -> Row:
    """Solve one query under the options of the command line, and return the results."""
    task = planspec.load(path, workspace=workspace)
    limits = Limits(seconds=options.timeout)
    started = time.perf_counter()
    judge = planspec.Judge(task)
    outcome = prove.solve(judge.ground, limits=limits)
    seconds = time.perf_counter() - started
    quirks: list[str] = []
    if outcome.plan is not None:
        answer = judge.encode(outcome.plan)
        assert judge.decoded(answer).status == "pass"
        official = planspec.Judge(task, profile="official").decoded(answer)
        quirks = [f.constraint for f in official.findings if f.status == "violated"]
    status = "solved" if outcome.plan is not None else outcome.status.value
    row = Row(name, len(task.givens["trip"]), status, seconds, quirks)
    if options.smt:
        other = prove.solve(judge.ground, backend="smt", limits=limits)
        decided = {Status.OPTIMAL, Status.FEASIBLE} if outcome.plan is not None else {Status.INFEASIBLE}
        assert other.status is Status.UNKNOWN or other.status in decided, "the back ends contradict each other"
        row.smt = other.status.value, other.seconds
    if options.cheapest:
        cheapest = planspec.load(path, workspace=workspace, minimize="total")
        began = time.process_time()
        optimum = planspec.solve(cheapest, limits=limits)
        row.cheapest = optimum.status.value, time.process_time() - began
    return row


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--timeout", type=float, default=60.0, help="seconds for each search")
    parser.add_argument("--smt", action="store_true", help="measure Z3, too")
    parser.add_argument("--cheapest", action="store_true", help="search for the cheapest plan, too")
    parser.add_argument("queries", nargs="*", help="queries to measure, such as `train:7` (default: all)")
    options = parser.parse_args()
    table, workspace = Table(), Workspace()
    for name, path in queries():
        if not options.queries or name.replace(" ", ":") in options.queries:
            table.add(measure(name, path, workspace, options))
    table.print_summary()


if __name__ == "__main__":
    main()
