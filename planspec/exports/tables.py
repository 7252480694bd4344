"""Export of a suite as a table that its benchmark's public toolkit reads."""

from __future__ import annotations

from pathlib import Path

from planspec.api.catalog import Catalog
from planspec.api.suite_table import SUITE_TABLE, WrittenTable
from planspec.errors import PlanspecError
from planspec.family.registry import family_of


class NoTableError(PlanspecError, ValueError):
    """No public toolkit reads a table of the suite."""


def export_table(suite: str, out: Path) -> WrittenTable:
    """Write a suite as a table that its benchmark's public toolkit reads.

    Args:
        suite: file, folder or id.
        out: file to write.

    Raises:
        NotFoundError: there is no such suite.
        NoTableError: no public toolkit reads such a table.
        DiagnosticError: the suite has errors.
        InexpressiblePlanError: the tasks do not fit into one table, or the suite is a part of another.
        OSError: a file cannot be read or written.
    """
    catalog = Catalog()
    path, opened = catalog.suite_path(suite), catalog.suite(suite)
    family = opened.protocol or opened.family
    write = SUITE_TABLE.of(family_of(family))
    if write is None:
        raise NoTableError(f"no public toolkit has a table of suites of the family `{family or 'generic'}`")
    return write(path if path.is_dir() else path.parent, out)
