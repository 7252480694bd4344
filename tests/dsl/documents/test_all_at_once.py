"""All mistakes are reported in one run, without errors that only follow from other mistakes."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.dsl.cases import diagnostics_of, short_form
from tests.dsl.small_trip import BREAKAGES, Breakage, write_trip


def codes_and_texts(path: Path) -> list[tuple[str, str]]:
    """Return code and underlined text of each diagnostic of a document."""
    return sorted((diagnostic.code, diagnostic.span.text) for diagnostic in diagnostics_of(path))


def test_the_documents_without_an_inserted_mistake_are_correct(tmp_path: Path) -> None:
    assert short_form(diagnostics_of(write_trip(tmp_path))) == ""


@pytest.mark.parametrize("breakage", BREAKAGES, ids=[f"{b.code}-{b.new.strip()}" for b in BREAKAGES])
def test_one_mistake_is_reported_once(breakage: Breakage, tmp_path: Path) -> None:
    assert codes_and_texts(write_trip(tmp_path, (breakage,))) == [(breakage.code, breakage.underlined)]


@given(st.lists(st.sampled_from(BREAKAGES), min_size=3, max_size=3, unique=True))
def test_three_mistakes_are_reported_together(breakages: list[Breakage]) -> None:
    assume(not any(a.hides(b) for a in breakages for b in breakages))
    with tempfile.TemporaryDirectory() as folder:
        assert codes_and_texts(write_trip(Path(folder), tuple(breakages))) == sorted(
            (b.code, b.underlined) for b in breakages
        )


BROKEN_RULES = Breakage("trip-1.yaml", "in 09:00..12:00", "in 09:00..12", "PS307", "09:00..12")
"""A mistake that depends on neither the library nor the world."""


@pytest.mark.parametrize(
    ("old", "new", "underlined"),
    [
        ("uses: [trips]", "uses: [trisp]", "trisp"),
        ("uses: [trips]", "uses: [trips, no.yaml]", "no.yaml"),
        ("world: oldtown", "world: newtown", "newtown"),
        ("world: oldtown", "world: worlds/oldtown.yaml", "worlds/oldtown.yaml"),
    ],
)
def test_the_contents_of_a_missing_document_are_not_reported_as_missing(
    old: str, new: str, underlined: str, tmp_path: Path
) -> None:
    missing = Breakage("trip-1.yaml", old, new, "PS012", underlined)
    syntax = Breakage("trip-1.yaml", "v.end <= late for", "v.end <= for", "PS102", "for")
    assert codes_and_texts(write_trip(tmp_path, (missing,))) == [("PS012", underlined)]
    broken = write_trip(tmp_path, (missing, syntax, BROKEN_RULES))
    assert codes_and_texts(broken) == sorted([("PS012", underlined), ("PS102", "for"), ("PS307", "09:00..12")])


@pytest.mark.parametrize("name", ["trips.yaml", "oldtown.yaml"])
def test_a_document_that_yaml_cannot_read_counts_as_missing(name: str, tmp_path: Path) -> None:
    path = write_trip(tmp_path, (BROKEN_RULES,))
    (tmp_path / name).write_text((tmp_path / name).read_text() + "meta: {\n")
    assert [code for code, _ in codes_and_texts(path)] == ["PS002", "PS307"]


@pytest.mark.parametrize(
    ("old", "new", "code", "underlined"),
    [
        ("csv: |\n", "csv: legs.csv\n    rows: |\n", "PS014", "rows"),
        ("currency: EUR\n", "currency: euro\n", "PS011", "euro"),
        ("      - {id: park, kind: green}\n", "      - [park]\n", "PS015", "[park]"),
    ],
)
def test_rows_that_a_world_could_not_load_are_not_reported_as_missing(
    old: str, new: str, code: str, underlined: str, tmp_path: Path
) -> None:
    (tmp_path / "legs.csv").write_text("origin, to, mode, time, length\n")
    broken = Breakage("oldtown.yaml", old, new, code, underlined)
    assert codes_and_texts(write_trip(tmp_path, (broken,))) == [(code, underlined)]
