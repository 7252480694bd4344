"""Drawings of ground plans as SVG: walls, numbered parts, and coloured routes whose stops are recorded as facts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from planspec.families.worldtravel.webscape.facts import FactWriter
from planspec.families.worldtravel.webscape.ground_plans import HEIGHT, GroundPlan, Plate
from planspec.families.worldtravel.webscape.plan_shapes import Point
from planspec.families.worldtravel.webscape.tables import WorldRow

_BELOW_NUMBER, _LANE = 36, 9
"""Distances of a way from the number of a part, and between two ways, in units of the plan."""


@dataclass(frozen=True, slots=True)
class PlanStyle:
    """Colours and lines of a plan.

    Attributes:
        paper: colour around the building.
        floor: colour of rooms that belong to no part.
        tints: colours of the parts, in turn.
        wall: colour of walls and numbers.
        thin: colour of thin lines and words.
        width: width of walls.
        nested: whether each room is in a group of its own.
    """

    paper: str
    floor: str
    tints: tuple[str, ...]
    wall: str
    thin: str
    width: int
    nested: bool = False


STYLES: Mapping[str, PlanStyle] = {
    "ink": PlanStyle("#fdfcf9", "#ffffff", ("#efe9dc", "#e3e8e6", "#eae3ea", "#e9ebdd"), "#26221d", "#8b857a", 7),
    "blueprint": PlanStyle(
        "#1d3f66", "#23497a", ("#2c5789", "#335f93", "#284f80"), "#eef4fb", "#a9c3e2", 3, nested=True
    ),
    "soft": PlanStyle("#eef0ea", "#fbfbf8", ("#d5ddd0", "#e2d8c6", "#cfdadd", "#ddd2d8"), "#6d7368", "#8f958a", 2),
    "sand": PlanStyle("#f6efe2", "#fffaf0", ("#ead9bd", "#dfcdb4", "#f0e3c8"), "#7a5b3a", "#a98f6c", 5, nested=True),
    "grey": PlanStyle("#f4f5f7", "#ffffff", ("#dfe3e9", "#e8e4e0", "#d9e1e3"), "#3d4654", "#7f8896", 4),
}


def drawn_plan(
    plan: GroundPlan,
    routes: Sequence[tuple[WorldRow, Sequence[WorldRow]]],
    style_name: str,
    writer: FactWriter,
    *,
    plates: Sequence[Plate] | None = None,
) -> Markup:
    """Return the SVG of a plan, and record the stops of its routes.

    Args:
        plan: plan of a sight.
        routes: routes with their rows of `passes`. Without any, a dotted line shows a way round.
        style_name: name in `STYLES`.
        writer: writer of the page.
        plates: plates to draw, without ways between them; all plates by default.
    """
    style = STYLES[style_name]
    shown = plan.plates if plates is None else plates
    left = min(plate.box[0] for plate in shown)
    top = min(plate.box[1] for plate in shown)
    width = max(plate.box[0] + plate.box[2] for plate in shown) - left
    height = max(plate.box[1] + plate.box[3] for plate in shown) - top
    drawn = [piece for plate in shown for piece in _plate(plate, style, titled=len(shown) > 1)]
    parts = {zone.part["id"] for plate in shown for zone in plate.zones}
    ways = list(_ways(plan, routes, parts, style, writer))
    numbers = [piece for plate in shown for piece in _numbers(plate, style)]
    if plan.plates[0] in shown:
        numbers += _finds(plan, style)
    box = f"{left:.0f} {top:.0f} {width:.0f} {height:.0f}"
    return Markup(
        '<svg viewBox="{}" role="presentation" style="display:block;width:100%;height:auto;background:{}">{}</svg>'
    ).format(box, style.paper, Markup().join([*drawn, *ways, *numbers]))


def _path(path: str, fill: str, stroke: str, width: float, more: str = "") -> Markup:
    return Markup('<path d="{}" fill="{}" stroke="{}" stroke-width="{}"{}></path>').format(
        path,
        fill,
        stroke,
        width,
        Markup(more),  # noqa: S704 attributes of this module
    )


def _plate(plate: Plate, style: PlanStyle, *, titled: bool) -> Iterable[Markup]:
    rooms = [_path(room.path, style.floor, style.wall, style.width) for room in plate.rooms]
    for turn, zone in enumerate(plate.zones):
        tint = style.tints[turn % len(style.tints)]
        paths = [room.path for room in zone.rooms] if style.nested else [" ".join(room.path for room in zone.rooms)]
        rooms += [_path(path, tint, style.wall, style.width, ' fill-rule="evenodd"') for path in paths]
    yield from (Markup("<g>{}</g>").format(room) for room in rooms) if style.nested else rooms
    yield _path(" ".join(plate.lines), "none", style.thin, 1.6)
    if plate.doors:
        yield _path(" ".join(plate.doors), "none", style.floor, style.width + 3)
    for word, at in plate.signs:
        yield _text(at, word, 19, style.thin if style.wall > "#8" else style.wall)
    if plate.entrance is not None:
        x, y = plate.entrance
        arrow = f"M{x} {y - 6} l-13 24 h26 Z" if y > HEIGHT - 60 else f"M{x - 4} {y} l-26 -13 v26 Z"
        yield _path(arrow, style.wall, style.wall, 1)
    if plate.title and titled:
        yield _text(Point(plate.box[0] + 20, plate.box[1] + 24), plate.title, 20, style.wall, "start")


def _text(at: Point, word: str, size: int, colour: str, anchor: str = "middle") -> Markup:
    return Markup(
        '<text x="{}" y="{}" text-anchor="{}" font-size="{}" fill="{}" font-family="sans-serif">{}</text>'
    ).format(round(at.x), round(at.y + size * 0.35), anchor, size, colour, word)


def _numbers(plate: Plate, style: PlanStyle) -> Iterable[Markup]:
    for zone in plate.zones:
        yield Markup('<circle cx="{}" cy="{}" r="22" fill="{}"></circle>').format(*zone.middle, style.wall)
        yield _text(zone.middle, str(zone.number), 27, style.paper)


def _finds(plan: GroundPlan, style: PlanStyle) -> Iterable[Markup]:
    for letter, _, (x, y) in plan.finds:
        yield Markup('<circle cx="{}" cy="{}" r="14" fill="{}" stroke="{}" stroke-width="2"></circle>').format(
            round(x), round(y), style.floor, style.thin
        )
        yield _text(Point(x, y), letter, 18, style.wall)


def _ways(
    plan: GroundPlan,
    routes: Sequence[tuple[WorldRow, Sequence[WorldRow]]],
    parts: set[str],
    style: PlanStyle,
    writer: FactWriter,
) -> Iterable[Markup]:
    if not routes:
        if len(parts) == len(plan.stops):
            rooms = [room for plate in plan.plates for zone in plate.zones for room in zone.rooms]
            corners = _squared(
                [plan.entrance, *(Point(x, y + _BELOW_NUMBER) for x, y in (room.middle for room in rooms))]
            )
            yield _path(_line(corners, 0), "none", style.wall, 4, ' stroke-dasharray="2 11" stroke-linecap="round"')
        return
    for turn, (route, passes) in enumerate(routes):
        lane = (turn - (len(routes) - 1) / 2) * _LANE
        here = [row for row in passes if row["part"] in parts]
        if not here:
            continue
        stops = [Point(plan.stops[row["part"]].x, plan.stops[row["part"]].y + _BELOW_NUMBER) for row in here]
        corners = _squared([plan.entrance, *stops] if len(parts) == len(plan.stops) else stops)
        yield _path(_line(corners, lane), "none", "#ffffff", 9, ' stroke-linejoin="round"')
        yield _path(_line(corners, lane), "none", route["colour"], 5.5, ' stroke-linejoin="round"')
        for row, stop in zip(here, stops, strict=True):
            marks = writer.state_attributes(row, "part", row["part"], "drawing")
            yield Markup(
                '<circle{} cx="{}" cy="{}" r="7" fill="#ffffff" stroke="{}" stroke-width="4"></circle>'
            ).format(marks, round(stop.x + lane), round(stop.y + lane), route["colour"])


def _squared(points: Sequence[Point]) -> list[Point]:
    """Return the corners of a line along points in right angles."""
    corners = [points[0]]
    for turn, point in enumerate(points[1:]):
        last = corners[-1]
        if abs(point.x - last.x) > 1 and abs(point.y - last.y) > 1:
            corners.append(Point(last.x, point.y) if turn % 2 == 0 else Point(point.x, last.y))
        corners.append(point)
    return corners


def _line(corners: Sequence[Point], lane: float) -> str:
    return "M" + " L".join(f"{x + lane:.0f} {y + lane:.0f}" for x, y in corners)
