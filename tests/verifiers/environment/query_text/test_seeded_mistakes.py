"""Seeded mistakes in shipped tasks are found, and shipped tasks have no findings."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from planspec.api.catalog import Catalog
from planspec.dsl.documents.documents import task_from_path
from planspec.verifiers.environment.query_text.findings import query_findings
from tests.paths import ROOT

pytestmark = pytest.mark.slow

MISTAKES = Path(__file__).with_name("mistakes.jsonl")
CITIES = ("barcelona", "berlin", "florence", "rome", "vienna")
SUITES = ("examples", "mobilitybench", "scheduling", "travelplanner-small", "veritrip", "veritrip-near-misses")
"""Suites whose tasks are all checked. Their names are literals, since collecting must stay quick."""


@pytest.mark.thorough
def test_four_in_five_seeded_mistakes_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT)
    from benchmarks.query_mistakes.measuring import Seeder, mistakes_of

    seeder = Seeder()
    lines = MISTAKES.read_text(encoding="utf-8").splitlines()
    results = Counter(seeder.outcome(mistake).result for mistake in mistakes_of(map(json.loads, lines)))
    assert results.total() == 60
    assert results["found"] >= 0.8 * results.total()


def test_an_edit_of_a_passage_that_is_not_in_the_text_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT)
    from benchmarks.query_mistakes.measuring import Edit, apply_edit

    assert apply_edit("one\ntwo two", Edit("two", "six", 2)) == ("one\ntwo six", {2})
    with pytest.raises(ValueError, match="occurrence 3 of 'two' is not there"):
        apply_edit("one\ntwo two", Edit("two", "six", 3))


def test_the_tasks_of_every_suite_are_checked() -> None:
    worldtravel_suites = {"worldtravel", "worldtravel-anchors", *(f"worldtravel-{city}" for city in CITIES)}
    assert {entry.id for entry in Catalog().suites()} == {*SUITES, *worldtravel_suites}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("suite", SUITES)
def test_a_shipped_query_and_its_rules_agree(suite: str) -> None:
    check(suite, 1)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("city", CITIES)
def test_every_third_trip_has_no_finding_about_its_query(city: str) -> None:
    check(f"worldtravel-{city}", 3)


def check(suite: str, step: int) -> None:
    """Check that every `step`-th query of a suite has no finding."""
    catalog = Catalog()
    for path in catalog.suite(suite).tasks[::step]:
        assert query_findings(task_from_path(path, catalog.workspace)) == (), path.name
