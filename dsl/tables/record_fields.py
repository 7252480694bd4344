"""Fields of records: where they are, and how their values are read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.source import Span
from planspec.dsl.diagnostics.suggestions import did_you_mean
from planspec.dsl.model.values import with_unit
from planspec.dsl.structure import document_keys
from planspec.dsl.structure.sections import known_keys, texts
from planspec.dsl.tables.cell_forms import Form, UnfitCellError
from planspec.dsl.tables.dialects import read_dialect, report_mixed_keys
from planspec.dsl.yaml.nodes import Mapping, Node, Scalar, Sequence, TypedScalar

Path: TypeAlias = tuple[str | int, ...]
"""The way to a field: names, and positions in lists."""


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
        form: form of its texts; None for the language's own.
    """

    path: Path
    span: Span
    one_of: dict[str, Scalar] | None = None
    split: str | None = None
    unit: str | None = None
    empty: frozenset[str] = frozenset()
    form: Form | None = None

    @property
    def name(self) -> str:
        """The way to the field as text, such as `trip.first_day`."""
        return ".".join(map(str, self.path))

    def node(self, item: Node, report: Report) -> Node | None:
        """Return the field's value in an item; None if it is missing, null or empty."""
        found = value_at(item, self.path)
        return None if found is None else self._read(found, report)

    def _read(self, node: Node, report: Report) -> Node | None:
        if isinstance(node, Sequence):
            items = (self._read(item, report) for item in node.items)
            return Sequence(node.span, tuple(item for item in items if item is not None), node.flow)
        if not isinstance(node, Scalar):
            return node
        if (node.style == "plain" and not node.text) or node.text in self.empty:
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
        if self.form is not None and not isinstance(node, TypedScalar):
            try:
                text = self.form.text(text)
            except UnfitCellError as error:
                owner = f"the field `{self.name}`" if self.path else "its field"
                message = f"`{text[:40]}` does not have the form of {owner}"
                report.error("PS016", message, node.span.first_line, str(error))
                return None
            node = Scalar(node.span, text, "plain", node.span)
        return node if self.unit is None else Scalar(node.span, with_unit(text, self.unit), node.style, node.span)


def value_at(node: Node, path: Path) -> Node | None:
    """Return the node at the end of a path; None if there is none."""
    found: Node | None = node
    for step in path:
        if isinstance(found, Mapping):
            found = next((value for key, value in found.entries if key.text == str(step)), None)
        elif isinstance(found, Sequence) and isinstance(step, int) and step < len(found.items):
            found = found.items[step]
        else:
            return None
    return found


def data_at(data: Any, path: Path) -> Any:
    """Return the decoded value at the end of a path; None if there is none."""
    for step in path:
        if isinstance(data, dict):
            data = data.get(str(step))
        elif isinstance(data, list) and isinstance(step, int) and step < len(data):
            data = data[step]
        else:
            return None
    return data


# -- reading of the map -----------------------------------------------------------------------------------


def read_fields(entry: tuple[Scalar, Node] | None, report: Report) -> tuple[tuple[Scalar, Field], ...]:
    """Return the fields of a mapping of names to fields; a list of names stands for fields of these names."""
    if entry is None:
        return ()
    key, node = entry
    if isinstance(node, Mapping):
        pairs = ((name, read_field(value, report)) for name, value in node.entries)
        return tuple((name, each) for name, each in pairs if each is not None)
    if isinstance(node, Sequence):
        return tuple((word, Field((word.text,), word.span)) for word in texts(node, f"`{key.text}`", report))
    report.error("PS011", f"`{key.text}` must be a mapping of names to fields", node.span, "not a mapping")
    return ()


def read_field(node: Node, report: Report) -> Field | None:
    """Return a field: its name, the list of names and positions that leads to it, or a mapping with `from`."""
    if not isinstance(node, Mapping):
        path = _path(node, report)
        return None if path is None else Field(path, node.span)
    parts = known_keys(node, document_keys.RECORD_FIELD, "a field", report)
    if "from" not in parts:
        report.error("PS010", "the field has no `from`", node.span.first_line, "the name of a field belongs here")
        return None
    path = _path(parts["from"], report)
    if path is None or report_mixed_keys(parts, report):
        return None
    one_of = parts.get("one_of")
    words = None
    if isinstance(one_of, Mapping):
        words = {key.text: value for key, value in one_of.entries if isinstance(value, Scalar)}
    if one_of is not None and (words is None or len(words) < len(getattr(one_of, "entries", ()))):
        report.error("PS011", "`one_of` must be a mapping of values to words", one_of.span, "not such a mapping")
        return None
    split, unit = parts.get("split"), parts.get("unit")
    return Field(
        path,
        node.span,
        words,
        split.text if isinstance(split, Scalar) and split.text else None,
        unit.text if isinstance(unit, Scalar) and unit.text else None,
        frozenset(word.text for word in texts(parts.get("empty"), "`empty`", report)),
        read_dialect(parts, report).field_form(),
    )


def _path(node: Node, report: Report) -> Path | None:
    if isinstance(node, Scalar) and node.text:
        return (node.text,)
    if isinstance(node, Sequence) and all(isinstance(item, Scalar) for item in node.items):
        items = [item for item in node.items if isinstance(item, Scalar)]
        return tuple(int(x.text) if x.style == "plain" and x.text.isdecimal() else x.text for x in items)
    report.error("PS011", "a field is a name, or a list of names and positions", node.span.first_line, "neither")
    return None
