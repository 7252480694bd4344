"""A chart of the reward on held-out tasks by training step, drawn like the charts of `planspec report`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from xml.etree.ElementTree import Element, SubElement, tostring

from planspec.report.charts import (
    BOTTOM,
    HEIGHT,
    LEFT,
    SERIES,
    TOP,
    WIDTH,
    add_hidden_text,
    add_line,
    add_mark,
    draw_axes,
)
from planspec.report.standalone import standalone_svg


def draw_curves(
    title: str, curves: Mapping[str, Sequence[tuple[int, float]]], bounds: tuple[float, float] = (0.0, 1.0)
) -> str:
    """Draw learning curves, and return the chart as SVG.

    Args:
        title: title of the chart.
        curves: by name, pairs of a number of updates and a reward. The numbers of updates are the same in all curves.
        bounds: rewards at the bottom and at the top. For 0 and 1 the scale is in per cent, otherwise in plain numbers.
    """
    low, high = bounds
    steps = [step for step, _ in next(iter(curves.values()))]
    svg = Element("svg", {"class": "horizon", "viewBox": f"0 0 {WIDTH:g} {HEIGHT:g}", "role": "img"})
    svg.set("aria-labelledby", "curve-title curve-desc")
    ends = ", ".join(f"{name} from {points[0][1]:.2f} to {points[-1][1]:.2f}" for name, points in curves.items())
    add_hidden_text(svg, "title", title, "curve-title")
    add_hidden_text(svg, "desc", f"Mean reward by updates: {ends}.", "curve-desc")
    every = max(1, len(steps) // 8)
    labels = [(str(step) if not place % every else "", "") for place, step in enumerate(steps)]
    slot, floor = draw_axes(svg, labels, "updates; mean reward of the held-out tasks")
    if bounds != (0.0, 1.0):
        ticks = [each for each in svg.iter("text") if each.get("text-anchor") == "end"]
        for place, tick in enumerate(ticks):
            tick.text = f"{low + (high - low) * place / (len(ticks) - 1):.1f}"
    for index, (_, points) in enumerate(curves.items()):
        group = SubElement(svg, "g", {"class": f"series s{index % SERIES}"})
        places = [
            (LEFT + slot * (place + 0.5), HEIGHT - BOTTOM - (floor - TOP) * (reward - low) / (high - low))
            for place, (_, reward) in enumerate(points)
        ]
        add_line(group, "run", places)
        for x, y in places:
            add_mark(group, index, x, y, 3.0)
    return standalone_svg(tostring(svg, encoding="unicode"), title, [(name, i) for i, name in enumerate(curves)])
