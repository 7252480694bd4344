"""Each operation has the same result on the command line and in Python."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

import planspec
from planspec.api.catalog import Catalog
from planspec.api.claim_outputs import validate_output
from planspec.api.conflict_outputs import conflict_output
from planspec.api.conversation import judges, turn_outcomes
from planspec.api.oracles import best_plan
from planspec.api.outputs.base import Output
from planspec.api.search import Limits
from planspec.api.search_outputs import difficulty_output, solve_output
from planspec.dsl.diagnostics.rendering import render_json
from tests.lengths import try_few
from tests.paths import ROOT
from tests.planspec.commands.test_command_line import run

EFFORT = Limits(seconds=None, effort=20.0)
JSON = ("--format", "json")
OPTIONS = ("--effort", "20", *JSON)
TIMES = ("seconds", "search", "by")
"""Keys whose values depend on the machine's speed. The second solver gets only the time that the first one leaves."""


EXAMPLES, VERITRIP = "tasks/examples/examples.suite.yaml", "tasks/veritrip/suite.yaml"
SUITES = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "tasks").glob("*/*suite.yaml"))


@pytest.fixture
def task(suite: str) -> str:
    """Return the path of the first task of a shipped suite."""
    return str(Catalog().expand(str(ROOT / suite))[0])


def remove_times(value: Any) -> Any:
    """Return JSON without keys that depend on the time."""
    if isinstance(value, dict):
        return {key: remove_times(part) for key, part in value.items() if key not in TIMES}
    return [remove_times(part) for part in value] if isinstance(value, list) else value


def as_json(output: Output) -> Any:
    return remove_times(json.loads(output.model_dump_json()))


Call = Any
"""Function that runs a command line and returns the JSON output."""


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    def call(*words: str, options: tuple[str, ...] = OPTIONS) -> Any:
        return remove_times(json.loads(run(monkeypatch, capsys, *words, *options)[1]))

    return call


@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.parametrize("suite", try_few(SUITES, {EXAMPLES, VERITRIP}))
def test_solve_from_python_finds_a_plan_with_the_same_verdict_as_the_command(
    task: str, command: Call, tmp_path: Path
) -> None:
    """With several threads, a solver may find different plans, but their verdicts are equal."""
    printed, found = command("solve", task), as_json(solve_output(planspec.solve(task, limits=EFFORT)))
    plans = [printed.pop("plan"), found.pop("plan")]
    assert printed == found
    if plans == [None, None]:
        assert printed["status"] == "infeasible"
        return
    answer = tmp_path / "answer.json"
    verdicts = []
    for plan in plans:
        answer.write_text(json.dumps({"task": task, "plan": plan}), "utf-8")
        verdicts.append(command("verify", str(answer), options=JSON))
    assert verdicts[0] == verdicts[1]
    assert verdicts[0]["status"] == "pass"


@pytest.mark.thorough
@pytest.mark.parametrize("suite", SUITES)
def test_solve_from_python_finds_plans_with_the_same_verdicts_in_a_whole_suite(
    suite: str, command: Call, tmp_path: Path
) -> None:
    for reference in Catalog().expand(str(ROOT / suite)):
        test_solve_from_python_finds_a_plan_with_the_same_verdict_as_the_command(str(reference), command, tmp_path)


@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.parametrize("suite", try_few(SUITES, {EXAMPLES, VERITRIP}))
def test_validate_from_python_proves_the_claims_of_the_command(task: str, command: Call) -> None:
    outputs = []
    for outcome in turn_outcomes(judges(task), limits=EFFORT):
        has_best = bool(outcome.judge.task.objectives) and outcome.validation.feasible.status == "feasible"
        optimum = best_plan(outcome.judge, limits=EFFORT) if has_best else None
        outputs.append(validate_output(outcome, optimum=optimum))
    printed = command("validate", task)
    assert printed == [as_json(output) for output in outputs]
    validation = planspec.validate(task, limits=EFFORT)
    assert (printed[-1]["feasible"]["status"], printed[-1]["unique"]["status"]) == (
        validation.feasible.status,
        validation.unique.status,
    )


@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.parametrize("suite", try_few(SUITES, {EXAMPLES, VERITRIP}))
def test_difficulty_from_python_has_the_measures_of_the_command(task: str, command: Call) -> None:
    measured = planspec.difficulty(task, most=20, limits=EFFORT)
    assert command("difficulty", task, "--most", "20") == [as_json(difficulty_output(planspec.load(task), measured))]


@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.parametrize("suite", try_few(SUITES, {EXAMPLES, VERITRIP}))
def test_why_and_repair_agree(task: str, command: Call, tmp_path: Path) -> None:
    judge = planspec.Judge(task)
    conflict = planspec.why(task, limits=EFFORT)
    assert command("why", task) == as_json(conflict_output(judge.task, conflict))
    answer = tmp_path / "answer.json"
    answer.write_text(json.dumps({"task": task, "plan": planspec.solve(task, limits=EFFORT).answer}), "utf-8")
    repair = planspec.repair(task, answer, limits=EFFORT)
    assert repair.edits == ()
    printed = command("repair", str(answer))
    assert (printed["status"], printed["edits"]) == ("already-valid", [])


@pytest.mark.slow
@pytest.mark.parametrize("suite", try_few(SUITES, {EXAMPLES, VERITRIP}))
def test_verify_from_python_gives_the_verdicts_of_the_command(task: str, command: Call, tmp_path: Path) -> None:
    checked = planspec.load(task)
    empty: dict[str, list[object]] = {table.name: [] for table in checked.plan_tables}
    for plan in (checked.reference, empty):
        answer = tmp_path / "answer.json"
        answer.write_text(json.dumps({"task": task, "plan": plan}, default=str), "utf-8")
        verdict = planspec.verify(checked, answer)
        expected = remove_times(json.loads(TypeAdapter(type(verdict)).dump_json(verdict)))
        assert command("verify", str(answer), options=JSON) == expected


@pytest.mark.sampled(4)
@pytest.mark.slow
@pytest.mark.parametrize("suite", SUITES)
def test_check_from_python_finds_the_mistakes_of_the_command(task: str, command: Call) -> None:
    assert command("check", task, options=JSON) == render_json(planspec.check([task])) == []
