"""The metrics TS (tool selection), SC (schema compliance) and parameter filling have values computed by hand."""

from fractions import Fraction
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planspec.families.mobilitybench.episode import Episode, RecordedResult, Scenario, StandardCall
from planspec.families.mobilitybench.metrics.calling import program_calls, read_call
from planspec.families.mobilitybench.metrics.matching import best_pairs
from planspec.families.mobilitybench.metrics.record import JudgedMetric
from planspec.families.mobilitybench.metrics.tool_use import (
    parameter_filling,
    schema_compliance,
    tool_selection,
)
from planspec.traces import Call
from tests.families.mobilitybench.metrics.runs import DRIVE, HERE, THERE, call, episode

FIND = call("poi_query", keywords="harbour", city="HAVEN")
GO = call("driving_planning", origin="116.4,39.9", destination="116.5,39.95", preferences=["avoid_tolls"])


def selection(own_episode: Episode, *calls: Call) -> tuple[Any, ...]:
    """Return the metrics TS_coverage, TS_spared and TS_calls (tool selection) of an agent's calls."""
    public = own_episode.source is not None
    return tuple(
        judged.value
        for judged in tool_selection(program_calls(own_episode), [read_call(one, public=public) for one in calls])
    )


def compliance(*calls: Call, public: bool = False) -> JudgedMetric:
    """Return the metric SC (schema compliance) of an agent's calls."""
    own_episode = episode(*DRIVE, public=public)
    return schema_compliance(program_calls(own_episode), [read_call(one, public=public) for one in calls])


def filling(own_episode: Episode, *calls: Call) -> JudgedMetric:
    """Return the metric of parameter filling of an agent's calls."""
    return parameter_filling(
        program_calls(own_episode), [read_call(one, public=own_episode.source is not None) for one in calls]
    )


def test_the_calls_of_the_reference_program_score_1() -> None:
    own_episode = episode(*DRIVE)
    assert selection(own_episode, FIND, GO) == (1, 1, 1)
    assert compliance(FIND, GO).value == 1
    assert filling(own_episode, FIND, GO).value == 1


def test_one_needed_and_one_unneeded_tool_score_a_half() -> None:
    assert selection(episode(*DRIVE), FIND, call("weather_query", city="x")) == (
        Fraction(1, 2),
        Fraction(1, 2),
        Fraction(1, 2),
    )


def test_repeated_calls_of_a_needed_tool_count_as_superfluous() -> None:
    assert selection(episode(*DRIVE), FIND, GO, GO, GO) == (1, 1, Fraction(1, 2))


def test_an_unknown_tool_counts_as_unneeded() -> None:
    assert selection(episode(*DRIVE), FIND, GO, call("teleport"), call(None)) == (
        1,
        Fraction(1, 2),
        Fraction(1, 2),
    )


def test_a_run_without_calls_scores_0_and_an_empty_reference_program_has_no_value() -> None:
    assert selection(episode(*DRIVE)) == (0, 0, 0)
    assert compliance().value == 0
    assert filling(episode(*DRIVE)).value == 0
    assert selection(episode(), FIND) == (None, None, None)
    assert filling(episode(), FIND).value is None


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        (call("poi_query"), "poi_query: keywords: missing"),
        (call("poi_query", keywords=""), "poi_query: keywords: out of range"),
        (call("poi_query", keywords=5), "poi_query: keywords: wrong type"),
        (call("poi_query", keywords="x", limit="5"), "poi_query: limit: wrong type"),
        (call("poi_query", keywords="x", limit=51), "poi_query: limit: out of range"),
        (call("poi_query", keywords="x", colour="red"), "poi_query: colour: unknown argument"),
        (call("walking_planning", origin=HERE, destination="200.0,95.0"), "walking_planning: destination: wrong value"),
        (
            call("walking_planning", origin=HERE, destination="39.95,116.5"),
            "walking_planning: destination: wrong value",
        ),
        (
            call("bus_planning", origin=HERE, destination=THERE, depart_at="25:00"),
            "bus_planning: depart_at: wrong value",
        ),
        (call("weather_query"), "weather_query: arguments: wrong value"),
        (call("teleport", to="x"), "unknown tool"),
        (Call(name="poi_query", written="{", fault="no JSON"), "poi_query: arguments: no object"),
        (Call(name="poi_query", arguments={"keywords": "x"}, fault="twice"), "poi_query: arguments: written twice"),
        (call("query_poi", keywords="x"), "unknown tool"),
    ],
)
def test_one_wrong_call_of_two_scores_a_half_and_its_fault_is_named(wrong: Call, reason: str) -> None:
    judged = compliance(FIND, wrong)
    assert judged.value == Fraction(1, 2)
    assert judged.reasons == (reason,)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        (call("query_poi", keywords="x", city=""), call("query_poi", city="x")),
        (
            call("reverse_geocoding", longitude=116.4, latitude=39.9),
            call("reverse_geocoding", longitude=200.0, latitude=95.0),
        ),
        (call("weather_query", city="x", need_forecast=True), call("weather_query", city="x", need_forecast="soon")),
        (call("weather_query", city="x", type="forecast"), call("weather_query", city="x", kind="forecast")),
        (
            call("driving_route", origin=HERE, destination=THERE, strategy=["躲避拥堵", "37"]),
            call("driving_route", origin=HERE, destination=THERE, strategy=["错误值"]),
        ),
        (call("traffic_status", name="x", city="y"), call("traffic_status", name="x")),
        (call("poi_query", keywords="x"), call("Query_POI", keywords="x")),
    ],
)
def test_calls_of_the_public_tools_are_checked_by_the_same_schemas(right: Call, wrong: Call) -> None:
    assert compliance(right, public=True).value == 1
    assert compliance(wrong, public=True).value == 0


def test_different_and_missing_arguments_are_named() -> None:
    """Three of five arguments agree; the city differs and the preferences are missing."""
    other = call("poi_query", keywords="Harbour", city="Elsewhere")
    judged = filling(episode(*DRIVE), other, call("driving_planning", origin=HERE, destination=THERE))
    assert judged.value == Fraction(3, 5)
    assert judged.reasons == ("poi_query: other city", "driving_planning: missing preferences")


def test_right_arguments_of_an_invalid_call_count() -> None:
    wrong = call("driving_planning", origin=HERE, destination="95,200", preferences=["avoid_tolls"], colour="red")
    assert filling(episode(*DRIVE), FIND, wrong).value == Fraction(4, 5)


def test_calls_of_one_tool_are_paired_so_that_most_arguments_agree() -> None:
    own_episode = episode(("poi_query", {"keywords": "A", "city": "X"}), ("poi_query", {"keywords": "B", "city": "X"}))
    one, other = call("poi_query", keywords="B", city="X"), call("poi_query", keywords="A", city="Y")
    assert filling(own_episode, one, other).value == Fraction(3, 4)
    assert filling(own_episode, other, one).value == Fraction(3, 4)
    assert filling(own_episode, one, one).value == Fraction(3, 4)
    assert filling(own_episode, one).value == Fraction(1, 2)


def test_arguments_at_their_defaults_are_not_required() -> None:
    own_episode = episode(("nearby_poi_query", {"location": HERE, "keywords": "café", "radius": 1000}))
    assert filling(own_episode, call("nearby_poi_query", location=HERE, keywords="Cafe")).value == 1


def test_a_radius_is_required_unless_it_is_the_public_default() -> None:
    def search(**more: Any) -> StandardCall:
        arguments = {"location": HERE, "keywords": "x"} | more
        return StandardCall(tool="nearby_poi_query", name="search_around_poi", arguments=arguments)

    plain = episode(public=True, scenario=Scenario.NEARBY_SEARCH).model_copy(update={"program": (search(),)})
    near = plain.model_copy(update={"program": (search(radius=500),)})
    own_call = call("search_around_poi", location=HERE, keywords="x")
    assert filling(plain, own_call).value == 1
    assert filling(near, own_call).value == Fraction(2, 3)
    assert filling(plain, call("search_around_poi")).value == 0


def test_recorded_arguments_replace_those_of_the_reference_program() -> None:
    program = StandardCall(tool="poi_query", name="query_poi", arguments={"keywords": 7})
    recorded = RecordedResult(call=0, tool="poi_query", arguments={"keywords": "harbour"})
    own_episode = episode(public=True).model_copy(update={"program": (program,), "snapshot": (recorded,)})
    assert filling(own_episode, call("query_poi", keywords="Harbour")).value == 1
    unknown = own_episode.model_copy(update={"snapshot": ()})
    assert filling(unknown, call("query_poi", keywords="Harbour")).value is None


worths = st.integers(1, 4).flatmap(
    lambda columns: st.lists(st.lists(st.integers(0, 6), min_size=columns, max_size=columns), min_size=1, max_size=4)
)


@given(worths)
def test_the_assignment_of_calls_to_recorded_calls_is_optimal(worth: list[list[int]]) -> None:
    partners = best_pairs(worth)
    taken = [column for column in partners if column >= 0]
    assert len(set(taken)) == len(taken) == min(len(worth), len(worth[0]))
    reached = sum(worth[row][column] for row, column in enumerate(partners) if column >= 0)
    wide = max(len(worth), len(worth[0]))
    padded = [row + [0] * (wide - len(row)) for row in worth]
    assert reached == max(
        sum(padded[row][column] for row, column in enumerate(order[: len(worth)]))
        for order in permutations(range(wide))
    )


def test_rows_that_get_no_column_in_an_assignment_are_unassigned() -> None:
    assert best_pairs([]) == []
    assert best_pairs([[], []]) == [-1, -1]
    assert sorted(best_pairs([[1], [2]])) == [-1, 0]
