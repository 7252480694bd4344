"""Paths through ground plans: shortest walks from stop to stop along the lines on which visitors can walk."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from heapq import heappop, heappush
from itertools import pairwise
from math import dist

from planspec.families.worldtravel.webscape.ground_plans import GroundPlan, Plate
from planspec.families.worldtravel.webscape.plan_shapes import Point

Line = Sequence[Point]
_NEAR = 1.5
"""Maximum distance, in units of the plan, at which a point counts as lying on a line."""


class Walks:
    """Graph of the lines on which visitors can walk.

    Args:
        lines: lines through doors, rooms and corridors. They meet where they share a point.
        stops: further points on the lines at which walks may start or end.
    """

    def __init__(self, lines: Iterable[Line], stops: Iterable[Point]) -> None:
        corners = [line for line in lines if line]
        points = {point for line in corners for point in line} | set(stops)
        self._near: dict[Point, dict[Point, float]] = {point: {} for point in points}
        for line in corners:
            for start, end in pairwise(line):
                on = sorted((p for p in points if _is_between(p, start, end)), key=lambda p: dist(p, start))
                for a, b in pairwise(on):
                    self._near[a][b] = self._near[b][a] = dist(a, b)

    def way(self, start: Point, end: Point) -> list[Point]:
        """Return the points of the shortest walk, including both ends.

        Raises:
            ValueError: no walk joins the two points.
        """
        queue: list[tuple[float, Point, tuple[Point, ...]]] = [(0.0, start, (start,))]
        done: set[Point] = set()
        while queue:
            length, point, line = heappop(queue)
            if point == end:
                return list(line)
            if point in done:
                continue
            done.add(point)
            for other, more in self._near.get(point, {}).items():
                if other not in done:
                    heappush(queue, (length + more, other, (*line, other)))
        raise ValueError(f"no walk from {start} to {end}")


def way_round(plan: GroundPlan) -> list[list[list[Point]]]:
    """Return a walk from the entrance through all parts, as lines for each plate (main plan or inset)."""
    return _lines_by_plate(plan, [(n, point) for n, plate in enumerate(plan.plates) for point in plate.rounds])


def way_past(plan: GroundPlan, parts: Sequence[str]) -> list[list[list[Point]]]:
    """Return the walk from the entrance to the given parts in order, as lines for each plate (main plan or inset).

    Args:
        plan: plan of a sight.
        parts: ids of the parts.
    """
    stops = {zone.part["id"]: (n, zone.middle) for n, plate in enumerate(plan.plates) for zone in plate.zones}
    return _lines_by_plate(plan, [stops[part] for part in parts])


def _lines_by_plate(plan: GroundPlan, stops: Sequence[tuple[int, Point]]) -> list[list[list[Point]]]:
    lines: list[list[list[Point]]] = [[] for _ in plan.plates]
    main = plan.plates[0]
    walks = [
        Walks(
            plate.walks,
            [*plate.rounds, *(zone.middle for zone in plate.zones), *main.gates.values(), *_entrance_as_list(plate)],
        )
        for plate in plan.plates
    ]
    at, position = 0, plan.entrance
    outside = plan.entrance
    for plate, stop in stops:
        if plate != at and at:
            at, position = 0, outside
        if plate != at:
            outside = main.gates[plan.plates[plate].title]
            lines[0].append(walks[0].way(position, outside))
            at, position = plate, plan.plates[plate].entrance or stop
        lines[at].append(walks[at].way(position, stop))
        position = stop
    return [_join_pieces(pieces) for pieces in lines]


def _entrance_as_list(plate: Plate) -> list[Point]:
    return [plate.entrance] if plate.entrance is not None else []


def _join_pieces(pieces: Iterable[list[Point]]) -> list[list[Point]]:
    lines: list[list[Point]] = []
    for piece in pieces:
        if lines and lines[-1][-1] == piece[0]:
            lines[-1] += piece[1:]
        else:
            lines.append(list(piece))
    return lines


def without_repeats(lines: Iterable[Line]) -> Iterator[list[Point]]:
    """Yield the pieces of lines, without segments that occurred before in either direction."""
    seen: set[frozenset[Point]] = set()
    for line in lines:
        piece: list[Point] = []
        for a, b in pairwise(line):
            if frozenset((a, b)) in seen:
                if len(piece) > 1:
                    yield piece
                piece = []
                continue
            seen.add(frozenset((a, b)))
            piece = [*piece, b] if piece else [a, b]
        if len(piece) > 1:
            yield piece


def _is_between(point: Point, start: Point, end: Point) -> bool:
    length = dist(start, end)
    if length == 0:
        return point == start
    return dist(start, point) + dist(point, end) <= length + 2 * _NEAR**2 / length and (
        abs((end.x - start.x) * (point.y - start.y) - (end.y - start.y) * (point.x - start.x)) / length <= _NEAR
    )
