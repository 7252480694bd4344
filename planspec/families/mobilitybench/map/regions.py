"""Regions generated from seeds: a home city with suburbs and towns, other cities, and connections between them.

A region is stored as one `City`, so every route planner works on it. The other cities are real cities at their real
locations, in the same country or in a neighbouring country with the same language. Each has only a few streets.
Municipalities are numbered: 0 is the home city with its surroundings, and 1 is the first city of `City.others`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cache
from itertools import pairwise
from random import Random
from typing import Literal, TypeAlias, assert_never

from planspec.families.mobilitybench.map.days import PERIODS, TODAY, day_kind, draw_traffic, ten_day_weather
from planspec.families.mobilitybench.map.geometry import Plane, metres
from planspec.families.mobilitybench.map.ground import CARS, lay_streets, place_lights
from planspec.families.mobilitybench.map.lattice import draft_streets
from planspec.families.mobilitybench.map.lines import DWELL_S, METRO_HEADWAYS, LineBuilder, lines_on_day
from planspec.families.mobilitybench.map.naming import NameGenerator
from planspec.families.mobilitybench.map.places import (
    DistrictMap,
    PoiBuilder,
    SingleZone,
    ZoneMap,
    draw_doors,
)
from planspec.families.mobilitybench.map.records import (
    Address,
    City,
    Fare,
    Headway,
    Junction,
    LineMode,
    Mode,
    Municipality,
    Piece,
    Poi,
    Point,
    Road,
    Stop,
    TransitLine,
)
from planspec.families.mobilitybench.map.specs import CitySpec, atlas, city_spec
from planspec.families.mobilitybench.map.streets import Streets, connect, grow_streets, street_records

SettlementKind = Literal["suburb", "town", "city", "airport"]
Hub: TypeAlias = tuple[tuple[str, str], Point]
"""Name of a station or an airport, in the region's language and in English, and its location."""
SETTLEMENT_JUNCTIONS: dict[SettlementKind, int] = {"suburb": 40, "town": 30, "city": 36, "airport": 12}
"""Approximate number of junctions of each kind of settlement."""
KINDS: dict[SettlementKind, tuple[str, ...]] = {
    "suburb": (
        "mall",
        "hospital",
        "school",
        "school",
        "supermarket",
        "restaurant",
        "restaurant",
        "hotel",
        "sports",
        "cafe",
        "bank",
        "pharmacy",
        "cinema",
        "fuel",
        "parking",
        "charging",
        "police",
    ),
    "town": (
        "sight",
        "sight",
        "hotel",
        "restaurant",
        "school",
        "hospital",
        "supermarket",
        "museum",
        "fuel",
        "pharmacy",
        "bank",
    ),
    "city": (
        "sight",
        "sight",
        "museum",
        "hotel",
        "hotel",
        "mall",
        "hospital",
        "school",
        "sports",
        "restaurant",
        "restaurant",
        "cafe",
        "supermarket",
        "cinema",
        "fuel",
    ),
    "airport": ("hotel", "parking", "fuel", "restaurant"),
}
"""Categories of the places in each kind of settlement. A category listed twice yields two places."""
HUB_PATTERNS = ("station_of", "second_station_of", "airport_of")
"""Keys of the name patterns for stations and airports. No other place of the region may have such a name."""
MIN_SPACING_M = 4_500
"""Minimum distance in metres between the centres of two settlements."""
NEIGHBOURS: tuple[frozenset[str], ...] = tuple(
    map(frozenset, (("DE", "AT", "CH"), ("GB", "IE"), ("US", "CA"), ("SG", "MY"), ("NG", "GH")))
)
"""Groups of countries that are treated as one country."""
NEAR_M, FAR_M, REMOTE_M = 260_000, 800_000, 2_600_000
"""Maximum distances in metres from the home city: of near, far and remote cities."""
CYCLED_M = 20_000
"""Half of the maximum length in metres of a road between settlements that cyclists may use."""
MIN_FLIGHT_M = 400_000
"""Minimum distance in metres of a flight."""
BEND_SPACING_M = 15_000
"""Approximate distance in metres from one bend to the next on a road between settlements."""
FAST_TRAIN_COUNTRIES = frozenset({"CN", "JP"})
"""Countries with high-speed trains."""
SUBURBAN_HEADWAYS = (
    Headway(330, 420, 15),
    Headway(420, 570, 8),
    Headway(570, 990, 12),
    Headway(990, 1170, 8),
    Headway(1170, 1370, 20),
)


@dataclass(frozen=True, slots=True)
class Settlement:
    """A suburb, town, city or airport of a region. Its streets have already been generated.

    Attributes:
        kind: kind of the settlement; "city" for the home city.
        name: name in the region's language, and in English.
        centre: centre of its streets.
        town: number of its municipality, 0 for the home city.
        entries: ids of the junctions on its major streets.
        middle: id of the junction nearest to its centre.
    """

    kind: SettlementKind
    name: tuple[str, str]
    centre: Point
    town: int
    entries: tuple[int, ...]
    middle: int


@cache
def cities_in_reach(spec: CitySpec) -> tuple[tuple[int, CitySpec], ...]:
    """Return the cities that may join the region of a city, as pairs of distance in metres and city, nearest first."""
    group = next((countries for countries in NEIGHBOURS if spec.code in countries), frozenset({spec.code}))
    home = Point(spec.longitude, spec.latitude)
    near = [
        (metres(home, Point(other.longitude, other.latitude)), other)
        for other in atlas()
        if other.code in group and other.english != spec.english
    ]
    return tuple(sorted((entry for entry in near if MIN_SPACING_M * 2 < entry[0] <= REMOTE_M), key=lambda f: f[0]))


def grow_region(name: str, seed: int = 0, today: date = TODAY, size: int = 330) -> City:
    """Generate the region around a city. Equal arguments yield equal regions on every machine.

    Names and locations of cities are real; everything else is invented. Regions on different days differ only in
    weather, traffic and timetables.

    Args:
        name: name of a city of the table, in its language or in English.
        seed: random seed; each seed yields a different region.
        today: current day in the region, which determines weather, traffic and timetables.
        size: number of junctions of the home city; the region has about three times as many.

    Raises:
        KeyError: there is no such city.
    """
    return RegionBuilder(city_spec(name), seed, today, size).grow()


class RegionBuilder:
    """Builder of a region.

    Args:
        spec: specification of the home city.
        seed: random seed; each seed yields a different region.
        today: current day in the region, which determines weather, traffic and timetables.
        size: number of junctions of the home city.
    """

    def __init__(self, spec: CitySpec, seed: int, today: date, size: int) -> None:
        self._spec, self._seed, self._today, self._size = spec, seed, today, size
        self._names = NameGenerator(spec.language, self._rng("names"))
        for each in (spec, *(other for _, other in cities_in_reach(spec))):
            for name in (each.name, *(self._hub_name(hub, each)[0] for hub in HUB_PATTERNS)):
                self._names.make_unique(name)
        self._kind = day_kind(spec.code, today)
        self._junctions: list[Junction] = []
        self._roads: list[Road] = []
        self._pieces: list[Piece] = []
        self._stops: list[Stop] = []
        self._lines: list[TransitLine] = []
        self._pois: list[Poi] = []
        self._addresses: list[Address] = []
        self._zones: list[str] = []
        self._others: list[Municipality] = []
        self._built: list[Settlement] = []
        self._stations: dict[int, int] = {}
        self._airports: dict[int, int] = {}

    def _rng(self, part: str) -> Random:
        return Random(f"{self._seed}/{self._spec.english}/{self._size}/region/{part}")

    def grow(self) -> City:
        """Generate the whole region."""
        self._settle_home()
        self._settle_surroundings()
        self._settle_other_cities()
        self._lay_roads()
        self._lay_suburban_lines()
        self._lay_trains()
        self._lay_flights()
        spec = self._spec
        return City(
            name=spec.name,
            english=spec.english,
            country=spec.country,
            province=spec.province,
            language=spec.language,
            currency=spec.currency,
            centre=Point(spec.longitude, spec.latitude),
            seed=self._seed,
            drives_left=spec.drives_left,
            today=self._today.isoformat(),
            districts=tuple(self._zones),
            junctions=tuple(self._junctions),
            roads=tuple(self._roads),
            pieces=tuple(self._pieces),
            stops=tuple(self._stops),
            lines=lines_on_day(self._lines, self._kind),
            pois=tuple(self._pois),
            addresses=tuple(self._addresses),
            periods=PERIODS,
            weather=ten_day_weather(spec, self._seed, self._today),
            traffic=draw_traffic(self._rng(f"traffic/{self._today}"), self._roads, spec.language, self._kind),
            others=tuple(self._others),
        )

    # ------------------------------------------------------------------ settlements

    def _settle_home(self) -> None:
        spec = replace(self._spec, block_m=self._spec.block_m * 5 // 4)
        streets = grow_streets(spec, self._seed, self._size, self._names)
        districts = DistrictMap(self._rng("districts"), streets, self._names)
        addresses = draw_doors(self._rng("doors"), streets, districts)
        transit = LineBuilder(spec, self._rng("lines"), streets, self._names)
        transit.grow()
        stations = [stop for line in transit.lines if line.mode == "metro" for stop in line.stops]
        places = PoiBuilder(spec, self._rng("places"), streets, self._names, addresses, districts)
        places.grow_town(transit.stops, set(stations))
        centre = streets.plane.centre
        by_distance = sorted(dict.fromkeys(stations), key=lambda s: (metres(transit.stops[s].point, centre), s))
        main, second = by_distance[len(by_distance) // 3], by_distance[-1]
        station = self._hub_name("station_of", spec)
        places.place_near("railway_station", station, transit.stops[main].point)
        places.place_near("railway_station", self._hub_name("second_station_of", spec), transit.stops[second].point)
        places.place_near("city", (spec.name, spec.english), centre)
        self._add_settlement("city", (spec.name, spec.english), 0, streets, addresses, districts, places)
        self._stops += transit.stops
        self._lines += transit.lines
        self._stations[0] = self._add_stop(station, transit.stops[main].junction)

    def _hub_name(self, pattern: str, spec: CitySpec) -> tuple[str, str]:
        local, english = self._names.words[pattern]
        return local.format(city=self._short_name(spec.name)), english.format(city=spec.english)

    @staticmethod
    def _short_name(name: str) -> str:
        """Return a city's name without a final 市 or 都, for use within Chinese and Japanese names."""
        return name[:-1] if len(name) > 2 and name[-1] in "市都" else name

    def _invent_name(self, pattern: str) -> tuple[str, str]:
        local, english = self._names.words[pattern]
        first, second = self._names.draw_parts()
        while not second[0]:
            first, second = self._names.draw_parts()
        name = self._names.make_unique(local.format(a=first[0], b=second[0]))
        return name, english.format(a=first[1], b=second[1])

    def _is_free(self, point: Point) -> bool:
        return all(metres(point, other.centre) >= MIN_SPACING_M for other in self._built)

    def _draw_spot(self, rng: Random, min_m: float, max_m: float) -> Point | None:
        """Draw a point far enough from all settlements; None if 30 attempts fail.

        Its distance from the home city is between `min_m` and `max_m`, and up to 15 km more in later attempts.
        """
        plane = Plane(Point(self._spec.longitude, self._spec.latitude))
        for more in range(30):
            angle, distance_m = rng.uniform(0, 6.283), rng.uniform(min_m, max_m + more * 500)
            point = plane.point(distance_m * math.cos(angle), distance_m * math.sin(angle))
            if self._is_free(point):
                return point
        return None

    def _settle_surroundings(self) -> None:
        """Add the suburbs and the airport of the home city, and the towns around it."""
        rng = self._rng("around")
        planned: list[tuple[SettlementKind, float, float]] = [
            *(("suburb", 8_000.0, 20_000.0) for _ in range(rng.randint(3, 5))),
            *(("suburb", 18_000.0, 34_000.0) for _ in range(2)),
            ("airport", 14_000.0, 30_000.0),
            *(("town", 35_000.0, 90_000.0) for _ in range(rng.randint(2, 3))),
        ]
        for number, (kind, least, most) in enumerate(planned):
            centre = self._draw_spot(rng, least, most)
            if centre is None:
                continue
            name = self._hub_name("airport_of", self._spec) if kind == "airport" else self._invent_name(kind)
            self._settle(kind, name, centre, 0, SingleZone(name[0]), f"around/{number}")

    def _settle_other_cities(self) -> None:
        """Add near, far and remote cities; large cities are more likely."""
        rng = self._rng("abroad")
        chosen: dict[str, CitySpec] = {}
        candidates = cities_in_reach(self._spec)
        for least, most, count in ((0, NEAR_M, 3), (NEAR_M, FAR_M, 2), (FAR_M, REMOTE_M, 2)):
            pool = [spec for distance, spec in candidates if least < distance <= most]
            for _ in range(min(count, len(pool))):
                spec = rng.choices(pool, [math.sqrt(max(each.people, 10_000)) for each in pool])[0]
                pool.remove(spec)
                chosen[spec.english] = spec
        for spec in chosen.values():
            centre = Point(spec.longitude, spec.latitude)
            if not self._is_free(centre):
                continue
            name = (spec.name, spec.english)
            self._others.append(Municipality(*name, spec.province, centre))
            zone = SingleZone(self._names.draw_district()[0])
            self._settle("city", name, centre, len(self._others), zone, f"abroad/{spec.english}", spec)

    def _settle(
        self,
        kind: SettlementKind,
        name: tuple[str, str],
        centre: Point,
        town: int,
        zone: ZoneMap,
        part: str,
        table_spec: CitySpec | None = None,
    ) -> None:
        """Add a settlement with its streets, addresses and points of interest.

        Args:
            kind: kind of the settlement.
            name: name in the region's language, and in English.
            centre: centre of its streets.
            town: number of its municipality, 0 for the home city.
            zone: its division into named parts.
            part: key from which its random generator is seeded.
            table_spec: its specification in the table of cities; None if it is not in the table.
        """
        rng = self._rng(part)
        spec = replace(
            self._spec,
            longitude=centre.longitude,
            latitude=centre.latitude,
            river_m=0,
            style=rng.choice(("grid", "organic")),
            rotation_deg=rng.randrange(90),
            block_m=rng.randrange(180, 260, 10),
        )
        ground = lay_streets(spec, rng, draft_streets(spec, rng, SETTLEMENT_JUNCTIONS[kind]), self._names, None)
        connect(ground)
        place_lights(ground, rng)
        streets = street_records(spec, ground, None)
        addresses = draw_doors(rng, streets, zone, town)
        while not addresses:  # with few streets, a draw may yield no address, so it is repeated
            addresses = draw_doors(rng, streets, zone, town)
        city_name = None if table_spec is None else table_spec.name
        places = PoiBuilder(spec, rng, streets, self._names, addresses, zone, town, city_name)
        places.place_anywhere(KINDS[kind])
        station, airport = self._place_hubs(kind, name, centre, streets, places, table_spec)
        number = self._add_settlement(kind, name, town, streets, addresses, zone, places)
        if station is not None:
            self._stations[number] = self._add_stop(station[0], self._nearest_entry(number, station[1]))
        if airport is not None:
            self._airports[0 if kind == "airport" else number] = self._add_stop(
                airport[0], self._nearest_entry(number, airport[1])
            )

    def _place_hubs(
        self,
        kind: SettlementKind,
        name: tuple[str, str],
        centre: Point,
        streets: Streets,
        places: PoiBuilder,
        table_spec: CitySpec | None,
    ) -> tuple[Hub | None, Hub | None]:
        """Add the destinations of travel between settlements, and return the station and the airport.

        Either is None if the settlement has none.
        """
        match kind:
            case "airport":
                places.place_near("airport", name, centre)
                return None, (name, centre)
            case "suburb":
                places.place_near("city", name, centre)
                return (name, centre), None
            case "town":
                places.place_near("city", name, centre)
                local, english = self._names.words["station_of"]
                return ((local.format(city=name[0]), english.format(city=name[1])), centre), None
            case "city":
                assert table_spec is not None, "a city is one of the table"
                places.place_near("city", name, centre)
                airport, station = (
                    self._hub_name("airport_of", table_spec),
                    self._hub_name("station_of", table_spec),
                )
                airport_poi = places.place_near("airport", airport, streets.junctions[-1].point)
                station_poi = places.place_near("railway_station", station, streets.junctions[0].point)
                return (station, station_poi.point), (airport, airport_poi.point)
            case _ as never:
                assert_never(never)

    def _add_settlement(
        self,
        kind: SettlementKind,
        name: tuple[str, str],
        town: int,
        streets: Streets,
        addresses: Sequence[Address],
        zones: ZoneMap,
        places: PoiBuilder,
    ) -> int:
        """Append a settlement's records to the region's records, and return the settlement's index."""
        first, road = len(self._junctions), len(self._roads)
        piece, place = len(self._pieces), len(self._pois)
        self._junctions += (replace(j, id=first + j.id) for j in streets.junctions)
        self._roads += (replace(r, id=road + r.id) for r in streets.roads)
        greater = {r.id for r in streets.roads if r.kind in {"trunk", "primary", "secondary"}}
        entries: dict[int, None] = {}
        all_junctions: dict[int, None] = {}
        for p in streets.pieces:
            if "drive" in p.modes and "walk" in p.modes:
                ends = dict.fromkeys((first + p.tail, first + p.head))
                all_junctions |= ends
                if p.road in greater:
                    entries |= ends
        self._pieces += (
            replace(p, id=piece + n, tail=first + p.tail, head=first + p.head, road=road + p.road)
            for n, p in enumerate(streets.pieces)
        )
        self._addresses += (replace(a, road=road + a.road) for a in addresses)
        self._pois += (replace(poi, id=place + n) for n, poi in enumerate(places.pois))
        self._zones += zones.names
        centre = streets.plane.centre
        middle = min(all_junctions, key=lambda j: (metres(self._junctions[j].point, centre), j))
        self._built.append(Settlement(kind, name, centre, town, tuple(entries or all_junctions), middle))
        return len(self._built) - 1

    def _nearest_entry(self, number: int, point: Point) -> int:
        """Return the junction nearest to a point among the entries and the middle of a settlement."""
        entries = (*self._built[number].entries, self._built[number].middle)
        return min(entries, key=lambda j: (metres(self._junctions[j].point, point), j))

    def _add_stop(self, name: tuple[str, str], junction: int) -> int:
        point = self._junctions[junction].point
        self._stops.append(Stop(len(self._stops), *name, point, junction))
        return len(self._stops) - 1

    # ------------------------------------------------------------------ roads between

    def _lay_roads(self) -> None:
        """Add roads between settlements.

        Each settlement is connected to the home city or to a settlement on the way there, over more than 7 km also by
        a motorway. Further roads connect suburbs around the home city with each other.
        """
        distances = {0: 0}
        order = sorted(range(1, len(self._built)), key=lambda n: self._distance_m(0, n))
        for number in order:
            near = min(distances, key=lambda other: (self._distance_m(other, number) + distances[other] // 2, other))
            distances[number] = distances[near] + self._distance_m(near, number)
            self._lay_roads_between(near, number)
        round_about = [n for n in order if self._built[n].kind in {"suburb", "airport"}]
        round_about.sort(key=self._bearing)
        for a, b in pairwise(round_about[:4]):
            if self._distance_m(a, b) < 25_000:
                self._lay_road(a, b, "country_road")

    def _distance_m(self, a: int, b: int) -> int:
        return metres(self._built[a].centre, self._built[b].centre)

    def _bearing(self, number: int) -> float:
        x, y = Plane(self._built[0].centre).flat(self._built[number].centre)
        return math.atan2(y, x)

    def _lay_roads_between(self, a: int, b: int) -> None:
        self._lay_road(a, b, "country_road")
        if self._distance_m(a, b) > 7_000:
            self._lay_road(a, b, "highway")

    def _lay_road(self, a: int, b: int, pattern: str) -> None:
        """Add a road or a motorway with bends between two settlements. `pattern` is the key of its name pattern."""
        fast = pattern == "highway"
        if self._built[b].kind == "airport":
            pattern = f"airport_{pattern}"
        rng = self._rng(f"way/{a}/{b}/{pattern}")
        local, english = self._names.words[pattern]
        # name patterns need cities, so the home city stands for its airport
        ends = [self._built[0 if self._built[n].kind == "airport" else n].name for n in (a, b)]
        brief = [self._road_label(name) for name, _ in ends]
        name = self._names.make_unique(local.format(a=brief[0], b=brief[1]))
        road = Road(
            len(self._roads),
            name,
            english.format(a=ends[0][1], b=ends[1][1]),
            "motorway" if fast else "trunk",
        )
        self._roads.append(road)
        whole = self._distance_m(a, b)
        begin, end = self._exit_junction(a, b), self._exit_junction(b, a)
        p, q = self._junctions[begin].point, self._junctions[end].point
        count = max(1, min(9, round(whole / BEND_SPACING_M)))
        aside = (0.03 if fast else 0.06) * rng.choice((-1, 1))
        path = [begin]
        for n in range(1, count):
            share = n / count
            bow = aside * math.sin(math.pi * share) + rng.uniform(-0.012, 0.012)
            path.append(len(self._junctions))
            longitude = p.longitude + share * (q.longitude - p.longitude) - bow * (q.latitude - p.latitude)
            latitude = p.latitude + share * (q.latitude - p.latitude) + bow * (q.longitude - p.longitude)
            self._junctions.append(Junction(len(self._junctions), Point(round(longitude), round(latitude))))
        path.append(end)
        modes: tuple[Mode, ...] = CARS if fast or whole > CYCLED_M * 2 else ("drive", "cycle")
        for tail, head in pairwise(path):
            crow = metres(self._junctions[tail].point, self._junctions[head].point)
            length = math.ceil(crow * (1.03 if fast else 1.12)) + 1
            toll = round(self._spec.toll_km * length / 1000) if fast else 0
            self._pieces.append(Piece(len(self._pieces), tail, head, road.id, length, toll=toll, modes=modes))

    def _road_label(self, name: str) -> str:
        """Return the name of a settlement for use in road names.

        Chinese and Japanese names are shortened to the first character of a city or the first two of another place.
        """
        if self._spec.language not in {"zh", "ja"}:
            return name
        return name[0] if name in {s.name for _, s in cities_in_reach(self._spec)} | {self._spec.name} else name[:2]

    def _exit_junction(self, settlement: int, towards: int) -> int:
        """Return the junction of `settlement` at which the road to the settlement `towards` begins."""
        plane = Plane(self._built[settlement].centre)
        x, y = plane.flat(self._built[towards].centre)
        size = math.hypot(x, y) or 1.0

        def ahead(junction: int) -> tuple[float, int]:
            u, v = plane.flat(self._junctions[junction].point)
            return (u * x + v * y) / size - abs(u * y - v * x) / size, -junction

        return max(self._built[settlement].entries, key=ahead)

    # ------------------------------------------------------------------ lines between

    def _add_line(
        self,
        mode: LineMode,
        words: str,
        stops: Sequence[int],
        speed_m_s: float,
        fare: Fare,
        headways: tuple[Headway, ...],
        departures: tuple[int, ...],
        **name_parts: str | int,
    ) -> None:
        names = [pattern.format(**name_parts) for pattern in self._names.words["lines"][words]]
        name = self._names.make_unique(names[0])
        lengths = tuple(
            math.ceil(metres(self._stops[a].point, self._stops[b].point) * (1.0 if mode == "flight" else 1.06)) + 1
            for a, b in pairwise(stops)
        )
        running = tuple(round(length / speed_m_s) + DWELL_S[mode] for length in lengths)
        self._lines.append(
            TransitLine(
                len(self._lines),
                name,
                tuple(names[1:]),
                mode,
                tuple(stops),
                running,
                lengths,
                headways,
                departures,
                fare,
            )
        )

    def _lay_suburban_lines(self) -> None:
        """Add a line from each suburb and the airport to the home city's station, via the nearest metro stop."""
        main = self._stations[0]
        metros = sorted({stop for line in self._lines if line.mode == "metro" for stop in line.stops})
        base = self._spec.bus_fare
        number = 0
        for at, built in enumerate(self._built):
            if built.kind not in {"suburb", "airport"}:
                continue
            far = self._stations[at] if built.kind == "suburb" else self._airports[0]
            edge = min(metros, key=lambda stop: (metres(self._stops[stop].point, built.centre), stop))
            stops = (far, edge, main) if self._stops[edge].junction != self._stops[main].junction else (far, main)
            fare = Fare(base, 6_000, max(1, base // 2), 6_000)
            if built.kind == "airport":
                self._add_line("metro", "airport", stops, 25, Fare(base * 6), SUBURBAN_HEADWAYS, ())
            else:
                number += 1
                self._add_line(
                    "metro",
                    "suburban",
                    stops,
                    18,
                    fare,
                    METRO_HEADWAYS if number == 1 else SUBURBAN_HEADWAYS,
                    (),
                    n=number,
                )

    def _lay_trains(self) -> None:
        """Add trains from the home city's station to each town and city. They stop at towns and cities on the way."""
        main, base = self._stations[0], self._spec.bus_fare
        swift = 72.0 if self._spec.code in FAST_TRAIN_COUNTRIES else 42.0
        for at, built in enumerate(self._built):
            if at == 0 or built.kind not in {"town", "city"}:
                continue
            whole = self._distance_m(0, at)
            between = [
                n
                for n, other in enumerate(self._built)
                if n not in {0, at}
                and n in self._stations
                and other.kind in {"town", "city"}
                and self._distance_m(0, n) + self._distance_m(n, at) < whole * 1.06
                and self._distance_m(0, n) < whole
            ]
            between.sort(key=lambda n: self._distance_m(0, n))
            stops = (main, *(self._stations[n] for n in between[:3]), self._stations[at])
            speed = 26.0 if whole < 60_000 else 33.0 if whole < 120_000 else swift
            fare = Fare(base * 3, 20_000, base * 2, 25_000)
            name_parts = {"a": self._short_name(self._built[0].name[0]), "b": self._short_name(built.name[0])}
            self._add_line(
                "train",
                "train",
                stops,
                speed,
                fare,
                (),
                self._draw_departures(at, whole, speed),
                **name_parts,
            )

    def _draw_departures(self, settlement: int, distance_m: int, speed_m_s: float) -> tuple[int, ...]:
        """Draw the departures of the train line to a settlement, from morning to evening, in minutes after midnight.

        Trains are more frequent to near settlements and on Fridays, Sundays and holidays.
        """
        rng = self._rng(f"departures/{settlement}")
        duration_min = round(distance_m / speed_m_s / 60)
        every = 30 if distance_m < 60_000 else 45 if distance_m < NEAR_M else 90 if distance_m < FAR_M else 180
        if self._today.weekday() in {4, 6} or self._kind == "holiday":
            every = every * 2 // 3
        first = rng.randrange(350, 420)
        last = max(first + every, 1_330 - min(duration_min, 700))
        return tuple(range(first, last, every))

    def _lay_flights(self) -> None:
        """Add flights from the airport of the home city to the airports of distant cities."""
        if 0 not in self._airports:
            return
        base = self._spec.bus_fare
        for at, built in enumerate(self._built):
            whole = self._distance_m(0, at)
            if at == 0 or built.kind != "city" or whole < MIN_FLIGHT_M:
                continue
            rng = self._rng(f"flights/{at}")
            count = rng.randint(2, 5) + (self._today.weekday() in {4, 6} or self._kind == "holiday")
            departures = tuple(sorted({rng.randrange(400, 1_150, 5) for _ in range(count)}))
            fare = Fare(base * 150, 0, base * 4, 20_000)
            name_parts = {"a": self._short_name(self._built[0].name[0]), "b": self._short_name(built.name[0])}
            self._add_line(
                "flight",
                "flight",
                (self._airports[0], self._airports[at]),
                215,
                fare,
                (),
                departures,
                **name_parts,
            )
