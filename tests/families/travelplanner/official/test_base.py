"""The evaluator's tables are the same whether they are read from an import's database or from the public files."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from planspec.families.travelplanner.importing.suite import import_travelplanner
from planspec.families.travelplanner.official.facts import (
    ReferenceTables,
    facts_from_database,
)
from tests.families.travelplanner.official.public_folder import read_facts
from tests.paths import ROOT, SHARED

SMALL = ROOT / "tasks" / "travelplanner-small"
DATABASE = SHARED / "data" / "travelplanner" / "db"


def have_equal_tables(base: ReferenceTables, files: ReferenceTables) -> bool:
    return base == files and dict(base.flights) == dict(files.flights)


def test_the_database_of_the_small_world_has_the_public_tables() -> None:
    assert have_equal_tables(facts_from_database(SMALL / "travelplanner.sqlite"), read_facts(SMALL / "database"))


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.skipif(not DATABASE.exists(), reason="the real tables are not there")
def test_the_database_of_the_real_tables_has_the_public_tables(tmp_path: Path) -> None:
    import_travelplanner(DATABASE, [], tmp_path)
    assert have_equal_tables(facts_from_database(tmp_path / "travelplanner.sqlite"), read_facts(DATABASE))


def test_a_database_is_cached_until_it_changes(tmp_path: Path) -> None:
    base = tmp_path / "copy.sqlite"
    base.write_bytes((SMALL / "travelplanner.sqlite").read_bytes())
    first = facts_from_database(base)
    assert facts_from_database(base) is first
    with sqlite3.connect(base) as opened:
        opened.execute("insert into public_cities values ('Nowhere', 'Aldermark')")
        opened.commit()
    opened.close()
    assert "Nowhere" not in first.states
    assert facts_from_database(base).states["Nowhere"] == "Aldermark"


def test_flights_with_a_blank_cell_are_ignored_and_others_keep_their_order(
    tmp_path: Path,
) -> None:
    base = tmp_path / "copy.sqlite"
    base.write_bytes((SMALL / "travelplanner.sqlite").read_bytes())
    with sqlite3.connect(base) as opened:
        for price, again, whole in (("30 USD", 0, 1), ("20 USD", 1, 1), ("10 USD", 1, 0)):
            opened.execute(
                "insert into Flight values ('X1', 'A', 'B', '2022-03-01', '1:00', '2:00', ?, ?, ?)",
                (price, again, whole),
            )
        opened.execute("insert into Flight values ('X2', 'A', 'B', '2022-03-01', '1:00', '2:00', '5 USD', 0, 0)")
        opened.commit()
    opened.close()
    flights = facts_from_database(base).flights
    assert [flight.price for flight in flights["X1"]] == [30, 20]
    assert "X1" in set(flights)
    assert flights.get("X2", ()) == flights.get("nothing", ()) == ()
    with pytest.raises(KeyError):
        flights["X2"]


def test_a_database_without_the_public_tables_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "other.sqlite"
    opened = sqlite3.connect(other)
    opened.execute("create table t (a)")
    opened.commit()
    opened.close()
    with pytest.raises(ValueError, match=r"other\.sqlite.*public tables"):
        facts_from_database(other)
