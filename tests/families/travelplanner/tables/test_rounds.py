"""Tables of HiMAP-Travel's rounds have the values computed by hand."""

from __future__ import annotations

from typing import Any

import pytest

from planspec.families.travelplanner.himap.note import RoundNote
from planspec.families.travelplanner.tables.rounds import adaptation, adaptation_of, convergence, latency, phases_of
from tests.families.travelplanner.tables.made_trips import handwritten_trip, round_note, rows

DONE, REFUSED = "committed", "rejected"
AGREED = round_note(("A", DONE), ("B", DONE), ("home", DONE))
FAILED = round_note(("A", DONE), ("B", REFUSED), ("home", DONE))


def test_convergence_counts_the_turns_that_reach_agreement_in_each_round() -> None:
    """Two of four turns agree in round 1, one in round 2, and one in none of its three rounds."""
    trips = [handwritten_trip(rounds=rounds) for rounds in ([AGREED], [AGREED], [FAILED, AGREED], [FAILED] * 3)]
    table = convergence(trips)
    assert table.rows == ((1, 4, 2, 0.5, 2, 0.5), (2, 2, 1, 0.5, 3, 0.75), (3, 1, 0, 0.0, 3, 0.75))
    assert table.note == "Mean number of rounds: 1.75."


def test_agents_without_rounds_have_no_convergence_and_no_adaptation() -> None:
    assert not convergence([handwritten_trip()]).rows and not adaptation([handwritten_trip()]).rows


@pytest.mark.parametrize(
    ("after", "kind"),
    [
        (round_note(("A", DONE), ("A", DONE), ("home", DONE)), "fewer cities"),
        (round_note(("A", DONE), ("C", DONE), ("home", DONE)), "other cities"),
        (round_note(("B", DONE), ("A", DONE), ("home", DONE)), "other order"),
        (round_note(("A", DONE), ("B", DONE), ("home", DONE), mode="public"), "other transport"),
        (AGREED, "hints alone"),
    ],
)
def test_the_change_of_a_split_is_classified(after: dict[str, Any], kind: str) -> None:
    assert adaptation_of(RoundNote.model_validate(FAILED), RoundNote.model_validate(after)) == kind


def test_moving_a_night_between_the_same_cities_does_not_count_as_another_order() -> None:
    before = round_note(("A", DONE), ("A", REFUSED), ("B", DONE), ("home", DONE))
    after = round_note(("A", DONE), ("B", DONE), ("B", DONE), ("home", DONE))
    assert adaptation_of(RoundNote.model_validate(before), RoundNote.model_validate(after)) == "other nights"


def test_notes_of_earlier_releases_have_an_unknown_change() -> None:
    old = {**FAILED, "days": [{name: day[name] for name in list(day)[:5]} for day in FAILED["days"]]}
    assert adaptation_of(RoundNote.model_validate(old), RoundNote.model_validate(AGREED)) == "unknown"


def test_the_table_of_adaptations_has_rates_of_agreement_and_seconds() -> None:
    fewer = round_note(("A", DONE), ("A", DONE), ("home", DONE), coordinator_s=3.0, seconds=5.0)
    result = rows(adaptation([handwritten_trip(rounds=[FAILED, FAILED, fewer]), handwritten_trip(rounds=[AGREED])]))
    assert result == {
        "fewer cities": {"rounds": 1, "share": 0.5, "agreed": 1.0, "seconds": 8.0},
        "hints alone": {"rounds": 1, "share": 0.5, "agreed": 0.0, "seconds": 3.0},
        "all": {"rounds": 2, "share": 1.0, "agreed": 0.5, "seconds": 5.5},
    }


def test_the_phases_of_a_turn_sum_to_its_total() -> None:
    """The turn takes 10 s. It has two rounds, each with 1 s for the coordinator and 2 s for the days."""
    phases = phases_of(handwritten_trip(rounds=[FAILED, AGREED], total=10.0))
    assert phases == {"coordinator": 1.0, "days": 2.0, "bargaining": 3.0, "rest": 4.0, "total": 10.0}
    by_phase = {row[1]: row[5] for row in latency([handwritten_trip(rounds=[FAILED, AGREED], total=10.0)]).rows}
    assert by_phase == {"coordinator": 0.1, "days": 0.2, "bargaining": 0.3, "rest": 0.4, "total": 1.0}


def test_the_phases_of_agents_other_than_himap_are_models_and_tools() -> None:
    assert phases_of(handwritten_trip(seconds=4.0)) == {"model": 0, "tools": 0, "other": 4.0, "total": 4.0}
