"""Inputs of MobilityBench's public toolkit: rows of its table, read as the toolkit reads them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeAlias

from planspec.families.mobilitybench.official.cells import BLANK, toolkit_value


class AnswerKind(StrEnum):
    """Kind of answer that the toolkit expects for a case."""

    ROUTE = "route"
    LINE = "route_custom"
    PROPERTY = "route_info"
    POI = "poi"
    LOCATION = "location"
    NEARBY = "nearby"
    WEATHER = "weather"
    TRAFFIC = "traffic"


@dataclass(frozen=True, slots=True)
class ToolkitScenario:
    """The toolkit's entry for a scenario.

    Attributes:
        kind: kind of the expected answers. It determines how they are judged.
        intent: the toolkit's words for the user's intent.
        slots: columns of values that the planner's text must contain.
    """

    kind: AnswerKind
    intent: str
    slots: tuple[str, ...]


ENDS = ("query_start_poi", "query_end_poi")
ROUTES = "路线规划"
SCENARIOS: Mapping[str, ToolkitScenario] = {
    "POI Query": ToolkitScenario(AnswerKind.POI, "地点查询", ("query",)),
    "Geolocation Query": ToolkitScenario(AnswerKind.LOCATION, "位置查询", ("longitude", "latitude")),
    "Nearby Query": ToolkitScenario(AnswerKind.NEARBY, "附近周边搜索", ("near_poi_info", "query_poi")),
    "Weather Query": ToolkitScenario(AnswerKind.WEATHER, "天气查询", ("city", "time")),
    "Traffic Info Query": ToolkitScenario(AnswerKind.TRAFFIC, "拥堵", ("road",)),
    "Route Property Query": ToolkitScenario(AnswerKind.PROPERTY, "距离", ENDS),
    "Arrival/Departure Time Query": ToolkitScenario(AnswerKind.PROPERTY, "出发时间", ENDS),
    "Point-to-Point Planning": ToolkitScenario(AnswerKind.ROUTE, ROUTES, ENDS),
    "Multi-stop Planning": ToolkitScenario(
        AnswerKind.ROUTE, ROUTES, ("query_start_poi", "query_transit_poi", "query_end_poi")
    ),
    "Option-Constrained Route Planning": ToolkitScenario(AnswerKind.ROUTE, ROUTES, ENDS),
    "Route-Constrained Planning": ToolkitScenario(AnswerKind.LINE, ROUTES, ENDS),
}
"""Scenarios by their names in the table's column `task_scenario`."""
UNKNOWN_INTENT = "Unknown intent"
VALUES = (
    "tool_list",
    "poi_result",
    "route_ans",
    "strategy_list",
    "context",
    "std_start",
    "std_transit",
    "std_end",
    "near_poi_info",
    "near_poi_ans",
    "bus_lines_list",
    "query_poi",
    "weather",
    "location_ans",
    "ans_loc",
)
"""Columns that may hold JSON or Python literals."""
READ = frozenset(
    (
        "case_id",
        "task_scenario",
        "intent_family",
        "tool_list",
        "ans_loc",
        "poi_result",
        "near_poi_ans",
        "ans",
        "formatted_address",
        "weather_description",
        "matched_transit_index",
        *(slot for scenario in SCENARIOS.values() for slot in scenario.slots if slot != "query"),
    )
)
"""Columns that the metrics read. They do not include the query."""
AS_JSON = "as_json"
"""Key that marks records from a JSON table. Their values need no parsing."""
ColumnType: TypeAlias = type[int] | type[float] | type[str]


@dataclass(frozen=True, slots=True)
class Truth:
    """Inputs of the toolkit's metrics for a case.

    Attributes:
        case: id of the case.
        scenario: scenario in the table.
        family: family of scenarios in the table, which may differ from that in the paper.
        tools: names of the tools in the reference program, in order.
        cells: values of the columns in `READ`. Blank cells are None or empty strings.
    """

    case: str
    scenario: str
    family: str
    tools: tuple[str, ...]
    cells: Mapping[str, Any]

    def __getitem__(self, column: str) -> Any:
        return self.cells.get(column)


def truths_of(rows: Sequence[Mapping[str, str | None]]) -> Iterator[Truth]:
    """Yield the ground truth of each row of a table.

    If the table has no column `case_id`, cases are named by their positions: `case_1` and so on.

    Args:
        rows: cells as strings, by column.
    """
    types = types_of(rows)
    for place, row in enumerate(rows, 1):
        yield truth_of(record_of(row, types), f"case_{place}")


def types_of(rows: Iterable[Mapping[str, str | None]]) -> dict[str, ColumnType]:
    """Return the types that the toolkit's table reader assigns to the columns.

    A column of whole numbers is `int`, or `float` if a cell is blank, so that a 1 in such a column becomes 1.0.
    A column of numbers with decimals is `float`. All other columns are `str`.

    Args:
        rows: all rows of the table, consumed one at a time.
    """
    types: dict[str, ColumnType] = {}
    blank: set[str] = set()
    for row in rows:
        for name, text in row.items():
            if text is None or text in BLANK:
                blank.add(name)
            elif types.get(name) is not str:
                types[name] = _widen_type(types.get(name), text)
    return {name: float if kind is int and name in blank else kind for name, kind in types.items()}


def record_of(row: Mapping[str, str | None], types: Mapping[str, ColumnType]) -> dict[str, Any]:
    """Convert a row as the toolkit's table reader does, and drop columns that the metrics do not read.

    A blank cell is None if it may hold JSON, otherwise an empty string.
    """
    record: dict[str, Any] = {}
    for name, text in row.items():
        if name not in READ:
            continue
        if text is None or text in BLANK:
            record[name] = None if name in VALUES else ""
        else:
            record[name] = types[name](text)
    return record


def json_record_of(row: Mapping[str, Any]) -> dict[str, Any]:
    """Convert a row of a JSON table. The toolkit does not parse strings in such tables."""
    return {name: value for name, value in row.items() if name in READ} | {AS_JSON: True}


def truth_of(record: Mapping[str, Any], case: str) -> Truth:
    """Return the ground truth in a record.

    Args:
        record: values by column. Strings in the columns `VALUES` are parsed.
        case: id of the case if the record has no `case_id`.
    """
    values = () if record.get(AS_JSON) else VALUES
    cells = {name: toolkit_value(value) if name in values else value for name, value in record.items()}
    return Truth(
        str(record.get("case_id") or case),
        _text(record.get("task_scenario")),
        _text(record.get("intent_family")),
        _tool_names(cells.get("tool_list")),
        {name: value for name, value in cells.items() if name in READ},
    )


def scenario_of(truth: Truth) -> ToolkitScenario | None:
    """Return the toolkit's entry for the scenario of a case, or None if it has none."""
    return SCENARIOS.get(truth.scenario)


RENAMED = {"traffic_status_road_api": "traffic_status"}
"""Tools that the toolkit renames when it reads the table."""


def _tool_names(calls: Any) -> tuple[str, ...]:
    """Return the names in a tool list, with those in `RENAMED` replaced."""
    if not isinstance(calls, list | tuple):
        return ()
    names = [str(call.get("name") or "") if isinstance(call, Mapping) else "" for call in calls]
    return tuple(RENAMED.get(name, name) for name in names)


def _text(value: Any) -> str:
    return "" if value is None else str(value)


def _widen_type(current: ColumnType | None, text: str) -> ColumnType:
    """Return the narrowest type that represents both this string and the column's earlier cells, of type `current`."""
    if not text.isascii() or "_" in text:
        return str
    for kind in (int, float):
        try:
            kind(text)
        except ValueError:
            continue
        return float if current is float else kind
    return str
