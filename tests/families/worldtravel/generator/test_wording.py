"""Worded requests express their drafts and differ from each other."""

from __future__ import annotations

from datetime import date
from random import Random

import pytest

from planspec.families.worldtravel.generator.calendar import draw_calendar
from planspec.families.worldtravel.generator.city import CityFolder
from planspec.families.worldtravel.generator.drawing import Draft, draw_draft
from planspec.families.worldtravel.generator.shapes import HARD, TIMED, TOTAL, TaskShape
from planspec.families.worldtravel.generator.wording import (
    MAX_OVERLAP,
    RequestWording,
    trigram_overlap,
    trigrams,
)
from planspec.suite_writing.options import UnsuitableSuiteError

JULY_1 = date(2026, 7, 1)


def drafts(town: CityFolder, count: int) -> list[Draft]:
    """Return the first `count` drafts of random tasks in the town."""
    calendar = draw_calendar(town, JULY_1, 2, 0)
    shape = TaskShape(HARD[1], TOTAL[1], TIMED[1])
    result = (draw_draft(Random(n), town, calendar, town.scenarios.cores[n % 2], (JULY_1,), shape) for n in range(200))
    return [draft for draft in result if draft is not None][:count]


def test_the_overlap_is_the_share_of_common_trigrams() -> None:
    one, other = trigrams("The Mill, then the Tower."), trigrams("the mill then a lake")
    assert one == {("the", "mill", "then"), ("mill", "then", "the"), ("then", "the", "tower")}
    assert trigram_overlap(one, other) == pytest.approx(1 / 3)


def test_a_request_expresses_travellers_dates_and_wishes_and_the_section_tells_quotes_it(
    town: CityFolder,
) -> None:
    wording = RequestWording(town)
    for n, draft in enumerate(drafts(town, 6)):
        query = wording.query(Random(n), draft, 12_345)
        assert all(words in query.text for words in query.tells.values())
        assert any(who.casefold() in query.text.casefold() for who in draft.party.say)
        assert "1 July 2026" in query.text or "1 July" in query.text
        assert "123.45 EUR" in query.text
        assert draft.stay.say[0] in query.text or draft.stay.say[1] in query.text
        for wish in draft.wishes:
            spoken = town.scenarios.places[wish.place]
            output = query.text.casefold()
            assert any(name.casefold() in output for name in (*spoken.named, *spoken.hinted)), query.text
            assert any(words in query.text for words in wish.kind.say)
        assert {"Traveller", "Wish", "ride"} <= set(query.tells)
        assert ("Before" in query.tells) == bool(draft.before)


def test_the_request_of_a_single_traveller_is_in_the_singular(town: CityFolder) -> None:
    alone = next(draft for draft in drafts(town, 40) if len(draft.party.travellers) == 1)
    texts = [RequestWording(town).query(Random(n), alone, None).text for n in range(20)]
    assert any(" I " in text or text.startswith("I ") for text in texts)
    assert not any(" our " in text for text in texts)


def test_no_two_requests_share_half_of_their_trigrams(town: CityFolder) -> None:
    wording = RequestWording(town)
    actual = [trigrams(wording.query(Random(n), draft, None).text) for n, draft in enumerate(drafts(town, 8))]
    assert max(trigram_overlap(a, b) for i, a in enumerate(actual) for b in actual[:i]) <= MAX_OVERLAP


def test_a_city_with_too_few_phrases_is_refused(town: CityFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    """The test permits no common trigrams at all, so that no request with new wording can be found."""
    monkeypatch.setattr("planspec.families.worldtravel.generator.wording.MAX_OVERLAP", 0.0)
    wording = RequestWording(town)
    (draft,) = drafts(town, 1)
    with pytest.raises(UnsuitableSuiteError, match="too few phrases"):
        _ = [wording.query(Random(n), draft, None) for n in range(20)]
