"""Runs of systems in separate processes, and checks of their answers.

An answer is converted to rows of planspec's task and judged by planspec's verifier, which also computes the
objective. A fault is a wrong answer, or a contradiction between two systems; it is reported as a sentence.
"""

from __future__ import annotations

import importlib.util
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.classical.kind import Kind
from planspec.api.judging import Judge
from planspec.api.loading import loads

SYSTEMS = ("planspec", "hand", "cpmpy", "minizinc")
PROVERS = ("smt", "sat")
PROVED = ("optimal", "infeasible")
MAX_REPEATED_S = 3.0
"""A run that takes longer than this is not repeated."""


@dataclass
class Cell:
    """The result of one system on one instance. Seconds are medians over runs.

    Attributes:
        kind: kind of the problem.
        size: name of the instance.
        system: name of the system.
        lines: lines of the model's text, without data.
        status: status of the result, such as `optimal`.
        objective: objective value of the answer; None if there is none.
        bound: proved bound of the objective; None if there is none.
        check: seconds until a task of planspec is checked; 0 for other systems.
        build: seconds until the solver has its model; planspec's include `check`.
        search: seconds of the solver.
        total: seconds until the answer is returned: `build`, `search` and, for planspec, the verdict on the plan.
        whole: seconds of the whole process, including the start of Python and all imports.
        runs: number of runs.
        limit: time limit of a run, in seconds.
        faults: sentences about faults of the answer.
    """

    kind: str
    size: str
    system: str
    lines: int = 0
    status: str = "error"
    objective: int | None = None
    bound: int | None = None
    check: float = 0.0
    build: float = 0.0
    search: float = 0.0
    total: float = 0.0
    whole: float = 0.0
    runs: int = 0
    limit: float = 0.0
    faults: list[str] = field(default_factory=list)

    @property
    def proved(self) -> bool:
        """Whether the system proved optimality or infeasibility."""
        return self.status in PROVED

    def data(self) -> dict[str, Any]:
        """Return the cell as JSON data."""
        return asdict(self)


def available(system: str) -> bool:
    """Return whether a system is installed."""
    if system == "cpmpy":
        return importlib.util.find_spec("cpmpy") is not None
    return system != "minizinc" or shutil.which("minizinc") is not None


def measure(
    kind: Kind[Any], size: str, system: str, *, limit: float, rounds: int, folder: Path | None, value: int | None = None
) -> Cell:
    """Run a system up to `rounds` times on an instance, each time up to `limit` seconds, and check its last answer."""
    data = kind.instance(size, folder)
    cell = Cell(kind.name, size, system, limit=limit, lines=0 if system in PROVERS else kind.lines(system, data))
    results: list[dict[str, Any]] = []
    for _ in range(rounds):
        before = _children_s()
        if system == "minizinc":
            result = _run_minizinc(kind, data, limit)
        else:
            result = _run_python(kind.name, size, system, limit, folder, value)
        result["whole"] = _children_s() - before
        if system == "minizinc" and "fault" not in result:
            result["total"] = result["whole"]
            result["search"] = max(0.0, result["whole"] - result["build"])
        results.append(result)
        if "fault" in result or result["whole"] > MAX_REPEATED_S:
            break
    last = results[-1]
    if "fault" in last:
        cell.faults.append(last["fault"])
        return cell
    cell.runs = len(results)
    cell.status, cell.objective, cell.bound = last["status"], last.get("objective"), last.get("bound")
    for name in ("check", "build", "search", "total", "whole"):
        setattr(cell, name, statistics.median(each.get(name, 0.0) for each in results))
    if not kind.has_objective and cell.status == "feasible":
        cell.status = "optimal"
    if system not in PROVERS:
        check_answer(kind, data, cell, last)
    return cell


def _children_s() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _run_python(
    kind: str, size: str, system: str, limit: float, folder: Path | None, value: int | None
) -> dict[str, Any]:
    command = [sys.executable, *(["-P"] if sys.flags.safe_path else []), "-m", "benchmarks.classical.measure"]
    command += [system, kind, size, "--limit", str(limit)]
    command += [] if value is None else ["--value", str(value)]
    command += [] if folder is None else ["--instances", str(folder)]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=False,
            timeout=4 * limit + 60,
            env=os.environ | {"PLANSPEC_CACHE": ""},
        )
    except subprocess.TimeoutExpired:
        return {"fault": f"no end in {4 * limit + 60:.0f} s, with a limit of {limit:g} s"}
    if done.returncode:
        lines = done.stderr.strip().splitlines()
        return {"fault": "the run failed: " + (lines[-1] if lines else f"exit code {done.returncode}")}
    return dict(json.loads(done.stdout.splitlines()[-1]))


def _run_minizinc(kind: Kind[Any], data: Any, limit: float) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "model.mzn").write_text(kind.minizinc, "utf-8")
        (folder / "data.json").write_text(json.dumps(kind.minizinc_data(data)), "utf-8")
        command = ["minizinc", "--solver", "gecode", "--time-limit", str(int(1000 * limit)), "--statistics"]
        command += ["--output-mode", "json", "--output-objective", "model.mzn", "data.json"]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    if done.returncode:
        return {"fault": f"minizinc failed: {done.stderr.strip()[-300:]}"}
    return _read_minizinc(done.stdout, kind)


def _read_minizinc(text: str, kind: Kind[Any]) -> dict[str, Any]:
    """Parse the last solution of MiniZinc, its status and the seconds for flattening."""
    flattened = [line.partition("flatTime=")[2] for line in text.splitlines() if "flatTime=" in line]
    plain = "\n".join(line for line in text.splitlines() if not line.startswith("%"))
    found = [part for part in plain.split("----------")[:-1] if "{" in part]
    values = json.loads(found[-1][found[-1].index("{") :]) if found else None
    whole = "==========" in plain or (values is not None and not kind.has_objective)
    status = "infeasible" if "=====UNSATISFIABLE" in plain else "unknown"
    if values is not None:
        status = "optimal" if whole else "feasible"
    objective = values.get("_objective") if values and kind.has_objective else None
    return {
        "status": status,
        "objective": objective,
        "bound": objective if status == "optimal" else None,
        "values": values,
        "build": float(flattened[-1]) if flattened else 0.0,
    }


def check_answer(kind: Kind[Any], data: Any, cell: Cell, result: dict[str, Any]) -> None:
    """Judge an answer with planspec's verifier, and convert the objective and the bound to planspec's unit."""
    if cell.system != "planspec":
        cell.objective = None if cell.objective is None else kind.objective(data, cell.objective)
        cell.bound = None if cell.bound is None else kind.objective(data, cell.bound)
    rows = result.get("rows")
    if result.get("values") is not None:
        rows = kind.rows(data, result["values"])
    if rows is None:
        return
    judge = Judge(loads(kind.task(data)))
    verdict = judge.answer(rows)
    if verdict.status != "pass" or not verdict.in_scope:
        wrong = [f"{each.constraint}: {each.message}" for each in verdict.findings if each.status == "violated"]
        cell.faults.append(f"the verifier refuses the answer: {'; '.join(wrong[:3])}")
    if kind.has_objective:
        plan, _ = judge.format.decode(judge.task, rows)
        objective = judge.task.objective
        assert objective is not None
        value = judge.ground.interpreter.on(plan).value(objective.expression, {})
        if value != cell.objective:
            cell.faults.append(f"the verifier counts {value} where the system counts {cell.objective}")


def disagreements(cells: Iterable[Cell], *, maximize: bool, optimum: int | None = None) -> list[str]:
    """Return sentences about contradictions between the results of different systems on one instance.

    Args:
        cells: results on one instance.
        maximize: whether the objective is maximised.
        optimum: the published optimum, or None.
    """
    sign = -1 if maximize else 1
    cells = [each for each in cells if each.system in SYSTEMS]
    faults = []
    bounds = [(each.system, sign * each.bound) for each in cells if each.bound is not None and not each.faults]
    values = [(each.system, sign * each.objective) for each in cells if each.objective is not None and not each.faults]
    if optimum is not None:
        bounds.append(("the source", sign * optimum))
        values.append(("the source", sign * optimum))
    for prover, bound in bounds:
        for finder, value in values:
            if value < bound:
                faults.append(f"{finder} has {sign * value}, and {prover} proves {sign * bound}")
    finders = [each.system for each in cells if each.status in ("optimal", "feasible")]
    deniers = [each.system for each in cells if each.status == "infeasible"]
    if finders and deniers:
        faults.append(f"{', '.join(finders)} found a plan, and {', '.join(deniers)} proved that there is none")
    return faults


def counterexample_searches(
    kind: Kind[Any], size: str, first: Cell, provers: Sequence[str], *, limit: float, folder: Path | None
) -> list[Cell]:
    """Let back ends (`provers`) search for counterexamples to planspec's claim, `first`, and return their results."""
    if not first.proved:
        return []
    cells = []
    for prover in provers:
        cell = measure(kind, size, prover, limit=limit, rounds=1, folder=folder, value=first.objective)
        expected = "infeasible" if kind.has_objective else "optimal"
        if not cell.faults and cell.status not in (expected, "unknown"):
            cell.faults.append(f"{prover} answers {cell.status} where {expected} is expected")
        cells.append(cell)
    return cells
