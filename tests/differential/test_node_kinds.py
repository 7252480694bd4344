"""Every module that must handle a new kind of node raises an error until it handles the kind."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from planspec.dsl.check.definedness import check_guards
from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.documents.documents import task_from_text
from planspec.dsl.model import tree as t
from planspec.dsl.model.memory import Memory
from planspec.dsl.model.types import ScalarType, Stage
from planspec.solvers.lowering.problem import lower
from planspec.verifiers.compiled.compile import compile_task
from planspec.verifiers.meaning.cost import check_costs
from planspec.verifiers.meaning.explain import explain
from planspec.verifiers.meaning.ground import Ground, ground
from planspec.verifiers.meaning.interpret import Env, Interpreter
from planspec.verifiers.meaning.plan_rows import Plan
from planspec.verifiers.monotone.watch import monotone_parts
from tests.differential.reference import Reference
from tests.paths import ROOT

TASK = """\
planspec: task/1
id: small
query: a trial
plan: {visits: {n: key int}}
constraints: {positive: {hard: all(v.n > 0 for v in visits)}}
scope: {visits: [{n: 1..2}]}
"""
EMPTY = Plan({"visits": ()})


@dataclass(frozen=True, slots=True, eq=False)
class NewNode(t.Typed):
    """A kind of node that no module knows: a condition with the meaning of its operand."""

    operand: t.Expr


def ground_with_new_node() -> Ground:
    """Return a ground task whose rule is of the new kind. It is inserted after the checks."""
    task_ground = ground(task_from_text(TASK, "small"))
    instance = task_ground.instances[0]
    body = instance.constraint.body
    odd: Any = NewNode(ScalarType.BOOL, body.span, Stage.PLANNED, False, body)
    constraint = replace(instance.constraint, body=odd)
    task = replace(task_ground.task, constraints=(constraint,))
    return replace(task_ground, task=task, instances=(replace(instance, constraint=constraint),))


def check_definedness(task_ground: Ground) -> None:
    check_guards(task_ground.task.constraints, (), {}, Report())


def compute_costs(task_ground: Ground) -> None:
    task = task_ground.task
    check_costs(task, (*task.constraints, *task.objectives, *task.scope), task_ground.interpreter, Report(), Memory())


def interpret_rule(task_ground: Ground) -> None:
    task_ground.interpreter.on(EMPTY).holds(task_ground.instances[0].constraint.body, {})


def compile_rule(task_ground: Ground) -> None:
    compile_task(task_ground).judge(EMPTY)


def explain_rule(task_ground: Ground) -> None:
    explain(task_ground, task_ground.instances[0], EMPTY, holds=False)


def evaluate_by_reference(task_ground: Ground) -> None:
    Reference(task_ground.task, EMPTY).holds(task_ground.instances[0].constraint.body, {})


MODULES: dict[str, Callable[[Ground], object]] = {
    "dsl/check/definedness.py": check_definedness,
    "verifiers/meaning/interpret.py": interpret_rule,
    "verifiers/meaning/cost.py": compute_costs,
    "verifiers/meaning/explain.py": explain_rule,
    "verifiers/compiled/emitter.py": compile_rule,
    "verifiers/monotone/claims.py": monotone_parts,
    "solvers/lowering/lower.py": lower,
    "tests/differential/reference.py": evaluate_by_reference,
}
"""Modules that define the meaning of a kind of node, each with a function that calls the module on a ground task."""


@pytest.mark.parametrize("module", MODULES)
def test_a_new_kind_of_node_is_an_error_in_a_module_that_does_not_define_it(
    module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if module != "verifiers/meaning/interpret.py":  # the other modules call the interpreter for values
        original = Interpreter.value

        def value(self: Interpreter, expr: Any, env: Env) -> Any:
            return original(self, expr.operand if isinstance(expr, NewNode) else expr, env)

        monkeypatch.setattr(Interpreter, "value", value)
    with pytest.raises(AssertionError, match="NewNode") as caught:
        MODULES[module](ground_with_new_node())
    raised = [Path(str(entry.path)).as_posix() for entry in caught.traceback]
    assert [path for path in raised if Path(path) != Path(__file__) and "typing" not in path][-1].endswith(module)


STEPS_OF_BUILTINS: dict[str, Callable[[Ground], object]] = {
    "interpreted": lambda task_ground: task_ground.interpreter.on(EMPTY).holds(
        task_ground.instances[0].constraint.body, {}
    ),
    "compiled": lambda task_ground: compile_task(task_ground).judge(EMPTY),
    "lowered": lower,
}


@pytest.mark.parametrize("step", STEPS_OF_BUILTINS)
def test_a_new_builtin_is_an_error_in_a_step_that_does_not_define_it(step: str) -> None:
    task_ground = ground(
        task_from_text(TASK.replace("all(v.n > 0 for v in visits)", "abs(count(v for v in visits if v.n > 1)) > 0"))
    )
    body: Any = task_ground.instances[0].constraint.body
    odd = replace(body, operands=(replace(body.operands[0], function="odd"), body.operands[1]))
    instance = replace(task_ground.instances[0], constraint=replace(task_ground.instances[0].constraint, body=odd))
    with pytest.raises(AssertionError, match="builtin odd"):
        STEPS_OF_BUILTINS[step](replace(task_ground, instances=(instance,)))


def test_contributing_lists_the_modules_that_have_to_define_a_kind_of_node() -> None:
    text = (ROOT / ".github/CONTRIBUTING.md").read_text("utf-8")
    recipe = text.partition("## Add a kind of node")[2].partition("\n## ")[0]
    named = re.findall(r"`((?:dsl|verifiers|solvers|tests)/\S+\.py)`", recipe)
    assert set(MODULES) <= set(named)
