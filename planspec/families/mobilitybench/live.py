"""The ten tools over a city of the map: what a recorder records."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Any, TypeAlias

from planspec.agents.tools import Arguments, JsonResult, ModelTool, RefusedCallError, Toolset
from planspec.dsl.model.types import ScalarType
from planspec.dsl.model.values import EXTENTS
from planspec.families.mobilitybench import calls
from planspec.families.mobilitybench.map import (
    Answer,
    City,
    LineMode,
    NoRoute,
    Poi,
    Point,
    Route,
    RouteStep,
    cycle,
    drive,
    find_pois,
    forecast,
    geocode,
    known_city,
    nearby,
    open_hours,
    reverse_geocode,
    town_of,
    traffic_on,
    transit,
    walk,
    weather_on,
)
from planspec.families.mobilitybench.map.categories import WORDS as WORDS_OF_KINDS

FORECAST_DAYS = 4
LATEST_MIN = EXTENTS[ScalarType.TIME][1]
"""The last minute, counted from this day's midnight, that a time can name; who walks across a region arrives later."""
ALTERNATIVES = 3
"""The most ways by car and by transit in a result, the best first."""
MEANS: dict[str, LineMode] = {
    "bus": "bus", "subway": "metro", "tram": "tram", "ferry": "ferry", "train": "train", "flight": "flight",
}  # fmt: skip
NO_WAY = frozenset(("banned", "disconnected", "too_many_transfers", "no_service"))
"""Reasons for which a planner has no way between places that it knows: that is its answer, and no mistake in the call."""
WORDS: dict[str, str] = {mode: word for word, mode in MEANS.items()}
Answerer: TypeAlias = Callable[[Any], JsonResult]


class LiveTools(Toolset):
    """The tools over one city at one time of the day.

    Args:
        city: what they know.
        now: minutes after midnight, when no other time is asked for.
    """

    def __init__(self, city: City, now: int) -> None:
        self.city = city
        self.now = now
        self._answers: dict[str, Answerer] = {
            "poi_query": self._pois, "nearby_poi_query": self._nearby, "geocoding": self._geocode,
            "reverse_geocoding": self._reverse, "weather_query": self._weather, "traffic_info_query": self._traffic,
            "driving_planning": self._drive, "bus_planning": self._transit, "bicycling_planning": self._cycle,
            "walking_planning": self._walk,
        }  # fmt: skip
        super().__init__(
            ModelTool(name, text, model, partial(self.ask, name))
            for name, (model, text) in calls.TOOLS.items()
        )

    def ask(self, name: str, arguments: Arguments) -> JsonResult:
        """The answer to a call that was read; what a `Recorder` asks.

        Ways from now on are those without a time, of which only the ids are others.

        Raises:
            RefusedCallError: there is none.
        """
        if getattr(arguments, "depart_at", None) != clock_of(60 * self.now):
            return self._answers[name](arguments)
        timeless = type(arguments).model_validate(arguments.model_dump(exclude={"depart_at"}))
        said = calls.canonical(arguments)
        found = self._answers[name](timeless)["routes"]
        return {
            "routes": [{**route, "id": calls.route_id(name, said, n)} for n, route in enumerate(found, 1)]
        }

    # ------------------------------------------------------------------ looking things up

    @cached_property
    def _spelled(self) -> dict[str, str]:
        """The names of the map, and words for kinds of places, by their folded spellings, since people leave accents out."""
        names = (
            *(word for words in WORDS_OF_KINDS.values() for word in words),
            *(line.name for line in self.city.lines),
            *(road.name for road in self.city.roads),
            *(poi.name for poi in self.city.pois),
        )
        return {calls.folded(name): name for name in reversed(names) if not name.isascii()}

    def _written(self, name: str) -> str:
        """A name as the map writes it, where it differs from it in accents alone; calls are compared without them."""
        return self._spelled.get(calls.folded(name), name)

    def _kind(self, name: str | None) -> str | None:
        return None if name is None else self._written(name)

    def _town(self, city: str | None) -> int | None:
        """The number of the municipality that is named, which must be one of the map's; None if none is."""
        if city is None:
            return None
        town = town_of(self.city, city)
        if town is None:
            raise RefusedCallError("not-found", f"nothing is known of `{city}`")
        return town

    def _pois(self, asked: calls.PoiQuery) -> JsonResult:
        town = self._town(asked.city)
        keywords = self._written(asked.keywords)
        found = find_pois(
            self.city, keywords, category=self._kind(asked.category), limit=asked.limit, town=town
        )
        return _some(
            "pois", [self._poi(match.poi) | {"match": match.how, "score": match.score} for match in found]
        )

    def _poi(self, poi: Poi) -> JsonResult:
        return {
            "name": poi.name, "address": poi.address, "location": str(poi.point), "category": poi.category,
            "district": poi.district, "rating": poi.rating / 10, "open": open_hours(self.city, poi),
        }  # fmt: skip

    def _nearby(self, asked: calls.NearbyPoiQuery) -> JsonResult:
        found = list(
            nearby(
                self.city, point_of(asked.location), asked.radius, keyword=self._kind(asked.keywords),
                category=self._kind(asked.category),
                limit=asked.limit if asked.sort == "distance" else 50,
            )
        )  # fmt: skip
        if asked.sort == "rating":
            found.sort(key=lambda near: (-near.poi.rating, near.distance_m, near.poi.id))
        # that there is nothing near is an answer
        return {
            "pois": [self._poi(near.poi) | {"distance": near.distance_m} for near in found[: asked.limit]]
        }

    def _geocode(self, asked: calls.Geocoding) -> JsonResult:
        self._town(asked.city)
        found = geocode(self.city, asked.address)
        return _some(
            "places", [{"address": place.formatted, "location": str(place.point)} for place in found]
        )

    def _reverse(self, asked: calls.ReverseGeocoding) -> JsonResult:
        place = reverse_geocode(self.city, point_of(asked.location))
        if place is None or place.distance_m > asked.radius:
            raise RefusedCallError("not-found", "there is no address near")
        return {
            "address": place.formatted, "province": place.province, "city": place.city, "district": place.district,
            "street": place.street, "number": place.number, "distance": place.distance_m,
        }  # fmt: skip

    def _weather(self, asked: calls.WeatherQuery) -> JsonResult:
        city = asked.city
        if city is not None and not known_city(self.city, city):
            raise RefusedCallError("not-found", f"nothing is known of `{city}`")
        if asked.location is not None:
            place = reverse_geocode(self.city, point_of(asked.location))
            if place is None:
                raise RefusedCallError("not-found", "nothing is known of this place")
            city = place.city
        today = weather_on(self.city, name=city)
        days = [today] if asked.type == "current" else forecast(self.city, FORECAST_DAYS, city)
        return _some(
            "weather",
            [
                {
                    "day": day.day, "condition": day.condition, "description": day.description,
                    "temperature": day.temperature_c, "low": day.low_c, "high": day.high_c, "humidity": day.humidity,
                    "wind": day.wind, "wind_force": day.wind_force, "rain": day.rain_mm,
                }
                for day in days
                if day is not None
            ],
        )  # fmt: skip

    def _traffic(self, asked: calls.TrafficInfoQuery) -> JsonResult:
        self._town(asked.city)
        road = self._written(asked.road)
        status = traffic_on(self.city, road, self._minute(asked.at))
        if status is None:
            raise RefusedCallError("not-found", f"there is no road `{asked.road}`")
        return {
            "road": status.road.name, "level": status.level, "speed": status.speed_km_h, "description": status.description,
        }  # fmt: skip

    # ------------------------------------------------------------------ ways

    def _minute(self, at: str | None) -> int:
        return self.now if at is None else minute_of(at)

    def _times(self, depart_at: str | None, arrive_by: str | None) -> dict[str, int]:
        if arrive_by is not None:
            return {"arrive_by": minute_of(arrive_by)}
        return {"depart": self._minute(depart_at)}

    def _drive(self, asked: calls.DrivingPlanning) -> JsonResult:
        wanted = set(asked.preferences)
        timed = asked.traffic_aware or asked.depart_at is not None or asked.arrive_by is not None
        found = drive(
            self.city, point_of(asked.origin), point_of(asked.destination), via=tuple(map(point_of, asked.waypoints)),
            avoid_tolls="avoid_tolls" in wanted, avoid_motorways="avoid_highways" in wanted,
            prefer_motorways="prefer_highways" in wanted, fewest_lights="fewest_lights" in wanted,
            shortest="shortest" in wanted, avoid_roads=tuple(map(self._written, asked.avoid_roads)), alternatives=ALTERNATIVES,
            **(self._times(asked.depart_at, asked.arrive_by) if timed else {}),
        )  # fmt: skip
        return _routes("driving_planning", asked, found)

    def _transit(self, asked: calls.BusPlanning) -> JsonResult:
        found = transit(
            self.city, point_of(asked.origin), point_of(asked.destination), prefer=asked.preference,
            use_line=self._kind(asked.use_line),
            avoid_lines=tuple(map(self._written, asked.avoid_lines)), max_transfers=asked.max_transfers,
            modes=tuple(MEANS[means] for means in asked.modes) or tuple(MEANS.values()), alternatives=ALTERNATIVES,
            **self._times(asked.depart_at, asked.arrive_by),
        )  # fmt: skip
        return _routes("bus_planning", asked, found)

    def _cycle(self, asked: calls.BicyclingPlanning) -> JsonResult:
        found = cycle(self.city, point_of(asked.origin), point_of(asked.destination), depart=self.now)
        return _routes("bicycling_planning", asked, found)

    def _walk(self, asked: calls.WalkingPlanning) -> JsonResult:
        found = walk(self.city, point_of(asked.origin), point_of(asked.destination), depart=self.now)
        return _routes("walking_planning", asked, found)


def point_of(place: str) -> Point:
    """The point of `longitude,latitude` as the tools read it."""
    longitude, latitude = (round(float(part) * 1_000_000) for part in place.split(","))
    return Point(longitude, latitude)


def minute_of(clock: str) -> int:
    """Minutes after midnight of HH:MM."""
    hours, _, minutes = clock.partition(":")
    return int(hours) * 60 + int(minutes)


def clock_of(seconds: int | None, *, up: bool = False) -> str | None:
    """HH:MM of seconds after midnight, rounded to a minute at which one may leave, or is there."""
    if seconds is None:
        return None
    minutes = -(-seconds // 60) if up else seconds // 60
    return f"{minutes // 60:02}:{minutes % 60:02}"


def _some(name: str, found: Sequence[JsonResult]) -> JsonResult:
    if not found:
        raise RefusedCallError("not-found", "nothing was found")
    return {name: list(found)}


def _routes(tool: str, asked: Arguments, found: Answer) -> JsonResult:
    if isinstance(found, NoRoute):
        raise RefusedCallError("not-found", f"{found.reason}: {found.text}")
    arguments = calls.canonical(asked)
    today = [route for route in found if route.depart_s is None or route.depart_s >= 0]
    if not today:
        raise RefusedCallError("not-found", "one would have to leave on the day before")
    told = [route for route in today if route.arrive_min is None or route.arrive_min <= LATEST_MIN]
    if not told:
        raise RefusedCallError("not-found", f"one would arrive after {clock_of(LATEST_MIN * 60)}, days later")
    return {"routes": [_route(calls.route_id(tool, arguments, n), route) for n, route in enumerate(told, 1)]}


def _route(name: str, route: Route) -> JsonResult:
    return {
        "id": name, "mode": route.mode, "distance": route.distance_m, "duration": route.duration_s, "tolls": route.toll,
        "traffic_lights": route.lights, "transfers": route.transfers, "walking_distance": route.walking_m,
        "fare": route.fare, "depart": clock_of(route.depart_s), "arrive": clock_of(route.arrive_s, up=True),
        "steps": [_step(step) for step in route.steps],
        "evidence": {
            "minimised": list(route.evidence.minimised), "value": list(route.evidence.value),
            "bans": list(route.evidence.bans), "demands": list(route.evidence.demands),
        },
    }  # fmt: skip


def _step(step: RouteStep) -> JsonResult:
    return {
        "mode": WORDS.get(step.mode, step.mode), "road": step.road, "class": step.road_class, "line": step.line,
        "from": step.start, "to": step.end,
        "distance": step.length_m, "duration": step.duration_s, "wait": step.wait_s, "tolls": step.toll,
        "fare": step.fare, "traffic_lights": step.lights, "instruction": step.instruction,
        "polyline": [str(point) for point in step.polyline],
    }  # fmt: skip
