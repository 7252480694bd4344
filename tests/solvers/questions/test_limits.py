"""A limit may be reached at any moment: what is said then is `unknown` or the truth, and never an error.

Time stands still but for one second each time somebody asks for it, so that a limit of n seconds is reached at the
n-th look, and on every machine at the same place.
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
from planspec.solvers.lowering.problem import lower
from planspec.solvers.questions import enumerate as enumeration
from planspec.solvers.questions import prove, validation
from planspec.solvers.questions.budget import TimeBudget
from planspec.solvers.questions.conflicts import why
from planspec.solvers.questions.difficulty import difficulty
from planspec.solvers.questions.infeasibility import conflict_among
from planspec.solvers.questions.lint import sense
from planspec.solvers.questions.repair import repair
from planspec.verifiers.answers.tables import read_tables
from planspec.verifiers.meaning.ground import Ground, ground

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
def made(*, possible: bool) -> Ground:
    return ground(task_from_text(TASK.replace("EXTRA\n", "" if possible else IMPOSSIBLE)))


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that goes on by one second whenever it is looked at; nobody looks while a solver works."""
    seconds = counting()
    monkeypatch.setattr(deadline, "perf_counter", lambda: float(next(seconds)))
    monkeypatch.setattr(deadline, "LOOK_S", 0.0)
    monkeypatch.setattr(interruption, "LOOK_S", 60.0)


def solved(limits: Limits, backend: str) -> str:
    found = prove.solve(made(possible=True), backend=backend, limits=limits)
    if found.plan is None:
        assert (found.status, found.reason) == (Status.UNKNOWN, "time")
        return "unknown"
    if found.status is Status.OPTIMAL:
        assert (found.soft_weight, found.objective, found.reason) == (2, 0, None)
        return "whole"
    assert (found.status, found.reason) == (Status.FEASIBLE, "time")
    return "part"


def refuted(limits: Limits, backend: str) -> str:
    found = prove.solve(made(possible=False), backend=backend, limits=limits)
    assert found.status in (Status.UNKNOWN, Status.INFEASIBLE)
    assert (found.reason == "time") == (found.status is Status.UNKNOWN)
    return "unknown" if found.status is Status.UNKNOWN else "whole"


def validated(limits: Limits, backend: str) -> str:
    found = validation.validate(made(possible=True), backends=(backend,), limits=limits)
    statuses = found.feasible.status, found.unique.status
    assert statuses in (("unknown", "unknown"), ("feasible", "unknown"), ("feasible", "multiple"))
    for claim in (found.feasible.backends[backend], found.unique.backends[backend]):
        assert (claim.reason == "time") == (claim.status == "unknown")
    return {0: "whole", 2: "unknown"}.get(statuses.count("unknown"), "part")


def explained(limits: Limits, backend: str) -> str:
    found = why(made(possible=False), backend=backend, limits=limits, bounds=False)
    assert found.status in (Status.UNKNOWN, Status.INFEASIBLE)
    for mus in found.mus_sets:
        assert [member.id for member in mus] == ["apart", "anna", "carl"]
    if found.status is Status.UNKNOWN:
        return "unknown"
    return "whole" if found.complete and found.relaxed else "part"


def repaired(limits: Limits, backend: str) -> str:
    task = made(possible=True)
    answer, _ = read_tables(
        task.task, {"calls": [{"who": who, "at": "11:00"} for who in ("anna", "bert", "carl")]}
    )
    found = repair(task, answer, backend=backend, limits=limits)
    if found.plan is None:
        assert found.status is Status.UNKNOWN
        return "unknown"
    assert len(found.edits) >= 2
    return "whole" if found.status is Status.OPTIMAL else "part"


def sensed(limits: Limits, backend: str) -> str:
    assert backend
    found = sense(made(possible=False), limits=limits)
    return "whole" if found.finished else "part"


def measured(limits: Limits, backend: str) -> str:
    assert backend
    found = difficulty(made(possible=True), limits=limits, most=5)
    assert found.feasible in ("feasible", "unknown")
    return "whole" if found.finished else "part" if found.feasible == "feasible" else "unknown"


def counted(limits: Limits, backend: str) -> str:
    lowered = lower(made(possible=True))
    found = enumeration.count(lowered, most=3, backend=backend, limits=limits)
    core = enumeration.backbone(lowered, backend=backend, limits=limits)
    assert found.count <= 3
    assert core is None or core.complete <= (core.fixed == ())
    return "whole" if found.count == 3 and core is not None and core.complete else "part"


def conflicting(limits: Limits, backend: str) -> str:
    status, core = conflict_among(made(possible=False), backend=backend, limits=limits)
    assert (status, bool(core)) in ((Status.UNKNOWN, False), (Status.INFEASIBLE, True))
    return "whole" if status is Status.INFEASIBLE and len(core) == 3 else "part" if core else "unknown"


VERBS: tuple[Callable[[Limits, str], str], ...] = (
    solved, refuted, validated, explained, repaired, sensed, measured, counted, conflicting,
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.usefixtures("looks")
@pytest.mark.parametrize("backend", ["cpsat", "smt", "sat"])
@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.__name__)
def test_at_whatever_moment_time_runs_out_what_is_said_is_unknown_or_true(
    verb: Callable[[Limits, str], str], backend: str
) -> None:
    said = [verb(Limits(seconds=float(moment)), backend) for moment in MOMENTS]
    assert said[0] in ("unknown", "part")
    assert "whole" in said
    assert said.index("whole") == max(i for i, x in enumerate(said) if x != "whole") + 1  # more time, no less


@pytest.mark.parametrize("backend", ["cpsat", "smt", "sat", "brute"])
def test_memory_that_runs_out_is_unknown_too(monkeypatch: pytest.MonkeyPatch, backend: str) -> None:
    monkeypatch.setattr(deadline, "LOOK_S", 0.0)
    found = prove.solve(made(possible=True), backend=backend, limits=Limits(memory_mb=-1_000))
    assert (found.status, found.plan, found.reason) == (Status.UNKNOWN, None, "memory")


def test_a_refusal_of_the_system_to_give_memory_is_unknown_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> Any:
        raise MemoryError

    monkeypatch.setattr(validation, "lower", refuse)
    found = validation.validate(made(possible=True))
    assert (found.feasible.status, found.unique.status) == ("unknown", "unknown")
    assert {claim.reason for claim in found.unique.backends.values()} == {"memory"}


def test_grounding_has_a_limit_too() -> None:
    task = made(possible=True).task
    with TimeBudget(Limits(seconds=0.0)), pytest.raises(LimitReachedError):
        ground(task)


def test_back_ends_share_the_time_of_a_task() -> None:
    clock = TimeBudget(Limits(seconds=60.0))
    assert clock.share(2).left == pytest.approx(30.0, abs=1.0)
    assert TimeBudget(Limits(seconds=None)).share(2).left is None


def test_seconds_of_a_claim_have_the_building_in_them() -> None:
    found = validation.validate(made(possible=True), backends=("cpsat",))
    assert found.unique.backends["cpsat"].seconds > found.feasible.backends["cpsat"].seconds > 0
