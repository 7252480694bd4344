"""Charts of the report that are written as picture files have explicit colours at every element."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.etree.ElementTree import Element, fromstring

import pytest

import planspec
from planspec.report import ReportPage, render
from planspec.report.draws import DrawSeries, pass_at_k_chart
from planspec.report.heat import HeatCell, HeatRow, heat_map
from planspec.report.shares import ShareLine, shares_chart
from planspec.report.standalone import scheme, standalone_svg
from planspec.runs import RunFolder
from planspec.scores.estimates import Estimate

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def plots(folders: Sequence[RunFolder]) -> Mapping[str, planspec.Plot]:
    """Return the charts of both runs by name."""
    return planspec.plots(*(folder.path for folder in folders))


def element_texts(svg: str, tag: str = "text") -> list[str]:
    """Return the texts of all elements with this name in an SVG picture."""
    return [part.text or "" for part in fromstring(svg).iter(f"{SVG}{tag}")]


def test_a_picture_needs_neither_a_style_sheet_nor_other_files(
    plots: Mapping[str, planspec.Plot],
) -> None:
    assert list(plots) == ["pass_rate", "horizon_hard", "horizon_anchors", "kinds"]
    for plot in plots.values():
        assert re.findall(r"class=|var\(|<style|<script|href|url\(", plot.svg) == []
        colours = re.findall(r'(?:fill|stroke)="([^"]*)"', plot.svg)
        assert colours and all(one == "none" or re.fullmatch(r"#[0-9a-f]{6}", one) for one in colours)
        root = fromstring(plot.svg)
        assert root.tag == f"{SVG}svg"
        assert root.get("viewBox") == f"0 0 {root.get('width')} {root.get('height')}"
        assert element_texts(plot.svg)[0] == plot.title


def test_a_picture_is_the_drawing_of_the_report(plots: Mapping[str, planspec.Plot], report_page: ReportPage) -> None:
    html = render(report_page)
    chart = re.search(r'<svg class="horizon".*?</svg>', html, re.DOTALL)
    assert chart is not None
    lines = re.findall(r'points="([^"]+)"', chart[0])
    assert lines and re.findall(r'points="([^"]+)"', plots["horizon_hard"].svg)[-len(lines) :] == lines
    cells = re.findall(r'<td class="h\d">([^<]*)<span class="of">([^<]*)<', html)
    assert cells and all({share, of} <= set(element_texts(plots["kinds"].svg)) for share, of in cells)


def test_names_of_runs_are_in_the_legend_and_in_the_description(plots: Mapping[str, planspec.Plot]) -> None:
    assert {"empty", "echo"} <= set(element_texts(plots["horizon_hard"].svg))
    assert element_texts(plots["pass_rate"].svg, "desc")[0].startswith("empty: 67\u00a0%, ")


def test_notebooks_show_isolated_images(
    plots: Mapping[str, planspec.Plot],
) -> None:
    plot = plots["kinds"]
    found = re.fullmatch(
        r'<img alt="([^"]*)" style="max-width:100%" src="data:image/svg\+xml;base64,([^"]*)">',
        plot._repr_html_(),
    )
    assert found is not None
    assert (found[1], b64decode(found[2]).decode()) == (plot.title, plot.svg)
    assert plot._repr_svg_() == plot.svg
    assert planspec.Plots({"a": plot, "b": plot})._repr_html_() == f"<div>{plot._repr_html_()}</div>" * 2
    assert repr(plots) == "<Plots: pass_rate, horizon_hard, horizon_anchors, kinds>"


def test_runs_of_different_suites_have_separate_charts(folders: Sequence[RunFolder], tmp_path: Path) -> None:
    good = folders[0]
    header = (good.header_file.read_text("utf-8")).replace('"suite": "strolls"', '"suite": "walks"')
    header = header.replace('"chained": true', '"chained": false')
    (tmp_path / "run.json").write_text(header, "utf-8")
    unsealed = re.sub(r', "chain": "[0-9a-f]+"}', "}", good.attempts_file.read_text("utf-8"))
    (tmp_path / "attempts.jsonl").write_text(unsealed, "utf-8")
    (tmp_path / "suite").symlink_to(good.path / "suite")
    found = planspec.plots(good.path, tmp_path)
    assert [name for name in found if name.endswith("/kinds")] == ["strolls/kinds", "walks/kinds"]
    with pytest.raises(ValueError, match="at least one run"):
        planspec.plots()
    with pytest.raises(planspec.InvalidRunError):
        planspec.plots(tmp_path / "suite")


def estimate(value: float | None, low: float | None = None, high: float | None = None) -> Estimate:
    """Return an estimate of a metric with its interval."""
    return Estimate(value=value, n=4, low=low, high=high)


SAMPLES = {
    "pass@1": estimate(0.5, 0.25, 0.75),
    "pass@2": estimate(0.75),
    "pass@4": estimate(1.0),
    "pass^2": estimate(0.25),
    "pass^4": estimate(0.0),
    "best@4": estimate(1.0),
}


def test_pass_at_k_and_pass_to_the_k_are_two_lines_from_one_point() -> None:
    chart = pass_at_k_chart([DrawSeries("a", 0, SAMPLES), DrawSeries("b", 1, {})], "several", "d")
    assert chart is not None
    svg = fromstring(chart)
    one, all_, *none = (part.get("points") or "" for part in svg.iter("polyline"))
    heights = [[float(pair.split(",")[1]) for pair in line.split()] for line in (one, all_)]
    assert heights[0][0] == heights[1][0] and len(heights[0]) == len(heights[1]) == 3
    assert heights[0] == sorted(heights[0], reverse=True) and heights[1] == sorted(heights[1])
    assert none == ["", ""]
    assert len([part for part in svg.iter("line") if part.get("class") == "whisker"]) == 1
    (text,) = (part.text or "" for part in svg.iter("desc"))
    assert text.replace("\u00a0", "") == (
        "a: pass@1 50%, pass@2 75%, pass@4 100%, pass^2 25%, pass^4 0%. b: one attempt at each task."
    )
    assert pass_at_k_chart([DrawSeries("a", 0, {"pass@1": estimate(1.0)})], "one", "d") is None


def test_a_cell_has_the_colour_of_its_share_and_no_colour_if_no_rule_applies() -> None:
    rows = [HeatRow("dwell", "hard", (HeatCell(0.5, 2, 4), None)), HeatRow("x" * 99, "soft", (None, None))]
    chart = heat_map(rows, ["a", "b" * 99], "fails", "h")
    assert chart is not None
    svg = fromstring(standalone_svg(chart, "fails"))
    (cell,) = (part for part in svg.iter(f"{SVG}rect") if part.get("x"))
    assert cell.get("fill") == scheme(dark=False)["heat-3"]
    texts = [part.text or "" for part in svg.iter(f"{SVG}text")]
    assert ("50\u00a0%" in texts, "2 of 4" in texts, texts.count("\u2013")) == (True, True, 3)
    assert max(map(len, texts)) < 40
    assert heat_map([], ["a"], "fails", "h") is None


def test_an_unknown_share_has_a_line_without_a_mark() -> None:
    chart = shares_chart([ShareLine("a", 0, estimate(0.5, 0.2, 0.8)), ShareLine("b", 1, estimate(None))], "rates", "s")
    assert chart is not None
    marks = [part for part in fromstring(chart).iter() if (part.get("class") or "").startswith("dot")]
    assert [part.tag for part in marks] == ["circle"]
    assert shares_chart([ShareLine("b", 1, estimate(None))], "rates", "s") is None


@pytest.mark.parametrize("dark", [False, True])
def test_a_picture_has_the_colours_of_its_scheme(dark: bool) -> None:
    chart = pass_at_k_chart([DrawSeries("a", 3, SAMPLES)], "several", "d")
    assert chart is not None
    svg = fromstring(standalone_svg(chart, "several", [("a", 3)], dark=dark))
    colours = scheme(dark)
    lines: list[Element] = list(svg.iter(f"{SVG}polyline"))
    assert {line.get("stroke") for line in lines} == {colours["s3"]}
    assert [line.get("stroke-dasharray") for line in lines] == [None, "6 4"]
    assert next(svg.iter(f"{SVG}rect")).get("fill") == colours["surface"]
