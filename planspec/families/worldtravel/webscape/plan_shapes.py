"""Pieces of ground plans: rooms, columns, stairs and doors, as SVG paths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from math import cos, pi, sin
from random import Random
from typing import NamedTuple


class Point(NamedTuple):
    """A position on a plan."""

    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Room:
    """A room.

    Attributes:
        path: outline as an SVG path.
        middle: point at which routes stop.
        label: free position beside the routes, for the room's number or for the letter of a detail to look for.
        door: SVG path of a door that is drawn only with the room; may be empty.
    """

    path: str
    middle: Point
    label: Point | None = None
    door: str = ""


@dataclass
class Shape:
    """Plan of a building, before the parts of a sight are assigned to its rooms.

    Attributes:
        slots: rooms for single parts, each with words that occur in the names of suitable parts. The empty word suits
            any part.
        entrance: point where visitors come in.
        loop: rooms in the order of a visit. They are divided among the parts without a slot.
        rooms: further rooms, which belong to no part.
        lines: SVG paths of thin lines, such as columns and stairs.
        doors: SVG paths of openings in walls.
        signs: words in the plan, each with its position.
        sparse: whether slots without a part are left out of the drawing.
        spots: free positions for the letters of details to look for, in buildings without a loop.
        walks: lines on which visitors walk: through doors, and along rooms and corridors. They meet in shared points.
        gates: ends of walks at which paths to the insets begin, by title of the inset.
        gate_doors: SVG paths of doors that are drawn only if there is an inset, by title of the inset.
    """

    entrance: Point
    slots: list[tuple[tuple[str, ...], Room]] = field(default_factory=list)
    loop: list[Room] = field(default_factory=list)
    rooms: list[Room] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    doors: list[str] = field(default_factory=list)
    signs: list[tuple[str, Point]] = field(default_factory=list)
    spots: list[Point] = field(default_factory=list)
    sparse: bool = False
    walks: list[list[Point]] = field(default_factory=list)
    gates: dict[str, Point] = field(default_factory=dict)
    gate_doors: dict[str, str] = field(default_factory=dict)


def box(left: float, top: float, width: float, height: float, label: tuple[float, float] | None = None) -> Room:
    """Return a rectangular room. `label` is the offset of the label from the room's middle."""
    path = f"M{left:.0f} {top:.0f} h{width:.0f} v{height:.0f} h{-width:.0f} Z"
    middle = Point(round(left + width / 2), round(top + height / 2))
    return Room(path, middle, label and Point(middle.x + label[0], middle.y + label[1]))


def line(*points: tuple[float, float]) -> list[Point]:
    """Return a line through the given points, on which visitors walk."""
    return [Point(round(x), round(y)) for x, y in points]


def ring(x: float, y: float, x_radius: float, y_radius: float) -> list[Point]:
    """Return an ellipse as a closed line through 64 points."""
    points = around(0, 0, 1, 64)
    return line(*((x + a * x_radius, y + b * y_radius) for a, b in [*points, points[0]]))


def oval(x: float, y: float, x_radius: float, y_radius: float) -> str:
    """Return the SVG path of an ellipse around a middle."""
    return f"M{x - x_radius:.0f} {y:.0f} a{x_radius:.0f} {y_radius:.0f} 0 1 0 {2 * x_radius:.0f} 0 a{x_radius:.0f} {y_radius:.0f} 0 1 0 {-2 * x_radius:.0f} 0 Z"


def polygon(corners: Sequence[tuple[float, float]], middle: Point) -> Room:
    """Return a polygonal room. `middle` is the point at which routes stop."""
    return Room("M" + " L".join(f"{x:.0f} {y:.0f}" for x, y in corners) + " Z", middle)


def around(x: float, y: float, radius: float, count: int, turn: float = 0) -> list[tuple[float, float]]:
    """Return points at equal distances on a circle, the first at an angle of `turn` radians."""
    return [
        (x + radius * cos(2 * pi * n / count + turn), y + radius * sin(2 * pi * n / count + turn)) for n in range(count)
    ]


def column(x: float, y: float, radius: float = 5) -> str:
    """Return the SVG path of a round column."""
    return oval(x, y, radius, radius)


def stairs(left: float, top: float, width: float, height: float) -> str:
    """Return the SVG path of stairs: seven parallel lines."""
    return " ".join(f"M{left + n * width / 6:.0f} {top:.0f} v{height:.0f}" for n in range(7))


def split_length(random: Random, start: float, end: float, count: int) -> list[float]:
    """Split the range from `start` to `end` into `count` uneven pieces, and return their boundaries."""
    sizes = [random.uniform(0.85, 1.2) for _ in range(count)]
    return [start, *(round(start + (end - start) * part / sum(sizes)) for part in accumulate(sizes))]


def doorway(first: Room, second: Room, edge: Point) -> str:
    """Return the SVG path of an opening in the wall between two rooms, at a point of their common edge."""
    if abs(first.middle.x - second.middle.x) > abs(first.middle.y - second.middle.y):
        return f"M{edge.x:.0f} {edge.y - 22:.0f} v44"
    return f"M{edge.x - 22:.0f} {edge.y:.0f} h44"
