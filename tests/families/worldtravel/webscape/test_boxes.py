"""Text neither overlaps nor overflows on wide and narrow screens."""

from __future__ import annotations

import shutil
from dataclasses import replace

import pytest

from planspec.families.worldtravel.webscape.camera import BROWSERS
from planspec.families.worldtravel.webscape.sites import SITES
from tests.extras import needs
from tests.families.worldtravel.webscape.boxes import WIDTHS, faults, sample
from tests.lengths import try_few

pytestmark = [
    pytest.mark.integration,
    needs("playwright", extra="browser"),
    pytest.mark.skipif(not any(map(shutil.which, BROWSERS)), reason="there is no Chromium on the PATH"),
]
WRONG = """<body style="margin:0"><div style="width:2000px">wide</div><p style="position:absolute;left:600px;top:200px">first</p>
<p style="position:absolute;left:600px;top:204px">second</p><div style="overflow:hidden;width:40px;white-space:nowrap">cut off at its end</div></body>"""


@pytest.mark.parametrize("part", try_few(range(2), {0}))
@pytest.mark.thorough
def test_no_text_overlaps_or_overflows(part: int) -> None:
    """Each layout is checked on one site and at one width. `python -m benchmarks.boxes` checks all sites and widths."""
    pages = [page for n, page in enumerate(sample(1)) if n % len(SITES) == (n // len(SITES)) % len(SITES)]
    assert len({(page.spec.kind, page.layout) for page in pages}) == len(pages) == 61
    wide, narrow = pages[part::2], pages[1 - part :: 2]
    assert {
        (page.spec.path, page.site.id, width): found
        for some, width in ((wide, WIDTHS[0]), (narrow, WIDTHS[1]))
        for page, width, found in faults(some, (width,))
        if found
    } == {}


def test_overlapping_and_overflowing_text_is_found() -> None:
    page = replace(next(sample(1)), html=f"<html><head><title>x</title></head>{WRONG}</html>")
    ((_, _, result),) = faults([page], (1280,))
    output = " ".join(result)
    assert "wider than its window by 720" in output
    assert "over each other: first | second" in output
    assert "cut: cut off at its end" in output
