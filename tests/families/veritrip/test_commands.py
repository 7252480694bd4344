"""The commands solve, verify and score on VeriTrip's tasks."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from planspec.api.judging import Judge
from planspec.api.loading import load
from planspec.api.outputs.answers import SolveOutput
from planspec.api.verdicts import read_verdict
from planspec.families.veritrip.facts_check.verdict import FactVerdict, facts_of
from planspec.solvers.backends.outcome import Limits
from planspec.solvers.questions import prove
from tests.dsl.editing.test_schema import objections
from tests.paths import ROOT
from tests.planspec.commands.test_command_line import run

SUITE = ROOT / "tasks" / "veritrip"
TASK = "veritrip-033"
"""A task of one day."""
OTHER = "veritrip-001"


@pytest.fixture(scope="module")
def answers() -> dict[str, Any]:
    """Return an answer to each of two tasks, found by a solver."""
    answers_ = {}
    for name in (TASK, OTHER):
        judge = Judge(load(name))
        plan = prove.solve(judge.ground, limits=Limits(seconds=20)).plan
        assert plan is not None
        answers_[name] = judge.encode(plan)
    return answers_


def write_lines(path: Path, *lines: Any) -> str:
    """Write JSON lines to a file, and return its path."""
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines), "utf-8")
    return str(path)


def remove_defaults(schema: Any, *, named: bool = False) -> Any:
    """Return a schema without its defaults, which do not affect validation.

    Args:
        schema: schema or a part of it.
        named: whether the keys are names of fields instead of keywords of schemas.
    """
    if isinstance(schema, dict):
        return {
            key: remove_defaults(value, named=not named and key in {"properties", "$defs"})
            for key, value in schema.items()
            if named or key != "default"
        }
    return [remove_defaults(item) for item in schema] if isinstance(schema, list) else schema


def schema_violations(text: str, name: str, monkeypatch: Any, capsys: Any) -> list[str]:
    """Return the places where JSON text violates the published schema of an output."""
    schema = remove_defaults(json.loads(run(monkeypatch, capsys, "schema", f"output/{name}")[1]))
    return objections(json.loads(text), schema, schema)


def falsify_price(answer: Any) -> Any:
    """Return the answer with a false price for its first train or flight."""
    changed = json.loads(json.dumps(answer))
    changed["Final Result"]["transportationTable"][0]["price_per_person"] += 7
    return changed


@pytest.mark.slow
def test_a_solved_task_is_written_and_verified_with_the_shortest_path(
    tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    out = tmp_path / "plan.json"
    code, output, err = run(monkeypatch, capsys, "solve", TASK, "-o", str(out), "--timeout", "4")
    assert code == 0
    assert output.splitlines()[-1].startswith("pass")
    assert "optimal, soft weight 2/2 (cpsat" in err
    assert "places is the shortest, proved: AM 0" in err
    code, output, _ = run(monkeypatch, capsys, "verify", str(out), "--format", "json")
    result = read_verdict(json.loads(output), FactVerdict)
    assert (code, result.status, result.soft.satisfied, result.soft.total) == (0, "pass", 2, 2)
    assert result.facts is not None and result.facts.counts["correct"] == len(result.facts.cells) > 0
    assert result.facts.citations["supported"] == sum(result.facts.citations.values()) > 0
    assert schema_violations(output, "verify", monkeypatch, capsys) == []


@pytest.mark.slow
def test_solve_prints_the_answer_in_the_paper_s_form(monkeypatch: Any, capsys: Any) -> None:
    code, out, _ = run(monkeypatch, capsys, "solve", TASK, "--timeout", "3", "--format", "json")
    result = SolveOutput.model_validate_json(out)
    assert (code, result.task, result.status, result.soft.satisfied) == (0, TASK, "optimal", 2)
    assert set(result.plan["Final Result"]) == {"transportationTable", "accommodationTable", "itineraryTable"}
    assert Judge(load(TASK)).answer(result.plan).status == "pass"


@pytest.mark.slow
def test_with_an_explicit_objective_the_path_is_not_shortened(monkeypatch: Any, capsys: Any) -> None:
    code, out, err = run(monkeypatch, capsys, "solve", TASK, "--minimize", "total", "--timeout", "20")
    assert code == 0
    assert "AM" not in err and "objective" in err
    assert Judge(load(TASK)).answer(json.loads(out)["plan"]).status == "pass"


@pytest.mark.slow
def test_solving_a_near_miss_reports_that_there_is_no_plan(monkeypatch: Any, capsys: Any) -> None:
    path = SUITE / "near-misses" / "veritrip-miss-2.yaml"
    code, out, err = run(monkeypatch, capsys, "solve", str(path), "--timeout", "30")
    assert (code, out) == (1, "")
    assert err.startswith("infeasible")


@pytest.mark.slow
def test_verify_names_a_wrong_cell_and_the_value_in_the_fact_base(
    answers: dict[str, Any], tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    wrong = falsify_price(answers[TASK])
    path = write_lines(tmp_path / "a.json", {"task": TASK, "plan": wrong})
    code, output, _ = run(monkeypatch, capsys, "verify", path, "--format", "json")
    result = read_verdict(json.loads(output), FactVerdict)
    assert (code, result.status) == (1, "fail")
    assert result.facts is not None and result.facts.counts["wrong"] == 1
    cell = next(cell for cell in result.facts.cells if cell.status == "wrong")
    true = answers[TASK]["Final Result"]["transportationTable"][0]["price_per_person"]
    assert (cell.table, cell.row, cell.column) == ("transportationTable", 0, "price_per_person")
    assert cell.said == str(true + 7) and cell.known is not None and str(true) in cell.known
    assert schema_violations(output, "verify", monkeypatch, capsys) == []
    _, text, _ = run(monkeypatch, capsys, "verify", path)
    assert "transportation_facts" in text


def answer_lines(answers: dict[str, Any]) -> list[Any]:
    """Return lines of answers for `score`: right, wrong and undelivered ones."""
    return [
        {"task": TASK, "plan": answers[TASK], "tool_calls": 12},
        {"task": OTHER, "plan": falsify_price(answers[OTHER]), "tool_calls": 31},
        {"task": "veritrip-002", "plan": None, "tool_calls": 2},
        '{"task": "veritrip-003", "plan": "I cannot plan this."}',
    ]


@pytest.mark.slow
def test_score_counts_delivered_and_undelivered_answers(
    answers: dict[str, Any], tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    path = write_lines(tmp_path / "plans.jsonl", *answer_lines(answers))
    words = ("score", path, "--suite", "veritrip", "--jobs", "1", "--format", "json")
    code, output, _ = run(monkeypatch, capsys, *words)
    result = json.loads(output)
    metrics: dict[str, Any] = result["metrics"]
    assert code == 1
    assert schema_violations(output, "score", monkeypatch, capsys) == []
    statuses = {verdict["task"]: verdict["status"] for verdict in result["plans"]}
    assert statuses[TASK] == "pass" and statuses[OTHER] == "fail"
    assert list(statuses.values()).count("undelivered") == 58
    assert (metrics["n"], metrics["delivered"]) == (60, 2)
    assert metrics["delivery_rate"] == pytest.approx(2 / 60)
    cells = metrics["cells"]
    assert (cells["wrong"], cells["unsupported"], cells["unreadable"]) == (1, 0, 0)
    assert metrics["factual_reliability"] == pytest.approx(cells["correct"] / (cells["correct"] + 1))
    assert metrics["pr_micro"] == 1
    assert metrics["pr_macro"] == pytest.approx(2 / 60)
    assert 0 < metrics["pr_micro_all"] < metrics["delivery_rate"] * 2
    assert metrics["pass_rate"] == pytest.approx(1 / 60)
    assert metrics["tool_calls"] == pytest.approx((12 + 31 + 2) / 3)
    assert metrics["am"]["least"] == metrics["am"]["most"] >= 0
    assert {name: group["n"] for name, group in metrics["difficulties"].items()} == {
        "Simple": 21,
        "Medium": 20,
        "Complex": 19,
    }
    assert metrics["difficulties"]["Medium"]["pfr"] == pytest.approx(1 / 20)
    assert "transportation_facts" in metrics["failures"]


@pytest.mark.slow
def test_score_prints_rates_groups_and_failures(
    answers: dict[str, Any], tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    tasks = [os.path.relpath(SUITE / "tasks" / f"{line}.yaml", tmp_path) for line in (OTHER, "veritrip-002", TASK)]
    listed = "".join(f"  - {task}\n" for task in tasks)
    suite = tmp_path / "some.suite.yaml"
    suite.write_text(
        f"planspec: suite/1\nid: some\nfamily: veritrip\ntitle: Some\ntasks:\n{listed}protocol: veritrip\n"
    )
    path = write_lines(tmp_path / "plans.jsonl", *answer_lines(answers)[:3])
    code, out, _ = run(monkeypatch, capsys, "score", path, "--suite", str(suite))
    assert code == 1
    output = out.splitlines()
    values = {line.split()[0]: line.split()[1:] for line in output if len(line.split()) == 2}
    assert values["n"] == ["3"]
    assert values["delivery_rate"] == ["0.6667"]
    assert values["pr_micro"] == ["1.0000"]
    assert values["tool_calls"] == ["15.0000"]
    assert ".." not in values["am"][0]
    assert float(values["am"][0]) >= 0
    head = next(line for line in output if line.startswith("difficulties"))
    assert head.split()[1:3] == ["n", "delivery_rate"]
    rows = [line.split()[:3] for line in output[output.index(head) + 1 :][:2]]
    assert rows == [["Simple", "2", "0.5000"], ["Medium", "1", "1.0000"]]
    assert "1 fail, 1 pass, 1 undelivered" in output
    assert any(line.startswith(f"  fail  {OTHER}: transportation_facts") for line in output)


@pytest.mark.slow
def test_verdicts_with_facts_are_unchanged_by_a_round_trip(answers: dict[str, Any]) -> None:
    for answer in (answers[TASK], falsify_price(answers[TASK])):
        verdict = Judge(load(TASK)).answer(answer)
        again = read_verdict(json.loads(json.dumps(asdict(verdict))), FactVerdict)
        assert again.facts == facts_of(verdict) is not None
