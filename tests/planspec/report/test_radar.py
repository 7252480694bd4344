"""A radar chart draws one polygon per run, with its vertices on the axes, and has a text description."""

from __future__ import annotations

from math import hypot
from pathlib import Path
from xml.etree.ElementTree import Element, fromstring

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planspec.families.mobilitybench.generating import SuiteOptions, generate
from planspec.report import ReportOptions, gather, render
from planspec.report.radar import CENTRE, RADIUS, RadarShape, radar_chart
from planspec.runs import RunFolder
from planspec.scores import run_scores
from tests.in_process import attempts_in_process
from tests.planspec.commands.test_command_line import run

AXES = ("ID", "IE", "DR", "FPR")


def radar_svg(*shapes: RadarShape, axes: tuple[str, ...] = AXES) -> Element:
    """Return the SVG element of a radar chart with these shapes."""
    text = radar_chart(axes, shapes, "all shares of it", "radar-1-it")
    assert text is not None
    return fromstring(text)


def corners(svg: Element) -> list[tuple[float, float]]:
    """Return the vertices of the polygon in a chart."""
    (area,) = (part for part in svg.iter("polygon") if part.get("class") == "area")
    return [(float(x), float(y)) for x, y in (pair.split(",") for pair in (area.get("points") or "").split())]


@given(st.lists(st.floats(0, 1), min_size=3, max_size=12))
def test_the_distance_from_the_centre_is_proportional_to_the_value(values: list[float]) -> None:
    axes = tuple(f"axis {n}" for n in range(len(values)))
    svg = radar_svg(RadarShape("a", 0, dict(zip(axes, values, strict=True))), axes=axes)
    for (x, y), value in zip(corners(svg), values, strict=True):
        assert abs(hypot(x - CENTRE[0], y - CENTRE[1]) - RADIUS * value) < 0.11
    assert [part.text for part in svg.iter("text") if part.get("class") == "axis"] == list(axes)


def test_unknown_values_are_skipped_and_described() -> None:
    svg = radar_svg(RadarShape("one", 0, {"ID": 0.5, "DR": 1.0, "FPR": 0.25}), RadarShape("two", 1, {"ID": 1.0}))
    assert len(corners(svg)) == 3, "two points are no shape"
    (description,) = (part.text for part in svg.iter("desc"))
    assert description == "one: ID 50\u00a0%, DR 100\u00a0%, FPR 25\u00a0%. two: ID 100\u00a0%."


def test_without_three_axes_or_a_value_there_is_no_chart() -> None:
    assert radar_chart(AXES[:2], [RadarShape("a", 0, {"ID": 1.0})], "x", "y") is None
    assert radar_chart(AXES, [RadarShape("a", 0, {})], "x", "y") is None


@pytest.mark.slow
@pytest.mark.thorough
def test_a_report_has_all_metrics_of_each_part_with_a_chart_beside_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    generate(tmp_path / "ways", SuiteOptions(seed=5, size=15, cities=1))
    words = ("run", str(tmp_path / "ways"), "--agent", "empty", "--out", str(tmp_path / "none"))
    with attempts_in_process():
        code, _, noted = run(monkeypatch, capsys, *words)
    assert code in (0, 1), noted
    folder = RunFolder(tmp_path / "none")
    page = gather([(folder, run_scores(folder))], ReportOptions(seconds=None))
    (chapter,) = page.chapters
    assert chapter.radar_grouping == "families" and "IT" not in chapter.axes
    assert chapter.groups["families"][0] == "Basic Information Retrieval", "in the paper's order"
    html = render(page)
    families, scenarios = (len(chapter.groups[by]) for by in ("families", "scenarios"))
    assert html.count('<svg class="radar"') == families
    assert html.count('<table class="metrics part">') == families + scenarios
    assert 'id="thinking-1"' not in html
