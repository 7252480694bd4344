import json
from typing import Any

import pytest

from planspec.families.mobilitybench.calls import route_id
from planspec.families.mobilitybench.episode import RecordedResult
from planspec.families.mobilitybench.public.columns import read_column_cell
from planspec.families.mobilitybench.public.result_translation import (
    is_motorway,
    public_result,
    public_routes,
)
from tests.families.mobilitybench.public.small_table import (
    CYCLE,
    JAM,
    LINES,
    NEAR,
    WAY,
    WEATHER,
    WHERE,
    bus_result,
    driving_result,
    path,
    ride,
    step,
    tool_result_text,
)

ENDS: dict[str, Any] = {"origin": "120.10000,30.10000", "destination": "120.20000,30.20000"}


def record_of(tool: str, cell: str, column: str = "route_ans") -> RecordedResult:
    """Return a recorded call of a public tool with the result in a cell."""
    read_cell = read_column_cell(column, cell)
    assert read_cell.why_missing is None
    return RecordedResult(call=0, tool=tool, arguments=ENDS, column=column, result=read_cell.value)


def test_a_route_by_car_is_translated_to_planspecs_form() -> None:
    first, second, _ = public_routes(record_of("driving_planning", WAY["route_ans"]))
    assert first is not None and second is not None
    assert first["id"] == route_id("driving_planning", ENDS, 1)
    totals = (
        "mode",
        "distance",
        "duration",
        "tolls",
        "traffic_lights",
        "fare",
        "walking_distance",
        "transfers",
    )
    assert [first[name] for name in totals] == ["drive", 12_500, 760, 500, 2, 0, 0, 0]
    assert [(one["road"], one["distance"], one["duration"], one["class"]) for one in first["steps"]] == [
        ("东路", 3000, 300, None),
        ("甲乙高速", 9000, 400, "motorway"),
        (None, 500, 60, None),
    ]
    # the other roads of a step follow as steps without a length
    assert [(one["road"], one["distance"]) for one in second["steps"]] == [
        ("东路", 2000),
        ("大桥", 0),
        ("西路", 0),
        ("南路", 8000),
    ]


def test_a_route_by_bus_is_translated_to_planspecs_form() -> None:
    _, second, _ = public_routes(record_of("bus_planning", LINES["route_ans"]))
    assert second is not None
    totals = ("mode", "distance", "duration", "fare", "walking_distance", "transfers")
    assert [second[name] for name in totals] == ["transit", 11_200, 1680, 400, 200, 1]
    assert [(one["mode"], one["line"], one["from"], one["to"]) for one in second["steps"]] == [
        ("walk", None, None, None),
        ("bus", "17路(北门--西塔)", "17路(北门--西塔)上", "17路(北门--西塔)下"),
        ("walk", None, None, None),
        ("subway", "地铁3号线(西塔--南站)", "地铁3号线(西塔--南站)上", "地铁3号线(西塔--南站)下"),
    ]
    assert second["steps"][1]["polyline"] == ["120.110000,30.110000", "120.190000,30.190000"]


def test_routes_by_bicycle_are_read_from_a_text() -> None:
    first, second = public_routes(record_of("bicycling_planning", CYCLE["route_ans"]))
    assert first is not None and second is not None
    assert (first["mode"], first["distance"], first["duration"]) == ("cycle", 4200, 1260)
    assert (second["distance"], second["duration"]) == (5000, 3720)
    assert [one["road"] for one in first["steps"]] == ["东路", "西路"]


@pytest.mark.parametrize(
    "sentence",
    [
        "有2种骑行路线：\n第1种：主要经过东路，全程4.2公里，预计耗时21分钟",
        "有1种骑行路线：\n第2种：主要经过东路，全程4.2公里，预计耗时21分钟",
        "有1种骑行路线：\n第1种：主要经过东路，全程很远，预计耗时21分钟",
        "有1种骑行路线：\n第1种：主要经过东路，全程4.2公里，预计耗时",
        "没有路线",
        "",
    ],
)
def test_a_sentence_in_an_unknown_form_has_no_routes(sentence: str) -> None:
    assert public_routes(record_of("bicycling_planning", tool_result_text(sentence))) == ()


def test_an_unreadable_route_keeps_its_number() -> None:
    train = ride("G1", 9000, 600) | {"railway": {"name": "G1", "trip": "G1"}}
    unknown = ride("飞线", 9000, 600, "飞行")
    readable = ride("7路(北门--南站)", 9000, 600)
    record = record_of("bus_planning", bus_result(("2.0", [train]), ("2.0", [unknown]), ("2.0", [readable])))
    one, two, three = public_routes(record)
    assert one is None and two is None and three is not None
    assert three["id"] == route_id("bus_planning", ENDS, 3)
    result = public_result(record)
    assert result is not None and [route["id"] for route in result["routes"]] == [three["id"]]


@pytest.mark.parametrize(
    ("name", "value"), [("distance", "far"), ("distance", -1), ("distance", None), ("cost", {}), ("steps", "none")]
)
def test_a_route_without_its_totals_is_not_read(name: str, value: Any) -> None:
    good = path(step("东路", 10, 10))
    (one,) = public_routes(record_of("driving_planning", driving_result(good | {name: value})))
    assert one is None


@pytest.mark.parametrize(
    ("amount", "tolls"),
    [("0", 0), ("5", 500), ("5.0", 500), ("5.50", 550), (6, 600), ("", None), ("5.555", None)],
)
def test_money_is_in_minor_units(amount: Any, tolls: int | None) -> None:
    good = path(step("东路", 10, 10))
    good["cost"]["tolls"] = amount
    (one,) = public_routes(record_of("driving_planning", driving_result(good)))
    assert (None if one is None else one["tolls"]) == tolls


@pytest.mark.parametrize(
    "cell",
    [
        "{'status': 1, 'data': None, 'error': '未缓存'}",
        json.dumps({"status": "0", "info": "INVALID_USER_KEY"}),
        json.dumps({"status": "1", "route": {"paths": "none"}}),
        "[]",
        "7",
    ],
)
def test_a_failed_result_has_no_routes(cell: str) -> None:
    assert public_routes(record_of("driving_planning", cell)) == ()
    assert public_result(record_of("driving_planning", cell)) is None


def test_a_missing_result_has_no_routes() -> None:
    record = RecordedResult(call=0, tool="driving_planning", column="route_ans", missing="truncated")
    assert public_routes(record) == () and public_result(record) is None


def test_places_are_translated_to_planspecs_form() -> None:
    result = public_result(record_of("nearby_poi_query", NEAR["near_poi_ans"], "near_poi_ans"))
    assert result is not None
    assert [poi["name"] for poi in result["pois"]] == ["大药房", "小药房", "大药房"]
    assert result["pois"][0] == {"name": "大药房", "location": "120.201000,30.200000", "address": "一号"}


def test_addresses_traffic_and_weather_are_translated_to_planspecs_form() -> None:
    assert public_result(record_of("reverse_geocoding", WHERE["location_ans"], "location_ans")) == {
        "address": "甲省甲市乙区丙路5号",
        "province": "甲省",
        "city": "甲市",
        "district": "乙区",
    }
    assert public_result(record_of("traffic_info_query", JAM["ans"], "ans")) == {
        "road": "环路",
        "level": "slow",
        "description": "环路：双向缓行。",
    }
    weather = public_result(record_of("weather_query", WEATHER["weather"], "weather"))
    assert weather is not None
    (day,) = weather["weather"]
    assert (day["day"], day["condition"], day["temperature"], day["humidity"]) == (
        "2025-03-04",
        "多云",
        -4,
        39,
    )


@pytest.mark.parametrize(
    ("tool", "column", "result"),
    [
        ("weather_query", "weather", {"weather_description": "甲市当前天气，气温℃"}),
        ("weather_query", "weather", {"weather_description": "甲市当前天气多云，气温-4℃"}),
        (
            "weather_query",
            "weather",
            {"weather_description": "甲市当前天气多云，气温-4℃。数据更新时间：2025-13-04 10:02:23"},
        ),
        ("traffic_info_query", "ans", {"trafficinfo": {"description": "环路"}}),
        ("traffic_info_query", "ans", {"trafficinfo": {"evaluation": {"status": "9", "description": "飞"}}}),
        ("traffic_info_query", "ans", {"trafficinfo": {"evaluation": {"status": "1", "description": "拥堵"}}}),
        ("reverse_geocoding", "location_ans", {"regeocode": {"formatted_address": []}}),
        ("poi_query", "std_end", {"name": "南站"}),
        ("poi_query", "std_end", {"name": "南站", "location": "120.2"}),
        ("poi_query", "std_end", {"name": "none", "location": "120.2,30.2"}),
        ("nearby_poi_query", "near_poi_ans", {"pois": [{"name": "药店"}]}),
    ],
)
def test_results_of_tools_without_exact_values_are_not_read(tool: str, column: str, result: Any) -> None:
    assert public_result(RecordedResult(call=0, tool=tool, arguments={}, column=column, result=result)) is None


@pytest.mark.parametrize(
    ("road", "is_one"),
    [
        ("G70福银高速", True),
        ("京昆高速公路", True),
        ("G70福银高速出口", False),
        ("高速辅路", False),
        ("广园快速路", False),
    ],
)
def test_motorways_are_recognised_by_the_end_of_their_names(road: str, is_one: bool) -> None:
    assert is_motorway(road) is is_one
