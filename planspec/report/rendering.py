"""Rendering of a report as one HTML file. Untrusted text is escaped, and the page fetches nothing.

Details of tasks are blocks of compressed JSON in the file. They are unpacked when they are shown.
"""

from __future__ import annotations

import re
from typing import Any

from jinja2 import Environment
from markupsafe import Markup, escape

from planspec.report import charts
from planspec.report.assets import join_files, pack_text, policy
from planspec.report.drawing import (
    chapter_heat_rows,
    chapter_pass_at_k,
    chapter_pass_rates,
    chapter_radar,
    label,
)
from planspec.report.heat import heat_step
from planspec.report.page import ReportPage
from planspec.report.record import ShownTask
from planspec.report.templates import template_environment
from planspec.report.texts import format_cell, line, number, percent, points, visible_text
from planspec.scores import Estimate
from planspec.scores.record import TallyRow
from planspec.verifiers.metrics.metric import Kind

STYLES = ("palette.css", "charts.css", "page.css", "tasks.css")
PROGRAMS = ("dom.js", "timeline.js", "map.js", "trace.js", "task.js", "table.js")
_BETWEEN_WORDS = re.compile(r"(?<=_)|(?<=[a-z0-9])(?=[A-Z])")
"""Positions in a name where a line may break."""


def render(page: ReportPage) -> str:
    """Return the page as HTML."""
    style, program = join_files(STYLES), join_files(PROGRAMS)
    return (
        _environment()
        .get_template("page.html")
        .render(
            page=page,
            style=Markup(style),  # noqa: S704 our own file
            program=Markup(program),  # noqa: S704 our own file
            policy=policy(style, program),
            blocks=[Markup(pack_details(details)) for details in page.details],  # noqa: S704 base64
            names=Markup(pack_names(page)),  # noqa: S704 base64
            pictures=[
                (sha256, image.media, Markup(image.base64))  # noqa: S704 base64
                for sha256, image in page.pictures.items()
            ],
        )
    )


def pack_details(details: ShownTask) -> str:
    """Return the details of a task as base64 of their JSON, compressed (zlib, RFC 1950)."""
    return pack_text(details.model_dump_json(exclude_defaults=True))


def pack_names(page: ReportPage) -> str:
    """Return the names of all runs, packed for the page's script."""
    import json

    return pack_text(json.dumps([{"name": line(r.name), "folder": line(r.scores.name)} for r in page.runs]))


def _environment() -> Environment:
    environment = template_environment()
    environment.filters |= {
        "percent": percent,
        "number": number,
        "line": line,
        "format_estimate": format_estimate,
        "format_interval": format_interval,
        "written": _json_text,
        "label": label,
        "ticked": html_with_code,
        "points": points,
        "breakable": breakable_name,
        "format_faults": format_faults,
        "format_cell": format_cell,
    }
    environment.globals |= {
        "interval": charts.interval_picture,
        "mark": charts.legend_mark,
        "cells": chapter_heat_rows,
        "heat": heat_step,
        "horizon": chapter_pass_rates,
        "series": charts.SERIES,
        "radar": chapter_radar,
        "draws": chapter_pass_at_k,
    }
    return environment


def format_estimate(estimate: Estimate | None, kind: Kind = "share") -> str:
    """Format the value of an estimate: a share or rate in per cent, a quantity as a plain number.

    An unknown value is shown as a dash.
    """
    if estimate is None or estimate.value is None:
        return "\u2013"
    return number(estimate.value) if kind == "quantity" else percent(estimate.value)


def format_interval(estimate: Estimate | None, kind: Kind = "share") -> str:
    """Format the interval of an estimate; an empty string if it has no interval."""
    if estimate is None or estimate.low is None or estimate.high is None:
        return ""
    write = number if kind == "quantity" else percent
    return f"{write(estimate.low)}\u2009\u2013\u2009{write(estimate.high)}".replace(
        "\u00a0%\u2009\u2013", "\u2009\u2013"
    )


def breakable_name(name: str) -> Markup:
    """Return a column name as HTML that may break after underscores and before capitals."""
    return Markup("<wbr>").join(_BETWEEN_WORDS.split(line(name)))


def format_faults(tally: TallyRow, right: str) -> str:
    """Format the number of items that are not `right`, with their statuses, such as `3 of 8: 2 wrong, 1 unreadable`."""
    bad = [f"{n} {status}" for status, n in tally.counts.items() if n and status != right]
    summary = f"{tally.n - tally.counts.get(right, 0)} of {tally.n}"
    return (
        f"{summary}: {', '.join(bad)}" if len(bad) > 1 else f"{summary} {bad[0].partition(' ')[2]}" if bad else summary
    )


def html_with_code(text: str) -> Markup:
    """Return a sentence as HTML, with names in backticks as `code` elements."""
    parts = visible_text(text).split("`")
    if len(parts) % 2 == 0:
        return escape(visible_text(text))
    return Markup().join(
        Markup("<code>{}</code>").format(part) if n % 2 else escape(part) for n, part in enumerate(parts)
    )


def _json_text(value: Any) -> str:
    import json

    return visible_text(json.dumps(value, ensure_ascii=False, sort_keys=True, default=str), 2000)
