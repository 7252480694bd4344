"""Results of the public toolkit's tools in the form of ours; a part that cannot be read exactly is left out.

The public services tell seconds and metres as texts of digits and money in yuan; a route's own totals are kept as they
are told, and are not made of its steps. A step by car or on foot may lead along several roads and has one length: it
stands with the first of them, the others follow with none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any, TypeAlias

from planspec.families.mobilitybench.calls import MODES, located, route_id
from planspec.families.mobilitybench.episode import ROUTE_TOOLS, Episode, RecordedResult

ToolJson: TypeAlias = dict[str, Any]  # JSON as a tool says it
MINOR_UNITS = 100
"""The minor units of a yuan."""
MOTORWAYS = ("高速", "高速公路")
"""The endings of the names of China's motorways; their ramps and side roads have other names."""
ALONG = re.compile(r"途径(.+?)(?:向[东南西北]{1,2}|行驶|步行|骑行)")
NAMELESS = "none"
"""No data of a task can be called so."""
LEVELS: Mapping[str, str] = {
    "0": "unknown", "1": "smooth", "2": "slow", "3": "congested", "4": "severe",
}  # fmt: skip
LEVEL_WORDS: Mapping[str, str] = {
    "未知": "unknown", "畅通": "smooth", "缓行": "slow", "拥堵": "congested", "严重拥堵": "severe",
}  # fmt: skip
VEHICLES: tuple[tuple[str, str], ...] = (
    ("有轨电车", "tram"), ("轮渡", "ferry"), ("火车", "train"), ("飞机", "flight"), ("地铁", "subway"), ("轻轨", "subway"), ("磁悬浮", "subway"),
    ("公交", "bus"), ("大巴", "bus"), ("巴士", "bus"), ("班车", "bus"), ("专车", "bus"), ("专线", "bus"), ("快线", "bus"),
)  # fmt: skip
"""The means of travel by a part of what the service calls the kind of a line."""
CYCLING = re.compile(
    r"第(\d+)种：主要经过([^，]*)，全程(?:(\d+(?:\.\d+)?)公里|(\d+)米)，预计耗时(?:(\d+)小时)?(?:(\d+)分钟)?"
)
WEATHER_NOW = re.compile(
    r".{1,40}?当前天气([^，]{1,20})，气温(-?\d{1,2})℃(?:，湿度(\d{1,3})%)?(?:，([^。]*))?。?"
)
OF_DAY = re.compile(r"数据更新时间：(\d{4}-\d\d-\d\d) \d\d:\d\d:\d\d")


class _Unread(Exception):
    """Something is not as the public services tell it."""


def told_by(episode: Episode, recorded: RecordedResult) -> ToolJson | None:
    """Our tool's result for a record of an episode.

    Args:
        episode: of the public table; of another one the record tells it already.
        recorded: one of its records.

    Returns:
        None where the result is missing or cannot be read.
    """
    if episode.source is None:
        return recorded.result if isinstance(recorded.result, dict) else None
    return public_result(recorded)


def public_result(recorded: RecordedResult) -> ToolJson | None:
    """Our tool's result for a public one; None if that is missing or cannot be read.

    Args:
        recorded: with a result of the public table.
    """
    if recorded.missing is not None or recorded.result is None:
        return None
    try:
        if recorded.tool in ROUTE_TOOLS:
            routes = [route for route in public_routes(recorded) if route is not None]
            return {"routes": routes} if routes else None
        said = _data(recorded.result)
        match recorded.tool:
            case "poi_query":
                return {"pois": [_place(said)]}
            case "nearby_poi_query":
                return {"pois": [_place(one) for one in _list(said, "pois")]}
            case "reverse_geocoding":
                return _address(_map(said, "regeocode"))
            case "traffic_info_query":
                return _traffic(_map(said, "trafficinfo"))
            case "weather_query":
                return _weather(said)
            case _:
                return None
    except _Unread:
        return None


def public_routes(recorded: RecordedResult) -> tuple[ToolJson | None, ...]:
    """The routes of a planner's result, in the order in which it tells them; None for one that cannot be read.

    Args:
        recorded: the answer of a planner.
    """
    if recorded.missing is not None or recorded.tool not in ROUTE_TOOLS:
        return ()
    try:
        said = _data(recorded.result)
        if isinstance(said, str):
            made: list[ToolJson | None] = list(_cycling(said))
        else:
            route = _map(said, "route")
            transit = recorded.tool == "bus_planning"
            made = [_read(recorded.tool, one) for one in _list(route, "transits" if transit else "paths")]
    except _Unread:
        return ()
    if recorded.arguments is None:
        return tuple(made)
    return tuple(
        None if route is None else {"id": route_id(recorded.tool, recorded.arguments, number), **route}
        for number, route in enumerate(made, 1)
    )


def is_motorway(road: str) -> bool:
    """The name is that of a motorway."""
    return road.endswith(MOTORWAYS)


# ------------------------------------------------------------------ ways


def _read(tool: str, said: Any) -> ToolJson | None:
    try:
        return _transit(said) if tool == "bus_planning" else _path(MODES[tool], said)
    except _Unread:
        return None


def _path(mode: str, said: Any) -> ToolJson:
    """A way by car, by bicycle or on foot."""
    cost = _map(said, "cost")
    steps = [step for one in _list(said, "steps") for step in _road_steps(mode, one)]
    metres = _whole(said, "distance")
    return _route(
        mode, steps, distance=metres, duration=_whole(cost, "duration"), tolls=_money(cost, "tolls"),
        traffic_lights=_whole(cost, "traffic_lights", absent=0), walking_distance=metres if mode == "walk" else 0,
    )  # fmt: skip


def _road_steps(mode: str, said: Any) -> Iterator[ToolJson]:
    cost = _map(said, "cost")
    road, instruction = (_text(said, name) for name in ("road_name", "instruction"))
    yield _step(
        mode, road=road, distance=_whole(said, "step_distance"), duration=_whole(cost, "duration"),
        tolls=_money(cost, "tolls"), lights=_whole(cost, "traffic_lights", absent=0), instruction=instruction,
    )  # fmt: skip
    along = ALONG.search(instruction or "")
    for other in along[1].split("、") if along else ():
        if other and other != road:
            yield _step(mode, road=other)


def _transit(said: Any) -> ToolJson:
    """A way by bus, subway, tram or ferry; where the service knows several lines for a ride, by the first of them."""
    steps: list[ToolJson] = []
    for segment in _list(said, "segments"):
        if _filled(segment, "taxi") or _text(_map(segment, "railway", absent={}), "name"):
            raise _Unread("a taxi or a train")
        if _filled(segment, "walking"):
            walk = _map(segment, "walking")
            metres, seconds = _whole(walk, "distance"), _whole(walk, "duration")
            if metres or seconds:
                steps.append(_step("walk", distance=metres, duration=seconds))
        lines = _list(_map(segment, "bus", absent={}), "buslines", absent=())
        if lines:
            steps.append(_ride(lines[0]))
    rides = sum(step["line"] is not None for step in steps)
    return _route(
        "transit", steps, distance=_whole(said, "distance"), duration=_whole(said, "duration"),
        fare=_money(said, "cost"), walking_distance=_whole(said, "walking_distance"), transfers=max(0, rides - 1),
    )  # fmt: skip


def _ride(said: Any) -> ToolJson:
    kind = _text(said, "type") or ""
    vehicle = next((vehicle for part, vehicle in VEHICLES if part in kind), None)
    line = _text(said, "name")
    if vehicle is None or line is None:
        raise _Unread("a line of an unknown kind")
    stops = [_map(said, end) for end in ("departure_stop", "arrival_stop")]
    start, end = (_text(stop, "name") for stop in stops)
    ride = _step(vehicle, line=line, distance=_whole(said, "distance"), duration=_whole(said, "duration"))
    ends = [_text(stop, "location") for stop in stops]
    return ride | {"from": start, "to": end, "polyline": ends if all(map(_is_location, ends)) else []}


def _cycling(said: str) -> Iterator[ToolJson]:
    """The ways by bicycle of a text, which tells the main roads, kilometres, and hours and minutes."""
    head, *lines = said.strip().splitlines() or [""]
    if head != f"有{len(lines)}种骑行路线：":
        raise _Unread("other than so many ways as are told")
    for number, line in enumerate(lines, 1):
        found = CYCLING.fullmatch(line.strip())
        if found is None or int(found[1]) != number or not (found[5] or found[6]):
            raise _Unread("no way by bicycle")
        metres = int(Decimal(found[3]) * 1000) if found[3] else int(found[4])
        seconds = int(found[5] or 0) * 3600 + int(found[6] or 0) * 60
        roads = [road for road in found[2].split("、") if road]
        steps = [_step("cycle", road=road) for road in roads] or [_step("cycle")]
        steps[0] |= {"distance": metres, "duration": seconds}
        yield _route("cycle", steps, distance=metres, duration=seconds)


def _route(mode: str, steps: Sequence[ToolJson], **totals: int) -> ToolJson:
    made: ToolJson = dict.fromkeys(("tolls", "traffic_lights", "transfers", "walking_distance", "fare"), 0)
    return {"mode": mode} | made | totals | {"depart": None, "arrive": None, "steps": list(steps)}


def _step(
    mode: str, *, road: str | None = None, line: str | None = None, distance: int = 0, duration: int = 0,
    tolls: int = 0, lights: int = 0, instruction: str | None = None,
) -> ToolJson:  # fmt: skip
    return {
        "mode": mode, "road": road, "class": "motorway" if road is not None and is_motorway(road) else None,
        "line": line, "from": None, "to": None, "distance": distance, "duration": duration, "wait": 0, "tolls": tolls,
        "fare": 0, "traffic_lights": lights, "instruction": instruction, "polyline": [],
    }  # fmt: skip


# ------------------------------------------------------------------ places, weather, traffic


def _place(said: Any) -> ToolJson:
    name, location = _text(said, "name"), _text(said, "location")
    if name in (None, NAMELESS) or location is None or not _is_location(location):
        raise _Unread("a place without a name or a location")
    return {"name": name, "location": location, "address": _text(said, "address")}


def _address(said: Any) -> ToolJson:
    address = _text(said, "formatted_address")
    if address is None:
        raise _Unread("no address")
    parts = _map(said, "addressComponent", absent={})
    return {"address": address} | {part: _text(parts, part) for part in ("province", "city", "district")}


def _traffic(said: Any) -> ToolJson:
    evaluation = _map(said, "evaluation")
    level, word = (_text(evaluation, name) or "" for name in ("status", "description"))
    if LEVELS.get(level) is None or LEVELS[level] != LEVEL_WORDS.get(word, LEVELS[level]):
        raise _Unread("a level that is not one")
    description = _text(said, "description") or ""
    road = description.partition("：")[0] if "：" in description else None
    return {"road": road, "level": LEVELS[level], "description": description}


def _weather(said: Any) -> ToolJson:
    text = _text(said, "weather_description") or ""
    found = WEATHER_NOW.match(text)
    day = OF_DAY.search(text)
    if found is None or day is None or not _is_day(day[1]):
        raise _Unread("no weather of a day")
    return {
        "weather": [
            {
                "day": day[1], "condition": found[1], "description": found[1], "temperature": int(found[2]),
                "low": None, "high": None, "humidity": int(found[3]) if found[3] else None, "wind": found[4],
            }
        ]
    }  # fmt: skip


# ------------------------------------------------------------------ reading


def _data(said: Any) -> Any:
    """A tool's result inside the toolkit's frame `{"status", "data", "error"}`, if it stands in one.

    Raises:
        _Unread: the tool failed.
    """
    framed = isinstance(said, Mapping) and set(said) == {"status", "data", "error"}
    if framed and (said["status"] != 0 or said["error"] is not None):
        raise _Unread("the tool failed")
    inner = said["data"] if framed else said
    if isinstance(inner, Mapping) and inner.get("status", "1") != "1":
        raise _Unread("the service failed")
    return inner


def _map(said: Any, name: str, absent: Mapping[str, Any] | None = None) -> Mapping[str, Any]:
    value = said.get(name, absent) if isinstance(said, Mapping) else None
    if not isinstance(value, Mapping):
        raise _Unread(name)
    return value


def _list(said: Any, name: str, absent: Sequence[Any] | None = None) -> Sequence[Any]:
    value = said.get(name, absent) if isinstance(said, Mapping) else None
    if not isinstance(value, list | tuple):
        raise _Unread(name)
    return value


def _filled(said: Any, name: str) -> bool:
    """The service writes an empty list where there is nothing."""
    return isinstance(said, Mapping) and bool(said.get(name))


def _is_day(said: str) -> bool:
    try:
        return bool(date.fromisoformat(said))
    except ValueError:
        return False


def _is_location(said: str | None) -> bool:
    try:
        return said is not None and bool(located(said))
    except ValueError:
        return False


def _text(said: Any, name: str) -> str | None:
    """A text; an empty one, and the empty list that the service writes for it, is none."""
    value = said.get(name) if isinstance(said, Mapping) else None
    return value.strip() or None if isinstance(value, str) else None


def _whole(said: Any, name: str, absent: int | None = None) -> int:
    """A number that is not negative, as a number or a text."""
    value = said.get(name, absent) if isinstance(said, Mapping) else None
    text = str(value) if isinstance(value, int | str) and not isinstance(value, bool) else ""
    if not re.fullmatch(r"\d{1,12}", text, re.ASCII):
        raise _Unread(name)
    return int(text)


def _money(said: Any, name: str) -> int:
    """Yuan as minor units; none where nothing is said."""
    value = said.get(name, "0") if isinstance(said, Mapping) else None
    text = str(value) if isinstance(value, int | str) and not isinstance(value, bool) else ""
    if not re.fullmatch(r"\d{1,9}(?:\.\d{1,2}0*)?", text, re.ASCII):
        raise _Unread(name)
    return int(Decimal(text) * MINOR_UNITS)
