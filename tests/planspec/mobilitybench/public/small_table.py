"""A table in the shape of MobilityBench's public one, of an invented town."""

import csv
from pathlib import Path

from planspec.mobilitybench.public.columns import COLUMNS

START = "{'name': '北门', 'location': '120.100000,30.100000', 'lng': 120.1}"
END = "{'name': '南站', 'location': '120.200000,30.200000', 'lng': 120.2}"
TRIP = (
    "[{'name': 'query_poi', 'arguments': {'keywords': '北门', 'city': '甲市'}},"
    " {'name': 'query_poi', 'arguments': {'keywords': '南站', 'city': '甲市'}},"
    " {'name': 'bus_route', 'arguments': {'origin': '120.1,30.1', 'destination': '120.2,30.2'}}]"
)
BUS = "{'status': <ToolStatus.SUCCESS: 0>, 'data': {'transits': [{'cost': '2.0'}]}, 'error': None}"
LINE = {
    "query": "从北门到南站不坐7路", "context": "{'user_current_location': '120.1,30.1', 'city': '', 'travel_tool': '公交'}",
    "task_scenario": "Route-Constrained Planning", "intent_family": "Preference-Constrained Route Planning",
    "query_start_poi": "北门", "query_end_poi": "南站", "std_start": START, "std_end": END, "tool_list": TRIP,
    "route_ans": BUS, "llm_ner_ans": "不要7路", "bus_lines_list": "[['3路'], ['7路']]", "matched_transit_index": "0.0",
}  # fmt: skip
TRAFFIC = {
    "query": "环路堵吗", "context": "{'city': '甲市'}", "task_scenario": "Traffic Info Query",
    "intent_family": "Basic Route Planning", "road": "环路",
    "tool_list": "[{'name': 'query_poi', 'arguments': {'keywords': '环路'}},"
    " {'name': 'traffic_status_road_api', 'arguments': {'name': '环路', 'city': '甲市'}}]",
    "ans": "{'trafficinfo': {'description': '环路：畅通。'}}", "user_loc": "120.1,30.1",
}  # fmt: skip
POI = {
    "query": "南站", "context": "{'city': '甲市'}", "task_scenario": "POI Query",
    "intent_family": "Basic Information Retrieval", "ans_loc": "120.200000,30.200000",
    "tool_list": "[{'name': 'query_poi', 'arguments': {'keywords': '甲市南站'}}]",
    "poi_result": "{'status': <ToolStatus.SUCCESS: 0>, 'data': {'name': '南站'}}",
}  # fmt: skip


def write(path: Path, *rows: dict[str, str], columns: tuple[str, ...] = tuple(COLUMNS)) -> Path:
    """A table with these rows; cells that are not said are blank."""
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, columns, restval="")
        writer.writeheader()
        writer.writerows(rows)
    return path
