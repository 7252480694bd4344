"""Completion of a reference plan: cheapest tickets, rides that arrive just in time, no long waits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

from planspec.dsl.model.facts import Facts
from planspec.dsl.model.rows import Row, make_row
from planspec.dsl.model.task import Task
from planspec.verifiers.meaning.interpret import Interpreter
from planspec.verifiers.meaning.plan_rows import Plan

LONGEST_WAIT = 60
"""Longest permitted wait before a visit while the place is open, in minutes."""


def finished_reference(task: Task, plan: Plan) -> Plan | None:
    """Return a plan with the cheapest tickets and with rides that arrive just in time.

    Args:
        task: task with all start times, including sold-out ones.
        plan: plan that satisfies every constraint.

    Returns:
        The plan, or None if a visit has two cheapest tickets or a wait is too long.
    """
    evaluate = Evaluation(task, plan)
    tickets: dict[Row, Row | None] = {}
    wish: Any
    for wish in task.facts["Wish"].rows:
        fitting = [ticket for ticket in evaluate("tickets", wish) if evaluate("fits", ticket, wish)]
        due = evaluate("due", wish)
        cheapest = [ticket for ticket in fitting if evaluate("due_by", ticket, wish) == due]
        if not cheapest or (len(cheapest) > 1 and not evaluate("covered", wish.place)):
            return None
        tickets[wish.place] = None if evaluate("covered", wish.place) else cheapest[0]
    finished = _in_time(task, plan, evaluate, tickets)
    return finished if all(wait <= LONGEST_WAIT for _, wait in unexplained_waits(task, finished)) else None


def unexplained_waits(task: Task, plan: Plan) -> Iterator[tuple[Row, int]]:
    """Yield the visits before which the traveller waits while the place is open, with the minutes of the wait.

    A wait begins at the first start time, sold out or not, for which the traveller can be ready with a suitable ticket.
    The first visit of a day has no wait, since the traveller can leave later.
    """
    evaluate, free = Evaluation(task, plan), _with_places_at_all_starts(task)
    wishes: Any = {wish.place: wish for wish in task.facts["Wish"].rows}  # type: ignore[attr-defined]
    entries: Any = task.facts["Entry"].rows
    visits: Any = sorted(plan.tables["visits"], key=lambda visit: (visit.day, visit.start))
    for before, visit in pairwise(visits):
        if before.day != visit.day:
            continue
        wish, move = wishes[visit.place], evaluate("move_to", visit)
        arrival = before.end + move.arrive - move.depart
        starts = [visit.start]
        for ticket in evaluate("tickets", wish):
            ready = arrival + evaluate("lead", ticket, wish)
            starts += [
                entry.at
                for entry in entries
                if entry.offer is ticket and entry.day == visit.day and ready <= entry.at < visit.start
                if _is_permitted(free, wish, visit, entry)
            ]
        yield visit, visit.start - min(starts)


def _with_places_at_all_starts(task: Task) -> Task:
    """Return a copy of the task in which no start time is sold out."""
    entries, party = task.facts["Entry"], len(task.facts["Traveller"].rows)
    all_rows: Any = entries.rows
    rows: list[Row] = [row if row.left >= party else _with_values(row, left=party) for row in all_rows]
    return replace(task, facts={**task.facts, "Entry": Facts(entries.table, rows, {row._key: row for row in rows})})


def _is_permitted(task: Task, wish: Any, visit: Any, entry: Any) -> bool:
    """Return whether the constraints permit a visit to begin at another start time.

    Args:
        task: task in which no start time is sold out.
        wish: wish for the place of the visit.
        visit: visit to move to the start time.
        entry: start time of a ticket for the wish.
    """
    moved = _with_values(visit, start=entry.at, end=entry.at + visit.end - visit.start)
    evaluate = Evaluation(task, Plan({"visits": (moved,)}))
    return (
        bool(evaluate("starts_at", entry.offer, wish, moved))
        and bool(evaluate("at_meal", wish, moved))
        and evaluate.satisfies("light", wish)
    )


def tickets_by_place(task: Task) -> dict[str, list[str]]:
    """Return the ids of the tickets that satisfy the request, by id of the place."""
    rule = task.definitions["tickets"]
    (wish,) = rule.params
    interpreter = Interpreter(task)
    wishes: Any = task.facts["Wish"].rows
    return {
        str(row.place._key[0]): [str(ticket._key[0]) for ticket in interpreter.value(rule.body, {wish: row})]
        for row in wishes
    }


def _in_time(task: Task, plan: Plan, evaluate: Evaluation, tickets: dict[Row, Row | None]) -> Plan:
    """Return a plan whose rides arrive just in time. The last ride of a day leaves for the hotel at once."""
    visits: Any = plan.tables["visits"]
    moves: Any = plan.tables["moves"]
    wishes: Any = {wish.place: wish for wish in task.facts["Wish"].rows}  # type: ignore[attr-defined]
    arrivals: dict[int, int] = {}
    for visit in visits:
        wish = wishes[visit.place]
        ticket = tickets[visit.place] or next(t for t in evaluate("tickets", wish) if evaluate("fits", t, wish))
        arrivals[id(evaluate("move_to", visit))] = visit.start - evaluate("lead", ticket, wish)
    for day in task.givens["trip"]:
        home = evaluate("move_home", day)
        end = max(visit.end for visit in visits if visit.day == day)
        arrivals[id(home)] = end + home.arrive - home.depart
    rides = []
    for move in moves:
        arrive = arrivals[id(move)]
        rides.append(_with_values(move, depart=arrive - (move.arrive - move.depart), arrive=arrive))
    named = [_with_values(visit, ticket=tickets[visit.place]) for visit in visits]
    return Plan({**plan.tables, "visits": tuple(named), "moves": tuple(rides)})


def _with_values(row: Row, **values: Any) -> Row:
    """Return a row with other values in some columns."""
    cells = {name: getattr(row, name) for name in row._table.columns}
    return make_row(row._table, cells | values, row._index)


class Evaluation:
    """Evaluator of the library's definitions on one plan.

    Args:
        task: task that uses the library `worldtravel`.
        plan: rows of the plan tables.
    """

    def __init__(self, task: Task, plan: Plan) -> None:
        self._task = task
        self._interpreter = Interpreter(task, plan)

    def __call__(self, name: str, *arguments: Any) -> Any:
        """Return the value of a definition of the library for the given arguments."""
        definition = self._task.definitions[name]
        return self._interpreter.value(definition.body, dict(zip(definition.params, arguments, strict=True)))

    def satisfies(self, name: str, row: Row) -> bool:
        """Return whether the plan satisfies all instances of a constraint that are about a row."""
        (constraint,) = (each for each in self._task.constraints if each.id == name)
        instances = self._interpreter.bindings(constraint.clauses, {})
        return all(self._interpreter.holds(constraint.body, env) for env in instances if row in env.values())
