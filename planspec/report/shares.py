"""Charts of shares, with one line per run: the share and its interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element, tostring

from markupsafe import Markup

from planspec.report.charts import add_hidden_text, add_part, draw_interval
from planspec.report.texts import line, percent
from planspec.scores.estimates import Estimate

NAME, SCALE, NUMBERS, ROW, FLOOR = 230.0, 300.0, 180.0, 30.0, 30.0
MOST_NAME = 30


@dataclass(frozen=True, slots=True)
class ShareLine:
    """One line of the chart: the name of a run, its index on the page, and its share."""

    name: str
    run_index: int
    estimate: Estimate


def shares_chart(lines: Sequence[ShareLine], label: str, name: str) -> Markup | None:
    """Return a chart of shares with one line per run; None if no share is known.

    Args:
        lines: lines from top to bottom.
        label: label of the chart for screen readers.
        name: prefix of the ids in the chart, unique on the page.
    """
    if all(one.estimate.value is None for one in lines):
        return None
    width, height = NAME + SCALE + NUMBERS, ROW * len(lines) + FLOOR
    svg = Element("svg", {"class": "shares", "viewBox": f"0 0 {width:g} {height:g}", "role": "img"})
    svg.set("aria-labelledby", f"{name}-title {name}-desc")
    add_hidden_text(svg, "title", label, f"{name}-title")
    add_hidden_text(
        svg,
        "desc",
        " ".join(f"{line(one.name)}: {_description(one.estimate)}." for one in lines),
        f"{name}-desc",
    )
    for number, one in enumerate(lines):
        top = ROW * number
        full_name = line(one.name)
        short = full_name if len(full_name) <= MOST_NAME else f"{full_name[: MOST_NAME - 1]}\u2026"
        add_part(svg, "text", short, cls="axis", x=2.0, y=top + 14)
        draw_interval(svg, one.estimate, one.run_index, NAME, top, SCALE)
        x = NAME + SCALE + 18
        add_part(svg, "text", percent(one.estimate.value), cls="tick", x=x, y=top + 14)
        add_part(svg, "text", _interval_text(one.estimate), cls="bounds", x=x + 58, y=top + 14)
    for share in (0.0, 0.5, 1.0):
        at = {"text-anchor": "middle"}
        add_part(svg, "text", percent(share), cls="tick", x=NAME + SCALE * share, y=height - 10, **at)
    return Markup(tostring(svg, encoding="unicode"))  # noqa: S704 built element by element


def _interval_text(estimate: Estimate) -> str:
    if estimate.low is None or estimate.high is None:
        return ""
    return f"{percent(estimate.low)} \u2013 {percent(estimate.high)}".replace("\u00a0% \u2013", " \u2013")


def _description(estimate: Estimate) -> str:
    bounds = _interval_text(estimate)
    return percent(estimate.value) + (f", {bounds}" if bounds else "")
