"""Perceptual hashes of thirty pages. To renew them, run `python -m tests.families.worldtravel.webscape.looks`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

from planspec.families.worldtravel.webscape.camera import PictureSettings, require_browser
from planspec.families.worldtravel.webscape.picture_source import PictureSource
from planspec.families.worldtravel.webscape.rendering import Page, PageRenderer
from planspec.families.worldtravel.webscape.tables import Tables
from tests.paths import ROOT

KEPT = Path(__file__).with_name("looks.json")
SIDE = 16
"""Number of rows and of columns of the bits in a hash."""
EACH = 4
"""Maximum number of pages of each kind."""


def sample() -> Iterator[tuple[str, Page]]:
    """Yield up to four pages of each kind in different layouts, with their names."""
    for city in ("florence",):
        tables = Tables(ROOT / "tasks" / f"worldtravel-{city}" / "world")
        renderer = PageRenderer(tables, city, tables.city["name"])
        for kind in dict.fromkeys(spec.kind for spec in renderer.specs):
            specs = [spec for spec in renderer.specs if spec.kind == kind]
            step = max(1, len(specs) // EACH)
            for turn in range(min(EACH, len(specs))):
                spec = specs[(turn * step + turn) % len(specs)]
                yield f"{city}/{spec.path}", renderer.page(spec)


def looks() -> dict[str, tuple[str, int]]:
    """Return, by page, the hash of the part that is visible without scrolling, and the page's height in pixels."""
    import imagehash
    from PIL import Image

    require_browser()
    pages = dict(sample())
    pictures = PictureSource(PictureSettings(), None).pictures([page.html for page in pages.values()])
    result = {}
    for name, data in zip(pages, pictures, strict=True):
        with Image.open(BytesIO(data)) as picture:
            top = picture.convert("L").crop((0, 0, picture.width, min(picture.height, picture.width)))
            result[name] = (str(imagehash.phash(top, hash_size=SIDE)), picture.height)
    return result


def main() -> None:
    """Write the hashes of the current pages to the file."""
    KEPT.write_text(json.dumps(looks(), indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
