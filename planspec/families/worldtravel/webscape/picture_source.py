"""Pictures of single pages, taken on demand and cached by the hash of the page."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from planspec.families.worldtravel.webscape.camera import PictureSettings, require_browser, take_screenshots
from planspec.files import add_checksum, cache_home, replace_bytes, strip_checksum


def picture_cache() -> Path | None:
    """Return the cache folder for pictures, or None if there is no cache."""
    home = cache_home()
    return None if home is None else home / "pages"


@dataclass(frozen=True, slots=True)
class PictureSource:
    """A source of pictures of pages, with a cache.

    Attributes:
        settings: settings of the pictures.
        folder: cache folder; None for no cache.
    """

    settings: PictureSettings = field(default_factory=PictureSettings)
    folder: Path | None = field(default_factory=picture_cache)

    def pictures(self, pages: Sequence[str]) -> list[bytes]:
        """Return the pictures (PNG) of pages, in order. One browser takes all pictures that are not cached.

        Args:
            pages: HTML of the pages.

        Raises:
            ModuleNotFoundError: Playwright is not installed.
            UnsuitableSuiteError: Chromium is not installed.
        """
        pictures = {page: data for page in pages if (data := self._read_cached(page)) is not None}
        missing = [page for page in dict.fromkeys(pages) if page not in pictures]
        if missing:
            # Playwright's synchronous interface does not work within an event loop, where tools may run.
            with ThreadPoolExecutor(1) as thread:
                new_pictures = thread.submit(self._take_pictures, missing).result()
            for page, data in zip(missing, new_pictures, strict=True):
                pictures[page] = data
                self._store_picture(page, data)
        return [pictures[page] for page in pages]

    def _take_pictures(self, pages: Sequence[str]) -> list[bytes]:
        with TemporaryDirectory(prefix="planspec-pages-") as folder:
            addresses = []
            for number, page in enumerate(pages):
                path = Path(folder) / f"{number}.html"
                replace_bytes(path, page.encode())
                addresses.append(path.as_uri())
            return list(take_screenshots(require_browser(), self.settings, addresses))

    def _cache_path(self, page: str) -> Path | None:
        if self.folder is None:
            return None
        name = hashlib.sha256(f"{self.settings.mark}\n{page}".encode()).hexdigest()
        return self.folder / name[:2] / f"{name}.page"

    def _read_cached(self, page: str) -> bytes | None:
        path = self._cache_path(page)
        return strip_checksum(path.read_bytes()) if path is not None and path.is_file() else None

    def _store_picture(self, page: str, data: bytes) -> None:
        path = self._cache_path(page)
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            replace_bytes(path, add_checksum(data))
