"""Charts of a report as SVG: shares with intervals, and pass rates by a number such as the constraints in a task."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element, SubElement, tostring

from markupsafe import Markup

from planspec.report.texts import line, percent
from planspec.scores.estimates import Estimate
from planspec.scores.record import HorizonBin, PassRateCurve

SERIES = 6
"""Number of distinct colours and marks. If there are more runs, colours and marks repeat."""
WIDTH, HEIGHT = 640.0, 300.0
LEFT, RIGHT, TOP, BOTTOM = 62.0, 14.0, 16.0, 76.0


@dataclass(frozen=True, slots=True)
class ChartSeries:
    """A run's pass rates in a chart."""

    name: str
    run_index: int
    curve: PassRateCurve


def interval_picture(estimate: Estimate, run_index: int) -> Markup:
    """Return a picture of a share and its interval, on a scale from 0 to 1."""
    svg = Element("svg", {"class": "interval", "viewBox": "0 0 160 18", "width": "160", "height": "18"})
    svg.set("aria-hidden", "true")
    svg.set("focusable", "false")
    draw_interval(svg, estimate, run_index)
    return Markup(tostring(svg, encoding="unicode"))  # noqa: S704 built element by element


def draw_interval(
    parent: Element,
    estimate: Estimate,
    run_index: int,
    left: float = 4.0,
    top: float = 0.0,
    width: float = 152.0,
) -> None:
    """Draw a share and its interval. The drawing is 18 units high.

    Args:
        parent: element to draw in.
        estimate: the share.
        run_index: index of the run on the page, counted from 0. It determines colour and mark.
        left: horizontal position of the value 0.
        top: vertical position of the upper edge.
        width: horizontal distance between the values 0 and 1.
    """
    for share in (0.0, 0.5, 1.0):
        add_part(
            parent,
            "line",
            cls="grid",
            x1=left + width * share,
            x2=left + width * share,
            y1=top + 2,
            y2=top + 16,
        )
    if estimate.low is not None and estimate.high is not None:
        low, high = (left + width * min(1.0, max(0.0, bound)) for bound in (estimate.low, estimate.high))
        cls = f"reach s{run_index % SERIES}"
        add_part(parent, "rect", cls=cls, x=low, y=top + 6, width=max(1.0, high - low), height=6, rx=3)
    if estimate.value is not None:
        add_mark(parent, run_index, left + width * min(1.0, max(0.0, estimate.value)), top + 9.0, 4.5)


def pass_rate_chart(lines: Sequence[ChartSeries], counted: str, label: str, name: str) -> Markup | None:
    """Return a chart of pass rates by a number per task, such as its constraints; None if no run has data.

    Args:
        lines: the runs.
        counted: label of the axis: what the number counts, such as `temporal anchors`.
        label: label of the chart for screen readers.
        name: prefix of the ids in the chart, unique on the page.
    """
    bins = [bin_ for line_ in lines for bin_ in line_.curve.bins]
    if not bins:
        return None
    svg = Element("svg", {"class": "horizon", "viewBox": f"0 0 {WIDTH:g} {HEIGHT:g}", "role": "img"})
    svg.set("aria-labelledby", f"{name}-title {name}-desc")
    add_hidden_text(svg, "title", label, f"{name}-title")
    add_hidden_text(svg, "desc", _description(lines, counted), f"{name}-desc")
    ranges = sorted({(bin_.least, bin_.most) for bin_ in bins})
    slots = [
        (_bin_label(least, most), _task_count([_bin_at(line_.curve, least, most) for line_ in lines]))
        for least, most in ranges
    ]
    slot, floor = draw_axes(svg, slots, f"{counted}; below it how many tasks")
    for number, line_ in enumerate(lines):
        shift = (number - (len(lines) - 1) / 2) * min(12.0, slot / (len(lines) + 1))
        _draw_series(svg, line_, ranges, slot, shift, floor)
    return Markup(tostring(svg, encoding="unicode"))  # noqa: S704 built element by element


def draw_axes(svg: Element, slots: Sequence[tuple[str, str]], axis: str) -> tuple[float, float]:
    """Draw a vertical axis from 0 to 1, and a horizontal axis divided into labelled slots.

    Args:
        svg: chart of the size `WIDTH` by `HEIGHT`.
        slots: label of each slot, and a second label below it, which may be empty.
        axis: label of the horizontal axis.

    Returns:
        Width of a slot, and vertical position of the horizontal axis.
    """
    slot = (WIDTH - LEFT - RIGHT) / len(slots)
    floor = HEIGHT - BOTTOM
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        y = floor - (floor - TOP) * share
        add_part(svg, "line", cls="grid", x1=LEFT, x2=WIDTH - RIGHT, y1=y, y2=y)
        add_part(svg, "text", percent(share), cls="tick", x=LEFT - 6, y=y + 5, **{"text-anchor": "end"})
    for number, (name, below) in enumerate(slots):
        x = LEFT + slot * (number + 0.5)
        add_part(svg, "text", name, cls="tick", x=x, y=floor + 20, **{"text-anchor": "middle"})
        if below:
            add_part(svg, "text", below, cls="count", x=x, y=floor + 39, **{"text-anchor": "middle"})
    middle = (LEFT + WIDTH - RIGHT) / 2
    add_part(svg, "text", axis, cls="axis", x=middle, y=HEIGHT - 12, **{"text-anchor": "middle"})
    return slot, floor


def legend_mark(run_index: int) -> Markup:
    """Return the mark of a run in charts, as a separate picture."""
    svg = Element("svg", {"class": "mark", "viewBox": "0 0 14 14", "width": "14", "height": "14"})
    svg.set("aria-hidden", "true")
    svg.set("focusable", "false")
    add_mark(svg, run_index, 7.0, 7.0, 5.0)
    return Markup(tostring(svg, encoding="unicode"))  # noqa: S704 built element by element


def _draw_series(
    svg: Element,
    line_: ChartSeries,
    ranges: Sequence[tuple[int, int]],
    slot: float,
    shift: float,
    floor: float,
) -> None:
    group = SubElement(svg, "g", {"class": f"series s{line_.run_index % SERIES}"})
    points: list[tuple[float, float]] = []
    for number, (least, most) in enumerate(ranges):
        bin_ = _bin_at(line_.curve, least, most)
        if bin_ is None or bin_.pass_rate.value is None:
            continue
        x, rate = LEFT + slot * (number + 0.5) + shift, bin_.pass_rate
        low, high, y = (
            floor - (floor - TOP) * share
            for share in (rate.low or 0.0, 1.0 if rate.high is None else rate.high, bin_.pass_rate.value)
        )
        if rate.low is not None:
            add_part(group, "line", cls="whisker", x1=x, x2=x, y1=low, y2=high)
        points.append((x, y))
    add_line(group, "run", points)
    fitted = [
        (_horizontal_position(ranges, slot, number, share), floor - (floor - TOP) * step.rate)
        for step in line_.curve.falling
        for number, share in ((step.least, 0.0), (step.most, 1.0))
    ]
    add_line(group, "falling", [(x, y) for x, y in fitted if x is not None])
    for x, y in points:
        add_mark(group, line_.run_index, x, y, 4.5)


def _horizontal_position(ranges: Sequence[tuple[int, int]], slot: float, number: int, share: float) -> float | None:
    """Return the horizontal position of a point: in the slot whose range contains `number`, or None if none does."""
    for slot_index, (least, most) in enumerate(ranges):
        if least <= number <= most:
            return LEFT + slot * (slot_index + (number - least + share) / (most - least + 1))
    return None


def add_line(parent: Element, cls: str, points: Sequence[tuple[float, float]]) -> None:
    """Add a line through points (x, y)."""
    add_part(parent, "polyline", cls=cls, points=" ".join(f"{x:.1f},{y:.1f}" for x, y in points))


def add_mark(parent: Element, run_index: int, x: float, y: float, r: float) -> None:
    """Add a run's mark at a point, with radius `r`."""
    cls = f"dot s{run_index % SERIES}"
    match run_index % SERIES:
        case 0:
            add_part(parent, "circle", cls=cls, cx=x, cy=y, r=r)
        case 1:
            add_part(parent, "rect", cls=cls, x=x - r * 0.9, y=y - r * 0.9, width=r * 1.8, height=r * 1.8)
        case 2:
            add_polygon(parent, cls, [(x, y - r * 1.15), (x + r * 1.1, y + r * 0.85), (x - r * 1.1, y + r * 0.85)])
        case 3:
            add_polygon(parent, cls, [(x, y - r * 1.2), (x + r * 1.2, y), (x, y + r * 1.2), (x - r * 1.2, y)])
        case 4:
            add_polygon(parent, cls, [(x, y + r * 1.15), (x + r * 1.1, y - r * 0.85), (x - r * 1.1, y - r * 0.85)])
        case _:
            add_part(parent, "circle", cls=f"{cls} hollow", cx=x, cy=y, r=r * 0.85)


def add_polygon(parent: Element, cls: str, corners: Sequence[tuple[float, float]]) -> None:
    """Add a closed polygon."""
    add_part(parent, "polygon", cls=cls, points=" ".join(f"{x:.1f},{y:.1f}" for x, y in corners))


def add_part(parent: Element, tag: str, text: str | None = None, *, cls: str, **attributes: object) -> Element:
    """Add an element with a class and a text. Numbers in its attributes are rounded to one decimal."""
    element = SubElement(parent, tag, {"class": cls})
    for name, value in attributes.items():
        element.set(name, f"{value:.1f}" if isinstance(value, float) else str(value))
    element.text = text
    return element


def add_hidden_text(svg: Element, tag: str, text: str, name: str) -> None:
    """Add an invisible text for screen readers, with `name` as its id."""
    element = SubElement(svg, tag, {"id": name})
    element.text = text


def _bin_at(curve: PassRateCurve, low: int, high: int) -> HorizonBin | None:
    return next((bin_ for bin_ in curve.bins if (bin_.least, bin_.most) == (low, high)), None)


def _bin_label(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}\u2013{high}"


def _task_count(bins: Sequence[HorizonBin | None]) -> str:
    counts = sorted({bin_.tasks for bin_ in bins if bin_ is not None})
    return "n = " + " or ".join(map(str, counts))


def _description(lines: Sequence[ChartSeries], counted: str) -> str:
    parts = []
    for line_ in lines:
        rates = ", ".join(
            f"{percent(bin_.pass_rate.value)} at {_bin_label(bin_.least, bin_.most)}" for bin_ in line_.curve.bins
        )
        parts.append(f"{line(line_.name)}: {rates or 'no task'}.")
    return f"Pass rate by {counted}. " + " ".join(parts)
