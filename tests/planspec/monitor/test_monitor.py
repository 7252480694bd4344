"""The monitor of a shared plan commits an action completely or not at all, and explains refusals."""

from __future__ import annotations

from typing import Any

import pytest

import planspec
from planspec.dsl.documents.documents import task_from_text
from planspec.monitor import OK, Accepted, Monitor, Refusal, guards
from planspec.verifiers.meaning.verdict import RowRef
from tests.planspec.monitor.small_trip import DAYS, TEXT, small_trip

LION = "The Golden Lion Coffee House, Rome"
BAR = "Bar 1 of the Northern Railway Station, Rome"
INN, CASTLE = "Inn, Rome", "Château Doré, Rome"


def meal(day: int, cafe: str | None, which: str = "lunch") -> dict[str, Any]:
    """Return an action that commits a meal."""
    return {"meals": [{"day": DAYS[day - 1], "meal": which, "cafe": cafe}]}


def day(number: int, **cells: Any) -> dict[str, Any]:
    """Return an action that commits cells of a day."""
    return {"days": [{"day": DAYS[number - 1], **cells}]}


def refusal_in(reply: object) -> Refusal:
    """Return a reply, which must be a refusal."""
    assert isinstance(reply, Refusal), reply
    return reply


@pytest.fixture
def monitor() -> Monitor:
    return Monitor(small_trip())


def test_guards_and_their_codes_follow_from_the_form_of_the_rules() -> None:
    assert [(g.constraint, g.code) for g in guards(small_trip())] == [
        ("cost", "BUDGET_EXCEEDED"),
        ("new_cafes", "DUPLICATE_VENUE"),
        ("modes", "MODES"),
        ("nearby", "NEARBY"),
        ("nearby", "NEARBY"),
        ("long-enough", "LONG_ENOUGH"),
    ]
    cost = guards(small_trip())[0]
    assert cost.text == "beds + food <= budget"
    assert cost.why == "the terms of a sum are never negative, and rows only add to it"
    assert str(cost).startswith("cost: BUDGET_EXCEEDED: beds + food <= budget (")


def test_a_check_changes_nothing_and_a_commit_adds_rows(monitor: Monitor) -> None:
    assert monitor.check(meal(1, LION)) == OK
    assert monitor.tables() == {"days": [], "meals": []}
    assert monitor.commit(meal(1, LION)) == OK
    assert monitor.tables()["meals"] == [{"day": "2026-07-01", "meal": "lunch", "cafe": LION}]


def test_an_exceeded_budget_is_refused_with_the_missing_amount(monitor: Monitor) -> None:
    for number in (1, 2, 3):
        assert monitor.commit(day(number, hotel=CASTLE)) == OK
    assert monitor.commit(meal(1, LION)) == OK
    refusal = refusal_in(monitor.commit({**meal(2, BAR), **day(4, hotel=INN)}))
    assert refusal.code == "BUDGET_EXCEEDED"
    assert refusal.message == "250.00 EUR for beds and 20.00 EUR for food are more than 250.00 EUR" or refusal.margin
    assert refusal.margin is not None and int(refusal.margin) < 0
    assert len(monitor.tables()["days"]) == 3


def test_a_refused_action_leaves_the_plan_unchanged(monitor: Monitor) -> None:
    both = {"meals": [*meal(1, LION)["meals"], *meal(2, LION)["meals"]]}
    refusal = refusal_in(monitor.commit(both))
    assert refusal == Refusal(
        "DUPLICATE_VENUE",
        "new_cafes",
        "a café is chosen twice",
        rows=(RowRef(table="meals", key="2026-07-01, lunch"), RowRef(table="meals", key="2026-07-02, lunch")),
    )
    assert monitor.tables()["meals"] == []


def test_two_spellings_of_a_venue_are_the_same_venue(monitor: Monitor) -> None:
    assert monitor.commit(meal(1, "the golden lion coffeehouse,  ROME")) == OK
    assert monitor.tables()["meals"][0]["cafe"] == LION
    assert refusal_in(monitor.check(meal(2, "The Golden Lion Cofee House, Rome"))).code == "DUPLICATE_VENUE"
    assert monitor.check(day(1, hotel="chateau dore, rome")) == OK


def test_a_name_is_not_taken_for_a_similar_one(monitor: Monitor) -> None:
    for name in (
        "Bar 3 of the Northern Railway Station, Rome",  # differs in a number
        "Bar 1 of the Northern Railway Station, Rime",  # differs in the name of the city
        "Pubs, Oslo",  # too short to count as similar
    ):
        assert refusal_in(monitor.check(meal(1, name))).code == "UNKNOWN_NAME"


def test_an_unknown_name_is_refused_with_the_nearest(monitor: Monitor) -> None:
    refusal = refusal_in(monitor.check(meal(1, "Pubb, Oslo")))
    assert refusal.code == "UNKNOWN_NAME"
    assert refusal.message == "no Cafe is called `Pubb, Oslo`; did you mean `Pub, Oslo`? (at /meals/0/cafe)"


@pytest.mark.parametrize(
    "action",
    [
        {"meals": 3},
        {"meal": []},
        {"meals": [{"day": "2026-07-01", "meal": "lunch", "coffee": "Pub, Oslo"}]},
        {"meals": [{"day": "soon", "meal": "lunch", "cafe": "Pub, Oslo"}]},
        {"meals": [{"meal": "lunch"}]},
        {"meals": [None]},
        [],
        "lunch",
    ],
)
def test_an_unreadable_action_is_refused(monitor: Monitor, action: Any) -> None:
    assert refusal_in(monitor.commit(action)).code == "BAD_ACTION"
    assert monitor.tables() == {"days": [], "meals": []}


def test_a_row_may_be_repeated_and_filled_but_not_changed(monitor: Monitor) -> None:
    assert monitor.commit(day(1, city="Rome")) == OK
    assert monitor.commit(day(1, city="rome")) == OK
    assert monitor.commit(day(1, hotel=INN)) == OK
    assert monitor.tables()["days"] == [{"day": "2026-07-01", "city": "Rome", "mode": None, "hotel": INN}]
    refusal = refusal_in(monitor.commit(day(1, hotel=CASTLE, mode="bus")))
    assert refusal.code == "DUPLICATE_KEY"
    assert refusal.message == "days[2026-07-01] is committed with a different `hotel`"
    assert refusal.rows == (RowRef(table="days", key="2026-07-01"),)
    assert monitor.tables()["days"][0]["mode"] is None


def test_cells_may_come_in_any_order_and_are_judged_together(monitor: Monitor) -> None:
    """The row of the café is committed before the city of its day."""
    assert monitor.commit(meal(1, LION)) == OK
    refusal = refusal_in(monitor.commit(day(1, city="Oslo")))
    assert (refusal.code, refusal.constraint) == ("NEARBY", "nearby")
    assert monitor.commit(day(1, city="Rome")) == OK


def test_the_night_that_makes_a_minimum_stay_impossible_is_refused(monitor: Monitor) -> None:
    assert monitor.commit(day(1, hotel=INN)) == OK
    assert monitor.commit(day(2, hotel=CASTLE)) == OK
    assert monitor.check(day(3, hotel=CASTLE)) == OK
    assert refusal_in(monitor.check(day(3, hotel=INN))).code == "LONG_ENOUGH"


def test_a_rollback_brings_back_the_latest_checkpoint_or_a_named_one(monitor: Monitor) -> None:
    first = monitor.checkpoint()
    monitor.commit(meal(1, LION))
    second = monitor.checkpoint()
    monitor.commit(meal(2, BAR))
    monitor.checkpoint()
    monitor.commit(meal(3, "Pub, Oslo"))
    assert isinstance(first, int) and isinstance(second, int)
    assert monitor.rollback() == OK and len(monitor.tables()["meals"]) == 2
    assert monitor.rollback(first) == OK and monitor.tables()["meals"] == []
    refusal = refusal_in(monitor.rollback(second))
    assert (refusal.code, refusal.message) == ("NO_CHECKPOINT", f"checkpoint {second} is gone")
    assert refusal_in(monitor.rollback()).code == "NO_CHECKPOINT"


def test_a_plan_that_was_returned_never_changes(monitor: Monitor) -> None:
    monitor.commit(day(1, city="Rome"))
    before = monitor.plan()
    monitor.commit(day(1, hotel=INN))
    assert [getattr(row, "hotel") for row in before.tables["days"]] == [None]  # noqa: B009


def test_only_hard_rules_that_apply_are_enforced() -> None:
    soft = TEXT.replace("    hard: beds + food <= budget", "    soft: beds + food <= budget\n    weight: 2")
    assert "BUDGET_EXCEEDED" not in {g.code for g in guards(task_from_text(soft))}


PARTS = """\
planspec: task/1
id: parts
query: q
plan:
  boxes: {name: key text, weight: int?}
  moves: {n: key int, box: boxes, beside: boxes?}
  mark: {one: true, on: boxes?, note: text?}
constraints:
  light:
    hard: all(m.box.weight <= 3 for m in moves)
  once:
    hard: all_different(m.box for m in moves)
"""


def test_rows_may_refer_to_rows_that_are_committed_and_filled_later() -> None:
    monitor = Monitor(task_from_text(PARTS))
    assert monitor.commit({"boxes": [{"name": "a"}], "moves": [{"n": 1, "box": "a"}], "mark": {"on": "a"}}) == OK
    assert monitor.commit({"moves": [{"n": 2, "box": "b", "beside": "a"}], "boxes": [{"name": "b", "weight": 1}]}) == OK
    assert refusal_in(monitor.commit({"moves": [{"n": 3, "box": "a"}]})).code == "ONCE"
    assert refusal_in(monitor.commit({"boxes": [{"name": "a", "weight": 4}]})).code == "LIGHT"
    assert monitor.commit({"boxes": [{"name": "a", "weight": 3}], "mark": {"note": "x"}}) == OK
    assert monitor.tables() == {
        "boxes": [{"name": "a", "weight": 3}, {"name": "b", "weight": 1}],
        "moves": [{"n": 1, "box": "a", "beside": None}, {"n": 2, "box": "b", "beside": "a"}],
        "mark": {"on": "a", "note": "x"},
    }
    rows = {row._table.name: row for table in monitor.plan().tables.values() for row in table}
    assert any(getattr(rows["mark"], "on") is box for box in monitor.plan().tables["boxes"])  # noqa: B009


def test_the_root_package_loads_the_monitor_only_when_it_is_used() -> None:
    assert planspec.monitor.Monitor is Monitor
    assert Accepted() == planspec.monitor.OK


def test_checkpoints_are_limited_and_the_oldest_are_dropped() -> None:
    monitor = Monitor(small_trip())
    tokens = [monitor.checkpoint() for _ in range(1001)]
    assert all(isinstance(token, int) for token in tokens)
    refusal = monitor.rollback(tokens[0] if isinstance(tokens[0], int) else None)
    assert isinstance(refusal, Refusal) and refusal.code == "NO_CHECKPOINT"
    assert monitor.rollback(tokens[1] if isinstance(tokens[1], int) else None) == OK
