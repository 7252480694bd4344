"""CP-SAT solvers with the parameters that planspec always sets."""

from __future__ import annotations

from ortools.sat.python import cp_model as cp

from planspec.solvers.backends.versions import PARAMETERS


def new_solver(*, seed: int = 0, workers: int = 1, seconds: float | None = None) -> cp.CpSolver:
    """Return a CP-SAT solver without a step of presolve that has a known bug.

    While it compares enforced linear constraints with at-most-one constraints, presolve of OR-Tools 9.15 adds
    coefficients of Boolean terms in 32 bits. A sum past 2^31 makes it drop the enforcement literal, so that a
    conditional constraint always holds. Optima are then missed, and feasible models are reported as infeasible
    (google/or-tools issue 5293). With a budget of 0 for that step, presolve skips it.

    Args:
        seed: seed of every random choice.
        workers: number of threads.
        seconds: wall-clock limit in seconds; None for no limit.
    """
    solver = cp.CpSolver()
    parameters = solver.parameters
    for name, value in PARAMETERS["cpsat"].items():
        setattr(parameters, name, value)
    parameters.random_seed = seed
    parameters.num_workers = workers
    parameters.catch_sigint_signal = False  # the caller decides what Ctrl-C means
    if seconds is not None:
        parameters.max_time_in_seconds = max(seconds, 0.0)
    return solver
