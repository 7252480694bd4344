"""Terms: named values that can be computed from what an agent has observed and from the rows that it has written.

A term is an observed value, a cell, or a sum of one with a duration, such as `last.start + find_shops.shops.minutes`. Its
name tells how it was computed and holds no value of a task, so that what is learnt about it holds for other tasks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from planspec_train.facts import Facts, Kind, Record, Value

Row: TypeAlias = Mapping[str, Value]
Links: TypeAlias = Mapping[str, Record]
"""For each source, the record that the texts of a row single out."""
Terms: TypeAlias = dict[str, tuple[Kind, float]]
TIMES = ("clock", "moment")


def texts_of(row: Row) -> list[str]:
    """Return the texts of a row, each once."""
    return list(dict.fromkeys(value.text for value in row.values() if value.kind == "text"))


def match_counts(facts: Facts, texts: Iterable[str]) -> dict[int, int]:
    """Return how many of the texts each record has that has one."""
    counts: dict[int, int] = {}
    for text in texts:
        for place in facts.by_text.get(text, ()):
            counts[place] = counts.get(place, 0) + 1
    return counts


def best_matches(facts: Facts, texts: Iterable[str]) -> dict[str, tuple[int, list[int]]]:
    """Return for each source the largest number of the texts that a record has, and the records that have as many."""
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
    """Rows that an agent has written, and the observed facts.

    Attributes:
        facts: what the agent has observed.
        tables: the complete rows of each table.
        table: name of the table to which the next row belongs.
        row: cells of the row that is being written.
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
        """Return the records that a complete row singles out, by source and as indexes."""
        key = id(row), len(self.facts.records)
        if key not in self._links:
            matches = best_matches(self.facts, texts_of(row))
            places = {source: each[0] for source, (_, each) in matches.items() if len(each) == 1}
            records = {source: self.facts.records[place] for source, place in places.items()}
            self._links[key] = row, records, frozenset(places.values())
        return self._links[key][1:]

    def covered(self) -> set[int]:
        """Return the indexes of the records that complete rows single out."""
        return {place for row in self.rows for place in self.links_of(row)[1]}

    def terms(self, row: Row, links: Links) -> Terms:
        """Return the terms of a row that is being written.

        Args:
            row: its cells so far, one of which may be a candidate.
            links: the records that its texts single out.
        """
        terms: Terms = {}
        loose: list[tuple[str, float]] = []
        for name, values in self.facts.single.items():
            for value in values:
                _put(terms, name, value.kind, value.number)
                if value.kind == "duration":
                    loose.append((f"+{name}", value.number))
        own = _link_terms(terms, links)
        for name, value in row.items():
            _put(terms, f"row.{name}", value.kind, value.number)
        _sum_terms(terms, [*own, *loose])
        for relation, others in self._relations(row):
            chains = [chain for other in others for chain in self._chains(relation, other, row, loose)]
            for name, kind, number in chains:
                if name not in terms or terms[name][1] < number:
                    _put(terms, name, kind, number)
        for name, total in self._totals(links).items():
            _put(terms, name, "number", total)
        return terms

    def terms_of_values(self, column: str, values: Sequence[Value], links: Links) -> list[Terms]:
        """Return the terms of the current row with each of the values, which are no texts, in a column."""
        shared = self.terms(self.row, links)
        singles = ((f"+{name}", each) for name, values in self.facts.single.items() for each in values)
        loose = [(name, each.number) for name, each in singles if each.kind == "duration"]
        sums = [("", 0.0), *_durations(links), *loose]
        name = f"row.{column}"
        return [{**shared, **{name + more: (v.kind, v.number + minutes) for more, minutes in sums}} for v in values]

    def _relations(self, row: Row) -> Iterator[tuple[str, Sequence[Row]]]:
        """Yield the rows that may precede a row: the last, those with the same text in a column, and all."""
        rows = self.rows
        if not rows:
            return
        yield "last", rows[-1:]
        yield "all", rows
        for column, value in row.items():
            if value.kind == "text":
                yield f"same {column}", [other for other in rows if other.get(column) == value]

    def _chains(
        self, relation: str, other: Row, row: Row, loose: Sequence[tuple[str, float]]
    ) -> Iterator[tuple[str, Kind, float]]:
        """Yield the times of an earlier row, and their sums with durations of its records and between both rows."""
        durations = list(_durations(self.links_of(other)[0]))
        ways = list(self._between(other, row)) if relation == "last" else []
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

    def _between(self, other: Row, row: Row) -> Iterator[tuple[str, float]]:
        """Yield the durations of the records that connect two rows."""
        for source, record in self.connections(other, row).items():
            yield from ((f"{name} between", minutes) for name, minutes in _durations({source: record}))

    def connections(self, other: Row, row: Row) -> Links:
        """Return for each source the one record that has a text of each of two rows which the other lacks."""
        here, there = texts_of(row), texts_of(other)
        mine = match_counts(self.facts, [text for text in here if text not in there])
        theirs = match_counts(self.facts, [text for text in there if text not in here])
        found: dict[str, list[Record]] = {}
        for place in mine.keys() & theirs.keys():
            record = self.facts.records[place]
            found.setdefault(record.source, []).append(record)
        return {source: records[0] for source, records in found.items()}

    def _totals(self, links: Links) -> dict[str, float]:
        """Return the sums of each number over the records of all rows, the current one among them."""
        totals: dict[str, float] = {}
        for each in [*(self.links_of(row)[0] for row in self.rows), links]:
            for source, record in each.items():
                for name, values in record.fields.items():
                    for value in values:
                        if value.kind == "number":
                            path = f"total {source}.{name}"
                            totals[path] = totals.get(path, 0.0) + value.number
        return totals


def _put(terms: Terms, name: str, kind: Kind, number: float) -> None:
    if kind != "text":
        terms[name] = kind, number


def _link_terms(terms: Terms, links: Links) -> list[tuple[str, float]]:
    """Add the values of the records that a row singles out, and return their durations."""
    for source, record in links.items():
        for name, values in record.fields.items():
            for value in values:
                _put(terms, f"{source}.{name}", value.kind, value.number)
    return list(_durations(links))


def _durations(links: Links) -> Iterator[tuple[str, float]]:
    for source, record in links.items():
        for name, values in record.fields.items():
            for value in values:
                if value.kind == "duration":
                    yield f"+{source}.{name}", value.number


def _sum_terms(terms: Terms, durations: Sequence[tuple[str, float]]) -> None:
    """Add the sums of the times so far with durations."""
    for name, (kind, number) in list(terms.items()):
        if kind in TIMES:
            for more, minutes in durations:
                terms[name + more] = kind, number + minutes
