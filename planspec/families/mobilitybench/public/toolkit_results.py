"""Conversion of our tools' results to the public toolkit's form. The module `result_translation` is the inverse.

As in AMap's results, seconds and metres are strings of digits, and money is in main units such as yuan.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from planspec.dsl.model.values import minor_digits
from planspec.families.mobilitybench.amounts import minutes_of
from planspec.families.mobilitybench.episode import Episode, RecordedResult
from planspec.families.mobilitybench.public.result_translation import ToolJson

OK: Mapping[str, str] = {"status": "1", "info": "OK", "infocode": "10000"}
LEVELS: Mapping[str, tuple[str, str]] = {
    "free": ("1", "畅通"),
    "smooth": ("1", "畅通"),
    "slow": ("2", "缓行"),
    "congested": ("3", "拥堵"),
    "severe": ("4", "严重拥堵"),
    "blocked": ("4", "严重拥堵"),
    "unknown": ("0", "未知"),
}
"""AMap's code and word for each level of traffic."""
KINDS: Mapping[str, str] = {
    "subway": "地铁线路",
    "tram": "有轨电车",
    "ferry": "轮渡",
    "bus": "普通公交线路",
    "train": "火车",
    "flight": "飞机",
}
"""AMap's name for each kind of line."""
SUCCESS, FAILURE = "<ToolStatus.SUCCESS: 0>", 1
FRAME = ("status", "data", "error")


def toolkit_result(episode: Episode, record: RecordedResult, poi_index: int = 0) -> Any:
    """Convert a recorded result to the form of the equivalent tool of the toolkit.

    Args:
        episode: the episode. Its records are results of our tools.
        record: record with the result.
        poi_index: index of the place to return. The toolkit's `query_poi` returns only one.
    """
    result: dict[str, Any] = record.result if isinstance(record.result, dict) else {}
    if "error" in result:
        error = result["error"]
        return wrap_in_frame(None, str(error.get("message") if isinstance(error, Mapping) else error))
    match record.tool:
        case "poi_query":
            pois = result["pois"]
            return wrap_in_frame(_toolkit_place(pois[poi_index])) if pois else wrap_in_frame(None, "no such place")
        case "nearby_poi_query":
            return wrap_in_frame({**_status_fields(2), "pois": [_toolkit_place(poi) for poi in result["pois"]]})
        case "reverse_geocoding":
            parts = {part: result.get(part) or "" for part in ("province", "city", "district")}
            street = {"street": result.get("street") or "", "number": str(result.get("number") or "")}
            return {
                "status": "1",
                "regeocode": {
                    "formatted_address": result["address"],
                    "addressComponent": {**parts, "streetNumber": street},
                },
            }
        case "weather_query":
            return wrap_in_frame({**_status_fields(2), "weather_description": weather_text(episode, record)})
        case "traffic_info_query":
            code, word = LEVELS[result["level"]]
            info = {
                "description": result["description"],
                "evaluation": {"status": code, "description": word},
            }
            return {**OK, "trafficinfo": info}
        case "bicycling_planning":
            return wrap_in_frame(_cycling_text(result["routes"]))
        case "bus_planning":
            ways = [_transit_route(episode, route) for route in result["routes"]]
            return wrap_in_frame({**OK, "count": str(len(ways)), "route": {**_end_arguments(record), "transits": ways}})
        case _:
            ways = [_road_route(episode, route) for route in result["routes"]]
            return {**OK, "count": str(len(ways)), "route": {**_end_arguments(record), "paths": ways}}


def wrap_in_frame(data: Any, error: str | None = None) -> dict[str, Any]:
    """Wrap data in the object `{"status", "data", "error"}` that the toolkit's tools return."""
    return {"status": FAILURE if error else 0, "data": data, "error": error}


def cell_text(value: Any) -> str:
    """Return a value as the text of a cell: a string as it is, None as an empty string, anything else as its `repr`.

    In a successful tool result, the status 0 is written as a member of the toolkit's enumeration, as in the table.
    """
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, dict) and tuple(value) == FRAME and value["status"] == 0:
        return f"{{'status': {SUCCESS}, 'data': {value['data']!r}, 'error': {value['error']!r}}}"
    return repr(value)


def weather_text(episode: Episode, record: RecordedResult) -> str:
    """Return the weather as a string: a single day in AMap's wording, a forecast in our tool's wording."""
    assert isinstance(record.result, dict), "the weather was told"
    days: Any = record.result["weather"]
    arguments = record.arguments or {}
    if arguments.get("type") == "forecast" or len(days) != 1:
        return " ".join(day["description"] for day in days)
    (day,) = days
    when = f"{day['day']} {episode.context.time or '00:00'}:00"
    wind = f"{day['wind']}{day['wind_force']}级"
    return (
        f"{episode.context.city or ''}当前天气{day['condition']}，气温{day['temperature']}℃，湿度{day['humidity']}%，{wind}。"
        f"数据更新时间：{when}"
    )


def line_names(route: ToolJson) -> list[str]:
    """Return the names of the lines that a route uses, in order."""
    return [step["line"] for step in route["steps"] if step["line"] is not None]


def _status_fields(names: int) -> dict[str, str]:
    return dict(list(OK.items())[:names])


def _toolkit_place(poi: Mapping[str, Any]) -> dict[str, Any]:
    return {"location": poi["location"], "name": poi["name"], "address": poi.get("address") or ""}


def _end_arguments(record: RecordedResult) -> dict[str, Any]:
    arguments = record.arguments or {}
    return {end: arguments[end] for end in ("origin", "destination") if end in arguments}


def _money_text(episode: Episode, minor: int) -> str:
    """Convert an amount in minor units to a string in main units of the currency, for example 250 to `2.5`."""
    return format(Decimal(minor).scaleb(-minor_digits(episode.currency or "")).normalize(), "f")


def _road_route(episode: Episode, route: ToolJson) -> dict[str, Any]:
    """Convert our route by car or on foot to the toolkit's form."""
    return {
        "distance": str(route["distance"]),
        "cost": _cost_fields(episode, route),
        "steps": [
            {
                "instruction": step["instruction"] or "",
                "road_name": step["road"] or "",
                "step_distance": str(step["distance"]),
                "cost": _cost_fields(episode, step),
            }
            for step in route["steps"]
        ],
    }


def _cost_fields(episode: Episode, part: ToolJson) -> dict[str, str]:
    return {
        "duration": str(part["duration"]),
        "tolls": _money_text(episode, part["tolls"]),
        "traffic_lights": str(part["traffic_lights"]),
    }


def _transit_route(episode: Episode, route: ToolJson) -> dict[str, Any]:
    """Convert our route by public transport to the toolkit's form.

    Each ride is a segment, together with the walk before it.
    """
    segments: list[dict[str, Any]] = []
    walk: Any = []
    for step in route["steps"]:
        if step["line"] is None:
            if walk:
                segments.append({"taxi": [], "walking": walk, "bus": {"buslines": []}})
            walk = {"distance": str(step["distance"]), "duration": str(step["duration"])}
            continue
        segments.append({"taxi": [], "walking": walk, "bus": {"buslines": [_ride_segment(step)]}})
        walk = []
    if walk:
        segments.append({"taxi": [], "walking": walk, "bus": {"buslines": []}})
    return {
        "cost": _money_text(episode, route["fare"]),
        "duration": str(route["duration"]),
        "walking_distance": str(route["walking_distance"]),
        "distance": str(route["distance"]),
        "segments": segments,
    }


def _ride_segment(step: ToolJson) -> dict[str, Any]:
    ends: Sequence[str] = [step["polyline"][0], step["polyline"][-1]] if step["polyline"] else ["", ""]
    stops = [{"name": step[name] or "", "location": where} for name, where in zip(("from", "to"), ends, strict=True)]
    return {
        "departure_stop": stops[0],
        "arrival_stop": stops[1],
        "name": step["line"],
        "type": KINDS[step["mode"]],
        "distance": str(step["distance"]),
        "duration": str(step["duration"]),
        "polyline": ";".join(step["polyline"]),
    }


def _cycling_text(routes: Sequence[ToolJson]) -> str:
    """Return the routes by bicycle as a text, with times in whole minutes."""
    lines = [f"有{len(routes)}种骑行路线："]
    for number, route in enumerate(routes, 1):
        roads = dict.fromkeys(step["road"] for step in route["steps"] if step["road"])
        hours, minutes = divmod(minutes_of(route["duration"]), 60)
        duration = (f"{hours}小时" if hours else "") + (f"{minutes}分钟" if minutes or not hours else "")
        length = f"{Decimal(route['distance']) / 1000}公里" if route["distance"] >= 1000 else f"{route['distance']}米"
        lines.append(f"第{number}种：主要经过{'、'.join(roads)}，全程{length}，预计耗时{duration}")
    return "\n".join(lines)
