"""Which tests are slow is told by their kind or by a mark."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.paths import ROOT


def collected(*words: str) -> str:
    """What pytest says when it collects."""
    command = [sys.executable, "-P", "-m", "pytest", "--collect-only", "-q", *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout


@pytest.mark.slow
def test_random_examples_are_slow_without_a_mark() -> None:
    said = collected("tests/dsl/test_fuzz.py", "-m", "slow")
    assert "test_a_spoilt_task_is_refused_or_read" in said


@pytest.mark.slow
def test_slow_folders_are_not_read_where_no_slow_test_is_asked_for() -> None:
    folder = "tests/docs"
    assert "test_glossary.py" in collected(f"{folder}/test_glossary.py")
    assert "no tests collected" in collected(folder, "-m", "not slow")


@pytest.mark.xdist_group("together")
def test_xdist_reads_a_group_from_the_name_of_a_test(request: pytest.FixtureRequest) -> None:
    """Where it does not, tests of one group run on several workers, and each makes what they share again."""
    grouping = getattr(request.config.option, "loadgroup", False)
    assert request.node.nodeid.endswith("@together") is grouping
