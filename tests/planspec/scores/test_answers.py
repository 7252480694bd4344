"""Many answers that are scored from Python get the same scores as by the command, for all forms of answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import planspec
from planspec.agents import AttemptFailedError
from planspec.commands.console import Exit
from tests.planspec.commands.test_command_line import run
from tests.planspec.scores import small

pytestmark = pytest.mark.slow


SUITE = "worldtravel-berlin"


@pytest.fixture(scope="module")
def lines() -> list[dict[str, Any]]:
    """Return two answers: one that passes, and one with the plan of another task."""
    plan = json.loads(json.dumps(planspec.load("berlin-001").reference, default=float))
    return [{"task": "berlin-002", "plan": plan}, {"task": "berlin-001", "plan": plan}]


def test_a_suite_is_scored_in_the_order_of_the_answers(lines: list[dict[str, Any]]) -> None:
    scores = planspec.score(SUITE, lines)
    assert [v.task for v in scores.verdicts[:2]] == ["berlin-002", "berlin-001"]
    assert [v.status for v in scores.verdicts[:2]] == ["fail", "pass"]
    assert {v.status for v in scores.verdicts[2:]} == {"undelivered"}
    assert scores.metrics["n"] == len(scores.verdicts)
    assert not scores.passed


def test_scores_are_the_same_from_objects_a_file_or_lines_in_several_processes(
    lines: list[dict[str, Any]], tmp_path: Path
) -> None:
    file = tmp_path / "answers.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    scores = planspec.score(SUITE, file)
    assert planspec.score(SUITE, file.read_text().splitlines(), jobs=2) == scores
    assert planspec.score(SUITE, lines) == scores


def test_the_command_prints_the_scores_from_python(
    lines: list[dict[str, Any]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = tmp_path / "answers.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    code, out, _ = run(monkeypatch, capsys, "score", str(file), "--suite", SUITE)
    assert (code, out) == (Exit.FAILS, f"{planspec.score(SUITE, lines)}\n")


def test_the_attempts_of_a_run_are_scored_by_their_answers(tmp_path: Path) -> None:
    """If an attempt has several records, the last one counts. A failed attempt counts as undelivered."""
    suite = small.write_suite(tmp_path / "suite")
    failed = AttemptFailedError("provider", "the line is busy")
    answers: dict[str, list[Any]] = {"a": [small.RIGHT], "b": ["no idea"], "c": [small.ScriptedAgent(failed)]}
    file = small.write_run(suite, tmp_path / "run", answers).attempts_file
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join([lines[1], *lines]))
    found = planspec.score(suite, file)
    assert {v.task: v.status for v in found.verdicts} == {"a": "pass", "b": "undelivered", "c": "undelivered"}
    assert planspec.score(suite, lines) == found
    assert planspec.score_many(suite, file, samples=1).metrics["pass@1"] == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"task": "a"}\n'.encode("utf-16"), "look like UTF-16"),
        ('{"task": "a"}\n'.encode("utf-16-le"), "look like UTF-16"),
        (b'{\n  "task": "a",\n  "plan": {}\n}\n', "each one object on one line"),
        (b'[\n  {"task": "a", "plan": {}}\n]\n', "each one object on one line"),
    ],
)
def test_an_unsupported_file_format_is_named_in_the_error(text: bytes, message: str, tmp_path: Path) -> None:
    suite = small.write_suite(tmp_path / "suite")
    file = tmp_path / "answers.jsonl"
    file.write_bytes(text)
    for answers in (file, text.splitlines(keepends=True)):
        with pytest.raises(planspec.UnsuitableAnswersError, match=message):
            planspec.score(suite, answers)
        with pytest.raises(planspec.UnsuitableAnswersError, match=message):
            planspec.score_many(suite, answers)


def test_a_task_can_be_scored_like_a_suite_of_one_task(lines: list[dict[str, Any]]) -> None:
    by_task = planspec.score(planspec.load("berlin-001"), lines[1:])
    assert by_task == planspec.score("berlin-001", lines[1:])
    assert repr(by_task) == "<Scores of berlin-001: 1 pass>"
    assert by_task.passed


@pytest.mark.parametrize(
    ("answers", "kind", "message"),
    [
        ([{"task": "berlin-999", "plan": {}}], planspec.UnsuitableAnswersError, "no task `berlin-999`"),
        ([{"plan": {"itinerary": []}}], planspec.UnsuitableAnswersError, "does not say which task"),
        (
            [{"task": "berlin-001", "plan": {}}] * 2,
            planspec.UnsuitableAnswersError,
            "answers `berlin-001` again.*--many",
        ),
        (["no answer"], planspec.UnsuitableAnswersError, "line 1 is no answer"),
        ("answers.jsonl", TypeError, "pathlib.Path"),
        ([7], TypeError, "a line of JSON"),
        (Path("there-is-none.jsonl"), OSError, "there-is-none"),
    ],
)
def test_wrong_answers_are_refused_with_a_reason(answers: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        planspec.score(SUITE, answers)


def test_an_unreadable_line_is_reported_and_the_others_are_scored(lines: list[dict[str, Any]]) -> None:
    cut = '{"task": "berlin-003", "plan": {"itinerary": ['
    scores = planspec.score(SUITE, [*lines, cut, "no answer"])
    assert [verdict.task for verdict in scores.verdicts[:3]] == ["berlin-002", "berlin-001", "berlin-003"]
    assert scores.verdicts[2].status == "undelivered"
    assert "not JSON" in scores.verdicts[2].findings[0].message
    assert [reason[:21] for reason in scores.unread] == ["line 4 is no answer: "]
    assert scores.unread[0] in str(scores)
    assert not scores.passed


def test_a_single_task_needs_no_envelope(lines: list[dict[str, Any]]) -> None:
    assert planspec.score("berlin-001", [lines[1]["plan"]]) == planspec.score("berlin-001", lines[1:])
    broken = planspec.score("berlin-001", ["no answer"])
    assert [verdict.status for verdict in broken.verdicts] == ["undelivered"]


@pytest.mark.thorough
def test_without_details_only_messages_are_left_out(lines: list[dict[str, Any]]) -> None:
    brief, whole = (planspec.score(SUITE, lines, details=details) for details in (False, True))
    assert str(brief) == str(whole)
    assert brief.metrics == whole.metrics
    assert [f.status for f in brief.verdicts[0].findings] == [f.status for f in whole.verdicts[0].findings]


def test_unknown_suites_tasks_and_profiles_are_reported() -> None:
    with pytest.raises(planspec.UnknownProfileError, match="has no profile `official`"):
        planspec.score(SUITE, [], profile="official")
    with pytest.raises(planspec.UnsuitableAnswersError, match="one answer at a time"):
        planspec.score(SUITE, [], differences=True)
    with pytest.raises(TypeError, match="not by"):
        planspec.score(7, [])  # type: ignore[arg-type]


@pytest.mark.thorough
def test_spooled_verdicts_equal_those_in_memory_and_have_no_details(lines: list[dict[str, Any]]) -> None:
    from planspec.scores.answers import score
    from planspec.scores.score_outputs import score_output
    from planspec.scores.stored_verdicts import VerdictSpool

    whole = planspec.score(SUITE, lines)
    with VerdictSpool() as spool:
        brief = score(SUITE, lines, spool=spool)
        assert list(spool) == score_output(whole).model_dump(mode="json")["plans"]
    assert (brief.metrics, brief.passed) == (whole.metrics, whole.passed)
    assert [v.status for v in brief.verdicts] == [v.status for v in whole.verdicts]
    assert {f.message for v in brief.verdicts for f in v.findings if f.level == "hard" and f.status == "violated"} == {
        ""
    }


def test_long_json_is_printed_like_short_json(capsys: pytest.CaptureFixture[str]) -> None:
    from planspec.commands.console import print_json, print_long_json

    for items in ([], [{"a": "x\u2028y\n", "b": [1, {}]}, "z"]):
        value = {"first": {"n": 1}, "items": items, "last": []}
        print_json(value)
        expected = capsys.readouterr().out
        print_long_json({**value, "items": []}, "items", iter(items))
        assert capsys.readouterr().out == expected
