"""IE: two sets of constraints are equal or they are not."""

from typing import Any

import pytest

from planspec.families.mobilitybench.episode import Context
from planspec.families.mobilitybench.metrics.extraction import differing
from planspec.verifiers.answers.envelope import Answer, read_answer
from tests.families.mobilitybench.metrics.runs import HERE, episode

GOLD: dict[str, Any] = {
    "origin": "here", "destination": "Café  Österreich", "via": ["Tower", "Gate"], "mode": "drive",
    "preferences": ["avoid_tolls", "fastest"], "avoid_roads": ["Ring 1", "Ring 2"], "depart_at": "08:05", "radius": 500,
    "days": ["2026-03-01", "2026-03-02"], "location": "116.400000,39.900000", "max_transfers": 1, "city": "北京市",
}  # fmt: skip


def against(said: Any, gold: Any = None) -> tuple[str, ...]:
    return differing(episode(constraints=GOLD if gold is None else gold), said)


@pytest.mark.parametrize(
    ("slot", "value"),
    [
        ("origin", "My current location"), ("origin", "当前位置"), ("origin", "mein Standort"), ("origin", "現在地"), ("origin", "116.4,39.9"), ("origin", HERE),
        ("destination", "cafe österreich"), ("destination", "CAFE\u0301 OSTERREICH"),
        ("preferences", ["fastest", "avoid_tolls", "fastest"]), ("preferences", ["Fastest", "avoid tolls"]),
        ("avoid_roads", ["ring 2", "Ring 1"]), ("depart_at", "8:05"), ("depart_at", "08:05:00"),
        ("radius", "500 m"), ("radius", "0.5 km"), ("radius", "500"), ("radius", 500.0), ("radius", "500米"),
        ("days", ["2026-03-02", "2026-03-01"]), ("location", "116.4,39.9"), ("location", "116.3999999, 39.9000001"),
        ("max_transfers", "1"), ("city", "北京"), ("mode", "Drive"),
    ],
)  # fmt: skip
def test_a_value_may_be_said_in_other_ways(slot: str, value: Any) -> None:
    assert against(GOLD | {slot: value}) == ()


@pytest.mark.parametrize(
    ("slot", "value"),
    [
        ("origin", "there"), ("origin", "116.41,39.9"), ("destination", "Cafe"), ("via", ["Gate", "Tower"]),
        ("via", ["Tower"]), ("via", "Tower, Gate"), ("preferences", ["avoid_tolls"]), ("preferences", "avoid_tolls fastest"),
        ("depart_at", "20:05"), ("depart_at", "8:05 pm"), ("depart_at", 805), ("radius", "500 miles"), ("radius", True),
        ("radius", 10**400), ("days", ["2026-03-01"]), ("days", ["tomorrow"]), ("location", "39.9,116.4"),
        ("location", "Harbour"), ("max_transfers", 1.5), ("destination", {"name": "Café Österreich"}),
    ],
)  # fmt: skip
def test_another_value_is_another_set(slot: str, value: Any) -> None:
    assert against(GOLD | {slot: value}) == (f"other {slot}",)


def test_a_slot_too_many_and_one_too_few_are_told() -> None:
    said = {slot: value for slot, value in GOLD.items() if slot != "via"} | {"road": "Ring 1"}
    assert against(said) == ("extra road", "missing via")


def test_a_slot_that_says_nothing_is_none() -> None:
    assert against(GOLD | {"road": None, "district": "", "avoid_lines": []}) == ()


def test_unknown_slots_are_compared_as_they_stand() -> None:
    assert against({"colour": "Red"}, {"colour": "red"}) == ()
    assert against({"colour": ["red"]}, {"colour": "red"}) == ("other colour",)


def test_an_empty_set_is_a_set() -> None:
    assert differing(episode(), {}) == ()
    assert differing(episode(), {"mode": "walk"}) == ("extra mode",)


def test_what_is_meant_without_a_word_may_be_said() -> None:
    assert differing(episode(), {"city": "Haven", "origin": "my location"}) == ()
    assert differing(episode(), {"city": "Port", "near": "Harbour"}) == ("other city", "other near")


@pytest.mark.parametrize("said", [None, "drive", [], [{"slot": "mode", "value": "drive"}], 3])
def test_what_is_no_object_is_no_set_of_slots(said: Any) -> None:
    assert against(said) == ("no object of slots",)


def test_numbers_of_an_answer_are_read_as_they_are_written() -> None:
    read = read_answer('{"constraints": {"radius": 500.0, "limit": 3}}')
    assert isinstance(read, Answer)
    assert differing(episode(constraints={"radius": 500, "limit": 3}), read.plan["constraints"]) == ()


def test_without_a_known_location_here_is_still_a_word() -> None:
    asked = episode(constraints={"location": "here"}, context=Context())
    assert differing(asked, {"location": "我的位置"}) == ()
    assert differing(asked, {"location": HERE}) == ("other location",)
