"""The back end `sat`: problems are encoded as clauses over bits, which CaDiCaL solves."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from planspec.dsl.resources.deadline import Deadline
from planspec.errors import LimitReachedError
from planspec.solvers.backends.descent import descend
from planspec.solvers.backends.outcome import Limits, Outcome, Status
from planspec.solvers.backends.protocol import Backend
from planspec.solvers.backends.sat.cadical import EFFORT_UNIT, Cadical
from planspec.solvers.backends.sat.encoder import ClauseEncoder
from planspec.solvers.backends.session import LimitedSession
from planspec.solvers.ir import nodes as ir
from planspec.solvers.ir.problem import Problem, Rooted


@dataclass(frozen=True, slots=True)
class Sat(Backend):
    """The back end over the SAT solver CaDiCaL. Its proofs can be checked without CaDiCaL."""

    name = "sat"

    def open(self, problem: Problem, limits: Limits) -> SatSession:
        """Open a session in which the problem's hard conditions hold, with limits on each call of `solve`."""
        return SatSession(problem, limits)


class SatSession(LimitedSession):
    """A session over one CaDiCaL solver. Objectives are minimised by repeated queries.

    An assumption is passed as the literal of its condition, which is the output of gates. The clauses of gates exclude
    no assignment of the decision variables.
    """

    def __init__(self, problem: Problem, limits: Limits) -> None:
        super().__init__(problem, limits)
        self._encoder = ClauseEncoder()
        self._solver = Cadical()
        self._passed = 0  # number of clauses passed to the solver
        self._most_conflicts = 0  # number of conflicts at which a call of `solve` ends, if its effort is limited
        for rooted in problem.hard:
            self.add(rooted.condition, rooted.origin)

    def __del__(self) -> None:
        if not self.broken:  # a native call that did not stop in time still uses the solver
            self._solver.close()

    def add(self, condition: ir.Bool, origin: str = "") -> None:
        """Add a condition that must hold in all later calls of `solve`."""
        self._grow(lambda: self._encoder.require(condition, origin or "question"))

    def _solve(
        self,
        assumptions: Sequence[Rooted],
        minimize: ir.Linear | None,
        hint: Mapping[int, int] | None,  # noqa: ARG002 - CaDiCaL chooses the initial values itself
        deadline: Deadline,
    ) -> Outcome:
        started = time.perf_counter()
        origins: dict[int, str] = {}
        for rooted in assumptions:
            origins.setdefault(self._encoder.literal(rooted.condition), rooted.origin)
        literals = list(origins)
        before = self._solver.conflicts
        self._most_conflicts = before + int((self.limits.effort or 0.0) * EFFORT_UNIT)
        answer = self._ask(literals, deadline)
        status, objective, bound = Status.UNKNOWN, None, None
        values: Mapping[int, int] = {}
        core: tuple[str, ...] = ()
        if answer is False:
            status = Status.INFEASIBLE
            core = tuple(origins[literal] for literal in self._solver.core())
        elif isinstance(answer, Mapping):
            status, values = Status.FEASIBLE, answer
            if minimize is not None:
                values, objective, bound = descend(
                    minimize,
                    values,
                    lambda target: self._ask([*literals, self._encoder.at_most(minimize, target)], deadline),
                    self.watcher,
                )
                status = Status.OPTIMAL if objective == bound else Status.FEASIBLE
        proved = status in (Status.INFEASIBLE, Status.OPTIMAL) or (minimize is None and bool(values))
        reason = None if proved else deadline.reached or self.limits.effort_reason
        formula = self._encoder.formula
        statistics = {
            "variables": formula.variables,
            "clauses": len(formula.clauses),
            **self._solver.statistics(),
        }
        effort = (self._solver.conflicts - before) / EFFORT_UNIT
        seconds = time.perf_counter() - started
        return Outcome(status, values, objective, bound, core, seconds, statistics, reason, effort)

    def _ask(self, literals: Sequence[int], deadline: Deadline) -> Mapping[int, int] | bool | None:
        """Return an assignment of the decision variables in which the given literals hold.

        Return False if there is none, and None if a limit was reached.
        """
        clauses = self._encoder.formula.clauses
        for clause in clauses[self._passed :]:
            self._solver.add(clause)
        self._passed = len(clauses)
        if deadline.left == 0.0:
            return None
        try:
            conflicts = None if self.limits.effort is None else self._most_conflicts - self._solver.conflicts
            answer, _ = self._solver.solve(literals, deadline, conflicts)
        except LimitReachedError:
            self.broken = True
            raise
        return self._values() if answer else answer

    def _values(self) -> dict[int, int]:
        """Return the value of each decision variable by its id, from the last model of the solver.

        A variable that no clause uses has its minimum.
        """
        true_literals = {literal for literal in self._solver.model() if literal > 0}
        values = {var.id: var.domain.low for var in self._vars}
        for var_id, number in self._encoder.encodings.items():
            values[var_id] = number.low + sum(
                1 << place for place, bit in enumerate(number.bits) if bit in true_literals
            )
        return values
