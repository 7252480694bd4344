"""A second back end confirms true claims. If it disagrees with the first, nothing is claimed.

For tests of disagreement, the problems of the first back end get a condition that the task does not have.
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
    """Return the ground task of a text."""
    return ground(task_from_text(text))


def sum_at_least(problem: Problem, bound: int) -> Bool:
    """Return the condition that the sum of the fields is at least a bound."""
    model, fields = problem.model, problem.rows[0].fields
    return model.at_most_zero(model.minus(model.constant(bound), model.plus(fields["a"], fields["b"])))


ExtraCondition = Callable[[Problem], Bool]


def no_plan(_: Problem) -> Bool:
    """Return the false condition."""
    return FALSE


def sum_of_at_least_three(problem: Problem) -> Bool:
    """Return the condition that the sum of the fields is at least 3."""
    return sum_at_least(problem, 3)


@pytest.fixture
def use_wrong_cpsat(monkeypatch: pytest.MonkeyPatch) -> Callable[[ExtraCondition], None]:
    """Return a function that replaces CP-SAT by a back end whose problems have an additional condition."""

    class WrongBackend(Backend):
        name = "cpsat"

        def __init__(self, extra: ExtraCondition) -> None:
            self._extra = extra

        def open(self, problem: Problem, limits: Limits) -> Session:
            session = backend("cpsat").open(problem, limits)
            session.add(self._extra(problem), "lie")
            return session

    def start(extra: ExtraCondition) -> None:
        def backend_of(name: str) -> Backend:
            return WrongBackend(extra) if name == "cpsat" else backend(name)

        for module, attribute in (
            (enumeration, "backend"),
            (repair, "named_backend"),
            (infeasibility, "named_backend"),
            (disagreement, "backend"),
        ):
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


def test_a_plan_better_than_the_claimed_optimum_is_a_disagreement(
    use_wrong_cpsat: Callable[[ExtraCondition], None],
) -> None:
    use_wrong_cpsat(sum_of_at_least_three)
    solution = prove.solve(draw_task())
    assert (solution.status, solution.plan, solution.objective) == (Status.UNKNOWN, None, None)
    first, other = solution.disagreement
    assert (first.by, first.status, first.bound) == ("cpsat", "optimal", 3)
    assert (other.by, other.status) == ("brute", "feasible")
    assert other.plan is not None
    row = TABLES.encode(draw_task().task, other.plan)["draw"]
    assert row["a"] + row["b"] == 2


def test_a_plan_of_a_task_claimed_infeasible_is_a_disagreement(
    use_wrong_cpsat: Callable[[ExtraCondition], None],
) -> None:
    use_wrong_cpsat(no_plan)
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


def test_a_plan_missing_from_the_count_is_a_disagreement(
    use_wrong_cpsat: Callable[[ExtraCondition], None],
) -> None:
    use_wrong_cpsat(sum_of_at_least_three)
    counted = enumeration.count(lower(draw_task()))
    assert (counted.count, counted.exact) == (7, False)
    assert [opinion.by for opinion in counted.disagreement] == ["cpsat", "brute"]


def test_a_plan_nearer_than_the_claimed_nearest_is_a_disagreement(
    use_wrong_cpsat: Callable[[ExtraCondition], None],
) -> None:
    use_wrong_cpsat(lambda problem: sum_at_least(problem, 4))
    answer, _ = TABLES.decode(draw_task().task, {"draw": {"a": 0, "b": 3}})
    repaired = repair.repair(draw_task(), answer)
    assert repaired.status is Status.UNKNOWN
    assert [opinion.status for opinion in repaired.disagreement] == ["optimal", "feasible"]


def test_a_validation_shows_contradicting_results_and_proves_no_claim(
    use_wrong_cpsat: Callable[[ExtraCondition], None],
) -> None:
    use_wrong_cpsat(no_plan)
    result = validation.validate(draw_task())
    assert (result.feasible.status, result.unique.status) == ("unknown", "unknown")
    assert result.feasible.contradictory
    assert [(each.by, each.status) for each in result.disagreement] == [
        ("cpsat", "infeasible"),
        ("smt", "multiple"),
    ]


def test_versions_that_only_one_back_end_distinguishes_are_undecided(
    use_wrong_cpsat: Callable[[ExtraCondition], None],
) -> None:
    use_wrong_cpsat(no_plan)
    result = disagreement.disagreement(draw_task(), draw_task(TASK.replace("<= 5", "<= 4")))
    assert (result.status, result.contested) == ("unknown", None)
    assert [(each.by, each.status) for each in result.opinions] == [("cpsat", "same"), ("smt", "different")]


@pytest.mark.parametrize("command", ["solve", "validate", "why", "difficulty", "repair"])
def test_a_command_whose_back_ends_disagree_exits_3_and_shows_both_answers(
    use_wrong_cpsat: Callable[[ExtraCondition], None],
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    use_wrong_cpsat(no_plan)
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


def test_an_enumeration_that_would_read_too_much_leaves_the_claim_to_one_back_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(second_look, "IMPORTS", {"smt": ("no.such.module", 1e9)})
    monkeypatch.setattr(second_look, "NODES_READ", 3)
    assert prove.solve(draw_task()).by == ("cpsat",)
    monkeypatch.setattr(second_look, "NODES_READ", 10_000)
    assert prove.solve(draw_task()).by == ("cpsat", "brute")


def test_z3_does_not_confirm_if_building_its_model_would_take_most_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    opened_names = []

    def recorded_backend(name: str) -> Backend:
        opened_names.append(name)
        return backend(name)

    monkeypatch.setattr(second_look, "backend", recorded_backend)
    monkeypatch.setattr(second_look, "VARIABLES", 0)
    monkeypatch.setattr(second_look, "IMPORTS", {"smt": ("json", 0.0)})
    monkeypatch.setattr(second_look, "BUILDING_S", 1.0)
    assert prove.solve(draw_task()).by == ("cpsat",)
    assert opened_names == []
    assert prove.solve(draw_task(), second=True).by[0] == "cpsat"
    assert opened_names[:1] == ["smt"]
    monkeypatch.setattr(second_look, "BUILDING_S", 0.0)
    opened_names.clear()
    assert prove.solve(draw_task()).by[0] == "cpsat"
    assert opened_names == ["smt"]
