"""Answers to tasks of `tasks/veritrip`, judged by hand: rules, cells that count as facts, and citations.

Each line of `judged.jsonl` is one answer, as decoded JSON (`answer`) or as an agent's text (`text`). Only judgements
other than correct are listed: `fails` names the violated rules, `cells` the incorrect cells among those that count as
facts, `citations` the cells on attractions that no cited document supports, and `shape` the number of failing shape
findings of each kind. For the five queries of `benchmarks/README.md`, `paper` has the paper's metrics of the answer:
DR, the cells of FR, the planning constraints of PR, and PFR.
"""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import planspec
from planspec.families.veritrip.facts_check.verdict import facts_of
from planspec.families.veritrip.verdict_metrics import VeriTripMetrics
from planspec.verifiers.compiled.compile import Compiled, compile_task
from planspec.verifiers.meaning.judge import judge
from planspec.verifiers.meaning.plan_rows import Plan
from planspec.verifiers.meaning.verdict import Verdict
from planspec.verifiers.metrics import Scored, hard_counts_of
from tests.paths import ROOT
from tests.shipped import WORKSPACE

pytestmark = pytest.mark.slow


CONSTRAINTS = (
    "is_within_budget",
    "first_activity_after_arrival",
    "last_activity_before_departure",
    "transportation_continuity",
    "transportation_closed_loop",
    "transportation_dates",
    "accommodation_capacity",
    "accommodation_coverage",
    "attractions_uniqueness",
    "meals_uniqueness",
    "inner_city_time_efficiency",
    "days_coverage_correct",
    "activity_presence_on_mid_days",
    "information_density",
)
FACTS = (
    "transportation_facts",
    "accommodation_facts",
    "attraction_facts",
    "meal_facts",
    "asked_cities",
    "journey_facts",
    "one_at_a_time",
)
VEHICLE, ROOM, SIGHTS, MEALS, RIDE = PREFERENCES = (
    "intercity_transportation_preference",
    "accommodation_preference",
    "attraction_preference",
    "meal_preference",
    "inner_city_transportation_preference",
)
RULES = (*CONSTRAINTS, *FACTS, *PREFERENCES)
NOT_ASKED = {
    "veritrip-001": {VEHICLE, RIDE},
    "veritrip-006": {VEHICLE, ROOM},
    "veritrip-012": {ROOM, MEALS, RIDE},
    "veritrip-017": {ROOM, MEALS},
    "veritrip-018": {VEHICLE, ROOM},
    "veritrip-029": {RIDE},
    "veritrip-033": {VEHICLE, ROOM, RIDE},
    "veritrip-038": {VEHICLE, MEALS, RIDE},
    "veritrip-046": {RIDE},
    "veritrip-047": {ROOM, MEALS, RIDE},
    "veritrip-058": set[str](),
}
"""Preferences that the query of a task does not mention."""
TABLES = {
    "transportationTable": {
        "transportationID",
        "date",
        "departureStation",
        "arriveStation",
        "begin_time",
        "end_time",
        "price_per_person",
    },
    "accommodationTable": {"city", "name", "price_per_night", "room_type", "breakfast_included"},
    "itineraryTable": {"name", "start_time", "end_time", "price_per_person"},
}
"""Columns whose cells count as facts, keyed by table. Only rows of attractions count in the itinerary."""

PATH = Path(__file__).with_name("judged.jsonl")
JUDGED: list[dict[str, Any]] = [json.loads(line) for line in PATH.read_text("utf-8").splitlines()]
SHIPPED = [json.loads(line) for line in (ROOT / "tasks" / "veritrip" / "queries.jsonl").read_text("utf-8").splitlines()]
each_answer = pytest.mark.parametrize("judged", JUDGED, ids=[judged["name"] for judged in JUDGED])


@cache
def judge_of(task: str) -> planspec.Judge:
    """Return the judge of a shipped task."""
    return planspec.Judge(planspec.load(task, workspace=WORKSPACE))


def answer_of(judged: dict[str, Any]) -> Any:
    """Return the answer of a line of `judged.jsonl`, as text or as JSON."""
    return judged["text"] if "text" in judged else judged["answer"]


@cache
def _verdict_at(index: int) -> Verdict:
    return judge_of(JUDGED[index]["task"]).answer(answer_of(JUDGED[index]))


def verdict_on(judged: dict[str, Any]) -> Verdict:
    """Return the verdict on the answer of a line of `judged.jsonl`."""
    return _verdict_at(JUDGED.index(judged))


def expected_statuses(judged: dict[str, Any]) -> dict[str, str]:
    """Return the judgement on each rule, including rules that the file omits."""
    words = {rule: "not-asked" if rule in NOT_ASKED[judged["task"]] else "pass" for rule in RULES}
    return words | dict.fromkeys(judged["fails"], "fail")


def statuses_of(verdict: Verdict) -> dict[str, str]:
    """Return the status of each rule: `pass`, `fail` or not applicable."""
    words = {"satisfied": "pass", "violated": "fail", "not-applicable": "not-asked"}
    return {f.constraint: words[f.status] for f in verdict.findings if f.level != "shape"}


@each_answer
def test_the_status_equals_the_judgement(judged: dict[str, Any]) -> None:
    assert verdict_on(judged).status == judged["status"]


@each_answer
def test_every_rule_equals_the_judgement(judged: dict[str, Any]) -> None:
    expected = {} if judged["status"] == "undelivered" else expected_statuses(judged)
    assert statuses_of(verdict_on(judged)) == expected


@each_answer
def test_shape_findings_equal_the_judgement(judged: dict[str, Any]) -> None:
    kinds = Counter(f.kind for f in verdict_on(judged).findings if f.level == "shape" and f.status == "violated")
    assert kinds == ({"undelivered": 1} if judged["status"] == "undelivered" else judged["shape"])


@each_answer
def test_every_counted_cell_equals_the_judgement(judged: dict[str, Any]) -> None:
    facts = facts_of(verdict_on(judged))
    if judged["status"] == "undelivered":
        assert facts is None
        return
    assert facts is not None
    amiss = {(table, row, column): status for table, row, column, status in judged["cells"]}
    expected = {cell: amiss.get(cell, "correct") for cell in fact_cells(answer_of(judged))}
    assert amiss.keys() <= expected.keys()
    assert {(cell.table, cell.row, cell.column): cell.status for cell in facts.cells} == expected


@each_answer
def test_every_citation_equals_the_judgement(judged: dict[str, Any]) -> None:
    facts = facts_of(verdict_on(judged))
    if facts is None:
        assert judged["status"] == "undelivered"
        return
    amiss = {(row, column): kind for row, column, kind in judged["citations"]}
    cited = {(c.row, c.column): c.citation for c in facts.cells if c.table == "itineraryTable"}
    assert amiss.keys() <= cited.keys()
    assert cited == {cell: amiss.get(cell, "supported") for cell in cited}
    assert all(cell.citation is None for cell in facts.cells if cell.table != "itineraryTable")


@each_answer
def test_incorrect_cells_have_a_message(judged: dict[str, Any]) -> None:
    facts = facts_of(verdict_on(judged))
    for cell in facts.cells if facts is not None else ():
        assert bool(cell.message) == (cell.status != "correct"), cell
        assert (cell.known is not None) == (cell.status == "wrong"), cell


@cache
def compiled_of(judging: planspec.Judge) -> Compiled:
    """Return the verifier that is compiled for one task, as opposed to code that tasks share."""
    return compile_task(judging.ground)


@pytest.mark.sampled(4)
@each_answer
def test_the_compiled_verdict_equals_the_interpreted_one(judged: dict[str, Any]) -> None:
    judging = judge_of(judged["task"])
    plan = judging.read(answer_of(judged))
    if plan is None:
        assert judged["status"] == "undelivered"
        return
    ground = judging.ground
    statuses, measures = compiled_of(judging).judge_and_measure(plan)
    assert judge(ground, plan, (), statuses, measures=measures) == judge(ground, Plan(plan.tables))


def fact_cells(answer: Any) -> set[tuple[str, int, str]]:
    """Return the cells of an answer that count as facts, independently of the implementation."""
    if isinstance(answer, str):
        answer = json.loads(answer.partition("```json\n")[2].partition("\n```")[0])
    tables = answer.get("Final Result", answer)
    return {
        (table, place, column)
        for table, columns in TABLES.items()
        if isinstance(tables.get(table), list)
        for place, row in enumerate(tables[table])
        if isinstance(row, dict) and (table != "itineraryTable" or row.get("active_type") == "attraction")
        for column in columns
    }


QUERIES = [judged for judged in JUDGED if "paper" in judged]


@pytest.mark.parametrize("judged", QUERIES, ids=[judged["name"] for judged in QUERIES])
def test_the_paper_s_metrics_equal_the_judgement(judged: dict[str, Any]) -> None:
    verdict, requested = verdict_on(judged), hard_counts_of(judge_of(judged["task"]).ground)
    metrics = VeriTripMetrics.over([Scored.of(verdict, requested, {})])
    by_paper = judged["paper"]
    facts = facts_of(verdict)
    assert facts is not None
    assert [facts.counts["correct"], len(facts.cells)] == by_paper["FR"]
    met, asked_for = by_paper["PR"]
    assert metrics.pr_micro == Fraction(met, asked_for) and requested["constraint"] == asked_for
    assert metrics.pr_macro == (met == asked_for)
    assert metrics.pfr == by_paper["PFR"]
    assert metrics.delivery_rate_strict == by_paper["DR"]


def test_each_query_of_the_page_has_one_right_and_three_wrong_answers() -> None:
    """The page has a row for each answer with its metrics."""
    page = (ROOT / "benchmarks" / "README.md").read_text("utf-8")
    assert len({judged["task"] for judged in QUERIES}) == 5
    for task in {judged["task"] for judged in QUERIES}:
        own = [judged for judged in QUERIES if judged["task"] == task]
        assert len(own) == 4 and own[0]["status"] == "pass" and not own[0]["fails"]
        query = next(q for q in SHIPPED if q["id"] == task)
        assert query["nature_language"] in page
        for judged in own:
            paper = judged["paper"]
            figures = (
                "1" if paper["DR"] else "0",
                "{}/{}".format(*paper["FR"]),
                "{}/{}".format(*paper["PR"]),
                "1" if paper["PFR"] else "0",
                judged["status"],
            )
            assert f"| {judged['name'].partition(': ')[2]} | {' | '.join(figures)} |" in page


# -- the judged answers themselves -------------------------------------------------------------------


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_passes_in_one_answer_and_is_the_only_failure_of_another(rule: str) -> None:
    assert any(expected_statuses(judged)[rule] == "pass" for judged in JUDGED if judged["status"] == "pass")
    assert any(judged["fails"] == [rule] for judged in JUDGED)


def test_answer_names_are_unique_and_every_verdict_has_a_reason() -> None:
    assert len({judged["name"] for judged in JUDGED}) == len(JUDGED)
    assert all(judged["why"] and set(judged["fails"]) <= set(RULES) for judged in JUDGED)
    assert all(not NOT_ASKED[judged["task"]] & set(judged["fails"]) for judged in JUDGED)


def test_every_status_of_a_cell_and_every_kind_of_citation_is_judged() -> None:
    assert {cell[3] for judged in JUDGED for cell in judged["cells"]} == {
        "wrong",
        "unsupported",
        "unreadable",
    }
    kinds = {citation[2] for judged in JUDGED for citation in judged["citations"]}
    assert kinds == {"contradicted", "silent", "uncited"}


def test_a_plan_fails_because_of_a_hard_rule_or_its_shape() -> None:
    for judged in JUDGED:
        hard = set(judged["fails"]) - set(PREFERENCES)
        if judged["status"] != "undelivered":
            assert (judged["status"] == "fail") == bool(hard or judged["shape"]), judged["name"]
