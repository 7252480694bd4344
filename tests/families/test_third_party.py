"""planspec works without any family, and with a family from another distribution."""

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

from tests.families.tiny.wheel import SUITE, install_wheel
from tests.paths import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("third-party")]

WITHOUT_FAMILIES = """\
import sys
from planspec.family import registry

FOLDERS = tuple(value.partition(":")[0].rpartition(".")[0] for value in registry.SHIPPED.values())

class BlockedFamilies:
    def find_spec(self, name, path=None, target=None):
        if name.startswith(FOLDERS):
            raise AssertionError(f"{name} is asked for")

sys.meta_path.insert(0, BlockedFamilies())
registry.SHIPPED = {}
"""
"""Start-up code that removes all families: it empties the registry and blocks imports from the families' folders."""


def call(*words: str | Path, cwd: Path, path: Path, code: int = 0) -> str:
    """Run a command of planspec with a folder on its Python path, and return its output."""
    environment = {**os.environ, "PYTHONPATH": str(path)}
    done = subprocess.run(
        [sys.executable, "-m", "planspec", *map(str, words)],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, f"{words}: {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


# -- no family ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def folder_without_families(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the code `WITHOUT_FAMILIES`, which Python runs at its start if the folder is on its path."""
    path = tmp_path_factory.mktemp("folder_without_families")
    (path / "sitecustomize.py").write_text(WITHOUT_FAMILIES, "utf-8")
    return path


@pytest.mark.thorough
def test_without_families_every_command_works_on_tasks_without_one(
    folder_without_families: Path, tmp_path: Path
) -> None:
    answer = ROOT / "tasks" / "examples" / "answers" / "roster.reference.json"
    line = json.dumps({"task": "roster", "plan": json.loads(answer.read_text("utf-8"))})
    (tmp_path / "plans.jsonl").write_text(line + "\n", "utf-8")

    def output_of(*words: str | Path, code: int = 0) -> str:
        return call(*words, cwd=tmp_path, path=folder_without_families, code=code)

    output_of("check", ROOT / "tasks" / "examples")
    assert output_of("verify", answer, "--task", "roster").splitlines()[-1].startswith("pass  roster")
    scores = json.loads(output_of("score", "plans.jsonl", "--suite", "examples", "--format", "json", code=1))
    assert (scores["metrics"]["n"], scores["metrics"]["delivered"]) == (7, 1)
    assert output_of("validate", "sudoku", "--backends", "cpsat").startswith("sudoku: feasible, unique")
    assert "1 pass" in output_of("run", "examples", "--agent", "oracle", "--limit", "1", "--out", "run")
    output_of("report", "run", "--no-proofs")
    assert "pass rate" in (tmp_path / "report.html").read_text("utf-8")


def test_without_families_nothing_can_be_generated_and_only_models_can_be_imported(
    folder_without_families: Path, tmp_path: Path
) -> None:
    assert "Commands:" not in call("generate", "--help", cwd=tmp_path, path=folder_without_families)
    commands = call("import", "--help", cwd=tmp_path, path=folder_without_families).partition("Commands:")[2]
    assert [line.split()[0] for line in commands.splitlines() if line.strip()] == ["cpmpy"]
    assert "himap" not in call("agents", "list", cwd=tmp_path, path=folder_without_families)


def test_a_task_of_a_missing_family_is_refused_with_its_name(folder_without_families: Path, tmp_path: Path) -> None:
    words = ("score", ROOT / "README.md", "--suite", "worldtravel-berlin")
    environment = {**os.environ, "PYTHONPATH": str(folder_without_families)}
    done = subprocess.run(
        [sys.executable, "-m", "planspec", *map(str, words)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error: no family is called `worldtravel`; there are generic\n"


# -- a family of another distribution ----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Tiny:
    """The installed family `tiny` and its suite.

    Attributes:
        path: folder of the installed wheel.
        suite: folder with its tasks.
    """

    path: Path
    suite: Path

    def call(self, *words: str | Path, code: int = 0) -> str:
        """Run a command of planspec with the installed family, and return its output."""
        return call(*words, cwd=self.suite, path=self.path, code=code)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Tiny:
    """Return the installed family `tiny`, with a copy of its suite."""
    home = tmp_path_factory.mktemp("tiny")
    shutil.copytree(SUITE, home / "suite")
    return Tiny(install_wheel(home), home / "suite")


def write_answer(tiny: Tiny, name: str, *shops: str) -> Path:
    """Write an answer in the family's format to a file, and return its path."""
    file = tiny.suite / f"{name}.json"
    file.write_text(json.dumps({"task": "errand", "plan": {"go": list(shops)}}), "utf-8")
    return file


def test_tasks_of_the_installed_family_pass_the_check(tiny: Tiny) -> None:
    tiny.call("check", ".")


def test_answers_of_the_installed_family_are_read_and_judged(tiny: Tiny) -> None:
    output = tiny.call("verify", write_answer(tiny, "right", "baker"))
    assert output.splitlines()[-1] == "pass  errand: hard 2/2"
    output = tiny.call("verify", write_answer(tiny, "expensive", "baker", "jeweller"), code=1)
    assert "thrifty" in output and output.splitlines()[-1].startswith("fail  errand")


def test_the_public_evaluator_of_the_installed_family_is_the_official_profile(tiny: Tiny) -> None:
    expensive = write_answer(tiny, "expensive", "baker", "jeweller")
    result = json.loads(tiny.call("verify", expensive, "--profile", "official", "--format", "json"))
    assert (result["profile"], result["status"]) == ("official", "pass")


@pytest.mark.thorough
def test_exported_tasks_of_the_installed_family_are_judged_without_it(tiny: Tiny, tmp_path: Path) -> None:
    tiny.call("export", "harbor", "errand", "--out", tmp_path / "out")
    verifier = tmp_path / "out" / "errand" / "tests" / "verify.py"
    for shops, earned in ((("baker",), 1), (("baker", "jeweller"), 0)):
        answer, reward = write_answer(tiny, "exported", *shops), tmp_path / "reward.json"
        subprocess.run([sys.executable, "-I", "-S", "-B", str(verifier), str(answer), str(reward)], check=True)
        assert json.loads(reward.read_text("utf-8"))["reward"] == earned


def test_the_metrics_of_the_installed_family_are_computed(tiny: Tiny) -> None:
    line = (write_answer(tiny, "right", "baker")).read_text("utf-8")
    (tiny.suite / "plans.jsonl").write_text(line + "\n", "utf-8")
    output = tiny.call("score", "plans.jsonl", "--suite", ".", "--format", "json")
    metrics: dict[str, Any] = json.loads(output)["metrics"]
    assert metrics == {"n": 1, "delivered": 1, "home_rate": 1.0}


def test_a_run_in_the_setting_of_the_installed_family_has_a_report(tiny: Tiny) -> None:
    tiny.call("run", ".", "--agent", "oracle", "--out", "run")
    run = json.loads((tiny.suite / "run" / "run.json").read_text("utf-8"))
    assert (run["family"], run["setting"]) == ("tiny", "street")
    assert json.loads(tiny.call("tasks", "view", "errand", "--format", "json"))["calls"] == 3
    (attempt,) = (tiny.suite / "run" / "attempts.jsonl").read_text("utf-8").splitlines()
    answer = json.loads(attempt)["turns"][-1]["answer"]
    assert set(answer if isinstance(answer, dict) else json.loads(answer)) == {"go"}
    tiny.call("report", "run", "--no-proofs")
    assert "home rate" in (tiny.suite / "report.html").read_text("utf-8")


def test_the_agent_of_the_installed_family_is_listed(tiny: Tiny) -> None:
    assert "homebody" in tiny.call("agents", "list")
