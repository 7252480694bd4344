"""Task and answer files written from Python."""

from __future__ import annotations

import json
from datetime import date, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import planspec
from planspec.dsl.model.proof_hash import proof_hash

TASK: dict[str, Any] = {
    "id": "walk",
    "query": "A walk.",
    "tables": {
        "Day": {
            "columns": {"day": "key date", "opens": "time", "long": "duration", "cost": "decimal"},
            "rows": [
                {"day": date(2026, 5, 3), "opens": time(9, 30), "long": timedelta(minutes=90), "cost": Decimal("2.5")}
            ],
        }
    },
    "given": {"most": 3, "dry": True},
    "plan": {"walk": {"one": True, "day": "Day", "start": "time"}},
    "scope": {"walk": {"day": "Day", "start": "9:00..11:00 step 30min"}},
    "constraints": {
        "late": {"hard": "walk.start >= walk.day.opens and walk.day.long > 1h"},
        "cheap": {"hard": "dry and walk.day.cost < most"},
    },
}
YAML = """\
planspec: task/1
id: walk
query: A walk.
tables:
  Day:
    columns: {day: key date, opens: time, long: duration, cost: decimal}
    rows: [{day: 2026-05-03, opens: "09:30", long: 90min, cost: 2.5}]
given: {most: 3, dry: true}
plan: {walk: {one: true, day: Day, start: time}}
scope: {walk: {day: Day, start: 9:00..11:00 step 30min}}
constraints:
  late: {hard: walk.start >= walk.day.opens and walk.day.long > 1h}
  cheap: {hard: dry and walk.day.cost < most}
"""


def test_a_task_from_data_equals_the_task_of_the_same_document() -> None:
    assert proof_hash(planspec.task(TASK)) == proof_hash(planspec.loads(YAML))


def test_a_written_shard_contains_its_tasks(tmp_path: Path) -> None:
    for name in ("walks.tasks.jsonl", "walks.tasks.jsonl.gz"):
        assert planspec.write_tasks(tmp_path / name, [TASK, {**TASK, "id": "again"}]) == 2
        task = planspec.load(tmp_path / f"{name}#again")
        assert (task.id, proof_hash(task)) == ("again", proof_hash(planspec.loads(YAML)))


def test_written_answers_are_scored(tmp_path: Path) -> None:
    planspec.write_tasks(tmp_path / "walks.tasks.jsonl", [TASK])
    answer = {"walk": {"day": date(2026, 5, 3), "start": time(10)}}
    assert planspec.write_answers(tmp_path / "answers.jsonl", {"walk": answer}) == 1
    assert planspec.score(tmp_path / "walks.tasks.jsonl", tmp_path / "answers.jsonl").passed
    planspec.write_answers(tmp_path / "answers.jsonl", [("walk", None)])
    assert json.loads((tmp_path / "answers.jsonl").read_text()) == {"task": "walk", "plan": None}


@pytest.mark.parametrize(
    ("tasks", "message"),
    [
        ([{"query": "x"}], "no `id`"),
        ([TASK, TASK], "two tasks"),
        ([{**TASK, "meta": {"x": float("nan")}}], "cannot be written"),
    ],
)
def test_bad_tasks_are_refused_and_no_file_is_written(tmp_path: Path, tasks: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        planspec.write_tasks(tmp_path / "walks.tasks.jsonl", tasks)
    assert not (tmp_path / "walks.tasks.jsonl").exists()
    with pytest.raises(ValueError, match="ends in"):
        planspec.write_tasks(tmp_path / "walks.json", [])
    with pytest.raises(TypeError, match="object"):
        planspec.write_tasks(tmp_path / "walks.tasks.jsonl", [{**TASK, "meta": {"x": object()}}])


def nested(depth: int) -> Any:
    """Return lists nested to this depth."""
    return [nested(depth - 1)] if depth else []


@pytest.mark.parametrize("value", ["\ud800", nested(150), float("inf")])
def test_data_that_no_document_can_have_are_refused(tmp_path: Path, value: Any) -> None:
    with pytest.raises(ValueError, match=r"surrogate|nest|cannot be written"):
        planspec.task({**TASK, "meta": {"x": value}})


def test_data_nested_far_too_deeply_are_refused(tmp_path: Path) -> None:
    value: Any = []
    for _ in range(5000):
        value = [value]
    with pytest.raises(ValueError, match="nested too deeply"):
        planspec.write_tasks(tmp_path / "walks.tasks.jsonl", [{**TASK, "meta": {"x": value}}])
    assert not (tmp_path / "walks.tasks.jsonl").exists()


def test_a_mistake_in_data_is_a_diagnostic() -> None:
    with pytest.raises(planspec.DiagnosticError, match="PS"):
        planspec.task({**TASK, "plam": {}})
    with pytest.raises(TypeError, match="mapping"):
        planspec.task("walk.task.yaml")  # type: ignore[arg-type]
