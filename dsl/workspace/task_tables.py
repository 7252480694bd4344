"""Tables of tasks: entries of a suite that make a task of each record of a source.

A task of a table has the path of the suite with `#` and its id. Its nodes keep their places, in the record, in the base and in the
map, so that a mistake is shown where it was made.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Mapping as MappingOf
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.source import DescribedSource, Span
from planspec.dsl.diagnostics.suggestions import did_you_mean
from planspec.dsl.model.origin import RecordOrigin
from planspec.dsl.resources.limits import TABLE_BYTES
from planspec.dsl.resources.paths import shown_path
from planspec.dsl.structure import document_keys
from planspec.dsl.structure.document import Document, kind_of
from planspec.dsl.structure.sections import known_entries, texts
from planspec.dsl.tables.file_formats import is_inline, read_format, report_unsuitable_keys
from planspec.dsl.tables.record_fields import data_at
from planspec.dsl.tables.record_maps import RecordMap, record_map
from planspec.dsl.tables.records import JsonFile, JsonLines, Records, RowRecords
from planspec.dsl.tables.sources import file_beside, source_rows
from planspec.dsl.workspace.shards import task_path
from planspec.dsl.yaml.nodes import Mapping, Node, Scalar, Sequence
from planspec.dsl.yaml.reader import compose
from planspec.dsl.yaml.source_files import read_source
from planspec.dsl.yaml.writing import yaml_text

BASE = ".base.yaml"
"""The ending of the names of files with what the tasks of a table share."""
ID = re.compile(r"\w(?:[\w.,:+() -]*[\w.,:+()-])?")
FROM_RECORDS = frozenset({"id", "query"})
"""Sections that a base may not have."""
SOURCES = (*document_keys.SOURCES, "json")
FILES = ("csv", "parquet", "xlsx")
"""Sources of rows that are the path of a file."""
UNITED = ("given", "tables", "meta")
"""Sections in which the entries of the record are added to those of the base."""

Entries = dict[str, tuple[Scalar, Node]]


@dataclass(frozen=True, slots=True, eq=False)
class TaskTable:
    """One table of tasks.

    Attributes:
        records: the records.
        map: which fields fill which sections.
        base: the sections that the tasks share, by key.
        span: place of the base.
        files: the files of the base and of the records.
        ignored: fields that are left out on purpose.
    """

    records: Records
    map: RecordMap
    base: Entries
    span: Span
    files: tuple[Path, ...]
    ignored: frozenset[str]


@dataclass(frozen=True, slots=True, eq=False)
class SuiteTables:
    """The tables of tasks of a suite.

    Attributes:
        suite: the suite's document.
        names: ids of the tasks of each entry of `tasks` that is a table, by the entry.
        places: table and index of the record of each task, by id.
    """

    suite: Document
    names: MappingOf[Node, tuple[str, ...]]
    places: MappingOf[str, tuple[TaskTable, int]]

    def task(self, name: str, report: Report) -> Document | None:
        """Return the document of a task; None after a report."""
        place = self.places.get(name)
        if place is None:
            help_text = did_you_mean(name, self.places)
            span = self.suite.key_span("tasks")
            report.error("PS012", f"the tables of the suite have no task `{name}`", span, "none here", help=help_text)
            return None
        table, index = place
        record = table.records.node(index, report)
        if record is None:
            return None
        own = Report()
        document = self._document(name, table, index, record, own)
        for diagnostic in own.diagnostics:
            report.add(diagnostic)
        return None if own.failed else document

    def _document(self, name: str, table: TaskTable, index: int, record: Mapping, report: Report) -> Document:
        suite = self.suite.path
        assert suite is not None, "only a file has tables of tasks"
        sections = dict(table.base)
        place = record.span.first_line
        sections["id"] = _entry("id", Scalar(place, name, "plain", place))
        for section, (key, node) in table.map.sections(record, report).items():
            shared = sections.get(section)
            sections[section] = (key, node if shared is None else _united(section, shared[1], node))
        ordered = {key: sections[key] for key in document_keys.DOCUMENT["task"] if key in sections}
        root = Mapping(table.span, tuple(ordered.values()), flow=False)
        return Document(
            "task",
            name,
            DescribedSource(f"{shown_path(suite)}#{name}", partial(task_text, root), made_from=(suite, *table.files)),
            root,
            task_path(suite, name),
            {section: node for section, (_, node) in ordered.items()},
            {section: key for section, (key, _) in ordered.items()},
            record=RecordOrigin(suite, index + 1, place),
        )


def _entry(name: str, value: Node) -> tuple[Scalar, Node]:
    return Scalar(value.span, name, "plain", value.span), value


def _united(section: str, shared: Node, own: Node) -> Node:
    """Return a section with the entries of the base and of the record, which win."""
    if section not in UNITED or not isinstance(shared, Mapping) or not isinstance(own, Mapping):
        return own
    names = {key.text for key, _ in own.entries}
    before = {key.text: value for key, value in shared.entries}
    kept = tuple((key, value) for key, value in shared.entries if key.text not in names)
    entries = own.entries
    if section == "tables":
        entries = tuple((key, _with_columns(before.get(key.text), rows)) for key, rows in entries)
    return Mapping(own.span, (*kept, *entries), flow=False)


def _with_columns(shared: Node | None, rows: Node) -> Node:
    """Return a table's entry with the columns that the base declares and the rows of the record."""
    entries = shared.entries if isinstance(shared, Mapping) else ()
    columns = tuple(entry for entry in entries if entry[0].text == "columns")
    return Mapping(rows.span, (*columns, _entry("rows", rows)), flow=False) if columns else rows


def task_text(root: Mapping, leave_out: str = "cases") -> str:
    """Return the task of a record as a document of its own, without one of its sections.

    Args:
        root: root of the task's document.
        leave_out: the section; cases by default, since a task's hash does not cover them.
    """
    return yaml_text(replace(root, entries=tuple(entry for entry in root.entries if entry[0].text != leave_out)))


# -- reading ------------------------------------------------------------------------------------------------


def read_tables(suite: Document, report: Report) -> SuiteTables:
    """Return the tables of tasks of a suite, with the ids of all tasks.

    Args:
        suite: document of the suite.
        report: receives the mistakes of the tables and of their records.
    """
    node = suite.sections.get("tasks")
    items = node.items if isinstance(node, Sequence) else (node,)
    names: dict[Node, tuple[str, ...]] = {}
    places: dict[str, tuple[TaskTable, int]] = {}
    lines: dict[str, int | None] = {}
    for item in items:
        if isinstance(item, Mapping) and item.entries:
            table = _table(item, suite, report)
            names[item] = () if table is None else tuple(_scan(table, item, places, lines, report))
    return SuiteTables(suite, names, places)


def _table(item: Mapping, suite: Document, report: Report) -> TaskTable | None:
    parts = known_entries(item, document_keys.TASK_TABLE, "a table of tasks", report)
    for name in document_keys.TASK_TABLE:
        if name not in parts:
            report.error("PS010", f"the table of tasks has no `{name}`", item.span.first_line, f"`{name}:` is missing")
    if len(parts) < len(document_keys.TASK_TABLE):
        return None
    own = Report()
    base = _base(parts["task"][1], suite, own)
    source = parts["from"][1]
    if not isinstance(source, Mapping):
        own.error("PS011", "`from` is the source of records", source.span, f"one of {', '.join(SOURCES)}")
    result = None
    if base is not None and isinstance(source, Mapping):
        sections = known_entries(source, document_keys.RECORD_SOURCE, "a source of records", own)
        records = _records(sections, source, suite, own)
        fields = record_map(sections["map"][1] if "map" in sections else None, source, own)
        if records is not None and fields is not None:
            ignored = frozenset(word.text for word in texts(_value(sections, "ignore"), "`ignore`", own))
            (entries, span, files) = base
            result = TaskTable(records[0], fields, entries, span, (*files, *records[1]), ignored)
    for diagnostic in own.diagnostics:
        report.add(diagnostic)
    return None if own.failed else result


def _value(sections: Entries, name: str) -> Node | None:
    return sections[name][1] if name in sections else None


def _base(node: Node, suite: Document, report: Report) -> tuple[Entries, Span, tuple[Path, ...]] | None:
    """Return the sections of a base, its place and its file; None after a report."""
    root: Node | None = node
    files: tuple[Path, ...] = ()
    if isinstance(node, Scalar):
        if not node.text.endswith(BASE) or "/" in node.text:
            help_text = f"name it `NAME{BASE}`, and put it beside the suite"
            report.error(
                "PS014",
                "a base is a file beside the suite, or the sections themselves",
                node.span,
                "neither",
                help=help_text,
            )
            return None
        path = file_beside(node, suite, report)
        source = None if path is None else read_source(path, shown_path(path), report=report)
        root = None if source is None else compose(source, report)
        if path is None or root is None:
            return None
        files = (path,)
        kind = kind_of(root, report)
        if kind not in (None, "task"):
            report.error("PS017", f"a base is a task, not a {kind}", root.span.first_line, "its kind")
        if kind != "task":
            return None
    if not isinstance(root, Mapping):
        report.error("PS011", "a base is a mapping of a task's sections", node.span, "not a mapping")
        return None
    entries = known_entries(root, document_keys.DOCUMENT["task"], "a task", report)
    for name in FROM_RECORDS & entries.keys():
        key = entries[name][0]
        report.error(
            "PS009",
            f"a base has no `{name}`",
            key.span,
            "every record has its own",
            help=f"write `{name}:` under `map:`",
        )
    place = root.span.first_line
    if "planspec" not in entries:
        entries = {"planspec": _entry("planspec", Scalar(place, "task/1", "plain", place)), **entries}
    return entries, Span(root.span.source, root.span.start, root.span.end), files


def _records(
    sections: Entries, whole: Mapping, suite: Document, report: Report
) -> tuple[Records, tuple[Path, ...]] | None:
    """Return the records of a source and their file; None after a report."""
    named = [(key, value) for name, (key, value) in sections.items() if name in SOURCES]
    if len(named) != 1:
        label = f"one of {', '.join(SOURCES)}"
        report.error("PS014", "a table of tasks has one source of records", whole.span.first_line, label)
        return None
    kind, node = named[0][0].text, named[0][1]
    if report_unsuitable_keys(sections, kind, report, inline=is_inline(kind, node)):
        return None
    if kind in ("jsonl", "json"):
        path = file_beside(node, suite, report)
        if path is None:
            return None
        if kind == "jsonl":
            return JsonLines(path), (path,)
        source = read_source(path, shown_path(path), report=report, max_bytes=TABLE_BYTES)
        return None if source is None else (JsonFile.of(source, report), (path,))
    before = len(report.diagnostics)
    format_ = read_format({name: value for name, (_, value) in sections.items()}, report)
    if len(report.diagnostics) > before:
        return None
    rows = source_rows(kind, node, suite, report, format_)
    if len(report.diagnostics) > before:
        return None
    file = node.text if isinstance(node, Scalar) else ""
    path = (suite.path.parent if suite.path else Path()) / file
    return RowRecords(rows), (path,) if kind in FILES and "\n" not in file else ()


def _scan(
    table: TaskTable,
    item: Mapping,
    places: dict[str, tuple[TaskTable, int]],
    lines: dict[str, int | None],
    report: Report,
) -> Iterator[str]:
    """Yield the ids of a table's records, and report records without a fit one, and fields that are never there.

    Args:
        table: the table.
        item: its entry in the suite.
        places: table and index of each task so far, by id; updated.
        lines: line of each id so far, in small letters; updated.
        report: receives the mistakes.
    """
    missing = {each.path: each for each in table.map.fields}
    seen: dict[str, None] = {}
    count = 0
    for index, data, span in table.records.scan(report):
        count += 1
        seen.update(dict.fromkeys(data))
        for path in [path for path in missing if data_at(data, path) is not None]:
            del missing[path]
        name = _id(data_at(data, table.map.id.path), span, lines, report)
        if name is not None:
            places[name] = (table, index)
            yield name
    if not count and not report.failed:
        report.error("PS014", "the source has no records", item.span.first_line, "nothing makes a task")
    for each in missing.values() if count else ():
        label = "no record has it"
        close = did_you_mean(str(each.path[0]), seen) if each.path else None
        help_text = close or f"the records have {', '.join(list(seen)[:20])}"
        report.error("PS014", f"no record has the field `{each.name}`", each.span, label, help=help_text)
    mapped = {str(each.path[0]) for each in table.map.fields if each.path}
    unused = [name for name in seen if name not in mapped and name not in table.ignored and name != "@key"]
    if unused and "*" not in table.ignored and not report.failed:
        report.warning(
            "PS610",
            f"{'one field' if len(unused) == 1 else f'{len(unused)} fields'} of the records make nothing of the tasks",
            item.span.first_line,
            ", ".join(f"`{name}`" for name in unused[:10]) + (" and others" if len(unused) > 10 else ""),
            help="map them, or list them under `ignore:`",
        )


def _id(value: Any, span: Span, lines: dict[str, int | None], report: Report) -> str | None:
    """Return the id of a record; None after a report."""
    name = None if value is None or isinstance(value, dict | list | bool) else str(value)
    if name is None:
        report.error("PS010", "the record has no id", span.first_line, "no such field, or not a text")
    elif not ID.fullmatch(name):
        label = "letters, digits, blanks and `-_.,:+()`, beginning with a letter or digit"
        report.error("PS011", f"`{name[:40]}` is no id of a task", span.first_line, label)
    elif name.casefold() in lines:
        label = f"again here, first on line {lines[name.casefold()]}"
        help_text = "ids differ in more than small and capital letters"
        report.error("PS602", f"two records are the task `{name}`", span.first_line, label, help=help_text)
    else:
        lines[name.casefold()] = span.line
        return name
    return None
