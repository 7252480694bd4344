"""Random queries about routes: places, requested figures (such as the length), and times of departure and arrival."""

from __future__ import annotations

from typing import Any

from pydantic import JsonValue

from planspec.agents.tools import JsonResult
from planspec.families.mobilitybench.drawing.draft import RequestDraft, UndrawableRequestError
from planspec.families.mobilitybench.drawing.scene import Scene, clock_text
from planspec.families.mobilitybench.episode import Scenario
from planspec.families.mobilitybench.live import MEANS, minute_of
from planspec.families.mobilitybench.map import Poi, Point

BANDS: dict[str, tuple[tuple[int, int, int], ...]] = {
    "walk": ((350, 2_000, 1),),
    "cycle": ((800, 4_500, 8), (4_500, 12_000, 2)),
    "drive": (
        (1_300, 6_000, 12),
        (6_000, 16_000, 24),
        (16_000, 35_000, 31),
        (35_000, 100_000, 16),
        (100_000, 260_000, 11),
        (260_000, 900_000, 4),
        (900_000, 2_600_000, 2),
    ),
    "transit": (
        (1_600, 6_000, 24),
        (6_000, 16_000, 28),
        (16_000, 40_000, 26),
        (40_000, 260_000, 15),
        (260_000, 2_600_000, 7),
    ),
}
"""Distance bands of trips by mode. Each is the minimum and maximum straight-line distance in metres, and a weight."""
TOOLS = {"drive": "driving_planning", "walk": "walking_planning", "cycle": "bicycling_planning"}
"""Planning tools by mode. All other modes use `bus_planning`."""
UNTIMED = frozenset({"walk", "cycle"})
"""Modes with durations that do not depend on the time of day. Their tools have no argument for a time."""
SHARES = {
    "drive": 50,
    "transit": 17,
    "subway": 8,
    "bus": 5,
    "tram": 2,
    "ferry": 1,
    "train": 4,
    "flight": 1,
    "walk": 6,
    "cycle": 6,
}
"""Percentage of trips by each mode."""
FIGURES = {
    "drive": ("time", "time", "length", "length", "lights", "tolls"),
    "walk": ("time", "length"),
    "cycle": ("time", "length"),
    "transit": ("time", "time", "transfers", "fare"),
    "subway": ("time", "transfers", "fare"),
    "bus": ("time", "transfers", "fare"),
    "tram": ("time", "fare"),
    "ferry": ("time", "fare"),
    "train": ("time", "time", "fare"),
    "flight": ("time", "fare"),
}
"""Figures of a route that users ask about, by mode. A figure listed twice is drawn twice as often."""


def draw_trip(scenario: Scenario, scene: Scene) -> RequestDraft:
    """Draw a query about a route without wishes.

    Raises:
        UndrawableRequestError: the draw does not fit the map.
    """
    match scenario:
        case Scenario.MULTI_STOP:
            return _draw_multi_stop(scene)
        case Scenario.ROUTE_PROPERTY:
            return _draw_route_property(scene)
        case Scenario.TIME:
            return _draw_time(scene)
        case _:
            mode = draw_mode(scene)
            start, end = draw_ends(scene, mode)
            slots, user_location = place_slots(scene, start, end)
            if mode not in UNTIMED and scene.happens(18):
                slots["depart_at"] = clock_text(scene.draw_later_minute())
            slots, tool = add_mode(scene, slots, mode)
            return RequestDraft(slots, user_location, tool)


def draw_mode(scene: Scene) -> str:
    """Draw a travel mode that exists in the town."""
    lines = {word for word, mode in MEANS.items() if scene.town.lines(mode)}
    available = {
        mode: share
        for mode, share in SHARES.items()
        if (mode not in MEANS or mode in lines) and (mode != "transit" or lines)
    }
    return scene.rng.choices(list(available), list(available.values()))[0]


def draw_ends(scene: Scene, mode: str) -> tuple[Poi, Poi]:
    """Draw two places at a distance that suits the mode. For a vehicle they are near stops of one line.

    Raises:
        UndrawableRequestError: no such pair was drawn.
    """
    if mode in MEANS:
        return scene.draw_served_pair(scene.town.lines(MEANS[mode]))
    return scene.draw_pair(*draw_distance_band(scene, mode), drive=mode == "drive")


def draw_distance_band(scene: Scene, mode: str) -> tuple[int, int]:
    """Draw a distance band for a trip, and return its minimum and maximum in metres."""
    bands = [each for each in BANDS[mode] if each[0] < scene.town.reach_m] or [BANDS[mode][0]]
    least, most, _ = scene.rng.choices(bands, [share for *_, share in bands])[0]
    return least, most


def place_slots(scene: Scene, start: Poi, end: Poi) -> tuple[dict[str, JsonValue], Point]:
    """Return the slots of origin and destination, and the user's location.

    If the slots do not name the origin, the user is there.
    """
    slots: dict[str, JsonValue] = {}
    drawn = scene.rng.randrange(100)
    user_location = scene.draw_point_near(start.point)
    if drawn < 50 or start.town != 0:
        slots["origin"], user_location = start.name, scene.draw_point()
    elif drawn < 65:
        slots["origin"] = "here"
    slots["destination"] = end.name
    return slots, user_location


def add_mode(scene: Scene, slots: dict[str, JsonValue], mode: str) -> tuple[dict[str, JsonValue], str | None]:
    """Draw whether the query names the travel mode. Return the slots, and the user's usual mode.

    If the query names the mode, it is added to the slots, and the usual mode is None.
    """
    if scene.happens(15):
        return slots, mode
    return {**slots, "mode": mode}, None


def tool_of(mode: str) -> str:
    """Return the name of the tool that plans a mode."""
    return TOOLS.get(mode, "bus_planning")


def best_route(scene: Scene, mode: str, start: Point, end: Point, **options: Any) -> JsonResult:
    """Return the best route by a mode, without recording the call.

    Raises:
        UndrawableRequestError: there is no route.
    """
    if mode in MEANS:
        options["modes"] = [mode]
    if mode in UNTIMED:
        options = {}
    routes = scene.routes(tool_of(mode), origin=str(start), destination=str(end), **options)
    if not routes:
        raise UndrawableRequestError("no way leads there")
    return routes[0]


def departure_point(slots: dict[str, JsonValue], start: Poi, user_location: Point) -> Point:
    """Return the point of departure: `start` if the slots name it, otherwise the user's location."""
    return start.point if slots.get("origin") == start.name else user_location


def _draw_multi_stop(scene: Scene) -> RequestDraft:
    mode = scene.rng.choices(("drive", "cycle", "walk", "transit"), (78, 7, 6, 9 if scene.city.lines else 0))[0]
    least, most = draw_distance_band(scene, mode)
    start, end = scene.draw_pair(max(least, 1_200), max(most, 2_500), drive=mode == "drive")
    count = 1 if mode == "transit" else scene.rng.choice((1, 1, 1, 2, 2, 3))
    on_way = scene.draw_stops(start, end, count, 1.35 if count < 3 else 1.5)
    if count > 1 and scene.happens(20):
        scene.rng.shuffle(on_way)
    slots, user_location = place_slots(scene, start, end)
    slots["via"] = [poi.name for poi in on_way]
    if mode not in UNTIMED and scene.happens(10):
        slots["depart_at"] = clock_text(scene.draw_later_minute())
    slots, tool = add_mode(scene, slots, mode)
    return RequestDraft(slots, user_location, tool)


def _draw_route_property(scene: Scene) -> RequestDraft:
    mode = draw_mode(scene)
    figure = scene.rng.choice(FIGURES[mode])
    first, last = draw_ends(scene, mode)
    slots, user_location = place_slots(scene, first, last)
    slots["asked"] = figure
    start = departure_point(slots, first, user_location)
    options: dict[str, Any] = {}
    if figure == "time" and mode not in UNTIMED and scene.happens(20):
        slots["depart_at"] = options["depart_at"] = clock_text(scene.draw_later_minute())
    route = best_route(scene, mode, start, last.point, **options)
    if figure == "tolls" and not route["tolls"] and not scene.happens(10):
        raise UndrawableRequestError("no tolls on the way")
    if figure in {"tolls", "lights", "transfers", "fare"}:  # these figures exist for this mode only
        return RequestDraft({**slots, "mode": mode}, user_location)
    slots, tool = add_mode(scene, slots, mode)
    return RequestDraft(slots, user_location, tool)


def _draw_time(scene: Scene) -> RequestDraft:
    mode = draw_mode(scene)
    first, last = draw_ends(scene, mode)
    slots, user_location = place_slots(scene, first, last)
    start = departure_point(slots, first, user_location)
    figure = scene.rng.choice(("depart", "depart", "arrive", "possible"))
    slots["asked"] = figure
    if figure == "depart":
        slots["arrive_by"] = clock_text(scene.draw_later_minute(min_ahead=80, max_ahead=300))
    else:
        departure_min = scene.draw_later_minute()
        slots["depart_at"] = clock_text(departure_min)
        if figure == "possible":
            route = best_route(scene, mode, start, last.point, depart_at=clock_text(departure_min))
            duration_min = (
                -(-route["duration"] // 60) if mode in UNTIMED else minute_of(route["arrive"]) - departure_min
            )
            slots["arrive_by"] = clock_text(_draw_deadline(scene, departure_min, duration_min))
    slots, tool = add_mode(scene, slots, mode)
    return RequestDraft(slots, user_location, tool)


def _draw_deadline(scene: Scene, departure_min: int, duration_min: int) -> int:
    """Draw a deadline that the traveller meets or misses by some minutes.

    Raises:
        UndrawableRequestError: no deadline lies between the departure and midnight.
    """
    arrival = departure_min + duration_min
    first, last = (
        (arrival + 4, arrival + 25) if scene.happens(50) else (max(departure_min + 5, arrival - 20), arrival - 4)
    )
    times = range(-(-first // 5) * 5, last + 1, 5)
    if not times or times[-1] >= 24 * 60:
        raise UndrawableRequestError("no time by which to arrive")
    return scene.rng.choice(times)
