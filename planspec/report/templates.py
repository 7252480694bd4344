"""The Jinja environment of the page templates."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from planspec.report.texts import visible_text


def template_environment() -> Environment:
    """Return a Jinja environment that escapes texts and makes invisible characters visible."""
    return Environment(
        loader=FunctionLoader(lambda name: (files("planspec.report") / "template" / name).read_text("utf-8")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_show_invisible,
    )


def _show_invisible(value: Any) -> Any:
    """Make invisible characters of a text visible; return any other value unchanged."""
    return visible_text(value) if isinstance(value, str) and not isinstance(value, Markup) else value
