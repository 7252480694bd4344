"""The pictures of the documentation: each is on a page, with words for who does not see it, and small."""

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
LARGEST = 200_000
"""Bytes."""
ALIKE = 24
"""Bits of 256 in which hashes of two pictures of one page may differ: seconds are told on them, and fonts are not everywhere the same."""


def drawing() -> Any:
    """The module that draws them, which is in no package."""
    spec = spec_from_file_location("pictures", ROOT / ".github" / "site" / "pictures.py")
    assert spec is not None and spec.loader is not None
    made = module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def test_every_picture_is_shown_with_words_and_is_small() -> None:
    shown = [(words, name) for page in (ROOT / "docs").glob("*.md") for words, name in SHOWN.findall(page.read_text("utf-8"))]  # fmt: skip
    assert {name for _, name in shown} == {path.name for path in PICTURES.iterdir()}
    assert [name for words, name in shown if len(words.split()) < 8] == []
    assert [path.name for path in PICTURES.iterdir() if path.stat().st_size > LARGEST] == []


@pytest.mark.thorough
@needs("playwright", "PIL", "imagehash", extra="test")
@pytest.mark.skipif(shutil.which("chromium") is None, reason="there is no Chromium on the PATH")
def test_pictures_show_what_pages_look_like_now(tmp_path: Path) -> None:
    import imagehash
    from PIL import Image

    module = drawing()
    with module.browser() as opened:
        for name in module.PICTURES:
            file, picture = module.drawn(name, opened, tmp_path)
            one, other = (
                imagehash.phash(Image.open(shown), hash_size=16)
                for shown in (BytesIO(picture), PICTURES / file)
            )
            assert one - other <= ALIKE, name
