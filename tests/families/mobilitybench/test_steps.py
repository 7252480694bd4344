"""Atomic steps are recognised in planned steps of four languages."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

from planspec.families.mobilitybench.calls import TOOLS
from planspec.families.mobilitybench.episode import TOOLS as PUBLIC
from planspec.families.mobilitybench.steps import (
    FILE,
    InvalidStepsError,
    atomic_steps,
    read_steps,
    recognised_steps,
    step_of,
)


def test_each_tool_is_one_step_under_both_of_its_names() -> None:
    assert {step_of(tool) for tool in TOOLS} == {name for name, step in atomic_steps().items() if step.tools}
    assert all(step_of(public) == step_of(tool) for public, tool in PUBLIC.items())
    with pytest.raises(KeyError):
        step_of("teleport")


@pytest.mark.parametrize(
    ("sentence", "step"),
    [
        ("Find the location of Kings Museum", "find_place"),
        ("Locate the origin and the destination", "find_place"),
        ("Look up the coordinates of the airport", "find_place"),
        ("Geocode the address 5 Mill Lane", "find_place"),
        ("查询北京南站的位置", "find_place"),
        ("获取起点和终点的坐标", "find_place"),
        ("定位目的地", "find_place"),
        ("Search for restaurants within 500 m", "find_nearby"),
        ("Find the nearest EV charging station", "find_nearby"),
        ("List pharmacies around the hotel", "find_nearby"),
        ("搜索附近的加油站", "find_nearby"),
        ("查找周边停车场", "find_nearby"),
        ("Reverse geocode the current location", "tell_address"),
        ("Convert the coordinates into an address", "tell_address"),
        ("通过逆地理编码得到地址", "tell_address"),
        ("Check the weather forecast for Hangzhou", "tell_weather"),
        ("查询深圳未来三天的天气", "tell_weather"),
        ("Check the traffic on Mill Road", "tell_traffic"),
        ("查询延安高架的路况", "tell_traffic"),
        ("Plan a driving route from origin to destination", "plan_drive"),
        ("规划驾车路线", "plan_drive"),
        ("查询从A到B的驾车路线", "plan_drive"),
        ("Plan the way on foot", "plan_walk"),
        ("规划步行路线", "plan_walk"),
        ("Compute a cycling route", "plan_cycle"),
        ("规划骑行方案", "plan_cycle"),
        ("Plan a route by subway", "plan_transit"),
        ("Find a public transport route", "plan_transit"),
        ("规划地铁路线", "plan_transit"),
        ("公交路线规划", "plan_transit"),
        ("Work out the latest departure time", "work_out_time"),
        ("Check whether one is there in time", "work_out_time"),
        ("倒推出发时间", "work_out_time"),
        ("Report the distance and the duration", "read_figure"),
        ("Count how many transfers there are", "read_figure"),
        ("提取换乘次数", "read_figure"),
        ("Die Koordinaten des Bahnhofs ermitteln", "find_place"),
        ("Suche das Ziel", "find_place"),
        ("Adresse des Hotels nachschlagen", "find_place"),
        ("駅の座標を取得する", "find_place"),
        ("目的地の場所を検索", "find_place"),
        ("出発地と目的地の位置を調べる", "find_place"),
        ("Apotheken in der Nähe suchen", "find_nearby"),
        ("Restaurants im Umkreis von 500 m auflisten und suchen", "find_nearby"),
        ("周辺のカフェを検索する", "find_nearby"),
        ("最寄りの駐車場を探す", "find_nearby"),
        ("Rückwärts geokodieren: Adresse zu den Koordinaten", "tell_address"),
        ("座標を住所に変換する", "tell_address"),
        ("逆ジオコーディング", "tell_address"),
        ("Wettervorhersage für Wien abrufen", "tell_weather"),
        ("明日の天気を調べる", "tell_weather"),
        ("Verkehrslage auf der Lindenstraße prüfen", "tell_traffic"),
        ("Wie ist der Verkehr", "tell_traffic"),
        ("道路の渋滞状況を確認する", "tell_traffic"),
        ("Route mit dem Auto planen", "plan_drive"),
        ("Autoroute berechnen", "plan_drive"),
        ("車でのルートを検索する", "plan_drive"),
        ("自動車の経路を計算", "plan_drive"),
        ("Fußweg planen", "plan_walk"),
        ("den Weg zu Fuß ermitteln", "plan_walk"),
        ("徒歩のルートを調べる", "plan_walk"),
        ("Route mit dem Fahrrad planen", "plan_cycle"),
        ("自転車のルートを計画する", "plan_cycle"),
        ("Verbindung mit der U-Bahn suchen", "plan_transit"),
        ("Route mit öffentlichen Verkehrsmitteln planen", "plan_transit"),
        ("電車とバスの経路を検索する", "plan_transit"),
        ("公共交通機関の行き方を調べる", "plan_transit"),
        ("Die späteste Abfahrtszeit berechnen", "work_out_time"),
        ("Prüfen, ob man rechtzeitig ankommt", "work_out_time"),
        ("出発時刻を逆算する", "work_out_time"),
        ("間に合うかどうか判断する", "work_out_time"),
        ("Fahrzeit und Entfernung ablesen", "read_figure"),
        ("die Anzahl der Umstiege nennen", "read_figure"),
        ("所要時間を読み取る", "read_figure"),
        ("乗り換え回数を答える", "read_figure"),
    ],
)
def test_a_sentence_names_exactly_its_step(sentence: str, step: str) -> None:
    assert recognised_steps(sentence) == (step,)


@pytest.mark.parametrize(
    ("sentence", "steps"),
    [
        ("Plan a driving route via the museum", {"plan_drive", "pass_through"}),
        ("规划途经博物馆的驾车路线", {"plan_drive", "pass_through"}),
        ("Plan a driving route, avoiding highways", {"plan_drive", "keep_to_options"}),
        ("规划不走高速的驾车路线", {"plan_drive", "keep_to_options"}),
        ("Plan a bus route with the fewest transfers", {"plan_transit", "keep_to_options"}),
        ("规划少步行的公交路线", {"plan_transit", "keep_to_options"}),
        ("Locate the station, then check the weather there", {"find_place", "tell_weather"}),
        ("定位目的地，然后查询路况", {"find_place", "tell_traffic"}),
        ("Route mit dem Auto über das Museum planen", {"plan_drive", "pass_through"}),
        ("美術館を経由する車のルートを検索", {"plan_drive", "pass_through"}),
        ("Autoroute ohne Maut berechnen", {"plan_drive", "keep_to_options"}),
        ("有料道路を避けて車のルートを計画する", {"plan_drive", "keep_to_options"}),
        ("Busverbindung mit den wenigsten Umstiegen suchen", {"plan_transit", "keep_to_options"}),
        ("乗り換えが少ない電車の経路を検索", {"plan_transit", "keep_to_options"}),
        ("Verbindung mit wenig Fußweg und mit der Bahn planen", {"plan_transit", "keep_to_options"}),
        ("Den Zielort suchen und dann das Wetter dort abfragen", {"find_place", "tell_weather"}),
        ("目的地の位置を特定してから天気を調べる", {"find_place", "tell_weather"}),
    ],
)
def test_a_sentence_can_name_several_steps(sentence: str, steps: set[str]) -> None:
    assert set(recognised_steps(sentence)) == steps


@pytest.mark.parametrize(
    "sentence",
    [
        "",
        "?",
        "Plan the route",
        "Answer the user",
        "回答用户",
        "Dem Nutzer antworten",
        "Die Route planen",
        "ユーザーに回答する",
        "ルートを計画する",
        "a",
        "路",
        "driver",
        "x" * 500,
        "Thank you and goodbye",
    ],
)
def test_no_step_is_recognised_in_a_sentence_that_names_none(sentence: str) -> None:
    assert recognised_steps(sentence) == ()


def test_names_of_steps_and_tools_are_recognised() -> None:
    for name, step in atomic_steps().items():
        assert (
            recognised_steps(name)
            == recognised_steps(name.replace("_", "-"))
            == recognised_steps(name.upper())
            == (name,)
        )
        for tool in step.tools:
            assert recognised_steps(tool) == (name,)
            assert name in recognised_steps(f"Call {tool} now") or tool == "geocoding"
    assert recognised_steps("nearby_poi_query(keywords)") == ("find_nearby",)
    assert recognised_steps("Use query_poi") == ("find_place",)


def test_steps_of_several_sentences_are_listed_once_in_order() -> None:
    planned = ["Plan a driving route", "Find the location of the museum", "Find the location of the hotel"]
    assert recognised_steps(planned) == ("find_place", "plan_drive")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("[nearby_poi_query]", "[nearby_poi]", "no tool `nearby_poi`"),
        ("[nearby_poi_query]", "[geocoding]", "`geocoding` does"),
        ("does:", "do:", "do"),
        ("steps:", "step:", "step"),
        ("    en:", "    fr:", "fr"),
    ],
)
def test_a_table_with_an_unknown_name_is_refused(old: str, new: str, fault: str) -> None:
    text = files("planspec.families.mobilitybench").joinpath("data").joinpath(FILE).read_text("utf-8")
    with pytest.raises(InvalidStepsError, match=re.escape(fault)):
        read_steps(text.replace(old, new, 1))
