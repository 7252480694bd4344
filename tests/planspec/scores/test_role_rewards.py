"""Rewards of attempts by agents without roles, and groups of repeats in which they are compared."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import planspec
from planspec.agents import AttemptFailedError
from planspec.api.outputs.runs import RewardsOutput
from tests.planspec.commands.test_command_line import run
from tests.planspec.scores.small import RIGHT, write_run, write_suite

LATE = {"n": 6, "at": "10:30"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return the folder of a run in which tasks have several attempts."""
    answers: dict[str, list[Any]] = {
        "a": [RIGHT, LATE],
        "b": [AttemptFailedError("provider", "gone"), RIGHT],
        "c": [RIGHT, RIGHT],
    }
    return write_run(write_suite(tmp_path / "suite"), tmp_path / "run", answers).path


def test_the_advantage_of_an_attempt_is_relative_to_the_repeats_of_its_task(folder: Path) -> None:
    rewards = planspec.role_rewards(folder)
    assert [(one.task, one.repeat, one.role) for one in rewards.rewards] == [
        ("a", 0, "agent"),
        ("a", 1, "agent"),
        ("b", 1, "agent"),
        ("c", 0, "agent"),
        ("c", 1, "agent"),
    ]
    right, late, *_ = rewards.rewards
    assert right.reward == Fraction(11, 10) and 0 <= late.reward < Fraction(1, 10)
    assert right.advantage == pytest.approx(1) and late.advantage == pytest.approx(-1)
    assert [one.advantage for one in rewards.rewards[2:]] == [None, 0, 0]
    assert [(one.task, one.size) for one in rewards.groups] == [("a", 2), ("b", 1), ("c", 2)]
    assert rewards.unserved == 1


def test_a_group_of_one_attempt_is_marked(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, text, _ = run(monkeypatch, capsys, "rewards", str(folder))
    assert code == 0
    assert "1 of one trajectory, which has no advantage" in text
    assert "1 attempts failed at the provider" in text and "b" in text


def test_the_output_follows_its_schema(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _, text, _ = run(monkeypatch, capsys, "rewards", str(folder), "--format", "json")
    document = json.loads(text)
    rewards = RewardsOutput.model_validate(document)
    assert len(rewards.rewards) == 5 and rewards.unserved == 1
    assert rewards.rewards[0].terms == {"global": rewards.rewards[0].reward}


def test_a_folder_that_is_not_a_run_is_reported(tmp_path: Path) -> None:
    with pytest.raises(planspec.InvalidRunError):
        planspec.role_rewards(tmp_path)
