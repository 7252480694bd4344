"""The charts of a chapter: what of its runs stands on each, for the page and for pictures alike."""

from __future__ import annotations

from typing import Literal

from markupsafe import Markup

from planspec.report.charts import ChartSeries, horizon
from planspec.report.draws import DrawSeries, draws
from planspec.report.heat import HeatRow, heat_map, heat_rows
from planspec.report.page import Chapter
from planspec.report.radar import RadarShape, radar
from planspec.report.shares import Share, shares
from planspec.report.texts import line
from planspec.scores import RunScores
from planspec.scores.record import Curve

Counted = Literal["hard", "anchors"]
COUNTED = {"hard": "hard constraints that apply", "anchors": "temporal anchors"}
"""What a horizon counts."""


def label(name: str) -> str:
    """The name of a metric for people: `pass_rate` is `pass rate`."""
    return line(name.replace("_", " "))


def group_id(group: str) -> str:
    """The name of a group as a part of an id."""
    return "".join(c if c.isascii() and c.isalnum() else "-" for c in group.lower())


def chapter_shares(chapter: Chapter, number: int) -> Markup | None:
    """How many attempts pass, a line for each run.

    Args:
        chapter: the runs.
        number: of the chapter on the page, as for the other charts.
    """
    lines = [Share(run.name, run.place, run.scores.pass_rate) for run in chapter.runs]
    return shares(lines, line(f"{chapter.suite}: pass rates"), f"shares-{number}")


def chapter_draws(chapter: Chapter, number: int) -> Markup | None:
    """How often one of k attempts passes, and how often all of them do; None where each task has one."""
    lines = [DrawSeries(run.name, run.place, run.scores.samples) for run in chapter.runs]
    return draws(lines, line(f"{chapter.suite}: pass@k and pass^k"), f"draws-{number}")


def chapter_horizon(chapter: Chapter, of: Counted, number: int) -> Markup | None:
    """How often tasks pass by the number of something; None where it is known of none."""
    said = COUNTED[of]
    lines = [ChartSeries(run.name, run.place, _curve(run.scores, of)) for run in chapter.runs]
    title = f"{chapter.suite}: how often tasks are passed by their number of {said}"
    return horizon(lines, said, line(title), f"horizon-{number}-{of}")


def chapter_cells(chapter: Chapter) -> list[HeatRow]:
    """The kinds of constraints against the runs."""
    return heat_rows(chapter.kinds, [run.scores for run in chapter.runs])


def chapter_heat(chapter: Chapter, number: int) -> Markup | None:
    """The same as a picture; None where no constraint applies."""
    names = [run.name for run in chapter.runs]
    title = f"{chapter.suite}: the share of each kind of constraints that is violated"
    return heat_map(chapter_cells(chapter), names, line(title), f"heat-{number}")


def chapter_radar(chapter: Chapter, by: str, group: str, number: int) -> Markup | None:
    """All shares of a group of tasks; None where they are too few, or not known."""
    shapes = []
    for run in chapter.runs:
        found = run.scores.groups.get(by, {}).get(group)
        known = {} if found is None else found.metrics
        values = {
            label(name): e.value for name in chapter.axes if (e := known.get(name)) and e.value is not None
        }
        shapes.append(RadarShape(run.name, run.place, values))
    title = f"{chapter.suite}: all shares of {group}"
    return radar(
        [label(name) for name in chapter.axes], shapes, line(title), f"radar-{number}-{group_id(group)}"
    )


def _curve(scores: RunScores, of: Counted) -> Curve:
    return scores.horizon.hard if of == "hard" else scores.horizon.anchors
