"""Maps from the fields of a record to the sections of a task: the key `map` of a suite's table of tasks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.source import Source, Span
from planspec.dsl.diagnostics.suggestions import did_you_mean
from planspec.dsl.model.values import with_unit
from planspec.dsl.tables.records import decoded_value, error_reason
from planspec.dsl.yaml.json_nodes import json_node
from planspec.dsl.yaml.nodes import Mapping, Node, Scalar, Sequence

Path: TypeAlias = tuple[str, ...]
"""The way to a field: names, and positions in lists, from 0."""


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a record, and how its value is read.

    Attributes:
        path: the way to it; empty for the whole item.
        span: place in the map, for messages.
        one_of: words by the values that stand for them; None if the value stands as it is.
        split: separator of the items of a text.
        unit: unit of a number without one.
        empty: texts that stand for a missing value.
    """

    path: Path
    span: Span
    one_of: dict[str, Scalar] | None = None
    split: str | None = None
    unit: str | None = None
    empty: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """The way to the field as text, such as `trip.first_day`."""
        return ".".join(self.path)

    def node(self, item: Node, report: Report) -> Node | None:
        """Return the field's value in an item; None if it is missing, null or empty."""
        found = value_at(item, self.path)
        return None if found is None else self._read(found, report)

    def is_blank(self, record: Node) -> bool:
        """Whether a record has no such field, or nothing in it."""
        found = value_at(record, self.path)
        return found is None or (isinstance(found, Scalar) and (not found.text.strip() or found.text in self.empty))

    def _read(self, node: Node, report: Report) -> Node | None:
        if isinstance(node, Sequence):
            items = (self._read(item, report) or _missing_item(item) for item in node.items)
            return Sequence(node.span, tuple(items), node.flow)
        if not isinstance(node, Scalar):
            return node
        if _is_missing(node) or node.text in self.empty:
            return None
        if self.split is not None:
            parts = (part.strip() for part in node.text.split(self.split))
            scalars = (Scalar(node.span, part, node.style, node.span) for part in parts if part)
            words = (self._word(part, report) for part in scalars)
            return Sequence(node.span, tuple(word for word in words if word is not None), flow=True)
        return self._word(node, report)

    def _word(self, node: Scalar, report: Report) -> Scalar | None:
        text = node.text
        if self.one_of is not None:
            word = self.one_of.get(text)
            if word is None:
                report.error(
                    "PS016",
                    f"`{text[:40]}` in the field `{self.name}` stands for nothing",
                    node.span.first_line,
                    "not under `one_of`",
                    help=did_you_mean(text, self.one_of) or f"it has {', '.join(self.one_of)}",
                )
                return None
            return Scalar(node.span, word.text, word.style, node.span)
        return node if self.unit is None else Scalar(node.span, with_unit(text, self.unit), node.style, node.span)


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
            _row(span, [(_key(column, span), cell) for column, cell in cells if not _is_missing(cell)])
            for cells in (
                [(column, each.items[at]) for column, each in lists.items()]
                for at in range(next(iter(lengths.values())))
            )
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
        if isinstance(item, Scalar) and (columns is None or any(each.path for each in columns.values())):
            self._report(item, "a row is null" if _is_missing(item) else "a row is an object or a list", report)
        elif columns is not None:
            for column, each in columns.items():
                found = each.node(item, report)
                if found is not None:
                    cells.append((_key(column, found.span), found))
        elif isinstance(item, Mapping):
            cells += [(key, value) for key, value in item.entries if not _is_missing(value)]
        else:
            self._report(item, "a row is an object, or `map:` says which of its items are columns", report)
        return _row(item.span, cells)

    def _report(self, node: Node, label: str, report: Report) -> None:
        report.error("PS015", f"the rows of `{self.name.text}` cannot be read", node.span.first_line, label)


def _row(span: Span, cells: list[tuple[Scalar, Node]], *, flow: bool = True) -> Mapping:
    return Mapping(span, tuple(cells), flow=flow)


def _key(text: str, span: Span) -> Scalar:
    return Scalar(span, text, "plain", span)


def _is_missing(node: Node) -> bool:
    return isinstance(node, Scalar) and node.style == "plain" and not node.text


def _missing_item(node: Node) -> Scalar:
    """Return the null that stands for an item of a list, so that the other items keep their positions."""
    return Scalar(node.span, "", "plain", node.span)


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

    @property
    def entries(self) -> Iterator[tuple[str, Field]]:
        """The fields of sections whose values a task may need, with their sections."""
        yield from ((key.text, each) for key, each in self.words)
        yield from (("given", each) for _, each in self.given)

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
                sections["reference"] = (key, _answer(answer, report))
        return sections


def _answer(node: Node, report: Report) -> Node:
    """Return an answer; a text that begins like a JSON object or list is decoded."""
    if not isinstance(node, Scalar) or not node.text.lstrip().startswith(("{", "[")):
        return node
    text = node.text.replace("\n", " ")  # the same JSON, on the line of the record
    try:
        decoded_value(text)
    except (ValueError, RecursionError) as error:
        report.error("PS015", "the reference is not JSON", node.span.first_line, error_reason(error))
        return node
    return json_node(Source(node.span.source.name, text, first_line=node.span.line))


def value_at(node: Node, path: Path) -> Node | None:
    """Return the node at the end of a path; None if there is none."""
    found: Node | None = node
    for step in path:
        if isinstance(found, Mapping):
            found = next((value for key, value in found.entries if key.text == step), None)
        elif isinstance(found, Sequence):
            at = position(step)
            found = found.items[at] if at is not None and at < len(found.items) else None
        else:
            return None
    return found


def position(step: str) -> int | None:
    """Return the position in a list that a step of a path names; None if it names none."""
    return int(step) if step.isascii() and step.isdecimal() and len(step) < 10 else None
