"""What notebooks show: the hook by which a value of any layer becomes a panel.

The rooms in which values live are below the one that draws them, so the module is named and loaded when a notebook asks, and not before.
"""

from __future__ import annotations

from importlib import import_module

DRAWS = "planspec.live.notebook"


class Shown:
    """A value that notebooks show as a panel."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        """The value as HTML, as IPython asks for it."""
        made: str = import_module(DRAWS).html_of(self)
        return made
