"""The process of `benchmarks.versions` that measures with the code of one version.

It runs as a script with the checkout of the version first in `PYTHONPATH`, and uses only names that earlier versions
also have. Each line of standard input is a request, a JSON list such as `["line", "load-travelplanner"]`. The reply is
a line with a JSON object of seconds by step.
"""

from __future__ import annotations

import gc
import json
import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any

import planspec
from benchmarks.solving import solve_with_planspec
from benchmarks.suites import LINES
from planspec.commands.console import collect_garbage_often
from planspec.dsl.documents.documents import task_from_path
from planspec.dsl.workspace.workspace import Workspace
from planspec.solvers.backends.outcome import Limits
from planspec.solvers.lowering.problem import lower
from planspec.verifiers.meaning.ground import ground

FURTHER = 5
"""Number of verdicts over which the mean is taken, after the first two."""
BRIEF = 20
"""Number of verdicts without details over which the mean is taken."""


def seconds_of(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return the CPU seconds of a call, and its result."""
    start = process_time()
    result = work()
    return process_time() - start, result


def measure_judging(workspace: Workspace, path: Path, answer: bytes) -> dict[str, float]:
    """Return the seconds, by step, for reading a task and judging its reference."""
    gc.collect()
    gc.freeze()
    figures: dict[str, float] = {}
    workspace._tasks.clear()  # a cached task would not be read again
    figures["read and check"], task = seconds_of(lambda: task_from_path(path, workspace))
    figures["ground"], judge = seconds_of(lambda: planspec.Judge(task))
    figures["first verdict"], verdict = seconds_of(lambda: judge.answer(answer))
    figures["second verdict (compiling)"], _ = seconds_of(lambda: judge.answer(answer))
    further, _ = seconds_of(lambda: [judge.answer(answer) for _ in range(FURTHER)])
    brief, _ = seconds_of(lambda: [judge.answer(answer, details="none") for _ in range(BRIEF)])
    assert verdict.status == "pass"
    gc.unfreeze()
    return {**figures, "further verdict": further / FURTHER, "without details": brief / BRIEF}


def measure_solving(workspace: Workspace, path: Path) -> dict[str, float]:
    """Return the seconds for lowering a task, for solving it, and for solving it and proving its plan unique."""
    gc.collect()
    task = task_from_path(path, workspace)
    grounded = ground(task)
    lowering, lowered = seconds_of(lambda: lower(grounded))
    solving, solution = seconds_of(lambda: planspec.solve(task, limits=Limits(seconds=60, workers=1)))
    assert solution.status in ("optimal", "feasible", "unknown"), solution.status
    figures = {"lower": lowering, "solve": solving}
    if not task.objectives:
        proving, result = seconds_of(lambda: solve_with_planspec(lowered))
        assert result[0]
        figures["solve and prove unique"] = proving
    return figures


def measure_line(name: str) -> dict[str, float]:
    """Return the figure of a line of `benchmarks.suites` in seconds. A rate is converted to seconds per item."""
    line = LINES[name]
    figure = line.measure()
    return {name: 1 / figure if line.is_higher_better else figure / 1e3 if line.unit == "ms" else figure}


def main() -> None:
    """Answer requests until the end of the input."""
    workspace = Workspace(shipped=Path(sys.argv[1]))
    collect_garbage_often()
    for line in sys.stdin:
        match json.loads(line):
            case ["judging", path, answer]:
                figures = measure_judging(workspace, Path(path), Path(answer).read_bytes())
            case ["solving", path, _]:
                figures = measure_solving(workspace, Path(path))
            case ["line", name]:
                figures = measure_line(name)
            case request:
                raise ValueError(f"unknown request {request}")
        print(json.dumps(figures), flush=True)


if __name__ == "__main__":
    main()
