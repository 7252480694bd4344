"""Pages look as they did at the last review."""

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
MAX_DIFFERENT_BITS = SIDE * SIDE // 4
"""Maximum number of different bits in two hashes. Other fonts and versions of Chromium move words, but not blocks."""
HIGHER = 0.2


@pytest.fixture(scope="module")
def current_looks() -> dict[str, tuple[str, int]]:
    return looks()


def different_bits(first: str, second: str) -> int:
    """Return the number of bits in which two hashes differ."""
    return (int(first, 16) ^ int(second, 16)).bit_count()


@pytest.mark.thorough
def test_each_page_looks_as_at_the_last_review(current_looks: dict[str, tuple[str, int]]) -> None:
    stored = json.loads(KEPT.read_text("utf-8"))
    assert current_looks.keys() == stored.keys()
    far = {name: different_bits(current_looks[name][0], stored[name][0]) for name in current_looks}
    assert {name: bits for name, bits in far.items() if bits > MAX_DIFFERENT_BITS} == {}
    grown = {name: current_looks[name][1] / stored[name][1] for name in current_looks}
    assert {name: share for name, share in grown.items() if not 1 - HIGHER < share < 1 + HIGHER} == {}


@pytest.mark.thorough
def test_different_pages_have_different_hashes(current_looks: dict[str, tuple[str, int]]) -> None:
    pairs = [different_bits(current_looks[a][0], current_looks[b][0]) for a, b in combinations(current_looks, 2)]
    assert sum(bits > MAX_DIFFERENT_BITS for bits in pairs) > 0.9 * len(pairs)
