"""The commands `verify` and `score` with TravelPlanner's answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from planspec.api.outputs.answers import VerifyOutput
from planspec.api.outputs.scores import ScoreOutput
from tests.families.travelplanner.official.small_world import SMALL, judged_record
from tests.planspec.commands.test_command_line import run

pytestmark = pytest.mark.slow


TASK = str(SMALL / "tasks" / "1.yaml")
GOOD = judged_record("a solo trip by car keeps every rule")["plan"]
LOOSE = judged_record("an attraction without a semicolon counts too")["plan"]
VERIFY = TypeAdapter(VerifyOutput)


def save_answer(folder: Path, answer: Any, name: str = "plan.json") -> str:
    """Write an answer to a file, and return its path."""
    (folder / name).write_text(answer if isinstance(answer, str) else json.dumps(answer), "utf-8")
    return str(folder / name)


@pytest.mark.parametrize("profile", ["strict", "official"])
@pytest.mark.parametrize(
    "answer",
    [
        GOOD,
        {"plan": GOOD},
        {"task": "1", "plan": GOOD},
        f"So:\n```json\n{json.dumps(GOOD)}\n```\n",
        f"```json\n{json.dumps({'task': '1', 'plan': GOOD})}\n```",
        {"idx": 1, "query": "q", "plan": GOOD},
    ],
    ids=["list", "plan", "envelope", "fenced", "fenced envelope", "record"],
)
def test_verify_reads_days_in_any_wrapping(
    answer: Any, profile: str, tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    path = save_answer(tmp_path, answer)
    code, out, _ = run(monkeypatch, capsys, "verify", path, "--task", TASK, "--profile", profile, "--format", "json")
    result = VERIFY.validate_json(out)
    assert (code, result.status, result.profile, result.differences) == (0, "pass", profile, None)
    assert "differences" not in json.loads(out)


def test_an_envelope_with_a_list_names_its_task(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(SMALL)
    code, out, _ = run(monkeypatch, capsys, "verify", save_answer(tmp_path, {"task": "1", "plan": GOOD}))
    assert (code, out.splitlines()[-1][:4]) == (0, "pass")


def test_differences_are_printed_as_json_and_as_text(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    path = save_answer(tmp_path, LOOSE)
    words = ("verify", path, "--task", TASK, "--profile", "official", "--explain-differences")
    code, out, _ = run(monkeypatch, capsys, *words, "--format", "json")
    result = json.loads(out)["differences"]
    assert code == 0
    assert {d["constraint"] for d in result} == {"is_valid_attractions"}
    assert set(result[0]) == {"constraint", "strict", "official", "quirk", "message"}
    assert (result[0]["strict"], result[0]["official"]) == ("violated", "satisfied")
    assert VERIFY.validate_json(out).differences
    _, out, _ = run(monkeypatch, capsys, *words)
    assert "strict and official disagree:" in out
    assert "last-attraction: day" in out


def test_differences_keep_the_exit_code_of_the_requested_profile(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    path = save_answer(tmp_path, LOOSE)
    code, out, _ = run(monkeypatch, capsys, "verify", path, "--task", TASK, "--explain-differences")
    assert (code, "last-attraction" in out) == (1, True)
    code, out, _ = run(
        monkeypatch, capsys, "verify", save_answer(tmp_path, GOOD), "--task", TASK, "--explain-differences"
    )
    assert (code, out.splitlines()[-1]) == (0, "strict and official agree on every rule")


def test_differences_need_a_family_with_two_profiles(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    path = save_answer(tmp_path, {"task": "berlin-001", "plan": {"days": []}})
    code, _, err = run(monkeypatch, capsys, "verify", path, "--explain-differences")
    assert (code, "has no profile `official`" in err) == (2, True)


def test_repairs_follow_the_strict_profile(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    path = save_answer(tmp_path, GOOD)
    code, out, _ = run(
        monkeypatch,
        capsys,
        "verify",
        path,
        "--task",
        TASK,
        "--profile",
        "official",
        "--repair",
        "--format",
        "json",
    )
    result = VERIFY.validate_json(out)
    assert (code, result.repair and result.repair.status) == (0, "already-valid")


LINES = [
    {"idx": 1, "query": "q", "plan": GOOD},
    {"task": "2", "plan": judged_record("the cheapest trip fits a narrow budget")["plan"]},
    {"id": "4", "plan": judged_record("no pets where pets are banned")["plan"]},
    {"idx": 3, "query": "q", "plan": None},
    {"idx": 5, "query": "q", "plan": []},
]


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("profile", ["strict", "official"])
def test_score_reads_records_and_envelopes(
    profile: str, jobs: str, tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    path = save_answer(tmp_path, "\n".join(map(json.dumps, LINES)))
    code, out, _ = run(
        monkeypatch,
        capsys,
        "score",
        path,
        "--suite",
        str(SMALL),
        "--profile",
        profile,
        "--jobs",
        jobs,
        "--format",
        "json",
    )
    result = ScoreOutput.model_validate_json(out)
    metrics: dict[str, Any] = result.metrics
    assert (code, result.profile) == (1, profile)
    assert [verdict.status for verdict in result.plans[:5]] == [
        "pass",
        "pass",
        "fail",
        "undelivered",
        "undelivered",
    ]
    assert {verdict.profile for verdict in result.plans} == {profile}
    assert (metrics["n"], metrics["delivered"], metrics["final_pass_rate"]) == (14, 3, 2 / 14)
    assert metrics["commonsense_micro"] == 24 / (14 * 8)
    assert metrics["failures"] == {"valid_room_rule": 1}
    assert metrics["levels"]["medium"]["n"] == 4
    assert sum(group["n"] for group in metrics["days"].values()) == 14


def test_score_prints_groups_as_tables(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    path = save_answer(tmp_path, "\n".join(map(json.dumps, LINES)))
    _, out, _ = run(monkeypatch, capsys, "score", path, "--suite", str(SMALL))
    lines = out.splitlines()
    heads = [n for n, line in enumerate(lines) if line.startswith(("levels", "days"))]
    assert lines[heads[0]].split() == [
        "levels",
        "n",
        "delivery_rate",
        "commonsense_micro",
        "commonsense_macro",
        "hard_micro",
        "hard_macro",
        "final_pass_rate",
    ]
    assert [line.split()[0] for line in lines[heads[0] + 1 : heads[1]]] == ["easy", "medium", "hard"]
    assert ["valid_room_rule", "1"] in [line.split() for line in lines]


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ({"idx": 77, "plan": GOOD}, "no task `77`"),
        ({"idx": True, "plan": GOOD}, "does not say which task"),
        (GOOD, "does not say which task"),
        ({"query": "q", "plan": GOOD}, "does not say which task"),
    ],
)
def test_a_line_without_a_task_is_refused(line: Any, text: str, tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    code, _, err = run(monkeypatch, capsys, "score", save_answer(tmp_path, line), "--suite", str(SMALL))
    assert (code, text in err) == (2, True), err


def test_score_of_a_suite_without_the_profile_is_refused(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    words = ("score", save_answer(tmp_path, ""), "--suite", "worldtravel-berlin", "--profile", "official")
    code, _, err = run(monkeypatch, capsys, *words)
    assert (code, "no profile `official`; there is strict" in err) == (2, True)
