"""Refusals (answers that there is no plan) are proved. Each turn of a conversation has a plan."""

from __future__ import annotations

import json
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import planspec
from planspec.agents import AgentSpec
from planspec.api.refusals import KnownConflicts, RefusalJudge, SolverOracle
from planspec.cli import command_line
from planspec.dsl.documents.documents import task_from_text
from planspec.environments.opened import open_task
from planspec.runs import RunFolder, RunOptions, begin, resume_run
from planspec.scores import run_metrics
from planspec.solvers.backends.outcome import Limits, Status
from planspec.solvers.questions.infeasibility import conflict_among
from planspec.verifiers.answers.envelope import Answer, read_answer
from planspec.verifiers.meaning.ground import ground
from planspec.verifiers.meaning.verdict import RefusalJudgement, Tally
from tests.back_ends import SOLVERS
from tests.in_process import attempts_in_process

IMPOSSIBLE = """
planspec: task/1
id: impossible
query: Three numbers that cannot be.
environment: {refusals: allowed}
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
environment: {refusals: allowed}
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
    assert statuses == ["pass", "pass", "fail", "fail", "pass"]
    named = [frozenset({"less", "more"}), frozenset({"less"}), frozenset({"more"}), frozenset({"small"})]
    assert sorted(map(sorted, filter(None, queries))) == sorted(map(sorted, named))
    assert len(queries) == len(named) + 1


def test_an_undecided_refusal_is_proved_again_with_more_time() -> None:
    grounded = ground(task_from_text(IMPOSSIBLE))
    assert RefusalJudge(SolverOracle(Limits(seconds=1e-9))).judge(grounded, True) == (
        RefusalJudgement(right=None),
        "the refusal is undecided: no proof was found in time",
    )
    judgement, _ = RefusalJudge().judge(grounded, True)
    assert judgement is not None
    assert (judgement.right, set(judgement.conflict), judgement.minimal) == (True, {"less", "more"}, None)


@pytest.mark.parametrize("named", [["less", "small"], ["small"]])
def test_a_refusal_with_rules_that_can_hold_together_fails(named: Any) -> None:
    verdict = judge().answer(json.dumps({"infeasible": named}))
    assert (verdict.status, verdict.hard, verdict.refusal) == (
        "fail",
        Tally(satisfied=0, total=3),
        RefusalJudgement(right=False),
    )
    assert "the rules that it names can hold together" in verdict.findings[0].message


@pytest.mark.parametrize(
    ("named", "reason"),
    [
        (["lesser"], "names `lesser`, which is no constraint"),
        ([], "names the rules that cannot hold together, in a list"),
        ("less", "names the rules that cannot hold together, in a list"),
        (False, "names the rules that cannot hold together, in a list"),
        ([1], "names the rules that cannot hold together, in a list"),
        ({"less": "more"}, "names the rules that cannot hold together, in a list"),
    ],
)
def test_a_malformed_refusal_is_undelivered(named: Any, reason: str) -> None:
    verdict = judge().answer(json.dumps({"infeasible": named}))
    assert verdict.status == "undelivered"
    assert verdict.hard.satisfied == 0 and verdict.hard.total == 3
    assert reason in verdict.findings[0].message


def test_a_refusal_of_a_feasible_task_is_wrong() -> None:
    verdict = judge(POSSIBLE).answer({"infeasible": True})
    assert (verdict.status, verdict.refusal) == ("fail", RefusalJudgement(right=False))
    assert verdict.findings[0].message == "the answer says that there is no plan, but there is one"


def test_a_refusal_that_is_not_proved_in_time_is_not_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    from planspec.solvers.questions import infeasibility as search

    monkeypatch.setattr(search, "conflict_among", lambda *_, **__: (Status.UNKNOWN, ()))
    verdict = judge().answer({"infeasible": True})
    assert (verdict.status, [f.kind for f in verdict.findings]) == ("fail", ["not-judged"])
    assert verdict.refusal == RefusalJudgement(right=None)
    assert "undecided" in verdict.findings[0].message


@pytest.mark.parametrize(
    ("named", "minimal"), [(["less", "more"], True), (["less", "more", "small"], False), (True, None)]
)
def test_a_right_refusal_says_whether_each_named_rule_is_needed(named: Any, minimal: bool | None) -> None:
    refusal = judge().answer({"infeasible": named}).refusal
    assert refusal is not None
    assert (set(refusal.conflict), refusal.minimal) == ({"less", "more"}, minimal)


def test_a_refusal_is_not_an_answer_if_agents_may_not_refuse() -> None:
    """A refusal is then not an answer even if it is right. By default, agents may not refuse."""
    for more in ("", "environment: {refusals: none}\n"):
        verdict = judge(IMPOSSIBLE.replace("environment: {refusals: allowed}\n", more)).answer({"infeasible": True})
        assert (verdict.status, verdict.refusal) == ("undelivered", None)
        assert "`refusals: none`" in verdict.findings[0].message


LIST_OF_TEXTS = {"type": "array", "items": {"type": "string"}, "minItems": 1}
SETTINGS = """environment:
  refusals: allowed
  settings:
    plain: {}
    strict: {refusals: none}
    named: {refusals: conflicts}
"""


def test_a_setting_may_override_whether_agents_may_refuse(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    text = IMPOSSIBLE.replace("environment: {refusals: allowed}\n", SETTINGS)
    text = text.replace("{hard: picks.a < picks.b}", "{hard: picks.a < picks.b, says: a is less than b}")
    Path("impossible.task.yaml").write_text(text)
    Path("no.json").write_text('{"infeasible": ["less", "more"]}')
    for setting, code in ((None, 0), ("plain", 0), ("strict", 1), ("named", 0)):
        words = [] if setting is None else ["--setting", setting]
        monkeypatch.setattr(sys, "argv", ["planspec", "verify", "impossible", "no.json", *words])
        with pytest.raises(SystemExit) as left:
            command_line()
        assert left.value.code == code, setting
        capsys.readouterr()
    for words in (["verify", "impossible", "no.json"], ["score", "no.json", "--suite", "impossible"]):
        monkeypatch.setattr(sys, "argv", ["planspec", *words, "--setting", "name"])
        with pytest.raises(SystemExit) as left:
            command_line()
        assert left.value.code == 2
        assert "has no setting `name`: there is plain, strict, named; did you mean `named`?" in capsys.readouterr().err
    opened = {name: open_task("impossible", name) for name in ("plain", "strict", "named")}
    assert [one.judge.refusals for one in opened.values()] == ["allowed", "none", "conflicts"]
    assert [one.brief.count("infeasible") for one in opened.values()] == [1, 0, 1]
    assert "- `less`: a is less than b\n- `more`\n" in opened["named"].brief
    schemas = [json.dumps(one.schema) for one in opened.values()]
    assert ["infeasible" in schema for schema in schemas] == [True, False, True]
    plans = opened["strict"].schema
    for name, named in (("plain", {"const": True}), ("named", {"anyOf": [{"const": True}, LIST_OF_TEXTS]})):
        schema = opened[name].schema
        assert schema is not None
        assert schema["anyOf"][0] == plans
        assert schema["anyOf"][1]["properties"] == {"infeasible": named}


def test_the_instructions_for_agents_do_not_depend_on_whether_there_is_a_plan(tmp_path: Path) -> None:
    briefs = []
    for name, text in (("a", IMPOSSIBLE), ("b", POSSIBLE)):
        (tmp_path / f"{name}.task.yaml").write_text(text)
        briefs.append(open_task(str(tmp_path / f"{name}.task.yaml")).brief)
    assert briefs[0] == briefs[1]


def test_an_infeasible_task_that_agents_may_not_refuse_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "impossible.task.yaml"
    path.write_text(IMPOSSIBLE + "expects: infeasible\n")
    assert planspec.check(path) == ()
    path.write_text(path.read_text().replace("{refusals: allowed}", "{refusals: none}"))
    assert [x.code for x in planspec.check(path)] == ["PS439"]
    path.write_text(path.read_text().replace("{refusals: none}", "{refusals: some}"))
    assert [x.code for x in planspec.check(path)] == ["PS016"]


@pytest.mark.parametrize(
    ("case", "differences"),
    [
        ("{answer: {infeasible: true}, refuses: true}", []),
        ("{answer: {infeasible: [less, more]}, refuses: true, conflict: {exactly: [less, more]}}", []),
        ("{answer: {infeasible: [less, more, small]}, refuses: true, conflict: {any: [more]}}", []),
        (
            "{answer: {infeasible: [less, more, small]}, refuses: true, conflict: {exactly: [less, more, small]}}",
            [("conflict", "exactly less, more, small")],
        ),
        ("{answer: {infeasible: true}, refuses: true, conflict: {any: [small]}}", [("conflict", "one of small")]),
        ("{answer: {infeasible: [small]}, refuses: true}", [("answer", "a right refusal")]),
        ("{answer: {picks: {a: 1, b: 2}}, refuses: true}", [("answer", "a right refusal")]),
        ("{answer: {infeasible: true}, undelivered: true}", [("answer", "undelivered")]),
    ],
)
def test_a_case_may_expect_a_refusal(case: str, differences: list[tuple[str, str]], tmp_path: Path) -> None:
    path = tmp_path / "impossible.task.yaml"
    path.write_text(f"{IMPOSSIBLE}cases:\n  no: {case}\n")
    assert planspec.check(path) == ()
    ((result,),) = (report.cases for report in planspec.test(path).tasks)
    assert [(x.name, x.expected) for x in result.differences] == differences


@pytest.mark.sampled(2)
@pytest.mark.parametrize("suite", [None, "infeasible", "feasible"])
def test_scores_count_right_and_wrong_refusals_separately(
    suite: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A task declares its expected answer. For tasks without a declaration, the suite does."""
    for name, text in (("a", IMPOSSIBLE), ("b", IMPOSSIBLE), ("c", POSSIBLE), ("d", POSSIBLE), ("e", POSSIBLE)):
        expects = "infeasible" if text is IMPOSSIBLE else "feasible"
        own = "" if suite == expects else f"expects: {expects}\n"
        id_ = "impossible" if text is IMPOSSIBLE else "possible"
        (tmp_path / f"{name}.task.yaml").write_text(text.replace(f"id: {id_}", f"id: {name}") + own)
    (tmp_path / "s.suite.yaml").write_text(
        "planspec: suite/1\nid: s\ntasks: ['*.task.yaml']\n" + ("" if suite is None else f"expects: {suite}\n")
    )
    answers = {"a": {"infeasible": True}, "b": plan(1, 2), "c": {"infeasible": True}, "d": plan(1, 2)}
    lines = "\n".join(json.dumps({"task": task, "plan": answer}) for task, answer in answers.items())
    (tmp_path / "answers.jsonl").write_text(lines)
    words = [
        "planspec",
        "score",
        str(tmp_path / "answers.jsonl"),
        "--suite",
        str(tmp_path),
        "--jobs",
        "1",
        "--format",
        "json",
    ]
    monkeypatch.setattr(sys, "argv", words)
    with pytest.raises(SystemExit):
        command_line()
    metrics = json.loads(capsys.readouterr().out)["metrics"]
    assert (metrics["refusal_recall"], metrics["false_refusals"]) == (0.5, pytest.approx(1 / 3))
    for agent, rates in (("refuse", (1.0, 1.0)), ("lazy", (0.0, 0.0))):
        run = RunFolder(tmp_path / agent)
        begin(RunOptions(str(tmp_path), AgentSpec.read(agent)), run)
        with attempts_in_process():
            resume_run(run, 1)
        scores = run_metrics(run)
        assert (scores["refusal_recall"], scores["false_refusals"]) == rates


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


def test_a_conversation_is_scored_by_its_last_turn_and_the_share_of_the_plan_that_it_keeps(
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


@pytest.mark.parametrize(
    "named", [True, ["less", "more"], ["less", "more", "small"], ["less"], ["small"], ["none"], []]
)
def test_recorded_conflicts_give_the_same_verdict_as_solvers(named: Any) -> None:
    grounded = ground(task_from_text(IMPOSSIBLE))
    proved, _ = RefusalJudge().judge(grounded, named)
    decided, _ = RefusalJudge(KnownConflicts((frozenset({"less", "more"}),))).judge(grounded, named)
    assert (decided is None) == (proved is None)
    if decided is not None and proved is not None:
        assert (decided.right, set(decided.conflict), decided.minimal) == (
            proved.right,
            set(proved.conflict),
            proved.minimal,
        )
