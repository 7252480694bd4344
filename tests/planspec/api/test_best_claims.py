"""Claims about the best plans, in commands, certificates and the Python API."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import planspec
from planspec.cli import command_line

TASK = """planspec: task/1
id: stay
query: A visit at ten, and if it can be, the cheap bed.
types:
  Hotel: inn | hut | ritz
plan:
  visit: {one: true, start: time}
  bed: {one: true, hotel: Hotel}
scope:
  visit: {start: 08:00..12:00 step 1h}
  bed: {hotel: Hotel}
unique: [visit.start]
unique_best: [bed.hotel]
constraints:
  ten:
    hard: visit.start == 10:00
  cheap:
    soft: bed.hotel == hut
"""
SEVERAL = TASK.replace("== hut", "!= hut")
NONE = TASK.replace("soft: bed.hotel == hut", "soft: bed.hotel == hut and visit.start > 11:00")
FUEL = """planspec: task/1
id: fuel
query: Five kilometres at least, as cheaply as possible.
plan: {leg: {one: true, km: int, toll: int}}
scope: {leg: {km: 0..9, toll: 0..9}}
minimize: {cost: leg.km + 2 * leg.toll}
unique_best: [leg.km, leg.toll]
constraints: {far: {hard: leg.km + leg.toll >= 5}}
"""
EVEN = FUEL.replace("2 * leg.toll", "leg.toll")


def write_task(folder: Path, text: str) -> Path:
    """Write a task to a file, and return its path."""
    path = folder / "stay.task.yaml"
    path.write_text(text)
    return path


def run(*words: object) -> int:
    """Run planspec with these arguments, and return the exit code."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", ["planspec", *map(str, words)])
        with pytest.raises(SystemExit) as left:
            command_line()
    return int(left.value.code or 0)


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        (TASK, 0, "with every soft constraint: unique within the scope (cpsat unique"),
        (SEVERAL, 1, "with every soft constraint: not unique (cpsat multiple"),
        (NONE, 1, "with every soft constraint: no plan keeps every constraint within the scope (cpsat infeasible"),
    ],
)
def test_validate_shows_both_claims(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, code: int, line: str
) -> None:
    assert run("validate", write_task(tmp_path, text)) == code
    output = capsys.readouterr().out.splitlines()
    assert output[0].startswith("stay: feasible, unique within the scope (cpsat unique")
    assert output[1].strip().startswith(line)
    assert (len(output) > 2) == (text == SEVERAL)  # `free:` names the fields that differ between the best plans


def test_the_last_line_counts_failures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, text in {"a": TASK, "b": SEVERAL, "c": NONE}.items():
        (tmp_path / f"{name}.task.yaml").write_text(text.replace("id: stay", f"id: {name}"))
    assert run("validate", tmp_path, "-q") == 1
    assert capsys.readouterr().err.endswith(
        "3 tasks: 1 as expected, 1 without a plan that keeps every constraint, 1 with several best plans\n"
    )


def test_json_has_each_claim(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("validate", write_task(tmp_path, TASK), "--beyond-scope", "--format", "json")
    (data,) = json.loads(capsys.readouterr().out)
    assert data["unique"]["scope"] == data["best"]["unique"]["scope"] == "beyond"
    assert set(data["best"]["unique"]["backends"]) == {"cpsat", "smt"}
    assert data["best"]["witness"] == {"visit": {"start": "10:00"}, "bed": {"hotel": "hut"}}


def test_each_claim_can_be_checked_from_python(tmp_path: Path) -> None:
    task = planspec.load(write_task(tmp_path, SEVERAL))
    validation = planspec.validate(task)
    assert validation.best is not None
    assert (validation.unique.status, validation.best.unique.status) == ("unique", "multiple")
    there = planspec.beyond(planspec.load(write_task(tmp_path, TASK)), best=True)
    assert there is not None
    assert there.holds


def certify_task(folder: Path, text: str, *options: str) -> tuple[Path, dict[str, Any]]:
    """Write a task and its certificate. Return the path and the content of the certificate."""
    path = write_task(folder, text)
    run("validate", path, "--certify", *options)
    certificate = folder / "certificates" / "stay.json"
    return certificate, json.loads(certificate.read_text())


@pytest.mark.parametrize("text", [TASK, SEVERAL, NONE])
def test_a_certificate_of_two_claims_is_valid_and_is_proved_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    _, data = certify_task(tmp_path, text)
    assert data["planspec"] == "certificate/2"
    assert run("validate", tmp_path / "stay.task.yaml", "--check", "--reprove") == 0
    assert "certificate valid" in capsys.readouterr().out
    one = planspec.certify(tmp_path / "stay.task.yaml")
    assert one.best is not None
    assert one.best.unique.status == data["best"]["unique"]["status"]


def test_a_certificate_of_one_claim_has_version_1(tmp_path: Path) -> None:
    _, data = certify_task(tmp_path, TASK.replace("unique_best: [bed.hotel]\n", ""))
    assert data["planspec"] == "certificate/1"
    assert "best" not in data


def use_the_expensive_hotel(data: dict[str, Any]) -> None:
    """Change a certificate: the best plan uses the more expensive hotel."""
    data["best"]["witness"]["bed"]["hotel"] = "ritz"


def remove_best_claims(data: dict[str, Any]) -> None:
    """Change a certificate: remove the claims about best plans."""
    del data["best"]
    data["planspec"] = "certificate/1"


def set_old_version(data: dict[str, Any]) -> None:
    """Change a certificate: declare the version without claims about best plans."""
    data["planspec"] = "certificate/1"


def contradict_a_back_end(data: dict[str, Any]) -> None:
    """Change a certificate: claim another result than the back ends have proved."""
    data["best"]["unique"]["status"] = "multiple"


@pytest.mark.parametrize(
    ("forge", "reason"),
    [
        (use_the_expensive_hotel, "best: the witness does not keep every constraint: it violates `cheap`"),
        (remove_best_claims, "the task has `unique_best`, and it has no claims under `best`"),
        (set_old_version, "a certificate/2 has claims under `best`, and a certificate/1 has none"),
        (contradict_a_back_end, "best: `unique` says multiple, and cpsat proved unique"),
    ],
)
def test_errors_in_the_second_claim_are_reported(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    forge: Callable[[dict[str, Any]], None],
    reason: str,
) -> None:
    path, data = certify_task(tmp_path, TASK)
    forge(data)
    path.write_text(json.dumps(data))
    assert run("validate", tmp_path / "stay.task.yaml", "--check") == 1
    assert reason in capsys.readouterr().out


def test_proving_again_finds_a_false_second_claim(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, data = certify_task(tmp_path, SEVERAL)
    data["best"]["second"] = None
    for part in (data["best"]["unique"], *data["best"]["unique"]["backends"].values()):
        part["status"] = "unique"
    path.write_text(json.dumps(data))
    assert run("validate", tmp_path / "stay.task.yaml", "--check") == 0
    capsys.readouterr()
    assert run("validate", tmp_path / "stay.task.yaml", "--check", "--reprove") == 1
    assert "best: it says unique, and multiple was proved again" in capsys.readouterr().out


def test_a_resumed_certificate_is_reused_only_if_it_proves_both_claims_as_far_as_requested(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    certify_task(tmp_path, TASK)
    capsys.readouterr()
    assert run("validate", tmp_path / "stay.task.yaml", "--certify", "--resume") == 0
    output = capsys.readouterr().out
    assert "as certified before" in output
    assert "with every soft constraint: unique within the scope" in output
    assert run("validate", tmp_path / "stay.task.yaml", "--certify", "--resume", "--beyond-scope") == 0
    output = capsys.readouterr().out
    assert "as certified before" not in output
    assert "with every soft constraint: unique beyond the scope" in output


@pytest.mark.parametrize(
    ("text", "code", "line"), [(FUEL, 0, "  the best plan: unique within"), (EVEN, 1, "  the best plan: not unique")]
)
def test_validate_shows_whether_one_plan_is_the_best_by_an_objective(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, code: int, line: str
) -> None:
    assert run("validate", write_task(tmp_path, text)) == code
    assert any(each.startswith(line) for each in capsys.readouterr().out.splitlines())


def test_a_claim_about_the_best_plan_by_an_objective_is_certified_and_proved(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    task = write_task(tmp_path, FUEL)
    assert run("validate", task, "--certify", "--proof") == 0
    capsys.readouterr()
    assert run("validate", task, "--check", "--proof") == 0
    assert "the best plan: unique within the scope, by cpsat, smt and a checked proof" in capsys.readouterr().out
    assert run("validate", task, "--check", "--reprove") == 0


@pytest.mark.parametrize(
    ("text", "witness", "reason"),
    [
        (FUEL, {"km": 4, "toll": 1}, "best: the witness is not as good as the optimum"),
        (EVEN, {"km": 5, "toll": 1}, "best: the witness is not as good as the optimum"),
        (FUEL, {"km": 1, "toll": 1}, "best: the witness does not satisfy the task"),
    ],
)
def test_a_witness_that_is_not_the_best_plan_is_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, witness: dict[str, int], reason: str
) -> None:
    task = write_task(tmp_path, text)
    run("validate", task, "--certify")
    path = tmp_path / "certificates" / "fuel.json"
    data = json.loads(path.read_text())
    data["best"]["witness"] = {"leg": witness}
    path.write_text(json.dumps(data))
    capsys.readouterr()
    assert run("validate", task, "--check") == 1
    assert reason in capsys.readouterr().out


def test_several_best_plans_are_not_claimed_without_the_best_value(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    task = write_task(tmp_path, EVEN)
    run("validate", task, "--certify")
    path = tmp_path / "certificates" / "fuel.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"optimum": None}))
    capsys.readouterr()
    assert run("validate", task, "--check") == 1
    assert (
        "best: it says that there are several best plans, and does not say what is the best" in capsys.readouterr().out
    )


def test_the_best_plan_by_an_objective_is_checked_beyond_the_scope_from_python(tmp_path: Path) -> None:
    beyond = planspec.beyond(write_task(tmp_path, FUEL), best=True)
    assert beyond is not None
    assert beyond.holds
