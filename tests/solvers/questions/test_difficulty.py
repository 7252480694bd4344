"""Measures of difficulty are right on tasks whose plans are known."""

from __future__ import annotations

import pytest

from planspec.api.judging import Judge
from planspec.api.loading import load
from planspec.dsl.documents.documents import task_from_text
from planspec.solvers.backends.outcome import Limits
from planspec.solvers.lowering.problem import lower
from planspec.solvers.questions.difficulty import Slack, difficulty, slack
from planspec.solvers.questions.enumerate import Count
from planspec.solvers.questions.greedy import greedy_runs, main_table
from planspec.verifiers.meaning.ground import ground

TASK = """planspec: task/1
id: rounds
query: Three visits in some order, an hour each.
currency: EUR
tables:
  Place:
    columns: {id: key text}
    rows: [{id: a}, {id: b}, {id: c}]
  Leg:
    columns: {from_: key Place, to: key Place, time: duration}
    rows:
      - {from_: a, to: b, time: 10min}
      - {from_: b, to: a, time: 10min}
      - {from_: a, to: c, time: 90min}
      - {from_: c, to: a, time: 90min}
      - {from_: b, to: c, time: 60min}
      - {from_: c, to: b, time: 60min}
plan:
  visits: {place: key Place, start: time, cost: money}
scope:
  visits:
    for: p in Place
    place: p
    start: 9:00..14:00 step 1h
    cost: {0 EUR, 5.00 EUR}
constraints:
  way:
    hard: >-
      all(b.start >= a.start + 1h + Leg[a.place, b.place].time
          for a, b in steps(v for v in visits, by=v.start))
RULES
"""


def task(rules: str) -> str:
    body = "".join(f"  r{i}:\n    hard: {rule}\n" for i, rule in enumerate(rules.split(" ; ")))
    text = TASK.replace("RULES\n", body)
    return (
        text.replace("  visits:\n    for: p in Place\n    place", "  visits:\n    - for: p in Place\n      place")
        .replace("\n    start: 9:00", "\n      start: 9:00")
        .replace("\n    cost: {0", "\n      cost: {0")
    )


def test_a_greedy_planner_finds_no_plan_if_the_cheap_rows_lead_into_a_dead_end() -> None:
    """The place `c` is far away and open only at nine. A planner that starts with cheap rows cannot reach it."""
    rounds = ground(
        task_from_text(
            task(
                "visits[c].start == 9:00 ; visits[c].cost == 5.00 EUR ; visits[a].start >= 10:00 ; visits[b].start >= 10:00"
            )
        )
    )
    lowered = lower(rounds)
    assert main_table(lowered) == "visits"
    runs = {run.strategy: run for run in greedy_runs(lowered)}
    assert set(runs) == {"earliest", "nearest", "cheapest"}
    assert all(run.end != "unknown" and run.rows == 3 for run in runs.values())
    assert runs["cheapest"].settled == 0
    assert runs["cheapest"].end == "stuck"
    assert (runs["earliest"].settled, runs["earliest"].end) == (3, "through")


def test_plans_are_counted_up_to_a_limit() -> None:
    rounds = ground(task_from_text(task("visits[c].start == 9:00")))
    every = difficulty(rounds, most=1000).solutions
    assert every is not None
    assert every.exact
    assert every.count % 8 == 0  # each of three visits may have two costs
    assert difficulty(rounds, most=10).solutions == Count(10, exact=False)


def test_an_infeasible_task_has_no_plans_to_measure() -> None:
    measures = difficulty(ground(task_from_text(task("visits[c].start < 9:00"))))
    assert measures.feasible == "infeasible"
    assert measures.solutions is None
    assert measures.backbone is None
    assert measures.greedy == ()


def test_nothing_is_claimed_after_the_time_limit() -> None:
    measures = difficulty(ground(load("berlin-008")), limits=Limits(seconds=1e-6))
    assert measures.feasible == "unknown"
    assert measures.solutions is None
    assert not measures.finished


def test_the_backbone_of_a_loose_task_has_the_fields_that_its_plans_share() -> None:
    measures = difficulty(ground(task_from_text(task("visits[c].start == 9:00 ; visits[b].start == 11:00"))))
    assert measures.backbone is not None
    places = {(i, column) for _, i, column in measures.backbone.fixed}
    assert places == {(1, "start"), (2, "start")}
    assert measures.backbone.open == 6
    assert measures.backbone.complete


@pytest.mark.slow
@pytest.mark.parametrize("name", ["berlin-001", "berlin-008"])
def test_all_open_fields_of_a_unique_task_are_backbone(name: str) -> None:
    judge = Judge(load(name))
    measures = difficulty(judge.ground, reference=judge.reference_plan())
    assert measures.solutions == Count(1, exact=True)
    assert measures.backbone is not None
    assert measures.backbone.share == 1.0
    assert measures.hard == sum(i.applicable and i.constraint.hard for i in judge.ground.instances)
    assert measures.search["branches"] > 0


@pytest.mark.slow
def test_slack_is_the_minimum_margin_of_each_unit() -> None:
    judge = Judge(load("berlin-001"))
    plan = judge.reference_plan()
    assert plan is not None
    slacks = {s.unit: s for s in slack(judge.ground, plan)}
    margins: dict[str | None, list[int]] = {}
    for finding in judge.plan(plan).findings:
        if finding.level == "hard" and isinstance(finding.margin, int):
            margins.setdefault(finding.unit, []).append(finding.margin)
    assert {unit: s.margin for unit, s in slacks.items()} == {unit: min(all_) for unit, all_ in margins.items()}
    assert [type(one) for one in slacks.values()] == [Slack]  # only minutes count, since constraints on costs are soft
