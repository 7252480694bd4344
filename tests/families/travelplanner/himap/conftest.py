"""Fixtures of HiMAP's tests."""

from __future__ import annotations

import pytest

import planspec


@pytest.fixture(scope="module")
def judge() -> planspec.Judge:
    """Return the judge of a shipped task."""
    return planspec.Judge(planspec.load("1"))
