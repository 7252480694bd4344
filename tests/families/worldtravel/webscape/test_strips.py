"""Tall pictures are cut into parts that together make up the whole."""

from __future__ import annotations

from io import BytesIO

import pytest

from planspec.families.worldtravel.webscape.strips import OVERLAP, TALL, strips
from tests.extras import needs


@needs("PIL", extra="browser")
@pytest.mark.parametrize("height", [1, TALL, TALL + 1, 2 * TALL - OVERLAP, 2 * TALL, 6_784])
def test_a_tall_picture_is_cut_into_overlapping_strips(height: int) -> None:
    from PIL import Image

    whole = Image.linear_gradient("L").resize((40, height)).convert("RGB")
    data = BytesIO()
    whole.save(data, "PNG")
    parts = [Image.open(BytesIO(part)) for part in strips(data.getvalue())]
    assert all(part.width == 40 and part.height <= TALL for part in parts)
    assert (len(parts) == 1) == (height <= TALL)
    for number, part in enumerate(parts):
        top = number * (TALL - OVERLAP)
        assert part.convert("RGB").tobytes() == whole.crop((0, top, 40, top + part.height)).tobytes()
    assert (len(parts) - 1) * (TALL - OVERLAP) + parts[-1].height == height
    assert len(parts) == 1 or parts[-1].height > OVERLAP
