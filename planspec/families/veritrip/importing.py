"""`planspec import veritrip`: a fact base as CSV or JSON lines, and queries -> a folder that is a suite."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from planspec.families.suite_writing.folder import ImportResult, LeftOut, SuiteFolder
from planspec.families.suite_writing.lines import read_lines, unfit_id
from planspec.families.veritrip.base import world_text, write_base
from planspec.families.veritrip.query import Query
from planspec.families.veritrip.reading import read_base
from planspec.families.veritrip.tasks import FactBaseNames, task_text

BASE = "veritrip.sqlite"


def suite_folder(out: Path) -> SuiteFolder:
    """The folder of an imported suite."""
    return SuiteFolder(out, "veritrip", "VeriTrip", "veritrip", BASE)


def import_veritrip(facts: Path, currency: str, queries: Sequence[Path], out: Path) -> ImportResult:
    """Write the suite: `suite.yaml`, `world.yaml` with its SQLite base, and a task for each query.

    Args:
        facts: a folder with a CSV or JSONL file for each table of the fact base.
        currency: of its prices, an ISO 4217 code.
        queries: files of JSON lines, in the paper's form.
        out: a folder; what an import wrote there before is replaced, once all was read.

    Raises:
        UnfitBase: the folder holds no fact base.
        OSError: a file cannot be read or written.
    """
    base, counts = read_base(facts, currency)
    folder = suite_folder(out)
    names = FactBaseNames.of(base)
    with folder.filling() as part:
        write_base(base, part)
        found, left_out = _queries(queries, names)
        world = world_text(f"{folder.id}-world", "VeriTrip's fact base", currency, BASE)
        tasks = {query.id: task_text(query, names, f"../{BASE}", "../world.yaml") for query in found}
        folder.finish(world, tasks)
    return ImportResult(out, folder.id, tuple(counts), tuple(tasks), tuple(left_out))


def _queries(paths: Sequence[Path], names: FactBaseNames) -> tuple[list[Query], list[LeftOut]]:
    """The queries that can be asked of the fact base, and the lines that are none."""
    found: dict[str, Query] = {}
    left_out: list[LeftOut] = []

    def fault(query: Query) -> str | None:
        again = f"there is a query `{query.id}` already" if query.id in found else None
        return unfit_id(query.id) or again or names.fault(query)

    for path in paths:
        for line in read_lines(path, Query, fault):
            if isinstance(line, Query):
                found[line.id] = line
            else:
                left_out.append(line)
    return list(found.values()), left_out
