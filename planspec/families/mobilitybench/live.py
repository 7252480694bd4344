"""The ten tools with answers computed on a city's map, without recorded results."""

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
    is_known_city,
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
"""Latest time that the planning language can express, in minutes after midnight. A long walk could end later."""
ALTERNATIVES = 3
"""Maximum number of routes by car or by public transport in a result."""
MEANS: dict[str, LineMode] = {
    "bus": "bus",
    "subway": "metro",
    "tram": "tram",
    "ferry": "ferry",
    "train": "train",
    "flight": "flight",
}
NO_ROUTE_REASONS = frozenset(("banned", "disconnected", "too_many_transfers", "no_service"))
"""Reasons why no route exists between known places. Such a call is correct, and the reason is its answer."""
WORDS: dict[str, str] = {mode: word for word, mode in MEANS.items()}
Answerer: TypeAlias = Callable[[Any], JsonResult]


class LiveTools(Toolset):
    """The ten tools, with answers computed on the map of one city at one time of day.

    Args:
        city: the city.
        now: default time of a call, in minutes after midnight.
    """

    def __init__(self, city: City, now: int) -> None:
        self.city = city
        self.now = now
        self._answers: dict[str, Answerer] = {
            "poi_query": self._query_pois,
            "nearby_poi_query": self._query_nearby,
            "geocoding": self._geocode,
            "reverse_geocoding": self._reverse_geocode,
            "weather_query": self._query_weather,
            "traffic_info_query": self._query_traffic,
            "driving_planning": self._plan_drive,
            "bus_planning": self._plan_transit,
            "bicycling_planning": self._plan_cycling,
            "walking_planning": self._plan_walk,
        }
        super().__init__(
            ModelTool(name, text, model, partial(self.ask, name)) for name, (model, text) in calls.TOOLS.items()
        )

    def ask(self, name: str, arguments: Arguments) -> JsonResult:
        """Answer a call with parsed arguments. A `Recorder` calls this method.

        Routes that depart now are the same as routes without a time, except for their ids.

        Raises:
            RefusedCallError: the call has no result.
        """
        if getattr(arguments, "depart_at", None) != clock_of(60 * self.now):
            return self._answers[name](arguments)
        timeless = type(arguments).model_validate(arguments.model_dump(exclude={"depart_at"}))
        arguments_key = calls.canonical_arguments(arguments)
        routes = self._answers[name](timeless)["routes"]
        return {
            "routes": [{**route, "id": calls.route_id(name, arguments_key, n)} for n, route in enumerate(routes, 1)]
        }

    # ------------------------------------------------------------------ looking things up

    @cached_property
    def _map_spellings(self) -> dict[str, str]:
        """Names on the map and words for categories of places, by folded form. People may omit accents."""
        names = (
            *(word for words in WORDS_OF_KINDS.values() for word in words),
            *(line.name for line in self.city.lines),
            *(road.name for road in self.city.roads),
            *(poi.name for poi in self.city.pois),
        )
        return {calls.folded(name): name for name in reversed(names) if not name.isascii()}

    def _map_spelling(self, name: str) -> str:
        """Return the map's spelling of a name that may lack accents; other names are returned unchanged."""
        return self._map_spellings.get(calls.folded(name), name)

    def _map_spelling_or_none(self, name: str | None) -> str | None:
        return None if name is None else self._map_spelling(name)

    def _town_number(self, city: str | None) -> int | None:
        """Return the number of a municipality; None if no name is given.

        Raises:
            RefusedCallError: the municipality is not on the map.
        """
        if city is None:
            return None
        town = town_of(self.city, city)
        if town is None:
            raise RefusedCallError("not-found", f"nothing is known of `{city}`")
        return town

    def _query_pois(self, query: calls.PoiQuery) -> JsonResult:
        town = self._town_number(query.city)
        keywords = self._map_spelling(query.keywords)
        matches = find_pois(
            self.city,
            keywords,
            category=self._map_spelling_or_none(query.category),
            limit=query.limit,
            town=town,
        )
        return _nonempty_result(
            "pois",
            [self._poi_result(match.poi) | {"match": match.how, "score": match.score} for match in matches],
        )

    def _poi_result(self, poi: Poi) -> JsonResult:
        return {
            "name": poi.name,
            "address": poi.address,
            "location": str(poi.point),
            "category": poi.category,
            "district": poi.district,
            "rating": poi.rating / 10,
            "open": open_hours(self.city, poi),
        }

    def _query_nearby(self, query: calls.NearbyPoiQuery) -> JsonResult:
        places = list(
            nearby(
                self.city,
                point_of(query.location),
                query.radius,
                keyword=self._map_spelling_or_none(query.keywords),
                category=self._map_spelling_or_none(query.category),
                limit=query.limit if query.sort == "distance" else 50,
            )
        )
        if query.sort == "rating":
            places.sort(key=lambda near: (-near.poi.rating, near.distance_m, near.poi.id))
        # unlike other lookups, this one may be empty: there may be no such place nearby
        return {"pois": [self._poi_result(near.poi) | {"distance": near.distance_m} for near in places[: query.limit]]}

    def _geocode(self, query: calls.Geocoding) -> JsonResult:
        self._town_number(query.city)
        places = geocode(self.city, query.address)
        return _nonempty_result(
            "places", [{"address": place.formatted, "location": str(place.point)} for place in places]
        )

    def _reverse_geocode(self, query: calls.ReverseGeocoding) -> JsonResult:
        place = reverse_geocode(self.city, point_of(query.location))
        if place is None or place.distance_m > query.radius:
            raise RefusedCallError("not-found", "there is no address near")
        return {
            "address": place.formatted,
            "province": place.province,
            "city": place.city,
            "district": place.district,
            "street": place.street,
            "number": place.number,
            "distance": place.distance_m,
        }

    def _query_weather(self, query: calls.WeatherQuery) -> JsonResult:
        city = query.city
        if city is not None and not is_known_city(self.city, city):
            raise RefusedCallError("not-found", f"nothing is known of `{city}`")
        if query.location is not None:
            place = reverse_geocode(self.city, point_of(query.location))
            if place is None:
                raise RefusedCallError("not-found", "nothing is known of this place")
            city = place.city
        today = weather_on(self.city, name=city)
        days = [today] if query.type == "current" else forecast(self.city, FORECAST_DAYS, city)
        return _nonempty_result(
            "weather",
            [
                {
                    "day": day.day,
                    "condition": day.condition,
                    "description": day.description,
                    "temperature": day.temperature_c,
                    "low": day.low_c,
                    "high": day.high_c,
                    "humidity": day.humidity,
                    "wind": day.wind,
                    "wind_force": day.wind_force,
                    "rain": day.rain_mm,
                }
                for day in days
                if day is not None
            ],
        )

    def _query_traffic(self, query: calls.TrafficInfoQuery) -> JsonResult:
        self._town_number(query.city)
        road = self._map_spelling(query.road)
        status = traffic_on(self.city, road, self._minute_or_now(query.at))
        if status is None:
            raise RefusedCallError("not-found", f"there is no road `{query.road}`")
        return {
            "road": status.road.name,
            "level": status.level,
            "speed": status.speed_km_h,
            "description": status.description,
        }

    # ------------------------------------------------------------------ ways

    def _minute_or_now(self, at: str | None) -> int:
        return self.now if at is None else minute_of(at)

    def _time_options(self, depart_at: str | None, arrive_by: str | None) -> dict[str, int]:
        if arrive_by is not None:
            return {"arrive_by": minute_of(arrive_by)}
        return {"depart": self._minute_or_now(depart_at)}

    def _plan_drive(self, query: calls.DrivingPlanning) -> JsonResult:
        preferences = set(query.preferences)
        timed = query.traffic_aware or query.depart_at is not None or query.arrive_by is not None
        answer = drive(
            self.city,
            point_of(query.origin),
            point_of(query.destination),
            via=tuple(map(point_of, query.waypoints)),
            avoid_tolls="avoid_tolls" in preferences,
            avoid_motorways="avoid_highways" in preferences,
            prefer_motorways="prefer_highways" in preferences,
            fewest_lights="fewest_lights" in preferences,
            shortest="shortest" in preferences,
            avoid_roads=tuple(map(self._map_spelling, query.avoid_roads)),
            alternatives=ALTERNATIVES,
            **(self._time_options(query.depart_at, query.arrive_by) if timed else {}),
        )
        return _routes_result("driving_planning", query, answer)

    def _plan_transit(self, query: calls.BusPlanning) -> JsonResult:
        answer = transit(
            self.city,
            point_of(query.origin),
            point_of(query.destination),
            prefer=query.preference,
            use_line=self._map_spelling_or_none(query.use_line),
            avoid_lines=tuple(map(self._map_spelling, query.avoid_lines)),
            max_transfers=query.max_transfers,
            modes=tuple(MEANS[means] for means in query.modes) or tuple(MEANS.values()),
            alternatives=ALTERNATIVES,
            **self._time_options(query.depart_at, query.arrive_by),
        )
        return _routes_result("bus_planning", query, answer)

    def _plan_cycling(self, query: calls.BicyclingPlanning) -> JsonResult:
        answer = cycle(self.city, point_of(query.origin), point_of(query.destination), depart=self.now)
        return _routes_result("bicycling_planning", query, answer)

    def _plan_walk(self, query: calls.WalkingPlanning) -> JsonResult:
        answer = walk(self.city, point_of(query.origin), point_of(query.destination), depart=self.now)
        return _routes_result("walking_planning", query, answer)


def point_of(place: str) -> Point:
    """Return the point of `longitude,latitude` in degrees."""
    longitude, latitude = (round(float(part) * 1_000_000) for part in place.split(","))
    return Point(longitude, latitude)


def minute_of(clock: str) -> int:
    """Return the minutes after midnight of HH:MM."""
    hours, _, minutes = clock.partition(":")
    return int(hours) * 60 + int(minutes)


def clock_of(seconds: int | None, *, rounds_up: bool = False) -> str | None:
    """Format seconds after midnight as HH:MM. Return None for None.

    Args:
        seconds: the time.
        rounds_up: whether to round up to minutes, as for an arrival. Otherwise round down, as for a departure.
    """
    if seconds is None:
        return None
    minutes = -(-seconds // 60) if rounds_up else seconds // 60
    return f"{minutes // 60:02}:{minutes % 60:02}"


def _nonempty_result(name: str, results: Sequence[JsonResult]) -> JsonResult:
    if not results:
        raise RefusedCallError("not-found", "nothing was found")
    return {name: list(results)}


def _routes_result(tool: str, query: Arguments, answer: Answer) -> JsonResult:
    if isinstance(answer, NoRoute):
        raise RefusedCallError("not-found", f"{answer.reason}: {answer.text}")
    arguments = calls.canonical_arguments(query)
    today = [route for route in answer if route.depart_s is None or route.depart_s >= 0]
    if not today:
        raise RefusedCallError("not-found", "one would have to leave on the day before")
    in_time = [route for route in today if route.arrive_min is None or route.arrive_min <= LATEST_MIN]
    if not in_time:
        raise RefusedCallError("not-found", f"one would arrive after {clock_of(LATEST_MIN * 60)}, days later")
    return {"routes": [_route_result(calls.route_id(tool, arguments, n), route) for n, route in enumerate(in_time, 1)]}


def _route_result(name: str, route: Route) -> JsonResult:
    return {
        "id": name,
        "mode": route.mode,
        "distance": route.distance_m,
        "duration": route.duration_s,
        "tolls": route.toll,
        "traffic_lights": route.lights,
        "transfers": route.transfers,
        "walking_distance": route.walking_m,
        "fare": route.fare,
        "depart": clock_of(route.depart_s),
        "arrive": clock_of(route.arrive_s, rounds_up=True),
        "steps": [_step_result(step) for step in route.steps],
        "evidence": {
            "minimised": list(route.evidence.minimised),
            "value": list(route.evidence.value),
            "bans": list(route.evidence.bans),
            "demands": list(route.evidence.demands),
        },
    }


def _step_result(step: RouteStep) -> JsonResult:
    return {
        "mode": WORDS.get(step.mode, step.mode),
        "road": step.road,
        "class": step.road_class,
        "line": step.line,
        "from": step.start,
        "to": step.end,
        "distance": step.length_m,
        "duration": step.duration_s,
        "wait": step.wait_s,
        "tolls": step.toll,
        "fare": step.fare,
        "traffic_lights": step.lights,
        "instruction": step.instruction,
        "polyline": [str(point) for point in step.polyline],
    }
