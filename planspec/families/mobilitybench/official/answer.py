"""DR and FPR as MobilityBench's public toolkit computes them, by words and numbers in the answer's text."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from math import radians
from typing import Any, assert_never

from planspec.families.mobilitybench.official.addresses import city_and_district, divisions
from planspec.families.mobilitybench.official.cells import read_cell
from planspec.families.mobilitybench.official.similarity import SimilarityMeasure, similarity
from planspec.families.mobilitybench.official.truth import AnswerKind, Truth, scenario_of
from planspec.geodesy import central_angle

FENCE_BEGIN, FENCE_END = "```json", "```"
INDEX = re.compile(r'route_index["\s:]+(\d+)')
OPTION = re.compile(r"(?:推荐)?方案\s*(\d+)")
COORDINATES = re.compile(r"(\d{2,3}\.\d+),\s*(\d{1,2}\.\d+)")
ROUTE_WORDS = ("公里", "千米", "km", "分钟", "小时", "路线", "距离", "耗时", "途经")
PLACE_WORDS = ("省", "市", "区", "县", "街道", "路", "号")
NEARBY_WORDS = ("店", "馆", "厅", "中心", "广场", "超市", "餐")
WEATHER_WORDS = ("天气", "晴", "阴", "雨", "雪", "云", "风", "度", "℃", "温")
TRAFFIC_WORDS = ("拥堵", "畅通", "缓行", "路况", "通行")
FLOW_WORDS = ("拥堵", "畅通", "缓行", "通行", "拥挤", "顺畅", "双向")
MIN_SIMILARITY = 0.8
"""Similarity that two texts must exceed to count as equal."""
RADIUS_KM = 6371
"""Radius of the earth in the toolkit, in kilometres."""
NEAR_KM = 1.0


class CaseDroppedError(Exception):
    """Error if the toolkit itself would raise an exception on a case and therefore write no result for it."""


class AnswerReading:
    """An answer as the toolkit reads it.

    Attributes:
        content: the judged text; None if the answer's `content` is a list or an object, which the toolkit never counts
            as delivered.
        index: index of the chosen route, as a string; None if the answer names no route.

    Args:
        text: output of the reporter, the stage of the agent that writes the answer.

    Raises:
        CaseDroppedError: the toolkit would raise an exception.
    """

    __slots__ = ("content", "index")

    def __init__(self, text: str) -> None:
        fenced = _fenced_object(text)
        self.content = _judged_text(fenced, text)
        self.index: str | None = _chosen_index(fenced, text)


def score_delivery(truth: Truth, answer: AnswerReading) -> float:
    """Compute DR: 1 if the answer has enough of the words that the toolkit expects in the scenario, otherwise 0.

    Raises:
        CaseDroppedError: the toolkit does not know the scenario.
    """
    content = answer.content
    if content is None or not content.strip() or content.lower() == "nan":
        return 0.0
    kind = _answer_kind(truth)
    match kind:
        case AnswerKind.ROUTE | AnswerKind.LINE | AnswerKind.PROPERTY:
            return float(bool(answer.index) or _count_words_in(ROUTE_WORDS, content) >= 2)
        case AnswerKind.POI | AnswerKind.LOCATION:
            return float(COORDINATES.search(content) is not None or _count_words_in(PLACE_WORDS, content) >= 2)
        case AnswerKind.NEARBY:
            return float(_count_words_in(NEARBY_WORDS, content) > 0 or len(content) > 20)
        case AnswerKind.WEATHER:
            return float(_count_words_in(WEATHER_WORDS, content) > 0)
        case AnswerKind.TRAFFIC:
            return float(_count_words_in(TRAFFIC_WORDS, content) > 0)
    assert_never(kind)


def score_final_pass(truth: Truth, answer: AnswerReading, measure: SimilarityMeasure) -> float:
    """Compute the FPR of a delivered answer: 0, 0.5 or 1.

    Raises:
        CaseDroppedError: the toolkit would raise an exception.
    """
    content = answer.content or ""
    kind = _answer_kind(truth)
    match kind:
        case AnswerKind.ROUTE:
            return float(answer.index not in (None, "", "-1"))
        case AnswerKind.LINE:
            return _score_line(truth, answer.index)
        case AnswerKind.PROPERTY:
            return float(_count_words_in((*ROUTE_WORDS, "米"), content) >= 2)
        case AnswerKind.POI:
            return float(_has_right_place(truth, content))
        case AnswerKind.LOCATION:
            return float(_has_right_location(_as_text(truth["formatted_address"]), content, measure))
        case AnswerKind.NEARBY:
            return float(_has_nearby_place(truth, content, measure))
        case AnswerKind.WEATHER:
            return float(_has_text(content, _as_text(truth["weather_description"]), measure))
        case AnswerKind.TRAFFIC:
            return _score_traffic(truth, content, measure)
    assert_never(kind)


# -- the answer --------------------------------------------------------------------------------------


def _fenced_object(text: str) -> Mapping[str, Any]:
    """Return the JSON object in the first fenced code block, which may be unclosed; empty if none can be read."""
    _, fence, rest = text.partition(FENCE_BEGIN)
    if not fence:
        return {}
    try:
        data = json.loads(rest.partition(FENCE_END)[0])
    except (ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def _judged_text(fenced: Mapping[str, Any], text: str) -> str | None:
    """Return the `content` of the fenced object, or the whole text if the object has no `content`.

    Return None if `content` is a list or an object.

    Raises:
        CaseDroppedError: `content` is a number or `true`. The toolkit calls `len()` on it, crashes and drops the
            case.
    """
    match fenced.get("content"):
        case str(content) if content:
            return content
        case list() | dict() as several if several:
            return None
        case (bool() | int() | float()) as other if other:
            raise CaseDroppedError(f"`content` is {json.dumps(other)}, which has no length")
        case _:
            return text


def _chosen_index(fenced: Mapping[str, Any], text: str) -> str | None:
    """Return the index of the chosen route as a string, which may be empty or negative.

    Return None if no route is chosen.
    """
    if fenced.get("route_index") is not None:
        return str(fenced["route_index"])
    match = INDEX.search(text)
    if match:
        return match[1]
    option = OPTION.search(text)
    try:
        return str(int(option[1]) - 1) if option else None
    except ValueError as error:
        raise CaseDroppedError(f"an index is no whole number: {error}") from None


def _count_words_in(words: Sequence[str], text: str) -> int:
    return sum(word in text for word in words)


# -- by kind -----------------------------------------------------------------------------------------


def _answer_kind(truth: Truth) -> AnswerKind:
    scenario = scenario_of(truth)
    if scenario is None:
        raise CaseDroppedError(f"`{truth.scenario}` is no scenario of the public toolkit")
    return scenario.kind


def _score_line(truth: Truth, index: str | None) -> float:
    if index is None:
        return 0.0
    try:
        expected = int(truth["matched_transit_index"])
        return float(expected == 0 if index in ("", "-1") else int(index) == expected)
    except (TypeError, ValueError, OverflowError) as error:
        raise CaseDroppedError(f"an index is no whole number: {error}") from None


def _has_right_place(truth: Truth, content: str) -> bool:
    """Return whether an answer has coordinates near the true ones, or the name in the truth's field `poi_result`."""
    expected = _coordinates_in(truth["ans_loc"]) if isinstance(truth["ans_loc"], str) else None
    if expected is None:
        data = _result_data(truth["poi_result"])
        expected = _coordinates_in(_as_text(data.get("location")))
        name = _as_text(data.get("name"))
        if name and name in content:
            return True
    if expected is None:
        return False
    points = (_degrees(match) for match in COORDINATES.finditer(content))
    return any(
        70 <= lng <= 140 and 15 <= lat <= 55 and _distance_km((lng, lat), expected) <= NEAR_KM for lng, lat in points
    )


def _has_right_location(expected: str, content: str, measure: SimilarityMeasure) -> bool:
    city, district = city_and_district(content, divisions())
    if city and district and (city, district) == city_and_district(expected, divisions()):
        return True
    return _has_text(content, expected, measure)


def _has_nearby_place(truth: Truth, content: str, measure: SimilarityMeasure) -> bool:
    cell = truth["near_poi_ans"]
    places = _result_data(cell).get("pois")
    if isinstance(places, list):
        if not places:
            return True
        for place in places[:5]:
            name = _as_text(place.get("name")) if isinstance(place, Mapping) else ""
            if name and (name in content or similarity(content, name, measure) > MIN_SIMILARITY):
                return True
    return similarity(content, _as_text(cell), measure) > MIN_SIMILARITY


def _score_traffic(truth: Truth, content: str, measure: SimilarityMeasure) -> float:
    info = _cell_value(truth["ans"])
    info = info.get("trafficinfo") if isinstance(info, Mapping) else None
    described = info.get("description") if isinstance(info, Mapping) else None
    if not isinstance(described, str) or not described:
        return (0.0, 0.5, 1.0)[min(2, _count_words_in(FLOW_WORDS, content))]
    words = [word for word in FLOW_WORDS if word in described]
    if len(words) >= 2:
        return float(_count_words_in(words, content) >= 2)
    return float(_has_text(content, described, measure))


def _has_text(content: str, expected: str, measure: SimilarityMeasure) -> bool:
    return bool(expected) and (expected in content or similarity(content, expected, measure) > MIN_SIMILARITY)


# -- the ground truth --------------------------------------------------------------------------------


def _cell_value(cell: Any) -> Any:
    return read_cell(cell).value if isinstance(cell, str) else cell


def _result_data(cell: Any) -> Mapping[str, Any]:
    """Return the field `data` of a tool's result; empty if there is none."""
    value = _cell_value(cell)
    data = value.get("data") if isinstance(value, Mapping) else None
    return data if isinstance(data, Mapping) else {}


def _as_text(value: Any) -> str:
    return "" if value is None else str(value)


def _coordinates_in(text: str) -> tuple[float, float] | None:
    match = COORDINATES.search(text)
    return _degrees(match) if match else None


def _degrees(match: re.Match[str]) -> tuple[float, float]:
    return float(match[1]), float(match[2])


def _distance_km(a: tuple[float, float], b: tuple[float, float]) -> float:
    """Return the great-circle distance between two points, given as longitude and latitude in degrees."""
    (lng_a, lat_a), (lng_b, lat_b) = (tuple(map(radians, point)) for point in (a, b))
    return RADIUS_KM * central_angle(lat_a, lat_b, lng_b - lng_a)
