"""Rescoring judges the answers of a run by the current version of the suite, and leaves the run unchanged."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import planspec
from planspec.agents import AttemptFailedError
from planspec.api.outputs.runs import RescoreOutput
from planspec.errors import PlanspecError
from planspec.runs import ChangedSuiteError, RunFolder
from planspec.scores import run_metrics, run_scores
from planspec.scores.rescoring import rescore
from tests.in_process import attempts_in_process
from tests.planspec.commands.test_command_line import run
from tests.planspec.scores.small import RIGHT, write_run

LATE = {"n": 6, "at": "10:30"}


@pytest.fixture
def folder(suite: Path, tmp_path: Path) -> RunFolder:
    """Write a run of two repeats.

    `a` has a right and a late answer, `b` an unreadable one and a failure, `c` a right one.
    """
    answers: dict[str, list[Any]] = {
        "a": [RIGHT, LATE],
        "b": ["nothing", AttemptFailedError("provider", "gone")],
        "c": [RIGHT, None],
    }
    return write_run(suite, tmp_path / "run", answers)


def replace_in_task(suite: Path, task: str, old: str, new: str) -> None:
    """Replace a part of a task's text."""
    path = suite / f"{task}.task.yaml"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def file_contents(folder: Path) -> dict[str, bytes]:
    """Return the bytes of every file in a folder, by path."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name != "known.json"
    }


def test_rescoring_with_an_unchanged_suite_changes_no_verdict(folder: RunFolder) -> None:
    rescoring = rescore(folder.path)
    assert (rescoring.moved, rescoring.attempts, rescoring.gone, rescoring.added) == ((), 5, (), ())
    assert rescoring.before == rescoring.metrics == run_metrics(folder)
    assert str(rescoring) == "0 of 5 attempts moved"
    assert [a.verdict for a in RunFolder(Path(rescoring.out)).attempts()] == [a.verdict for a in folder.attempts()]


def test_a_corrected_constraint_changes_the_verdicts_that_depend_on_it(suite: Path, folder: RunFolder) -> None:
    run_metrics(folder)
    before = file_contents(folder.path)
    replace_in_task(suite, "a", "answer.at <= 10:00", "answer.at >= 10:00")
    rescoring = rescore(folder.path)
    assert [(m.task, m.repeat, m.before, m.after) for m in rescoring.moved] == [
        ("a", 0, "pass", "fail"),
        ("a", 1, "fail", "pass"),
    ]
    (worse,), (better,) = (moved.because for moved in rescoring.moved)
    assert (worse.constraint, worse.level, worse.before, worse.after) == (
        "early",
        "hard",
        "satisfied",
        "violated",
    )
    assert (better.constraint, better.before, better.after) == ("early", "violated", "satisfied")
    assert "10:30" in better.message
    assert file_contents(folder.path) == before
    assert str(rescoring).splitlines()[-1] == "2 of 5 attempts moved: 1 fail -> pass, 1 pass -> fail"


def test_the_new_verdicts_form_a_run_that_names_its_origin(suite: Path, folder: RunFolder, tmp_path: Path) -> None:
    replace_in_task(suite, "a", "answer.n > 3", "answer.n > 7")
    rescoring = rescore(folder.path, out=tmp_path / "new")
    new = RunFolder(tmp_path / "new")
    assert [attempt.key for attempt in new.attempts()] == [attempt.key for attempt in folder.attempts()]
    assert run_scores(new, anchors=False).document == rescoring.metrics
    source = new.read_header().rescored
    assert source is not None
    assert (source.run, source.suite_sha256) == ("run", folder.read_header().suite_sha256)
    assert source.seal == list(folder.attempts())[-1].chain
    assert new.read_header().suite_sha256 != folder.read_header().suite_sha256
    assert [a.failure for a in new.attempts()] == [a.failure for a in folder.attempts()]


def test_answers_to_fewer_turns_than_the_task_has_now_are_undelivered(suite: Path, folder: RunFolder) -> None:
    replace_in_task(suite, "c", "scope:", "turns: [{query: When?}, {query: And how many?}]\nscope:")
    rescoring = rescore(folder.path)
    assert [(m.task, m.before, m.after) for m in rescoring.moved] == [("c", "pass", "undelivered")]
    output = list(RunFolder(Path(rescoring.out)).attempts())[-1].failure
    assert output is not None
    assert (output.boundary, output.message) == (
        "decode",
        "1 turns were answered, and the task has 2 now",
    )


def test_a_changed_suite_may_have_other_tasks(suite: Path, folder: RunFolder, tmp_path: Path) -> None:
    other = Path(shutil.copytree(suite, tmp_path / "other"))
    text = (other / "a.task.yaml").read_text()
    (other / "d.task.yaml").write_text(text.replace("id: a\n", "id: d\n"))
    (other / "suite.yaml").write_text((suite / "suite.yaml").read_text().replace("[a.task.yaml, b", "[d.task.yaml, b"))
    rescoring = rescore(folder.path, other)
    assert (rescoring.gone, rescoring.added, rescoring.attempts) == (("a",), ("d",), 3)
    assert rescoring.metrics["n"] == 4  # two tasks, two repeats
    assert str(rescoring).splitlines()[:2] == ["no longer in the suite: a", "not attempted by the run: d"]
    (other / "suite.yaml").write_text("planspec: suite/1\nid: other\ntitle: Other\ntasks: [d.task.yaml]\n")
    with pytest.raises(ChangedSuiteError, match="none of the tasks"):
        rescore(folder.path, other)


def test_metrics_that_need_a_deleted_suite_are_unknown(suite: Path, folder: RunFolder, tmp_path: Path) -> None:
    other = suite.rename(tmp_path / "other")
    shutil.rmtree(folder.path / "suite")  # as in runs of earlier releases
    rescoring = rescore(folder.path, other)
    assert rescoring.before is None
    assert "metrics before are unknown" in str(rescoring)


def test_a_changed_run_is_not_rescored(suite: Path, folder: RunFolder) -> None:
    text = folder.attempts_file.read_text()
    folder.attempts_file.write_text(text.replace("09:30", "09:45", 1))
    with pytest.raises(PlanspecError, match="line 1"):
        rescore(folder.path)
    assert not folder.path.with_name("run-rescored").exists()


def test_the_new_folder_is_beside_the_run_and_replaces_no_other(folder: RunFolder, tmp_path: Path) -> None:
    places = [rescore(folder.path).out for _ in range(2)]
    assert places == [str(tmp_path / "run-rescored"), str(tmp_path / "run-rescored-2")]
    for taken in (folder.path, tmp_path / "run-rescored"):
        with pytest.raises(PlanspecError, match="not empty"):
            rescore(folder.path, out=taken)


def test_the_command_prints_the_changes(suite: Path, folder: RunFolder, monkeypatch: Any, capsys: Any) -> None:
    run_metrics(folder)
    replace_in_task(suite, "a", "answer.at <= 10:00", "answer.at >= 10:00")
    code, out, err = run(monkeypatch, capsys, "rescore", str(folder.path))
    assert (code, err) == (0, f"next: planspec report {folder.path} {folder.path}-rescored\n")
    assert out.startswith("a: pass -> fail\n  x hard  early  ")
    assert "a repeat 1: fail -> pass\n  + hard  early  holds now; was: " in out
    code, out, _ = run(
        monkeypatch, capsys, "rescore", str(folder.path), "--out", f"{folder.path}-b", "--format", "json"
    )
    output = RescoreOutput.model_validate_json(out)
    assert (code, [(m.task, m.before, m.after) for m in output.moved]) == (
        0,
        [("a", "pass", "fail"), ("a", "fail", "pass")],
    )
    assert output.metrics.before == json.loads(json.dumps(run_metrics(folder)))
    code, out, err = run(monkeypatch, capsys, "rescore", str(suite))
    assert (code, out) == (2, "")
    assert "is not a run" in err


@pytest.mark.slow
def test_the_results_do_not_depend_on_the_number_of_jobs(suite: Path, folder: RunFolder, tmp_path: Path) -> None:
    replace_in_task(suite, "c", "answer.n % 4 == 2", "answer.n % 4 == 0")
    one, two = (rescore(folder.path, out=tmp_path / str(jobs), jobs=jobs) for jobs in (1, 2))
    assert one.moved == two.moved != ()
    assert file_contents(tmp_path / "1") == file_contents(tmp_path / "2")
    assert repr(one) == f"<Rescoring of {folder.path}: 1 of 5 attempts moved>"
    assert repr(one.moved[0]) == "<MovedVerdict of c: pass -> fail, 1 constraints>"


@pytest.mark.thorough
@pytest.mark.slow
def test_traces_are_scored_again(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    words = ("run", "mobilitybench", "--agent", "oracle", "--limit", "2", "--out", "run")
    with attempts_in_process():
        assert run(monkeypatch, capsys, *words)[0] == 0
    rescoring = planspec.rescore("run")
    assert rescoring.moved == ()
    assert rescoring.before == rescoring.metrics
