"""An installed browser for BrowserGym, instead of the one that Playwright downloads."""

from __future__ import annotations

import os
import shutil
from functools import partial, wraps
from typing import Any

import browsergym.core
from playwright.sync_api import Browser

NAMES = ("chromium", "chromium-browser", "google-chrome")
"""Names of the programs to look for, in this order."""


class NoBrowserError(RuntimeError):
    """No browser is installed."""


def use_chromium(path: str | None = None) -> str:
    """Make BrowserGym start an installed browser.

    A BrowserGym environment starts two browsers, one for the agent and one for the chat, and takes options only for the
    first. This function therefore changes BrowserGym's Playwright so that it launches the installed browser by default.

    Args:
        path: path of the program, or None for the first program of `NAMES` that is installed.

    Returns:
        The path of the program.

    Raises:
        NoBrowserError: no such program is installed.
    """
    program = path or next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        raise NoBrowserError("there is no Chromium: on Debian and Ubuntu, apt-get install chromium")
    chromium = browsergym.core._get_global_playwright().chromium
    original = getattr(chromium.launch, "__wrapped__", chromium.launch)
    chromium.launch = _launcher(original, program)
    return program


def _launcher(launch: Any, path: str) -> Any:
    # for root, Chromium only runs without its sandbox
    extra = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []

    @wraps(launch)
    def launch_installed(*, args: list[str] | None = None, **options: Any) -> Browser:
        return partial(launch, **{"executable_path": path, **options})(args=[*(args or []), *extra])

    return launch_installed
