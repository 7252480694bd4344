"""Draws ways with wishes, such that the best way without them is, where that can be had, not the best with them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from pydantic import JsonValue

from planspec.agents.tools import JsonResult
from planspec.families.mobilitybench.drawing.draft import RequestDraft, UndrawableRequestError
from planspec.families.mobilitybench.drawing.scene import Scene, clock
from planspec.families.mobilitybench.drawing.trips import band, by, from_to, plan, start_of, tool_of
from planspec.families.mobilitybench.episode import Scenario
from planspec.families.mobilitybench.map import Poi, Point

TRIES = 9
"""The most pairs of places that are tried until a wish matters."""
LEAST_M = 250
"""A road to be avoided is used as far as that."""
Wished: TypeAlias = dict[str, JsonValue]


@dataclass(frozen=True, slots=True)
class WishedTrip:
    """A trip's start and destination, and its ways without wishes.

    Attributes:
        plain: the best, then its alternatives.
        more: arguments of all calls.
    """

    scene: Scene
    mode: str
    one: Poi
    other: Poi
    start: Point
    plain: list[JsonResult]
    more: Mapping[str, Any]

    def best(self, **wishes: Any) -> JsonResult:
        """The best way with wishes.

        Raises:
            UndrawableRequestError: there is none.
        """
        return plan(self.scene, self.mode, self.start, self.other.point, **self.more, **wishes)


Wish: TypeAlias = Callable[[WishedTrip], tuple[Wished, bool]]
"""Slots for a trip, and whether they bite."""


def draw_wished(scenario: Scenario, scene: Scene) -> RequestDraft:
    """A query for a way with options, or with demands of the user's own.

    Raises:
        UndrawableRequestError: no way keeps to what was drawn.
    """
    table = OPTIONS if scenario is Scenario.OPTIONS else DEMANDS
    names = [name for name, (_, mode, _) in table.items() if mode == "drive" or scene.city.lines]
    name = scene.chance.choices(names, [table[name][0] for name in names])[0]
    _, mode, wish = table[name]
    if mode == "transit" and scenario is Scenario.OPTIONS and scene.percent(15):
        mode = "bus"
    more: dict[str, Any] = {"depart_at": clock(scene.later())} if scene.percent(12) else {}
    kept: RequestDraft | None = None
    reason = UndrawableRequestError("no way keeps to the wishes")
    for _ in range(TRIES):
        try:
            draft = _drawn(scene, mode, wish, more)
        except UndrawableRequestError as undrawn:
            reason = undrawn
            continue
        if draft.bites:
            return draft
        kept = kept or draft
    if kept is None or not scene.percent(50):
        raise reason if kept is None else UndrawableRequestError("the wishes do not bite")
    return kept


def _drawn(scene: Scene, mode: str, wish: Wish, more: Mapping[str, Any]) -> RequestDraft:
    drive = mode == "drive"
    one, other = scene.pair(*band(scene, "drive" if drive else "transit"), drive=drive)
    slots, here = from_to(scene, one, other)
    start = start_of(slots, one, here)
    means = {"modes": [mode]} if mode not in {"drive", "transit"} else {}
    found = scene.routes(tool_of(mode), origin=str(start), destination=str(other.point), **means, **more)
    if not found:
        raise UndrawableRequestError("no way leads there")
    wished, bites = wish(WishedTrip(scene, mode, one, other, start, found, more))
    slots |= more
    if _tells_mode(mode, wished) and scene.percent(40):
        return RequestDraft({**slots, **wished}, here, None, bites)
    slots, tool = by(scene, slots, mode)
    return RequestDraft({**slots, **wished}, here, tool, bites)


def _tells_mode(mode: str, wished: Wished) -> bool:
    """Only a driver can wish that."""
    preferences = wished.get("preferences", [])
    assert isinstance(preferences, list)
    return mode == "drive" and bool({"avoid_tolls", "avoid_highways", "prefer_highways"} & set(preferences))


# ------------------------------------------------------------------ options


def _on_motorway(route: JsonResult) -> bool:
    return any(step["class"] == "motorway" for step in route["steps"])


def _streets(route: JsonResult) -> list[tuple[str, str | None, str | None]]:
    return [(step["mode"], step["road"], step["line"]) for step in route["steps"]]


def _drive(*preferences: str) -> Wish:
    def wish(trip: WishedTrip) -> tuple[Wished, bool]:
        plain, best = trip.plain[0], trip.best(preferences=list(preferences))
        bites = [
            {
                "avoid_tolls": plain["tolls"] > 0,
                "avoid_highways": _on_motorway(plain),
                "prefer_highways": _streets(best) != _streets(plain),
                "shortest": best["distance"] < plain["distance"],
                "fewest_lights": best["traffic_lights"] < plain["traffic_lights"],
                "fastest": False,
            }[preference]
            for preference in preferences
        ]
        said: list[JsonValue] = [*preferences]
        return {"preferences": said}, any(bites) if "fastest" in preferences else all(bites)

    return wish


def _transit(preference: str, figure: str) -> Wish:
    def wish(trip: WishedTrip) -> tuple[Wished, bool]:
        best = trip.best(preference=preference)
        return {"preferences": [preference]}, best[figure] < trip.plain[0][figure]

    return wish


def _few_transfers(trip: WishedTrip) -> tuple[Wished, bool]:
    needed = trip.plain[0]["transfers"]
    most = max(0, needed - 1) if needed else trip.scene.chance.choice((0, 1))
    trip.best(max_transfers=most)
    return {"max_transfers": most}, needed > most


def _fast(_trip: WishedTrip) -> tuple[Wished, bool]:
    return {"preferences": ["fastest"]}, False


OPTIONS: Mapping[str, tuple[int, str, Wish]] = {
    "avoid_tolls": (16, "drive", _drive("avoid_tolls")),
    "avoid_highways": (18, "drive", _drive("avoid_highways")),
    "prefer_highways": (6, "drive", _drive("prefer_highways")),
    "shortest": (7, "drive", _drive("shortest")),
    "fastest": (3, "drive", _fast),
    "tolls and highways": (3, "drive", _drive("avoid_tolls", "avoid_highways")),
    "highways, shortest": (3, "drive", _drive("avoid_highways", "shortest")),
    "tolls, fastest": (3, "drive", _drive("avoid_tolls", "fastest")),
    "fewest_transfers": (10, "transit", _transit("fewest_transfers", "transfers")),
    "least_walking": (9, "transit", _transit("least_walking", "walking_distance")),
    "cheapest": (9, "transit", _transit("cheapest", "fare")),
    "fastest transit": (2, "transit", _fast),
    "max_transfers": (9, "transit", _few_transfers),
}
"""Options of the tools: of a hundred or so queries how many, by what, and how they are drawn."""

# ------------------------------------------------------------------ demands


def _used_roads(scene: Scene, route: JsonResult) -> list[str]:
    """The roads that a way uses far, but for those at its ends, without which there may be none."""
    far: dict[str, int] = {}
    for step in route["steps"]:
        if step["road"] is not None and step["mode"] == "drive":
            far[step["road"]] = far.get(step["road"], 0) + step["distance"]
    named = [step["road"] for step in route["steps"] if step["road"] is not None]
    ends = {named[0], named[-1]} if named else set()
    known = scene.town.spoken_roads - ends
    return [road for road, length in far.items() if length >= LEAST_M and road in known]


def _used_lines(route: JsonResult) -> list[str]:
    return [step["line"] for step in route["steps"] if step["line"] is not None]


def _without_roads(trip: WishedTrip, count: int) -> list[str]:
    used = _used_roads(trip.scene, trip.plain[0])
    if len(used) < count:
        raise UndrawableRequestError("no road to be avoided on the way")
    return trip.scene.chance.sample(used, count)


def _avoid_roads(count: int, *preferences: str) -> Wish:
    def wish(trip: WishedTrip) -> tuple[Wished, bool]:
        roads = _without_roads(trip, count)
        wishes: dict[str, Any] = {"preferences": list(preferences)} if preferences else {}
        trip.best(avoid_roads=roads, **wishes)
        said: list[JsonValue] = [*roads]
        return {"avoid_roads": said, **wishes}, True

    return wish


def _via_without_road(trip: WishedTrip) -> tuple[Wished, bool]:
    avoided = _without_roads(trip, 1)
    place = trip.scene.along(trip.one, trip.other, 1, 1.4)[0]
    trip.best(waypoints=[str(place.point)], avoid_roads=avoided)
    said: list[JsonValue] = [*avoided]
    return {"via": [place.name], "avoid_roads": said}, True


def _via_with(preference: str) -> Wish:
    def wish(trip: WishedTrip) -> tuple[Wished, bool]:
        place = trip.scene.along(trip.one, trip.other, 1, 1.4)[0]
        over = trip.best(waypoints=[str(place.point)])
        best = trip.best(waypoints=[str(place.point)], preferences=[preference])
        return {"via": [place.name], "preferences": [preference]}, _streets(best) != _streets(over)

    return wish


def _via_station(trip: WishedTrip) -> tuple[Wished, bool]:
    there = [p for p in trip.scene.along(trip.one, trip.other, 3, 1.5) if p.category == "metro_station"]
    if not there:
        raise UndrawableRequestError("no station on the way")
    station = there[0]
    scene, more = trip.scene, trip.more
    legs = [
        plan(scene, trip.mode, trip.start, station.point, **more),
        plan(scene, trip.mode, station.point, trip.other.point, **more),
    ]
    line = scene.chance.choice(sorted({line for leg in legs for line in _used_lines(leg)}))
    for start, end in ((trip.start, station.point), (station.point, trip.other.point)):
        plan(scene, trip.mode, start, end, avoid_lines=[line], **more)
    return {"via": [station.name], "avoid_lines": [line]}, True


def _avoid_lines(trip: WishedTrip) -> tuple[Wished, bool]:
    line = trip.scene.chance.choice(_used_lines(trip.plain[0]))
    trip.best(avoid_lines=[line])
    return {"avoid_lines": [line]}, True


def _use_line(trip: WishedTrip) -> tuple[Wished, bool]:
    usual = set(_used_lines(trip.plain[0]))
    others = sorted({line for route in trip.plain[1:] for line in _used_lines(route)} - usual)
    if not others and not usual:
        raise UndrawableRequestError("no other line serves the trip")
    line = trip.scene.chance.choice(others or sorted(usual))
    trip.best(use_line=line)
    return {"use_line": line}, line not in usual


def _line_and_transfers(trip: WishedTrip) -> tuple[Wished, bool]:
    line = trip.scene.chance.choice(_used_lines(trip.plain[0]))
    best = trip.best(avoid_lines=[line])
    trip.best(avoid_lines=[line], max_transfers=best["transfers"])
    return {"avoid_lines": [line], "max_transfers": best["transfers"]}, True


DEMANDS: Mapping[str, tuple[int, str, Wish]] = {
    "avoid a road": (18, "drive", _avoid_roads(1)),
    "avoid two roads": (6, "drive", _avoid_roads(2)),
    "avoid a road and tolls": (4, "drive", _avoid_roads(1, "avoid_tolls")),
    "fewest_lights": (12, "drive", _drive("fewest_lights")),
    "via, avoid a road": (12, "drive", _via_without_road),
    "via, no tolls": (3, "drive", _via_with("avoid_tolls")),
    "via, no highways": (5, "drive", _via_with("avoid_highways")),
    "via a station, avoid a line": (4, "transit", _via_station),
    "avoid a line": (16, "transit", _avoid_lines),
    "use a line": (16, "transit", _use_line),
    "avoid a line, few transfers": (4, "transit", _line_and_transfers),
}
"""Demands of the user's own, likewise."""
