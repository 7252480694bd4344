"""Terms: named numbers computed from observed facts and from the rows that an agent has written.

A term is an observed value, a cell, or the sum of one of these and a duration. For example, `last.start +
find_shops.shops.minutes` adds the minutes in a result of the tool `find_shops` to the start in the last row. The name
describes the computation and contains no value of the task. Therefore weights learnt for a name apply to all tasks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from planspec_train.facts import Facts, Kind, Record, Value

Row: TypeAlias = Mapping[str, Value]
Links: TypeAlias = Mapping[str, Record]
"""By source (a table or a tool), the record that contains most of the texts of a row; ties are left out."""
Terms: TypeAlias = dict[str, tuple[Kind, float]]
TIMES = ("clock", "moment")


def texts_of(row: Row) -> list[str]:
    """Return the distinct text values of a row."""
    return list(dict.fromkeys(value.text for value in row.values() if value.kind == "text"))


def match_counts(facts: Facts, texts: Iterable[str]) -> dict[int, int]:
    """Return the number of texts that each record contains, by the record's index, if it contains any."""
    counts: dict[int, int] = {}
    for text in texts:
        for place in facts.by_text.get(text, ()):
            counts[place] = counts.get(place, 0) + 1
    return counts


def best_matches(facts: Facts, texts: Iterable[str]) -> dict[str, tuple[int, list[int]]]:
    """Return for each source the records that contain most of the texts, as (number of these texts, record indexes)."""
    best: dict[str, tuple[int, list[int]]] = {}
    for place, count in match_counts(facts, texts).items():
        source = facts.records[place].source
        most, places = best.get(source, (0, []))
        if count > most:
            best[source] = count, [place]
        elif count == most:
            places.append(place)
    return best


@dataclass(slots=True)
class Draft:
    """A plan in progress: the rows written so far, with the observed facts.

    Attributes:
        facts: the facts that the agent has observed.
        tables: the complete rows of each table.
        table: name of the table to which the next row belongs.
        row: cells of the current, incomplete row.
    """

    facts: Facts
    tables: dict[str, list[Row]] = field(default_factory=dict)
    table: str = ""
    row: dict[str, Value] = field(default_factory=dict)
    _links: dict[tuple[int, int], tuple[Row, Links, frozenset[int]]] = field(default_factory=dict)

    @property
    def rows(self) -> Sequence[Row]:
        """The complete rows of the current table."""
        return self.tables.get(self.table, ())

    def links_of(self, row: Row) -> tuple[Links, frozenset[int]]:
        """Return the records that a complete row identifies, by source, and their indexes.

        A row identifies a record if every other record of the source contains fewer of the row's texts.
        """
        key = id(row), len(self.facts.records)
        if key not in self._links:
            matches = best_matches(self.facts, texts_of(row))
            places = {source: each[0] for source, (_, each) in matches.items() if len(each) == 1}
            records = {source: self.facts.records[place] for source, place in places.items()}
            self._links[key] = row, records, frozenset(places.values())
        return self._links[key][1:]

    def covered(self) -> set[int]:
        """Return the indexes of the records that complete rows identify."""
        return {place for row in self.rows for place in self.links_of(row)[1]}

    def terms(self, row: Row, links: Links) -> Terms:
        """Return the terms of an incomplete row.

        Args:
            row: cells of the row so far; one of them may be a candidate value.
            links: the records that the texts of the row identify.
        """
        terms: Terms = {}
        loose: list[tuple[str, float]] = []
        for name, values in self.facts.single.items():
            for value in values:
                _set_term(terms, name, value.kind, value.number)
                if value.kind == "duration":
                    loose.append((f"+{name}", value.number))
        own = _link_terms(terms, links)
        for name, value in row.items():
            _set_term(terms, f"row.{name}", value.kind, value.number)
        _sum_terms(terms, [*own, *loose])
        for relation, others in self._relations(row):
            chains = [chain for other in others for chain in self._time_terms(relation, other, row, loose)]
            for name, kind, number in chains:
                if name not in terms or terms[name][1] < number:
                    _set_term(terms, name, kind, number)
        for name, total in self._totals(links).items():
            _set_term(terms, name, "number", total)
        return terms

    def terms_of_values(self, column: str, values: Sequence[Value], links: Links) -> list[Terms]:
        """Return the terms of the current row for each candidate value of a column. The values are not texts."""
        shared = self.terms(self.row, links)
        singles = ((f"+{name}", each) for name, values in self.facts.single.items() for each in values)
        loose = [(name, each.number) for name, each in singles if each.kind == "duration"]
        sums = [("", 0.0), *_durations(links), *loose]
        name = f"row.{column}"
        return [{**shared, **{name + more: (v.kind, v.number + minutes) for more, minutes in sums}} for v in values]

    def _relations(self, row: Row) -> Iterator[tuple[str, Sequence[Row]]]:
        """Yield named groups of earlier rows: the last row, all rows, and rows with the same text in a column."""
        rows = self.rows
        if not rows:
            return
        yield "last", rows[-1:]
        yield "all", rows
        for column, value in row.items():
            if value.kind == "text":
                yield f"same {column}", [other for other in rows if other.get(column) == value]

    def _time_terms(
        self, relation: str, other: Row, row: Row, loose: Sequence[tuple[str, float]]
    ) -> Iterator[tuple[str, Kind, float]]:
        """Yield terms for the times of an earlier row, and for sums of these times and durations.

        The durations are from records of the earlier row, from records that connect both rows, and from `loose`.
        """
        durations = list(_durations(self.links_of(other)[0]))
        ways = list(self._travel_terms(other, row)) if relation == "last" else []
        for column, value in other.items():
            if value.kind not in TIMES:
                continue
            name, kind, start = f"{relation}.{column}", value.kind, value.number
            yield name, kind, start
            for more, amount in [*durations, *loose]:
                yield name + more, kind, start + amount
            for more, amount in durations:
                for way, minutes in [*ways, *loose]:
                    yield name + more + way, kind, start + amount + minutes

    def _travel_terms(self, other: Row, row: Row) -> Iterator[tuple[str, float]]:
        """Yield the durations in records that connect two rows, such as travel times."""
        for source, record in self.connections(other, row).items():
            yield from ((f"{name} between", minutes) for name, minutes in _durations({source: record}))

    def connections(self, other: Row, row: Row) -> Links:
        """Return for each source the first record that connects two rows.

        A record connects two rows if it contains a text that only one row has, and a text that only the other has.
        """
        texts, other_texts = texts_of(row), texts_of(other)
        counts = match_counts(self.facts, [text for text in texts if text not in other_texts])
        other_counts = match_counts(self.facts, [text for text in other_texts if text not in texts])
        by_source: dict[str, list[Record]] = {}
        for place in counts.keys() & other_counts.keys():
            record = self.facts.records[place]
            by_source.setdefault(record.source, []).append(record)
        return {source: records[0] for source, records in by_source.items()}

    def _totals(self, links: Links) -> dict[str, float]:
        """Return the totals of number fields over the records that all rows identify, including the current row."""
        totals: dict[str, float] = {}
        for each in [*(self.links_of(row)[0] for row in self.rows), links]:
            for source, record in each.items():
                for name, values in record.fields.items():
                    for value in values:
                        if value.kind == "number":
                            path = f"total {source}.{name}"
                            totals[path] = totals.get(path, 0.0) + value.number
        return totals


def _set_term(terms: Terms, name: str, kind: Kind, number: float) -> None:
    if kind != "text":
        terms[name] = kind, number


def _link_terms(terms: Terms, links: Links) -> list[tuple[str, float]]:
    """Add terms for the values of the records that a row identifies, and return their durations."""
    for source, record in links.items():
        for name, values in record.fields.items():
            for value in values:
                _set_term(terms, f"{source}.{name}", value.kind, value.number)
    return list(_durations(links))


def _durations(links: Links) -> Iterator[tuple[str, float]]:
    for source, record in links.items():
        for name, values in record.fields.items():
            for value in values:
                if value.kind == "duration":
                    yield f"+{source}.{name}", value.number


def _sum_terms(terms: Terms, durations: Sequence[tuple[str, float]]) -> None:
    """For each time among the terms and each duration, add a term for their sum."""
    for name, (kind, number) in list(terms.items()):
        if kind in TIMES:
            for more, minutes in durations:
                terms[name + more] = kind, number + minutes
