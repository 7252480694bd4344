"""Drawings differ between places, are well formed and reproducible, and contain no text."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import unquote
from xml.etree import ElementTree as ET

import pytest

from planspec.families.worldtravel.webscape.drawing import SCENES, scene
from planspec.families.worldtravel.webscape.plan_of_site import PAGES
from planspec.families.worldtravel.webscape.sites import SITES
from planspec.families.worldtravel.webscape.tables import Tables, WorldRow
from tests.paths import ROOT

GATE = next(site for site in SITES if not site.is_dark)
NIGHT = next(site for site in SITES if site.is_dark)


def places() -> Iterator[WorldRow]:
    """Yield the places of all cities."""
    for city in PAGES:
        tables = Tables(ROOT / "tasks" / f"worldtravel-{city}" / "world")
        yield from tables.rows("place")
        yield from tables.rows("hotel")


def test_each_place_has_its_own_picture() -> None:
    drawn = [scene(row, 640, 360, GATE) for row in places()]
    assert len(drawn) > 80
    assert len(set(drawn)) == len(drawn)


@pytest.mark.parametrize(("width", "height"), [(640, 360), (120, 120), (1120, 220)])
def test_a_picture_is_well_formed_and_its_only_text_is_the_name_of_the_place(width: int, height: int) -> None:
    for row in places():
        drawn = ET.fromstring(scene(row, width, height, NIGHT))
        assert "".join(drawn.itertext()) == row["name"]
        assert not [element for element in drawn.iter() if "id" in element.attrib]


def test_an_image_file_contains_the_same_drawing_as_inline_markup() -> None:
    plain = next(site for site in SITES if site.pictures == "plain")
    for row in places():
        image = ET.fromstring(scene(row, 300, 200, GATE).replace(">", "/>"))
        assert (image.tag, image.attrib["alt"]) == ("img", row["name"])
        kind, _, drawing = image.attrib["src"].partition(",")
        assert kind == "data:image/svg+xml"
        shown, drawn = (ET.fromstring(text) for text in (unquote(drawing), scene(row, 300, 200, plain)))
        assert [part.attrib for part in shown] == [part.attrib for part in drawn if part.tag != "title"]


def test_each_markup_of_drawings_is_used_by_some_site() -> None:
    assert {site.pictures for site in SITES} == {"image", "layers", "group", "deep", "plain"}


def test_the_same_place_always_has_the_same_drawing() -> None:
    for row in places():
        assert scene(row, 300, 200, GATE) == scene(row, 300, 200, GATE)


def test_a_dark_site_shows_places_at_night() -> None:
    row = next(places())
    assert scene(row, 300, 200, GATE) != scene(row, 300, 200, NIGHT)
    assert [site.id for site in SITES if site.is_dark] == ["nocturne"]


def test_each_scene_is_used_by_some_place() -> None:
    names = [row["name"].lower() for row in places() if row.get("kind") == "attraction"]
    for words, drawn in SCENES:
        assert any(word in name for word in words for name in names), drawn.__name__
