"""Columns of MobilityBench's table that hold tool results, and their assignment to the reference program's calls."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Literal, TypeAlias

from planspec.agents.tools import RefusedCallError, read_arguments
from planspec.families.mobilitybench import calls
from planspec.families.mobilitybench.episode import ROUTE_TOOLS, TOOLS, RecordedResult, StandardCall
from planspec.families.mobilitybench.public.translation import UntranslatableCall, translate_call
from planspec.families.mobilitybench.snapshot import KnownCall

UnreadableColumns: TypeAlias = Mapping[str, Literal["truncated", "unreadable"]]
PLACES = {"std_start": "query_start_poi", "std_transit": "query_transit_poi", "std_end": "query_end_poi"}
"""Columns that hold a place, each with the column that holds the search terms for the place."""
ANSWERS: Mapping[str, tuple[str, ...]] = {
    "route_ans": ROUTE_TOOLS,
    "near_poi_ans": ("nearby_poi_query",),
    "location_ans": ("reverse_geocoding",),
    "weather": ("weather_query",),
    "ans": ("traffic_info_query",),
}
"""Columns of results, each with the tools that may have returned its content."""
POI = "poi_query"
COLUMN_OF: Mapping[str, str] = {tool: column for column, tools in ANSWERS.items() for tool in tools}
"""Column that holds the results of each tool, except of the search for places."""
CachedCalls: TypeAlias = Mapping[tuple[str, calls.Canonical], KnownCall]
"""Calls with their results, by tool and canonical arguments."""
RESULTS = frozenset((*PLACES, *ANSWERS, "poi_result"))
"""Columns that hold results of tools."""


def program_of(data: Any) -> tuple[tuple[StandardCall, ...], str | None]:
    """Parse a reference program. Return it and None, or an empty program and the fault."""
    if data is None:
        return (), None
    if not isinstance(data, list):
        return (), "it is no list"
    calls = []
    for index, call in enumerate(data):
        name = call.get("name") if isinstance(call, Mapping) else None
        arguments = call.get("arguments") if isinstance(call, Mapping) else None
        if not isinstance(name, str) or not isinstance(arguments, Mapping) or set(call) > {"name", "arguments"}:
            return (), f"its call {index + 1} is no name with arguments"
        calls.append(StandardCall(tool=TOOLS.get(name, name), name=name, arguments=dict(arguments)))
    return tuple(calls), None


def arguments_of(call: StandardCall) -> tuple[dict[str, Any] | None, str | None]:
    """Translate a call's arguments to our schema, in canonical form.

    Return them and None, or None and the reason why the call cannot be translated.
    """
    translation = translate_call(call.name, call.arguments)
    if isinstance(translation, UntranslatableCall):
        return None, translation.reason
    tool, arguments = translation
    try:
        parsed = read_arguments(calls.TOOLS[tool][0], arguments)
    except RefusedCallError as refused:
        return None, refused.message
    return {
        name: list(value) if isinstance(value, tuple) else value for name, value in calls.canonical_arguments(parsed)
    }, None


def snapshot_of(
    program: Sequence[StandardCall], cells: Mapping[str, Any], unreadable: UnreadableColumns
) -> tuple[RecordedResult, ...]:
    """Assign the results in a row to the calls of the program.

    A place is the result of the first search for its search terms. Any other result belongs to the only call of its
    tool. If the program calls the tool several times, the result is not assigned to a call.

    Args:
        program: calls of the reference program.
        cells: values of the row, by column.
        unreadable: why the row's value cannot be read, by column.
    """
    assigned: dict[int, RecordedResult] = {}
    without: list[RecordedResult] = []
    for column in (*PLACES, "poi_result", *ANSWERS):
        if column not in cells and column not in unreadable:
            continue
        index = _call_of_column(program, column, cells, assigned)
        record = RecordedResult(
            call=index,
            tool=_tool_of_column(program, column, index),
            column=column,
            result=cells.get(column),
            missing=unreadable.get(column),
            arguments=None if index is None else arguments_of(program[index])[0],
        )
        if index is None:
            without.append(record)
        else:
            assigned[index] = record
    records = [
        assigned.get(index)
        or RecordedResult(call=index, tool=call.tool, arguments=arguments_of(call)[0], missing="no column")
        for index, call in enumerate(program)
    ]
    return (*records, *without)


def fill_missing_results(snapshot: Sequence[RecordedResult], cached: CachedCalls) -> tuple[RecordedResult, ...]:
    """Add the results that the table lacks, if the caches have equal calls.

    Args:
        snapshot: recorded results of the table.
        cached: calls in the caches.
    """
    return tuple(map(partial(_fill_missing_result, cached), snapshot))


def _fill_missing_result(cached: CachedCalls, record: RecordedResult) -> RecordedResult:
    if record.missing is None or record.arguments is None or record.tool not in calls.TOOLS or not cached:
        return record
    parsed = read_arguments(calls.TOOLS[record.tool][0], record.arguments)
    match = cached.get((record.tool, calls.canonical_arguments(parsed)))
    if match is None:
        return record
    column = record.column or COLUMN_OF.get(record.tool)
    return record.model_copy(update={"column": column, "result": json.loads(match.result), "missing": None})


def _call_of_column(
    program: Sequence[StandardCall],
    column: str,
    cells: Mapping[str, Any],
    assigned: Mapping[int, RecordedResult],
) -> int | None:
    """Return the index of the call whose result a column holds, or None if it is unknown.

    Args:
        program: calls of the reference program.
        column: column with the result.
        cells: values of the row, by column.
        assigned: results of other columns, by the index of the call to which they have been assigned.
    """

    def unassigned_calls(is_candidate: Callable[[StandardCall], bool]) -> list[int]:
        return [index for index, call in enumerate(program) if index not in assigned and is_candidate(call)]

    if column in ANSWERS:
        places = unassigned_calls(lambda call: call.tool in ANSWERS[column])
        return places[0] if len(places) == 1 else None
    words = cells.get(PLACES.get(column, "query_poi"))
    matches = unassigned_calls(
        lambda call: call.tool == POI and words is not None and call.arguments.get("keywords") == words
    )
    if matches:
        return matches[0]
    searches = [index for index, call in enumerate(program) if call.tool == POI]
    only = column == "poi_result" and words is None and len(searches) == 1 and searches[0] not in assigned
    return searches[0] if only else None


def _tool_of_column(program: Sequence[StandardCall], column: str, index: int | None) -> str:
    if index is not None:
        return program[index].tool
    tools = ANSWERS.get(column, (POI,))
    called = [call.tool for call in program if call.tool in tools]
    return called[0] if called else tools[0]
