"""Charts of shares: a line for each run, with its interval and its number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element, tostring

from markupsafe import Markup

from planspec.report.charts import add_part, add_told, draw_interval
from planspec.report.texts import line, percent
from planspec.scores.record import Estimate

NAME, SCALE, NUMBERS, ROW, FLOOR = 230.0, 300.0, 180.0, 30.0, 30.0
MOST_NAME = 30


@dataclass(frozen=True, slots=True)
class Share:
    """One line: a run by its name and its place among those of the page, and a share of it."""

    name: str
    place: int
    estimate: Estimate


def shares(lines: Sequence[Share], label: str, name: str) -> Markup | None:
    """The chart; None where nothing is known of any run.

    Args:
        lines: from above.
        label: of the chart, for those who do not see it.
        name: unique where it is shown.
    """
    if all(one.estimate.value is None for one in lines):
        return None
    wide, high = NAME + SCALE + NUMBERS, ROW * len(lines) + FLOOR
    svg = Element("svg", {"class": "shares", "viewBox": f"0 0 {wide:g} {high:g}", "role": "img"})
    svg.set("aria-labelledby", f"{name}-title {name}-desc")
    add_told(svg, "title", label, f"{name}-title")
    add_told(
        svg, "desc", " ".join(f"{line(one.name)}: {_said(one.estimate)}." for one in lines), f"{name}-desc"
    )
    for number, one in enumerate(lines):
        top = ROW * number
        said = line(one.name)
        short = said if len(said) <= MOST_NAME else f"{said[: MOST_NAME - 1]}\u2026"
        add_part(svg, "text", short, cls="axis", x=2.0, y=top + 14)
        draw_interval(svg, one.estimate, one.place, NAME, top, SCALE)
        x = NAME + SCALE + 18
        add_part(svg, "text", percent(one.estimate.value), cls="tick", x=x, y=top + 14)
        add_part(svg, "text", _bounds(one.estimate), cls="bounds", x=x + 58, y=top + 14)
    for share in (0.0, 0.5, 1.0):
        at = {"text-anchor": "middle"}
        add_part(svg, "text", percent(share), cls="tick", x=NAME + SCALE * share, y=high - 10, **at)
    return Markup(tostring(svg, encoding="unicode"))  # noqa: S704 built element by element


def _bounds(of: Estimate) -> str:
    if of.low is None or of.high is None:
        return ""
    return f"{percent(of.low)} \u2013 {percent(of.high)}".replace("\u00a0% \u2013", " \u2013")


def _said(of: Estimate) -> str:
    bounds = _bounds(of)
    return percent(of.value) + (f", {bounds}" if bounds else "")
