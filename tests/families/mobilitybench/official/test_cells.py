import pytest

from planspec.families.mobilitybench.official.cells import LONGEST, Cell, Form, read_cell, toolkit_value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", Cell(None, Form.BLANK)),
        ("nan", Cell(None, Form.BLANK)),
        ('{"a": true}', Cell({"a": True}, Form.JSON)),
        ("{'a': True}", Cell({"a": True}, Form.LITERAL)),
        ("108.9,34.2", Cell((108.9, 34.2), Form.LITERAL)),
        ("{'s': <ToolStatus.SUCCESS: 0>}", Cell({"s": 0}, Form.MEMBERS, ("ToolStatus.SUCCESS",))),
        ("{'s': <A.B: -1>, 't': '<A.B: 1>'}", Cell({"s": -1, "t": "<A.B: 1>"}, Form.MEMBERS, ("A.B",))),
        (
            "{'s': \"it's <A.B: 1>\", 'u': <C.D.E: 2>}",
            Cell({"s": "it's <A.B: 1>", "u": 2}, Form.MEMBERS, ("C.D.E",)),
        ),
        ("{'s': <ToolStatus.SUCCESS>}", Cell(None, Form.UNREADABLE)),
        ("{'s': <object at 0x7f>}", Cell(None, Form.UNREADABLE)),
        ("{'s': <A.B: 'x'>}", Cell(None, Form.UNREADABLE)),
        ("{'s': <A.B: 0>, 't': <open file>}", Cell(None, Form.UNREADABLE)),
        ("{'s': datetime.date(2026, 1, 1)}", Cell(None, Form.UNREADABLE)),
        ("南湖", Cell(None, Form.UNREADABLE)),
        ("(" * 100_000, Cell(None, Form.TRUNCATED)),
        ("['" + "x" * (LONGEST - 2), Cell(None, Form.TRUNCATED)),
        ("['" + "x" * (LONGEST - 3), Cell(None, Form.UNREADABLE)),
        (r"'\d'", Cell(r"\d", Form.LITERAL)),
    ],
)
def test_a_cell_is_read_only_where_it_is_exact(text: str, expected: Cell) -> None:
    assert read_cell(text) == expected


def test_a_whole_value_of_the_longest_length_is_read() -> None:
    text = "'" + "x" * (LONGEST - 2) + "'"
    assert read_cell(text) == Cell("x" * (LONGEST - 2), Form.LITERAL)


def test_the_toolkit_leaves_what_it_cannot_read() -> None:
    assert toolkit_value("{'s': <A.B: 0>}") == "{'s': <A.B: 0>}"
    assert toolkit_value("1,2") == (1, 2)
    assert toolkit_value(None) is None
