"""Places beyond a task's tools at which agents work, such as a site that one opens with a browser: one for each attempt."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeAlias, TypeVar

from planspec.api.judging import Judge

Said = TypeVar("Said")

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

    def ended(self) -> bool:
        """Whether the one who works there has said to be done."""

    def click(self, page: Any, answer: Mapping[str, Any]) -> None:
        """Do by clicking what makes an answer, and say that this is all.

        Args:
            page: Playwright's.
            answer: as agents write it.

        Raises:
            PlanspecError: something of it cannot be had; the text says what.
        """


Hosting: TypeAlias = Callable[[], AbstractContextManager[HostedSite]]
"""Opens the site of an attempt, and closes it when the attempt is over."""


def delivered(judge: Judge, said: Said, site: HostedSite) -> Said | Mapping[str, Any]:
    """The answer of somebody who worked at a site: what was said, or, where that is no plan, what was done there.

    Args:
        judge: judge of the task.
        said: text, or JSON.
        site: of the attempt.
    """
    if judge.answer(said, details="violated").status != "undelivered":  # type: ignore[arg-type]
        return said
    done = site.answer()
    return said if done is None else done
