"""The report's charts, each as a picture of its own: for notebooks, slides and papers."""

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
    chapter_draws,
    chapter_heat,
    chapter_horizon,
    chapter_radar,
    chapter_shares,
    group_id,
)
from planspec.report.page import Chapter, chapters
from planspec.report.standalone import standalone
from planspec.report.texts import line
from planspec.runs.folder import RunFolder
from planspec.scores import run_scores

MOST_NAMED = 150
"""Characters of the names of all charts where Python shows them."""


@dataclass(frozen=True, slots=True)
class Plot:
    """A chart.

    Attributes:
        title: that stands above it.
        svg: the picture, as the text of an SVG file that needs no style sheet.
    """

    title: str
    svg: str = field(repr=False)

    def _repr_svg_(self) -> str:
        """The picture, as IPython asks for it."""
        return self.svg

    def _repr_html_(self) -> str:
        """The picture as an image, which takes nothing from the page around it and gives it nothing."""
        data = b64encode(self.svg.encode("utf-8")).decode("ascii")
        return (
            f'<img alt="{escape(self.title)}" style="max-width:100%" src="data:image/svg+xml;base64,{data}">'
        )


@dataclass(frozen=True, slots=True, eq=False)
class Plots(Mapping[str, Plot]):
    """The charts of some runs by name; a notebook shows all of them."""

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
        """All of them, one below the other."""
        return "".join(f"<div>{plot._repr_html_()}</div>" for plot in self._plots.values())


def plots(*runs: str | PathLike[str], dark: bool = False) -> Plots:
    """The charts of `planspec report` as pictures.

    Args:
        runs: their folders. Runs of one suite stand together on its charts; with several suites, the names of the charts begin with
            the suite and a slash.
        dark: in the colours of dark pages.

    Returns:
        Those of which something is known: `pass_rate`; `draws`, pass@k and pass^k, of runs with repeats; `horizon_hard` and
        `horizon_anchors`; `kinds`, what fails; and `radar_...` for each part of a suite that has parts.

    Raises:
        InvalidRunError: a folder is no run, or not as it was written.
        ValueError: no run is given.
    """
    if not runs:
        raise ValueError("`plots` takes at least one run")
    folders = [RunFolder(Path(run)) for run in runs]
    found = chapters([(folder, run_scores(folder)) for folder in folders])
    made: dict[str, Plot] = {}
    for number, chapter in enumerate(found, 1):
        prefix = f"{chapter.suite}/" if len(found) > 1 else ""
        for name, title, chart, legend in _charts(chapter, number):
            if chart is not None:
                said = line(f"{title} ({chapter.suite})")
                made[f"{prefix}{name}"] = Plot(said, standalone(chart, said, legend, dark=dark))
    return Plots(made)


Legend = Sequence[tuple[str, int]]


def _charts(chapter: Chapter, number: int) -> Iterator[tuple[str, str, Markup | None, Legend]]:
    """The charts of a chapter: name, title, the chart itself, and the names that it needs beside it."""
    legend = [(line(run.name), run.place) for run in chapter.runs]
    yield "pass_rate", "Pass rates with 95 % intervals", chapter_shares(chapter, number), ()
    yield "draws", "Several attempts at each task", chapter_draws(chapter, number), legend
    yield "horizon_hard", "Pass rate by hard constraints", chapter_horizon(chapter, "hard", number), legend
    yield "horizon_anchors", "Pass rate by temporal anchors", chapter_horizon(chapter, "anchors", number), legend  # fmt: skip
    yield "kinds", "Constraints that fail", chapter_heat(chapter, number), ()
    if chapter.drawn is not None:
        for group in chapter.groups[chapter.drawn]:
            chart = chapter_radar(chapter, chapter.drawn, group, number)
            yield f"radar_{group_id(group)}", f"All shares of {group}", chart, legend
