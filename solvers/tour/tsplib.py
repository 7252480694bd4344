"""Strict reader of TSPLIB files. Errors name the line number."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from planspec.errors import TourInputError
from planspec.solvers.tour import distances
from planspec.solvers.tour.distances import Distances, Point
from planspec.solvers.tour.outcome import MAX_NODES, Integers

KINDS = ("TSP", "ATSP")
"""Supported values of the header TYPE."""
FORMULAS: dict[str, Distances] = {
    "EUC_2D": distances.euc_2d,
    "CEIL_2D": distances.ceil_2d,
    "GEO": distances.geo,
    "ATT": distances.att,
}
"""Function that computes the matrix of distances between points, by the supported value of EDGE_WEIGHT_TYPE."""
FORMATS = (
    "FULL_MATRIX",
    "UPPER_ROW",
    "LOWER_ROW",
    "UPPER_DIAG_ROW",
    "LOWER_DIAG_ROW",
    "UPPER_COL",
    "LOWER_COL",
    "UPPER_DIAG_COL",
    "LOWER_DIAG_COL",
)
"""Supported values of the header EDGE_WEIGHT_FORMAT: the order in which the file lists the cells of the matrix."""
_HEADERS = (
    "NAME",
    "TYPE",
    "COMMENT",
    "DIMENSION",
    "EDGE_WEIGHT_TYPE",
    "EDGE_WEIGHT_FORMAT",
    "NODE_COORD_TYPE",
    "DISPLAY_DATA_TYPE",
)
_SECTIONS = ("NODE_COORD_SECTION", "EDGE_WEIGHT_SECTION", "DISPLAY_DATA_SECTION")
_KEYWORD = re.compile(r"[A-Z][A-Z0-9_]*")
_INTEGER = re.compile(r"[+-]?[0-9]+")
_REAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_LONGEST_NUMBER = 40


@dataclass(frozen=True, slots=True, eq=False)
class TsplibProblem:
    """A travelling salesman problem from a TSPLIB file.

    Attributes:
        name: name in the file; empty if there is none.
        comment: comments, one per line.
        points: coordinates in the order of node numbers; None if the weights are explicit.
        matrix: lengths from row to column. The values on the diagonal have no meaning.
        symmetric: whether TYPE is TSP, or all lengths are equal in both directions.
    """

    name: str
    comment: str
    points: tuple[Point, ...] | None
    matrix: Integers
    symmetric: bool


@dataclass(slots=True)
class _TsplibDraft:
    """The parts of a TSPLIB file read so far.

    Attributes:
        headers: value and line number of each header, by keyword.
        comments: comments, in order.
        points: coordinates of each node, by its number in the file.
        weights: numbers of the EDGE_WEIGHT_SECTION, in order.
        sections: line number of each section, by its name.
        last: number of the last line.
    """

    headers: dict[str, tuple[str, int]] = field(default_factory=dict)
    comments: list[str] = field(default_factory=list)
    points: dict[int, Point] = field(default_factory=dict)
    weights: list[int] = field(default_factory=list)
    sections: dict[str, int] = field(default_factory=dict)
    last: int = 0

    def header(self, key: str) -> tuple[str, int]:
        """Return the value of a required header, and the number of its line.

        Raises:
            TourInputError: the header is missing.
        """
        if key not in self.headers:
            raise TourInputError(f"the file has no {key}", self.last)
        return self.headers[key]


def parse(text: str) -> TsplibProblem:
    """Parse a TSPLIB file of TYPE TSP or ATSP, with TSPLIB's integer lengths.

    Nodes are numbered from 1 to DIMENSION and may come in any order. Line breaks between weights do not matter.

    Source: G. Reinelt, TSPLIB 95 (1995).

    Args:
        text: text of the file.

    Raises:
        TourInputError: the file is malformed, or has a part that would change the problem and is not
            supported (other types, fixed edges, depots). The error names the line.
    """
    draft = _TsplibDraft()
    lines = iter(enumerate(text.removeprefix("\ufeff").splitlines(), 1))
    section = ""
    for number, line in lines:
        draft.last = number
        words = line.split()
        if not words:
            continue
        match = _KEYWORD.match(line.strip())
        rest = line.strip()[match.end() :].strip() if match else ""
        if match and (rest[:1] in ("", ":")):
            section = _read_keyword(draft, match.group(), rest.removeprefix(":").strip(), number)
            if section == "EOF":
                break
        elif section == "NODE_COORD_SECTION":
            _read_coordinates(draft, words, number)
        elif section == "EDGE_WEIGHT_SECTION":
            draft.weights.extend(_parse_weight(word, number) for word in words)
            if len(draft.weights) > MAX_NODES**2:
                raise TourInputError(f"there are more weights than {MAX_NODES} nodes have", number)
        elif section == "DISPLAY_DATA_SECTION":
            pass
        else:
            raise TourInputError(f"expected `KEYWORD: value` or a section, not `{_shorten(line)}`", number)
    return _build_problem(draft)


def _read_keyword(draft: _TsplibDraft, key: str, value: str, number: int) -> str:
    """Read a line `KEYWORD: value` or the first line of a section.

    A header is stored in `draft`, and the result is the empty string. For a section, the result is its name.

    Args:
        draft: what has been read of the file so far.
        key: the keyword.
        value: the text after the colon.
        number: number of the line.
    """
    if key == "EOF":
        return key
    if key in _SECTIONS:
        if value:
            raise TourInputError(f"{key} stands on a line of its own", number)
        if key in draft.sections:
            raise TourInputError(f"a second {key}; the first is in line {draft.sections[key]}", number)
        draft.sections[key] = number
        return key
    if key not in _HEADERS:
        raise TourInputError(f"{key} is not supported, and the tour may depend on it", number)
    if key == "COMMENT":
        draft.comments.append(value)
    elif key in draft.headers:
        raise TourInputError(f"a second {key}; the first is in line {draft.headers[key][1]}", number)
    else:
        draft.headers[key] = value, number
    return ""


def _read_coordinates(draft: _TsplibDraft, words: list[str], number: int) -> None:
    if len(words) != 3:
        raise TourInputError(f"expected a node and two coordinates, found {len(words)} words", number)
    if not _INTEGER.fullmatch(words[0]) or len(words[0]) > _LONGEST_NUMBER:
        raise TourInputError(f"`{_shorten(words[0])}` is not a node number", number)
    node = int(words[0])
    if node in draft.points:
        raise TourInputError(f"node {node} has coordinates already", number)
    count = _dimension(draft)
    if not 1 <= node <= count:
        raise TourInputError(f"node {node} is not between 1 and the DIMENSION, {count}", number)
    draft.points[node] = _parse_real(words[1], number), _parse_real(words[2], number)


def _parse_real(word: str, number: int) -> float:
    value = float(word) if _REAL.fullmatch(word) else math.nan
    if not math.isfinite(value):
        raise TourInputError(f"`{_shorten(word)}` is not a coordinate", number)
    return value


def _parse_weight(word: str, number: int) -> int:
    if not _INTEGER.fullmatch(word) or len(word) > _LONGEST_NUMBER:
        raise TourInputError(f"`{_shorten(word)}` is not a weight; weights are integers", number)
    value = int(word)
    if abs(value) >= 2**62:
        raise TourInputError(f"the weight {word} is too great", number)
    return value


def _dimension(draft: _TsplibDraft) -> int:
    word, number = draft.header("DIMENSION")
    if not _INTEGER.fullmatch(word) or len(word) > _LONGEST_NUMBER or int(word) < 0:
        raise TourInputError(f"the DIMENSION `{_shorten(word)}` is not a number of nodes", number)
    if int(word) > MAX_NODES:
        raise TourInputError(f"there are {word} nodes; at most {MAX_NODES} are supported", number)
    return int(word)


def _build_problem(draft: _TsplibDraft) -> TsplibProblem:
    kind, number = draft.headers.get("TYPE", ("TSP", 0))
    kind = kind.partition(" ")[0]  # some files add an author after the type
    if kind not in KINDS:
        raise TourInputError(f"the TYPE `{_shorten(kind)}` is not supported; TSP and ATSP are", number)
    n = _dimension(draft)
    metric, number = draft.header("EDGE_WEIGHT_TYPE")
    if metric in FORMULAS:
        if "EDGE_WEIGHT_SECTION" in draft.sections:
            raise TourInputError(
                f"{metric} computes weights, but the file has an EDGE_WEIGHT_SECTION",
                draft.sections["EDGE_WEIGHT_SECTION"],
            )
        if len(draft.points) != n:
            line = draft.sections.get("NODE_COORD_SECTION", draft.last)
            raise TourInputError(f"the DIMENSION is {n}, but {len(draft.points)} nodes have coordinates", line)
        points = tuple(draft.points[node] for node in range(1, n + 1))
        try:
            matrix = FORMULAS[metric](points)
        except TourInputError as error:
            raise TourInputError(str(error), draft.sections.get("NODE_COORD_SECTION", draft.last)) from None
        return _problem(draft, points, matrix, True)
    if metric != "EXPLICIT":
        metrics = ", ".join((*FORMULAS, "EXPLICIT"))
        raise TourInputError(f"the EDGE_WEIGHT_TYPE `{_shorten(metric)}` is not supported; {metrics} are", number)
    matrix = _explicit_matrix(draft, n)
    symmetric = bool((matrix == matrix.T).all())
    if kind == "TSP" and not symmetric:
        i, j = (int(k) + 1 for k in np.argwhere(matrix != matrix.T)[0])
        raise TourInputError(
            f"from node {i} to {j} and back the weights differ, and the TYPE is TSP, not ATSP",
            draft.sections["EDGE_WEIGHT_SECTION"],
        )
    return _problem(draft, None, matrix, symmetric)


def _problem(draft: _TsplibDraft, points: tuple[Point, ...] | None, matrix: Integers, symmetric: bool) -> TsplibProblem:
    name = draft.headers.get("NAME", ("", 0))[0]
    return TsplibProblem(name, "\n".join(draft.comments), points, matrix, symmetric)


def _explicit_matrix(draft: _TsplibDraft, n: int) -> Integers:
    """Return the matrix of lengths between `n` nodes from the EDGE_WEIGHT_SECTION of a file; its diagonal is 0."""
    layout, number = draft.header("EDGE_WEIGHT_FORMAT")
    if layout not in FORMATS:
        raise TourInputError(
            f"the EDGE_WEIGHT_FORMAT `{_shorten(layout)}` is not supported; {', '.join(FORMATS)} are", number
        )
    line = draft.sections.get("EDGE_WEIGHT_SECTION")
    if line is None and n > 0:
        raise TourInputError("the weights are EXPLICIT, but there is no EDGE_WEIGHT_SECTION", draft.last)
    cells = list(_cell_positions(layout, n))
    if len(cells) != len(draft.weights):
        raise TourInputError(f"{n} nodes as {layout} have {len(cells)} weights; {len(draft.weights)} were found", line)
    matrix = np.zeros((n, n), dtype=np.int64)
    for (i, j), weight in zip(cells, draft.weights, strict=True):
        if i == j:
            continue
        if weight < 0:
            raise TourInputError(f"the weight from node {i + 1} to {j + 1} is negative: {weight}", line)
        matrix[i, j] = weight
        if layout != "FULL_MATRIX":
            matrix[j, i] = weight
    return matrix


def _cell_positions(layout: str, n: int) -> Iterator[tuple[int, int]]:
    """Yield the row and column of each cell, in the order in which a file with an EDGE_WEIGHT_FORMAT lists the cells.

    Args:
        layout: one of `FORMATS`, such as `UPPER_ROW`.
        n: number of nodes.
    """
    if layout == "FULL_MATRIX":
        return ((i, j) for i in range(n) for j in range(n))
    diagonal_offset = 0 if "_DIAG" in layout else 1
    if layout.startswith("UPPER") == layout.endswith("ROW"):
        # the lower triangle by columns is the transposed upper triangle by rows
        return ((i, j) for i in range(n) for j in range(i + diagonal_offset, n))
    return ((i, j) for i in range(n) for j in range(i + 1 - diagonal_offset))


def _shorten(text: str) -> str:
    text = text.strip()
    return text if len(text) <= _LONGEST_NUMBER else text[:_LONGEST_NUMBER] + "..."
