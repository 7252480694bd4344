"""Places beyond a task's tools at which agents work, such as a site that one opens with a browser: one for each attempt."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeAlias

SITE = "site"
"""The name among what a view gives under which an agent is told the address."""


class HostedSite(Protocol):
    """A site that is there for one attempt: whoever comes to its address works at that attempt."""

    @property
    def url(self) -> str:
        """Its address."""

    def looks(self) -> Sequence[tuple[str, Mapping[str, Any]]]:
        """What was looked at so far, as calls: a name and arguments."""

    def answer(self) -> Mapping[str, Any] | None:
        """The answer that what was done there makes; None where nothing was done."""

    def state(self) -> Mapping[str, Any]:
        """What was done there, as JSON, for the record."""


Hosting: TypeAlias = Callable[[], AbstractContextManager[HostedSite]]
"""Opens the site of an attempt, and closes it when the attempt is over."""
