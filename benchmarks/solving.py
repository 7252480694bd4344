"""Solving and proof of uniqueness on WorldTravel: planspec compared with a hand-written CP-SAT model.

Method: the tasks are those of one day with one visit to each place. For each task, both sides alternate in one process,
`--rounds` times after a warm-up. Figures are medians of CPU time, with one worker on each side. "check" reads and
checks the task with cached libraries. The hand-written model reads the same checked tables, and gets the tickets that
fit each wish (a place to visit). It is specific to WorldTravel: it has only the hard rules, a circuit through the day,
and the fastest mode of each ride. Both sides find a plan, forbid it and solve again, and both results must agree.
"""

from __future__ import annotations

import argparse
import os
import statistics
from collections.abc import Callable
from dataclasses import dataclass
from itertools import permutations
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
from planspec.solvers.questions.exclusion import forbid
from planspec.verifiers.meaning.ground import ground
from planspec.verifiers.meaning.interpret import Interpreter

MEALS = {"lunch": (11 * 60, 15 * 60), "dinner": (17 * 60 + 30, 24 * 60)}
MODES = ("foot", "bus", "taxi")


@dataclass(frozen=True)
class FittingTicket:
    """A ticket that fits a wish, with values computed by the definitions in planspec's library.

    The hand-written model gets these values for free: the time to compute them is not measured.

    Attributes:
        offer: the ticket.
        shortest: minimum duration of the visit in minutes.
        longest: maximum duration of the visit in minutes.
        lead: wait before the visit in minutes.
    """

    offer: Any
    shortest: int
    longest: int
    lead: int


@dataclass(frozen=True)
class ResolvedWish:
    """A wish with the tickets that fit it, and the parts of the sight that must be seen for a minimum time."""

    tickets: tuple[FittingTicket, ...]
    parts: tuple[Any, ...]


def resolve_wishes(task: Task) -> list[ResolvedWish]:
    """Return each wish of a task with its parts and with its tickets, which have bounds of time and waits."""
    interpreter = Interpreter(task)

    def value(name: str, *arguments: Any) -> Any:
        definition = task.definitions[name]
        return interpreter.value(definition.body, dict(zip(definition.params, arguments, strict=True)))

    return [
        ResolvedWish(
            tuple(
                FittingTicket(
                    offer, value("shortest", offer, wish), value("longest", offer, wish), value("lead", offer, wish)
                )
                for offer in value("tickets", wish)
            ),
            tuple(part for part in value("parts", wish) if part.least is not None),
        )
        for wish in task.facts["Wish"].rows
    ]


def starts_of(task: Task, wish: Any, offer: Any, party: int, day: Any) -> list[int]:
    """Return the possible starts of a visit with a ticket, in minutes after midnight."""
    facts: Any = task.facts
    first, last = MEALS.get(wish.meal, (0, 30 * 60))
    if wish.photographs:
        light = facts["Light"].by_key[(wish.place,)]
        first, last = max(first, getattr(light, "from")), min(last, light.until)
    entries = [e for e in facts["Entry"].rows if e.offer is offer]
    if not offer.booked and not entries:
        return list(range(first, last + 1))
    is_guided = wish.language is not None and wish.genre is None
    return [
        e.at
        for e in entries
        if e.day == day
        and e.left >= party
        and first <= e.at <= last
        and not (is_guided and e.language != wish.language)
    ]


def add_visit(model: cp_model.CpModel, task: Task, wish: Any, resolved: ResolvedWish, day: Any) -> tuple[Any, Any, Any]:
    """Add the visit for a wish by one of its tickets. Return its start, its end and the wait before it."""
    facts: Any = task.facts
    party = len(facts["Traveller"].rows)
    start, end = model.new_int_var(0, 30 * 60, "start"), model.new_int_var(6 * 60, 30 * 60, "end")
    lead = model.new_int_var(0, 10 * 60, "lead")
    inside = []
    for window in facts["Window"].rows:
        if window.place is wish.place and window.day == day:
            inside.append(model.new_bool_var("inside"))
            model.add(start >= window.open).only_enforce_if(inside[-1])
            model.add(end <= window.close).only_enforce_if(inside[-1])
    bought = []
    for ticket in resolved.tickets:
        buys = model.new_bool_var("buys")
        bought.append(buys)
        starts = cp_model.Domain.from_values(starts_of(task, wish, ticket.offer, party, day))
        model.add_linear_expression_in_domain(start, starts).only_enforce_if(buys)
        model.add_linear_constraint(end - start, ticket.shortest, ticket.longest).only_enforce_if(buys)
        model.add(lead == ticket.lead).only_enforce_if(buys)
        if not ticket.offer.booked or wish.before_closing:
            model.add_bool_or(*inside, buys.negated())
    model.add_bool_or(bought)
    return start, end, lead


def solve_with_handwritten_model(task: Task, resolved: list[ResolvedWish]) -> tuple[bool, bool]:
    """Solve a one-day WorldTravel task with the hand-written model. Return whether it has a plan, and only one."""
    facts: Any = task.facts
    given = task.givens
    (day,) = given["trip"]
    wishes = list(facts["Wish"].rows)
    hotels = list(facts["Hotel"].rows)
    spots = {s.place or s.hotel: s for s in facts["Spot"].rows}
    model = cp_model.CpModel()
    hotel = model.new_int_var(0, len(hotels) - 1, "hotel")
    starts, ends, leads = {}, {}, []
    for wish, one in zip(wishes, resolved, strict=True):
        start, end, lead = add_visit(model, task, wish, one, day)
        leads.append(lead)
        for part in one.parts:
            hours = [w for w in facts["PartWindow"].rows if w.part is part and w.day == day]
            if len(hours) != 1 or hours[0].close - hours[0].open < part.least:
                return False, False
            model.add(end - hours[0].open >= part.least)
            model.add(start <= hours[0].close - part.least)
        starts[wish.place], ends[wish.place] = start, end
    for pair in facts["Before"].rows:
        model.add(ends[pair.earlier] <= starts[pair.later])
    ranked = [c for c in facts["Covers"].rows if getattr(c, "pass") in given["passes"] and c.rank is not None]
    for a, b in permutations(ranked, 2):
        if getattr(a, "pass") is getattr(b, "pass") and a.rank < b.rank and a.place in starts and b.place in starts:
            model.add(starts[a.place] < starts[b.place])
    nodes: list[list[Any]] = [[spots[h] for h in hotels], *([spots[w.place]] for w in wishes)]
    arcs = []
    for i, j in permutations(range(len(nodes)), 2):
        arc = model.new_bool_var(f"{i}-{j}")
        arcs.append((i, j, arc))
        minutes = model.new_int_var(0, 600, "ride")
        rows = []
        for h in range(len(hotels)):
            legs = [
                leg
                for m in MODES
                if (leg := facts["Leg"].by_key.get((nodes[i][h if i == 0 else 0], nodes[j][h if j == 0 else 0], m)))
            ]
            rows.append((h, min((10 if leg.time is None else leg.time for leg in legs), default=10)))
        model.add_allowed_assignments([hotel, minutes], rows)
        leave: Any = given["leave_at"] if i == 0 else ends[wishes[i - 1].place]
        if j:
            model.add(leave + minutes + leads[j - 1] <= starts[wishes[j - 1].place]).only_enforce_if(arc)
        else:
            late = given["leave_at"] + 24 * 60
            limit = late if given["back_by"] is None else min(late, given["back_by"])
            model.add(leave + minutes <= limit).only_enforce_if(arc)
    model.add_circuit(arcs)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    if solver.solve(model) not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return False, False
    differs = []
    for var in starts.values():
        other = model.new_bool_var("other")
        model.add(var != solver.value(var)).only_enforce_if(other)
        differs.append(other)
    model.add_bool_or(differs)
    return True, solver.solve(model) == cp_model.INFEASIBLE


def solve_with_planspec(lowered: Any) -> tuple[bool, bool]:
    """Encode, solve, forbid the plan and solve again.

    Return whether the task is feasible and whether its plan is unique.
    """
    session = backend("cpsat").open(lowered.problem, Limits(workers=1))
    first = session.solve()
    if not first.found:
        return False, False
    session.add(forbid(lowered, first.values))
    return True, session.solve().status is Status.INFEASIBLE


def time_call(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return the CPU time of a call in milliseconds, and its result."""
    start = process_time()
    result = work()
    return (process_time() - start) * 1000, result


def main() -> None:
    """Print one row for each task, and the median ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--suite", default="worldtravel-berlin")
    options = parser.parse_args()
    rounds = options.rounds
    paths: list[Path] = list(Catalog().suite(options.suite).tasks)
    print(f"solve and prove unique with CP-SAT, one worker; medians of {rounds} rounds; load {os.getloadavg()[0]:.1f}")
    print(
        f"{'task':<12}{'check':>8}{'ground':>8}{'lower':>8}{'solver':>8}{'by hand':>9}{'solver/hand':>13}{'all/hand':>10}  ms"
    )
    solver_ratios, all_ratios = [], []
    for path in paths:
        workspace = Workspace()
        task = task_from_path(path, workspace)
        if len(task.givens["trip"]) > 1 or any(wish.sessions > 1 for wish in task.facts["Wish"].rows):  # type: ignore[attr-defined]
            continue
        resolved = resolve_wishes(task)
        figures: dict[str, list[float]] = {k: [] for k in ("check", "ground", "lower", "solver", "hand")}
        for number in range(rounds + 1):
            check_ms, task = time_call(lambda: task_from_path(path, workspace))  # noqa: B023
            ground_ms, grounded = time_call(lambda: ground(task))  # noqa: B023
            lower_ms, lowered = time_call(lambda: lower(grounded))  # noqa: B023
            solver_ms, own_result = time_call(lambda: solve_with_planspec(lowered))  # noqa: B023
            hand_ms, hand_result = time_call(lambda: solve_with_handwritten_model(task, resolved))  # noqa: B023
            assert own_result == hand_result, (path.name, own_result, hand_result)
            if number:
                for key, value in zip(figures, (check_ms, ground_ms, lower_ms, solver_ms, hand_ms), strict=True):
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
