"""The browser that BrowserGym starts: one that is installed, in the place of the one that its Playwright downloads."""

from __future__ import annotations

import os
import shutil
from functools import partial, wraps
from typing import Any

import browsergym.core
from playwright.sync_api import Browser

NAMES = ("chromium", "chromium-browser", "google-chrome")
"""The programs that are looked for."""


class NoBrowserError(RuntimeError):
    """There is no browser; the text says what to install."""


def use_chromium(path: str | None = None) -> str:
    """Let BrowserGym start this browser wherever it starts one.

    An environment has two browsers, the agent's and that of the chat, and takes options for the first alone. So BrowserGym gets a
    Playwright whose Chromium is this one unless somebody names another.

    Args:
        path: of the program; the first of `NAMES` that is installed if None.

    Returns:
        The path.

    Raises:
        NoBrowserError: there is none.
    """
    found = path or next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        raise NoBrowserError("there is no Chromium: on Debian and Ubuntu, apt-get install chromium")
    chromium = browsergym.core._get_global_playwright().chromium
    plain = getattr(chromium.launch, "__wrapped__", chromium.launch)
    chromium.launch = _launching(plain, found)
    return found


def _launching(launch: Any, path: str) -> Any:
    # root has no sandbox of Chromium's
    extra = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []

    @wraps(launch)
    def launched(*, args: list[str] | None = None, **options: Any) -> Browser:
        return partial(launch, **{"executable_path": path, **options})(args=[*(args or []), *extra])

    return launched
