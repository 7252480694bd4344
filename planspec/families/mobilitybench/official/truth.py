"""The inputs of MobilityBench's public toolkit for a case: a row of its table, read as it reads it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeAlias

from planspec.families.mobilitybench.official.cells import BLANK, toolkit_value


class Kind(StrEnum):
    """The toolkit's kinds of answers; what a case asks for is one of them."""

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
        kind: how its answers are judged.
        intent: the words for what the user wants.
        slots: the columns whose values a plan has to name.
    """

    kind: Kind
    intent: str
    slots: tuple[str, ...]


ENDS = ("query_start_poi", "query_end_poi")
ROUTES = "路线规划"
SCENARIOS: Mapping[str, ToolkitScenario] = {
    "POI Query": ToolkitScenario(Kind.POI, "地点查询", ("query",)),
    "Geolocation Query": ToolkitScenario(Kind.LOCATION, "位置查询", ("longitude", "latitude")),
    "Nearby Query": ToolkitScenario(Kind.NEARBY, "附近周边搜索", ("near_poi_info", "query_poi")),
    "Weather Query": ToolkitScenario(Kind.WEATHER, "天气查询", ("city", "time")),
    "Traffic Info Query": ToolkitScenario(Kind.TRAFFIC, "拥堵", ("road",)),
    "Route Property Query": ToolkitScenario(Kind.PROPERTY, "距离", ENDS),
    "Arrival/Departure Time Query": ToolkitScenario(Kind.PROPERTY, "出发时间", ENDS),
    "Point-to-Point Planning": ToolkitScenario(Kind.ROUTE, ROUTES, ENDS),
    "Multi-stop Planning": ToolkitScenario(
        Kind.ROUTE, ROUTES, ("query_start_poi", "query_transit_poi", "query_end_poi")
    ),
    "Option-Constrained Route Planning": ToolkitScenario(Kind.ROUTE, ROUTES, ENDS),
    "Route-Constrained Planning": ToolkitScenario(Kind.LINE, ROUTES, ENDS),
}
"""The scenarios by their names in the table's column `task_scenario`."""
UNKNOWN_INTENT = "Unknown intent"
VALUES = (
    "tool_list", "poi_result", "route_ans", "strategy_list", "context", "std_start", "std_transit", "std_end",
    "near_poi_info", "near_poi_ans", "bus_lines_list", "query_poi", "weather", "location_ans", "ans_loc",
)  # fmt: skip
"""The columns that may hold JSON or literals."""
READ = frozenset(
    ("case_id", "task_scenario", "intent_family", "tool_list", "ans_loc", "poi_result", "near_poi_ans", "ans",
     "formatted_address", "weather_description", "matched_transit_index",
     *(slot for scenario in SCENARIOS.values() for slot in scenario.slots if slot != "query"))
)  # fmt: skip
"""The columns that the metrics read; the query is not among them."""
AS_JSON = "as_json"
"""The key of a record whose values are as the toolkit has them."""
Type: TypeAlias = type[int] | type[float] | type[str]


@dataclass(frozen=True, slots=True)
class Truth:
    """The metrics' inputs for a case.

    Attributes:
        case: its id.
        scenario: as the table calls it.
        family: likewise, which is not always the paper's.
        tools: the names of the tools of the standard program, in order.
        cells: the values of the columns in `READ`; a blank one is None or an empty text.
    """

    case: str
    scenario: str
    family: str
    tools: tuple[str, ...]
    cells: Mapping[str, Any]

    def __getitem__(self, column: str) -> Any:
        return self.cells.get(column)


def truths_of(rows: Sequence[Mapping[str, str | None]]) -> Iterator[Truth]:
    """The truths of a table.

    Cases are called by their places, `case_1` and so on, where the table has no column `case_id`.

    Args:
        rows: the cells as texts, by column.
    """
    types = types_of(rows)
    for place, row in enumerate(rows, 1):
        yield truth_of(record_of(row, types), f"case_{place}")


def types_of(rows: Iterable[Mapping[str, str | None]]) -> dict[str, Type]:
    """The types that the toolkit's table reader gives the columns.

    A column with nothing but numbers is one of numbers, and of decimals if a cell is blank: the 1 of such a column is
    1.0. All others are texts.

    Args:
        rows: all of the table; they are taken one at a time.
    """
    types: dict[str, Type] = {}
    blank: set[str] = set()
    for row in rows:
        for name, text in row.items():
            if text is None or text in BLANK:
                blank.add(name)
            elif types.get(name) is not str:
                types[name] = _wider(types.get(name), text)
    return {name: float if kind is int and name in blank else kind for name, kind in types.items()}


def record_of(row: Mapping[str, str | None], types: Mapping[str, Type]) -> dict[str, Any]:
    """A row as the toolkit's table reader gives it, of the columns that the metrics read.

    A blank cell is None where it may hold JSON, else an empty text.
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
    """A row of a JSON table, whose texts the toolkit does not read as values."""
    return {name: value for name, value in row.items() if name in READ} | {AS_JSON: True}


def truth_of(record: Mapping[str, Any], case: str) -> Truth:
    """The truth of one case.

    Args:
        record: values by column; texts of `VALUES` are read.
        case: the case's id, unless the record has a `case_id`.
    """
    values = () if record.get(AS_JSON) else VALUES
    cells = {name: toolkit_value(value) if name in values else value for name, value in record.items()}
    return Truth(
        str(record.get("case_id") or case), _text(record.get("task_scenario")), _text(record.get("intent_family")),
        _tools(cells.get("tool_list")), {name: value for name, value in cells.items() if name in READ},
    )  # fmt: skip


def scenario_of(truth: Truth) -> ToolkitScenario | None:
    """The toolkit's entry for the case's scenario; None if it has none."""
    return SCENARIOS.get(truth.scenario)


RENAMED = {"traffic_status_road_api": "traffic_status"}


def _tools(said: Any) -> tuple[str, ...]:
    """The names in a tool list; the toolkit renames one of them."""
    if not isinstance(said, list | tuple):
        return ()
    names = [str(call.get("name") or "") if isinstance(call, Mapping) else "" for call in said]
    return tuple(RENAMED.get(name, name) for name in names)


def _text(value: Any) -> str:
    return "" if value is None else str(value)


def _wider(known: Type | None, text: str) -> Type:
    """The narrowest type of a column that has a cell of this text, too."""
    if not text.isascii() or "_" in text:
        return str
    for kind in (int, float):
        try:
            kind(text)
        except ValueError:
            continue
        return float if known is float else kind
    return str
