"""`planspec export table` for this family: writes a suite in the form of the public table."""

from __future__ import annotations

import codecs
import csv
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from planspec.api.suite_table import WrittenTable
from planspec.dsl.resources.limits import RECORDS_BYTES
from planspec.dsl.resources.reading import open_text
from planspec.errors import InexpressiblePlanError
from planspec.families.mobilitybench.public.row import EPISODE, ID, ORDER, row_of
from planspec.families.mobilitybench.public.table import OFFICIAL
from planspec.families.mobilitybench.suite import read_episodes
from planspec.families.mobilitybench.suite_files import episode_files
from planspec.files import replacing


def write_table(folder: Path, out: Path) -> WrittenTable:
    """Write a suite as a table, with one row for each episode.

    A suite imported from the public table is written with the 33 public columns. Any other suite gets two more columns:
    the id of the episode, and the episode as JSON.

    Args:
        folder: folder of a suite of this family.
        out: the CSV file. An existing file is replaced once all rows are written.

    Raises:
        InvalidEpisodeError: an episode cannot be read, or its checksum is wrong.
        InexpressiblePlanError: the folder has no episodes, or some but not all are from the public table.
        OSError: a file cannot be read or written.
    """
    if not episode_files(folder):
        raise InexpressiblePlanError(f"`{folder}` has no episodes; a table is made of a whole suite")
    inexpressible: Counter[str] = Counter()
    rows = 0
    header: tuple[str, ...] = (ID, *ORDER, EPISODE)
    records = _stored_inputs(folder)
    with replacing(out) as file:
        table = csv.writer(codecs.getwriter("utf-8")(file))
        for episode in read_episodes(folder):
            row = row_of(episode, next(records, None))
            is_generated = episode.source is None
            if not rows:
                header = (ID, *ORDER, EPISODE) if is_generated else ORDER
                table.writerow(header)
            elif is_generated != (EPISODE in header):
                raise InexpressiblePlanError(
                    f"`{folder}` has episodes of the public table and others; a table has either"
                )
            table.writerow([row.cells.get(column, "") for column in header])
            inexpressible.update(set(row.inexpressible))
            inexpressible.update(f"column {column}" for column in row.cells if column not in header)
            rows += 1
        if not rows:
            table.writerow(header)
    return WrittenTable(out, rows, header, dict(sorted(inexpressible.items())))


def _stored_inputs(folder: Path) -> Iterator[Mapping[str, Any]]:
    """Yield the inputs for the public toolkit that the import stored; nothing if the suite was not imported."""
    if (folder / OFFICIAL).is_file():
        with open_text(folder / OFFICIAL, RECORDS_BYTES) as lines:
            for line in lines:
                yield json.loads(line)
