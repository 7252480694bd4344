"""Pictures of places, drawn: what stands where a site has a photograph.

A place's name decides what is drawn (a dome, an arena, a table) and, by its hash, the hour, the stone and who walks by. Nothing
in a picture can be taken for a fact: no text, no clocks, no numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from random import Random
from typing import assert_never
from urllib.parse import quote

from markupsafe import escape

from planspec.families.worldtravel.webscape import shapes
from planspec.families.worldtravel.webscape.shapes import Brush
from planspec.families.worldtravel.webscape.sites import Site
from planspec.families.worldtravel.webscape.tables import Row

SAFE = " /:;=,.()'-"
"""What stands as it is in an image's address."""

SCENES: tuple[tuple[tuple[str, ...], Callable[[Brush], str]], ...] = (
    (("memorial",), shapes.blocks),
    (("reichstag", "glass"), shapes.glass_dome),
    (("fernsehturm", "tower", "turm"), shapes.needle),
    (("zoo", "aquarium"), shapes.elephant),
    (("opera", "oper", "teatro", "música", "philharm"), shapes.opera),
    (("güell", "park", "garden", "giardin"), shapes.park),
    (("colosseum", "arena", "amphi"), shapes.arena),
    (("forum", "bath", "caracalla", "ruin"), shapes.ruins),
    (("sagrada", "stephansdom", "catedral", "cathedral"), shapes.spires),
    (("duomo", "pantheon", "basilica", "capitoline"), shapes.dome),
    (("castel", "vecchio", "burg", "fort"), shapes.castle),
    (("casa", "pedrera", "modernista"), shapes.waves),
    (("schloss", "belvedere", "palazzo", "palau", "palace"), shapes.palace),
    (("uffizi", "galleria", "gallery"), shapes.arcade),
)
"""What is drawn for an attraction by words of its name, the first that fits; for others a museum with columns."""


def scene(row: Row, width: int, height: int, site: Site) -> str:
    """A picture of a place or a hotel, the same for the same name and site: a drawing within the page, or an image.

    Args:
        row: of the place or hotel.
        width: in pixels.
        height: in pixels.
        site: by day where its paper is light, by night where it is dark.
    """
    random = Random(sha256(row["name"].encode()).digest())
    brush = Brush(width, height, random, site.dark)
    layers = (shapes.sky(brush), _thing(row)(brush), shapes.ground(brush))
    named = escape(row["name"])
    box = f'viewBox="0 0 {width} {height}" preserveAspectRatio="xMidYMid slice"'
    match site.pictures:
        case "image":
            drawing = f'<svg xmlns="http://www.w3.org/2000/svg" {box}>{"".join(layers)}</svg>'
            return f'<img alt="{named}" src="data:image/svg+xml,{quote(drawing, SAFE)}">'
        case "layers":
            drawn = "".join(f"<g>{layer}</g>" for layer in layers)
        case "deep":
            drawn = f"<g><g>{''.join(f'<g>{layer}</g>' for layer in layers)}</g></g>"
        case "group":
            drawn = f"<g><g>{''.join(layers)}</g></g>"
        case "plain":
            drawn = "".join(layers)
        case _:
            assert_never(site.pictures)
    return f'<svg {box} role="img"><title>{named}</title>{drawn}</svg>'


def _thing(row: Row) -> Callable[[Brush], str]:
    if "stars" in row:
        return shapes.hotel
    if row["kind"] == "restaurant":
        return shapes.restaurant
    name = row["name"].lower()
    return next((drawn for words, drawn in SCENES if any(word in name for word in words)), shapes.museum)
