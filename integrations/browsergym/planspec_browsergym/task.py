"""A BrowserGym task class for planspec tasks in which agents use a website."""

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
MOST_VIOLATIONS = 20
"""Maximum number of violations in the outcome of an episode."""


class SiteTask(AbstractBrowserTask):
    """A planspec task in which the agent uses a website. Each episode has its own server.

    The goal is the setting's system prompt, the address of the site, and the request. The episode ends when the agent
    sends a message or finishes its trip on the site. If the message is an answer in JSON, this answer is judged.
    Otherwise, the bookings on the site are judged. The reward is 1 if every hard constraint holds, else 0.

    Args:
        seed: seed of the episode. The task is the same for every seed.
        task: file or id of the task.
        setting: name of a setting in which agents use a website.

    Raises:
        planspec.PlanspecError: the task does not exist, or does not have the setting.
        ValueError: agents do not use a website in this setting.
    """

    @classmethod
    def get_task_id(cls) -> str:
        """Return the name that BrowserGym shows for tasks of this class."""
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
        """Judge of the task."""
        return self._opened.judge

    @property
    def site(self) -> HostedSite:
        """The site of the current episode.

        Raises:
            RuntimeError: `setup` was not called, or `teardown` was.
        """
        if self._site is None:
            raise RuntimeError("there is no site before `setup` and after `teardown`")
        return self._site

    def setup(self, page: Page) -> tuple[str, dict[str, Any]]:
        """Open the site, and return the goal and the task's id, setting and address."""
        assert self._opened.hosted is not None
        self._site = self._open.enter_context(self._opened.hosted())
        page.goto(self._site.url)
        task = self.judge.task
        goal = "\n\n".join(
            [self._opened.system_text(), f"# Given\n\n`site`: {self._site.url}", "# The request", task.query]
        )
        return goal, {"task": task.id, "setting": self._opened.setting, "site": self._site.url}

    def teardown(self) -> None:
        """Close the site."""
        self._site = None
        self._open.close()

    def validate(self, page: Page, chat_messages: list[dict[str, Any]]) -> tuple[float, bool, str, dict[str, Any]]:
        """Return the reward, whether the episode is over, an empty message, and a dict with verdict and answer."""
        message = _last_message(chat_messages)
        if message is None and not self.site.ended():
            return 0.0, False, "", {}
        answer = answer_at_site(self.judge, message or "", self.site)
        verdict = self.judge.answer(answer, details="violated")
        return float(verdict.status == "pass"), True, "", {"planspec": _outcome(verdict), "answer": answer}

    def cheat(self, page: Page, chat_messages: list[dict[str, Any]]) -> None:
        """Book a right plan by clicking on the site: the reference, or a solver's plan if the task has no reference.

        Raises:
            planspec.PlanspecError: there is no plan, or a part of the plan cannot be booked.
        """
        plan = self.judge.reference_plan() or planspec.solve(self.judge.task).plan
        if plan is None:
            raise planspec.PlanspecError(f"`{self.judge.task.id}` has no plan")
        self.site.book_in_browser(page, json.loads(json.dumps(self.judge.encode(plan), default=str)))


def _last_message(messages: list[dict[str, Any]]) -> str | None:
    """Return the agent's last message after its goal, or None."""
    goal = max((n for n, each in enumerate(messages) if each["role"].startswith("user")), default=-1)
    texts = [each["message"] for each in messages[goal + 1 :] if each["role"] in ("assistant", "infeasible")]
    return texts[-1] if texts else None


def _outcome(verdict: Verdict) -> dict[str, Any]:
    violated = [finding for finding in verdict.findings if finding.status == "violated"]
    return {
        "status": verdict.status,
        "hard": [verdict.hard.satisfied, verdict.hard.total],
        "soft": [verdict.soft.satisfied, verdict.soft.total],
        "violations": [f"{finding.constraint}: {finding.message}" for finding in violated[:MOST_VIOLATIONS]],
    }
