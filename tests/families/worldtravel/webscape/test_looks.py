"""Pages look the same as at the last review."""

from __future__ import annotations

import json
import shutil
from itertools import combinations

import pytest

from planspec.families.worldtravel.webscape.camera import BROWSERS
from tests.extras import needs
from tests.families.worldtravel.webscape.looks import KEPT, SIDE, looks

pytestmark = [
    pytest.mark.integration,
    needs("playwright", extra="browser"),
    needs("imagehash", "PIL", extra="test"),
    pytest.mark.skipif(not any(map(shutil.which, BROWSERS)), reason="there is no Chromium on the PATH"),
]
MOST = SIDE * SIDE // 4
"""Tolerated bits of difference: fonts and versions of Chromium move words, but no blocks."""
HIGHER = 0.2


@pytest.fixture(scope="module")
def now() -> dict[str, tuple[str, int]]:
    return looks()


def apart(first: str, second: str) -> int:
    """Return the number of bits in which two hashes differ."""
    return (int(first, 16) ^ int(second, 16)).bit_count()


def test_each_page_looks_as_it_did(now: dict[str, tuple[str, int]]) -> None:
    stored = json.loads(KEPT.read_text("utf-8"))
    assert now.keys() == stored.keys()
    far = {name: apart(now[name][0], stored[name][0]) for name in now}
    assert {name: bits for name, bits in far.items() if bits > MOST} == {}
    grown = {name: now[name][1] / stored[name][1] for name in now}
    assert {name: share for name, share in grown.items() if not 1 - HIGHER < share < 1 + HIGHER} == {}


def test_pages_that_look_otherwise_are_told_apart(now: dict[str, tuple[str, int]]) -> None:
    pairs = [apart(now[a][0], now[b][0]) for a, b in combinations(now, 2)]
    assert sum(bits > MOST for bits in pairs) > 0.9 * len(pairs)
