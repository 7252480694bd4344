"""Warnings about values that a task's own document sets and its query does not state."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import groupby, pairwise

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import Task
from planspec.dsl.model.types import EnumType, RowType, ScalarType
from planspec.dsl.model.value_text import show
from planspec.dsl.resources.units import MINUTES_A_DAY
from planspec.verifiers.environment.query_text.dates import has_relative_day
from planspec.verifiers.environment.query_text.everyday_words import is_named, is_unstated
from planspec.verifiers.environment.query_text.mention import Measure, Mention, Reading
from planspec.verifiers.environment.query_text.names import folded, has_proper_name, occurs, value_names
from planspec.verifiers.environment.query_text.names_in_queries import NamesInQueries
from planspec.verifiers.environment.query_text.passages import Passage
from planspec.verifiers.environment.query_text.queries import PlacedMention, Queries
from planspec.verifiers.environment.query_text.request_values import RequestValue, RequestValues
from planspec.verifiers.environment.query_text.undescribed_rows import is_undescribed
from planspec.verifiers.environment.query_text.used_values import unit_less
from planspec.verifiers.environment.query_text.value_readings import MEASURED, is_mentioned, is_of_time, value_readings

MOST_ROWS = 3
"""Maximum number of unstated rows of a table that are reported one by one. For more rows there is one warning."""
LEAST_NUMBER = 2
"""Whole numbers from this one on are searched for in queries. Words such as `alone` or `a` often state smaller ones."""
LEAST_LITERAL = 10
"""Literals of constraints are searched for in the query from this number on. Smaller ones are often calculated."""
LEAST_STEM = 4
"""Number of first letters that a word must share with an enum member's name to count as a form of it."""
TYPES_WITH_UNIT = frozenset(
    {ScalarType.MONEY, ScalarType.DURATION, ScalarType.DISTANCE, ScalarType.TIME, ScalarType.DATE}
)
"""Types of literals that are searched for if the query states other values of the same kind."""
LIMIT = re.compile(r"(?:max|min|most|least|limit|up_to|at_most|at_least)(?:_|imum)", re.IGNORECASE)
"""Pattern of the beginning of names of parameters that are limits, such as `max_changes`."""
ONE = re.compile(r"\b(?:ein(?:e[mnrs]?)?|an?|only|just|nur|direct\w*|direkt\w*)\b|[一单壹只仅直１1]")
"""Pattern of words, other than numbers, that can state a limit of one."""
PICTURE = re.compile(r"\b(?:picture|photo|photograph|image|bild|foto)\b")
PICTURES = re.compile(r"\b(?:pictures|photos|photographs|images|bildern?|fotos)\b|图片|照片|图中|写真|画像")
LENGTHS = frozenset({"distance", "money"})
"""Kinds of amounts that may be given as numbers without a unit: `deep: 12` for twelve metres."""
CLAUSE = re.compile(r";|[.!?]+(?=\s|$)")
MOST_IN_PICTURES = 100
"""Maximum number of rows that are assumed to be shown in pictures, if the query mentions several pictures."""


class UnstatedValues:
    """Search for values of a task that its queries do not state.

    Args:
        task: the task.
        queries: queries of the task.
        values: values that the task's document sets.
        quotations: the author's quotations from the queries (`tells:`).
        unused: mentions in the queries that match no value of the task.
        names: names of rows in the queries.
    """

    def __init__(
        self,
        task: Task,
        queries: Queries,
        values: RequestValues,
        quotations: Sequence[Passage],
        unused: Sequence[PlacedMention],
        names: NamesInQueries,
    ) -> None:
        self._task, self._queries, self._values = task, queries, values
        self._quotations, self._unused, self._names = quotations, unused, names
        free = [p for p in queries.mentions if not any(each.part.contains(p.part) for each in quotations)]
        self._mentions = [placed.mention for placed in free]
        self._all_mentions = [placed.mention for placed in queries.mentions]
        self._text = queries.folded_without(each.part for each in quotations)
        self._in_pictures = (
            MOST_IN_PICTURES if PICTURES.search(queries.plain) else 1 if PICTURE.search(queries.plain) else 0
        )

    def report(self, report: Report) -> None:
        """Warn of each unstated value."""
        for value in (*self._unstated_givens(), *filter(self._is_unstated, self._values.constants)):
            self._warn(value, report)
        for table, cells in groupby(self._values.cells, key=lambda cell: cell.name.name):
            self._report_rows(table, list(cells), report)

    def _report_rows(self, table: str, cells: Sequence[RequestValue], report: Report) -> None:
        """Warn of unstated rows of a table.

        A table that the document declares itself is skipped if the queries state less than half of its rows. Rows that
        are neither used by other values nor mentioned in the queries are skipped.
        """
        every = list(filter(self._is_unstated, cells))
        spare = self._unmentioned_rows(table, cells, every)
        unstated = [cell for cell in every if cell.row not in spare]
        rows = [next(iter(group)) for _, group in groupby(unstated, key=lambda cell: cell.row)]
        if self._values.are_declared(table) and 2 * len(rows) > len({cell.row for cell in cells}):
            return  # agents probably learn the table from another text
        if len(rows) > MOST_ROWS:
            self._warn_of_table(table, rows, report)
        else:
            for cell in rows:
                self._warn(cell, report)

    def _unmentioned_rows(
        self, table: str, cells: Sequence[RequestValue], unstated: Sequence[RequestValue]
    ) -> frozenset[int | None]:
        """Return the positions of rows of a table that no other value of the document uses and no query mentions.

        `cells` are the cells of the table, and `unstated` those that no query states. A row is mentioned if a query
        states one of its cells.
        """
        if table not in self._values.vocabularies:
            return frozenset()
        counts = Counter(cell.row for cell in cells)
        counts.subtract(cell.row for cell in unstated)
        rows = self._values.own_rows[table]
        return frozenset(n for n, (row, _) in enumerate(rows) if not counts[n] and row not in self._values.requested)

    def _unstated_givens(self) -> Iterator[RequestValue]:
        """Yield the first unstated item of each parameter.

        Consecutive dates are stated by the first date together with the last date or the number of days: `3 to 7 May`
        states five dates.
        """
        for _, group in groupby(self._values.given, key=lambda value: value.name):
            listed = list(group)
            if listed[0].type is ScalarType.DATE and listed[0].claim is None:
                yield from self._unstated_days(listed)
            else:
                yield from [value for value in listed if self._is_unstated(value) or self._lacks_second_mention(value)][
                    :1
                ]

    def _lacks_second_mention(self, value: RequestValue) -> bool:
        """Return whether the queries mention a row fewer times than there are parameters with this row as their value.

        `value` is one of these parameters. The result is False for the first of them, so that only later ones are
        reported.
        """
        if value.is_item or value.claim is not None or not isinstance(value.type, RowType):
            return False
        same = [v for v in self._values.given if v.value is value.value and not v.is_item]
        names = [folded(name) for name in value_names(value.value, value.type)]
        return value is not same[0] and max((self._text.count(name) for name in names), default=0) < len(same)

    def _unstated_days(self, days: Sequence[RequestValue]) -> Iterator[RequestValue]:
        if has_relative_day(self._queries.plain):
            return
        unstated = [day for day in days if not self._is_mentioned_in(day, self._mentions)]
        in_a_row = all(b.value == a.value + 1 for a, b in pairwise(days))
        if in_a_row and days[0] not in unstated and (days[-1] not in unstated or self._mention_day_count(len(days))):
            return
        yield from unstated[:1]

    def _mention_day_count(self, days: int) -> bool:
        """Return whether the queries mention a number of days, or the number of nights between them."""
        amounts = {r.value for m in self._mentions for r in m.readings if r.measure == "number"}
        return bool(amounts & {days, days - 1})

    def _is_unstated(self, value: RequestValue) -> bool:
        if value.claim is not None and value.claim.trusted:
            return False
        passage = next((each for each in self._quotations if each.claim is value.claim), None)
        if passage is not None:
            return self._contradicts(value, passage)
        if value.type in MEASURED:
            return self._lacks_amount(value)
        return self._lacks_name(value)

    def _is_mentioned_in(self, value: RequestValue, mentions: Iterable[Mention]) -> bool:
        if value.type is ScalarType.INT and not is_of_time(value.type, value.name.column or value.name.name):
            days = self._durations
            mentions = [mention for mention in mentions if mention.measure != "duration" or not mention.readings & days]
        if value.type is ScalarType.INT and value.row is None and not (value.is_item or value.is_constant):
            mentions = [mention for mention in mentions if not mention.is_ordinal]
        return is_mentioned(value.value, value.type, self._task.currency, mentions)

    @cached_property
    def _durations(self) -> frozenset[Reading]:
        """Durations and numbers of days among the task's values. Mentions of them are not compared with counts."""
        of_time = [
            value
            for value in (*self._values.given, *self._values.cells)
            if is_of_time(value.type, value.name.column or value.name.name)
        ]
        readings = (r for v in of_time for r in value_readings(v.value, v.type, self._task.currency))
        return self._values.numbers_of_days.union(readings)

    # -- amounts, times and dates -----------------------------------------------------------------

    def _lacks_amount(self, value: RequestValue) -> bool:
        is_day = value.type is ScalarType.TIME or (value.type is ScalarType.DURATION and value.is_constant)
        if not value.value or (is_day and value.value == MINUTES_A_DAY):
            return False  # 0:00 and 24:00 are the ends of an unlimited time span; a constraint may add 24 hours
        if value.type is ScalarType.INT and abs(value.value) < LEAST_NUMBER:
            return self._is_small_number_replaced(value) or self._is_unstated_limit(value)
        if value.is_constant and not self._should_be_stated(value):
            return False
        if value.row is not None and value.type is ScalarType.INT and self._is_key(value):
            return False
        mentions = self._all_mentions if value.is_constant else self._mentions
        return not (self._is_mentioned_in(value, mentions) or self._is_step_in_queries(value))

    def _is_small_number_replaced(self, value: RequestValue) -> bool:
        """Return whether the queries do not state a parameter's 0 or 1, but state a number that the task lacks."""
        if value.is_constant or value.row is not None or self._is_mentioned_in(value, self._mentions):
            return False
        others = [m for m in self._mentions if m.measure == "number" and not m.is_ordinal]
        return any(mention.readings not in self._values.used for mention in others)

    def _is_unstated_limit(self, value: RequestValue) -> bool:
        """Return whether a parameter is a limit of 0 or 1, such as `max_changes`, that the queries do not state.

        A word such as `only` or `a` can state a limit of 1.
        """
        if value.is_constant or value.row is not None or LIMIT.match(value.name.name) is None:
            return False
        return ONE.search(self._text) is None and not self._is_mentioned_in(value, self._mentions)

    def _is_step_in_queries(self, value: RequestValue) -> bool:
        """Return whether the queries state the change of a parameter from turn to turn, such as `two more`."""
        steps = self._values.steps.get(value.name.name, frozenset())
        return any(mention.readings & steps for mention in self._mentions)

    def _should_be_stated(self, constant: RequestValue) -> bool:
        """Return whether the queries should state a literal of a constraint.

        The queries should state a whole number from `LEAST_LITERAL` on. They should state any other literal if they
        mention an amount of the same kind (such as a duration). If the literal's type is not in `TYPES_WITH_UNIT`, this
        amount must also equal no value of the task.
        """
        measures = self._measures(constant)
        if constant.type is ScalarType.INT and constant.value >= LEAST_LITERAL:
            return True
        return self._has_unused(constant) or (
            constant.type in TYPES_WITH_UNIT and any(m.is_definite and m.measure in measures for m in self._mentions)
        )

    def _is_key(self, value: RequestValue) -> bool:
        return self._task.tables[value.name.name].columns[value.name.column or ""].key

    def _has_unused(self, value: RequestValue) -> bool:
        """Return whether the queries mention an amount of the value's kind that equals no value of the task.

        Kinds are, for example, durations and money.
        """
        return any(placed.mention.measure in self._measures(value) for placed in self._unused)

    def _measures(self, value: RequestValue) -> frozenset[Measure]:
        return frozenset(r.measure for r in value_readings(value.value, value.type, self._task.currency))

    def _contradicts(self, value: RequestValue, passage: Passage) -> bool:
        """Return whether the author's quotation for a value states another value of the same kind instead."""
        if value.type not in MEASURED:
            text = folded(self._queries.text(passage.part))
            if isinstance(value.type, EnumType) and is_unstated(value.value, text, self._queries.folded):
                return True
            if value.type is ScalarType.BOOL:
                return value.value and is_unstated(value.name.column or value.name.name, text, self._queries.folded)
            if isinstance(value.value, Row) and is_undescribed(self._task, value.value, text):
                return True
            return self._is_replaced_name(value, text, passage) or (
                value.row is not None and self._differs_in_clause(value, passage)
            )
        inside = [p for p in self._queries.mentions if passage.part.contains(p.part)]
        if self._is_mentioned_in(value, [placed.mention for placed in inside]):
            return False
        if value.row is None and value.type in (ScalarType.INT, ScalarType.DECIMAL):
            united = [r for p in inside if p.mention.is_definite for r in p.mention.readings if r.measure in LENGTHS]
            if united:
                return not any(value.value in unit_less(reading) for reading in united)
        if value.row is None and value.type is not ScalarType.DATE:
            return any(any(map(p.mention.has, self._measures(value))) and _is_meaningful(p.mention) for p in inside)
        if value.row is not None and (value.type is ScalarType.DURATION or self._is_uncommon_count(value)):
            return True
        if value.row is not None and self._has_foreign_number(value, passage, inside):
            return True
        return any(placed in inside for placed in self._unused) and self._has_unused(value)

    def _is_uncommon_count(self, value: RequestValue) -> bool:
        """Return whether a row's value is a count that differs from its column's default of 1."""
        column = self._task.tables[value.name.name].columns[value.name.column or ""]
        return (
            value.type is ScalarType.INT and value.value >= LEAST_NUMBER and column.has_default and column.default == 1
        )

    def _has_foreign_number(self, value: RequestValue, passage: Passage, inside: Sequence[PlacedMention]) -> bool:
        """Return whether the passage that the author quotes for a table contains a number that is not in the table.

        The query then probably states this number instead of `value`. Return False if `value` is not a whole number, or
        if the author quotes the passage for a column rather than for the whole table. `inside` are the mentions in the
        passage.
        """
        if value.type is not ScalarType.INT or passage.claim.name.column is not None:
            return False
        return any(
            p.mention.measure == "number" and p.mention.is_definite and not p.mention.readings & passage.readings
            for p in inside
        )

    # -- names ------------------------------------------------------------------------------------

    def _lacks_name(self, value: RequestValue) -> bool:
        names = list(value_names(value.value, value.type))
        text = self._text
        if not names or any(occurs(name, text) for name in names):
            return False
        if not value.is_constant and has_proper_name(value.value, value.type):
            return not (value.is_item and isinstance(value.type, RowType) and self._may_be_in_picture(value))
        if isinstance(value.type, EnumType) and value.row is None and not value.is_constant:
            if not value.is_item:
                return not is_named(value.value, text)
            if not self._values.are_computed:
                return not is_named(value.value, text)
        return self._is_replaced_name(value, text, None)

    def _may_be_in_picture(self, value: RequestValue) -> bool:
        """Return whether pictures may show `value`, an item of a set or list that the queries do not name.

        The result is True if the queries mention pictures and leave at most `MOST_IN_PICTURES` items of the collection
        unnamed. If they mention only a single picture, they may leave only one item unnamed.
        """
        unnamed = [
            each
            for each in self._values.given
            if each.name == value.name and not any(occurs(n, self._text) for n in value_names(each.value, each.type))
        ]
        return len(unnamed) <= self._in_pictures

    def _is_replaced_name(self, value: RequestValue, text: str, passage: Passage | None) -> bool:
        """Return whether a text lacks the name of a value, but names a row or enum member that may stand in its place.

        The row or member must have the type of the value. A row counts if the task does not use it. Outside quotations,
        an enum member counts if no parameter and no row of the document contains it. In a quotation, an enum member
        counts if the parameter, column or table that the quotation states does not contain it.

        Args:
            value: the value.
            text: the text, in the form that `folded` returns.
            passage: the quotation that contains the text; None for the text outside all quotations.
        """
        names = list(value_names(value.value, value.type))
        if value.is_constant or not names or any(occurs(name, text) for name in names):
            return False
        used = self._values.requested if passage is None else passage.named
        if isinstance(value.type, EnumType):
            if passage is not None and value.is_item and _begins_a_word(value.value, text):
                return False  # words such as `a bar on the roof` state the member `rooftop`
            if passage is None and any(is_named(each.value, text) for each in self._siblings(value)):
                return False
            named = is_named if passage is None else occurs
            return any(member not in used and named(member, text) for member in value.type.members)
        hits = self._names.unused if isinstance(value.type, RowType) else ()
        return any(
            isinstance(value.type, RowType)
            and hit.table == value.type.table
            and (passage is None or passage.part.contains(hit.part))
            for hit in hits
        )

    def _differs_in_clause(self, value: RequestValue, passage: Passage) -> bool:
        """Return whether a quotation describes a row with another enum member than the row's cell has.

        For example, a courier has the vehicle `bike`, but the clause that names this courier says `van`. Clauses end at
        semicolons and at the ends of sentences. The row must be named in exactly one clause, which must not name
        another row of the table.
        """
        if not isinstance(value.type, EnumType) or value.is_item or value.row is None:
            return False
        row, _ = self._values.own_rows[value.name.name][value.row]
        owners = _rows_of(row)
        texts = [folded(clause) for clause in CLAUSE.split(self._queries.text(passage.part))]
        named = [text for text in texts if len(owners) == 1 and _is_row_named(owners[0], text)]
        if len(texts) < 2 or len(named) != 1:
            return False
        table = [cell for each, _ in self._values.own_rows[value.name.name] for cell in _rows_of(each)]
        if any(cell is not owners[0] and _is_row_named(cell, named[0]) for cell in table):
            return False  # the clause is about several rows
        own = {cell for name in row._table.columns if isinstance(cell := getattr(row, name), str)}
        others = [member for member in value.type.members if member not in own and occurs(member, named[0])]
        return bool(others) and not occurs(str(value.value), named[0])

    def _siblings(self, value: RequestValue) -> list[RequestValue]:
        """Return all items of the set or list that contains a value; only the value if it is not an item."""
        return [each for each in self._values.given if each.name == value.name] if value.is_item else [value]

    # -- reports ----------------------------------------------------------------------------------

    def _warn(self, value: RequestValue, report: Report) -> None:
        text = show(value.value, value.type, self._task.currency)
        headline = f"the query does not state `{text}`, which `{value.label}` asks for"
        if not value.is_constant:
            headline = f"the query does not state `{value.label}`, {text}"
        instead = self._conflicting_words(value)
        report.warning(
            "PS442",
            headline,
            value.span,
            "set here",
            help=f"it says `{instead}`: mend one of them"
            if instead
            else "state it, or quote the words that do under `tells`, or `trusted`",
        )

    def _conflicting_words(self, value: RequestValue) -> str | None:
        """Return the words of the only amount in the queries that is of the same kind as `value` and not in the task.

        Kinds are, for example, durations and money. Return None if there are no such amounts or several of them.
        """
        others = [placed for placed in self._unused if placed.mention.measure in self._measures(value)]
        return self._queries.text(others[0].part) if len(others) == 1 else None

    def _warn_of_table(self, table: str, rows: Sequence[RequestValue], report: Report) -> None:
        report.warning(
            "PS442",
            f"the query does not state {len(rows)} rows of `{table}`",
            rows[0].span,
            f"`{rows[0].label}` is the first",
            help="state them, show the table, or quote the words that state it under `tells`, or `trusted`",
        )


def _is_meaningful(mention: Mention) -> bool:
    """Return whether a mention is likely to state a value: it is definite, or more than 1 (unlike `a` and `first`)."""
    return mention.is_definite or all(reading.value > 1 for reading in mention.readings)


def _begins_a_word(member: str, text: str) -> bool:
    """Return whether a word of a text begins with the first `LEAST_STEM` letters of an enum member.

    For example, `roof` in a text begins like the member `rooftop`.
    """
    return re.search(rf"\b{re.escape(member[:LEAST_STEM])}", text) is not None


def _rows_of(row: Row) -> list[Row]:
    """Return the rows to which a row refers."""
    return [cell for name in row._table.columns if isinstance(cell := getattr(row, name), Row)]


def _is_row_named(row: Row, text: str) -> bool:
    return any(occurs(name, text) for name in value_names(row, RowType(row._table.name)))
