"""Solve and prove unique: planspec beside CP-SAT models written by hand for the same Berlin tasks.

Method: for each one-day task both sides run in turn in one process, `--rounds` times after one warm-up; medians of CPU time
of the process, which has one worker on either side. "check" reads and checks the task once its libraries are known.
The hand-written model reads the same checked tables, knows WorldTravel (a circuit through the day, one table
for each way), finds a plan, forbids its projection and solves again, as planspec does. Both must agree.
"""

from __future__ import annotations

import argparse
import os
import statistics
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any

from ortools.sat.python import cp_model

from planspec.api.catalog import Catalog
from planspec.dsl.documents.documents import task_from_path
from planspec.dsl.model.task import Task
from planspec.dsl.workspace.workspace import Workspace
from planspec.solvers.backends.outcome import Limits, Status
from planspec.solvers.backends.register import backend
from planspec.solvers.lowering.problem import lower
from planspec.solvers.questions.prove import forbid
from planspec.verifiers.meaning.ground import ground

LONGEST_WALK = {"berlin-003": 30, "berlin-005": 30, "berlin-006": 30, "berlin-011": 30, "berlin-012": 35}
"""Minutes; what these tasks ask for beyond the library."""
EARLY = {"berlin-009": {"reichstag": 60}}
"""Minutes before the start at which to be there."""


def by_hand(task: Task, scope: Any) -> tuple[bool, bool]:  # noqa: C901 one model, written as one without planspec would be
    """Feasible, unique: a model for one-day WorldTravel tasks, written for them alone."""
    facts: Any = task.facts
    given = task.givens
    (day,) = given["trip"]
    party = given["adults"] + given["children"]
    wishes = list(facts["Wish"].rows)
    hotels = scope["lodging"][0].fields["hotel"].values or ()
    spots = {s.place or s.hotel: s for s in facts["Spot"].rows}
    model = cp_model.CpModel()
    hotel = model.new_int_var(0, len(hotels) - 1, "hotel")
    starts, ends, costs = [], [], []
    for wish, row in zip(wishes, scope["visits"], strict=True):
        place = wish.place
        low, high, step = row.fields["start"].interval
        booked = [s for s in facts["Slot"].rows if s.place is place and s.day == day]
        dwell = facts["Dwell"].by_key[place, wish.style, given["profile"]]
        grid = range(low, high + 1, step)
        opened = [w for w in facts["Window"].rows if w.place is place and w.day == day]
        if booked:
            times = [s.at for s in booked if s.left >= party and s.at in grid]
        else:
            times = [t for t in grid if any(w.open <= t <= w.close - dwell.least for w in opened)]
        earliest, latest = getattr(wish, "from") or 0, wish.until if wish.until is not None else 1800
        times = [t for t in times if earliest <= t <= latest]
        if not times:
            return False, False
        start = model.new_int_var_from_domain(cp_model.Domain.from_values(times), "start")
        end = model.new_int_var(low, 25 * 60, "end")
        model.add_linear_expression_in_domain(
            end, cp_model.Domain.from_values(list(range(low, 25 * 60 + 1, 15)))
        )
        model.add(end - start >= dwell.least)
        model.add(end - start <= dwell.most)
        if (not booked or wish.before_closing) and len(opened) == 1:
            model.add(end <= opened[0].close)
        starts.append(start)
        ends.append(end)
        prices = row.fields["cost"].values or ()
        costs.append(model.new_int_var_from_domain(cp_model.Domain.from_values(list(prices)), "cost"))
    modes = ("foot", "taxi", "bus")
    nodes: list[list[Any]] = [[spots[h] for h in hotels], *([spots[w.place]] for w in wishes)]
    arcs, fares = [], []
    buffers = [facts["Buffer"].by_key.get((w.place,)) for w in wishes]
    early = EARLY.get(task.id, {})
    leads = [
        0,
        *(max(b.lead if b else 0, early.get(w.place.id, 0)) for w, b in zip(wishes, buffers, strict=True)),
    ]
    for i, origins in enumerate(nodes):
        for j, targets in enumerate(nodes):
            if i == j:
                continue
            arc = model.new_bool_var(f"{i}-{j}")
            arcs.append((i, j, arc))
            mode, minutes, fare = (
                model.new_int_var(0, 2, "mode"),
                model.new_int_var(0, 200, "ride"),
                model.new_int_var(0, 20000, "fare"),
            )
            rows: list[tuple[int, int, int, int]] = []
            for h in range(len(hotels)):
                a = origins[h] if i == 0 else origins[0]
                b = targets[h] if j == 0 else targets[0]
                for m, name in enumerate(modes):
                    leg = facts["Leg"].by_key.get((a, b, name))
                    cost = 300 * party if name == "bus" else (leg.cost or 0) if name == "taxi" and leg else 0
                    ride = 10 if leg is None or leg.time is None else leg.time
                    if name != "foot" or ride <= LONGEST_WALK.get(task.id, ride):
                        rows.append((h, m, ride, cost))
            model.add_allowed_assignments([hotel, mode, minutes, fare], rows)
            paid = model.new_int_var(0, 20000, "paid")
            model.add(paid == fare).only_enforce_if(arc)
            model.add(paid == 0).only_enforce_if(~arc)
            fares.append(paid)
            leave: Any = given["leave_at"] if i == 0 else ends[i - 1]
            if j:
                model.add(leave + minutes + leads[j] <= starts[j - 1]).only_enforce_if(arc)
            else:
                limit = given["back_by"] if given["back_by"] is not None else 26 * 60
                model.add(leave + minutes <= limit).only_enforce_if(arc)
    model.add_circuit(arcs)
    if given["budget"] is not None:
        rooms = -(-party // 2) * given["nights"]
        rate = model.new_int_var(0, 10**6, "rate")
        model.add_element(hotel, [h.rate * rooms for h in hotels], rate)
        model.add(sum(costs) + sum(fares) + rate <= given["budget"])
    bundle = [
        k
        for k, w in enumerate(wishes)
        if any(c.place is w.place and c.bundle in given["bundles"] for c in facts["Covers"].rows)
    ]
    if bundle:
        price = given["bundles"][0].price * party
        first = model.new_bool_var("first")
        a, b = bundle
        model.add(starts[a] < starts[b]).only_enforce_if(first)
        model.add(starts[b] < starts[a]).only_enforce_if(~first)
        for k, lit in ((a, first), (b, ~first)):
            model.add(costs[k] == price).only_enforce_if(lit)
            model.add(costs[k] == 0).only_enforce_if(~lit)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    if solver.solve(model) not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return False, False
    differs = []
    for var in (*starts, *costs, hotel):
        other = model.new_bool_var("other")
        model.add(var != solver.value(var)).only_enforce_if(other)
        differs.append(other)
    model.add_bool_or(differs)
    return True, solver.solve(model) == cp_model.INFEASIBLE


def planspec_solver(lowered: Any) -> tuple[bool, bool]:
    """The solver's part: encode, solve, forbid, solve again."""
    session = backend("cpsat").open(lowered.problem, Limits(workers=1))
    first = session.solve()
    if not first.found:
        return False, False
    session.add(forbid(lowered, first.values))
    return True, session.solve().status is Status.INFEASIBLE


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Milliseconds of CPU, and what came out."""
    begun = process_time()
    made = work()
    return (process_time() - begun) * 1000, made


def main() -> None:
    """Print a row for each task and the medians of the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    paths: list[Path] = list(Catalog().suite("worldtravel-berlin").tasks)
    print(
        f"solve and prove unique with CP-SAT, one worker; medians of {rounds} rounds; load {os.getloadavg()[0]:.1f}"
    )
    print(
        f"{'task':<12}{'check':>8}{'ground':>8}{'lower':>8}{'solver':>8}{'by hand':>9}{'solver/hand':>13}{'all/hand':>10}  ms"
    )
    solver_ratios, all_ratios = [], []
    for path in paths:
        workspace = Workspace()
        task = task_from_path(path, workspace)
        if len(task.givens["trip"]) > 1:
            continue
        figures: dict[str, list[float]] = {k: [] for k in ("check", "ground", "lower", "solver", "hand")}
        for number in range(rounds + 1):
            check_ms, task = timed(lambda: task_from_path(path, workspace))  # noqa: B023
            ground_ms, known = timed(lambda: ground(task))  # noqa: B023
            lower_ms, lowered = timed(lambda: lower(known))  # noqa: B023
            solver_ms, ours = timed(lambda: planspec_solver(lowered))  # noqa: B023
            hand_ms, theirs = timed(lambda: by_hand(task, known.rows))  # noqa: B023
            assert ours == theirs, (path.name, ours, theirs)
            if number:
                for key, value in zip(
                    figures, (check_ms, ground_ms, lower_ms, solver_ms, hand_ms), strict=True
                ):
                    figures[key].append(value)
        m = {key: statistics.median(values) for key, values in figures.items()}
        solver_ratios.append(m["solver"] / m["hand"])
        all_ratios.append((m["check"] + m["ground"] + m["lower"] + m["solver"]) / m["hand"])
        print(
            f"{task.id:<12}{m['check']:8.1f}{m['ground']:8.1f}{m['lower']:8.1f}{m['solver']:8.1f}{m['hand']:9.1f}"
            f"{solver_ratios[-1]:13.2f}{all_ratios[-1]:10.2f}"
        )
    print(
        f"median ratio: solver {statistics.median(solver_ratios):.2f} (aim 2), with all before it {statistics.median(all_ratios):.2f} (aim 2.5)"
    )


if __name__ == "__main__":
    main()
