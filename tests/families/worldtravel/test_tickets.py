"""A visit is valid with any ticket that is sold for its start time. The correct ticket follows only from the cost."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from planspec import Judge, load
from planspec.dsl.workspace.workspace import Workspace
from planspec.families.worldtravel.format.codec import FORMAT
from planspec.families.worldtravel.generator.references import Evaluation
from planspec.verifiers.meaning.plan_rows import Plan
from tests.paths import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("worldtravel-tickets")]

TASKS = [f"{city}-{number:03d}" for city in ("berlin", "vienna", "rome", "barcelona", "florence") for number in (1, 28)]
"""Two tasks of each city."""
WORKSPACE = Workspace()


@cache
def judge(task: str) -> Judge:
    path = ROOT / "tasks" / f"worldtravel-{task.partition('-')[0]}" / f"{task}.task.yaml"
    return Judge(load(path, workspace=WORKSPACE))


def reference(task: str) -> tuple[Any, Plan]:
    """Return the reference of a task as JSON, and as a plan."""
    answer = json.loads(json.dumps(judge(task).task.reference, default=float))
    plan, findings = FORMAT.decode(judge(task).task, answer)
    assert findings == ()
    return answer, plan


def items(answer: Any, place: str) -> Iterator[dict[str, Any]]:
    """Yield the items of an answer that visit a place."""
    for day in answer["itinerary"]:
        yield from (i for i in day["schedule"] if i["departure"] == i["destination"] == place and i["item"] != "hotel")


def choices() -> Iterator[tuple[str, Any, Any, Any]]:
    """Yield the cases in which another ticket is sold for a start of the reference.

    Each is a task, a wish, the ticket of the reference, and the other ticket.
    """
    for task in TASKS:
        _, plan = reference(task)
        evaluate = Evaluation(judge(task).task, plan)
        visits: Any = plan.tables["visits"]
        for visit in visits:
            (wish,) = (w for w in judge(task).task.facts["Wish"].rows if w.place is visit.place)  # type: ignore[attr-defined]
            for ticket in evaluate("tickets", wish):
                if visit.ticket is not None and ticket is not visit.ticket and evaluate("lets_in", ticket, wish):
                    yield task, wish, visit.ticket, ticket


def test_only_the_cost_of_a_more_expensive_ticket_for_the_same_start_is_wrong() -> None:
    tried = 0
    for task, wish, own, other in choices():
        answer, plan = reference(task)
        evaluate = Evaluation(judge(task).task, plan)
        if evaluate("lead", other, wish) > evaluate("lead", own, wish):
            continue
        assert evaluate("due_by", other, wish) > evaluate("due_by", own, wish)
        for number, item in enumerate(items(answer, wish.place.name)):
            item |= {"ticket": other.name, "cost": evaluate("due_by", other, wish) / 100 if number == 0 else 0}
        verdict = judge(task).decoded(answer)
        violated = {f.constraint for f in verdict.findings if f.status == "violated"}
        assert verdict.status == "pass", (task, other.name, violated)
        assert f"cost[{wish.place._key[0]}]" in violated <= {f"cost[{wish.place._key[0]}]", "budget"}
        tried += 1
    assert tried >= 3


@pytest.mark.parametrize("task", TASKS)
def test_an_answer_without_tickets_has_the_same_verdict(task: str) -> None:
    answer, plan = reference(task)
    for visit in plan.tables["visits"]:
        for item in items(answer, visit.place.name):  # type: ignore[attr-defined]
            item.pop("ticket", None)
    verdict = judge(task).decoded(answer)
    assert (verdict.status, verdict.soft.satisfied) == ("pass", verdict.soft.total)
    assert verdict.in_scope


@pytest.mark.parametrize("task", TASKS)
def test_costs_permit_only_the_cheapest_ticket_for_the_start(task: str) -> None:
    _, plan = reference(task)
    evaluate = Evaluation(judge(task).task, plan)
    wish: Any
    for wish in judge(task).task.facts["Wish"].rows:
        if not evaluate("covered", wish.place):
            fitting = [ticket for ticket in evaluate("tickets", wish) if evaluate("lets_in", ticket, wish)]
            due = evaluate("due", wish)
            assert sum(evaluate("due_by", ticket, wish) == due for ticket in fitting) == 1


def test_a_ticket_that_is_not_sold_for_the_start_is_a_violation() -> None:
    tried = 0
    for task in TASKS:
        _, plan = reference(task)
        evaluate = Evaluation(judge(task).task, plan)
        wish: Any
        for wish in judge(task).task.facts["Wish"].rows:
            others = [t for t in evaluate("tickets", wish) if not evaluate("lets_in", t, wish)]
            for other in others:
                answer, _ = reference(task)
                for item in items(answer, wish.place.name):
                    item["ticket"] = other.name
                violated = {f.constraint for f in judge(task).decoded(answer).findings if f.status == "violated"}
                assert violated & {f"slot[{wish.place._key[0]}]", f"window[{wish.place._key[0]}]"}
                tried += 1
    assert tried >= 3


@pytest.mark.parametrize(("value", "kind"), [("No such ticket", "unknown-name"), (7, "wrong-type")])
def test_a_ticket_that_a_place_does_not_sell_is_reported_at_its_item(value: Any, kind: str) -> None:
    answer, plan = reference("rome-001")
    visits: Any = plan.tables["visits"]
    next(items(answer, visits[0].place.name))["ticket"] = value
    _, findings = FORMAT.decode(judge("rome-001").task, answer)
    assert [(f.kind, f.column, f.path.rpartition("/")[2]) for f in findings if f.fails] == [(kind, "ticket", "ticket")]
    assert judge("rome-001").decoded(answer).status == "fail"
