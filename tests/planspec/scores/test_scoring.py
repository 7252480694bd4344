"""Every attempt of a run is counted in every denominator. Unknown values are reported as unknown."""

from __future__ import annotations

from pathlib import Path

import pytest

from planspec.agents import AttemptFailedError
from planspec.agents.desk import Desk
from planspec.runs import InvalidRunError, RunFolder
from planspec.scores import RunScores, run_metrics, run_scores
from planspec.scores.intervals import wilson
from planspec.scores.known import FILE
from tests.planspec.scores.small import (
    RIGHT,
    ScriptedAgent,
    add_attempt,
    make_attempt,
    write_run,
)

LATE = {"n": 7, "at": "11:00"}
"""An answer that violates `early` and `even` of every task, and `odd` of the task `c`."""


def test_failed_and_missing_attempts_count_in_every_denominator(suite: Path, tmp_path: Path) -> None:
    folder = write_run(
        suite, tmp_path / "run", {"a": [RIGHT], "b": [AttemptFailedError("provider", "gone")], "c": [None]}
    )
    scores = run_scores(folder, resamples=200)
    assert (scores.wanted, scores.missing, scores.passed, scores.failed, scores.undelivered) == (
        3,
        1,
        1,
        0,
        1,
    )
    assert scores.metrics["pass_rate"].value == scores.pass_rate.value == 1 / 3
    assert (scores.pass_rate.low, scores.pass_rate.high) == wilson(1, 3)
    assert scores.metrics["mean_hard"].value == 1 / 3
    assert scores.document["n"] == 3
    assert scores.document["delivered"] == 1
    assert scores.document == run_metrics(folder)
    assert [task.made for task in scores.tasks] == [1, 1, 0]


def test_violations_are_counted_by_kind_and_constraint_among_applicable_instances(suite: Path, tmp_path: Path) -> None:
    folder = write_run(
        suite, tmp_path / "run", {"a": [RIGHT], "b": [LATE], "c": [AttemptFailedError("timeout", "slow")]}
    )
    scores = run_scores(folder, resamples=200)
    counts = {
        (one.level, one.kind): (one.violated, one.unanswered, one.applicable, one.share_delivered)
        for one in scores.kinds
    }
    assert counts == {
        ("hard", "time"): (1, 1, 3, 0.5),
        ("hard", "size"): (1, 2, 6, 0.25),
        ("hard", "odd"): (0, 1, 1, None),
        ("soft", "size"): (2, 1, 3, 1.0),
    }
    assert [one.kind for one in scores.kinds] == ["odd", "time", "size", "size"]
    assert {one.kind: one.share.value for one in scores.kinds if one.level == "hard"} == {
        "odd": 1.0,
        "time": 2 / 3,
        "size": 0.5,
    }
    rules = {one.rule: (one.violated, one.unanswered, one.applicable) for one in scores.rules}
    assert rules == {
        "odd": (0, 1, 1),
        "early": (1, 1, 3),
        "over": (0, 1, 3),
        "even": (1, 1, 3),
        "great": (2, 1, 3),
    }
    assert scores.tasks[1].violated == {"time": 1, "size": 1}
    assert scores.tasks[2].applicable == {"time": 1, "size": 2, "odd": 1}


def test_failures_are_counted_by_their_boundary_and_message(suite: Path, tmp_path: Path) -> None:
    failed = AttemptFailedError("provider", "gone")
    folder = write_run(suite, tmp_path / "run", {"a": [failed], "b": [failed], "c": ["no JSON"]})
    scores = run_scores(folder, resamples=100)
    assert [(one.boundary, one.attempts, one.share.value) for one in scores.boundaries] == [
        ("provider", 2, 2 / 3),
        ("decode", 1, 1 / 3),
    ]
    assert scores.boundaries[0].messages == {"gone": 2}
    assert (scores.boundaries[0].share.low, scores.boundaries[0].share.high) == wilson(2, 3)
    assert scores.tasks[0].boundaries == {"provider": 1}


def test_unreadable_answers_fail_and_are_counted(suite: Path, tmp_path: Path) -> None:
    folder = write_run(suite, tmp_path / "run", {"a": [{"n": 6, "at": "noon"}], "b": [RIGHT], "c": [RIGHT]})
    scores = run_scores(folder, resamples=100)
    assert (scores.failed, scores.unreadable) == (1, 1)
    assert [task.unreadable for task in scores.tasks] == [1, 0, 0]


def test_pass_rates_are_given_by_numbers_of_hard_constraints_and_of_anchors(suite: Path, tmp_path: Path) -> None:
    folder = write_run(suite, tmp_path / "run", {"a": [RIGHT], "b": [LATE], "c": [RIGHT]})
    horizon = run_scores(folder, resamples=100).horizon
    assert [(one.least, one.most, one.passed, one.tasks) for one in horizon.hard.bins] == [
        (2, 3, 1, 2),
        (4, 5, 1, 1),
    ]
    # there are no anchors, since no constraint looks up a time in the facts
    assert [(one.least, one.passed, one.tasks) for one in horizon.anchors.bins] == [(0, 2, 3)]
    unasked = run_scores(write_run(suite, tmp_path / "other", {"a": [RIGHT]}), anchors=False, resamples=100)
    assert (unasked.horizon.anchors.bins, unasked.horizon.anchors.unknown) == ((), 3)
    assert [task.anchors for task in unasked.tasks] == [None] * 3


def test_repeats_have_a_mean_and_a_deviation(suite: Path, tmp_path: Path) -> None:
    folder = write_run(suite, tmp_path / "run", {"a": [RIGHT, RIGHT], "b": [RIGHT, LATE], "c": [RIGHT, None]})
    scores = run_scores(folder, resamples=200)
    rate = scores.metrics["pass_rate"]
    assert (rate.value, rate.n, rate.repeats, rate.mean) == (2 / 3, 6, (1.0, 1 / 3), 2 / 3)
    assert rate.deviation == pytest.approx((2 * (1 / 3) ** 2) ** 0.5)
    assert scores.pass_rate == rate.model_copy(update={"low": scores.pass_rate.low, "high": scores.pass_rate.high})
    assert run_metrics(folder)["repeats"]["pass_rate"] == {"mean": rate.mean, "deviation": rate.deviation}  # type: ignore[index, call-overload]
    assert [(task.passed, task.wanted, task.made) for task in scores.tasks] == [
        (2, 2, 2),
        (1, 2, 2),
        (1, 2, 1),
    ]


def test_uncounted_costs_are_unknown_and_not_zero(suite: Path, tmp_path: Path) -> None:
    def actions(tokens_in: int | None, tokens_out: int | None) -> list[object]:
        return [
            lambda desk: desk.spend(tokens_in, tokens_out),
            lambda desk: desk.record_message("user", "?"),
            lambda desk: desk.record_message("assistant", "!"),
            lambda desk: desk.call("none", {}),
        ]

    folder = write_run(
        suite,
        tmp_path / "run",
        {"a": [ScriptedAgent(RIGHT, actions(100, 20))], "b": [ScriptedAgent(LATE, actions(300, None))], "c": [RIGHT]},
    )
    cost = run_scores(folder, resamples=100).cost
    assert (cost.tokens_in.known, cost.tokens_in.unknown) == (2, 1)
    assert (cost.tokens_in.mean, cost.tokens_in.median, cost.tokens_in.total) == (200, 200, 400)
    assert cost.tokens_in.per_pass == 400
    assert (cost.tokens_out.known, cost.tokens_out.total, cost.tokens_out.per_pass) == (1, 20, 20)
    assert (cost.tool_calls.known, cost.tool_calls.total, cost.tool_calls.per_pass) == (3, 2, 1)
    assert (cost.steps.known, cost.steps.unknown, cost.steps.total) == (2, 1, 2)
    assert cost.seconds.known == 3


def test_tokens_of_an_agents_parts_are_summed_unless_one_part_is_not_counted(suite: Path, tmp_path: Path) -> None:
    def report_tokens_of_two_parts(desk: Desk) -> None:
        desk.spend(10, 1, stage="planner")
        desk.spend(20, None, stage="worker")

    cost = run_scores(
        write_run(suite, tmp_path / "run", {"a": [ScriptedAgent(RIGHT, [report_tokens_of_two_parts])]}), resamples=100
    ).cost
    assert (cost.tokens_in.total, cost.tokens_out.total, cost.tokens_out.known) == (30, None, 0)


def test_requests_that_the_trace_counts_are_not_counted_again(suite: Path, tmp_path: Path) -> None:
    work = [lambda desk: desk.note("steps", 3), lambda desk: desk.record_message("assistant", "!")]
    cost = run_scores(write_run(suite, tmp_path / "run", {"a": [ScriptedAgent(RIGHT, work)]}), resamples=100).cost
    assert (cost.steps.known, cost.steps.total) == (1, 3)


def test_the_document_is_the_same_after_a_round_trip(suite: Path, tmp_path: Path) -> None:
    scores = run_scores(write_run(suite, tmp_path / "run", {"a": [RIGHT, LATE], "c": [None, "?"]}), resamples=200)
    assert RunScores.model_validate_json(scores.model_dump_json()) == scores


def test_a_record_that_belongs_to_no_attempt_of_the_run_is_reported(suite: Path, tmp_path: Path) -> None:
    folder = write_run(suite, tmp_path / "run", {"a": [RIGHT]})
    add_attempt(folder, make_attempt(suite, "a", 0, LATE))
    with pytest.raises(InvalidRunError, match="is there twice"):
        run_scores(folder)
    other = write_run(suite, tmp_path / "other", {"a": [RIGHT]})
    add_attempt(other, make_attempt(suite, "b", 3, LATE))
    with pytest.raises(InvalidRunError, match="is no attempt of the run"):
        run_metrics(other)


def test_a_folder_that_is_not_a_run_is_reported_and_unchanged(tmp_path: Path) -> None:
    with pytest.raises(InvalidRunError):
        run_scores(RunFolder(tmp_path))
    assert not (tmp_path / FILE).exists()


def test_attempts_at_a_task_are_several_answers_to_it(suite: Path, tmp_path: Path) -> None:
    """One of three attempts at the task `a` passes.

    Two attempts at `b` pass with the same plan. `c` has one attempt, which fails.
    """
    folder = write_run(
        suite,
        tmp_path / "run",
        {
            "a": [RIGHT, LATE, LATE],
            "b": [LATE, RIGHT, RIGHT],
            "c": [AttemptFailedError("timeout", "slow"), LATE],
        },
    )
    scores = run_scores(folder, resamples=200)
    drawn = {name: one.value for name, one in scores.samples.items()}
    assert drawn["pass@1"] == pytest.approx((1 / 3 + 2 / 3) / 3)
    assert drawn["pass@2"] == pytest.approx((1 - 1 / 3 + 1) / 3)
    assert drawn["pass@3"] == drawn["best_pass"] == pytest.approx(2 / 3)
    assert drawn["pass^2"] == pytest.approx(1 / 9)
    assert drawn["majority_pass"] == pytest.approx(1 / 3)
    assert scores.document == run_metrics(folder)
    assert scores.document["samples"]["pass@1"]["value"] == drawn["pass@1"]  # type: ignore[index, call-overload]
    alone = write_run(suite, tmp_path / "alone", {"a": [RIGHT]})
    assert run_scores(alone, resamples=200).samples == {}
