"""Capacities are derived from conditions on the starts of rows. In every accepted plan they hold at all times."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from planspec.dsl.documents.documents import task_from_text
from planspec.solvers.backends.outcome import Limits, Status
from planspec.solvers.ir.evaluate import evaluate
from planspec.solvers.ir.problem import Cumulative
from planspec.solvers.lowering import cumulative, lower
from planspec.solvers.lowering.problem import Lowered
from planspec.solvers.lowering.problem import lower as lowered_task
from planspec.solvers.questions.prove import solve
from planspec.verifiers.meaning.ground import ground
from tests.back_ends import SOLVERS
from tests.differential.agreement import assert_lowering_agrees, plans_found, solutions
from tests.differential.plans import fingerprint
from tests.differential.test_meanings import SMALL, ground_or_reject
from tests.random_examples import examples

USAGES = (
    "sum(o.units if runs[o.act].start <= runs[n.act].start and runs[n.act].start < done(runs[o.act]) else 0 for o in Need{only})",
    "sum(o.units for o in Need if runs[o.act].start <= runs[n.act].start and runs[n.act].start < done(runs[o.act]){also})",
    "sum(o.units if runs[n.act].start in runs[o.act].start..done(runs[o.act]) - 1 else 0 for o in Need{only})",
)
"""Expressions for the number of units in use when row n starts."""


def project(
    rows: list[tuple[int, int, str]], capacity: int, usage: str = USAGES[0], only: str = "", each: str = ""
) -> str:
    """Return a task of rows that share one resource.

    Args:
        rows: time, units, and domain of the start of each row.
        capacity: maximum number of units in use.
        usage: expression for the units in use when row n starts.
        only: condition on the rows o that are counted.
        each: condition on the rows n that have a limit.
    """
    need = ", ".join(f"{{act: {act}, takes: {takes}, units: {units}}}" for act, (takes, units, _) in enumerate(rows))
    scope = "".join(f"    - {{act: {act}, start: {domain}}}\n" for act, (_, _, domain) in enumerate(rows))
    counted = usage.format(only=only and f" if {only}", also=only and f" and {only}")
    return f"""\
planspec: task/1
id: project
query: When does each activity run?
tables:
  Need:
    columns: {{act: key int, takes: int, units: int}}
    rows: [{need}]
plan: {{runs: {{act: key int, start: int}}}}
define:
  done(r runs): r.start + Need[r.act].takes
scope:
  runs:
{scope}constraints:
  capacity:
    for: n in Need{each and f" if {each}"}
    hard: >-
      {counted} <= {capacity}
minimize: max(done(r) for r in runs)
"""


@pytest.fixture(autouse=True)
def smallest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the lowering derive capacities even from few rows."""
    monkeypatch.setattr(cumulative, "LEAST_INTERVALS", 2)


@st.composite
def projects(draw: st.DrawFn) -> str:
    """Draw a task of at most four rows. Some rows may have no limit, and some limits may not count all rows."""
    domains = st.sampled_from(("0..2", "0..3", "1..3", "2", "{0, 3}"))
    rows = draw(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), domains), min_size=2, max_size=4))
    conditions = st.sampled_from(("", "", "", "{}.act != 1", "{}.act <= 2", "{}.takes > 1"))
    only, each = draw(conditions).format("o"), draw(conditions).format("n")
    return project(rows, draw(st.integers(0, 5)), draw(st.sampled_from(USAGES)), only, each)


@settings(SMALL, max_examples=examples(40))
@given(projects())
def test_a_random_project_allows_exactly_the_plans_that_the_reference_evaluator_accepts(text: str) -> None:
    task = ground_or_reject(text, 300)
    for presolve in (False, True):
        assert_lowering_agrees(task, presolve=presolve)


@settings(SMALL, max_examples=examples(25))
@given(projects())
def test_no_accepted_plan_exceeds_a_capacity_at_any_time(text: str) -> None:
    lowered = lowered_task(ground_or_reject(text, 300))
    assume(lowered.problem.cumulatives)
    event(f"{len(lowered.problem.cumulatives[0].intervals)} intervals")
    assert exceeded_capacities(lowered) == []


def exceeded_capacities(lowered: Lowered) -> list[Cumulative]:
    """Return the capacities that some assignment satisfying the hard conditions exceeds."""
    return [
        fact
        for values in solutions(lowered)
        for fact in lowered.problem.cumulatives
        if peak(fact, values) > fact.capacity
    ]


def peak(fact: Cumulative, values: Any) -> int:
    """Return the maximum number of units in use at any time."""
    starts = [evaluate(each.start, values) for each in fact.intervals]
    ends = [start + evaluate(each.length, values) for start, each in zip(starts, fact.intervals, strict=True)]
    rows = list(zip(starts, ends, fact.demands, strict=True))
    return max(sum(units for start, end, units in rows if start <= time < end) for time in range(-1, 12))


@settings(SMALL, max_examples=examples(10))
@given(projects())
def test_back_ends_find_the_same_plans_with_capacities(text: str) -> None:
    task = ground_or_reject(text, 120)
    lowered = lowered_task(task)
    assume(lowered.problem.cumulatives)
    expected = {fingerprint(task, lowered.decode(values)) for values in solutions(lowered)}
    assume(len(expected) <= 25)
    for name in SOLVERS:
        assert plans_found(task, lowered, name) == expected


FOUR = [(2, 2, "0..9"), (3, 1, "0..9"), (1, 3, "0..9"), (2, 2, "0..9")]


def fact_of(text: str) -> tuple[int, tuple[int, ...], int]:
    """Return number of intervals, demands and capacity of the only derived capacity."""
    (fact,) = lowered_task(ground(task_from_text(text))).problem.cumulatives
    return len(fact.intervals), fact.demands, fact.capacity


@pytest.mark.parametrize("usage", USAGES)
@pytest.mark.parametrize("last", [9, 60])
def test_a_limit_for_each_row_is_a_capacity(usage: str, last: int) -> None:
    """Comparisons over small domains are not lowered to tables."""
    rows = [(takes, units, f"0..{last}") for takes, units, _ in FOUR]
    count, demands, capacity = fact_of(project(rows, 4, usage))
    assert (count, sorted(demands), capacity) == (4, [1, 2, 2, 3], 4)


def test_rows_without_a_limit_and_rows_that_are_not_counted_are_not_in_the_capacity() -> None:
    assert fact_of(project(FOUR, 4, each="n.act != 3"))[0] == 3
    assert fact_of(project(FOUR, 4, only="o.act != 3"))[0] == 3


@pytest.mark.parametrize(
    "usage", ["count(o for o in Need if runs[o.act].start == runs[n.act].start)", "runs[n.act].start"]
)
def test_sums_that_do_not_count_running_rows_do_not_become_a_capacity(usage: str) -> None:
    assert lowered_task(ground(task_from_text(project(FOUR, 4, usage)))).problem.cumulatives == []


def test_a_capacity_is_wrong_if_a_row_is_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [(2, 1, "0..2"), (3, 1, "0..2"), (2, 1, "0..2"), (2, 1, "0..2")]
    task = ground(task_from_text(project(rows, 2, only="(o.act != 3 or n.act != 0)")))
    assert exceeded_capacities(lowered_task(task)) == []
    monkeypatch.setattr(cumulative._Group, "_is_counted", lambda *_: True)
    assert exceeded_capacities(lowered_task(task)) != []


def test_comparisons_over_small_domains_are_not_lowered_to_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    text = project(FOUR, 4)
    sums = [str(root.condition) for root in lowered_task(ground(task_from_text(text))).problem.hard]
    assert not any("Tabled" in condition for condition in sums)
    monkeypatch.setattr(lower, "_compares_variables", lambda _: False)
    tables = [str(root.condition) for root in lowered_task(ground(task_from_text(text))).problem.hard]
    assert any("Tabled" in condition for condition in tables)


def test_the_minimum_makespan_of_a_project_is_the_same_without_capacities(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [(takes, units, "0..12") for takes, units in ((3, 2), (2, 2), (4, 1), (1, 3), (2, 1), (3, 2), (1, 2))]
    task = ground(task_from_text(project(rows, 4)))
    best = solve(task, limits=Limits(seconds=30))
    monkeypatch.setattr(cumulative, "LEAST_INTERVALS", 100)
    plain = solve(task, limits=Limits(seconds=30))
    assert best.status is plain.status is Status.OPTIMAL
    assert best.objective == plain.objective
