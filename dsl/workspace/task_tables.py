"""Tables of tasks: entries of a suite that turn each record of a source into a task.

The base of a table consists of the sections that its tasks have in common; its map fills other sections from fields of
the record. The path of such a task is the path of the suite followed by `#` and the task's id. Its nodes keep their
spans in the record, the base and the map, in which mistakes are shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping as MappingOf
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.source import DescribedSource, Span
from planspec.dsl.diagnostics.suggestions import did_you_mean
from planspec.dsl.model.origin import RecordOrigin
from planspec.dsl.resources.limits import TABLE_BYTES
from planspec.dsl.resources.paths import shown_path
from planspec.dsl.structure import document_keys
from planspec.dsl.structure.document import NAME, TASK_ID, Document, kind_of
from planspec.dsl.structure.sections import known_entries, texts
from planspec.dsl.tables.cells import MAX_REPORTS
from planspec.dsl.tables.file_formats import is_inline, read_format, report_unsuitable_keys
from planspec.dsl.tables.missing_fields import MissingFields, data_at
from planspec.dsl.tables.record_fields import Field, value_at
from planspec.dsl.tables.record_fields import Path as FieldPath
from planspec.dsl.tables.record_map_reading import field_path, record_map
from planspec.dsl.tables.record_maps import RecordMap
from planspec.dsl.tables.records import KEY, JsonFile, JsonLines, Records, RowRecords
from planspec.dsl.tables.sources import file_beside, source_rows
from planspec.dsl.workspace.shards import BASE, task_path
from planspec.dsl.yaml.nodes import Mapping, Node, Scalar, Sequence, Style
from planspec.dsl.yaml.reader import compose
from planspec.dsl.yaml.source_files import read_source
from planspec.dsl.yaml.writing import yaml_text

MAX_ID_BYTES = 200
"""The maximum length of an id in a file name, in which non-ASCII characters are percent-encoded, such as `%C3%A9`."""
FROM_RECORDS = frozenset({"id", "query"})
"""Sections that only the record can fill, not the base."""
MERGED_SECTIONS = ("given", "tables", "meta")
"""Sections in which the entries of the record are added to those of the base."""

Entries = dict[str, tuple[Scalar, Node]]


@dataclass(frozen=True, slots=True, eq=False)
class TaskTable:
    """One table of tasks.

    Attributes:
        records: the records.
        map: map from fields to sections.
        base: the sections that the tasks share, by key.
        span: location of the base.
        files: the files of the base and of the records.
        ignored: fields that are left out on purpose.
        absent: paths of mapped fields that no record has, after the records were read.
        unread: tables with a mapped field that no row has; tasks get no rows of these tables from records.
    """

    records: Records
    map: RecordMap
    base: Entries
    span: Span
    files: tuple[Path, ...]
    ignored: frozenset[str]
    absent: set[FieldPath] = field(default_factory=set)
    unread: set[str] = field(default_factory=set)


@dataclass(frozen=True, eq=False)
class SuiteTables:
    """The tables of tasks of a suite.

    Attributes:
        suite: the suite's document.
        names: for each entry of `tasks` that is a table, the ids of its tasks.
        places: table and index of the record from which each task is made, by the task's id.
    """

    suite: Document
    names: MappingOf[Node, tuple[str, ...]]
    places: MappingOf[str, tuple[TaskTable, int]]

    @cached_property
    def _shown(self) -> str:
        """Path of the suite in diagnostics."""
        return "" if self.suite.path is None else shown_path(self.suite.path)

    def task(self, name: str, report: Report) -> Document | None:
        """Return the document of a task; None if a mistake was reported."""
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
        identity = value_at(record, table.map.id.path)
        if not isinstance(identity, Scalar) or identity.text != name:
            label = f"the task `{name}` was here before"
            report.error("PS007", "the records have changed since they were listed", record.span.first_line, label)
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
        style: Style = "plain" if NAME.fullmatch(name) else "double"
        sections["id"] = (_key("id", table.span.first_line), Scalar(place, name, style, place))
        for section, (key, node) in table.map.sections(record, report, table.unread).items():
            shared = sections.get(section)
            sections[section] = (key, node if shared is None else _united(section, shared[1], node))
        if "expects" in self.suite.sections:
            sections.setdefault("expects", (self.suite.keys["expects"], self.suite.sections["expects"]))
        ordered = {key: sections[key] for key in document_keys.DOCUMENT["task"] if key in sections}
        lacking = [
            section for section, each in table.map.entries if each.path not in table.absent and each.is_blank(record)
        ]
        keys = {section: key for section, (key, _) in ordered.items()}
        root = Mapping(table.span, tuple(ordered.values()), flow=False)
        path = task_path(suite, name)
        shown = f"{self._shown}#{name}"
        source = DescribedSource(shown, partial(task_text, root), made_from=(suite, *table.files))
        return Document(
            "task",
            name,
            source,
            root,
            path,
            {section: node for section, (_, node) in ordered.items()},
            {**keys, **{section: _key(section, place) for section in lacking}},
            record=RecordOrigin(
                path,
                index + 1,
                place,
                DescribedSource(shown, partial(task_text, root, None)),
                root,
                record,
                {key.text: _blank(each, record) for key, each in table.map.given if each.is_blank(record)},
            ),
        )


def _blank(field: Field, record: Mapping) -> tuple[Span, str]:
    """Return the span at which to report a missing or empty field of a record, and a label that names the field."""
    found = value_at(record, field.path)
    if found is None:
        return record.span.first_line, f"the record has no field `{field.name[:60]}`"
    span = found.span if found.span.start < found.span.end else record.span.first_line
    return span, f"the field `{field.name[:60]}` is empty"


def _key(name: str, span: Span) -> Scalar:
    return Scalar(span, name, "plain", span)


def _united(section: str, shared: Node, own: Node) -> Node:
    """Return a section with the entries of the base and of the record. The record's entries take precedence."""
    if section not in MERGED_SECTIONS or not isinstance(shared, Mapping) or not isinstance(own, Mapping):
        return own
    names = {key.text for key, _ in own.entries}
    before = {key.text: value for key, value in shared.entries}
    others = tuple((key, value) for key, value in shared.entries if key.text not in names)
    entries = own.entries
    if section == "tables":
        entries = tuple((key, _with_columns(before.get(key.text), rows)) for key, rows in entries)
    return Mapping(own.span, (*others, *entries), flow=False)


def _with_columns(shared: Node | None, own: Node) -> Node:
    """Return a table's entry with the columns that the base declares and the rows of the record."""
    columns = [entry for entry in _entries_of(shared) if entry[0].text == "columns"]
    return Mapping(own.span, (*columns, *_entries_of(own)), flow=False)


def _entries_of(node: Node | None) -> tuple[tuple[Scalar, Node], ...]:
    return node.entries if isinstance(node, Mapping) else ()


def task_text(root: Mapping, leave_out: str | None = "cases") -> str:
    """Return a task that was made from a record as the YAML text of a separate document.

    Args:
        root: root of the task's document.
        leave_out: a section to leave out; by default `cases`, which a task's hash does not cover.
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
    numbers: dict[str, int] = {}
    for item in items:
        if isinstance(item, Mapping) and item.entries:
            table = _table(item, suite, report)
            names[item] = () if table is None else tuple(_scan(table, item, places, numbers, report))
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
        own.error(
            "PS011", "`from` is the source of records", source.span, f"one of {', '.join(document_keys.RECORD_SOURCES)}"
        )
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
    """Return the sections of a base, its span and its files; None if a mistake was reported."""
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
    elif not isinstance(root, Mapping):
        report.error("PS011", "a base is a mapping of a task's sections", node.span, "not a mapping")
        return None
    if files or any(key.text == "planspec" for key, _ in _entries_of(root)):
        kind = kind_of(root, report)
        if kind not in (None, "task"):
            report.error("PS017", f"a base is a task, not a {kind}", root.span.first_line, "its kind")
        if kind != "task":
            return None
    assert isinstance(root, Mapping)
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
    for name in MERGED_SECTIONS:
        shared = _value(entries, name)
        if isinstance(shared, Sequence) or (isinstance(shared, Scalar) and shared.text):
            report.error("PS011", f"`{name}` must be a mapping of names", shared.span.first_line, "not a mapping")
    place = root.span.first_line
    if "planspec" not in entries:
        entries = {"planspec": (_key("planspec", place), Scalar(place, "task/1", "plain", place)), **entries}
    return entries, Span(root.span.source, root.span.start, root.span.end), files


def _records(
    sections: Entries, whole: Mapping, suite: Document, report: Report
) -> tuple[Records, tuple[Path, ...]] | None:
    """Return the records of a source and their file; None if a mistake was reported."""
    named = [(key, value) for name, (key, value) in sections.items() if name in document_keys.RECORD_SOURCES]
    if len(named) != 1:
        label = f"one of {', '.join(document_keys.RECORD_SOURCES)}"
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
        at = field_path(sections["at"][1], report) if "at" in sections else ()
        place = sections["at"][1].span.first_line if "at" in sections else None
        return None if source is None or at is None else (JsonFile.of(source, report, at, place), (path,))
    before = len(report.diagnostics)
    format_ = read_format({name: value for name, (_, value) in sections.items()}, report)
    if len(report.diagnostics) > before:
        return None
    rows = source_rows(kind, node, suite, report, format_)
    if len(report.diagnostics) > before:
        return None
    if not isinstance(node, Scalar) or kind not in document_keys.PATH_SOURCES or is_inline(kind, node):
        return RowRecords(rows), ()
    return RowRecords(rows), ((suite.path.parent if suite.path else Path()) / node.text,)


def _scan(
    table: TaskTable,
    item: Mapping,
    places: dict[str, tuple[TaskTable, int]],
    numbers: dict[str, int],
    report: Report,
) -> Iterator[str]:
    """Yield the ids of a table's records. Report records without a usable id, and fields that no record has.

    Args:
        table: the table.
        item: its entry in the suite.
        places: table and record index of each task so far, by the task's id; updated.
        numbers: number of the record with each id so far, by the id in lower case; updated.
        report: receives the mistakes.
    """
    missing = MissingFields(table.map)
    ids = _Ids(table, numbers, report)
    for index, data in table.records.scan(report):
        missing.remove_fields_of(data)
        name = ids.name(data_at(data, table.map.id.path), index)
        if name is not None:
            places[name] = (table, index)
            yield name
    table.absent.update(missing.paths)
    table.unread.update(missing.tables)
    if not missing.count and not report.failed:
        report.error("PS014", "the source has no records", item.span.first_line, "no record to make a task from")
    missing.report(report)
    paths = [each.path for each in table.map.fields]
    mapped = {KEY, *table.ignored, *(path[0] for path in paths if path)}
    unused = [name for name in missing.names if name not in mapped] if all(paths) else []
    if unused and "*" not in table.ignored and not report.failed:
        report.warning(
            "PS610",
            "one field of the records is not used"
            if len(unused) == 1
            else f"{len(unused)} fields of the records are not used",
            item.span.first_line,
            ", ".join(f"`{name}`" for name in unused[:10]) + (" and others" if len(unused) > 10 else ""),
            help="map them, or list them under `ignore:`",
        )


@dataclass(slots=True)
class _Ids:
    """Checks the ids of a table's records, which become ids of tasks.

    Attributes:
        table: the table.
        numbers: number of the record with each id so far, by the id in lower case; updated.
        report: receives the first records without a usable id.
        bad: number of records without a usable id so far.
    """

    table: TaskTable
    numbers: dict[str, int]
    report: Report
    bad: int = 0

    def name(self, value: Any, index: int) -> str | None:
        """Return the id of a record; None if a mistake was reported."""
        name = None if value in (None, "") or isinstance(value, dict | list | bool) else str(value)
        if name is None:
            self._refuse("PS010", "the record has no id", index, "no such field, or not a text")
        elif not TASK_ID.fullmatch(name):
            label = "letters, digits, blanks and `-_.,:+()`, beginning with a letter or digit"
            help_text = "map another field, or change the ids: certificates and exports name files by them"
            self._refuse("PS011", f"`{_printable(name)}` is no id of a task", index, label, help_text)
        elif len(quote(name)) > MAX_ID_BYTES:
            label = f"its certificate's file needs a name of {MAX_ID_BYTES} bytes at most"
            self._refuse("PS011", f"`{_printable(name)}` is too long for an id", index, label)
        elif name.casefold() in self.numbers:
            label = f"again here, the first is record {self.numbers[name.casefold()]}"
            help_text = "ids must differ in more than upper and lower case"
            self._refuse("PS602", f"two records are the task `{name}`", index, label, help_text)
        else:
            self.numbers[name.casefold()] = index + 1
            return name
        return None

    def _refuse(self, code: str, message: str, index: int, label: str, help_text: str | None = None) -> None:
        self.bad += 1
        if self.bad > MAX_REPORTS:
            return
        if self.bad == MAX_REPORTS:
            help_text = f"this is number {self.bad} of the table: further ones are not listed"
        record = self.table.records.node(index, Report())
        found = None if record is None else value_at(record, self.table.map.id.path)
        span = self.table.records.place(index) if found is None else found.span.first_line
        self.report.error(code, message, span, label, help=help_text)


def _printable(name: str) -> str:
    """Return the beginning of an id on one line."""
    return "".join(char if char.isprintable() else " " for char in name[:40])
