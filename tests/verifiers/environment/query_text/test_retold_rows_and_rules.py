"""The check of queries compares rows that a query repeats, rules that it omits, and members that differ from a
quotation.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from planspec.dsl.documents.documents import task_from_text
from planspec.verifiers.environment.query_text.everyday_words import is_unstated
from planspec.verifiers.environment.query_text.findings import query_findings
from planspec.verifiers.environment.query_text.mentions import mentions

Hotel: TypeAlias = Callable[[str, str], list[str]]
SHOP = """\
planspec: task/1
id: t
query: >-
  QUERY
types: {Machine: saw | lathe | drill}
tables:
  Service:
    columns: {machine: Machine, from: time, until: time}
    rows:
      - {machine: saw, from: 09:30, until: 10:00}
      - {machine: lathe, from: 12:00, until: 12:30}
      - {machine: drill, from: 11:00, until: 11:30}
environment: {shows: {Service: all}}
plan: {runs: {machine: key Machine, start: time}}
scope:
  runs:
    - {for: m in Machine, machine: m, start: 07:00..18:00 step 30min}
closed: true
constraints:
  service:
    for: s in Service
    hard: runs[s.machine].start < s.from or runs[s.machine].start >= s.until
    message: "{s.machine} begins during its service"
  turn:
    hard: runs[saw].start < runs[lathe].start
    message: the saw comes before the lathe
  pause:
    hard: runs[drill].start > runs[lathe].start
    message: the drill comes behind the lathe
  spread: {hard: all_different(r.start for r in runs), message: two machines start together}
"""
RULES = "The saw comes before the lathe, the drill behind it, and no two machines start together."
SERVICE = "Service is from 9:30 to 10:00 on the saw, "


def findings_of(query: str) -> list[str]:
    """Return code and message of each finding on a query of the shop."""
    findings = query_findings(task_from_text(SHOP.replace("QUERY", query)))
    return [f"{finding.code} {finding.message}" for finding in findings]


def test_rows_that_the_query_repeats_correctly_are_not_reported() -> None:
    query = (
        "In service are the saw from 9:30 to 10:00, the lathe from 12:00 to 12:30 and the drill from 11:00 to 11:30."
    )
    assert findings_of(f"{query} {RULES}") == []


def test_an_amount_that_the_named_row_does_not_have_is_reported() -> None:
    query = (
        "In service are the saw from 9:30 to 10:00, the lathe from 12:00 to 10:00 and the drill from 11:00 to 11:30."
    )
    message = "PS441 the query says `10:00` of `lathe`, and no row of `Service` does"
    assert message in findings_of(f"{query} {RULES}")


def test_exchanged_names_are_reported_although_every_amount_is_in_some_row() -> None:
    query = (
        "In service are the lathe from 9:30 to 10:00, the saw from 12:00 to 12:30 and the drill from 11:00 to 11:30."
    )
    assert sum("no row of `Service` does" in message for message in findings_of(f"{query} {RULES}")) == 4


def test_a_single_missing_amount_is_reported() -> None:
    query = "In service are the saw from 9:30 to 10:00, the drill from 11:00 on and the lathe from 12:00 to 12:30."
    assert "PS442 the query does not state `11:30` of `drill`, and most rows of `Service`" in findings_of(
        f"{query} {RULES}"
    )


def test_a_table_that_the_query_does_not_repeat_is_not_compared() -> None:
    assert findings_of(f"The table has the services; the saw is free at 11:00. {RULES}")[1:] == []


def test_a_rule_that_no_word_of_the_query_mentions_is_reported() -> None:
    (message,) = findings_of(RULES)
    assert message == "PS442 no word of the query states `service`, which reads `Service`: 0, 1, 2"
    assert findings_of(f"{RULES} No machine starts while it is serviced.") == []


def test_missing_rules_are_not_reported_if_the_query_mentions_few_rules() -> None:
    assert findings_of("Plan the day as the handbook says.") == []


HOTELS = """\
planspec: library/1
id: hotels
types: {Feature: breakfast | pool | quiet | gym | family_rooms}
given: {features: set of Feature}
tables:
  Hotel: {features: set of Feature}
plan: {stay: {one: true, hotel: Hotel}}
scope: {stay: {hotel: Hotel}}
constraints:
  features: {hard: all(f in stay.hotel.features for f in features)}
"""
HOTEL = """\
planspec: task/1
id: t
uses: [hotels]
query: >-
  A night in town. QUOTED
tells: {features: QUOTED}
given: {features: [FEATURES]}
tables:
  Hotel: [{id: inn, features: [breakfast, quiet, pool]}]
"""


@pytest.fixture
def hotel(tmp_path: Path) -> Hotel:
    """Return a function that takes the features of a hotel and the words quoted for them, and returns the findings."""
    (tmp_path / "hotels.library.yaml").write_text(HOTELS)

    def found_in(features: str, quoted: str) -> list[str]:
        text = HOTEL.replace("QUOTED", quoted).replace("FEATURES", features)
        findings = query_findings(task_from_text(text, path=tmp_path / "t.task.yaml"))
        return [f"{finding.code} {finding.message}" for finding in findings]

    return found_in


@pytest.mark.parametrize(
    ("features", "quoted"),
    [
        ("breakfast, quiet", "We want a place without noise where there are eggs in the morning"),
        ("pool", "We have children and want to swim"),
        ("breakfast", "We need no pool and no gym but want breakfast"),
        ("family_rooms, pool", "It has rooms for all of us and a pool"),
        ("breakfast, pool", "Frühstück und ein Schwimmbad"),
    ],
)
def test_amenities_in_other_words_are_not_reported(hotel: Hotel, features: str, quoted: str) -> None:
    assert hotel(features, quoted) == []


def test_an_amenity_that_the_quotation_lacks_is_reported(hotel: Hotel) -> None:
    assert hotel("breakfast, quiet", "We want a place that is quiet") == [
        "PS442 the query does not state `features`, breakfast"
    ]


def test_an_amenity_that_only_the_quotation_has_is_reported(hotel: Hotel) -> None:
    assert hotel("quiet", "We want a place that is quiet and has a pool") == [
        "PS441 the query says `pool`, and `features` has no `pool`"
    ]


def test_a_member_counts_as_unstated_only_in_english_and_if_it_has_everyday_words() -> None:
    assert is_unstated("breakfast", "of our dreams", "the room of our dreams")
    assert not is_unstated("breakfast", "das zimmer", "das zimmer unserer träume")
    assert not is_unstated("diesel", "the room", "the room of our dreams")


@pytest.mark.parametrize(
    ("text", "metres"), [("half a metre", "1/2"), ("a quarter of a km", "250"), ("half a mile", None)]
)
def test_fractions_of_a_unit_are_read(text: str, metres: str | None) -> None:
    read = [str(r.value) for mention in mentions(text) for r in mention.readings if r.measure == "distance"]
    assert read == ([] if metres is None else [metres])
