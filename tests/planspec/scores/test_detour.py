"""Places of a plan, and the excess of its route over the shortest tour, on plans written by hand."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from planspec.api.judging import Judge
from planspec.api.loading import load
from planspec.families.veritrip.verdict_metrics import margin
from planspec.scores.detour import detour_of
from planspec.scores.plan_places import NoCoordinatesError, plan_places
from planspec.verifiers.meaning.plan_rows import Plan
from planspec.verifiers.metrics.scored import ClosedWay
from tests.paths import ROOT
from tests.random_examples import examples

TASK = """\
planspec: task/1
id: walk
query: A walk.
tables:
  Sight:
    columns: {id: key text, latitude: decimal, longitude: decimal}
    rows:
      - {id: origin, latitude: 0, longitude: 0}
      - {id: east, latitude: 0, longitude: 1}
      - {id: far east, latitude: 0, longitude: 2}
      - {id: farthest east, latitude: 0, longitude: 3}
      - {id: twin, latitude: 0, longitude: 1}
      - {id: pole, latitude: 90, longitude: 0}
  Inn:
    columns: {id: key text, lat: decimal, lon: decimal}
    rows:
      - {id: north inn, lat: 10, lon: 0}
      - {id: south inn, lat: -10, lon: 0}
  Rumour:
    columns: {id: key text}
    rows: [{id: nowhere}]
plan:
  nights:
    n: key int
    inn: Inn
  visits:
    day: key date
    number: key int
    at: time
    rumour: Rumour?
    sight: Sight?
    inn: Inn?
scope: {nights: [], visits: []}
constraints: {some: {hard: count(v for v in visits) >= 0}}
"""
DEGREE = 6378137 * math.pi / 180
"""Length of one degree of longitude on the paper's map (Web Mercator), in metres."""
ARC = 6371008.8 * math.pi / 180
"""Length of one degree of longitude at the equator of the globe, in metres."""


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Judge:
    path: Path = tmp_path_factory.mktemp("walk") / "walk.yaml"
    path.write_text(TASK)
    return Judge(load(path))


def walk(judge: Judge, *visits: Any, nights: tuple[str, ...] = ()) -> Plan:
    """Return a plan of visits of an hour each on one day. A visit is given as the name of a sight or as its cells."""
    rows = [
        {
            "day": "2025-10-15",
            "number": n,
            "at": f"{8 + n:02}:00",
            **(visit if isinstance(visit, dict) else {"sight": visit}),
        }
        for n, visit in enumerate(visits, 1)
    ]
    plan = judge.read({"nights": [{"n": n, "inn": inn} for n, inn in enumerate(nights)], "visits": rows})
    assert plan is not None and len(plan.tables["visits"]) == len(rows)
    return plan


def names(plan: Plan) -> list[str]:
    """Return the names of the places in a plan, in the order of the route."""
    return [name for name, _, _ in plan_places(plan, None)]


def test_a_plan_without_known_places_has_no_detour(judge: Judge) -> None:
    for plan in (walk(judge), walk(judge, {"rumour": "nowhere"}, {})):
        assert detour_of(plan, None) is None
        with pytest.raises(NoCoordinatesError):
            plan_places(plan, None)


def test_one_place_has_a_route_of_length_zero(judge: Judge) -> None:
    detour = detour_of(walk(judge, "east"), None)
    assert detour is not None
    assert (detour.places, detour.plane, detour.globe) == (1, ClosedWay(0, 0, 0), ClosedWay(0, 0, 0))


def test_the_route_of_two_places_is_the_round_trip(judge: Judge) -> None:
    detour = detour_of(walk(judge, "origin", "far east"), None)
    assert detour is not None
    there, across = 2 * round(2 * DEGREE), 2 * round(2 * ARC)
    assert (detour.places, detour.plane, detour.globe) == (
        2,
        ClosedWay(there, there, there),
        ClosedWay(across, across, across),
    )


def test_three_places_have_no_detour_in_any_order(judge: Judge) -> None:
    for order in permutations(("origin", "east", "farthest east")):
        detour = detour_of(walk(judge, *order), None)
        assert detour is not None and detour.plane.length is not None
        assert detour.plane == ClosedWay(detour.plane.length, detour.plane.length, detour.plane.length)
        assert detour.plane.length == round(DEGREE) + round(2 * DEGREE) + round(3 * DEGREE)


def test_the_detour_of_a_zigzag_is_its_excess_over_the_shortest_tour(judge: Judge) -> None:
    """The route 0, 2, 1, 3 and back to 0 has 2 + 1 + 2 + 3 degrees; the shortest one has 6."""
    detour = detour_of(walk(judge, "origin", "far east", "east", "farthest east"), None)
    assert detour is not None
    shortest = 3 * round(DEGREE) + round(3 * DEGREE)
    longer = 2 * round(2 * DEGREE) + round(DEGREE) + round(3 * DEGREE)
    assert detour.plane == ClosedWay(longer, shortest, shortest)
    assert margin(detour.plane, detour.places) == (Fraction(longer - shortest, 4),) * 2
    assert detour.globe.length is not None and detour.globe.most is not None
    assert detour.globe.length - detour.globe.most == 2 * round(2 * ARC) - 2 * round(ARC)


def test_a_place_visited_twice_counts_only_at_its_first_visit(judge: Judge) -> None:
    again = walk(judge, "origin", "far east", "origin", "east", "far east")
    assert names(again) == ["origin", "far east", "east"]
    assert detour_of(again, None) == detour_of(walk(judge, "origin", "far east", "east"), None)


def test_two_places_at_the_same_point_are_counted_separately(judge: Judge) -> None:
    detour = detour_of(walk(judge, "east", "twin"), None)
    assert detour is not None
    assert (detour.places, detour.plane.length) == (2, 0)


def test_places_are_visited_in_the_order_of_days_and_times(judge: Judge) -> None:
    late = {"sight": "origin", "at": "20:00"}
    next_day = {"sight": "twin", "at": "06:00", "day": "2025-10-16"}
    assert names(walk(judge, next_day, late, "east")) == ["east", "origin", "twin"]


def test_rows_without_known_places_are_skipped(judge: Judge) -> None:
    plan = walk(judge, {}, "east", {"rumour": "nowhere"}, "origin")
    assert names(plan) == ["east", "origin"]
    # the place of a row is its first reference to a fact with coordinates
    both = walk(judge, {"rumour": "nowhere", "sight": "east", "inn": "north inn"}, {"inn": "south inn"})
    assert names(both) == ["east", "south inn"]


def test_the_route_is_that_of_the_table_with_the_most_places(judge: Judge) -> None:
    inns = ("north inn", "south inn")
    assert names(walk(judge, "east", "origin", "twin", nights=inns)) == ["east", "origin", "twin"]
    assert names(walk(judge, "east", nights=inns)) == ["north inn", "south inn"]
    assert names(walk(judge, "east", "origin", nights=inns)) == ["north inn", "south inn"]
    # the table with the most places counts, even if another table has more rows
    assert names(walk(judge, "east", "east", "east", nights=inns)) == ["north inn", "south inn"]


def test_a_route_beyond_the_map_has_a_length_only_on_the_globe(judge: Judge) -> None:
    detour = detour_of(walk(judge, "origin", "pole"), None)
    assert detour is not None
    assert detour.plane == ClosedWay(None, None, None)
    assert detour.globe.length == 2 * round(90 * ARC)
    assert margin(detour.plane, detour.places) is None


@settings(max_examples=examples(25), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(["origin", "east", "far east", "farthest east", "twin"]), max_size=8))
def test_the_shortest_tour_of_few_places_equals_brute_force(judge: Judge, visits: list[str]) -> None:
    detour = detour_of(walk(judge, *visits), None)
    once = list(dict.fromkeys(visits))
    if not once:
        assert detour is None
        return
    assert detour is not None
    at = {"origin": 0, "east": 1, "far east": 2, "farthest east": 3, "twin": 1}

    def length(order: tuple[str, ...] | list[str]) -> int:
        return sum(round(abs(at[a] - at[b]) * DEGREE) for a, b in pairwise([*order, order[0]]))

    best = min(map(length, permutations(once)))
    assert (detour.places, detour.plane) == (len(once), ClosedWay(length(once), best, best))


def test_the_route_with_beds_visits_each_bed_at_the_end_of_its_first_day() -> None:
    judge = Judge(load("veritrip-017"))
    plan = judge.read(json.loads((ROOT / "tasks/veritrip/answers/veritrip-017.json").read_text("utf-8")))
    assert plan is not None
    bare = plan_places(plan, "CNY", "itinerary")
    lodged = plan_places(plan, "CNY", "itinerary", "accommodation")
    beds = [place for place in lodged if place not in bare]
    assert [place for place in lodged if place in bare] == bare
    rows: list[Any] = list(plan.tables["itinerary"])
    days = [row.date for row in rows if row.attraction is not None or row.restaurant is not None]
    first_day = sum(day == min(days) for day in days)
    assert [lodged.index(bed) for bed in beds] == [first_day]
    detour = detour_of(plan, "CNY", table="itinerary", beds="accommodation")
    assert detour is not None
    assert detour.lodged is not None
    assert (detour.places, detour.lodged.places) == (len(bare), len(lodged))
    assert detour.lodged.plane.length is not None
    assert detour.plane.length is not None
    assert detour.lodged.plane.length >= detour.plane.length
    assert detour_of(plan, "CNY", table="itinerary") == replace(detour, lodged=None)
