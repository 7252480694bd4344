"""Verdicts on the cases (answers with expected verdicts) of the shipped suites are as expected.

The cases were written by hand from queries and tables.
"""

from __future__ import annotations

import pytest

import planspec
from planspec.api.catalog import Catalog

pytestmark = pytest.mark.slow


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("suite", "least_count"), [("examples", 40), ("scheduling", 60)])
def test_every_case_of_a_handwritten_suite_is_as_expected(suite: str, least_count: int) -> None:
    report = planspec.test(suite, coverage=True)
    assert report.as_expected, str(report)
    assert report.without == 0
    assert len(report.cases) >= least_count
    assert len(report.tasks) == len(Catalog().suite(suite).tasks)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("suite", ["examples", "scheduling"])
def test_the_cases_of_a_handwritten_suite_violate_and_satisfy_every_constraint(suite: str) -> None:
    coverage = planspec.test(suite, coverage=True).coverage or ()
    assert [c.constraint for c in coverage if not c.violated or not c.satisfied] == []


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("suite", "least_count"), [("travelplanner-small", 45), ("veritrip", 25), ("mobilitybench", 5)]
)
def test_generated_suites_have_cases_in_some_of_their_tasks(suite: str, least_count: int) -> None:
    report = planspec.test(suite)
    assert report.as_expected, str(report)
    assert len(report.cases) >= least_count
    assert len(report.tasks) + report.without == len(Catalog().suite(suite).tasks)
