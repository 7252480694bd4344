"""Fields of records: their paths, and the reading of their values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.source import Span
from planspec.dsl.diagnostics.suggestions import did_you_mean
from planspec.dsl.model.values import with_unit
from planspec.dsl.tables.cell_forms import Form, UnfitCellError
from planspec.dsl.yaml.nodes import Mapping, Node, Scalar, Sequence, TypedScalar

Path: TypeAlias = tuple[str, ...]
"""The path to a field: names, and positions in lists, counted from 0."""
EMPTY_LIST = "[]"
"""The string under `empty` that stands for a list without items."""


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a record, and how its value is read.

    Attributes:
        path: path to the field; empty for the whole item.
        span: location in the map, for messages.
        one_of: replacements of values, by value; None to leave values unchanged.
        split: separator of the items of a text.
        unit: unit to add to a number without one.
        empty: strings that stand for a missing value; `[]` stands for a list without items.
        form: format of its texts; None for the language's format.
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
        """The path to the field as text, such as `trip.first_day`."""
        return ".".join(self.path)

    def node(self, item: Node, report: Report) -> Node | None:
        """Return the field's value in an item; None if it is missing, null or empty."""
        found = value_at(item, self.path)
        return None if found is None else self._read(found, report)

    def is_blank(self, record: Node) -> bool:
        """Return whether the field is absent or empty in a record."""
        found = value_at(record, self.path)
        if isinstance(found, Sequence):
            return not found.items and EMPTY_LIST in self.empty
        return found is None or (isinstance(found, Scalar) and (not found.text.strip() or found.text in self.empty))

    def _read(self, node: Node, report: Report) -> Node | None:
        if isinstance(node, Sequence):
            if not node.items and EMPTY_LIST in self.empty:
                return None
            items = (self._read(item, report) or missing_item(item) for item in node.items)
            return Sequence(node.span, tuple(items), node.flow)
        if not isinstance(node, Scalar):
            return node
        if is_missing(node) or node.text in self.empty:
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


def is_missing(node: Node) -> bool:
    """Return whether a node is null or an empty cell."""
    return isinstance(node, Scalar) and node.style == "plain" and not node.text


def missing_item(node: Node) -> Scalar:
    """Return the null that stands for an item of a list, so that the other items keep their positions."""
    return Scalar(node.span, "", "plain", node.span)
