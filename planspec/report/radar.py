"""Radar charts as SVG: all shares of a group of tasks, with one polygon for each run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import cos, pi, sin
from xml.etree.ElementTree import Element, SubElement, tostring

from markupsafe import Markup

from planspec.report.charts import SERIES, add_hidden_text, add_mark, add_part, add_polygon
from planspec.report.texts import line, percent

FEWEST_AXES = 3
WIDTH, HEIGHT, RADIUS = 420.0, 330.0, 126.0
CENTRE = WIDTH / 2, HEIGHT / 2
RINGS = (0.25, 0.5, 0.75, 1.0)
NUMBERED = (0.5, 1.0)
"""Values at which rings are labelled."""
OUTSIDE = 14.0
"""Distance from the outer ring to the label of an axis."""


@dataclass(frozen=True, slots=True)
class RadarShape:
    """The polygon of one run on a radar chart.

    Attributes:
        name: name of the run.
        run_index: index among the runs of the page, counted from 0. It determines colour and mark.
        values: values from 0 to 1, by axis. Unknown values are left out.
    """

    name: str
    run_index: int
    values: Mapping[str, float]


def radar_chart(axes: Sequence[str], shapes: Sequence[RadarShape], label: str, name: str) -> Markup | None:
    """Return a radar chart; None if there are fewer than three axes, or no run has a value.

    Args:
        axes: names of the axes, clockwise from the top.
        shapes: the runs.
        label: label of the chart for screen readers.
        name: prefix of the ids in the chart, unique on the page.
    """
    if len(axes) < FEWEST_AXES or not any(shape.values for shape in shapes):
        return None
    svg = Element("svg", {"class": "radar", "viewBox": f"0 0 {WIDTH:g} {HEIGHT:g}", "role": "img"})
    svg.set("aria-labelledby", f"{name}-title {name}-desc")
    add_hidden_text(svg, "title", label, f"{name}-title")
    add_hidden_text(svg, "desc", _description(axes, shapes), f"{name}-desc")
    for share in RINGS:
        add_polygon(svg, "grid", [_point(n, len(axes), share) for n in range(len(axes))])
    for n, axis in enumerate(axes):
        x, y = _point(n, len(axes), 1.0)
        add_part(svg, "line", cls="grid", x1=CENTRE[0], y1=CENTRE[1], x2=x, y2=y)
        _add_name(svg, n, len(axes), axis)
    for shape in shapes:
        _draw_shape(svg, axes, shape)
    for share in NUMBERED:
        x, y = _point(0, len(axes), share)
        add_part(svg, "text", percent(share), cls="tick", x=x + 5, y=y + 4)
    return Markup(tostring(svg, encoding="unicode"))  # noqa: S704 built element by element


def _point(number: int, count: int, share: float, beyond: float = 0.0) -> tuple[float, float]:
    """Return the point at a share of an axis's length, moved outwards by `beyond`.

    `number` is the axis of `count` axes, counted from 0 clockwise from the top.
    """
    angle = 2 * pi * number / count
    reach = RADIUS * share + beyond
    return CENTRE[0] + reach * sin(angle), CENTRE[1] - reach * cos(angle)


def _add_name(svg: Element, number: int, count: int, axis: str) -> None:
    x, y = _point(number, count, 1.0, OUTSIDE)
    side = sin(2 * pi * number / count)
    anchor = "middle" if abs(side) < 0.2 else "start" if side > 0 else "end"
    below = 4.5 - 5.0 * cos(2 * pi * number / count)
    add_part(svg, "text", axis, cls="axis", x=x, y=y + below, **{"text-anchor": anchor})


def _draw_shape(svg: Element, axes: Sequence[str], shape: RadarShape) -> None:
    group = SubElement(svg, "g", {"class": f"series s{shape.run_index % SERIES}"})
    points = [
        _point(n, len(axes), min(1.0, max(0.0, shape.values[axis])))
        for n, axis in enumerate(axes)
        if axis in shape.values
    ]
    if len(points) >= FEWEST_AXES:
        add_polygon(group, "area", points)
    for x, y in points:
        add_mark(group, shape.run_index, x, y, 3.5)


def _description(axes: Sequence[str], shapes: Sequence[RadarShape]) -> str:
    parts = []
    for shape in shapes:
        values = ", ".join(f"{axis} {percent(shape.values[axis])}" for axis in axes if axis in shape.values)
        parts.append(f"{line(shape.name)}: {values or 'nothing is known'}.")
    return " ".join(parts)
