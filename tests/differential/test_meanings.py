"""One text, several meanings: they agree on every plan of every scope that Hypothesis draws."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from random import Random

import pytest
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st

from planspec.dsl.documents.documents import task_from_text
from planspec.errors import DiagnosticError
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
    """The ground task of a drawn text; drops texts that the checker rightly refuses, and scopes of more plans."""
    try:
        made = ground(task_from_text(text))
    except DiagnosticError as error:
        event("refused: " + ", ".join(sorted({d.code for d in error.diagnostics})))
        assume(False)
        raise
    assume(most is None or scope_size(made) <= most)
    return made


@SMALL
@given(tasks())
def test_what_is_static_is_what_the_reference_says(text: str) -> None:
    """The instances of the constraints, and every row of the scope with all that it may hold."""
    ground_agrees(grounded(text, 1_500))


@contextmanager
def most_steps(count: int) -> Iterator[None]:
    """Grids of more steps are searched by the numbers of their steps."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(slots, "MOST_STEPS", count)
        yield


STEPS = st.sampled_from((0, slots.MOST_STEPS))


@SMALL
@given(tasks())
def test_verifiers_agree_with_the_reference_on_every_plan_in_scope(text: str) -> None:
    """Statuses of every instance, shape and objective."""
    compiled_agrees(grounded(text, 300))


@SMALL
@given(tasks(), st.integers(0, 2**32))
def test_verifiers_agree_with_the_reference_on_plans_beyond_the_scope(text: str, seed: int) -> None:
    """With holes, keys that stand twice, unknown names, and values that no scope offers."""
    made = grounded(text)
    statuses_agree(made, plans_beyond(made, Random(seed), 12))


@settings(SMALL, max_examples=40)
@given(tasks(), st.integers(0, 2**32))
def test_a_judge_says_the_same_whenever_it_is_asked(text: str, seed: int) -> None:
    """First interpreted, then compiled: messages, margins and rows included."""
    made = grounded(text)
    judge_agrees(made.task, plans_beyond(made, Random(seed), 3))


@SMALL
@given(tasks(), STEPS)
def test_the_lowering_agrees_with_the_reference_on_every_assignment(text: str, steps: int) -> None:
    """Root conditions hold exactly where the reference accepts, soft ones exactly where it is satisfied."""
    with most_steps(steps):
        _lowering_agrees_on_every_assignment(text)


def _lowering_agrees_on_every_assignment(text: str) -> None:
    made = grounded(text, 300)
    for presolve in (False, True):
        try:
            lowering_agrees(made, presolve=presolve)
        except DiagnosticError as error:
            if not {d.code for d in error.diagnostics} <= {"PS501", "PS502"}:
                raise
            event("not lowered")


@settings(SMALL, max_examples=40)
@given(tasks(depth=2), STEPS)
def test_every_back_end_finds_the_reference_s_set_of_plans(text: str, steps: int) -> None:
    """Each back end's plans, found one after the other and forbidden, are those that the reference accepts."""
    with most_steps(steps):
        _every_back_end_finds_the_set_of_plans(text)


def _every_back_end_finds_the_set_of_plans(text: str) -> None:
    made = grounded(text, 400)
    wanted = {fingerprint(made, plan) for plan in all_plans(made) if accepted(made, plan)}
    assume(len(wanted) <= 25)
    event(f"{min(len(wanted), 3)} or more plans")
    try:
        lowered = lower(made)
    except DiagnosticError:
        assume(False)
        return
    for name in ("brute", "cpsat", "smt", "sat"):
        session = backend(name).open(lowered.problem, Limits(seconds=20))
        found = set()
        outcome = session.solve()
        while outcome.found:
            plan = witness(lowered, outcome.values)
            assert fingerprint(made, plan) not in found
            found.add(fingerprint(made, plan))
            session.add(forbid(lowered, outcome.values))
            outcome = session.solve()
        assert outcome.status is Status.INFEASIBLE
        assert found == wanted


@settings(SMALL, max_examples=40)
@given(tasks(depth=2))
def test_the_best_plan_is_the_best_of_all(text: str) -> None:
    """`solve` finds the greatest soft weight, then the best objective; one that is none comes last."""
    made = grounded(text, 400)
    objective = made.task.objective
    told = [reference(made.task).on(plan) for plan in all_plans(made)]
    ranked = [each.rank() for each in told if each.accepts()]
    for name in ("brute", "cpsat", "smt", "sat"):
        try:
            best = solve(made, backend=name, limits=Limits(seconds=20))
        except DiagnosticError:
            assume(False)
            return
        if not ranked:
            assert best.status is Status.INFEASIBLE
            continue
        assert best.status is Status.OPTIMAL
        assert best.plan is not None
        assert reference(made.task).on(best.plan).rank() == max(ranked)
        assert best.soft_weight == max(ranked)[0]
        value = reference(made.task).on(best.plan).objective()
        event("no objective" if objective is None else f"a value: {value is not None}")
        assert (None if best.objective is None else Fraction(best.objective, best.scale)) == value
