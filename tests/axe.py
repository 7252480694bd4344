"""axe-core over a page in Chromium: whom it keeps out, in light and dark, on a phone and on a desk."""

from __future__ import annotations

from importlib.resources import files
from itertools import product
from typing import Any, Literal

Look = tuple[Literal["light", "dark"], int]
"""A scheme of colours, and the width of the window."""
TWO: tuple[Look, ...] = (("light", 1440), ("dark", 390))
"""Both schemes and both widths: colours do not depend on the width, nor what lies where on colours."""
ALL: tuple[Look, ...] = tuple(product(("light", "dark"), (390, 1440)))
ASKED = """async () => (await axe.run(document, { resultTypes: ["violations"] })).violations.flatMap((rule) =>
  rule.nodes.map((node) => `${rule.id}: ${node.target.join(" ")}: ${(node.any[0] || node.all[0] || node.none[0] || {}).message}`))"""


def axe_findings(tab: Any, looks: tuple[Look, ...] = TWO) -> list[str]:
    """What axe-core finds on a page as it is now, frames included, in any of the looks."""
    program = (files("axe_playwright_python") / "axe.min.js").read_text("utf-8")
    found: list[str] = []
    window = tab.viewport_size
    for frame in tab.frames:
        frame.evaluate(program)
    for scheme, width in looks:
        tab.set_viewport_size({"width": width, "height": 900})
        tab.emulate_media(color_scheme=scheme)
        found += [f"{width} {scheme} {finding}" for finding in tab.evaluate(ASKED)]
    tab.emulate_media(color_scheme="light")
    tab.set_viewport_size(window)
    return found
