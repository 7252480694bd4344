"""Completion of a draft to a task with one solution.

A solver finds a reference plan. Then start times are marked as sold out until no other plan is possible.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

from planspec.dsl.documents.documents import task_from_text
from planspec.dsl.model.task import Task
from planspec.dsl.workspace.workspace import Workspace
from planspec.families.worldtravel import shortsighted
from planspec.families.worldtravel.format.codec import FORMAT
from planspec.families.worldtravel.generator.calendar import Calendar, format_clock
from planspec.families.worldtravel.generator.city import CityFolder
from planspec.families.worldtravel.generator.documents import WordedQuery, task_text
from planspec.families.worldtravel.generator.drawing import Draft
from planspec.families.worldtravel.generator.references import finished_reference, tickets_by_place
from planspec.families.worldtravel.generator.shaping import StartRemovalSearch
from planspec.families.worldtravel.generator.world import world_files
from planspec.files import replace_text
from planspec.solvers.backends.outcome import Limits
from planspec.solvers.questions import prove
from planspec.verifiers.meaning.anchors import anchors
from planspec.verifiers.meaning.ground import ground
from planspec.verifiers.meaning.plan_rows import Plan

SECONDS = 20.0
"""Time limit of one search, in seconds of wall clock. A draft that takes longer is abandoned."""
TIGHTNESS = 3
"""Weight of each minute between a day's first start and last end, in the search for a reference plan.

Each minute between a visit's start and its random target time has the weight 1.
"""
SHORTEST_SESSION, HASTE = "30min", 10
"""For a place visited in several sessions: desired minimum length of each, and the weight of each missing minute."""
PARTLY_SOLD_SHARE = 0.35
"""Share of the removed start times that keep some free places, but too few for the party. The others keep none."""
DRAFT_FILE = "draft.task.yaml"
"""Name of the file of the current draft."""
VisitOrder = tuple[str, ...]
"""Ids of places, in the order in which they are visited."""
NO_QUERY = WordedQuery("(drafted)", {})


@dataclass(frozen=True, slots=True)
class ConstraintCounts:
    """Counts of a task's constraint instances.

    Attributes:
        hard: number of hard instances.
        total: number of all instances.
        timed: number of anchors (places that can only be visited at booked starts).
    """

    hard: int
    total: int
    timed: int


@dataclass(frozen=True, slots=True)
class SolvedDraft:
    """A draft with its only solution.

    Attributes:
        counts: numbers of the constraint instances and anchors.
        answer: solution in the family's answer format.
        sold: number of free places at the removed start times, by offer, day and minutes after midnight.
        budget: budget in minor units; None for none.
    """

    draft: Draft
    counts: ConstraintCounts
    answer: Mapping[str, Any]
    sold: Mapping[tuple[str, date, int], int]
    budget: int | None


class DraftSolver:
    """Solver of drafts. It writes their YAML files to a folder.

    Args:
        folder: folder to which the city's tables and the drafts are written.
        city: city of the drafts.
        calendar: calendar before any start time is removed.
    """

    def __init__(self, folder: Path, city: CityFolder, calendar: Calendar) -> None:
        self.folder = folder
        self.city = city
        self.calendar = calendar
        self._workspace = Workspace()
        for name, text in world_files(city, calendar, "drafts").items():
            replace_text(folder / name, text)

    def load_task(self, draft: Draft, extra_lines: tuple[str, ...] = ()) -> Task:
        """Return the task of a draft. `extra_lines` are added at the end of its YAML."""
        path = self.folder / DRAFT_FILE
        text = self._text(draft, extra_lines)
        return task_from_text(text, str(path), workspace=self._workspace, path=path)

    def _text(self, draft: Draft, extra_lines: tuple[str, ...] = ()) -> str:
        # A placeholder amount, since the budget constraint is counted before the amount is known.
        budget = 9_999_900 if draft.has_budget else None
        return task_text(
            draft,
            "draft",
            "./world.yaml",
            NO_QUERY,
            budget=budget,
            currency=self.city.head.currency,
            restaurants=self.city.restaurants,
            extra_lines=extra_lines,
        )

    def count_constraints(self, task: Task) -> ConstraintCounts:
        """Count a task's constraint instances and anchors (places that can only be visited at booked starts)."""
        grounded = ground(task)
        applicable = [instance.constraint for instance in grounded.instances if instance.applicable]
        hard = sum(constraint.hard for constraint in applicable)
        return ConstraintCounts(hard, len(applicable), anchors(grounded))

    def has_tickets_for_all_wishes(self, task: Task) -> bool:
        """Return whether each wish of a task has a ticket that satisfies the wish."""
        return all(tickets_by_place(task).values())

    def find_reference(self, random: Random, draft: Draft, excluded_orders: Collection[VisitOrder] = ()) -> Plan | None:
        """Return a plan that satisfies all hard and soft constraints, with short days and visits near random times.

        Rides arrive just in time, and visits have the cheapest ticket.

        Args:
            random: source of the times.
            draft: draft to answer.
            excluded_orders: orders of visits that the plan must not have.

        Returns:
            The plan. None if none is found in time, if a visit has two cheapest tickets, or if a wait is too long.
        """
        span = (
            "sum(max(v.end for v in visits if v.day == d) - min(v.start for v in visits if v.day == d) for d in trip)"
        )
        aims = [(wish.place, _draw_start(random, wish.kind.meal)) for wish in draft.wishes]
        distance = " + ".join(
            f"sum(max(v.start, {at}) - min(v.start, {at}) for v in visits if v.place == {place})" for place, at in aims
        )
        if any(wish.kind.sessions > 1 for wish in draft.wishes):
            distance += f" + {HASTE} * sum(max(v.start + {SHORTEST_SESSION}, v.end) - v.end for v in visits)"
        rules = [
            f"  shunned-{nr}: {{hard: not ({_order_condition(order)})}}"
            for nr, order in enumerate(sorted(excluded_orders))
        ]
        task = self.load_task(
            draft, (f"minimize: {TIGHTNESS} * {span} + {distance}", *(["constraints:", *rules] if rules else []))
        )
        solution = prove.solve(ground(task), limits=Limits(seconds=SECONDS))
        if solution.plan is None or solution.soft_weight < solution.soft_total:
            return None
        return finished_reference(task, solution.plan)

    def solve(
        self, random: Random, draft: Draft, counts: ConstraintCounts, *, may_be_easy: bool = False
    ) -> SolvedDraft | None:
        """Find a reference plan for a draft, and remove start times until it is the only solution.

        Args:
            random: source of the reference, and of the numbers of free places at removed start times.
            draft: draft to solve.
            counts: counts of the draft's constraints.
            may_be_easy: whether greedy planners may solve the result.

        Returns:
            The solved draft, or None if there is no reference, if it cannot be made the only solution, or if the result
            is too easy.
        """
        task = self.load_task(draft)
        orders = set() if may_be_easy else {_visit_order(plan) for _, plan in shortsighted.plans(task)}
        excluded_orders = {order for order in orders if len(order) == len(draft.wishes)}
        reference = self.find_reference(random, draft, excluded_orders)
        if reference is None:
            return None
        answer = FORMAT.encode(task, reference)
        plan, _ = FORMAT.decode(task, answer)
        grounded = ground(task)
        removed = StartRemovalSearch(grounded, plan, random, Limits(seconds=SECONDS)).find_starts()
        if removed is None:
            return None
        party = len(draft.party.travellers)
        tickets = tickets_by_place(task)
        booked = {row["id"] for row in self.city.rows("offer") if row["booked"] == "true"}
        existing = {(entry.offer, entry.day, entry.at) for entry in self.calendar.entries}
        sold = {
            (ticket, start.date, start.at): party - 1
            if party > 1 and ticket in booked and random.random() < PARTLY_SOLD_SHARE
            else 0
            for start in sorted(removed)
            for ticket in tickets[start.place]
            if (ticket, start.date, start.at) in existing
        }
        # A greedy plan with the same order of visits uses the same start times, since earlier ones are sold out.
        right = _visit_order(plan)
        if not may_be_easy and any(
            _visit_order(other) == right for _, other in shortsighted.plans(task, sold_out=sold)
        ):
            return None
        budget = None
        if draft.has_budget:
            spent = sum(item["cost"] for day in answer["itinerary"] for item in day["schedule"])
            budget = 500 * (-(-round(100 * spent) // 500))
        return SolvedDraft(draft, counts, answer, sold, budget)


def _visit_order(plan: Plan) -> VisitOrder:
    """Return the ids of a plan's places in the order of visits."""
    visits: Any = sorted(plan.tables["visits"], key=lambda visit: (visit.day, visit.start))
    return tuple(str(visit.place._key[0]) for visit in visits)


def _order_condition(order: VisitOrder) -> str:
    """Return an expression that is true if the places are visited in the given order."""
    return " and ".join(
        f"all(u.day + u.start < v.day + v.start for u in visits if u.place == {a} for v in visits if v.place == {b})"
        for a, b in pairwise(order)
    )


def _draw_start(random: Random, meal: str | None) -> str:
    """Draw a time of day for the start of a visit."""
    first, last = {"lunch": (11, 14), "dinner": (18, 21)}.get(meal or "", (9, 19))
    return format_clock(random.randrange(first * 60, last * 60, 15))
