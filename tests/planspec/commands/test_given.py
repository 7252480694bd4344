"""`--given` replaces values of a task's givens for one call of a command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import planspec
from planspec.errors import NotFoundError
from tests.planspec.api.test_best_claims import run

TASK = """planspec: task/1
id: trip
query: A visit.
given: {opens: 10:00, closed: false}
plan: {visit: {one: true, start: time}}
scope: {visit: {start: 08:00..12:00 step 1h}}
constraints:
  open: {hard: visit.start >= opens}
  shut: {hard: not closed}
"""
TURNS = TASK.replace("query: A visit.\n", "turns: [{query: A visit.}, {query: Later., given: {opens: 12:00}}]\n")


@pytest.fixture
def task(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "trip.task.yaml"
    path.write_text(TASK)
    (tmp_path / "nine.json").write_text('{"visit": {"start": "09:00"}}')
    return path


@pytest.mark.parametrize(
    ("words", "without", "changed"),
    [
        (["verify", "trip", "nine.json"], 1, 0),
        (["validate", "trip", "--backends", "cpsat"], 0, 0),
        (["repair", "nine.json", "--task", "trip"], 0, 0),
        (["solve", "trip"], 0, 0),
        (["difficulty", "trip"], 0, 0),
        (["dimacs", "trip", "-o", "out.cnf"], 0, 0),
        (["tasks", "show", "trip"], 0, 0),
        (["why", "trip"], 1, 1),
    ],
)
def test_every_command_on_one_task_takes_other_values(
    words: list[str], without: int, changed: int, task: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if words[0] != "dimacs":
        assert run(*words) == without
        assert run(*words, "--given", "opens=09:00") == changed
    capsys.readouterr()
    assert run(*words, "--given", "opens=[") == 2
    assert "--> --given:" in capsys.readouterr().err
    assert run(*words, "--given", "open=09:00") == 2
    assert "has no given `open`; did you mean `opens`?" in capsys.readouterr().err
    for wrong in ("opens", "=9:00", "a b=1"):
        assert run(*words, "--given", wrong) == 2
        assert "is not of the form NAME=VALUE" in capsys.readouterr().err
    assert task.read_text() == TASK


def test_several_values_change_what_is_proved(task: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("validate", task, "--given", "opens=12:00", "--format", "json") == 0
    assert json.loads(capsys.readouterr().out)[0]["unique"]["status"] == "unique"
    assert run("validate", task, "--given", "closed=true") == 1
    assert run("why", task, "--given", "closed=true", "--given", "opens=08:00") == 0
    assert run("validate", task, "--given", "closed=true", "--given", "closed=false") == 2
    assert run("validate", task, "--given", "closed=true", "--certify") == 2
    assert run("validate", task, "--given", "closed=true", "--check") == 2


def test_a_value_also_replaces_those_of_turns(task: Path, capsys: pytest.CaptureFixture[str]) -> None:
    task.write_text(TURNS)
    assert [planspec.load(f"trip@{turn}").givens["opens"] for turn in (1, 2)] == [600, 720]
    assert [planspec.load(f"trip@{turn}", given={"opens": "11:00"}).givens["opens"] for turn in (1, 2)] == [660, 660]
    assert run("validate", task, "--given", "opens=12:00", "--format", "json") == 0
    assert [each["unique"]["status"] for each in json.loads(capsys.readouterr().out)] == ["unique", "unique"]


def test_from_python_values_may_be_python_s_own(task: Path) -> None:
    plain, closed = planspec.load(task), planspec.load(task, given={"closed": True})
    assert (plain.givens["closed"], closed.givens["closed"]) == (False, True)
    assert plain.hash != closed.hash
    with pytest.raises(NotFoundError, match="has no given `nothing`"):
        planspec.load(task, given={"nothing": 1})
