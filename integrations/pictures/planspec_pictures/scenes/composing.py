"""Scene of a place: the composition of its kind, with the place's own choices."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from planspec.families.veritrip.facts import AnyPlace
from planspec.families.veritrip.pictures.chance import Dice
from planspec_pictures.kinds import SceneKind, kind_of
from planspec_pictures.rendering.camera import photograph
from planspec_pictures.scenes import (
    eastern,
    halls,
    houses,
    monuments,
    nature,
    rooms,
    streets,
    terminals,
    towers,
    waterside,
)
from planspec_pictures.scenes.scene import Scene, Sight
from planspec_pictures.scenes.site import Site
from planspec_pictures.views import View

_EAST = 60
"""Longitude in degrees, east of which places are built in the eastern manner."""


def _museum(site: Site) -> Sight:
    return halls.classical(site) if site.maybe(50) else halls.modern(site)


def _palace(site: Site) -> Sight:
    return eastern.palace(site) if site.eastern else halls.palace(site)


def _gate(site: Site) -> Sight:
    return eastern.gate(site) if site.eastern or site.maybe(40) else monuments.memorial(site)


def _house(site: Site) -> Sight:
    return eastern.court(site) if site.eastern and site.maybe(75) else houses.cottage(site)


COMPOSITIONS: dict[SceneKind, Callable[[Site], Sight]] = {
    "museum": _museum, "palace": _palace, "pagoda": eastern.pagoda, "church": monuments.church,
    "memorial": monuments.memorial, "tower": towers.tower, "library": _museum, "university": houses.university,
    "gate": _gate, "wall": eastern.wall, "house": _house, "hotel": towers.hotel, "restaurant": streets.front,
    "station": terminals.station, "metro": streets.metro, "airport": terminals.airport, "mall": terminals.mall,
    "street": streets.street, "market": streets.market, "square": streets.square, "theatre": halls.theatre,
    "stadium": monuments.stadium, "port": waterside.port, "bridge": waterside.bridge, "lake": waterside.lake,
    "park": nature.park, "garden": nature.garden, "mountain": nature.mountain, "zoo": nature.zoo, "fair": nature.fair,
}  # fmt: skip
"""Compositions seen from outside."""
ROOMS: dict[SceneKind, Callable[[Site], Sight]] = {"museum": rooms.gallery, "restaurant": rooms.dining}
"""Compositions seen indoors."""


def scene_of(place: AnyPlace, seed: int, moment: int, *, indoors: bool) -> Scene:
    """Build the scene of a place.

    Args:
        place: place to build.
        seed: seed of the whole collection.
        moment: seed of the passers-by.
        indoors: whether to build the room, if there is one for the kind.
    """
    kind = kind_of(place)
    inside = indoors and kind in ROOMS
    dice = Dice("scene", place.name, place.city, type(place).__name__, seed, int(inside))
    site = Site(dice, np.random.Generator(np.random.PCG64(moment)), float(place.longitude) > _EAST)
    sight = (ROOMS if inside else COMPOSITIONS)[kind](site)
    return site.scene(sight, indoors=inside)


def render(place: AnyPlace, seed: int, view: View, width: int, *, indoors: bool) -> bytes:
    """Render a view of a place as a JPEG, `width` pixels wide."""
    return photograph(scene_of(place, seed, view.chance, indoors=indoors), view, width)
