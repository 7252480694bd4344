"""Base class of values that notebooks show as panels.

Values are defined in layers below the one that draws them, so its module is named and loaded only when a
notebook shows one.
"""

from __future__ import annotations

from importlib import import_module

DRAWS = "planspec.live.notebook"


class Shown:
    """A value that notebooks show as a panel."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        """Return the value as HTML, for IPython."""
        html: str = import_module(DRAWS).html_of(self)
        return html
