"""An unknown name in the file of reference programs is an error when the file is read."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

from planspec.families.mobilitybench.program_schema import (
    FILE,
    InvalidProgramsError,
    all_programs,
    read_programs,
)


def published_text() -> str:
    """Return the text of the file with the reference programs."""
    return files("planspec.families.mobilitybench").joinpath("data").joinpath(FILE).read_text("utf-8")


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("keywords: said place,", "keywords: said plaice,", "slot `plaice`"),
        ("ask: geocoding", "ask: geoguessing", "tool `geoguessing`"),
        ("radius: said radius", "radios: said radius", "argument of nearby_poi_query `radios`"),
        ("right_level: the level", "right_level: the lever", "reading `lever`"),
        ("steps: [read_figure]", "steps: [read_figures]", "step `read_figures`"),
        ("type: word forecast", "type: word forecasts", "no `type` of weather_query"),
        ("limit: 50", "limit: 51", "no `limit` of poi_query"),
        ("modes: [tram]", "modes: [trams]", "no `modes` of bus_planning"),
        ("address: said address, ", "", "geocoding needs `address`"),
        ("- find: [near]\n", "- find: []\n", "found place `near`"),
        ("right_places: the places", "right_places: those places", "does not begin with"),
        ("cheapest: {best_fare", "cheaper: {best_fare", "word `cheaper`"),
        ("may: [road, near,", "may: [road, near, radius,", "nothing makes use of slot `radius`"),
        ("  Weather Query:", "  Whether Query:", "Whether Query"),
        ("train, flight]}", "train, rocket]}", "its words are not the ways"),
        ("when: {location: true}", "when: {location: there}", "word `there`"),
        ("plan: way", "plan: ways", "way"),
    ],
)
def test_a_program_with_an_unknown_name_is_refused(old: str, new: str, fault: str) -> None:
    text = published_text()
    assert old in text
    with pytest.raises(InvalidProgramsError, match=re.escape(fault)):
        read_programs(text.replace(old, new))


def test_the_file_of_reference_programs_is_read_once() -> None:
    assert all_programs() is all_programs()
    assert read_programs(published_text()) == all_programs()
