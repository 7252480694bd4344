"""Pictures of pages for agents with vision, taken with Chromium. Each picture shows a whole page."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from planspec.extras import needing
from planspec.files import replace_bytes, replace_text
from planspec.parallel import Jobs, map_parallel
from planspec.suite_writing.options import OnProgress, UnsuitableSuiteError, ignore_progress

PICTURES = "pictures"
"""Name of the folder of pictures, next to the folder of pages."""
TAKEN = "pictures.json"
"""File with the SHA-256 of each pictured page. A page that has changed gets a new picture."""
BATCH = 24
"""Number of pages that one browser takes pictures of before it is closed."""
HEIGHT = 900
"""Height of the window, in pixels. A picture is as high as its page."""
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


@dataclass(frozen=True, slots=True)
class PictureSettings:
    """Settings for taking pictures.

    Attributes:
        width: width of the window, in CSS pixels.
        scale: device pixels per CSS pixel.
    """

    width: int = 1280
    scale: float = 1.0

    @property
    def mark(self) -> str:
        """Name of the settings, such as `1280x1` for the width and the scale."""
        return f"{self.width}x{self.scale:g}"


def require_browser() -> str:
    """Return the path of Chromium.

    Raises:
        ModuleNotFoundError: Playwright is not installed; the message says how to install it.
        UnsuitableSuiteError: Chromium is not installed.
    """
    with needing("browser", "pictures of pages need an extra"):
        import playwright.sync_api  # noqa: F401
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        raise UnsuitableSuiteError("pictures of pages need Chromium: apt-get install chromium")
    return browser


def take_pictures(
    out: Path,
    site: str,
    settings: PictureSettings,
    on_progress: OnProgress = ignore_progress,
    *,
    jobs: Jobs = 1,
) -> int:
    """Take a picture of each page that has no picture or has changed since its picture was taken.

    Args:
        out: folder of a city's pages.
        site: name of the subfolder with the pages.
        settings: settings of the pictures.
        on_progress: called with the progress.
        jobs: number of processes, each with a browser.

    Returns:
        The number of pictures taken.

    Raises:
        ModuleNotFoundError: Playwright is not installed.
        UnsuitableSuiteError: Chromium is not installed.
        OSError: a file cannot be written.
    """
    browser = require_browser()
    texts = {
        str(path.relative_to(out / site)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted((out / site).glob("*/*.html"))
    }
    mark = settings.mark
    pictured = _read_record(out, mark)
    new = [page for page, text in texts.items() if pictured.get(page) != text or not _picture_path(out, page).is_file()]
    batches = [new[first : first + BATCH] for first in range(0, len(new), BATCH)]
    count = 0
    for batch in map_parallel(partial(_take_batch, out, site, browser, settings), batches, jobs, spawn=True):
        count += len(batch)
        pictured.update((page, texts[page]) for page in batch)
        replace_text(out / TAKEN, json.dumps({"lens": mark, "pages": pictured}, indent=1) + "\n")
        on_progress(f"picture {count} of {len(new)}", count / len(new))
    return count


def _read_record(out: Path, settings_name: str) -> dict[str, str]:
    """Return the hash of each page that has a picture, by page.

    Return an empty mapping if the pictures were taken with settings of another name.
    """
    path = out / TAKEN
    if not path.is_file():
        return {}
    stored = json.loads(path.read_text("utf-8"))
    return dict(stored["pages"]) if stored["lens"] == settings_name else {}


def _picture_path(out: Path, page: str) -> Path:
    return (out / PICTURES / page).with_suffix(".png")


def _take_batch(out: Path, site: str, browser: str, settings: PictureSettings, pages: Sequence[str]) -> list[str]:
    screenshots = take_screenshots(browser, settings, ((out / site / page).resolve().as_uri() for page in pages))
    for page, data in zip(pages, screenshots, strict=True):
        path = _picture_path(out, page)
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_bytes(path, data)
    return list(pages)


def take_screenshots(browser: str, settings: PictureSettings, addresses: Iterable[str]) -> Iterator[bytes]:
    """Yield a picture (PNG) of each page, in order. One browser takes all pictures.

    Args:
        browser: path of Chromium.
        settings: settings of the pictures.
        addresses: URLs of the pages.
    """
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        process = driver.chromium.launch(executable_path=browser, args=["--no-sandbox", "--font-render-hinting=none"])
        tab = process.new_page(
            viewport={"width": settings.width, "height": HEIGHT},
            device_scale_factor=settings.scale,
            java_script_enabled=False,
        )
        for address in addresses:
            tab.goto(address)
            yield tab.screenshot(full_page=True)
        process.close()
