"""Streets of a town during its generation, when pieces of streets may still be moved, narrowed or removed."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from random import Random

from planspec.families.mobilitybench.map.lattice import Rank, Street, StreetDraft
from planspec.families.mobilitybench.map.naming import NameGenerator
from planspec.families.mobilitybench.map.records import Mode, RoadClass
from planspec.families.mobilitybench.map.specs import CitySpec

EVERYONE: tuple[Mode, ...] = ("drive", "walk", "cycle")
SLOW: tuple[Mode, ...] = ("walk", "cycle")
CARS: tuple[Mode, ...] = ("drive",)
ORDER: dict[Rank, int] = {"trunk": 0, "primary": 1, "secondary": 2, "residential": 3}


@dataclass(slots=True)
class Stretch:
    """A planned piece of a street, with the fields of `records.Piece`."""

    tail: int
    head: int
    road: int
    modes: tuple[Mode, ...]
    one_way: bool = False
    toll: int = 0
    bridge: bool = False
    tunnel: bool = False


@dataclass(slots=True)
class CityGround:
    """Streets and parks of a town during its generation.

    Attributes:
        places: position of each junction, in metres east and north of the town's centre.
        roads: name, English name and class of each road.
        stretches: planned pieces of streets between junctions.
        lights: indices of junctions with traffic lights.
        parks: each park as (x, y, radius), in metres east and north of the town's centre.
        radius_m: radius of the town.
    """

    places: list[tuple[float, float]]
    radius_m: float
    roads: list[tuple[str, str, RoadClass]] = field(default_factory=list)
    stretches: list[Stretch] = field(default_factory=list)
    lights: set[int] = field(default_factory=set)
    parks: list[tuple[float, float, float]] = field(default_factory=list)

    def add_road(self, names: tuple[str, str], kind: RoadClass) -> int:
        """Add a road and return its index."""
        self.roads.append((*names, kind))
        return len(self.roads) - 1

    def distance_m(self, a: int, b: int) -> float:
        return math.dist(self.places[a], self.places[b])


class River:
    """A river that winds through the town."""

    def __init__(self, spec: CitySpec, rng: Random, radius_m: float) -> None:
        angle = math.radians(spec.river_angle)
        self._east, self._north = math.cos(angle), math.sin(angle)
        self._offset = radius_m * rng.uniform(0.06, 0.2)
        self._length = radius_m * rng.uniform(0.28, 0.4)
        self._swing = radius_m * rng.uniform(0.06, 0.12)
        self._phase = rng.uniform(0, 6.28)
        self.width_m = min(spec.river_m, radius_m * 0.2)

    def across(self, place: tuple[float, float]) -> float:
        """Return the distance of a place from the middle of the river in metres, negative on one of the banks."""
        along = place[0] * self._east + place[1] * self._north
        beside = place[1] * self._east - place[0] * self._north
        bed = self._offset + self._swing * math.sin(along / self._length + self._phase)
        return (beside - bed) / math.hypot(1, self._swing / self._length)

    def along(self, place: tuple[float, float]) -> float:
        """Return how far along the river a place lies, in metres."""
        return place[0] * self._east + place[1] * self._north

    def covers(self, place: tuple[float, float]) -> bool:
        return abs(self.across(place)) < self.width_m / 2


def lay_streets(
    spec: CitySpec, rng: Random, plan: StreetDraft, names: NameGenerator, river: River | None
) -> CityGround:
    """Generate the streets of a town, with parks and bridges but without motorways and traffic lights."""
    ground = CityGround(plan.places, plan.radius_m)
    if len(plan.places) >= 120:
        ground.parks = _draw_parks(rng, plan, spec.block_m, river)
    crossings: list[tuple[Street, int, int, int]] = []
    for street in sorted(plan.streets, key=lambda street: ORDER[street.rank]):
        dry = [node for node in street.nodes if river is None or not river.covers(plan.places[node])]
        if len(dry) < 2:
            continue
        name = names.ring_road_name(street.ring) if street.ring else names.draw_road_name(street.rank)
        road = ground.add_road(name, street.rank)
        narrow = street.rank == "residential" and rng.random() * 100 < spec.one_way
        back = rng.random() < 0.5
        rest = iter(dry)
        current = next(rest)
        for following in rest:
            if river is not None and river.across(plan.places[current]) * river.across(plan.places[following]) < 0:
                crossings.append((street, road, current, following))
            elif ground.distance_m(current, following) < 2.6 * spec.block_m or street.ring:
                ends = (following, current) if back else (current, following)
                ground.stretches.append(Stretch(*ends, road, EVERYONE, one_way=narrow))
            current = following
    if river is not None:
        _lay_bridges(ground, river, crossings, spec)
    _thin_out_streets(ground, rng, {"grid": 0.03, "rings": 0.08, "organic": 0.2}[spec.style])
    _lay_park_paths(ground, names)
    return ground


def _draw_parks(rng: Random, plan: StreetDraft, block_m: int, river: River | None) -> list[tuple[float, float, float]]:
    count = 2 + len(plan.places) // 700
    parks: list[tuple[float, float, float]] = []
    for _ in range(count * 12):
        if len(parks) == count:
            break
        distance_m, angle = plan.radius_m * math.sqrt(rng.uniform(0.01, 0.7)), rng.uniform(0, 6.283)
        x, y = distance_m * math.cos(angle), distance_m * math.sin(angle)
        size = block_m * rng.uniform(1.4, 2.9)
        dry = river is None or abs(river.across((x, y))) > size + river.width_m / 2
        if dry and all(math.dist((x, y), park[:2]) > size + park[2] + 2 * block_m for park in parks):
            parks.append((x, y, size))
    return parks


def _lay_bridges(
    ground: CityGround, river: River, crossings: list[tuple[Street, int, int, int]], spec: CitySpec
) -> None:
    """Add a few bridges far apart, on major roads first.

    The second bridge has a toll; the third is replaced by a tunnel.

    Args:
        ground: streets of the town, to which the bridges are added.
        river: river to cross.
        crossings: streets that the river interrupts, each as (street, index of its road, junction on this bank,
            junction on the other bank).
        spec: specification of the city.
    """
    built: list[float] = []
    ranked = sorted(crossings, key=lambda crossing: ORDER[crossing[0].rank])
    for spacing_m in (6 * spec.block_m, 3 * spec.block_m):
        for street, road, near_end, far_end in ranked:
            at = river.along(ground.places[near_end])
            short = ground.distance_m(near_end, far_end) < 2.2 * river.width_m + 2 * spec.block_m
            is_superfluous = len(built) >= 3 and (street.rank == "residential" or spacing_m < 6 * spec.block_m)
            if short and not is_superfluous and all(abs(at - other) > spacing_m for other in built):
                built.append(at)
                toll = max(100, spec.bus_fare * 2) if len(built) == 2 else 0
                under = len(built) == 3
                ground.stretches.append(
                    Stretch(near_end, far_end, road, EVERYONE, toll=toll, bridge=not under, tunnel=under)
                )


def _thin_out_streets(ground: CityGround, rng: Random, share: float) -> None:
    """Remove some small streets so that blocks differ in size. Both ends of a removed street keep two other streets."""
    degree: dict[int, int] = {}
    for stretch in ground.stretches:
        for end in (stretch.tail, stretch.head):
            degree[end] = degree.get(end, 0) + 1
    remaining = []
    for stretch in ground.stretches:
        small = ground.roads[stretch.road][2] == "residential" and not (stretch.bridge or stretch.tunnel)
        if small and rng.random() < share and min(degree[stretch.tail], degree[stretch.head]) > 2:
            degree[stretch.tail] -= 1
            degree[stretch.head] -= 1
        else:
            remaining.append(stretch)
    ground.stretches = remaining


def _lay_park_paths(ground: CityGround, names: NameGenerator) -> None:
    """Turn the small streets inside parks into paths. The paths of a park share a name."""
    small = [
        stretch
        for stretch in ground.stretches
        if ground.roads[stretch.road][2] == "residential" and not (stretch.tunnel or stretch.bridge)
    ]
    for x, y, size in ground.parks:
        trail = None
        for stretch in small:
            at = ground.places[stretch.tail]
            if abs(at[0] - x) >= size or math.dist(at, (x, y)) >= size:
                continue
            if math.dist(ground.places[stretch.head], (x, y)) < size:
                if trail is None:
                    stem = names.draw_stem()
                    local, english = names.words["trail"]
                    name = names.make_unique(local.format(of=stem[0])), english.format(of=stem[1])
                    trail = ground.add_road(name, "path")
                stretch.road, stretch.modes, stretch.one_way = trail, SLOW, False


def place_lights(ground: CityGround, rng: Random) -> None:
    """Place traffic lights where major streets cross, and where some small streets meet them."""
    meeting: dict[int, set[int]] = {}
    for stretch in ground.stretches:
        if "drive" in stretch.modes:
            for end in (stretch.tail, stretch.head):
                meeting.setdefault(end, set()).add(stretch.road)
    weight = {"trunk": 2, "primary": 2, "secondary": 2, "residential": 0, "motorway": 0, "path": 0}
    for node in sorted(meeting):
        roads = sorted(meeting[node])
        major_weight = sum(weight[ground.roads[road][2]] for road in roads)
        odds = 0.95 if major_weight >= 4 else 0.35 if major_weight and len(roads) > 1 else 0.0
        if rng.random() < odds:
            ground.lights.add(node)
