"""Planners without a language model read days, numbers of people and names from a request."""

from __future__ import annotations

from datetime import date

import pytest

from planspec.agents.requests import children_of, clause_of, days_of, names_of, people_of, words_of


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("from Beijing to Hangzhou, from 2025-10-19 to 2025-10-21", (2025, 10, 19), (2025, 10, 21)),
        ("Berlin from Friday, 3 July, to Saturday, 4 July 2026: one night", (2026, 7, 3), (2026, 7, 4)),
        ("A trip from Dunlow to Corvane, March 15th to 17th, 2022", (2022, 3, 15), (2022, 3, 17)),
        ("between March 30th and April 2nd, 2022", (2022, 3, 30), (2022, 4, 2)),
        ("on Wednesday, 1 July 2026", (2026, 7, 1), (2026, 7, 1)),
    ],
)
def test_days_are_those_from_the_first_to_the_last(
    text: str, first: tuple[int, int, int], last: tuple[int, int, int]
) -> None:
    days = days_of(text)
    assert (days[0], days[-1]) == (date(*first), date(*last))
    assert len(days) == (days[-1] - days[0]).days + 1


def test_days_without_a_year_are_ignored() -> None:
    assert days_of("from March 3rd to March 5th") == ()


@pytest.mark.parametrize(
    ("text", "people", "children"),
    [
        ("Two adults and a ten-year-old spend a day", 3, 1),
        ("two adults with two children, for one night", 4, 2),
        ("My wife and I are in Berlin", 2, 0),
        ("A family of 5 from Brindle", 5, 0),
        ("5 people in all", 5, 0),
        ("The two of us and our dog", 2, 0),
        ("I travel alone", 1, 0),
    ],
)
def test_counted_people_include_children(text: str, people: int, children: int) -> None:
    assert (people_of(text), children_of(text)) == (people, children)


def test_words_with_capital_letters_are_read_as_names() -> None:
    assert names_of("I leave St. Petersburg for New York's parks. Then home") == [
        "I",
        "St. Petersburg",
        "New York",
        "Then",
    ]


def test_a_clause_is_the_part_of_a_sentence_with_a_word() -> None:
    text = "A quick look from the dome, the panorama in depth, and lunch at 12.30 at Borchardt"
    assert clause_of(text, {"panorama"}) == " the panorama in depth"
    assert clause_of(text, words_of("Borchardt")) == "lunch at 12.30 at Borchardt"
    assert clause_of(text, {"zoo"}) == ""
