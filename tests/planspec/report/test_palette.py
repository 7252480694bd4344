"""The page's colours are distinguishable and legible in light, in dark and in print."""

import re
from collections.abc import Mapping
from importlib.resources import files

import pytest

CSS = (files("planspec.report") / "template" / "palette.css").read_text("utf-8")
TEXTS = ("text", "muted", "link", "pass", "fail", "undelivered")
GROUNDS = ("ground", "surface", "sunk")
MARKS = ("s0", "s1", "s2", "s3", "s4", "s5", "edge", "focus")


def colours_by_scheme() -> Mapping[str, Mapping[str, str]]:
    """Return the colours by scheme and name."""
    blocks = [
        dict(re.findall(r"--([a-z0-9-]+):\s*(#[0-9a-f]{6});", block))
        for block in re.findall(r":root \{(.*?)\}", CSS, re.DOTALL)
    ]
    return dict(zip(("light", "dark", "print"), blocks, strict=True))


def luminance(colour: str) -> float:
    """Return the relative luminance of a colour, as defined in WCAG 2.2."""
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, from 1 to 21, as defined in WCAG 2.2."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_contrast_is_21_between_black_and_white() -> None:
    assert round(contrast("#000000", "#ffffff"), 6) == 21


@pytest.mark.parametrize("scheme", ["light", "dark", "print"])
@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("text", TEXTS)
def test_texts_are_legible(scheme: str, ground: str, text: str) -> None:
    colours = colours_by_scheme()[scheme]
    assert contrast(colours[text], colours[ground]) >= 4.5


@pytest.mark.parametrize("scheme", ["light", "dark", "print"])
@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("mark", MARKS)
def test_marks_contrast_with_their_background(scheme: str, ground: str, mark: str) -> None:
    colours = colours_by_scheme()[scheme]
    assert contrast(colours[mark], colours[ground]) >= 3


@pytest.mark.parametrize("scheme", ["light", "dark", "print"])
def test_texts_on_colours_are_legible(scheme: str) -> None:
    colours = colours_by_scheme()[scheme]
    pairs = [(f"on-heat-{step}", f"heat-{step}") for step in range(6)]
    pairs += [("on-series", f"s{series}") for series in range(6)]
    pairs += [(name, f"{name}-ground") for name in ("pass", "fail", "undelivered")]
    assert {pair: c for pair in pairs if (c := contrast(colours[pair[0]], colours[pair[1]])) < 4.5} == {}


def test_every_scheme_has_every_colour() -> None:
    light, dark, printed = colours_by_scheme().values()
    assert light.keys() == dark.keys() == printed.keys()


def test_colours_are_defined_only_in_the_palette() -> None:
    folder = files("planspec.report") / "template"
    for name in (
        "charts.css",
        "page.css",
        "tasks.css",
        "page.html",
        "map.js",
        "timeline.js",
        "task.js",
        "trace.js",
        "table.js",
    ):
        assert (
            re.findall(r"(?<!href=\")#[0-9a-f]{3,8}\b(?![-\w])|rgba?\(|hsla?\(", (folder / name).read_text("utf-8"))
            == []
        )
