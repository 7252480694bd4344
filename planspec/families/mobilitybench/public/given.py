"""The ground truth of an episode of the public table, as the library takes it, and its missing parts.

If a column is truncated or contradicts the recorded results, nothing is invented in its place: the part is
not given, so it is not judged, and `Right.unasked` lists it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from planspec.families.mobilitybench.amounts import duration_text, length_text, minutes_of
from planspec.families.mobilitybench.calls import normalise_location
from planspec.families.mobilitybench.episode import ROUTE_TOOLS, Episode, RecordedResult, Scenario
from planspec.families.mobilitybench.program_readings import LEAST_SPARE, MOST_SPARE
from planspec.families.mobilitybench.public.saying import (
    clock_text,
    lines_of,
    minute_in,
    planner_of,
    preferences_of,
    requested_figures,
    requested_time,
)
from planspec.families.mobilitybench.public.ways import LEVELS, ToolJson, public_routes, result_of
from planspec.families.mobilitybench.ways import HERE, Gathering

PLANNED = (
    "a-way", "starts", "ends", "unbroken", "in-sequence", "by", "told-time", "told-length", "told-counts", "told-times",
)  # fmt: skip
"""Constraints of the library on every requested way."""
VEHICLES = {
    "driving_planning": ["drive"], "walking_planning": ["walk"], "bicycling_planning": ["cycle"],
    "bus_planning": ["bus", "subway", "tram", "ferry"],
}  # fmt: skip
LEVEL_NAMES = {level: level for level in LEVELS.values()} | {"unknown": "unknown_level"}
"""The library's members for the levels of traffic."""
SPAN = re.compile(r"(?:(\d{1,3})小时)?(?:(\d{1,4})分钟?)?", re.ASCII)
OWN = re.compile(r"(?:地铁|轨道交通|公交车?|轻轨)*(.+)")
"""A line's own name, which follows its kind."""
Given: TypeAlias = dict[str, Any]  # JSON


@dataclass(slots=True)
class Right:
    """Ground truth, and its missing parts.

    Attributes:
        given: givens of the library, as JSON.
        unasked: parts that the table lacks, each in a few words.
        without: constraints of the library that cannot be judged without them.
    """

    given: Given = field(default_factory=dict)
    unasked: list[str] = field(default_factory=list)
    without: list[str] = field(default_factory=list)


def right_of(episode: Episode) -> Right:
    """Return the ground truth in the columns of a public episode.

    Args:
        episode: episode with query, program, snapshot and truth; its givens are not read.
    """
    right = Right()
    places = _places(episode)
    match episode.scenario:
        case Scenario.POI_SEARCH:
            _poi(episode, right, places)
        case Scenario.GEOLOCATION:
            _geolocation(episode, right)
        case Scenario.NEARBY_SEARCH:
            _nearby(episode, right, places)
        case Scenario.WEATHER:
            _weather(episode, right)
        case Scenario.TRAFFIC:
            _traffic(episode, right)
        case Scenario.ROUTE_PROPERTY:
            _property(episode, right)
        case Scenario.TIME:
            _time(episode, right)
        case _:
            _way(episode, right, places)
    return right


def _places(episode: Episode) -> Gathering:
    """Collect the places that the tools returned, by their ids in the task's tables."""
    places = Gathering({}, episode.context.location)
    for record in episode.snapshot:
        result = result_of(episode, record)
        if result is not None:
            places.look(record.tool, record.arguments, result)
    return places


def _only_result(
    episode: Episode, tool: str, column: str | None = None
) -> tuple[RecordedResult | None, ToolJson | None]:
    """Return the only record of a tool or a column, with the result in our form."""
    matches = [
        record
        for record in episode.snapshot
        if record.tool == tool and record.column is not None and column in (None, record.column)
    ]
    if len(matches) != 1:
        return None, None
    return matches[0], result_of(episode, matches[0])


def _lack(right: Right, record: RecordedResult | None, what: str, *without: str) -> None:
    if record is not None and record.missing is not None:
        right.unasked.append(f"{what}: `{record.column}` is {record.missing}")
    elif record is not None:
        right.unasked.append(f"{what}: `{record.column}` cannot be read")
    else:
        right.unasked.append(f"{what}: no column tells it")
    right.without += without


# ------------------------------------------------------------------ the map


def _poi(episode: Episode, right: Right, places: Gathering) -> None:
    record, result = _only_result(episode, "poi_query", "poi_result")
    if result is None:
        _lack(right, record, "the place")
        return
    (poi,) = result["pois"]
    answer = episode.truth.get("ans_loc")
    if isinstance(answer, str) and _located(answer) != normalise_location(poi["location"]):
        right.unasked.append("the place: `ans_loc` and `poi_result` are elsewhere")
        return
    right.given["right_places"] = [places.place(poi["name"], poi["location"])]
    right.given["asked_where"] = names_it(episode.query, poi["name"])


def names_it(query: str, name: str) -> bool:
    """Return whether the query names the place, with or without its branch, rather than a kind of place."""
    plain_query, full_name, short_name = map(_plain, (query, name, name.partition("(")[0].partition("（")[0]))
    return any(form and form in plain_query for form in (full_name, short_name))


def _plain(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKC", text).casefold() if c.isalnum())


def _geolocation(episode: Episode, right: Right) -> None:
    record, result = _only_result(episode, "reverse_geocoding")
    formatted = episode.truth.get("formatted_address")
    address = formatted if isinstance(formatted, str) else result["address"] if result is not None else None
    if address is None:
        _lack(right, record, "the address")
        return
    if result is not None and result["address"] != address:
        right.unasked.append("the address: `formatted_address` and `location_ans` are others")
        return
    shorter, words = address, [address]
    for part in ("province", "city"):  # the address is as good without them for people in the city
        name = result.get(part) if result is not None else None
        if name and shorter.startswith(name) and shorter != name:
            shorter = shorter.removeprefix(name)
            words.append(shorter)
    right.given["right_address"] = words


def _nearby(episode: Episode, right: Right, places: Gathering) -> None:
    record, result = _only_result(episode, "nearby_poi_query")
    if result is None:
        _lack(right, record, "the places", "near-places", "enough-places")
        return
    ids = [places.place(poi["name"], poi["location"]) for poi in result["pois"]]
    right.given["right_places"] = list(dict.fromkeys(ids))
    right.given["at_least"] = min(1, len(ids))


def _weather(episode: Episode, right: Right) -> None:
    record, result = _only_result(episode, "weather_query")
    if result is None:
        _lack(right, record, "the weather")
        return
    right.given["weather_days"] = [day["day"] for day in result["weather"]]


def _traffic(episode: Episode, right: Right) -> None:
    record, result = _only_result(episode, "traffic_info_query")
    if result is None:
        _lack(right, record, "the level of traffic", "right-level")
        return
    right.given["right_level"] = LEVEL_NAMES[result["level"]]


# ------------------------------------------------------------------ figures and times of ways


def _routes(episode: Episode) -> tuple[RecordedResult | None, tuple[ToolJson | None, ...]]:
    """Return the recorded routes, in the order of the calls."""
    matches = [r for r in episode.snapshot if r.tool in ROUTE_TOOLS and r.column is not None]
    if len(matches) != 1:
        return None, ()
    return matches[0], public_routes(matches[0])


def _property(episode: Episode, right: Right) -> None:
    """Read figures of the first route, which is the recommended one."""
    figures = requested_figures(episode.query)
    if not figures:
        right.unasked.append("the figure: the words of the query do not tell which")
        return
    record, routes = _routes(episode)
    first = routes[0] if routes else None
    if first is None:
        _lack(right, record, "the figure")
        return
    texts = {
        "length": length_text(first["distance"]), "time": duration_text(first["duration"]),
        "transfers": first["transfers"], "lights": first["traffic_lights"], "tolls": first["tolls"], "fare": first["fare"],
    }  # fmt: skip
    for figure in figures:
        right.given[f"right_{figure}"] = texts[figure]


def _time(episode: Episode, right: Right) -> None:
    direction, minute = requested_time(episode.query), minute_in(episode.query)
    if direction is None:
        right.unasked.append("the time: the words of the query do not tell whether of leaving or of arriving")
    if minute is None:
        right.unasked.append("the time: the words of the query leave it open")
    minutes = _under_way(episode)
    if minutes is None:
        _lack(right, _routes(episode)[0], "the time")
    if direction is None or minute is None or minutes is None:
        return
    if direction == "depart":
        right.given["right_depart"] = clock_text(minute - minutes)
        right.given["early"] = duration_text(max(LEAST_SPARE, min(MOST_SPARE, 60 * minutes)))
    else:
        right.given["right_arrive"] = clock_text(minute + minutes)


def _under_way(episode: Episode) -> int | None:
    """Return the minutes under way: from their own column, otherwise those of the first route."""
    duration = episode.truth.get("duration")
    match = SPAN.fullmatch(duration) if isinstance(duration, str) else None
    if match and (match[1] or match[2]):
        return int(match[1] or 0) * 60 + int(match[2] or 0)
    routes = _routes(episode)[1]
    return minutes_of(routes[0]["duration"]) if routes and routes[0] is not None else None


# ------------------------------------------------------------------ ways


def _way(episode: Episode, right: Right, places: Gathering) -> None:
    planner = planner_of(episode)
    record, routes = _routes(episode)
    readable = [route for route in routes if route is not None]
    if planner is None or record is None or record.arguments is None or not readable:
        _lack(right, record, "the way", *PLANNED)
        if record is not None and record.arguments is None:
            right.unasked.append("the way: its call has no counterpart among our tools")
        return
    arguments: dict[str, Any] = record.arguments
    ends = ((arguments["origin"], "std_start"), *((spot, "std_transit") for spot in arguments.get("waypoints", ())),
            (arguments["destination"], "std_end"))  # fmt: skip
    origin, *via, destination = _ids(episode, places, ends)
    right.given |= {"origin": origin, "destination": destination, "vehicles": list(VEHICLES[planner])}
    if episode.scenario is Scenario.MULTI_STOP:
        right.given["via"] = via
        if not via:
            right.unasked.append("the places on the way: the standard program does not come by them")
    allowed = readable
    if episode.scenario is Scenario.CUSTOMIZED:
        allowed = _lines(episode, right, routes)
    if episode.scenario is Scenario.OPTIONS:
        allowed = _options(episode, right, readable, whole=len(readable) == len(routes))
    if not any(name.startswith("best_") for name in right.given):
        right.given["usual_time"] = duration_text(min(route["duration"] for route in allowed))


def _ids(episode: Episode, places: Gathering, ends: Iterable[tuple[str, str]]) -> list[str]:
    """Return the places of a call: by the name in their column, as the user's own, or by coordinates."""
    by_location: dict[tuple[str | None, str], str] = {}
    for record in episode.snapshot:
        result = result_of(episode, record) if record.tool == "poi_query" else None
        for poi in [] if result is None else result["pois"]:
            by_location[record.column, normalise_location(poi["location"])] = places.place(
                poi["name"], poi["location"]
            )
    here = None if episode.context.location is None else _located(episode.context.location)
    ids = []
    for location, column in ends:
        spot = normalise_location(location)
        ids.append(by_location.get((column, spot)) or (HERE if spot == here else places.at(location)))
    return ids


def _options(episode: Episode, right: Right, readable: list[ToolJson], *, whole: bool) -> list[ToolJson]:
    """Read the preferences for a way; the best figure is known only if all routes are."""
    preferences, choices, reason = preferences_of(episode)
    if reason is not None:
        right.unasked.append(f"the preference: {reason}")
    elif not preferences and not choices:
        right.unasked.append("the preference: no column tells it, or it is that of every call")
    if "modes" in choices:
        right.given["vehicles"] = list(choices["modes"])
    if not whole:
        right.unasked.append("the best way: one of the routes cannot be read")
    allowed = readable
    best: dict[str, Any] = {
        "fastest": ("best_time", lambda r: r["duration"], duration_text),
        "shortest": ("best_length", lambda r: r["distance"], length_text),
        "avoid_tolls": ("best_fare", lambda r: r["tolls"] + r["fare"], int),
        "cheapest": ("best_fare", lambda r: r["tolls"] + r["fare"], int),
        "fewest_lights": ("best_lights", lambda r: r["traffic_lights"], int),
        "fewest_transfers": ("best_transfers", lambda r: r["transfers"], int),
        "least_walking": ("best_walking", lambda r: r["walking_distance"], length_text),
    }
    for preference in preferences:
        if preference == "avoid_highways":
            free = [route for route in readable if not any(step["class"] for step in route["steps"])]
            if free:
                right.given["no_motorway"] = True
                allowed = free
            else:
                right.unasked.append("the preference: every recorded way is on a motorway")
        elif preference in best and whole:
            name, figure, text = best[preference]
            # the first of several preferences takes precedence
            if not any(given.startswith("best_") for given in right.given):
                right.given[name] = text(min(map(figure, allowed)))
    return allowed


def _lines(episode: Episode, right: Right, routes: Sequence[ToolJson | None]) -> list[ToolJson]:
    """Return the routes that comply with the lines to avoid and to use.

    The route in the column `matched_transit_index` must be among them.
    """
    readable = [route for route in routes if route is not None]
    refused, required, reason = lines_of(episode)
    if reason is not None:
        right.unasked.append(f"the lines: {reason}")
        return readable
    lines = list(dict.fromkeys(step["line"] for route in readable for step in route["steps"] if step["line"]))
    avoid = [line for line in lines if any(is_line(line, name) for name in refused)]
    use = [line for line in lines if any(is_line(line, name) for name in required)]

    def fits(route: ToolJson) -> bool:
        taken = {step["line"] for step in route["steps"]}
        return not taken & set(avoid) and (not required or bool(taken & set(use)))

    allowed = [route for route in readable if fits(route)]
    index = episode.truth.get("matched_transit_index")
    right_one = routes[index] if isinstance(index, int) and 0 <= index < len(routes) else None
    if not allowed or right_one is None or not fits(right_one):
        right.unasked.append("the lines: `matched_transit_index` tells no way that keeps to them")
        return readable
    if len(use) > 1 or len(required) > 1:
        right.unasked.append("the line to use: several are meant")
    elif use:
        right.given["use_line"] = use[0]
    if avoid:
        right.given["avoid_lines"] = avoid
    return allowed


def is_line(line: str, name: str) -> bool:
    """Return whether a text names this line: line 1 is neither line 11 nor line S1.

    Args:
        line: the service's name: `地铁1号线八通线(环球度假区--古城)`.
        name: the user's name.
    """
    text = unicodedata.normalize("NFKC", name).strip()
    own = OWN.fullmatch(text)
    if own is None:
        return False
    head = unicodedata.normalize("NFKC", line).partition("(")[0]
    return re.search(rf"(?<![0-9A-Za-z]){re.escape(own[1])}(?![0-9A-Za-z])", head) is not None


def _located(location: str) -> str | None:
    try:
        return normalise_location(location)
    except ValueError:
        return None
