"""planspec without any family, and with a family from another distribution."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.families.tiny.wheel import SUITE, installed
from tests.paths import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("third-party")]

WITHOUT_FAMILIES = """\
import sys
from planspec.family import registry

FOLDERS = tuple(value.partition(":")[0].rpartition(".")[0] for value in registry.SHIPPED.values())

class Gone:
    def find_spec(self, name, path=None, target=None):
        if name.startswith(FOLDERS):
            raise AssertionError(f"{name} is asked for")

sys.meta_path.insert(0, Gone())
registry.SHIPPED = {}
"""
"""Start-up code for planspec without families: an empty table, and no importable module of a family's folder."""


def call(*words: str | Path, cwd: Path, path: Path, code: int = 0) -> str:
    """Return the output of a command, with a folder on the path of all its processes."""
    environment = {**os.environ, "PYTHONPATH": str(path)}
    done = subprocess.run(
        [sys.executable, "-m", "planspec", *map(str, words)],
        cwd=cwd, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == code, f"{words}: {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


# -- no family ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that removes all families when it is on the path."""
    path = tmp_path_factory.mktemp("bare")
    (path / "sitecustomize.py").write_text(WITHOUT_FAMILIES, "utf-8")
    return path


def test_without_any_family_every_command_works_on_tasks_that_have_none(bare: Path, tmp_path: Path) -> None:
    answer = ROOT / "tasks" / "examples" / "answers" / "roster.reference.json"
    line = json.dumps({"task": "roster", "plan": json.loads(answer.read_text("utf-8"))})
    (tmp_path / "plans.jsonl").write_text(line + "\n", "utf-8")

    def output_of(*words: str | Path, code: int = 0) -> str:
        return call(*words, cwd=tmp_path, path=bare, code=code)

    output_of("check", ROOT / "tasks" / "examples")
    assert output_of("verify", answer, "--task", "roster").splitlines()[-1].startswith("pass  roster")
    scores = json.loads(output_of("score", "plans.jsonl", "--suite", "examples", "--format", "json", code=1))
    assert (scores["metrics"]["n"], scores["metrics"]["delivered"]) == (7, 1)
    assert output_of("validate", "sudoku", "--backends", "cpsat").startswith("sudoku: feasible, unique")
    assert "1 pass" in output_of("run", "examples", "--agent", "oracle", "--limit", "1", "--out", "run")
    output_of("report", "run", "--no-proofs")
    assert "pass rate" in (tmp_path / "report.html").read_text("utf-8")


def test_without_any_family_nothing_is_imported_or_generated(bare: Path, tmp_path: Path) -> None:
    for group in ("import", "generate"):
        assert "Commands:" not in call(group, "--help", cwd=tmp_path, path=bare)
    assert "himap" not in call("agents", "list", cwd=tmp_path, path=bare)


def test_a_task_of_a_family_that_is_not_there_is_refused_with_its_name(bare: Path, tmp_path: Path) -> None:
    words = ("score", ROOT / "README.md", "--suite", "worldtravel-berlin")
    environment = {**os.environ, "PYTHONPATH": str(bare)}
    done = subprocess.run(
        [sys.executable, "-m", "planspec", *map(str, words)],
        cwd=tmp_path, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error: no family is called `worldtravel`; there are generic\n"


# -- a family of another distribution ----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Tiny:
    """The installed family `tiny`, and a suite of it.

    Attributes:
        path: folder of the installed wheel.
        suite: folder with its tasks.
    """

    path: Path
    suite: Path

    def call(self, *words: str | Path, code: int = 0) -> str:
        return call(*words, cwd=self.suite, path=self.path, code=code)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Tiny:
    home = tmp_path_factory.mktemp("tiny")
    shutil.copytree(SUITE, home / "suite")
    return Tiny(installed(home), home / "suite")


def answered(tiny: Tiny, name: str, *shops: str) -> Path:
    """Write an answer in the family's own format to a file."""
    file = tiny.suite / f"{name}.json"
    file.write_text(json.dumps({"task": "errand", "plan": {"go": list(shops)}}), "utf-8")
    return file


def test_its_tasks_are_checked(tiny: Tiny) -> None:
    tiny.call("check", ".")


def test_its_answers_are_read_in_its_format_and_judged_by_its_rules(tiny: Tiny) -> None:
    output = tiny.call("verify", answered(tiny, "right", "baker"))
    assert output.splitlines()[-1] == "pass  errand: hard 2/2"
    output = tiny.call("verify", answered(tiny, "dear", "baker", "jeweller"), code=1)
    assert "thrifty" in output and output.splitlines()[-1].startswith("fail  errand")


def test_its_public_evaluator_is_the_profile_official(tiny: Tiny) -> None:
    dear = answered(tiny, "dear", "baker", "jeweller")
    result = json.loads(tiny.call("verify", dear, "--profile", "official", "--format", "json"))
    assert (result["profile"], result["status"]) == ("official", "pass")


def test_its_metrics_are_computed_of_its_answers(tiny: Tiny) -> None:
    line = (answered(tiny, "right", "baker")).read_text("utf-8")
    (tiny.suite / "plans.jsonl").write_text(line + "\n", "utf-8")
    output = tiny.call("score", "plans.jsonl", "--suite", ".", "--format", "json")
    metrics: dict[str, Any] = json.loads(output)["metrics"]
    assert metrics == {"n": 1, "delivered": 1, "home_rate": 1.0}


def test_an_agent_meets_its_environment_and_the_run_has_a_report(tiny: Tiny) -> None:
    tiny.call("run", ".", "--agent", "oracle", "--out", "run")
    run = json.loads((tiny.suite / "run" / "run.json").read_text("utf-8"))
    assert (run["family"], run["setting"]) == ("tiny", "street")
    assert json.loads(tiny.call("tasks", "view", "errand", "--format", "json"))["calls"] == 3
    (attempt,) = (tiny.suite / "run" / "attempts.jsonl").read_text("utf-8").splitlines()
    answer = json.loads(attempt)["turns"][-1]["answer"]
    assert set(answer if isinstance(answer, dict) else json.loads(answer)) == {"go"}
    tiny.call("report", "run", "--no-proofs")
    assert "home rate" in (tiny.suite / "report.html").read_text("utf-8")


def test_its_agent_is_found_among_the_others(tiny: Tiny) -> None:
    assert "homebody" in tiny.call("agents", "list")
