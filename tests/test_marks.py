"""pytest marks slow kinds of tests as `slow`, and assigns tests to groups for xdist."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.paths import ROOT


def collection_output(*options: str) -> str:
    """Return pytest's output of collecting tests with these options."""
    command = [sys.executable, "-P", "-m", "pytest", "--collect-only", "-q", *options]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout


@pytest.mark.thorough
@pytest.mark.slow
def test_random_examples_are_slow_without_a_mark() -> None:
    output = collection_output("tests/dsl/test_fuzz.py", "-m", "slow")
    assert "test_a_damaged_task_is_refused_or_read" in output


@pytest.mark.slow
def test_slow_folders_are_not_read_if_no_slow_test_is_requested() -> None:
    folder = "tests/docs"
    assert "test_glossary.py" in collection_output(f"{folder}/test_glossary.py")
    assert "no tests collected" in collection_output(folder, "-m", "not slow")


@pytest.mark.slow
def test_a_sample_of_cases_has_every_back_end() -> None:
    """The mark is `sampled(9)`, and the back end, one of three, changes with each case."""
    name = "test_the_result_is_unknown_or_correct_whenever_time_runs_out"
    output = collection_output("tests/solvers/questions/test_limits.py", "-m", "not thorough", "-k", name)
    assert [line.rsplit("-", 1)[1] for line in output.splitlines() if name in line] == ["cpsat]", "smt]", "sat]"]


@pytest.mark.xdist_group("together")
def test_the_id_of_a_test_ends_with_its_group_for_xdist(request: pytest.FixtureRequest) -> None:
    """Without groups, tests of one file could run on several workers, each of which would set up the file's
    fixtures.
    """
    grouping = getattr(request.config.option, "loadgroup", False)
    assert request.node.nodeid.endswith("@together") is grouping
