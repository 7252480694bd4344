"""Scenes of places. Each kind of scene has a function that builds it. Its random choices depend on the place."""

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

_EASTERN_LONGITUDE = 60
"""Longitude in degrees. Places east of it are built in East Asian styles."""


def _build_museum(site: Site) -> Sight:
    return halls.classical_building(site) if site.maybe(50) else halls.modern_building(site)


def _build_palace(site: Site) -> Sight:
    return eastern.palace(site) if site.eastern else halls.palace(site)


def _build_gate(site: Site) -> Sight:
    return eastern.gate(site) if site.eastern or site.maybe(40) else monuments.memorial(site)


def _build_house(site: Site) -> Sight:
    return eastern.court(site) if site.eastern and site.maybe(75) else houses.cottage(site)


COMPOSITIONS: dict[SceneKind, Callable[[Site], Sight]] = {
    "museum": _build_museum,
    "palace": _build_palace,
    "pagoda": eastern.pagoda,
    "church": monuments.church,
    "memorial": monuments.memorial,
    "tower": towers.tower,
    "library": _build_museum,
    "university": houses.university,
    "gate": _build_gate,
    "wall": eastern.wall,
    "house": _build_house,
    "hotel": towers.hotel,
    "restaurant": streets.restaurant_front,
    "station": terminals.station,
    "metro": streets.metro,
    "airport": terminals.airport,
    "mall": terminals.mall,
    "street": streets.street,
    "market": streets.market,
    "square": streets.square,
    "theatre": halls.theatre,
    "stadium": monuments.stadium,
    "port": waterside.port,
    "bridge": waterside.bridge,
    "lake": waterside.lake,
    "park": nature.park,
    "garden": nature.garden,
    "mountain": nature.mountain,
    "zoo": nature.zoo,
    "fair": nature.fair,
}
"""Functions that build the outside of a place, keyed by the kind of scene."""
INTERIORS: dict[SceneKind, Callable[[Site], Sight]] = {"museum": rooms.gallery, "restaurant": rooms.dining}
"""Functions that build a room, keyed by the kind of scene."""


def scene_of(place: AnyPlace, seed: int, moment: int, *, indoors: bool) -> Scene:
    """Build the scene of a place.

    Args:
        place: place to build.
        seed: seed of the whole collection.
        moment: seed of details that differ between views, such as passers-by.
        indoors: whether to build a room, if the kind of place has one.
    """
    kind = kind_of(place)
    is_interior = indoors and kind in INTERIORS
    dice = Dice("scene", place.name, place.city, type(place).__name__, seed, int(is_interior))
    site = Site(dice, np.random.Generator(np.random.PCG64(moment)), float(place.longitude) > _EASTERN_LONGITUDE)
    sight = (INTERIORS if is_interior else COMPOSITIONS)[kind](site)
    return site.scene(sight, indoors=is_interior)


def render(place: AnyPlace, seed: int, view: View, width: int, *, indoors: bool) -> bytes:
    """Render a view of a place as a JPEG, `width` pixels wide."""
    return photograph(scene_of(place, seed, view.chance, indoors=indoors), view, width)
