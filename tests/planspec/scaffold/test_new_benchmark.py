"""`planspec init` makes a folder in which its own commands succeed, and changes no other file."""

from __future__ import annotations

import errno
import os
import re
import shlex
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from planspec.files import replace_bytes
from planspec.scaffold import UnsuitableFolderError, UnsuitableStartError, new_benchmark
from tests.planspec.commands.test_command_line import run

BIN = Path(sys.executable).parent


@pytest.mark.slow
def test_a_benchmark_passes_the_commands_of_its_own_workflow(tmp_path: Path) -> None:
    env = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ.get('PATH', '')}"}
    result = subprocess.run(["planspec", "init", "mine"], cwd=tmp_path, env=env, capture_output=True, check=True)
    assert b"next: cd mine && planspec test && planspec run mine" in result.stderr
    workflow = (tmp_path / "mine/.github/workflows/planspec.yml").read_text("utf-8")
    install, *commands = re.findall(r"- run: (.*)", workflow)
    assert install == "pip install 'planspec[solve]'"
    assert [command.split()[1] for command in commands] == ["fmt", "check", "test", "validate", "run"]
    for command in commands:
        completed = subprocess.run(
            shlex.split(command), cwd=tmp_path / "mine", env=env, capture_output=True, check=False
        )
        assert completed.returncode == 0, (command, completed.stdout, completed.stderr)
        assert b"is prepared" not in completed.stderr, "the first setting that the library declares is the usual one"


@pytest.mark.sampled(3)
@pytest.mark.slow
@pytest.mark.parametrize("start", ["berlin-001", "sudoku", "1"])
def test_a_shipped_task_is_copied_with_everything_that_it_reads(
    start: str, tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    benchmark = new_benchmark(tmp_path / "mine", start)
    monkeypatch.chdir(benchmark.folder)
    for command in ("fmt --check", "check --strict", "test"):
        assert run(monkeypatch, capsys, *command.split())[0] == 0, command


@pytest.mark.thorough
@pytest.mark.slow
def test_a_copied_task_keeps_the_metrics_of_its_family(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    benchmark = new_benchmark(tmp_path / "mine", "1")
    monkeypatch.chdir(benchmark.folder)
    code, out, err = run(
        monkeypatch, capsys, "run", "mine", "--agent", benchmark.agent, "--out", "run", "--fail-under", "1"
    )
    assert code == 0, err
    assert "final_pass_rate" in out


@pytest.mark.parametrize("command", ["fmt --check", "check --strict", "test"])
def test_a_new_benchmark_passes_its_checks(command: str, tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    new_benchmark(tmp_path / "its-name.2")
    monkeypatch.chdir(tmp_path / "its-name.2")
    assert run(monkeypatch, capsys, *command.split())[0] == 0


def test_an_existing_empty_folder_is_filled(tmp_path: Path) -> None:
    benchmark = new_benchmark(tmp_path)
    assert benchmark.name == tmp_path.name
    assert sorted(str(path) for path in benchmark.files) == sorted(
        path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()
    )


def test_a_folder_that_is_not_empty_is_unchanged(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    (tmp_path / "notes").write_text("mine")
    with pytest.raises(UnsuitableFolderError, match="is not empty"):
        new_benchmark(tmp_path)
    assert run(monkeypatch, capsys, "init", str(tmp_path))[0] == 2
    assert [path.name for path in tmp_path.iterdir()] == ["notes"]


@pytest.mark.parametrize("exists", [False, True])
def test_a_full_disk_leaves_no_partial_benchmark(exists: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A new folder is removed again. A folder that existed is empty again."""
    written: list[Path] = []

    def fail_on_full_disk(path: Path, data: bytes) -> None:
        if len(written) == 5:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        written.append(path)
        replace_bytes(path, data)

    monkeypatch.setattr("planspec.scaffold.folder.replace_bytes", fail_on_full_disk)
    folder = tmp_path / "mine"
    if exists:
        folder.mkdir()
    with pytest.raises(OSError, match="No space"):
        new_benchmark(folder)
    assert len(written) == 5
    assert folder.exists() is exists
    assert not exists or not list(folder.iterdir())


def test_a_benchmark_has_the_permissions_of_other_folders(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    benchmark = new_benchmark(tmp_path / "mine")
    assert benchmark.folder.stat().st_mode == (tmp_path / "other").stat().st_mode


def test_a_name_that_is_not_a_valid_id_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnsuitableFolderError, match="is not a valid id"):
        new_benchmark(tmp_path / "two words")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("start", "reason"), [("nothing", "is not a shipped task"), ("mb-000001", "needs more of its suite")]
)
def test_a_task_that_cannot_be_copied_is_refused(start: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(UnsuitableStartError, match=reason):
        new_benchmark(tmp_path / "mine", start)
    assert not list(tmp_path.iterdir())


def test_every_template_is_a_file_that_packages_include() -> None:
    folder = Path(str(files("planspec.scaffold"))) / "template"
    paths = [path for path in folder.rglob("*") if path.is_file()]
    assert paths
    assert all(path.suffix == ".j2" and not path.name.startswith(".") for path in paths)
