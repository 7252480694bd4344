"""Tasks with turns: names of turns, claims about turns, and the smallest change of the plan from turn to turn."""

from __future__ import annotations

import json
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

import planspec
from planspec.api.conversation import TurnOutcome
from planspec.api.judging import Judge
from planspec.api.outputs.claims import ValidateOutput
from planspec.api.outputs.register import OUTPUTS
from planspec.cli import command_line
from planspec.solvers.backends.outcome import Limits
from planspec.verifiers.answers.format import TABLES
from planspec.verifiers.meaning.ground import Ground
from tests.dsl.small_talk import TALK, visits

POOR = TALK.replace("{budget: 60 EUR}", "{budget: 54 EUR}")
"""A conversation whose second turn has no plan: zoo, museum and park cost 55 euros."""


@pytest.fixture
def talk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the path of a task with turns, in a new working directory."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "talk.task.yaml"
    path.write_text(TALK, "utf-8")
    return path


def run_planspec(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *words: str
) -> tuple[int, str, str]:
    """Run planspec with these arguments. Return the exit code, standard output and standard error."""
    monkeypatch.setattr(sys, "argv", ["planspec", *words])
    with pytest.raises(SystemExit) as left:
        command_line()
    out, err = capsys.readouterr()
    return int(left.value.code or 0), out, err


# -- names ----------------------------------------------------------------------------------------------


def test_a_turn_is_named_by_a_number_after_an_at_sign(talk: Path) -> None:
    names = ["talk", "talk@2", "talk.task.yaml@1", f"{talk}@3"]
    assert [planspec.load(name).id for name in names] == ["talk", "talk@2", "talk@1", "talk@3"]
    assert [planspec.load(name).turn for name in names] == [3, 2, 1, 3]


@pytest.mark.parametrize("turn", ["0", "4", "x", "02", ""])
def test_a_missing_turn_is_reported_with_the_number_of_turns(talk: Path, turn: str) -> None:
    for name in ("talk", str(talk)):
        with pytest.raises(planspec.NotFoundError, match=rf"`talk` has 3 turns, so there is no `talk@{turn}`"):
            planspec.load(f"{name}@{turn}")


def test_errors_about_names_with_an_at_sign_name_what_is_missing(talk: Path) -> None:
    with pytest.raises(planspec.NotFoundError, match="`sudoku` has no turns"):
        planspec.load("sudoku@1")
    with pytest.raises(planspec.NotFoundError, match="there is no task `sudok`"):
        planspec.load("sudok@1")
    with pytest.raises(planspec.NotFoundError, match=r"there is no file `a@b/x\.yaml`"):
        planspec.load("a@b/x.yaml")
    talk.write_text(TALK.replace("id: talk", "id: talk@9"), "utf-8")
    assert planspec.load("talk@9").turn == 3
    assert planspec.load("talk@9@2").id == "talk@9@2"


def test_every_command_accepts_a_turn_of_a_conversation(
    talk: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = {"task": "talk@2", "plan": visits("museum", "zoo", "park")}
    (talk.parent / "answer.json").write_text(json.dumps(answer))
    for words in (
        ("verify", "answer.json"),
        ("repair", "answer.json"),
        ("solve", "talk@2"),
        ("why", "talk@2"),
    ):
        _, out, _ = run_planspec(monkeypatch, capsys, *words, "--format", "json")
        assert json.loads(out)["task"] == "talk@2", words
    _, out, _ = run_planspec(monkeypatch, capsys, "difficulty", "talk@2", "--format", "json")
    assert [one["task"] for one in json.loads(out)] == ["talk@2"]
    code, out, _ = run_planspec(monkeypatch, capsys, "verify", "answer.json", "--task", "talk")
    assert code == 1
    assert "(since turn 3)" in out
    assert "fail  talk: " in out
    assert "the answer says that it is for `talk@2`; it is judged as one for `talk`" in out
    assert run_planspec(monkeypatch, capsys, "solve", "talk@4")[0] == 2
    _, out, _ = run_planspec(monkeypatch, capsys, "tasks", "show", "talk@2")
    assert "1. Three days, please.\n2. Not more than 60 euros, and the zoo.\n" in out
    assert run_planspec(monkeypatch, capsys, "check", "talk@2")[0] == 0


def test_only_findings_of_a_conversation_name_the_turn_that_added_the_constraint(
    talk: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    talk.write_text(TALK.partition("turns:")[0] + "query: Where to?\n", "utf-8")
    (talk.parent / "answer.json").write_text(json.dumps({"task": "talk", "plan": visits("zoo", "zoo", "zoo")}))
    code, out, _ = run_planspec(monkeypatch, capsys, "verify", "answer.json")
    assert code == 1
    assert "since" not in out


def test_a_turn_of_an_unreadable_file_is_an_error_in_the_file(talk: Path) -> None:
    talk.write_text(TALK + "  - {query: [}\n", "utf-8")
    with pytest.raises(planspec.DiagnosticError) as raised:
        planspec.load("talk@2")
    assert raised.value.diagnostics[0].code == "PS002"


def test_a_solver_gets_only_the_constraints_of_the_last_turn(talk: Path) -> None:
    constraints: list[str] = []

    def record_task(grounded: Ground) -> tuple[()]:
        constraints.append(f"{grounded.task.id} {grounded.task.turn}")
        return ()

    assert planspec.check([talk], deep=record_task) == ()
    assert constraints == ["talk 3"]


# -- turn by turn ---------------------------------------------------------------------------------------


def visited_places(outcome: TurnOutcome) -> set[str]:
    """Return the places in the plan of a turn."""
    assert outcome.plan is not None
    rows: list[dict[str, str]] = TABLES.encode(outcome.judge.task, outcome.plan)["visits"]
    return {row["place"] for row in rows}


def test_each_turn_begins_with_the_plan_of_the_previous_turn(talk: Path) -> None:
    first, second, third = planspec.follow(talk)
    assert [o.judge.task.id for o in (first, second, third)] == ["talk@1", "talk@2", "talk@3"]
    assert (first.change, first.plan) == (None, first.validation.witness)
    assert (visited_places(second), visited_places(third)) == (
        {"zoo", "museum", "park"},
        {"tower", "museum", "park"},
    )
    for before, outcome in ((first, second), (second, third)):
        assert outcome.change is not None
        assert (outcome.change.status, outcome.change.proved_smallest) == ("changed", True)
        assert outcome.change.before == before.judge.task.id
        assert outcome.plan is not None
        assert outcome.judge.plan(outcome.plan).status == "pass"
        assert before.plan is not None
        rows = TABLES.encode(before.judge.task, before.plan)
        assert TABLES.encode(outcome.judge.task, outcome.change.previous) == rows


def test_the_change_of_a_turn_is_minimal(talk: Path) -> None:
    """The smallest number of changed places is computed by comparison with every other plan of the turn."""
    by_cpsat = planspec.follow(talk)
    by_hand = planspec.follow(talk, backends=("brute",))
    for outcomes in (by_cpsat, by_hand):
        for outcome in outcomes[1:]:
            assert outcome.change is not None
            before = TABLES.encode(outcome.judge.task, outcome.change.previous)["visits"]
            towns = ("zoo", "museum", "park", "tower")
            every = [visits(a, b, c) for a in towns for b in towns for c in towns]
            least = min(
                sum(a != b for a, b in zip(before, plan["visits"], strict=True))  # type: ignore[call-overload]
                for plan in every
                if outcome.judge.decoded(plan, details="none").status == "pass"
            )
            assert len(outcome.change.edits) == least
            assert outcome.kept == Fraction(6 - least, 6)


def test_a_turn_whose_plan_still_holds_changes_nothing(talk: Path) -> None:
    talk.write_text(TALK + "  - query: Very well.\n", "utf-8")
    third, fourth = planspec.follow(talk)[2:]
    assert fourth.change is not None
    assert (fourth.change.status, fourth.change.edits, fourth.change.proved_smallest) == (
        "unchanged",
        (),
        True,
    )
    assert visited_places(fourth) == visited_places(third)
    assert fourth.kept == 1


def test_an_infeasible_turn_has_a_conflict_and_the_next_begins_with_the_last_plan(talk: Path) -> None:
    talk.write_text(POOR, "utf-8")
    first, second, third = planspec.follow(talk)
    assert second.validation.feasible.status == "infeasible"
    assert (second.plan, second.kept) == (None, None)
    assert second.change is not None
    assert (second.change.status, second.change.edits) == ("infeasible", ())
    assert set(second.conflict) == {"different", "affordable"}
    assert third.change is not None
    assert third.change.before == first.judge.task.id
    assert third.change.status == "changed"
    assert (first.conflict, third.conflict) == ((), ())


def test_a_turn_has_a_change_only_if_an_earlier_turn_has_a_plan(talk: Path) -> None:
    talk.write_text(TALK.replace("budget: 100 EUR", "budget: 1 EUR"), "utf-8")
    first, second, third = planspec.follow(talk)
    assert (first.plan, first.change, second.change) == (None, None, None)
    assert second.plan == second.validation.witness
    assert third.change is not None


def test_a_claim_undecided_in_time_is_unknown(talk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from planspec.solvers.backends.outcome import Status
    from planspec.solvers.questions import repair

    monkeypatch.setattr(repair, "repair", lambda *_, **__: repair.Repair(Status.UNKNOWN))
    _, second, third = planspec.follow(talk, limits=Limits(seconds=60))
    assert second.change is not None
    assert (second.change.status, second.plan) == ("unknown", None)
    assert third.change is not None
    assert third.change.before == "talk@1"


def test_follow_returns_one_outcome_for_a_single_turn_or_a_task_without_turns(talk: Path) -> None:
    (alone,) = planspec.follow("talk@2")
    assert (alone.judge.task.id, alone.change) == ("talk@2", None)
    talk.write_text(TALK.partition("turns:")[0] + "query: Where to?\n", "utf-8")
    (plain,) = planspec.follow("talk")
    assert (plain.judge.task.id, plain.change, plain.plan) == ("talk", None, plain.validation.witness)


# -- validate -------------------------------------------------------------------------------------------

ENTRIES: TypeAdapter[list[ValidateOutput]] = TypeAdapter(OUTPUTS["validate"])


def test_validate_has_an_entry_for_each_turn(
    talk: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = run_planspec(monkeypatch, capsys, "validate", "talk", "--format", "json")
    assert code == 0  # the turns have several plans, and no turn expects a unique one
    first, second, third = ENTRIES.validate_json(out)
    assert (first.task, second.task, third.task) == ("talk@1", "talk@2", "talk@3")
    assert first.change is None
    assert second.change is not None
    assert (second.change.before, second.change.status, second.change.proved_smallest) == (
        "talk@1",
        "changed",
        True,
    )
    raw: list[dict[str, Any]] = json.loads(out)
    assert raw[0]["change"] is None
    assert set(raw[1]["change"]) == {"from", "edits", "proved_smallest", "status", "plan"}
    assert set(raw[1]["change"]["edits"][0]) == {"table", "key", "field", "from", "to"}
    assert Judge(planspec.load("talk@2")).decoded(raw[1]["change"]["plan"]).status == "pass"


def test_validate_of_one_turn_has_one_entry(
    talk: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _, out, _ = run_planspec(monkeypatch, capsys, "validate", "talk@2", "--format", "json")
    (entry,) = ENTRIES.validate_json(out)
    assert (entry.task, entry.change) == ("talk@2", None)


@pytest.mark.slow
def test_validate_shows_changes_and_conflicts_as_text(
    talk: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    talk.write_text(POOR + "  - query: Very well.\n", "utf-8")
    code, out, err = run_planspec(monkeypatch, capsys, "validate", "talk", "sudoku")
    assert code == 1
    assert "talk@2: infeasible" in out
    assert "  conflict: " in out
    assert "  from talk@1: " in out
    assert "proved smallest, keeps " in out
    assert "  from talk@3: the plan still holds\n" in out
    assert err == "2 tasks: 1 as expected, 1 infeasible\n"


@pytest.mark.slow
def test_each_turn_has_a_certificate(
    talk: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run_planspec(monkeypatch, capsys, "validate", "talk", "--certify")
    names = sorted(path.name for path in (talk.parent / "certificates").iterdir())
    assert names == ["talk@1.json", "talk@2.json", "talk@3.json"]
    code, out, _ = run_planspec(monkeypatch, capsys, "validate", "talk", "--check")
    assert (code, out.count("certificate valid")) == (0, 3)
    code, out, _ = run_planspec(monkeypatch, capsys, "validate", "talk@2", "--check", "--reprove")
    assert (code, out.count("certificate valid")) == (0, 1)
    talk.write_text(TALK.replace("65 EUR", "70 EUR"), "utf-8")
    code, out, _ = run_planspec(monkeypatch, capsys, "validate", "talk", "--check")
    assert (code, out.count("certificate stale")) == (
        1,
        1,
    )  # only the last turn reads this budget


def test_results_of_earlier_turns_remain_when_a_later_turn_has_errors(
    talk: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    talk.write_text(TALK.replace("visits[mon].place", "visits[sun].place"), "utf-8")
    code, out, err = run_planspec(monkeypatch, capsys, "validate", "talk", "--format", "json")
    assert code == 2
    assert [entry.task for entry in ENTRIES.validate_json(out)] == ["talk@1", "talk@2"]
    assert "PS201" in err
