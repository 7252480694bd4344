"""A task at a site as BrowserGym asks for it: set up, validated, cheated at, torn down."""

from __future__ import annotations

import json
from contextlib import ExitStack
from typing import Any

from browsergym.core.task import AbstractBrowserTask
from playwright.sync_api import Page

import planspec
from planspec.api.judging import Judge
from planspec.environments import open_task
from planspec.environments.hosting import HostedSite, answer_at_site
from planspec.verifiers.meaning.verdict import Verdict

SETTING = "site"
MOST_TOLD = 20
"""Findings that the outcome of an episode lists."""


class SiteTask(AbstractBrowserTask):
    """One of planspec's tasks, at a site that is there for the episode.

    The goal is the setting's brief, the address of the site, and the request. The episode ends when the agent sends a message or when it
    finishes at the site. Then the message is judged, if it is an answer in JSON, and else what was booked: the reward is 1 if
    every hard constraint holds, else 0.

    Args:
        seed: of the episode; the task is the same for each.
        task: its file or id.
        setting: one in which agents work at a site.

    Raises:
        planspec.PlanspecError: there is no such task, or it has no such setting.
        ValueError: in this setting agents do not work at a site.
    """

    @classmethod
    def get_task_id(cls) -> str:
        """The name of the kind of task."""
        return "planspec"

    def __init__(self, seed: int, task: str, setting: str = SETTING) -> None:
        super().__init__(seed)
        self.slow_mo = 0
        self.timeout = 20_000
        self.locale = "en-GB"
        self.timezone_id = "Europe/Berlin"
        self._opened = open_task(task, setting)
        if self._opened.hosted is None:
            raise ValueError(f"in the setting `{setting}` of `{task}` agents do not work at a site")
        self._open = ExitStack()
        self._site: HostedSite | None = None

    @property
    def judge(self) -> Judge:
        """The judge of the task."""
        return self._opened.judge

    @property
    def site(self) -> HostedSite:
        """The site of this episode.

        Raises:
            RuntimeError: the task is not set up, or torn down.
        """
        if self._site is None:
            raise RuntimeError("there is no site before `setup` and after `teardown`")
        return self._site

    def setup(self, page: Page) -> tuple[str, dict[str, Any]]:
        """Open the site, and return the goal."""
        assert self._opened.hosted is not None
        self._site = self._open.enter_context(self._opened.hosted())
        page.goto(self._site.url)
        task = self.judge.task
        goal = "\n\n".join(
            [self._opened.brief, f"# Given\n\n`site`: {self._site.url}", "# The request", task.query]
        )
        return goal, {"task": task.id, "setting": self._opened.setting, "site": self._site.url}

    def teardown(self) -> None:
        """Close the site."""
        self._site = None
        self._open.close()

    def validate(
        self, page: Page, chat_messages: list[dict[str, Any]]
    ) -> tuple[float, bool, str, dict[str, Any]]:
        """The reward, whether the episode is over, nothing to say, and what the verdict is."""
        said = _said(chat_messages)
        if said is None and not self.site.ended():
            return 0.0, False, "", {}
        answer = answer_at_site(self.judge, said or "", self.site)
        verdict = self.judge.answer(answer, details="violated")
        return float(verdict.status == "pass"), True, "", {"planspec": _outcome(verdict), "answer": answer}

    def cheat(self, page: Page, chat_messages: list[dict[str, Any]]) -> None:
        """Solve the task by clicking: book the author's plan, or, where there is none, the solver's.

        Raises:
            planspec.PlanspecError: there is no plan, or something of it cannot be booked.
        """
        plan = self.judge.reference_plan() or planspec.solve(self.judge.task).plan
        if plan is None:
            raise planspec.PlanspecError(f"`{self.judge.task.id}` has no plan")
        self.site.click(page, json.loads(json.dumps(self.judge.encode(plan), default=str)))


def _said(messages: list[dict[str, Any]]) -> str | None:
    """What the agent said last after its goal; None where it said nothing."""
    asked = max((n for n, each in enumerate(messages) if each["role"].startswith("user")), default=-1)
    said = [each["message"] for each in messages[asked + 1 :] if each["role"] in ("assistant", "infeasible")]
    return said[-1] if said else None


def _outcome(verdict: Verdict) -> dict[str, Any]:
    violated = [finding for finding in verdict.findings if finding.status == "violated"]
    return {
        "status": verdict.status,
        "hard": [verdict.hard.satisfied, verdict.hard.total],
        "soft": [verdict.soft.satisfied, verdict.soft.total],
        "violations": [f"{finding.constraint}: {finding.message}" for finding in violated[:MOST_TOLD]],
    }
