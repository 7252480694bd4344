import pytest

from planspec.families.mobilitybench.official.cells import (
    LONGEST,
    CellNotation,
    FilledCell,
    read_cell,
    toolkit_value,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", FilledCell(None, CellNotation.BLANK)),
        ("nan", FilledCell(None, CellNotation.BLANK)),
        ('{"a": true}', FilledCell({"a": True}, CellNotation.JSON)),
        ("{'a': True}", FilledCell({"a": True}, CellNotation.LITERAL)),
        ("108.9,34.2", FilledCell((108.9, 34.2), CellNotation.LITERAL)),
        (
            "{'s': <ToolStatus.SUCCESS: 0>}",
            FilledCell({"s": 0}, CellNotation.MEMBERS, ("ToolStatus.SUCCESS",)),
        ),
        (
            "{'s': <A.B: -1>, 't': '<A.B: 1>'}",
            FilledCell({"s": -1, "t": "<A.B: 1>"}, CellNotation.MEMBERS, ("A.B",)),
        ),
        (
            "{'s': \"it's <A.B: 1>\", 'u': <C.D.E: 2>}",
            FilledCell({"s": "it's <A.B: 1>", "u": 2}, CellNotation.MEMBERS, ("C.D.E",)),
        ),
        ("{'s': <ToolStatus.SUCCESS>}", FilledCell(None, CellNotation.UNREADABLE)),
        ("{'s': <object at 0x7f>}", FilledCell(None, CellNotation.UNREADABLE)),
        ("{'s': <A.B: 'x'>}", FilledCell(None, CellNotation.UNREADABLE)),
        ("{'s': <A.B: 0>, 't': <open file>}", FilledCell(None, CellNotation.UNREADABLE)),
        ("{'s': datetime.date(2026, 1, 1)}", FilledCell(None, CellNotation.UNREADABLE)),
        ("南湖", FilledCell(None, CellNotation.UNREADABLE)),
        ("(" * 100_000, FilledCell(None, CellNotation.TRUNCATED)),
        ("['" + "x" * (LONGEST - 2), FilledCell(None, CellNotation.TRUNCATED)),
        ("['" + "x" * (LONGEST - 3), FilledCell(None, CellNotation.UNREADABLE)),
        (r"'\d'", FilledCell(r"\d", CellNotation.LITERAL)),
    ],
)
def test_a_cell_is_read_only_if_it_is_exact(text: str, expected: FilledCell) -> None:
    assert read_cell(text) == expected


def test_a_whole_value_of_the_longest_length_is_read() -> None:
    text = "'" + "x" * (LONGEST - 2) + "'"
    assert read_cell(text) == FilledCell("x" * (LONGEST - 2), CellNotation.LITERAL)


def test_the_toolkit_leaves_unreadable_cells_as_text() -> None:
    assert toolkit_value("{'s': <A.B: 0>}") == "{'s': <A.B: 0>}"
    assert toolkit_value("1,2") == (1, 2)
    assert toolkit_value(None) is None
