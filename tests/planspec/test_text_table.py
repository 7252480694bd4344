"""The cells of rows are aligned in columns, whatever characters they contain."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from planspec.text import GAP, align

CELL = st.text("abc", min_size=1, max_size=9)


def test_columns_are_as_wide_as_their_widest_cell_and_numbers_are_right_aligned() -> None:
    assert align([("name", "n", "what"), ("a", "1000", "b")], right={1}) == [
        "name     n  what",
        "a     1000  b",
    ]
    assert align([("a", "b")], min_widths=(4, 3)) == ["a     b"]
    assert align([("a",), ("bcd", "e")]) == ["a", "bcd  e"]
    assert align([]) == []


@given(st.lists(st.tuples(CELL, CELL, CELL), max_size=5), st.lists(st.integers(0, 12), max_size=3))
def test_every_column_begins_at_the_same_index_in_all_lines(
    rows: list[tuple[str, str, str]], min_widths: list[int]
) -> None:
    lines = align(rows, min_widths=min_widths)
    for place in range(3):
        widths = (
            [max(min_widths[at] if at < len(min_widths) else 0, *(len(row[at]) for row in rows)) for at in range(place)]
            if rows
            else []
        )
        begin = sum(widths) + len(GAP) * place
        assert [line[begin:].startswith(row[place]) for line, row in zip(lines, rows, strict=True)] == [True] * len(
            rows
        )
