"""Accessibility checks of pages with axe-core in Chromium, in both colour schemes and two widths."""

from __future__ import annotations

from importlib.resources import files
from itertools import product
from typing import Any, Literal

Look = tuple[Literal["light", "dark"], int]
"""A colour scheme, and the width of the browser window in CSS pixels."""
TWO_LOOKS: tuple[Look, ...] = (("light", 1440), ("dark", 390))
"""Two looks that cover both schemes and both widths, since colours and layout are independent."""
ALL_LOOKS: tuple[Look, ...] = tuple(product(("light", "dark"), (390, 1440)))
QUERY = """async () => (await axe.run(document, { resultTypes: ["violations"] })).violations.flatMap((rule) =>
  rule.nodes.map((node) => `${rule.id}: ${node.target.join(" ")}: ${(node.any[0] || node.all[0] || node.none[0] || {}).message}`))"""


def axe_findings(tab: Any, looks: tuple[Look, ...] = TWO_LOOKS) -> list[str]:
    """Return axe-core's findings on the current page and its frames, in all of these looks."""
    program = (files("axe_playwright_python") / "axe.min.js").read_text("utf-8")
    findings: list[str] = []
    window = tab.viewport_size
    for frame in tab.frames:
        frame.evaluate(program)
    for scheme, width in looks:
        tab.set_viewport_size({"width": width, "height": 900})
        tab.emulate_media(color_scheme=scheme)
        findings += [f"{width} {scheme} {finding}" for finding in tab.evaluate(QUERY)]
    tab.emulate_media(color_scheme="light")
    tab.set_viewport_size(window)
    return findings
