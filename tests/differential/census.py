"""Counts of random tasks that contain each kind of node, each operator, and each corner case of the language.

`python -m tests.differential.census [TASKS]` prints the table.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from typing import get_args

from planspec.dsl.check.builtins import BUILTINS
from planspec.dsl.diagnostics.diagnostic import DiagnosticError
from planspec.dsl.documents.documents import task_from_text
from planspec.dsl.model import tree as t
from planspec.dsl.model.task import Task
from planspec.dsl.model.traversal import children, free_variables, task_expressions, walk
from planspec.dsl.model.types import ListType, ScalarType, SetType, Stage
from planspec.verifiers.meaning.ground import Ground, ground
from tests.differential.agreement import reference_accepts, reference_of
from tests.differential.plans import all_plans, scope_size
from tests.differential.programs import seeded_choice, task_text
from tests.differential.reference import Reference

TASKS = 300
"""Default number of tasks."""
OPERATORS = [
    *["+", "-", "*", "//", "%", "==", "!=", "<", "<=", ">", ">=", "and", "or", "implies", "in"],
    "not in",
    "is none",
    "is not none",
]

Corner = Callable[[t.Expr, Reference], bool]


def is_planned(node: t.Expr) -> bool:
    """Return whether a node depends on the plan."""
    return node.stage is Stage.PLANNED


def compares_sets(node: t.Expr) -> bool:
    """Return whether a node is `==` or `!=` between two collections."""
    return isinstance(node, t.Compare) and isinstance(node.operands[0].type, SetType | ListType)


def is_membership_test(node: t.Expr, *, negated: bool) -> bool:
    """Return whether a node is a test of membership in a planned set: `in` or, if `negated`, `not in`."""
    return (
        isinstance(node, t.InSet)
        and node.negated == negated
        and is_planned(node.collection)
        and not isinstance(node.collection, t.RangeOf)
    )


def may_hold_none(node: t.Expr) -> bool:
    """Return whether a node is a planned set that may have the member *none*."""
    match node:
        case t.SetOf(body=body):
            return is_planned(node) and body.partial
        case t.SetLiteral(items=items):
            return is_planned(node) and any(item.partial for item in items)
        case t.Apply(definition=definition, args=()):
            return may_hold_none(definition.body)
        case _:
            return False


def operands(node: t.Expr) -> tuple[t.Expr, ...]:
    """Return the operands of a comparison, or the item and the collection of a test of membership."""
    if isinstance(node, t.InSet):
        return (node.item, node.collection)
    return node.operands if isinstance(node, t.Compare) else ()


def comparison_of(type_: ScalarType) -> Corner:
    """Return the corner case that two values of a type, at least one of them planned, are compared."""
    return lambda node, _: isinstance(node, t.Compare) and any(x.type is type_ and is_planned(x) for x in node.operands)


def is_chosen_row(node: t.Expr) -> bool:
    """Return whether a node is a row chosen by `first`, `last` or `the`, or a row to which one of these rows
    refers.
    """
    while isinstance(node, t.FieldOf):
        node = node.row
    return isinstance(node, t.Aggregate) and is_planned(node)


def is_set_column_of_chosen_row(node: t.Expr) -> bool:
    """Return whether a node is a set column of a chosen row."""
    return isinstance(node, t.FieldOf) and isinstance(node.type, SetType) and is_chosen_row(node)


def clauses_of(node: t.Expr) -> tuple[t.Clause, ...]:
    """Return the clauses of a generator, or an empty tuple for any other node."""
    return node.clauses if isinstance(node, t.Aggregate | t.SetOf | t.Steps) else ()


def range_with_given_step(sign: Callable[[int], bool], *, in_membership_test: bool = True) -> Corner:
    """Return the corner case of a range whose step is a given of a certain sign.

    Args:
        sign: function that returns whether a value has the required sign.
        in_membership_test: whether the range is the right side of `in`. Otherwise a generator iterates over it.
    """

    def corner(node: t.Expr, evaluator: Reference) -> bool:
        ranges = (
            [node.collection]
            if in_membership_test and isinstance(node, t.InSet)
            else []
            if in_membership_test
            else [c.source for c in clauses_of(node)]
        )
        return any(
            isinstance(r, t.RangeOf) and isinstance(r.step, t.GivenRef) and sign(evaluator.value(r.step, {}))
            for r in ranges
        )

    return corner


def strict_arguments(node: t.Expr) -> Iterator[t.Expr]:
    """Yield the arguments of a call that are passed to parameters which are not optional."""
    if isinstance(node, t.Apply):
        yield from (arg for param, arg in zip(node.definition.params, node.args, strict=True) if not param.optional)


def is_none_on_every_plan(node: t.Expr, evaluator: Reference) -> bool:
    """Return whether a node is *none* on every plan, because a static part of its arithmetic is *none*."""
    if not is_planned(node):
        return not free_variables(node) and evaluator.value(node, {}) is None
    return isinstance(node, t.Arith | t.Negate) and any(
        is_none_on_every_plan(part, evaluator) for part in children(node)
    )


def static_time(holds: Callable[[int], bool]) -> Corner:
    """Return the corner case of a static time whose value satisfies a predicate."""

    def corner(node: t.Expr, evaluator: Reference) -> bool:
        if node.type is not ScalarType.TIME or is_planned(node) or free_variables(node):
            return False
        value = evaluator.value(node, {})
        return value is not None and holds(value)

    return corner


def looks_up_twice(node: t.Expr, _: Reference) -> bool:
    """Return whether a comparison looks up one table twice by planned keys."""
    if not isinstance(node, t.Compare):
        return False
    tables = [n.table.name for n in walk(node) if isinstance(n, t.Lookup) and not n.table.plan and is_planned(n)]
    return len(tables) > len(set(tables))


CORNERS: dict[str, Corner] = {
    "a planned set against a list": lambda n, _: (
        compares_sets(n)
        and any(isinstance(x.type, ListType) for x in operands(n))
        and any(isinstance(x.type, SetType) and is_planned(x) for x in operands(n))
    ),
    "lists compared": lambda n, _: compares_sets(n) and all(isinstance(x.type, ListType) for x in operands(n)),
    "planned sets compared": lambda n, _: compares_sets(n) and all(is_planned(x) for x in operands(n)),
    "a set column compared": lambda n, _: (
        compares_sets(n) and any(isinstance(x, t.FieldOf) and is_planned(x) for x in operands(n))
    ),
    "a set whose members may be none compared": lambda n, _: compares_sets(n) and any(map(may_hold_none, operands(n))),
    "a set of rows compared": lambda n, _: (
        compares_sets(n)
        and any(
            isinstance(x.type, SetType) and isinstance(x, t.SetOf | t.SetLiteral) and is_planned(x) for x in operands(n)
        )
    ),
    "in a planned set": lambda n, _: is_membership_test(n, negated=False),
    "not in a planned set": lambda n, _: is_membership_test(n, negated=True),
    "in a set whose members may be none": lambda n, _: (
        is_membership_test(n, negated=False) and may_hold_none(operands(n)[1])
    ),
    "not in a set whose members may be none": lambda n, _: (
        is_membership_test(n, negated=True) and may_hold_none(operands(n)[1])
    ),
    "not in what a function of none gives": lambda n, _: (
        is_membership_test(n, negated=True) and any(a.partial for a in strict_arguments(operands(n)[1]))
    ),
    "a set column of a chosen row": lambda n, _: is_set_column_of_chosen_row(n),
    "ranging over a set column of a chosen row": lambda n, _: any(
        is_set_column_of_chosen_row(c.source) for c in clauses_of(n)
    ),
    "ranging over a set column of a planned row": lambda n, _: any(
        isinstance(c.source, t.FieldOf) and is_planned(c.source) for c in clauses_of(n)
    ),
    "an argument that may be none": lambda n, _: any(a.partial and is_planned(a) for a in strict_arguments(n)),
    "an argument that is none on every plan": lambda n, evaluator: any(
        is_none_on_every_plan(a, evaluator) for a in strict_arguments(n)
    ),
    "a planned argument that is none on every plan": lambda n, evaluator: any(
        is_planned(a) and is_none_on_every_plan(a, evaluator) for a in strict_arguments(n)
    ),
    "an optional parameter given what may be none": lambda n, _: (
        isinstance(n, t.Apply)
        and any(p.optional and a.partial for p, a in zip(n.definition.params, n.args, strict=True))
    ),
    "in a range with a step": lambda n, _: (
        isinstance(n, t.InSet) and isinstance(n.collection, t.RangeOf) and n.collection.step is not None
    ),
    "in a range with a given step": range_with_given_step(lambda s: s > 0),
    "in a range with a given step of 0": range_with_given_step(lambda s: s == 0),
    "in a range with a given step below 0": range_with_given_step(lambda s: s < 0),
    "ranging with a given step": range_with_given_step(lambda s: s > 0, in_membership_test=False),
    "ranging with a given step of 0": range_with_given_step(lambda s: s == 0, in_membership_test=False),
    "ranging with a given step below 0": range_with_given_step(lambda s: s < 0, in_membership_test=False),
    "in a range with planned ends": lambda n, _: (
        isinstance(n, t.InSet) and isinstance(n.collection, t.RangeOf) and is_planned(n.collection)
    ),
    "a table looked up twice": looks_up_twice,
    "a lookup by part of the key": lambda n, _: isinstance(n, t.Lookup) and len(n.keys) < len(n.table.key),
    "a lookup of a plan's row by planned keys": lambda n, _: (
        isinstance(n, t.Lookup) and n.table.plan and any(map(is_planned, n.keys))
    ),
    "Boolean columns compared": lambda n, _: (
        isinstance(n, t.Compare) and all(isinstance(x, t.FieldOf) and x.type is ScalarType.BOOL for x in n.operands)
    ),
    "conditions compared": lambda n, _: (
        isinstance(n, t.Compare) and any(isinstance(x, t.Compare | t.Logic | t.Not) for x in n.operands)
    ),
    "a chain of comparisons": lambda n, _: isinstance(n, t.Compare) and len(n.ops) > 1,
    "a time before midnight's 00:00": static_time(lambda minutes: minutes < 0),
    "a time past midnight": static_time(lambda minutes: minutes >= 1440),
    "moments compared": comparison_of(ScalarType.MOMENT),
    "decimals compared": comparison_of(ScalarType.DECIMAL),
    "dates compared": comparison_of(ScalarType.DATE),
    "distances compared": comparison_of(ScalarType.DISTANCE),
    "texts compared": comparison_of(ScalarType.TEXT),
    "a unit times a decimal": lambda n, _: str(n.type).endswith("times a decimal"),
    "steps within groups": lambda n, _: isinstance(n, t.Steps) and n.per is not None,
    "steps within groups by sets": lambda n, _: (
        isinstance(n, t.Steps) and n.per is not None and isinstance(n.per.type, SetType)
    ),
    "steps by what may be none": lambda n, _: isinstance(n, t.Steps) and n.by is not None and n.by.partial,
    "steps of a list": lambda n, _: isinstance(n, t.Steps) and n.by is None,
    "first or last by what may be none": lambda n, _: isinstance(n, t.Aggregate) and n.by is not None and n.by.partial,
    "a sum whose terms may be none": lambda n, _: isinstance(n, t.Aggregate) and n.function == "sum" and n.body.partial,
    "a generator of two clauses": lambda n, _: len(clauses_of(n)) > 1,
    "rows of a bag": lambda n, _: isinstance(n, t.AllRows) and n.table.plan and not n.table.key and not n.table.one,
    "a division by what may be none or 0": lambda n, _: (
        isinstance(n, t.Arith) and n.op in ("//", "%") and not isinstance(n.right, t.Literal)
    ),
}
"""Corner cases of the language by name. Each is a function that returns whether a node is an example of the case."""

CONSTRAINTS: dict[str, Callable[[t.Constraint], bool]] = {
    "for:": lambda c: bool(c.clauses),
    "for: with two variables": lambda c: len(c.clauses) > 1,
    "for: with a filter": lambda c: any(clause.condition is not None for clause in c.clauses),
    "when:": lambda c: c.when is not None,
    "soft": lambda c: not c.hard,
    "soft with a weight": lambda c: c.weight is not None,
}


def nodes_of(task: Task) -> Iterator[t.Expr]:
    """Yield every node of a task's constraints and objectives and of the definitions that they use."""
    roots = [c.body for c in task.constraints]
    yield from walk(*roots, *(objective.expression for objective in task.objectives))
    yield from (root for root in task_expressions(task) if root not in roots)


def operators_of(node: t.Expr) -> Iterator[str]:
    """Yield the operators and builtins of a node."""
    match node:
        case t.Arith(op=op) | t.Logic(op=op):
            yield op
        case t.Compare(ops=ops):
            yield from ops
        case t.InSet(negated=negated):
            yield "not in" if negated else "in"
        case t.IsNone(negated=negated):
            yield "is not none" if negated else "is none"
        case t.Call(function=function) | t.Aggregate(function=function) | t.Intervals(function=function):
            yield function
        case t.Steps():
            yield "steps"
        case _:
            return


def corners_of_task(task_ground: Ground) -> Iterator[str]:
    """Yield the corner cases that occur in a task's scope, instances and objectives."""
    rows = [row for those in task_ground.rows.values() for row in those]
    applicable = {i.applicable for i in task_ground.instances}
    if False in applicable:
        yield "an instance that is not applicable"
    if any(row.optional for row in rows):
        yield "an optional row"
    if any(not row.table.key and not row.table.one for row in rows):
        yield "rows of a bag in scope"
    open_keys = [row for row in task_ground.rows["picks"] if row.fields["slot"].open]
    if open_keys:
        yield "rows that may have one key"
    if any(row.fields["start"].admits(1500) for row in task_ground.rows["picks"]):
        yield "a field past midnight"
    if any(row.fields["part"].open for row in task_ground.rows["picks"]):
        yield "an open decimal"
    objective = task_ground.task.objective
    if len(task_ground.task.objectives) > 1:
        yield "two objectives"
    if objective is None or scope_size(task_ground) > 100:
        return
    evaluator = reference_of(task_ground.task)
    values = {
        evaluator.on(plan).objective() is None
        for plan in all_plans(task_ground)
        if reference_accepts(task_ground, plan)
    }
    if values == {False}:
        yield "an objective with a value on every plan"
    if values == {True, False}:
        yield "an objective that is none on some plans"
    if values == {True}:
        yield "an objective that is none on every plan"


CORNERS_OF_TASKS = [
    "two objectives",
    "an instance that is not applicable",
    "an optional row",
    "rows of a bag in scope",
    "rows that may have one key",
    "a field past midnight",
    "an open decimal",
    "an objective with a value on every plan",
    "an objective that is none on some plans",
    "an objective that is none on every plan",
]


def census(count: int) -> Counter[str]:
    """Count the random tasks in which each kind of node, each operator and each corner case occurs.

    The first `count` tasks are generated. The result also has the keys with the count 0.
    """
    kinds = [kind.__name__ for kind in get_args(t.Expr)]
    everything = [
        *kinds,
        *OPERATORS,
        *BUILTINS,
        *CORNERS,
        *CONSTRAINTS,
        *CORNERS_OF_TASKS,
        "tasks",
        "refused",
    ]
    counts: Counter[str] = Counter(dict.fromkeys(everything, 0))
    for seed in range(count):
        counts["tasks"] += 1
        try:
            task_ground = ground(task_from_text(task_text(seeded_choice(seed))))
        except DiagnosticError:
            counts["refused"] += 1
            continue
        evaluator = reference_of(task_ground.task)
        seen = {name for c in task_ground.task.constraints for name, holds in CONSTRAINTS.items() if holds(c)}
        seen.update(corners_of_task(task_ground))
        for node in nodes_of(task_ground.task):
            seen.add(type(node).__name__)
            seen.update(operators_of(node))
            seen.update(name for name, corner in CORNERS.items() if name not in seen and corner(node, evaluator))
        counts.update(seen)
    return counts


if __name__ == "__main__":
    table = census(int(sys.argv[1]) if len(sys.argv) > 1 else TASKS)
    for name, number in table.items():
        sys.stdout.write(f"{number:6}  {name}\n")
