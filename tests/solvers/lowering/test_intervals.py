"""`no_overlap` and `peak` have the same plans as the reference. They imply the intervals and capacities given to
CP-SAT.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from planspec.dsl.documents.documents import task_from_text
from planspec.errors import InternalError
from planspec.solvers.backends.outcome import Limits, Status
from planspec.solvers.backends.register import backend
from planspec.solvers.ir.evaluate import evaluate
from planspec.solvers.lowering import cumulative, intervals, no_overlap
from planspec.solvers.lowering.problem import Lowered, lower
from planspec.solvers.questions.prove import solve
from planspec.verifiers.meaning.ground import Ground, ground
from tests.back_ends import SOLVERS
from tests.differential.agreement import assert_lowering_agrees, plans_found, solutions
from tests.differential.plans import fingerprint
from tests.differential.test_meanings import SMALL, ground_or_reject
from tests.random_examples import examples
from tests.solvers.lowering.test_no_overlap import check_intervals, rules

APART = (
    "no_overlap(x for x in runs[chosen], from=x.start, to=x.start + x.takes[per])",
    "no_overlap(x for x in runs[chosen], from=x.start, to=x.takes[per])",
    "no_overlap(x for x in runs[chosen], from=x.start, to=x.start + 1, gap=x.takes - 1[per])",
    "no_overlap(x for x in runs[chosen], from=x.start, to=done(x), gap=x.group)",
    "no_overlap(x for x in runs[chosen], from=x.start, to=x.start, gap=x.takes[per])",
)
PEAKS = (
    "peak(1 for x in runs[chosen], from=x.start, to=done(x)[per]) <= 1",
    "peak(x.slot for x in runs[chosen], from=x.start, to=x.start + 2[per]) < 4",
    "2 >= peak(x.takes for x in runs[chosen], from=x.start, to=x.start + 2[per])",
    "peak(x.slot for x in runs[chosen], from=x.start, to=done(x)[per]) <= runs[1].start",
    "peak(x.slot - 2 for x in runs[chosen], from=x.start, to=x.start + x.slot[per]) <= 0",
    "peak(x.slot for x in runs[chosen], from=x.start, to=done(x)[per]) == 3",
)


@pytest.fixture(autouse=True)
def smallest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the lowering derive intervals even from few rows."""
    monkeypatch.setattr(no_overlap, "LEAST_INTERVALS", 2)
    monkeypatch.setattr(cumulative, "LEAST_INTERVALS", 2)


@settings(SMALL, max_examples=examples(60))
@given(rules(APART + PEAKS))
def test_a_random_rule_allows_exactly_the_plans_that_the_reference_evaluator_accepts(text: str) -> None:
    task = ground_or_reject(text, 400)
    for presolve in (False, True):
        assert_lowering_agrees(task, presolve=presolve)


@settings(SMALL, max_examples=examples(30))
@given(rules(APART))
def test_intervals_of_every_accepted_plan_do_not_overlap(text: str) -> None:
    check_intervals(text)


@settings(SMALL, max_examples=examples(30))
@given(rules(PEAKS))
def test_no_accepted_plan_exceeds_a_capacity_at_any_time(text: str) -> None:
    lowered = lower(ground_or_reject(text, 400))
    assume(lowered.problem.cumulatives)
    event(f"{len(lowered.problem.cumulatives[0].intervals)} intervals")
    assert not list(excesses(lowered))


def excesses(lowered: Lowered) -> Iterator[int]:
    """Yield how much the load exceeds a capacity at some time, for each assignment that satisfies the hard
    conditions.
    """
    for values in solutions(lowered):
        for fact in lowered.problem.cumulatives:
            rows = [
                (start, start + evaluate(each.length, values), demand)
                for each, demand in zip(fact.intervals, fact.demands, strict=True)
                if evaluate(each.present, values) and (start := evaluate(each.start, values)) is not None
            ]
            used = (sum(demand for start, end, demand in rows if start <= time < end) for time in range(-2, 12))
            yield from (amount for amount in used if amount > fact.capacity)


@settings(SMALL, max_examples=examples(10))
@given(rules(APART + PEAKS))
def test_back_ends_find_the_same_plans_with_intervals(text: str) -> None:
    task = ground_or_reject(text, 200)
    lowered = lower(task)
    assume(lowered.problem.no_overlaps or lowered.problem.cumulatives)
    expected = {fingerprint(task, lowered.decode(values)) for values in solutions(lowered)}
    assume(len(expected) <= 25)
    for name in SOLVERS:
        assert plans_found(task, lowered, name) == expected


def shop_task(rule: str, starts: str = "0..4", takes: str = "2", optional: str = "false") -> Ground:
    """Return a task of three rows in each of two lanes."""
    return ground(
        task_from_text(
            f"""\
planspec: task/1
id: shop
query: When does each job run?
plan: {{runs: {{slot: key int, start: int, takes: int, lane: int}}}}
scope:
  runs: {{for: s in 1..3, slot: s, start: {starts}, takes: {takes}, lane: "{{1, 2}}", optional: {optional}}}
constraints:
  rule:
    hard: >-
      {rule}
""".replace('"', "")
        )
    )


SOFT_AND_FALSE = """\
planspec: task/1
id: x
query: x
plan: {runs: {slot: key int, start: int}}
scope: {runs: {for: s in 1..4, slot: s, start: 0}}
constraints:
  capacity:
    soft: peak(1 for r in runs, from=r.start, to=r.start + 2) <= 3
  later:
    hard: runs[1].start == 1
"""
LANES = "no_overlap(x for x in runs, from=x.start, to=x.start + x.takes, per=x.lane)"
POWER = "peak(x.slot for x in runs, from=x.start, to=x.start + x.takes, per=x.lane) <= 3"


def test_each_group_is_a_set_of_intervals_whose_lengths_include_the_gap() -> None:
    facts = lower(shop_task(LANES)).problem.no_overlaps
    assert [[each.length.constant for each in fact.intervals] for fact in facts] == [[2, 2, 2]] * 2
    (fact,) = lower(shop_task(LANES.replace("per=x.lane", "gap=x.slot"))).problem.no_overlaps
    assert [each.length.constant for each in fact.intervals] == [3, 4, 5]


def test_a_required_peak_is_a_capacity_of_each_group() -> None:
    facts = lower(shop_task(POWER)).problem.cumulatives
    assert [(fact.demands, fact.capacity) for fact in facts] == [((1, 2, 3), 3)] * 2
    planned = lower(shop_task(POWER.replace("<= 3", "<= runs[1].start"))).problem.cumulatives
    assert [fact.capacity for fact in planned] == [4, 4]
    assert [fact.capacity for fact in lower(shop_task(POWER.replace("<= 3", "< 3"))).problem.cumulatives] == [2, 2]


@pytest.mark.parametrize(
    "rule",
    [
        f"not {LANES}",
        f"runs[1].start == 0 or {LANES}",
        POWER.replace("<=", ">="),
        f"runs[1].start == 0 or {POWER}",
        POWER.replace("peak(x.slot", "peak(x.slot - 2"),
        POWER.replace("x.start + x.takes", "x.start + x.slot - 2"),
    ],
)
def test_no_capacity_is_derived_from_a_rule_that_may_fail_or_from_negative_amounts_or_lengths(
    rule: str,
) -> None:
    problem = lower(shop_task(rule)).problem
    assert problem.no_overlaps == []
    assert sum(len(fact.intervals) for fact in problem.cumulatives) in (0, 4)  # rows 2 and 3 of each lane


@pytest.mark.parametrize("other", ["runs[1].start == 0", "runs[1].start == 1"])
def test_a_false_condition_stays_although_an_infeasible_capacity_implies_it(other: str) -> None:
    """Conditions that a capacity implies are removed. A false condition must stay, since all false conditions share
    one node.
    """
    task = shop_task(f"{POWER.replace('per=x.lane) <= 3', 'per=x.slot % 1) <= 5')} and {other}", starts="0")
    assert plans_found(task, lower(task), "cpsat") == set()
    soft = ground(task_from_text(SOFT_AND_FALSE))
    assert solve(soft, limits=Limits(seconds=30)).status is Status.INFEASIBLE


def test_a_negative_amount_counts_until_its_interval_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sum of amounts grows when a row with a negative amount ends.

    If only the starts of rows were checked, a wrong plan would be found.
    """
    rule = (
        "peak(3 if x.slot == 1 else -2 for x in runs, from=x.start, to=x.start + (4 if x.slot == 1 else x.takes)) <= 1"
    )
    task = shop_task(rule, starts="0..1")
    assert not plans_found(task, lower(task), "cpsat")

    def at_starts(self: intervals._Peak) -> Iterator[object]:
        return ((index, self._sum_at(run.element, run.start)) for index, run in enumerate(self._runs))

    monkeypatch.setattr(intervals._Peak, "sums", at_starts)
    with pytest.raises(InternalError, match="it violates `rule`"):
        plans_found(task, lower(task), "cpsat")


def test_the_best_plan_is_the_same_without_intervals(monkeypatch: pytest.MonkeyPatch) -> None:
    text = """\
planspec: task/1
id: project
query: When does each activity run?
tables:
  Need:
    columns: {act: key int, takes: int, units: int}
    csv: |
      act, takes, units
      1, 3, 2
      2, 2, 2
      3, 4, 1
      4, 1, 3
      5, 2, 1
      6, 3, 2
      7, 1, 2
plan: {runs: {act: key int, start: int}}
define:
  done(r runs): r.start + Need[r.act].takes
scope: {runs: {for: n in Need, act: n.act, start: 0..15}}
constraints:
  capacity:
    hard: peak(Need[r.act].units for r in runs, from=r.start, to=done(r)) <= 4
  crew:
    hard: no_overlap(r for r in runs if r.act % 2 == 0, from=r.start, to=done(r), gap=1)
minimize: max(done(r) for r in runs)
"""
    task = ground(task_from_text(text))
    best = solve(task, limits=Limits(seconds=30))
    for module in (no_overlap, cumulative):
        monkeypatch.setattr(module, "LEAST_INTERVALS", 100)
    plain = solve(task, limits=Limits(seconds=30))
    assert best.status is plain.status is Status.OPTIMAL
    assert best.objective == plain.objective


# -- peaks as numbers -------------------------------------------------------------------------------------------------

NUMBERS = (
    "peak(x.slot for x in runs, from=x.start, to=done(x))",
    "peak(x.slot for x in runs, from=x.start, to=x.start + 2, per=x.group)",
    "peak(x.slot for x in runs if x.slot != 2, from=x.start, to=x.start + x.slot, per=x.slot % 2)",
    "peak(x.takes for x in runs, from=x.start, to=x.start + 2)",
    "peak(x.slot - 2 for x in runs, from=x.start, to=x.start + 2)",
    "peak(x.slot for x in runs, from=x.start, to=x.takes)",
)
AIMS = (
    "minimize: {}",
    "maximize: {}",
    "minimize: {} + count(x for x in runs)",
    "minimize: ({} ?? 9) * 2 - sum(x.slot for x in runs)",
)


@settings(SMALL, max_examples=60)
@given(rules(APART + PEAKS), st.sampled_from(NUMBERS), st.sampled_from(AIMS))
def test_the_best_peak_equals_that_of_brute_force(text: str, number: str, aim: str) -> None:
    task = ground_or_reject(text + aim.format(number) + "\n", 400)
    event(f"{len(lower(task).problem.peaks)} peaks")
    best, expected = (solve(task, backend=name, limits=Limits(seconds=30)) for name in ("cpsat", "brute"))
    assert (best.status, best.objective) == (expected.status, expected.objective)


def peak_task(to: str, takes: str = "2", more: str = "", latest_end: int = 5) -> Ground:
    """Return a task that minimises the peak of four rows, whose intervals end at `to`, but not after `latest_end`."""
    return ground(
        task_from_text(f"""\
planspec: task/1
id: level
query: What is the least peak?
plan: {{runs: {{slot: key int, start: int, takes: int}}}}
scope:
  runs: {{for: s in 1..4, slot: s, start: 0..3, takes: {takes}, optional: {"true" if more else "false"}}}
constraints:
  over:
    hard: all({to} <= {latest_end} for x in runs)
{more}
minimize: peak(x.slot for x in runs, from=x.start, to={to})
""")
    )


def test_a_minimised_peak_is_a_capacity_if_all_rows_are_intervals() -> None:
    (peak,) = lower(peak_task("x.start + x.takes")).problem.peaks
    assert peak.is_exact and [len(group) for group, _ in peak.uses] == [4]
    (open_peak,) = lower(peak_task("x.start + x.takes", takes="0..2")).problem.peaks
    assert open_peak.is_exact
    assert not any(peak.is_exact for peak in lower(peak_task("x.start + x.takes - 1", takes="0..2")).problem.peaks)


@pytest.mark.parametrize(
    ("to", "takes"), [("x.start + x.takes", "2"), ("x.start + x.takes", "{0, 3}"), ("x.start + x.takes - 1", "0..3")]
)
@pytest.mark.parametrize("more", ["", "  some: {hard: count(x for x in runs) >= 3}"])
def test_the_minimum_peak_equals_that_of_brute_force(to: str, takes: str, more: str) -> None:
    best, expected = (solve(peak_task(to, takes, more), backend=name) for name in ("cpsat", "brute"))
    assert (best.status, best.objective) == (Status.OPTIMAL, expected.objective)


def test_the_minimum_peak_would_be_wrong_without_the_rows_that_are_not_intervals(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shorter = "x.start + x.takes - (1 if x.slot > 2 else 0)"
    task = peak_task(shorter, takes="{0, 3}", more="  long: {hard: sum(x.takes for x in runs) >= 12}", latest_end=6)
    right = lower(task).problem
    (peak,) = right.peaks
    assert not peak.is_exact
    wrong = replace(right, peaks=[replace(peak, is_exact=True)])
    outcomes = [
        backend("cpsat").open(each, Limits(seconds=10)).solve(minimize=each.objectives[0].linear)
        for each in (right, wrong)
    ]
    assert outcomes[0].objective == solve(task, backend="smt").objective == 5
    assert outcomes[1].objective != 5
