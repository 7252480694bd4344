"""Drawings of rules about intervals: lanes by group, and loads with their capacity."""

from __future__ import annotations

from typing import Any

import pytest

from planspec import Judge
from planspec.dsl.documents.documents import task_from_text
from planspec.report import schedules
from planspec.report.record import ShownLoad, ShownSchedule

SHOP = """\
planspec: task/1
id: shop
query: When does each job run?
types: {Machine: saw | lathe}
plan:
  runs: {job: key int, machine: key Machine, start: [type], end: [type]?, power: int}
  note: {one: true, text: text}
define:
  alone(m Machine): no_overlap(r for r in runs if r.machine == m, from=r.start, to=r.end)
constraints:
  lanes:
    hard: no_overlap(r for r in runs, from=r.start, to=r.end, per=r.machine)
  machine:
    for: m in Machine
    hard: alone(m)
  power:
    hard: peak(r.power for r in runs, from=r.start, to=r.end) <= 4
  each:
    soft: 3 > peak(r.power for r in runs, from=r.start, to=r.end, per=r.machine)
  other:
    hard: all(r.power >= 0 for r in runs)
"""


def pictures(
    kind: str, *rows: tuple[int, str, Any, Any, int]
) -> tuple[tuple[ShownSchedule, ...], tuple[ShownLoad, ...]]:
    """Return the drawings of schedules and of loads for a plan with these rows."""
    judge = Judge(task_from_text(SHOP.replace("[type]", kind)))
    names = ("job", "machine", "start", "end", "power")
    plan = judge.read({"runs": [dict(zip(names, row, strict=True)) for row in rows], "note": {"text": "x"}})
    assert plan is not None
    return schedules.schedules(judge.ground, plan)


ROWS = ((1, "saw", "09:00", "10:00", 2), (2, "saw", "09:30", "11:00", 3), (1, "lathe", "10:00", "12:00", 1))


def test_each_group_and_each_instance_is_a_lane_with_its_rows_in_order() -> None:
    (lanes, machine), _ = pictures("time", *reversed(ROWS))
    assert (lanes.rule, machine.rule) == ("lanes", "machine")
    assert [(lane.name, [(run.title, run.start, run.end) for run in lane.runs]) for lane in machine.lanes] == [
        ("saw", [("1", 540, 600), ("2", 570, 660)]),
        ("lathe", [("1", 600, 720)]),
    ]
    assert sorted(lane.name for lane in lanes.lanes) == ["lathe", "saw"]
    assert {(run.table, run.key) for lane in lanes.lanes for run in lane.runs} == {
        ("runs", key) for key in ("1, saw", "2, saw", "1, lathe")
    }
    assert (lanes.low, lanes.high, lanes.left_out) == (540, 720, 0)


def test_a_load_has_its_steps_its_peak_and_its_limit() -> None:
    _, (power, saw, lathe) = pictures("time", *ROWS)
    assert power.points == ((540, 2.0), (570, 5.0), (600, 4.0), (660, 1.0), (720, 0.0))
    assert (power.rule, power.most, power.at, power.limit, power.allowed) == ("power", "5", "09:30", 4.0, "4")
    assert [(load.rule, load.most, load.allowed) for load in (saw, lathe)] == [
        ("each, saw", "5", "3"),
        ("each, lathe", "1", "3"),
    ]


@pytest.mark.parametrize("end", [None, "08:00"])
def test_rules_with_rows_that_are_not_intervals_have_no_picture(end: str | None) -> None:
    (only,), loads = pictures("time", ROWS[0], (1, "lathe", "10:00", end, 1))
    assert ([lane.name for lane in only.lanes], loads) == (["saw"], ())
    assert pictures("time") == ((), ())


@pytest.mark.parametrize(
    ("kind", "start", "end", "texts"),
    [
        ("time", "09:00", "12:00", ["09:00", "10:00", "11:00", "12:00"]),
        ("int", 3, 47, ["10", "20", "30", "40"]),
        ("date", "2026-07-01", "2026-07-09", ["07-01", "07-03", "07-05", "07-07", "07-09"]),
        ("duration", "0min", "100min", ["0min", "30min", "1h", "1h30min"]),
        ("moment", "2026-07-01 20:00", "2026-07-02 06:00", ["21:00", "07-02", "03:00", "06:00"]),
        ("moment", "2026-07-01 20:00", "2026-07-09 06:00", ["07-03", "07-05", "07-07", "07-09"]),
    ],
)
def test_a_scale_has_at_most_five_round_labels(kind: str, start: Any, end: Any, texts: list[str]) -> None:
    (lanes, _), _ = pictures(kind, (1, "saw", start, end, 1))
    assert len(lanes.ticks) <= schedules.MOST_TICKS
    assert [text for _, text in lanes.ticks] == texts


def test_lanes_past_the_limit_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schedules, "MOST_LANES", 1)
    (lanes, _), _ = pictures("time", *ROWS)
    assert (len(lanes.lanes), lanes.left_out) == (1, 1)
