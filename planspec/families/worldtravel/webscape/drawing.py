"""Pictures of places, drawn: what stands where a site has a photograph."""

from __future__ import annotations

from hashlib import sha256

from markupsafe import escape

from planspec.families.worldtravel.webscape.sites import Site
from planspec.families.worldtravel.webscape.tables import Row


def scene(row: Row, width: int, height: int, site: Site) -> str:
    """A picture of a place or a hotel as SVG.

    Args:
        row: of the place or hotel.
        width: in pixels.
        height: in pixels.
        site: whose colours it has.
    """
    drawn = sha256(row["name"].encode()).digest()
    hue = drawn[0] * 360 // 256
    ground = height * 3 // 4
    shapes = [
        f'<rect x="{width * i // 9}" y="{ground - drawn[i + 1] * height // 480}" width="{width // 11}" height="{height}" '
        f'fill="hsl({(hue + 12 * i) % 360} 30% {35 + 3 * i}%)"></rect>'
        for i in range(9)
    ]
    return (
        f'<svg viewBox="0 0 {width} {height}" role="img" preserveAspectRatio="xMidYMid slice">'
        f"<title>{escape(row['name'])}</title>"
        f'<rect width="{width}" height="{height}" fill="hsl({hue} 45% {22 if site.dark else 82}%)"></rect>{"".join(shapes)}</svg>'
    )
