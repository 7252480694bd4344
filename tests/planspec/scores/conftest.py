"""Fixtures of the tests of scores."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.planspec.scores.small import write_suite


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """Return the file of a small suite of three tasks."""
    return write_suite(tmp_path / "suite")
