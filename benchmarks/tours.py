"""Proofs of shortest tours on random points: planspec's tour solver compared with CP-SAT's circuit constraint.

Method: for each seed, integer points are drawn uniformly from a square of side 1,000, with TSPLIB's EUC_2D distances.
Each side runs once, with one thread, after a warm-up. CP-SAT gets the same matrix in one circuit constraint, once
with default parameters and once with full linearization, which is fastest here. If CP-SAT reaches its time limit, the
limit counts as its time.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time

from ortools.sat.python import cp_model

from planspec.solvers.tour import shortest
from planspec.solvers.tour.distances import euc_2d
from planspec.solvers.tour.outcome import Integers


def random_matrix(n: int, seed: int) -> Integers:
    random_source = random.Random(seed)
    return euc_2d([(random_source.randint(0, 1000), random_source.randint(0, 1000)) for _ in range(n)])


def circuit_alone(matrix: Integers, linearization: int, limit_seconds: float) -> tuple[str, int, float]:
    """Return the status, the length and the seconds of a CP-SAT model with a single circuit constraint."""
    began = time.perf_counter()
    n = len(matrix)
    model = cp_model.CpModel()
    arcs = {(i, j): model.new_bool_var("") for i in range(n) for j in range(n) if i != j}
    model.add_circuit([(i, j, literal) for (i, j), literal in arcs.items()])
    model.minimize(sum(int(matrix[arc]) * literal for arc, literal in arcs.items()))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.linearization_level = linearization
    solver.parameters.max_time_in_seconds = limit_seconds
    status = solver.solve(model)
    is_feasible = status in (cp_model.OPTIMAL, cp_model.FEASIBLE)
    length = round(solver.objective_value) if is_feasible else 0
    return solver.status_name(status).lower(), length, time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=5, help="number of instances with 50 points")
    parser.add_argument("--more", type=int, nargs="*", default=[100], help="further sizes, measured only for planspec")
    parser.add_argument("--timeout", type=float, default=60.0, help="seconds for CP-SAT")
    arguments = parser.parse_args()
    shortest(random_matrix(26, 0))
    ladder_times, default_times, linearized_times = [], [], []
    print(f"{'n':>4} {'seed':>4} {'length':>7} {'planspec':>10} {'circuit':>18} {'linearized':>18}")
    for seed in range(1, arguments.seeds + 1):
        matrix = random_matrix(50, seed)
        tour = shortest(matrix)
        default = circuit_alone(matrix, 1, arguments.timeout)
        linearized = circuit_alone(matrix, 2, arguments.timeout)
        assert tour.status == "optimal"
        assert all(tour.length == length for status, length, _ in (default, linearized) if status == "optimal")
        ladder_times.append(tour.seconds)
        default_times.append(default[2])
        linearized_times.append(linearized[2])
        cells = [f"{seconds:.2f} s {status}" for status, _, seconds in (default, linearized)]
        print(f"{50:>4} {seed:>4} {tour.length:>7} {tour.seconds:>8.2f} s {cells[0]:>18} {cells[1]:>18}")
    medians = [statistics.median(times) for times in (ladder_times, default_times, linearized_times)]
    print(
        f"medians at 50: {medians[0]:.2f} s, {medians[1]:.2f} s, {medians[2]:.2f} s; "
        f"{medians[1] / medians[0]:.0f} and {medians[2] / medians[0]:.1f} times planspec's"
    )
    for n in arguments.more:
        for seed in (1, 2, 3):
            tour = shortest(random_matrix(n, seed), limit_seconds=600.0)
            print(f"{n:>4} {seed:>4} {tour.length:>7} {tour.seconds:>8.2f} s {tour.status}, bound {tour.bound}")


if __name__ == "__main__":
    main()
