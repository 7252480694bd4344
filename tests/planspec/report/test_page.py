"""The contents of a page about runs, before it is rendered."""

import re
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from planspec.report import ReportOptions, ReportPage, gather, render
from planspec.report.proofs import FILE, Prover
from planspec.runs import ChangedSuiteError, RunFolder
from planspec.scores import run_scores
from tests.planspec.report.stroll import RIGHT, WRONG, write_run, write_suite
from tests.planspec.scores import small

pytestmark = pytest.mark.slow


NONE = ReportOptions(seconds=None)


def page_of(*folders: RunFolder, options: ReportOptions = NONE) -> ReportPage:
    """Return the page about runs before it is rendered."""
    return gather([(folder, run_scores(folder)) for folder in folders], options)


def test_runs_of_one_suite_are_a_chapter_and_are_compared(report_page: ReportPage) -> None:
    (chapter,) = report_page.chapters
    assert [run.name for run in chapter.runs] == ["empty", "echo"]
    assert [(len(pair.lost), len(pair.gained)) for pair in chapter.comparisons] == [(2, 0)]


def test_a_task_has_a_row_with_its_outcome_in_each_run(report_page: ReportPage) -> None:
    rows = report_page.chapters[0].tasks
    assert [(row.task, row.outcome) for row in rows] == [("a", "some"), ("b", "some"), ("c", "none")]
    assert [one.made if one else None for one in rows[2].scores] == [1, 0]


def test_an_attempt_is_shown_with_its_plan_findings_and_repair(report_page: ReportPage) -> None:
    wrong = report_page.details[0].attempts[1]
    assert (wrong.run, wrong.status) == (1, "fail")
    assert wrong.plan is not None
    assert [item.title for item in wrong.plan.days[1].items] == ["Old <Mill>", "Park"]
    assert [(p.name, p.day) for p in wrong.plan.way] == [("Old <Mill>", 1), ("Park", 1)]
    assert [p.name for p in wrong.plan.others] == ["Inn"]
    first = wrong.findings[0]
    assert (first.constraint, first.status, first.margin) == ("hour[mill]", "violated", "-30min")
    assert first.rows == (("visits", "mill"),)
    assert wrong.repair is not None
    assert wrong.repair.status == "repaired"


def test_satisfied_rules_also_have_margins(report_page: ReportPage) -> None:
    right = report_page.details[0].attempts[0]
    assert right.repair is None
    assert {f.constraint: (f.status, f.margin) for f in right.findings}["order"] == ("satisfied", "+30min")


def test_the_oracles_plan_is_shown(report_page: ReportPage) -> None:
    oracle = report_page.details[0].oracle
    assert oracle is not None
    assert oracle.status == "optimal"
    assert oracle.plan is not None
    assert len(oracle.plan.way) == 2


def test_a_failed_attempt_shows_where_it_failed_and_has_no_plan(report_page: ReportPage) -> None:
    failed = report_page.details[1].attempts[1]
    assert failed.failure is not None
    assert failed.failure[0] == "provider"
    assert failed.plan is None


def test_a_task_without_a_record_in_a_run_has_only_the_others_attempts(report_page: ReportPage) -> None:
    assert [attempt.run for attempt in report_page.details[2].attempts] == [0]


def test_stored_proofs_are_not_searched_again(
    folders: Sequence[RunFolder], report_page: ReportPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a solver was asked")

    monkeypatch.setattr(Prover, "best", refuse)
    monkeypatch.setattr(Prover, "repair", refuse)
    assert page_of(*folders, options=ReportOptions(seconds=20.0)).details == report_page.details


def test_without_proofs_nothing_is_searched_and_nothing_is_stored(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", write_suite(tmp_path / "suite", "a"), {"a": WRONG})
    report_page = page_of(folder)
    assert report_page.details[0].oracle is None
    assert report_page.details[0].attempts[0].repair is None
    assert not (folder.path / FILE).exists()


@pytest.mark.thorough
def test_the_page_does_not_depend_on_the_number_of_processes(folders: Sequence[RunFolder]) -> None:
    assert page_of(*folders, options=ReportOptions(seconds=None, jobs=2)).details == page_of(*folders).details


def test_progress_is_reported_after_each_task(folders: Sequence[RunFolder]) -> None:
    progress: list[tuple[int, int]] = []
    page_of(
        *folders,
        options=ReportOptions(seconds=None, on_progress=lambda done, of: progress.append((done, of))),
    )
    assert progress == [(1, 3), (2, 3), (3, 3)]


def test_the_run_contains_everything_that_a_page_needs(tmp_path: Path) -> None:
    strolls = write_suite(tmp_path / "suite", "a")
    folder = write_run(tmp_path / "run", strolls, {"a": WRONG})
    before = page_of(folder).details
    shutil.rmtree(strolls.parent)
    folder.path.rename(tmp_path / "elsewhere")
    moved = RunFolder(tmp_path / "elsewhere")
    (moved.path / "known.json").unlink()
    (details,) = page_of(moved).details
    assert (details,) == before
    assert (details.told, details.queries[0][:4]) == (None, before[0].queries[0][:4])
    assert details.attempts[0].plan is not None


def test_a_changed_copy_is_reported(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", write_suite(tmp_path / "suite", "a"), {"a": RIGHT})
    (text,) = (folder.path / "suite").rglob("a.task.yaml")
    text.write_text(text.read_text("utf-8").replace("60min", "45min"), "utf-8")
    with pytest.raises(ChangedSuiteError):
        page_of(folder)


def test_answers_to_a_changed_task_are_shown_as_given(tmp_path: Path) -> None:
    strolls = write_suite(tmp_path / "suite", "a")
    folder = write_run(tmp_path / "run", strolls, {"a": RIGHT})
    shutil.rmtree(folder.path / "suite")  # as in runs of earlier releases
    scores = run_scores(folder)
    text = strolls.parent / "a.task.yaml"
    text.write_text(text.read_text("utf-8").replace("60min", "45min"), "utf-8")
    (details,) = gather([(folder, scores)], ReportOptions(seconds=5.0)).details
    assert "changed" in (details.told or "")
    assert details.attempts[0].plan is None
    assert "mill" in details.attempts[0].answers[0]


def test_answers_of_a_missing_suite_are_shown_as_given(tmp_path: Path) -> None:
    strolls = write_suite(tmp_path / "suite", "a")
    folder = write_run(tmp_path / "run", strolls, {"a": WRONG})
    shutil.rmtree(folder.path / "suite")
    scores = run_scores(folder)
    strolls.unlink()
    (details,) = gather([(folder, scores)], ReportOptions(seconds=5.0)).details
    assert "the suite is not where it was" in (details.told or "")
    assert details.attempts[0].findings[0].constraint == "hour[mill]"


def test_two_runs_of_one_agent_are_named_with_their_folders(tmp_path: Path) -> None:
    strolls = write_suite(tmp_path / "suite", "a")
    report_page = page_of(*(write_run(tmp_path / name, strolls, {"a": RIGHT}) for name in ("one", "two")))
    assert [run.name for run in report_page.runs] == ["empty (one)", "empty (two)"]


def test_a_task_with_turns_shows_every_query(tmp_path: Path) -> None:
    strolls = write_suite(tmp_path / "suite", "a")
    path = strolls.parent / "a.task.yaml"
    text = path.read_text("utf-8")
    turns = "turns:\n  - query: See the mill.\n  - query: And leave by eleven.\n    constraints: {early: {hard: all(v.end <= 11:00 for v in visits)}}\n"
    path.write_text(re.sub(r"^query: .*?^types", "types", text, flags=re.MULTILINE | re.DOTALL) + turns, "utf-8")
    (details,) = page_of(write_run(tmp_path / "run", strolls, {"a": WRONG})).details
    assert details.queries == ("See the mill.", "And leave by eleven.")
    assert {f.constraint: f.since for f in details.attempts[0].findings}["early"] == 2


@pytest.mark.parametrize("environment", ["", "environment: {settings: {ask: {brief: Ask.}}}\n"])
def test_a_task_is_shown_without_a_setting_that_lacks_its_requirements(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, environment: str
) -> None:
    from planspec.environments import UnknownSettingError
    from planspec.report import details

    def refuse(*_: object, **__: object) -> None:
        raise UnknownSettingError("nothing is prepared")

    suite = write_suite(tmp_path / "suite", "a")
    task = suite.parent / "a.task.yaml"
    task.write_text(task.read_text("utf-8") + environment, "utf-8")
    folder = write_run(tmp_path / "run", suite, {"a": WRONG})
    usual = page_of(folder).details
    monkeypatch.setattr(details, "open_task", refuse)
    assert page_of(folder).details == usual


def test_a_run_without_any_record_has_a_page(tmp_path: Path) -> None:
    report_page = page_of(write_run(tmp_path / "run", write_suite(tmp_path / "suite", "a", "b"), {}))
    assert [task.attempts for task in report_page.details] == [(), ()]
    assert "no record" in render(report_page)


def test_several_attempts_at_each_task_are_summarized(tmp_path: Path) -> None:
    folder = small.write_suite(tmp_path / "suite")
    wrong = {"n": 5, "at": "09:30"}
    often = small.write_run(folder, tmp_path / "often", {"a": [small.RIGHT, wrong, wrong], "b": [small.RIGHT] * 3})
    once = small.write_run(folder, tmp_path / "once", {"a": [small.RIGHT]}, agent="echo")
    page = page_of(once, often)
    (chapter,) = page.chapters
    assert chapter.sample_metric_names == list(chapter.runs[1].scores.samples)
    text = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", render(page)))
    assert "3 attempts each" in text
    assert re.search(r"pass@1 – 44 %", text)  # the mean of 1/3, 1 and 0
    assert re.search(r"majority pass – 33 %", text)
    assert page_of(once).chapters[0].sample_metric_names == []
    assert "pass@1" not in render(page_of(once))
