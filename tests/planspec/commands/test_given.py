"""`--given` replaces values of a task's givens for one call of a command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import planspec
from planspec.errors import NotFoundError
from tests.planspec.api.test_best_claims import run
from tests.planspec.commands.calls import call, commands_with

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


OTHERS = {"check", "test", "score", "tighten", "compare", "tour"}
"""Commands that have tests of their own because they read several tasks or write a task."""
EXIT_CODES = {"verify": (1, 0), "why": (1, 1), "dimacs": (1, 1)}
"""Exit codes with the task's value and with another one, for the commands that do not exit with 0 in both cases."""


@pytest.mark.parametrize("command", [name for name in commands_with("--given") if name not in OTHERS])
def test_every_command_on_one_task_takes_other_values_for_givens(
    command: str, task: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = call(command, TASKS="trip", ANSWER="nine.json", NEW="out.cnf")
    codes = run(*words), run(*words, "--given", "opens=09:00")
    assert codes == EXIT_CODES.get(command, (0, 0))
    capsys.readouterr()
    assert run(*words, "--given", "opens=[") == 2
    assert "--> --given:" in capsys.readouterr().err
    assert run(*words, "--given", "open=09:00") == 2
    assert "has no given `open`; did you mean `opens`?" in capsys.readouterr().err
    for wrong in ("opens", "=9:00", "a b=1"):
        assert run(*words, "--given", wrong) == 2
        assert "is not of the form NAME=VALUE" in capsys.readouterr().err
    assert task.read_text() == TASK


def test_claims_are_proved_for_the_values_given_on_the_command_line(
    task: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("validate", task, "--given", "opens=12:00", "--format", "json") == 0
    assert json.loads(capsys.readouterr().out)[0]["unique"]["status"] == "unique"
    assert run("validate", task, "--given", "closed=true") == 1
    assert run("why", task, "--given", "closed=true", "--given", "opens=08:00") == 0
    assert run("validate", task, "--given", "closed=true", "--given", "closed=false") == 2
    assert run("validate", task, "--given", "closed=true", "--certify") == 2
    assert run("validate", task, "--given", "closed=true", "--check") == 2


def test_a_value_also_replaces_the_values_of_turns(task: Path, capsys: pytest.CaptureFixture[str]) -> None:
    task.write_text(TURNS)
    assert [planspec.load(f"trip@{turn}").givens["opens"] for turn in (1, 2)] == [600, 720]
    assert [planspec.load(f"trip@{turn}", given={"opens": "11:00"}).givens["opens"] for turn in (1, 2)] == [660, 660]
    assert run("validate", task, "--given", "opens=12:00", "--format", "json") == 0
    assert [each["unique"]["status"] for each in json.loads(capsys.readouterr().out)] == ["unique", "unique"]


def test_values_given_from_python_may_be_python_objects(task: Path) -> None:
    plain, closed = planspec.load(task), planspec.load(task, given={"closed": True})
    assert (plain.givens["closed"], closed.givens["closed"]) == (False, True)
    assert plain.hash != closed.hash
    with pytest.raises(NotFoundError, match="has no given `nothing`"):
        planspec.load(task, given={"nothing": 1})


# -- commands on suites ------------------------------------------------------------------------------

CASES = TASK + "cases:\n  nine:\n    answer: nine.json\n    violates: [open]\n"
ROUND = """planspec: task/1
id: round
query: One visit.
given: {latest: 10:00, note: "a, b"}
tables:
  Slot:
    columns: {at: key time}
    rows: [{at: 09:00}, {at: 10:00}, {at: 11:00}]
removable: [Slot]
plan: {visit: {one: true, start: time}}
scope: {visit: {start: 09:00..11:00 step 1h}}
constraints:
  free: {hard: any(s.at == visit.start for s in Slot)}
  end: {hard: visit.start <= latest}
"""


def refuses_unknown_names(capsys: pytest.CaptureFixture[str], *words: object) -> bool:
    """Return whether a command refuses a value for a given that the task lacks."""
    capsys.readouterr()
    code = run(*words, "--given", "hours=2")
    return code == 2 and "has no given `hours`; it has `" in capsys.readouterr().err


def test_the_command_test_judges_cases_with_values_for_givens(task: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert refuses_unknown_names(capsys, "test", task)  # the task has no cases
    task.write_text(CASES)
    assert (run("test", task), run("test", task, "--given", "opens=09:00")) == (0, 1)
    assert refuses_unknown_names(capsys, "test", ".")
    assert run("test", task, "--suggest", "--given", "opens=09:00") == 2
    assert "suggested cases are of the task as written" in capsys.readouterr().err
    assert [planspec.test(task, given=values).as_expected for values in (None, {"opens": "09:00"})] == [True, False]
    with pytest.raises(ValueError, match="a checked task keeps its values"):
        planspec.test(planspec.load(task), given={"opens": "09:00"})


def test_compare_reads_both_versions_with_the_given_values(task: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = task.with_name("other.task.yaml")
    other.write_text(TASK.replace("id: trip", "id: other").replace("opens: 10:00", "opens: 11:00"))
    assert (run("compare", task, other), run("compare", task, other, "--given", "opens=09:00")) == (1, 0)
    assert refuses_unknown_names(capsys, "compare", task, other)
    assert planspec.compare(task, other, given={"opens": "09:00"}).same
    with pytest.raises(ValueError, match="a checked task keeps its values"):
        planspec.compare(planspec.load(task), other, given={"opens": "09:00"})


def test_a_tightened_task_has_the_given_values(task: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = task.with_name("round.task.yaml")
    path.write_text(ROUND)
    task.with_name("keep.json").write_text('{"visit": {"start": "10:00"}}')
    words = ("tighten", path, "--keep", "keep.json", "-o", "new.task.yaml")
    assert run(*words, "--given", "latest=11:00") == 0
    new = planspec.load("new.task.yaml")
    assert (new.givens, len(new.facts["Slot"].rows)) == ({"latest": 660, "note": "a, b"}, 1)
    assert planspec.validate(new).unique.status == "unique"
    assert refuses_unknown_names(capsys, *words)
    path.write_text(ROUND.replace("query: One visit.\n", "turns: [{query: One.}, {query: Later.}]\n"))
    assert run(*words, "--given", "latest=11:00") == 2
    assert "has turns: write the values into a copy of it" in capsys.readouterr().err


def test_a_suite_s_tasks_are_tightened_with_the_given_values(task: Path, capsys: pytest.CaptureFixture[str]) -> None:
    task.with_name("round.task.yaml").write_text(ROUND + "reference: {visit: {start: 10:00}}\n")
    task.with_name("rounds.suite.yaml").write_text("planspec: suite/1\nid: rounds\ntasks: [round.task.yaml]\n")
    assert run("tighten", "rounds", "-o", "new", "--given", "latest=11:00") == 0
    assert planspec.load("new/round.task.yaml").givens["latest"] == 660
    assert refuses_unknown_names(capsys, "tighten", "rounds", "-o", "new")


def test_check_finds_mistakes_caused_by_the_given_values(task: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("check", task) == 0
    assert run("check", task, "--given", "opens=12:00") == 0
    assert run("check", task, "--given", "opens=noon") == 2
    assert "error[PS301]" in capsys.readouterr().out
    assert run("check", task, "--given", "opens=[") == 2
    assert "--> --given:" in capsys.readouterr().out
    assert refuses_unknown_names(capsys, "check", ".")
    assert planspec.check(task, given={"opens": "noon"})
    task.with_name("places.world.yaml").write_text("planspec: world/1\nid: places\n")
    assert run("check", "places.world.yaml", "--given", "opens=noon") == 2
    assert "no task was checked that could have a given `opens`" in capsys.readouterr().err


def test_tour_applies_given_values_to_the_task_of_a_plan(task: Path, capsys: pytest.CaptureFixture[str]) -> None:
    task.with_name("stops.task.yaml").write_text(
        "planspec: task/1\nid: stops\nquery: A walk.\ngiven: {north: 60}\n"
        "tables:\n  Stop:\n    columns: {name: key text, lat: decimal, lon: decimal}\n"
        '    rows: [{name: a, lat: "52.5", lon: "13.4"}, {name: b, lat: "52.6", lon: "13.4"}]\n'
        "plan: {walk: {stop: key Stop}}\nconstraints: {south: {hard: all(w.stop.lat < north for w in walk)}}\n"
    )
    plan = task.with_name("walk.json")
    plan.write_text('{"task": "stops", "plan": {"walk": [{"stop": "a"}, {"stop": "b"}]}}')
    assert run("tour", plan, "--given", "north=70") == 0
    assert capsys.readouterr().out.startswith("optimal: 2 nodes")
    assert refuses_unknown_names(capsys, "tour", plan)
    task.with_name("points.csv").write_text("name,lat,lon\na,1,2\nb,2,3\n")
    assert run("tour", "points.csv", "--given", "north=70") == 2
    assert "--given is for the task of a plan" in capsys.readouterr().err
