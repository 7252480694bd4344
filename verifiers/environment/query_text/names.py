"""Names of rows and enum members, and their occurrences in a text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from planspec.dsl.model.facts import Facts
from planspec.dsl.model.rows import Row
from planspec.dsl.model.types import EnumType, RowType, ScalarType, SetType, Table, Type

NAME_COLUMNS = ("name", "names", "title", "titles", "label", "labels", "alias", "aliases")
"""Columns with names of a row, besides its key."""
LEAST = 2
"""Minimum number of characters of a name. Shorter names are not searched for."""
MOST = 80
"""Maximum number of characters of a name. Longer texts do not count as names."""
BLANKS = re.compile(r"[\s_]+")
WORD = re.compile(r"[^\W_]+")
ARTICLE = re.compile(r"(?:the|der|die|das) ")
EDGES = re.compile(r"^\W+")
ASIDES = re.compile(r"\S*\s*[(（][^)）]*[)）]")
"""Pattern of a parenthesis anywhere in a text, with the word before it."""
ASIDE = re.compile(r"\s*[(（][^)）]*[)）]\s*$")
"""Pattern of a parenthesis at the end of a name, as in `Inn (Harbour Street)`."""


@dataclass(frozen=True, slots=True)
class NamedRow:
    """An occurrence of a name in a text.

    Attributes:
        start: offset of its first character.
        end: offset after its last character.
        rows: the rows that have the name.
    """

    start: int
    end: int
    rows: tuple[Row, ...]


@lru_cache(maxsize=4096)
def folded(text: str) -> str:
    """Return a text normalized for searches: case-folded, with straight apostrophes and single blanks."""
    return BLANKS.sub(" ", text.replace("’", "'")).strip().casefold()


def occurs(name: str, text: str) -> bool:
    """Return whether a normalized text contains a name as whole words. `red_lion` also matches `red lion`."""
    form = folded(name)
    if len(form) < LEAST:
        return False
    forms = {form, form.replace("-", " "), ARTICLE.sub("", form, count=1)}
    if any(_occurs(each, text) for each in forms if len(each) >= LEAST):
        return True
    short = ASIDE.sub("", form)  # `Inn (Harbour Street)` is `Inn`, but not `Inn (Hill Street)`
    return short != form and len(short) >= LEAST and _occurs(short, ASIDES.sub(" \n", text))


def _occurs(form: str, text: str) -> bool:
    at = text.find(form)
    while at != -1:
        end = at + len(form)
        if is_edge(text, at, form[0]) and is_edge(text, end, form[-1], after=True):
            return True
        at = text.find(form, at + 1)
    return False


def is_edge(text: str, at: int, character: str, *, after: bool = False) -> bool:
    """Return whether an occurrence of a name has a word boundary at an offset.

    Args:
        text: text with the occurrence.
        at: offset of the boundary.
        character: first or last character of the occurrence, which is at the boundary.
        after: whether the offset is the end of the occurrence. A plural or possessive `s` may follow it.
    """
    if not character.isascii() and not character.isalpha():
        return True
    if character >= "\u2e80":  # East Asian scripts have no blanks between words
        return True
    if not after:
        return at == 0 or not text[at - 1].isalnum() or text[at - 1] >= "\u2e80"
    rest = text[at : at + 3]
    ending = re.match(r"(?:e?s|'s|n)?(?!\w)|[\u2e80-\uffff]", rest)
    return ending is not None


def row_names(row: Row) -> Iterator[str]:
    """Yield the names of a row: its key, if it is a single string, and its other names."""
    table = row._table
    if len(table.key) == 1 and table.columns[table.key[0]].type is ScalarType.TEXT:
        yield str(row._key[0])
    for name in NAME_COLUMNS:
        column = table.columns.get(name)
        value = row._extra.get(name) if column is None else getattr(row, name)
        if isinstance(value, str):
            yield value
        elif column is not None and isinstance(column.type, SetType) and column.type.item is ScalarType.TEXT:
            yield from value or ()


def value_names(value: Any, type_: Type) -> Iterator[str]:
    """Yield the names of a string, an enum member or a row; nothing for values of other types."""
    if isinstance(type_, RowType) and isinstance(value, Row):
        table = value._table
        if len(table.key) > 1:
            return
        key = table.columns[table.key[0]] if table.key else None
        if key is not None and isinstance(key.type, RowType | EnumType):
            yield from value_names(value._key[0], key.type)
        yield from row_names(value)
    elif (isinstance(type_, EnumType) or type_ is ScalarType.TEXT) and isinstance(value, str):
        yield value


def has_proper_name(value: Any, type_: Type) -> bool:
    """Return whether a value has a proper name (`Red Lion`), which a query would repeat. Aliases are ignored."""
    if isinstance(type_, RowType) and isinstance(value, Row):
        names = (
            value._key[0] if len(value._key) == 1 else None,
            getattr(value, "name", None),
            value._extra.get("name"),
        )
        return any(isinstance(name, Row) or (isinstance(name, str) and is_proper(name)) for name in names)
    return any(map(is_proper, value_names(value, type_)))


def is_proper(name: str) -> bool:
    """Return whether a text looks like a proper name: short, and with a capital letter or an East Asian character."""
    return len(name) <= MOST and any(c.isupper() or c >= "\u2e80" for c in name) and any(c.isalpha() for c in name)


@dataclass(frozen=True, slots=True)
class NameIndex:
    """The names of a table's rows, grouped by first word (or character) for fast searches.

    Attributes:
        by_head: names with the rows that have them, by the first word in lower case.
    """

    by_head: Mapping[str, tuple[tuple[str, tuple[Row, ...]], ...]]

    def occurrences(self, text: str) -> Iterator[NamedRow]:
        """Yield the occurrences of names in a text, which must be in its original case. Longer ones come first."""
        hits: list[NamedRow] = []
        for start, head in _heads(text):
            for name, rows in self.by_head.get(head, ()):
                end = start + len(name)
                if not _can_name(text[start:end], name):
                    continue
                if is_edge(text.casefold(), end, name[-1], after=True):
                    hits.append(NamedRow(start, end, rows))
        yield from sorted(hits, key=lambda hit: (hit.start - hit.end, hit.start))


def _can_name(words: str, name: str) -> bool:
    """Return whether words of a text may be an occurrence of a name. A single word must be capitalised."""
    return words.casefold() == name and (" " in name or not words[0].islower())


def name_index(facts: Facts) -> NameIndex:
    """Return an index of the proper names of a table's rows.

    Names in lower case are left out, because they may be common words.
    """
    rows_by_name: dict[str, list[Row]] = {}
    for row in facts.rows:
        for name in {EDGES.sub("", " ".join(each.split())) for each in row_names(row) if is_proper(each)}:
            if len(name) > LEAST:
                rows_by_name.setdefault(name.casefold(), []).append(row)
    by_head: dict[str, list[tuple[str, tuple[Row, ...]]]] = {}
    for name, rows in rows_by_name.items():
        by_head.setdefault(_head(name), []).append((name, tuple(rows)))
    return NameIndex({head: tuple(names) for head, names in by_head.items()})


def _head(name: str) -> str:
    """Return the first word of a name in lower case, or its first character in a script without blanks."""
    match = WORD.match(name)
    return name[:1] if match is None or name[0] >= "\u2e80" else match[0].casefold()


def _heads(text: str) -> Iterable[tuple[int, str]]:
    """Yield the offsets at which a name may begin, each with the word or character there in lower case."""
    for match in WORD.finditer(text):
        for at, character in enumerate(match[0]):
            if character >= "\u2e80":
                yield match.start() + at, character
        if match[0][0] < "\u2e80":
            yield match.start(), match[0].casefold()


def named_tables(types: Iterable[Type], tables: Mapping[str, Table]) -> frozenset[str]:
    """Return the names of the static tables whose rows are referenced by values of the given types."""
    items = (type_.item if isinstance(type_, SetType) else type_ for type_ in types)
    return frozenset(i.table for i in items if isinstance(i, RowType) and not tables[i.table].plan)
