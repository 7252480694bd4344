"""Reader of episodes from the public table. Unreadable cells are reported by row and column; values are not guessed."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from planspec.dsl.resources.limits import RECORDS_BYTES
from planspec.dsl.resources.reading import open_text
from planspec.families.mobilitybench.episode import LABELS, Context, Episode, EpisodeOrigin, sha256
from planspec.families.mobilitybench.official.cells import CellNotation
from planspec.families.mobilitybench.official.truth import Truth, truth_of
from planspec.families.mobilitybench.public.columns import COLUMNS, REQUIRED_COLUMNS, read_column_cell
from planspec.families.mobilitybench.public.ground_truth import ground_truth_of
from planspec.families.mobilitybench.public.query_slots import constraints_of, language_of, steps_of
from planspec.families.mobilitybench.public.results import (
    RESULTS,
    CachedCalls,
    arguments_of,
    fill_missing_results,
    program_of,
    snapshot_of,
)
from planspec.families.mobilitybench.public.row import CONTEXT, EPISODE, row_of
from planspec.families.mobilitybench.public.sheets import InvalidTableError, rows_of
from planspec.families.mobilitybench.suite import InvalidEpisodeError, read_episode
from planspec.suite_writing.counts import TableCount
from planspec.suite_writing.folder import SkippedLine
from planspec.suite_writing.lines import why_unfit_id

OFFICIAL = "official.jsonl"
"""File with the public toolkit's input for each episode. Scoring with the profile `official` needs it."""
IDS = ("case_id", "id")
OUTSIDE_TRUTH = frozenset(("query", "context", "task_scenario", "intent_family", "tool_list", *RESULTS))
"""Columns that an episode stores elsewhere than in `truth`."""


class InvalidRowError(Exception):
    """Error if a row cannot be converted to an episode.

    Args:
        cause: the cause in one word, for counting.
        message: the cause in a sentence.
    """

    def __init__(self, cause: str, message: str) -> None:
        super().__init__(message)
        self.cause = cause


@dataclass(frozen=True, slots=True)
class CellReport:
    """Remark on a cell with an unreadable or irregular value.

    Attributes:
        row: number of the row, from 1, without the header.
        column: name of the column.
        episode: id of the row's episode.
        is_missing: whether the episode lacks the value of the cell.
        message: details for people.
    """

    row: int
    column: str
    episode: str
    is_missing: bool
    message: str

    def __str__(self) -> str:
        return f"row {self.row}, `{self.column}`: {self.message}"


@dataclass(frozen=True, slots=True)
class UnjudgedPart:
    """A part of an answer that is not judged, because the table has no ground truth for it.

    Attributes:
        row: number of the row, from 1, without the header.
        episode: id of the episode.
        message: the part and the reason why it has no ground truth.
    """

    row: int
    episode: str
    message: str

    def __str__(self) -> str:
        return f"row {self.row} ({self.episode}): not judged: {self.message}"


@dataclass(slots=True)
class TableReport:
    """Report on the import of a table.

    Attributes:
        file: name of the table.
        episodes: how many rows were read, how many became episodes, and how many were dropped.
        columns: counts of the cells in each column, in the order of the file.
        cells: remarks on cells, in the order of the rows.
        left_out: rows that could not be converted to episodes. `SkippedLine.line` is the number of the row, from 1,
            without the header.
        absent: columns of the public table that this file lacks.
        unknown: columns of this file that the public table does not have. They are stored in `truth` as strings.
        unjudged: parts without ground truth, in the order of the rows.
        ids: ids of the episodes, in order.
        filled: number of results taken from caches.
    """

    file: str
    episodes: TableCount = field(default_factory=lambda: TableCount("episodes"))
    columns: dict[str, TableCount] = field(default_factory=dict)
    cells: list[CellReport] = field(default_factory=list)
    left_out: list[SkippedLine] = field(default_factory=list)
    absent: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    unjudged: list[UnjudgedPart] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    filled: int = 0

    @property
    def tables(self) -> tuple[TableCount, ...]:
        """Counts of rows, followed by the counts of each column's cells."""
        return (self.episodes, *self.columns.values())


def read_official(file: Path) -> Iterator[Truth]:
    """Yield the public toolkit's inputs for the episodes of an imported suite.

    Args:
        file: the suite's file `official.jsonl`.

    Raises:
        OSError: the file cannot be read.
        ValueError: a line is not a record.
    """
    with open_text(file, RECORDS_BYTES) as lines:
        for number, line in enumerate(lines, 1):
            yield truth_of(json.loads(line), f"case_{number}")


def read_rows(
    table: Path, report: TableReport, cached: CachedCalls = MappingProxyType({})
) -> Iterator[tuple[Episode, dict[str, str]]]:
    """Yield the episodes of a table, each with the strings of its row by column.

    Args:
        table: file with the table, as CSV, spreadsheet or JSON.
        report: report to which remarks and counts are added.
        cached: calls with results, from which results that the table lacks are taken.

    Raises:
        InvalidTableError: the file is not the public table.
        OSError: the file cannot be read.
    """
    rows = rows_of(table)
    header = next(rows, [])
    _check_header(header, report)
    ids: set[str] = set()
    for number, cells in enumerate(rows, 1):
        report.episodes.read += 1
        try:
            texts = _texts_by_column(header, cells)
            episode = _episode_of_row(texts, number, ids, report, cached)
        except InvalidRowError as error:
            report.episodes.dropped[error.cause] += 1
            report.left_out.append(SkippedLine(report.file, number, str(error)))
            continue
        report.episodes.stored += 1
        report.ids.append(episode.id)
        yield episode, texts


def row_texts(table: Path) -> Iterator[dict[str, str]]:
    """Yield the strings of each row by column. Rows with a wrong number of cells are left out.

    Raises:
        InvalidTableError: the file is not the public table.
        OSError: the file cannot be read.
    """
    rows = rows_of(table)
    header = next(rows, [])
    return (dict(zip(header, cells, strict=True)) for cells in rows if len(cells) == len(header))


def _check_header(header: Sequence[str], report: TableReport) -> None:
    twice = sorted({name for name in header if header.count(name) > 1})
    if twice:
        raise InvalidTableError(f"{report.file}: the column `{twice[0]}` is there twice")
    lacking = [name for name in REQUIRED_COLUMNS if name not in header]
    if lacking:
        raise InvalidTableError(f"{report.file}: it has no column `{lacking[0]}`")
    report.columns = {name: TableCount(name) for name in header}
    report.absent = tuple(name for name in COLUMNS if name not in header)
    report.unknown = tuple(name for name in header if name not in COLUMNS and name not in (*IDS, EPISODE))


def _texts_by_column(header: Sequence[str], cells: Sequence[str]) -> dict[str, str]:
    if len(cells) != len(header):
        raise InvalidRowError("cells", f"it has {len(cells)} cells for {len(header)} columns")
    return dict(zip(header, cells, strict=True))


def _episode_of_row(
    texts: Mapping[str, str], number: int, used_ids: set[str], report: TableReport, cached: CachedCalls
) -> Episode:
    """Convert a row to an episode, and add remarks on its cells to the report.

    Raises:
        InvalidRowError: the row is not an episode.
    """
    if EPISODE in texts:
        return _exported_episode(texts, used_ids, report)
    name = next((texts[column] for column in IDS if texts.get(column)), f"case_{number}")
    reports: list[CellReport] = []
    values, unreadable = _read_cells(texts, number, name, report, reports)
    report.cells += reports
    _check_id_and_query(name, used_ids, values, unreadable)
    scenario = LABELS.get(texts["task_scenario"].strip())
    if scenario is None:
        label = texts["task_scenario"][:60]
        raise InvalidRowError("scenario", f"`{label}` is no scenario of the paper or the public table")
    used_ids.add(name)

    def drop_cell(column: str, message: str) -> None:
        unreadable[column] = "unreadable"
        values.pop(column, None)
        report.columns[column].stored -= 1
        report.columns[column].dropped["unreadable"] += 1
        report.cells.append(CellReport(number, column, name, True, message))

    context, fault = _read_context(values.get("context"))
    if fault:
        drop_cell("context", fault)
    program, fault = program_of(values.get("tool_list"))
    if fault:
        drop_cell("tool_list", fault)
    for place, call in enumerate(program, 1):
        reason = arguments_of(call)[1]
        if reason is not None:
            message = f"its call {place}, of `{call.name}`, is none of our tools: {reason}"
            report.cells.append(CellReport(number, "tool_list", name, False, message))
    snapshot = snapshot_of(program, values, unreadable)
    episode = Episode(
        id=name,
        family=scenario.family,
        scenario=scenario,
        query=values["query"],
        context=context,
        program=program,
        snapshot=fill_missing_results(snapshot, cached),
        truth={column: value for column, value in values.items() if column not in OUTSIDE_TRUTH and column not in IDS},
        unread=tuple(column for column in texts if column in unreadable),
        source=EpisodeOrigin(
            row=number, sha256=sha256(texts), scenario=texts["task_scenario"], family=texts.get("intent_family", "")
        ),
    )
    report.filled += sum(record.missing is None for record in episode.snapshot) - sum(
        record.missing is None for record in snapshot
    )
    right = ground_truth_of(episode)
    report.unjudged += [UnjudgedPart(number, name, message) for message in right.unjudged]
    derived = {
        "language": language_of(episode.query),
        "constraints": constraints_of(episode),
        "steps": steps_of(episode),
        "given": right.given,
    }
    return episode.model_copy(update=derived).with_checksum()


def _exported_episode(texts: Mapping[str, str], used_ids: set[str], report: TableReport) -> Episode:
    """Return the episode that an exported row holds as JSON.

    Raises:
        InvalidRowError: the cell holds no episode, or another cell disagrees with it.
    """
    for column, text in texts.items():
        report.columns[column].read += 1
        if text:
            report.columns[column].stored += 1
        else:
            report.columns[column].dropped["blank"] += 1
    try:
        episode = read_episode(texts[EPISODE])
    except InvalidEpisodeError as broken:
        raise InvalidRowError("episode", f"its `{EPISODE}` is no episode: {broken}") from None
    _check_id_and_query(episode.id, used_ids, {"query": episode.query}, ())
    expected = row_of(episode).cells
    for column, text in texts.items():
        if text != expected.get(column, ""):
            raise InvalidRowError("episode", f"its `{column}` disagrees with its `{EPISODE}`")
    used_ids.add(episode.id)
    return episode


def _check_id_and_query(
    name: str, used_ids: Collection[str], values: Mapping[str, Any], unreadable: Collection[str]
) -> None:
    fault = why_unfit_id(name)
    if fault:
        raise InvalidRowError("id", fault)
    if name in used_ids:
        raise InvalidRowError("id", f"there is an episode `{name}` already")
    if "query" not in values:
        raise InvalidRowError("query", "its query cannot be read" if "query" in unreadable else "it has no query")


def _read_cells(
    texts: Mapping[str, str], number: int, name: str, report: TableReport, reports: list[CellReport]
) -> tuple[dict[str, Any], dict[str, Literal["truncated", "unreadable"]]]:
    """Return the readable values of a row by column, and the reasons for unreadable cells by column.

    Blank cells are in neither dict.

    Args:
        texts: strings of the row, by column.
        number: number of the row, from 1.
        name: id of the episode.
        report: report to which the counts of cells are added.
        reports: list to which remarks on cells are appended.
    """
    values: dict[str, Any] = {}
    unreadable: dict[str, Literal["truncated", "unreadable"]] = {}
    for column, text in texts.items():
        count = report.columns[column]
        count.read += 1
        cell = read_column_cell(column, text)
        if cell.why_missing is not None:
            unreadable[column] = "truncated" if cell.why_missing is CellNotation.TRUNCATED else "unreadable"
            count.dropped[unreadable[column]] += 1
        elif cell.value is None:
            count.dropped["blank"] += 1
            continue
        else:
            values[column] = cell.value
            count.stored += 1
        if cell.note:
            count.noted[cell.note] += 1
        if cell.message:
            reports.append(CellReport(number, column, name, cell.why_missing is not None, cell.message))
    return values, unreadable


def _read_context(cell: Any) -> tuple[Context, str | None]:
    """Return the context and None, or an empty context and the fault."""
    if cell is None:
        return Context(), None
    if not isinstance(cell, Mapping):
        return Context(), "it is no object"
    fields = {ours: cell[theirs] for theirs, ours in CONTEXT.items() if theirs in cell}
    texts = {ours: value or None for ours, value in fields.items() if isinstance(value, str)}
    extra = {name: value for name, value in cell.items() if not isinstance(fields.get(CONTEXT.get(name, "")), str)}
    return Context(**texts, extra=extra), None
