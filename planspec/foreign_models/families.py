"""Families of terms. Terms with the same structure are merged into one over a range or a table of facts."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from planspec.foreign_models.terms import (
    ATOM,
    CHOICE,
    SUM,
    Key,
    Part,
    Term,
    join,
    leaves,
    replace_leaves,
    skeleton,
)

FEWEST = 3
"""Minimum number of terms that are merged into one expression."""
STATIC_STEPS = 4_000_000
"""Maximum total number of fact rows that the filters of a task may scan."""
RANGE_NAMES = "ijklmn"
ROW_NAMES = "rstuvw"
COLUMN_NAMES = "abcdefgh"

Vector = tuple[int, ...]


class Names:
    """Generator of unique names in a task."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)

    def fresh(self, wish: str) -> str:
        """Reserve and return the name `wish` or, if it is in use, `wish` followed by a number."""
        name = self._free(wish)
        self._taken.add(name)
        return name

    def variables(self, letters: str) -> Callable[[int], str]:
        """Return a function from a nesting depth to the name of a variable, which shadows no other name."""

        def name(depth: int) -> str:
            letter = letters[depth % len(letters)]
            return self._free(letter if depth < len(letters) else f"{letter}{depth // len(letters)}")

        return name

    def _free(self, wish: str) -> str:
        endings = itertools.chain([""], map(str, itertools.count(2)))
        return next(wish + ending for ending in endings if wish + ending not in self._taken)


@dataclass(slots=True)
class FactTable:
    """A table of constants (facts) in the task. It can hold several sets of rows, distinguished by a number.

    Attributes:
        name: name of the table.
        columns: names of the columns, without the column for the set's number.
        keys: number of leading columns that form the key, including the set's number; 0 for a table without a key.
        sets: number of each set, by its rows.
    """

    name: str
    columns: tuple[str, ...]
    keys: int = 0
    sets: dict[tuple[Vector, ...], int] = field(default_factory=dict)

    def number(self, rows: tuple[Vector, ...]) -> int:
        """Return the number of a set of rows. A new set is added to the table."""
        return self.sets.setdefault(rows, len(self.sets))

    def scanned_rows(self) -> int:
        """Return how many rows are read if each set is used once and each use scans the table; 0 for one set or with a key."""
        return len(self.sets) * sum(map(len, self.sets)) if len(self.sets) > 1 and not self.keys else 0


@dataclass(frozen=True, slots=True)
class Pattern:
    """The common structure of several terms, and the integers in which the terms differ.

    Attributes:
        first: the first term.
        places: for each integer in the term: its value if constant, otherwise its column and an offset to add.
        columns: values of the varying integers, one vector for each column.
    """

    first: Term
    places: tuple[int | tuple[int, int], ...]
    columns: tuple[Vector, ...]

    def body(self, columns: Sequence[Part]) -> Term:
        """Return the first term, with one expression per column in place of the integers that vary between the terms."""
        return replace_leaves(self.first, iter([self._part(place, columns) for place in self.places]))

    def _part(self, place: int | tuple[int, int], columns: Sequence[Part]) -> Part:
        if isinstance(place, int):
            return place
        column, offset = place
        return shifted(columns[column], offset)


def shifted(part: Part, offset: int) -> Part:
    """Return `part` plus a constant."""
    if offset == 0:
        return part
    if isinstance(part, int):
        return part + offset
    return join("{} + {}" if offset > 0 else "{} - {}", (part, abs(offset)), SUM, (SUM, SUM + 1))


def find_pattern(terms: Sequence[Term]) -> Pattern | None:
    """Return the pattern of terms; None if their structures differ."""
    key = skeleton(terms[0])
    if any(skeleton(term) != key for term in terms[1:]):
        return None
    columns: list[Vector] = []
    vectors = zip(*map(leaves, terms), strict=True)
    places = [vector[0] if len(set(vector)) == 1 else _column(vector, columns) for vector in vectors]
    return Pattern(terms[0], tuple(places), tuple(columns))


def _column(vector: Vector, columns: list[Vector]) -> tuple[int, int]:
    """Return the index of the column that equals a vector minus a constant, and the constant.

    The vector is added as a column if there is none.
    """
    for place, column in enumerate(columns):
        distance = vector[0] - column[0]
        if all(a - b == distance for a, b in zip(vector, column, strict=True)):
            return place, distance
    columns.append(vector)
    return len(columns) - 1, 0


@dataclass(frozen=True, slots=True)
class Family:
    """Several terms written as one, with variables and a generator that binds them.

    Attributes:
        body: the term, with variables in place of the integers that vary.
        generator: text after `for`, such as `i in {}..{}`, with a placeholder for each of `parts`.
        parts: the bounds of ranges, or the number of a set of rows.
        variables: number of variables that the generator binds.
    """

    body: Term
    generator: str
    parts: tuple[Part, ...]
    variables: int

    def inside(self, form: str) -> Term:
        """Return a term from a format, such as `sum({} @)`: the body replaces `{}`, and the generator replaces `@`."""
        return self._around(form, (self.body,))

    def spread(self, form: str) -> Term:
        """Return a term from a format with one `{}` for each item of the body, a list. The generator replaces `@`."""
        return self._around(form, self.body.parts)

    def _around(self, form: str, holes: Sequence[Part]) -> Term:
        before, _, behind = form.partition("@")
        count = before.count("{}")
        parts = (*holes[:count], *self.parts, *holes[count:])
        needs = (*(CHOICE,) * count, *(SUM,) * len(self.parts), *(CHOICE,) * (len(holes) - count))
        return Term(before + self.generator + behind, parts, ATOM, needs, self.body.depth + self.variables)


class Families:
    """Merger of terms with the same structure. It collects the tables of facts for the merged terms.

    Args:
        names: names in the task.
        titles: names of columns, by the columns' values.
        shared: whether sets of rows with the same columns share one table.
    """

    def __init__(self, names: Names, titles: Mapping[Vector, str], *, shared: bool = True) -> None:
        self.names = names
        self.tables: list[FactTable] = []
        self._titles = titles
        self._shared = shared
        self._by_shape: dict[object, FactTable] = {}
        self._range_name = names.variables(RANGE_NAMES)
        self._row_name = names.variables(ROW_NAMES)

    def groups(self, terms: Sequence[Term]) -> list[list[Term]]:
        """Return the terms grouped by structure, in the order of first occurrence."""
        groups: dict[Key, list[Term]] = {}
        for term in terms:
            groups.setdefault(skeleton(term), []).append(term)
        return list(groups.values())

    def family(self, terms: Sequence[Term], *, repeats: bool = False) -> Family | None:
        """Return the terms as a family; None if they are too few or have different structures.

        Args:
            terms: the terms, in order.
            repeats: whether equal terms count as often as they occur, as in a sum.
        """
        pattern = find_pattern(terms) if len(terms) >= FEWEST else None
        if pattern is None or not pattern.columns:
            return None
        rows = list(zip(*pattern.columns, strict=True))
        if not repeats and len(set(rows)) < len(rows):
            return self.family(list(dict.fromkeys(terms)))
        return self._over_ranges(pattern, rows) or self._over_rows(pattern, rows)

    def _over_ranges(self, pattern: Pattern, rows: list[Vector]) -> Family | None:
        """Return a family over ranges; None if the rows are neither a product of ranges nor all pairs of a range."""
        ranges = [range(min(column), max(column) + 1) for column in pattern.columns]
        variables = [self._range_name(pattern.first.depth + i) for i in range(len(ranges))]
        generator = " for ".join(f"{name} in {{}}..{{}}" for name in variables)
        ends: tuple[int, ...] = tuple(end for each in ranges for end in (each[0], each[-1]))
        size = 1
        for each in ranges:
            size *= len(each)
        if size == len(rows) and list(itertools.product(*ranges)) == rows:
            return Family(pattern.body(list(map(variable, variables))), generator, ends, len(variables))
        if len(ranges) == 2 and list(itertools.combinations(range(ends[0], ends[3] + 1), 2)) == rows:
            first, second = variables
            generator = f"{first} in {{}}..{{}} for {second} in {first} + 1..{{}}"
            body = pattern.body([variable(first), variable(second)])
            return Family(body, generator, (ends[0], ends[1], ends[3]), 2)
        return None

    def _over_rows(self, pattern: Pattern, rows: list[Vector]) -> Family:
        """Return a family over the rows of a fact table."""
        placeholder = pattern.body([variable("_")] * len(pattern.columns))
        shape = (skeleton(placeholder), tuple(p for p in pattern.places if not isinstance(p, int)))
        table = self._by_shape.get(shape) if self._shared else None
        if table is None:
            table = FactTable(self.names.fresh("Terms"), self._column_names(pattern.columns))
            self.tables.append(table)
            self._by_shape[shape] = table
        row = self._row_name(pattern.first.depth)
        body = pattern.body([variable(f"{row}.{column}") for column in table.columns])
        generator = f"{row} in {table.name} if {row}.set == {{}}"
        return Family(body, generator, (table.number(tuple(rows)),), 1)

    def _column_names(self, columns: Sequence[Vector]) -> tuple[str, ...]:
        taken: list[str] = ["set"]
        for place, column in enumerate(columns):
            letter = COLUMN_NAMES[place] if place < len(COLUMN_NAMES) else f"c{place}"
            wish = self._titles.get(column, letter)
            taken.append(letter if wish in taken else wish)
        return tuple(taken[1:])

    def lookup(self, values: Sequence[int], indices: Sequence[Term], shape: Sequence[int]) -> Term:
        """Return the item of a constant array at indices that depend on the plan.

        Args:
            values: the array, flattened by rows.
            indices: an index for each dimension, which must be within its range.
            shape: size of each dimension.
        """
        key = ("array", *shape)
        table = self._by_shape.get(key)
        if table is None:
            letters = tuple(RANGE_NAMES[: len(shape)]) if len(shape) <= len(RANGE_NAMES) else ()
            columns = letters or tuple(f"i{n}" for n in range(len(shape)))
            table = FactTable(self.names.fresh("Values"), (*columns, "value"), keys=len(shape) + 1)
            self.tables.append(table)
            self._by_shape[key] = table
        places = itertools.product(*map(range, shape))
        rows = tuple((*place, value) for place, value in zip(places, values, strict=True))
        form = f"{table.name}[{', '.join(['{}'] * (len(shape) + 1))}].value"
        return join(form, (table.number(rows), *indices), ATOM, CHOICE)

    def is_too_large(self) -> bool:
        """Return whether the shared tables are too large to be scanned at each use."""
        return sum(table.scanned_rows() for table in self.tables) > STATIC_STEPS


def variable(name: str) -> Term:
    """Return a variable (`x`) or a field of a variable (`x.a`) as a term."""
    return Term(name)
