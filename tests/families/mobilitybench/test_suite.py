"""A suite is written episode by episode, is never left incomplete, and is read back unchanged."""

from __future__ import annotations

import gc
import json
import tracemalloc
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

import pytest

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.documents.documents import Suite, check_document, task_from_path
from planspec.dsl.workspace.workspace import Workspace
from planspec.families.mobilitybench.episode import Episode
from planspec.families.mobilitybench.snapshot import InvalidSnapshotError
from planspec.families.mobilitybench.suite import (
    InvalidEpisodeError,
    SuiteWriter,
    read_episodes,
    sandbox_of,
)
from planspec.families.mobilitybench.suite_files import can_hold_suite
from planspec.suite_writing.options import UnsuitableSuiteError
from tests.families.mobilitybench import london


def some_episodes() -> list[Episode]:
    return [london.poi_search(), london.from_to(), london.weather()]


def write(folder: Path, *episodes: Episode, others: Iterable[Episode] = ()) -> Path:
    """Write a suite with these episodes to a folder, and return the folder."""
    with SuiteWriter(folder, "Some: a suite") as writer:
        for episode in chain(episodes, others):
            writer.add(episode)
    return folder


def files(folder: Path) -> dict[str, bytes]:
    """Return the bytes of every file in a folder, by path."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_episodes_are_read_as_they_were_written(tmp_path: Path) -> None:
    folder = write(tmp_path / "some", *some_episodes())
    assert list(read_episodes(folder)) == some_episodes()
    assert list(read_episodes(folder / "episodes.jsonl")) == some_episodes()


def test_a_written_folder_is_a_suite_with_its_tasks(tmp_path: Path) -> None:
    folder = write(tmp_path / "some", *some_episodes())
    report = Report()
    workspace = Workspace()
    opened = workspace.open(folder / "suite.yaml", report)
    assert opened is not None
    document = check_document(opened, workspace, report)
    assert isinstance(document, Suite)
    assert not report.failed
    assert [path.stem for path in document.tasks] == sorted(e.id for e in some_episodes())
    assert document.protocol == "mobilitybench"
    assert sorted(files(folder)) == [
        "episodes.jsonl",
        "suite.yaml",
        *sorted(f"tasks/{e.id}.yaml" for e in some_episodes()),
        "ways.sqlite",
    ]


def test_the_same_episodes_make_the_same_files(tmp_path: Path) -> None:
    one, other = (write(tmp_path / at / "some", *some_episodes()) for at in ("a", "b"))
    assert files(one) == files(other)


def test_a_suite_is_replaced_and_other_files_are_kept(tmp_path: Path) -> None:
    folder = write(tmp_path / "some", *some_episodes())
    (folder / "notes.txt").write_text("mine")
    (folder / "tasks" / "notes.txt").write_text("mine")
    write(folder, london.nearby())
    assert sorted(files(folder)) == [
        "episodes.jsonl",
        "notes.txt",
        "suite.yaml",
        f"tasks/{london.nearby().id}.yaml",
        "tasks/notes.txt",
        "ways.sqlite",
    ]
    task = task_from_path(folder / "tasks" / f"{london.nearby().id}.yaml")
    place_ids = {row.id for row in task.facts["Place"].rows}  # type: ignore[attr-defined] # rows have their columns
    assert place_ids >= set(london.nearby().given["right_places"])  # type: ignore[arg-type]


def test_interrupted_writing_leaves_the_folder_unchanged(tmp_path: Path) -> None:
    folder = write(tmp_path / "some", *some_episodes())
    before = files(folder)

    def fail() -> Iterator[Episode]:
        yield london.nearby()
        raise RuntimeError

    with pytest.raises(RuntimeError):
        write(folder, *some_episodes(), others=fail())
    assert files(folder) == before
    with pytest.raises(RuntimeError):
        write(tmp_path / "new", others=fail())
    assert not (tmp_path / "new").exists()


def test_a_killed_writer_leaves_a_folder_that_can_be_rewritten(tmp_path: Path) -> None:
    folder = tmp_path / "some"
    # a kill while files are moved leaves no suite file: the old one is gone, and the new one is not written yet
    writer = SuiteWriter(folder, "Killed").__enter__()
    writer.add(london.nearby())
    writer._base.commit()
    writer._base.close()
    writer._lines.close()
    (folder / "tasks").mkdir()
    moved = folder / ".part" / "tasks" / f"{london.nearby().id}.yaml"
    moved.replace(folder / "tasks" / moved.name)
    assert not (folder / "suite.yaml").exists()
    assert can_hold_suite(folder)
    write(folder, *some_episodes())
    assert sorted(path.stem for path in (folder / "tasks").iterdir()) == sorted(e.id for e in some_episodes())
    assert not (folder / ".part").exists()


def test_a_folder_with_other_files_is_refused_and_unchanged(tmp_path: Path) -> None:
    for name, text in (("thesis.tex", "x"), ("suite.yaml", "planspec: suite/1\nprotocol: veritrip\n")):
        folder = tmp_path / name.partition(".")[0]
        folder.mkdir()
        (folder / name).write_text(text)
        with pytest.raises(UnsuitableSuiteError, match="neither a new folder"):
            SuiteWriter(folder, "Mine")
        assert files(folder) == {name: text.encode()}
    with pytest.raises(UnsuitableSuiteError):
        SuiteWriter(tmp_path / "thesis" / "thesis.tex", "Mine")


def test_files_beside_the_tasks_are_kept_with_the_suite(tmp_path: Path) -> None:
    with SuiteWriter(tmp_path / "some", "Some") as writer:
        writer.extra_file("official.jsonl").write_text("{}\n")
    assert (tmp_path / "some" / "official.jsonl").read_text() == "{}\n"
    assert "tasks: []" in (tmp_path / "some" / "suite.yaml").read_text()


@pytest.mark.parametrize("name", ["", "../x", "a/b", ".hidden", "a b", "x" * 200, "a\0b"])
def test_an_id_that_is_not_a_valid_file_name_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="name of a file"):
        write(tmp_path / "some", london.poi_search().model_copy(update={"id": name}))
    assert list(tmp_path.iterdir()) == []


def test_duplicate_ids_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="two episodes"):
        write(tmp_path / "some", london.poi_search(), london.poi_search())


@pytest.mark.slow
@pytest.mark.thorough
def test_memory_does_not_grow_with_the_number_of_episodes(tmp_path: Path) -> None:
    episode = london.from_to()

    def peak(count: int) -> int:
        tracemalloc.start()
        with SuiteWriter(tmp_path / str(count), "Many") as writer:
            for n in range(count):
                writer.add(episode.model_copy(update={"id": f"mb-{n:06}"}))
                gc.collect()
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    gc.collect()
    gc.freeze()  # existing objects need not be scanned repeatedly
    try:
        peak(5)
        assert peak(100) < peak(20) + 100_000
    finally:
        gc.unfreeze()


def test_a_changed_episode_is_reported_with_its_line(tmp_path: Path) -> None:
    path = write(tmp_path / "some", *some_episodes()) / "episodes.jsonl"
    lines = path.read_text("utf-8").splitlines()
    data = json.loads(lines[1])
    data["query"] += "!"
    path.write_text("\n".join([lines[0], "", json.dumps(data)]), "utf-8")
    episodes = read_episodes(path)
    assert next(episodes) == some_episodes()[0]
    with pytest.raises(InvalidEpisodeError, match=r"line 3: .*checksum"):
        next(episodes)


@pytest.mark.parametrize("line", ["{", "[]", '{"episode": "episode/2"}', '{"episode": "episode/1", "x": 1}', "\udcff"])
def test_a_line_that_is_not_an_episode_is_reported(line: str, tmp_path: Path) -> None:
    path = tmp_path / "episodes.jsonl"
    path.write_text(line, "utf-8", errors="surrogateescape")
    with pytest.raises(InvalidEpisodeError, match="line 1"):
        list(read_episodes(path))


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        list(read_episodes(tmp_path / "episodes.jsonl"))


def test_the_sandbox_of_an_episode_answers_its_calls() -> None:
    episode = london.from_to()
    sandbox = sandbox_of(episode)
    for record in episode.snapshot:
        assert sandbox.call(record.tool, record.arguments) == {
            "match": {"kind": "exact"},
            "result": record.result,
        }


def test_the_sandbox_lacks_missing_results_and_refuses_wrong_arguments() -> None:
    episode = london.from_to()
    lost = [record.model_copy(update={"result": None, "missing": "truncated"}) for record in episode.snapshot]
    empty = sandbox_of(episode.model_copy(update={"snapshot": tuple(lost)}))
    assert "error" in empty.call(episode.snapshot[0].tool, episode.snapshot[0].arguments)
    wrong = episode.snapshot[0].model_copy(update={"arguments": {"keywords": 5}})
    with pytest.raises(InvalidSnapshotError, match=episode.id):
        sandbox_of(episode.model_copy(update={"snapshot": (wrong,)}))
