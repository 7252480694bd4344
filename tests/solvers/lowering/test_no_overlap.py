"""Rules that consecutive rows do not overlap are lowered to equivalent conditions on all pairs of rows."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise, permutations, product
from typing import Any

import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from planspec.dsl.documents.documents import task_from_text
from planspec.errors import InternalError
from planspec.solvers.backends.outcome import Limits, Status
from planspec.solvers.ir.evaluate import evaluate
from planspec.solvers.lowering import no_overlap
from planspec.solvers.lowering.problem import lower
from planspec.solvers.questions.prove import solve
from planspec.verifiers.meaning.ground import Ground, ground
from tests.back_ends import SOLVERS
from tests.differential.agreement import assert_lowering_agrees, plans_found, solutions
from tests.differential.plans import fingerprint
from tests.differential.test_meanings import SMALL, ground_or_reject
from tests.paths import SHARED
from tests.random_examples import examples

CLASSICAL = SHARED / "data" / "classical" / "jobshop"

# -- drawn rules ------------------------------------------------------------------------------------------------------

RECOGNISED = (
    "a.start + a.takes <= b.start",
    "a.start + a.takes < b.start",
    "done(a) <= b.start",
    "b.start >= a.start + a.takes",
    "b.start - a.start >= a.takes",
    "b.start - done(a) > 0",
    "done(a) <= b.start - 1",
    "-b.start <= 1 - done(a)",
    "a.start <= b.start",
    "a.takes < b.start",
    "2 <= b.start",
)
"""Comparisons of an end, computed from the earlier row, with the start by which rows are ordered. They are
recognised.
"""
OTHERS = (
    "done(a) + b.takes <= b.start",
    "done(a) <= b.start + b.takes",
    "done(a) <= b.start + a.slot - b.slot",
    "done(a) <= b.slot",
    "done(a) == b.start",
    "done(a) <= b.start <= 3",
    "done(a) <= b.start and a.slot != 9",
)
"""Comparisons that are not recognised and are lowered as conditions on consecutive rows."""
DOMAINS: dict[str, tuple[str, ...]] = {
    "int": ("0", "1", "{0, 1}", "{0, 1, 2}", "0..2", "{1, 3}"),
    "int?": ("none", "1", "(0)?", "({1, 2})?", "0..2"),
}


POSITIVE: dict[str, tuple[str, ...]] = {"int": ("1", "{1, 2}"), "int?": ("2", "(1)?")}


NEIGHBOURS = tuple(f"all({each} for a, b in steps(x for x in runs[chosen], by=x.start[per]))" for each in RECOGNISED)


@st.composite
def rules(draw: st.DrawFn, forms: tuple[str, ...] = NEIGHBOURS) -> str:
    """Draw a task with one rule over at most four rows. Each form has the placeholders `[chosen]` and `[per]`."""
    kinds = {name: draw(st.sampled_from(("int", "int?"))) for name in ("start", "takes", "group")}
    lengths = draw(st.sampled_from((DOMAINS, POSITIVE)))
    rows = []
    for slot in range(1, draw(st.integers(2, 4)) + 1):
        fields = {
            name: draw(st.sampled_from((lengths if name == "takes" else DOMAINS)[kind])) for name, kind in kinds.items()
        }
        row = {"slot": slot, **fields, "optional": draw(st.sampled_from(("true", "false")))}
        rows.append("    - " + "\n      ".join(f"{name}: {value}" for name, value in row.items()))
    chosen = draw(st.sampled_from(("", " if (x.group ?? 0) == 1", " if x.slot != 2")))
    per = draw(st.sampled_from(("", ", per=x.group", ", per=x.slot % 2")))
    rule = draw(st.sampled_from(forms)).replace("[chosen]", chosen).replace("[per]", per)
    kind = draw(st.sampled_from(("hard", "hard", "hard", "soft")))
    frames = ("{}", "{}", "{}", "not {}", "{} or runs[1].start == 0", "{} and (runs[1].start ?? 0) != 3")
    rule = draw(st.sampled_from(frames)).format(rule)
    newline = "\n"
    return f"""\
planspec: task/1
id: drawn
query: drawn
plan: {{runs: {{slot: key int, start: {kinds["start"]}, takes: {kinds["takes"]}, group: {kinds["group"]}}}}}
define:
  done(r runs): r.start + r.takes
scope:
  runs:
{newline.join(rows)}
constraints:
  rule:
    {kind}: >-
      {rule}
"""


@contextmanager
def recorded_recognitions() -> Iterator[list[bool]]:
    """Yield a list to which each lowering of a condition `all(...)` over steps appends whether it was recognised."""
    results: list[bool] = []
    lower_rule = no_overlap.condition

    def record(*arguments: Any) -> Any:
        result = lower_rule(*arguments)
        results.append(result is not None)
        return result

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(no_overlap, "condition", record)
        patch.setattr(no_overlap, "LEAST_INTERVALS", 2)
        yield results


@settings(SMALL, max_examples=examples(60))
@given(rules())
def test_a_random_rule_allows_exactly_the_plans_that_the_reference_evaluator_accepts(text: str) -> None:
    task = ground_or_reject(text, 400)
    with recorded_recognitions() as results:
        for presolve in (False, True):
            assert_lowering_agrees(task, presolve=presolve)
    assert results and all(results)


@settings(SMALL, max_examples=examples(60))
@given(rules())
def test_intervals_of_every_accepted_plan_do_not_overlap(text: str) -> None:
    check_intervals(text)


def check_intervals(text: str) -> None:
    """Check that derived intervals do not overlap in any assignment that satisfies the hard conditions."""
    task = ground_or_reject(text, 400)
    with recorded_recognitions():
        lowered = lower(task)
    assume(lowered.problem.no_overlaps)
    event(f"{sum(len(fact.intervals) for fact in lowered.problem.no_overlaps)} intervals")
    for values in solutions(lowered):
        for fact in lowered.problem.no_overlaps:
            ends: list[tuple[int, int]] = []
            for each in fact.intervals:
                if evaluate(each.present, values):
                    start = evaluate(each.start, values)
                    ends.append((start, start + evaluate(each.length, values)))
            assert all(start <= end for start, end in ends)
            assert all(a[1] <= b[0] or b[1] <= a[0] for i, a in enumerate(ends) for b in ends[i + 1 :])


@st.composite
def explicit_pairs(draw: st.DrawFn) -> str:
    """Draw a task whose rule lists both orders of each pair of rows."""
    takes = [draw(st.integers(0, 2)) for _ in range(4)]
    rows = "".join(
        f"    - slot: {slot}\n      start: {draw(st.sampled_from(('0..2', '1..3', '0..3')))}\n"
        f"      lane: {draw(st.sampled_from(('1', '{1, 2}')))}\n"
        f"      optional: {draw(st.sampled_from(('true', 'false')))}\n"
        for slot in range(1, draw(st.integers(3, 4)) + 1)
    )
    guard = draw(st.sampled_from(("", "a.lane != b.lane or ", "a.lane != 1 or b.lane != 1 or ", "a.lane != 2 or ")))
    ends = draw(st.sampled_from((("done(a)", "done(b)"), ("a.start + 1", "done(b)"), ("done(a) - 1", "done(b)"))))
    body = f"{guard}{ends[0]} <= b.start or {ends[1]} {draw(st.sampled_from(('<=', '<')))} a.start"
    pairs = draw(st.sampled_from(("a.slot < b.slot", "a != b", "a.slot < b.slot and b.slot != 3")))
    rule = f"    hard: >-\n      all({body} for a in runs for b in runs if {pairs})\n"
    return f"""\
planspec: task/1
id: drawn
query: drawn
tables:
  Work:
    columns: {{slot: key int, takes: int}}
    rows: [{", ".join(f"{{slot: {slot}, takes: {take}}}" for slot, take in enumerate(takes, 1))}]
plan: {{runs: {{slot: key int, start: int, lane: int}}}}
define:
  done(r runs): r.start + Work[r.slot].takes
scope:
  runs:
{rows}constraints:
  rule:
{rule}"""


@settings(SMALL, max_examples=examples(60))
@given(explicit_pairs())
def test_intervals_from_explicit_pairs_do_not_overlap_in_any_accepted_plan(text: str) -> None:
    check_intervals(text)


def test_explicit_pairs_become_intervals() -> None:
    pairs = "all(done(a) <= b.start or done(b) <= a.start for a in runs for b in runs if a != b)"
    text = shop_task().replace("all(done(a) <= b.start for a, b in steps(x for x in runs, by=x.start))", pairs)
    assert pairs in text
    with recorded_recognitions():
        (fact,) = lower(ground(task_from_text(text))).problem.no_overlaps
    assert [each.length.constant for each in fact.intervals] == [2, 2, 2]


@settings(SMALL, max_examples=examples(10))
@given(rules())
def test_back_ends_find_the_same_plans_with_intervals(text: str) -> None:
    task = ground_or_reject(text, 200)
    with recorded_recognitions():
        lowered = lower(task)
    assume(lowered.problem.no_overlaps)
    expected = {fingerprint(task, lowered.decode(values)) for values in solutions(lowered)}
    assume(len(expected) <= 25)
    event(f"{min(len(expected), 3)} or more plans")
    for name in SOLVERS:
        assert plans_found(task, lowered, name) == expected


# -- forms and side conditions ----------------------------------------------------------------------------------------


def shop_task(rule: str = "done(a) <= b.start", takes: str = "2", more: str = "") -> str:
    """Return a task of three optional rows in one lane."""
    return f"""\
planspec: task/1
id: shop
query: When does each job run?
plan: {{runs: {{slot: key int, start: int, takes: int}}}}
define:
  done(r runs): r.start + r.takes
scope:
  runs:
    - for: s in 1..3
      slot: s
      start: 0..5
      takes: {takes}
      optional: true
constraints:
  lane:
    hard: >-
      all({rule} for a, b in steps(x for x in runs, by=x.start))
{more}"""


@pytest.mark.parametrize("rule", RECOGNISED)
def test_a_no_overlap_rule_with_an_end_of_the_earlier_row_is_recognised(rule: str) -> None:
    with recorded_recognitions() as results:
        lower(ground(task_from_text(shop_task(rule))))
    assert results and all(results)


@pytest.mark.parametrize("rule", OTHERS)
def test_rules_that_are_not_recognised_are_lowered_as_conditions_on_consecutive_rows(rule: str) -> None:
    with recorded_recognitions() as results:
        lowered = lower(ground(task_from_text(shop_task(rule))))
    assert results and not any(results)
    assert lowered.problem.no_overlaps == []


@pytest.mark.parametrize(
    ("rule", "takes", "intervals"),
    [("done(a) <= b.start", "2", 3), ("done(a) <= b.start", "0..2", 3), ("done(a) <= b.start", "-1..2", 0)],
)
def test_only_lengths_that_are_never_negative_are_intervals(rule: str, takes: str, intervals: int) -> None:
    with recorded_recognitions():
        lowered = lower(ground(task_from_text(shop_task(rule, takes))))
    assert sum(len(fact.intervals) for fact in lowered.problem.no_overlaps) == intervals


@pytest.mark.parametrize("kind", ["soft", "when"])
def test_no_intervals_are_derived_from_a_rule_that_need_not_hold(kind: str) -> None:
    text = shop_task()
    text = text.replace("hard:", "soft:") if kind == "soft" else text.replace("all(", "runs[1] is none or all(")
    with recorded_recognitions() as results:
        lowered = lower(ground(task_from_text(text)))
    assert results and all(results)
    assert lowered.problem.no_overlaps == []


def slots_of(rule: str, takes: str) -> Ground:
    """Return a small task with the rule. All of its plans can be enumerated."""
    return ground(task_from_text(shop_task(rule, takes).replace("0..5", "0..2").replace("s in 1..3", "s in 1..2")))


@pytest.mark.parametrize(
    ("condition", "rule", "takes"),
    [("have_positive_lengths", "done(a) <= b.start", "0..2"), ("_is_rank", "done(a) <= b.slot", "2")],
)
def test_without_a_side_condition_a_wrong_plan_is_found(
    condition: str, rule: str, takes: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = slots_of(rule, takes)
    with recorded_recognitions():
        assert plans_found(task, lower(task), "cpsat")
        monkeypatch.setattr(no_overlap, condition, lambda *_: True)
        with pytest.raises(InternalError, match="it violates `lane`"):
            plans_found(task, lower(task), "cpsat")


@pytest.mark.parametrize(
    ("condition", "rule", "takes"),
    [("_is_interval", "done(a) <= b.start", "-1..2"), ("_is_rank", "done(a) <= b.start + b.takes", "2")],
)
def test_without_a_side_condition_plans_are_lost(
    condition: str, rule: str, takes: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = slots_of(rule, takes)
    with recorded_recognitions():
        right = plans_found(task, lower(task), "cpsat")
        monkeypatch.setattr(no_overlap, condition, lambda *_: True)
        assert plans_found(task, lower(task), "cpsat") < right


def test_intervals_are_wrong_if_guards_are_not_divided_between_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = "all(a.takes != b.takes or done(a) <= b.start or done(b) <= a.start for a in runs for b in runs if a != b)"
    rule = "all(done(a) <= b.start for a, b in steps(x for x in runs, by=x.start))"
    text = (
        shop_task(takes="1..2").replace("start + r.takes", "start + 1").replace("true", "false").replace("0..5", "0..1")
    )
    task = ground(task_from_text(text.replace(rule, pairs)))
    with recorded_recognitions():
        lowered = lower(task)
        assert lowered.problem.no_overlaps == []
        monkeypatch.setattr(no_overlap, "_is_union", lambda *_: True)
        assert plans_found(task, lower(task), "cpsat") < plans_found(task, lowered, "cpsat")


def test_ordered_rows_become_a_route_if_their_order_has_a_cost() -> None:
    more = """\
minimize: sum(5 if a.slot > b.slot else 1 for a, b in steps(x for x in runs, by=x.start)) - count(r for r in runs)
"""
    lowered = lower(ground(task_from_text(shop_task(more=more))))
    assert len(lowered.problem.routes) == 1


JOBS = ([(0, 3), (1, 2), (2, 2)], [(0, 2), (2, 1), (1, 4)], [(1, 4), (2, 3), (0, 1)])
"""For each job, its operations in order, as pairs of a machine and a duration."""


def job_shop(jobs: Sequence[Sequence[tuple[int, int]]] = JOBS, most: int = 20) -> str:
    """Return a task that minimises the makespan of the jobs. No operation starts after `most`."""
    rows = "".join(
        f"      - {{job: {job}, turn: {turn}, machine: {machine}, takes: {takes}}}\n"
        for job, operations in enumerate(jobs)
        for turn, (machine, takes) in enumerate(operations)
    )
    machines = max(machine for operations in jobs for machine, _ in operations)
    return f"""\
planspec: task/1
id: job-shop
query: When does each operation run?
tables:
  Work:
    columns: {{job: key int, turn: key int, machine: int, takes: int}}
    rows:
{rows}plan: {{runs: {{job: key int, turn: key int, start: int}}}}
define:
  done(r runs): r.start + Work[r.job, r.turn].takes
scope:
  runs:
    - for: w in Work
      job: w.job
      turn: w.turn
      start: 0..{most}
constraints:
  sequence:
    for: w in Work if w.turn > 0
    hard: done(runs[w.job, w.turn - 1]) <= runs[w.job, w.turn].start
  machine:
    for: m in 0..{machines}
    hard: all(done(a) <= b.start for a, b in steps(x for x in runs if Work[x.job, x.turn].machine == m, by=x.start))
minimize: max(done(r) for r in runs)
"""


def minimum_makespan() -> int:
    """Return the minimum makespan of `JOBS`, found by enumeration of the orders on each machine."""
    operations = {(job, turn): work for job, turns in enumerate(JOBS) for turn, work in enumerate(turns)}
    by_machine = [[key for key, (machine, _) in operations.items() if machine == m] for m in range(3)]
    least = 1_000
    for orders in product(*map(permutations, by_machine)):
        after = [((job, turn - 1), (job, turn)) for job, turn in operations if turn]
        after += [pair for order in orders for pair in pairwise(order)]
        ends = {key: takes for key, (_, takes) in operations.items()}
        for _ in operations:
            for one, other in after:
                ends[other] = max(ends[other], ends[one] + operations[other][1])
        is_stable = all(ends[other] >= ends[one] + operations[other][1] for one, other in after)
        if is_stable:
            least = min(least, max(ends.values()))
    return least


@pytest.mark.parametrize("name", SOLVERS)
def test_the_minimum_makespan_of_a_job_shop_equals_that_of_trying_all_orders(name: str) -> None:
    with recorded_recognitions() as results:
        best = solve(ground(task_from_text(job_shop())), backend=name, limits=Limits(seconds=30))
    assert results and all(results)
    assert (best.status, best.objective) == (Status.OPTIMAL, minimum_makespan())


@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.skipif(not CLASSICAL.exists(), reason="no folder of public job shops")
@pytest.mark.parametrize("name", ["ft06", "la01", "la16"])
def test_public_job_shops_have_their_known_optima(name: str) -> None:
    lines = (CLASSICAL / f"{name}.txt").read_text("utf-8").splitlines()
    rows = [[int(word) for word in line.split()] for line in lines if line.strip() and not line.startswith("#")]
    jobs = [list(zip(row[::2], row[1::2], strict=True)) for row in rows[1:]]
    least = json.loads((CLASSICAL / "optima.json").read_text("utf-8"))[name]["optimum"]
    best = solve(ground(task_from_text(job_shop(jobs, most=2 * least))), limits=Limits(seconds=60))
    assert (best.status, best.objective) == (Status.OPTIMAL, least)
