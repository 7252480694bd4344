"""Answers with verdicts written by hand from the world's tables: what passes, and what fails by which rule."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from planspec import Judge, load
from tests.shipped import WORKSPACE

CASES = sorted((Path(__file__).parent / "judged").glob("*.json"))


@cache
def judge(task: str) -> Judge:
    """The judge of a task, made once."""
    return Judge(load(task, workspace=WORKSPACE))


@pytest.mark.slow
@pytest.mark.parametrize("path", CASES, ids=lambda p: p.stem)
def test_the_verdict_is_the_one_written_by_hand(path: Path) -> None:
    """Status, violated hard and soft instances, and which kinds of cell could not be read."""
    case: dict[str, Any] = json.loads(path.read_text("utf-8"))
    verdict = judge(case["task"]).answer(json.dumps({"task": case["task"], "plan": case["answer"]}))
    violated = [f for f in verdict.findings if f.status == "violated"]
    expected = case["expected"]
    assert verdict.status == expected["status"]
    assert sorted({f.kind or "" for f in violated if f.level == "shape"}) == expected["shape"], case["why"]
    for level in ("hard", "soft"):
        if expected[level] is not None:
            assert sorted(f.constraint for f in violated if f.level == level) == expected[level], case["why"]


@pytest.mark.parametrize("task", ["berlin-001", "berlin-005", "berlin-009", "berlin-010"])
@pytest.mark.parametrize(
    "text", ["[1, 2]", '"a nice day"', "NaN", "We walk around a bit.", '{"task": "x", "plan": [1]}', "{"]
)
def test_what_is_no_plan_is_undelivered(task: str, text: str) -> None:
    """Nothing to judge is not a pass and not a crash."""
    verdict = judge(task).answer(text)
    assert verdict.status == "undelivered"
    assert verdict.hard.satisfied == 0
    assert verdict.hard.total >= 6
