"""DR and FPR of MobilityBench's public toolkit: words and numbers in the answer's text."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from math import radians
from typing import Any, assert_never

from planspec.families.mobilitybench.official.addresses import city_and_district, divisions
from planspec.families.mobilitybench.official.cells import read_cell
from planspec.families.mobilitybench.official.similarity import SimilarityMeasure, similarity
from planspec.families.mobilitybench.official.truth import Kind, Truth, scenario_of
from planspec.geodesy import central_angle

OPENED, CLOSED = "```json", "```"
INDEX = re.compile(r'route_index["\s:]+(\d+)')
OPTION = re.compile(r"(?:推荐)?方案\s*(\d+)")
COORDINATES = re.compile(r"(\d{2,3}\.\d+),\s*(\d{1,2}\.\d+)")
ROUTE_WORDS = ("公里", "千米", "km", "分钟", "小时", "路线", "距离", "耗时", "途经")
PLACE_WORDS = ("省", "市", "区", "县", "街道", "路", "号")
NEARBY_WORDS = ("店", "馆", "厅", "中心", "广场", "超市", "餐")
WEATHER_WORDS = ("天气", "晴", "阴", "雨", "雪", "云", "风", "度", "℃", "温")
TRAFFIC_WORDS = ("拥堵", "畅通", "缓行", "路况", "通行")
FLOW_WORDS = ("拥堵", "畅通", "缓行", "通行", "拥挤", "顺畅", "双向")
ALIKE = 0.8
"""The similarity above which two texts are the same."""
RADIUS_KM = 6371
"""The toolkit's own radius of the earth."""
NEAR_KM = 1.0


class CaseDroppedError(Exception):
    """The toolkit stops with an exception here, and the case has no row."""


class AnswerReading:
    """The toolkit's reading of an answer.

    Attributes:
        content: the text that is judged; None where the answer's `content` is a list or an object, which the toolkit never takes
            for delivered.
        index: the place of the route that the answer chooses.

    Args:
        text: what the reporter says.

    Raises:
        CaseDroppedError: the toolkit would stop with an exception.
    """

    __slots__ = ("content", "index")

    def __init__(self, text: str) -> None:
        said = _fenced(text)
        self.content = _content(said, text)
        self.index: str | None = _index(said, text)


def delivery(truth: Truth, answer: AnswerReading) -> float:
    """DR: the answer has words of its kind.

    Raises:
        CaseDroppedError: the scenario is none of the toolkit's.
    """
    content = answer.content
    if content is None or not content.strip() or content.lower() == "nan":
        return 0.0
    kind = _kind(truth)
    match kind:
        case Kind.ROUTE | Kind.LINE | Kind.PROPERTY:
            return float(bool(answer.index) or _count(ROUTE_WORDS, content) >= 2)
        case Kind.POI | Kind.LOCATION:
            return float(COORDINATES.search(content) is not None or _count(PLACE_WORDS, content) >= 2)
        case Kind.NEARBY:
            return float(_count(NEARBY_WORDS, content) > 0 or len(content) > 20)
        case Kind.WEATHER:
            return float(_count(WEATHER_WORDS, content) > 0)
        case Kind.TRAFFIC:
            return float(_count(TRAFFIC_WORDS, content) > 0)
    assert_never(kind)


def final_pass(truth: Truth, answer: AnswerReading, measure: SimilarityMeasure) -> float:
    """FPR of an answer that is delivered.

    Raises:
        CaseDroppedError: the toolkit would stop with an exception.
    """
    content = answer.content or ""
    kind = _kind(truth)
    match kind:
        case Kind.ROUTE:
            return float(answer.index not in (None, "", "-1"))
        case Kind.LINE:
            return _line(truth, answer.index)
        case Kind.PROPERTY:
            return float(_count((*ROUTE_WORDS, "米"), content) >= 2)
        case Kind.POI:
            return float(_poi(truth, content))
        case Kind.LOCATION:
            return float(_location(_said(truth["formatted_address"]), content, measure))
        case Kind.NEARBY:
            return float(_nearby(truth, content, measure))
        case Kind.WEATHER:
            return float(_same(content, _said(truth["weather_description"]), measure))
        case Kind.TRAFFIC:
            return _traffic(truth, content, measure)
    assert_never(kind)


# -- what is read of the answer ----------------------------------------------------------------------


def _fenced(text: str) -> Mapping[str, Any]:
    """The object in the first fence, closed or not; nothing where there is none that can be read."""
    _, opened, rest = text.partition(OPENED)
    if not opened:
        return {}
    try:
        said = json.loads(rest.partition(CLOSED)[0])
    except (ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}


def _content(said: Mapping[str, Any], text: str) -> str | None:
    """The `content` of the object, or the whole text where there is none.

    Raises:
        CaseDroppedError: it is a number or `true`, of which the toolkit asks the length.
    """
    match said.get("content"):
        case str(content) if content:
            return content
        case list() | dict() as several if several:
            return None
        case (bool() | int() | float()) as other if other:
            raise CaseDroppedError(f"`content` is {json.dumps(other)}, which has no length")
        case _:
            return text


def _index(said: Mapping[str, Any], text: str) -> str | None:
    """The place of the route that the answer chooses, as text; it may be empty or below zero."""
    if said.get("route_index") is not None:
        return str(said["route_index"])
    found = INDEX.search(text)
    if found:
        return found[1]
    option = OPTION.search(text)
    try:
        return str(int(option[1]) - 1) if option else None
    except ValueError as error:
        raise CaseDroppedError(f"an index is no whole number: {error}") from None


def _count(words: Sequence[str], text: str) -> int:
    return sum(word in text for word in words)


# -- by kind -----------------------------------------------------------------------------------------


def _kind(truth: Truth) -> Kind:
    scenario = scenario_of(truth)
    if scenario is None:
        raise CaseDroppedError(f"`{truth.scenario}` is no scenario of the public toolkit")
    return scenario.kind


def _line(truth: Truth, index: str | None) -> float:
    if index is None:
        return 0.0
    try:
        wanted = int(truth["matched_transit_index"])
        return float(wanted == 0 if index in ("", "-1") else int(index) == wanted)
    except (TypeError, ValueError, OverflowError) as error:
        raise CaseDroppedError(f"an index is no whole number: {error}") from None


def _poi(truth: Truth, content: str) -> bool:
    """A pair of coordinates is near the true ones; or the name is said, where they stand in `poi_result`."""
    wanted = _pair(truth["ans_loc"]) if isinstance(truth["ans_loc"], str) else None
    if wanted is None:
        data = _data(truth["poi_result"])
        wanted = _pair(_said(data.get("location")))
        name = _said(data.get("name"))
        if name and name in content:
            return True
    if wanted is None:
        return False
    said = (_degrees(found) for found in COORDINATES.finditer(content))
    return any(
        70 <= lng <= 140 and 15 <= lat <= 55 and _km((lng, lat), wanted) <= NEAR_KM for lng, lat in said
    )


def _location(wanted: str, content: str, measure: SimilarityMeasure) -> bool:
    city, district = city_and_district(content, divisions())
    if city and district and (city, district) == city_and_district(wanted, divisions()):
        return True
    return _same(content, wanted, measure)


def _nearby(truth: Truth, content: str, measure: SimilarityMeasure) -> bool:
    said = truth["near_poi_ans"]
    places = _data(said).get("pois")
    if isinstance(places, list):
        if not places:
            return True
        for place in places[:5]:
            name = _said(place.get("name")) if isinstance(place, Mapping) else ""
            if name and (name in content or similarity(content, name, measure) > ALIKE):
                return True
    return similarity(content, _said(said), measure) > ALIKE


def _traffic(truth: Truth, content: str, measure: SimilarityMeasure) -> float:
    info = _value(truth["ans"])
    info = info.get("trafficinfo") if isinstance(info, Mapping) else None
    described = info.get("description") if isinstance(info, Mapping) else None
    if not isinstance(described, str) or not described:
        return (0.0, 0.5, 1.0)[min(2, _count(FLOW_WORDS, content))]
    words = [word for word in FLOW_WORDS if word in described]
    if len(words) >= 2:
        return float(_count(words, content) >= 2)
    return float(_same(content, described, measure))


def _same(content: str, wanted: str, measure: SimilarityMeasure) -> bool:
    return bool(wanted) and (wanted in content or similarity(content, wanted, measure) > ALIKE)


# -- what is read of the truth -----------------------------------------------------------------------


def _value(cell: Any) -> Any:
    return read_cell(cell).value if isinstance(cell, str) else cell


def _data(cell: Any) -> Mapping[str, Any]:
    """The data in a tool's envelope."""
    value = _value(cell)
    data = value.get("data") if isinstance(value, Mapping) else None
    return data if isinstance(data, Mapping) else {}


def _said(value: Any) -> str:
    return "" if value is None else str(value)


def _pair(text: str) -> tuple[float, float] | None:
    found = COORDINATES.search(text)
    return _degrees(found) if found else None


def _degrees(found: re.Match[str]) -> tuple[float, float]:
    return float(found[1]), float(found[2])


def _km(a: tuple[float, float], b: tuple[float, float]) -> float:
    """The length of the great circle between two points, each longitude and latitude in degrees."""
    (lng_a, lat_a), (lng_b, lat_b) = (tuple(map(radians, point)) for point in (a, b))
    return RADIUS_KM * central_angle(lat_a, lat_b, lng_b - lng_a)
