"""Which tests are slow is told by their kind or by a mark."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.paths import ROOT

pytestmark = pytest.mark.slow


def collected(*words: str) -> str:
    """What pytest says when it collects."""
    command = [sys.executable, "-P", "-m", "pytest", "--collect-only", "-q", *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout


def test_random_examples_are_slow_without_a_mark() -> None:
    said = collected("tests/dsl/test_fuzz.py", "-m", "slow")
    assert "test_a_spoilt_task_is_refused_or_read" in said


def test_slow_folders_are_not_read_where_no_slow_test_is_asked_for() -> None:
    folder = "tests/differential"
    assert "test_cases.py" in collected(f"{folder}/test_cases.py")
    assert "no tests collected" in collected(folder, "-m", "not slow")
