"""Charts as separate SVG files.

Elements have explicit styles, because many programs ignore style sheets.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from xml.etree.ElementTree import Element, SubElement, fromstring, tostring

from planspec.report.charts import add_mark, add_part

Scheme = Mapping[str, str]
"""Hexadecimal colours, by name."""
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'Noto Sans', 'Liberation Sans', sans-serif"
PAD, TITLE, LEGEND = 16.0, 30.0, 24.0
LETTER = 7.4
"""Mean width of a letter in a legend, in chart units."""
CHART = ("viewBox", "role", "aria-labelledby")


@dataclass(frozen=True, slots=True)
class StyleRule:
    """A rule of the style sheet of charts.

    Attributes:
        chart: class of the charts to which it applies; None for every chart.
        selector: elements to which it applies, as `.class` or the tag.
        properties: names and values of the CSS properties.
    """

    chart: str | None
    selector: str
    properties: tuple[tuple[str, str], ...]

    def fits(self, element: Element, chart: frozenset[str]) -> bool:
        """Return whether the rule applies to an element. `chart` has the classes of the whole chart."""
        if self.chart is not None and self.chart not in chart:
            return False
        classes = (element.get("class") or "").split()
        return self.selector[1:] in classes if self.selector.startswith(".") else element.tag == self.selector

    @property
    def specificity(self) -> int:
        """Number of classes that the rule names. A rule with more classes takes precedence."""
        return (self.chart is not None) + self.selector.startswith(".")


@cache
def _style_rules() -> tuple[StyleRule, ...]:
    """Return the style rules for charts in order of increasing precedence."""
    text = re.sub(r"/\*.*?\*/", "", _template("charts.css"), flags=re.DOTALL)
    rules = []
    for selectors, body in re.findall(r"([^{}]+)\{([^{}]*)\}", text):
        pairs = tuple(
            (name.strip(), value.strip()) for name, _, value in (one.partition(":") for one in body.split(";")) if value
        )
        for selector in selectors.split(","):
            *around, target = selector.split()
            chart = around[0][1:] if around and around[0].startswith(".") else None
            rules.append(StyleRule(chart, target, pairs))
    return tuple(sorted(rules, key=lambda rule: rule.specificity))


@cache
def scheme(dark: bool) -> Scheme:
    """Return the colours of light or dark pages."""
    light, night, _ = re.findall(r":root \{(.*?)\}", _template("palette.css"), re.DOTALL)
    return dict(re.findall(r"--([a-z0-9-]+):\s*(#[0-9a-f]{6});", night if dark else light))


def _template(name: str) -> str:
    return (files("planspec.report") / "template" / name).read_text("utf-8")


def standalone_svg(chart: str, title: str, legend: Sequence[tuple[str, int]] = (), *, dark: bool = False) -> str:
    """Return a chart from a page as an independent SVG file.

    Args:
        chart: SVG text of the chart, with a view box.
        title: title above the chart.
        legend: name of each run and its index on the page, shown between title and chart; may be empty.
        dark: whether to use the colours of dark pages.
    """
    inner = fromstring(chart)  # noqa: S314 our own
    _, _, width, height = map(float, (inner.get("viewBox") or "").split())
    across = max(width, 480.0)
    lines = _legend_lines(legend, across)
    top = PAD + TITLE + LEGEND * len(lines)
    size = across + 2 * PAD, top + height + PAD
    svg = Element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "viewBox": f"0 0 {size[0]:g} {size[1]:g}",
            "width": f"{size[0]:g}",
            "height": f"{size[1]:g}",
        },
    )
    colours = scheme(dark)
    SubElement(svg, "rect", {"width": "100%", "height": "100%", "fill": colours["surface"]})
    font = SubElement(svg, "g", {"font-family": FONT})
    above = Element("g")
    heading = add_part(above, "text", title, cls="axis", x=PAD, y=PAD + 14)
    heading.set("font-size", "15px")
    heading.set("font-weight", "600")
    for number, line in enumerate(lines):
        y = PAD + TITLE + LEGEND * number + 8
        for x, name, place in line:
            add_mark(above, place, PAD + x + 7, y, 5.0)
            add_part(above, "text", name, cls="axis", x=PAD + x + 20, y=y + 5).set("font-size", "14px")
    _apply_styles(above, frozenset(), {}, colours)
    font.append(above)
    attributes = {name: value for name in CHART if (value := inner.get(name)) is not None}
    frame = {"x": f"{PAD:g}", "y": f"{top:g}", "width": f"{width:g}", "height": f"{height:g}"}
    body = SubElement(font, "svg", {**frame, **attributes})
    body.extend(inner)
    _apply_styles(body, frozenset((inner.get("class") or "").split()), {}, colours)
    return tostring(svg, encoding="unicode")


def _legend_lines(legend: Sequence[tuple[str, int]], width: float) -> list[list[tuple[float, str, int]]]:
    """Break a legend into lines that fit into a width.

    Each entry is a tuple of the horizontal position, the name of a run, and its index on the page.
    """
    lines: list[list[tuple[float, str, int]]] = []
    x = width + 1
    for name, run_index in legend:
        long = 44 + LETTER * len(name)
        if x + long > width:
            lines.append([])
            x = 0.0
        lines[-1].append((x, name, run_index))
        x += long
    return lines


def _apply_styles(element: Element, chart: frozenset[str], inherited: Mapping[str, str], colours: Scheme) -> None:
    """Write style properties as attributes of an element and its descendants, and remove their classes."""
    properties: dict[str, str] = {}
    for rule in _style_rules():
        if rule.fits(element, chart):
            properties |= dict(rule.properties)
    variables = {**inherited, **{name: value for name, value in properties.items() if name.startswith("--")}}
    for name, value in properties.items():
        if not name.startswith("--") and name not in element.attrib:
            element.set(name, _resolve_variables(value, variables, colours))
    element.attrib.pop("class", None)
    for part in element:
        _apply_styles(part, chart, variables, colours)


def _resolve_variables(value: str, variables: Mapping[str, str], colours: Scheme) -> str:
    """Return a CSS value in which each `var(...)` is replaced."""

    def replacement(match: re.Match[str]) -> str:
        name = match[1]
        return colours[name] if name in colours else _resolve_variables(variables[f"--{name}"], variables, colours)

    return re.sub(r"var\(--([a-z0-9-]+)\)", replacement, value)
