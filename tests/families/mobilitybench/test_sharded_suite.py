"""A suite in shards holds what one in files holds, goes on where it was broken off, and is there as a whole or not at all."""

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
from planspec.families.mobilitybench.generating import A_BLOCK, SuiteOptions, blocks, generate
from planspec.families.mobilitybench.sharded_suite import ShardedSuiteWriter, ShardWriter, account_of
from planspec.families.mobilitybench.suite import (
    InvalidEpisodeError,
    SuiteWriter,
    read_episodes,
    read_with_tasks,
)
from planspec.families.mobilitybench.suite_files import episode_files, is_suite, remove_suite, task_ids
from planspec.families.mobilitybench.ways import ways_of
from planspec.families.suite_writing.options import UnsuitableSuiteError
from tests.families.mobilitybench import london
from tests.families.mobilitybench.test_suite import files, some

OPTIONS = {"size": 3}


def sharded(folder: Path, *shards: list[Episode]) -> Path:
    """A suite of these shards."""
    with ShardedSuiteWriter(folder, "Some: a suite", OPTIONS) as writer:
        for number, episodes in enumerate(shards, 1):
            write(writer.shards, number, episodes)
    return folder


def write(folder: Path, number: int, episodes: list[Episode]) -> None:
    with ShardWriter(folder, number) as shard:
        for episode in episodes:
            shard.add(episode.sealed(), ways_of(episode))
        shard.finish({"episodes": len(episodes)})


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """Three episodes in two shards."""
    return sharded(tmp_path / "some", some()[:2], some()[2:])


# ------------------------------------------------------------------ reading


def test_episodes_are_read_as_they_were_written(suite: Path) -> None:
    """In the order of the shards, each with the path of its task."""
    assert list(read_episodes(suite)) == some()
    assert list(read_episodes(suite / "shards" / "episodes-00002.jsonl")) == some()[2:]
    assert [task for _, task in read_with_tasks(suite)] == list(Catalog().suite(str(suite)).tasks)
    assert task_ids(suite) == {episode.id for episode in some()}


def test_a_suite_in_shards_has_no_mistake(suite: Path) -> None:
    """Each task finds its ways beside its shard."""
    assert check(suite) == ()


def test_shards_are_scored_as_files_are(suite: Path, tmp_path: Path) -> None:
    """With the same metrics, and with an answer that is for none of its tasks refused."""
    with SuiteWriter(tmp_path / "files", "Some") as writer:
        for episode in some():
            writer.add(episode)
    place = some()[0].given["right_places"]
    assert isinstance(place, list)
    answers = [{"task": episode.id, "plan": {"answer": {"place": place[0]}}} for episode in some()]
    found = score(suite, answers)
    assert found.metrics == score(tmp_path / "files", answers).metrics
    assert found.traces is not None
    assert [trace["verdict"] for trace in found.traces.traces] == ["pass", "undelivered", "undelivered"]
    with pytest.raises(ValueError, match="the suite has no task `none`"):
        score(suite, [{"task": "none", "plan": {}}])


def test_an_agent_meets_the_sandbox_of_a_task_in_a_shard(suite: Path) -> None:
    """Whether the suite's folder is known or not."""
    (path, *_) = Catalog().suite(str(suite)).tasks
    for folder in (None, suite):
        opened = open_task(str(path), "sandbox", folder=folder)
        assert opened.judge.task.id == some()[0].id
        assert len(opened.tools.tools()) == 10


def test_a_damaged_shard_is_told(suite: Path) -> None:
    """Whether it is cut, or holds another text than was written."""
    (first, _) = episode_files(suite)
    whole = first.read_bytes()
    first.write_bytes(whole[:-9])
    with pytest.raises(InvalidEpisodeError, match=r"episodes-00001.jsonl`, line 2: .*Invalid JSON"):
        list(read_episodes(suite))
    first.write_bytes(whole.replace(some()[0].query.encode(), b"?", 1))
    with pytest.raises(InvalidEpisodeError, match=r"episodes-00001.jsonl`, line 1: .*checksum"):
        list(read_episodes(suite))


# ------------------------------------------------------------------ writing


def test_what_is_broken_off_goes_on(tmp_path: Path) -> None:
    """A shard that is whole is kept for the same options; one that is not is written again."""
    folder = tmp_path / "some"
    with suppress(KeyboardInterrupt), ShardedSuiteWriter(folder, "Some: a suite", OPTIONS) as writer:
        write(writer.shards, 1, some()[:2])
        with ShardWriter(writer.shards, 2) as shard:
            shard.add(some()[2].sealed(), ways_of(some()[2]))
            raise KeyboardInterrupt
    assert is_suite(folder) and not (folder / "suite.yaml").exists()
    with ShardedSuiteWriter(folder, "Some: a suite", OPTIONS) as writer:
        assert account_of(writer.shards, 1) == {"episodes": 2}
        assert account_of(writer.shards, 2) is None
        write(writer.shards, 2, some()[2:])
    assert list(read_episodes(folder)) == some()
    assert not (folder / ".part").exists()
    assert files(folder) == files(sharded(tmp_path / "again" / "some", some()[:2], some()[2:]))


def test_other_options_keep_nothing(tmp_path: Path) -> None:
    """The shards would hold other episodes."""
    with suppress(KeyboardInterrupt), ShardedSuiteWriter(tmp_path / "s", "Some", OPTIONS) as writer:
        write(writer.shards, 1, some())
        raise KeyboardInterrupt
    with ShardedSuiteWriter(tmp_path / "s", "Some", {"size": 4}) as writer:
        assert account_of(writer.shards, 1) is None
        write(writer.shards, 1, some()[:1])
    assert list(read_episodes(tmp_path / "s")) == some()[:1]


def test_shards_and_files_take_each_others_place(suite: Path) -> None:
    """What others put there stays."""
    for name in ("notes.txt", "shards/mine.txt"):
        (suite / name).write_text("x")
    with SuiteWriter(suite, "Files") as writer:
        writer.add(london.nearby())
    assert files(suite).keys() == {
        "notes.txt", "shards/mine.txt", "suite.yaml", "episodes.jsonl", "ways.sqlite", f"tasks/{london.nearby().id}.yaml",
    }  # fmt: skip
    sharded(suite, some())
    assert files(suite).keys() == {
        "notes.txt", "shards/mine.txt", "suite.yaml", "shards/00001.tasks.yaml.gz", "shards/episodes-00001.jsonl",
        "shards/00001.ways.sqlite",
    }  # fmt: skip
    remove_suite(suite)
    assert files(suite).keys() == {"notes.txt", "shards/mine.txt"}


def test_a_folder_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    """And an id that is no name of a file is refused."""
    (tmp_path / "thesis.tex").write_text("x")
    with pytest.raises(UnsuitableSuiteError, match="neither a new folder"):
        ShardedSuiteWriter(tmp_path, "Mine", OPTIONS)
    with pytest.raises(ValueError, match="name of a file"):
        sharded(tmp_path / "s", [some()[0].model_copy(update={"id": "../x"})])
    with pytest.raises(ValueError, match="two episodes"):
        sharded(tmp_path / "t", [some()[0], some()[0]])


# ------------------------------------------------------------------ generating


@pytest.fixture
def small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    """A shard for each city."""
    monkeypatch.setattr(generating, "A_SHARD", 3)
    monkeypatch.setattr(generating, "SHARDED_FROM", 1)


@pytest.mark.slow
@pytest.mark.usefixtures("small_shards")
def test_many_episodes_are_written_in_shards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same ones as in files, the same bytes whatever the jobs and where it was broken off, with the same account."""
    wanted = SuiteOptions(seed=4, size=12, cities=4)
    made = generate(tmp_path / "one" / "suite", wanted)
    assert [path.name for path in episode_files(made.folder)] == [
        f"episodes-0000{n}.jsonl" for n in (1, 2, 3)
    ]

    def told(text: str, share: float | None = None, /) -> None:
        if text.startswith("7 of 12"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        generate(tmp_path / "two" / "suite", wanted, told)
    assert len(list((tmp_path / "two" / "suite" / ".part" / "shards").glob("*.json"))) == 2
    again = generate(tmp_path / "two" / "suite", SuiteOptions(seed=4, size=12, cities=4, jobs=2))
    assert files(again.folder) == files(made.folder)
    assert again.document().model_dump() | {"folder": ""} == made.document().model_dump() | {"folder": ""}
    monkeypatch.setattr(generating, "SHARDED_FROM", 100)
    plain = generate(tmp_path / "three" / "suite", wanted)
    assert list(read_episodes(plain.folder)) == list(read_episodes(made.folder))
    assert plain.document().model_dump() | {"folder": ""} == made.document().model_dump() | {"folder": ""}


def test_a_shard_has_whole_days_of_cities(tmp_path: Path) -> None:
    """As many as have a thousand episodes, whatever is left in the last."""
    works = list(generating.shard_works(SuiteOptions(seed=0, size=12_345), tmp_path))
    sizes = [sum(len(city.scenarios) for city in work.cities) for work in works]
    assert sum(sizes) == 12_345 and all(1000 <= size < 1000 + A_BLOCK for size in sizes[:-1])
    assert [work.number for work in works] == list(range(1, len(works) + 1))
    made = [city for work in works for city in work.cities]
    assert made == list(blocks(SuiteOptions(seed=0, size=12_345)))
    assert json.loads(json.dumps(SuiteOptions(0, 10_000).decisive))["size"] == 10_000
