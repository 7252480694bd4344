"""The back end over OR-tools' CP-SAT."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from math import ceil

from ortools.sat.python import cp_model as cp

from planspec.solvers import ir
from planspec.solvers.cpsat_columns import ABOVE, BELOW, Columns
from planspec.solvers.cpsat_encode import Encoder
from planspec.solvers.evaluate import evaluate
from planspec.solvers.outcome import Limits, Outcome, Status

QUICK_CONSTRAINTS = 5_000
QUICK_CONFLICTS = 200
"""A model that is not larger is first tried without presolve, up to so many conflicts."""


@dataclass(frozen=True, slots=True)
class CpSat:
    """CP-SAT: the fastest, and the only one with several workers."""

    @property
    def name(self) -> str:
        """`cpsat`."""
        return "cpsat"

    @property
    def version(self) -> str:
        """The version of OR-tools."""
        return version("ortools")

    def open(self, problem: ir.Problem, limits: Limits) -> CpSatSession:
        """A session over the problem."""
        return CpSatSession(problem, limits)


class CpSatSession:
    """One CP-SAT model that grows; what an assumption or an objective needs stays in it, unforced."""

    def __init__(self, problem: ir.Problem, limits: Limits) -> None:
        self._vars = problem.model.vars
        self._limits = limits
        self._columns = Columns()
        self._encoder = Encoder(self._columns)
        conditions = [rooted.condition for rooted in problem.hard]
        for condition in conditions:  # before the first variable is made, so that it is made small
            self._columns.narrow(condition)
        for condition in conditions:
            self._encoder.require(condition)

    def add(self, condition: ir.Bool, origin: str = "") -> None:  # noqa: ARG002 - CP-SAT needs no name for it
        """One more condition that must hold from now on."""
        self._encoder.require(condition)

    def solve(
        self,
        *,
        assumptions: Sequence[ir.Rooted] = (),
        minimize: ir.Linear | None = None,
        hint: Mapping[int, int] | None = None,
    ) -> Outcome:
        """See `Session.solve`; deterministic with one worker as long as time does not run out."""
        started = time.perf_counter()
        model = self._columns.model
        for rooted in assumptions:
            if rooted.condition is ir.FALSE:
                return Outcome(Status.INFEASIBLE, core=(rooted.origin,))
        origins: dict[int, str] = {}
        model.clear_assumptions()
        for rooted in assumptions:
            if rooted.condition is not ir.TRUE:
                literal = self._encoder.literal(rooted.condition, BELOW)
                origins.setdefault(literal.index, rooted.origin)
                model.add_assumption(literal)
        if minimize is None:
            model.proto.clear_objective()
        else:
            model.minimize(self._encoder.expression(minimize, ABOVE))
        model.proto.clear_solution_hint()
        if hint:
            for key, value in hint.items():
                proxy = self._columns.proxies.get(key)
                if proxy is not None:
                    model.add_hint(proxy, value)
        return self._outcome(self._run(started), minimize, origins, started)

    def _run(self, started: float) -> list[cp.CpSolver]:
        """The runs that were needed, the last of them conclusive or out of time.

        Presolve takes most of the time on small models. Without it, probing, symmetry and linear relaxation,
        disjunctive models of 15 and 66 pairs took 0.15 and 0.47 ms instead of 1.1 and 3.8 ms, and an empty one
        0.04 instead of 0.07 ms (one worker, OR-tools 9.15). Hard models need presolve, and show that by their
        conflicts, which are counted and not timed, so the choice is reproducible.
        """
        model = self._columns.model
        runs: list[cp.CpSolver] = []
        for quick in (True, False):
            if quick and len(model.proto.constraints) > QUICK_CONSTRAINTS:
                continue
            solver = cp.CpSolver()
            parameters = solver.parameters
            parameters.random_seed = self._limits.seed
            if self._limits.seconds is not None:
                spent = time.perf_counter() - started
                parameters.max_time_in_seconds = max(self._limits.seconds - spent, 0.0)
            if quick:
                parameters.num_workers = 1
                parameters.cp_model_presolve = False
                parameters.cp_model_probing_level = 0
                parameters.symmetry_level = 0
                parameters.linearization_level = 0
                parameters.max_number_of_conflicts = QUICK_CONFLICTS
            else:
                parameters.num_workers = self._limits.workers
            status = solver.solve(model)
            if status == cp.MODEL_INVALID:
                raise RuntimeError(f"CP-SAT refuses the model: {model.validate()}")
            runs.append(solver)
            if status in (cp.OPTIMAL, cp.INFEASIBLE):
                break
            if status == cp.FEASIBLE and not model.has_objective():
                break
            if status == cp.FEASIBLE:
                model.proto.clear_solution_hint()
                model.proto.solution_hint.vars.extend(range(len(model.proto.variables)))
                model.proto.solution_hint.values.extend(solver.response_proto.solution)
        return runs

    def _outcome(
        self, runs: list[cp.CpSolver], minimize: ir.Linear | None, origins: Mapping[int, str], started: float
    ) -> Outcome:
        model = self._columns.model
        statistics = {
            "variables": len(model.proto.variables),
            "constraints": len(model.proto.constraints),
            "booleans": runs[-1].num_booleans,
            "conflicts": sum(run.num_conflicts for run in runs),
            "branches": sum(run.num_branches for run in runs),
            "runs": len(runs),
        }
        last = runs[-1].response_proto.status
        values: dict[int, int] = {}
        objective: int | None = None
        bound: int | None = None
        core: tuple[str, ...] = ()
        status = Status.UNKNOWN
        if last == cp.INFEASIBLE:
            status = Status.INFEASIBLE
            found = runs[-1].sufficient_assumptions_for_infeasibility()
            core = tuple(origins[index] for index in found)
        else:
            best = next((run for run in reversed(runs) if run.response_proto.status != cp.UNKNOWN), None)
            if best is not None:
                status = Status.FEASIBLE
                values = self._values(best.response_proto.solution)
                if minimize is not None:
                    # The model's own objective may lie above, as helpers are held from one side only.
                    objective = evaluate(minimize, values)
                    reached = max(minimize.low, ceil(best.best_objective_bound - 1e-6))
                    bound = objective if last == cp.OPTIMAL else min(objective, reached)
                    status = Status.OPTIMAL if bound == objective else Status.FEASIBLE
        return Outcome(status, values, objective, bound, core, time.perf_counter() - started, statistics)

    def _values(self, solution: Sequence[int]) -> dict[int, int]:
        proxies = self._columns.proxies
        values: dict[int, int] = {}
        for var in self._vars:
            proxy = proxies.get(var.id)
            values[var.id] = self._columns.domain(var).low if proxy is None else solution[proxy.index]
        return values
