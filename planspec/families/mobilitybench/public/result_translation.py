"""Conversion of the public toolkit's results to our form. Parts that cannot be read exactly are left out.

AMap's services write seconds and metres as strings of digits, and money in yuan. The totals of a route are copied, not
computed from its steps. A step by car or on foot may follow several roads but has only one length: the first road gets
the whole length, the others get 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any, TypeAlias

from planspec.families.mobilitybench.calls import MODES, normalise_location, route_id
from planspec.families.mobilitybench.episode import ROUTE_TOOLS, Episode, RecordedResult

ToolJson: TypeAlias = dict[str, Any]  # JSON as returned by a tool
MINOR_UNITS = 100
"""Minor units of a yuan."""
MOTORWAYS = ("高速", "高速公路")
"""Endings of the names of motorways in China. Names of ramps and side roads end differently."""
ALONG = re.compile(r"途径(.+?)(?:向[东南西北]{1,2}|行驶|步行|骑行)")
NAMELESS = "none"
"""Word for a missing value in the planning language. It therefore cannot be the name of a place."""
LEVELS: Mapping[str, str] = {
    "0": "unknown",
    "1": "smooth",
    "2": "slow",
    "3": "congested",
    "4": "severe",
}
LEVEL_WORDS: Mapping[str, str] = {
    "未知": "unknown",
    "畅通": "smooth",
    "缓行": "slow",
    "拥堵": "congested",
    "严重拥堵": "severe",
}
VEHICLES: tuple[tuple[str, str], ...] = (
    ("有轨电车", "tram"),
    ("轮渡", "ferry"),
    ("火车", "train"),
    ("飞机", "flight"),
    ("地铁", "subway"),
    ("轻轨", "subway"),
    ("磁悬浮", "subway"),
    ("公交", "bus"),
    ("大巴", "bus"),
    ("巴士", "bus"),
    ("班车", "bus"),
    ("专车", "bus"),
    ("专线", "bus"),
    ("快线", "bus"),
)
"""Vehicles, each with a substring of AMap's name for the kind of line."""
CYCLING = re.compile(
    r"第(\d+)种：主要经过([^，]*)，全程(?:(\d+(?:\.\d+)?)公里|(\d+)米)，预计耗时(?:(\d+)小时)?(?:(\d+)分钟)?"
)
WEATHER_NOW = re.compile(r".{1,40}?当前天气([^，]{1,20})，气温(-?\d{1,2})℃(?:，湿度(\d{1,3})%)?(?:，([^。]*))?。?")
OF_DAY = re.compile(r"数据更新时间：(\d{4}-\d\d-\d\d) \d\d:\d\d:\d\d")


class _UnreadableResultError(Exception):
    """Error if a result does not have the form of AMap's services."""


def result_of(episode: Episode, record: RecordedResult) -> ToolJson | None:
    """Return the result of a record in our form.

    Args:
        episode: any episode. Unless it is from the public table, its records are already in our form.
        record: a record of the episode.

    Returns:
        The result; None if it is missing or cannot be read.
    """
    if episode.source is None:
        return record.result if isinstance(record.result, dict) else None
    return public_result(record)


def public_result(record: RecordedResult) -> ToolJson | None:
    """Convert a result of the public table to our form; return None if it is missing or cannot be read.

    Args:
        record: record with the result.
    """
    if record.missing is not None or record.result is None:
        return None
    try:
        if record.tool in ROUTE_TOOLS:
            routes = [route for route in public_routes(record) if route is not None]
            return {"routes": routes} if routes else None
        data = _unwrap_result(record.result)
        match record.tool:
            case "poi_query":
                return {"pois": [_convert_place(data)]}
            case "nearby_poi_query":
                return {"pois": [_convert_place(one) for one in _list_part(data, "pois")]}
            case "reverse_geocoding":
                return _convert_address(_object_part(data, "regeocode"))
            case "traffic_info_query":
                return _convert_traffic(_object_part(data, "trafficinfo"))
            case "weather_query":
                return _convert_weather(data)
            case _:
                return None
    except _UnreadableResultError:
        return None


def public_routes(record: RecordedResult) -> tuple[ToolJson | None, ...]:
    """Return the routes of a route planner's result, in order, with None for a route that cannot be read.

    Args:
        record: record with the result.
    """
    if record.missing is not None or record.tool not in ROUTE_TOOLS:
        return ()
    try:
        data = _unwrap_result(record.result)
        if isinstance(data, str):
            routes: list[ToolJson | None] = list(_cycling_routes(data))
        else:
            route = _object_part(data, "route")
            transit = record.tool == "bus_planning"
            routes = [_read_route(record.tool, one) for one in _list_part(route, "transits" if transit else "paths")]
    except _UnreadableResultError:
        return ()
    if record.arguments is None:
        return tuple(routes)
    return tuple(
        None if route is None else {"id": route_id(record.tool, record.arguments, number), **route}
        for number, route in enumerate(routes, 1)
    )


def is_motorway(road: str) -> bool:
    """Return whether a road is a motorway, judged by its name."""
    return road.endswith(MOTORWAYS)


# ------------------------------------------------------------------ ways


def _read_route(tool: str, data: Any) -> ToolJson | None:
    try:
        return _transit_route(data) if tool == "bus_planning" else _road_route(MODES[tool], data)
    except _UnreadableResultError:
        return None


def _road_route(mode: str, data: Any) -> ToolJson:
    """Convert AMap's route by car, by bicycle or on foot to our form."""
    cost = _object_part(data, "cost")
    steps = [step for one in _list_part(data, "steps") for step in _road_steps(mode, one)]
    metres = _whole_number(data, "distance")
    return _make_route(
        mode,
        steps,
        distance=metres,
        duration=_whole_number(cost, "duration"),
        tolls=_minor_units(cost, "tolls"),
        traffic_lights=_whole_number(cost, "traffic_lights", default=0),
        walking_distance=metres if mode == "walk" else 0,
    )


def _road_steps(mode: str, data: Any) -> Iterator[ToolJson]:
    cost = _object_part(data, "cost")
    road, instruction = (_text_part(data, name) for name in ("road_name", "instruction"))
    yield _make_step(
        mode,
        road=road,
        distance=_whole_number(data, "step_distance"),
        duration=_whole_number(cost, "duration"),
        tolls=_minor_units(cost, "tolls"),
        lights=_whole_number(cost, "traffic_lights", default=0),
        instruction=instruction,
    )
    along = ALONG.search(instruction or "")
    for other in along[1].split("、") if along else ():
        if other and other != road:
            yield _make_step(mode, road=other)


def _transit_route(data: Any) -> ToolJson:
    """Convert AMap's route by public transport to our form. If a ride lists several lines, the first counts."""
    steps: list[ToolJson] = []
    for segment in _list_part(data, "segments"):
        if _has_part(segment, "taxi") or _text_part(_object_part(segment, "railway", default={}), "name"):
            raise _UnreadableResultError("a taxi or a train")
        if _has_part(segment, "walking"):
            walk = _object_part(segment, "walking")
            metres, seconds = _whole_number(walk, "distance"), _whole_number(walk, "duration")
            if metres or seconds:
                steps.append(_make_step("walk", distance=metres, duration=seconds))
        lines = _list_part(_object_part(segment, "bus", default={}), "buslines", default=())
        if lines:
            steps.append(_ride_step(lines[0]))
    rides = sum(step["line"] is not None for step in steps)
    return _make_route(
        "transit",
        steps,
        distance=_whole_number(data, "distance"),
        duration=_whole_number(data, "duration"),
        fare=_minor_units(data, "cost"),
        walking_distance=_whole_number(data, "walking_distance"),
        transfers=max(0, rides - 1),
    )


def _ride_step(data: Any) -> ToolJson:
    kind = _text_part(data, "type") or ""
    vehicle = next((vehicle for part, vehicle in VEHICLES if part in kind), None)
    line = _text_part(data, "name")
    if vehicle is None or line is None:
        raise _UnreadableResultError("a line of an unknown kind")
    stops = [_object_part(data, end) for end in ("departure_stop", "arrival_stop")]
    start, end = (_text_part(stop, "name") for stop in stops)
    ride = _make_step(
        vehicle, line=line, distance=_whole_number(data, "distance"), duration=_whole_number(data, "duration")
    )
    ends = [_text_part(stop, "location") for stop in stops]
    return ride | {"from": start, "to": end, "polyline": ends if all(map(_is_location, ends)) else []}


def _cycling_routes(text: str) -> Iterator[ToolJson]:
    """Parse a text that describes routes by bicycle, with the main roads, the length and the duration of each."""
    head, *lines = text.strip().splitlines() or [""]
    if head != f"有{len(lines)}种骑行路线：":
        raise _UnreadableResultError("other than so many ways as are told")
    for number, line in enumerate(lines, 1):
        match = CYCLING.fullmatch(line.strip())
        if match is None or int(match[1]) != number or not (match[5] or match[6]):
            raise _UnreadableResultError("no way by bicycle")
        metres = int(Decimal(match[3]) * 1000) if match[3] else int(match[4])
        seconds = int(match[5] or 0) * 3600 + int(match[6] or 0) * 60
        roads = [road for road in match[2].split("、") if road]
        steps = [_make_step("cycle", road=road) for road in roads] or [_make_step("cycle")]
        steps[0] |= {"distance": metres, "duration": seconds}
        yield _make_route("cycle", steps, distance=metres, duration=seconds)


def _make_route(mode: str, steps: Sequence[ToolJson], **totals: int) -> ToolJson:
    defaults: ToolJson = dict.fromkeys(("tolls", "traffic_lights", "transfers", "walking_distance", "fare"), 0)
    return {"mode": mode} | defaults | totals | {"depart": None, "arrive": None, "steps": list(steps)}


def _make_step(
    mode: str,
    *,
    road: str | None = None,
    line: str | None = None,
    distance: int = 0,
    duration: int = 0,
    tolls: int = 0,
    lights: int = 0,
    instruction: str | None = None,
) -> ToolJson:
    return {
        "mode": mode,
        "road": road,
        "class": "motorway" if road is not None and is_motorway(road) else None,
        "line": line,
        "from": None,
        "to": None,
        "distance": distance,
        "duration": duration,
        "wait": 0,
        "tolls": tolls,
        "fare": 0,
        "traffic_lights": lights,
        "instruction": instruction,
        "polyline": [],
    }


# ------------------------------------------------------------------ places, weather, traffic


def _convert_place(data: Any) -> ToolJson:
    name, location = _text_part(data, "name"), _text_part(data, "location")
    if name in (None, NAMELESS) or location is None or not _is_location(location):
        raise _UnreadableResultError("a place without a name or a location")
    return {"name": name, "location": location, "address": _text_part(data, "address")}


def _convert_address(data: Any) -> ToolJson:
    address = _text_part(data, "formatted_address")
    if address is None:
        raise _UnreadableResultError("no address")
    parts = _object_part(data, "addressComponent", default={})
    return {"address": address} | {part: _text_part(parts, part) for part in ("province", "city", "district")}


def _convert_traffic(data: Any) -> ToolJson:
    evaluation = _object_part(data, "evaluation")
    level, word = (_text_part(evaluation, name) or "" for name in ("status", "description"))
    if LEVELS.get(level) is None or LEVELS[level] != LEVEL_WORDS.get(word, LEVELS[level]):
        raise _UnreadableResultError("a level that is not one")
    description = _text_part(data, "description") or ""
    road = description.partition("：")[0] if "：" in description else None
    return {"road": road, "level": LEVELS[level], "description": description}


def _convert_weather(data: Any) -> ToolJson:
    text = _text_part(data, "weather_description") or ""
    match = WEATHER_NOW.match(text)
    day = OF_DAY.search(text)
    if match is None or day is None or not _is_day(day[1]):
        raise _UnreadableResultError("no weather of a day")
    return {
        "weather": [
            {
                "day": day[1],
                "condition": match[1],
                "description": match[1],
                "temperature": int(match[2]),
                "low": None,
                "high": None,
                "humidity": int(match[3]) if match[3] else None,
                "wind": match[4],
            }
        ]
    }


# ------------------------------------------------------------------ reading


def _unwrap_result(result: Any) -> Any:
    """Return a tool's result without the toolkit's frame `{"status", "data", "error"}`, if it has one.

    Raises:
        _UnreadableResultError: the tool failed.
    """
    has_frame = isinstance(result, Mapping) and set(result) == {"status", "data", "error"}
    if has_frame and (result["status"] != 0 or result["error"] is not None):
        raise _UnreadableResultError("the tool failed")
    inner = result["data"] if has_frame else result
    if isinstance(inner, Mapping) and inner.get("status", "1") != "1":
        raise _UnreadableResultError("the service failed")
    return inner


def _object_part(data: Any, name: str, default: Mapping[str, Any] | None = None) -> Mapping[str, Any]:
    value = data.get(name, default) if isinstance(data, Mapping) else None
    if not isinstance(value, Mapping):
        raise _UnreadableResultError(name)
    return value


def _list_part(data: Any, name: str, default: Sequence[Any] | None = None) -> Sequence[Any]:
    value = data.get(name, default) if isinstance(data, Mapping) else None
    if not isinstance(value, list | tuple):
        raise _UnreadableResultError(name)
    return value


def _has_part(data: Any, name: str) -> bool:
    """Return whether a part is present. AMap writes an empty list for a missing part."""
    return isinstance(data, Mapping) and bool(data.get(name))


def _is_day(text: str) -> bool:
    try:
        return bool(date.fromisoformat(text))
    except ValueError:
        return False


def _is_location(text: str | None) -> bool:
    try:
        return text is not None and bool(normalise_location(text))
    except ValueError:
        return False


def _text_part(data: Any, name: str) -> str | None:
    """Return the string under a key, or None if it is missing, empty, or an empty list (AMap's missing value)."""
    value = data.get(name) if isinstance(data, Mapping) else None
    return value.strip() or None if isinstance(value, str) else None


def _whole_number(data: Any, name: str, default: int | None = None) -> int:
    """Return the nonnegative integer under a key, which may be stored as a number or a string."""
    value = data.get(name, default) if isinstance(data, Mapping) else None
    text = str(value) if isinstance(value, int | str) and not isinstance(value, bool) else ""
    if not re.fullmatch(r"\d{1,12}", text, re.ASCII):
        raise _UnreadableResultError(name)
    return int(text)


def _minor_units(data: Any, name: str) -> int:
    """Return the amount under a key in minor units; 0 if it is missing."""
    value = data.get(name, "0") if isinstance(data, Mapping) else None
    text = str(value) if isinstance(value, int | str) and not isinstance(value, bool) else ""
    if not re.fullmatch(r"\d{1,9}(?:\.\d{1,2}0*)?", text, re.ASCII):
        raise _UnreadableResultError(name)
    return int(Decimal(text) * MINOR_UNITS)
