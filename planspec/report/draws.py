"""Charts of pass@k and pass^k as functions of k, for runs with several attempts at each task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias
from xml.etree.ElementTree import Element, SubElement, tostring

from markupsafe import Markup

from planspec.report.charts import (
    HEIGHT,
    LEFT,
    SERIES,
    TOP,
    WIDTH,
    add_hidden_text,
    add_line,
    add_mark,
    add_part,
    draw_axes,
)
from planspec.report.texts import line, percent
from planspec.scores.estimates import Estimate

Metric: TypeAlias = Literal["pass@", "pass^"]
ONE: Metric = "pass@"
ALL: Metric = "pass^"
FEWEST = 2
"""Minimum number of points in a curve."""
ASIDE = 4.0
"""Horizontal offset of pass^k, so that its intervals do not cover those of pass@k."""


@dataclass(frozen=True, slots=True)
class DrawSeries:
    """A run's curves of pass@k and pass^k, for k attempts drawn from all attempts at a task.

    Attributes:
        name: name of the run.
        run_index: index among the runs of the page, counted from 0. It determines colour and mark.
        samples: estimates of metrics over several attempts, by name. The chart shows only `pass@k` and
            `pass^k`.
    """

    name: str
    run_index: int
    samples: Mapping[str, Estimate]

    def at(self, metric: Metric) -> dict[int, Estimate]:
        """Return the values of a metric by k. For k = 1 both metrics equal pass@1."""
        values = {
            int(name[len(metric) :]): estimate
            for name, estimate in self.samples.items()
            if name.startswith(metric) and name[len(metric) :].isdigit()
        }
        first = self.samples.get(f"{ONE}1")
        return values if first is None else {1: first, **values}


def pass_at_k_chart(lines: Sequence[DrawSeries], label: str, name: str) -> Markup | None:
    """Return the chart of pass@k (solid) and pass^k (dashed); None if no run has several attempts at its tasks.

    Args:
        lines: the runs.
        label: label of the chart for screen readers.
        name: prefix of the ids in the chart, unique on the page.
    """
    numbers = sorted({k for line_ in lines for metric in (ONE, ALL) for k in line_.at(metric)})
    if len(numbers) < FEWEST:
        return None
    svg = Element("svg", {"class": "horizon draws", "viewBox": f"0 0 {WIDTH:g} {HEIGHT:g}", "role": "img"})
    svg.set("aria-labelledby", f"{name}-title {name}-desc")
    add_hidden_text(svg, "title", label, f"{name}-title")
    add_hidden_text(svg, "desc", " ".join(map(_description, lines)), f"{name}-desc")
    axis = "of k attempts one passes (line), or all do (dashed)"
    slot, floor = draw_axes(svg, [(f"k = {k}", "") for k in numbers], axis)
    for number, line_ in enumerate(lines):
        shift = (number - (len(lines) - 1) / 2) * min(12.0, slot / (len(lines) + 1))
        group = SubElement(svg, "g", {"class": f"series s{line_.run_index % SERIES}"})
        for metric, cls in ((ONE, "run"), (ALL, "run together")):
            known_values = [(k, one, one.value) for k, one in sorted(line_.at(metric).items()) if one.value is not None]
            points = [
                (
                    LEFT + slot * (numbers.index(k) + 0.5) + shift + (ASIDE if metric == ALL and k > 1 else 0.0),
                    floor - (floor - TOP) * value,
                )
                for k, _, value in known_values
            ]
            add_line(group, cls, points)
            for (k, estimate, _), (x, y) in zip(known_values, points, strict=True):
                if k == 1 and metric == ALL:  # pass@1 equals pass^1, and is shown once
                    continue
                if estimate.low is not None and estimate.high is not None:
                    low, high = (floor - (floor - TOP) * share for share in (estimate.low, estimate.high))
                    add_part(group, "line", cls="whisker", x1=x, x2=x, y1=low, y2=high)
                add_mark(group, line_.run_index, x, y, 4.5)
    return Markup(tostring(svg, encoding="unicode"))  # noqa: S704 built element by element


def _description(series: DrawSeries) -> str:
    values = [
        f"{metric}{k} {percent(estimate.value)}"
        for metric in (ONE, ALL)
        for k, estimate in sorted(series.at(metric).items())
        if k > 1 or metric == ONE
    ]
    return f"{line(series.name)}: {', '.join(values) or 'one attempt at each task'}."
