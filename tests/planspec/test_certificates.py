"""Certificates: of this text, with plans that pass, and proved again on request."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from planspec.api import Judge, load
from planspec.catalog import Catalog
from planspec.certificates import Certificate, certificate_path, certify, check, write
from planspec.conversation import judges
from planspec.solvers.outcome import Limits
from planspec.solvers.prove import task_hash, validate

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


def certified(task: Path) -> Path:
    judge = Judge(load(task))
    path = certificate_path(task, judge.task.id)
    write(certify(judge, validate(judge.ground), Limits()), path)
    return path


def status(task: Path) -> tuple[str, list[str]]:
    judge = Judge(load(task))
    found = check(judge, certificate_path(task, judge.task.id))
    return found.status, found.reasons


SHIPPED = [entry.path for entry in Catalog().tasks()]
IMPOSSIBLE = {"travelplanner-small/tasks/13.yaml", "travelplanner-small/tasks/14.yaml"}
"""They have no plan, and say why."""


@pytest.mark.parametrize("path", SHIPPED, ids=lambda p: p.name)
def test_every_shipped_task_has_a_valid_certificate(path: Path) -> None:
    """Of a task with turns, every turn."""
    for judge in judges(path):
        found = certificate_path(path, judge.task.id)
        assert check(judge, found).reasons == []
        made = Certificate.model_validate_json(found.read_bytes())
        impossible = path.parent.name == "near-misses" or any(
            path.as_posix().endswith(name) for name in IMPOSSIBLE
        )
        assert made.feasible.status == ("infeasible" if impossible else "feasible")
        assert made.unique.status == "unique" or "worldtravel" not in str(path)
        for claim in (made.feasible, made.unique):
            assert set(claim.backends) == {"cpsat", "smt"}
            assert all(proof.version for proof in claim.backends.values())
            assert impossible or all(proof.statistics for proof in claim.backends.values())


def test_a_certificate_says_who_proved_what_with_which_limits(task: Path) -> None:
    made = json.loads(certified(task).read_text())
    assert made["task"] == "two"
    assert made["hash"] == task_hash(load(task))
    assert made["witness"] == ANSWER
    assert made["limits"] == {"seconds": 60.0, "workers": 1, "seed": 0}
    assert made["unique"]["backends"]["smt"]["status"] == "unique"
    assert status(task) == ("valid", [])


@pytest.mark.parametrize("changed", ["two.task.yaml", "two.json"])
def test_a_change_of_anything_that_is_read_makes_it_stale(task: Path, changed: str) -> None:
    certified(task)
    path = task.with_name(changed)
    path.write_text(path.read_text().replace("9:00}", "9:00}  # at nine") + "\n")
    assert status(task)[0] == "stale"


def test_it_does_not_matter_where_the_task_lies(task: Path, tmp_path: Path) -> None:
    certified(task)
    there = tmp_path / "elsewhere"
    there.mkdir()
    for name in ("two.task.yaml", "two.json"):
        shutil.copy(task.with_name(name), there / name)
    shutil.copytree(tmp_path / "certificates", there / "certificates")
    assert status(there / "two.task.yaml") == ("valid", [])


def _no_second(made: dict[str, Any]) -> None:
    made["unique"]["status"] = "multiple"


@pytest.mark.parametrize(
    ("forge", "reason"),
    [
        (lambda made: made["witness"]["visits"][1].update(start="08:00"), "the witness does not satisfy"),
        (lambda made: made.update(witness=None), "says feasible and has no witness"),
        (lambda made: made.update(task="three"), "the certificate of `three`"),
        (_no_second, "several plans and has no second one"),
        (lambda made: made.update(planspec="certificate/2"), "is no certificate"),
    ],
)
def test_a_forged_certificate_is_wrong(task: Path, forge: Any, reason: str) -> None:
    path = certified(task)
    made = json.loads(path.read_text())
    forge(made)
    path.write_text(json.dumps(made))
    found, reasons = status(task)
    assert found == "wrong"
    assert any(reason in text for text in reasons)


def test_no_certificate_is_missing(task: Path) -> None:
    assert status(task)[0] == "missing"


def test_rows_of_a_base_count_for_the_hash(tmp_path: Path) -> None:
    import sqlite3

    hashes = []
    for value in (1, 2):
        base = sqlite3.connect(tmp_path / "facts.sqlite")
        base.executescript(
            f"drop table if exists t; create table t (n integer); insert into t values ({value});"
        )
        base.close()
        path = tmp_path / "t.task.yaml"
        path.write_text(
            "planspec: task/1\nid: t\nquery: q\ntables:\n  Fact:\n    columns: {n: key int}\n"
            "    sqlite: {file: facts.sqlite, query: select n from t}\nplan: {v: {one: true, n: int}}\n"
            "scope: {v: {n: 1}}\nconstraints:\n  c:\n    hard: v.n <= sum(f.n for f in Fact)\n"
        )
        hashes.append(task_hash(load(path)))
    assert hashes[0] != hashes[1]
