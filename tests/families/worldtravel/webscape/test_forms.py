"""Texts in the notation of any site are parsed back into their values."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planspec.families.worldtravel.webscape.forms import Form, format_cell, parse_cell, parse_text
from planspec.families.worldtravel.webscape.sites import SITES, Site

CELLS: dict[Form, st.SearchStrategy[str]] = {
    "clock": st.integers(0, 27 * 60).map(lambda m: f"{m // 60:02d}:{m % 60:02d}"),
    "day": st.integers(0, 2000).map(lambda n: str(date(2026, 1, 1) + timedelta(days=n))),
    "money": st.integers(0, 200_000).map(lambda c: f"{c // 100}.{c % 100:02d} EUR"),
    "length": st.integers(1, 600).map(lambda m: f"{m // 60}h{m % 60}min" if m >= 60 else f"{m}min"),
    "count": st.integers(0, 500).map(str),
    "rank": st.integers(1, 12).map(str),
    "word": st.sampled_from(["a_la_carte", "child_menu", "family_rooms", "opera", "english", "adults", "brief"]),
    "text": st.sampled_from(["Neues Museum", "Zur letzten Instanz", "A & B"]),
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("site", SITES, ids=lambda site: site.id)
@pytest.mark.parametrize("form", CELLS)
@given(data=st.data())
def test_a_text_of_a_site_is_parsed_back(site: Site, form: Form, data: st.DataObject) -> None:
    cell = data.draw(CELLS[form])
    assert parse_text(form, format_cell(form, cell, site.notation), site.notation) == parse_cell(form, cell)


@pytest.mark.parametrize(
    ("form", "shown"),
    [
        ("clock", "25 past"),
        ("money", "12"),
        ("length", "soon"),
        ("day", "Monday 3 June 2026"),
        ("day", "Smarch 3, 2026"),
    ],
)
def test_a_text_that_no_site_writes_is_refused(form: Form, shown: str) -> None:
    for site in SITES:
        with pytest.raises(ValueError, match=r"is no|invalid|not enough|Invalid|unpack"):
            parse_text(form, shown, site.notation)


@pytest.mark.parametrize("site", SITES, ids=lambda site: site.id)
def test_each_css_class_of_a_site_shows_one_state(site: Site) -> None:
    tokens = [site.token(state) for state in ("gone", "few", "free", "english", "true")]
    assert len(set(tokens)) == 5
    assert [site.state(token) for token in tokens] == ["gone", "few", "free", "english", "true"]
    assert site.state("bk-card") is None
