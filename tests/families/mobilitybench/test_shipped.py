"""The command reproduces the shipped suite, and its reference answers pass."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from planspec.api.catalog import Catalog
from planspec.families.mobilitybench.generating import SuiteOptions, generate
from planspec.families.mobilitybench.judging import judge_of
from planspec.families.mobilitybench.reference import reference_answer
from planspec.families.mobilitybench.suite import read_episodes
from planspec.suite_writing.kept_sections import existing_sections

SIZE, CITIES = 60, 30
"""Number of episodes and number of cities, as the suite's README states them."""


def shipped() -> Path:
    """Return the folder of the shipped suite."""
    return Catalog().suite_path("mobilitybench").parent


@pytest.mark.slow
@pytest.mark.thorough
def test_the_command_reproduces_the_suite(tmp_path: Path) -> None:
    folder_made = tmp_path / "mobilitybench"
    generate(folder_made, SuiteOptions(0, SIZE, CITIES))
    folder = shipped()
    for name in ("suite.yaml", "episodes.jsonl"):
        assert (folder_made / name).read_bytes() == (folder / name).read_bytes(), name
    tasks = sorted(path.name for path in (folder_made / "tasks").glob("*.yaml"))
    assert tasks == sorted(path.name for path in (folder / "tasks").glob("*.yaml"))
    assert len(tasks) == SIZE
    for name in tasks:
        path = folder / "tasks" / name
        written = (folder_made / "tasks" / name).read_text("utf-8") + existing_sections(path)
        assert written == path.read_text("utf-8"), name
    assert dump(folder_made / "ways.sqlite") == dump(folder / "ways.sqlite")


def dump(database: Path) -> list[str]:
    """Return a database as SQL statements, since its bytes depend on the version of SQLite."""
    with sqlite3.connect(database) as opened:
        return list(opened.iterdump())


@pytest.mark.slow
def test_the_right_answer_of_each_episode_passes() -> None:
    folder = shipped()
    for episode in read_episodes(folder):
        answer = json.dumps(reference_answer(episode), ensure_ascii=False)
        verdict = judge_of(folder / "tasks" / f"{episode.id}.yaml").answer(answer)
        assert verdict.status == "pass", (episode.id, verdict.findings)
