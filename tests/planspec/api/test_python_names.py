"""Public functions accept tasks and answers in several forms. An error names the wrong argument."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

import planspec
from planspec.solvers.backends.outcome import Status
from tests.planspec.commands.test_command_line import GOOD, TINY, folder, run

__all__ = ["folder"]

PRICED = """\
planspec: task/1
id: priced
currency: EUR
query: The cheaper seat.
types: {Seat: stalls | box}
plan: {ticket: {seat: key Seat, day: key date, price: key money}}
scope:
  ticket:
    - {for: s in Seat, seat: s, day: 2026-07-01, price: 20.00 EUR if s == stalls else 35.50 EUR, optional: true}
constraints:
  one: {hard: count(t for t in ticket) == 1}
minimize: sum(t.price for t in ticket)
"""


def envelope() -> dict[str, Any]:
    return {"task": "tiny", "plan": GOOD}


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "task",
    ["tiny", "tiny.task.yaml", Path("tiny.task.yaml"), planspec.loads(TINY)],
    ids=["id", "name", "path", "task"],
)
def test_every_function_takes_a_task_its_path_or_its_id(task: Any) -> None:
    assert planspec.verify(task, GOOD).status == "pass"
    assert planspec.solve(task, limits=20).status is Status.OPTIMAL
    assert planspec.validate(task).unique.status == "unique"
    result = planspec.why(task)
    assert result.mus_sets == result.muses == ()
    assert planspec.repair(task, GOOD).edits == ()
    assert planspec.count(task).count == 1
    core = planspec.backbone(task)
    assert core is not None and core.share == 1
    assert planspec.difficulty(task).feasible == "feasible"
    assert [d.code for d in planspec.lint(task)] == ["PS429", "PS429", "PS426"]
    assert planspec.certify(task).task == "tiny"
    assert planspec.check(task) == ()
    assert planspec.check([task]) == ()
    assert planspec.Judge(task).task.id == "tiny"


MISTAKEN: dict[str, Callable[[Any], object]] = {
    "solve-number": lambda api: api.solve(3),
    "load-none": lambda api: api.load(None),
    "load-text": lambda api: api.load(TINY),
    "loads-path": lambda api: api.loads(Path("tiny.task.yaml")),
    "check-number": lambda api: api.check(4),
    "check-numbers": lambda api: api.check([4]),
    "follow-task": lambda api: api.follow(api.load("tiny")),
    "limits-text": lambda api: api.solve("tiny", limits="soon"),
    "limits-truth": lambda api: api.validate("tiny", limits=True),
    "encode-json": lambda api: api.encode("tiny", GOOD),
    "verify-set": lambda api: api.verify("tiny", {1}),
    "verify-solution": lambda api: api.verify("tiny", api.solve("tiny")),
    "verify-plan-of-another": lambda api: api.verify("tiny", api.solve(api.loads(PRICED)).plan),
    "repair-object": lambda api: api.repair("tiny", object()),
    "tighten-task": lambda api: api.tighten(api.load("tiny"), GOOD, "new.task.yaml"),
}


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("call", MISTAKEN.values(), ids=MISTAKEN)
def test_a_wrong_argument_is_named_in_the_error(call: Callable[[Any], object]) -> None:
    with pytest.raises(TypeError, match=r" not |`loads` takes its text|of another task"):
        call(planspec)


def test_an_envelope_may_be_a_string_a_mapping_or_a_file(folder: Path) -> None:
    for answer in (envelope(), json.dumps(envelope()), Path("good.json"), {"plan": GOOD}, GOOD):
        assert planspec.verify("tiny", answer).status == "pass"
    assert planspec.repair("tiny", envelope()).edits == ()
    with pytest.raises(FileNotFoundError):
        planspec.verify("tiny", folder / "missing.json")


@pytest.mark.parametrize("form", [lambda answer: answer, json.dumps], ids=["decoded", "text"])
def test_a_plan_table_may_have_the_name_plan(form: Callable[[Any], Any], folder: Path) -> None:
    task = planspec.loads(TINY.replace("calls", "plan").replace("id: tiny", "id: own"))
    rows = {"plan": GOOD["calls"]}
    for answer in (rows, {"task": "own", "plan": rows}):
        assert planspec.verify(task, form(answer)).status == "pass"
    (folder / "own.task.yaml").write_text(
        TINY.replace("calls", "plan").replace("id: tiny", "id: own") + f"reference: {json.dumps(rows)}\n"
    )
    assert planspec.Judge("own").reference_plan() is not None
    with pytest.raises(OSError, match="regular"):
        planspec.verify(task, Path("/dev/zero"))


@pytest.mark.usefixtures("folder")
def test_a_string_is_read_as_an_answer_and_never_as_a_file_name() -> None:
    assert planspec.verify("tiny", "good.json").status == "undelivered"


@pytest.mark.sampled(3)
@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("reference", ["good.json", json.dumps(envelope()), json.dumps(GOOD)])
def test_a_reference_may_be_an_envelope(reference: str, folder: Path, monkeypatch: Any, capsys: Any) -> None:
    (folder / "own.task.yaml").write_text(TINY.replace("id: tiny", "id: own") + f"reference: {reference}\n")
    assert planspec.Judge("own").reference_plan() is not None
    code, out, _ = run(monkeypatch, capsys, "validate", "own")
    assert (code, "the reference is accepted" in out) == (0, True)


def test_a_refused_reference_is_explained(folder: Path, monkeypatch: Any, capsys: Any) -> None:
    swapped = {"calls": [{**GOOD["calls"][0], "who": "bert"}, {**GOOD["calls"][1], "who": "anna"}]}
    (folder / "own.task.yaml").write_text(TINY.replace("id: tiny", "id: own") + f"reference: {json.dumps(swapped)}\n")
    code, out, _ = run(monkeypatch, capsys, "validate", "own")
    assert code == 1
    assert "the reference is NOT accepted\n  x hard  order" in out
    assert "anna comes first" in out
    _, out, _ = run(monkeypatch, capsys, "validate", "own", "--format", "json")
    reference = json.loads(out)[0]["reference"]
    assert (reference["present"], reference["accepted"], reference["verdict"]["status"]) == (
        True,
        False,
        "fail",
    )
    _, out, _ = run(monkeypatch, capsys, "validate", "tiny", "--format", "json")
    assert json.loads(out)[0]["reference"] == {"present": False, "accepted": False, "verdict": None}


@pytest.mark.slow
@pytest.mark.usefixtures("folder")
def test_a_solution_has_its_answer_and_its_objective_with_its_unit() -> None:
    result = planspec.solve("tiny")
    assert result.answer == GOOD
    assert json.loads(json.dumps(result.answer)) == GOOD
    assert (result.value, result.unit, str(result)) == (
        Fraction(60),
        "min",
        "tiny: optimal, soft weight 0/1, objective 1h",
    )
    priced = planspec.loads(PRICED)
    cheap = planspec.solve(priced)
    assert (cheap.value, cheap.unit) == (Fraction(2000), "1/100 EUR")
    assert str(cheap) == "priced: optimal, objective 20.00 EUR"
    assert planspec.solve("berlin-002").unit is None


@pytest.mark.slow
@pytest.mark.usefixtures("folder")
def test_plans_from_another_load_of_the_task_get_the_same_verdict() -> None:
    plan = planspec.solve("berlin-002").plan
    assert plan is not None
    assert planspec.verify("berlin-002", plan).status == "pass"
    assert planspec.repair("berlin-002", plan).edits == ()
    answer = planspec.encode("berlin-002", plan)
    assert planspec.verify("berlin-002", answer).status == "pass"


@pytest.mark.usefixtures("folder")
def test_every_result_has_a_short_repr_of_one_line() -> None:
    task = planspec.load("berlin-001")
    result, checked = planspec.solve("tiny"), planspec.validate("tiny")
    verdict = planspec.verify("tiny", {"calls": []})
    for value in (task, result, result.plan, checked, verdict, checked.witness):
        assert "\n" not in repr(value)
        assert len(repr(value)) < 600
    assert repr(task).startswith("<Task berlin-001, worldtravel: ")
    assert repr(result.plan) == "<Plan: 2 calls>"
    assert repr(verdict) == "<Verdict fail, tiny: hard 1/2, soft 0/1>"
    assert str(verdict).splitlines()[-1] == "fail  tiny: hard 1/2, soft 0/1"


def test_rows_show_days_and_amounts_as_the_language_writes_them() -> None:
    plan = planspec.solve(planspec.loads(PRICED)).plan
    assert plan is not None
    assert repr(plan.tables["ticket"][0]).startswith("ticket[stalls, 2026-07-01, 20.00")


def test_the_version_is_that_of_the_distribution() -> None:
    assert planspec.__version__ == version("planspec")


@pytest.mark.parametrize("limits", [0, -1, -0.5])
@pytest.mark.usefixtures("folder")
def test_a_time_limit_must_be_positive(limits: float) -> None:
    with pytest.raises(ValueError, match="leaves no time"):
        planspec.solve("tiny", limits=limits)


@pytest.mark.usefixtures("folder")
def test_the_error_names_rows_that_are_given_in_place_of_json() -> None:
    plan = planspec.solve("tiny").plan
    assert plan is not None
    verdict = planspec.verify("tiny", dict(plan.tables))
    assert verdict.status != "pass"
    assert any("not JSON but a `" in finding.message for finding in verdict.findings)
