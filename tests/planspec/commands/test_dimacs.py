"""`dimacs`: other programs can read the formulas that it writes, and planspec accepts their proofs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dratify
import pytest

from planspec.solvers.proofs.checker import check
from tests.planspec.commands.test_command_line import run

TASK = """\
planspec: task/1
id: pair
query: Two numbers of which the first is the smaller one.
plan: {pairs: {one: true, a: int, b: int}}
scope: {pairs: {a: 0..5, b: 0..5}}
constraints:
  order:
    hard: pairs.a < pairs.b
  sum:
    hard: pairs.a + pairs.b == TOTAL
  large:
    soft: pairs.b >= 4
unique_best: [pairs.a]
"""
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def planspec_command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Return a function that runs planspec, and returns exit code, standard output and standard error."""
    return lambda *words: run(monkeypatch, capsys, *words)


@pytest.fixture
def task(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[int], str]:
    monkeypatch.chdir(tmp_path)

    def write_task(total: int) -> str:
        (tmp_path / "pair.task.yaml").write_text(TASK.replace("TOTAL", str(total)), "utf-8")
        return "pair.task.yaml"

    return write_task


def clauses(path: Path) -> list[list[int]]:
    """Return the clauses of a formula in the format DIMACS."""
    return [[*map(int, line.split())][:-1] for line in path.read_text("utf-8").splitlines()[1:]]


def run_json(command: Run, *words: str) -> tuple[int, dict[str, Any]]:
    """Run `planspec dimacs`. Return the exit code and the JSON output."""
    code, out, err = command("dimacs", *words, "--format", "json")
    assert err == "" or "warning" in err
    return code, json.loads(out)


@pytest.mark.parametrize(
    ("total", "question", "status", "code"),
    [
        (1, "unique", "refuted", 0),
        (3, "unique", "satisfiable", 1),
        (10, "unique", "refuted", 1),
        (10, "feasible", "refuted", 1),
        (3, "feasible", "satisfiable", 0),
    ],
)
def test_each_question_has_its_formula_its_outcome_and_its_exit_code(
    total: int,
    question: str,
    status: str,
    code: int,
    task: Callable[[int], str],
    planspec_command: Run,
    tmp_path: Path,
) -> None:
    exit_code, output = run_json(planspec_command, task(total), "--question", question, "-o", "x")
    assert (exit_code, output["status"]) == (code, status)
    formula = clauses(tmp_path / "x.cnf")
    assert len(formula) == output["clauses"]
    assert {path.name for path in tmp_path.glob("x.*")} == {Path(file).name for file in output["files"].values()}
    if status == "refuted":
        read = dratify.parse_dimacs((tmp_path / "x.cnf").read_text("utf-8"))
        proof = dratify.parse_proof((tmp_path / "x.drup").read_text("utf-8"))
        assert dratify.check_proof(read, proof)
        assert check(formula, (tmp_path / "x.lrat").read_text("utf-8").splitlines()) == output["steps"]
    else:
        assert "drup" not in output["files"]


def test_proofs_of_an_earlier_formula_are_removed(
    task: Callable[[int], str], planspec_command: Run, tmp_path: Path
) -> None:
    run_json(planspec_command, task(1), "-o", "x")
    assert (tmp_path / "x.drup").exists()
    run_json(planspec_command, task(3), "-o", "x")
    assert not (tmp_path / "x.drup").exists()


def test_the_map_has_every_cell_and_every_clause(
    task: Callable[[int], str], planspec_command: Run, tmp_path: Path
) -> None:
    _, output = run_json(planspec_command, task(1), "-o", "x")
    mapping = json.loads((tmp_path / "x.map.json").read_text("utf-8"))
    assert [(cell["table"], cell["row"], cell["column"]) for cell in mapping["cells"]] == [
        ("pairs", 0, "a"),
        ("pairs", 0, "b"),
    ]
    assert mapping["clauses"][-1]["to"] == output["clauses"]
    assert {"order", "sum", "another plan"} <= {run["origin"] for run in mapping["clauses"]}


def test_the_claim_about_best_plans_requires_an_option(task: Callable[[int], str], planspec_command: Run) -> None:
    code, output = run_json(planspec_command, task(5), "--best", "-o", "x")
    assert (code, output["status"]) == (1, "satisfiable")


def test_an_unwritable_output_is_reported_at_once(task: Callable[[int], str], planspec_command: Run) -> None:
    code, out, err = planspec_command("dimacs", task(1), "-o", "nowhere/x")
    assert (code, out) == (2, "")
    assert "there is no folder `nowhere`" in err
