"""If the monitor looks ahead, accepted actions can be completed to a plan. Replies without a proof are marked."""

from __future__ import annotations

from planspec.dsl.documents.documents import task_from_text
from planspec.dsl.model.rows import make_row
from planspec.monitor import Accepted, Monitor, Refusal
from planspec.solvers.backends.outcome import Limits, Status
from planspec.solvers.questions.completion import CompletionSearch
from planspec.verifiers.meaning.ground import ground
from planspec.verifiers.meaning.plan_rows import Plan
from tests.planspec.monitor.small_trip import DAYS, small_trip
from tests.planspec.monitor.test_monitor import CASTLE, INN, day


def test_an_action_that_no_plan_completes_is_refused() -> None:
    """Three nights at the castle cost too much, and on all days but the last the trip must be in Oslo."""
    monitor = Monitor(small_trip(), look_ahead=True)
    assert monitor.commit(day(1, hotel=INN)) == Accepted(proved=True)
    refusal = monitor.commit(day(2, hotel=CASTLE))
    assert isinstance(refusal, Refusal)
    assert (refusal.code, refusal.constraint) == ("DEAD_END", None)
    assert "days[2026-07-02]" in refusal.message
    assert len(monitor.tables()["days"]) == 1
    assert Monitor(small_trip()).check(day(2, hotel=CASTLE)) == Accepted()


def test_an_action_that_a_guard_refuses_does_not_reach_the_solver() -> None:
    monitor = Monitor(small_trip(), look_ahead=True)
    refusal = monitor.check(day(1, city="Oslo", hotel=INN))
    assert isinstance(refusal, Refusal) and refusal.code == "NEARBY"


def test_a_row_outside_the_scope_is_accepted_as_unproved() -> None:
    monitor = Monitor(small_trip(), look_ahead=True)
    reply = monitor.check({"days": [{"day": "2026-08-01", "city": "Rome"}]})
    assert reply == Accepted(False, "days[2026-08-01] is outside the task's scope, where nothing is searched")


def test_an_undecided_action_is_accepted() -> None:
    monitor = Monitor(small_trip(), look_ahead=True, limits=Limits(seconds=0.0))
    reply = monitor.check(day(1, hotel=INN))
    assert reply == Accepted(False, "no completion was found in time, nor was it proved impossible")


def test_accepted_actions_always_lead_to_a_plan() -> None:
    """After each accepted action, in any order, the rest of the plan can be filled in."""
    task = small_trip()
    monitor = Monitor(task, look_ahead=True)
    for number in (3, 1, 2, 4):
        for cells in ({"city": "Oslo"}, {"city": "Rome"}):
            if isinstance(monitor.commit(day(number, **cells)), Accepted):
                break
        for hotel in (CASTLE, "Spa, Oslo", INN):
            if number < 4 and isinstance(monitor.commit(day(number, hotel=hotel)), Accepted):
                break
        monitor.commit(day(number, mode="train"))
    from planspec.verifiers.meaning.judge import judge

    assert judge(ground(task), monitor.plan()).status == "pass"


BAG = """\
planspec: task/1
id: bag
query: q
plan:
  marbles: {colour: text, weight: int?}
constraints:
  light:
    hard: sum(m.weight for m in marbles) <= 5
scope:
  marbles:
    - for: n in 1..3
      colour: {"red", "blue"}
      weight: 1..4
      optional: true
"""


def test_rows_without_a_key_count_as_often_as_they_occur() -> None:
    task = task_from_text(BAG)
    completions = CompletionSearch(ground(task))
    table = task.tables["marbles"]

    def status_of(*rows: tuple[str, int | None]) -> Status:
        rows_ = tuple(make_row(table, {"colour": c, "weight": w}, i) for i, (c, w) in enumerate(rows))
        completion = completions.ask(Plan({"marbles": rows_}))
        if completion.plan is not None:
            assert len(completion.plan.tables["marbles"]) >= len(rows)
        return completion.status

    assert status_of(("red", 1), ("red", 1), ("red", 1)) is Status.FEASIBLE
    assert status_of(("red", 2), ("red", 2)) is Status.FEASIBLE
    assert status_of(("red", 2), ("red", 2), ("blue", 2)) is Status.INFEASIBLE
    assert status_of(("red", 1), ("red", 1), ("red", 1), ("red", 1)) is Status.INFEASIBLE
    assert status_of(("red", None), ("red", 4)) in (Status.FEASIBLE, Status.UNKNOWN)


def test_a_check_does_not_change_the_next_reply() -> None:
    task = small_trip()
    completions = CompletionSearch(ground(task))
    days = task.tables["days"]
    castle = task.facts["Hotel"].by_key[(CASTLE,)]
    from datetime import date

    second = make_row(days, {"day": date.fromisoformat(DAYS[1]).toordinal(), "hotel": castle}, 0)
    statuses = [
        completions.ask(Plan({"days": rows, "meals": ()})).status.value for rows in ((), (second,), (), (second,))
    ]
    assert statuses == ["feasible", statuses[1], "feasible", statuses[1]]
