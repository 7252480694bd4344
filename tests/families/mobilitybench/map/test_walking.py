"""Routes on foot and by bicycle are optimal."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planspec.families.mobilitybench.map import City, NoRoute, cycle, grow_city, walk
from planspec.families.mobilitybench.map.network import WALK_MS_M, cycle_ms
from tests.families.mobilitybench.map.random_streets import towns
from tests.random_examples import examples

CITY = grow_city("London", 2, 300)


def graph(city: City, mode: str, closed: set[int]) -> nx.MultiDiGraph:
    """Return the pieces of streets that a mode of transport may use as a graph, without the closed roads."""
    multigraph: nx.MultiDiGraph = nx.MultiDiGraph()
    multigraph.add_nodes_from(range(len(city.junctions)))
    for piece in city.pieces:
        if piece.road in closed or mode not in piece.modes:
            continue
        ms = cycle_ms(city.roads[piece.road].kind, piece.length_m) if mode == "cycle" else piece.length_m * WALK_MS_M
        multigraph.add_edge(piece.tail, piece.head, ms=ms, metres=piece.length_m)
        if mode == "walk" or not piece.one_way:
            multigraph.add_edge(piece.head, piece.tail, ms=ms, metres=piece.length_m)
    return multigraph


@settings(max_examples=examples(80), deadline=None)
@given(towns(), st.sampled_from(["walk", "cycle", "shortest"]), st.booleans(), st.data())
def test_the_best_route_is_as_good_as_bellman_fords(city: City, how: str, closed: bool, data: st.DataObject) -> None:
    via = data.draw(st.lists(st.integers(0, len(city.junctions) - 1), max_size=2))
    goal = len(city.junctions) - 1
    points = [junction.point for junction in city.junctions]
    options: dict[str, Any] = {"via": [points[n] for n in via], "avoid_roads": ["Road 1"] if closed else []}
    plain = graph(city, "walk" if how == "walk" else "cycle", {1} if closed else set())
    weight = "metres" if how == "shortest" else "ms"
    if how == "walk":
        answer = walk(city, points[0], points[goal], **options)
    else:
        answer = cycle(city, points[0], points[goal], shortest=how == "shortest", **options)
    try:
        sums = [nx.bellman_ford_path_length(plain, a, b, weight=weight) for a, b in pairwise([0, *via, goal])]
    except nx.NetworkXNoPath:
        assert isinstance(answer, NoRoute)
        return
    assert not isinstance(answer, NoRoute)
    assert answer[0].evidence.value[0] == sum(sums)
    assert not closed or "Road 1" not in {step.road for step in answer[0].steps}


def test_walkers_may_go_against_one_way_streets_and_cyclists_may_not() -> None:
    lonely = [piece for piece in CITY.pieces if piece.one_way and "walk" in piece.modes]
    assert lonely
    for piece in lonely[:8]:
        head, tail = CITY.junctions[piece.head].point, CITY.junctions[piece.tail].point
        foot, wheel = walk(CITY, head, tail), cycle(CITY, head, tail)
        assert not isinstance(foot, NoRoute) and not isinstance(wheel, NoRoute)
        assert foot[0].distance_m <= piece.length_m < wheel[0].distance_m


def test_no_route_on_foot_or_by_bicycle_uses_a_motorway() -> None:
    for one, other in ((1, 60), (33, 80)):
        for plan in (walk, cycle):
            answer = plan(CITY, CITY.pois[one].point, CITY.pois[other].point)
            assert not isinstance(answer, NoRoute)
            assert "motorway" not in {step.road_class for step in answer[0].steps}


def test_an_arrival_time_gives_the_latest_departure() -> None:
    a, b = CITY.pois[1].point, CITY.pois[60].point
    late, early = walk(CITY, a, b, arrive_by=600), walk(CITY, a, b, depart=600)
    assert not isinstance(late, NoRoute) and not isinstance(early, NoRoute)
    assert late[0].arrive_s == early[0].depart_s == 36_000
    assert late[0].duration_s == early[0].duration_s


def test_alternatives_on_foot_use_other_roads() -> None:
    answer = walk(CITY, CITY.pois[1].point, CITY.pois[60].point, alternatives=3)
    assert not isinstance(answer, NoRoute) and len(answer) == 3
    assert answer[0].duration_s <= answer[1].duration_s <= answer[2].duration_s
    assert len({route.steps for route in answer}) == 3


@pytest.mark.parametrize("options", [{"depart": 1, "arrive_by": 2}, {"alternatives": 0}])
def test_contradictory_options_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        walk(CITY, CITY.pois[1].point, CITY.pois[60].point, **options)
