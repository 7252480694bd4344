"""Generated cities are the same for the same seed, are connected, and have everything that queries mention."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import networkx as nx
import pytest

from planspec.families.mobilitybench.map import CATEGORIES, SPECS, City, dump, grow_city, load, metres, save

NAMES = [spec.english for spec in SPECS]


@pytest.fixture(scope="module")
def cities() -> Mapping[str, City]:
    return {name: grow_city(name, 0, 300) for name in NAMES}


@pytest.fixture(params=NAMES)
def city(request: pytest.FixtureRequest, cities: Mapping[str, City]) -> City:
    return cities[request.param]


def graph(city: City, mode: str) -> nx.DiGraph:
    """Return the junctions of a city as a graph with the pieces of streets that a mode of transport may use."""
    digraph: nx.DiGraph = nx.DiGraph()
    for piece in city.pieces:
        if mode in piece.modes:
            digraph.add_edge(piece.tail, piece.head)
            if mode == "walk" or not piece.one_way:
                digraph.add_edge(piece.head, piece.tail)
    return digraph


def test_there_are_at_least_ten_cities_in_five_countries() -> None:
    assert len({spec.english for spec in SPECS}) >= 10
    assert len({spec.country for spec in SPECS}) >= 5
    assert {spec.style for spec in SPECS} == {"grid", "rings", "organic"}


@pytest.mark.parametrize("mode", ["drive", "walk", "cycle"])
def test_the_streets_of_each_mode_are_connected(city: City, mode: str) -> None:
    assert nx.is_strongly_connected(graph(city, mode))


def test_a_city_has_everything_that_queries_ask_for(city: City) -> None:
    assert {poi.category for poi in city.pois} == set(CATEGORIES)
    assert {"bus", "metro"} <= {line.mode for line in city.lines}
    assert {"motorway", "primary", "secondary", "residential"} <= {road.kind for road in city.roads}
    assert any(piece.toll for piece in city.pieces) or city.country in {"Germany", "United Kingdom"}
    assert any(junction.light for junction in city.junctions)
    assert any(piece.one_way for piece in city.pieces)
    assert city.weather[0].day == city.today and len(city.weather) == 10
    assert {t.road for t in city.traffic} == {road.id for road in city.roads}
    assert {t.level for t in city.traffic} >= {"free", "slow", "congested"}


def test_lines_serve_the_largest_connected_part() -> None:
    """In this city, a few streets are connected to the others only by streets that cars or pedestrians may not use."""
    city = grow_city("Shanghai", 1229299088, 549)
    streets: nx.Graph = nx.Graph()
    streets.add_edges_from((p.tail, p.head) for p in city.pieces if {"walk", "drive"} <= set(p.modes))
    parts = sorted(nx.connected_components(streets), key=len)
    assert len(parts) > 1
    assert {stop.junction for stop in city.stops if stop.junction in streets} <= parts[-1]
    assert {"bus", "metro"} <= {line.mode for line in city.lines}


def test_names_that_are_looked_up_are_unique(city: City) -> None:
    for names in (
        [road.name for road in city.roads],
        [poi.name for poi in city.pois],
        [stop.name for stop in city.stops],
        [line.name for line in city.lines],
        list(city.districts),
    ):
        assert len(set(names)) == len(names)
        assert all(name.strip() == name != "" and "{" not in name for name in names)


def test_no_street_is_shorter_than_the_straight_line(city: City) -> None:
    for piece in city.pieces:
        ends = city.junctions[piece.tail].point, city.junctions[piece.head].point
        assert piece.length_m >= metres(*ends) - 1
        assert piece.length_m <= 1.05 * metres(*ends) + 12


def test_metros_start_at_half_past_five_and_some_line_runs_at_night(city: City) -> None:
    metros = [line for line in city.lines if line.mode == "metro"]
    assert all(headway.first_min >= 330 for line in metros for headway in line.headways)
    assert any(line.departures_min and min(line.departures_min) < 60 for line in city.lines)


def test_rivers_are_crossed_by_few_bridges_and_a_tunnel(cities: Mapping[str, City]) -> None:
    wet = [cities[spec.english] for spec in SPECS if spec.river_m >= 150]
    for city in wet:
        kinds = [city.roads[piece.road].kind for piece in city.pieces if piece.bridge or piece.tunnel]
        assert 3 <= len([kind for kind in kinds if kind != "motorway"]) <= 8
    assert any(piece.tunnel for city in wet for piece in city.pieces)
    assert all(any(p.toll and p.bridge and "walk" in p.modes for p in city.pieces) for city in wet)


@pytest.mark.sampled(3)
@pytest.mark.slow
@pytest.mark.parametrize("size", [150, 1_000, 3_000])
@pytest.mark.parametrize("name", ["Beijing", "東京都", "london"])
def test_the_number_of_junctions_is_within_an_eighth_of_the_size(name: str, size: int) -> None:
    city = grow_city(name, 5, size)
    assert abs(len(city.junctions) - size) <= size / 8
    assert nx.is_strongly_connected(graph(city, "drive"))


@pytest.mark.thorough
@pytest.mark.slow
def test_the_same_seed_gives_the_same_bytes_in_another_process() -> None:
    code = (
        "import hashlib, sys; from planspec.families.mobilitybench.map import dump, grow_city;"
        "sys.stdout.write(hashlib.sha256(dump(grow_city('Boston', 7, 200))).hexdigest())"
    )
    expected = sha256(dump(grow_city("Boston", 7, 200))).hexdigest()
    for salt in ("1", "2"):
        process = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": salt},
            capture_output=True,
            text=True,
            check=True,
        )
        assert process.stdout == expected
    assert dump(grow_city("Boston", 8, 200)) != dump(grow_city("Boston", 7, 200))


def test_a_saved_city_is_read_back(city: City, tmp_path: Path) -> None:
    save(city, tmp_path / "city.json")
    assert dump(load(tmp_path / "city.json")) == (tmp_path / "city.json").read_bytes() == dump(city)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"percent":100', '"percent":0'),
        ('"start_min":360', '"start_min":361'),
        ('"tail":0', '"tail":999999'),
        ('"length_m":', '"length":'),
        ('"drives_left":false', '"drives_left":2'),
        ('{"id":0,', '{"id":3,'),
    ],
)
def test_a_damaged_file_is_refused(tmp_path: Path, cities: Mapping[str, City], old: str, new: str) -> None:
    text = dump(cities["Boston"]).decode()
    assert old in text
    (tmp_path / "city.json").write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ValueError, match=r"\w"):
        load(tmp_path / "city.json")


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"name": "Atlantis"}, KeyError),
        ({"name": "Berlin", "size": 149}, ValueError),
        ({"name": "Berlin", "size": 20_001}, ValueError),
    ],
)
def test_unknown_cities_and_impossible_sizes_are_refused(options: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        grow_city(**options)
