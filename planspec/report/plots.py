"""Charts of reports as separate pictures for notebooks, slides and papers."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from os import PathLike
from pathlib import Path
from textwrap import shorten

from markupsafe import Markup

from planspec.report.drawing import (
    chapter_heat,
    chapter_pass_at_k,
    chapter_pass_rates,
    chapter_radar,
    chapter_shares,
    group_id,
)
from planspec.report.page import Chapter, chapters
from planspec.report.standalone import standalone_svg
from planspec.report.texts import line
from planspec.runs.folder import RunFolder
from planspec.scores import run_scores

MOST_NAMED = 150
"""Maximum number of characters of the list of names in the `repr`."""


@dataclass(frozen=True, slots=True)
class Plot:
    """A chart.

    Attributes:
        title: title above the chart.
        svg: picture as the text of an SVG file that needs no style sheet.
    """

    title: str
    svg: str = field(repr=False)

    def _repr_svg_(self) -> str:
        """Return the picture for IPython."""
        return self.svg

    def _repr_html_(self) -> str:
        """Return the picture as an `img` element, isolated from the styles of the page around it."""
        data = b64encode(self.svg.encode("utf-8")).decode("ascii")
        return f'<img alt="{escape(self.title)}" style="max-width:100%" src="data:image/svg+xml;base64,{data}">'


@dataclass(frozen=True, slots=True, eq=False)
class Plots(Mapping[str, Plot]):
    """The charts of runs, by name. Notebooks display them all."""

    _plots: Mapping[str, Plot]

    def __getitem__(self, name: str) -> Plot:
        return self._plots[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._plots)

    def __len__(self) -> int:
        return len(self._plots)

    def __repr__(self) -> str:
        return f"<Plots: {shorten(', '.join(self._plots), MOST_NAMED, placeholder=' ...')}>"

    def _repr_html_(self) -> str:
        """Return all charts, one below the other, as HTML."""
        return "".join(f"<div>{plot._repr_html_()}</div>" for plot in self._plots.values())


def plots(*runs: str | PathLike[str], dark: bool = False) -> Plots:
    """Return the charts of `planspec report` as pictures.

    Args:
        runs: folders of the runs. Runs of the same suite share charts. If there are several suites, names of
            charts begin with the suite and a slash.
        dark: whether to use the colours of dark pages.

    Returns:
        The charts by name: `pass_rate`; `draws`, pass@k and pass^k of runs with repeats; `horizon_hard` and
        `horizon_anchors`; `kinds`, the violated kinds of constraints; and `radar_...` for each group of tasks. Charts
        without data are left out.

    Raises:
        InvalidRunError: a folder is not a run, or was modified.
        ValueError: no run is given.
    """
    if not runs:
        raise ValueError("`plots` takes at least one run")
    folders = [RunFolder(Path(run)) for run in runs]
    all_chapters = chapters([(folder, run_scores(folder)) for folder in folders])
    charts: dict[str, Plot] = {}
    for number, chapter in enumerate(all_chapters, 1):
        prefix = f"{chapter.suite}/" if len(all_chapters) > 1 else ""
        for name, title, chart, legend in _charts(chapter, number):
            if chart is not None:
                full_title = line(f"{title} ({chapter.suite})")
                charts[f"{prefix}{name}"] = Plot(full_title, standalone_svg(chart, full_title, legend, dark=dark))
    return Plots(charts)


Legend = Sequence[tuple[str, int]]


def _charts(chapter: Chapter, number: int) -> Iterator[tuple[str, str, Markup | None, Legend]]:
    """Yield name, title, picture and legend of each chart. The picture is None without data."""
    legend = [(line(run.name), run.index) for run in chapter.runs]
    yield "pass_rate", "Pass rates with 95 % intervals", chapter_shares(chapter, number), ()
    yield "draws", "Several attempts at each task", chapter_pass_at_k(chapter, number), legend
    yield "horizon_hard", "Pass rate by hard constraints", chapter_pass_rates(chapter, "hard", number), legend
    yield "horizon_anchors", "Pass rate by temporal anchors", chapter_pass_rates(chapter, "anchors", number), legend
    yield "kinds", "Constraints that fail", chapter_heat(chapter, number), ()
    if chapter.radar_grouping is not None:
        for group in chapter.groups[chapter.radar_grouping]:
            chart = chapter_radar(chapter, chapter.radar_grouping, group, number)
            yield f"radar_{group_id(group)}", f"All shares of {group}", chart, legend
