"""Times that the facts give for a plan's rows: durations, opening hours, slots and lanes."""

from __future__ import annotations

import json
from itertools import pairwise

from planspec.api.judging import Judge
from planspec.api.loading import load, loads
from planspec.report.itinerary import Itinerary
from planspec.report.record import Item

TASK = """\
planspec: task/1
id: visits
query: Two museums.
tables:
  Museum: {columns: {name: key text, takes: duration}, rows: [{name: Old, takes: 60min}, {name: New, takes: 90min}]}
  Hours:
    columns: {museum: Museum, day: date, open: time, close: time}
    rows:
      - {museum: Old, day: 2026-07-01, open: 10:00, close: 12:00}
      - {museum: Old, day: 2026-07-01, open: 13:00, close: 18:00}
      - {museum: Old, day: 2026-07-02, open: 11:00, close: 18:00}
  Tour: {columns: {name: key text, museum: Museum}, rows: [{name: by-torch, museum: New}]}
  Start: {columns: {tour: Tour, at: time}, rows: [{tour: by-torch, at: 14:00}, {tour: by-torch, at: 16:00}]}
plan: {visits: {museum: key Museum, day: key date, start: time, guide: text}}
constraints:
  any: {hard: count(v for v in visits) >= 0}
"""


def items(*rows: tuple[str, str, str, str]) -> list[Item]:
    """Return the items that a page shows for these visits: museum, day, start and guide."""
    judge = Judge(loads(TASK))
    made = [dict(zip(("museum", "day", "start", "guide"), row, strict=True)) for row in rows]
    plan = judge.read(json.dumps({"visits": made}))
    assert plan is not None
    return [item for day in Itinerary(judge.task).days(plan) for item in day.items]


def test_a_key_column_that_refers_to_a_table_gives_the_duration_of_the_row() -> None:
    (old, new) = items(("Old", "2026-07-01", "10:00", "Ada"), ("New", "2026-07-01", "14:00", "Ada"))
    assert [(one.start, one.end) for one in (old, new)] == [(600, 660), (840, 930)]


def test_opening_hours_are_those_of_the_day_and_slots_may_belong_to_an_offer() -> None:
    (old, new) = items(("Old", "2026-07-01", "10:00", "Ada"), ("New", "2026-07-01", "14:00", "Ada"))
    assert (old.open, old.slots) == (((600, 720), (780, 1080)), ())
    assert (new.open, new.slots) == ((), (840, 960))


def test_only_overlapping_items_have_lanes() -> None:
    apart = items(("Old", "2026-07-01", "10:00", "Ada"), ("New", "2026-07-01", "14:00", "Bert"))
    assert [one.lane for one in apart] == [None, None]
    beside = items(
        ("Old", "2026-07-01", "10:00", "Ada"),
        ("New", "2026-07-01", "10:30", "Bert"),
        ("Old", "2026-07-02", "10:00", "Ada"),
    )
    assert [one.lane for one in beside] == [None, None, None]  # a lane for each row would tell nothing


def test_a_job_shop_has_a_lane_for_each_machine_with_bars_as_long_as_the_work() -> None:
    judge = Judge(load("job-shop"))
    plan = judge.reference_plan()
    assert plan is not None
    (day,) = Itinerary(judge.task).days(plan)
    assert {item.lane for item in day.items} == {"saw", "lathe", "drill"}
    work = {(row.order, row.machine): row.takes for row in judge.task.facts["Work"].rows}  # type: ignore[attr-defined]
    assert all(item.end is not None and item.start is not None for item in day.items)
    assert sorted((item.end or 0) - (item.start or 0) for item in day.items) == sorted(work.values())
    for lane in ("saw", "lathe", "drill"):
        spans = sorted((item.start or 0, item.end or 0) for item in day.items if item.lane == lane)
        assert all(one[1] <= after[0] for one, after in pairwise(spans))
