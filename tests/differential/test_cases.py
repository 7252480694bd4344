"""All evaluators agree on the hand-written conditions, in each form, on every plan of a fixed scope."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import pytest

from planspec.dsl.check.builtins import BUILTINS
from planspec.dsl.documents.documents import task_from_text
from planspec.dsl.model.task import Task
from planspec.verifiers.meaning.ground import Ground, ground
from planspec.verifiers.meaning.plan_rows import Plan
from tests.differential.agreement import (
    ReferenceVerdict,
    ScopeVerdicts,
    assert_constraints_agree,
    assert_shapes_agree,
    reference_of,
)
from tests.differential.cases import BUILTIN_CASES, CASES, cases_task
from tests.differential.plans import all_plans


@dataclass(frozen=True, slots=True)
class Form:
    """A kind of constraint in which a condition is tested, such as its negation.

    Attributes:
        text: template of the constraint, with `{}` for the condition.
        holds: function that returns whether the constraint holds, from whether the condition and `OTHER` hold.
        level: `hard` or `soft`.
    """

    text: str
    holds: Callable[[bool, bool], bool]
    level: str = "hard"


OTHER = "picks[2].item == a"
FORMS = {
    "plain": Form("{}", lambda condition, other: condition),
    "negated": Form("not ({})", lambda condition, other: not condition),
    "reified": Form(f"({{}}) == ({OTHER})", lambda condition, other: condition == other),
    "rewarded": Form("{}", lambda condition, other: condition, "soft"),
}


@cache
def world() -> Task:
    """Return the fixed world's task. Its constraints are each condition in each form, and `OTHER`."""
    texts = {
        constraint_id(body, name): (form.level, form.text.format(body))
        for body in CASES
        for name, form in FORMS.items()
    }
    return task_from_text(cases_task({"other": ("hard", OTHER), **texts}))


def constraint_id(body: str, form: str) -> str:
    """Return the id of the constraint of a condition in a form."""
    return f"{form}-{CASES.index(body)}"


def ground_with(constraint: str) -> Ground:
    """Return the world's ground task with only one of its constraints."""
    return ground(replace(world(), constraints=tuple(c for c in world().constraints if c.id == constraint)))


@cache
def plans_and_shapes() -> tuple[tuple[Plan, ReferenceVerdict], ...]:
    """Return every plan in scope, with the reference's verdict on its shape."""
    bare = ground(replace(world(), constraints=()))
    return tuple((plan, ReferenceVerdict.of(bare, plan)) for plan in all_plans(bare))


@cache
def truth_by_plan(constraint: str) -> tuple[bool, ...]:
    """Return whether the body of a constraint holds on each plan in scope, according to the reference."""
    (body,) = (c.body for c in world().constraints if c.id == constraint)
    return tuple(reference_of(world()).on(plan).holds(body, {}) for plan, _ in plans_and_shapes())


def expected_verdicts(body: str, form: str) -> Iterator[tuple[Plan, ReferenceVerdict]]:
    """Yield a copy of each plan in scope, with the expected verdict on a form of a condition.

    The reference evaluates only the condition; `Form.holds` gives the verdict on the form.
    """
    evaluated = zip(
        plans_and_shapes(), truth_by_plan(constraint_id(body, "plain")), truth_by_plan("other"), strict=True
    )
    for (plan, shape), condition, other in evaluated:
        holds = FORMS[form].holds(condition, other)
        accepts = shape.accepts and (holds or FORMS[form].level == "soft")
        yield (
            Plan(plan.tables),
            ReferenceVerdict((holds,), shape.has_shape, accepts, shape.fingerprint if accepts else None),
        )


def test_every_builtin_has_a_case() -> None:
    """Every builtin must be compared by a case."""
    assert set(BUILTIN_CASES) == set(BUILTINS)
    for name, bodies in BUILTIN_CASES.items():
        assert all(f"{name}(" in body for body in bodies)


def test_reference_evaluator_and_verifier_agree_on_the_shapes_of_plans() -> None:
    assert_shapes_agree(ground_with("other"), plans_and_shapes())


def test_the_reference_evaluator_evaluates_each_form_of_a_condition_as_the_form_defines() -> None:
    """The reference evaluates each form of each condition on some of the plans."""
    answers = [reference_of(world()).on(plan) for plan, _ in plans_and_shapes()[::23]]
    by_constraint = {c.id: [answer.holds(c.body, {}) for answer in answers] for c in world().constraints}
    for body in CASES:
        pairs = list(zip(by_constraint[constraint_id(body, "plain")], by_constraint["other"], strict=True))
        for name, form in FORMS.items():
            assert by_constraint[constraint_id(body, name)] == [form.holds(*pair) for pair in pairs]


def trials() -> Iterator[Any]:
    """Yield each condition in each form.

    For each condition, one of the forms `negated` and `rewarded` (alternately) is tested only in `make thorough`, since
    `reified` covers both.
    """
    for number, body in enumerate(CASES):
        for form in FORMS:
            marks = [pytest.mark.xdist_group(f"case-{number}")]
            if form == ("negated", "rewarded")[number % 2]:
                marks.append(pytest.mark.thorough)
            yield pytest.param(body, form, marks=marks, id=f"{body}-{form}")


@pytest.mark.sampled(7)
@pytest.mark.parametrize(("body", "form"), list(trials()))
def test_all_evaluators_agree(body: str, form: str) -> None:
    """Reference, interpreter, compiled verifiers, and lowering with and without presolve are compared."""
    task_ground = ground_with(constraint_id(body, form))
    assert_constraints_agree(task_ground, ScopeVerdicts(task_ground, list(expected_verdicts(body, form))))
