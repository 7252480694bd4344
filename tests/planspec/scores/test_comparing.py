"""Comparison of two runs task by task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from planspec.agents import AttemptFailedError
from planspec.scores import Comparison, RunScores, compare, run_scores
from planspec.scores.intervals import newcombe
from planspec.scores.record import TaskScores, WeightedPart
from tests.planspec.scores.small import RIGHT, write_run

WRONG = {"n": 1, "at": "09:30"}
"""An answer that violates `over` and `even`."""


def write_and_score(suite: Path, name: str, answers: Mapping[str, Sequence[Any]], **more: Any) -> RunScores:
    """Write a run with these answers, and return its scores."""
    return run_scores(write_run(suite, suite.parent / name, answers, **more), resamples=300)


def test_tasks_that_only_one_run_passes_are_listed_and_missing_attempts_do_not_pass(suite: Path) -> None:
    first = write_and_score(suite, "one", {"a": [RIGHT], "b": [WRONG], "c": [RIGHT]})
    second = write_and_score(suite, "two", {"a": [RIGHT], "b": [RIGHT], "c": [None]}, agent="random")
    comparison = compare(first, second, resamples=300)
    assert [(flip.task, flip.first, flip.second) for flip in comparison.gained] == [("b", (0, 1), (1, 1))]
    assert [(flip.task, flip.first, flip.second) for flip in comparison.lost] == [("c", (1, 1), (0, 1))]
    assert (comparison.tasks, comparison.same, comparison.discordant, comparison.p, comparison.test) == (
        3,
        1,
        2,
        1.0,
        "mcnemar",
    )
    rate = comparison.differences[0]
    assert (rate.metric, rate.first, rate.second, rate.difference) == ("pass_rate", 2 / 3, 2 / 3, 0)
    assert ((rate.low, rate.high), rate.method) == (newcombe(1, 1, 1, 0), "newcombe")
    hard = {one.metric: one for one in comparison.differences}["mean_hard"]
    # shares of the three tasks: 1, 1/3 and 1 in the first run, 1, 1 and 0 in the second
    assert (hard.first, hard.second) == pytest.approx((7 / 9, 2 / 3))
    assert hard.difference == pytest.approx(-1 / 9)
    assert (hard.low, hard.high, hard.method) == pytest.approx((-1.0, 2 / 3, "bootstrap"), abs=1e-6)
    assert comparison.said == (
        "Both runs have 3 tasks; `empty` passes 2 and `random` 2. 1 is passed by `random` alone, 1 by `empty` alone. If "
        "neither were better, 2 differing tasks would split at least this unevenly every time (McNemar's exact test): with 2 "
        "differing tasks, no result could be significant. `random` lacks 1 of 3 attempts, which do not pass."
    )
    assert (comparison.first.missing, comparison.second.missing) == (0, 1)
    assert Comparison.model_validate_json(comparison.model_dump_json()) == comparison


def test_tasks_in_only_one_run_are_named_and_not_compared(suite: Path) -> None:
    whole = write_and_score(suite, "one", {"a": [RIGHT], "b": [RIGHT], "c": [RIGHT]})
    part = write_and_score(suite, "two", {"a": [WRONG]}, limit=2)
    comparison = compare(part, whole)
    assert (comparison.tasks, comparison.only_first, comparison.only_second) == (2, (), ("c",))
    assert (comparison.first.passed, comparison.first.wanted, comparison.second.passed) == (0, 2, 2)
    assert compare(whole, part).only_first == ("c",)


def test_a_task_whose_text_differs_is_named_and_not_compared(suite: Path, tmp_path: Path) -> None:
    first = write_and_score(suite, "one", {"a": [RIGHT], "b": [RIGHT], "c": [RIGHT]})
    text = (suite / "b.task.yaml").read_text()
    (suite / "b.task.yaml").write_text(text.replace("10:00", "10:30"))
    second = write_and_score(suite, "two", {"a": [RIGHT], "b": [RIGHT], "c": [RIGHT]})
    comparison = compare(first, second)
    assert (comparison.tasks, comparison.changed, comparison.only_first, comparison.only_second) == (
        2,
        ("b",),
        (),
        (),
    )


def test_the_comparison_of_runs_without_a_common_task_is_an_error(suite: Path, tmp_path: Path) -> None:
    first = write_and_score(suite, "one", {"a": [RIGHT]}, limit=1)
    second = first.model_copy(update={"tasks": tuple(task.model_copy(update={"task": "z"}) for task in first.tasks)})
    comparison = compare(first, second)
    assert (comparison.tasks, comparison.p, comparison.differences, comparison.said) == (
        0,
        1.0,
        (),
        "The runs have no task in common.",
    )


def test_repeats_are_compared_by_their_shares(suite: Path) -> None:
    first = write_and_score(suite, "one", {"a": [RIGHT, WRONG], "b": [WRONG, WRONG], "c": [RIGHT, RIGHT]})
    second = write_and_score(suite, "two", {"a": [RIGHT], "b": [WRONG], "c": [RIGHT]})
    comparison = compare(first, second)
    assert [(flip.task, flip.first, flip.second) for flip in comparison.gained] == [("a", (1, 2), (1, 1))]
    assert (comparison.lost, comparison.test, comparison.same) == ((), "sign", 2)
    assert comparison.differences[0].method == "bootstrap"
    assert "`two` passes 1 more often than `one` does, and 0 less often" in comparison.said


def test_equal_runs_do_not_differ(suite: Path) -> None:
    one = write_and_score(suite, "one", {"a": [RIGHT], "b": [AttemptFailedError("limit", "over")], "c": [WRONG]})
    comparison = compare(one, one)
    assert (comparison.discordant, comparison.p) == (0, 1.0)
    assert comparison.said.endswith("By what they pass, nothing tells them apart.")
    assert "the first run passes 1 and the second run 1" in comparison.said
    assert {one.difference for one in comparison.differences if one.first is not None} == {0.0}


def scores_of_tasks(suite: Path, passed: Sequence[int]) -> RunScores:
    """Return scores with one task for each item: 1 if the task passes, 0 if not."""
    one = write_and_score(suite, f"run-{abs(hash(tuple(passed)))}", {"a": [RIGHT]}, limit=1)
    return one.model_copy(update={"tasks": tuple(task_scores(one.tasks[0], n, p) for n, p in enumerate(passed))})


def task_scores(task: TaskScores, n: int, passed: int) -> TaskScores:
    """Return a copy of a task's scores for the task number `n`, with this pass rate (0 or 1)."""
    metrics = {"pass_rate": WeightedPart(part=passed, weight=1)}
    return task.model_copy(update={"task": f"t{n}", "passed": passed, "metrics": metrics})


@pytest.mark.parametrize(
    ("first", "second", "p", "summary"),
    [
        (
            [0] * 10 + [1],
            [1] * 9 + [0, 0],
            22 / 1024,
            "in 2.1 % of cases (McNemar's exact test): chance alone is unlikely",
        ),
        ([0] * 30, [1] * 20 + [0] * 10, 2 / 2**20, "less than once in a thousand times"),
        ([0] * 6 + [1] * 2, [1] * 6 + [0] * 2, 74 / 256, "in 29 % of cases (McNemar's exact test): this does not tell"),
        ([0] * 5, [1] * 5, 2 / 32, "in 6.2 % of cases (McNemar's exact test): with 5 differing tasks, no result"),
    ],
)
def test_the_p_value_of_a_comparison_is_explained_in_words(
    suite: Path, first: list[int], second: list[int], p: float, summary: str
) -> None:
    comparison = compare(scores_of_tasks(suite, first), scores_of_tasks(suite, second), resamples=100)
    assert comparison.p == p
    assert summary in comparison.said
    assert [one.metric for one in comparison.differences] == ["pass_rate"]
