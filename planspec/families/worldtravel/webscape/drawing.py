"""Pictures of places, drawn: what stands where a site has a photograph.

A sight's name, or what is said about a hotel or restaurant, decides what is drawn (a dome, an arena, a tower of many floors), and
the hash of its name the hour, the stone and who walks by. Nothing in a picture can be taken for a fact: no text, no clocks, no numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from random import Random
from typing import assert_never
from urllib.parse import quote

from markupsafe import escape

from planspec.families.worldtravel.webscape import houses, shapes
from planspec.families.worldtravel.webscape.shapes import Brush
from planspec.families.worldtravel.webscape.sites import Site
from planspec.families.worldtravel.webscape.tables import Row

SAFE = " /:;=,.()'-"
"""What stands as it is in an image's address."""

Drawn = Callable[[Brush], str]
SCENES: tuple[tuple[tuple[str, ...], Drawn], ...] = (
    (("memorial",), shapes.blocks),
    (("reichstag", "glass"), shapes.glass_dome),
    (("panorama",), shapes.round_hall),
    (("fernsehturm", "tower", "turm"), shapes.needle),
    (("zoo", "aquarium"), shapes.elephant),
    (("opera", "oper", "teatro", "música", "philharm"), shapes.opera),
    (("güell", "park", "garden", "giardin"), shapes.park),
    (("colosseum", "arena", "amphi"), shapes.arena),
    (("bath", "caracalla"), shapes.brick_halls),
    (("forum", "ruin"), shapes.ruins),
    (("sagrada",), shapes.cluster),
    (("stephansdom", "minster"), shapes.steeple),
    (("catedral", "cathedral"), shapes.spires),
    (("pantheon",), shapes.rotunda),
    (("castel sant", "mausoleum"), shapes.drum),
    (("duomo", "basilica"), shapes.dome),
    (("castel", "vecchio", "burg", "fort"), shapes.castle),
    (("casa", "pedrera"), shapes.waves),
    (("nacional", "national"), shapes.domed_palace),
    (("sant pau", "hospital"), shapes.pavilions),
    (("schloss", "belvedere", "palazzo", "palau", "palace", "capitoline", "borghese"), shapes.palace),
    (("uffizi", "galleria", "gallery", "vatican", "picasso"), shapes.arcade),
)
"""What is drawn for an attraction by words of its name, the first that fits; for others a museum with columns."""
HOTELS: tuple[tuple[tuple[str, ...], Drawn], ...] = (
    (("twists",), houses.twisted),
    (("floors on", "floors of", "tall modern"), houses.tower),
    (("cloister", "convent"), houses.cloister),
    (("factory",), houses.works),
    (("resort", "guest house, yellow"), houses.resort),
    (("grand hotel", "grand house", "marble palace"), houses.palazzo),
)
"""What is drawn for a hotel by words of what is said about it; for others a house of many windows."""
RESTAURANTS: tuple[tuple[tuple[str, ...], Drawn], ...] = (
    (("pavilion",), houses.pavilion),
    (("villa",), houses.villa),
    (("arcades",), houses.arcaded),
    (("cellars",), houses.cellar),
    (("coffee house", "brasserie", "palace"), houses.coffee_house),
    (("inn ", "tavern", "passage", "trattoria", "oldest"), houses.tavern),
)
"""Likewise for a restaurant; for others a front with an awning."""


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


def _thing(row: Row) -> Drawn:
    if "stars" in row:
        return _first(HOTELS, row["about"], houses.hotel)
    if row["kind"] == "restaurant":
        return _first(RESTAURANTS, row["about"], houses.restaurant)
    return _first(SCENES, row["name"], shapes.museum)


def _first(known: tuple[tuple[tuple[str, ...], Drawn], ...], said: str, other: Drawn) -> Drawn:
    text = said.lower()
    return next((drawn for words, drawn in known if any(word in text for word in words)), other)
