"""A cached task equals the checked task, and is used only while its sources are unchanged."""

from __future__ import annotations

import os
import pickle
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

import planspec
from planspec.api import loading
from planspec.api.catalog import Catalog
from planspec.api.task_cache import VARIABLE, TaskCache, cache_folder
from planspec.dsl.documents.documents import task_from_path
from planspec.dsl.model.task import Task
from planspec.dsl.workspace.workspace import Workspace
from planspec.files import add_checksum, strip_checksum
from tests.paths import ROOT

LIBRARY = """\
planspec: library/1
id: garden
tables:
  Bed: {area: int}
plan:
  sowings: {bed: key Bed}
constraints:
  enough:
    hard: sum(s.bed.area for s in sowings) >= 3
    message: "too little is sown"
"""
WORLD = """\
planspec: world/1
id: yard
uses: garden
tables:
  Bed: {csv: beds.csv}
"""
TASK = """\
planspec: task/1
id: spring
uses: garden
world: yard
query: Sow three square metres.
scope:
  sowings: {for: b in Bed, bed: b, optional: true}
"""


@pytest.fixture
def cache(tmp_path: Path) -> TaskCache:
    return TaskCache(tmp_path / "cache")


@pytest.fixture
def garden(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the file of a task with a library, a world and a table beside it."""
    folder = tmp_path / "garden"
    folder.mkdir()
    (folder / "garden.library.yaml").write_text(LIBRARY)
    (folder / "yard.world.yaml").write_text(WORLD)
    (folder / "beds.csv").write_text("id,area\na,2\nb,1\n")
    (folder / "spring.task.yaml").write_text(TASK)
    monkeypatch.chdir(folder)
    return folder / "spring.task.yaml"


def check_and_cache(cache: TaskCache, path: Path) -> Task:
    """Check a task and cache it."""
    workspace = Workspace()
    task = task_from_path(path, workspace)
    cache.keep(path, task, workspace)
    return task


def bed_areas(task: Task) -> list[int]:
    """Return the areas of the rows of the table `Bed`."""
    rows: Sequence[Any] = task.facts["Bed"].rows
    return [row.area for row in rows]


def cache_entries(cache: TaskCache) -> list[Path]:
    """Return the files of a cache."""
    return sorted(cache.folder.iterdir()) if cache.folder.is_dir() else []


@pytest.mark.slow
@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    "suite", ["veritrip", "travelplanner-small", "worldtravel-berlin", "mobilitybench", "examples"]
)
def test_a_cached_task_equals_the_checked_one(cache: TaskCache, suite: str) -> None:
    """Texts, rows, constraints and scopes are equal, as are verdicts on the reference."""
    from planspec.api.judging import Judge

    path = Catalog().suite(suite).tasks[0]
    made = check_and_cache(cache, path)
    if made.turns:
        pytest.skip("tasks with turns are not kept")
    cached = cache.find(path, Workspace())
    assert cached is not None
    assert (cached.hash, cached.query, repr(cached.givens)) == (made.hash, made.query, repr(made.givens))
    assert [c.id for c in cached.constraints] == [c.id for c in made.constraints]
    assert {n: [repr(row) for row in f.rows] for n, f in cached.facts.items()} == {
        n: [repr(row) for row in f.rows] for n, f in made.facts.items()
    }
    judges = Judge(made), Judge(cached)
    answer = judges[0].task.reference or {}
    for _ in range(2):  # the second plan is judged by compiled code
        one, other = (asdict(judge.answer(answer)) for judge in judges)
        assert one == other
    rows = [[repr(row) for row in judge.ground.rows] for judge in judges]
    assert rows[0] == rows[1]


def test_a_changed_task_is_checked_again(cache: TaskCache, garden: Path) -> None:
    check_and_cache(cache, garden)
    assert cache.find(garden, Workspace()) is not None
    for name in ("garden.library.yaml", "yard.world.yaml", "beds.csv", "spring.task.yaml"):
        file = garden.parent / name
        before = file.read_text()
        state = file.stat()
        file.write_text(before.replace("3", "2").replace("a,2", "a,3").replace("yard", "yard "))
        os.utime(file, ns=(state.st_atime_ns, state.st_mtime_ns))  # the modification time does not reveal the change
        assert cache.find(garden, Workspace()) is None, name
        file.write_text(before)
        assert cache.find(garden, Workspace()) is not None, name


def test_an_id_that_resolves_to_another_file_is_looked_up_again(cache: TaskCache, garden: Path) -> None:
    """After a second library with the same id appears, the check reports an ambiguous name."""
    check_and_cache(cache, garden)
    other = garden.parent / "other.library.yaml"
    other.write_text(LIBRARY)
    assert cache.find(garden, Workspace()) is None
    other.unlink()
    assert cache.find(garden, Workspace()) is not None


def test_the_key_of_the_cache_includes_the_current_folder(
    cache: TaskCache, garden: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Messages of findings name files relative to the current folder."""
    check_and_cache(cache, garden)
    monkeypatch.chdir(garden.parent.parent)
    assert cache.find(garden, Workspace()) is None


def test_a_changed_database_is_read_again(cache: TaskCache, garden: Path) -> None:
    base = garden.parent / "beds.sqlite"
    with sqlite3.connect(base) as made:
        made.execute("create table beds (id text, area integer)")
        made.execute("insert into beds values ('a', 2), ('b', 1)")
    made.close()
    world = garden.parent / "yard.world.yaml"
    world.write_text(WORLD.replace("{csv: beds.csv}", "{sqlite: {file: beds.sqlite, query: select * from beds}}"))
    assert bed_areas(check_and_cache(cache, garden)) == [2, 1]
    cached = cache.find(garden, Workspace())
    assert cached is not None
    assert bed_areas(cached) == [2, 1]
    with sqlite3.connect(base) as made:
        made.execute("update beds set area = 5")
    made.close()
    assert cache.find(garden, Workspace()) is None


def test_a_corrupt_entry_is_ignored(cache: TaskCache, garden: Path) -> None:
    check_and_cache(cache, garden)
    [entry] = cache_entries(cache)
    whole = entry.read_bytes()
    for spoilt in (b"", b"\n", whole[: len(whole) // 2], b"[]\n", b"{}\n", whole.replace(b"Task", b"Tusk")):
        entry.write_bytes(spoilt)
        assert cache.find(garden, Workspace()) is None
        assert not entry.exists() or entry.read_bytes() == spoilt


@pytest.mark.slow
def test_a_flipped_bit_is_detected_anywhere(cache: TaskCache, garden: Path) -> None:
    check_and_cache(cache, garden)
    [entry] = cache_entries(cache)
    whole = entry.read_bytes()
    for place in range(0, len(whole), max(1, len(whole) // 300)):
        flipped = bytearray(whole)
        flipped[place] ^= 1 << place % 8
        entry.write_bytes(flipped)
        assert cache.find(garden, Workspace()) is None, place
    entry.write_bytes(whole)
    assert cache.find(garden, Workspace()) is not None


def test_a_cache_entry_that_names_other_classes_than_those_of_tasks_is_not_read(
    cache: TaskCache, garden: Path, tmp_path: Path
) -> None:
    """A pickle can call any function. An entry is therefore read only if all classes in it are classes of tasks."""
    check_and_cache(cache, garden)
    [entry] = cache_entries(cache)
    head, _, _ = (strip_checksum(entry.read_bytes()) or b"").partition(b"\n")
    mark = tmp_path / "called"
    entry.write_bytes(add_checksum(head + b"\ncposix\nsystem\n(S'touch " + str(mark).encode() + b"'\ntR."))
    assert cache.find(garden, Workspace()) is None
    assert not mark.exists()


def test_the_least_recently_used_entries_are_deleted_first(
    cache: TaskCache, garden: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("planspec.api.task_cache.MOST_ENTRIES", 2)
    paths = []
    for number in range(3):
        path = garden.with_name(f"spring-{number}.task.yaml")
        path.write_text(TASK.replace("id: spring", f"id: spring-{number}"))
        check_and_cache(cache, path)
        for entry in cache_entries(cache):
            os.utime(entry, (entry.stat().st_mtime - 10,) * 2)
        paths.append(path)
    assert [cache.find(path, Workspace()) is not None for path in paths] == [False, True, True]
    assert all(entry.suffix == ".task" for entry in cache_entries(cache))


def test_nothing_is_cached_if_the_folder_cannot_be_created(garden: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cache = TaskCache(tmp_path / "file" / "cache")
    check_and_cache(cache, garden)
    assert cache.find(garden, Workspace()) is None


@pytest.mark.parametrize(("value", "folder"), [("", None), ("/somewhere", Path("/somewhere"))])
def test_an_environment_variable_names_the_folder(
    monkeypatch: pytest.MonkeyPatch, value: str, folder: Path | None
) -> None:
    monkeypatch.setenv(VARIABLE, value)
    assert cache_folder() == folder


def test_only_tasks_without_errors_that_are_slow_to_check_are_cached(
    garden: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "cache"
    monkeypatch.setenv(VARIABLE, str(folder))
    monkeypatch.setattr(loading, "WORTH_KEEPING", -1.0)
    garden.write_text(TASK.replace("sowings:", "sawings:"))
    with pytest.raises(planspec.DiagnosticError):
        planspec.load(garden)
    assert not folder.exists()
    garden.write_text(TASK)
    first, second = planspec.load(garden), planspec.load(garden)
    assert len(list(folder.iterdir())) == 1
    assert first.hash == second.hash
    monkeypatch.setattr(loading, "WORTH_KEEPING", 1e9)
    shutil.rmtree(folder)
    planspec.load(garden)
    assert not folder.exists()


@pytest.mark.slow
def test_verify_prints_the_same_from_the_cache_without_the_checker(tmp_path: Path) -> None:
    """The second run loads neither Lark nor YAML, and prints the same output."""
    answer = ROOT / "tasks" / "worldtravel" / "answers" / "demo-fail.json"
    script = (
        "import atexit, sys\n"
        "atexit.register(lambda: print(*sorted({'lark', 'yaml'} & sys.modules.keys()), file=sys.stderr))\n"
        f"sys.argv = ['planspec', 'verify', {str(answer)!r}]\n"
        "from planspec.cli import main\nmain()\n"
    )
    environment = {**os.environ, VARIABLE: str(tmp_path / "cache")}
    runs = [
        subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False)
        for _ in range(2)
    ]
    assert [run.returncode for run in runs] == [1, 1]
    assert runs[0].stdout == runs[1].stdout
    assert [run.stderr.split() for run in runs] == [["lark", "yaml"], []]


class _ByGetattr:
    """An object that is pickled as members of enums are in Python 3.11.0 to 3.11.3, by `getattr`."""

    def __init__(self, owner: type, name: str) -> None:
        self.owner, self.name = owner, name

    def __reduce__(self) -> tuple[Any, ...]:
        return getattr, (self.owner, self.name)


def test_getattr_in_an_entry_gives_members_of_enums_and_nothing_else() -> None:
    from planspec.api.task_cache import _Unpickler
    from planspec.dsl.model.task import Task
    from planspec.dsl.model.types import ScalarType

    member = pickle.dumps(_ByGetattr(ScalarType, "INT"), 5)
    assert _Unpickler(BytesIO(member)).load() is ScalarType.INT
    with pytest.raises(pickle.UnpicklingError, match="Task is not an enum"):
        _Unpickler(BytesIO(pickle.dumps(_ByGetattr(Task, "__init__"), 5))).load()
