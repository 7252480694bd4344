"""Plans in the invented world of `tasks/travelplanner-small`, judged by hand in both profiles.

Each line of `judged.jsonl` is one plan. `strict` and `official` give the judgement of each rule: `pass`, `fail` or
`not-asked` (the rule does not apply); in `official` also `crash` if the public evaluator would stop with an exception.
Rules that pass are omitted. The four rules on local constraints are also omitted if the query has none. Hard rules are
judged as if the evaluator always applied them; `hard_asked` is false if the evaluator skips them and counts them as
failed. `quirks` lists the reasons why the profiles differ:

    D1   on a stay day the evaluator compares single letters of the city's name
    D2   the destination of a trip of three days is not checked
    D3   attractions after the last semicolon are not read
    D4   unexpected words for modes of transport are not recognized
    D5   a flight may be taken on any date
    D6   a part of a name is enough, and the first row that contains it is used
    D7   minimum nights are checked only if exactly one name matches
    D8   a meal at home hides the later meals of its day
    D9   a listing without house rules is ignored
    D10  the blank before a parenthesis is part of the city's name
    D11  a cost after the city is read as a part of the city's name
    D12  unreadable values raise an exception
    D13  the hard rules count as failed unless the plan is complete and in the tables
    D15  two spellings of a name count as two names
    D16  values that do not concern the trip count towards completeness

Neither profile checks opening hours, the hour of arrival, or the number of guests of a listing (D14).
"""

from __future__ import annotations

import csv
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import planspec
from planspec.dsl.workspace.workspace import Workspace
from planspec.families.travelplanner.official.evaluator import Evaluator, passes_gate
from tests.families.travelplanner.official.public_folder import query_of_record, read_facts
from tests.paths import ROOT

SMALL = ROOT / "tasks" / "travelplanner-small"
DATABASE = SMALL / "database"
COMMONSENSE = (
    "is_reasonable_visiting_city",
    "is_valid_restaurants",
    "is_valid_attractions",
    "is_valid_accommodation",
    "is_valid_transportation",
    "is_valid_information_in_current_city",
    "is_valid_information_in_sandbox",
    "is_not_absent",
)
LOCAL = {
    "valid_room_rule": "house rule",
    "valid_cuisine": "cuisine",
    "valid_transportation": "transportation",
    "valid_room_type": "room type",
}
RULES = (*COMMONSENSE, "valid_cost", *LOCAL)
QUIRKS = {f"D{n}" for n in range(1, 17)} - {"D14"}


def read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


QUERIES = {query["idx"]: query for query in read_lines(SMALL / "queries.jsonl")}
WORKSPACE = Workspace()
"""Workspace shared by all tests, so that the library and the world are checked once."""
JUDGED = read_lines(Path(__file__).with_name("judged.jsonl"))
each_plan = pytest.mark.parametrize("judged", JUDGED, ids=[judged["name"] for judged in JUDGED])


def judgements_by_hand(judged: dict[str, Any], profile: str) -> dict[str, str]:
    """Return the handwritten judgement on every rule, including rules that `judged.jsonl` omits."""
    request = QUERIES[judged["query"]]["local_constraint"]
    rest = {rule: "not-asked" for rule, name in LOCAL.items() if not request[name]}
    return {rule: judged[profile].get(rule, rest.get(rule, "pass")) for rule in RULES}


@cache
def evaluator() -> Evaluator:
    """Return the reproduced evaluator with the small world's tables."""
    return Evaluator(read_facts(DATABASE))


@cache
def judge(idx: int) -> planspec.Judge:
    return planspec.Judge(planspec.load(SMALL / "tasks" / f"{idx}.yaml", workspace=WORKSPACE))


@each_plan
def test_the_reproduced_evaluator_agrees_with_the_judgements_by_hand(judged: dict[str, Any]) -> None:
    query, plan = query_of_record(QUERIES[judged["query"]]), judged["plan"]
    commonsense, hard = evaluator().commonsense(query, plan), evaluator().hard(query, plan)
    words = {True: "pass", False: "fail", None: "not-asked"}
    actual = {rule: "crash" if result.crashes else words[result.holds] for rule, result in (commonsense | hard).items()}
    assert actual == judgements_by_hand(judged, "official")
    assert passes_gate(commonsense) is judged.get("hard_asked", True)


@pytest.mark.slow
@each_plan
def test_the_library_agrees_with_the_judgements_by_hand(judged: dict[str, Any]) -> None:
    verdict = judge(judged["query"]).answer({"plan": judged["plan"]})
    result: dict[str, set[str]] = {rule: set() for rule in RULES}
    for finding in verdict.findings:
        rule = finding.constraint.partition("[")[0]
        if rule in result:
            result[rule].add(finding.status)
    actual = {
        rule: "fail" if "violated" in statuses else "pass" if "satisfied" in statuses else "not-asked"
        for rule, statuses in result.items()
    }
    assert actual == judgements_by_hand(judged, "strict")


def test_the_suite_has_a_task_for_each_query() -> None:
    assert (SMALL / "suite.yaml").is_file()
    assert {path.stem for path in (SMALL / "tasks").glob("*.yaml")} == {str(idx) for idx in QUERIES}


# -- the judged plans themselves ---------------------------------------------------------------------


@pytest.mark.parametrize("profile", ["strict", "official"])
@pytest.mark.parametrize("rule", RULES)
def test_every_rule_passes_in_one_plan_and_is_the_only_failure_of_another(rule: str, profile: str) -> None:
    verdicts = [judgements_by_hand(judged, profile) for judged in JUDGED]
    assert any(verdict[rule] == "pass" for verdict in verdicts)
    assert any({r for r, word in verdict.items() if word in ("fail", "crash")} == {rule} for verdict in verdicts)


def test_every_quirk_makes_the_profiles_differ() -> None:
    assert {quirk for judged in JUDGED for quirk in judged.get("quirks", ())} == QUIRKS
    for judged in JUDGED:
        quirks = set(judged.get("quirks", ()))
        if "D13" in quirks:
            assert judged["hard_asked"] is False, judged["name"]
        if quirks - {"D13"}:
            assert judgements_by_hand(judged, "strict") != judgements_by_hand(judged, "official"), judged["name"]


def test_names_of_plans_are_unique_and_only_rules_are_judged() -> None:
    assert len({judged["name"] for judged in JUDGED}) == len(JUDGED)
    assert all({*judged["strict"], *judged["official"]} <= set(RULES) for judged in JUDGED)


def test_every_solvable_query_has_a_plan_that_passes_in_both_profiles() -> None:
    good = {
        judged["query"]
        for judged in JUDGED
        if not {
            *judgements_by_hand(judged, "strict").values(),
            *judgements_by_hand(judged, "official").values(),
        }
        & {"fail", "crash"}
    }
    assert good == set(QUERIES) - {13, 14}


# -- two queries without a solution ----------------------------------------------------------------


def rows(name: str, column: str, city: str) -> list[dict[str, str]]:
    """Return the rows of a public file that have this city in a column."""
    with (DATABASE / name).open(encoding="utf-8", newline="") as file:
        return [row for row in csv.DictReader(file) if row[column] == city]


def test_query_13_is_unaffordable() -> None:
    """Both rides, the cheapest bed for the two nights, and the three cheapest meals of day 2 exceed the budget."""
    query = QUERIES[13]
    flights = rows("flights/clean_Flights_2022.csv", "OriginCityName", "Brindleton")
    flights += rows("flights/clean_Flights_2022.csv", "DestCityName", "Brindleton")
    assert not flights
    ways = {("Dunlow", "Brindleton"): 0, ("Brindleton", "Dunlow"): 0}
    for way in rows("googleDistanceMatrix/distance.csv", "origin", "Dunlow") + rows(
        "googleDistanceMatrix/distance.csv", "origin", "Brindleton"
    ):
        if (way["origin"], way["destination"]) in ways:
            ways[way["origin"], way["destination"]] = int(way["distance"].removesuffix(" km")) // 20
    beds = rows("accommodations/clean_accommodations_2022.csv", "city", "Brindleton")
    bed = min(float(row["price"]) for row in beds)
    meals = sorted(
        int(row["Average Cost"]) for row in rows("restaurants/clean_restaurant_2022.csv", "City", "Brindleton")
    )
    cheapest = sum(ways.values()) + 2 * bed + sum(meals[:3])
    assert (query["people_number"], query["days"], cheapest) == (1, 3, 34 + 56 + 37)
    assert cheapest > query["budget"]


def test_query_14_has_no_possible_accommodation() -> None:
    """Each private room of Quillport bans pets, or requires more nights than the trip has."""
    query = QUERIES[14]
    beds = rows("accommodations/clean_accommodations_2022.csv", "city", query["dest"])
    private = [row for row in beds if row["room type"] == "Private room"]
    assert len(private) == 3
    assert all("No pets" in row["house_rules"] or float(row["minimum nights"]) > query["days"] for row in private)
