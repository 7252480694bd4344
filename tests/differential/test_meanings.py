"""Several meanings of one text agree on every plan of every random scope."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from random import Random

import pytest
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st

from planspec.dsl.diagnostics.diagnostic import DiagnosticError
from planspec.dsl.documents.documents import task_from_text
from planspec.solvers.backends.outcome import Limits, Status
from planspec.solvers.backends.register import backend
from planspec.solvers.lowering import decision_rows as slots
from planspec.solvers.lowering.problem import lower
from planspec.solvers.questions.exclusion import forbid
from planspec.solvers.questions.prove import solve
from planspec.solvers.questions.witness import witness
from planspec.verifiers.meaning.ground import Ground, ground
from tests.differential.agreement import (
    accepted,
    compiled_agrees,
    ground_agrees,
    judge_agrees,
    lowering_agrees,
    plans_beyond,
    reference,
    statuses_agree,
)
from tests.differential.plans import all_plans, fingerprint, scope_size
from tests.differential.programs import tasks

SMALL = settings(suppress_health_check=list(HealthCheck), deadline=None)


def grounded(text: str, most: int | None = None) -> Ground:
    """Return the ground task of a random text; reject refused texts, and scopes of more plans than `most`."""
    try:
        task = ground(task_from_text(text))
    except DiagnosticError as error:
        event("refused: " + ", ".join(sorted({d.code for d in error.diagnostics})))
        assume(False)
        raise
    assume(most is None or scope_size(task) <= most)
    return task


@SMALL
@given(tasks())
def test_static_parts_agree_with_the_reference(text: str) -> None:
    """Static parts are the instances of constraints, and the possible contents of every scope row."""
    ground_agrees(grounded(text, 1_500))


@contextmanager
def most_steps(count: int) -> Iterator[None]:
    """Search grids of more steps by the numbers of their steps."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(slots, "MOST_STEPS", count)
        yield


STEPS = st.sampled_from((0, slots.MOST_STEPS))


@SMALL
@given(tasks())
def test_verifiers_agree_with_the_reference_on_every_plan_in_scope(text: str) -> None:
    """The statuses of every instance, the shape and the objective are compared."""
    compiled_agrees(grounded(text, 300))


@SMALL
@given(tasks(), st.integers(0, 2**32))
def test_verifiers_agree_with_the_reference_on_plans_beyond_the_scope(text: str, seed: int) -> None:
    """The plans have holes, duplicate keys, unknown names, and values that no scope offers."""
    task = grounded(text)
    statuses_agree(task, plans_beyond(task, Random(seed), 12))


@settings(SMALL, max_examples=40)
@given(tasks(), st.integers(0, 2**32))
def test_a_judge_always_gives_the_same_verdict(text: str, seed: int) -> None:
    """Verdicts of the interpreter and of compiled code are equal, with messages, margins and rows."""
    task = grounded(text)
    judge_agrees(task.task, plans_beyond(task, Random(seed), 3))


@SMALL
@given(tasks(), STEPS)
def test_the_lowering_agrees_with_the_reference_on_every_assignment(text: str, steps: int) -> None:
    """Root conditions hold exactly where the reference accepts, soft ones exactly where it is satisfied."""
    with most_steps(steps):
        _lowering_agrees_on_every_assignment(text)


def _lowering_agrees_on_every_assignment(text: str) -> None:
    task = grounded(text, 300)
    for presolve in (False, True):
        try:
            lowering_agrees(task, presolve=presolve)
        except DiagnosticError as error:
            if not {d.code for d in error.diagnostics} <= {"PS501", "PS502"}:
                raise
            event("not lowered")


@settings(SMALL, max_examples=40)
@given(tasks(depth=2), STEPS)
def test_every_back_end_finds_the_reference_s_set_of_plans(text: str, steps: int) -> None:
    """Each back end's plans, found one by one and excluded, are those that the reference accepts."""
    with most_steps(steps):
        _every_back_end_finds_the_set_of_plans(text)


def _every_back_end_finds_the_set_of_plans(text: str) -> None:
    task = grounded(text, 400)
    expected = {fingerprint(task, plan) for plan in all_plans(task) if accepted(task, plan)}
    assume(len(expected) <= 25)
    event(f"{min(len(expected), 3)} or more plans")
    try:
        lowered = lower(task)
    except DiagnosticError:
        assume(False)
        return
    for name in ("brute", "cpsat", "smt", "sat"):
        session = backend(name).open(lowered.problem, Limits(seconds=20))
        prints = set()
        outcome = session.solve()
        while outcome.found:
            plan = witness(lowered, outcome.values)
            assert fingerprint(task, plan) not in prints
            prints.add(fingerprint(task, plan))
            session.add(forbid(lowered, outcome.values))
            outcome = session.solve()
        assert outcome.status is Status.INFEASIBLE
        assert prints == expected


@settings(SMALL, max_examples=40)
@given(tasks(depth=2))
def test_the_best_plan_is_the_best_of_all(text: str) -> None:
    """`solve` finds the greatest soft weight, then the best objective; a plan without a value ranks last."""
    task = grounded(text, 400)
    objective = task.task.objective
    verdicts_ = [reference(task.task).on(plan) for plan in all_plans(task)]
    ranked = [each.rank() for each in verdicts_ if each.accepts()]
    for name in ("brute", "cpsat", "smt", "sat"):
        try:
            best = solve(task, backend=name, limits=Limits(seconds=20))
        except DiagnosticError:
            assume(False)
            return
        if not ranked:
            assert best.status is Status.INFEASIBLE
            continue
        assert best.status is Status.OPTIMAL
        assert best.plan is not None
        assert reference(task.task).on(best.plan).rank() == max(ranked)
        assert best.soft_weight == max(ranked)[0]
        value = reference(task.task).on(best.plan).objective()
        event("no objective" if objective is None else f"a value: {value is not None}")
        assert (None if best.objective is None else Fraction(best.objective, best.scale)) == value
