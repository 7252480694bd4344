"""Files are replaced atomically, whatever goes wrong."""

from __future__ import annotations

import os
import re
import resource
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import pytest

from planspec import files
from planspec.files import building, replace_bytes, replace_text, replacing, temporary_path
from tests.paths import ROOT
from tests.planspec.commands.test_command_line import TINY

WRITTEN = re.compile(r"\.write_(text|bytes)\(|\.open\([^)]*\"(w|a)b?\+?\"|\bopen\([^)]*\"(w|a)b?\+?\"")
ALLOWED = {
    "planspec/api/auditing/suites.py": "appends a line for each finished task, which a later run reads",
    "planspec/files.py": "the writer",
    "planspec/families/mobilitybench/suite.py": "fills the folder of a part, which is moved to its place when it is whole",
    "planspec/families/mobilitybench/sharded_suite.py": "fills a folder, which is moved to its place when it is complete",
    "planspec/families/mobilitybench/public/importing.py": "fills a folder, which is moved to its place when it is complete",
    "planspec/drafting/calls.py": "appends each reply, which a later call takes up",
    "planspec/exports/datasets.py": "fills a folder, which is moved to its place when it is complete",
    "planspec/exports/judge_folder.py": "fills a folder, which is moved to its place when it is complete",
    "planspec/exports/harbor.py": "fills a folder, which is moved to its place when it is complete",
    "planspec/exports/ors.py": "fills a folder, which is moved to its place when it is complete",
    "planspec/api/task_cache.py": "moves an entry to its place when it is whole; it may be lost",
    "planspec/report/proofs.py": "adds lines to what may be lost",
    "planspec/live/playground/session.py": "writes in the browser's own file system",
    "planspec/live/playground/site.py": "fills a folder, which is moved to its place when it is whole",
}


def _limit_file_size(bytes_: int) -> Callable[[], None]:
    """Return a function that limits the file sizes of a child process, so that writing fails as on a full disk."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_, bytes_))


def _run_planspec(*words: str, cwd: Path, limit: Callable[[], None] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-P", "-m", "planspec", *words],
        cwd=cwd,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},  # otherwise the limit would also cut off bytecode files
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        preexec_fn=limit,
    )


def _names(folder: Path) -> list[str]:
    """Return the names of the files in a folder."""
    return [entry.name for entry in folder.iterdir()]


class TestParts:
    """The next writer removes temporary files that ended processes left beside its file, but no other files."""

    def test_a_killed_writer_leaves_a_temporary_file_that_the_next_writer_removes(self, tmp_path: Path) -> None:
        hang = (
            "import sys, time; from pathlib import Path; from planspec.files import *\n"
            "with replacing(Path('out')), scratch_folder(Path()) as made, building(Path('base')) as part:\n"
            "    part.touch(), (made / 'x').touch(); print(flush=True); time.sleep(100)"
        )
        words = [sys.executable, "-c", hang]
        with subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE) as writer:
            assert writer.stdout is not None
            writer.stdout.readline()
            assert len(_names(tmp_path)) == 3
            subprocess.run([sys.executable, "-c", _WRITE], cwd=tmp_path, check=True)
            assert len(_names(tmp_path)) == 4  # temporary files of a running process stay
            writer.kill()
        subprocess.run([sys.executable, "-c", _WRITE], cwd=tmp_path, check=True)
        assert _names(tmp_path) == ["mine"]

    def test_temporary_files_of_another_machine_are_removed_only_when_they_are_old(self, tmp_path: Path) -> None:
        other, earlier = f".planspec-{'0' * 12}-1-{'0' * 16}.part", f".planspec-{'0' * 16}.part"
        like = (".planspec-notes.part", f".planspec-{'0' * 16}.part.txt", "base.part")
        for name in (other, earlier, *like):
            (tmp_path / name).touch()
        temporary_path(tmp_path / "mine")
        assert set(_names(tmp_path)) == {other, earlier, *like}
        for path in tmp_path.iterdir():
            os.utime(path, (0, 0))
        files._SWEPT.clear()
        temporary_path(tmp_path / "mine")
        assert set(_names(tmp_path)) == set(like)


_WRITE = "from pathlib import Path; from planspec.files import replace_text; replace_text(Path('mine'), 'x')"


class TestReplacing:
    """A writer replaces a file, whatever kind of file it is."""

    def test_a_file_has_its_new_contents_and_its_old_mode(self, tmp_path: Path) -> None:
        path = tmp_path / "plan.json"
        path.write_text("old", "utf-8")
        path.chmod(0o640)
        replace_text(path, "naïve\n")
        assert path.read_bytes() == "naïve\n".encode()
        assert path.stat().st_mode & 0o777 == 0o640
        assert _names(tmp_path) == ["plan.json"]

    def test_a_new_file_has_the_mode_of_the_umask(self, tmp_path: Path) -> None:
        before = os.umask(0o027)
        try:
            replace_bytes(tmp_path / "new", b"x")
        finally:
            os.umask(before)
        assert (tmp_path / "new").stat().st_mode & 0o777 == 0o640

    def test_the_target_of_a_symlink_is_replaced_and_the_link_kept(self, tmp_path: Path) -> None:
        (tmp_path / "there").mkdir()
        link = tmp_path / "link"
        link.symlink_to("there/plan.json")
        replace_text(link, "one")  # the target does not exist yet
        replace_text(link, "two")
        assert link.is_symlink()
        assert (tmp_path / "there" / "plan.json").read_text("utf-8") == "two"
        assert _names(tmp_path / "there") == ["plan.json"]

    def test_after_a_failure_the_old_file_is_unchanged_and_no_temporary_file_remains(self, tmp_path: Path) -> None:
        path = tmp_path / "plan.json"
        path.write_text("old", "utf-8")
        with suppress(KeyboardInterrupt), replacing(path) as file:
            file.write(b"half of it")
            file.flush()
            raise KeyboardInterrupt
        assert path.read_text("utf-8") == "old"
        assert _names(tmp_path) == ["plan.json"]

    def test_the_error_has_the_path_of_an_unwritable_file_as_it_was_given(self, tmp_path: Path) -> None:
        for path in (tmp_path / "none" / "plan.json", tmp_path, tmp_path / ("x" * 300)):
            with pytest.raises(OSError, match=re.escape(os.fsdecode(path))) as caught:
                replace_text(path, "new")
            assert caught.value.filename == str(path)
        assert _names(tmp_path) == []

    @pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write to every file")
    def test_a_file_that_must_not_be_written_is_not_replaced_either(self, tmp_path: Path) -> None:
        path = tmp_path / "plan.json"
        path.write_text("old", "utf-8")
        path.chmod(0o444)
        with pytest.raises(PermissionError):
            replace_text(path, "new")
        assert path.read_text("utf-8") == "old"

    def test_a_pipe_and_a_device_are_written_to(self, tmp_path: Path) -> None:
        pipe = tmp_path / "pipe"
        os.mkfifo(pipe)
        with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE) as reader:
            replace_text(pipe, "through")
            assert reader.communicate(timeout=30)[0] == b"through"
        assert pipe.is_fifo()
        replace_text(Path("/dev/null"), "away")
        assert Path("/dev/null").is_char_device()


def test_an_unfinished_database_does_not_replace_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "base.sqlite"
    path.write_text("old", "utf-8")
    with pytest.raises(sqlite3.OperationalError), building(path) as part:
        _fill(part, "create table t (x); insert into u values (1)")
    assert path.read_text("utf-8") == "old"
    with building(path) as part:
        _fill(part, "create table t (x); insert into t values (1)")
    with closing(sqlite3.connect(path)) as result:
        assert result.execute("select * from t").fetchall() == [(1,)]
    assert _names(tmp_path) == ["base.sqlite"]


def _fill(path: Path, script: str) -> None:
    """Execute SQL statements in a database."""
    with closing(sqlite3.connect(path)) as result:
        result.executescript(script)


@pytest.mark.slow
def test_a_generator_on_a_full_disk_leaves_no_suite_and_reports_the_reason(tmp_path: Path) -> None:
    result = _run_planspec(
        "generate",
        "mobilitybench",
        "--size",
        "2",
        "--out",
        "suite",
        cwd=tmp_path,
        limit=_limit_file_size(3000),
    )
    assert result.returncode == 2
    assert result.stderr.splitlines()[-1].startswith("error: ")
    assert "PS901" not in result.stderr
    assert _names(tmp_path) == []


def test_no_other_module_writes_files_in_place() -> None:
    writers = {
        file.relative_to(ROOT).as_posix()
        for folder in ("planspec", "dsl", "solvers", "verifiers", "tasks")
        for file in (ROOT / folder).rglob("*.py")
        if WRITTEN.search(file.read_text("utf-8"))
    }
    assert writers == set(ALLOWED)


UNTIDY = (
    TINY.replace("types: {Call: anna | bert}", "types:   {Call: anna|bert}") + "meta: {note: '" + "x" * 2000 + "'}\n"
)


class TestFullDisk:
    """On a full disk, commands that write exit with 2 and a plain message, and leave the old file unchanged."""

    def _check_failure(self, folder: Path, target: str, *words: str) -> None:
        """Check that a command fails on a full disk, names the target, and changes no file."""
        before = {path: path.read_bytes() for path in folder.iterdir()}
        result = _run_planspec(*words, cwd=folder, limit=_limit_file_size(20))
        assert result.returncode == 2, result.stderr
        assert result.stderr.splitlines()[-1] == f"error: `{target}`: File too large"
        assert {path: path.read_bytes() for path in folder.iterdir()} == before

    @pytest.mark.slow
    def test_fmt_leaves_the_file_unchanged(self, tmp_path: Path) -> None:
        (tmp_path / "tiny.task.yaml").write_text(UNTIDY, "utf-8")
        self._check_failure(tmp_path, "tiny.task.yaml", "fmt", "tiny.task.yaml")

    @pytest.mark.slow
    @pytest.mark.sampled(2)
    @pytest.mark.parametrize("old", ["old\n", None])
    def test_solve_leaves_the_output_file_unchanged(self, tmp_path: Path, old: str | None) -> None:
        (tmp_path / "tiny.task.yaml").write_text(TINY, "utf-8")
        if old is not None:
            (tmp_path / "plan.json").write_text(old, "utf-8")
        self._check_failure(tmp_path, "plan.json", "solve", "tiny.task.yaml", "-o", "plan.json")


@pytest.mark.thorough
@pytest.mark.slow
def test_a_plan_can_be_written_to_standard_output_by_its_path(tmp_path: Path) -> None:
    (tmp_path / "tiny.task.yaml").write_text(TINY, "utf-8")
    for target in ("pipe", "file"):
        with (tmp_path / "out").open("wb") as out:
            result = subprocess.run(
                [sys.executable, "-P", "-m", "planspec", "solve", "tiny.task.yaml", "-o", "/dev/stdout"],
                cwd=tmp_path,
                stdout=out if target == "file" else subprocess.PIPE,
                check=True,
                timeout=60,
            )
        written = (tmp_path / "out").read_bytes() if target == "file" else result.stdout
        assert b'"task": "tiny"' in written
