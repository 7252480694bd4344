"""What ships with planspec, opened for all tests of a process."""

from __future__ import annotations

from planspec.dsl.workspace.workspace import Workspace

WORKSPACE = Workspace()
"""Libraries and worlds that ship are checked once in it; no test changes them."""
