"""Registration of suites as Gymnasium environments."""

from __future__ import annotations

from typing import Any

from browsergym.core.env import BrowserEnv
from browsergym.core.registration import register_task

from planspec.api.catalog import Catalog
from planspec_browsergym.browser import use_chromium
from planspec_browsergym.task import SETTING, SiteTask


def register(suite: str, setting: str = SETTING) -> list[str]:
    """Register each task of a suite for `gymnasium.make`.

    Args:
        suite: file, folder or id of a suite or of a single task.
        setting: name of a setting in which agents use a website.

    Returns:
        The ids, such as `browsergym/planspec.berlin-001`, or
        `browsergym/planspec.site-feasibility.berlin-001` in a setting other than `site`.

    Raises:
        planspec.NotFoundError: the suite does not exist.
    """
    catalog = Catalog()
    ids = []
    for name, path in catalog.ids(catalog.suite(suite).tasks):
        id_ = f"planspec.{name}" if setting == SETTING else f"planspec.{setting}.{name}"
        register_task(id_, SiteTask, task_kwargs={"task": str(path.absolute()), "setting": setting})
        ids.append(f"browsergym/{id_}")
    return ids


def environment(task: str, setting: str = SETTING, *, chromium: str | None = None, **options: Any) -> BrowserEnv:
    """Return an environment for one task that uses an installed Chromium.

    Args:
        task: file or id of the task.
        setting: name of a setting in which agents use a website.
        chromium: path of the browser, or None for the first one that is installed.
        options: further arguments of BrowserGym's `BrowserEnv`.

    Raises:
        NoBrowserError: Chromium is not installed.
    """
    use_chromium(chromium)
    return BrowserEnv(SiteTask, {"task": task, "setting": setting}, **options)
