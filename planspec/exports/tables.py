"""A suite as the table of its benchmark's public toolkit."""

from __future__ import annotations

from pathlib import Path

from planspec.api.catalog import Catalog
from planspec.api.suite_table import WrittenTable
from planspec.errors import PlanspecError
from planspec.families.registry import family_of


class NoTableError(PlanspecError, ValueError):
    """A suite of which no public toolkit has a table."""


def export_table(suite: str, out: Path) -> WrittenTable:
    """Write a suite as its benchmark's public toolkit has its data.

    Args:
        suite: by file, folder or id.
        out: the file.

    Raises:
        NotFoundError: there is no such suite.
        NoTableError: no public toolkit has such a table.
        DiagnosticError: the suite has errors.
        InexpressiblePlanError: its tasks do not go into one table, or it is a part of a suite.
        OSError: a file cannot be read or written.
    """
    catalog = Catalog()
    path, found = catalog.suite_path(suite), catalog.suite(suite)
    family = found.protocol or found.family
    write = family_of(family).table
    if write is None:
        raise NoTableError(f"no public toolkit has a table of suites of the family `{family or 'generic'}`")
    return write.load()(path if path.is_dir() else path.parent, out)
