"""Comparison on sixteen kinds of classical problems: planspec, hand-written CP-SAT models, CPMpy, MiniZinc with Gecode.

Method: every instance comes from a seeded generator (or, with `--instances`, from a folder of public instances). Each
system solves it in a separate process with one worker. Seconds are CPU seconds, medians of `--rounds` runs; a run that
takes more than three seconds is not repeated. The limit is elapsed time. The columns are:

- `check`: planspec reads and checks the task's text;
- `build`: all work before the solver has its model (for MiniZinc: flattening);
- `search`: the solver;
- `total`: all work before the answer is returned (for MiniZinc: the whole process);
- `whole`: the whole process, including its start and imports;
- `lines`: lines of the model's text without data.

The hand-written models are an expert's, with intervals, circuits, automata, cumulative and redundant constraints.
Every answer is converted to rows and judged by planspec's verifier. Wrong answers and contradictions between systems
are printed, and the exit code is then 3. If planspec claims optimality or infeasibility, Z3 and SAT search for a
counterexample.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from benchmarks.classical.kind import Kind
from benchmarks.classical.register import KINDS
from benchmarks.classical.report import by_instance, table, targets
from benchmarks.classical.runs import PROVERS, SYSTEMS, Cell, available, counterexample_searches, disagreements, measure


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.classical", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kinds", nargs="+", choices=list(KINDS), default=list(KINDS), metavar="KIND")
    parser.add_argument(
        "--sizes", nargs="+", metavar="SIZE", help="1, 2 or 3, or the name of an instance; default: all"
    )
    parser.add_argument("--systems", nargs="+", choices=SYSTEMS, default=list(SYSTEMS))
    parser.add_argument("--limit", type=float, default=60.0, help="seconds of each run (default 60)")
    parser.add_argument(
        "--second",
        type=float,
        default=10.0,
        help="seconds to search for each counterexample; 0 for no search (default 10)",
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--instances", type=Path, metavar="DIR", help="folder with files NAME.txt of public job shops")
    parser.add_argument("--json", type=Path, metavar="FILE", help="append the results to a file, as JSON lines")
    parser.add_argument(
        "--read",
        type=Path,
        nargs="+",
        metavar="FILE",
        help="print the tables of files written by --json, without measuring",
    )
    return parser.parse_args()


def sizes_of(kind: Kind[object], selected: list[str] | None, optima: Mapping[str, int]) -> list[str]:
    """Return the selected sizes of a kind, and the names of its public instances if there are any."""
    if selected is None:
        return [*kind.sizes, *optima]
    requested = [kind.sizes[int(each) - 1] if each in ("1", "2", "3") else each for each in selected]
    return [each for each in requested if each in kind.sizes or each in optima]


def run(options: argparse.Namespace, systems: list[str]) -> Iterator[Cell]:
    """Yield the result of each system on each selected instance, and the results of searches for counterexamples."""
    for name in options.kinds:
        kind = KINDS[name]
        for size in sizes_of(kind, options.sizes, optima_of(kind, options.instances)):
            for system in systems:
                cell = measure(kind, size, system, limit=options.limit, rounds=options.rounds, folder=options.instances)
                yield cell
                if system == "planspec" and options.second:
                    yield from counterexample_searches(
                        kind, size, cell, PROVERS, limit=options.second, folder=options.instances
                    )


def optima_of(kind: Kind[object], folder: Path | None) -> Mapping[str, int]:
    return {} if kind.optima is None or folder is None else kind.optima(folder)


def main() -> int:
    """Measure, print the table and the targets, and return the exit code."""
    options = parse_arguments()
    systems = [each for each in options.systems if available(each)]
    missing = [each for each in options.systems if each not in systems]
    cells: list[Cell] = []
    if options.read:
        for file in options.read:
            cells += [Cell(**json.loads(line)) for line in file.read_text("utf-8").splitlines()]
    else:
        print(
            f"limit {options.limit:g} s, {options.rounds} rounds, load {os.getloadavg()[0]:.1f}"
            + (f"; not installed: {', '.join(missing)}" if missing else ""),
            flush=True,
        )
        for cell in run(options, systems):
            cells.append(cell)
            print(
                f"{cell.kind} {cell.size} {cell.system}: {cell.status}, {cell.total:.2f} s", file=sys.stderr, flush=True
            )
            if options.json is not None:
                with options.json.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(cell.data()) + "\n")
    results = by_instance(cells)
    maximized = {kind.name for kind in KINDS.values() if kind.maximizes}
    for line in (*table(results), "", *targets(results, maximized)):
        print(line)
    faults = [f"{cell.kind} {cell.size} {cell.system}: {fault}" for cell in cells for fault in cell.faults]
    for (kind, size), row in results.items():
        optimum = optima_of(KINDS[kind], options.instances).get(size)
        faults += [
            f"{kind} {size}: {fault}"
            for fault in disagreements(row.values(), maximize=kind in maximized, optimum=optimum)
        ]
    for fault in faults:
        print(f"FAULT {fault}")
    return 3 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
