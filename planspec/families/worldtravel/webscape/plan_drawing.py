"""Drawings of ground plans as SVG: walls, numbered parts, and coloured routes whose stops are recorded as facts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from planspec.families.worldtravel.webscape.facts import FactWriter
from planspec.families.worldtravel.webscape.ground_plans import HEIGHT, GroundPlan, Plate
from planspec.families.worldtravel.webscape.plan_shapes import Point
from planspec.families.worldtravel.webscape.plan_walks import way_past, way_round, without_repeats
from planspec.families.worldtravel.webscape.tables import WorldRow

LANE = 8
"""Distance between parallel routes, in units of the plan."""
_SHADES: Mapping[str, str] = {
    "red": "#c9463d",
    "blue": "#3f7fd0",
    "green": "#3c9460",
    "gold": "#d9a521",
    "yellow": "#e8cf4a",
    "violet": "#9a68c8",
    "orange": "#dd8433",
}
"""CSS colours in which routes with named colours are drawn. Other colours are used unchanged."""


@dataclass(frozen=True, slots=True)
class PlanStyle:
    """Colours and widths of lines in a plan.

    Attributes:
        paper: colour around the building.
        floor: colour of rooms that belong to no part.
        tints: colours of the parts, used in turn.
        wall: colour of walls and numbers.
        thin: colour of thin lines and words.
        width: width of walls.
        nested: whether each room is in a separate SVG group.
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
    """Return the SVG of a ground plan, and record the stops of its routes as facts.

    Args:
        plan: plan of a sight.
        routes: routes with their rows of the table `passes`. If there are none, a dotted line shows a walk through all
            parts.
        style_name: name in `STYLES`.
        writer: writer of the page.
        plates: drawings of the plan to include (main plan, insets); None for all.
    """
    style = STYLES[style_name]
    shown = plan.plates if plates is None else plates
    left = min(plate.box[0] for plate in shown)
    top = min(plate.box[1] for plate in shown)
    width = max(plate.box[0] + plate.box[2] for plate in shown) - left
    height = max(plate.box[1] + plate.box[3] for plate in shown) - top
    drawn = [piece for plate in shown for piece in _draw_plate(plate, style, titled=len(shown) > 1)]
    parts = {zone.part["id"] for plate in shown for zone in plate.zones}
    ways = list(_draw_ways(plan, routes, parts, style, writer))
    numbers = [piece for plate in shown for piece in _draw_numbers(plate, style, beside=bool(routes))]
    numbers += _draw_signs(plan, shown, style)
    if plan.plates[0] in shown:
        numbers += _draw_things_to_find(plan, style)
    if len(shown) == 1 and shown[0].title:
        top, low = _caption_height(shown[0]) + 8, _frame_bottom(shown[0])
        height = low - top
    box = f"{left:.0f} {top:.0f} {width:.0f} {height:.0f}"
    return Markup(
        '<svg viewBox="{}" role="presentation" style="display:block;width:100%;height:auto;background:{}">{}</svg>'
    ).format(box, style.paper, Markup().join([*drawn, *ways, *numbers]))


def _path_element(path: str, fill: str, stroke: str, width: float, more: str = "") -> Markup:
    return Markup('<path d="{}" fill="{}" stroke="{}" stroke-width="{}"{}></path>').format(
        path,
        fill,
        stroke,
        width,
        Markup(more),  # noqa: S704 attributes written in this module
    )


def _draw_plate(plate: Plate, style: PlanStyle, *, titled: bool) -> Iterable[Markup]:
    rooms = [
        _path_element(room.path, style.floor, style.wall, style.width, ' fill-rule="evenodd"') for room in plate.rooms
    ]
    for turn, zone in enumerate(plate.zones):
        tint = style.tints[turn % len(style.tints)]
        paths = [room.path for room in zone.rooms] if style.nested else [" ".join(room.path for room in zone.rooms)]
        rooms += [_path_element(path, tint, style.wall, style.width, ' fill-rule="evenodd"') for path in paths]
    yield from (Markup("<g>{}</g>").format(room) for room in rooms) if style.nested else rooms
    yield _path_element(" ".join(plate.lines), "none", style.thin, 1.6)
    if plate.doors:
        yield _path_element(" ".join(plate.doors), "none", style.floor, style.width + 3)
    for word, at in plate.signs:
        yield _text_element(at, word, 19, style.thin if style.wall > "#8" else style.wall)
    if plate.entrance is not None and not plate.title:
        x, y = plate.entrance
        arrow = f"M{x} {y} l-12 20 h24 Z" if y > HEIGHT - 60 else f"M{x - 4} {y} l-22 -12 v24 Z"
        yield _path_element(arrow, style.wall, style.wall, 1)
    if plate.title and titled:
        frame = f"M{plate.box[0] - 2} {_caption_height(plate) - 20} h{plate.box[2] - 12} V{_frame_bottom(plate)} h{12 - plate.box[2]} Z"
        yield _path_element(frame, "none", style.thin, 1)
        yield _text_element(
            Point(plate.box[0] + plate.box[2] / 2 - 8, _caption_height(plate)), plate.caption, 19, style.wall
        )


def _frame_bottom(plate: Plate) -> float:
    return plate.entrance.y + 12 if plate.entrance is not None else plate.box[1] + plate.box[3]


def _caption_height(plate: Plate) -> float:
    _, top, _, height = plate.box
    return max(top + 23, top + height / 2 - 160)


def _text_element(at: Point, word: str, size: int, colour: str, anchor: str = "middle") -> Markup:
    return Markup(
        '<text x="{}" y="{}" text-anchor="{}" font-size="{}" fill="{}" font-family="sans-serif">{}</text>'
    ).format(round(at.x), round(at.y + size * 0.35), anchor, size, colour, word)


def _draw_numbers(plate: Plate, style: PlanStyle, *, beside: bool) -> Iterable[Markup]:
    for zone in plate.zones:
        at = (zone.label or Point(zone.middle.x, zone.middle.y - 38)) if beside else zone.middle
        yield Markup('<circle cx="{}" cy="{}" r="{}" fill="{}"></circle>').format(*at, 18 if beside else 20, style.wall)
        yield _text_element(at, str(zone.number), 24, style.paper)


def _draw_signs(plan: GroundPlan, shown: Sequence[Plate], style: PlanStyle) -> Iterable[Markup]:
    """Draw signs on the main plan for the parts in each inset, such as `to 4, 5`, and an arrow in the inset."""
    for plate in plan.plates[1:]:
        if plan.plates[0] in shown:
            numbers = [zone.number for zone in plate.zones]
            words = f"to {', '.join(map(str, numbers))}"
            x, y = plan.plates[0].gates[plate.title]
            width = 22 + 9 * len(words)
            yield Markup(
                '<rect x="{}" y="{}" width="{}" height="26" rx="5" fill="{}" stroke="{}" stroke-width="2"></rect>'
            ).format(round(x - width / 2), y - 13, width, style.paper, style.wall)
            yield _text_element(Point(x, y), words, 17, style.wall)
        if plate in shown and plate.entrance is not None:
            x, y = plate.entrance
            yield _path_element(f"M{x} {y - 8} l-9 15 h18 Z", style.wall, style.wall, 1)


def _draw_things_to_find(plan: GroundPlan, style: PlanStyle) -> Iterable[Markup]:
    for letter, _, (x, y) in plan.finds:
        yield Markup('<circle cx="{}" cy="{}" r="14" fill="{}" stroke="{}" stroke-width="2"></circle>').format(
            round(x), round(y), style.floor, style.thin
        )
        yield _text_element(Point(x, y), letter, 18, style.wall)


def _draw_ways(
    plan: GroundPlan,
    routes: Sequence[tuple[WorldRow, Sequence[WorldRow]]],
    parts: set[str],
    style: PlanStyle,
    writer: FactWriter,
) -> Iterable[Markup]:
    shown = [n for n, plate in enumerate(plan.plates) if all(zone.part["id"] in parts for zone in plate.zones)]
    if not routes:
        lines = way_round(plan)
        for line in without_repeats(line for n in shown for line in lines[n]):
            yield _path_element(
                _route_path(line), "none", style.wall, 4, ' stroke-dasharray="1 10" stroke-linecap="round"'
            )
        return
    for n in shown:
        yield from _draw_routes(plan, n, routes, writer)


def _draw_routes(
    plan: GroundPlan, turn: int, routes: Sequence[tuple[WorldRow, Sequence[WorldRow]]], writer: FactWriter
) -> Iterable[Markup]:
    """Draw the routes on one plate (main plan or inset), with their stops on top. `turn` is the index of the plate."""
    stops = {zone.part["id"]: zone.middle for zone in plan.plates[turn].zones}
    lines = [way_past(plan, [row["part"] for row in passes])[turn] for _, passes in routes]
    visible = [n for n, pieces in enumerate(lines) if pieces]
    ends = {plan.plates[turn].entrance, *plan.plates[turn].gates.values()}
    rings = []
    for n in visible:
        route, passes = routes[n]
        lane = lane_of(visible.index(n), len(visible))
        colour = shade_of(route["colour"])
        pieces = list(without_repeats(lines[n]))
        for width, stroke in ((7.5, "#ffffff"), (5, colour)):
            for piece in pieces:
                yield _path_element(_route_path(piece, lane, ends), "none", stroke, width, ' stroke-linejoin="round"')
        for row in passes:
            if row["part"] in stops:
                x, y = stops[row["part"]]
                rings.append((row, round(x + lane), round(y + lane), colour))
    for row, x, y, colour in rings:
        marks = writer.state_attributes(row, "part", row["part"], "drawing")
        yield Markup('<circle{} cx="{}" cy="{}" r="6" fill="#ffffff" stroke="{}" stroke-width="4"></circle>').format(
            marks, x, y, colour
        )


def shade_of(colour: str) -> str:
    """Return the CSS colour in which pages draw a named colour."""
    return _SHADES.get(colour, colour)


def lane_of(turn: int, count: int) -> float:
    """Return a route's offset from the line that all routes share, so that `count` routes run side by side."""
    return (turn - (count - 1) / 2) * LANE


def _route_path(corners: Sequence[Point], lane: float = 0, ends: Iterable[Point | None] = ()) -> str:
    """Return the SVG path of a route, shifted by the offset `lane`.

    A vertical first or last piece that ends at one of `ends` is not shifted along its length. Parallel routes then end
    at the same height.
    """
    fixed = [x == corners[1 if turn == 0 else -2].x for turn, (x, _) in ((0, corners[0]), (-1, corners[-1]))]
    points = [Point(x + lane, y + lane) for x, y in corners]
    for turn, is_vertical in zip((0, -1), fixed, strict=True):
        if is_vertical and corners[turn] in ends:
            points[turn] = Point(points[turn].x, corners[turn].y)
    return "M" + " L".join(f"{x:.0f} {y:.0f}" for x, y in points)
