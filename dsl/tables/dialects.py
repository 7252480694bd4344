"""Dialects: formats of numbers, dates and Booleans in a source (keys `decimal dates times true false strip`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from collections.abc import Mapping as MappingOf
from dataclasses import dataclass, replace

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.model.types import ListType, RowType, ScalarType, SetType, Table, Type
from planspec.dsl.structure import document_keys
from planspec.dsl.structure.sections import texts
from planspec.dsl.tables.cell_forms import (
    CellForm,
    ClockForm,
    Form,
    ItemForms,
    KeyForms,
    NumberForm,
    TruthForm,
    has_time,
    pattern_fault,
    suggested_pattern,
)
from planspec.dsl.yaml.nodes import Node, Scalar

NUMBERS = frozenset(
    {ScalarType.INT, ScalarType.DECIMAL, ScalarType.MONEY, ScalarType.DISTANCE, ScalarType.DURATION},
)
APPLIES: MappingOf[str, frozenset[ScalarType]] = {
    "decimal": NUMBERS,
    "strip": NUMBERS,
    "dates": frozenset({ScalarType.DATE, ScalarType.MOMENT}),
    "times": frozenset({ScalarType.TIME, ScalarType.MOMENT}),
    "true": frozenset({ScalarType.BOOL}),
    "false": frozenset({ScalarType.BOOL}),
}
"""The types of columns to which each key applies."""
MEANINGS = (frozenset({"decimal", "strip"}), frozenset({"dates", "times"}), frozenset({"true", "false"}))
"""Groups of keys that a field may have together, one group for each kind of value."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """The formats of values in the texts of a source. An empty attribute stands for the language's format.

    Attributes:
        decimal: the decimal sign of numbers.
        dates: the pattern of dates, or of moments if it has a time.
        times: the pattern of times.
        true: words for true, in lower case.
        false: words for false, in lower case.
        strip: strings to remove before and after numbers, longest first.
    """

    decimal: str | None = None
    dates: str | None = None
    times: str | None = None
    true: frozenset[str] = frozenset()
    false: frozenset[str] = frozenset()
    strip: tuple[str, ...] = ()

    def form(self, type_: Type) -> Form | None:
        """Return the format of values of a type; None for the language's format."""
        if type_ in NUMBERS and (self.decimal is not None or self.strip):
            return NumberForm(self.decimal, self.strip)
        match type_:
            case ScalarType.BOOL if self.true or self.false:
                return TruthForm(self.true, self.false)
            case ScalarType.DATE if self.dates is not None:
                return ClockForm((self.dates,), ("date", "time") if has_time(self.dates) else ("date",))
            case ScalarType.TIME if self.times is not None:
                return ClockForm((self.times,), ("time",))
            case ScalarType.MOMENT if self.dates is not None or self.times is not None:
                return ClockForm(self._moments(), ("date", "time"))
        return None

    def _moments(self) -> tuple[str, ...]:
        if self.dates is not None and has_time(self.dates):
            return (self.dates,)
        day = self.dates or "%Y-%m-%d"
        clocks = ("%H:%M", "%H:%M:%S") if self.times is None else (self.times,)
        return tuple(f"{day} {clock}" for clock in clocks)

    def field_form(self) -> Form | None:
        """Return the format of a field, for numbers, dates, times or Booleans depending on the keys that are set.

        Return None if no key is set.
        """
        type_ = ScalarType.INT
        if self.true or self.false:
            type_ = ScalarType.BOOL
        elif self.dates is not None:
            type_ = ScalarType.DATE if self.times is None else ScalarType.MOMENT
        elif self.times is not None:
            type_ = ScalarType.TIME
        return self.form(type_)


def cell_form(dialect: Dialect, type_: Type, tables: MappingOf[str, Table]) -> CellForm | None:
    """Return the format of the cells of a column; None if they have the language's format.

    Args:
        dialect: the dialect of the column.
        type_: type of the column. A reference has the format of the key to which it refers.
        tables: the tables by name.
    """
    match type_:
        case SetType() | ListType():
            form = cell_form(dialect, type_.item, tables)
            return ItemForms(form) if isinstance(form, KeyForms) else form
        case RowType():
            others = _without(tables, type_.table)
            forms = tuple(cell_form(dialect, part, others) for part in _key_types(type_, tables))
            if len(forms) == 1:
                return forms[0]
            return KeyForms(forms) if any(forms) else None
    return dialect.form(type_)


def _key_types(type_: RowType, tables: MappingOf[str, Table]) -> tuple[Type, ...]:
    """Return the types of the columns of a table's key, which may be the implied `id`."""
    table = tables.get(type_.table)
    if table is None:
        return ()
    return tuple(table.columns[name].type for name in table.key or ("id",) if name in table.columns)


def _without(tables: MappingOf[str, Table], name: str) -> MappingOf[str, Table]:
    """Return the tables without the one named, to prevent endless recursion if its key refers to itself."""
    return {other: table for other, table in tables.items() if other != name}


def leaf_types(type_: Type, tables: MappingOf[str, Table]) -> frozenset[Type]:
    """Return the types of a column's single values: items of a set or list, or parts of the key of a reference."""
    match type_:
        case SetType() | ListType():
            return leaf_types(type_.item, tables)
        case RowType():
            parts, others = _key_types(type_, tables), _without(tables, type_.table)
            return frozenset(leaf for part in parts for leaf in leaf_types(part, others))
    return frozenset({type_})


NO_DIALECT = Dialect()


# -- reading ------------------------------------------------------------------------------------------------


def read_dialect(sections: MappingOf[str, Node], report: Report, base: Dialect = NO_DIALECT) -> Dialect:
    """Return a dialect from its keys.

    Args:
        sections: the values by key; other keys are ignored.
        report: receives mistakes of the values.
        base: dialect with the attributes for keys that are left out.
    """
    if not sections.keys() & document_keys.DIALECT.keys():
        return base
    changes: dict[str, object] = {}
    for key in document_keys.DIALECT:
        if key in sections:
            value = _READERS[key](key, sections[key], report)
            if value is not None:
                changes[key] = value
    dialect = replace(base, **changes)  # type: ignore[arg-type]  # each reader gives its key's type
    both = sorted(dialect.true & dialect.false)
    if both:
        node = sections["false"] if "false" in sections else sections["true"]
        report.error("PS011", f"`{both[0]}` is a word for true and for false", node.span, "it can only be one of them")
    return dialect


def _text(key: str, node: Node, report: Report) -> str | None:
    if isinstance(node, Scalar) and node.text:
        return node.text
    label = "nothing" if isinstance(node, Scalar) else "a collection"
    report.error("PS011", f"`{key}` must be a non-empty string", node.span, label)
    return None


def _decimal(key: str, node: Node, report: Report) -> str | None:
    text = _text(key, node, report)
    if text in (None, ",", "."):
        return text
    report.error("PS011", "the decimal sign is `,` or `.`", node.span, "neither", help='write `decimal: ","`')
    return None


def _pattern(key: str, node: Node, report: Report) -> str | None:
    text = _text(key, node, report)
    fault = None if text is None else pattern_fault(text, key)
    if text is None or fault is None:
        return text
    suggestion = suggested_pattern(text, key)
    example = suggestion or {"dates": "%d.%m.%Y", "times": "%I:%M %p"}[key]
    help_text = f'write `{key}: "{example}"`' if suggestion else f"a pattern is, for example, `{example}`"
    report.error("PS011", f"`{text[:40]}` is no pattern of {key}", node.span, fault, help=help_text)
    return None


def _words(key: str, node: Node, report: Report) -> frozenset[str]:
    return frozenset(word.text.casefold() for word in _nonempty_strings(key, node, report))


def _marks(key: str, node: Node, report: Report) -> tuple[str, ...]:
    marks = set()
    for word in _nonempty_strings(key, node, report):
        mark = word.text.strip()
        if mark in ("", "-", ".", ",") or any(map(str.isdecimal, mark)):
            label = "digits, signs and blanks belong to numbers"
            report.error("PS011", f"`{word.text[:40]}` cannot be left out of numbers", word.span, label)
        else:
            marks.add(mark)
    return tuple(sorted(marks, key=lambda mark: (-len(mark), mark)))


def _nonempty_strings(key: str, node: Node, report: Report) -> Iterable[Scalar]:
    """Return the nonempty strings of a list, or a single string. Report if there are none."""
    before = len(report.diagnostics)
    words = [word for word in texts(node, f"`{key}`", report) if word.text]
    if not words and len(report.diagnostics) == before:
        report.error("PS011", f"`{key}` has no words", node.span, "nothing")
    return words


_READERS: MappingOf[str, Callable[[str, Node, Report], object]] = {
    "decimal": _decimal,
    "dates": _pattern,
    "times": _pattern,
    "true": _words,
    "false": _words,
    "strip": _marks,
}


def report_mixed_keys(sections: MappingOf[str, Node], report: Report) -> bool:
    """Report keys of a field that are for different kinds of values; return whether there are such keys."""
    present = [key for key in document_keys.DIALECT if key in sections]
    other = next((key for key in present for keys in MEANINGS if present[0] in keys and key not in keys), None)
    clash = other or ("one_of" if present and "one_of" in sections else None)
    if clash is None:
        return False
    label = f"`{present[0]}` stands beside it"
    report.error("PS011", f"a field has one form, and no `{clash}` beside it", sections[clash].span, label)
    return True
