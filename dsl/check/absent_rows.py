"""Warnings about constant keys that no row has, such as `Shop["Grand hotel"]` if the row is `Grand Hotel`.

Such an index expression is always *none*, and an equality with such a key never holds. A constraint with either is
vacuous or cannot be satisfied. There is no warning if the author handles *none* (with `is none`, `??` or an optional
argument), and so expects that the row may be missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from planspec.dsl.diagnostics.source import Span
from planspec.dsl.diagnostics.suggestions import did_you_mean
from planspec.dsl.model import tree as t
from planspec.dsl.model.traversal import walk
from planspec.dsl.model.types import Column, RowType, ScalarType, Table
from planspec.dsl.model.value_text import show_key

if TYPE_CHECKING:
    from planspec.dsl.check.checker import Checker
    from planspec.dsl.check.names import Names

Key = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class AbsentRowMention:
    """A constant key in an expression for which the table has no row.

    Attributes:
        table: table of facts.
        columns: key columns for which the mention gives values.
        key: values of these columns.
        span: span of these values.
        index: whether it is an index expression (which may be tested for *none*), not a comparison.
    """

    table: Table
    columns: tuple[Column, ...]
    key: Key
    span: Span
    index: bool


class AbsentRowMentions:
    """Collects mentions of absent rows in the expressions of a document and reports them."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._mentions: list[AbsentRowMention] = []
        self._tested: list[t.Expr] = []

    def record_index(self, lookup: t.Lookup) -> None:
        """Record an index expression if its whole key is constant."""
        table = lookup.table
        key = self._constant_key(lookup)
        if key is not None and self._names.row(table, key) is None:
            columns = tuple(table.columns[name] for name in table.key)
            span = lookup.keys[0].span.to(lookup.keys[-1].span)
            self._record(AbsentRowMention(table, columns, key, span, index=True))

    def record_equality(self, one: t.Expr, other: t.Expr) -> None:
        """Record a comparison of a key column with a constant string or set of strings."""
        if not (isinstance(one, t.FieldOf) and one.column.type is ScalarType.TEXT):
            return
        table = self._names.tables[one.row.type.table] if isinstance(one.row.type, RowType) else None
        if table is None or table.plan or one.column.name not in table.key:
            return
        for text in other.items if isinstance(other, t.SetLiteral) else (other,):
            if isinstance(text, t.Literal) and isinstance(text.value, str):
                facts = self._names.facts.get(table.name)
                if facts is None or text.value not in facts.grouped((one.column,)):
                    self._record(AbsentRowMention(table, (one.column,), (text.value,), text.span, index=False))

    def expect_missing(self, expr: t.Expr) -> None:
        """Record an expression that the author tests for *none*, and whose row is therefore allowed to be missing."""
        self._tested.append(expr)

    def report(self, c: Checker) -> None:
        """Warn about each recorded mention, unless the author expects that its row is missing."""
        if not self._mentions:
            return
        indexes = (node for node in walk(*self._tested) if isinstance(node, t.Lookup))
        tested = {(node.table.name, self._constant_key(node)) for node in indexes}
        for absent in self._mentions:
            if not (absent.index and (absent.table.name, absent.key) in tested):
                self._report_absent(absent, c)
        self._mentions.clear()

    def _record(self, absent: AbsentRowMention) -> None:
        """Record a mention if all rows of its table are available; otherwise a later row might match."""
        if self._names.rows_complete(absent.table):
            self._names.searched.add(absent.table.name)
            self._mentions.append(absent)

    def _constant_key(self, lookup: t.Lookup) -> Key | None:
        """Return the key of an index into a table of facts if all of it is constant; otherwise None."""
        if lookup.table.plan or len(lookup.keys) != len(lookup.table.key):
            return None
        key = tuple(self._constant_value(part) for part in lookup.keys)
        return None if None in key else key

    def _constant_value(self, part: t.Expr) -> Any:
        """Return the value of a constant; None for any other expression."""
        match part:
            case t.Literal(value=value):
                return value
            case t.RowNamed(table=table, key=key):
                return self._names.row(table, (key,))
            case t.Lookup(table=table):
                whole = self._constant_key(part)
                return None if whole is None else self._names.row(table, whole)
        return None

    def _report_absent(self, absent: AbsentRowMention, c: Checker) -> None:
        table, currency = absent.table, self._names.currency
        shown = [show_key(v, col.type, currency) for v, col in zip(absent.key, absent.columns, strict=True)]
        headline = f"the table `{table.name}` has no row `{', '.join(shown)}`"
        if len(absent.columns) < len(table.key):
            headline = f"no row of `{table.name}` has the {absent.columns[0].name} `{shown[0]}`"
        c.report.warning(
            "PS207",
            headline,
            absent.span,
            "always none" if absent.index else "equals the key of no row",
            help=self._similar_key_help(absent, shown)
            or (
                "if it may be missing, say what holds then: `... ?? x`, or `... is none or ...`"
                if absent.index
                else None
            ),
        )

    def _similar_key_help(self, absent: AbsentRowMention, shown: Sequence[str]) -> str | None:
        """Return help that suggests a similar value from the same key column; None if no value is similar."""
        facts = self._names.facts.get(absent.table.name)
        if facts is None:
            return None
        for value, text, column in zip(absent.key, shown, absent.columns, strict=True):
            values = facts.grouped((column,))
            if isinstance(value, str) and value not in values:
                return did_you_mean(text, _texts_in(values))
        return None


def _texts_in(values: Any) -> Iterator[str]:
    return (value for value in values if isinstance(value, str))
