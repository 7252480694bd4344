"""`planspec import mobilitybench`: converts the public table to a suite.

Besides the usual files of a suite, `official.jsonl` holds the public toolkit's input for each episode.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from planspec.families.mobilitybench.episode import Episode
from planspec.families.mobilitybench.official.truth import json_record_of, record_of, types_of
from planspec.families.mobilitybench.public.caches import read_caches
from planspec.families.mobilitybench.public.ground_truth import GroundTruth, ground_truth_of
from planspec.families.mobilitybench.public.sheets import is_json, json_records
from planspec.families.mobilitybench.public.table import OFFICIAL, TableReport, read_rows, row_texts
from planspec.families.mobilitybench.recording import RECORDING, write_recording
from planspec.families.mobilitybench.row_collector import EpisodeRows
from planspec.families.mobilitybench.suite import SuiteWriter
from planspec.suite_writing.folder import ImportResult
from planspec.suite_writing.writing import yaml_scalar

TITLE = "MobilityBench, the public table"


class PublicSuiteWriter(SuiteWriter):
    """Writer of a suite from the public table. Tasks omit parts without ground truth and list them as unjudged."""

    def episode_task(self, episode: Episode, episode_rows: EpisodeRows) -> str:
        """Return the episode's task, without parts for which the table has no ground truth."""
        text = super().episode_task(episode, episode_rows)
        if episode.source is None:
            return text
        truth = ground_truth_of(episode)
        return without_unjudged_parts(text, truth) if truth.unjudged else text


def import_mobilitybench(table: Path, out: Path, caches: Path | None = None) -> tuple[ImportResult, TableReport]:
    """Write a suite from the public table: episodes, tasks, routes, and the public toolkit's inputs.

    Args:
        table: CSV file, spreadsheet or JSON file. It is read twice.
        out: folder of the suite. An earlier import there is replaced once the whole table is read.
        caches: folder with the toolkit's cache files; None to use only the results in the table.

    Returns:
        The result of the import, and the report on the table.

    Raises:
        InvalidTableError: the file is not the public table.
        UnsuitableSuiteError: `out` holds other files.
        OSError: a file cannot be read or written.
    """
    report = TableReport(table.name)
    calls, counts = ([], ()) if caches is None else read_caches(caches)
    cached = {call.key: call for call in calls}
    raw = json_records(table) if is_json(table) else None
    types = types_of(row_texts(table)) if raw is None else {}
    writer = PublicSuiteWriter(out, TITLE)
    with writer, writer.extra_file(OFFICIAL).open("w", encoding="utf-8", newline="\n") as records:
        for episode, texts in read_rows(table, report, cached):
            writer.add(episode)
            record: dict[str, Any] = (
                record_of(texts, types)
                if raw is None or episode.source is None
                else json_record_of(raw[episode.source.row - 1])
            )
            records.write(json.dumps(record | {"case_id": episode.id}, ensure_ascii=False) + "\n")
        if calls:
            write_recording(writer.extra_file(RECORDING), calls)
    if not calls:
        (out / RECORDING).unlink(missing_ok=True)
    tables = (*report.tables, *counts)
    return ImportResult(out, writer.id, tables, tuple(report.ids), tuple(report.left_out)), report


def without_unjudged_parts(task: str, truth: GroundTruth) -> str:
    """Remove the parts without ground truth from a task.

    A task without any ground truth gets the label `judged: no`.

    Args:
        task: text of the task, whose last section is `meta`.
        truth: ground truth of the episode.
    """
    if truth.without:
        task = task.replace("\nscope:\n", f"\nwithout: [{', '.join(truth.without)}]\nscope:\n", 1)
    judged = "" if truth.given else '  judged: "no"\n'
    return f"{task}  unasked: {yaml_scalar('; '.join(truth.unjudged))}\n{judged}"
