"""The option `validate --beyond-scope`, and certificates that record which claims hold outside the scope."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import planspec.api.proofs
from planspec.api.certificate_check import check
from planspec.api.certificates import certificate_path
from planspec.api.judging import Judge
from planspec.api.loading import load
from tests.planspec.commands.test_command_line import folder, run

__all__ = ["folder"]

CALLS = """\
planspec: task/1
id: calls
query: Two calls before ten, one after the other.
types: {Call: anna | bert}
plan: {calls: {who: key Call, start: time}}
scope: {calls: [{for: c in Call, who: c, start: 09:00..09:30 step 30min}]}
constraints:
  order:
    hard: calls[anna].start + 30min <= calls[bert].start
  nobody-else:
    hard: count(c for c in calls) == 2
"""
SOUND = CALLS + "  full-hours:\n    hard: calls[anna].start == 09:00 and calls[bert].start == 09:30\n"


def validate_text(monkeypatch: Any, capsys: Any, text: str, *options: str) -> tuple[int, str]:
    """Write a task, run `planspec validate`, and return the exit code and the output."""
    Path("calls.task.yaml").write_text(text)
    code, out, _ = run(monkeypatch, capsys, "validate", "calls", *options)
    return code, out


@pytest.mark.usefixtures("folder")
def test_a_claim_is_proved_only_within_the_scope_by_default(monkeypatch: Any, capsys: Any) -> None:
    code, out = validate_text(monkeypatch, capsys, CALLS)
    assert (code, out.startswith("calls: feasible, unique within the scope (cpsat")) == (0, True)
    _, out = validate_text(monkeypatch, capsys, CALLS, "--format", "json")
    unique = json.loads(out)[0]["unique"]
    assert (unique["scope"], unique["leans_on"], unique["outside"]) == ("within", [], [])


@pytest.mark.usefixtures("folder")
def test_a_claim_that_depends_on_a_bound_names_it_and_exits_1(monkeypatch: Any, capsys: Any) -> None:
    text = CALLS + "expects: unique\n"
    code, out = validate_text(monkeypatch, capsys, text, "--beyond-scope")
    assert code == 1
    assert "calls: feasible, unique within the scope (" in out
    assert "  leans on scope:calls.start\n    beyond it: calls[" in out
    code, out = validate_text(monkeypatch, capsys, text, "--beyond-scope", "--format", "json")
    unique = json.loads(out)[0]["unique"]
    assert (code, unique["scope"], unique["leans_on"]) == (1, "within", ["scope:calls.start"])
    (outside,) = unique["outside"]
    assert Judge(load("calls")).decoded(outside["plan"]).status == "pass"
    assert {d["field"] for d in outside["differences"]} == {"start"}


@pytest.mark.usefixtures("folder")
def test_a_claim_that_depends_on_no_bound_holds_beyond_the_scope(monkeypatch: Any, capsys: Any) -> None:
    code, out = validate_text(monkeypatch, capsys, SOUND, "--beyond-scope")
    assert (code, out.startswith("calls: feasible, unique beyond the scope (cpsat unique")) == (0, True)


@pytest.mark.usefixtures("folder")
def test_infeasibility_beyond_the_scope_is_reported(monkeypatch: Any, capsys: Any) -> None:
    never = CALLS + "  never:\n    hard: calls[anna].start > calls[bert].start\n"
    code, out = validate_text(monkeypatch, capsys, never, "--beyond-scope")
    assert (code, out.startswith("calls: infeasible beyond the scope (cpsat infeasible")) == (1, True)


@pytest.mark.usefixtures("folder")
def test_a_task_with_several_plans_has_several_plans_beyond_the_scope(monkeypatch: Any, capsys: Any) -> None:
    text = CALLS.replace("09:00..09:30", "09:00..10:00")
    for expects, expected in (("feasible", 0), ("unique", 1)):
        code, out = validate_text(
            monkeypatch, capsys, f"{text}expects: {expects}\n", "--beyond-scope", "--format", "json"
        )
        unique = json.loads(out)[0]["unique"]
        assert (code, unique["status"], unique["scope"]) == (expected, "multiple", "beyond")


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(("text", "scope"), [(CALLS, "within"), (SOUND, "beyond")])
def test_a_certificate_records_the_claim_beyond_the_scope_and_it_is_proved_again(
    text: str, scope: str, monkeypatch: Any, capsys: Any
) -> None:
    validate_text(monkeypatch, capsys, text, "--beyond-scope", "--certify")
    data = json.loads(Path("certificates/calls.json").read_text())
    assert data["unique"]["scope"] == scope
    assert data["unique"]["leans_on"] == list(data["outside"])
    assert run(monkeypatch, capsys, "validate", "calls", "--check", "--reprove")[0] == 0
    assert run(monkeypatch, capsys, "validate", "calls", "--check", "--beyond-scope")[0] == 2


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("forged", "reason"),
    [
        ({"scope": "beyond"}, "cannot lean on a bound, such as scope:calls.start"),
        ({"leans_on": []}, "it has a plan beyond scope:calls.start, and does not lean on it"),
        ({"leans_on": ["start"]}, "unique.leans_on.0"),
        ({"scope": "somewhere"}, "unique.scope"),
        ({"witness": True}, "the plan beyond scope:calls.start is the witness"),
        ({"fails": True}, "the plan beyond scope:calls.start does not satisfy the task"),
    ],
)
def test_a_forged_claim_about_the_scope_is_wrong(
    forged: dict[str, Any], reason: str, monkeypatch: Any, capsys: Any
) -> None:
    validate_text(monkeypatch, capsys, CALLS, "--beyond-scope", "--certify")
    judge = Judge(load("calls"))
    path = certificate_path(Path("calls.task.yaml"), "calls")
    data = json.loads(path.read_text())
    if "witness" in forged:
        data["outside"]["scope:calls.start"] = data["witness"]
    elif "fails" in forged:
        data["outside"]["scope:calls.start"]["calls"][0]["start"] = "23:00"
    else:
        data["unique"].update(forged)
    path.write_text(json.dumps(data))
    result = check(judge, path)
    assert result.status == "wrong"
    assert any(reason in text for text in result.reasons), result.reasons


@pytest.mark.usefixtures("folder")
def test_a_certificate_that_claims_too_much_is_not_proved_again(monkeypatch: Any, capsys: Any) -> None:
    """The claim is false, but only a solver can find that."""
    validate_text(monkeypatch, capsys, CALLS, "--beyond-scope", "--certify")
    path = Path("certificates/calls.json")
    data = json.loads(path.read_text())
    data["unique"] |= {"scope": "beyond", "leans_on": []}
    data["outside"] = {}
    path.write_text(json.dumps(data))
    assert run(monkeypatch, capsys, "validate", "calls", "--check")[0] == 0
    code, out, _ = run(monkeypatch, capsys, "validate", "calls", "--check", "--reprove")
    assert (code, "it says unique beyond the scope, and multiple was proved again" in out) == (1, True)


def _without_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make every proof beyond the scope run out of time. Proofs within the scope have enough time."""
    real = planspec.api.proofs.beyond_claims
    monkeypatch.setattr(
        planspec.api.proofs,
        "beyond_claims",
        lambda judge, validation, **options: real(judge, validation, **{**options, "limits": 1e-9}),
    )


@pytest.mark.usefixtures("folder")
def test_undecided_claims_beyond_the_scope_are_named_with_the_timeout(monkeypatch: Any, capsys: Any) -> None:
    _without_time(monkeypatch)
    text = SOUND + "expects: unique\n"
    code, out = validate_text(monkeypatch, capsys, text, "--beyond-scope", "--timeout", "7")
    assert code == 3
    assert "  open beyond the scope: " in out and "scope:calls.start was not decided in 7 s" in out
    assert "a longer --timeout may decide it" in out and "leans on" not in out
    _, out = validate_text(monkeypatch, capsys, text, "--beyond-scope", "--timeout", "7", "--format", "json")
    open_ = json.loads(out)[0]["unique"]["open"]
    assert "scope:calls.start" in open_["bounds"] and (open_["seconds"], open_["certified_seconds"]) == (7.0, None)


@pytest.mark.usefixtures("folder")
def test_undecided_claims_are_named_with_the_timeout_of_their_certificate(monkeypatch: Any, capsys: Any) -> None:
    text = SOUND + "expects: unique\n"
    code, _ = validate_text(monkeypatch, capsys, text, "--beyond-scope", "--certify", "--timeout", "90")
    assert code == 0
    _without_time(monkeypatch)
    _, out = validate_text(monkeypatch, capsys, text, "--beyond-scope", "--timeout", "7")
    assert "the certificate has the proofs, found with --timeout 90" in out


@pytest.mark.usefixtures("folder")
def test_nothing_is_undecided_if_everything_was_proved(monkeypatch: Any, capsys: Any) -> None:
    _, out = validate_text(monkeypatch, capsys, SOUND, "--beyond-scope", "--format", "json")
    assert json.loads(out)[0]["unique"]["open"] is None
