"""Facts about a run's tasks and answers are cached in the run's folder."""

from __future__ import annotations

import json
import shutil
from fractions import Fraction
from pathlib import Path

import pytest

from planspec.agents import AgentSpec, AttemptFailedError, Limits
from planspec.agents.desk import Desk
from planspec.agents.view import TaskView
from planspec.environments import open_task
from planspec.errors import NotFoundError
from planspec.runs import ChangedSuiteError, RunFolder, RunOptions, begin
from planspec.runs.attempting import AttemptSpec, attempt, lost_attempt
from planspec.scores import run_metrics, run_scores
from planspec.scores.attempts import tool_call_count
from planspec.scores.known import FILE, RunFacts
from tests.dsl.small_talk import TALK, visits
from tests.planspec.scores.small import (
    RIGHT,
    ScriptedAgent,
    add_attempt,
    make_attempt,
    write_run,
)


def run_facts(folder: RunFolder) -> RunFacts:
    """Read the cached facts of a run."""
    return RunFacts.model_validate_json((folder.path / FILE).read_bytes())


def test_a_scored_run_can_be_scored_again_without_its_suite(suite: Path, tmp_path: Path) -> None:
    folder = write_run(suite, tmp_path / "run", {"a": [RIGHT], "b": [RIGHT], "c": [RIGHT]})
    scores = run_scores(folder, resamples=100)
    shutil.rmtree(suite)
    assert run_scores(folder, resamples=100) == scores


def test_a_run_that_was_never_scored_needs_its_suite_unless_it_has_a_copy(suite: Path, tmp_path: Path) -> None:
    folder = write_run(suite, tmp_path / "run", {"a": [RIGHT]})
    shutil.copytree(folder.path, tmp_path / "bare", ignore=shutil.ignore_patterns("suite"))
    moved = suite.rename(tmp_path / "moved")
    bare = RunFolder(tmp_path / "bare")
    with pytest.raises(NotFoundError):
        run_metrics(bare)
    assert run_metrics(folder)["n"] == run_metrics(bare, suite=str(moved))["n"] == 3


def test_a_changed_suite_is_refused(suite: Path, tmp_path: Path) -> None:
    folder = write_run(suite, tmp_path / "run", {"a": [RIGHT]})
    text = (suite / "a.task.yaml").read_text()
    (suite / "a.task.yaml").write_text(text.replace("10:00", "10:30"))
    with pytest.raises(ChangedSuiteError):
        run_metrics(folder, suite=str(suite))
    assert not (folder.path / FILE).exists()
    assert run_metrics(folder)["n"] == 3


def test_lookups_of_times_by_constraints_are_counted_on_request_and_stored(suite: Path, tmp_path: Path) -> None:
    folder = write_run(suite, tmp_path / "run", {"a": [RIGHT]})
    run_metrics(folder)
    assert {facts.anchors for facts in run_facts(folder).tasks.values()} == {"uncounted"}
    run_scores(folder, resamples=100)
    assert {facts.anchors for facts in run_facts(folder).tasks.values()} == {0}
    run_metrics(folder)
    assert {facts.anchors for facts in run_facts(folder).tasks.values()} == {0}


def test_anchors_of_a_changed_task_are_not_counted(suite: Path, tmp_path: Path) -> None:
    folder = write_run(suite, tmp_path / "run", {"a": [RIGHT]})
    run_metrics(folder)
    text = (suite / "b.task.yaml").read_text()
    (suite / "b.task.yaml").write_text(text.replace("10:00", "10:30"))
    with pytest.raises(ChangedSuiteError, match="`b`"):
        run_scores(folder, suite=str(suite))


@pytest.mark.parametrize(
    "contents", ["", "{}", '{"known": "known/3", "suite_sha256": "0", "protocol": null, "tasks": {}}']
)
def test_a_corrupt_cache_is_computed_again(suite: Path, tmp_path: Path, contents: str) -> None:
    folder = write_run(suite, tmp_path / "run", {"a": [RIGHT]})
    before = run_metrics(folder)
    (folder.path / FILE).write_text(contents)
    assert run_metrics(folder) == before
    assert set(run_facts(folder).tasks) == {"a", "b", "c"}


def test_a_run_in_an_unwritable_folder_is_scored_without_a_cache(
    suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_run(suite, tmp_path / "run", {"a": [RIGHT]})

    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr("planspec.scores.known.replace_text", refuse)
    assert run_metrics(folder)["n"] == 3
    assert not (folder.path / FILE).exists()


def test_several_processes_compute_the_same_facts(suite: Path, tmp_path: Path) -> None:
    answers = {"a": [RIGHT], "b": [RIGHT], "c": [RIGHT]}
    one, two = write_run(suite, tmp_path / "one", answers), write_run(suite, tmp_path / "two", answers)
    run_scores(one, resamples=100)
    run_scores(two, resamples=100, jobs=2)
    assert run_facts(one) == run_facts(two)


def test_conversations_have_shares_of_kept_plans_and_can_be_resumed(tmp_path: Path) -> None:
    suite = tmp_path / "talks"
    suite.mkdir()
    (suite / "talk.task.yaml").write_text(TALK)
    (suite / "suite.yaml").write_text(
        "planspec: suite/1\nid: talks\ntitle: Talks\nprotocol: flextravel\ntasks: [talk.task.yaml]\n"
    )
    folder = RunFolder(tmp_path / "run")
    begin(RunOptions(str(suite), AgentSpec.read("empty"), repeats=2), folder)
    plans = [
        visits("tower", "zoo", "park"),
        visits("museum", "zoo", "park"),
        visits("tower", "museum", "park"),
    ]
    opened = open_task(suite / "talk.task.yaml", folder=suite)

    class TalkAgent(ScriptedAgent):
        def answer(self, view: TaskView, desk: Desk) -> dict[str, object]:
            return plans[view.turn]

    add_attempt(folder, attempt(AttemptSpec("talk", 0, 0), TalkAgent(None), "empty", opened, Limits()))
    # one of 6 cells changes in one turn, and two in the next
    share = Fraction(5 + 4, 12)
    assert run_metrics(folder)["kept"] == float(share)
    assert run_facts(folder).answers["0/talk"].kept == share
    add_attempt(folder, attempt(AttemptSpec("talk", 1, 1), ScriptedAgent("?"), "empty", opened, Limits()))
    scores = run_scores(folder, resamples=100)
    assert (scores.protocol, scores.metrics["kept"].n, scores.metrics["kept"].repeats) == (
        "flextravel",
        1,
        (0.75, None),
    )
    assert run_facts(folder).answers["1/talk"].kept is None
    assert scores.tasks[0].made == 2


def test_facts_lost_with_a_process_are_unknown(suite: Path, tmp_path: Path) -> None:
    opened = open_task(suite / "a.task.yaml", folder=suite)
    lost = lost_attempt(AttemptSpec("a", 0, 0), "empty", opened, "timeout", "12 seconds are over", 12.0)
    assert lost.lost and tool_call_count(lost) is None
    folder = write_run(suite, tmp_path / "run", {"b": [RIGHT]})
    add_attempt(folder, lost)
    cost = run_scores(folder, resamples=100).cost
    assert (cost.tool_calls.known, cost.tool_calls.unknown, cost.tool_calls.total) == (1, 2, 0)
    assert (cost.seconds.known, cost.seconds.unknown) == (2, 1)


def test_an_agent_that_gave_up_at_once_made_no_calls(suite: Path) -> None:
    gave_up = make_attempt(suite, "a", 0, AttemptFailedError("adapter", "no"))
    assert not gave_up.lost
    assert tool_call_count(gave_up) == 0


def test_the_cache_is_json_with_a_version(suite: Path, tmp_path: Path) -> None:
    folder = write_run(suite, tmp_path / "run", {"a": [RIGHT]})
    run_metrics(folder)
    assert json.loads((folder.path / FILE).read_text())["known"] == "known/3"
