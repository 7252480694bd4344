"""Ground truth of an episode of the public table, in the form of givens: the named inputs of a task's constraints.

If a column is truncated or contradicts the recorded results, its part of the ground truth is missing. That part of the
answer is not judged, and `GroundTruth.unjudged` lists it.
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
from planspec.families.mobilitybench.public.query_slots import (
    clock_text,
    lines_of,
    minute_in,
    planner_of,
    preferences_of,
    requested_figures,
    requested_time,
)
from planspec.families.mobilitybench.public.result_translation import (
    LEVELS,
    ToolJson,
    public_routes,
    result_of,
)
from planspec.families.mobilitybench.row_collector import HERE, RowCollector

PLANNED = (
    "a-way",
    "starts",
    "ends",
    "unbroken",
    "in-sequence",
    "by",
    "told-time",
    "told-length",
    "told-counts",
    "told-times",
)
"""Ids of the constraints in MobilityBench's constraint library that apply to every query for a route."""
VEHICLES = {
    "driving_planning": ["drive"],
    "walking_planning": ["walk"],
    "bicycling_planning": ["cycle"],
    "bus_planning": ["bus", "subway", "tram", "ferry"],
}
LEVEL_NAMES = {level: level for level in LEVELS.values()} | {"unknown": "unknown_level"}
"""The constraint library's name of each level of traffic."""
DURATION = re.compile(r"(?:(\d{1,3})小时)?(?:(\d{1,4})分钟?)?", re.ASCII)
LINE_NAME = re.compile(r"(?:地铁|轨道交通|公交车?|轻轨)*(.+)")
"""Pattern whose group is the name of a line without the words for its kind, such as `地铁` (metro)."""
Given: TypeAlias = dict[str, Any]  # JSON


@dataclass(slots=True)
class GroundTruth:
    """Ground truth of an episode.

    Attributes:
        given: the task's givens as JSON, for example `{"right_level": "slow"}`.
        unjudged: missing parts, each with the reason in a few words.
        without: ids of constraints that cannot be judged because of the missing parts.
    """

    given: Given = field(default_factory=dict)
    unjudged: list[str] = field(default_factory=list)
    without: list[str] = field(default_factory=list)


def ground_truth_of(episode: Episode) -> GroundTruth:
    """Derive the ground truth of a public episode from its columns.

    Args:
        episode: episode with its query, reference program, recorded results and columns. Its givens are ignored.
    """
    truth = GroundTruth()
    places = _collect_places(episode)
    match episode.scenario:
        case Scenario.POI_SEARCH:
            _add_place(episode, truth, places)
        case Scenario.GEOLOCATION:
            _add_address(episode, truth)
        case Scenario.NEARBY_SEARCH:
            _add_nearby_places(episode, truth, places)
        case Scenario.WEATHER:
            _add_weather(episode, truth)
        case Scenario.TRAFFIC:
            _add_traffic_level(episode, truth)
        case Scenario.ROUTE_PROPERTY:
            _add_figures(episode, truth)
        case Scenario.TIME:
            _add_time(episode, truth)
        case _:
            _add_route(episode, truth, places)
    return truth


def _collect_places(episode: Episode) -> RowCollector:
    """Collect the places that the tools returned, with the ids that they have in the task's tables."""
    places = RowCollector({}, episode.context.location)
    for record in episode.snapshot:
        result = result_of(episode, record)
        if result is not None:
            places.collect_result(record.tool, record.arguments, result)
    return places


def _only_result(
    episode: Episode, tool: str, column: str | None = None
) -> tuple[RecordedResult | None, ToolJson | None]:
    """Return the only recorded result of a tool, as stored and converted to our form.

    Both are None if there is not exactly one record. The converted result is also None if it cannot be read.

    Args:
        episode: the episode.
        tool: name of the tool.
        column: column of the public table from which the record must come; None for any.
    """
    matches = [
        record
        for record in episode.snapshot
        if record.tool == tool and record.column is not None and column in (None, record.column)
    ]
    if len(matches) != 1:
        return None, None
    return matches[0], result_of(episode, matches[0])


def _report_missing(truth: GroundTruth, record: RecordedResult | None, part: str, *without: str) -> None:
    if record is not None and record.missing is not None:
        truth.unjudged.append(f"{part}: `{record.column}` is {record.missing}")
    elif record is not None:
        truth.unjudged.append(f"{part}: `{record.column}` cannot be read")
    else:
        truth.unjudged.append(f"{part}: no column has it")
    truth.without += without


# ------------------------------------------------------------------ the map


def _add_place(episode: Episode, truth: GroundTruth, places: RowCollector) -> None:
    record, result = _only_result(episode, "poi_query", "poi_result")
    if result is None:
        _report_missing(truth, record, "the place")
        return
    (poi,) = result["pois"]
    answer = episode.truth.get("ans_loc")
    if isinstance(answer, str) and _normal_location(answer) != normalise_location(poi["location"]):
        truth.unjudged.append("the place: `ans_loc` and `poi_result` disagree")
        return
    truth.given["right_places"] = [places.add_place(poi["name"], poi["location"])]
    truth.given["asked_where"] = names_place(episode.query, poi["name"])


def names_place(query: str, name: str) -> bool:
    """Return whether the query contains the place's name, with or without the branch in parentheses."""
    plain_query, full_name, short_name = map(
        _letters_and_digits, (query, name, name.partition("(")[0].partition("（")[0])
    )
    return any(form and form in plain_query for form in (full_name, short_name))


def _letters_and_digits(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKC", text).casefold() if c.isalnum())


def _add_address(episode: Episode, truth: GroundTruth) -> None:
    record, result = _only_result(episode, "reverse_geocoding")
    formatted = episode.truth.get("formatted_address")
    address = formatted if isinstance(formatted, str) else result["address"] if result is not None else None
    if address is None:
        _report_missing(truth, record, "the address")
        return
    if result is not None and result["address"] != address:
        truth.unjudged.append("the address: `formatted_address` and `location_ans` disagree")
        return
    shorter, words = address, [address]
    for part in ("province", "city"):  # an answer may omit the province, or both
        name = result.get(part) if result is not None else None
        if name and shorter.startswith(name) and shorter != name:
            shorter = shorter.removeprefix(name)
            words.append(shorter)
    truth.given["right_address"] = words


def _add_nearby_places(episode: Episode, truth: GroundTruth, places: RowCollector) -> None:
    record, result = _only_result(episode, "nearby_poi_query")
    if result is None:
        _report_missing(truth, record, "the places", "near-places", "enough-places")
        return
    ids = [places.add_place(poi["name"], poi["location"]) for poi in result["pois"]]
    truth.given["right_places"] = list(dict.fromkeys(ids))
    truth.given["at_least"] = min(1, len(ids))


def _add_weather(episode: Episode, truth: GroundTruth) -> None:
    record, result = _only_result(episode, "weather_query")
    if result is None:
        _report_missing(truth, record, "the weather")
        return
    truth.given["weather_days"] = [day["day"] for day in result["weather"]]


def _add_traffic_level(episode: Episode, truth: GroundTruth) -> None:
    record, result = _only_result(episode, "traffic_info_query")
    if result is None:
        _report_missing(truth, record, "the level of traffic", "right-level")
        return
    truth.given["right_level"] = LEVEL_NAMES[result["level"]]


# ------------------------------------------------------------------ figures and times of ways


def _recorded_routes(episode: Episode) -> tuple[RecordedResult | None, tuple[ToolJson | None, ...]]:
    """Return the only recorded result of a route planner, and its routes, with None for each unreadable route.

    If there is not exactly one record, return None and no routes.
    """
    matches = [r for r in episode.snapshot if r.tool in ROUTE_TOOLS and r.column is not None]
    if len(matches) != 1:
        return None, ()
    return matches[0], public_routes(matches[0])


def _add_figures(episode: Episode, truth: GroundTruth) -> None:
    """Add the figures that the query requests, such as the duration.

    They are the figures of the first route, which is the recommended one.
    """
    figures = requested_figures(episode.query)
    if not figures:
        truth.unjudged.append("the figure: the query does not say which")
        return
    record, routes = _recorded_routes(episode)
    first = routes[0] if routes else None
    if first is None:
        _report_missing(truth, record, "the figure")
        return
    texts = {
        "length": length_text(first["distance"]),
        "time": duration_text(first["duration"]),
        "transfers": first["transfers"],
        "lights": first["traffic_lights"],
        "tolls": first["tolls"],
        "fare": first["fare"],
    }
    for figure in figures:
        truth.given[f"right_{figure}"] = texts[figure]


def _add_time(episode: Episode, truth: GroundTruth) -> None:
    direction, minute = requested_time(episode.query), minute_in(episode.query)
    if direction is None:
        truth.unjudged.append("the time: the query does not say whether of departure or of arrival")
    if minute is None:
        truth.unjudged.append("the time: the query has no unambiguous one")
    minutes = _trip_minutes(episode)
    if minutes is None:
        _report_missing(truth, _recorded_routes(episode)[0], "the time")
    if direction is None or minute is None or minutes is None:
        return
    if direction == "depart":
        truth.given["right_depart"] = clock_text(minute - minutes)
        truth.given["early"] = duration_text(max(LEAST_SPARE, min(MOST_SPARE, 60 * minutes)))
    else:
        truth.given["right_arrive"] = clock_text(minute + minutes)


def _trip_minutes(episode: Episode) -> int | None:
    """Return the duration of the trip in minutes, from the column `duration` or the first route; None if unknown."""
    duration = episode.truth.get("duration")
    match = DURATION.fullmatch(duration) if isinstance(duration, str) else None
    if match and (match[1] or match[2]):
        return int(match[1] or 0) * 60 + int(match[2] or 0)
    routes = _recorded_routes(episode)[1]
    return minutes_of(routes[0]["duration"]) if routes and routes[0] is not None else None


# ------------------------------------------------------------------ ways


def _add_route(episode: Episode, truth: GroundTruth, places: RowCollector) -> None:
    planner = planner_of(episode)
    record, routes = _recorded_routes(episode)
    readable = [route for route in routes if route is not None]
    if planner is None or record is None or record.arguments is None or not readable:
        _report_missing(truth, record, "the way", *PLANNED)
        if record is not None and record.arguments is None:
            truth.unjudged.append("the way: its call has no counterpart among our tools")
        return
    arguments: dict[str, Any] = record.arguments
    ends = (
        (arguments["origin"], "std_start"),
        *((spot, "std_transit") for spot in arguments.get("waypoints", ())),
        (arguments["destination"], "std_end"),
    )
    origin, *via, destination = _place_ids(episode, places, ends)
    truth.given |= {"origin": origin, "destination": destination, "vehicles": list(VEHICLES[planner])}
    if episode.scenario is Scenario.MULTI_STOP:
        truth.given["via"] = via
        if not via:
            truth.unjudged.append("the places on the way: the standard program does not pass them")
    allowed = readable
    if episode.scenario is Scenario.CUSTOMIZED:
        allowed = _add_lines(episode, truth, routes)
    if episode.scenario is Scenario.OPTIONS:
        allowed = _add_preferences(episode, truth, readable, is_complete=len(readable) == len(routes))
    if not any(name.startswith("best_") for name in truth.given):
        truth.given["usual_time"] = duration_text(min(route["duration"] for route in allowed))


def _place_ids(episode: Episode, places: RowCollector, ends: Iterable[tuple[str, str]]) -> list[str]:
    """Return the ids of the places in a call of a route planner.

    The id is that of the search result with the same location and column. Without one, it is that of the user's
    location, if the place is there, or else an id for the coordinates.

    Args:
        episode: the episode.
        places: collector of the places in the task's tables.
        ends: for each place, its location and the column of the public table that contains the location.
    """
    by_location: dict[tuple[str | None, str], str] = {}
    for record in episode.snapshot:
        result = result_of(episode, record) if record.tool == "poi_query" else None
        for poi in [] if result is None else result["pois"]:
            by_location[record.column, normalise_location(poi["location"])] = places.add_place(
                poi["name"], poi["location"]
            )
    here = None if episode.context.location is None else _normal_location(episode.context.location)
    ids = []
    for location, column in ends:
        spot = normalise_location(location)
        ids.append(by_location.get((column, spot)) or (HERE if spot == here else places.place_at(location)))
    return ids


def _add_preferences(
    episode: Episode, truth: GroundTruth, readable: list[ToolJson], *, is_complete: bool
) -> list[ToolJson]:
    """Add the preferences for a route, and return the routes that satisfy them.

    Args:
        episode: the episode.
        truth: ground truth to extend.
        readable: the routes that could be read.
        is_complete: whether all routes could be read. Otherwise the best duration, length and so on are unknown.
    """
    preferences, choices, reason = preferences_of(episode)
    if reason is not None:
        truth.unjudged.append(f"the preference: {reason}")
    elif not preferences and not choices:
        truth.unjudged.append("the preference: no column has it, or it is the default")
    if "modes" in choices:
        truth.given["vehicles"] = list(choices["modes"])
    if not is_complete:
        truth.unjudged.append("the best way: one of the routes cannot be read")
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
                truth.given["no_motorway"] = True
                allowed = free
            else:
                truth.unjudged.append("the preference: every recorded way is on a motorway")
        elif preference in best and is_complete:
            name, figure, text = best[preference]
            # the constraint library compares one figure only, so the first preference takes precedence
            if not any(given.startswith("best_") for given in truth.given):
                truth.given[name] = text(min(map(figure, allowed)))
    return allowed


def _add_lines(episode: Episode, truth: GroundTruth, routes: Sequence[ToolJson | None]) -> list[ToolJson]:
    """Add the lines to avoid and to use, and return the routes that comply with them.

    The column `matched_transit_index` holds the index of the right route. If that route does not comply, no lines are
    added and all readable routes are returned.
    """
    readable = [route for route in routes if route is not None]
    avoided, required, reason = lines_of(episode)
    if reason is not None:
        truth.unjudged.append(f"the lines: {reason}")
        return readable
    lines = list(dict.fromkeys(step["line"] for route in readable for step in route["steps"] if step["line"]))
    avoid = [line for line in lines if any(is_line(line, name) for name in avoided)]
    use = [line for line in lines if any(is_line(line, name) for name in required)]

    def keeps_to_lines(route: ToolJson) -> bool:
        taken = {step["line"] for step in route["steps"]}
        return not taken & set(avoid) and (not required or bool(taken & set(use)))

    allowed = [route for route in readable if keeps_to_lines(route)]
    index = episode.truth.get("matched_transit_index")
    right_one = routes[index] if isinstance(index, int) and 0 <= index < len(routes) else None
    if not allowed or right_one is None or not keeps_to_lines(right_one):
        truth.unjudged.append("the lines: the route at `matched_transit_index` does not comply with them")
        return readable
    if len(use) > 1 or len(required) > 1:
        truth.unjudged.append("the line to use: there are several")
    elif use:
        truth.given["use_line"] = use[0]
    if avoid:
        truth.given["avoid_lines"] = avoid
    return allowed


def is_line(line: str, name: str) -> bool:
    """Return whether a user's name for a line means this line: `1号线` is neither `11号线` nor `S1号线`.

    Args:
        line: name of the line in AMap's results, such as `地铁1号线八通线(环球度假区--古城)`.
        name: name in the query, such as `地铁1号线`.
    """
    text = unicodedata.normalize("NFKC", name).strip()
    own = LINE_NAME.fullmatch(text)
    if own is None:
        return False
    head = unicodedata.normalize("NFKC", line).partition("(")[0]
    return re.search(rf"(?<![0-9A-Za-z]){re.escape(own[1])}(?![0-9A-Za-z])", head) is not None


def _normal_location(location: str) -> str | None:
    try:
        return normalise_location(location)
    except ValueError:
        return None
