"""Reader of the cache files of MobilityBench's public toolkit. Cached calls become recorded calls of our tools.

The toolkit has a file for each of its tools. Each file is a nested JSON object; its keys are these arguments, outermost
first:

    driving_route_handle.json           destination, origin, strategies joined by `+`, waypoints joined by `;`
    walking_route_handle.json           destination, origin
    bicycling_route_handle.json         destination, origin
    bus_route_mock.json                 destination, origin
    nested_poi_data.json                keywords, city
    search_around_poi_sandbox.json      location, keywords
    reverse_geocoding_sandbox.json      `latitude,longitude`
    weather_sandbox.json                city, `True` or `False` for a forecast
    traffic_info_mock.json              road, city

The key `default` stands for an omitted argument. Results have the form of the public table.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from planspec.dsl.resources.limits import RECORDS_BYTES
from planspec.dsl.resources.reading import read_bytes
from planspec.families.mobilitybench.episode import StandardCall
from planspec.families.mobilitybench.public.results import arguments_of
from planspec.families.mobilitybench.public.sheets import InvalidTableError
from planspec.families.mobilitybench.snapshot import RecordedCall, call_of, text_of
from planspec.suite_writing.counts import TableCount

LEFT_OUT = "default"
CachedPublicCall: TypeAlias = tuple[str, dict[str, Any], Any]
"""A call of the toolkit: the name of the tool, the arguments, and the result."""


class _UnusableEntryError(Exception):
    """Error if a cache entry cannot be used. The message is the reason in a few words."""


def read_caches(folder: Path) -> tuple[list[RecordedCall], tuple[TableCount, ...]]:
    """Read the distinct calls in all cache files of a folder, and count the entries of each file.

    Raises:
        InvalidTableError: the folder has none of the files, or one of them is not a JSON object.
        OSError: a file cannot be read.
    """
    calls: dict[tuple[str, Any], RecordedCall] = {}
    counts = []
    for name, entries in FILES.items():
        if not (folder / name).is_file():
            continue
        count = TableCount(name)
        for call in entries(_read_object(folder / name)):
            count.read += 1
            try:
                call_record = _record_call(call)
            except _UnusableEntryError as reason:
                count.dropped[str(reason)] += 1
                continue
            if call_record.key in calls:
                count.repeated += 1
                continue
            calls[call_record.key] = call_record
            count.stored += 1
        counts.append(count)
    if not counts:
        raise InvalidTableError(f"{folder}: none of the toolkit's caches is there, such as `{next(iter(FILES))}`")
    return list(calls.values()), tuple(counts)


def _read_object(path: Path) -> Mapping[str, Any]:
    try:
        data = json.loads(read_bytes(path, RECORDS_BYTES))
    except (ValueError, RecursionError) as error:
        raise InvalidTableError(f"{path.name}: no JSON: {error}") from None
    if not isinstance(data, dict):
        raise InvalidTableError(f"{path.name}: no object of cached results")
    return data


def _record_call(call: CachedPublicCall) -> RecordedCall:
    """Convert a cached call to a call of our tools.

    Raises:
        _UnusableEntryError: the entry has no result, or our tools have no such call.
    """
    name, arguments, result = call
    if result is None:
        raise _UnusableEntryError("no result of the tool")
    tool, our_arguments = our_tool_and_arguments(name, arguments)
    return call_of({"tool": tool, "arguments": our_arguments, "result": json.loads(text_of(result))})


def our_tool_and_arguments(name: str, arguments: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Translate a call of the toolkit to our tool and its arguments.

    Raises:
        _UnusableEntryError: our tools have no such call.
    """
    from planspec.families.mobilitybench.episode import TOOLS

    tool = TOOLS[name]
    our_arguments, reason = arguments_of(StandardCall(tool=tool, name=name, arguments=dict(arguments)))
    if our_arguments is None:
        raise _UnusableEntryError("no call of our tools" if reason is None else "our tools cannot ask it")
    return tool, our_arguments


# ------------------------------------------------------------------ the entries of each file


def _entries(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the items of a dict, and nothing for other values."""
    if isinstance(value, Mapping):
        yield from ((str(key), entry) for key, entry in value.items())


def _end_entries(data: Any) -> Iterator[tuple[dict[str, Any], Any]]:
    for destination, origins in _entries(data):
        for origin, value in _entries(origins):
            yield {"origin": origin, "destination": destination}, value


def _driving_calls(data: Any) -> Iterator[CachedPublicCall]:
    for ends, strategies in _end_entries(data):
        for strategy, ways in _entries(strategies):
            choice = {} if strategy == LEFT_OUT else {"strategy": strategy.split("+")}
            for waypoints, value in _entries(ways):
                via = {} if waypoints == LEFT_OUT else {"waypoints": waypoints.split(";")}
                yield "driving_route", ends | choice | via, _service_response(value)


def _walking_calls(data: Any) -> Iterator[CachedPublicCall]:
    for ends, value in _end_entries(data):
        yield "walking_route", ends, _service_response(value)


def _cycling_calls(data: Any) -> Iterator[CachedPublicCall]:
    for ends, value in _end_entries(data):
        yield "bicycling_route", ends, value if isinstance(value, str) else None


def _bus_calls(data: Any) -> Iterator[CachedPublicCall]:
    for ends, value in _end_entries(data):
        response = value if isinstance(value, Mapping) and value.get("status") == "SUCCESS" else {}
        yield "bus_route", ends, _service_response(response.get("data"))


def _poi_calls(data: Any) -> Iterator[CachedPublicCall]:
    for keywords, cities in _entries(data):
        for city, place in _entries(cities):
            query = {"keywords": keywords} | ({"city": city} if city not in ("", LEFT_OUT) else {})
            yield "query_poi", query, _toolkit_place(place)


def _nearby_calls(data: Any) -> Iterator[CachedPublicCall]:
    for location, kinds in _entries(data):
        for keywords, pois in _entries(kinds):
            result = None
            if isinstance(pois, list):
                result = {
                    "status": "1",
                    "pois": [place for one in pois if (place := _toolkit_place(one)) is not None],
                }
            yield "search_around_poi", {"location": location, "keywords": keywords}, result


def _address_calls(data: Any) -> Iterator[CachedPublicCall]:
    for key, address in _entries(data):
        latitude, _, longitude = key.partition(",")
        result = None
        if isinstance(address, str) and address:
            result = {"status": "1", "regeocode": {"formatted_address": address, "addressComponent": {}}}
        yield "reverse_geocoding", {"longitude": longitude.strip(), "latitude": latitude.strip()}, result


def _weather_calls(data: Any) -> Iterator[CachedPublicCall]:
    for city, kinds in _entries(data):
        for forecast, value in _entries(kinds):
            text = value.get("weather_description") if isinstance(value, Mapping) else None
            result = {"status": "1", "weather_description": text} if isinstance(text, str) and text else None
            yield "weather_query", {"city": city, "need_forecast": forecast == "True"}, result


def _traffic_calls(data: Any) -> Iterator[CachedPublicCall]:
    for road, cities in _entries(data):
        for city, value in _entries(cities):
            yield "traffic_status", {"name": road, "city": city}, _service_response(value)


def _service_response(value: Any) -> Any:
    """Return the response of AMap's service, which the toolkit calls, or None if the service failed."""
    return value if isinstance(value, Mapping) and value.get("status") == "1" else None


def _toolkit_place(value: Any) -> Any:
    """Convert a place from AMap's form to the toolkit's form. Return None if it has no location."""
    if not isinstance(value, Mapping) or not isinstance(value.get("location"), str):
        return None
    return {name: value[name] for name in ("location", "name", "address") if isinstance(value.get(name), str)}


FILES: Mapping[str, Callable[[Any], Iterator[CachedPublicCall]]] = {
    "driving_route_handle.json": _driving_calls,
    "walking_route_handle.json": _walking_calls,
    "bicycling_route_handle.json": _cycling_calls,
    "bus_route_mock.json": _bus_calls,
    "nested_poi_data.json": _poi_calls,
    "search_around_poi_sandbox.json": _nearby_calls,
    "reverse_geocoding_sandbox.json": _address_calls,
    "weather_sandbox.json": _weather_calls,
    "traffic_info_mock.json": _traffic_calls,
}
"""Reader of each cache file, by file name."""
