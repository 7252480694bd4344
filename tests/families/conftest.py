"""Fixtures of the families' tests."""

from __future__ import annotations

import pytest

from planspec.dsl.workspace.workspace import Workspace


@pytest.fixture(scope="module")
def workspace() -> Workspace:
    """Return a workspace shared by the tests of a module, so that documents are checked once."""
    return Workspace()
