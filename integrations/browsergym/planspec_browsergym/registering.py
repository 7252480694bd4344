"""Suites as environments of Gymnasium."""

from __future__ import annotations

from typing import Any

from browsergym.core.env import BrowserEnv
from browsergym.core.registration import register_task

from planspec.api.catalog import Catalog
from planspec_browsergym.browser import use_chromium
from planspec_browsergym.task import SETTING, SiteTask


def register(suite: str, setting: str = SETTING) -> list[str]:
    """Register each task of a suite, for `gymnasium.make`.

    Args:
        suite: its file, folder or id; a task alone is a suite, too.
        setting: one in which agents work at a site.

    Returns:
        The ids, `browsergym/planspec.berlin-001` and so on; in another setting than `site`, `browsergym/planspec.site-feasibility.berlin-001`.

    Raises:
        planspec.NotFoundError: there is no such suite.
    """
    catalog = Catalog()
    made = []
    for name, path in catalog.ids(catalog.suite(suite).tasks):
        id_ = f"planspec.{name}" if setting == SETTING else f"planspec.{setting}.{name}"
        register_task(id_, SiteTask, task_kwargs={"task": str(path.absolute()), "setting": setting})
        made.append(f"browsergym/{id_}")
    return made


def environment(
    task: str, setting: str = SETTING, *, chromium: str | None = None, **options: Any
) -> BrowserEnv:
    """An environment of one task, with the Chromium that is installed.

    Args:
        task: its file or id.
        setting: one in which agents work at a site.
        chromium: the browser; the first that is found if None.
        options: of BrowserGym's `BrowserEnv`.

    Raises:
        NoBrowserError: there is no Chromium.
    """
    use_chromium(chromium)
    return BrowserEnv(SiteTask, {"task": task, "setting": setting}, **options)
