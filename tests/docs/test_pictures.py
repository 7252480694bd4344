"""Each picture of the documentation is on a page, is small, and has an alternative text."""

from __future__ import annotations

import re
import shutil
from importlib.util import module_from_spec, spec_from_file_location
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from tests.extras import needs
from tests.paths import ROOT

PICTURES = ROOT / "docs" / "pictures"
SHOWN = re.compile(r"!\[([^]]*)\]\(pictures/([^)]+)\)")
LARGEST_BYTES = 200_000
"""Maximum size of a picture, in bytes."""
MOST_DIFFERENT_BITS = 24
"""Maximum number of bits, of 256, in which the perceptual hashes of two pictures of a page may differ.

Times and fonts may differ.
"""


def picture_module() -> Any:
    """Import the module that draws the pictures, which is not in a package."""
    spec = spec_from_file_location("pictures", ROOT / ".github" / "site" / "pictures.py")
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_picture_is_shown_with_an_alternative_text_and_is_small() -> None:
    shown = [
        (words, name) for page in (ROOT / "docs").glob("*.md") for words, name in SHOWN.findall(page.read_text("utf-8"))
    ]
    assert {name for _, name in shown} == {path.name for path in PICTURES.iterdir()}
    assert [name for words, name in shown if len(words.split()) < 8] == []
    assert [path.name for path in PICTURES.iterdir() if path.stat().st_size > LARGEST_BYTES] == []


@pytest.mark.thorough
@needs("playwright", "PIL", "imagehash", extra="test")
@pytest.mark.skipif(shutil.which("chromium") is None, reason="there is no Chromium on the PATH")
def test_pictures_show_the_current_appearance_of_pages(tmp_path: Path) -> None:
    import imagehash
    from PIL import Image

    module = picture_module()
    with module.browser() as browser:
        for name in module.PICTURES:
            file, picture = module.drawn(name, browser, tmp_path)
            one, other = (
                imagehash.phash(Image.open(shown), hash_size=16) for shown in (BytesIO(picture), PICTURES / file)
            )
            assert one - other <= MOST_DIFFERENT_BITS, name
