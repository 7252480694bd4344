from __future__ import annotations

import pytest

from planspec.families.travelplanner.himap.ledger import Ledger, day_action, mode_of, venues
from planspec.monitor import Accepted, Refusal, Reply

TAXI = {"transportation": "Taxi, from A to B"}
CAR = {"transportation": "Self-driving, from A to B"}


def code(reply: Reply) -> str:
    """Return the code of a refusal, or `OK`."""
    return reply.code if isinstance(reply, Refusal) else "OK"


def test_money_is_counted_to_the_cent() -> None:
    shared = Ledger(10_050)
    assert code(shared.commit(day_action(1, {}, 6_025))) == "OK"
    refused = shared.check(day_action(2, {}, 4_026))
    assert isinstance(refused, Refusal) and refused.code == "BUDGET_EXCEEDED" and refused.margin == -1
    assert code(shared.commit(day_action(2, {}, 4_025))) == "OK"


def test_without_a_budget_no_cost_is_refused() -> None:
    assert isinstance(Ledger(None).commit(day_action(1, {}, 10**10)), Accepted)


@pytest.mark.parametrize("spelling", ["Blue Door, B", "BLUE DOOR,B", "blue-door, B"])
def test_a_repeated_venue_is_refused_in_any_spelling(spelling: str) -> None:
    shared = Ledger(None)
    shared.commit(day_action(1, {"lunch": "Blue Door, B"}, 0))
    assert code(shared.commit(day_action(2, {"dinner": spelling}, 0))) == "DUPLICATE_VENUE"
    assert code(shared.commit(day_action(2, {"attraction": f"Pier, B;{spelling};"}, 0))) == "DUPLICATE_VENUE"


def test_a_venue_repeated_within_a_day_is_refused() -> None:
    assert code(Ledger(None).commit(day_action(1, {"lunch": "X, B", "dinner": "X, B"}, 0))) == "DUPLICATE_VENUE"


def test_hotels_may_be_repeated() -> None:
    shared = Ledger(None)
    for day in (1, 2):
        assert code(shared.commit(day_action(day, {"accommodation": "Inn, B"}, 0))) == "OK"


def test_a_car_conflicts_with_other_modes() -> None:
    shared = Ledger(None)
    shared.commit(day_action(1, CAR, 0))
    assert code(shared.commit(day_action(2, TAXI, 0))) == "MODE_CONFLICT"
    assert code(shared.commit(day_action(2, {"transportation": "-"}, 0))) == "OK"
    assert code(shared.commit(day_action(3, CAR, 0))) == "OK"


def test_a_rollback_frees_venues_money_and_mode() -> None:
    shared = Ledger(1_000)
    token = shared.checkpoint()
    shared.commit(day_action(1, {"lunch": "X, B", **CAR}, 1_000))
    assert isinstance(token, int)
    shared.rollback(token)
    assert code(shared.commit(day_action(1, {"lunch": "X, B", **TAXI}, 1_000))) == "OK"


def test_modes_are_read_from_the_texts_of_answers() -> None:
    actual = ["Flight Number: F1, from A to B", "Self-driving, from A to B", "taxi from A to B", "-", "a bus"]
    assert [mode_of(text) for text in actual] == ["public", "car", "public", None, None]


def test_blanks_are_not_venues() -> None:
    assert venues({"lunch": "-", "dinner": " ", "attraction": "-"}) == []
    assert venues({"attraction": "Pier, B; Garden, B;"}) == ["Pier, B", "Garden, B"]
