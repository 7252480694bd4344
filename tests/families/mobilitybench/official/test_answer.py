from typing import Any

import pytest

from planspec.families.mobilitybench.official.evaluator import Truth, equal_texts, score
from tests.families.mobilitybench.official.case import case, fenced_answer, run

ROUTE = case("Multi-stop Planning")
LINE = case("Route-Constrained Planning", matched_transit_index=1.0)
PROPERTY = case("Route Property Query")
POI = case(
    "POI Query",
    ans_loc="120.5,30.5",
    poi_result="{'status': <ToolStatus.SUCCESS: 0>, 'data': {'location': '120.5,30.5', 'name': '南湖码头'}, 'error': None}",
)
PLACE = case("Geolocation Query", formatted_address="浙江省杭州市西湖区某路")
NEARBY = case(
    "Nearby Query",
    near_poi_ans="{'data': {'pois': [" + ", ".join(f"{{'name': '第{n}茶室'}}" for n in "一二三四五六") + "]}}",
)
WEATHER = case("Weather Query", weather_description="甲市当前天气晴，气温5℃")
TRAFFIC = case("Traffic Info Query", ans="{'trafficinfo': {'description': '环路：双向畅通。'}}")
ONE_WORD = case("Traffic Info Query", ans="{'trafficinfo': {'description': '环路：拥堵。'}}")
UNKNOWN = case("Traffic Info Query", ans="{'trafficinfo': ")


def scores(truth: Truth, answer: Any) -> tuple[float, float]:
    """Return the delivery rate and the final pass rate that the public evaluator gives an answer."""
    metrics = score(truth, run(answer), equal_texts).rows["answer"]
    return metrics["DR"], metrics["FPR"]


@pytest.mark.parametrize(
    ("truth", "answer", "delivered", "passed"),
    [
        # A route counts as delivered with any index or with two words, and passes with a valid index.
        (ROUTE, fenced_answer(route_index=0, content="x"), 1, 1),
        (ROUTE, "route_index 99", 1, 1),
        (ROUTE, fenced_answer(route_index=-1, content="x"), 1, 0),
        (ROUTE, '{"route_index": -1}', 0, 0),
        (ROUTE, fenced_answer(route_index="", content="路线距离5公里"), 1, 0),
        (ROUTE, fenced_answer(route_index="", content="方案3"), 0, 0),
        (ROUTE, fenced_answer(route_index=None, content="方案3"), 1, 1),
        (ROUTE, "推荐方案 2", 1, 1),
        (ROUTE, "方案二", 0, 0),
        (ROUTE, '```json\n{"route_index": 0, "content": "x"', 1, 1),
        (ROUTE, "```json\n[1]\n```", 0, 0),
        (ROUTE, '```json\n{"route_index": 2, "content": "x"}', 1, 1),
        (ROUTE, fenced_answer(route_index=0, content=["路线", "5公里"]), 0, 0),
        (ROUTE, fenced_answer(route_index=0, content={"路线": "5公里"}), 0, 0),
        (ROUTE, fenced_answer(route_index=0, content=[]), 1, 1),
        (ROUTE, fenced_answer(route_index=0, content=0), 1, 1),
        (ROUTE, fenced_answer(route_index=0, content="NaN"), 0, 0),
        (ROUTE, fenced_answer(route_index=0, content="nan"), 0, 0),
        (ROUTE, "  ", 0, 0),
        # A line passes with the right index.
        (LINE, "方案2", 1, 1),
        (LINE, fenced_answer(route_index="0"), 1, 0),
        (LINE, "路线 距离", 1, 0),
        (
            case("Route-Constrained Planning", matched_transit_index=0.0),
            fenced_answer(route_index="-1"),
            1,
            1,
        ),
        (
            case("Route-Constrained Planning", matched_transit_index=0.0),
            fenced_answer(route_index="", content="路线 距离"),
            1,
            1,
        ),
        # Lengths and times need no number: the right words are enough to pass.
        (PROPERTY, "公里千米", 1, 1),
        (PROPERTY, "大约25公里", 0, 0),
        (PROPERTY, "全程5公里，耗时9分钟", 1, 1),
        (PROPERTY, fenced_answer(route_index=0, content="路线"), 1, 0),
        # A place passes with coordinates within a kilometre, or with its name.
        (POI, "坐标 120.5,30.5", 1, 1),
        (POI, "坐标 120.5, 30.5089", 1, 1),
        (POI, "坐标 120.5, 30.5091", 1, 0),
        (POI, "坐标 100.1,20.2 或 120.5,30.5", 1, 1),
        (POI, "南湖码头在市区", 1, 1),
        (POI, "省市", 1, 0),
        (POI, "南湖码头", 0, 0),
        # An address passes with its city and district, or with the whole text.
        (PLACE, "您在杭州市西湖区", 1, 1),
        (PLACE, "您在浙江杭州西湖区某街道", 1, 1),
        (PLACE, "您在杭州市上城区", 1, 0),
        (PLACE, "省市", 1, 0),
        (PLACE, "浙江省杭州市西湖区", 1, 1),
        # A search nearby passes with one of the first five names, or with a part of one.
        (NEARBY, "有第五茶室等多家店", 1, 1),
        (NEARBY, "有第六茶室等多家店", 1, 0),
        (NEARBY, "店", 1, 0),
        (case("Nearby Query", near_poi_ans="{'data': {'pois': [{'name': '茶店'}]}}"), "店", 1, 1),
        (
            case("Nearby Query", near_poi_ans="{'data': {'pois': []}}"),
            "附近没有，换一个地方找找好不好呢谢谢您的理解",
            1,
            1,
        ),
        (case("Nearby Query", near_poi_ans="{'data': {'pois': []}}"), "附近没有", 0, 0),
        # Weather and traffic pass with a part of the right text, or with its words.
        (WEATHER, "天气", 1, 1),
        (WEATHER, "甲市当前天气晴，气温5℃，注意保暖", 1, 1),
        (WEATHER, "乙市下雨", 1, 0),
        (WEATHER, "不知道", 0, 0),
        (TRAFFIC, "畅通，双向", 1, 1),
        (TRAFFIC, "畅通", 1, 0),
        (ONE_WORD, "环路：拥堵。请绕行", 1, 1),
        (ONE_WORD, "拥堵", 1, 1),
        (ONE_WORD, "此路拥堵", 1, 0),
        (UNKNOWN, "拥堵", 1, 0.5),
        (UNKNOWN, "拥堵，缓行", 1, 1),
        (UNKNOWN, "路况不明", 1, 0),
        # If `content` is empty, the whole answer is judged; if it is not a string, the answer is never delivered.
        (NEARBY, fenced_answer(content=""), 1, 0),
        (WEATHER, fenced_answer(content=["天气", "公里"]), 0, 0),
    ],
)
def test_the_public_evaluator_judges_an_answer_by_its_words(
    truth: Truth, answer: str, delivered: float, passed: float
) -> None:
    assert scores(truth, answer) == (delivered, passed)


@pytest.mark.parametrize(
    ("truth", "answer"),
    [
        (LINE, fenced_answer(route_index="first")),
        (ROUTE, fenced_answer(route_index=0, content=5)),
        (ROUTE, fenced_answer(route_index=0, content=True)),
        (LINE, fenced_answer(route_index=1.0)),
        (case("Route-Constrained Planning", matched_transit_index=""), "方案2"),
        (case("Chess"), "e4"),
        (LINE, "方案" + "9" * 5000),
    ],
)
def test_a_case_on_which_the_toolkit_raises_an_error_has_no_row(truth: Truth, answer: str) -> None:
    scores = score(truth, run(answer))
    assert "answer" not in scores.rows
    assert scores.failed == ("answer",) and scores.missing["answer"]


def test_texts_that_share_more_than_80_percent_of_their_characters_count_as_equal() -> None:
    text = "晴天气温五度左右微风"
    truth = case("Weather Query", weather_description=text)
    assert score(truth, run(text[::-1])).rows["answer"]["FPR"] == 1
    assert score(truth, run(text[::-1] + "吗呢")).rows["answer"]["FPR"] == 1
    assert score(truth, run(text[::-1] + "吗呢吧")).rows["answer"]["FPR"] == 0
    eight_tenths = case("Weather Query", weather_description="晴天气温五度左右")
    assert score(eight_tenths, run("右左度五温气天晴吗呢")).rows["answer"]["FPR"] == 0


def test_coordinates_outside_china_never_match() -> None:
    truth = case("POI Query", poi_result="{'data': {'location': '10.5,50.5', 'name': 'x'}}")
    assert scores(truth, "10.5,50.5") == (1, 0)
