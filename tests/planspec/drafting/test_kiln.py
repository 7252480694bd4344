"""Drafting sessions in a domain that was not used in development: a pottery studio.

Replies were written by hand from the prompts. Five tasks were drafted in a terminal, and two of them again in
`planspec play`, where a person answered the questions.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import planspec
from planspec.drafting import Question
from planspec.drafting.calls import ModelCalls
from planspec.drafting.drafts import DraftRequest, run_draft

pytestmark = pytest.mark.slow

RECORDED: list[dict[str, Any]] = json.loads((Path(__file__).parent / "kiln.json").read_text("utf-8"))
PLANS = {"kiln-loads": 1, "kiln-keys": 2, "kiln-keys in play": 1}
"""Number of plans, counted by hand."""


def _title(session: dict[str, Any]) -> str:
    """Return the name of a session, which says whether it took place in `planspec play`."""
    return f"{session['name']}{' in play' if session['door'] == 'play' else ''}"


def _no_answer(question: Question) -> str:
    """Fail, since a replayed session must not ask any new question."""
    raise AssertionError(f"the recorded person answered another question than {question}")


def test_five_tasks_were_drafted_in_a_terminal_and_two_in_play() -> None:
    assert [each["door"] for each in RECORDED] == ["terminal"] * 5 + ["play"] * 2
    assert len({each["query"] for each in RECORDED}) == 5


@pytest.mark.sampled(3)
@pytest.mark.parametrize("session", RECORDED, ids=_title)
def test_a_session_replays_to_the_same_sound_task(
    session: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    calls = ModelCalls(None, replies=dict(session["replies"]))
    ask = _no_answer if session["door"] == "play" else None
    output = run_draft(
        DraftRequest(session["query"], id=session["name"]), calls, limits=planspec.Limits(effort=30), ask=ask
    )
    assert (output.status, output.undecided) == ("agreed", [])
    assert output.text == session["text"]
    assert sorted({each.step for each in output.found}) == session["steps"]
    assert output.mutants[0] > 0
    task = planspec.loads(session["text"])
    assert planspec.test([task]).as_expected
    if _title(session) in PLANS:
        assert planspec.count(task, most=9).count == PLANS[_title(session)]


def test_the_best_box_for_the_fair_sells_for_378_euros() -> None:
    """The best box, found by hand: 2 bowls, 10 mugs and 4 vases weigh 11.8 kg."""
    (text,) = (each["text"] for each in RECORDED if each["name"] == "kiln-fair")
    solution = planspec.solve(planspec.loads(text))
    assert solution.plan is not None
    pieces = {row["ware"]: row["pieces"] for row in planspec.encode(planspec.loads(text), solution.plan)["box"]}
    assert pieces == {"bowl": 2, "mug": 10, "vase": 4}
