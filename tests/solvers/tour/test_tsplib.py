from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planspec.errors import TourInputError
from planspec.solvers.tour import shortest
from planspec.solvers.tour.tsplib import FORMATS, parse

SQUARE = """\
NAME : square
COMMENT : four corners
COMMENT: and no more
TYPE: TSP
DIMENSION : 4
EDGE_WEIGHT_TYPE : EUC_2D
NODE_COORD_SECTION
1 0 0
3 10 1.0e+01
2 10.0 0
4 .0 10
EOF
"""


def explicit_problem(layout: str, weights: str, n: int = 3, kind: str = "TSP") -> str:
    """Return a TSPLIB file with an explicit matrix of weights."""
    return (
        f"NAME: small\nTYPE: {kind}\nDIMENSION: {n}\nEDGE_WEIGHT_TYPE: EXPLICIT\n"
        f"EDGE_WEIGHT_FORMAT: {layout}\nEDGE_WEIGHT_SECTION\n{weights}\nEOF\n"
    )


def test_coordinates_come_in_the_order_of_node_numbers() -> None:
    instance = parse(SQUARE)
    assert instance.name == "square"
    assert instance.comment == "four corners\nand no more"
    assert instance.points == ((0, 0), (10, 0), (10, 10), (0, 10))
    assert instance.symmetric
    assert instance.matrix[0].tolist() == [0, 10, 14, 10]
    assert shortest(instance.matrix).length == 40


@pytest.mark.parametrize(("metric", "across"), [("EUC_2D", 14), ("CEIL_2D", 15), ("ATT", 5), ("GEO", 1571)])
def test_the_edge_weight_type_chooses_the_formula_for_distances(metric: str, across: int) -> None:
    # GEO: the cosine of the arc is the square of that of 10 degrees; the arc is 14.106 degrees or 1570.3 km
    assert parse(SQUARE.replace("EUC_2D", metric)).matrix[0, 2] == across


ORDERS = {
    "FULL_MATRIX": "0 1 2 3\n1 0 4 5\n2 4 0 6\n3 5 6 0",
    "UPPER_ROW": "1 2 3\n4 5\n6",
    "LOWER_ROW": "1\n2 4\n3 5 6",
    "UPPER_DIAG_ROW": "9 1 2 3\n9 4 5\n9 6\n9",
    "LOWER_DIAG_ROW": "9\n1 9\n2 4 9\n3 5 6 9",
    "UPPER_COL": "1\n2 4\n3 5 6",
    "LOWER_COL": "1 2 3\n4 5\n6",
    "UPPER_DIAG_COL": "9\n1 9\n2 4 9\n3 5 6 9",
    "LOWER_DIAG_COL": "9 1 2 3\n9 4 5\n9 6\n9",
}


@pytest.mark.parametrize("layout", FORMATS)
@pytest.mark.parametrize("broken", [False, True])
def test_every_matrix_format_gives_the_same_lengths_with_any_line_breaks(layout: str, broken: bool) -> None:
    weights = ORDERS[layout]
    text = explicit_problem(layout, "\n".join(weights.split()) if broken else weights, 4)
    instance = parse(text)
    assert instance.matrix.tolist() == [[0, 1, 2, 3], [1, 0, 4, 5], [2, 4, 0, 6], [3, 5, 6, 0]]
    assert instance.points is None


def test_an_asymmetric_matrix_is_read_by_rows_and_its_diagonal_is_not() -> None:
    instance = parse(explicit_problem("FULL_MATRIX", "9999 1 5 5 9999 1 1 5 9999", kind="ATSP"))
    assert not instance.symmetric
    assert instance.matrix.tolist() == [[0, 1, 5], [5, 0, 1], [1, 5, 0]]
    assert shortest(instance.matrix).length == 3


def test_line_ends_blank_lines_and_a_byte_order_mark_do_not_matter() -> None:
    text = "\ufeff" + SQUARE.replace("\n", "\r\n\r\n").replace("NODE_COORD_SECTION", "NODE_COORD_SECTION :")
    assert parse(text).matrix.tolist() == parse(SQUARE).matrix.tolist()


def test_a_file_may_lack_an_eof_line_and_have_no_nodes() -> None:
    assert parse(SQUARE.removesuffix("EOF\n")).points == parse(SQUARE).points
    assert parse("TYPE: TSP\nDIMENSION: 0\nEDGE_WEIGHT_TYPE: EUC_2D\n").matrix.shape == (0, 0)


BAD = [
    ("", "", "no DIMENSION", None),
    ("DIMENSION : 4\n", "", "no DIMENSION", None),
    ("DIMENSION : 4", "DIMENSION : four", "`four`", 5),
    ("DIMENSION : 4", "DIMENSION : -4", "`-4`", 5),
    ("DIMENSION : 4", "DIMENSION : 1_0", "`1_0`", 5),
    ("DIMENSION : 4", "DIMENSION : 99999999999", "are supported", 5),
    ("DIMENSION : 4", "DIMENSION : " + "9" * 5000, "is not a number of nodes", 5),
    ("DIMENSION : 4", "DIMENSION : 5", "the DIMENSION is 5, but 4 nodes", 7),
    ("DIMENSION : 4", "DIMENSION : 3", "node 4 is not between 1 and the DIMENSION, 3", 11),
    ("DIMENSION : 4", "DIMENSION : 4\nDIMENSION : 4", "a second DIMENSION; the first is in line 5", 6),
    ("TYPE: TSP", "TYPE: CVRP", "`CVRP`", 4),
    ("EDGE_WEIGHT_TYPE : EUC_2D\n", "", "no EDGE_WEIGHT_TYPE", 11),
    ("EUC_2D", "EUC_9D", "`EUC_9D`", 6),
    ("EUC_2D", "EXPLICIT", "no EDGE_WEIGHT_FORMAT", 12),
    ("3 10 1.0e+01", "3 10", "found 2 words", 9),
    ("3 10 1.0e+01", "3 10 1 1", "found 4 words", 9),
    ("3 10 1.0e+01", "3 10 ten", "`ten`", 9),
    ("3 10 1.0e+01", "3 10 nan", "`nan`", 9),
    ("3 10 1.0e+01", "3 10 1e999", "`1e999`", 9),
    ("3 10 1.0e+01", "3.5 10 1", "`3.5`", 9),
    ("3 10 1.0e+01", "٣ 10 1", "not a node number", 9),
    ("3 10 1.0e+01", "1 10 1", "node 1 has coordinates already", 9),
    ("3 10 1.0e+01", "0 10 1", "node 0 is not", 9),
    ("3 10 1.0e+01", "3 1e300 1", "not exact", 7),
    ("NODE_COORD_SECTION", "FIXED_EDGES_SECTION", "FIXED_EDGES_SECTION is not supported", 7),
    ("NODE_COORD_SECTION", "", "expected `KEYWORD: value`", 8),
    ("EOF", "NODE_COORD_SECTION", "a second NODE_COORD_SECTION; the first is in line 7", 12),
    ("EOF", "EDGE_WEIGHT_SECTION", "computes weights", 12),
]


@pytest.mark.parametrize(("old", "new", "message", "line"), BAD)
def test_a_malformed_file_is_refused_with_its_line(old: str, new: str, message: str, line: int | None) -> None:
    text = SQUARE.replace(old, new) if old else new
    with pytest.raises(TourInputError) as caught:
        parse(text)
    assert message in str(caught.value)
    if line is not None:
        assert caught.value.line == line
        assert str(caught.value).startswith(f"line {line}: ")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (explicit_problem("UPPER_ROW", "1 2"), "3 nodes as UPPER_ROW have 3 weights; 2 were found"),
        (explicit_problem("UPPER_ROW", "1 2 3 4"), "4 were found"),
        (explicit_problem("UPPER_ROW", "1 2 x"), "`x`"),
        (explicit_problem("UPPER_ROW", "1 2 3.5"), "weights are integers"),
        (explicit_problem("UPPER_ROW", "1 2 " + "9" * 30), "too great"),
        (explicit_problem("UPPER_ROW", "1 2 -3"), "from node 2 to 3 is negative"),
        (explicit_problem("FUNCTION", "1 2 3"), "`FUNCTION`"),
        (explicit_problem("FULL_MATRIX", "0 1 2 3 0 4 2 4 0"), "from node 1 to 2 and back"),
        (explicit_problem("FULL_MATRIX", "").replace("EDGE_WEIGHT_SECTION\n", ""), "no EDGE_WEIGHT_SECTION"),
    ],
)
def test_invalid_weights_are_refused(text: str, message: str) -> None:
    with pytest.raises(TourInputError, match=r"line [0-9]+: ") as caught:
        parse(text)
    assert message in str(caught.value)


PIECES = st.sampled_from(
    [*SQUARE.splitlines(), *explicit_problem("UPPER_ROW", "1 2 3").splitlines(), "", "-1", ":", "1 2 3"]
)


@given(st.lists(PIECES | st.text(max_size=12), max_size=14))
def test_any_text_is_parsed_or_refused_with_a_tour_input_error(lines: list[str]) -> None:
    try:
        instance = parse("\n".join(lines))
    except TourInputError:
        return
    assert instance.matrix.shape[0] == instance.matrix.shape[1]
