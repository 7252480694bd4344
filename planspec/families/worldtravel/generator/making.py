"""A draft made into a task with one solution: a reference is found, and starts are sold out until no other plan is left."""

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
from planspec.families.worldtravel.generator.calendar import Calendar, clock
from planspec.families.worldtravel.generator.city import City
from planspec.families.worldtravel.generator.documents import Query, task_text
from planspec.families.worldtravel.generator.drawing import Draft
from planspec.families.worldtravel.generator.shaping import Shaping
from planspec.families.worldtravel.generator.world import world_files
from planspec.files import replace_text
from planspec.solvers.backends.outcome import Limits
from planspec.solvers.questions import prove
from planspec.verifiers.meaning.anchors import anchors
from planspec.verifiers.meaning.ground import ground
from planspec.verifiers.meaning.interpret import Interpreter
from planspec.verifiers.meaning.plan_rows import Plan

SECONDS = 20.0
"""Of wall clock for one question; a draft that takes longer is given up."""
FEW = 0.35
"""Share of the booked starts taken away that have a few places left, fewer than the party needs; an admission that nobody books is none any more."""
DRAFT = "draft.task.yaml"
"""The file of the draft that is tried."""
Order = tuple[str, ...]
"""Ids of places, as they are visited one after the other."""
NO_QUERY = Query("(drafted)", {})


@dataclass(frozen=True, slots=True)
class Counts:
    """The instances of constraints of a task."""

    hard: int
    total: int
    timed: int


@dataclass(frozen=True, slots=True)
class Made:
    """A draft with its one solution.

    Attributes:
        answer: in the family's format.
        sold: what is left of the starts that were taken away, by offer, day and minute.
        budget: in minor units; none where nobody speaks of money.
    """

    draft: Draft
    counts: Counts
    answer: Mapping[str, Any]
    sold: Mapping[tuple[str, date, int], int]
    budget: int | None


class Bench:
    """A folder in which drafts are tried.

    Args:
        folder: is filled.
        city: of the drafts.
        calendar: what is left where nobody took anything.
    """

    def __init__(self, folder: Path, city: City, calendar: Calendar) -> None:
        self.folder = folder
        self.city = city
        self._workspace = Workspace()
        for name, text in world_files(city, calendar, "drafts").items():
            replace_text(folder / name, text)

    def task(self, draft: Draft, more: tuple[str, ...] = ()) -> Task:
        """The task of a draft."""
        path = self.folder / DRAFT
        text = self._text(draft, more)
        return task_from_text(text, str(path), workspace=self._workspace, path=path)

    def _text(self, draft: Draft, more: tuple[str, ...] = ()) -> str:
        # a budget counts among the constraints before anybody knows how high it is
        budget = 9_999_900 if draft.budget else None
        return task_text(
            draft,
            "draft",
            "./world.yaml",
            NO_QUERY,
            budget=budget,
            currency=self.city.head.currency,
            more=more,
        )

    def counts(self, task: Task) -> Counts:
        """How many instances of constraints and anchors a task has; no plan has to be known."""
        grounded = ground(task)
        applicable = [instance.constraint for instance in grounded.instances if instance.applicable]
        hard = sum(constraint.hard for constraint in applicable)
        return Counts(hard, len(applicable), anchors(grounded))

    def is_clear(self, task: Task) -> bool:
        """Whether one offer is meant by each wish."""
        return None not in _offers(task).values()

    def reference(self, random: Random, draft: Draft, shunned: Collection[Order] = ()) -> Any:
        """An answer that keeps every constraint, hard or soft, near starts that are drawn; none where there is no such plan.

        Args:
            random: of the starts.
            draft: whose calendar nobody has touched.
            shunned: orders of visits that it does not have.
        """
        aims = [(wish.place, _aim(random, wish.kind.meal)) for wish in draft.wishes]
        far = " + ".join(
            f"sum(max(v.start, {at}) - min(v.start, {at}) for v in visits if v.place == {place})"
            for place, at in aims
        )
        rules = [
            f"  shunned-{nr}: {{hard: not ({_in_order(order)})}}" for nr, order in enumerate(sorted(shunned))
        ]
        task = self.task(draft, (f"minimize: {far}", *(["constraints:", *rules] if rules else [])))
        found = prove.solve(ground(task), limits=Limits(seconds=SECONDS))
        if found.plan is None or found.soft_weight < found.soft_total:
            return None
        return FORMAT.encode(task, found.plan)

    def made(self, random: Random, draft: Draft, counts: Counts, *, easy: bool = False) -> Made | None:
        """The draft with a reference that is its one solution; none where none is found.

        Args:
            random: of the reference, and of what is left of starts that nobody can take any more.
            draft: whose calendar nobody has touched.
            counts: of its constraints.
            easy: whether planners may pass it that never look ahead.
        """
        task = self.task(draft)
        orders = set() if easy else {_order(plan) for _, plan in shortsighted.plans(task)}
        shunned = {order for order in orders if len(order) == len(draft.wishes)}
        answer = self.reference(random, draft, shunned)
        if answer is None:
            return None
        plan, _ = FORMAT.decode(task, answer)
        grounded = ground(task)
        taken = Shaping(grounded, plan, random, Limits(seconds=SECONDS)).starts()
        if taken is None:
            return None
        party = len(draft.party.travellers)
        offers = _offers(task)
        booked = {row["id"] for row in self.city.rows("offer") if row["booked"] == "true"}
        sold = {
            (str(offers[start.place]), start.date, start.at): party - 1
            if party > 1 and offers[start.place] in booked and random.random() < FEW
            else 0
            for start in sorted(taken)
        }
        # of the same order, they come to the same starts, or to earlier ones, and there are none
        right = _order(plan)
        if not easy and any(_order(other) == right for _, other in shortsighted.plans(task, gone=sold)):
            return None
        budget = None
        if draft.budget:
            spent = sum(item["cost"] for day in answer["itinerary"] for item in day["schedule"])
            budget = 500 * (-(-round(100 * spent) // 500))
        return Made(draft, counts, answer, sold, budget)


def _order(plan: Plan) -> Order:
    """The places of a plan in the order of their visits."""
    visits: Any = sorted(plan.tables["visits"], key=lambda visit: (visit.day, visit.start))
    return tuple(str(visit.place._key[0]) for visit in visits)


def _in_order(order: Order) -> str:
    """The condition that places are visited in an order."""
    return " and ".join(
        f"all(u.day + u.start < v.day + v.start for u in visits if u.place == {a} for v in visits if v.place == {b})"
        for a, b in pairwise(order)
    )


def _offers(task: Task) -> dict[str, str | None]:
    """The offer that counts for each place that is wished for, as the library has it; none where there is none, or several."""
    rule = task.definitions["offer"]
    (wish,) = rule.params
    interpreter = Interpreter(task)
    offers: dict[str, str | None] = {}
    row: Any
    for row in task.facts["Wish"].rows:
        meant = interpreter.value(rule.body, {wish: row})
        offers[str(row.place._key[0])] = None if meant is None else str(meant._key[0])
    return offers


def _aim(random: Random, meal: str | None) -> str:
    """A time of day near which a visit would begin."""
    first, last = {"lunch": (11, 14), "dinner": (18, 21)}.get(meal or "", (9, 19))
    return clock(random.randrange(first * 60, last * 60, 15))
