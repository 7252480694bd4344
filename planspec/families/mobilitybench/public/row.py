"""Conversion of episodes to rows of the public table."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from planspec.families.mobilitybench.amounts import minutes_of
from planspec.families.mobilitybench.calls import folded
from planspec.families.mobilitybench.episode import LABELS, ROUTE_TOOLS, Episode, RecordedResult, Scenario
from planspec.families.mobilitybench.public.toolkit_calls import PublicCall, public_call
from planspec.families.mobilitybench.public.toolkit_results import (
    cell_text,
    line_names,
    toolkit_result,
    weather_text,
)
from planspec.families.mobilitybench.row_collector import HERE

ORDER = (
    "query",
    "context",
    "task_scenario",
    "intent_family",
    "strategy_list",
    "query_start_poi",
    "query_transit_poi",
    "query_end_poi",
    "std_start",
    "std_transit",
    "std_end",
    "city",
    "tool_list",
    "route_ans",
    "user_loc",
    "road",
    "ans",
    "key_info",
    "location_ans",
    "formatted_address",
    "llm_ner_ans",
    "bus_lines_list",
    "matched_transit_index",
    "query_poi",
    "near_poi_info",
    "poi_result",
    "centre_loc",
    "near_poi_ans",
    "time",
    "weather",
    "weather_description",
    "ans_loc",
    "duration",
)
"""The public columns, in order."""
ID, EPISODE = "case_id", "planspec_episode"
"""Additional columns of an exported suite: the episode's id, and the episode as JSON for a later import."""
CONTEXT = {
    "user_current_location": "location",
    "city": "city",
    "start_datetime": "time",
    "travel_tool": "travel_tool",
}
"""Field of `Context` for each key in the column `context`."""
SCENARIOS: Mapping[Scenario, str] = {scenario: label for label, scenario in LABELS.items()}
"""Label of each scenario in the public table."""
DAY = "day"


@dataclass(slots=True)
class PublicRow:
    """A row of the table.

    Attributes:
        cells: strings by column. Blank cells are left out.
        inexpressible: parts of the episode that no column can hold, each in a few words.
    """

    cells: dict[str, str] = field(default_factory=dict)
    inexpressible: list[str] = field(default_factory=list)

    def put(self, **values: Any) -> None:
        """Fill cells, given as keyword arguments by column. Empty values and None leave a cell blank."""
        self.cells |= {column: text for column, value in values.items() if (text := cell_text(value))}


def row_of(episode: Episode, record: Mapping[str, Any] | None = None) -> PublicRow:
    """Convert an episode to a row.

    Args:
        episode: an episode of any suite.
        record: the public toolkit's input, if the episode is from the public table. It holds the table's strings.
    """
    return _generated_row(episode) if episode.source is None else _public_row(episode, record or {})


# ------------------------------------------------------------------ episodes of the public table


def _public_row(episode: Episode, record: Mapping[str, Any]) -> PublicRow:
    assert episode.source is not None, "it is of the public table"
    row = PublicRow()
    row.put(query=episode.query, task_scenario=episode.source.scenario, intent_family=episode.source.family)
    row.put(
        context=_public_context_cell(episode),
        tool_list=[{"name": call.name, "arguments": call.arguments} for call in episode.program],
    )
    row.put(**episode.truth)
    row.put(**{one.column: one.result for one in episode.snapshot if one.column is not None})
    row.put(**{column: value for column, value in record.items() if column in ORDER})
    row.inexpressible += [
        f"{column}, which was cut off or could not be read" for column in episode.unread if column not in row.cells
    ]
    if episode.id != f"case_{episode.source.row}":
        row.inexpressible.append("the id of the episode")
    return row


def _public_context_cell(episode: Episode) -> dict[str, Any]:
    context = episode.context
    values = {theirs: getattr(context, ours) for theirs, ours in CONTEXT.items()}
    return {name: value for name, value in values.items() if value is not None} | dict(context.extra)


# ------------------------------------------------------------------ other episodes


def _generated_row(episode: Episode) -> PublicRow:
    row = PublicRow()
    calls = [public_call(call, episode.context) for call in episode.program]
    row.inexpressible += [part for call in calls for part in call.inexpressible]
    row.put(
        case_id=episode.id,
        query=episode.query,
        context=_context_cell(episode),
        task_scenario=SCENARIOS[episode.scenario],
        intent_family=episode.family.value,
        city=episode.context.city,
        tool_list=[{"name": call.name, "arguments": dict(call.arguments)} for call in calls if call.name],
        planspec_episode=json.dumps(json.loads(episode.line()), ensure_ascii=False, separators=(",", ":")),
    )
    records = {record.call: record for record in episode.snapshot if record.call is not None}
    ordered = [records[place] for place in range(len(episode.program)) if place in records]
    match episode.scenario:
        case Scenario.POI_SEARCH:
            row.put(user_loc=episode.context.location)
            _put_place(row, episode, _first_record(ordered, "poi_query"))
        case Scenario.GEOLOCATION:
            _put_address(row, episode, ordered)
        case Scenario.NEARBY_SEARCH:
            _put_nearby(row, episode, ordered)
        case Scenario.WEATHER:
            _put_weather(row, episode, ordered)
        case Scenario.TRAFFIC:
            traffic = _first_record(ordered, "traffic_info_query")
            road = traffic.result.get("road") if traffic and isinstance(traffic.result, dict) else None
            row.put(user_loc=episode.context.location, road=episode.constraints.get("road") or road)
            if traffic is not None:
                row.put(ans=toolkit_result(episode, traffic))
        case _:
            _put_route(row, episode, ordered, calls)
    return row


def _context_cell(episode: Episode) -> dict[str, Any]:
    context = episode.context
    extra, time = dict(context.extra), context.time
    if time is not None and isinstance(extra.get(DAY), str):
        time = f"{extra.pop(DAY)} {time}"
    values = {
        "user_current_location": context.location,
        "city": context.city,
        "start_datetime": time,
        "travel_tool": context.travel_tool,
    }
    return {name: value for name, value in values.items() if value is not None} | extra


def _first_record(records: Iterable[RecordedResult], tool: str) -> RecordedResult | None:
    return next((record for record in records if record.tool == tool), None)


def _pois(record: RecordedResult | None) -> list[Mapping[str, Any]]:
    result = record.result if record is not None else None
    pois = result.get("pois") if isinstance(result, dict) else None
    return [poi for poi in pois if isinstance(poi, dict)] if isinstance(pois, list) else []


def _put_place(row: PublicRow, episode: Episode, record: RecordedResult | None) -> None:
    """Fill in the cells for the requested place.

    If several places are right answers, only the first is written, since the toolkit accepts only one.
    """
    pois = _pois(record)
    if record is None or not pois:
        return
    right = episode.given.get("right_places")
    names = [poi["name"] for poi in pois]
    place = next((names.index(one) for one in right if one in names), 0) if isinstance(right, list) else 0
    row.put(poi_result=toolkit_result(episode, record, place), ans_loc=pois[place]["location"])
    if isinstance(right, list) and len(right) > 1:
        row.inexpressible.append("right places beyond the first")


def _put_address(row: PublicRow, episode: Episode, records: list[RecordedResult]) -> None:
    record = _first_record(records, "reverse_geocoding")
    if record is None:
        _put_place(row, episode, _first_record(records, "poi_query"))
        row.inexpressible.append("the right address of a place that is named")
        return
    call = next(call for call in episode.program if call.tool == record.tool)
    longitude, _, latitude = str(call.arguments["location"]).partition(",")
    result = toolkit_result(episode, record)
    row.put(key_info={"longitude": longitude, "latitude": latitude}, location_ans=result)
    if "regeocode" in result:
        row.put(formatted_address=result["regeocode"]["formatted_address"])


def _put_nearby(row: PublicRow, episode: Episode, records: list[RecordedResult]) -> None:
    record = _first_record(records, "nearby_poi_query")
    near = episode.constraints.get("near")
    row.put(
        user_loc=episode.context.location,
        query_poi=None if near == HERE else near,
        near_poi_info=episode.constraints.get("place") or episode.constraints.get("category"),
    )
    if centre := _first_record(records, "poi_query"):
        row.put(poi_result=toolkit_result(episode, centre))
    if record is not None:
        call = next(call for call in episode.program if call.tool == record.tool)
        row.put(centre_loc=call.arguments["location"], near_poi_ans=toolkit_result(episode, record))


def _put_weather(row: PublicRow, episode: Episode, records: list[RecordedResult]) -> None:
    matches = [record for record in records if record.tool == "weather_query"]
    row.put(key_info=_context_cell(episode))
    if city := episode.constraints.get("city"):
        row.put(city=city)
    if not matches:
        return
    row.put(weather=toolkit_result(episode, matches[0]))
    if isinstance(matches[0].result, dict) and "weather" in matches[0].result:
        row.put(weather_description=weather_text(episode, matches[0]))
    if len(matches) > 1:
        row.inexpressible.append("results of calls beyond the first")


def _put_route(row: PublicRow, episode: Episode, records: list[RecordedResult], calls: list[PublicCall]) -> None:
    slots = episode.constraints
    via = slots.get("via") or []
    assert isinstance(via, list), "the places on the way are several"
    stops = [_place_cell(records, one) for one in via]
    row.put(
        query_start_poi=_place_name(slots.get("origin")),
        query_transit_poi=via[0] if len(via) == 1 else via or None,
        query_end_poi=_place_name(slots.get("destination")),
        std_start=_place_cell(records, slots.get("origin")),
        std_transit=stops[0] if len(stops) == 1 else stops or None,
        std_end=_place_cell(records, slots.get("destination")),
        strategy_list=[word for call in calls for word in call.strategies] or None,
        llm_ner_ans=_lines_cell(episode),
    )
    row.inexpressible += _wishes_without_column(episode)
    planned = [record for record in records if record.tool in ROUTE_TOOLS]
    if not planned:
        return
    if len(planned) > 1:
        row.inexpressible.append("results of calls beyond the first")
    first = planned[0]
    row.put(route_ans=toolkit_result(episode, first))
    routes: Any = first.result.get("routes") if isinstance(first.result, dict) else None
    if not routes:
        return
    if first.tool == "bus_planning":
        row.put(bus_lines_list=[line_names(route) for route in routes])
    if episode.scenario is Scenario.CUSTOMIZED:
        row.put(matched_transit_index=0)
    if episode.scenario is Scenario.TIME:
        row.put(duration=f"{minutes_of(routes[0]['duration'])}分钟")


def _place_name(value: Any) -> Any:
    return None if value == HERE else value


def _place_cell(records: Iterable[RecordedResult], name: Any) -> dict[str, Any] | None:
    """Return the place that a search for a name found, in the table's form; None if no search for it is recorded."""
    for record in records:
        keywords = (record.arguments or {}).get("keywords")
        if (
            record.tool == "poi_query"
            and isinstance(name, str)
            and keywords == folded(name)
            and (pois := _pois(record))
        ):
            poi = next((one for one in pois if folded(one["name"]) == keywords), pois[0])
            longitude, _, latitude = poi["location"].partition(",")
            return {
                "name": poi["name"],
                "address": poi.get("address") or "",
                "location": poi["location"],
                "lng": float(longitude),
                "lat": float(latitude),
                "city": "",
                "district": poi.get("district") or "",
            }
    return None


def _lines_cell(episode: Episode) -> str | None:
    """Return the lines to avoid and to use in the table's words, such as `不要1号线,要坐2号线`; None if there are none."""
    refused, required = episode.constraints.get("avoid_lines"), episode.constraints.get("use_line")
    parts = [f"不要{line}" for line in refused] if isinstance(refused, list) else []
    return ",".join([*parts, *([f"要坐{required}"] if required else [])]) or None


def _wishes_without_column(episode: Episode) -> Iterator[str]:
    """Yield the requirements for a route that no column can hold. In the table, only the query expresses them."""
    for slot in ("avoid_roads", "max_transfers", "depart_at", "arrive_by"):
        if episode.constraints.get(slot) is not None:
            yield f"{slot} of the query"
