"""Queries become tasks: every preference becomes a given, and queries that do not fit are rejected."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

import planspec
from planspec.api.judging import Judge
from planspec.api.loading import load
from planspec.dsl.model.task import Task
from planspec.dsl.workspace.workspace import Workspace
from planspec.families.veritrip.base_database import world_text, write_base
from planspec.families.veritrip.corpus import Statement
from planspec.families.veritrip.fact_bases import fact_bases
from planspec.families.veritrip.facts import FactBase
from planspec.families.veritrip.query import Query
from planspec.families.veritrip.tasks import FactBaseNames, task_text
from planspec.solvers.backends.outcome import Limits, Status
from planspec.solvers.questions import prove
from tests.families.veritrip.written_base import rounded_base

pytestmark = pytest.mark.slow


BASE = rounded_base()
NAMES = FactBaseNames.of(BASE)
ASKED: dict[str, Any] = {
    "id": "q-1",
    "start_city": "Aldorf",
    "target_city": "Brunn",
    "start_date": "2025-10-15",
    "end_date": "2025-10-17",
    "people_number": 2,
    "nature_language": "Show me Brunn.",
}
SIGHT = next(a.name for a in BASE.attractions if a.city == "Brunn")


def query(**more: Any) -> Query:
    """Return a query with changed fields."""
    return Query.model_validate({**ASKED, **more})


def write_suite(folder: Path, base: FactBase, *queries: Query) -> Path:
    """Write a world with a task for each query."""
    names = FactBaseNames.of(base)
    write_base(base, folder / "base.sqlite")
    (folder / "w.world.yaml").write_text(world_text("w", "W", base.currency, "base.sqlite"), "utf-8")
    for request in queries:
        text = task_text(request, names, "base.sqlite", "w.world.yaml")
        (folder / f"{request.id}.yaml").write_text(text, "utf-8")
    return folder


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({}, None),
        ({"p_attraction": SIGHT, "p_accommodation": "Twin room", "p_meal": "Noodles"}, None),
        ({"p_meal": "anything"}, "p_meal: no restaurant of Brunn is called, or serves, `anything`"),
        ({"start_city": "Atlantis"}, "the fact base has no train or flight from `Atlantis` to `Brunn` on 2025-10-15"),
        ({"target_city": "Aldorf"}, "the fact base has no train or flight from `Aldorf` to `Aldorf` on 2025-10-15"),
        ({"end_date": "2025-10-18"}, "the fact base has no train or flight from `Brunn` to `Aldorf` on 2025-10-18"),
        ({"start_date": "2025-10-14"}, "the fact base has no train or flight from `Aldorf` to `Brunn` on 2025-10-14"),
        ({"p_attraction": f"{SIGHT}|Moon"}, "p_attraction: no attraction of Brunn is called `Moon`"),
        ({"p_accommodation": "Tent"}, "p_accommodation: no hotel has rooms of the kind `Tent`"),
    ],
    ids=str,
)
def test_a_query_that_does_not_fit_the_fact_base_is_rejected(more: dict[str, Any], message: str | None) -> None:
    assert NAMES.why_unfit(query(**more)) == message


@pytest.mark.parametrize(
    ("people", "words", "passage"),
    [
        (1, "I am travelling alone. Show me Brunn.", "alone"),
        (1, "It is just me. Show me Brunn.", "just me"),
        (1, "I am travelling solo. Show me Brunn.", "solo"),
        (1, "Show me Brunn, one person in all.", None),
        (2, "We two want to be alone. Show me Brunn.", None),
    ],
)
def test_words_for_one_traveller_tell_the_number_of_people(
    tmp_path: Path, people: int, words: str, passage: str | None
) -> None:
    folder = write_suite(tmp_path, BASE, query(people_number=people, nature_language=words))
    claims = load(str(folder / "q-1.yaml")).environment.tells
    assert [(str(claim.name), claim.passage) for claim in claims] == ([] if passage is None else [("people", passage)])


ELSEWHERE = next(a.name for a in BASE.attractions if a.city == "Aldorf")


def test_a_sight_of_another_city_is_accepted_only_if_a_picture_shows_it() -> None:
    refused = f"p_attraction: no attraction of Brunn is called `{ELSEWHERE}`"
    assert NAMES.why_unfit(query(p_attraction=ELSEWHERE)) == refused
    assert NAMES.why_unfit(query(p_attraction=ELSEWHERE, images=["a.jpg"])) is None
    named = query(p_attraction=ELSEWHERE, images=["a.jpg"], nature_language=f"Show me {ELSEWHERE} in Brunn.")
    assert NAMES.why_unfit(named) == refused
    assert NAMES.why_unfit(query(p_attraction="Moon", images=["a.jpg"])) is not None


def test_no_plan_visits_the_sight_of_another_city_that_a_picture_shows(tmp_path: Path) -> None:
    """In this case, the paper's Figure 6a, the preference is not fulfilled, and nothing else changes."""
    cities = {"start_city": "New York", "target_city": "Boston"}
    shown = query(**cities, p_attraction="Museum of Science|Lincoln Memorial", images=["a.jpg", "b.jpg"])
    folder = write_suite(tmp_path, fact_bases(0)["usa"], shown)
    assert planspec.check([folder]) == ()
    judge = Judge(load(folder / "q-1.yaml"))
    solution = prove.solve(judge.ground, limits=Limits(seconds=30))
    assert solution.plan is not None
    verdict = judge.plan(solution.plan)
    assert verdict.status == "pass"
    assert [f.constraint for f in verdict.findings if f.status == "violated"] == ["attraction_preference"]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("hotels", "the fact base has no hotel in `Brunn`"),
        ("attractions", "the fact base has no attraction in `Brunn`"),
        ("restaurants", "the fact base has no restaurant that is open for lunch and dinner in `Brunn`"),
    ],
)
def test_a_city_without_beds_sights_or_restaurants_is_refused_as_a_destination(table: str, message: str) -> None:
    tables: Any = {table: tuple(place for place in getattr(BASE, table) if place.city != "Brunn")}
    assert FactBaseNames.of(replace(BASE, **tables)).why_unfit(query()) == message


def test_every_preference_becomes_a_given(tmp_path: Path) -> None:
    request = query(
        budget=5000,
        p_attraction=SIGHT,
        p_meal="Crab|Pizza",
        p_accommodation="Twin room",
        have_pet=True,
        p_interest="City charm",
        p_intercity_traffic="High-speed rail",
        p_innercity_traffic="Taxi",
        persona="Couple",
        difficulty="Medium",
        images=["a.jpg"],
        shown=[SIGHT],
    )
    task = load(write_suite(tmp_path, BASE, request) / "q-1.yaml")
    givens: Any = task.givens
    assert givens["people"] == 2
    assert givens["budget"] == 500000
    assert [row._key for row in givens["want_sights"]] == [(SIGHT,)]
    assert set(givens["want_meals"]) == {"Crab", "Pizza"}
    assert givens["want_room"]._key == ("Twin room",)
    assert (str(givens["want_vehicle"]), str(givens["want_ride"])) == ("train", "taxi")
    assert dict(task.meta) == {
        "difficulty": "Medium",
        "persona": "Couple",
        "interest": "City charm",
        "days": "3",
        "images": ["a.jpg"],
        "pet": "true",
    }
    assert task.query == "Show me Brunn."


def test_tasks_of_any_length_have_no_mistakes_and_can_be_solved(tmp_path: Path) -> None:
    cities = {"start_city": "New York", "target_city": "Boston"}
    trips = [query(**cities, id=f"q-{n}", end_date=date(2025, 10, 15 + n)) for n in (0, 1, 2)]
    folder = write_suite(tmp_path, fact_bases(0)["usa"], *trips)
    assert planspec.check([folder]) == ()
    workspace = Workspace()
    for trip in trips:
        judge = Judge(load(folder / f"{trip.id}.yaml", workspace=workspace))
        solution = prove.solve(judge.ground, limits=Limits(seconds=30))
        assert solution.status in {Status.OPTIMAL, Status.FEASIBLE}
        assert solution.plan is not None and judge.plan(solution.plan).status == "pass"
        assert len(solution.plan.tables["accommodation"]) == (trip.days > 1)


ODD = (
    '"quoted"',
    "it's: {a} #1",
    "back\\slash",
    "多语言",
    "-",
    "null",
    "1e3",
    "[x]",
    "a | b".replace(" | ", "/"),
    "%s{budget}",
)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", ODD)
def test_names_that_yaml_or_sql_could_misread_are_unchanged(name: str, tmp_path: Path) -> None:
    base = replace(
        BASE,
        attractions=tuple(replace(a, name=name if a.name == SIGHT else a.name) for a in BASE.attractions),
        hotels=tuple(
            replace(
                h,
                city=name if h.city == "Brunn" else h.city,
                rooms=tuple(replace(r, kind=f"{name} {r.kind}") for r in h.rooms),
            )
            for h in BASE.hotels
        ),
        services=tuple(
            replace(
                s,
                origin_city=name if s.origin_city == "Brunn" else s.origin_city,
                to_city=name if s.to_city == "Brunn" else s.to_city,
            )
            for s in BASE.services
        ),
    )
    base = replace(
        base,
        attractions=tuple(replace(a, city=name if a.city == "Brunn" else a.city) for a in base.attractions),
        restaurants=tuple(
            replace(r, city=name if r.city == "Brunn" else r.city, dishes=(name,)) for r in base.restaurants
        ),
    )
    request = query(
        target_city=name,
        p_attraction=name,
        p_meal=name,
        p_accommodation=f"{name} Twin room",
        persona=name,
        nature_language=name,
    )
    assert FactBaseNames.of(base).why_unfit(request) is None
    folder = write_suite(tmp_path, base, request)
    assert planspec.check([folder]) == ()
    task = load(folder / "q-1.yaml")
    assert task.query == name
    assert task.givens["target_city"]._key == (name,)
    assert [row._key for row in task.givens["want_sights"]] == [(name,)]
    routes = [{r.origin.city._key[0], r.to.city._key[0]} for r in _rows(task, "Service")]
    expected = sum({s.origin_city, s.to_city} == {"Aldorf", name} for s in base.services)
    assert routes.count({"Aldorf", name}) == expected > 0


def _rows(task: Task, table: str) -> Any:
    return task.facts[table].rows


def test_a_task_reads_only_statements_on_its_own_city(tmp_path: Path) -> None:
    statements = [Statement(n, a.name, a.city, "ticket", str(a.ticket), True) for n, a in enumerate(BASE.attractions)]
    write_suite(tmp_path, BASE, query())
    write_base(BASE, tmp_path / "base.sqlite", statements)
    task = load(tmp_path / "q-1.yaml")
    assert [row.subject for row in _rows(task, "Statement")] == [s.subject for s in statements if s.city == "Brunn"]


@pytest.mark.parametrize("currency", ["CNY", "USD", "EUR", "JPY"])
def test_any_currency_is_accepted(currency: str, tmp_path: Path) -> None:
    folder = write_suite(tmp_path, replace(BASE, currency=currency), query(budget=9000))
    assert planspec.check([folder]) == ()
    assert load(folder / "q-1.yaml").currency == currency
