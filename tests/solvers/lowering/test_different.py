"""Sums that must differ pairwise become one constraint of CP-SAT, which allows the same plans as the reference."""

from __future__ import annotations

import pytest

from planspec.dsl.documents.documents import task_from_text
from planspec.solvers.backends.outcome import Status
from planspec.solvers.ir.evaluate import evaluate
from planspec.solvers.lowering import different
from planspec.solvers.lowering.problem import lower
from planspec.solvers.questions.prove import solve
from planspec.verifiers.meaning.ground import Ground, ground
from tests.back_ends import SOLVERS
from tests.differential.agreement import plans_found, solutions
from tests.differential.plans import fingerprint

DIFFERENCES = "all_different(b.place - a.place for a in marks for b in marks if a.mark < b.mark)"


def ruler(marks: int, longest: int, rule: str = DIFFERENCES, place: str = "int", more: str = "") -> Ground:
    """Return a Golomb ruler: marks whose distances are all different."""
    return ground(
        task_from_text(f"""\
planspec: task/1
id: ruler
query: Where are the marks?
plan: {{marks: {{mark: key int, place: {place}}}}}
scope: {{marks: {{for: m in 1..{marks}, mark: m, place: 0..{longest}}}}}
constraints:
  order:
    hard: all(marks[m].place < marks[m + 1].place for m in 1..{marks - 1})
  different:
    hard: {rule}
{more}""")
    )


def test_pairwise_differences_become_one_constraint() -> None:
    lowered = lower(ruler(4, 7))
    (fact,) = lowered.problem.different
    assert len(fact.forms) == 6
    assert len(fact.implies) > 6


@pytest.mark.parametrize(
    "rule",
    [
        "all_different(m.place for m in marks)",  # single variables instead of sums
        f"marks[1].place == 0 or {DIFFERENCES}",
        f"not {DIFFERENCES}",
        "all_different(b.place - a.place for a in marks for b in marks if a.mark < b.mark and a.place > 2)",
    ],
)
def test_no_constraint_is_derived_if_the_rule_need_not_hold_or_a_row_may_be_left_out(rule: str) -> None:
    assert lower(ruler(4, 7, rule)).problem.different == []


@pytest.mark.parametrize("rule", [DIFFERENCES, f"{DIFFERENCES} and marks[1].place <= 1", f"not {DIFFERENCES}"])
@pytest.mark.parametrize("name", SOLVERS)
def test_back_ends_find_exactly_the_plans_that_enumeration_finds(rule: str, name: str) -> None:
    task = ruler(4, 7, rule + " and marks[4].place == 7" * rule.startswith("all"))
    lowered = lower(task)
    expected = {fingerprint(task, lowered.decode(values)) for values in solutions(lowered)}
    assert plans_found(task, lowered, name) == expected


@pytest.mark.slow
def test_the_shortest_ruler_of_seven_marks_is_25_long() -> None:
    best = solve(ruler(7, 30, more="minimize: marks[7].place - marks[1].place\n"))
    assert (best.status, best.objective) == (Status.OPTIMAL, 25)


@pytest.mark.parametrize(
    "order",
    [
        "all(marks[m].place + m <= marks[m + 1].place for m in 1..3)",
        "marks[2].place + 2 <= marks[4].place and marks[4].place - marks[1].place < 7",
        "marks[4].place + 1 <= marks[3].place",  # a constraint that no plan satisfies
    ],
)
def test_the_distances_of_each_plan_are_within_their_ranges(order: str) -> None:
    lowered = lower(ruler(4, 7, f"{DIFFERENCES} and {order}", more="  low:\n    hard: marks[1].place <= 1\n"))
    (fact,) = lowered.problem.different
    found = list(solutions(lowered))
    for values in found:
        for form, (low, high) in zip(fact.forms, fact.ranges, strict=True):
            assert low <= evaluate(form, values) <= high
    assert any(low > form.low for form, (low, _) in zip(fact.forms, fact.ranges, strict=True))
    assert len(plans_found(lowered.ground, lowered, "cpsat")) == len(found)


def test_distances_are_added_up_along_an_order() -> None:
    lowered = lower(ruler(4, 30))
    (fact,) = lowered.problem.different
    assert sorted(low for low, _ in fact.ranges) == [1, 1, 1, 2, 2, 3]


def test_plans_are_lost_if_a_range_is_too_narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    task = ruler(4, 7)
    expected = plans_found(task, lower(task), "cpsat")
    least = different.least_distances
    monkeypatch.setattr(different, "least_distances", lambda *args: {k: v + 1 for k, v in least(*args).items()})
    assert plans_found(task, lower(task), "cpsat") < expected
