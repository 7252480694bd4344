"""Fixtures of the site's tests."""

from __future__ import annotations

import pytest

from planspec.families.worldtravel.webscape.camera import require_browser
from planspec.suite_writing.options import UnsuitableSuiteError


@pytest.fixture
def browser() -> str:
    """The path of Chromium; tests that need it are skipped without it."""
    try:
        return require_browser()
    except (UnsuitableSuiteError, ModuleNotFoundError) as error:
        pytest.skip(str(error))
