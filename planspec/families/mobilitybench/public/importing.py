"""`planspec import mobilitybench`: the public table as a suite's folder.

Beside the files of every suite of the family, `official.jsonl` holds the public toolkit's input for each
episode.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from planspec.families.mobilitybench.episode import Episode
from planspec.families.mobilitybench.official.truth import json_record_of, record_of, types_of
from planspec.families.mobilitybench.public.caches import read_caches
from planspec.families.mobilitybench.public.given import Right, right_of
from planspec.families.mobilitybench.public.sheets import is_json, json_records
from planspec.families.mobilitybench.public.table import OFFICIAL, TableReport, read_rows, row_texts
from planspec.families.mobilitybench.recording import RECORDING, write_recording
from planspec.families.mobilitybench.suite import SuiteWriter
from planspec.families.mobilitybench.ways import Ways
from planspec.families.suite_writing.folder import ImportResult
from planspec.families.suite_writing.writing import yaml_scalar

TITLE = "MobilityBench, the public table"


class PublicSuiteWriter(SuiteWriter):
    """Writer of a suite of the public table, whose tasks omit parts without ground truth and list them."""

    def task(self, episode: Episode, ways: Ways) -> str:
        """Return the episode's task, without parts for which the table has no ground truth."""
        text = super().task(episode, ways)
        if episode.source is None:
            return text
        right = right_of(episode)
        return asking_less(text, right) if right.unasked else text


def import_mobilitybench(
    table: Path, out: Path, caches: Path | None = None
) -> tuple[ImportResult, TableReport]:
    """Write the suite: episodes, tasks, ways, and the public toolkit's inputs.

    Args:
        table: CSV, a spreadsheet or JSON; it is read twice.
        out: a folder; an earlier import there is replaced once everything is read.
        caches: folder with the cache files of the toolkit's sandbox; None to use only the results in the
            table.

    Returns:
        The result of the import, and the report on the cells.

    Raises:
        InvalidTableError: the file is not the public table.
        UnsuitableSuiteError: the folder holds something else.
        OSError: a file cannot be read or written.
    """
    report = TableReport(table.name)
    calls, counts = ([], ()) if caches is None else read_caches(caches)
    cached = {call.key: call for call in calls}
    raw = json_records(table) if is_json(table) else None
    types = types_of(row_texts(table)) if raw is None else {}
    writer = PublicSuiteWriter(out, TITLE)
    with writer, writer.beside(OFFICIAL).open("w", encoding="utf-8", newline="\n") as records:
        for episode, texts in read_rows(table, report, cached):
            writer.add(episode)
            record: dict[str, Any] = (
                record_of(texts, types)
                if raw is None or episode.source is None
                else json_record_of(raw[episode.source.row - 1])
            )
            records.write(json.dumps(record | {"case_id": episode.id}, ensure_ascii=False) + "\n")
        if calls:
            write_recording(writer.beside(RECORDING), calls)
    if not calls:
        (out / RECORDING).unlink(missing_ok=True)
    tables = (*report.tables, *counts)
    return ImportResult(out, writer.id, tables, tuple(report.ids), tuple(report.left_out)), report


def asking_less(task: str, right: Right) -> str:
    """Remove parts without ground truth from a task; a task without any is labelled `judged: no`.

    Args:
        task: text of the task; its sections `scope` and `meta` are blocks.
        right: ground truth, and its missing parts.
    """
    if right.without:
        task = task.replace("\nscope:\n", f"\nwithout: [{', '.join(right.without)}]\nscope:\n", 1)
    judged = "" if right.given else '  judged: "no"\n'
    return f"{task}  unasked: {yaml_scalar('; '.join(right.unasked))}\n{judged}"
