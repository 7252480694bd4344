"""Reading of points on the earth from CSV, and distances between them."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from planspec.errors import TourInputError
from planspec.solvers.tour.distances import great_circle_distances, web_mercator_distances
from planspec.solvers.tour.outcome import MAX_NODES, Integers

Metric: TypeAlias = Literal["great-circle", "web-mercator"]
METRICS: tuple[Metric, ...] = ("great-circle", "web-mercator")
"""Ways to measure distances between points on the earth: on the globe, or on the flat Web Mercator map."""

_COLUMNS = {
    "latitude": ("latitude", "lat"),
    "longitude": ("longitude", "lon", "lng", "long"),
    "name": ("name", "id"),
}
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


@dataclass(frozen=True, slots=True)
class GeoPoint:
    """A point on the earth.

    Attributes:
        name: name in the file; empty if the file has no names.
        latitude: degrees, north positive.
        longitude: degrees, east positive.
    """

    name: str
    latitude: float
    longitude: float


def parse(text: str) -> tuple[GeoPoint, ...]:
    """Return the points of a CSV file with a header, in the order of the file.

    The columns are `latitude` or `lat`; `longitude`, `lon`, `lng` or `long`; and optionally `name` or `id`. The name is
    taken from `id` only if there is no column `name`. Case and order of columns do not matter. Other columns and blank
    lines are ignored.

    Args:
        text: text of the file.

    Raises:
        TourInputError: a column is missing, or a cell is not a coordinate or out of range. The error names the
            line.
    """
    reader = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), strict=True)
    places: list[GeoPoint] = []
    columns: dict[str, int] | None = None
    width = 0
    try:
        for row in reader:
            if not any(cell.strip() for cell in row):
                continue
            if columns is None:
                columns, width = _parse_header(row, reader.line_num), len(row)
                continue
            if len(row) != width:
                raise TourInputError(f"{len(row)} cells, but the header has {width}", reader.line_num)
            places.append(_parse_point(row, columns, reader.line_num))
            if len(places) > MAX_NODES:
                raise TourInputError(f"there are more points than {MAX_NODES}", reader.line_num)
    except csv.Error as error:
        raise TourInputError(f"this is not CSV: {error}", reader.line_num) from None
    if columns is None:
        raise TourInputError("the file has no header")
    if not places:
        raise TourInputError("there is a header and no point")
    return tuple(places)


def matrix(places: Sequence[GeoPoint], metric: Metric = "great-circle") -> Integers:
    """Return the matrix of distances between points on the earth, in whole metres.

    Args:
        places: the points.
        metric: `great-circle` to measure on the globe, `web-mercator` to measure on the flat Web Mercator map.

    Raises:
        TourInputError: the metric is unknown, or a point lies beyond the edge of the Web Mercator map.
    """
    points = [(place.latitude, place.longitude) for place in places]
    if metric == "great-circle":
        return great_circle_distances(points)
    if metric == "web-mercator":
        return web_mercator_distances(points)
    raise TourInputError(f"there is no metric `{metric}`; there are {', '.join(METRICS)}")


def _parse_header(row: list[str], line: int) -> dict[str, int]:
    names = [cell.strip().lower() for cell in row]
    columns: dict[str, int] = {}
    for meaning, accepted in _COLUMNS.items():
        matches = [place for name in accepted for place, cell in enumerate(names) if cell == name]
        if len(matches) > 1 and meaning != "name":
            raise TourInputError(f"two columns could be the {meaning}", line)
        if matches:
            columns[meaning] = matches[0]
        elif meaning != "name":
            raise TourInputError(f"the header has no column {' or '.join(accepted)}", line)
    return columns


def _parse_point(row: list[str], columns: dict[str, int], line: int) -> GeoPoint:
    name = row[columns["name"]].strip() if "name" in columns else ""
    latitude = _parse_degrees(row[columns["latitude"]], "latitude", 90, line)
    longitude = _parse_degrees(row[columns["longitude"]], "longitude", 180, line)
    return GeoPoint(name, latitude, longitude)


def _parse_degrees(cell: str, meaning: str, max_degrees: int, line: int) -> float:
    text = cell.strip()
    value = float(text) if _NUMBER.fullmatch(text) else math.nan
    if not math.isfinite(value):
        raise TourInputError(f"`{text[:40]}` is not a {meaning}", line)
    if abs(value) > max_degrees:
        raise TourInputError(f"the {meaning} {text} is not between -{max_degrees} and {max_degrees} degrees", line)
    return value
