"""The metric IE (information extraction) is 1 if the declared constraints equal the episode's, otherwise 0."""

from typing import Any

import pytest

from planspec.families.mobilitybench.episode import Context
from planspec.families.mobilitybench.metrics.extraction import constraint_faults
from planspec.verifiers.answers.envelope import Answer, read_answer
from tests.families.mobilitybench.metrics.runs import HERE, episode

GOLD: dict[str, Any] = {
    "origin": "here",
    "destination": "Café  Österreich",
    "via": ["Tower", "Gate"],
    "mode": "drive",
    "preferences": ["avoid_tolls", "fastest"],
    "avoid_roads": ["Ring 1", "Ring 2"],
    "depart_at": "08:05",
    "radius": 500,
    "days": ["2026-03-01", "2026-03-02"],
    "location": "116.400000,39.900000",
    "max_transfers": 1,
    "city": "北京市",
}


def faults_against(declared: Any, gold: Any = None) -> tuple[str, ...]:
    """Return the differences between declared constraints and those of the episode."""
    return constraint_faults(episode(constraints=GOLD if gold is None else gold), declared)


@pytest.mark.parametrize(
    ("slot", "value"),
    [
        ("origin", "My current location"),
        ("origin", "当前位置"),
        ("origin", "mein Standort"),
        ("origin", "現在地"),
        ("origin", "116.4,39.9"),
        ("origin", HERE),
        ("destination", "cafe österreich"),
        ("destination", "CAFE\u0301 OSTERREICH"),
        ("preferences", ["fastest", "avoid_tolls", "fastest"]),
        ("preferences", ["Fastest", "avoid tolls"]),
        ("avoid_roads", ["ring 2", "Ring 1"]),
        ("depart_at", "8:05"),
        ("depart_at", "08:05:00"),
        ("radius", "500 m"),
        ("radius", "0.5 km"),
        ("radius", "500"),
        ("radius", 500.0),
        ("radius", "500米"),
        ("days", ["2026-03-02", "2026-03-01"]),
        ("location", "116.4,39.9"),
        ("location", "116.3999999, 39.9000001"),
        ("max_transfers", "1"),
        ("city", "北京"),
        ("mode", "Drive"),
    ],
)
def test_equivalent_values_are_equal(slot: str, value: Any) -> None:
    assert faults_against(GOLD | {slot: value}) == ()


@pytest.mark.parametrize(
    ("slot", "value"),
    [
        ("origin", "there"),
        ("origin", "116.41,39.9"),
        ("destination", "Cafe"),
        ("via", ["Gate", "Tower"]),
        ("via", ["Tower"]),
        ("via", "Tower, Gate"),
        ("preferences", ["avoid_tolls"]),
        ("preferences", "avoid_tolls fastest"),
        ("depart_at", "20:05"),
        ("depart_at", "8:05 pm"),
        ("depart_at", 805),
        ("radius", "500 miles"),
        ("radius", True),
        ("radius", 10**400),
        ("days", ["2026-03-01"]),
        ("days", ["tomorrow"]),
        ("location", "39.9,116.4"),
        ("location", "Harbour"),
        ("max_transfers", 1.5),
        ("destination", {"name": "Café Österreich"}),
    ],
)
def test_values_with_another_meaning_differ(slot: str, value: Any) -> None:
    assert faults_against(GOLD | {slot: value}) == (f"other {slot}",)


def test_extra_and_missing_slots_are_named() -> None:
    declared = {slot: value for slot, value in GOLD.items() if slot != "via"} | {"road": "Ring 1"}
    assert faults_against(declared) == ("extra road", "missing via")


def test_an_empty_slot_counts_as_absent() -> None:
    assert faults_against(GOLD | {"road": None, "district": "", "avoid_lines": []}) == ()


def test_unknown_slots_are_compared_exactly() -> None:
    assert faults_against({"colour": "Red"}, {"colour": "red"}) == ()
    assert faults_against({"colour": ["red"]}, {"colour": "red"}) == ("other colour",)


def test_an_empty_set_is_a_set() -> None:
    assert constraint_faults(episode(), {}) == ()
    assert constraint_faults(episode(), {"mode": "walk"}) == ("extra mode",)


def test_implied_values_may_be_declared() -> None:
    assert constraint_faults(episode(), {"city": "Haven", "origin": "my location"}) == ()
    assert constraint_faults(episode(), {"city": "Port", "near": "Harbour"}) == ("other city", "other near")


@pytest.mark.parametrize("declared", [None, "drive", [], [{"slot": "mode", "value": "drive"}], 3])
def test_a_declaration_that_is_not_an_object_is_a_fault(declared: Any) -> None:
    assert faults_against(declared) == ("no object of slots",)


def test_numbers_in_an_answer_are_read_exactly() -> None:
    read = read_answer('{"constraints": {"radius": 500.0, "limit": 3}}')
    assert isinstance(read, Answer)
    assert constraint_faults(episode(constraints={"radius": 500, "limit": 3}), read.plan["constraints"]) == ()


def test_all_words_for_the_users_location_are_equal_even_if_it_is_unknown() -> None:
    own_episode = episode(constraints={"location": "here"}, context=Context())
    assert constraint_faults(own_episode, {"location": "我的位置"}) == ()
    assert constraint_faults(own_episode, {"location": HERE}) == ("other location",)
