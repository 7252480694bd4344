"""Towns in which requests are drawn, and scenes: a user in a town at a time of day."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from random import Random
from typing import Any

from planspec.agents.tools import Arguments, JsonResult, RefusedCallError, read_arguments
from planspec.families.mobilitybench.calls import TOOLS, Canonical, canonical_arguments, folded, route_id
from planspec.families.mobilitybench.drawing.draft import UndrawableRequestError
from planspec.families.mobilitybench.live import LiveTools, clock_of
from planspec.families.mobilitybench.map import (
    Address,
    City,
    MapRecipe,
    Poi,
    Point,
    Stop,
    StoredMap,
    TransitLine,
    find_spec,
    metres,
)
from planspec.families.mobilitybench.map.records import UNNAMED
from planspec.families.mobilitybench.spoken import Language

FIRST_MIN, LAST_MIN = 390, 1_230
"""Users ask between 6:30 and 20:30, in minutes after midnight, so that trips end before midnight."""
DESTINATION_WEIGHTS = {
    "railway_station": 11,
    "airport": 8,
    "city": 9,
    "hospital": 9,
    "mall": 9,
    "sight": 10,
    "hotel": 8,
    "school": 7,
    "park": 6,
    "museum": 5,
    "metro_station": 5,
    "restaurant": 5,
    "sports": 4,
    "supermarket": 3,
    "cinema": 2,
    "cafe": 2,
    "bank": 2,
    "pharmacy": 2,
    "fuel": 1,
    "parking": 1,
    "charging": 1,
}
"""Approximate percentage of each category among destinations. Public toilets and the police are never destinations."""
CAR_ONLY_CATEGORIES = frozenset({"fuel", "parking", "charging"})
"""Categories of places to which people travel only by car."""
OWN_CITY_PERCENT = 85
"""Percentage of trips that start in the user's city."""
TRIES = 60
START_OFFSET_M = 60
"""Approximate distance in metres from the user to the start of the journey."""


class Town:
    """A generated or imported city, with the places, addresses and roads that requests can mention.

    Args:
        city: the city.
        recipe: data from which the city can be generated or loaded again; None if unknown.
    """

    def __init__(self, city: City, recipe: MapRecipe | StoredMap | None = None) -> None:
        self.city = city
        self.recipe = recipe

    @cached_property
    def pois(self) -> tuple[Poi, ...]:
        """Places with names that, ignoring case, are unique among all places, roads and lines."""
        used: dict[str, int] = {}
        for names in (
            *((p.name, *p.aliases) for p in self.city.pois),
            *((r.name, r.english) for r in self.city.roads),
            *((x.name, *x.aliases) for x in self.city.lines),
        ):
            for name in {folded(name) for name in names}:
                used[name] = used.get(name, 0) + 1
        return tuple(p for p in self.city.pois if used[folded(p.name)] == 1 and not _is_numbered(p.name))

    @cached_property
    def destinations(self) -> Mapping[str, tuple[Poi, ...]]:
        """Possible destinations of trips, by category."""
        by_kind: dict[str, list[Poi]] = {}
        for poi in self.pois:
            if poi.category in DESTINATION_WEIGHTS:
                by_kind.setdefault(poi.category, []).append(poi)
        return {kind: tuple(pois) for kind, pois in sorted(by_kind.items())}

    @cached_property
    def own_destinations(self) -> Mapping[str, tuple[Poi, ...]]:
        """Destinations in the municipality of the city, including its suburbs and surrounding towns."""
        near = {kind: tuple(p for p in pois if p.town == 0) for kind, pois in self.destinations.items()}
        return {kind: pois for kind, pois in near.items() if pois}

    @cached_property
    def weights(self) -> Mapping[int, float]:
        """Weight of each destination in a draw, by id. A category's share does not depend on its number of places."""
        return {
            poi.id: DESTINATION_WEIGHTS[kind] / len(pois) for kind, pois in self.destinations.items() for poi in pois
        }

    @cached_property
    def reach_m(self) -> int:
        """Upper bound of the distance between two places of the town, in metres."""
        return 2 * max(metres(self.city.centre, poi.point) for poi in self.pois)

    @cached_property
    def addresses(self) -> tuple[Address, ...]:
        """Addresses in the municipality of the city."""
        return tuple(door for door in self.city.addresses if door.town == 0)

    @cached_property
    def streets(self) -> tuple[str, ...]:
        """Names of the roads about which people ask for the traffic.

        Major roads occur several times, so that they are drawn more often.
        """
        frequency = {"motorway": 6, "trunk": 6, "primary": 5, "secondary": 3, "residential": 1, "path": 0}
        names = [(r.name, frequency[r.kind]) for r in self.city.roads if r.name in self.spoken_roads]
        return tuple(name for name, count in names for _ in range(count))

    @cached_property
    def spoken_roads(self) -> frozenset[str]:
        """Names of the roads that people mention.

        Ramps, unnamed roads and names that only a number distinguishes are left out.
        """
        return frozenset(
            r.name
            for r in self.city.roads
            if not r.english.endswith("Ramp") and not _is_numbered(r.name) and not r.name.startswith(UNNAMED)
        )

    @cached_property
    def stops(self) -> Mapping[int, Stop]:
        return {stop.id: stop for stop in self.city.stops}

    def destinations_near(self, point: Point, max_m: int) -> list[Poi]:
        """Return the destinations within `max_m` metres of a point, without those in `CAR_ONLY_CATEGORIES`."""
        return [
            poi
            for poi in self.pois
            if poi.category in DESTINATION_WEIGHTS
            and poi.category not in CAR_ONLY_CATEGORIES
            and metres(poi.point, point) <= max_m
        ]

    def lines(self, mode: str) -> list[TransitLine]:
        """Return the lines of a kind of vehicle, such as "bus", that run by day."""
        return [x for x in self.city.lines if x.mode == mode and (x.headways or max(x.departures_min) > 600)]


@dataclass(slots=True)
class Scene:
    """A user in a town.

    Attributes:
        town: the town.
        language: language of the query.
        now: current time in minutes after midnight.
        rng: random generator.
    """

    town: Town
    language: Language
    now: int
    rng: Random
    _live: LiveTools = field(init=False)
    _answers: dict[tuple[str, Canonical], JsonResult | RefusedCallError] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._live = LiveTools(self.town.city, self.now)

    @property
    def city(self) -> City:
        return self.town.city

    # ------------------------------------------------------------------ calls

    def ask(self, name: str, arguments: Arguments) -> JsonResult:
        """Answer a tool call with parsed arguments. A `Recorder` calls this method. Answers are cached.

        Raises:
            RefusedCallError: the tool refuses the call.
        """
        key = name, canonical_arguments(arguments)
        if key not in self._answers:
            try:
                self._answers[key] = self._ways_from_now(name, arguments) or self._live.ask(name, arguments)
            except RefusedCallError as refused:
                self._answers[key] = refused
        answer = self._answers[key]
        if isinstance(answer, RefusedCallError):
            raise answer
        return answer

    def _ways_from_now(self, name: str, arguments: Arguments) -> JsonResult | None:
        """Return the answer to a call that departs at the current time; None for other calls.

        It is derived from the answer to the call without a time, which has the same routes with other ids.
        """
        if getattr(arguments, "depart_at", None) != self.clock:
            return None
        timeless = type(arguments).model_validate(arguments.model_dump(exclude={"depart_at"}))
        routes = self.ask(name, timeless)["routes"]
        key = canonical_arguments(arguments)
        return {"routes": [{**route, "id": route_id(name, key, n)} for n, route in enumerate(routes, 1)]}

    def routes(self, tool: str, **arguments: Any) -> list[JsonResult]:
        """Return the routes of a call without recording it; empty if there are none."""
        try:
            routes: list[JsonResult] = self.ask(tool, read_arguments(TOOLS[tool][0], arguments))["routes"]
        except RefusedCallError:
            return []
        return routes

    # ------------------------------------------------------------------ places

    def happens(self, percent: int) -> bool:
        """Return True with a probability of `percent` percent."""
        return self.rng.randrange(100) < percent

    def draw_destination(self, *, own_city: bool = False, allow_towns: bool = True) -> Poi:
        """Draw a destination.

        Args:
            own_city: whether it must be in the city's municipality.
            allow_towns: whether a whole town may be drawn.
        """
        destinations = self.town.own_destinations if own_city else self.town.destinations
        kinds = [kind for kind in destinations if allow_towns or kind != "city"]
        kind = self.rng.choices(kinds, [DESTINATION_WEIGHTS[kind] for kind in kinds])[0]
        return self.rng.choice(destinations[kind])

    def names_of(self, city: str) -> tuple[str, ...]:
        """Return the names of a city in all languages. If the name is unknown, return the names of the scene's city."""
        spec = find_spec(city)
        if spec is None:
            return tuple(dict.fromkeys((self.city.name, self.city.name.removesuffix("市"), self.city.english)))
        names = (spec.name, spec.name.removesuffix("市"), spec.english, spec.chinese)
        return tuple(dict.fromkeys(filter(None, names)))

    def draw_point_near(self, point: Point) -> Point:
        """Draw a point within about `START_OFFSET_M` metres of a point."""
        reach = START_OFFSET_M * 6  # 6e-6 degrees, some 0.67 m, for each metre
        offset = self.rng.randint(-reach, reach), self.rng.randint(-reach, reach)
        return Point(point.longitude + offset[0], point.latitude + offset[1])

    def draw_point(self) -> Point:
        """Draw a point near an address of the city's municipality."""
        return self.draw_point_near(self.rng.choice(self.town.addresses).point)

    def draw_pair(self, min_m: int, max_m: int, *, drive: bool = True) -> tuple[Poi, Poi]:
        """Draw two places with a straight-line distance within bounds.

        Args:
            min_m: minimum distance in metres.
            max_m: maximum distance in metres.
            drive: whether destinations to which people go only by car are allowed.

        Raises:
            UndrawableRequestError: no such pair was drawn.
        """
        weights = self.town.weights
        for _ in range(6):
            start = self.draw_destination(own_city=self.happens(OWN_CITY_PERCENT))
            if not drive and start.category in CAR_ONLY_CATEGORIES:
                continue
            ends = [
                poi
                for pois in self.town.destinations.values()
                for poi in pois
                if poi.id != start.id
                and (drive or poi.category not in CAR_ONLY_CATEGORIES)
                and min_m <= metres(start.point, poi.point) <= max_m
            ]
            if ends:
                return start, self.rng.choices(ends, [weights[poi.id] for poi in ends])[0]
        raise UndrawableRequestError("no two places at that distance")

    def draw_stops(self, start: Poi, end: Poi, count: int, detour: float = 1.3) -> list[Poi]:
        """Draw intermediate stops of a trip, in the order in which they are passed.

        Args:
            start: start of the trip.
            end: destination of the trip.
            count: number of stops.
            detour: maximum length of the route through one stop, as a multiple of the direct route.

        Raises:
            UndrawableRequestError: too few places are near the direct route, or two stops are too close together.
        """
        whole = metres(start.point, end.point)
        candidates = []
        for poi in self.town.pois:
            if poi.category not in DESTINATION_WEIGHTS or poi.category == "city":
                continue
            before, after = metres(start.point, poi.point), metres(poi.point, end.point)
            if min(before, after) > max(200, whole // 8) and before + after <= whole * detour:
                candidates.append((before - after, poi.id, poi))
        if len(candidates) < count:
            raise UndrawableRequestError("no place on the way")
        chosen = sorted(self.rng.sample(candidates, count))
        stops = [poi for *_, poi in chosen]
        if any(metres(a.point, b.point) < 150 for a, b in pairwise(stops)):
            raise UndrawableRequestError("places on the way are too close")
        return stops

    def draw_served_pair(self, lines: Sequence[TransitLine]) -> tuple[Poi, Poi]:
        """Draw two places near two stops of one of the lines.

        Raises:
            UndrawableRequestError: there is no line, or no such pair was drawn.
        """
        if not lines:
            raise UndrawableRequestError("no such line")
        for _ in range(TRIES):
            line = self.rng.choice(lines)
            first_stop, last_stop = self.rng.sample(line.stops, 2) if len(line.stops) > 2 else line.stops
            if len(line.stops) > 5 and abs(line.stops.index(first_stop) - line.stops.index(last_stop)) < 3:
                continue
            starts, ends = (
                self.town.destinations_near(self.town.stops[stop].point, 450) for stop in (first_stop, last_stop)
            )
            if starts and ends:
                a, b = self.rng.choice(starts), self.rng.choice(ends)
                if metres(a.point, b.point) > 900:
                    return a, b
        raise UndrawableRequestError("no places at the stops of a line")

    # ------------------------------------------------------------------ times

    @property
    def clock(self) -> str:
        """Current time as HH:MM."""
        return clock_text(self.now)

    def draw_later_minute(self, min_ahead: int = 10, max_ahead: int = 180) -> int:
        """Draw a time after now. Full and half hours are frequent, and times at night are not drawn.

        Args:
            min_ahead: minimum number of minutes from now.
            max_ahead: maximum number of minutes from now.

        Returns:
            Minutes after midnight, a multiple of five.

        Raises:
            UndrawableRequestError: it is too late in the day.
        """
        step = self.rng.choice((5, 15, 30, 30, 60))
        soon, last = self.now + min_ahead, min(self.now + max_ahead, LAST_MIN + 60)
        times = range(-(-soon // step) * step, last + 1, step)
        if not times:
            raise UndrawableRequestError("too late in the day")
        return self.rng.choice(times)


def _is_numbered(name: str) -> bool:
    """Return whether a name ends in a digit. Generated names get a number if they would not be unique without it."""
    return name[-1].isdigit()


def clock_text(minute: int) -> str:
    """Return minutes after midnight as HH:MM."""
    text = clock_of(minute * 60)
    assert text is not None
    return text
