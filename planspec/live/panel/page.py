"""Panel as one self-contained HTML file.

Text from users is set as text, and only the page's own program runs.
"""

from __future__ import annotations

from html import escape

from planspec.live.panel.record import PanelShown
from planspec.report.assets import join_files, pack_text, policy

PARTS = ("dom.js", "timeline.js", "map.js", "trace.js", "task.js")
"""Programs of the report that draw plans, findings and repairs."""
STYLES = ("palette.css", "charts.css", "page.css", "tasks.css")


def panel_style() -> str:
    """Return the style sheet of pages with panels."""
    return join_files(STYLES) + "\n" + join_files(("panel.css",), __package__)


def panel_program(*more: str) -> str:
    """Return the program that draws panels.

    Args:
        more: further programs, appended in order.
    """
    return "\n".join((join_files(PARTS), join_files(("panel.js",), __package__), *more))


START = 'unpacked("panel").then((told) => document.getElementById("panel-place").replaceChildren(panel(told, innerWidth)));'
"""Program of a page that contains its panel."""


def panel_page(panel: PanelShown) -> str:
    """Return a panel as a page."""
    style, program = panel_style(), panel_program(START)
    packed = pack_text(panel.model_dump_json(exclude_defaults=True))
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{escape(policy(style, program))}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(panel.task)}</title>
<style>{style}</style>
</head>
<body class="panel-page">
<main id="panel-place"></main>
<noscript><p class="note">The panel is drawn by the page's own program, which is switched off here.</p></noscript>
<script type="application/octet-stream" id="panel">{packed}</script>
<script>{program}</script>
</body>
</html>
"""
