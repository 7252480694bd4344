"""Pictures of places, drawn: what stands where a site has a photograph.

A place's name decides what is drawn (a dome, an arena, a table) and, by its hash, the hour, the stone and who walks by. Nothing
in a picture can be taken for a fact: no text, no clocks, no numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from random import Random

from markupsafe import escape

from planspec.families.worldtravel.webscape import shapes
from planspec.families.worldtravel.webscape.shapes import Brush
from planspec.families.worldtravel.webscape.sites import Site
from planspec.families.worldtravel.webscape.tables import Row

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
    """A picture of a place or a hotel as SVG, the same for the same name and site.

    Args:
        row: of the place or hotel.
        width: in pixels.
        height: in pixels.
        site: by day where its paper is light, by night where it is dark.
    """
    random = Random(sha256(row["name"].encode()).digest())
    brush = Brush(width, height, random, site.dark)
    drawn = (shapes.sky(brush), _thing(row)(brush), shapes.ground(brush))
    return (
        f'<svg viewBox="0 0 {width} {height}" role="img" preserveAspectRatio="xMidYMid slice">'
        f"<title>{escape(row['name'])}</title>{''.join(drawn)}</svg>"
    )


def _thing(row: Row) -> Callable[[Brush], str]:
    if "stars" in row:
        return shapes.hotel
    if row["kind"] == "restaurant":
        return shapes.restaurant
    name = row["name"].lower()
    return next((drawn for words, drawn in SCENES if any(word in name for word in words)), shapes.museum)
