"""One run of one system on one instance, in a separate process: `python -m benchmarks.classical.measure`.

The solver is imported before the measurement starts. Seconds are CPU seconds. The result is one line of JSON.
"""

from __future__ import annotations

import argparse
import importlib
import json
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any, TypeVar
from unittest.mock import patch

from benchmarks.classical.kind import Kind, Model
from benchmarks.classical.register import KINDS

R = TypeVar("R")
Result = dict[str, Any]

MEMORY_MB = 3_000
"""Memory limit of planspec's back ends, in MB."""

WARM_UP = """planspec: task/1
id: warm-up
query: Two numbers.
plan:
  numbers: {name: key int, value: int}
scope:
  numbers: [{for: n in 1..2, name: n, value: 0..9}]
constraints:
  least: {hard: sum(n.value for n in numbers) >= 3}
minimize: max(n.value for n in numbers)
"""
"""A task that is solved before the clock starts, so that everything is imported."""


class Stopwatch:
    """CPU seconds by phase."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)

    def timed(self, phase: str, work: Callable[..., R]) -> Callable[..., R]:
        """Wrap a function so that the CPU seconds of each call are added to a phase."""

        def call(*args: Any, **keywords: Any) -> R:
            began = process_time()
            try:
                return work(*args, **keywords)
            finally:
                self.seconds[phase] += process_time() - began

        return call


def run_planspec(kind: Kind[Any], data: Any, limit: float) -> Result:
    """Load the task from a file and solve it.

    The phases are those of `planspec.solve`: "check" until the task is checked and grounded, "lower" until the back end
    has its model, "search" within the back end, and "rest" for everything afterwards.
    """
    import planspec
    from planspec.solvers.backends.cpsat.backend import CpSatSession
    from planspec.solvers.lowering.problem import lower
    from planspec.solvers.questions import prove
    from planspec.solvers.reductions.register import apply_reductions
    from planspec.solvers.reductions.session import open_session

    prove.solve(planspec.Judge(planspec.loads(WARM_UP)).ground)
    watch = Stopwatch()
    with TemporaryDirectory() as folder:
        file = Path(folder) / f"{kind.name}.task.yaml"
        file.write_text(kind.task(data), "utf-8")
        began = process_time()
        judge = planspec.Judge(watch.timed("check", planspec.load)(file))
        watch.timed("check", lambda: judge.ground)()
        with (
            patch.object(prove, "lower", watch.timed("lower", lower)),
            patch.object(prove, "apply_reductions", watch.timed("lower", apply_reductions)),
            patch.object(prove, "open_session", watch.timed("lower", open_session)),
            patch.object(CpSatSession, "solve", watch.timed("search", CpSatSession.solve)),
        ):
            limits = planspec.Limits(seconds=limit, workers=1, memory_mb=MEMORY_MB)
            solution = prove.solve(judge.ground, limits=limits)
        total = process_time() - began
    seconds = watch.seconds
    return {
        "status": solution.status.value,
        "objective": None if solution.value is None else int(solution.value),
        "bound": None if solution.bound is None else solution.bound // solution.scale,
        "rows": solution.answer,
        "check": seconds["check"],
        "build": seconds["check"] + seconds["lower"],
        "search": seconds["search"],
        "total": total,
        "by": list(solution.by),
    }


def run_by_hand(kind: Kind[Any], data: Any, limit: float) -> Result:
    """Build and solve the hand-written CP-SAT model."""
    from ortools.sat.python import cp_model

    began = process_time()
    built = kind.build_cpsat(data)
    ready = process_time()
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.max_time_in_seconds = limit
    status = solver.solve(built.model)
    done = process_time()
    plan = status in (cp_model.OPTIMAL, cp_model.FEASIBLE)
    return {
        "status": solver.status_name(status).lower(),
        "objective": round(solver.objective_value) if plan and kind.has_objective else None,
        "bound": round(solver.best_objective_bound) if kind.has_objective else None,
        "values": _values(built, solver.value) if plan else None,
        "build": ready - began,
        "search": done - ready,
        "total": done - began,
    }


def run_cpmpy(kind: Kind[Any], data: Any, limit: float) -> Result:
    """Build the model in CPMpy, translate it for CP-SAT, and solve it with CP-SAT."""
    cp = importlib.import_module("cpmpy")
    importlib.import_module("ortools.sat.python.cp_model")
    began = process_time()
    built = kind.build_cpmpy(cp, data)
    solver = cp.SolverLookup.get("ortools", built.model)
    ready = process_time()
    plan = solver.solve(time_limit=limit, num_workers=1)
    done = process_time()
    status = solver.status().exitstatus.name.lower()
    return {
        "status": {"unsatisfiable": "infeasible"}.get(status, status),
        "objective": round(solver.objective_value()) if plan and kind.has_objective else None,
        "bound": round(solver.ort_solver.best_objective_bound) if kind.has_objective else None,
        "values": _values(built, lambda variable: variable.value()) if plan else None,
        "build": ready - began,
        "search": done - ready,
        "total": done - began,
    }


def _values(built: Model, value: Callable[[Any], Any]) -> dict[str, Any]:
    """Return the values of a model's variables as nested lists of ints."""

    def plain(item: Any) -> Any:
        if hasattr(item, "tolist"):
            item = item.tolist()
        if isinstance(item, (list, tuple)):
            return [plain(each) for each in item]
        return item if isinstance(item, int) else int(value(item))

    return {name: plain(item) for name, item in built.variables.items()}


def search_counterexample(kind: Kind[Any], data: Any, limit: float, prover: str, value: int | None) -> Result:
    """Search with another back end for a plan that is better than a value, or for any plan if there is no objective."""
    from planspec.api.loading import loads
    from planspec.errors import LimitReachedError
    from planspec.solvers.backends.outcome import Limits
    from planspec.solvers.backends.register import backend
    from planspec.solvers.lowering.problem import lower
    from planspec.solvers.questions.budget import TimeBudget
    from planspec.solvers.questions.improvement import better_than
    from planspec.verifiers.meaning.ground import ground

    solver = backend(prover)
    lowered = lower(ground(loads(kind.task(data))))
    limits = Limits(seconds=limit, workers=1, memory_mb=MEMORY_MB)
    clock = TimeBudget(limits)
    began = process_time()
    try:
        with clock:
            session = solver.open(lowered.problem, limits)
            if value is not None:
                from fractions import Fraction

                session.add(better_than(lowered, 0, [Fraction(value)]), "better")
            status = clock.ask(session).status.value
    except LimitReachedError:
        status = "unknown"
    return {"status": status, "total": process_time() - began}


def main() -> None:
    """Print the result of one run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("system")
    parser.add_argument("kind")
    parser.add_argument("size")
    parser.add_argument("--limit", type=float, default=60.0)
    parser.add_argument("--value", type=int)
    parser.add_argument("--instances", type=Path)
    options = parser.parse_args()
    kind = KINDS[options.kind]
    data = kind.instance(options.size, options.instances)
    match options.system:
        case "planspec":
            result = run_planspec(kind, data, options.limit)
        case "hand":
            result = run_by_hand(kind, data, options.limit)
        case "cpmpy":
            result = run_cpmpy(kind, data, options.limit)
        case prover:
            result = search_counterexample(kind, data, options.limit, prover, options.value)
    print(json.dumps(result))


if __name__ == "__main__":
    main()
