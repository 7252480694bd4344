"""Pictures of pages, as agents with eyes get them: Chromium on one screen width, each page in full height."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from planspec.extras import needing
from planspec.families.suite_writing.options import OnProgress, UnsuitableSuiteError, ignore_progress
from planspec.files import replace_bytes, replace_text
from planspec.parallel import Jobs, map_parallel

PICTURES = "pictures"
"""The folder of the pictures, beside that of the pages."""
TAKEN = "pictures.json"
"""Of which page's text each picture is: SHA-256 by page; a page that has changed is taken again."""
BATCH = 24
"""Pages that one browser takes."""
HEIGHT = 900
"""Pixels of the window; a picture is as high as its page."""
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


@dataclass(frozen=True, slots=True)
class Lens:
    """How pictures are taken.

    Attributes:
        width: of the window, in CSS pixels.
        scale: device pixels of one of them.
    """

    width: int = 1280
    scale: float = 1.0

    @property
    def mark(self) -> str:
        """What tells pictures that were taken so from others, such as `1280x1`."""
        return f"{self.width}x{self.scale:g}"


def require_browser() -> str:
    """The path of the browser.

    Raises:
        ModuleNotFoundError: Playwright is not installed; the text says how to install it.
        UnsuitableSuiteError: there is no Chromium.
    """
    with needing("browser", "pictures of pages need an extra"):
        import playwright.sync_api  # noqa: F401
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        raise UnsuitableSuiteError("pictures of pages need Chromium: apt-get install chromium")
    return found


def take(
    out: Path, site: str, lens: Lens, on_progress: OnProgress = ignore_progress, *, jobs: Jobs = 1
) -> int:
    """Take a picture of each page that has none yet.

    Args:
        out: the folder of a city's pages.
        site: the folder in it where they are.
        lens: how.
        on_progress: called with the progress.
        jobs: processes, each with a browser.

    Returns:
        How many were taken.

    Raises:
        ModuleNotFoundError: Playwright is not installed.
        UnsuitableSuiteError: there is no Chromium.
        OSError: a file cannot be written.
    """
    browser = require_browser()
    texts = {
        str(path.relative_to(out / site)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted((out / site).glob("*/*.html"))
    }
    mark = lens.mark
    taken = _taken(out, mark)
    new = [
        page for page, text in texts.items() if taken.get(page) != text or not _picture(out, page).is_file()
    ]
    batches = [new[first : first + BATCH] for first in range(0, len(new), BATCH)]
    done = 0
    for batch in map_parallel(partial(_batch, out, site, browser, lens), batches, jobs, spawn=True):
        done += len(batch)
        taken.update((page, texts[page]) for page in batch)
        replace_text(out / TAKEN, json.dumps({"lens": mark, "pages": taken}, indent=1) + "\n")
        on_progress(f"picture {done} of {len(new)}", done / len(new))
    return done


def _taken(out: Path, mark: str) -> dict[str, str]:
    """The pages of which there are pictures, with the hashes of their texts; none where they were taken otherwise."""
    path = out / TAKEN
    if not path.is_file():
        return {}
    known = json.loads(path.read_text("utf-8"))
    return dict(known["pages"]) if known["lens"] == mark else {}


def _picture(out: Path, page: str) -> Path:
    return (out / PICTURES / page).with_suffix(".png")


def _batch(out: Path, site: str, browser: str, lens: Lens, pages: Sequence[str]) -> list[str]:
    taken = shots(browser, lens, ((out / site / page).resolve().as_uri() for page in pages))
    for page, data in zip(pages, taken, strict=True):
        path = _picture(out, page)
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_bytes(path, data)
    return list(pages)


def shots(browser: str, lens: Lens, addresses: Iterable[str]) -> Iterator[bytes]:
    """Pictures (PNG) of pages, in order, by one browser that is closed after the last.

    Args:
        browser: its path.
        lens: how.
        addresses: of the pages.
    """
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        opened = driver.chromium.launch(
            executable_path=browser, args=["--no-sandbox", "--font-render-hinting=none"]
        )
        tab = opened.new_page(
            viewport={"width": lens.width, "height": HEIGHT},
            device_scale_factor=lens.scale,
            java_script_enabled=False,
        )
        for address in addresses:
            tab.goto(address)
            yield tab.screenshot(full_page=True)
        opened.close()
