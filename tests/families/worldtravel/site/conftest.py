"""Fixtures for tests of the site."""

from __future__ import annotations

import pytest

from planspec.families.worldtravel.webscape.camera import require_browser
from planspec.suite_writing.options import UnsuitableSuiteError


@pytest.fixture
def browser() -> str:
    """Return the path of Chromium. Tests that need it are skipped if it is not installed."""
    try:
        return require_browser()
    except (UnsuitableSuiteError, ModuleNotFoundError) as error:
        pytest.skip(str(error))
