"""Tables of plans have the values computed by hand."""

from __future__ import annotations

import pytest

from planspec.families.travelplanner.tables.plans import budget_by_day, cities, complexity, failures, rules, tiers
from planspec.scores.record import RunTable
from tests.families.travelplanner.tables.made_trips import handwritten_trip, rows

LENGTHS = ((3, 1), (5, 2), (7, 3))


def test_the_published_statistics_of_complexity_follow_from_the_lengths_of_the_trips() -> None:
    """Table 14: mean 34.0, deviation 22.2, minimum 9.0 (easy), maximum 63.0 (hard), with a third of the tasks of
    each length.
    """
    trips = [handwritten_trip(str(days), days=days, cities=count) for days, count in LENGTHS]
    result = rows(complexity(trips))
    assert result["all"]["mean"] == 34.0 and round(result["all"]["deviation"], 1) == 22.2
    assert [result[tier]["mean"] for tier in ("easy", "medium", "hard")] == [9.0, 30.0, 63.0]
    assert [result[tier]["tasks"] for tier in ("easy", "medium", "hard")] == [1, 1, 1]


def test_the_complexity_as_given_counts_all_requests_except_the_budget() -> None:
    trips = [handwritten_trip("a", local=("valid_cuisine", "valid_room_type")), handwritten_trip("b")]
    assert rows(complexity(trips))["easy"]["as given"] == (3 * 2 + 3) / 2


def test_repeats_of_a_task_are_one_task_but_several_attempts_in_the_pass_rate() -> None:
    result = rows(complexity([handwritten_trip("a"), handwritten_trip("a", violated=["valid_cost"])]))["easy"]
    assert (result["tasks"], result["pass rate"]) == (1, 0.5)


def _by_day(table: RunTable) -> list[tuple[object, ...]]:
    """Return the cells of each row of a table in columns 2 to 5."""
    return [row[1:5] for row in table.rows]


def test_the_budget_by_day_accumulates_the_costs_of_the_days() -> None:
    cheap = handwritten_trip("a", costs=(500_00, 300_00, 200_00))
    dear = handwritten_trip("b", costs=(200_00, 900_00, 0), violated=["valid_cost"])
    assert _by_day(budget_by_day([cheap, dear])) == [(1, 2, 1.0, 0.5), (2, 2, 0.5, 0.0), (3, 2, 0.5, 0.5)]


def test_an_unknown_price_is_not_within_the_budget() -> None:
    assert _by_day(budget_by_day([handwritten_trip(costs=(100_00, None, 100_00))])) == [
        (1, 1, 1.0, 1.0),
        (2, 1, 0.0, 0.0),
        (3, 1, 0.0, 0.0),
    ]


def test_undelivered_answers_and_trips_without_a_budget_have_no_budget_by_day() -> None:
    assert not budget_by_day([handwritten_trip(status="undelivered"), handwritten_trip(budget=None)]).rows


def test_tiers_have_pass_rate_overspending_and_diversity() -> None:
    trips = [
        handwritten_trip("a"),
        handwritten_trip("b", violated=["valid_cost"], costs=(600_00, 600_00, 0), seconds=20),
        handwritten_trip("c", violated=["is_valid_restaurants"]),
        handwritten_trip("d", status="undelivered"),
        handwritten_trip("e", days=7, cities=3),
    ]
    result = rows(tiers(trips))
    easy = result["easy"]
    assert (easy["attempts"], easy["pass rate"], easy["over budget"], easy["diverse"]) == (4, 0.25, 1 / 3, 2 / 3)
    assert easy["budget used"] == pytest.approx((0.3 + 1.2 + 0.3) / 3) and easy["seconds"] == 12.5
    assert result["all"]["attempts"] == 5 and "medium" not in result


def test_the_pass_rate_of_a_rule_counts_the_tasks_to_which_it_applies() -> None:
    trips = [
        handwritten_trip("a", local=["valid_cuisine"], violated=["valid_cuisine"]),
        handwritten_trip("b", local=["valid_cuisine"], days=5, cities=2),
        handwritten_trip("c", local=["valid_cuisine"], status="undelivered"),
        handwritten_trip("d"),
    ]
    result = rows(rules(trips))["valid_cuisine"]
    assert (result["attempts"], result["easy"], result["medium"], result["hard"]) == (3, 0.0, 1.0, None)
    assert (result["all"], result["delivered"]) == (1 / 3, 0.5)


def test_expensive_cities_are_counted_by_daily_budget() -> None:
    trips = [
        handwritten_trip("a", budget=1800_00, dear=1),
        handwritten_trip("b", budget=1800_00),
        handwritten_trip("c", budget=1801_00, dear=2),
        handwritten_trip("d", budget=9000_00),
        handwritten_trip("e", status="undelivered"),
    ]
    result = rows(cities(trips))
    assert {name: (row["plans"], row["dear city"]) for name, row in result.items()} == {
        "tight": (2, 0.5),
        "moderate": (1, 1.0),
        "ample": (1, 0.0),
    }


def test_an_attempt_may_count_for_several_kinds_of_failures() -> None:
    over = "valid_cost"
    trips = [
        handwritten_trip("a", violated=[over], costs=(700_00, 400_00, 0)),
        handwritten_trip("b", violated=[over], costs=(500_00, 400_00, 300_00)),
        handwritten_trip("c", violated=[over, "is_valid_restaurants"], costs=(500_00, 400_00, 300_00)),
        handwritten_trip("d", violated=["is_not_absent"], cities=2, visited=1),
        handwritten_trip("e", violated=["is_not_absent"]),
        handwritten_trip("f", status="undelivered"),
        handwritten_trip("g", status="fail"),
        handwritten_trip("h"),
    ]
    result = rows(failures(trips))
    assert {name: (row["attempts"], row["alone"]) for name, row in result.items()} == {
        "budget, early": (1, 1),
        "budget, by drift": (2, 1),
        "restaurant twice": (1, 0),
        "cities missing": (1, 1),
        "incomplete": (1, 1),
        "no answer": (1, 1),
        "several": (1, 0),
        "other": (1, 0),
    }
    drift = result["budget, by drift"]
    assert (drift["of all"], drift["of failed"], drift["budget used"]) == (2 / 8, 2 / 7, 1.2)


def test_attempts_that_all_pass_have_no_failures() -> None:
    assert not failures([handwritten_trip()]).rows
