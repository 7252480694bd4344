"""Import of the public tables. Every row is counted as used or unusable, and unusable rows are reported."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from planspec.families.travelplanner.importing.database import InvalidDatabaseError, build_database
from planspec.families.travelplanner.official.facts import facts_from_database
from planspec.suite_writing.counts import TableCount
from tests.families.travelplanner.importing.public_folder import (
    CITIES,
    FLIGHTS,
    HOTELS,
    RESTAURANTS,
    ROADS,
    SIGHTS,
    change_every_cell,
    copy_database,
    replace_text,
)

TABLES = {
    HOTELS: "accommodations",
    RESTAURANTS: "restaurants",
    SIGHTS: "attractions",
    ROADS: "distances",
    FLIGHTS: "flights",
    CITIES: "cities",
}
CABIN = "Willow Cabin,Entire home/apt,130.0,2.0,4.0,No smoking,3,Tamsin"


class ImportedDatabase:
    """A database and the counts of its tables."""

    def __init__(self, folder: Path, tmp_path: Path) -> None:
        self.base = tmp_path / "base.sqlite"
        self.base.unlink(missing_ok=True)
        self.counts = {count.table: count for count in build_database(folder, self.base)}

    def rows(self, select: str) -> list[tuple[Any, ...]]:
        """Return the rows of an SQL query."""
        with closing(sqlite3.connect(self.base)) as opened:
            return opened.execute(select).fetchall()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a copy of the folder of public tables, which tests may change."""
    return copy_database(tmp_path)


def test_counts_add_up_only_if_no_row_is_lost() -> None:
    count = TableCount("hotels", read=5, stored=3, repeated=1)
    assert not count.adds_up
    count.dropped["no price"] += 1
    count.noted["looks odd"] += 7
    assert count.adds_up


def test_every_row_is_stored_repeated_or_dropped(folder: Path, tmp_path: Path) -> None:
    counts = ImportedDatabase(folder, tmp_path).counts
    assert {name: (c.read, c.stored, c.repeated, c.dropped.total()) for name, c in counts.items()} == {
        "cities": (9, 9, 0, 0),
        "accommodations": (36, 36, 0, 0),
        "restaurants": (54, 53, 1, 0),
        "attractions": (30, 30, 0, 0),
        "distances": (77, 74, 3, 0),
        "flights": (127, 127, 0, 0),
    }
    assert all(count.adds_up for count in counts.values())
    assert counts["distances"].noted["without a distance"] == 3


@pytest.mark.parametrize(
    ("file", "old", "new", "reason"),
    [
        (HOTELS, CABIN, CABIN.replace("130.0", ""), "no price"),
        (HOTELS, CABIN, CABIN.replace("130.0", "cheap"), "an unreadable price"),
        (HOTELS, CABIN, CABIN.replace("130.0", "NaN"), "an unreadable price"),
        (HOTELS, CABIN, CABIN.replace("130.0", "-5"), "an unreadable price"),
        (HOTELS, CABIN, CABIN.replace("130.0", "Infinity"), "an unreadable price"),
        (HOTELS, CABIN, CABIN.replace("130.0", "1e999999"), "an unreadable price"),
        (HOTELS, CABIN, CABIN.replace("130.0", "1.2345"), "a price that is no whole number of cents"),
        (HOTELS, CABIN, CABIN.replace("2.0", ""), "no minimum nights"),
        (HOTELS, CABIN, CABIN.replace("2.0", "1.5"), "an unreadable minimum nights"),
        (HOTELS, CABIN, CABIN.replace("2.0", "1e30"), "an unreadable minimum nights"),
        (HOTELS, CABIN, CABIN.replace(",3,Tamsin", ",,Tamsin"), "no maximum occupancy"),
        (HOTELS, CABIN, CABIN.replace(",3,Tamsin", ",0,Tamsin"), "sleeps nobody"),
        (HOTELS, CABIN, CABIN.replace("Tamsin", " "), "no city"),
        (HOTELS, CABIN, CABIN.replace("Willow Cabin", " "), "no name"),
        (HOTELS, CABIN, CABIN.replace("Entire home/apt", "Igloo"), "an unknown room type"),
        (HOTELS, CABIN, CABIN.replace("No smoking", "No smoking & No fun"), "an unknown house rule"),
        (RESTAURANTS, "Square Bakery,Tamsin", ",Tamsin", "no name"),
        (RESTAURANTS, "Square Bakery,Tamsin", "Square Bakery,", "no city"),
        (RESTAURANTS, '"Bakery, Tea, Cafe",6', '"Bakery, Tea, Cafe",six', "an unreadable price"),
        (RESTAURANTS, '"Bakery, Tea, Cafe",6', '"Bakery, Tea, Cafe",', "no price"),
        (SIGHTS, "Old Mill Museum,", ",", "no name"),
        (ROADS, "Marrowby,Dunlow,", "Marrowby,,", "no city"),
        (FLIGHTS, "F4107499,", ",", "no flight number"),
        (FLIGHTS, "11:53", "25:10", "an unreadable time"),
        (FLIGHTS, "11:53", "", "an unreadable time"),
        (FLIGHTS, "2022-03-07", "March 7th", "an unreadable date"),
        (FLIGHTS, "F4107499,133", "F4107499,", "no price"),
        (FLIGHTS, "Orla,Marrowby", ",Marrowby", "no city"),
        (CITIES, "Brindle\t", "Brindle ", "no city and state with a tab between them"),
        (CITIES, "Brindle\tAldermark", "Brindle\t", "no city and state with a tab between them"),
        (CITIES, "Brindle\tAldermark", "\n\t", "no city and state with a tab between them"),
    ],
)
def test_a_row_that_cannot_be_used_is_dropped_and_its_reason_counted(
    folder: Path, tmp_path: Path, file: str, old: str, new: str, reason: str
) -> None:
    clean = ImportedDatabase(folder, tmp_path).counts
    replace_text(folder / file, old, new)
    counts = ImportedDatabase(folder, tmp_path).counts
    table = TABLES[file]
    lines = new.count("\n")
    assert dict(counts[table].dropped) == {reason: 1 + lines}
    assert (counts[table].read, counts[table].stored) == (clean[table].read + lines, clean[table].stored - 1)
    assert all(count.adds_up for count in counts.values())
    for name in counts.keys() - {table}:  # in other tables, only rows that refer to the dropped row can differ
        assert (counts[name].read, counts[name].stored) == (clean[name].read, clean[name].stored)


@pytest.mark.parametrize("price", ["cheap", "1e999", "1e400"])
def test_rows_that_crash_the_public_evaluator_are_not_in_its_tables(folder: Path, tmp_path: Path, price: str) -> None:
    """The public evaluator reads all rows at once, so that one such row would crash every judgement."""
    replace_text(folder / HOTELS, CABIN, CABIN.replace("130.0", price))
    replace_text(folder / RESTAURANTS, '"Bakery, Tea, Cafe",6', f'"Bakery, Tea, Cafe",{price}')
    facts = facts_from_database(ImportedDatabase(folder, tmp_path).base)
    assert not [hotel for hotel in facts.accommodations.by_city["Tamsin"] if hotel.name == "Willow Cabin"]
    assert not [place for place in facts.restaurants.by_city["Tamsin"] if place.name == "Square Bakery"]


def test_the_first_row_of_a_place_takes_precedence(folder: Path, tmp_path: Path) -> None:
    with (folder / HOTELS).open("a", encoding="utf-8") as opened:
        opened.write(f"99,{CABIN.replace('130.0', '7.0')}\n")
    with (folder / FLIGHTS).open("a", encoding="utf-8") as opened:
        opened.write("F4107499,1,01:00,02:00,1 hours,2022-03-07,Orla,Marrowby,1.0\n")
    with (folder / CITIES).open("a", encoding="utf-8") as opened:
        opened.write("Brindle\tElsewhere\n")
    built = ImportedDatabase(folder, tmp_path)
    assert built.rows("select price from Hotel where id = 'Willow Cabin, Tamsin'") == [("130 USD",)]
    assert built.rows("select length from Road where origin = 'Marrowby' and \"to\" = 'Brindle'") == [("420000m",)]
    assert built.rows("select price, again from Flight where number = 'F4107499' order by rowid") == [
        ("133 USD", 0),
        ("1 USD", 1),
    ]
    assert built.rows("select state from City where id = 'Brindle'") == [("Aldermark",)]
    assert {name: count.repeated for name, count in built.counts.items()} == {
        "cities": 1,
        "accommodations": 1,
        "restaurants": 1,
        "attractions": 0,
        "distances": 3,
        "flights": 1,
    }
    assert all(count.adds_up for count in built.counts.values())


def test_a_dropped_row_does_not_hide_a_later_one(folder: Path, tmp_path: Path) -> None:
    replace_text(folder / HOTELS, CABIN, CABIN.replace("130.0", ""))
    with (folder / HOTELS).open("a", encoding="utf-8") as file:
        file.write(f"99,{CABIN}\n")
    built = ImportedDatabase(folder, tmp_path)
    assert built.rows("select price from Hotel where id = 'Willow Cabin, Tamsin'") == [("130 USD",)]
    assert built.counts["accommodations"].repeated == 0


@pytest.mark.parametrize(
    ("text", "length", "time"),
    [
        ("1 hour 30 mins,140 km", "140000m", "90min"),
        ('1 day 1 hour,"1,042 km"', "1042000m", "1500min"),
        ("45 mins,9.5 km", "9500m", "45min"),
        ("2 days 3 mins,1 km", "1000m", "2883min"),
        ("1 hour 30 mins,", None, None),
        (",140 km", None, None),
        ("soon,140 km", None, None),
        ("1 hour 30 mins,140 miles", None, None),
        ("1 hour 30 mins,far km", None, None),
        ("1 hour 30 mins,١٤٠ km", None, None),
        (f"1 hour 30 mins,{'9' * 5000} km", None, None),
        (f"{'9' * 5000} mins,140 km", None, None),
    ],
)
def test_distances_are_read_in_metres_and_minutes_or_left_empty(
    folder: Path, tmp_path: Path, text: str, length: str | None, time: str | None
) -> None:
    replace_text(folder / ROADS, "1 hour 30 mins,140 km", text)
    built = ImportedDatabase(folder, tmp_path)
    assert built.rows("select length, time from Road where origin = 'Marrowby' and \"to\" = 'Dunlow'") == [
        (length, time)
    ]
    assert built.counts["distances"].noted["without a distance"] == (4 if length is None else 3)


def test_line_ends_in_names_are_removed_except_in_the_public_tables(folder: Path, tmp_path: Path) -> None:
    replace_text(folder / HOTELS, "Willow Cabin,", '"\nWillow\r\n Cabin ",')
    built = ImportedDatabase(folder, tmp_path)
    assert built.rows("select count(*) from Hotel where id = 'Willow Cabin, Tamsin'") == [(1,)]
    assert built.rows("select count(*) from public_accommodations where NAME = '\nWillow\r\n Cabin '") == [(1,)]


def test_a_byte_order_mark_and_windows_line_ends_change_nothing(folder: Path, tmp_path: Path) -> None:
    select = "select * from Hotel", "select * from City", "select * from Flight", "select * from Road"
    expected = [ImportedDatabase(folder, tmp_path).rows(text) for text in select]
    for file in TABLES:
        data = (folder / file).read_bytes().replace(b"\n", b"\r\n")
        (folder / file).write_bytes(b"\xef\xbb\xbf" + data)
    built = ImportedDatabase(folder, tmp_path)
    assert [built.rows(text) for text in select] == expected


def test_blank_lines_are_skipped(folder: Path, tmp_path: Path) -> None:
    for file in (HOTELS, FLIGHTS):
        replace_text(folder / file, "\n", "\n\n\n")
    counts = ImportedDatabase(folder, tmp_path).counts
    assert (counts["accommodations"].read, counts["flights"].read) == (36, 127)


@pytest.mark.parametrize("name", ['O\'Fallon "X" # a: {b}, [c]', "São Paulo – 東京 😀", "St. Mary, TX", "a\\b;--"])
def test_unusual_names_remain_distinct(folder: Path, tmp_path: Path, name: str) -> None:
    change_every_cell(folder, lambda cell: name if cell == "Tamsin" else cell)
    built = ImportedDatabase(folder, tmp_path)
    assert (name, "Ostmere") in built.rows("select * from City")
    assert built.rows("select count(*) from City") == [(10,)]
    assert all(count.adds_up for count in built.counts.values())


@pytest.mark.parametrize("file", TABLES)
def test_a_missing_file_is_reported(folder: Path, tmp_path: Path, file: str) -> None:
    (folder / file).unlink()
    with pytest.raises(InvalidDatabaseError, match=f"has no {file}$"):
        ImportedDatabase(folder, tmp_path)


@pytest.mark.parametrize(
    ("file", "column"),
    [
        (HOTELS, "maximum occupancy"),
        (RESTAURANTS, "Average Cost"),
        (SIGHTS, "City"),
        (ROADS, "duration"),
        (FLIGHTS, "DepTime"),
    ],
)
def test_a_missing_column_is_reported(folder: Path, tmp_path: Path, file: str, column: str) -> None:
    replace_text(folder / file, column, "x")
    with pytest.raises(InvalidDatabaseError, match=f"{Path(file).name}` has no column `{column}`"):
        ImportedDatabase(folder, tmp_path)


@pytest.mark.parametrize("second_header", ["NAME", "name"])
def test_a_repeated_column_is_refused(folder: Path, tmp_path: Path, second_header: str) -> None:
    replace_text(folder / HOTELS, "review rate number", second_header)
    with pytest.raises(InvalidDatabaseError, match="has the column `NAME` twice"):
        ImportedDatabase(folder, tmp_path)


@pytest.mark.parametrize("file", TABLES)
def test_a_file_that_is_not_utf8_is_refused(folder: Path, tmp_path: Path, file: str) -> None:
    with (folder / file).open("ab") as opened:
        opened.write(b"\xff\xfe\n")
    with pytest.raises(InvalidDatabaseError, match=f"{Path(file).name}` is not UTF-8"):
        ImportedDatabase(folder, tmp_path)


@pytest.mark.parametrize("file", [HOTELS, RESTAURANTS, SIGHTS, ROADS, FLIGHTS])
@pytest.mark.parametrize("row", ["just one cell\n", f"{'x,' * 40}\n"])
def test_a_row_with_the_wrong_number_of_cells_is_refused_with_its_line(
    folder: Path, tmp_path: Path, file: str, row: str
) -> None:
    lines = (folder / file).read_bytes().count(b"\n")
    with (folder / file).open("a", encoding="utf-8") as opened:
        opened.write(row)
    with pytest.raises(InvalidDatabaseError, match=rf"line {lines + 1}: the row has \d+ cells, the header \d+"):
        ImportedDatabase(folder, tmp_path)


def test_a_cell_longer_than_the_limit_of_the_module_csv_is_refused(folder: Path, tmp_path: Path) -> None:
    replace_text(folder / HOTELS, "Willow Cabin", "w" * 200_000)
    with pytest.raises(InvalidDatabaseError, match="is not CSV: field larger"):
        ImportedDatabase(folder, tmp_path)


@pytest.mark.parametrize("file", [HOTELS, RESTAURANTS, SIGHTS, ROADS])
def test_a_file_of_only_a_header_is_refused(folder: Path, tmp_path: Path, file: str) -> None:
    head = (folder / file).read_text("utf-8").partition("\n")[0]
    (folder / file).write_text(head + "\n", "utf-8")
    with pytest.raises(InvalidDatabaseError, match="has no rows"):
        ImportedDatabase(folder, tmp_path)
