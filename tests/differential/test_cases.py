"""The hand-written conditions: plain, negated, reified and rewarded, on every plan of a fixed scope."""

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
    constraints_agree,
    reference,
    shapes_agree,
)
from tests.differential.cases import BUILTIN_CASES, CASES, cases_task
from tests.differential.plans import all_plans


@dataclass(frozen=True, slots=True)
class Form:
    """A constraint made of a condition.

    Attributes:
        text: text of the constraint, with a place for the condition.
        holds: whether the constraint is satisfied, given whether the condition is and whether `OTHER` is.
        level: hard or soft.
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
    """Return the fixed world, parsed once with every condition in every form, and with `OTHER` alone."""
    texts = {
        constraint_id(body, name): (form.level, form.text.format(body))
        for body in CASES
        for name, form in FORMS.items()
    }
    return task_from_text(cases_task({"other": ("hard", OTHER), **texts}))


def constraint_id(body: str, form: str) -> str:
    """Return the name of a condition's constraint in the world."""
    return f"{form}-{CASES.index(body)}"


def alone(constraint: str) -> Ground:
    """Return the world with one of its constraints."""
    return ground(replace(world(), constraints=tuple(c for c in world().constraints if c.id == constraint)))


@cache
def shapes() -> tuple[tuple[Plan, ReferenceVerdict], ...]:
    """Return every plan in scope, with the reference's verdict without constraints."""
    bare = ground(replace(world(), constraints=()))
    return tuple((plan, ReferenceVerdict.of(bare, plan)) for plan in all_plans(bare))


@cache
def truths(constraint: str) -> tuple[bool, ...]:
    """Return whether the body of a constraint holds on each plan in scope, by the reference."""
    (body,) = (c.body for c in world().constraints if c.id == constraint)
    return tuple(reference(world()).on(plan).holds(body, {}) for plan, _ in shapes())


def verdicts(body: str, form: str) -> Iterator[tuple[Plan, ReferenceVerdict]]:
    """Yield every plan in scope, made anew, with the verdict on a form of a condition.

    The reference evaluates only the condition.
    """
    evaluated = zip(shapes(), truths(constraint_id(body, "plain")), truths("other"), strict=True)
    for (plan, shape), condition, other in evaluated:
        holds = FORMS[form].holds(condition, other)
        accepts = shape.accepts and (holds or FORMS[form].level == "soft")
        yield (
            Plan(plan.tables),
            ReferenceVerdict((holds,), shape.has_shape, accepts, shape.print if accepts else None),
        )


def test_every_builtin_has_a_case() -> None:
    """A builtin without a differential case is not trusted."""
    assert set(BUILTIN_CASES) == set(BUILTINS)
    for name, bodies in BUILTIN_CASES.items():
        assert all(f"{name}(" in body for body in bodies)


def test_the_meanings_agree_on_the_shapes_of_plans() -> None:
    """Shapes do not depend on the condition."""
    shapes_agree(alone("other"), shapes())


def test_the_reference_agrees_with_the_forms() -> None:
    """Each form of each condition is evaluated on some plans."""
    answers = [reference(world()).on(plan) for plan, _ in shapes()[::23]]
    by_constraint = {c.id: [answer.holds(c.body, {}) for answer in answers] for c in world().constraints}
    for body in CASES:
        pairs = list(zip(by_constraint[constraint_id(body, "plain")], by_constraint["other"], strict=True))
        for name, form in FORMS.items():
            assert by_constraint[constraint_id(body, name)] == [form.holds(*pair) for pair in pairs]


def trials() -> Iterator[Any]:
    """Each condition in each form: every second one negated and the others rewarded in `make thorough`, since `reified` has both."""
    for number, body in enumerate(CASES):
        for form in FORMS:
            marks = [pytest.mark.xdist_group(f"case-{number}")]
            if form == ("negated", "rewarded")[number % 2]:
                marks.append(pytest.mark.thorough)
            yield pytest.param(body, form, marks=marks, id=f"{body}-{form}")


@pytest.mark.parametrize(("body", "form"), list(trials()))
def test_all_meanings_agree(body: str, form: str) -> None:
    """The meanings are interpreter, compiled verifier and lowering, with and without presolve."""
    task_ground = alone(constraint_id(body, form))
    constraints_agree(task_ground, ScopeVerdicts(task_ground, list(verdicts(body, form))))
