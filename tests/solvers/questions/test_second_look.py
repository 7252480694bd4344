"""A second back end looks again: it confirms true claims, and if it disagrees nothing is claimed.

The first back end is wrong here: its session has a condition that the task does not have.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from planspec.dsl.documents.documents import task_from_text
from planspec.solvers.backends.outcome import Limits, Status
from planspec.solvers.backends.protocol import Backend, Session
from planspec.solvers.backends.register import backend
from planspec.solvers.ir.nodes import FALSE, Bool
from planspec.solvers.ir.problem import Problem
from planspec.solvers.lowering.problem import lower
from planspec.solvers.questions import (
    conflicts,
    difficulty,
    disagreement,
    infeasibility,
    prove,
    repair,
    second_look,
    validation,
)
from planspec.solvers.questions import enumerate as enumeration
from planspec.verifiers.answers.format import TABLES
from planspec.verifiers.meaning.ground import Ground, ground
from tests.planspec.commands.test_command_line import run

TASK = """planspec: task/1
id: draw
query: Draw two numbers.
plan: {draw: {one: true, a: int, b: int}}
scope: {draw: {a: 0..2, b: 0..3}}
constraints:
  low: {hard: draw.a + draw.b >= 2}
  high: {hard: draw.a + draw.b <= 5}
minimize: draw.a + draw.b
"""
IMPOSSIBLE = TASK.replace("<= 5", "<= 1")


def draw_task(text: str = TASK) -> Ground:
    return ground(task_from_text(text))


def at_least(problem: Problem, least: int) -> Bool:
    model, fields = problem.model, problem.rows[0].fields
    return model.at_most_zero(model.minus(model.constant(least), model.plus(fields["a"], fields["b"])))


Lie = Callable[[Problem], Bool]


def nothing(_: Problem) -> Bool:
    return FALSE


def three(problem: Problem) -> Bool:
    return at_least(problem, 3)


@pytest.fixture
def lying(monkeypatch: pytest.MonkeyPatch) -> Callable[[Lie], None]:
    """Return a function that makes CP-SAT solve another problem than the given one."""

    class Liar(Backend):
        name = "cpsat"

        def __init__(self, lie: Lie) -> None:
            self._lie = lie

        def open(self, problem: Problem, limits: Limits) -> Session:
            session = backend("cpsat").open(problem, limits)
            session.add(self._lie(problem), "lie")
            return session

    def start(lie: Lie) -> None:
        def backend_of(name: str) -> Backend:
            return Liar(lie) if name == "cpsat" else backend(name)

        for module, attribute in (
            (enumeration, "backend"), (repair, "named_backend"), (infeasibility, "named_backend"), (disagreement, "backend"),
        ):  # fmt: skip
            monkeypatch.setattr(module, attribute, backend_of)
        for opening in (prove, conflicts, validation):
            monkeypatch.setattr(
                opening, "open_session", lambda name, problem, limits: backend_of(name).open(problem, limits)
            )

    return start


def test_small_problems_are_confirmed_without_another_solver() -> None:
    solution = prove.solve(draw_task())
    assert (solution.status, solution.objective, solution.by) == (Status.OPTIMAL, 2, ("cpsat", "brute"))
    assert prove.solve(draw_task(IMPOSSIBLE)).by == ("cpsat", "brute")
    assert enumeration.count(lower(draw_task())) == enumeration.Count(9, exact=True, by=("cpsat", "brute"))
    assert difficulty.difficulty(draw_task()).by == ("cpsat", "brute")
    answer, _ = TABLES.decode(draw_task().task, {"draw": {"a": 0, "b": 0}})
    assert repair.repair(draw_task(), answer).by == ("cpsat", "brute")
    assert conflicts.why(draw_task(IMPOSSIBLE)).by == ("cpsat", "brute")


@pytest.mark.parametrize("first", ["cpsat", "smt", "brute"])
def test_each_back_end_is_confirmed_by_another_one(monkeypatch: pytest.MonkeyPatch, first: str) -> None:
    monkeypatch.setattr(second_look, "VARIABLES", 0)
    by = prove.solve(draw_task(), backend=first, second=True).by
    assert by[0] == first
    assert len(set(by)) == 2


def test_without_a_loaded_second_solver_or_time_for_it_one_back_end_decides(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(second_look, "VARIABLES", 0)
    monkeypatch.setattr(second_look, "IMPORTS", {"smt": ("no.such.module", 1e9)})
    assert prove.solve(draw_task()).by == ("cpsat",)


def test_a_better_plan_than_the_optimum_is_a_disagreement(lying: Callable[[Lie], None]) -> None:
    lying(three)
    solution = prove.solve(draw_task())
    assert (solution.status, solution.plan, solution.objective) == (Status.UNKNOWN, None, None)
    first, other = solution.disagreement
    assert (first.by, first.status, first.bound) == ("cpsat", "optimal", 3)
    assert (other.by, other.status) == ("brute", "feasible")
    assert other.plan is not None
    row = TABLES.encode(draw_task().task, other.plan)["draw"]
    assert row["a"] + row["b"] == 2


def test_a_plan_of_a_task_claimed_infeasible_is_a_disagreement(lying: Callable[[Lie], None]) -> None:
    lying(nothing)
    task = draw_task()
    solution = prove.solve(task)
    assert solution.status is Status.UNKNOWN
    assert [opinion.status for opinion in solution.disagreement] == ["infeasible", "feasible"]
    answer, _ = TABLES.decode(task.task, {"draw": {"a": 0, "b": 0}})
    repaired = repair.repair(task, answer)
    assert (repaired.status, len(repaired.disagreement)) == (Status.UNKNOWN, 2)
    conflict = conflicts.why(task)
    assert (conflict.status, conflict.mus_sets) == (Status.UNKNOWN, ())
    assert len(conflict.disagreement) == 2
    assert infeasibility.conflict_among(task) == (Status.UNKNOWN, ())
    measured = difficulty.difficulty(task)
    assert (measured.feasible, len(measured.disagreement)) == ("unknown", 2)


def test_a_plan_that_was_not_counted_is_a_disagreement(lying: Callable[[Lie], None]) -> None:
    lying(three)
    counted = enumeration.count(lower(draw_task()))
    assert (counted.count, counted.exact) == (7, False)
    assert [opinion.by for opinion in counted.disagreement] == ["cpsat", "brute"]


def test_a_nearer_plan_than_the_nearest_is_a_disagreement(lying: Callable[[Lie], None]) -> None:
    lying(lambda problem: at_least(problem, 4))
    answer, _ = TABLES.decode(draw_task().task, {"draw": {"a": 0, "b": 3}})
    repaired = repair.repair(draw_task(), answer)
    assert repaired.status is Status.UNKNOWN
    assert [opinion.status for opinion in repaired.disagreement] == ["optimal", "feasible"]


def test_a_validation_shows_contradicting_claims_and_claims_nothing(lying: Callable[[Lie], None]) -> None:
    lying(nothing)
    result = validation.validate(draw_task())
    assert (result.feasible.status, result.unique.status) == ("unknown", "unknown")
    assert result.feasible.contradictory
    assert [(each.by, each.status) for each in result.disagreement] == [
        ("cpsat", "infeasible"),
        ("smt", "multiple"),
    ]


def test_versions_that_only_one_back_end_distinguishes_are_undecided(
    lying: Callable[[Lie], None],
) -> None:
    lying(nothing)
    result = disagreement.disagreement(draw_task(), draw_task(TASK.replace("<= 5", "<= 4")))
    assert (result.status, result.contested) == ("unknown", None)
    assert [(each.by, each.status) for each in result.opinions] == [("cpsat", "same"), ("smt", "different")]


@pytest.mark.parametrize("command", ["solve", "validate", "why", "difficulty", "repair"])
def test_a_command_whose_back_ends_disagree_exits_3_and_shows_both_answers(
    lying: Callable[[Lie], None],
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    lying(nothing)
    (task := tmp_path / "draw.task.yaml").write_text(TASK)
    (answer := tmp_path / "draw.json").write_text('{"draw": {"a": 0, "b": 0}}')
    arguments = [answer, "--task", task] if command == "repair" else [task]
    code, out, _ = run(monkeypatch, capsys, command, *map(str, arguments), "--format", "json")
    document = json.loads(out)
    document = document[0] if isinstance(document, list) else document
    assert code == 3
    first, second = document["disagreement"]
    assert first["by"] == "cpsat" != second["by"]
    code, out, err = run(monkeypatch, capsys, command, *map(str, arguments))
    assert code == 3
    assert "a solver is wrong" in out + err
