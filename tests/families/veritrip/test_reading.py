"""Fact bases are read from files, and every unusable row is counted with its reason."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from planspec.families.veritrip.facts import Attraction, FactBase, Hotel, Poi, Restaurant, Room, Service
from planspec.families.veritrip.reading import COLUMNS, InvalidFactBaseError, read_base, read_places
from planspec.families.veritrip.saving import save_base
from planspec.suite_writing.counts import TableCount
from tests.families.veritrip.random_bases import bases
from tests.families.veritrip.written_base import (
    ROWS,
    rounded_base,
    write_csv_table,
    write_good_base,
    write_json_table,
)
from tests.random_examples import examples

TWO_MORE = {
    "transportation": ({"number": "G2"}, {"date": "2025-10-16"}),
    "attractions": ({"name": "New Tower"}, {"city": "Bo"}),
    "restaurants": ({"name": "The Pot"}, {"city": "Bo"}),
    "accommodations": ({"name": "Hotel"}, {"room": "Family room"}),
    "pois": ({"name": "Ax Airport"}, {"city": "Bo"}),
}
"""For each table, changes of its valid row that yield two further valid rows."""
BAD: list[tuple[str, str, str, str]] = [
    ("transportation", "number", " ", "no number"),
    ("transportation", "number", "G" * 201, "the number is too long or has line breaks"),
    ("transportation", "vehicle", "ferry", "the vehicle is neither train nor airplane"),
    ("transportation", "date", "15.10.2025", "`date` is not a date"),
    ("transportation", "date", "2025-02-30", "`date` is not a date"),
    ("transportation", "origin", "", "no origin"),
    ("transportation", "destination", "Bo\tCentral", "the destination is too long or has line breaks"),
    ("transportation", "origin_city", "", "no origin_city"),
    ("transportation", "destination_city", "", "no destination_city"),
    ("transportation", "depart", "8 a.m.", "`depart` is not a time of day"),
    ("transportation", "depart", "08:60", "`depart` is not a time of day"),
    ("transportation", "arrive", "24:01", "`arrive` is not a time of day"),
    ("transportation", "price", "free", "`price` is not a whole number"),
    ("transportation", "price", "-5", "`price` is not a whole number"),
    ("transportation", "price", "12.50", "`price` is not a whole number"),
    ("transportation", "price", "¥120", "`price` is not a whole number"),
    ("transportation", "price", "12345678", "`price` is not a whole number"),
    ("transportation", "price", "٣", "`price` is not a whole number"),
    ("attractions", "name", "", "no name"),
    ("attractions", "name", "Old\nTower", "the name is too long or has line breaks"),
    ("attractions", "city", "", "no city"),
    ("attractions", "latitude", "85.5", "the latitude is not between -85 and 85 degrees"),
    ("attractions", "latitude", "nan", "the latitude is not between -85 and 85 degrees"),
    ("attractions", "longitude", "-181", "the longitude is not between -180 and 180 degrees"),
    ("attractions", "longitude", "1e2", "the longitude is not between -180 and 180 degrees"),
    ("attractions", "ticket", "", "`ticket` is not a whole number"),
    ("attractions", "opens", "morning", "`opens` is not a time of day"),
    ("attractions", "closes", "", "`closes` is not a time of day"),
    ("attractions", "closed_on", "Monday|Funday", "`closed_on` is not a weekday"),
    ("attractions", "visit_least", "0", "`visit_least` and `visit_most` are not the bounds of a visit's length"),
    ("attractions", "visit_least", "91", "`visit_least` and `visit_most` are not the bounds of a visit's length"),
    ("attractions", "visit_most", "1441", "`visit_least` and `visit_most` are not the bounds of a visit's length"),
    ("attractions", "visit_most", "long", "`visit_most` is not a whole number"),
    ("restaurants", "rating", "5.1", "the rating is not between 0 and 5"),
    ("restaurants", "rating", "-1", "the rating is not between 0 and 5"),
    ("restaurants", "rating", "good", "the rating is not between 0 and 5"),
    ("restaurants", "price", "", "`price` is not a whole number"),
    ("restaurants", "opens", "25:00", "`opens` is not a time of day"),
    ("accommodations", "stars", "three", "`stars` is not a whole number"),
    ("accommodations", "room", "", "no room"),
    ("accommodations", "sleeps", "0", "the room has no place to sleep"),
    ("accommodations", "price", "cheap", "`price` is not a whole number"),
    ("accommodations", "breakfast", "maybe", "`breakfast` is neither true nor false"),
    ("pois", "name", "", "no name"),
    ("pois", "latitude", "", "the latitude is not between -85 and 85 degrees"),
]


def table_count(folder: Path, name: str) -> TableCount:
    """Read a fact base, and return the counts of one of its tables."""
    counts = {count.table: count for count in read_base(folder, "CNY")[1]}
    assert all(count.adds_up for count in counts.values())
    return counts[name]


def test_each_column_of_a_good_base_is_read(tmp_path: Path) -> None:
    base, counts = read_base(write_good_base(tmp_path), "CNY")
    assert base == FactBase(
        "CNY",
        (Service("G1", "train", date(2025, 10, 15), "Ax Central", "Bo Central", "Ax", "Bo", 480, 570, 120),),
        (
            Attraction(
                "Old Tower",
                "Ax",
                Decimal("30.5"),
                Decimal("-110.25"),
                "1 High Street",
                "A tower, with a clock",
                15,
                540,
                1050,
                frozenset({0, 4}),
                30,
                90,
                ("City charm", "Family fun"),
            ),
        ),
        (
            Restaurant(
                "The Pan",
                "Ax",
                Decimal("30.51"),
                Decimal("-110.2"),
                "Harbour",
                "Seafood",
                ("Crab", "Fish Soup"),
                40,
                Decimal("4.5"),
                660,
                1320,
            ),
        ),
        (
            Hotel(
                "Inn", "Ax", Decimal("30.52"), Decimal("-110.3"), "2 High Street", 3, (Room("Twin room", 2, 300, True),)
            ),
        ),
        (Poi("Ax Central", "Ax", Decimal("30.4"), Decimal("-110.1"), "railway_station", "Where trains stop"),),
    )
    assert [(c.table, c.read, c.stored, c.repeated, dict(c.dropped)) for c in counts] == [
        (name, 1, 1, 0, {}) for name in COLUMNS
    ]


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
@pytest.mark.parametrize(("name", "column", "value", "reason"), BAD)
def test_a_bad_row_is_counted_with_its_reason_and_the_other_rows_are_read(
    name: str, column: str, value: str, reason: str, kind: str, tmp_path: Path
) -> None:
    good = ROWS[name]
    rows = [good, {**good, column: value}, *({**good, **other} for other in TWO_MORE[name])]
    folder = write_good_base(tmp_path)
    if kind == "jsonl":
        (folder / f"{name}.csv").unlink()
        write_json_table(folder, name, rows)
    else:
        write_csv_table(folder, name, rows)
    count = table_count(folder, name)
    assert (count.read, count.stored, count.repeated) == (4, 3, 0)
    assert dict(count.dropped) == {reason: 1}


@pytest.mark.parametrize("name", list(COLUMNS))
def test_the_first_of_repeated_rows_is_read(name: str, tmp_path: Path) -> None:
    price = {"attractions": "ticket", "pois": "about"}.get(name, "price")
    folder = write_good_base(tmp_path)
    write_csv_table(folder, name, [ROWS[name], {**ROWS[name], price: "7"}, ROWS[name]])
    base, counts = read_base(folder, "CNY")
    count = next(c for c in counts if c.table == name)
    assert (count.read, count.stored, count.repeated, count.dropped.total()) == (3, 1, 2, 0)
    assert base == read_base(write_good_base(tmp_path / "once"), "CNY")[0]


def test_services_with_the_same_number_differ_by_day_and_station(tmp_path: Path) -> None:
    good = ROWS["transportation"]
    folder = write_good_base(tmp_path)
    write_csv_table(folder, "transportation", [good, {**good, "date": "2025-10-16"}, {**good, "origin": "Ax South"}])
    count = table_count(folder, "transportation")
    assert (count.stored, count.repeated) == (3, 0)


def test_a_hotel_has_the_rooms_of_all_its_rows_and_the_other_values_of_the_first(tmp_path: Path) -> None:
    good = ROWS["accommodations"]
    folder = write_good_base(tmp_path)
    write_csv_table(
        folder,
        "accommodations",
        [
            good,
            {**good, "room": "Single room", "sleeps": "1", "stars": "5", "address": "9 Low Road"},
            {**good, "city": "Bo"},
            {**good, "room": "Family room", "sleeps": "none"},
        ],
    )
    base, _ = read_base(folder, "CNY")
    assert [(h.city, h.stars, h.address, [r.kind for r in h.rooms]) for h in base.hotels] == [
        ("Ax", 3, "2 High Street", ["Twin room", "Single room"]),
        ("Bo", 3, "2 High Street", ["Twin room"]),
    ]
    count = table_count(folder, "accommodations")
    assert (count.read, count.stored, dict(count.dropped)) == (4, 3, {"`sleeps` is not a whole number": 1})


def test_rows_with_more_or_fewer_cells_than_the_header_are_dropped(tmp_path: Path) -> None:
    folder = write_good_base(tmp_path)
    with (folder / "pois.csv").open("a", encoding="utf-8") as opened:
        opened.write("\nHalf,Ax\nWhole,Ax,1,2,square,a square,and more\nGood,Ax,1,2,square,a square\n")
    count = table_count(folder, "pois")
    assert (count.read, count.stored) == (4, 2)
    assert dict(count.dropped) == {"other cells than the header has": 2}


def test_lines_that_are_not_objects_or_lack_a_column_are_dropped(tmp_path: Path) -> None:
    folder = write_good_base(tmp_path)
    (folder / "pois.csv").unlink()
    short = {key: value for key, value in ROWS["pois"].items() if key != "kind"}
    write_json_table(folder, "pois", [ROWS["pois"], "{", "[1, 2]", "null", "", "[" * 20000, short])
    count = table_count(folder, "pois")
    assert (count.read, count.stored) == (6, 1)
    assert dict(count.dropped) == {"no JSON object": 4, "no `kind`": 1}


def test_json_may_have_numbers_booleans_and_lists(tmp_path: Path) -> None:
    folder = write_good_base(tmp_path)
    typed: dict[str, dict[str, Any]] = {
        "attractions": {
            **ROWS["attractions"],
            "latitude": 30.5,
            "longitude": -110.25,
            "ticket": 15,
            "visit_least": 30,
            "visit_most": 90.0,
            "closed_on": ["Monday", "Friday"],
            "interests": ["City charm", "Family fun"],
        },
        "restaurants": {**ROWS["restaurants"], "rating": 4.5, "price": 40, "dishes": ["Crab", "Fish Soup"]},
        "accommodations": {**ROWS["accommodations"], "breakfast": True, "sleeps": 2, "extra": {"not": "looked at"}},
        "pois": {**ROWS["pois"], "more": None},
    }
    expected = read_base(folder, "CNY")[0]
    for name, row in typed.items():
        (folder / f"{name}.csv").unlink()
        write_json_table(folder, name, [row])
    assert read_base(folder, "CNY")[0] == expected


def test_nulls_are_empty_cells(tmp_path: Path) -> None:
    folder = write_good_base(tmp_path)
    (folder / "attractions.csv").unlink()
    write_json_table(folder, "attractions", [{**ROWS["attractions"], "closed_on": None, "address": None}])
    sight = read_base(folder, "CNY")[0].attractions[0]
    assert (sight.closed_on, sight.address) == (frozenset(), "")


def test_columns_may_be_in_any_order_and_others_are_ignored(tmp_path: Path) -> None:
    folder = write_good_base(tmp_path / "plain")
    mixed = write_good_base(tmp_path / "mixed")
    for name, row in ROWS.items():
        write_csv_table(mixed, name, [{"said by": "x,y", **dict(reversed(row.items())), "": '"'}])
    assert read_base(mixed, "CNY")[0] == read_base(folder, "CNY")[0]


def test_a_byte_order_mark_and_blanks_around_cells_are_ignored(tmp_path: Path) -> None:
    folder = write_good_base(tmp_path / "plain")
    blanks = write_good_base(tmp_path / "blanks")
    for name, row in ROWS.items():
        spaced = {f" {key} ": f" {value} " for key, value in row.items()}
        write_csv_table(blanks, name, [spaced], "utf-8-sig")
    assert read_base(blanks, "CNY")[0] == read_base(folder, "CNY")[0]


@pytest.mark.parametrize(
    ("depart", "arrive", "expected"),
    [
        ("23:10", "01:05", (1390, 1505)),
        ("23:10", "01:05 +1", (1390, 1505)),
        ("08:00:00", "09:30:00", (480, 570)),
        ("8:00", "24:00", (480, 1440)),
        ("08:00", "08:00", (480, 1920)),
    ],
)
def test_an_arrival_before_the_departure_is_on_the_next_day(
    depart: str, arrive: str, expected: tuple[int, int], tmp_path: Path
) -> None:
    folder = write_good_base(tmp_path)
    write_csv_table(folder, "transportation", [{**ROWS["transportation"], "depart": depart, "arrive": arrive}])
    service = read_base(folder, "CNY")[0].services[0]
    assert (service.depart, service.arrive) == expected


def test_coordinates_are_rounded_to_the_language_s_precision(tmp_path: Path) -> None:
    folder = write_good_base(tmp_path)
    row = {**ROWS["pois"], "latitude": "30.123456789012345", "longitude": "-116.30000000000001000000"}
    write_csv_table(folder, "pois", [row])
    poi = read_base(folder, "CNY")[0].pois[0]
    assert (str(poi.latitude), str(poi.longitude)) == ("30.123456789", "-116.300000000")


@pytest.mark.parametrize("name", list(COLUMNS))
def test_a_missing_column_is_named(name: str, tmp_path: Path) -> None:
    for column in COLUMNS[name]:
        folder = write_good_base(tmp_path / column)
        write_csv_table(folder, name, [{key: value for key, value in ROWS[name].items() if key != column}])
        with pytest.raises(InvalidFactBaseError, match=rf"{name}\.csv` has no column `{column}`"):
            read_base(folder, "CNY")


@pytest.mark.parametrize("name", list(COLUMNS))
def test_a_table_has_exactly_one_file(name: str, tmp_path: Path) -> None:
    folder = write_good_base(tmp_path)
    (folder / f"{name}.csv").rename(folder / "kept")
    with pytest.raises(InvalidFactBaseError, match=f"has neither {name}.csv nor {name}.jsonl"):
        read_base(folder, "CNY")
    (folder / "kept").rename(folder / f"{name}.csv")
    write_json_table(folder, name, [ROWS[name]])
    with pytest.raises(InvalidFactBaseError, match=f"has both {name}.csv and {name}.jsonl"):
        read_base(folder, "CNY")


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_text_that_is_not_utf_8_is_refused(suffix: str, tmp_path: Path) -> None:
    folder = write_good_base(tmp_path)
    (folder / "pois.csv").unlink()
    row = json.dumps({**ROWS["pois"], "name": "Café"}, ensure_ascii=False)
    text = row if suffix == "jsonl" else ",".join(COLUMNS["pois"]) + "\nCafé,Ax,1,2,square,x"
    (folder / f"pois.{suffix}").write_bytes(text.encode("latin-1"))
    with pytest.raises(InvalidFactBaseError, match=rf"pois\.{suffix}` is not UTF-8"):
        read_base(folder, "CNY")


@pytest.mark.parametrize("spoiled", ['"open', 'a"b"c,"d"e,1,2,square,x'])
def test_quotes_that_do_not_close_are_refused(spoiled: str, tmp_path: Path) -> None:
    folder = write_good_base(tmp_path)
    with (folder / "pois.csv").open("a", encoding="utf-8") as opened:
        opened.write(spoiled)
    with pytest.raises(InvalidFactBaseError, match=r"pois\.csv` is not valid CSV"):
        read_base(folder, "CNY")


def test_an_empty_file_has_no_columns(tmp_path: Path) -> None:
    folder = write_good_base(tmp_path)
    (folder / "pois.csv").write_text("")
    with pytest.raises(InvalidFactBaseError, match="has no column `name`"):
        read_base(folder, "CNY")


def test_unrequested_tables_are_empty_and_need_no_file(tmp_path: Path) -> None:
    folder = write_good_base(tmp_path)
    (folder / "transportation.csv").unlink()
    base, counts = read_base(folder, "USD", ("pois",))
    assert (base.currency, len(base.pois), base.places, base.services) == ("USD", 1, base.pois, ())
    assert [count.table for count in counts] == ["pois"]


@pytest.mark.parametrize(
    ("rows", "message"),
    [([{**ROWS["pois"], "latitude": "far"}], "the latitude is not"), ([ROWS["pois"]] * 2, "a row is repeated")],
)
def test_a_base_of_places_with_faults_is_refused(rows: list[dict[str, str]], message: str, tmp_path: Path) -> None:
    folder = write_good_base(tmp_path)
    write_csv_table(folder, "pois", rows)
    with pytest.raises(InvalidFactBaseError, match=f"pois: {message}"):
        read_places(folder)


def test_a_saved_small_base_is_read_back_unchanged(tmp_path: Path) -> None:
    base = rounded_base()
    save_base(base, tmp_path)
    assert read_base(tmp_path, base.currency)[0] == base


def test_saved_hours_and_journeys_past_midnight_are_read_back_unchanged(tmp_path: Path) -> None:
    base = read_base(write_good_base(tmp_path / "good"), "CNY")[0]
    late = FactBase(
        base.currency,
        tuple(replace(s, depart=1390, arrive=1505) for s in base.services),
        tuple(replace(a, opens=0, closes=1440) for a in base.attractions),
        tuple(replace(r, opens=1080, closes=1560) for r in base.restaurants),
        base.hotels,
        base.pois,
    )
    save_base(late, tmp_path / "late")
    assert read_base(tmp_path / "late", "CNY")[0] == late


@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(bases())
def test_any_saved_base_is_read_back_unchanged(tmp_path: Path, base: FactBase) -> None:
    """Files cannot express hotels without rooms or `|` within a dish, so these are removed before."""
    base = expressible_part(base)
    save_base(base, tmp_path)
    read, counts = read_base(tmp_path, base.currency)
    assert read == base
    assert all(count.stored == count.read for count in counts)


def expressible_part(base: FactBase) -> FactBase:
    """Return a base without the parts that files cannot express."""

    def dishes(names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name.replace("|", "/").strip() for name in names))

    def strip_texts(place: Any) -> Any:
        """Strip blanks at the ends of texts, since a file does not preserve them."""
        texts = {
            name: value.strip()
            for name in place.__slots__
            if isinstance(value := getattr(place, name), str) and value != value.strip()
        }
        return replace(place, **texts)

    services = {(s.number, s.date, s.origin.strip(), s.to.strip()): strip_texts(s) for s in base.services}
    return FactBase(
        base.currency,
        tuple(services.values()),
        _first_of_each_name(map(strip_texts, base.attractions)),
        _first_of_each_name(strip_texts(replace(r, dishes=dishes(r.dishes))) for r in base.restaurants),
        _first_of_each_name(strip_texts(h) for h in base.hotels if h.rooms),
        _first_of_each_name(map(strip_texts, base.pois)),
    )


def _first_of_each_name(places: Any) -> Any:
    unique: dict[tuple[str, str], Any] = {}
    for place in places:
        unique.setdefault((place.city, place.name), place)
    return tuple(unique.values())
