"""Random queries for routes with wishes, such as avoiding tolls. Wishes that change the best route are preferred."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from pydantic import JsonValue

from planspec.agents.tools import JsonResult
from planspec.families.mobilitybench.drawing.draft import RequestDraft, UndrawableRequestError
from planspec.families.mobilitybench.drawing.scene import Scene, clock_text
from planspec.families.mobilitybench.drawing.trips import (
    add_mode,
    best_route,
    departure_point,
    draw_distance_band,
    place_slots,
    tool_of,
)
from planspec.families.mobilitybench.episode import Scenario
from planspec.families.mobilitybench.map import Poi, Point

TRIES = 9
"""Maximum number of pairs of places tried until a wish changes the best route."""
MIN_ROAD_M = 250
"""Minimum metres that a route follows a road. Wishes to avoid a road are drawn only for such roads."""
WishedSlots: TypeAlias = dict[str, JsonValue]


@dataclass(frozen=True, slots=True)
class WishedTrip:
    """A trip's start and destination, and its routes without wishes.

    Attributes:
        origin: place at the start.
        destination: place at the destination.
        start: point of departure.
        routes_without_wishes: the best route without wishes, then its alternatives.
        options: arguments common to all calls.
    """

    scene: Scene
    mode: str
    origin: Poi
    destination: Poi
    start: Point
    routes_without_wishes: list[JsonResult]
    options: Mapping[str, Any]

    def best(self, **wishes: Any) -> JsonResult:
        """Return the best route that complies with wishes.

        Raises:
            UndrawableRequestError: there is no route.
        """
        return best_route(self.scene, self.mode, self.start, self.destination.point, **self.options, **wishes)


Wish: TypeAlias = Callable[[WishedTrip], tuple[WishedSlots, bool]]
"""Function that draws a wish for a trip.

It returns the slots, and whether the wish changes the best route.
"""


def draw_wished(scenario: Scenario, scene: Scene) -> RequestDraft:
    """Draw a query for a route with wishes, from `OPTIONS` or from `DEMANDS`, depending on the scenario.

    Raises:
        UndrawableRequestError: no route complies with the draw.
    """
    table = OPTIONS if scenario is Scenario.OPTIONS else DEMANDS
    names = [name for name, (_, mode, _) in table.items() if mode == "drive" or scene.city.lines]
    name = scene.rng.choices(names, [table[name][0] for name in names])[0]
    _, mode, wish = table[name]
    if mode == "transit" and scenario is Scenario.OPTIONS and scene.happens(15):
        mode = "bus"
    options: dict[str, Any] = {"depart_at": clock_text(scene.draw_later_minute())} if scene.happens(12) else {}
    fallback: RequestDraft | None = None
    reason = UndrawableRequestError("no way keeps to the wishes")
    for _ in range(TRIES):
        try:
            draft = _draw_with_wish(scene, mode, wish, options)
        except UndrawableRequestError as error:
            reason = error
            continue
        if draft.wishes_are_binding:
            return draft
        fallback = fallback or draft
    if fallback is None or not scene.happens(50):
        raise reason if fallback is None else UndrawableRequestError("the wishes do not bite")
    return fallback


def _draw_with_wish(scene: Scene, mode: str, wish: Wish, options: Mapping[str, Any]) -> RequestDraft:
    drive = mode == "drive"
    origin, destination = scene.draw_pair(*draw_distance_band(scene, "drive" if drive else "transit"), drive=drive)
    slots, user_location = place_slots(scene, origin, destination)
    start = departure_point(slots, origin, user_location)
    means = {"modes": [mode]} if mode not in {"drive", "transit"} else {}
    routes = scene.routes(tool_of(mode), origin=str(start), destination=str(destination.point), **means, **options)
    if not routes:
        raise UndrawableRequestError("no way leads there")
    wished, wishes_are_binding = wish(WishedTrip(scene, mode, origin, destination, start, routes, options))
    slots |= options
    if _implies_driving(mode, wished) and scene.happens(40):
        return RequestDraft({**slots, **wished}, user_location, None, wishes_are_binding)
    slots, tool = add_mode(scene, slots, mode)
    return RequestDraft({**slots, **wished}, user_location, tool, wishes_are_binding)


def _implies_driving(mode: str, wished: WishedSlots) -> bool:
    """Return whether the wishes imply that the user drives."""
    preferences = wished.get("preferences", [])
    assert isinstance(preferences, list)
    return mode == "drive" and bool({"avoid_tolls", "avoid_highways", "prefer_highways"} & set(preferences))


# ------------------------------------------------------------------ options


def _uses_motorway(route: JsonResult) -> bool:
    return any(step["class"] == "motorway" for step in route["steps"])


def _roads_and_lines(route: JsonResult) -> list[tuple[str, str | None, str | None]]:
    return [(step["mode"], step["road"], step["line"]) for step in route["steps"]]


def _driving_wish(*preferences: str) -> Wish:
    def wish(trip: WishedTrip) -> tuple[WishedSlots, bool]:
        plain, best = trip.routes_without_wishes[0], trip.best(preferences=list(preferences))
        wishes_are_binding = [
            {
                "avoid_tolls": plain["tolls"] > 0,
                "avoid_highways": _uses_motorway(plain),
                "prefer_highways": _roads_and_lines(best) != _roads_and_lines(plain),
                "shortest": best["distance"] < plain["distance"],
                "fewest_lights": best["traffic_lights"] < plain["traffic_lights"],
                "fastest": False,
            }[preference]
            for preference in preferences
        ]
        value: list[JsonValue] = [*preferences]
        return {"preferences": value}, any(wishes_are_binding) if "fastest" in preferences else all(wishes_are_binding)

    return wish


def _transit_wish(preference: str, figure: str) -> Wish:
    def wish(trip: WishedTrip) -> tuple[WishedSlots, bool]:
        best = trip.best(preference=preference)
        return {"preferences": [preference]}, best[figure] < trip.routes_without_wishes[0][figure]

    return wish


def _wish_few_transfers(trip: WishedTrip) -> tuple[WishedSlots, bool]:
    needed = trip.routes_without_wishes[0]["transfers"]
    most = max(0, needed - 1) if needed else trip.scene.rng.choice((0, 1))
    trip.best(max_transfers=most)
    return {"max_transfers": most}, needed > most


def _wish_fastest(_trip: WishedTrip) -> tuple[WishedSlots, bool]:
    return {"preferences": ["fastest"]}, False


OPTIONS: Mapping[str, tuple[int, str, Wish]] = {
    "avoid_tolls": (16, "drive", _driving_wish("avoid_tolls")),
    "avoid_highways": (18, "drive", _driving_wish("avoid_highways")),
    "prefer_highways": (6, "drive", _driving_wish("prefer_highways")),
    "shortest": (7, "drive", _driving_wish("shortest")),
    "fastest": (3, "drive", _wish_fastest),
    "tolls and highways": (3, "drive", _driving_wish("avoid_tolls", "avoid_highways")),
    "highways, shortest": (3, "drive", _driving_wish("avoid_highways", "shortest")),
    "tolls, fastest": (3, "drive", _driving_wish("avoid_tolls", "fastest")),
    "fewest_transfers": (10, "transit", _transit_wish("fewest_transfers", "transfers")),
    "least_walking": (9, "transit", _transit_wish("least_walking", "walking_distance")),
    "cheapest": (9, "transit", _transit_wish("cheapest", "fare")),
    "fastest transit": (2, "transit", _wish_fastest),
    "max_transfers": (9, "transit", _wish_few_transfers),
}
"""Wishes for options of the tools: approximate percentage of queries, mode, and function that draws the slots."""

# ------------------------------------------------------------------ demands


def _used_roads(scene: Scene, route: JsonResult) -> list[str]:
    """Return the roads that a route follows for at least `MIN_ROAD_M`.

    Roads at its ends are left out, since it may be impossible to avoid them.
    """
    lengths: dict[str, int] = {}
    for step in route["steps"]:
        if step["road"] is not None and step["mode"] == "drive":
            lengths[step["road"]] = lengths.get(step["road"], 0) + step["distance"]
    named = [step["road"] for step in route["steps"] if step["road"] is not None]
    ends = {named[0], named[-1]} if named else set()
    avoidable = scene.town.spoken_roads - ends
    return [road for road, length in lengths.items() if length >= MIN_ROAD_M and road in avoidable]


def _used_lines(route: JsonResult) -> list[str]:
    return [step["line"] for step in route["steps"] if step["line"] is not None]


def _draw_roads_to_avoid(trip: WishedTrip, count: int) -> list[str]:
    used = _used_roads(trip.scene, trip.routes_without_wishes[0])
    if len(used) < count:
        raise UndrawableRequestError("no road to be avoided on the way")
    return trip.scene.rng.sample(used, count)


def _road_avoiding_wish(count: int, *preferences: str) -> Wish:
    def wish(trip: WishedTrip) -> tuple[WishedSlots, bool]:
        roads = _draw_roads_to_avoid(trip, count)
        wishes: dict[str, Any] = {"preferences": list(preferences)} if preferences else {}
        trip.best(avoid_roads=roads, **wishes)
        value: list[JsonValue] = [*roads]
        return {"avoid_roads": value, **wishes}, True

    return wish


def _wish_via_without_road(trip: WishedTrip) -> tuple[WishedSlots, bool]:
    avoided = _draw_roads_to_avoid(trip, 1)
    place = trip.scene.draw_stops(trip.origin, trip.destination, 1, 1.4)[0]
    trip.best(waypoints=[str(place.point)], avoid_roads=avoided)
    value: list[JsonValue] = [*avoided]
    return {"via": [place.name], "avoid_roads": value}, True


def _via_wish(preference: str) -> Wish:
    def wish(trip: WishedTrip) -> tuple[WishedSlots, bool]:
        place = trip.scene.draw_stops(trip.origin, trip.destination, 1, 1.4)[0]
        unrestricted = trip.best(waypoints=[str(place.point)])
        best = trip.best(waypoints=[str(place.point)], preferences=[preference])
        return {"via": [place.name], "preferences": [preference]}, _roads_and_lines(best) != _roads_and_lines(
            unrestricted
        )

    return wish


def _wish_via_station(trip: WishedTrip) -> tuple[WishedSlots, bool]:
    stations = [
        p for p in trip.scene.draw_stops(trip.origin, trip.destination, 3, 1.5) if p.category == "metro_station"
    ]
    if not stations:
        raise UndrawableRequestError("no station on the way")
    station = stations[0]
    scene, options = trip.scene, trip.options
    legs = [
        best_route(scene, trip.mode, trip.start, station.point, **options),
        best_route(scene, trip.mode, station.point, trip.destination.point, **options),
    ]
    line = scene.rng.choice(sorted({line for leg in legs for line in _used_lines(leg)}))
    for start, end in ((trip.start, station.point), (station.point, trip.destination.point)):
        best_route(scene, trip.mode, start, end, avoid_lines=[line], **options)
    return {"via": [station.name], "avoid_lines": [line]}, True


def _wish_without_line(trip: WishedTrip) -> tuple[WishedSlots, bool]:
    line = trip.scene.rng.choice(_used_lines(trip.routes_without_wishes[0]))
    trip.best(avoid_lines=[line])
    return {"avoid_lines": [line]}, True


def _wish_to_use_line(trip: WishedTrip) -> tuple[WishedSlots, bool]:
    """Draw the wish to use a certain line. Return its slots, and whether it changes the best route."""
    usual = set(_used_lines(trip.routes_without_wishes[0]))
    others = sorted({line for route in trip.routes_without_wishes[1:] for line in _used_lines(route)} - usual)
    if not others and not usual:
        raise UndrawableRequestError("no other line serves the trip")
    line = trip.scene.rng.choice(others or sorted(usual))
    trip.best(use_line=line)
    return {"use_line": line}, line not in usual


def _wish_without_line_few_transfers(trip: WishedTrip) -> tuple[WishedSlots, bool]:
    line = trip.scene.rng.choice(_used_lines(trip.routes_without_wishes[0]))
    best = trip.best(avoid_lines=[line])
    trip.best(avoid_lines=[line], max_transfers=best["transfers"])
    return {"avoid_lines": [line], "max_transfers": best["transfers"]}, True


DEMANDS: Mapping[str, tuple[int, str, Wish]] = {
    "avoid a road": (18, "drive", _road_avoiding_wish(1)),
    "avoid two roads": (6, "drive", _road_avoiding_wish(2)),
    "avoid a road and tolls": (4, "drive", _road_avoiding_wish(1, "avoid_tolls")),
    "fewest_lights": (12, "drive", _driving_wish("fewest_lights")),
    "via, avoid a road": (12, "drive", _wish_via_without_road),
    "via, no tolls": (3, "drive", _via_wish("avoid_tolls")),
    "via, no highways": (5, "drive", _via_wish("avoid_highways")),
    "via a station, avoid a line": (4, "transit", _wish_via_station),
    "avoid a line": (16, "transit", _wish_without_line),
    "use a line": (16, "transit", _wish_to_use_line),
    "avoid a line, few transfers": (4, "transit", _wish_without_line_few_transfers),
}
"""The user's own requirements: approximate percentage of queries, travel mode, and function that draws the slots."""
