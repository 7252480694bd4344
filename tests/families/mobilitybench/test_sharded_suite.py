"""A suite in shards has the same tasks as one in files. Its writing can be resumed, and it is never left
incomplete.
"""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

import pytest

from planspec import score
from planspec.api.catalog import Catalog
from planspec.api.checking import check
from planspec.environments.opened import open_task
from planspec.families.mobilitybench import generating
from planspec.families.mobilitybench.episode import Episode
from planspec.families.mobilitybench.generating import BLOCK_EPISODES, SuiteOptions, draw_blocks, generate
from planspec.families.mobilitybench.row_collector import rows_of_episode
from planspec.families.mobilitybench.sharded_suite import ShardedSuiteWriter, ShardWriter, read_account
from planspec.families.mobilitybench.suite import (
    InvalidEpisodeError,
    SuiteWriter,
    read_episodes,
    read_episodes_with_tasks,
)
from planspec.families.mobilitybench.suite_files import can_hold_suite, episode_files, remove_suite, task_ids
from planspec.suite_writing.options import UnsuitableSuiteError
from tests.families.mobilitybench import london
from tests.families.mobilitybench.test_suite import files, some_episodes

OPTIONS = {"size": 3}


def write_sharded_suite(folder: Path, *shards: list[Episode]) -> Path:
    """Write a suite with these shards."""
    with ShardedSuiteWriter(folder, "Some: a suite", OPTIONS) as writer:
        for number, episodes in enumerate(shards, 1):
            write_shard(writer.shards, number, episodes)
    return folder


def write_shard(folder: Path, number: int, episodes: list[Episode]) -> None:
    """Write a shard (a file of many tasks) with these episodes."""
    with ShardWriter(folder, number) as shard:
        for episode in episodes:
            shard.add(episode.with_checksum(), rows_of_episode(episode))
        shard.finish({"episodes": len(episodes)})


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """Return a suite of three episodes in two shards."""
    return write_sharded_suite(tmp_path / "some", some_episodes()[:2], some_episodes()[2:])


# ------------------------------------------------------------------ reading


def test_episodes_are_read_as_they_were_written(suite: Path) -> None:
    """Episodes come in the order of the shards, each with the path of its task."""
    assert list(read_episodes(suite)) == some_episodes()
    assert list(read_episodes(suite / "shards" / "episodes-00002.jsonl")) == some_episodes()[2:]
    assert [task for _, task in read_episodes_with_tasks(suite)] == list(Catalog().suite(str(suite)).tasks)
    assert task_ids(suite) == {episode.id for episode in some_episodes()}


def test_a_suite_in_shards_has_no_mistakes(suite: Path) -> None:
    """Each task reads its rows from the database of its shard."""
    assert check(suite) == ()


def test_a_suite_in_shards_is_scored_like_one_in_files(suite: Path, tmp_path: Path) -> None:
    """The metrics are the same, and an answer for an unknown task is refused."""
    with SuiteWriter(tmp_path / "files", "Some") as writer:
        for episode in some_episodes():
            writer.add(episode)
    place = some_episodes()[0].given["right_places"]
    assert isinstance(place, list)
    answers = [{"task": episode.id, "plan": {"answer": {"place": place[0]}}} for episode in some_episodes()]
    scores = score(suite, answers)
    assert scores.metrics == score(tmp_path / "files", answers).metrics
    assert scores.traces is not None
    assert [trace["verdict"] for trace in scores.traces.traces] == ["pass", "undelivered", "undelivered"]
    with pytest.raises(ValueError, match="the suite has no task `none`"):
        score(suite, [{"task": "none", "plan": {}}])


def test_a_task_in_a_shard_finds_its_episode(suite: Path) -> None:
    """The episode is found with and without the suite's folder as an argument."""
    (path, *_) = Catalog().suite(str(suite)).tasks
    for folder in (None, suite):
        opened = open_task(str(path), "sandbox", folder=folder)
        assert opened.judge.task.id == some_episodes()[0].id
        assert len(opened.tools.tools()) == 10


def test_a_damaged_shard_is_reported(suite: Path) -> None:
    """A damaged shard is truncated or has a different text."""
    (first, _) = episode_files(suite)
    whole = first.read_bytes()
    first.write_bytes(whole[:-9])
    with pytest.raises(InvalidEpisodeError, match=r"episodes-00001.jsonl`, line 2: .*Invalid JSON"):
        list(read_episodes(suite))
    first.write_bytes(whole.replace(some_episodes()[0].query.encode(), b"?", 1))
    with pytest.raises(InvalidEpisodeError, match=r"episodes-00001.jsonl`, line 1: .*checksum"):
        list(read_episodes(suite))


# ------------------------------------------------------------------ writing


def test_interrupted_writing_resumes(tmp_path: Path) -> None:
    """Complete shards are reused and incomplete ones are written again if the options are the same."""
    folder = tmp_path / "some"
    with suppress(KeyboardInterrupt), ShardedSuiteWriter(folder, "Some: a suite", OPTIONS) as writer:
        write_shard(writer.shards, 1, some_episodes()[:2])
        with ShardWriter(writer.shards, 2) as shard:
            shard.add(some_episodes()[2].with_checksum(), rows_of_episode(some_episodes()[2]))
            raise KeyboardInterrupt
    assert can_hold_suite(folder) and not (folder / "suite.yaml").exists()
    with ShardedSuiteWriter(folder, "Some: a suite", OPTIONS) as writer:
        assert read_account(writer.shards, 1) == {"episodes": 2}
        assert read_account(writer.shards, 2) is None
        write_shard(writer.shards, 2, some_episodes()[2:])
    assert list(read_episodes(folder)) == some_episodes()
    assert not (folder / ".part").exists()
    assert files(folder) == files(
        write_sharded_suite(tmp_path / "again" / "some", some_episodes()[:2], some_episodes()[2:])
    )


def test_shards_of_other_options_are_not_reused(tmp_path: Path) -> None:
    """With other options, the episodes differ."""
    with suppress(KeyboardInterrupt), ShardedSuiteWriter(tmp_path / "s", "Some", OPTIONS) as writer:
        write_shard(writer.shards, 1, some_episodes())
        raise KeyboardInterrupt
    with ShardedSuiteWriter(tmp_path / "s", "Some", {"size": 4}) as writer:
        assert read_account(writer.shards, 1) is None
        write_shard(writer.shards, 1, some_episodes()[:1])
    assert list(read_episodes(tmp_path / "s")) == some_episodes()[:1]


def test_shards_and_files_replace_each_other(suite: Path) -> None:
    """Other files in the folder are kept."""
    for name in ("notes.txt", "shards/mine.txt"):
        (suite / name).write_text("x")
    with SuiteWriter(suite, "Files") as writer:
        writer.add(london.nearby())
    assert files(suite).keys() == {
        "notes.txt",
        "shards/mine.txt",
        "suite.yaml",
        "episodes.jsonl",
        "ways.sqlite",
        f"tasks/{london.nearby().id}.yaml",
    }
    write_sharded_suite(suite, some_episodes())
    assert files(suite).keys() == {
        "notes.txt",
        "shards/mine.txt",
        "suite.yaml",
        "shards/00001.tasks.yaml.gz",
        "shards/episodes-00001.jsonl",
        "shards/00001.ways.sqlite",
    }
    remove_suite(suite)
    assert files(suite).keys() == {"notes.txt", "shards/mine.txt"}


def test_a_folder_with_other_files_is_refused_and_unchanged(tmp_path: Path) -> None:
    """A folder with files that belong to no suite is refused, and so is an id that cannot be the name of a file."""
    (tmp_path / "thesis.tex").write_text("x")
    with pytest.raises(UnsuitableSuiteError, match="neither a new folder"):
        ShardedSuiteWriter(tmp_path, "Mine", OPTIONS)
    with pytest.raises(ValueError, match="name of a file"):
        write_sharded_suite(tmp_path / "s", [some_episodes()[0].model_copy(update={"id": "../x"})])
    with pytest.raises(ValueError, match="two episodes"):
        write_sharded_suite(tmp_path / "t", [some_episodes()[0], some_episodes()[0]])


# ------------------------------------------------------------------ generating


@pytest.fixture
def small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make shards so small that each city has its own shard."""
    monkeypatch.setattr(generating, "SHARD_EPISODES_MIN", 3)
    monkeypatch.setattr(generating, "SHARDED_FROM", 1)


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.usefixtures("small_shards")
def test_many_episodes_are_written_in_shards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A suite in files has the same episodes and counts. Jobs and interruptions do not change the bytes."""
    options = SuiteOptions(seed=4, size=12, cities=4)
    generated = generate(tmp_path / "one" / "suite", options)
    assert [path.name for path in episode_files(generated.folder)] == [f"episodes-0000{n}.jsonl" for n in (1, 2, 3)]

    def interrupt(text: str, share: float | None = None, /) -> None:
        if text.startswith("7 of 12"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        generate(tmp_path / "two" / "suite", options, interrupt)
    assert len(list((tmp_path / "two" / "suite" / ".part" / "shards").glob("*.json"))) == 2
    again = generate(tmp_path / "two" / "suite", SuiteOptions(seed=4, size=12, cities=4, jobs=2))
    assert files(again.folder) == files(generated.folder)
    assert again.document().model_dump() | {"folder": ""} == generated.document().model_dump() | {"folder": ""}
    monkeypatch.setattr(generating, "SHARDED_FROM", 100)
    plain = generate(tmp_path / "three" / "suite", options)
    assert list(read_episodes(plain.folder)) == list(read_episodes(generated.folder))
    assert plain.document().model_dump() | {"folder": ""} == generated.document().model_dump() | {"folder": ""}


def test_a_shard_has_whole_days_of_cities(tmp_path: Path) -> None:
    """A shard has at least a thousand episodes; the last shard has the rest."""
    works = list(generating.shard_works(SuiteOptions(seed=0, size=12_345), tmp_path))
    sizes = [sum(len(city.scenarios) for city in work.cities) for work in works]
    assert sum(sizes) == 12_345 and all(1000 <= size < 1000 + BLOCK_EPISODES for size in sizes[:-1])
    assert [work.number for work in works] == list(range(1, len(works) + 1))
    cities = [city for work in works for city in work.cities]
    assert cities == list(draw_blocks(SuiteOptions(seed=0, size=12_345)))
    assert json.loads(json.dumps(SuiteOptions(0, 10_000).determining_options))["size"] == 10_000
