"""Rules of a task that a monitor can enforce while a plan is built, and the codes of their refusals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from planspec.dsl.diagnostics.source import Span
from planspec.dsl.model import tree as t
from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import Task
from planspec.dsl.model.traversal import walk
from planspec.dsl.model.types import RowType, ScalarType, ScaledType
from planspec.family.descriptor import Part
from planspec.family.registry import family_of
from planspec.monitor import replies
from planspec.monitor.replies import Refusal
from planspec.verifiers.compiled.compile import Compiled, compile_task
from planspec.verifiers.meaning.explain import explain
from planspec.verifiers.meaning.ground import Ground, Instance, ground
from planspec.verifiers.meaning.interpret import comparable
from planspec.verifiers.meaning.plan_rows import Plan
from planspec.verifiers.meaning.verdict import RowRef, row_ref
from planspec.verifiers.monotone.watch import MonotonePart, monotone_parts

REFUSAL_CODES: Part[Mapping[str, str]] = Part("refusal_codes", {})
"""Codes of the monitor's refusals, by rule, for rules whose form does not determine a code."""


@dataclass(frozen=True, slots=True)
class Guard:
    """A guard: a rule, or a part of one, that stays violated once it is violated, whatever is added to the plan.

    Attributes:
        constraint: id of the rule.
        code: code of the refusal of an action that would violate the guard.
        span: source text of the guarded part.
        why: reason why added rows and filled cells cannot repair a violation of the guarded part.
        watch: the part of the rule that is checked.
    """

    constraint: str
    code: str
    span: Span
    why: str
    watch: MonotonePart = field(repr=False, compare=False)

    @property
    def text(self) -> str:
        """Source text of the guarded part, on one line."""
        return " ".join(self.span.text.split())

    def __str__(self) -> str:
        return f"{self.constraint}: {self.code}: {self.text} ({self.why})"


def guards(task: Task | Ground) -> tuple[Guard, ...]:
    """Return the guards that a monitor enforces for a task, in the order of its rules.

    Which parts of a rule are guarded depends only on the form of the rule.

    Raises:
        DiagnosticError: the task's scope or instances have errors.
    """
    grounded = ground(task) if isinstance(task, Task) else task
    return tuple(
        Guard(
            watch.constraint.id,
            _refusal_code(grounded.task, watch),
            watch.part.span,
            "; ".join(watch.reasons),
            watch,
        )
        for watch in monotone_parts(grounded)
    )


def _refusal_code(task: Task, watch: MonotonePart) -> str:
    codes = REFUSAL_CODES.of(family_of(task.family))
    if watch.constraint.id in codes:
        return codes[watch.constraint.id]
    for node in _conditions(watch.plain):
        match node:
            case t.Compare(operands=parts) if any(_is_money(part) and _has_sum(part) for part in parts):
                return replies.BUDGET_EXCEEDED
            case t.Aggregate(function="all_different", body=body) if isinstance(body.type, RowType):
                if not task.tables[body.type.table].plan:
                    return replies.DUPLICATE_VENUE
    return "".join(c if c.isalnum() else "_" for c in watch.constraint.id).upper()


def _conditions(rule: t.Expr) -> Iterator[t.Expr]:
    """Yield a rule and the conditions in it: operands of logical operators, and bodies of `all`."""
    yield rule
    if isinstance(rule, t.Aggregate) and rule.function == "all":
        yield from _conditions(rule.body)
    elif isinstance(rule, t.Logic):
        for operand in rule.operands:
            yield from _conditions(operand)


def _is_money(part: t.Expr) -> bool:
    return part.type is ScalarType.MONEY or (isinstance(part.type, ScaledType) and part.type.unit is ScalarType.MONEY)


def _has_sum(part: t.Expr) -> bool:
    return any(isinstance(node, t.Aggregate) and node.function == "sum" for node in walk(part))


class Watcher:
    """Checks by compiled code whether all guards hold on a plan.

    Args:
        ground: the task.
    """

    def __init__(self, ground: Ground) -> None:
        self.ground = ground
        self.guards = guards(ground)
        pairs = [
            (guard, instance)
            for guard in self.guards
            for instance in ground.instances
            if instance.constraint is guard.watch.constraint and instance.applicable
        ]
        self._pairs = pairs
        self._instances = tuple(_part_instance(guard.watch.condition, i, ground, guard) for guard, i in pairs)
        self._compiled: Compiled = compile_task(replace(ground, instances=self._instances))

    def refusal(self, plan: Plan) -> Refusal | None:
        """Return the refusal of a plan that violates a guard; None if all guards hold."""
        verdicts = self._compiled.judge(plan)
        if False not in verdicts:
            return None
        index = verdicts.index(False)
        guard, instance = self._pairs[index]
        return self._explain(guard, instance, self._instances[index], plan)

    def _explain(self, guard: Guard, instance: Instance, condition: Instance, plan: Plan) -> Refusal:
        watch = guard.watch
        part = _part_instance(watch.part, instance, self.ground, guard)
        explanation = explain(self.ground, part, plan, holds=False)
        message = explanation.message
        if watch.part is not watch.constraint.body and watch.constraint.message is not None:
            plain = replace(part, constraint=replace(part.constraint, message=None))
            message += f" ({explain(self.ground, plain, plan, holds=False).message})"
        margin, unit = explanation.margin, explanation.unit
        if margin is None or unit is None:  # a rule can lack a margin although a condition in it has one
            bare = replace(condition, constraint=replace(condition.constraint, margin=None))
            other = explain(self.ground, bare, plan, holds=False)
            margin, unit = other.margin, other.unit
        equal = self._equal_rows(condition.constraint.body, condition, plan)
        return Refusal(guard.code, instance.id, message, margin, equal or explanation.rows, unit)

    def _equal_rows(self, body: t.Expr, instance: Instance, plan: Plan) -> tuple[RowRef, ...]:
        """Return the rows that are equal although the rule requires them to differ; empty for other rules."""
        if not isinstance(body, t.Aggregate) or body.function != "all_different":
            return ()
        interpreter = self.ground.interpreter.on(plan)
        rows: dict[object, dict[Row, None]] = {}
        for env in interpreter.bindings(body.clauses, instance.env):
            value = comparable(interpreter.value(body.body, env), body.body.type)
            planned = (row for row in env.values() if isinstance(row, Row) and row._table.plan)
            rows.setdefault(value, {}).update(dict.fromkeys(planned))
        same = [row for alike in rows.values() if len(alike) > 1 for row in alike]
        return tuple(row_ref(row, self.ground.task.currency) for row in same)


def _part_instance(body: t.Expr, instance: Instance, ground: Ground, guard: Guard) -> Instance:
    """Return an instance of a rule whose body is only `body`, the guarded part."""
    whole = body is guard.watch.constraint.body
    constraint = replace(
        instance.constraint, body=body, margin=instance.constraint.margin if whole else None, span=guard.span
    )
    assert constraint.hard, f"{ground.task.id}: only hard rules are watched"
    return replace(instance, constraint=constraint)
