"""Exported Harbor tasks: folders, and rewards of `tests/test.sh` without a container."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
import yaml

import planspec
from planspec.exports.bundle import CANARY, UnsuitableExportError
from planspec.exports.canaries import TEXTS
from planspec.exports.harbor import export_harbor
from planspec.exports.judge_zip import digest_of
from tests.planspec.commands.test_command_line import run as command
from tests.planspec.environments.talk import TALK

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("harbor")]

NUMBER = """\
planspec: task/1
id: {id}
query: A number over {least}.
given: {{least: {least}}}
plan: {{answer: {{one: true, n: int}}}}
scope: {{answer: [{{n: 0..40}}]}}
constraints:
  over: {{hard: answer.n > least}}
  near: {{hard: answer.n <= least + 2}}{soft}
"""


@pytest.fixture(scope="module")
def exported_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a suite with two similar tasks and a conversation with a tool."""
    root = tmp_path_factory.mktemp("harbor")
    suite = root / "suite"
    suite.mkdir()
    for name, least, soft in (("low", 3, ""), ("high", 20, "\n  odd: {soft: answer.n % 2 == 1}")):
        (suite / f"{name}.task.yaml").write_text(NUMBER.format(id=name, least=least, soft=soft), "utf-8")
    (suite / "talk.task.yaml").write_text(TALK, "utf-8")
    export = export_harbor(suite, root / "out")
    assert export.tasks == ("high", "low", "talk")
    return export.folder


def reward(task: Path, answer: str | None, tmp_path: Path) -> dict[str, float]:
    """Return the output of `tests/test.sh`, run by a Python without any package."""
    file, logs = Path("answer.json"), Path("logs")
    (tmp_path / file).unlink(missing_ok=True)
    if answer is not None:
        (tmp_path / file).write_text(answer, "utf-8")
    env = {
        "PATH": os.environ["PATH"],
        "PLANSPEC_ANSWER": str(file),
        "PLANSPEC_LOGS": str(logs),
        "PLANSPEC_PYTHON": sys.executable,
    }
    result = subprocess.run(
        [str(task / "tests" / "test.sh")], cwd=tmp_path, env=env, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    rewards: dict[str, float] = json.loads((tmp_path / logs / "reward.json").read_text("utf-8"))
    return rewards


def test_only_the_right_answer_is_rewarded(exported_folder: Path, tmp_path: Path) -> None:
    right = (exported_folder / "low" / "solution" / "answer.json").read_text("utf-8")
    other = (exported_folder / "high" / "solution" / "answer.json").read_text("utf-8")
    assert reward(exported_folder / "low", right, tmp_path) == {
        "reward": 1,
        "dense": 1.0,
        "hard": 1.0,
        "delivered": 1,
        "violations": 0,
    }
    assert reward(exported_folder / "high", '{"answer": {"n": 22}}', tmp_path) == {
        "reward": 1,
        "dense": 0.8,
        "hard": 1.0,
        "soft": 0.0,
        "delivered": 1,
        "violations": 0,
    }
    for wrong in (None, other):
        assert reward(exported_folder / "low", wrong, tmp_path)["reward"] == 0, wrong


@pytest.mark.thorough
@pytest.mark.parametrize("wrong", ["", "{}", "a constant", '{"answer": {"n": 0}}'])
def test_an_answer_that_is_not_a_plan_or_violates_a_rule_is_not_rewarded(
    wrong: str, exported_folder: Path, tmp_path: Path
) -> None:
    assert reward(exported_folder / "low", wrong, tmp_path)["reward"] == 0


@pytest.mark.thorough
def test_a_conversation_is_judged_at_its_last_turn(exported_folder: Path, tmp_path: Path) -> None:
    task = exported_folder / "talk"
    assert reward(task, (task / "solution" / "answer.json").read_text("utf-8"), tmp_path)["reward"] == 1
    assert reward(task, '{"answer": {"n": 30}}', tmp_path)["reward"] == 0
    instruction = (task / "instruction.md").read_text("utf-8")
    assert (
        instruction.index("# Message 1")
        < instruction.index("A number as large")
        < instruction.index("# Message 2")
        < instruction.index("I have spent")
    )


def test_a_task_that_was_changed_is_not_judged(exported_folder: Path, tmp_path: Path) -> None:
    task = exported_folder / "high"
    file = task / "tests" / "task" / "high.task.yaml"
    before = file.read_text("utf-8")
    file.write_text(before.replace("least + 2", "least + 20"), "utf-8")
    with pytest.raises(AssertionError, match="not the one that was exported"):
        reward(task, '{"answer": {"n": 40}}', tmp_path)
    file.write_text(before, "utf-8")


def test_the_folder_has_the_files_that_harbor_reads(exported_folder: Path) -> None:
    for task in sorted(path.parent for path in exported_folder.glob("*/task.toml")):
        config = tomllib.loads((task / "task.toml").read_text("utf-8"))
        assert config["task"]["name"] == f"planspec/{task.name}"
        assert config["environment"]["docker_image"] == "python:3.12-slim"
        assert config["verifier"]["environment_mode"] == "separate"
        assert (task / "instruction.md").read_text("utf-8").startswith(f"<!-- {CANARY} -->\n")
        for script in (task / "tests" / "test.sh", task / "solution" / "solve.sh"):
            assert os.access(script, os.X_OK)
        assert {path.name for path in (task / "tests").iterdir()} == {
            "canaries.json",
            "judge.json",
            "judge.zip",
            "task",
            "test.sh",
            "verify.py",
        }
        assert config["metadata"]["judge_sha256"] == digest_of((task / "tests" / "judge.zip").read_bytes())
        assert config["metadata"]["reward_components"].startswith("reward, dense, hard")
        servers = config["environment"].get("mcp_servers", [])
        assert [server["url"] for server in servers] == (["http://tools:8000/mcp"] if task.name == "talk" else [])
        assert (task / "environment" / "docker-compose.yaml").is_file() == bool(servers)
        assert any((task / "environment").iterdir()), (
            "hubs and Git drop an empty folder, and readers then refuse the task"
        )


def test_the_world_is_not_in_the_agents_image(exported_folder: Path) -> None:
    """The agent's image is public, so nothing is copied into it."""
    environment = exported_folder / "talk" / "environment"
    assert sorted(path.name for path in environment.iterdir()) == ["docker-compose.yaml", "tools"]
    assert "volumes" not in (environment / "docker-compose.yaml").read_text("utf-8")
    assert [path.name for path in (exported_folder / "low" / "environment").iterdir()] == ["Dockerfile"]
    text = (exported_folder / "low" / "environment" / "Dockerfile").read_text("utf-8")
    assert [line.partition(" ")[0] for line in text.splitlines()] == ["#", "FROM", "LABEL"]


def test_a_reward_file_written_by_the_agent_is_removed(exported_folder: Path, tmp_path: Path) -> None:
    """Inspect judges in the agent's container, where the agent can write any file before the judgement."""
    task, logs = exported_folder / "low", tmp_path / "logs"
    logs.mkdir()
    for name in ("reward.json", "reward.txt"):
        (logs / name).write_text("1", "utf-8")
    assert reward(task, None, tmp_path)["reward"] == 0
    (logs / "reward.txt").write_text("1", "utf-8")
    code = task / "tests" / "judge.zip"
    before = code.read_bytes()
    code.unlink()  # the file is a hard link that the folders of all tasks share
    code.write_bytes(before + b"x")
    with pytest.raises(AssertionError, match="not the one that was exported"):
        reward(task, "{}", tmp_path)
    code.write_bytes(before)
    assert not [*logs.iterdir()]


@pytest.mark.thorough
@pytest.mark.parametrize("task", ["low", "talk"])
def test_canary_answers_earn_the_recorded_rewards(task: str, exported_folder: Path, tmp_path: Path) -> None:
    canaries = json.loads((exported_folder / task / "tests" / "canaries.json").read_text("utf-8"))
    assert [canary["name"] for canary in canaries] == [*TEXTS, "refusal", "answer to another task"]
    for canary in canaries:
        rewards = reward(exported_folder / task, canary["answer"], tmp_path)
        assert {name: rewards[name] for name in ("reward", "dense")} == {
            name: canary[name] for name in ("reward", "dense")
        }, canary["name"]
        assert rewards["reward"] == 0 or canary["name"] == "answer to another task", canary["name"]


def test_the_manifest_names_existing_files_and_how_far_canary_answers_are_from_the_full_reward(
    exported_folder: Path,
) -> None:
    card = yaml.safe_load((exported_folder / "openenv.yaml").read_text("utf-8"))
    validation = card["validation"]
    capabilities = validation["capabilities"]
    for path in (capabilities["verifier"]["entry"], capabilities["oracle"]["location"], capabilities["canaries"]):
        assert (exported_folder / path).is_file()
    assert capabilities["declared_task_count"] == {"test": 3}
    worst = max(
        canary["reward"]
        for file in exported_folder.glob("*/tests/canaries.json")
        for canary in json.loads(file.read_text("utf-8"))
    )
    assert validation["reward"] == {"range": [0, 1], "oracle_tolerance": 0, "floor_margin": 1 - worst}


def test_the_wheel_of_the_tools_is_the_package_that_runs(exported_folder: Path) -> None:
    (path,) = (exported_folder / "talk" / "environment" / "tools").glob("*.whl")
    with zipfile.ZipFile(path) as wheel:
        names = wheel.namelist()
        assert {"planspec/__init__.py", "planspec/dsl/model/task.py", "planspec/py.typed"} <= set(names)
        assert wheel.read("planspec/__init__.py") == Path(planspec.__file__).read_bytes()
    assert len(names) == len(set(names))
    assert not [name for name in names if "__pycache__" in name or name.startswith("planspec/tasks/worldtravel")]


@pytest.mark.thorough
def test_a_shipped_task_is_judged_by_its_own_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    code, output, _ = command(
        monkeypatch,
        capsys,
        "export",
        "harbor",
        "berlin-001",
        "--out",
        str(out),
        "--image",
        "python:3.13",
        "--format",
        "json",
    )
    assert (code, json.loads(output)) == (0, {"folder": str(out), "tasks": ["berlin-001"]})
    task = out / "berlin-001"
    assert not (task / "tests" / "task").exists()
    assert 'docker_image = "python:3.13"' in (task / "task.toml").read_text("utf-8")
    assert (task / "environment" / "tools" / "Dockerfile").read_text("utf-8").startswith("FROM python:3.13\n")
    right = (task / "solution" / "answer.json").read_text("utf-8")
    assert reward(task, right, tmp_path)["reward"] == 1
    assert reward(task, '{"itinerary": []}', tmp_path)["reward"] == 0


def test_a_task_that_cannot_be_exported_is_reported(tmp_path: Path) -> None:
    suite = tmp_path / "suite"
    suite.mkdir()
    (suite / "low.task.yaml").write_text(NUMBER.format(id="low", least=3, soft=""), "utf-8")
    for out, image, why in (
        (suite, "python", "is not an empty folder"),
        (suite / "out", "python", "choose one outside"),
        (tmp_path / "out", "python\nRUN true", "is not the name of an image"),
    ):
        with pytest.raises(UnsuitableExportError, match=why):
            export_harbor(suite, out, image=image)


def test_harbors_own_models_read_every_task(exported_folder: Path) -> None:
    """The test is skipped unless Harbor is installed, which needs Python 3.12."""
    read = pytest.importorskip("harbor.models.task.task").Task
    for folder in sorted(path.parent for path in exported_folder.glob("*/task.toml")):
        task = read(folder)
        assert task.name == f"planspec/{folder.name}"
        assert CANARY not in task.instruction
        assert not task.has_steps
