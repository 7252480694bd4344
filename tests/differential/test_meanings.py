"""All evaluators of a random task agree on every plan in its scope."""

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
from planspec.solvers.backends.register import BACKENDS
from planspec.solvers.lowering import decision_rows as slots
from planspec.solvers.lowering.problem import lower
from planspec.solvers.questions.prove import solve
from planspec.verifiers.meaning.ground import Ground, ground
from tests.differential.agreement import (
    assert_ground_agrees,
    assert_judges_agree,
    assert_lowering_agrees,
    assert_statuses_agree,
    assert_verifiers_agree,
    plans_found,
    random_plans,
    reference_accepts,
    reference_of,
)
from tests.differential.plans import all_plans, fingerprint, scope_size
from tests.differential.programs import tasks
from tests.random_examples import examples

SMALL = settings(suppress_health_check=list(HealthCheck), deadline=None)


def ground_or_reject(text: str, max_plans: int | None = None) -> Ground:
    """Return the ground task of a random text.

    Hypothesis rejects the example if the text has errors, or if more than `max_plans` plans are in scope.
    """
    try:
        task = ground(task_from_text(text))
    except DiagnosticError as error:
        event("refused: " + ", ".join(sorted({d.code for d in error.diagnostics})))
        assume(False)
        raise
    assume(max_plans is None or scope_size(task) <= max_plans)
    return task


@SMALL
@given(tasks())
def test_grounding_agrees_with_the_reference_evaluator(text: str) -> None:
    """Static parts are the instances of constraints and the possible contents of the scope's rows."""
    assert_ground_agrees(ground_or_reject(text, 1_500))


@contextmanager
def step_limit(count: int) -> Iterator[None]:
    """Change the length above which the variable of a field on a grid counts steps, until the block ends."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(slots, "MAX_STEPS", count)
        yield


STEPS = st.sampled_from((0, slots.MAX_STEPS))


@SMALL
@given(tasks())
def test_verifiers_agree_with_the_reference_evaluator_on_every_plan_in_scope(text: str) -> None:
    """Statuses of instances, shapes and objectives are compared."""
    assert_verifiers_agree(ground_or_reject(text, 300))


@SMALL
@given(tasks(), st.integers(0, 2**32))
def test_verifiers_agree_with_the_reference_evaluator_on_plans_beyond_the_scope(text: str, seed: int) -> None:
    """The plans have missing cells, duplicate keys, unknown names, and values outside the scope."""
    task = ground_or_reject(text)
    assert_statuses_agree(task, random_plans(task, Random(seed), 12))


@settings(SMALL, max_examples=examples(40))
@given(tasks(), st.integers(0, 2**32))
def test_a_judge_always_gives_the_same_verdict(text: str, seed: int) -> None:
    """Verdicts of the interpreter and of compiled code have equal messages, margins and rows."""
    task = ground_or_reject(text)
    assert_judges_agree(task.task, random_plans(task, Random(seed), 3))


@SMALL
@given(tasks(), STEPS)
def test_the_lowering_agrees_with_the_reference_evaluator_on_every_assignment(text: str, steps: int) -> None:
    """Root conditions must hold for exactly the accepted plans, and soft ones for the plans that satisfy the
    constraint.
    """
    with step_limit(steps):
        _lowering_agrees_on_every_assignment(text)


def _lowering_agrees_on_every_assignment(text: str) -> None:
    """Compare the lowering of a task with the reference, with and without presolve."""
    task = ground_or_reject(text, 300)
    for presolve in (False, True):
        try:
            assert_lowering_agrees(task, presolve=presolve)
        except DiagnosticError as error:
            if not {d.code for d in error.diagnostics} <= {"PS501", "PS502"}:
                raise
            event("not lowered")


@settings(SMALL, max_examples=examples(40))
@given(tasks(depth=2), STEPS)
def test_every_back_end_finds_exactly_the_plans_that_the_reference_evaluator_accepts(text: str, steps: int) -> None:
    """Each back end finds plans one by one, and excludes each before the next search."""
    with step_limit(steps):
        _every_back_end_finds_the_set_of_plans(text)


def _every_back_end_finds_the_set_of_plans(text: str) -> None:
    """Check that each back end finds exactly the plans that the reference accepts."""
    task = ground_or_reject(text, 400)
    expected = {fingerprint(task, plan) for plan in all_plans(task) if reference_accepts(task, plan)}
    assume(len(expected) <= 25)
    event(f"{min(len(expected), 3)} or more plans")
    try:
        lowered = lower(task)
    except DiagnosticError:
        assume(False)
        return
    for name in BACKENDS:
        assert plans_found(task, lowered, name) == expected


@settings(SMALL, max_examples=examples(40))
@given(tasks(depth=2))
def test_solve_finds_the_best_plan_of_all(text: str) -> None:
    """Plans are ranked by soft weight, then by the objective.

    Plans without a value of the objective rank last.
    """
    task = ground_or_reject(text, 400)
    objective = task.task.objective
    verdicts_ = [reference_of(task.task).on(plan) for plan in all_plans(task)]
    ranked = [each.rank() for each in verdicts_ if each.accepts()]
    for name in BACKENDS:
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
        assert reference_of(task.task).on(best.plan).rank() == max(ranked)
        assert best.soft_weight == max(ranked)[0]
        value = reference_of(task.task).on(best.plan).objective()
        event("no objective" if objective is None else f"a value: {value is not None}")
        assert (None if best.objective is None else Fraction(best.objective, best.scale)) == value
