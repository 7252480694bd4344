"""Answers of the public toolkit's agents to the public sample, judged strictly."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from planspec.api.judging import Judge
from planspec.dsl.documents.documents import task_from_path
from planspec.families.mobilitybench.answers import resolve_routes
from planspec.families.mobilitybench.episode import Episode, ScenarioFamily
from planspec.families.mobilitybench.public.importing import import_mobilitybench
from planspec.families.mobilitybench.suite import read_episodes
from planspec.families.mobilitybench.traces_reading import trace_of_mobilitybench
from tests.paths import SHARED

FOLDER = SHARED / "data" / "mobilitybench"
TABLE, RUNS = FOLDER / "sample_dev.csv", FOLDER / "official_metrics_dev.jsonl"
pytestmark = pytest.mark.skipif(not RUNS.is_file(), reason="the public sample of MobilityBench is not here")
PLANNING = (ScenarioFamily.BASIC_PLANNING, ScenarioFamily.CONSTRAINED_PLANNING)


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the imported public sample."""
    out = tmp_path_factory.mktemp("public") / "suite"
    import_mobilitybench(TABLE, out)
    return out


def runs(suite: Path, variant: str) -> Iterator[tuple[Episode, Any]]:
    """Yield the episodes about route planning that have recorded routes, each with its run.

    A run names its episode by a row number in the whole public table.
    """
    episodes = list(read_episodes(suite))
    for line in RUNS.read_text("utf-8").splitlines():
        run = json.loads(line)
        episode = episodes[run["row"] // 2]
        if run["variant"] == variant and episode.family in PLANNING and "route_ans" not in episode.unread:
            yield episode, run["raw_result"]


def passes(suite: Path, episode: Episode, run: Any) -> bool:
    """Return whether an agent's run passes the strict judge of its episode."""
    judge = Judge(task_from_path(suite / "tasks" / f"{episode.id}.yaml"))
    return judge.answer(resolve_routes(run["reporter_output"], trace_of_mobilitybench(run), episode)).status == "pass"


@pytest.mark.slow
def test_the_right_route_of_a_run_passes(imported: Path) -> None:
    judged = [(episode.id, passes(imported, episode, run)) for episode, run in runs(imported, "perfect")]
    assert len(judged) == 13 and all(passed for _, passed in judged), judged


@pytest.mark.slow
def test_a_route_index_without_a_call_does_not_pass(imported: Path) -> None:
    judged = [(episode.id, passes(imported, episode, run)) for episode, run in runs(imported, "gamed")]
    assert len(judged) == 13 and not any(passed for _, passed in judged), judged
