"""Distances and directions on the earth as whole numbers, with enough accuracy for a city."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from planspec.families.mobilitybench.map.records import Point
from planspec.geodesy import EARTH_M, central_angle

MM_PER_MICRODEGREE = 111.195
"""Length of 1e-6 degrees along a meridian, in millimetres."""


def metres(a: Point, b: Point) -> int:
    """Return the great-circle distance between two points, rounded to a metre."""
    one, two = math.radians(a.latitude / 1e6), math.radians(b.latitude / 1e6)
    across = math.radians((b.longitude - a.longitude) / 1e6)
    return round(EARTH_M * central_angle(one, two, across))


@dataclass(frozen=True, slots=True)
class Plane:
    """Projection of points to a plane, with coordinates in millimetres east and north of a centre."""

    centre: Point

    def flat(self, point: Point) -> tuple[int, int]:
        """Return the position of a point in millimetres east and north of the centre."""
        shrink = math.cos(math.radians(self.centre.latitude / 1e6))
        east = (point.longitude - self.centre.longitude) * MM_PER_MICRODEGREE * shrink
        return round(east), round((point.latitude - self.centre.latitude) * MM_PER_MICRODEGREE)

    def point(self, east_m: float, north_m: float) -> Point:
        """Return the point at a position in metres east and north of the centre."""
        shrink = math.cos(math.radians(self.centre.latitude / 1e6))
        return Point(
            self.centre.longitude + round(east_m * 1000 / MM_PER_MICRODEGREE / shrink),
            self.centre.latitude + round(north_m * 1000 / MM_PER_MICRODEGREE),
        )


def bearing(a: tuple[int, int], b: tuple[int, int]) -> int:
    """Return the direction from `a` to `b`, both on a `Plane`, in degrees clockwise from north."""
    return round(math.degrees(math.atan2(b[0] - a[0], b[1] - a[1]))) % 360


def compass(degrees: int) -> int:
    """Return the index of the nearest of eight compass points: 0 for north, 1 for north-east, and so on clockwise."""
    return (degrees * 2 + 45) // 90 % 8


class PointIndex:
    """Spatial index that finds the nearest of many points, based on a grid of cells.

    Args:
        points: pairs of a key and its point.
        centre: centre of the projection to a plane.
    """

    __slots__ = ("_cells", "_flat", "_plane", "_reach")
    CELL_MM = 300_000
    MAX_RINGS = 40
    """Maximum number of rings of cells searched around a point. If they are empty, all points are compared."""

    def __init__(self, points: Iterable[tuple[int, Point]], centre: Point) -> None:
        self._plane = Plane(centre)
        self._cells: dict[tuple[int, int], list[int]] = {}
        self._flat: dict[int, tuple[int, int]] = {}
        for key, point in points:
            flat = self._plane.flat(point)
            self._flat[key] = flat
            self._cells.setdefault((flat[0] // self.CELL_MM, flat[1] // self.CELL_MM), []).append(key)
        self._reach = max((max(abs(x), abs(y)) for x, y in self._cells), default=0) + 1

    def nearest_key(self, point: Point) -> int | None:
        """Return the key of the nearest point, the smallest key at equal distance; None if there are no points."""
        if not self._flat:
            return None
        x, y = self._plane.flat(point)
        column, row = x // self.CELL_MM, y // self.CELL_MM
        ring = max(0, abs(column) - self._reach, abs(row) - self._reach)
        best: tuple[int, int] | None = None
        while ring <= self.MAX_RINGS and (best is None or best[0] > ((ring - 1) * self.CELL_MM) ** 2):
            for cell in _ring_cells(column, row, ring):
                for key in self._cells.get(cell, ()):
                    place = self._flat[key]
                    candidate = ((place[0] - x) ** 2 + (place[1] - y) ** 2, key)
                    best = candidate if best is None else min(best, candidate)
            ring += 1
        if best is None or ring > self.MAX_RINGS:
            best = min(((u - x) ** 2 + (v - y) ** 2, key) for key, (u, v) in self._flat.items())
        return best[1]

    def keys_around(self, point: Point, radius_m: int) -> list[int]:
        """Return, unordered, the keys of all points within a radius, and of some points farther away.

        The caller has to check the distances.
        """
        x, y = self._plane.flat(point)
        # far north or south of the centre, the projection distorts lengths from west to east
        spread = math.cos(math.radians(self._plane.centre.latitude / 1e6)) / math.cos(
            math.radians(min(89e6, abs(point.latitude)) / 1e6)
        )
        reach = round(radius_m * 1010 * max(1.0, spread * 1.01)) + self.CELL_MM
        columns = range((x - reach) // self.CELL_MM, (x + reach) // self.CELL_MM + 1)
        rows = range((y - reach) // self.CELL_MM, (y + reach) // self.CELL_MM + 1)
        if len(columns) * len(rows) > len(self._cells):
            return list(self._flat)
        return [key for column in columns for row in rows for key in self._cells.get((column, row), ())]


def _ring_cells(column: int, row: int, ring: int) -> list[tuple[int, int]]:
    if ring == 0:
        return [(column, row)]
    sides = range(-ring, ring + 1)
    inner = range(-ring + 1, ring)
    flat = [(column + i, row + side) for i in sides for side in (-ring, ring)]
    return flat + [(column + side, row + i) for i in inner for side in (-ring, ring)]
