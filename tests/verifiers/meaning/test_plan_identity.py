"""Two plans are the same if and only if they have the same rows, in any order."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

import planspec
from planspec.verifiers.meaning.plan_identity import PlanIdentity

TASK = """\
planspec: task/1
id: stops
query: Some stops.
types: {Kind: museum | park}
tables:
  Stop: {columns: {name: key text, kind: Kind}, rows: [{name: ark, kind: park}, {name: mus, kind: museum}]}
plan:
  visits: {stop: key Stop, start: time?, rate: decimal?, with: set of Stop}
  notes: {text: text, of: visits?}
constraints:
  any: {hard: count(v for v in visits) >= 0}
"""


@pytest.fixture(scope="module")
def task() -> planspec.Task:
    return planspec.loads(TASK)


def digest(task: planspec.Task, **tables: Any) -> bytes:
    """Return the digest of a plan, by which equal plans are found."""
    plan = planspec.Judge(task).read(tables)
    assert plan is not None
    return PlanIdentity(task).digest(plan)


ARK = {"stop": "ark", "start": "10:00", "rate": 2, "with": ["ark", "mus"]}
MUS = {"stop": "mus", "start": "11:00", "rate": 0.5, "with": []}


@pytest.mark.parametrize(
    "visits",
    [
        [MUS, ARK],
        [ARK | {"with": ["mus", "ark"]}, MUS],
        [ARK | {"rate": "2.0"}, MUS],
        [dict(reversed(ARK.items())), MUS | {"rate": "0.50", "color": "red"}],
    ],
)
def test_plans_with_equal_rows_are_the_same(task: planspec.Task, visits: list[Any]) -> None:
    assert digest(task, visits=visits, notes=[]) == digest(task, visits=[ARK, MUS], notes=[])


@pytest.mark.parametrize(
    "visits",
    [
        [ARK],
        [ARK, MUS, MUS],
        [ARK, MUS | {"start": "11:01"}],
        [ARK, MUS | {"start": None}],
        [ARK, MUS | {"rate": 0.25}],
        [ARK | {"with": ["ark"]}, MUS],
        [ARK, MUS | {"stop": "zoo"}],
        [ARK, MUS | {"stop": "zoos"}],
    ],
)
def test_plans_with_any_difference_are_different(task: planspec.Task, visits: list[Any]) -> None:
    others = [[ARK, MUS], [ARK, MUS | {"stop": "zoa"}]]
    assert digest(task, visits=visits, notes=[]) not in {digest(task, visits=other, notes=[]) for other in others}


def test_a_row_of_the_plan_is_identified_by_its_key(task: planspec.Task) -> None:
    note = {"text": "two\nlines", "of": "mus"}
    first = digest(task, visits=[ARK, MUS], notes=[note])
    assert digest(task, visits=[MUS, ARK], notes=[note]) == first
    assert digest(task, visits=[MUS, ARK], notes=[note | {"of": "ark"}]) != first
    assert digest(task, visits=[MUS, ARK], notes=[{"text": "two"}, {"text": "lines"}]) != first


@pytest.mark.slow
def test_every_process_gives_a_plan_the_same_digest(task: planspec.Task) -> None:
    program = (
        "import sys; from tests.verifiers.meaning.test_plan_identity import *; "
        "print(digest(planspec.loads(TASK), visits=[ARK, MUS], notes=[]).hex())"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", program], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout.strip()
        for seed in ("1", "2")
    }
    assert digests == {digest(task, visits=[ARK, MUS], notes=[]).hex()}


def test_earlier_plans_do_not_change_digests() -> None:
    """Dates, texts and facts occur in several plans, and their encoded forms are cached."""
    text = TASK.replace(
        "visits: {stop: key Stop, start: time?",
        "on: {day: date?, stop: Stop?}\n  visits: {stop: key Stop, start: time?",
    )
    task = planspec.loads(text)
    rows = [
        {"day": day, "stop": stop} for day in ("2026-03-01", "2026-03-02", None) for stop in ("ark", "mus", "x", "y")
    ]
    plans = [planspec.Judge(task).read({"on": [row, rows[0]]}) for row in rows]
    identity = PlanIdentity(task)
    digests = [identity.digest(plan) for plan in plans if plan is not None]
    assert digests == [PlanIdentity(task).digest(plan) for plan in plans if plan is not None]
    assert len(set(digests)) == len(rows)
