"""Tour problems (travelling salesman): reading files, finding shortest tours, and certificates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from planspec.files import replace_text

if TYPE_CHECKING:
    from planspec.solvers.backends.outcome import Limits
    from planspec.solvers.tour.outcome import Integers, Tour
    from planspec.solvers.tour.points import GeoPoint
    from planspec.solvers.tour.proof_file import TourCertificate

NodeName: TypeAlias = str | int
"""Name of a node, or its number, counted from 1."""
DistanceMetric: TypeAlias = Literal["great-circle", "web-mercator"]
"""Formula for the distance between two points on the earth."""
TourMethod: TypeAlias = Literal["held-karp", "circuit", "dfj"]
"""Method that proves a tour shortest."""


@dataclass(frozen=True, slots=True)
class TourProblem:
    """A tour problem, as a matrix of lengths.

    Attributes:
        matrix: lengths in whole units; `matrix[a][b]` is the length from a to b.
        labels: names of the nodes, or their numbers, counted from 1.
    """

    matrix: Integers
    labels: tuple[NodeName, ...]


def tsplib_problem(text: str) -> TourProblem:
    """Parse a TSPLIB file.

    Raises:
        TourInputError: the text is not a TSPLIB file, or uses a part of the format that is not supported.
    """
    from planspec.solvers.tour import tsplib

    matrix = tsplib.parse(text).matrix
    return TourProblem(matrix, tuple(range(1, len(matrix) + 1)))


def points_problem(text: str, metric: DistanceMetric = "great-circle") -> TourProblem:
    """Parse a CSV file of points with latitude and longitude in degrees.

    Raises:
        TourInputError: the text is not such a file.
    """
    from planspec.solvers.tour import points

    return _problem_of(points.parse(text), metric)


def places_problem(places: Iterable[tuple[str, float, float]], metric: DistanceMetric = "great-circle") -> TourProblem:
    """Return the tour problem over places, each a name with latitude and longitude in degrees."""
    from planspec.solvers.tour.points import GeoPoint

    return _problem_of([GeoPoint(*place) for place in places], metric)


def _problem_of(places: Sequence[GeoPoint], metric: DistanceMetric) -> TourProblem:
    from planspec.solvers.tour import points

    return TourProblem(
        points.matrix(places, metric), tuple(place.name or number for number, place in enumerate(places, 1))
    )


def shortest_tour(
    problem: TourProblem,
    *,
    limits: Limits,
    closed: bool = True,
    start: int | None = None,
    end: int | None = None,
    method: TourMethod | None = None,
    on_progress: Callable[[Tour], None] | None = None,
    proving: bool = False,
) -> Tour:
    """Find a shortest closed tour or open path.

    Args:
        problem: the problem.
        limits: limits on the search and its proof.
        closed: whether to return to the first node.
        start: first node, counted from 0; None for any.
        end: last node of an open path; None for any.
        method: method of the proof; None to choose one by the number of nodes.
        on_progress: called with each better tour or bound.
        proving: whether to also search for a proof that can be checked without a solver.

    Raises:
        TourInputError: the problem, a node or an option is invalid. The error is also a ValueError.
    """
    from planspec.solvers.tour import shortest

    return shortest(
        problem.matrix,
        closed=closed,
        start=start,
        end=end,
        limit_seconds=limits.seconds,
        effort=limits.effort,
        method=method,
        on_progress=on_progress or (lambda _: None),
        proving=proving,
    )


def certify_tour(
    tour: Tour, problem: TourProblem, path: Path, *, closed: bool, start: int | None, end: int | None
) -> int | None:
    """Write a certificate that no tour is shorter.

    Returns:
        Number of parts of the proof; None if the tour has no proof, in which case nothing is written.

    Raises:
        OSError: the file cannot be written.
    """
    from planspec.solvers.tour.proof_file import certificate, certificate_text

    written = certificate(tour, problem.matrix, closed=closed, start=start, end=end)
    if written is None:
        return None
    replace_text(path, certificate_text(written))
    return len(written.parts)


def read_tour_certificate(data: bytes) -> TourCertificate:
    """Parse a certificate of a tour.

    Raises:
        ValueError: the data are not a certificate.
    """
    from planspec.solvers.tour.proof_file import read_certificate

    return read_certificate(data)


def why_wrong(certificate: TourCertificate, problem: TourProblem) -> str | None:
    """Return the reason why a certificate does not prove its tour shortest; None if it does."""
    from planspec.solvers.tour.proof_file import wrong_certificate

    return wrong_certificate(certificate, problem.matrix)
