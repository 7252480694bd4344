"""Rules with set-up times between consecutive rows become conditions on all pairs for CP-SAT, if no detour is shorter.

A detour is the way from one kind of work to another by way of a third.
"""

from __future__ import annotations

from typing import Any

import pytest

from planspec.dsl.documents.documents import task_from_text
from planspec.solvers.backends.outcome import Status
from planspec.solvers.backends.register import BACKENDS
from planspec.solvers.lowering import setups
from planspec.solvers.lowering.problem import Lowered, lower
from planspec.solvers.questions.prove import solve
from planspec.verifiers.meaning.ground import ground
from tests.differential.agreement import plans_found, scope_verdicts

METRIC = ((0, 1, 2), (2, 0, 1), (1, 1, 0))
"""Set-up times between three kinds of work, none of which is longer than a detour."""
DETOUR = ((0, 1, 4), (2, 0, 1), (1, 1, 0))
"""Set-up times, one of which is longer than a detour by way of the third kind."""
ZERO = ((0, 0, 0), (2, 0, 1), (1, 1, 0))
STARTS = "0..6"
RULE = "all(a.start + 1 + Setup[a.kind, b.kind].takes <= b.start for a, b in steps(x for x in runs, by=x.start))"


@pytest.fixture(autouse=True)
def _keep_rules_unfolded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep rules from being folded into tables of values, as happens only in small tasks."""
    monkeypatch.setattr("planspec.solvers.lowering.context.SMALL", 0)


def lowered_shop(
    times: tuple[tuple[int, ...], ...], rule: str = RULE, optional: str = "false", lanes: str = "1"
) -> Lowered:
    """Return the lowered task of a shop with these set-up times."""
    rows = "".join(
        f"      {{one: {a}, other: {b}, takes: {t}}},\n" for a, each in enumerate(times) for b, t in enumerate(each)
    )
    return lower(
        ground(
            task_from_text(f"""\
planspec: task/1
id: shop
query: When does each job run?
tables:
  Setup:
    columns: {{one: key int, other: key int, takes: int}}
    rows: [
{rows}    ]
plan: {{runs: {{kind: key int, start: int, lane: int}}}}
scope:
  runs: {{for: k in 0..2, kind: k, start: {STARTS}, lane: {lanes}, optional: {optional}}}
constraints:
  apart:
    hard: >-
      {rule}
minimize: max(x.start for x in runs) ?? 0
""")
        )
    )


def plans(lowered: Lowered) -> set[Any]:
    """Return the plans that CP-SAT finds."""
    return plans_found(lowered.ground, lowered, "cpsat")


LANES = RULE.replace("by=x.start", "by=x.start, per=x.lane")
CASES = [
    pytest.param(METRIC, RULE, {}, True, id="set-up times"),
    pytest.param(METRIC, RULE, {"optional": "true"}, True, id="rows may be absent"),
    pytest.param(METRIC, RULE.replace("<=", "<"), {}, True, id="and a minute more"),
    pytest.param(DETOUR, RULE, {}, False, id="a detour is shorter"),
    pytest.param(ZERO, RULE.replace("+ 1 +", "+"), {}, False, id="two rows may start together"),
    pytest.param(
        METRIC, RULE.replace("+ 1 +", "+ 1 + b.lane - a.lane +"), {"lanes": "{1, 2}"}, False, id="planned times"
    ),
]


@pytest.mark.slow
@pytest.mark.sampled(2)
@pytest.mark.parametrize(("times", "rule", "scope", "applies"), CASES)
def test_cp_sat_finds_exactly_the_plans_that_the_reference_evaluator_accepts(
    times: tuple[tuple[int, ...], ...], rule: str, scope: dict[str, str], applies: bool
) -> None:
    lowered = lowered_shop(times, rule, **scope)
    assert any(routes.apart for routes in lowered.problem.routes) == applies
    assert plans(lowered) == scope_verdicts(lowered.ground).accepted


def test_conditions_on_all_pairs_of_rows_replace_conditions_on_consecutive_rows() -> None:
    (routes,) = lowered_shop(METRIC).problem.routes
    assert len(routes.apart) == 4  # conditions on three pairs, and one on a set of intervals
    assert len(routes.implies) == 6


def test_rows_in_planned_lanes_have_conditions_for_each_lane() -> None:
    lowered = lowered_shop(METRIC, LANES, lanes="{1, 2}")
    (routes,) = lowered.problem.routes
    assert len(routes.apart) == 5 and routes.defines


def test_plans_are_lost_if_a_detour_is_shorter(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = plans(lowered_shop(DETOUR))
    monkeypatch.setattr(setups, "satisfy_triangle_inequality", lambda *_: True)
    assert plans(lowered_shop(DETOUR)) < expected


@pytest.mark.parametrize("times", [METRIC, DETOUR])
def test_all_back_ends_find_the_same_earliest_end(times: tuple[tuple[int, ...], ...]) -> None:
    task = lowered_shop(times).ground
    found = {(best.status, best.objective) for best in (solve(task, backend=name) for name in BACKENDS)}
    assert len(found) == 1 and found.pop()[0] is Status.OPTIMAL
