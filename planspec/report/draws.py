"""Charts of several attempts at each task: how often one of k passes, and how often all of them do, by k."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias
from xml.etree.ElementTree import Element, SubElement, tostring

from markupsafe import Markup

from planspec.report.charts import (
    HIGH,
    LEFT,
    SERIES,
    TOP,
    WIDE,
    add_line,
    add_mark,
    add_part,
    add_told,
    draw_axes,
)
from planspec.report.texts import line, percent
from planspec.scores.record import Estimate

Metric: TypeAlias = Literal["pass@", "pass^"]
ONE: Metric = "pass@"
ALL: Metric = "pass^"
FEWEST = 2
"""The fewest numbers of attempts of which there is a curve."""
ASIDE = 4.0
"""So far to the right stands pass^k, so that its interval does not cover that of pass@k."""


@dataclass(frozen=True, slots=True)
class DrawSeries:
    """One run on the chart.

    Attributes:
        name: of the run.
        place: among the runs of the page, by which it has its colour and mark.
        samples: its metrics of several attempts by name; those called `pass@k` and `pass^k` are drawn.
    """

    name: str
    place: int
    samples: Mapping[str, Estimate]

    def at(self, metric: Metric) -> dict[int, Estimate]:
        """The values of a metric by k; of one attempt both metrics are the same."""
        found = {
            int(name[len(metric) :]): estimate
            for name, estimate in self.samples.items()
            if name.startswith(metric) and name[len(metric) :].isdigit()
        }
        first = self.samples.get(f"{ONE}1")
        return found if first is None else {1: first, **found}


def draws(lines: Sequence[DrawSeries], label: str, name: str) -> Markup | None:
    """pass@k as a whole line and pass^k as a dashed one; None where no run has more than one attempt at each task.

    Args:
        lines: the runs.
        label: of the chart, for those who do not see it.
        name: unique on the page.
    """
    numbers = sorted({k for line_ in lines for metric in (ONE, ALL) for k in line_.at(metric)})
    if len(numbers) < FEWEST:
        return None
    svg = Element("svg", {"class": "horizon draws", "viewBox": f"0 0 {WIDE:g} {HIGH:g}", "role": "img"})
    svg.set("aria-labelledby", f"{name}-title {name}-desc")
    add_told(svg, "title", label, f"{name}-title")
    add_told(svg, "desc", " ".join(map(_said, lines)), f"{name}-desc")
    axis = "of k attempts one passes (line), or all do (dashed)"
    slot, floor = draw_axes(svg, [(f"k = {k}", "") for k in numbers], axis)
    for number, line_ in enumerate(lines):
        shift = (number - (len(lines) - 1) / 2) * min(12.0, slot / (len(lines) + 1))
        group = SubElement(svg, "g", {"class": f"series s{line_.place % SERIES}"})
        for metric, cls in ((ONE, "run"), (ALL, "run together")):
            known = [
                (k, one, one.value) for k, one in sorted(line_.at(metric).items()) if one.value is not None
            ]
            points = [
                (
                    LEFT
                    + slot * (numbers.index(k) + 0.5)
                    + shift
                    + (ASIDE if metric == ALL and k > 1 else 0.0),
                    floor - (floor - TOP) * value,
                )
                for k, _, value in known
            ]
            add_line(group, cls, points)
            for (k, estimate, _), (x, y) in zip(known, points, strict=True):
                if k == 1 and metric == ALL:  # of one attempt both are the same
                    continue
                if estimate.low is not None and estimate.high is not None:
                    low, high = (floor - (floor - TOP) * share for share in (estimate.low, estimate.high))
                    add_part(group, "line", cls="whisker", x1=x, x2=x, y1=low, y2=high)
                add_mark(group, line_.place, x, y, 4.5)
    return Markup(tostring(svg, encoding="unicode"))  # noqa: S704 built element by element


def _said(series: DrawSeries) -> str:
    told = [
        f"{metric}{k} {percent(estimate.value)}"
        for metric in (ONE, ALL)
        for k, estimate in sorted(series.at(metric).items())
        if k > 1 or metric == ONE
    ]
    return f"{line(series.name)}: {', '.join(told) or 'one attempt at each task'}."
