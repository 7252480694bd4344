"""Import of real cities: osmium reads an extract of OpenStreetMap, and this module converts it to a `City`.

Streets keep their class, names, directions, lights and speeds. Places keep their names, kinds and addresses.
OpenStreetMap lacks some data: ratings, traffic and weather are generated from a seed; transit lines are left out.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from planspec.dsl.resources.limits import MAP_JUNCTIONS, MAP_STREETS
from planspec.errors import PlanspecError
from planspec.families.mobilitybench.map.days import PERIODS, TODAY
from planspec.families.mobilitybench.map.geometry import PointIndex, metres
from planspec.families.mobilitybench.map.growing import move_to_day
from planspec.families.mobilitybench.map.network import SPEED_M_H
from planspec.families.mobilitybench.map.places import door_address
from planspec.families.mobilitybench.map.records import (
    UNNAMED,
    Address,
    City,
    Junction,
    Language,
    Mode,
    Piece,
    Poi,
    Point,
    Road,
    RoadClass,
    Traffic,
)
from planspec.families.mobilitybench.map.specs import COUNTRIES, atlas

if TYPE_CHECKING:
    import networkx as nx

ATTRIBUTION = """\
# A map of OpenStreetMap

`map.json` was made of an extract of OpenStreetMap: © OpenStreetMap contributors, under the Open Database License (ODbL) 1.0.
See <https://www.openstreetmap.org/copyright>. Whoever passes it on, or a suite that was generated with it, keeps this notice.

Names, streets and places are theirs; ratings, traffic, opening hours and weather are invented.
"""
STREETS: Mapping[str, RoadClass] = {
    "motorway": "motorway",
    "motorway_link": "motorway",
    "trunk": "trunk",
    "trunk_link": "trunk",
    "primary": "primary",
    "primary_link": "primary",
    "secondary": "secondary",
    "secondary_link": "secondary",
    "tertiary": "secondary",
    "tertiary_link": "secondary",
    "residential": "residential",
    "unclassified": "residential",
    "living_street": "residential",
    "road": "residential",
}
PATHS = frozenset({"pedestrian", "footway", "path", "cycleway", "steps", "track", "bridleway"})
CYCLED_KINDS = frozenset({"path", "cycleway", "track", "bridleway"})
"""Values of the tag `highway` for paths that cyclists may use."""
NO = frozenset({"no", "private"})
KINDS: Mapping[tuple[str, str], str] = {
    **{
        ("amenity", word): kind
        for word, kind in {
            "restaurant": "restaurant",
            "fast_food": "restaurant",
            "pub": "restaurant",
            "cafe": "cafe",
            "pharmacy": "pharmacy",
            "hospital": "hospital",
            "clinic": "hospital",
            "school": "school",
            "university": "school",
            "college": "school",
            "bank": "bank",
            "parking": "parking",
            "charging_station": "charging",
            "fuel": "fuel",
            "cinema": "cinema",
            "theatre": "cinema",
            "toilets": "toilet",
            "police": "police",
        }.items()
    },
    **{
        ("tourism", word): kind
        for word, kind in {
            "hotel": "hotel",
            "hostel": "hotel",
            "guest_house": "hotel",
            "museum": "museum",
            "gallery": "museum",
            "attraction": "sight",
            "theme_park": "sight",
            "zoo": "sight",
            "viewpoint": "sight",
        }.items()
    },
    **{
        ("shop", word): kind
        for word, kind in {
            "supermarket": "supermarket",
            "convenience": "supermarket",
            "mall": "mall",
            "department_store": "mall",
        }.items()
    },
    **{
        ("leisure", word): kind
        for word, kind in {
            "park": "park",
            "garden": "park",
            "sports_centre": "sports",
            "stadium": "sports",
            "fitness_centre": "sports",
        }.items()
    },
    ("railway", "station"): "railway_station",
    ("aeroway", "aerodrome"): "airport",
    ("historic", "castle"): "sight",
    ("historic", "monument"): "sight",
    ("historic", "ruins"): "sight",
}
"""Category of place for each tag of OpenStreetMap."""
PARTS = frozenset({"suburb", "quarter", "neighbourhood", "borough", "village"})
_NUMBER = re.compile(r"\d{1,5}")


class UnreadableMapError(PlanspecError, ValueError):
    """Error if no map can be built from a file. The message gives the reason."""


@dataclass(slots=True)
class Way:
    """A street of an extract of OpenStreetMap.

    Attributes:
        nodes: ids of its nodes, in order.
        name: name in the local language; empty if it has none.
        modes: travel modes that may use it.
        speed: speed limit in metres per hour; 0 if unknown.
    """

    nodes: list[int]
    name: str
    english: str
    kind: RoadClass
    modes: tuple[Mode, ...]
    one_way: bool
    bridge: bool
    tunnel: bool
    toll: bool
    speed: int


@dataclass(slots=True)
class Extract:
    """Data of an extract that the map needs.

    Attributes:
        points: points by node id.
        ways: streets.
        signals: ids of nodes with traffic lights.
        places: category, name, English name and point of each place.
        doors: street name, house number and point of each address.
        parts: name and point of each district or other part of the city.
        towns: name and English name of each city or town.
        skipped: number of skipped ways, by reason.
    """

    points: dict[int, Point] = field(default_factory=dict)
    ways: list[Way] = field(default_factory=list)
    signals: set[int] = field(default_factory=set)
    places: list[tuple[str, str, str, Point]] = field(default_factory=list)
    doors: list[tuple[str, int, Point]] = field(default_factory=list)
    parts: list[tuple[str, Point]] = field(default_factory=list)
    towns: list[tuple[str, str]] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)


def read_extract(path: Path) -> Extract:
    """Read a file of OpenStreetMap.

    Args:
        path: `.osm.pbf`, or another format that osmium reads.

    Raises:
        UnreadableMapError: the file is not an extract, is truncated, or contains no street.
        ModuleNotFoundError: the extra `osm` is not installed.
    """
    try:
        import osmium
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "maps of OpenStreetMap need the extra `osm`: pip install planspec[osm]", name=error.name
        ) from error
    extract = Extract()
    try:
        for entity in osmium.FileProcessor(str(path)).with_locations():
            if isinstance(entity, osmium.osm.Node):
                _collect_node(extract, entity)
            elif isinstance(entity, osmium.osm.Way):
                _collect_way(extract, entity)
                if len(extract.ways) > MAP_STREETS:
                    raise UnreadableMapError(
                        f"{path}: the extract has more than {MAP_STREETS:,} streets: cut a smaller part of it out"
                    )
    except RuntimeError as error:  # the only exception that osmium raises
        raise UnreadableMapError(
            f"{path}: this is no whole extract of OpenStreetMap: {str(error).rstrip('.')}"
        ) from None
    if not any("drive" in way.modes for way in extract.ways):
        raise UnreadableMapError(f"{path}: the extract has no street on which one drives")
    return extract


def _to_point(location: Any) -> Point:
    return Point(round(location.lon * 1_000_000), round(location.lat * 1_000_000))


def _collect_node(extract: Extract, node: Any) -> None:
    tags = node.tags
    if not len(tags):
        return
    if tags.get("highway") == "traffic_signals":
        extract.signals.add(node.id)
    point = _to_point(node.location)
    if tags.get("place") in PARTS and "name" in tags:
        extract.parts.append((tags["name"], point))
    if tags.get("place") in {"city", "town"} and "name" in tags:
        extract.towns.append((tags["name"], tags.get("name:en", tags["name"])))
    _collect_place(extract, tags, point)


def _collect_place(extract: Extract, tags: Any, point: Point) -> None:
    """Add the place and the address that an object's tags describe, if any, to the extract."""
    street, number = tags.get("addr:street"), _NUMBER.match(tags.get("addr:housenumber", ""))
    if street and number:
        extract.doors.append((street, int(number[0]), point))
    name = tags.get("name")
    if not name:
        return
    for key in ("amenity", "tourism", "shop", "leisure", "railway", "aeroway", "historic"):
        kind = KINDS.get((key, tags.get(key, "")))
        if kind is not None:
            if kind == "railway_station" and (tags.get("station") == "subway" or tags.get("subway") == "yes"):
                kind = "metro_station"
            extract.places.append((kind, name, tags.get("name:en", name), point))
            return


def _collect_way(extract: Extract, way: Any) -> None:
    tags = way.tags
    nodes = [(node.ref, node.location) for node in way.nodes if node.location.valid()]
    if not nodes:
        extract.skipped["ways whose nodes are not in the extract"] += 1
        return
    if len(tags):
        middle = [_to_point(location) for _, location in nodes]
        centre = Point(
            round(sum(p.longitude for p in middle) / len(middle)),
            round(sum(p.latitude for p in middle) / len(middle)),
        )
        _collect_place(extract, tags, centre)
    highway = tags.get("highway")
    if highway is None or len(nodes) < 2 or tags.get("area") == "yes":
        return
    modes = _allowed_modes(tags, highway)
    if not modes:
        extract.skipped["streets that nobody may use, or that are driveways"] += 1
        return
    kind = STREETS.get(highway, "path")
    oneway = tags.get("oneway", "yes" if highway in {"motorway", "motorway_link"} else "no")
    if tags.get("junction") in {"roundabout", "circular"} and oneway == "no":
        oneway = "yes"
    ids = [ref for ref, _ in nodes]
    extract.points.update((ref, _to_point(location)) for ref, location in nodes)
    name = tags.get("name") or tags.get("ref") or f"{UNNAMED}{kind}"
    extract.ways.append(
        Way(
            ids[::-1] if oneway == "-1" else ids,
            name,
            tags.get("name:en", name),
            kind,
            modes,
            oneway in {"yes", "true", "1", "-1"},
            tags.get("bridge", "no") != "no",
            tags.get("tunnel", "no") != "no",
            tags.get("toll") == "yes",
            _speed_m_h(tags.get("maxspeed", "")),
        )
    )


def _allowed_modes(tags: Any, highway: str) -> tuple[Mode, ...]:
    """Return the modes that may use a street, given its tags and the value of the tag `highway`."""
    modes: list[Mode] = []
    is_closed = tags.get("access", "yes") in NO
    street = highway in STREETS or (highway == "service" and "name" in tags)
    fast = highway in {"motorway", "motorway_link"}
    if street and tags.get("motor_vehicle", tags.get("vehicle", "no" if is_closed else "yes")) not in NO:
        modes.append("drive")
    if not fast and (street or highway in PATHS) and tags.get("foot", "no" if is_closed else "yes") not in NO:
        modes.append("walk")
    rides = street or highway in CYCLED_KINDS or tags.get("bicycle") in {"yes", "designated"}
    if not fast and rides and tags.get("bicycle", "no" if is_closed else "yes") not in NO:
        modes.append("cycle")
    return tuple(modes)


def _speed_m_h(text: str) -> int:
    """Parse a speed such as `50` or `30 mph` into metres per hour; return 0 for other strings."""
    match = re.fullmatch(r"(\d{1,3})(\s*mph)?", text.strip())
    return 0 if match is None else round(int(match[1]) * (1609.344 if match[2] else 1000))


# ------------------------------------------------------------------ records


def city_of(
    extract: Extract, name: str | None = None, language: Language = "en", country: str = "", seed: int = 0
) -> City:
    """Build a city from the extract.

    Args:
        extract: the extract.
        name: name of the city; None for the name of a city or town in the extract.
        language: language of addresses and instructions.
        country: ISO 3166 code of the country. It determines currency, side of the road and public holidays, if the
            table of countries has it.
        seed: random seed for data that the extract lacks, such as ratings.

    Raises:
        UnreadableMapError: there are too many junctions, or no named place.
    """
    if name is None:
        name = extract.towns[0][0] if extract.towns else "The City"
    english = next((english_name for local, english_name in extract.towns if local == name), name)
    built = _ways_within_limit(extract)
    junctions, roads, pieces, speeds = _build_streets(extract, built)
    if len(junctions) > MAP_JUNCTIONS:
        raise UnreadableMapError(
            f"the extract has more than {MAP_JUNCTIONS:,} junctions ({len(junctions):,}): cut a smaller part of it out"
        )
    centre = Point(
        sum(j.point.longitude for j in junctions) // len(junctions),
        sum(j.point.latitude for j in junctions) // len(junctions),
    )
    zones = _NearestZoneMap(extract.parts, name, centre)
    addresses = _build_addresses(extract, roads, pieces, junctions, zones)
    pois = _build_pois(extract, roads, addresses, zones, language, name, centre)
    if not pois:
        raise UnreadableMapError("the extract has no place of a kind for which one asks that has a name")
    land = COUNTRIES.get(country.upper())
    city = City(
        name=name,
        english=english,
        country=next((spec.country for spec in atlas() if spec.code == country.upper()), country or "Elsewhere"),
        province=name,
        language=language,
        currency="EUR" if land is None else land.currency,
        centre=centre,
        seed=seed,
        drives_left=land is not None and land.drives_left,
        today=TODAY.isoformat(),
        districts=tuple(dict.fromkeys(poi.district for poi in pois)),
        junctions=junctions,
        roads=roads,
        pieces=pieces,
        stops=(),
        lines=(),
        pois=pois,
        addresses=addresses,
        periods=PERIODS,
        weather=(),
        # period 0 is the night, when traffic slows nobody down, so its percentages can store the speed limits
        traffic=tuple(Traffic(road, 0, "free", percent, "") for road, percent in speeds.items()),
    )
    return move_to_day(city, TODAY)


def _ways_within_limit(extract: Extract) -> list[Way]:
    """Return the ways of the extract, without paths if these would lead to too many junctions."""
    shared = _junction_nodes(extract.ways)
    if len(shared) <= MAP_JUNCTIONS:
        return extract.ways
    return [way for way in extract.ways if way.kind != "path"]


def _junction_nodes(ways: Iterable[Way]) -> set[int]:
    """Return the ids of the nodes at which streets meet or end."""
    seen: Counter[int] = Counter()
    ends: set[int] = set()
    for way in ways:
        seen.update(set(way.nodes))
        ends |= {way.nodes[0], way.nodes[-1]}
    return ends | {node for node, count in seen.items() if count > 1}


@dataclass(slots=True)
class _Stretch:
    tail: int
    head: int
    length_m: int
    way: Way
    modes: tuple[Mode, ...]


def _split_ways(ways: Sequence[Way], points: Mapping[int, Point]) -> Iterator[_Stretch]:
    """Yield the parts of ways between adjacent junctions. A loop is also cut in its middle."""
    at = _junction_nodes(ways)
    for way in ways:
        cuts = [n for n, node in enumerate(way.nodes) if node in at]
        for a, b in pairwise(cuts):
            halves = [(a, b)]
            if way.nodes[a] == way.nodes[b]:
                if b - a < 2:
                    continue
                halves = [(a, (a + b) // 2), ((a + b) // 2, b)]
            for first, last in halves:
                run = way.nodes[first : last + 1]
                length = sum(metres(points[u], points[v]) for u, v in pairwise(run))
                crow = metres(points[run[0]], points[run[-1]])
                yield _Stretch(run[0], run[-1], max(1, length, crow + 1), way, way.modes)


def _keep_connected(stretches: list[_Stretch]) -> list[_Stretch]:
    """Restrict each travel mode to its largest strongly connected part; drop streets without modes."""
    import networkx as nx

    for mode in ("drive", "walk", "cycle"):
        graph: nx.DiGraph[int] = nx.DiGraph()
        for stretch in stretches:
            if mode in stretch.modes:
                graph.add_edge(stretch.tail, stretch.head)
                if mode == "walk" or not stretch.way.one_way:
                    graph.add_edge(stretch.head, stretch.tail)
        core: set[int] = max(
            nx.strongly_connected_components(graph), key=lambda part: (len(part), -min(part)), default=set()
        )
        for stretch in stretches:
            if mode in stretch.modes and not {stretch.tail, stretch.head} <= core:
                stretch.modes = tuple(other for other in stretch.modes if other != mode)
    return [stretch for stretch in stretches if stretch.modes]


def _build_streets(
    extract: Extract, ways: Sequence[Way]
) -> tuple[tuple[Junction, ...], tuple[Road, ...], tuple[Piece, ...], dict[int, int]]:
    """Return junctions, roads, pieces, and the speed limit of each road.

    The limits are by road id, as percentages of the free speed of the road's class.
    """
    stretches = _keep_connected(list(_split_ways(ways, extract.points)))
    if not any("drive" in stretch.modes for stretch in stretches):
        raise UnreadableMapError("no two streets of the extract are connected")
    used = sorted({end for stretch in stretches for end in (stretch.tail, stretch.head)})
    node = {old: new for new, old in enumerate(used)}
    lit = _lit_junctions(extract, ways, set(used))
    junctions = tuple(Junction(new, extract.points[old], old in lit) for old, new in node.items())
    lengths: dict[str, Counter[RoadClass]] = {}
    english: dict[str, str] = {}
    limits: dict[str, list[tuple[int, int]]] = {}
    for stretch in stretches:
        way = stretch.way
        lengths.setdefault(way.name, Counter())[way.kind] += stretch.length_m
        english.setdefault(way.name, way.english)
        if way.speed:
            limits.setdefault(way.name, []).append((way.speed, stretch.length_m))
    names = {name: number for number, name in enumerate(lengths)}
    roads = tuple(
        Road(number, name, english[name], lengths[name].most_common(1)[0][0]) for name, number in names.items()
    )
    pieces = tuple(
        Piece(
            number,
            node[s.tail],
            node[s.head],
            names[s.way.name],
            s.length_m,
            s.way.one_way and "drive" in s.modes,
            100 if s.way.toll else 0,
            s.way.bridge,
            s.way.tunnel,
            s.modes,
        )
        for number, s in enumerate(stretches)
    )
    speeds = {}
    for road in roads:
        road_limits = limits.get(road.name, ())
        whole = sum(length for _, length in road_limits)
        limit = sum(speed * length for speed, length in road_limits) / whole if whole else math.inf
        speeds[road.id] = max(20, min(100, math.floor(100 * min(1.0, limit / SPEED_M_H[road.kind]))))
    return junctions, roads, pieces, speeds


def _lit_junctions(extract: Extract, ways: Iterable[Way], junctions: set[int]) -> set[int]:
    """Return the junctions with traffic lights. Junctions are given and returned as ids of nodes.

    A light between junctions is assigned to the nearest junction on the street.
    """
    lit = extract.signals & junctions
    for way in ways:
        for n, node in enumerate(way.nodes):
            if node in extract.signals and node not in junctions:
                near = sorted((abs(k - n), k) for k, other in enumerate(way.nodes) if other in junctions)
                lit |= {way.nodes[k] for _, k in near[:1]}
    return lit


class _NearestZoneMap:
    """Parts of the city. Each point belongs to the part with the nearest centre."""

    def __init__(self, parts: Sequence[tuple[str, Point]], name: str, centre: Point) -> None:
        self._parts, self._name = parts, name
        self._near = PointIndex(((n, point) for n, (_, point) in enumerate(parts)), centre)

    def zone_at(self, point: Point) -> str:
        nearest = self._near.nearest_key(point)
        return self._name if nearest is None else self._parts[nearest][0]


def _build_addresses(
    extract: Extract,
    roads: Sequence[Road],
    pieces: Sequence[Piece],
    junctions: Sequence[Junction],
    zones: _NearestZoneMap,
) -> tuple[Address, ...]:
    """Return the addresses on the map's streets.

    A street without addresses gets the number 1 at one of its junctions.
    """
    ids = {road.name: road.id for road in roads if not road.name.startswith(UNNAMED)}
    addresses_by_door: dict[tuple[int, int], Address] = {}
    for street, number, point in extract.doors:
        if street in ids:
            addresses_by_door.setdefault(
                (ids[street], number), Address(ids[street], number, zones.zone_at(point), point)
            )
    addressed_roads = {road for road, _ in addresses_by_door}
    for piece in pieces:
        if piece.road not in addressed_roads and piece.road in ids.values() and "walk" in piece.modes:
            addressed_roads.add(piece.road)
            point = junctions[piece.tail].point
            addresses_by_door[piece.road, 1] = Address(piece.road, 1, zones.zone_at(point), point)
    return tuple(addresses_by_door[key] for key in sorted(addresses_by_door))


def _build_pois(
    extract: Extract,
    roads: Sequence[Road],
    addresses: Sequence[Address],
    zones: _NearestZoneMap,
    language: Language,
    city: str,
    centre: Point,
) -> tuple[Poi, ...]:
    """Return the places. Equal names are made unique by adding the street and, if necessary, a number."""
    near = PointIndex(((n, door.point) for n, door in enumerate(addresses)), centre)
    often = Counter(name for _, name, _, _ in extract.places)
    used_names: set[str] = set()
    pois: list[Poi] = []
    for kind, name, english, point in extract.places:
        at = near.nearest_key(point)
        if at is None:
            break
        if name == city and kind == "railway_station":  # a search for the name of the city should not mean its station
            name = english if english != name else f"{name} railway station"
        door = addresses[at]
        street = roads[door.road].name
        full, number = name if often[name] <= 1 else f"{name} ({street})", 1
        unique_name = full
        while unique_name in used_names:
            number += 1
            unique_name = f"{full} {number}"
        used_names.add(unique_name)
        aliases = tuple(dict.fromkeys(alias for alias in (name, english) if alias != unique_name))
        address = door_address(language, door.district, street, door.number)
        rating = Random(f"rating/{unique_name}").randint(31, 50)
        pois.append(Poi(len(pois), unique_name, aliases, kind, address, zones.zone_at(point), point, rating))
    return tuple(pois)
