"""A report as one HTML file: what others wrote is escaped, nothing is fetched, and nothing runs but the page's own program.

Details of tasks stand in the file as compressed JSON, one block for each, and are unpacked when they are looked at.
"""

from __future__ import annotations

import re
from base64 import b64encode
from importlib.resources import files
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup, escape

from planspec.report import charts
from planspec.report.assets import joined, packed_text, policy
from planspec.report.drawing import (
    chapter_cells,
    chapter_draws,
    chapter_horizon,
    chapter_radar,
    label,
)
from planspec.report.heat import heat
from planspec.report.page import Page
from planspec.report.record import TaskShown
from planspec.report.texts import line, number, percent, points, shown
from planspec.scores import Estimate
from planspec.scores.record import Tallied
from planspec.verifiers.metrics.metric import Kind

STYLES = ("palette.css", "charts.css", "page.css", "tasks.css")
PROGRAMS = ("dom.js", "timeline.js", "map.js", "trace.js", "task.js", "table.js")
_BETWEEN_WORDS = re.compile(r"(?<=_)|(?<=[a-z0-9])(?=[A-Z])")
"""Where a name may break."""


def render(page: Page) -> str:
    """The page as HTML."""
    style, program = joined(STYLES), joined(PROGRAMS)
    return (
        _environment()
        .get_template("page.html")
        .render(
            page=page,
            style=Markup(style),  # noqa: S704 our own file
            program=Markup(program),  # noqa: S704 our own file
            policy=policy(style, program),
            blocks=[Markup(packed(told)) for told in page.details],  # noqa: S704 base64
            names=Markup(packed_names(page)),  # noqa: S704 base64
            pictures=[
                (sha256, image.media, Markup(b64encode(image.data).decode("ascii")))  # noqa: S704 base64
                for sha256, image in page.pictures.items()
            ],
        )
    )


def packed(told: TaskShown) -> str:
    """The details of a task as base64 of their JSON, compressed (zlib, RFC 1950)."""
    return packed_text(told.model_dump_json(exclude_defaults=True))


def packed_names(page: Page) -> str:
    """The names of all runs, packed for the page's program."""
    import json

    return packed_text(json.dumps([{"name": line(r.name), "folder": line(r.scores.name)} for r in page.runs]))


def _environment() -> Environment:
    made = Environment(
        loader=FunctionLoader(lambda name: (files("planspec.report") / "template" / name).read_text("utf-8")),
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, finalize=_final,
    )  # fmt: skip
    made.filters |= {
        "percent": percent, "number": number, "line": line, "estimate": estimate, "bounds": bounds,
        "written": _written, "label": label, "ticked": ticked, "points": points, "breakable": breakable, "faults": faults,
    }  # fmt: skip
    made.globals |= {
        "interval": charts.interval, "mark": charts.legend_mark, "cells": chapter_cells, "heat": heat, "horizon": chapter_horizon,
        "series": charts.SERIES, "radar": chapter_radar, "draws": chapter_draws,
    }  # fmt: skip
    return made


def _final(value: Any) -> Any:
    """Every text that the template prints, with what cannot be seen made visible."""
    return shown(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def estimate(of: Estimate | None, kind: Kind = "share") -> str:
    """A number of a run: a rate or share as per cent, a quantity as it is."""
    if of is None or of.value is None:
        return "\u2013"
    return number(of.value) if kind == "quantity" else percent(of.value)


def bounds(of: Estimate | None, kind: Kind = "share") -> str:
    """Its interval."""
    if of is None or of.low is None or of.high is None:
        return ""
    said = number if kind == "quantity" else percent
    return f"{said(of.low)}\u2009\u2013\u2009{said(of.high)}".replace("\u00a0%\u2009\u2013", "\u2009\u2013")


def breakable(name: str) -> Markup:
    """A name of a column, which may break after its underscores and before its capitals."""
    return Markup("<wbr>").join(_BETWEEN_WORDS.split(line(name)))


def faults(of: Tallied, right: str) -> str:
    """How many are not as they should be, and what is the matter with them: `3 of 8: 2 wrong, 1 unreadable`."""
    bad = [f"{n} {status}" for status, n in of.counts.items() if n and status != right]
    told = f"{of.n - of.counts.get(right, 0)} of {of.n}"
    return (
        f"{told}: {', '.join(bad)}" if len(bad) > 1 else f"{told} {bad[0].partition(' ')[2]}" if bad else told
    )


def ticked(text: str) -> Markup:
    """A sentence in which names stand between backticks, with elements around them."""
    parts = shown(text).split("`")
    if len(parts) % 2 == 0:
        return escape(shown(text))
    return Markup().join(
        Markup("<code>{}</code>").format(part) if n % 2 else escape(part) for n, part in enumerate(parts)
    )


def _written(value: Any) -> str:
    import json

    return shown(json.dumps(value, ensure_ascii=False, sort_keys=True, default=str), 2000)
