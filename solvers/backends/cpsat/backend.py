"""The back end over CP-SAT of OR-tools."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import ceil, inf, isfinite

from ortools.sat.python import cp_model as cp

from planspec.dsl.resources.deadline import Deadline
from planspec.errors import Reason
from planspec.solvers.backends.cpsat.columns import ABOVE, BELOW, Columns
from planspec.solvers.backends.cpsat.encoder import Encoder
from planspec.solvers.backends.cpsat.solver import new_solver
from planspec.solvers.backends.interruption import AbandonedCallError, interruptible
from planspec.solvers.backends.outcome import Limits, Outcome, Status
from planspec.solvers.backends.protocol import Backend, Watcher
from planspec.solvers.backends.session import LimitedSession
from planspec.solvers.ir import nodes as ir
from planspec.solvers.ir.evaluate import evaluate
from planspec.solvers.ir.problem import NoOverlap, Problem, Rooted, Routes

ALL_DIFFERENT_VALUES = 1_000
"""Maximum number of values for which CP-SAT may split an all-different constraint into a constraint per value."""


@dataclass(frozen=True, slots=True)
class _Stage:
    """One of the stages of a search by CP-SAT: its configuration and its limits.

    Attributes:
        presolve: whether CP-SAT simplifies the model first.
        linearization: CP-SAT's `linearization_level`: 0 for no linear relaxation, 2 for a full one.
        effort: limit in units of CP-SAT's deterministic time; None for no limit.
        conflicts: limit on conflicts; None for no limit.
        probing: whether presolve includes probing.
        interleaved: whether several search strategies take turns.
    """

    presolve: bool
    linearization: int
    effort: float | None
    conflicts: int | None = None
    probing: bool = True
    interleaved: bool = False


SMALL_MODEL = 2_000
"""Number of variables and constraints below which the short first search of a model cannot be interrupted."""
EFFORT_OF_SIZE = 6e-4
"""Deterministic time added to the limit of a stage without presolve, for each variable and constraint of the model.

Nothing is added if an objective is minimised.
"""
CONFLICTS_OF_SIZE = 0.05
"""Number of conflicts added to the limit of a stage without presolve, for each variable and constraint of the model.

Nothing is added if an objective is minimised.
"""

CORE_CONFIRMATION_EFFORT = 4.0
"""Limit in deterministic time for confirming, without presolve, an unsat core that was found with presolve."""

# The first stage. Presolve takes most of the time on small models. Without it and similar steps, disjunctive models of
# 15 and 66 pairs took 0.15 and 0.47 ms instead of 1.1 and 3.8 ms, and an empty model 0.04 instead of 0.07 ms (OR-tools
# 9.15). Presolve also takes most of the time on large models of many small choices: a week's trip of 22,000 variables
# and constraints was found in 1.7 s without presolve and in 35 s with it. The first stage therefore gets about as much
# time as presolve would take.
_QUICK = _Stage(presolve=False, linearization=0, effort=0.1, conflicts=200)

# Stages with one worker. Full linearization proves some assignments optimal that are not proved otherwise. For example,
# the minimum cost of 21 variables that take different values out of 714 was proved in 6 s, and not in 15 s without full
# linearization. On disjunctive models it is far slower (12 optional visits: 2.6 s instead of 0.05 s).
_ALONE = (
    _QUICK,
    _Stage(presolve=True, linearization=1, effort=8.0),
    _Stage(presolve=True, linearization=2, effort=16.0),
    _Stage(presolve=True, linearization=1, effort=None),
)
# Stages for large models with an objective. There, probing takes most of the time, and the linear relaxation finds the
# optimum. The cheapest five-day trip of 2,800 variables took 0.9 s of CPU without probing and 5.4 s with it. Without
# full linearization, it was not proved in a minute. Models with routes are different, because they have many cuts:
# routes of three vans took 32 s with full linearization, and 2 s with less. Models with intervals also differ: ten jobs
# on ten machines had no proof after 30 s with full linearization, and a proof after 3 s with less.
_LARGE = (_Stage(presolve=True, linearization=2, effort=16.0, probing=False), *_ALONE[1:])
# Stages for queries under assumptions. Such queries test which conditions can hold together, and are repeated many
# times. They are fastest without presolve, which cannot simplify assumptions: four queries on a week's trip (14,700
# Booleans) took 0.15 to 0.8 s of CPU each without presolve, and 1.7 to 4.7 s with it.
_ASSUMED = (replace(_QUICK, effort=4.0, conflicts=3_000), *_ALONE[1:])
# Stages for minimising an objective over intervals. If no schedule is proved optimal within a few seconds, several
# search strategies take turns. Some of them derive bounds from linear programs or by energetic reasoning. For example,
# for 60 activities on two resources with makespan 91, the lower bound after 45 s of CPU was 90, and 73 without these
# strategies. Interleaved search ignores assumptions in some versions (OR-tools issue 4875), so it is only used to
# optimise.
_INTERVALS = (_QUICK, replace(_ALONE[1], effort=3.0), replace(_ALONE[1], effort=None, interleaved=True))
# Stages with several workers. One full stage is enough, because CP-SAT gives each worker a different search strategy.
_TOGETHER = (
    _QUICK,
    _Stage(presolve=True, linearization=1, effort=None),
)


@dataclass(frozen=True, slots=True)
class CpSat(Backend):
    """CP-SAT: the fastest back end, and the only one with several workers."""

    name = "cpsat"

    def open(self, problem: Problem, limits: Limits) -> CpSatSession:
        """Open a session in which the problem's hard conditions hold, with limits on each call of `solve`."""
        return CpSatSession(problem, limits)


class CpSatSession(LimitedSession):
    """A session over one CP-SAT model. With one worker, results are deterministic if no time limit is reached.

    Assumptions and objectives of earlier calls stay encoded in the model, but are not enforced.
    """

    def __init__(self, problem: Problem, limits: Limits) -> None:
        super().__init__(problem, limits)
        self._columns = Columns()
        self._encoder = Encoder(self._columns)
        self._encoder.peaks = {peak.value: peak for peak in problem.peaks}
        self._routes = list(problem.routes)
        self._loaded = [routes for routes in problem.routes if routes.loads]
        self._routed = False
        # Routes with several sets of exclusive arcs are posted even if arcs have no costs: a problem of sixteen
        # customers and three vans was solved in 0.6 s with them; without them, it had no proof after 16 s.
        defining = [
            routes
            for routes in self._routes
            if len(routes.exclusive) > 1
            or any(_have_costs(routes, objective.linear) for objective in problem.objectives)
        ]
        for routes in defining:
            self._encoder.define_by_routes(routes)
        implied = frozenset[int]().union(
            *(cumulative.implies for cumulative in problem.cumulatives),
            *(different.implies for different in problem.different),
            *(boxes.implies for boxes in problem.boxes),
            *(routes.implies for routes in problem.routes if routes not in defining),
        )
        self._encoder.require_all(
            part
            for rooted in problem.hard
            for part in ir.conjuncts(rooted.condition)
            if part is ir.FALSE or id(part) not in implied  # all false conditions share the node FALSE
        )
        for no_overlap in problem.no_overlaps:
            self._encoder.require_no_overlap(no_overlap)
        for different in problem.different:
            self._encoder.require_different(different)
        for cumulative in problem.cumulatives:
            self._encoder.require_cumulative(cumulative)
        for boxes in problem.boxes:
            self._encoder.require_boxes(boxes)
        self._require_routes(defining)
        for each in (fact for routes in self._routes for fact in routes.apart):
            if isinstance(each, NoOverlap):
                self._encoder.require_no_overlap(each)
            else:
                self._encoder.require(each)
        self._has_intervals = bool(problem.no_overlaps or problem.cumulatives or problem.boxes or problem.peaks)
        self._was_asked = False

    def add(self, condition: ir.Bool, origin: str = "") -> None:  # noqa: ARG002 - CP-SAT needs no name for it
        """Add a condition that must hold in all later calls of `solve`."""
        self._grow(lambda: self._encoder.require(condition))

    def _solve(
        self,
        assumptions: Sequence[Rooted],
        minimize: ir.Linear | None,
        hint: Mapping[int, int] | None,
        deadline: Deadline,
    ) -> Outcome:
        started = time.perf_counter()
        model = self._columns.model
        for rooted in assumptions:
            if rooted.condition is ir.FALSE:
                return Outcome(Status.INFEASIBLE, core=(rooted.origin,))
        origins: dict[int, str] = {}
        if minimize is not None or not assumptions:
            self._columns.post_functions()
        elif not self._was_asked:
            self._columns.one_sided = True
        self._was_asked = True
        model.clear_assumptions()
        for rooted in assumptions:
            if rooted.condition is not ir.TRUE:
                literal = self._encoder.literal(rooted.condition, BELOW)
                origins.setdefault(literal.index, rooted.origin)
                model.add_assumption(literal)
        if minimize is None:
            model.clear_objective()  # type: ignore[no-untyped-call]
        else:
            # routes need literals that are equivalent to the conditions of arcs, which pays only if arcs have costs
            self._require_routes([routes for routes in self._routes if _have_costs(routes, minimize)])
            self._require_loads([routes for routes in self._loaded if _have_costs(routes, minimize)])
            model.minimize(self._encoder.expression(minimize, ABOVE))
        model.clear_hints()  # type: ignore[no-untyped-call]
        if hint:
            for key, value in hint.items():
                proxy = self._columns.proxies.get(key)
                if proxy is not None:
                    model.add_hint(proxy, value)
        runs, reason = self._run(deadline, minimize)
        return self._outcome(runs, minimize, origins, started, reason, deadline)

    def _require_routes(self, chosen: Sequence[Routes]) -> None:
        for routes in chosen:
            self._encoder.require_routes(routes)
            self._routed = True
        self._routes = [routes for routes in self._routes if routes not in chosen]

    def _require_loads(self, chosen: Sequence[Routes]) -> None:
        """Post the capacity constraints of routes: loads that accumulate from node to node.

        This is done only if arcs have costs; otherwise these constraints delay the search.
        """
        for routes in chosen:
            self._encoder.require_loads(routes)
        self._loaded = [routes for routes in self._loaded if routes not in chosen]

    def _run(self, deadline: Deadline, minimize: ir.Linear | None) -> tuple[list[cp.CpSolver], Reason | None]:
        """Run CP-SAT on the model, in stages of growing effort, until one is conclusive or a limit is reached.

        Stages are limited by deterministic effort instead of time, so the same stages run on every machine. Each stage
        starts from the best assignment of the earlier stages.

        Returns:
            The solvers of all stages that ran, and the limit that was reached, or None.
        """
        model = self._columns.model
        optimise = model.has_objective()
        runs: list[cp.CpSolver] = []
        callback = None if self.watcher is None or minimize is None else _ProgressCallback(minimize.low, self._report)
        size = len(model.proto.variables) + len(model.proto.constraints)
        stages = self._stages(size, optimise=optimise)
        effort_left = inf if self.limits.effort is None else self.limits.effort
        for stage in stages:
            solver = new_solver(
                seed=self.limits.seed,
                workers=self.limits.workers if stage.presolve else 1,
                seconds=deadline.left,
            )
            parameters = solver.parameters
            parameters.linearization_level = stage.linearization
            parameters.interleave_search = stage.interleaved
            parameters.max_alldiff_domain_size = ALL_DIFFERENT_VALUES
            if not stage.presolve:
                _disable_presolve(solver)
            elif not stage.probing:
                _disable_probing(solver)
            # a stage without presolve gets more effort on larger models, except if there is an objective: without
            # presolve, an optimum is rarely proved
            larger = size if not stage.presolve and not optimise else 0
            effort = inf if stage.effort is None else stage.effort + EFFORT_OF_SIZE * larger
            parameters.max_deterministic_time = min(effort, effort_left)
            if stage.conflicts is not None:
                parameters.max_number_of_conflicts = stage.conflicts + int(CONFLICTS_OF_SIZE * larger)
            if callback is not None:
                solver.best_bound_callback = callback.on_bound
            search = partial(solver.solve, model, callback)
            reason: Reason | None = None
            # a small model's first stage ends before anyone can press Ctrl-C, and a thread would take 20% longer
            if stage is _QUICK and size < SMALL_MODEL:
                status = search()
            else:
                try:
                    status, reason = interruptible(search, solver.stop_search, deadline)
                except AbandonedCallError as limit:
                    if not runs:
                        raise
                    self.broken = True
                    return runs, limit.reason
            if status == cp.MODEL_INVALID:
                raise RuntimeError(f"CP-SAT refuses the model: {model.validate()}")
            runs.append(solver)
            if status in (cp.OPTIMAL, cp.INFEASIBLE) or (status == cp.FEASIBLE and not optimise):
                return runs, None
            effort_left -= solver.response_proto.deterministic_time
            reason = reason or deadline.reached or ("effort" if effort_left <= 0 else None)
            if reason is not None:
                return runs, reason
            if status == cp.FEASIBLE:
                model.clear_hints()  # type: ignore[no-untyped-call]
                model.proto.solution_hint.vars.extend(range(len(model.proto.variables)))
                model.proto.solution_hint.values.extend(solver.response_proto.solution)
        return runs, None

    def _report(self, best: int | None, bound: int) -> None:
        if self.watcher is not None:  # an abandoned search may still call this method
            self.watcher(best, bound)

    def _stages(self, size: int, *, optimise: bool) -> tuple[_Stage, ...]:
        """Return the stages of the search for a model of `size` variables and constraints, in order."""
        if self.limits.workers > 1:
            return _TOGETHER
        if optimise:
            if self._has_intervals and not self._columns.model.proto.assumptions:
                return _INTERVALS
            return _LARGE if size >= SMALL_MODEL and not self._routed else _ALONE
        return _ASSUMED if self._columns.model.proto.assumptions else _ALONE

    def _outcome(
        self,
        runs: list[cp.CpSolver],
        minimize: ir.Linear | None,
        origins: Mapping[int, str],
        started: float,
        reason: Reason | None,
        deadline: Deadline,
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
        feasible_runs = [run for run in runs if run.response_proto.status in (cp.FEASIBLE, cp.OPTIMAL)]
        values: dict[int, int] = {}
        objective: int | None = None
        bound: int | None = None
        core: tuple[str, ...] = ()
        status = Status.UNKNOWN
        is_contradicted = last == cp.INFEASIBLE and bool(feasible_runs)
        if feasible_runs:
            status = Status.FEASIBLE
            values = self._values(feasible_runs[-1].response_proto.solution)
            if minimize is not None:
                # The objective in CP-SAT may be larger, because its variables are constrained on one side only.
                last_value = evaluate(minimize, values)
                bounds = [ceil(run.best_objective_bound - 1e-6) for run in feasible_runs]
                bound = max(minimize.low, *bounds, *([last_value] if last == cp.OPTIMAL else []))
                values = min(
                    (self._values(run.response_proto.solution) for run in reversed(feasible_runs)),
                    key=partial(evaluate, minimize),
                )
                objective = evaluate(minimize, values)
                is_contradicted = is_contradicted or bound > objective
                status = Status.OPTIMAL if bound == objective else Status.FEASIBLE
        elif last == cp.INFEASIBLE:
            status = Status.INFEASIBLE
            core = self._core(runs[-1], origins, deadline)
        if is_contradicted:  # an assignment contradicts a stage's proof: keep the assignment, claim no proof
            status, reason = Status.FEASIBLE, "contradiction"
            bound = None if minimize is None else minimize.low
        seconds = time.perf_counter() - started
        effort = sum(run.response_proto.deterministic_time for run in runs)
        return Outcome(status, values, objective, bound, core, seconds, statistics, reason, effort)

    def _core(self, run: cp.CpSolver, origins: Mapping[int, str], deadline: Deadline) -> tuple[str, ...]:
        """Return an unsat core after a proof of infeasibility: the origins of assumptions that cannot hold together.

        With presolve, CP-SAT may return too few assumptions, or literals that are no assumptions (OR-tools issue 5141).
        Such a core is confirmed without presolve. If that fails, all assumptions are returned.
        """
        named_core = run.sufficient_assumptions_for_infeasibility()
        if run.parameters.cp_model_presolve and origins:
            model = self._columns.model
            model.clear_assumptions()
            model.proto.assumptions.extend(
                [x for x in origins if x in named_core or not origins.keys() >= set(named_core)]
            )
            solver = cp.CpSolver()
            solver.parameters.copy_from(run.parameters)
            _disable_presolve(solver)
            solver.parameters.max_deterministic_time = CORE_CONFIRMATION_EFFORT
            if deadline.left is not None:
                solver.parameters.max_time_in_seconds = deadline.left
            try:
                status, _ = interruptible(partial(solver.solve, model), solver.stop_search, deadline)
            except AbandonedCallError:
                self.broken = True
                status = cp.UNKNOWN
            named_core = solver.sufficient_assumptions_for_infeasibility() if status == cp.INFEASIBLE else list(origins)
        return tuple(origins[x] for x in (named_core if origins.keys() >= set(named_core) else origins))

    def _values(self, solution: Sequence[int]) -> dict[int, int]:
        proxies = self._columns.proxies
        values: dict[int, int] = {}
        for var in self._vars:
            proxy = proxies.get(var.id)
            values[var.id] = self._columns.domain(var).low if proxy is None else solution[proxy.index]
        return values


def _have_costs(routes: Routes, minimize: ir.Linear) -> bool:
    """Return whether the minimised expression contains conditions of arcs, so that using an arc has a cost."""
    costly = {id(atom.condition) for atom, _ in minimize.terms if isinstance(atom, ir.Indicator)}
    return any(id(arc.condition) in costly for arc in routes.arcs)


class _ProgressCallback(cp.CpSolverSolutionCallback):
    """Callback of CP-SAT that reports improvements of the best value and the bound over all stages of a search.

    Args:
        low: lower bound of the minimised expression.
        notify: function that is called with the best value and the bound whenever one of them improves.
    """

    def __init__(self, low: int, notify: Watcher) -> None:
        super().__init__()
        self._bound = low
        self._best: int | None = None
        self._report = notify

    def on_solution_callback(self) -> None:
        """Report the value of a new assignment by CP-SAT's objective, which may exceed the assignment's exact value."""
        self._update(round(self.objective_value), self.best_objective_bound)

    def on_bound(self, bound: float) -> None:
        """Report a proved lower bound of the objective if it is better than before."""
        self._update(None, bound)

    def _update(self, value: int | None, bound: float) -> None:
        best = self._best if value is None else value if self._best is None else min(value, self._best)
        proved = max(self._bound, ceil(bound - 1e-6)) if isfinite(bound) else self._bound
        if best is not None:
            proved = min(proved, best)
        if (best, proved) != (self._best, self._bound):
            self._best, self._bound = best, proved
            self._report(best, proved)


def _disable_probing(solver: cp.CpSolver) -> None:
    parameters = solver.parameters
    parameters.cp_model_probing_level = 0
    parameters.inprocessing_probing_dtime = 0.0
    parameters.max_presolve_iterations = 1


def _disable_presolve(solver: cp.CpSolver) -> None:
    parameters = solver.parameters
    parameters.cp_model_presolve = False
    parameters.cp_model_probing_level = 0
    parameters.symmetry_level = 0
    # CP-SAT probes and shortens clauses before each search and at restarts. This took two thirds of the time: plans of
    # a day in a city took 5 to 27 ms with it, and 2 to 8 ms without it (medians of seven runs, OR-tools 9.15).
    parameters.inprocessing_probing_dtime = 0.0
    parameters.inprocessing_minimization_dtime = 0.0
