"""Whenever a limit is reached, the result is `unknown` or correct, and never an error.

In these tests the clock advances by one second whenever it is read. A limit of n seconds is therefore reached at the
n-th reading, at the same point on every machine.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import count as counting
from typing import Any

import pytest

from planspec.dsl.documents.documents import task_from_text
from planspec.dsl.resources import deadline
from planspec.errors import LimitReachedError
from planspec.solvers.backends import interruption
from planspec.solvers.backends.outcome import Limits, Status
from planspec.solvers.backends.register import BACKENDS
from planspec.solvers.lowering.problem import lower
from planspec.solvers.questions import enumerate as enumeration
from planspec.solvers.questions import prove, validation
from planspec.solvers.questions.budget import TimeBudget
from planspec.solvers.questions.conflicts import why
from planspec.solvers.questions.difficulty import difficulty
from planspec.solvers.questions.infeasibility import conflict_among
from planspec.solvers.questions.lint import lint_task
from planspec.solvers.questions.repair import repair
from planspec.verifiers.answers.tables import read_tables
from planspec.verifiers.meaning.ground import Ground, ground
from tests.back_ends import SOLVERS

TASK = """planspec: task/1
id: calls
query: Three calls in a morning, not at once; the second one late if possible.
types: {P: anna | bert | carl}
plan: {calls: {who: key P, at: time}}
scope: {calls: [{for: p in P, who: p, at: 09:00..12:00 step 15min}]}
constraints:
  apart:
    hard: all(b.at >= a.at + 45min for a, b in steps(c for c in calls, by=c.at))
  order:
    hard: calls[anna].at < calls[bert].at
  late:
    weight: 2
    soft: calls[bert].at >= 11:00
EXTRA
minimize: calls[carl].at - 09:00
"""
IMPOSSIBLE = """  anna:
    hard: calls[anna].at >= 11:00
  carl:
    hard: calls[carl].at == 11:30
"""
MOMENTS = (0, 1, 5, 30, 150, 600, 1_500, 3_000, 10_000)


@cache
def calls_task(*, possible: bool) -> Ground:
    """Return a ground task about calls, which has a plan if `possible` is true."""
    return ground(task_from_text(TASK.replace("EXTRA\n", "" if possible else IMPOSSIBLE)))


@pytest.fixture
def ticking_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace the clock by one that advances by one second at each reading. Solvers do not read it."""
    seconds = counting()
    monkeypatch.setattr(deadline, "perf_counter", lambda: float(next(seconds)))
    monkeypatch.setattr(deadline, "CHECK_INTERVAL_S", 0.0)
    monkeypatch.setattr(interruption, "CHECK_INTERVAL_S", 60.0)


def check_solve(limits: Limits, backend: str) -> str:
    """Search for a plan within limits. Return how complete the result is: `whole`, `part` or `unknown`."""
    result = prove.solve(calls_task(possible=True), backend=backend, limits=limits)
    if result.plan is None:
        assert (result.status, result.reason) == (Status.UNKNOWN, "time")
        return "unknown"
    if result.status is Status.OPTIMAL:
        assert (result.soft_weight, result.objective, result.reason) == (2, 0, None)
        return "whole"
    assert (result.status, result.reason) == (Status.FEASIBLE, "time")
    return "part"


def check_solve_infeasible(limits: Limits, backend: str) -> str:
    """Search for a plan of an infeasible task within limits, and return how complete the result is."""
    result = prove.solve(calls_task(possible=False), backend=backend, limits=limits)
    assert result.status in (Status.UNKNOWN, Status.INFEASIBLE)
    assert (result.reason == "time") == (result.status is Status.UNKNOWN)
    return "unknown" if result.status is Status.UNKNOWN else "whole"


def check_validate(limits: Limits, backend: str) -> str:
    """Prove the claims of a task within limits, and return how complete the result is."""
    result = validation.validate(calls_task(possible=True), backends=(backend,), limits=limits)
    statuses = result.feasible.status, result.unique.status
    assert statuses in (("unknown", "unknown"), ("feasible", "unknown"), ("feasible", "multiple"))
    for claim in (result.feasible.backends[backend], result.unique.backends[backend]):
        assert (claim.reason == "time") == (claim.status == "unknown")
    return {0: "whole", 2: "unknown"}.get(statuses.count("unknown"), "part")


def check_why(limits: Limits, backend: str) -> str:
    """Explain an infeasible task within limits, and return how complete the result is."""
    result = why(calls_task(possible=False), backend=backend, limits=limits, bounds=False)
    assert result.status in (Status.UNKNOWN, Status.INFEASIBLE)
    for mus in result.mus_sets:
        assert [member.id for member in mus] == ["apart", "anna", "carl"]
    if result.status is Status.UNKNOWN:
        return "unknown"
    return "whole" if result.complete and result.relaxed else "part"


def check_repair(limits: Limits, backend: str) -> str:
    """Repair an answer within limits, and return how complete the result is."""
    task = calls_task(possible=True)
    answer, _ = read_tables(task.task, {"calls": [{"who": who, "at": "11:00"} for who in ("anna", "bert", "carl")]})
    result = repair(task, answer, backend=backend, limits=limits)
    if result.plan is None:
        assert result.status is Status.UNKNOWN
        return "unknown"
    assert len(result.edits) >= 2
    return "whole" if result.status is Status.OPTIMAL else "part"


def check_lint(limits: Limits, backend: str) -> str:
    """Check a task deeply within limits, and return how complete the result is."""
    assert backend
    result = lint_task(calls_task(possible=False), limits=limits)
    return "whole" if result.finished else "part"


def check_difficulty(limits: Limits, backend: str) -> str:
    """Measure the difficulty of a task within limits, and return how complete the result is."""
    assert backend
    result = difficulty(calls_task(possible=True), limits=limits, most=5)
    assert result.feasible in ("feasible", "unknown")
    return "whole" if result.finished else "part" if result.feasible == "feasible" else "unknown"


def check_count(limits: Limits, backend: str) -> str:
    """Count plans and compute the backbone within limits, and return how complete the result is."""
    lowered = lower(calls_task(possible=True))
    result = enumeration.count(lowered, most=3, backend=backend, limits=limits)
    core = enumeration.backbone(lowered, backend=backend, limits=limits)
    assert result.count <= 3
    assert core is None or core.complete <= (core.fixed == ())
    return "whole" if result.count == 3 and core is not None and core.complete else "part"


def check_conflict(limits: Limits, backend: str) -> str:
    """Search for a conflict within limits, and return how complete the result is."""
    status, core = conflict_among(calls_task(possible=False), backend=backend, limits=limits)
    assert (status, bool(core)) in ((Status.UNKNOWN, False), (Status.INFEASIBLE, True))
    return "whole" if status is Status.INFEASIBLE and len(core) == 3 else "part" if core else "unknown"


CHECKS: tuple[Callable[[Limits, str], str], ...] = (
    check_solve,
    check_solve_infeasible,
    check_validate,
    check_why,
    check_repair,
    check_lint,
    check_difficulty,
    check_count,
    check_conflict,
)


@pytest.mark.sampled(9)
@pytest.mark.slow
@pytest.mark.usefixtures("ticking_clock")
@pytest.mark.parametrize("backend", SOLVERS)
@pytest.mark.parametrize("check_operation", CHECKS, ids=lambda check_operation: check_operation.__name__)
def test_the_result_is_unknown_or_correct_whenever_time_runs_out(
    check_operation: Callable[[Limits, str], str], backend: str
) -> None:
    answers = [check_operation(Limits(seconds=float(moment)), backend) for moment in MOMENTS]
    assert answers[0] in ("unknown", "part")
    assert "whole" in answers
    assert (
        answers.index("whole") == max(i for i, x in enumerate(answers) if x != "whole") + 1
    )  # more time never gives a weaker result


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_status_is_unknown_if_memory_runs_out(monkeypatch: pytest.MonkeyPatch, backend: str) -> None:
    monkeypatch.setattr(deadline, "CHECK_INTERVAL_S", 0.0)
    result = prove.solve(calls_task(possible=True), backend=backend, limits=Limits(memory_mb=-1_000))
    assert (result.status, result.plan, result.reason) == (Status.UNKNOWN, None, "memory")


def test_after_a_memory_error_the_answer_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> Any:
        raise MemoryError

    monkeypatch.setattr(validation, "lower", refuse)
    result = validation.validate(calls_task(possible=True))
    assert (result.feasible.status, result.unique.status) == ("unknown", "unknown")
    assert {claim.reason for claim in result.unique.backends.values()} == {"memory"}


def test_grounding_respects_the_limit() -> None:
    task = calls_task(possible=True).task
    with TimeBudget(Limits(seconds=0.0)), pytest.raises(LimitReachedError):
        ground(task)


def test_back_ends_share_the_time_of_a_task() -> None:
    clock = TimeBudget(Limits(seconds=60.0))
    assert clock.share(2).left == pytest.approx(30.0, abs=1.0)
    assert TimeBudget(Limits(seconds=None)).share(2).left is None


def test_the_seconds_of_a_claim_include_building_the_problem() -> None:
    result = validation.validate(calls_task(possible=True), backends=("cpsat",))
    assert result.unique.backends["cpsat"].seconds > result.feasible.backends["cpsat"].seconds > 0
