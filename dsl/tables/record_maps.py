"""Record maps (key `map` in a suite), which make the sections of a task from the fields of a data record."""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.source import Source, Span
from planspec.dsl.tables.record_fields import Field, is_missing, value_at
from planspec.dsl.tables.records import decoded_value, error_reason
from planspec.dsl.yaml.json_nodes import json_node
from planspec.dsl.yaml.nodes import Mapping, Node, Scalar, Sequence

AnswerForm: TypeAlias = Literal["plan", "answer"]
"""How a reference is read: as a bare plan, or as an answer as an agent returns it, such as `{plan: ...}`."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Rule that derives the rows of a table from a record.

    Attributes:
        name: the table.
        each: the field with the list of items, or with nested objects if there are `keys`.
        skip: the number of leading items that are not rows.
        columns: field of each item by column; None if an item's own fields are the columns.
        keys: columns for the names of nested objects, outermost first.
        value: column for the innermost value, if it is not an object.
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
        """The fields that the rule reads from the record, without the fields of its items."""
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
            _row(span, [(_key(column, span), cell) for column, cell in cells if not is_missing(cell)])
            for cells in (
                [(column, each.items[at]) for column, each in lists.items()]
                for at in range(next(iter(lengths.values())))
            )
        ]
        return Sequence(span, tuple(rows), flow=True)

    def _nested(self, node: Node, names: tuple[Scalar, ...], report: Report) -> Iterator[Node]:
        """Yield the rows of nested objects, whose names become cells."""
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
            self._report(item, "a row is null" if is_missing(item) else "a row is an object or a list", report)
        elif columns is not None:
            for column, each in columns.items():
                found = each.node(item, report)
                if found is not None:
                    cells.append((_key(column, found.span), found))
        elif isinstance(item, Mapping):
            cells += [(key, value) for key, value in item.entries if not is_missing(value)]
        else:
            self._report(item, "a row is an object, or `map:` says which of its items are columns", report)
        return _row(item.span, cells)

    def _report(self, node: Node, label: str, report: Report) -> None:
        report.error("PS015", f"the rows of `{self.name.text}` cannot be read", node.span.first_line, label)


def _row(span: Span, cells: list[tuple[Scalar, Node]], *, flow: bool = True) -> Mapping:
    return Mapping(span, tuple(cells), flow=flow)


def _key(text: str, span: Span) -> Scalar:
    return Scalar(span, text, "plain", span)


@dataclass(frozen=True, slots=True)
class RecordMap:
    """The map of a table of tasks.

    Attributes:
        id: field of the id.
        words: fields of `query`, `title` and `expects`, each with the key in the map.
        reference: field of the reference answer, with the key in the map.
        given: fields of givens, by their keys.
        meta: fields of the author's own data (section `meta`), by their keys.
        tables: rows by table.
        keys: keys of `given`, `meta` and `tables` in the map.
        form: how the reference is read; None for JSON that may be a plan or an answer.
    """

    id: Field
    words: tuple[tuple[Scalar, Field], ...] = ()
    reference: tuple[Scalar, Field] | None = None
    given: tuple[tuple[Scalar, Field], ...] = ()
    meta: tuple[tuple[Scalar, Field], ...] = ()
    tables: tuple[Rows, ...] = ()
    keys: dict[str, Scalar] = field(default_factory=dict)
    form: AnswerForm | None = None

    @property
    def fields(self) -> Iterator[Field]:
        """All fields that the map reads from a record, without the fields of items in its lists."""
        yield self.id
        pairs = (*self.words, *([self.reference] if self.reference else ()), *self.given, *self.meta)
        yield from (each for _, each in pairs)
        for table in self.tables:
            yield from table.fields

    @property
    def entries(self) -> Iterator[tuple[str, Field]]:
        """The fields of the sections `query`, `title`, `expects` and `given`, each with the name of its section."""
        yield from ((key.text, each) for key, each in self.words)
        yield from (("given", each) for _, each in self.given)

    def sections(self, record: Mapping, report: Report, without: Container[str] = ()) -> dict[str, tuple[Scalar, Node]]:
        """Return the sections of a task that get values from a record, except the id, each with its key.

        Args:
            record: the record.
            report: receives the mistakes.
            without: tables that stay without rows.
        """
        sections: dict[str, tuple[Scalar, Node]] = {}
        for key, each in self.words:
            found = each.node(record, report)
            if found is not None:
                sections[key.text] = (key, found)
        for name, pairs in (("given", self.given), ("meta", self.meta)):
            entries = [(key, node) for key, each in pairs if (node := each.node(record, report)) is not None]
            if entries:
                sections[name] = (self.keys[name], Mapping(record.span, tuple(entries), flow=False))
        made = [(table.name, table.node(record, report)) for table in self.tables if table.name.text not in without]
        rows = [
            (name, _row(node.span, [(_key("rows", node.span), node)], flow=False))
            for name, node in made
            if node is not None
        ]
        if rows:
            sections["tables"] = (self.keys["tables"], Mapping(record.span, tuple(rows), flow=False))
        if self.reference is not None:
            key, each = self.reference
            found = each.node(record, report)
            answer = None if found is None else _answer(found, each, self.form, report)
            if answer is not None:
                sections["reference"] = (key, self._with_envelope(answer, record) if self.form == "plan" else answer)
        return sections

    def _with_envelope(self, plan: Node, record: Mapping) -> Node:
        """Return the answer `{task: ID, plan: PLAN}`. Without it, a plan table named `plan` or `task` would be ambiguous."""
        task = value_at(record, self.id.path)
        assert isinstance(task, Scalar), "a record without an id makes no task"
        name = Scalar(plan.span, task.text, "double", plan.span)
        entries = ((_key("task", plan.span), name), (_key("plan", plan.span), plan))
        return Mapping(plan.span, entries, flow=False)


def _answer(node: Node, field: Field, form: AnswerForm | None, report: Report) -> Node | None:
    """Return an answer, decoded if it is a string of JSON; None for null.

    A string that is not JSON is the text of an agent's answer if the form is `answer`, and otherwise a mistake.
    """
    if not isinstance(node, Scalar):
        return node
    text = node.text.replace("\n", " ")  # keeps the JSON on the single line of the record
    try:
        value = decoded_value(text)
    except (ValueError, RecursionError) as error:
        if form == "answer" and (words := node.text.replace("\r\n", "\n").strip()):
            return Scalar(node.span, words, "literal", node.span)
        reason = error_reason(error) if text.lstrip().startswith(("{", "[")) else "a text without JSON"
    else:
        if isinstance(value, dict | list):
            return json_node(Source(node.span.source.name, text, first_line=node.span.line))
        if value is None:
            return None
        reason = "neither an object nor a list"
    report.error(
        "PS015",
        f"the reference in `{field.name}` is not JSON of a plan",
        node.span.first_line,
        reason,
        help="map a field with the plan as an object, leave `reference` out of the map, list a text that stands for no "
        "reference under `empty:`, or write `as: answer` if it is the text of an agent",
    )
    return node
