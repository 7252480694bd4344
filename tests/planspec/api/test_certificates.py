"""Certificates match the current text of their tasks, have passing plans, and are proved again on request."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

import planspec
from planspec.api.catalog import Catalog
from planspec.api.certificate_check import check
from planspec.api.certificates import Certificate, certificate_path, certify, write
from planspec.api.conversation import judges
from planspec.api.judging import Judge
from planspec.api.loading import load
from planspec.cli import command_line
from planspec.dsl.model.proof_hash import proof_hash
from planspec.dsl.resources.limits import FILE_BYTES
from planspec.dsl.workspace.workspace import Workspace
from planspec.solvers.backends.outcome import Limits
from planspec.solvers.questions.validation import validate
from tests.lengths import try_one_in

TASK = """planspec: task/1
id: two
query: Two visits, one after the other.
plan:
  visits: {n: key int, start: time}
scope:
  visits:
    - {n: 1, start: 9:00}
    - n: 2
      start: {8:00, 10:00}
constraints:
  order:
    hard: visits[1].start < visits[2].start
reference: two.json
"""
ANSWER = {"visits": [{"n": 1, "start": "09:00"}, {"n": 2, "start": "10:00"}]}


@pytest.fixture
def task(tmp_path: Path) -> Path:
    path = tmp_path / "two.task.yaml"
    path.write_text(TASK)
    (tmp_path / "two.json").write_text(json.dumps(ANSWER))
    return path


def write_certificate(task: Path) -> Path:
    """Prove the claims of a task, write its certificate, and return the certificate's path."""
    judge = Judge(load(task))
    path = certificate_path(task, judge.task.id)
    write(certify(judge, validate(judge.ground), Limits()), path)
    return path


def status(task: Path) -> tuple[str, list[str]]:
    """Return the status of a task's certificate, and the reasons for it."""
    judge = Judge(load(task))
    result = check(judge, certificate_path(task, judge.task.id))
    return result.status, result.reasons


WORKSPACE = Workspace()
"""Workspace of the shipped tasks, so that libraries are checked once."""
SHIPPED = sorted(
    path
    for pattern in ("*/*.task.yaml", "*/tasks/*.yaml", "*/near-misses/*.yaml")
    for path in Path(planspec.__file__).with_name("tasks").glob(pattern)
    if path.name != "suite.yaml"
)
IMPOSSIBLE = {"travelplanner-small/tasks/13.yaml", "travelplanner-small/tasks/14.yaml"}
"""Shipped tasks that intentionally have no plan."""


@pytest.mark.slow
def test_the_pattern_matches_exactly_the_shipped_tasks() -> None:
    assert {entry.path for entry in Catalog().tasks()} == set(SHIPPED)


@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.parametrize("path", try_one_in(24, SHIPPED), ids=lambda p: p.name)
def test_every_shipped_task_has_a_valid_certificate(path: Path) -> None:
    """A task with turns has a certificate for each turn."""
    for judge in judges(path, workspace=WORKSPACE):
        file = certificate_path(path, judge.task.id)
        # test_shipped_proofs checks certificates that have proofs.
        if not list(file.parent.glob(f"{judge.task.id}.*lrat.gz")):
            assert check(judge, file).reasons == []
        data = Certificate.model_validate_json(file.read_bytes())
        impossible = path.parent.name == "near-misses" or any(path.as_posix().endswith(name) for name in IMPOSSIBLE)
        assert data.feasible.status == ("infeasible" if impossible else "feasible")
        assert data.unique.status == "unique" or "worldtravel" not in str(path)
        for claim in (data.feasible, data.unique):
            assert set(claim.backends) == {"cpsat", "smt"}
            assert all(proof.version for proof in claim.backends.values())
            assert impossible or all(proof.statistics for proof in claim.backends.values())


def test_a_certificate_records_claims_back_ends_and_limits(task: Path) -> None:
    data = json.loads(write_certificate(task).read_text())
    assert data["task"] == "two"
    assert data["hash"] == proof_hash(load(task))
    assert data["witness"] == ANSWER
    assert data["limits"] == {"seconds": 60.0, "effort": None, "workers": 1, "seed": 0}
    assert data["unique"]["backends"]["smt"]["status"] == "unique"
    assert status(task) == ("valid", [])


@pytest.mark.parametrize("name", ["two.task.yaml", "two.json"])
def test_a_certificate_remains_valid_after_a_change_that_no_proof_reads(task: Path, name: str) -> None:
    write_certificate(task)
    path = task.with_name(name)
    path.write_text(path.read_text().replace("9:00}", "9:00}  # at nine") + "\n")
    assert status(task)[0] == "valid"


def test_a_moved_task_keeps_its_certificate(task: Path, tmp_path: Path) -> None:
    write_certificate(task)
    moved = tmp_path / "elsewhere"
    moved.mkdir()
    for name in ("two.task.yaml", "two.json"):
        shutil.copy(task.with_name(name), moved / name)
    shutil.copytree(tmp_path / "certificates", moved / "certificates")
    assert status(moved / "two.task.yaml") == ("valid", [])


def set_status(data: dict[str, Any], claim: str, status: str) -> None:
    """Change a certificate: let all back ends prove this status of a claim."""
    data[claim]["status"] = status
    for proof in data[claim]["backends"].values():
        proof["status"] = status


def claim_infeasible(data: dict[str, Any]) -> None:
    """Change a certificate: claim that there is no plan."""
    set_status(data, "feasible", "infeasible")
    set_status(data, "unique", "infeasible")


def claim_unique_beside_infeasible(data: dict[str, Any]) -> None:
    """Change a certificate: claim that there is no plan, and that the plan is unique."""
    set_status(data, "feasible", "infeasible")
    data["witness"] = None


def use_the_reordered_witness_as_second_plan(data: dict[str, Any]) -> None:
    """Change a certificate: claim a second plan, which is the witness with its rows in reverse order."""
    set_status(data, "unique", "multiple")
    data["second"] = {"visits": list(reversed(data["witness"]["visits"]))}


def remove_back_ends(data: dict[str, Any]) -> None:
    """Change a certificate: remove the back ends that have proved the claims."""
    data["feasible"]["backends"] = data["unique"]["backends"] = {}


FORGERIES: dict[str, tuple[Any, str]] = {
    "leans on nothing of the plan": (
        lambda m: m["unique"].update(leans_on=["scope:nope.x"]),
        "the plan has no such table or column",
    ),
    "witness fails": (lambda m: m["witness"]["visits"][1].update(start="08:00"), "the witness does not satisfy"),
    "no witness": (lambda m: m.update(witness=None), "says feasible and has no witness"),
    "of another task": (lambda m: m.update(task="three"), "the certificate of `three`"),
    "several without a second": (lambda m: set_status(m, "unique", "multiple"), "says multiple and has no second plan"),
    "second is the witness": (use_the_reordered_witness_as_second_plan, "the second plan is the witness"),
    "unique with a second": (lambda m: m.update(second=ANSWER), "says unique and has a second plan"),
    "another format": (lambda m: m.update(planspec="certificate/3"), "planspec: Input should be 'certificate/1'"),
    "no back ends": (remove_back_ends, "`feasible` has no proof by cpsat"),
    "one back end": (lambda m: m["unique"]["backends"].pop("smt"), "`unique` has no proof by smt"),
    "a back end says otherwise": (
        lambda m: m["unique"]["backends"]["smt"].update(status="multiple"),
        "`unique` says unique, and smt proved multiple",
    ),
    "an invented back end": (
        lambda m: m["unique"]["backends"].update(magic=m["unique"]["backends"]["smt"]),
        "unique.backends.magic",
    ),
    "no such status": (lambda m: m["unique"].update(status="banana"), "unique.status"),
    "undecided": (lambda m: m["feasible"].update(status="unknown"), "feasible.status"),
    "unique beside infeasible": (claim_unique_beside_infeasible, "it says infeasible and unique"),
    "infeasible with a witness": (claim_infeasible, "says infeasible and has a witness"),
    "negative time": (
        lambda m: m["unique"]["backends"]["smt"].update(seconds=-5),
        "unique.backends.smt.seconds",
    ),
    "negative limit": (lambda m: m["limits"].update(seconds=-1), "limits.seconds"),
    "an unknown key": (lambda m: m.update(x=1), "x: Extra inputs"),
}
"""Changes of a certificate by name, each with a part of the reason for which the certificate is refused."""


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forged_certificate_is_wrong(task: Path, name: str) -> None:
    forge, reason = FORGERIES[name]
    path = write_certificate(task)
    data = json.loads(path.read_text())
    forge(data)
    path.write_text(json.dumps(data))
    result, reasons = status(task)
    assert result == "wrong"
    assert any(reason in text for text in reasons), reasons


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"null",
        b"[]",
        b"\0",
        b"[" * 100_000,
        '{"planspec": "certificate/1"}'.encode("utf-16"),
        b'{"seed": NaN}',
    ],
    ids=["empty", "null", "list", "nul", "deep", "utf-16", "nan"],
)
def test_a_file_that_is_not_a_certificate_is_wrong(task: Path, text: bytes) -> None:
    write_certificate(task).write_bytes(text)
    result, (reason,) = status(task)
    assert result == "wrong"
    assert "is no certificate" in reason


def test_a_certificate_is_read_up_to_a_size_limit_and_only_from_regular_files(task: Path) -> None:
    path = write_certificate(task)
    path.write_bytes(b" " * (FILE_BYTES + 1))
    assert "larger than 10 MB" in status(task)[1][0]
    path.unlink()
    path.symlink_to("/dev/zero")
    assert "not a regular file" in status(task)[1][0]
    path.unlink()
    os.mkfifo(path)
    assert "not a regular file" in status(task)[1][0]


def test_certificates_by_other_versions_of_planspec_and_solvers_are_noted_and_accepted(task: Path) -> None:
    path = write_certificate(task)
    data = json.loads(path.read_text())
    data["version"] = "9.9"
    data["unique"]["backends"]["smt"]["version"] = "0.1"
    path.write_text(json.dumps(data))
    judge = Judge(load(task))
    result = check(judge, path)
    assert (result.status, result.reasons) == ("valid", [])
    ours, theirs = result.notes
    assert ours.startswith("made by planspec 9.9; this is ")
    assert theirs.startswith("proved with smt 0.1; here is ")


def test_a_certificate_needs_both_back_ends(
    task: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["planspec", "validate", str(task), "--certify", "--backends", "cpsat"])
    with pytest.raises(SystemExit) as left:
        command_line()
    assert left.value.code == 2
    assert "the proofs of both cpsat and smt" in capsys.readouterr().err
    assert not certificate_path(task, "two").exists()


def test_a_task_without_a_certificate_has_status_missing(task: Path) -> None:
    assert status(task)[0] == "missing"


def test_the_hash_covers_rows_of_a_database(tmp_path: Path) -> None:
    import sqlite3

    hashes = []
    for value in (1, 2):
        base = sqlite3.connect(tmp_path / "facts.sqlite")
        base.executescript(f"drop table if exists t; create table t (n integer); insert into t values ({value});")
        base.close()
        path = tmp_path / "t.task.yaml"
        path.write_text(
            "planspec: task/1\nid: t\nquery: q\ntables:\n  Fact:\n    columns: {n: key int}\n"
            "    sqlite: {file: facts.sqlite, query: select n from t}\nplan: {v: {one: true, n: int}}\n"
            "scope: {v: {n: 1}}\nconstraints:\n  c:\n    hard: v.n <= sum(f.n for f in Fact)\n"
        )
        hashes.append(load(path).hash)
    assert hashes[0] != hashes[1]
