"""`init`: the folder that it makes passes its own commands, and nothing else is touched."""

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
def test_a_benchmark_passes_its_own_workflow_in_processes_of_their_own(tmp_path: Path) -> None:
    env = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ.get('PATH', '')}"}
    made = subprocess.run(
        ["planspec", "init", "mine"], cwd=tmp_path, env=env, capture_output=True, check=True
    )
    assert b"next: cd mine && planspec test && planspec run mine" in made.stderr
    workflow = (tmp_path / "mine/.github/workflows/planspec.yml").read_text("utf-8")
    install, *commands = re.findall(r"- run: (.*)", workflow)
    assert install == "pip install 'planspec[solve]'"
    assert [command.split()[1] for command in commands] == ["fmt", "check", "test", "validate", "run"]
    for command in commands:
        done = subprocess.run(
            shlex.split(command), cwd=tmp_path / "mine", env=env, capture_output=True, check=False
        )
        assert done.returncode == 0, (command, done.stdout, done.stderr)
        assert b"is prepared" not in done.stderr, (
            "the setting that the library declares first is the usual one"
        )


@pytest.mark.slow
@pytest.mark.parametrize("start", ["berlin-001", "sudoku", "1"])
def test_a_shipped_task_is_copied_with_all_that_it_reads(
    start: str, tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    made = new_benchmark(tmp_path / "mine", start)
    monkeypatch.chdir(made.folder)
    for command in ("fmt --check", "check --strict", "test"):
        assert run(monkeypatch, capsys, *command.split())[0] == 0, command


@pytest.mark.slow
def test_the_metrics_of_the_family_come_along(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    made = new_benchmark(tmp_path / "mine", "1")
    monkeypatch.chdir(made.folder)
    code, out, err = run(
        monkeypatch, capsys, "run", "mine", "--agent", made.agent, "--out", "run", "--fail-under", "1"
    )
    assert code == 0, err
    assert "final_pass_rate" in out


@pytest.mark.parametrize("command", ["fmt --check", "check --strict", "test"])
def test_a_benchmark_has_no_mistake(command: str, tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    new_benchmark(tmp_path / "its-name.2")
    monkeypatch.chdir(tmp_path / "its-name.2")
    assert run(monkeypatch, capsys, *command.split())[0] == 0


def test_an_empty_folder_that_is_there_is_filled(tmp_path: Path) -> None:
    made = new_benchmark(tmp_path)
    assert made.name == tmp_path.name
    assert sorted(str(path) for path in made.files) == sorted(
        path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()
    )


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    (tmp_path / "notes").write_text("mine")
    with pytest.raises(UnsuitableFolderError, match="is not empty"):
        new_benchmark(tmp_path)
    assert run(monkeypatch, capsys, "init", str(tmp_path))[0] == 2
    assert [path.name for path in tmp_path.iterdir()] == ["notes"]


@pytest.mark.parametrize("there", [False, True])
def test_a_disk_that_is_full_leaves_no_half_of_a_benchmark(
    there: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder is gone again, or empty as it was."""
    written: list[Path] = []

    def full(place: Path, data: bytes) -> None:
        if len(written) == 5:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(place))
        written.append(place)
        replace_bytes(place, data)

    monkeypatch.setattr("planspec.scaffold.folder.replace_bytes", full)
    folder = tmp_path / "mine"
    if there:
        folder.mkdir()
    with pytest.raises(OSError, match="No space"):
        new_benchmark(folder)
    assert len(written) == 5
    assert folder.exists() is there
    assert not there or not list(folder.iterdir())


def test_a_benchmark_can_be_read_as_other_folders_can(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    made = new_benchmark(tmp_path / "mine")
    assert made.folder.stat().st_mode == (tmp_path / "other").stat().st_mode


def test_a_name_that_can_be_no_id_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnsuitableFolderError, match="can be no id"):
        new_benchmark(tmp_path / "two words")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("start", "why"), [("nothing", "is no task that ships"), ("mb-000001", "needs more of its suite")]
)
def test_a_task_that_cannot_be_a_start_is_refused(start: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(UnsuitableStartError, match=why):
        new_benchmark(tmp_path / "mine", start)
    assert not list(tmp_path.iterdir())


def test_every_template_is_of_a_kind_that_packages_bring() -> None:
    folder = Path(str(files("planspec.scaffold"))) / "template"
    found = [path for path in folder.rglob("*") if path.is_file()]
    assert found
    assert all(path.suffix == ".j2" and not path.name.startswith(".") for path in found)
