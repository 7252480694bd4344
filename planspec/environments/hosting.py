"""Websites that agents use instead of tools. Each attempt has its own website."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeAlias, TypeVar

from planspec.api.judging import Judge

AnswerT = TypeVar("AnswerT")

SITE = "site"
"""Key in `TaskView.given` for the address of the site."""


class HostedSite(Protocol):
    """A website for one attempt. All who visit its address act in this attempt."""

    @property
    def url(self) -> str:
        """Address of the site."""

    def looks(self) -> Sequence[tuple[str, Mapping[str, Any]]]:
        """Return the pages viewed so far as tool calls: pairs of a name and arguments."""

    def answer(self) -> Mapping[str, Any] | None:
        """Return the answer that the actions on the site amount to; None if there were no actions."""

    def state(self) -> Mapping[str, Any]:
        """Return the actions on the site as JSON, for the record of the attempt."""

    def ended(self) -> bool:
        """Return whether the agent has declared on the site that it is done."""

    def book_in_browser(self, page: Any, answer: Mapping[str, Any]) -> None:
        """Carry out an answer on the site in a browser, and declare to be done.

        Args:
            page: Playwright page.
            answer: answer in the form that agents write.

        Raises:
            PlanspecError: a part of the answer is not available; the message names it.
        """


Hosting: TypeAlias = Callable[[], AbstractContextManager[HostedSite]]
"""Opens the site of an attempt, and closes it at the end."""


def answer_at_site(judge: Judge, answer: AnswerT, site: HostedSite) -> AnswerT | Mapping[str, Any]:
    """Return an agent's answer or, if that is not a plan, the answer from its actions on the website.

    Args:
        judge: judge of the task.
        answer: answer of the agent, as text or JSON.
        site: site of the attempt.
    """
    if judge.answer(answer, details="violated").status != "undelivered":  # type: ignore[arg-type]
        return answer
    done = site.answer()
    return answer if done is None else done
