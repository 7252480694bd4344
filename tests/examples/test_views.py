"""Agents can solve the examples: for each, a script does so that reads only its view and no file."""

from __future__ import annotations

import json

import pytest

from planspec.agents.view import Limits
from planspec.environments import open_task
from planspec.runs.attempting import AttemptSpec, attempt
from tests.examples.reader import Reader
from tests.examples.test_examples import FOLDER, TASKS


@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS)
def test_the_view_is_enough_to_solve_an_example(task: str) -> None:
    """Every turn is answered with JSON, and the verifier passes the last answer."""
    opened = open_task(FOLDER / f"{task}.task.yaml")
    record = attempt(AttemptSpec(task, 0, 0), Reader(), "reader", opened, Limits())
    assert record.failure is None, record.failure
    assert record.verdict["status"] == "pass", record.verdict["findings"]
    assert len(record.turns) == len(opened.judges)


@pytest.mark.parametrize("task", TASKS)
def test_a_view_names_every_table_and_column_of_the_plan(task: str) -> None:
    """The brief and the schema for models contain the names."""
    opened = open_task(FOLDER / f"{task}.task.yaml")
    view = opened.view(0, [], Limits(), 0)
    assert view.schema is not None
    for table in opened.judge.task.plan_tables:
        assert f"`{table.name}`" in view.brief
        row = view.schema["properties"][table.name]
        assert set((row if table.one else row["items"])["properties"]) == set(table.columns)
        assert all(f"`{column}`" in view.brief for column in table.columns)


def test_a_view_does_not_reveal_the_reference() -> None:
    """In the one example with an answer of words, no text of the view contains a row of the answer."""
    opened = open_task(FOLDER / "meetings.task.yaml")
    view = opened.view(0, [], Limits(), 0)
    view_text = json.dumps([view.query, view.brief, dict(view.materials), view.schema])
    answer = json.loads((FOLDER / "answers" / "meetings.reference.json").read_text("utf-8"))
    assert not any(f"{row['meeting']},{row['room']}" in view_text for row in answer["bookings"])
    assert "look-back" not in view_text, "the rules of the task are not shown"
