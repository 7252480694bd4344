"""A workspace (cache of checked documents) that all tests in a process share."""

from __future__ import annotations

from planspec.dsl.workspace.workspace import Workspace

WORKSPACE = Workspace()
"""Workspace in which shipped libraries and worlds are checked once. No test may change them."""
