"""Search for the names of rows in the queries, and warnings about named rows that the task does not use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.model.facts import Facts
from planspec.dsl.model.memory import Kind
from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import Task
from planspec.dsl.model.types import RowType
from planspec.verifiers.environment.query_text.names import (
    NameIndex,
    folded,
    name_index,
    named_tables,
    occurs,
    value_names,
)
from planspec.verifiers.environment.query_text.passages import Passage
from planspec.verifiers.environment.query_text.queries import Queries, QueryPart
from planspec.verifiers.environment.query_text.request_values import RequestValues

INDEXES: Kind[Facts, NameIndex] = Kind("indexes of the names of tables' rows")


@dataclass(frozen=True, slots=True)
class NameHit:
    """An occurrence of a row's name in a query.

    Attributes:
        part: position of the name.
        table: table of the rows.
        rows: the rows that have the name.
    """

    part: QueryPart
    table: str
    rows: tuple[Row, ...]


class NamesInQueries:
    """Search for the names of rows in a task's queries.

    Args:
        task: the task.
        queries: its queries.
        values: values that the task's document sets.
        quotations: the author's quotations from the queries (`tells:`).
    """

    def __init__(self, task: Task, queries: Queries, values: RequestValues, quotations: Sequence[Passage]) -> None:
        self._task, self._queries, self._values, self._quotations = task, queries, values, quotations

    @cached_property
    def hits(self) -> tuple[NameHit, ...]:
        """All occurrences of names of rows in the queries, except names within longer names."""
        result: list[NameHit] = []
        candidates = [
            NameHit(QueryPart(number, hit.start, hit.end), table, hit.rows)
            for table in self._tables()
            for number, text in enumerate(self._queries.texts)
            for hit in self._index(table).occurrences(text)
        ]
        for hit in sorted(candidates, key=lambda hit: hit.part.start - hit.part.end):
            longer = (other.part for other in result if other.part.contains(hit.part) and other.part != hit.part)
            if not any(longer):
                result.append(hit)
        return tuple(result)

    def _tables(self) -> Iterable[str]:
        """Return the tables to which given parameters and the document's rows refer."""
        task = self._task
        types = [declared.type for declared in task.given_declarations.values()]
        types += [c.type for name in self._values.own_rows for c in task.tables[name].columns.values()]
        return sorted(named_tables(types, task.tables) - self._values.own_rows.keys())

    def _index(self, table: str) -> NameIndex:
        facts = self._task.facts[table]
        if table in self._task.own_tables:
            return name_index(facts)
        indexes = self._task.shared.of(INDEXES)
        index = indexes.get(facts)
        if index is None:
            index = indexes[facts] = name_index(facts)
        return index

    @cached_property
    def unused(self) -> tuple[NameHit, ...]:
        """The occurrences of names whose rows the task does not use, if they should be reported.

        The task uses a row if a given parameter, a row of the document or a constraint refers to the row. The result is
        empty if the author may have computed hidden parameters from the queries (`RequestValues.may_be_computed`).
        """
        used = [hit.part for hit in self.hits if any(row in self._values.named for row in hit.rows)]
        names = [folded(value) for value in self._values.named if isinstance(value, str)]
        names += [
            folded(n) for v in self._values.named if isinstance(v, Row) for n in value_names(v, RowType(v._table.name))
        ]
        return tuple(
            hit
            for hit in self.hits
            if not self._values.may_be_computed
            and not any(part.overlaps(hit.part) for part in used)
            and not any(occurs(folded(self._queries.text(hit.part)), name) for name in names)
            and self._is_relevant(hit)
        )

    def _is_relevant(self, hit: NameHit) -> bool:
        """Return whether the name of a row that the task does not use should be reported.

        A name outside all quotations is reported. A name in a quotation is reported if the quotation should name some
        row of the same table but does not: the query then probably names the wrong row. A name in a quotation is not
        reported if its row refers to a row that the task uses. For example, it may be a hall of a museum that the task
        uses.
        """
        quotations = [passage for passage in self._quotations if passage.part.contains(hit.part)]
        if not quotations:
            return True
        return not any(map(self._belongs_to_used_row, hit.rows)) and any(
            self._omits_row(passage, hit.table) for passage in quotations
        )

    def _belongs_to_used_row(self, row: Row) -> bool:
        """Return whether a row refers to a row that the task uses, for example a hall to its museum."""
        cells = (getattr(row, name) for name in row._table.columns)
        return any(isinstance(cell, Row) and cell in self._values.named for cell in cells)

    def _omits_row(self, passage: Passage, table: str) -> bool:
        """Return whether the parameter, column or table that a quotation states has a row that the text does not name.

        Only rows of the given table count.
        """
        text = folded(self._queries.text(passage.part))
        rows = [(v, type_) for v, type_ in passage.values if isinstance(type_, RowType) and type_.table == table]
        return any(not any(occurs(name, text) for name in value_names(v, type_)) for v, type_ in rows)

    def report(self, report: Report) -> None:
        """Warn of the names of rows in the queries if no parameter, row or constraint of the task uses the rows."""
        for hit in {hit.part: hit for hit in self.unused}.values():
            report.warning(
                "PS441",
                f"the query names `{self._queries.text(hit.part)}`, and nothing uses it",
                self._queries.span(hit.part),
                f"a row of `{hit.table}`",
                help="if another row is used instead, mend it; else quote the words under `tells`",
            )

    def parts(self) -> Iterator[QueryPart]:
        """Yield the positions in the queries of names of rows, and of the task's strings that contain digits.

        Numbers in these parts of the queries, such as `54` in `Studio 54`, do not count as amounts.
        """
        yield from (hit.part for hit in self.hits)
        texts = [value.casefold() for value in self._values.named if isinstance(value, str) and len(value) > 2]
        for number, query in enumerate(self._queries.texts):
            lower = query.casefold()
            for text in texts if len(lower) == len(query) else ():
                at = lower.find(text)
                if at != -1 and any(map(str.isdigit, text)):
                    yield QueryPart(number, at, at + len(text))
