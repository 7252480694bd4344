"""Street networks of generated cities: junctions, roads and pieces, connected for each travel mode."""

from __future__ import annotations

import math
from dataclasses import dataclass
from random import Random

from planspec.families.mobilitybench.map.expressways import lay_motorways
from planspec.families.mobilitybench.map.geometry import Plane
from planspec.families.mobilitybench.map.ground import CityGround, River, Stretch, lay_streets, place_lights
from planspec.families.mobilitybench.map.lattice import draft_streets
from planspec.families.mobilitybench.map.naming import NameGenerator
from planspec.families.mobilitybench.map.records import Junction, Mode, Piece, Point, Road
from planspec.families.mobilitybench.map.specs import CitySpec

MODES: tuple[Mode, ...] = ("drive", "walk", "cycle")


@dataclass(frozen=True, slots=True)
class Streets:
    """Street network of a city, with the data that later stages of its generation need.

    Attributes:
        parks: each park as (x, y, radius), in metres east and north of the centre.
        river: the river; None if there is none.
        plane: projection of the city to a plane around its centre.
        radius_m: radius of the city.
    """

    junctions: tuple[Junction, ...]
    roads: tuple[Road, ...]
    pieces: tuple[Piece, ...]
    parks: tuple[tuple[float, float, float], ...]
    river: River | None
    plane: Plane
    radius_m: float


def grow_streets(spec: CitySpec, seed: int, size: int, names: NameGenerator) -> Streets:
    """Generate a street network of about `size` junctions, give or take 10%."""
    rng = Random(f"{seed}/{spec.english}/streets")
    loss_factor = {"grid": 1.0, "rings": 1.0, "organic": 1.03}[spec.style]
    radials = spec.expressways if size > 500 else 1
    motorway_junctions = (3.5 + 0.56 * radials) * math.sqrt(size / math.pi)
    plan = draft_streets(spec, rng, round((size - motorway_junctions) * loss_factor))
    river = River(spec, rng, plan.radius_m) if spec.river_m else None
    ground = lay_streets(spec, rng, plan, names, river)
    lay_motorways(spec, rng, ground, names, river)
    connect(ground)
    place_lights(ground, rng)
    return street_records(spec, ground, river)


def connect(ground: CityGround) -> None:
    """Make the streets of each travel mode strongly connected.

    One-way streets outside the largest component are opened in both directions. If there are none, all streets
    outside it are closed to the mode.
    """
    import networkx as nx

    for mode in MODES:
        while True:
            graph = nx.DiGraph()
            for stretch in ground.stretches:
                if mode in stretch.modes:
                    graph.add_edge(stretch.tail, stretch.head)
                    if not stretch.one_way or mode == "walk":
                        graph.add_edge(stretch.head, stretch.tail)
            core = max(nx.strongly_connected_components(graph), key=lambda part: (len(part), -min(part)))
            outside = [s for s in ground.stretches if mode in s.modes and not {s.tail, s.head} <= core]
            if not outside:
                break
            _open_or_drop(ground, mode, outside)


def _open_or_drop(ground: CityGround, mode: Mode, outside: list[Stretch]) -> None:
    one_ways = [s for s in outside if s.one_way and "walk" in s.modes and mode != "walk"]
    if one_ways:
        for stretch in one_ways:
            stretch.one_way = False
        return
    for stretch in outside:
        stretch.modes = tuple(other for other in stretch.modes if other != mode)
    ground.stretches = [stretch for stretch in ground.stretches if stretch.modes]


def street_records(spec: CitySpec, ground: CityGround, river: River | None) -> Streets:
    """Convert the generated streets of a town to junctions, roads and pieces with geographic coordinates."""
    plane = Plane(Point(spec.longitude, spec.latitude))
    used = sorted({end for s in ground.stretches for end in (s.tail, s.head)})
    node = {old: new for new, old in enumerate(used)}
    junctions = tuple(
        Junction(new, plane.point(*ground.places[old]), old in ground.lights) for old, new in node.items()
    )
    used_roads = sorted({stretch.road for stretch in ground.stretches})
    road = {old: new for new, old in enumerate(used_roads)}
    roads = tuple(Road(new, *ground.roads[old]) for old, new in road.items())
    pieces: list[Piece] = []
    for s in ground.stretches:
        ends = plane.flat(junctions[node[s.tail]].point), plane.flat(junctions[node[s.head]].point)
        length = math.ceil(math.dist(*ends) / 1000) + 1
        pieces.append(
            Piece(
                len(pieces),
                node[s.tail],
                node[s.head],
                road[s.road],
                length,
                s.one_way,
                s.toll,
                s.bridge,
                s.tunnel,
                s.modes,
            )
        )
    return Streets(junctions, roads, tuple(pieces), tuple(ground.parks), river, plane, ground.radius_m)
