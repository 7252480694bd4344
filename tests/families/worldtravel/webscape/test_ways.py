"""Routes on floor plans go through doors, cross no walls, and pass through each stop."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import atan2, ceil, cos, dist, hypot, pi, sin

import pytest

from planspec.families.worldtravel.webscape.ground_plans import GroundPlan, Plate, ground_plan
from planspec.families.worldtravel.webscape.plan_drawing import lane_of
from planspec.families.worldtravel.webscape.plan_of_site import PAGES
from planspec.families.worldtravel.webscape.plan_shapes import Point, Room, oval
from planspec.families.worldtravel.webscape.plan_walks import way_past, way_round, without_repeats
from tests.families.worldtravel.webscape.test_pages import renderer

TOKEN = re.compile(r"[A-Za-z]|-?\d+(?:\.\d+)?")
COUNTS = {"M": 2, "L": 2, "l": 2, "H": 1, "h": 1, "V": 1, "v": 1, "a": 7, "Z": 0}
Segment = tuple[Point, Point]


def segments(path: str) -> Iterator[Segment]:
    """Yield the straight pieces of an SVG path. Arcs are split into short pieces."""
    tokens = TOKEN.findall(path)
    command, at, first = "", Point(0, 0), Point(0, 0)
    while tokens:
        if tokens[0].isalpha():
            command = tokens.pop(0)
        values = [float(tokens.pop(0)) for _ in range(COUNTS[command])]
        points = [at]
        if command == "M":
            at = first = Point(*values)
            command = "L"
            continue
        if command == "a":
            points += arc(at, *values)
        else:
            x, y = (at.x, at.y) if command.islower() else (0, 0)
            across = values[0] if command in "LlHh" else 0
            down = values[-1] if command in "LlVv" else 0
            ends = {"H": Point(across, at.y), "V": Point(at.x, down), "Z": first}
            points.append(ends.get(command, Point(x + across, y + down)))
        yield from pairwise(points)
        at = points[-1]


def arc(start: Point, a: float, b: float, _: float, large: float, sweep: float, dx: float, dy: float) -> list[Point]:
    """Return points on an arc of an ellipse whose axes are horizontal and vertical."""
    half = Point(dx / 2 / a, dy / 2 / b)
    rest = max(0.0, 1 - half.x**2 - half.y**2) ** 0.5
    side = (-1 if large == sweep else 1) * rest / (hypot(*half) or 1)
    middle = Point(half.x - side * half.y, half.y + side * half.x)
    angle = phase(-middle.x, -middle.y)
    turn = phase(2 * half.x - middle.x, 2 * half.y - middle.y) - angle
    turn = turn % (2 * pi) if sweep else -(-turn % (2 * pi))
    steps = 48
    return [
        Point(
            start.x + a * (middle.x + cos(angle + turn * n / steps)),
            start.y + b * (middle.y + sin(angle + turn * n / steps)),
        )
        for n in range(1, steps + 1)
    ]


def phase(x: float, y: float) -> float:
    """Return the angle of a point in radians."""
    return atan2(y, x)


def crossing(first: Segment, second: Segment) -> Point | None:
    """Return the point at which two segments cross, or None if they do not cross or are parallel."""
    (a, b), (c, d) = first, second
    across = (b.x - a.x) * (d.y - c.y) - (b.y - a.y) * (d.x - c.x)
    if abs(across) < 1e-9:
        return None
    t = ((c.x - a.x) * (d.y - c.y) - (c.y - a.y) * (d.x - c.x)) / across
    u = ((c.x - a.x) * (b.y - a.y) - (c.y - a.y) * (b.x - a.x)) / across
    return Point(a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)) if 0 <= t <= 1 and 0 <= u <= 1 else None


def distance(point: Point, segment: Segment) -> float:
    """Return the distance of a point from a segment."""
    a, b = segment
    steps = ceil(dist(a, b)) or 1
    return min(dist(point, (a.x + (b.x - a.x) * n / steps, a.y + (b.y - a.y) * n / steps)) for n in range(steps + 1))


def walls(plate: Plate) -> list[Segment]:
    """Return the walls that a plan shows: the walls of its zones, and those of other rooms unless a zone covers
    them.
    """
    rooms: list[Room] = [*plate.rooms, *(room for zone in plate.zones for room in zone.rooms)]
    return [segment for room in rooms for segment in segments(room.path)]


def wall_crossings(plate: Plate, line: Sequence[Point]) -> list[Point]:
    """Return the points at which a line crosses a wall without a door."""
    doors = [segment for door in plate.doors for segment in segments(door)]
    crossings = [point for way in pairwise(line) for wall in walls(plate) if (point := crossing(way, wall))]
    return [point for point in crossings if min((distance(point, door) for door in doors), default=99) > 6]


def plans(city: str) -> Iterator[tuple[str, GroundPlan, list[list[str]]]]:
    """Yield the plans of a city, each with the name of the sight and the parts of each route."""
    tables = renderer(city).tables
    for place in tables.rows_where("place", kind="attraction"):
        parts = tables.rows_where("part", place=place["id"])
        routes = tables.rows_where("route", place=place["id"]) if tables.rows("route") else []
        if parts:
            passes = [[row["part"] for row in tables.rows_where("passes", route=route["id"])] for route in routes]
            yield place["name"], ground_plan(place, parts), passes


@pytest.mark.parametrize("city", PAGES)
def test_routes_cross_walls_only_at_doors(city: str) -> None:
    for name, plan, routes in plans(city):
        for turn, plate in enumerate(plan.plates):
            ways = [way_past(plan, passes)[turn] for passes in routes] if routes else [way_round(plan)[turn]]
            ways = [lines for lines in ways if lines]
            assert ways, name
            for lane, lines in enumerate(ways):
                aside = lane_of(lane, len(ways))
                for line in without_repeats(lines):
                    shifted = [Point(x + aside, y + aside) for x, y in line]
                    assert wall_crossings(plate, shifted) == [], (name, plate.title)


@pytest.mark.parametrize("city", PAGES)
def test_routes_begin_at_the_entrance_pass_each_stop_and_end_at_the_last(city: str) -> None:
    for name, plan, routes in plans(city):
        where = {zone.part["id"]: (n, zone.middle) for n, plate in enumerate(plan.plates) for zone in plate.zones}
        for stops, lines in [(passes, way_past(plan, passes)) for passes in routes] or [([*where], way_round(plan))]:
            assert lines[0][0][0] == plan.entrance, name
            for stop in stops:
                turn, middle = where[stop]
                assert any(middle in line for line in lines[turn]), (name, stop)
            assert any(line[-1] == where[stop][1] for stop in stops for line in lines[where[stop][0]]), name
            for turn, plate in enumerate(plan.plates[1:], 1):
                if lines[turn]:
                    assert any(plan.plates[0].gates[plate.title] in line for line in lines[0]), (name, plate.title)


@pytest.mark.parametrize("city", PAGES)
def test_signs_and_letters_on_floor_plans_do_not_touch_routes(city: str) -> None:
    for name, plan, routes in plans(city):
        ways = [way_past(plan, passes)[0] for passes in routes] if routes else [way_round(plan)[0]]
        drawn = [segment for lines in ways for line in lines for segment in pairwise(line)]
        for letter, _, at in plan.finds:
            assert min(distance(Point(*at), segment) for segment in drawn) > 15, (name, letter)
        for word, at in plan.plates[0].signs:
            half = 5 * len(word)
            box = [Point(at.x + n * half / 4, at.y) for n in range(-4, 5)]
            assert min(distance(point, segment) for point in box for segment in drawn) > 10, (name, word)


def test_an_arc_is_cut_into_pieces_on_its_ellipse() -> None:
    pieces = list(segments(oval(500, 300, 200, 100)))
    assert len(pieces) > 50
    assert all(abs(((b.x - 500) / 200) ** 2 + ((b.y - 300) / 100) ** 2 - 1) < 0.01 for _, b in pieces)
    assert max(b.y for _, b in pieces) == pytest.approx(400, abs=0.5)
    assert min(b.y for _, b in pieces) == pytest.approx(200, abs=0.5)


def test_a_line_through_a_wall_is_found_and_one_through_a_door_is_not() -> None:
    tables = renderer("rome").tables
    (place,) = tables.rows_where("place", id="colosseum")
    plate = ground_plan(place, tables.rows_where("part", place="colosseum")).plates[0]
    assert wall_crossings(plate, [Point(70, 300), Point(115, 300)]) == []
    assert wall_crossings(plate, [Point(300, 60), Point(300, 300)])
