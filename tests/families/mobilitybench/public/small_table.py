"""A table about an invented town, in the form of MobilityBench's public table."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from planspec.families.mobilitybench.episode import Episode
from planspec.families.mobilitybench.public.columns import COLUMNS
from planspec.families.mobilitybench.public.table import TableReport, read_rows

START = "{'name': '北门', 'location': '120.100000,30.100000', 'lng': 120.1}"
END = "{'name': '南站', 'location': '120.200000,30.200000', 'lng': 120.2}"
TRIP = (
    "[{'name': 'query_poi', 'arguments': {'keywords': '北门', 'city': '甲市'}},"
    " {'name': 'query_poi', 'arguments': {'keywords': '南站', 'city': '甲市'}},"
    " {'name': 'bus_route', 'arguments': {'origin': '120.1,30.1', 'destination': '120.2,30.2'}}]"
)
BUS = "{'status': <ToolStatus.SUCCESS: 0>, 'data': {'transits': [{'cost': '2.0'}]}, 'error': None}"
LINE = {
    "query": "从北门到南站不坐7路",
    "context": "{'user_current_location': '120.1,30.1', 'city': '', 'travel_tool': '公交'}",
    "task_scenario": "Route-Constrained Planning",
    "intent_family": "Preference-Constrained Route Planning",
    "query_start_poi": "北门",
    "query_end_poi": "南站",
    "std_start": START,
    "std_end": END,
    "tool_list": TRIP,
    "route_ans": BUS,
    "llm_ner_ans": "不要7路",
    "bus_lines_list": "[['3路'], ['7路']]",
    "matched_transit_index": "0.0",
}
TRAFFIC = {
    "query": "环路堵吗",
    "context": "{'city': '甲市'}",
    "task_scenario": "Traffic Info Query",
    "intent_family": "Basic Route Planning",
    "road": "环路",
    "tool_list": "[{'name': 'query_poi', 'arguments': {'keywords': '环路'}},"
    " {'name': 'traffic_status_road_api', 'arguments': {'name': '环路', 'city': '甲市'}}]",
    "ans": "{'trafficinfo': {'description': '环路：畅通。'}}",
    "user_loc": "120.1,30.1",
}
POI = {
    "query": "南站",
    "context": "{'city': '甲市'}",
    "task_scenario": "POI Query",
    "intent_family": "Basic Information Retrieval",
    "ans_loc": "120.200000,30.200000",
    "tool_list": "[{'name': 'query_poi', 'arguments': {'keywords': '甲市南站'}}]",
    "poi_result": "{'status': <ToolStatus.SUCCESS: 0>, 'data': {'name': '南站'}}",
}


def tool_result_text(data: Any) -> str:
    """Return a result as a text in the form that the toolkit's tools print."""
    return f"{{'status': <ToolStatus.SUCCESS: 0>, 'data': {data!r}, 'error': None}}"


def step(road: str, metres: int, seconds: int, *, along: str = "", tolls: int = 0, lights: int = 0) -> Any:
    by = f"途径{along}" if along else ""
    return {
        "instruction": f"沿{road}{by}向东行驶{metres}米右转" if road else f"向东行驶{metres}米右转",
        "road_name": road,
        "step_distance": str(metres),
        "cost": {"duration": str(seconds), "tolls": str(tolls), "traffic_lights": str(lights)},
    }


def path(*steps: Any) -> Any:
    """Return a route by car, whose totals are the sums of its steps."""
    cost = {name: str(sum(int(one["cost"][name]) for one in steps)) for name in ("duration", "tolls", "traffic_lights")}
    return {
        "distance": str(sum(int(one["step_distance"]) for one in steps)),
        "restriction": "0",
        "cost": cost,
        "steps": list(steps),
    }


def driving_result(*paths: Any) -> str:
    """Return a result of the driving tool."""
    return json.dumps({"status": "1", "info": "OK", "route": {"paths": list(paths)}}, ensure_ascii=False)


def ride(line: str, metres: int, seconds: int, kind: str = "普通公交线路") -> Any:
    """Return a segment of a route by public transport, with a walk before the ride."""
    stops = (
        {"name": f"{line}上", "location": "120.110000,30.110000"},
        {"name": f"{line}下", "location": "120.190000,30.190000"},
    )
    return {
        "taxi": [],
        "walking": {"distance": "100", "duration": "90", "steps": []},
        "railway": {"via_stops": []},
        "bus": {
            "buslines": [
                {
                    "name": line,
                    "type": kind,
                    "distance": str(metres),
                    "duration": str(seconds),
                    "departure_stop": stops[0],
                    "arrival_stop": stops[1],
                }
            ]
        },
    }


def bus_result(*transits: tuple[str, list[Any]]) -> str:
    """Return a result of the bus tool, given the fare in yuan and the segments of each route."""
    ways = []
    for cost, segments in transits:
        lines = [line for one in segments for line in one["bus"]["buslines"]]
        walk = 100 * len(segments)
        ways.append(
            {
                "cost": cost,
                "duration": str(sum(int(line["duration"]) for line in lines) + 90 * len(segments)),
                "walking_distance": str(walk),
                "distance": str(sum(int(line["distance"]) for line in lines) + walk),
                "segments": segments,
            }
        )
    return tool_result_text({"status": "1", "route": {"transits": ways}})


def trip(tool: str, **more: Any) -> str:
    """Return a program, as text of the public table, that looks up start and destination and then plans the route."""
    calls = [{"name": "query_poi", "arguments": {"keywords": name, "city": "甲市"}} for name in ("北门", "南站")]
    ends = {"origin": "120.1,30.1", "destination": "120.2,30.2"}
    return repr([*calls, {"name": tool, "arguments": ends | more}])


WAY = {
    "query": "从北门开车到南站",
    "context": "{'user_current_location': '120.5,30.5', 'city': '甲市'}",
    "task_scenario": "Point-to-Point Planning",
    "intent_family": "Basic Route Planning",
    "city": "甲市",
    "query_start_poi": "北门",
    "query_end_poi": "南站",
    "std_start": START,
    "std_end": END,
    "tool_list": trip("driving_route"),
    "route_ans": driving_result(
        path(step("东路", 3000, 300, lights=2), step("甲乙高速", 9000, 400, tolls=5), step("", 500, 60)),
        path(step("东路", 2000, 200, along="大桥、西路"), step("南路", 8000, 700, lights=3)),
        path(step("山路", 30_000, 4000)),
    ),
}
"""Row with three routes by car. The second route avoids motorways, and the third is far too long."""
OPTION = WAY | {
    "query": "从北门到南站不走高速",
    "task_scenario": "Option-Constrained Route Planning",
    "strategy_list": "['不走高速']",
    "tool_list": trip("driving_route", strategy=["不走高速"]),
}
STOPS = WAY | {
    "query": "从北门经西塔到南站",
    "task_scenario": "Multi-stop Planning",
    "query_transit_poi": "西塔",
    "std_transit": "{'name': '西塔', 'location': '120.150000,30.150000'}",
    "tool_list": trip("driving_route", waypoints=["120.15,30.15"]).replace(
        "{'name': 'driving_route'", "{'name': 'query_poi', 'arguments': {'keywords': '西塔'}}, {'name': 'driving_route'"
    ),
}
PROPERTY = WAY | {"query": "北门到南站多少公里", "task_scenario": "Route Property Query"}
TIME = WAY | {
    "query": "下午六点要到南站，从北门几点出发",
    "task_scenario": "Arrival/Departure Time Query",
    "duration": "13分钟",
}
LINES = LINE | {
    "route_ans": bus_result(
        ("2.0", [ride("7路(北门--南站)", 9000, 1200)]),
        ("4.0", [ride("17路(北门--西塔)", 5000, 900), ride("地铁3号线(西塔--南站)", 6000, 600, "地铁线路")]),
        ("2.0", [ride("37路(北门--南站)", 9900, 1500)]),
    ),
    "matched_transit_index": "1.0",
}
"""Row with three routes by bus. Only the first route uses line 7."""
CYCLE = WAY | {
    "query": "从北门骑行到南站",
    "tool_list": trip("bicycling_route"),
    "route_ans": tool_result_text(
        "有2种骑行路线：\n第1种：主要经过东路、西路，全程4.2公里，预计耗时21分钟\n第2种：主要经过南路，全程5.0公里，预计耗时1小时2分钟"
    ),
}
FOUND = POI | {
    "poi_result": tool_result_text(
        {"location": "120.200000,30.200000", "name": "南站", "address": "甲省 甲市 站前路1号"}
    ),
}
WHERE = {
    "query": "我在哪",
    "context": "{'user_current_location': '120.1,30.1'}",
    "task_scenario": "Geolocation Query",
    "intent_family": "Basic Information Retrieval",
    "formatted_address": "甲省甲市乙区丙路5号",
    "tool_list": "[{'name': 'reverse_geocoding', 'arguments': {'latitude': '30.1', 'longitude': '120.1'}}]",
    "location_ans": repr(
        {
            "status": "1",
            "regeocode": {
                "formatted_address": "甲省甲市乙区丙路5号",
                "addressComponent": {"province": "甲省", "city": "甲市", "district": "乙区", "building": {"name": []}},
            },
        }
    ),
}
NEAR = {
    "query": "南站附近的药店",
    "context": "{'city': '甲市'}",
    "task_scenario": "Nearby Query",
    "intent_family": "Basic Information Retrieval",
    "query_poi": "南站",
    "near_poi_info": "药店",
    "poi_result": tool_result_text({"location": "120.200000,30.200000", "name": "甲市南站", "address": "甲省 乙区"}),
    "tool_list": "[{'name': 'query_poi', 'arguments': {'keywords': '南站', 'city': '甲市'}},"
    " {'name': 'search_around_poi', 'arguments': {'location': '120.200000,30.200000', 'keywords': '药店'}}]",
    "near_poi_ans": tool_result_text(
        {
            "status": "1",
            "pois": [
                {"location": "120.201000,30.200000", "name": "大药房", "address": "一号"},
                {"location": "120.202000,30.200000", "name": "小药房", "address": "二号"},
                {"location": "120.203000,30.200000", "name": "大药房", "address": "三号"},
            ],
        }
    ),
}
"""Row with a search of nearby places. Two of the places have the same name."""
WEATHER = {
    "query": "今天天气怎么样",
    "context": "{'city': '甲市'}",
    "task_scenario": "Weather Query",
    "city": "甲市",
    "intent_family": "Basic Information Retrieval",
    "time": "今天",
    "tool_list": "[{'name': 'weather_query', 'arguments': {'city': '甲市', 'need_forecast': False}}]",
    "weather": tool_result_text(
        {
            "status": "1",
            "weather_description": "甲市当前天气多云，气温-4℃，湿度39%，北风≤3级。数据更新时间：2025-03-04 10:02:23",
        }
    ),
}
JAM = TRAFFIC | {
    "ans": repr(
        {
            "status": "1",
            "trafficinfo": {"description": "环路：双向缓行。", "evaluation": {"status": "2", "description": "缓行"}},
        }
    ),
}


def write(path: Path, *rows: dict[str, str], columns: tuple[str, ...] = tuple(COLUMNS)) -> Path:
    """Write a table with these rows; missing cells are blank."""
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, columns, restval="")
        writer.writeheader()
        writer.writerows(rows)
    return path


def read_table(table: Path, report: TableReport) -> Iterator[Episode]:
    """Yield the episodes of a table."""
    return (episode for episode, _ in read_rows(table, report))
