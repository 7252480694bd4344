"""Pictures of single pages, taken when somebody looks at them, and kept in the user's cache by the hash of the page."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from planspec.caches import cache_home, sealed, unsealed
from planspec.families.worldtravel.webscape.camera import Lens, require_browser, shots
from planspec.files import replace_bytes


def picture_cache() -> Path | None:
    """The folder in which pictures of pages are kept; None where there is none, and each is taken anew."""
    home = cache_home()
    return None if home is None else home / "pages"


@dataclass(frozen=True, slots=True)
class Snapshots:
    """Pictures of pages by their HTML.

    Attributes:
        lens: how they are taken.
        folder: in which they are kept; None to keep none.
    """

    lens: Lens = field(default_factory=Lens)
    folder: Path | None = field(default_factory=picture_cache)

    def of(self, pages: Sequence[str]) -> list[bytes]:
        """The pictures (PNG) of pages, in order; those that are not kept are taken by one browser.

        Args:
            pages: their HTML.

        Raises:
            ModuleNotFoundError: Playwright is not installed.
            UnsuitableSuiteError: there is no Chromium.
        """
        found = {page: data for page in pages if (data := self._kept(page)) is not None}
        missing = [page for page in dict.fromkeys(pages) if page not in found]
        if missing:
            # tools are called within event loops, too, in which Playwright's plain interface refuses to work
            with ThreadPoolExecutor(1) as thread:
                taken = thread.submit(self._take, missing).result()
            for page, data in zip(missing, taken, strict=True):
                found[page] = data
                self._keep(page, data)
        return [found[page] for page in pages]

    def _take(self, pages: Sequence[str]) -> list[bytes]:
        with TemporaryDirectory(prefix="planspec-pages-") as folder:
            addresses = []
            for number, page in enumerate(pages):
                path = Path(folder) / f"{number}.html"
                replace_bytes(path, page.encode())
                addresses.append(path.as_uri())
            return list(shots(require_browser(), self.lens, addresses))

    def _path(self, page: str) -> Path | None:
        if self.folder is None:
            return None
        name = hashlib.sha256(f"{self.lens.mark}\n{page}".encode()).hexdigest()
        return self.folder / name[:2] / f"{name}.page"

    def _kept(self, page: str) -> bytes | None:
        path = self._path(page)
        return unsealed(path.read_bytes()) if path is not None and path.is_file() else None

    def _keep(self, page: str, data: bytes) -> None:
        path = self._path(page)
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            replace_bytes(path, sealed(data))
