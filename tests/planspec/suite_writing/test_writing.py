"""Strings are written so that YAML reads them back unchanged."""

from __future__ import annotations

from planspec.suite_writing.writing import cell_text, yaml_lines


def test_written_texts_can_be_read_again() -> None:
    values = ["museum", "10:00", "12.00 EUR", "a: b", "x #y", "", "yes", "- a", "{a}", True, None, "none", 3]
    assert [cell_text(value) for value in values] == [
        "museum",
        "10:00",
        "12.00 EUR",
        '"a: b"',
        '"x #y"',
        '""',
        "yes",
        '"- a"',
        '"{a}"',
        "true",
        "none",
        '"none"',
        "3",
    ]
    assert yaml_lines({"a": [{"b": 1}], "c": {"d": [1, 2]}}, 2) == [
        "  a:",
        "    - {b: 1}",
        "  c: {d: [1, 2]}",
    ]
