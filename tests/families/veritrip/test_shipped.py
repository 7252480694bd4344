"""The shipped queries have the paper's proportions and no faults. The conflicts of the near misses are minimal."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from typing import Any

import pytest

import planspec
from planspec.api.loading import load
from planspec.families.veritrip.base_database import world_names
from planspec.families.veritrip.base_size import COUNTRIES
from planspec.families.veritrip.drafting import QUERY_BOUNDS
from planspec.families.veritrip.fact_bases import fact_bases
from planspec.families.veritrip.proving import ProvingFolder
from planspec.families.veritrip.query import Query
from planspec.families.veritrip.tasks import FactBaseNames, task_text
from planspec.solvers.backends.outcome import Limits, Status
from planspec.solvers.questions import prove
from planspec.solvers.questions.budget import TimeBudget
from planspec.solvers.questions.conflicts import relaxable
from planspec.suite_writing.kept_sections import existing_sections
from planspec.verifiers.meaning.ground import ground
from tests.paths import ROOT
from tests.shipped import WORKSPACE

FOLDER = ROOT / "tasks" / "veritrip"


def read_json_lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / name).read_text("utf-8").splitlines()]


QUERIES = [Query.model_validate(line) for line in read_json_lines("queries.jsonl")]
MISSES = read_json_lines("near-misses.jsonl")


def test_there_are_sixty_queries_in_the_paper_s_proportions() -> None:
    assert Counter(query.difficulty for query in QUERIES) == {"Simple": 21, "Medium": 20, "Complex": 19}
    assert [query.id for query in QUERIES] == [f"veritrip-{n:03}" for n in range(1, 61)]


def test_all_six_cities_are_origins_and_destinations() -> None:
    cities = {city for base in _shipped_bases().values() for city in base.cities}
    assert {q.target_city for q in QUERIES} == {q.start_city for q in QUERIES} == cities


@pytest.mark.parametrize("query", QUERIES, ids=lambda q: str(q.id))
def test_a_query_is_within_its_ranges_and_its_task_is_generated_from_it(query: Query) -> None:
    assert query.difficulty is not None and query.budget is not None
    band = QUERY_BOUNDS[query.difficulty]
    for (least, most), value in (
        (band.days, query.days),
        (band.people, query.people_number),
        (band.preferences, query.preferences),
    ):
        assert least <= value <= most
    assert f"{query.budget:,}" in query.nature_language
    assert "{" not in query.nature_language
    country = _country(query)
    text = task_text(query, _names_by_country()[country], f"../{country}.sqlite", f"../{country}.world.yaml")
    task = FOLDER / "tasks" / f"{query.id}.yaml"
    assert task.read_text("utf-8") == text + existing_sections(task)
    assert [name for name in query.shown if name in query.nature_language] == []
    assert len(query.images) == len(query.shown)


def test_each_query_shows_a_sight_in_a_picture() -> None:
    queries = [*QUERIES, *map(Query.model_validate, _near_misses())]
    assert len(queries) == 66
    assert [query.id for query in queries if not query.images] == []


def _near_misses() -> list[dict[str, Any]]:
    """Return the shipped near misses (queries without a plan)."""
    return [{name: value for name, value in line.items() if name != "mus"} for line in MISSES]


@pytest.mark.slow
def test_suites_worlds_and_tasks_have_no_diagnostics() -> None:
    """All near misses and some tasks of each difficulty are checked."""
    tasks = [FOLDER / "tasks" / f"{query.id}.yaml" for query in QUERIES[::6]]
    worlds = [FOLDER / f"{country}.world.yaml" for country in COUNTRIES]
    assert planspec.check([FOLDER / "suite.yaml", FOLDER / "near-misses", *worlds, *tasks]) == ()


def test_a_near_miss_of_each_difficulty_and_country_ships() -> None:
    misses = [Query.model_validate(miss) for miss in MISSES]
    assert Counter((m.difficulty, _country(m)) for m in misses) == {
        (difficulty, country): 1 for difficulty in QUERY_BOUNDS for country in COUNTRIES
    }
    assert all("is_within_budget" in miss["mus"] for miss in MISSES)


@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.parametrize("miss", MISSES, ids=lambda miss: str(miss["id"]))
def test_a_near_miss_has_no_plan_and_its_conflict_is_minimal(
    miss: dict[str, Any],
) -> None:
    instance = ground(load(FOLDER / "near-misses" / f"{miss['id']}.yaml", workspace=WORKSPACE))
    limits = Limits(seconds=60)
    assert prove.solve(instance, limits=limits).status is Status.INFEASIBLE
    conflicts = relaxable(instance)
    oracle = conflicts.oracle("cpsat", TimeBudget(limits))
    mus = {n for n, member in enumerate(conflicts.members) if member.id in miss["mus"]}
    assert len(mus) == len(miss["mus"])
    assert not oracle.check(mus)[0]
    assert [conflicts.members[n].id for n in mus if not oracle.check(mus - {n})[0]] == []


@pytest.mark.slow
@pytest.mark.parametrize("miss", MISSES[:2], ids=lambda miss: str(miss["id"]))
def test_a_near_miss_has_a_plan_with_more_money(miss: dict[str, Any]) -> None:
    query = Query.model_validate(miss)
    assert query.budget is not None
    country = _country(query)
    setting = ProvingFolder(
        _names_by_country()[country],
        f"../{country}.sqlite",
        f"../{country}.world.yaml",
        FOLDER / "near-misses",
        _workspace(),
    )
    rich = setting.task(query.model_copy(update={"budget": query.budget * 10}))
    assert prove.solve(ground(rich), limits=Limits(seconds=30)).plan is not None


def test_names_in_tasks_are_those_of_the_world() -> None:
    for country, names in _names_by_country().items():
        expected = world_names(_shipped_bases()[country].attractions)
        assert set(names.attractions.values()) == set(expected.values())


@cache
def _shipped_bases() -> dict[str, Any]:
    """Return the shipped fact bases by country."""
    return dict(fact_bases(0))


@cache
def _names_by_country() -> dict[str, FactBaseNames]:
    return {country: FactBaseNames.of(base) for country, base in _shipped_bases().items()}


@cache
def _workspace() -> Any:
    from planspec.dsl.workspace.workspace import Workspace

    return Workspace()


def _country(query: Query) -> str:
    """Return the country of a query."""
    return next(country for country, base in _shipped_bases().items() if query.target_city in base.cities)
