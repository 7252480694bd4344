"""The SQLite file of a world contains the facts of the base, with the names that tasks use."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings

import planspec
from planspec.dsl.workspace.workspace import Workspace
from planspec.families.veritrip.base_database import station_names, world_names, world_text, write_base
from planspec.families.veritrip.corpus import Statement
from planspec.families.veritrip.facts import FactBase
from tests.families.veritrip.random_bases import bases
from tests.families.veritrip.small_base import small_base
from tests.random_examples import examples


def rows(path: Path, query: str) -> list[tuple[Any, ...]]:
    """Return the rows of an SQL query."""
    with closing(sqlite3.connect(path)) as opened:
        return opened.execute(query).fetchall()


def test_each_table_has_the_base_s_facts_as_values_of_the_language(tmp_path: Path) -> None:
    base = small_base("USD")
    path = tmp_path / "base.sqlite"
    write_base(base, path)
    s, a, r, h = base.services[0], base.attractions[2], base.restaurants[2], base.hotels[1]
    columns = 'number, day, origin, "to", vehicle, depart, arrive, price'
    assert rows(path, f"select {columns} from Service limit 1") == [
        (s.number, "2025-10-15", s.origin, s.to, "train", "06:05", "07:40", "210 USD")
    ]
    assert rows(path, f"select * from Attraction where id = '{a.name}'") == [
        (a.name, "Aldorf", "30 USD", "09:00", "17:30", "0|1", "60min", "120min", "30.02", "110", None)
    ]
    assert rows(path, f"select tags, price, opens, closes from Restaurant where id = '{r.name}'") == [
        (f"{r.name}|Hot pot|Lamb|Tofu|Noodles", "90 USD", "11:30", "21:30")
    ]
    single, twin, family = rows(path, f"select * from Offer where hotel = '{h.name}' order by sleeps")
    assert single[:4] == (h.name, "Single room", 1, "310 USD")
    assert twin[:4] == (h.name, "Twin room", 2, "480 USD")
    assert family[:4] == (h.name, "Family room", 4, "1251 USD")
    # only the twin room includes breakfast
    assert single[4] == family[4] != twin[4]
    assert rows(path, "select * from City") == [("Aldorf",), ("Brunn",), ("Castle Bay",)]
    assert dict(rows(path, "select id, sleeps from RoomKind")) == {
        "Single room": 1,
        "Twin room": 2,
        "Family room": 4,
    }
    assert dict(rows(path, "select id, city from Station")) == {
        name: city for (_, city), name in station_names(base).items()
    }


def test_stations_with_the_same_name_in_two_cities_are_distinct(tmp_path: Path) -> None:
    base = small_base()
    one = base.services[0]
    twin = replace(one, number="TWIN", origin=one.to, to="Nowhere Halt", origin_city=one.origin_city, to_city="Nowhere")
    path = tmp_path / "base.sqlite"
    write_base(replace(base, services=(one, twin)), path)
    names = dict(rows(path, "select id, city from Station"))
    assert names[f"{one.to}, {one.to_city}"] == one.to_city
    assert names[f"{one.to}, {one.origin_city}"] == one.origin_city
    assert names["Nowhere Halt"] == "Nowhere"
    labels = dict(rows(path, "select id, label from Station"))
    assert labels[f"{one.to}, {one.to_city}"] == labels[f"{one.to}, {one.origin_city}"] == one.to
    assert labels["Nowhere Halt"] is None


@settings(max_examples=examples(25), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(bases())
def test_no_row_of_any_base_is_lost(tmp_path: Path, base: FactBase) -> None:
    path = tmp_path / "base.sqlite"
    write_base(base, path)
    for table, count in (
        ("Service", len(base.services)),
        ("Attraction", len(base.attractions)),
        ("Restaurant", len(base.restaurants)),
        ("Hotel", len(base.hotels)),
        ("Offer", sum(len(h.rooms) for h in base.hotels)),
        ("Poi", len(base.pois)),
    ):
        assert rows(path, f"select count(*) from {table}") == [(count,)]
    used = rows(path, 'select origin from Service union select "to" from Service')
    assert set(used) <= set(rows(path, "select id from Station"))
    for table in ("Station", "Hotel", "Attraction", "Restaurant", "Poi"):
        assert rows(path, f"select city from {table} where city not in (select id from City)") == []


@settings(max_examples=examples(25), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(bases())
def test_only_a_place_with_the_city_in_its_id_has_a_label_without_it(tmp_path: Path, base: FactBase) -> None:
    path = tmp_path / "base.sqlite"
    write_base(base, path)
    for table in ("Station", "Hotel", "Attraction", "Restaurant"):
        for id_, city, label in rows(path, f"select id, city, label from {table}"):
            assert label == (id_.removesuffix(f", {city}") if id_.endswith(f", {city}") else None)


def test_places_with_the_same_name_are_distinguished_by_their_cities() -> None:
    first, second, third = small_base().attractions[:3]
    park = [replace(first, name="Park", city="Ax"), replace(second, name="Park", city="Bo")]
    assert list(world_names([*park, third]).values()) == ["Park, Ax", "Park, Bo", third.name]


def test_a_place_whose_name_already_ends_with_a_city_is_also_distinguished() -> None:
    sights = small_base().attractions
    named = [("Park", "Ax"), ("Park", "Bo"), ("Park, Bo", "Castle Bay"), ("Park, Bo, Castle Bay", "Ax")]
    places = [replace(a, name=name, city=city) for a, (name, city) in zip(sights, named, strict=False)]
    unique_names = list(world_names(places).values())
    assert len(set(unique_names)) == len(places)
    assert all(names.startswith(place.name) for place, names in zip(places, unique_names, strict=True))


def test_the_file_is_replaced_by_the_same_bytes_each_time(tmp_path: Path) -> None:
    base = small_base()
    path, other = tmp_path / "base.sqlite", tmp_path / "other.sqlite"
    path.write_bytes(b"what stood here before")
    write_base(base, path)
    write_base(base, other)
    assert path.read_bytes() == other.read_bytes()


def test_statements_are_stored_with_their_truth_and_no_closing_day_as_never(tmp_path: Path) -> None:
    base = small_base()
    sight = base.attractions[0]
    write_base(
        base,
        tmp_path / "base.sqlite",
        [
            Statement(7, sight.name, sight.city, "closed_on", "", True),
            Statement(8, sight.name, sight.city, "ticket", "9", False),
        ],
    )
    assert rows(tmp_path / "base.sqlite", "select * from Statement") == [
        (7, "Aldorf", sight.name, "closed_on", "never", "true"),
        (8, "Aldorf", sight.name, "ticket", "9", "false"),
    ]


@settings(max_examples=examples(5), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(bases())
def test_the_world_of_any_base_has_no_faults(tmp_path: Path, base: FactBase) -> None:
    write_base(base, tmp_path / "base.sqlite")
    world = tmp_path / "w.world.yaml"
    world.write_text(world_text("w", "A world", base.currency, "base.sqlite"), "utf-8")
    assert planspec.check([world], workspace=Workspace()) == ()
