"""The profile `official` of TravelPlanner: its verdicts, and the query that it derives from a task."""

from __future__ import annotations

import json
from math import inf
from pathlib import Path
from typing import Any

import pytest

import planspec
from planspec.api.judging import profiles
from planspec.families.travelplanner.official.profile import TravelPlannerOfficial
from planspec.families.travelplanner.official.query import query_of
from planspec.verifiers.answers import UnsuitableTaskError
from planspec.verifiers.meaning.verdict import Verdict
from tests.families.travelplanner.official.public_folder import query_of_record
from tests.families.travelplanner.official.small_world import (
    JUDGED,
    QUERIES,
    SMALL,
    judge,
    judged_record,
    task,
)
from tests.paths import ROOT

ORDER = [
    "is_reasonable_visiting_city",
    "is_valid_restaurants",
    "is_valid_attractions",
    "is_valid_accommodation",
    "is_valid_transportation",
    "is_valid_information_in_current_city",
    "is_valid_information_in_sandbox",
    "is_not_absent",
    "valid_cuisine",
    "valid_room_rule",
    "valid_transportation",
    "valid_room_type",
    "valid_cost",
]


def verdict_on(name: str) -> Verdict:
    """Return the official verdict on a hand-judged plan, by its name."""
    record = judged_record(name)
    return judge(record["query"], "official").answer({"plan": record["plan"]})


def statuses(verdict: Verdict) -> dict[str, str]:
    """Return the status of each rule in a verdict."""
    return {finding.constraint: finding.status for finding in verdict.findings}


def message(verdict: Verdict, rule: str) -> str:
    """Return the message of the finding on a rule."""
    return next(finding.message for finding in verdict.findings if finding.constraint == rule)


@pytest.mark.parametrize("record", JUDGED, ids=[record["name"] for record in JUDGED])
def test_a_plan_passes_if_the_public_final_pass_counts_it(record: dict[str, Any]) -> None:
    verdict = judge(record["query"], "official").answer({"plan": record["plan"]})
    failed = [word for word in record["official"].values() if word in ("fail", "crash")]
    assert verdict.profile == "official"
    assert verdict.status == ("fail" if failed else "pass")
    assert [finding.constraint for finding in verdict.findings] == ORDER
    assert [finding.kind for finding in verdict.findings] == ["commonsense"] * 8 + ["request"] * 5
    counted = [finding.status for finding in verdict.findings if finding.status != "not-applicable"]
    assert (verdict.hard.satisfied, verdict.hard.total) == (counted.count("satisfied"), len(counted))


@pytest.mark.parametrize("record", JUDGED, ids=[record["name"] for record in JUDGED])
def test_skipped_requests_count_as_failed(record: dict[str, Any]) -> None:
    verdict = judge(record["query"], "official").answer({"plan": record["plan"]})
    asks = query_of(task(record["query"])).applies
    if not record.get("hard_asked", True):
        assert {f.status for f in verdict.findings[8:] if asks(f.constraint)} == {"violated"}
    for finding in verdict.findings[8:]:
        assert asks(finding.constraint) or finding.status == "not-applicable"


def test_a_skipped_request_names_the_failed_rules() -> None:
    verdict = verdict_on("a stay day has a dinner")
    assert message(verdict, "valid_cost").startswith("it counts as failed")
    assert "`is_not_absent`" in message(verdict, "valid_cost")
    assert "sandbox" not in message(verdict, "valid_cost")


def test_a_rule_on_which_the_evaluator_crashes_is_violated() -> None:
    verdict = verdict_on("an empty day is padding")
    assert statuses(verdict)["is_reasonable_visiting_city"] == "violated"
    assert message(verdict, "is_reasonable_visiting_city").startswith("the public evaluator would stop here: ")
    assert verdict.metrics == {"total": None}


def test_the_total_is_the_cost_that_the_evaluator_computes() -> None:
    assert verdict_on("a solo trip by car keeps every rule").metrics == {"total": "187.00 USD"}


@pytest.mark.parametrize("answer", [[], None, {"plan": []}, {"plan": None}, "text", 3])
def test_a_missing_plan_is_undelivered_and_satisfies_nothing(answer: Any) -> None:
    verdict = judge(8, "official").decoded(answer)
    assert (verdict.status, verdict.hard.satisfied) == ("undelivered", 0)
    assert (
        verdict.hard.total == 8 + 4
    )  # the rules of common sense, and the requests for house rule, room, transport and budget


def test_a_text_without_a_plan_is_undelivered_in_the_profile() -> None:
    verdict = judge(1, "official").answer("there is no plan")
    assert (verdict.status, verdict.profile) == ("undelivered", "official")


def test_a_day_that_is_not_an_object_crashes_the_evaluator() -> None:
    plan = judged_record("a solo trip by car keeps every rule")["plan"]
    verdict = judge(1, "official").answer({"plan": [plan[0], 7, plan[2]]})
    assert message(verdict, "is_valid_information_in_sandbox").startswith("the public evaluator would stop")


@pytest.mark.parametrize(
    "wrap",
    [
        "{}",
        '{{"task": "1", "plan": {}}}',
        "Here it is:\n```json\n{}\n```\nGood bye.",
        '{{"idx": 1, "query": "q", "plan": {}}}',
    ],
)
@pytest.mark.parametrize("profile", ["strict", "official"])
def test_a_list_of_days_is_read_in_any_wrapping(wrap: str, profile: str) -> None:
    text = wrap.format(json.dumps(judged_record("a solo trip by car keeps every rule")["plan"]))
    assert judge(1, profile).answer(text).status == "pass"


def test_an_answer_in_tables_is_judged_like_the_same_days() -> None:
    strict = judge(1, "strict")
    days = judged_record("a solo trip by car keeps every rule")["plan"]
    plan, _ = strict.format.decode(task(1), days)
    from planspec.verifiers.answers.tables import write_tables

    official_judge = judge(1, "official")
    assert official_judge.answer(write_tables(task(1), plan)).status == "pass"
    assert official_judge.plan(plan).status == "pass"


def test_findings_of_the_reader_do_not_fail_a_plan() -> None:
    text = json.dumps(judged_record("a solo trip by car keeps every rule")["plan"])
    twice = text.replace('"days": 1', '"days": 1, "days": 1', 1)
    verdict = judge(1, "official").answer(twice)
    assert verdict.findings[0].kind == "duplicate-name"
    assert (verdict.findings[0].status, verdict.status) == ("not-applicable", "pass")


# -- queries -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("idx", QUERIES)
def test_the_query_derived_from_a_task_equals_the_public_one(idx: int) -> None:
    result, public = query_of(task(idx)), query_of_record(QUERIES[idx])
    assert (result.org, result.dest, result.days, result.visiting_city_number, result.people, result.budget) == (
        public.org,
        public.dest,
        public.days,
        public.visiting_city_number,
        public.people,
        public.budget,
    )
    expected = public.constraints
    assert result.constraints["house rule"] == expected["house rule"]
    assert result.constraints["room type"] == expected["room type"]
    assert sorted(result.constraints["cuisine"] or []) == sorted(expected["cuisine"] or [])
    assert result.constraints["transportation"] == (expected["transportation"] and [expected["transportation"]])


def judge_with_givens(tmp_path: Path, **given: str) -> planspec.Judge:
    """Return the official judge of a task with changed givens."""
    text = (SMALL / "tasks" / "1.yaml").read_text("utf-8")
    text = text.replace("../", f"{SMALL}/")
    for name, value in given.items():
        before, _, after = text.partition(f"  {name}:")
        text = before + (f"  {name}: {value}" + after[after.index("\n") :] if after else "")
        if not after:
            text = text.replace("given:\n", f"given:\n  {name}: {value}\n")
    path = tmp_path / "own.yaml"
    path.write_text(text.replace('id: "1"', "id: own"), "utf-8")
    return planspec.Judge(planspec.load(path), "official")


def test_a_task_without_a_budget_has_no_limit(tmp_path: Path) -> None:
    own = judge_with_givens(tmp_path, budget="none")
    assert TravelPlannerOfficial(own.task).query.budget == inf
    verdict = own.answer({"plan": judged_record("a solo trip by car keeps every rule")["plan"]})
    assert statuses(verdict)["valid_cost"] == "satisfied"


def test_several_excluded_modes_are_all_checked(tmp_path: Path) -> None:
    own = judge_with_givens(tmp_path, without="[flight, self_driving]")
    verdict = own.answer({"plan": judged_record("a solo trip by car keeps every rule")["plan"]})
    assert statuses(verdict)["valid_transportation"] == "violated"
    assert message(verdict, "valid_transportation") == "Self-driving is used"


def test_a_turn_of_a_conversation_is_judged_by_its_own_givens(tmp_path: Path) -> None:
    text = (SMALL / "tasks" / "1.yaml").read_text("utf-8").replace("../", f"{SMALL}/")
    lines = [line for line in text.splitlines() if not line.startswith("query:")]
    turns = "turns:\n  - query: Somewhere near.\n  - query: For a hundred dollars.\n    given: {budget: 100 USD}\n"
    path = tmp_path / "talk.yaml"
    path.write_text("\n".join(lines).replace('id: "1"', "id: talk") + "\n" + turns, "utf-8")
    plan = {"plan": judged_record("a solo trip by car keeps every rule")["plan"]}
    for turn, status in ((1, "pass"), (2, "fail")):
        assert planspec.verify(planspec.load(f"{path}@{turn}"), plan, profile="official").status == status


# -- the registry ------------------------------------------------------------------------------------


def test_families_without_a_public_evaluator_have_one_profile() -> None:
    assert profiles("travelplanner") == ("strict", "official")
    assert profiles("worldtravel") == profiles(None) == ("strict",)


def test_a_task_whose_tables_were_not_imported_has_no_official_profile(tmp_path: Path) -> None:
    path = tmp_path / "bare.yaml"
    path.write_text(
        "planspec: task/1\nid: bare\ncurrency: USD\nuses: [travelplanner]\nquery: q\n"
        "tables:\n  State: [{id: S}]\n  City: [{id: A, state: S}, {id: B, state: S}]\n"
        "given: {org: A, town: B, trip: [2022-03-01]}\n",
        "utf-8",
    )
    result = planspec.load(path)
    with pytest.raises(UnsuitableTaskError, match=r"bare.*planspec import travelplanner"):
        planspec.Judge(result, "official").undelivered("nothing")
    with pytest.raises(UnsuitableTaskError):
        planspec.Judge(result, "official")


def test_an_unknown_profile_is_refused_with_the_existing_ones() -> None:
    berlin = planspec.load(next((ROOT / "tasks" / "worldtravel-berlin").rglob("berlin-001*.yaml")))
    with pytest.raises(planspec.UnknownProfileError, match=r"worldtravel.*`official`; there is strict"):
        planspec.Judge(berlin, "official")
    with pytest.raises(planspec.UnknownProfileError, match=r"there is strict and official"):
        planspec.verify(task(1), [], profile="lenient")
