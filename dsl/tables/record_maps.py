"""Maps from the fields of a record to the sections of a task: the key `map` of a suite's table of tasks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.source import Source, Span
from planspec.dsl.structure import document_keys
from planspec.dsl.structure.sections import known_entries, known_keys, texts
from planspec.dsl.tables.record_fields import Field, read_field, read_fields
from planspec.dsl.yaml.json_nodes import json_node
from planspec.dsl.yaml.nodes import Mapping, Node, Scalar, Sequence

WORDS = ("query", "title", "expects")
"""Sections that are one text."""


@dataclass(frozen=True, slots=True)
class Rows:
    """How the rows of a table are made from a record.

    Attributes:
        name: the table.
        each: the field with the list of items, or with objects in objects if there are `keys`.
        skip: the number of leading items that are no rows.
        columns: field of each item by column; None if an item's own fields are the columns.
        keys: columns of the names of objects, from outside to inside.
        value: column of the innermost value, if it is no object.
        zip: fields with parallel lists, by column; the other attributes are then unused.
    """

    name: Scalar
    each: Field | None
    skip: int = 0
    columns: dict[str, Field] | None = None
    keys: tuple[Scalar, ...] = ()
    value: Field | None = None
    zip: dict[str, Field] = field(default_factory=dict)

    @property
    def fields(self) -> Iterator[Field]:
        """The fields of the record itself."""
        yield from [self.each] if self.each is not None else self.zip.values()

    def node(self, record: Mapping, report: Report) -> Sequence | None:
        """Return the rows of a record; None if it has no such field."""
        if self.each is None:
            return self._zipped(record, report)
        found = self.each.node(record, report)
        if found is None:
            return None
        if self.keys:
            return Sequence(found.span, tuple(self._nested(found, (), report)), flow=True)
        if not isinstance(found, Sequence):
            self._report(found, "a list of rows is needed", report)
            return None
        rows = [self._row(item, (), report) for item in found.items[self.skip :]]
        return Sequence(found.span, tuple(rows), flow=True)

    def _zipped(self, record: Mapping, report: Report) -> Sequence | None:
        lists: dict[str, Sequence] = {}
        for column, each in self.zip.items():
            found = each.node(record, report)
            if found is None:
                continue
            if not isinstance(found, Sequence):
                self._report(found, f"the field `{each.name}` is no list", report)
                return None
            lists[column] = found
        if not lists:
            return None
        lengths = {column: len(each.items) for column, each in lists.items()}
        if len(set(lengths.values())) > 1:
            counts = ", ".join(f"`{column}` {count}" for column, count in lengths.items())
            self._report(next(iter(lists.values())), f"the lists have different lengths: {counts}", report)
            return None
        span = next(iter(lists.values())).span
        rows = [
            _row(span, [(_key(column, span), each.items[at]) for column, each in lists.items()])
            for at in range(next(iter(lengths.values())))
        ]
        return Sequence(span, tuple(rows), flow=True)

    def _nested(self, node: Node, names: tuple[Scalar, ...], report: Report) -> Iterator[Node]:
        """Yield the rows of objects in objects, whose names are columns."""
        if len(names) == len(self.keys):
            yield self._row(node, names, report)
        elif isinstance(node, Mapping):
            for key, value in node.entries:
                yield from self._nested(value, (*names, key), report)
        else:
            self._report(node, f"an object is needed, whose names are `{self.keys[len(names)].text}`", report)

    def _row(self, item: Node, names: tuple[Scalar, ...], report: Report) -> Mapping:
        cells: list[tuple[Scalar, Node]] = [
            (Scalar(name.span, key.text, "plain", name.span), name) for key, name in zip(self.keys, names, strict=False)
        ]
        columns = self.columns
        if self.value is not None:
            columns = {self.value.name: replace(self.value, path=())}
        if columns is not None:
            for column, each in columns.items():
                found = each.node(item, report)
                if found is not None:
                    cells.append((_key(column, found.span), found))
        elif isinstance(item, Mapping):
            cells += [(key, value) for key, value in item.entries if not _is_missing(value)]
        else:
            self._report(item, "a row is an object, or `map:` says which of its fields are columns", report)
        return _row(item.span, cells)

    def _report(self, node: Node, label: str, report: Report) -> None:
        report.error("PS015", f"the rows of `{self.name.text}` cannot be read", node.span.first_line, label)


def _row(span: Span, cells: list[tuple[Scalar, Node]], *, flow: bool = True) -> Mapping:
    return Mapping(span, tuple(cells), flow=flow)


def _key(text: str, span: Span) -> Scalar:
    return Scalar(span, text, "plain", span)


def _is_missing(node: Node) -> bool:
    return isinstance(node, Scalar) and node.style == "plain" and not node.text


@dataclass(frozen=True, slots=True)
class RecordMap:
    """The map of a table of tasks.

    Attributes:
        id: field of the id.
        words: fields of `query`, `title` and `expects`, each with the key in the map.
        reference: field of the reference answer, with the key in the map.
        given: fields of givens, by their keys.
        meta: fields of data that is kept with the task, by their keys.
        tables: rows by table.
        keys: keys of `given`, `meta` and `tables` in the map.
    """

    id: Field
    words: tuple[tuple[Scalar, Field], ...] = ()
    reference: tuple[Scalar, Field] | None = None
    given: tuple[tuple[Scalar, Field], ...] = ()
    meta: tuple[tuple[Scalar, Field], ...] = ()
    tables: tuple[Rows, ...] = ()
    keys: dict[str, Scalar] = field(default_factory=dict)

    @property
    def fields(self) -> Iterator[Field]:
        """All fields of the record itself."""
        yield self.id
        pairs = (*self.words, *([self.reference] if self.reference else ()), *self.given, *self.meta)
        yield from (each for _, each in pairs)
        for table in self.tables:
            yield from table.fields

    def sections(self, record: Mapping, report: Report) -> dict[str, tuple[Scalar, Node]]:
        """Return the sections that a record fills, each with its key; the id is not among them."""
        sections: dict[str, tuple[Scalar, Node]] = {}
        for key, each in self.words:
            found = each.node(record, report)
            if found is not None:
                sections[key.text] = (key, found)
        for name, pairs in (("given", self.given), ("meta", self.meta)):
            entries = [(key, node) for key, each in pairs if (node := each.node(record, report)) is not None]
            if entries:
                sections[name] = (self.keys[name], Mapping(record.span, tuple(entries), flow=False))
        made = [(table.name, table.node(record, report)) for table in self.tables]
        rows = [
            (name, _row(node.span, [(_key("rows", node.span), node)], flow=False))
            for name, node in made
            if node is not None
        ]
        if rows:
            sections["tables"] = (self.keys["tables"], Mapping(record.span, tuple(rows), flow=False))
        if self.reference is not None:
            key, each = self.reference
            answer = each.node(record, report)
            if answer is not None:
                sections["reference"] = (key, _answer(answer))
        return sections


def _answer(node: Node) -> Node:
    """Return an answer; a text that holds a JSON object or list is decoded."""
    if not isinstance(node, Scalar) or not node.text.lstrip().startswith(("{", "[")):
        return node
    try:
        json.loads(node.text)
    except (ValueError, RecursionError):
        return node
    return json_node(Source(node.span.source.name, node.text, first_line=node.span.line))


# -- reading of the map -----------------------------------------------------------------------------------


def record_map(node: Node | None, whole: Node, report: Report) -> RecordMap | None:
    """Return the map of a table of tasks; None after a report.

    Without a map, the fields `id`, `query`, `title`, `expects` and `reference` of a record are the sections of these names.

    Args:
        node: the value of `map`; None if it is left out.
        whole: the value of `from`, for messages.
        report: receives the diagnostics.
    """
    if node is not None and not isinstance(node, Mapping):
        report.error("PS011", "`map` must be a mapping of sections to fields", node.span, "not a mapping")
        return None
    entries = {} if node is None else known_entries(node, document_keys.RECORD_MAP, "a map of records", report)
    place = whole.span.first_line
    identity = read_field(entries["id"][1], report) if "id" in entries else Field(("id",), place)
    if identity is not None and identity.form is not None:
        report.error("PS011", "an id is the text of its field", identity.span, "it has no form")
    reference = _keyed(entries, "reference", report)
    words = tuple(pair for name in WORDS if (pair := _keyed(entries, name, report)) is not None)
    given, meta = read_fields(entries.get("given"), report), read_fields(entries.get("meta"), report)
    tables = _tables(entries.get("tables"), report)
    if identity is None or report.failed:
        return None
    keys = {name: key for name, (key, _) in entries.items()}
    return RecordMap(identity, words, reference, given, meta, tables, keys)


def _keyed(entries: dict[str, tuple[Scalar, Node]], name: str, report: Report) -> tuple[Scalar, Field] | None:
    if name not in entries:
        return None
    key, value = entries[name]
    found = read_field(value, report)
    return None if found is None else (key, found)


def _tables(entry: tuple[Scalar, Node] | None, report: Report) -> tuple[Rows, ...]:
    if entry is None:
        return ()
    _, node = entry
    if not isinstance(node, Mapping):
        report.error("PS011", "`tables` must be a mapping of tables to fields", node.span, "not a mapping")
        return ()
    rows = (_rows(name, value, report) for name, value in node.entries)
    return tuple(each for each in rows if each is not None)


def _rows(name: Scalar, node: Node, report: Report) -> Rows | None:
    """Return how a table's rows are made: a field with a list, or a mapping with `each` or `zip`."""
    if not isinstance(node, Mapping):
        each = read_field(node, report)
        return None if each is None else Rows(name, each)
    parts = known_keys(node, document_keys.RECORD_ROWS, "a table's rows", report)
    zipped = parts.get("zip")
    if zipped is not None:
        fields = read_fields((name, zipped), report)
        return Rows(name, None, zip={key.text: each for key, each in fields})
    if "each" not in parts:
        report.error("PS010", f"the rows of `{name.text}` have no source", node.span.first_line, "`each` or `zip`")
        return None
    each, value = read_field(parts["each"], report), parts.get("value")
    keys = tuple(texts(parts.get("keys"), "`keys`", report))
    columns = parts.get("map")
    if each is None:
        return None
    return Rows(
        name,
        each,
        _skip(parts.get("skip"), report),
        None if columns is None else {key.text: each for key, each in read_fields((name, columns), report)},
        keys,
        None if value is None else read_field(value, report),
    )


def _skip(node: Node | None, report: Report) -> int:
    if node is None:
        return 0
    if isinstance(node, Scalar) and node.text.isdecimal():
        return int(node.text)
    report.error("PS011", "`skip` is the number of leading items that are no rows", node.span, "no such number")
    return 0
