"""A panel as one self-contained HTML file.

Text from users is never parsed as HTML, and only the page's own script runs.
"""

from __future__ import annotations

from html import escape

from planspec.live.panel.record import PanelShown
from planspec.report.assets import join_files, pack_text, policy

PARTS = ("dom.js", "timeline.js", "map.js", "trace.js", "task.js")
"""Scripts of the report that draw plans, findings and repairs."""
STYLES = ("palette.css", "charts.css", "page.css", "tasks.css")


def panel_style() -> str:
    """Return the CSS of pages with panels."""
    return join_files(STYLES) + "\n" + join_files(("panel.css",), __package__)


def panel_program(*programs: str) -> str:
    """Return the JavaScript that draws panels.

    Args:
        *programs: further JavaScript, appended in order.
    """
    return "\n".join((join_files(PARTS), join_files(("panel.js",), __package__), *programs))


START_PROGRAM = (
    'unpacked("panel").then((told) => document.getElementById("panel-place").replaceChildren(panel(told, innerWidth)));'
)
"""Script that draws the panel contained in the page."""


def panel_page(panel: PanelShown) -> str:
    """Return a panel as an HTML page."""
    style, program = panel_style(), panel_program(START_PROGRAM)
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
