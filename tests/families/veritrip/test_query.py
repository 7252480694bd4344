"""Queries in the paper's form: accepted and rejected values, and the count of preferences."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from pydantic import ValidationError

from planspec.families.veritrip.query import Query

PAPER: dict[str, Any] = {
    "id": "q-1",
    "start_city": "Shanghai",
    "target_city": "Beijing",
    "start_date": "2025-10-28",
    "end_date": "2025-10-30",
    "people_number": 2,
    "budget": 4000,
    "persona": "Couple",
    "have_pet": False,
    "difficulty": "Hard",
    "p_attraction": "Forbidden City| Temple of Heaven |Forbidden City",
    "p_meal": "Peking Duck",
    "p_accommodation": "Twin room",
    "p_interest": "Cultural history",
    "p_intercity_traffic": "High-speed rail",
    "p_innercity_traffic": "Taxi",
    "nature_language": "We want to see Beijing.",
}


def test_a_query_with_the_papers_fields_is_read() -> None:
    query = Query.model_validate(PAPER)
    assert (query.days, query.start_date, query.difficulty) == (3, date(2025, 10, 28), "Complex")
    assert query.attractions == ("Forbidden City", "Temple of Heaven")
    assert query.meals == ("Peking Duck",)
    assert query.preferences == 7


@pytest.mark.parametrize("nothing", ["", "None", "none", None], ids=repr)
def test_an_absent_preference_may_be_written_in_several_forms(nothing: str | None) -> None:
    wishes = [name for name in PAPER if name.startswith("p_")]
    query = Query.model_validate({**PAPER, **dict.fromkeys([*wishes, "budget", "persona"], nothing)})
    assert (query.preferences, query.budget, query.persona, query.attractions) == (0, None, None, ())


def test_fields_outside_the_paper_s_form_are_ignored() -> None:
    assert Query.model_validate({**PAPER, "note": object()}) == Query.model_validate(PAPER)


def test_a_query_is_unchanged_by_a_round_trip() -> None:
    query = Query.model_validate({**PAPER, "images": ["a.jpg"], "shown": ["Forbidden City"]})
    assert Query.model_validate_json(query.model_dump_json()) == query


@pytest.mark.parametrize(
    "wrong",
    [
        {"id": ""},
        {"start_date": "2025-10-31"},
        {"end_date": "2025-11-28"},
        {"start_date": "soon"},
        {"people_number": 0},
        {"people_number": 101},
        {"people_number": 2.5},
        {"budget": -1},
        {"budget": 10**9 + 1},
        {"budget": "much"},
        {"difficulty": "Tough"},
        {"p_intercity_traffic": "Ship"},
        {"p_innercity_traffic": "Walk"},
        {"p_meal": "|".join("abcdefghijk")},
        {"nature_language": None},
        {"start_city": "\ud800"},
        {"p_attraction": "\udfff"},
    ],
    ids=str,
)
def test_invalid_queries_are_refused(wrong: dict[str, Any]) -> None:
    Query.model_validate(PAPER)
    with pytest.raises(ValidationError):
        Query.model_validate({**PAPER, **wrong})


@pytest.mark.parametrize("field", [name for name in PAPER if not name.startswith("p_")])
def test_a_field_without_a_default_is_required(field: str) -> None:
    values = {key: value for key, value in PAPER.items() if key != field}
    if field in {"budget", "persona", "have_pet", "difficulty"}:
        assert getattr(Query.model_validate(values), field) is None
    else:
        with pytest.raises(ValidationError):
            Query.model_validate(values)
