"""Refusals, which claim that there is no plan, are proved. Conversations have a plan for each turn."""

from __future__ import annotations

import json
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import planspec
from planspec.api.refusals import judge_refusal
from planspec.cli import command_line
from planspec.dsl.documents.documents import task_from_text
from planspec.solvers.backends.outcome import Limits, Status
from planspec.solvers.questions.infeasibility import conflict_among
from planspec.verifiers.answers.envelope import Answer, read_answer
from planspec.verifiers.meaning.ground import ground
from tests.back_ends import SOLVERS

IMPOSSIBLE = """
planspec: task/1
id: impossible
query: Three numbers that cannot be.
plan: {picks: {one: true, a: int, b: int}}
scope: {picks: {a: 0..9, b: 0..9}}
constraints:
  less: {hard: picks.a < picks.b}
  more: {hard: picks.a > picks.b, kind: order}
  small: {hard: picks.a <= 5}
"""
POSSIBLE = IMPOSSIBLE.replace("  more: {hard: picks.a > picks.b, kind: order}\n", "").replace("impossible", "possible")
TALK = """
planspec: task/1
id: talk
given: {least: 0}
turns:
  - query: Two numbers that rise.
  - query: The first at least 4.
    given: {least: 4}
  - query: The second at most 4.
    constraints: {most: {hard: picks.b <= 4}}
plan: {picks: {one: true, a: int, b: int}}
scope: {picks: {a: 0..9, b: 0..9}}
constraints:
  less: {hard: picks.a < picks.b}
  least: {hard: picks.a >= least}
"""


def judge(text: str = IMPOSSIBLE) -> planspec.Judge:
    return planspec.Judge(task_from_text(text))


@pytest.mark.parametrize("named", [True, ["less", "more"], ["less", "more", "small"]])
def test_a_refusal_is_right_if_its_constraints_cannot_hold_together(named: Any) -> None:
    verdict = judge().answer(json.dumps({"infeasible": named}))
    assert verdict.status == "pass"
    assert [f.kind for f in verdict.findings] == ["refusal"]
    assert verdict.findings[0].message == "there is no plan: less, more cannot hold together"


def test_repeated_refusals_are_proved_once(monkeypatch: pytest.MonkeyPatch) -> None:
    queries: list[frozenset[str] | None] = []

    def recording_conflict(ground: Any, rules: frozenset[str] | None, **more: Any) -> Any:
        queries.append(rules)
        return conflict_among(ground, rules, **more)

    monkeypatch.setattr("planspec.solvers.questions.infeasibility.conflict_among", recording_conflict)
    judge_of_refusals = judge()
    answers = [{"infeasible": named} for named in (["less", "more"], ["more", "less"], ["small"], ["small"], True)]
    statuses = [judge_of_refusals.answer(json.dumps(answer)).status for answer in answers]
    assert statuses == ["pass", "pass", "undelivered", "undelivered", "pass"]
    assert queries == [frozenset({"less", "more"}), frozenset({"small"}), None]


def test_an_undecided_refusal_is_proved_again_with_more_time() -> None:
    grounded = ground(task_from_text(IMPOSSIBLE))
    assert judge_refusal(grounded, True, Limits(seconds=1e-9)) == (
        False,
        "the refusal is undecided: no proof was found in 1e-09 s",
    )
    assert judge_refusal(grounded, True)[0]


@pytest.mark.parametrize(
    ("named", "reason"),
    [
        (["less", "small"], "the rules that it names can hold together"),
        (["small"], "the rules that it names can hold together"),
        (["lesser"], "names `lesser`, which is no constraint"),
        ([], "names the rules that cannot hold together, in a list"),
        ("less", "names the rules that cannot hold together, in a list"),
        (False, "names the rules that cannot hold together, in a list"),
        ([1], "names the rules that cannot hold together, in a list"),
        ({"less": "more"}, "names the rules that cannot hold together, in a list"),
    ],
)
def test_a_refusal_that_names_no_conflict_delivers_nothing(named: Any, reason: str) -> None:
    verdict = judge().answer(json.dumps({"infeasible": named}))
    assert verdict.status == "undelivered"
    assert verdict.hard.satisfied == 0 and verdict.hard.total == 3
    assert reason in verdict.findings[0].message


def test_a_refusal_of_a_feasible_task_is_wrong() -> None:
    verdict = judge(POSSIBLE).answer({"infeasible": True})
    assert verdict.status == "undelivered"
    assert verdict.findings[0].message == "the answer says that there is no plan, but there is one"


def test_a_refusal_that_is_not_proved_in_time_is_not_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    from planspec.solvers.questions import infeasibility as search

    monkeypatch.setattr(search, "conflict_among", lambda *_, **__: (Status.UNKNOWN, ()))
    verdict = judge().answer({"infeasible": True})
    assert verdict.status == "undelivered" and "undecided" in verdict.findings[0].message


def test_a_right_refusal_has_no_constraints_in_its_tally() -> None:
    grounded = judge()
    assert grounded.scored(grounded.answer({"infeasible": True})).hard_counts == {}
    assert grounded.scored(grounded.answer({"infeasible": ["small"]})).hard_counts == {"order": 1}


@pytest.mark.parametrize("backend", SOLVERS)
def test_the_reported_conflict_is_minimal(backend: str) -> None:
    result = ground(task_from_text(IMPOSSIBLE))
    assert conflict_among(result, backend=backend) == (Status.INFEASIBLE, ("less", "more"))
    assert conflict_among(result, {"less", "small"}, backend=backend) == (Status.FEASIBLE, ())
    assert conflict_among(result, limits=Limits(seconds=0.0), backend=backend)[0] in (
        Status.UNKNOWN,
        Status.INFEASIBLE,
    )


def test_an_envelope_may_have_a_refusal_or_a_plan_for_each_turn() -> None:
    assert read_answer('{"task": "x", "infeasible": ["a"]}') == Answer("x", {"infeasible": ["a"]})
    assert read_answer('{"task": "x", "turns": [1, 2]}') == Answer("x", {"turns": [1, 2]})
    assert read_answer('{"infeasible": ["a"]}') == Answer(None, {"infeasible": ["a"]})


# -- many answers ---------------------------------------------------------------------------------------


def write_and_score(
    folder: Path, lines: list[Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> tuple[int, dict[str, Any]]:
    (folder / "talk.task.yaml").write_text(TALK, "utf-8")
    (folder / "impossible.task.yaml").write_text(IMPOSSIBLE, "utf-8")
    (folder / "s.suite.yaml").write_text(
        "planspec: suite/1\nid: s\ntasks: [talk, impossible]\nprotocol: flextravel\n", "utf-8"
    )
    (folder / "answers.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    words = ["planspec", "score", str(folder / "answers.jsonl"), "--suite", str(folder), "--format", "json"]
    monkeypatch.setattr(sys, "argv", words)
    with pytest.raises(SystemExit) as left:
        command_line()
    return int(left.value.code or 0), json.loads(capsys.readouterr().out)


def plan(a: int, b: int) -> dict[str, Any]:
    return {"picks": {"a": a, "b": b}}


def test_a_conversation_is_scored_by_its_last_turn_and_the_share_it_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    turns = [plan(1, 6), plan(4, 6), {"infeasible": ["less", "least", "most"]}]
    lines = [{"task": "talk", "turns": turns}, {"task": "impossible", "infeasible": True}]
    code, result = write_and_score(tmp_path, lines, monkeypatch, capsys)
    assert code == 0
    assert [p["status"] for p in result["plans"]] == ["pass", "pass"]
    assert result["metrics"]["final_pass_rate"] == 1.0
    assert result["metrics"]["conversations"] == 1
    assert result["metrics"]["kept"] == float(Fraction(1, 2))  # one of two cells is kept from turn 1 to 2


def test_passing_earlier_turns_do_not_make_up_for_a_failed_last_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [{"task": "talk", "turns": [plan(1, 6), plan(4, 6), plan(4, 6)]}]
    code, result = write_and_score(tmp_path, lines, monkeypatch, capsys)
    assert code == 1
    assert [p["status"] for p in result["plans"]] == ["fail", "undelivered"]
    assert [f["constraint"] for f in result["plans"][0]["findings"] if f["status"] == "violated"] == ["most"]
    assert result["metrics"]["kept"] == float(Fraction(3, 4))


@pytest.mark.parametrize("turns", [[], [None], [plan(1, 6), None], [plan(1, 6), []]])
def test_a_last_turn_without_an_answer_is_undelivered(
    turns: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _, result = write_and_score(tmp_path, [{"task": "talk", "turns": turns}], monkeypatch, capsys)
    assert result["plans"][0]["status"] == "undelivered"
    assert result["metrics"]["kept"] is None and result["metrics"]["conversations"] == 0


def test_the_answer_to_a_turn_may_be_the_text_of_an_agent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fenced = f"Here it is.\n```json\n{json.dumps(plan(4, 6))}\n```\n"
    last = json.dumps({"infeasible": ["less", "least", "most"]})
    _, result = write_and_score(tmp_path, [{"task": "talk", "turns": [plan(1, 6), fenced, last]}], monkeypatch, capsys)
    assert result["plans"][0]["status"] == "pass"
    assert result["metrics"]["kept"] == float(Fraction(1, 2))


@pytest.mark.parametrize("turns", [1, 2, 4])
def test_answers_to_another_number_of_turns_are_undelivered(
    turns: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _, result = write_and_score(tmp_path, [{"task": "talk", "turns": [plan(4, 6)] * turns}], monkeypatch, capsys)
    assert result["plans"][0]["status"] == "undelivered"
    assert f"{turns} turns, and the task has 3" in result["plans"][0]["findings"][0]["message"]


def test_a_task_cannot_be_both_minimised_and_maximised() -> None:
    with pytest.raises(ValueError, match="not both"):
        planspec.load("sudoku", minimize="1", maximize="1")
