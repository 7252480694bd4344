"""Charts of a chapter, drawn from its runs, for the page and for picture files."""

from __future__ import annotations

from typing import Literal

from markupsafe import Markup

from planspec.report.charts import ChartSeries, pass_rate_chart
from planspec.report.draws import DrawSeries, pass_at_k_chart
from planspec.report.heat import HeatRow, heat_map, heat_rows
from planspec.report.page import Chapter
from planspec.report.radar import RadarShape, radar_chart
from planspec.report.shares import ShareLine, shares_chart
from planspec.report.texts import line
from planspec.scores import RunScores
from planspec.scores.record import PassRateCurve

Counted = Literal["hard", "anchors"]
COUNTED = {"hard": "hard constraints that apply", "anchors": "temporal anchors"}
"""Axis labels of pass-rate charts, by what is counted."""


def label(name: str) -> str:
    """Return the name of a metric as words: `pass_rate` becomes `pass rate`."""
    return line(name.replace("_", " "))


def group_id(group: str) -> str:
    """Return the name of a group of tasks in a form that is valid in an HTML id."""
    return "".join(c if c.isascii() and c.isalnum() else "-" for c in group.lower())


def chapter_shares(chapter: Chapter, number: int) -> Markup | None:
    """Return the chart of overall pass rates. Each run has a row with its rate and interval.

    Args:
        chapter: chapter with the runs.
        number: number of the chapter on the page, which makes ids unique.
    """
    lines = [ShareLine(run.name, run.index, run.scores.pass_rate) for run in chapter.runs]
    return shares_chart(lines, line(f"{chapter.suite}: pass rates"), f"shares-{number}")


def chapter_pass_at_k(chapter: Chapter, number: int) -> Markup | None:
    """Return the chart of pass@k and pass^k; None if each task has a single attempt."""
    lines = [DrawSeries(run.name, run.index, run.scores.samples) for run in chapter.runs]
    return pass_at_k_chart(lines, line(f"{chapter.suite}: pass@k and pass^k"), f"draws-{number}")


def chapter_pass_rates(chapter: Chapter, counted: Counted, number: int) -> Markup | None:
    """Return the chart of pass rates by number of hard constraints or of temporal anchors (times that facts fix).

    Return None if the number is unknown for all tasks.
    """
    text = COUNTED[counted]
    lines = [ChartSeries(run.name, run.index, _curve(run.scores, counted)) for run in chapter.runs]
    title = f"{chapter.suite}: how often tasks are passed by their number of {text}"
    return pass_rate_chart(lines, text, line(title), f"horizon-{number}-{counted}")


def chapter_heat_rows(chapter: Chapter) -> list[HeatRow]:
    """Return the rows of the heat map of violations, one for each kind of constraint."""
    return heat_rows(chapter.kinds, [run.scores for run in chapter.runs])


def chapter_heat(chapter: Chapter, number: int) -> Markup | None:
    """Return the heat map of the shares of violated constraints as a picture; None if no constraint applies."""
    names = [run.name for run in chapter.runs]
    title = f"{chapter.suite}: the share of each kind of constraints that is violated"
    return heat_map(chapter_heat_rows(chapter), names, line(title), f"heat-{number}")


def chapter_radar(chapter: Chapter, by: str, group: str, number: int) -> Markup | None:
    """Return the radar chart of a group of tasks, with one axis per metric.

    Args:
        chapter: chapter with the runs.
        by: name of a grouping of the tasks, such as `days`.
        group: label of a group in it, such as `3`.
        number: number of the chapter on the page.

    Returns:
        The chart, or None if there are fewer than three metrics, or no run has a value.
    """
    shapes = []
    for run in chapter.runs:
        group_scores = run.scores.groups.get(by, {}).get(group)
        metrics = {} if group_scores is None else group_scores.metrics
        values = {label(name): e.value for name in chapter.axes if (e := metrics.get(name)) and e.value is not None}
        shapes.append(RadarShape(run.name, run.index, values))
    title = f"{chapter.suite}: all shares of {group}"
    return radar_chart([label(name) for name in chapter.axes], shapes, line(title), f"radar-{number}-{group_id(group)}")


def _curve(scores: RunScores, counted: Counted) -> PassRateCurve:
    return scores.horizon.hard if counted == "hard" else scores.horizon.anchors
