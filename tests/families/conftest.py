"""Fixtures of the families' tests."""

from __future__ import annotations

import pytest

from planspec.dsl.workspace.workspace import Workspace


@pytest.fixture(scope="module")
def workspace() -> Workspace:
    """Return a workspace that the tests of a module share, so that each document is checked only once."""
    return Workspace()
