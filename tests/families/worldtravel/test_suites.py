"""The suites of the five cities: the paper's counts, unique solutions and difficulty."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from functools import cache
from typing import Any

import pytest

from planspec import Judge, load
from planspec.api.catalog import Catalog
from planspec.api.certificates import certificate_path
from planspec.dsl.model.rows import make_row
from planspec.dsl.workspace.workspace import Workspace
from planspec.families.worldtravel.generator.city import CityFolder
from planspec.families.worldtravel.generator.references import LONGEST_WAIT, unexplained_waits
from planspec.families.worldtravel.generator.wording import MAX_OVERLAP, trigram_overlap, trigrams
from planspec.families.worldtravel.shortsighted import PLANNERS, plans
from planspec.families.worldtravel.verdict_metrics import WorldTravelMetrics
from planspec.solvers.questions.claims import validate_claims
from planspec.verifiers.meaning.plan_rows import Plan
from planspec.verifiers.metrics.scored import Scored
from tests.paths import ROOT

CITIES = ("berlin", "vienna", "rome", "barcelona", "florence")
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("worldtravel-suites")]

WORKSPACE = Workspace()
TASKS = {path.name.partition(".")[0]: path for city in CITIES for path in Catalog().suite(f"worldtravel-{city}").tasks}
"""All tasks of the benchmark, keyed by id."""
SAMPLE = sorted(TASKS)[::10]
"""Three tasks of each city."""
TABLE_10 = {
    "total": {range(10, 13): 34, range(13, 16): 48, range(16, 19): 55, range(19, 24): 13},
    "hard": {range(6, 9): 57, range(9, 11): 38, range(11, 14): 55},
    "anchors": {range(2): 28, range(2, 4): 80, range(4, 6): 42},
}
"""The paper's Table 10: numbers of the 150 tasks by number of constraints."""


@cache
def judge(task: str) -> Judge:
    """Return the judge of a task from a cache."""
    return Judge(load(TASKS[task], workspace=WORKSPACE))


@cache
def counts(task: str) -> Mapping[str, int]:
    """Return the numbers of constraints and anchors (places with booked starts only) of a task, counted as in Table
    10.
    """
    applicable = [instance for instance in judge(task).ground.instances if instance.applicable]
    return {
        "total": len(applicable),
        "hard": sum(instance.constraint.hard for instance in applicable),
        "anchors": sum(instance.id.startswith("slot[") for instance in applicable),
    }


def requested_places(task: str) -> list[str]:
    """Return the ids of the places that a task requests."""
    wishes: Any = judge(task).task.facts["Wish"].rows
    return [str(wish.place._key[0]) for wish in wishes]


def test_each_city_has_thirty_tasks() -> None:
    assert Counter(task.partition("-")[0] for task in TASKS) == dict.fromkeys(CITIES, 30)


@pytest.mark.thorough
@pytest.mark.parametrize("counted", TABLE_10)
def test_constraints_and_anchors_are_distributed_as_in_table_10(counted: str) -> None:
    numbers = [counts(task)[counted] for task in TASKS]
    assert {span: sum(number in span for number in numbers) for span in TABLE_10[counted]} == TABLE_10[counted]


@pytest.mark.thorough
def test_thirty_tasks_have_five_anchors_and_form_a_suite() -> None:
    """The paper's ablation with the setting `gold` uses these thirty tasks."""
    listed = [path.name.partition(".")[0] for path in Catalog().suite("worldtravel-anchors").tasks]
    assert listed == [task for task in TASKS if counts(task)["anchors"] == 5]
    assert len(listed) == 30


@pytest.mark.thorough
def test_a_suite_of_all_five_cities_names_each_task_once() -> None:
    listed = list(Catalog().suite("worldtravel").tasks)
    assert [path.resolve() for path in listed] == [path.resolve() for path in TASKS.values()]
    named = {entry.path.resolve() for entry in Catalog().tasks() if entry.id in TASKS}
    assert len(named) == len(TASKS) == sum(entry.id in TASKS for entry in Catalog().tasks())


@pytest.mark.sampled(20)
@pytest.mark.parametrize("task", TASKS)
def test_the_reference_passes_with_every_soft_constraint(task: str) -> None:
    verdict = judge(task).decoded(judge(task).task.reference)
    assert (verdict.status, verdict.soft.satisfied) == ("pass", verdict.soft.total)
    assert verdict.in_scope


@pytest.mark.sampled(5)
@pytest.mark.parametrize("city", CITIES)
def test_no_two_tasks_of_a_city_share_a_day(city: str) -> None:
    days = [day for task in TASKS if task.startswith(city) for day in judge(task).task.givens["trip"]]
    assert len(days) == len(set(days))


@pytest.mark.sampled(5)
@pytest.mark.parametrize("city", CITIES)
def test_requests_for_a_city_are_dissimilar(city: str) -> None:
    """At least a third of the requests name an interest instead of a place. No request gives the time of a visit."""
    requests = {task: str(judge(task).task.query) for task in TASKS if task.startswith(city)}
    actual = [trigrams(text) for text in requests.values()]
    assert max(trigram_overlap(a, b) for number, a in enumerate(actual) for b in actual[:number]) <= MAX_OVERLAP
    places = CityFolder.read(ROOT / "tasks" / "cities" / city).scenarios.places
    by_interest = [
        task
        for task, text in requests.items()
        if any(not any(name in text for name in places[place].named) for place in requested_places(task))
    ]
    assert len(by_interest) >= len(requests) / 3
    clocks = [[word for word in text.replace(".", " ").split() if ":" in word[1:-1]] for text in requests.values()]
    assert max(map(len, clocks)) <= 1  # a request may contain one time: when travellers must be back


def cells(task: str) -> dict[str, dict[str, Any]]:
    """Return, by requested place, the columns of the wish that differ from their defaults."""
    table = judge(task).task.tables["Wish"]
    defaults = make_row(table, {}, 0)
    wishes: Any = judge(task).task.facts["Wish"].rows
    return {
        str(wish.place._key[0]): {
            name: getattr(wish, name) for name in table.columns if getattr(wish, name) != getattr(defaults, name)
        }
        for wish in wishes
    }


@pytest.mark.sampled(5)
@pytest.mark.parametrize("city", CITIES)
def test_the_title_of_a_task_describes_its_contents(city: str) -> None:
    """The title promises properties that the task has (the title of its core), or it lists the numbers of visits."""
    folder = CityFolder.read(ROOT / "tasks" / "cities" / city)
    cores = {core.title: core for core in folder.scenarios.cores}
    numbers = ("no", "one", "two", "three", "four", "five")
    for task in (task for task in TASKS if task.startswith(city)):
        title, wishes = str(judge(task).task.title), cells(task)
        passes = {str(row._key[0]) for row in judge(task).task.givens["passes"]}
        if title in cores:
            for subject, column, value in cores[title].promised():
                assert subject in wishes or subject in passes, (task, subject)
                assert not column or wishes[subject][column] == (value or wishes[subject][column]), (task, subject)
            continue
        words, seen = title.lower().split(), [wishes[place] for place in wishes if place not in folder.restaurants]
        for noun, count in (
            ("sight", sum(not wish.get("guided") and "genre" not in wish for wish in seen)),
            ("tour", sum(bool(wish.get("guided")) for wish in seen)),
        ):
            named = [number for number, word in enumerate(words) if word.strip(",").rstrip("s") == noun]
            assert len(named) == bool(count), (task, noun)
            assert all(numbers[count] in words[: number + 1] for number in named), (task, noun)
        for genre in ("opera", "ballet", "concert", "play"):
            assert title.count(genre) == sum(wish.get("genre") == genre for wish in seen), task
        for meal in ("lunch", "dinner"):
            assert title.lower().count(meal) == sum(wish.get("meal") == meal for wish in wishes.values()), task


@pytest.mark.thorough
def test_no_visit_waits_more_than_an_hour_after_an_earlier_permitted_start() -> None:
    for task in TASKS:
        plan = judge(task).reference_plan()
        assert isinstance(plan, Plan)
        assert all(wait <= LONGEST_WAIT for _, wait in unexplained_waits(judge(task).task, plan)), task


@pytest.mark.thorough
def test_tasks_have_the_typical_elements_of_their_city() -> None:
    """Half of Vienna's tasks and a third of Rome's have a performance, and ten tasks a visit in several sessions."""
    vienna = [cells(task) for task in TASKS if task.startswith("vienna")]
    assert sum(any("genre" in wish for wish in wishes.values()) for wishes in vienna) >= 15
    for house in ("staatsoper", "volksoper"):
        assert sum("genre" in wishes.get(house, {}) for wishes in vienna) >= 5
    for column in ("language", "introduction"):
        assert sum(any("genre" in wish and column in wish for wish in wishes.values()) for wishes in vienna) >= 5
    rome = [cells(task) for task in TASKS if task.startswith("rome")]
    assert sum(any("genre" in wish for wish in wishes.values()) for wishes in rome) >= 10
    for house in ("caracalla", "opera"):
        assert sum("genre" in wishes.get(house, {}) for wishes in rome) >= 4
    assert sum(any("sessions" in wish for wish in cells(task).values()) for task in TASKS) >= 10


# ------------------------------------------------------------------ proofs


def test_certificates_prove_both_claims_beyond_the_scope() -> None:
    """Each task claims that its plan is unique, and that its best plan is unique.

    Beyond the scope, at least one back end proves both claims of a task, and both back ends prove both claims of at
    least nine tasks in ten. Within the scope, both back ends prove all claims.
    """
    both = 0
    for task, path in TASKS.items():
        certificate = json.loads(certificate_path(path, task).read_text("utf-8"))
        claims = [certificate["unique"], certificate["best"]["unique"]]
        for claim in claims:
            assert claim.get("leans_on", []) == [], task
        proved = [
            {name for name, proof in claim["backends"].items() if proof["status"] == "unique"} for claim in claims
        ]
        assert proved[0] & proved[1], task
        both += proved[0] & proved[1] == {"cpsat", "smt"}
    assert both >= 0.9 * len(TASKS)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("task", SAMPLE)
def test_both_back_ends_prove_a_task_feasible_and_both_claims(task: str) -> None:
    """The uniqueness of the plan and of the best plan is proved again here for a sample of the tasks.

    The certificates cover all tasks.
    """
    result = validate_claims(judge(task).ground)
    assert {b.status for b in result.feasible.backends.values()} == {"feasible"}
    assert {b.status for b in result.unique.backends.values()} == {"unique"}
    assert set(result.unique.backends) == {"cpsat", "smt"}
    assert result.best is not None
    assert {b.status for b in result.best.unique.backends.values()} == {"unique"}


# ------------------------------------------------------------------ planners without look-ahead


@pytest.mark.thorough
def test_planners_without_look_ahead_pass_few_tasks_and_satisfy_many_rules() -> None:
    """Each planner passes at most one task in twenty, and satisfies at least two fifths of the hard constraints."""
    stored: dict[str, list[float]] = {name: [] for name in PLANNERS}
    for task in sorted(TASKS)[::3]:
        for name, plan in plans(judge(task).task):
            tally = judge(task).plan(plan, details="none").hard
            stored[name].append(tally.satisfied / tally.total)
    assert [name for name, shares in stored.items() if sum(share == 1 for share in shares) > 0.05 * len(shares)] == []
    assert [name for name, shares in stored.items() if sum(shares) < 0.4 * len(shares)] == []


# ------------------------------------------------------------------ incomplete plans


def hotel_only(task: str) -> Any:
    """Return the reference of a task, reduced to its hotel items."""
    days = judge(task).task.reference["itinerary"]
    return {
        "itinerary": [
            {**day, "schedule": [item for item in day["schedule"] if item["item"] == "hotel"]} for day in days
        ]
    }


@pytest.mark.thorough
def test_a_hotel_alone_satisfies_less_than_a_tenth_of_the_hard_rules() -> None:
    """The share is an average over all tasks. Of the soft constraints, only those on the hotel are satisfied."""
    scored = []
    for task in TASKS:
        verdict = judge(task).decoded(hotel_only(task))
        assert {f.constraint for f in verdict.findings if f.level == "soft" and f.status == "satisfied"} == {"hotel"}
        scored.append(Scored(verdict=verdict))
    metrics = WorldTravelMetrics.over(scored)
    assert metrics.delivered == len(TASKS)
    assert metrics.constraint_violation is not None
    assert metrics.constraint_violation > 0.9


@pytest.mark.sampled(3)
@pytest.mark.parametrize("task", SAMPLE)
def test_every_rule_of_a_place_is_violated_if_its_visit_is_left_out(task: str) -> None:
    """Its hard and its soft constraints are violated, including the constraints on costs."""
    plan = judge(task).reference_plan()
    assert isinstance(plan, Plan)
    for visit in plan.tables["visits"]:
        place: Any = visit.place  # type: ignore[attr-defined]
        rest = tuple(row for row in plan.tables["visits"] if row.place is not place)  # type: ignore[attr-defined]
        verdict = judge(task).plan(replace(plan, tables={**plan.tables, "visits": rest}))
        own = {f.constraint for f in verdict.findings if f.constraint.endswith(f"[{place._key[0]}]")}
        violated = {f.constraint for f in verdict.findings if f.status == "violated"}
        assert len(own) >= 2
        assert own <= violated


@pytest.mark.parametrize(
    "text", ["[1, 2]", '"a nice day"', "NaN", "We walk around a bit.", '{"task": "x", "plan": [1]}', "{"]
)
def test_an_answer_without_a_plan_is_undelivered(text: str) -> None:
    """The judge neither passes the answer nor crashes."""
    verdict = judge("berlin-001").answer(text)
    assert (verdict.status, verdict.hard.satisfied) == ("undelivered", 0)
    assert verdict.hard.total >= 6


ORDINALS = {12: "twelfth"}
"""For some days of the month, the word by which a request writes them."""


@pytest.mark.thorough
def test_the_days_match_the_request() -> None:
    """The request contains the date of the first day, and every weekday that it names is a day of the trip."""
    for task in TASKS:
        trip = [date.fromordinal(day) for day in judge(task).task.givens["trip"]]
        query = str(judge(task).task.query)
        day, month = trip[0].day, f"{trip[0]:%B}"
        number = rf"({day}|{ORDINALS.get(day, day)})(st|nd|rd|th)?"
        dated = rf"\b{number}\b.{{1,40}}\b{month}\b|\b{month} (the )?{number}\b"
        assert re.search(dated, query, re.DOTALL | re.IGNORECASE), task
        weekdays = set(re.findall(r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b", query.title()))
        assert weekdays <= {f"{day:%A}" for day in trip}, task
