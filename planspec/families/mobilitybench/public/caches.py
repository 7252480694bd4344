"""The cache files of the public toolkit's sandbox, as calls of our tools with their results.

The toolkit keeps a file for each of its tools, whose nested keys are the arguments:

    driving_route_handle.json           destination, origin, strategies joined by `+`, waypoints joined by `;`
    walking_route_handle.json           destination, origin
    bicycling_route_handle.json         destination, origin
    bus_route_mock.json                 destination, origin
    nested_poi_data.json                keywords, city
    search_around_poi_sandbox.json      location, keywords
    reverse_geocoding_sandbox.json      `latitude,longitude`
    weather_sandbox.json                city, `True` or `False` for a forecast
    traffic_info_mock.json              road, city

A key `default` stands for an argument that is left out. The results take the form in which the public table has those of the same
tool.
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
from planspec.families.suite_writing.counts import TableCount

LEFT_OUT = "default"
PublicCall: TypeAlias = tuple[str, dict[str, Any], Any]
"""The toolkit's name of a tool, the arguments, and the result."""


class _UnusableEntryError(Exception):
    """An entry is no result; the text says why in a few words."""


def read_caches(folder: Path) -> tuple[list[RecordedCall], tuple[TableCount, ...]]:
    """The calls of all caches of a folder, each once, and what became of the entries of each file.

    Raises:
        InvalidTableError: the folder has none of the files, or one of them is no JSON object.
        OSError: one cannot be read.
    """
    found: dict[tuple[str, Any], RecordedCall] = {}
    counts = []
    for name, entries in FILES.items():
        if not (folder / name).is_file():
            continue
        count = TableCount(name)
        for call in entries(_object(folder / name)):
            count.read += 1
            try:
                read = _recorded(call)
            except _UnusableEntryError as reason:
                count.dropped[str(reason)] += 1
                continue
            if read.key in found:
                count.repeated += 1
                continue
            found[read.key] = read
            count.kept += 1
        counts.append(count)
    if not counts:
        raise InvalidTableError(
            f"{folder}: none of the toolkit's caches is there, such as `{next(iter(FILES))}`"
        )
    return list(found.values()), tuple(counts)


def _object(path: Path) -> Mapping[str, Any]:
    try:
        said = json.loads(read_bytes(path, RECORDS_BYTES))
    except (ValueError, RecursionError) as error:
        raise InvalidTableError(f"{path.name}: no JSON: {error}") from None
    if not isinstance(said, dict):
        raise InvalidTableError(f"{path.name}: no object of cached results")
    return said


def _recorded(call: PublicCall) -> RecordedCall:
    """A cached result as a call of ours.

    Raises:
        _UnusableEntryError: it is none.
    """
    name, arguments, result = call
    if result is None:
        raise _UnusableEntryError("no result of the tool")
    tool, ours = arguments_of_cached(name, arguments)
    return call_of({"tool": tool, "arguments": ours, "result": json.loads(text_of(result))})


def arguments_of_cached(name: str, arguments: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The tool of ours and its arguments for a call of the toolkit.

    Raises:
        _UnusableEntryError: ours has no such call.
    """
    from planspec.families.mobilitybench.episode import TOOLS

    tool = TOOLS[name]
    ours, unsaid = arguments_of(StandardCall(tool=tool, name=name, arguments=dict(arguments)))
    if ours is None:
        raise _UnusableEntryError("no call of our tools" if unsaid is None else "our tools cannot ask it")
    return tool, ours


# ------------------------------------------------------------------ the entries of each file


def _pairs(said: Any) -> Iterator[tuple[str, Any]]:
    """The entries of an object; of anything else there are none."""
    if isinstance(said, Mapping):
        yield from ((str(key), value) for key, value in said.items())


def _ends(said: Any) -> Iterator[tuple[dict[str, Any], Any]]:
    for destination, origins in _pairs(said):
        for origin, value in _pairs(origins):
            yield {"origin": origin, "destination": destination}, value


def _driving(said: Any) -> Iterator[PublicCall]:
    for ends, strategies in _ends(said):
        for strategy, ways in _pairs(strategies):
            wanted = {} if strategy == LEFT_OUT else {"strategy": strategy.split("+")}
            for waypoints, value in _pairs(ways):
                via = {} if waypoints == LEFT_OUT else {"waypoints": waypoints.split(";")}
                yield "driving_route", ends | wanted | via, _of_service(value)


def _walking(said: Any) -> Iterator[PublicCall]:
    for ends, value in _ends(said):
        yield "walking_route", ends, _of_service(value)


def _cycling(said: Any) -> Iterator[PublicCall]:
    for ends, value in _ends(said):
        yield "bicycling_route", ends, value if isinstance(value, str) else None


def _bus(said: Any) -> Iterator[PublicCall]:
    for ends, value in _ends(said):
        framed = value if isinstance(value, Mapping) and value.get("status") == "SUCCESS" else {}
        yield "bus_route", ends, _of_service(framed.get("data"))


def _poi(said: Any) -> Iterator[PublicCall]:
    for keywords, cities in _pairs(said):
        for city, place in _pairs(cities):
            asked = {"keywords": keywords} | ({"city": city} if city not in ("", LEFT_OUT) else {})
            yield "query_poi", asked, _place(place)


def _around(said: Any) -> Iterator[PublicCall]:
    for location, kinds in _pairs(said):
        for keywords, pois in _pairs(kinds):
            told = None
            if isinstance(pois, list):
                told = {"status": "1", "pois": [place for one in pois if (place := _place(one)) is not None]}
            yield "search_around_poi", {"location": location, "keywords": keywords}, told


def _reverse(said: Any) -> Iterator[PublicCall]:
    for key, address in _pairs(said):
        latitude, _, longitude = key.partition(",")
        told = None
        if isinstance(address, str) and address:
            told = {"status": "1", "regeocode": {"formatted_address": address, "addressComponent": {}}}
        yield "reverse_geocoding", {"longitude": longitude.strip(), "latitude": latitude.strip()}, told


def _weather(said: Any) -> Iterator[PublicCall]:
    for city, kinds in _pairs(said):
        for forecast, value in _pairs(kinds):
            text = value.get("weather_description") if isinstance(value, Mapping) else None
            told = {"status": "1", "weather_description": text} if isinstance(text, str) and text else None
            yield "weather_query", {"city": city, "need_forecast": forecast == "True"}, told


def _traffic(said: Any) -> Iterator[PublicCall]:
    for road, cities in _pairs(said):
        for city, value in _pairs(cities):
            yield "traffic_status", {"name": road, "city": city}, _of_service(value)


def _of_service(value: Any) -> Any:
    """What the service behind the tool said, if it answered."""
    return value if isinstance(value, Mapping) and value.get("status") == "1" else None


def _place(value: Any) -> Any:
    """A place as the toolkit tells it."""
    if not isinstance(value, Mapping) or not isinstance(value.get("location"), str):
        return None
    return {name: value[name] for name in ("location", "name", "address") if isinstance(value.get(name), str)}


FILES: Mapping[str, Callable[[Any], Iterator[PublicCall]]] = {
    "driving_route_handle.json": _driving, "walking_route_handle.json": _walking,
    "bicycling_route_handle.json": _cycling, "bus_route_mock.json": _bus, "nested_poi_data.json": _poi,
    "search_around_poi_sandbox.json": _around, "reverse_geocoding_sandbox.json": _reverse,
    "weather_sandbox.json": _weather, "traffic_info_mock.json": _traffic,
}  # fmt: skip
"""The toolkit's files with what reads each."""
