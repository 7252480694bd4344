"""Causes of differences between the profiles equal those found by hand. Every difference on recorded plans is
explained.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import planspec
from planspec.dsl.workspace.workspace import Workspace
from planspec.families.travelplanner.importing.suite import import_travelplanner
from planspec.families.travelplanner.official.quirks import QUIRKS
from planspec.verifiers.meaning.verdict import Verdict
from planspec.verifiers.official.protocol import ProfileDifference
from tests.families.travelplanner.official.small_world import JUDGED, judge, judged_record, read_lines
from tests.paths import SHARED

pytestmark = pytest.mark.slow


DATA = SHARED / "data" / "travelplanner"
SLUGS = {
    "D1": {"letters-of-city"},
    "D2": {"destination-unasked"},
    "D3": {"last-attraction"},
    "D4": {"unknown-vehicle", "letter-case"},
    "D5": {"flight-by-number"},
    "D6": {"first-match", "city-in-text"},
    "D7": {"several-matches"},
    "D8": {"meal-at-home"},
    "D9": {"no-house-rules"},
    "D10": {"before-parenthesis"},
    "D11": {"after-semicolon"},
    "D12": {"stops", "missing-field", "before-parenthesis"},
    "D13": {"not-asked"},
    "D15": {"raw-texts"},
    "D16": {"share-of-cells"},
}


def profile_differences(strict: planspec.Judge, official: planspec.Judge, plan: Any) -> tuple[ProfileDifference, ...]:
    """Return the differences between the strict and the official verdict on a plan, with their causes."""
    answer = {"plan": plan}
    return official.differences(official.reading(answer), strict.answer(answer), official.answer(answer))


def differences_on(name: str) -> tuple[ProfileDifference, ...]:
    """Return the differences between the profiles on a hand-judged plan, by its name."""
    record = judged_record(name)
    return profile_differences(judge(record["query"], "strict"), judge(record["query"], "official"), record["plan"])


def status_by_rule(verdict: Verdict) -> dict[str, str]:
    """Return the status of each rule in a verdict."""
    return {f.constraint: f.status for f in verdict.findings if f.level == "hard"}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("record", JUDGED, ids=[record["name"] for record in JUDGED])
def test_each_rule_in_which_the_profiles_differ_has_a_cause(record: dict[str, Any]) -> None:
    strict, official = judge(record["query"], "strict"), judge(record["query"], "official")
    result = profile_differences(strict, official, record["plan"])
    answer = {"plan": record["plan"]}
    a, b = status_by_rule(strict.answer(answer)), status_by_rule(official.answer(answer))
    assert {(d.constraint, d.strict, d.official) for d in result} == {
        (rule, a[rule], b[rule]) for rule in a if a[rule] != b[rule]
    }
    assert {d.quirk for d in result} <= set(QUIRKS) - {"unexplained"}
    for quirk in record.get("quirks", ()) if result else ():
        if quirk != "D12" or "crash" not in record["official"].values():
            assert SLUGS[quirk] & {d.quirk for d in result}, quirk


@pytest.mark.parametrize(
    ("name", "rule", "quirk", "place"),
    [
        (
            "a meal on a stay day is in its city",
            "is_valid_information_in_current_city",
            "letters-of-city",
            "day 2, current_city, `Brindle`",
        ),
        ("the last attraction has to exist", "is_valid_information_in_sandbox", "last-attraction", "attraction"),
        (
            "a flight goes on its own date",
            "valid_cost",
            "flight-by-number",
            "day 1, transportation, `Flight Number: F4110320",
        ),
        ("a breakfast at home hides no dinner", "valid_cuisine", "meal-at-home", "breakfast"),
        (
            "who does not drive does not drive in small letters either",
            "valid_transportation",
            "letter-case",
            "transportation",
        ),
        ("a cost behind a restaurant is not read", "is_valid_information_in_sandbox", "after-semicolon", "; Cost: 24`"),
        ("an empty day is padding", "is_valid_information_in_sandbox", "stops", "day 3, transportation:"),
    ],
)
def test_the_message_on_a_difference_names_the_day_the_field_and_the_quirk(
    name: str, rule: str, quirk: str, place: str
) -> None:
    matching = [d for d in differences_on(name) if (d.constraint, d.quirk) == (rule, quirk)]
    assert matching
    assert place in matching[0].message
    assert matching[0].message.endswith(QUIRKS[quirk])


def test_a_skipped_request_names_the_failed_rule_because_of_which_it_is_skipped() -> None:
    by_rule = {d.constraint: d for d in differences_on("a stay day has a dinner")}
    assert set(by_rule) == {"valid_cost"}
    assert "`is_not_absent`" in by_rule["valid_cost"].message


def test_plans_on_which_the_profiles_agree_have_no_differences() -> None:
    assert differences_on("three cities in seven days keep every rule") == ()


def test_undelivered_answers_have_no_differences() -> None:
    assert profile_differences(judge(1, "strict"), judge(1, "official"), []) == ()


def test_a_difference_without_a_quirk_is_reported_as_unexplained() -> None:
    """The test changes the strict verdict, so that no fix of a quirk leads to it."""
    record = judged_record("a solo trip by car keeps every rule")
    strict, official = judge(1, "strict"), judge(1, "official")
    good = strict.answer({"plan": record["plan"]})
    bad = strict.answer({"plan": judged_record("a restaurant is eaten in once")["plan"]})
    assert good != bad
    result = official.differences(
        official.reading({"plan": record["plan"]}), bad, official.answer({"plan": record["plan"]})
    )
    assert [(d.constraint, d.quirk) for d in result] == [("is_valid_restaurants", "unexplained")]


ODD = [
    None,
    "",
    " ",
    7,
    ["x"],
    {"a": 1},
    "from",
    "From Marrowby to Brindle",
    "from Marrowby to Brindle (X)",
    "Brindle (X)",
    "from Brindle to Corvane",
    "Taxi",
    "self-driving, from Brindle to Marrowby",
    "flight number F1",
    "Flight Number: ",
    "Bus",
    ", Brindle",
    "Golden Carp, Brindle; Cost: 3",
    "Sunny Loft, Brindle",
    "Quiet Nook, Brindle",
    "nothing",
    "a;b;c",
    ";;",
    "You don't need to fill in the information for this or later days.",
]
CELLS = [(name, value) for record in JUDGED for day in record["plan"] for name, value in day.items()]
FIELDS = sorted({name for name, _ in CELLS})


@st.composite
def mutated_plans(draw: st.DrawFn) -> tuple[int, list[Any]]:
    """Draw a hand-judged plan and replace some of its cells or days."""
    record = draw(st.sampled_from(JUDGED))
    plan: list[Any] = [dict(day) for day in record["plan"]]
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, len(plan) - 1))
        odd = st.tuples(st.sampled_from(FIELDS), st.sampled_from(ODD))
        match draw(st.sampled_from(["cell", "cell", "odd", "gone", "empty", "twice", "no day"])):
            case "cell" | "odd" as kind if isinstance(plan[place], dict):
                name, value = draw(st.sampled_from(CELLS) if kind == "cell" else odd)
                plan[place][name] = value
            case "gone" if isinstance(plan[place], dict):
                plan[place].pop(draw(st.sampled_from(FIELDS)), None)
            case "empty":
                plan[place] = {}
            case "twice":
                plan.insert(place, plan[place] and dict(plan[place]) if isinstance(plan[place], dict) else 3)
            case _:
                plan[place] = draw(st.sampled_from([None, 3, "x"]))
    return record["query"], plan


@given(mutated_plans())
def test_every_difference_on_mutated_plans_has_a_cause(mutant: tuple[int, list[Any]]) -> None:
    query, plan = mutant
    strict, official = judge(query, "strict"), judge(query, "official")
    result = profile_differences(strict, official, plan)
    assert "unexplained" not in {difference.quirk for difference in result}
    a, b = (status_by_rule(of.answer({"plan": plan})) for of in (strict, official))
    assert {d.constraint for d in result} == {rule for rule in a if a[rule] != b[rule]}


QUERY = (
    "org",
    "dest",
    "days",
    "visiting_city_number",
    "date",
    "people_number",
    "local_constraint",
    "budget",
    "query",
    "level",
)


@pytest.mark.skipif(not DATA.exists(), reason="the real tables and plans are not there")
def test_no_difference_on_recorded_plans_is_unexplained(tmp_path: Path) -> None:
    """Every seventh plan is checked."""
    records = [r for path in sorted(DATA.glob("official_verdicts_*.jsonl")) for r in read_lines(path) if r["plan"]][::7]
    queries = tmp_path / "queries.jsonl"
    queries.write_text(
        "\n".join(json.dumps({"id": f"q{n}", **{name: r[name] for name in QUERY}}) for n, r in enumerate(records))
    )
    result = import_travelplanner(DATA / "db", [queries], tmp_path / "made")
    workspace = Workspace()
    quirks: Counter[str] = Counter()
    for name in result.tasks:
        task = planspec.load(result.folder / "tasks" / f"{name}.yaml", workspace=workspace)
        strict, official = planspec.Judge(task), planspec.Judge(task, "official")
        quirks.update({d.quirk for d in profile_differences(strict, official, records[int(name[1:])]["plan"])})
    assert quirks["unexplained"] == 0
    assert quirks["not-asked"] > 10
