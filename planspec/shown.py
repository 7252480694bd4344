"""Base class of values that notebooks show as panels.

The module that draws panels belongs to a higher layer. It is therefore imported by name, when a notebook shows a value.
"""

from __future__ import annotations

from importlib import import_module

PANEL_MODULE = "planspec.live.notebook"


class NotebookValue:
    """Base class of values that notebooks show as panels."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        """Return the value as HTML, for IPython."""
        html: str = import_module(PANEL_MODULE).html_of(self)
        return html
