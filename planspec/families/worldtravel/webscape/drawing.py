"""Drawings of places, which pages show instead of photographs.

The name of a sight, or the description of a hotel or restaurant, selects the drawing, such as a dome or an
arena. The hash of the name selects details such as the colour of the stone and the passers-by. A drawing
contains nothing that could be taken for a fact: no text, no clocks, no numbers.
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
from planspec.families.worldtravel.webscape.tables import WorldRow

SAFE = " /:;=,.()'-"
"""Characters that are not escaped in the URL of an image."""

Drawing = Callable[[Brush], str]
SCENES: tuple[tuple[tuple[str, ...], Drawing], ...] = (
    (("memorial",), shapes.draw_field_of_blocks),
    (("reichstag", "glass"), shapes.draw_glass_domed_house),
    (("panorama",), shapes.draw_round_hall),
    (("fernsehturm", "tower", "turm"), shapes.draw_television_tower),
    (("zoo", "aquarium"), shapes.draw_elephant),
    (("opera", "oper", "teatro", "música", "philharm"), shapes.draw_opera_house),
    (("güell", "park", "garden", "giardin"), shapes.draw_park_terrace),
    (("colosseum", "arena", "amphi"), shapes.draw_arena),
    (("bath", "caracalla"), shapes.draw_brick_halls),
    (("forum", "ruin"), shapes.draw_ruins),
    (("sagrada",), shapes.draw_many_towered_church),
    (("stephansdom", "minster"), shapes.draw_steep_roofed_church),
    (("catedral", "cathedral"), shapes.draw_two_towered_cathedral),
    (("pantheon",), shapes.draw_rotunda),
    (("castel sant", "mausoleum"), shapes.draw_stone_drum),
    (("duomo", "basilica"), shapes.draw_dome),
    (("castel", "vecchio", "burg", "fort"), shapes.draw_castle),
    (("casa", "pedrera"), shapes.draw_wavy_front),
    (("nacional", "national"), shapes.draw_domed_palace),
    (("sant pau", "hospital"), shapes.draw_domed_pavilions),
    (("schloss", "belvedere", "palazzo", "palau", "palace", "capitoline", "borghese"), shapes.draw_palace),
    (("uffizi", "galleria", "gallery", "vatican", "picasso"), shapes.draw_arcade),
)
"""Words in the names of attractions, with the drawing that they select.

The first match counts; the default is a museum.
"""
HOTELS: tuple[tuple[tuple[str, ...], Drawing], ...] = (
    (("twists",), houses.draw_twisted_tower),
    (("floors on", "floors of", "tall modern"), houses.draw_high_rise),
    (("cloister", "convent"), houses.draw_cloister),
    (("factory",), houses.draw_brick_works),
    (("resort", "guest house, yellow"), houses.draw_resort),
    (("grand hotel", "grand house", "marble palace"), houses.draw_palazzo),
)
"""Words in the descriptions of hotels, with the drawing that they select.

The first match counts; the default is a house.
"""
RESTAURANTS: tuple[tuple[tuple[str, ...], Drawing], ...] = (
    (("pavilion",), houses.draw_pavilion),
    (("villa",), houses.draw_villa),
    (("arcades",), houses.draw_arcaded_house),
    (("cellars",), houses.draw_cellar),
    (("coffee house", "brasserie", "palace"), houses.draw_coffee_house),
    (("inn ", "tavern", "passage", "trattoria", "oldest"), houses.draw_tavern),
)
"""Words in the descriptions of restaurants, with the drawing that they select.

The first match counts; the default is a house front with an awning.
"""


def scene(row: WorldRow, width: int, height: int, site: Site) -> str:
    """Return the HTML of the drawing of a place or hotel, as inline SVG or as an image.

    The same name and site always give the same picture.

    Args:
        row: row of the place or hotel.
        width: width in pixels.
        height: height in pixels.
        site: site of the page. A site with a dark background shows the place at night.
    """
    random = Random(sha256(row["name"].encode()).digest())
    brush = Brush(width, height, random, site.is_dark)
    layers = (shapes.draw_sky(brush), _drawing_of(row)(brush), shapes.draw_ground(brush))
    label = escape(row["name"])
    box = f'viewBox="0 0 {width} {height}" preserveAspectRatio="xMidYMid slice"'
    match site.pictures:
        case "image":
            drawing = f'<svg xmlns="http://www.w3.org/2000/svg" {box}>{"".join(layers)}</svg>'
            return f'<img alt="{label}" src="data:image/svg+xml,{quote(drawing, SAFE)}">'
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
    return f'<svg {box} role="img"><title>{label}</title>{drawn}</svg>'


def _drawing_of(row: WorldRow) -> Drawing:
    if "stars" in row:
        return _first_match(HOTELS, row["about"], houses.draw_hotel)
    if row["kind"] == "restaurant":
        return _first_match(RESTAURANTS, row["about"], houses.draw_restaurant)
    return _first_match(SCENES, row["name"], shapes.draw_museum)


def _first_match(options: tuple[tuple[tuple[str, ...], Drawing], ...], description: str, default: Drawing) -> Drawing:
    text = description.lower()
    return next((drawn for words, drawn in options if any(word in text for word in words)), default)
