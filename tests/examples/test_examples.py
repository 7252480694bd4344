"""The examples have the properties in their table, and plain Python gets the same results."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from functools import cache
from itertools import islice
from typing import Any

import pytest

from planspec import Judge, check, follow, load
from planspec.dsl.editing.formatter import format_text
from planspec.solvers.backends.outcome import Status
from planspec.solvers.questions.prove import solve
from planspec.solvers.questions.validation import validate
from tests.back_ends import SOLVERS
from tests.examples import plain
from tests.paths import ROOT

FOLDER = ROOT / "tasks" / "examples"
TASKS = sorted(path.name.split(".")[0] for path in FOLDER.glob("*.task.yaml"))
UNIQUE = ["allotments", "meetings", "menu", "sudoku"]
BEST = {"delivery": 21_000, "job-shop": 255}
"""Best value of the objective, in metres for `delivery` and in minutes for `job-shop`."""
HEARTS = (21, 25)
"""Number of hearts (wishes) that the best roster grants, and number of all wishes."""


@cache
def judge(task: str) -> Judge:
    """Return the judge of a task, cached."""
    return Judge(load(FOLDER / f"{task}.task.yaml"))


def tables(task: str) -> plain.Tables:
    """Read the tables of a task without planspec."""
    return plain.Tables(FOLDER / f"{task}.task.yaml")


def reference(task: str) -> Any:
    """Return the author's answer, as JSON."""
    return json.loads((FOLDER / "answers" / f"{task}.reference.json").read_text("utf-8"))


def test_the_documents_have_no_diagnostics() -> None:
    """Warnings count as well."""
    assert check([FOLDER]) == ()


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.yaml")), ids=lambda p: p.name)
def test_a_document_is_formatted(path: Any) -> None:
    """`planspec fmt` would change nothing."""
    text = path.read_text("utf-8")
    assert format_text(text, path.name) == text


@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS)
def test_both_back_ends_confirm_the_claims_in_the_table(task: str) -> None:
    """All tasks are feasible. Those with an objective have several plans."""
    validation = validate(judge(task).ground)
    expected = "unique" if task in UNIQUE else "multiple"
    for claim, status in ((validation.feasible, "feasible"), (validation.unique, expected)):
        assert {name: proof.status for name, proof in claim.backends.items()} == {
            "cpsat": status,
            "smt": status,
        }


@pytest.mark.parametrize("task", TASKS)
def test_the_reference_passes(task: str) -> None:
    """The reference is in the scope, so that the proofs cover it."""
    verdict = judge(task).answer(json.dumps(reference(task)))
    assert verdict.status == "pass"
    assert verdict.in_scope


@pytest.mark.slow
@pytest.mark.parametrize("backend", SOLVERS)
@pytest.mark.parametrize("task", BEST)
def test_the_best_objective_equals_the_value_in_the_table_of_examples(task: str, backend: str) -> None:
    """Each back end proves the optimum without the others."""
    solution = solve(judge(task).ground, backend=backend)
    assert solution.status is Status.OPTIMAL
    assert solution.objective == solution.bound == BEST[task] * solution.scale


@pytest.mark.parametrize("backend", SOLVERS)
def test_the_best_roster_grants_the_hearts_in_the_table(backend: str) -> None:
    """Each back end proves the optimum without the others."""
    solution = solve(judge("roster").ground, backend=backend)
    assert solution.status is Status.OPTIMAL
    assert (solution.soft_weight, solution.soft_total) == HEARTS


def test_the_sudoku_has_one_solution_by_backtracking() -> None:
    """The grid is the reference."""
    (grid,) = islice(plain.sudoku(tables("sudoku")), 2)
    assert grid == {(x["row"], x["column"]): x["digit"] for x in reference("sudoku")["cells"]}


@pytest.mark.slow
def test_no_clue_of_the_sudoku_is_redundant() -> None:
    """The grid has several fillings if any one clue is removed."""
    whole = tables("sudoku")
    clues = whole["Clue"]
    for left_out in clues:
        clue_rows = "\n".join(f"{c['row']},{c['column']},{c['digit']}" for c in clues if c != left_out)
        whole.data["tables"]["Clue"] = {"csv": "row,column,digit\n" + clue_rows}
        assert len(list(islice(plain.sudoku(whole), 2))) == 2, left_out


def test_the_query_of_the_sudoku_shows_its_clues() -> None:
    """The grid in the query has exactly the clues of the table."""
    picture = re.findall(r"^[.1-9]{9}$", tables("sudoku").data["query"], re.MULTILINE)
    shown = {(r, c, d) for r, line in enumerate(picture, 1) for c, d in enumerate(line, 1) if d != "."}
    assert shown == {(int(x["row"]), int(x["column"]), x["digit"]) for x in tables("sudoku")["Clue"]}


def test_the_meetings_have_one_booking_by_enumeration() -> None:
    """The booking is the reference."""
    (booked,) = islice(plain.meetings(tables("meetings")), 2)
    answer = {x["meeting"]: (x["room"], plain.minutes(x["start"])) for x in reference("meetings")["bookings"]}
    assert booked == answer


def test_enumeration_finds_one_arrangement_of_the_allotments() -> None:
    """The arrangement is the reference, and the hedgehog is Ada's guest."""
    (arrangement,) = plain.allotments()
    answer = {
        row[field]: row["number"]
        for row in reference("allotments")["allotments"]
        for field in ("gardener", "crop", "shed", "guest")
    }
    assert arrangement == answer
    assert arrangement["hedgehog"] == arrangement["ada"]


def test_branch_and_bound_finds_the_same_makespan() -> None:
    """The reference reaches the minimum makespan."""
    work = tables("job-shop")
    takes = {(row["order"], row["machine"]): plain.minutes(row["takes"]) for row in work["Work"]}
    ends = [plain.minutes(x["start"]) + takes[x["order"], x["machine"]] for x in reference("job-shop")["runs"]]
    assert plain.job_shop(work) == BEST["job-shop"] == max(ends) - plain.minutes("07:00")


def test_no_order_of_calls_is_shorter_than_the_reference() -> None:
    """All 5040 orders are tried. No other order is as short as the best one."""
    first, second = sorted(plain.rounds(tables("delivery"), capacity=24))[:2]
    calls = sorted(reference("delivery")["calls"], key=lambda x: plain.minutes(x["at"]))
    assert first == (BEST["delivery"], tuple(x["customer"] for x in calls))
    assert second[0] > first[0]


def test_without_the_limit_on_the_load_the_tour_would_be_shorter() -> None:
    """A van with unlimited capacity would drive less, so the constraint on the load matters."""
    assert min(plain.rounds(tables("delivery"), capacity=99))[0] < BEST["delivery"]


def test_dynamic_programming_grants_as_many_hearts_as_the_reference() -> None:
    """The reference also grants this number."""
    roster = tables("roster")
    verdict = judge("roster").answer(json.dumps(reference("roster")))
    weights = {"dear-wish": 3, "wish": 2, "small-wish": 1}
    granted = [f.constraint for f in verdict.findings if f.level == "soft" and f.status == "satisfied"]
    assert plain.roster(roster) == HEARTS[0] == sum(weights[name.split("[")[0]] for name in granted)
    assert sum(int(row["hearts"]) for row in roster["Wish"]) == HEARTS[1]


def test_each_turn_has_one_menu_by_enumeration_and_keeps_the_expected_share() -> None:
    """Each turn has one menu, and the last one is the reference.

    Each turn changes no more of the menu than necessary.
    """
    card = tables("menu")
    sister = "fish meat nuts"
    turns = [
        list(plain.menus(card, budget=30, max_time="1h", required="fish")),
        list(plain.menus(card, budget=30, max_time="1h20min", refused=sister)),
        list(plain.menus(card, budget=21, max_time="2h", refused=sister)),
    ]
    assert turns == [
        [("herring", "risotto", "sorbet")],
        [("beets", "risotto", "sorbet")],
        [("beets", "tart", "plums")],
    ]
    outcomes = follow(FOLDER / "menu.task.yaml")
    menus = []
    for outcome in outcomes:
        assert outcome.validation.unique.status == "unique"
        assert outcome.plan is not None
        menus.append([tuple(row["dish"] for row in outcome.judge.encode(outcome.plan)["menu"])])
    assert menus == turns
    assert turns[-1] == [tuple(row["dish"] for row in reference("menu")["menu"])]
    assert [outcome.kept for outcome in outcomes] == [None, Fraction(5, 6), Fraction(4, 6)]


def test_no_menu_satisfies_the_wishes_of_both_turns() -> None:
    """For this reason, the second turn withdraws the wish of the first turn."""
    assert not list(
        plain.menus(tables("menu"), budget=30, max_time="1h20min", required="fish", refused="fish meat nuts")
    )


@pytest.mark.parametrize("task", TASKS)
def test_the_table_in_the_readme_has_a_row_for_each_task(task: str) -> None:
    """The row agrees with the tests above."""
    readme = (FOLDER / "README.md").read_text("utf-8")
    (row,) = [line.strip("| ").split(" | ") for line in readme.splitlines() if line.startswith(f"| `{task}`")]
    best = {"delivery": "21.0 km", "job-shop": "4 h 15 min", "roster": "21 of 25 hearts"}
    assert row[2:] == ["unique" if task in UNIQUE else "feasible", best.get(task, "none")]


def test_the_examples_use_neither_libraries_nor_worlds() -> None:
    """No example uses a library or a world."""
    for task in TASKS:
        assert not {"world", "uses"} & set(tables(task).data)
