"""Walking a checked tree: children, and every node below."""

from __future__ import annotations

from collections.abc import Iterator

from planspec.dsl.model import tree as t
from planspec.dsl.model.task import Task


def children(node: t.Expr) -> Iterator[t.Expr]:
    """The expressions directly inside a node, in the order of their evaluation."""
    match node:
        case t.Apply(args=args):
            yield from args
        case t.FieldOf(row=row) | t.IsUnknown(row=row):
            yield row
        case t.Lookup(keys=keys):
            yield from keys
        case t.Negate(operand=x) | t.Not(operand=x) | t.IsNone(operand=x):
            yield x
        case t.Arith(left=a, right=b) | t.Coalesce(left=a, right=b):
            yield a
            yield b
        case t.Compare(operands=xs) | t.Logic(operands=xs):
            yield from xs
        case t.InSet(item=a, collection=b):
            yield a
            yield b
        case t.Conditional(condition=c, then=a, otherwise=b):
            yield c
            yield a
            yield b
        case t.Call(args=xs) | t.SetLiteral(items=xs):
            yield from xs
        case t.Aggregate(body=body, clauses=clauses, by=by):
            yield from of_clauses(clauses)
            yield body
            if by is not None:
                yield by
        case t.SetOf(body=body, clauses=clauses):
            yield from of_clauses(clauses)
            yield body
        case t.RangeOf(low=a, high=b, step=step):
            yield a
            yield b
            if step is not None:
                yield step
        case t.Steps(body=body, clauses=clauses, by=by, per=per):
            yield from of_clauses(clauses)
            yield body
            if by is not None:
                yield by
            if per is not None:
                yield per


def of_clauses(clauses: tuple[t.Clause, ...]) -> Iterator[t.Expr]:
    """The sources and conditions of clauses."""
    for clause in clauses:
        yield clause.source
        if clause.condition is not None:
            yield clause.condition


def walk(*roots: t.Expr) -> Iterator[t.Expr]:
    """The nodes and all below them, the bodies of applied definitions included once each."""
    seen: set[int] = set()
    stack = list(roots)
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, t.Apply) and id(node.definition) not in seen:
            seen.add(id(node.definition))
            stack.append(node.definition.body)
            stack.extend(part for part in node.definition.message or () if not isinstance(part, str))
        stack.extend(children(node))


def free_variables(expr: t.Expr) -> tuple[t.Binding, ...]:
    """The variables that an expression reads and does not bind, each once."""
    if isinstance(expr, t.Var):
        return (expr.binding,)
    clauses = expr.clauses if isinstance(expr, t.Aggregate | t.SetOf | t.Steps) else ()
    bound = {target for clause in clauses for target in clause.targets}
    read = dict.fromkeys(binding for part in children(expr) for binding in free_variables(part))
    return tuple(binding for binding in read if binding not in bound)


def task_expressions(task: Task) -> Iterator[t.Expr]:
    """The root expressions of everything in a task but its definitions."""
    for constraint in task.constraints:
        yield from of_clauses(constraint.clauses)
        for root in (constraint.when, constraint.weight, constraint.body, constraint.margin):
            if root is not None:
                yield root
        for text in (constraint.message, constraint.says):
            yield from (part for part in text or () if not isinstance(part, str))
    for row in task.scope:
        yield from of_clauses(row.clauses)
        yield from (field.domain for field in row.fields.values())
    yield from (objective.expression for objective in task.objectives)


def every_node(task: Task) -> Iterator[t.Expr]:
    """The nodes of everything in a task, its definitions included."""
    yield from walk(*task_expressions(task))
    for definition in task.definitions.values():
        yield from walk(
            definition.body, *(part for part in definition.message or () if not isinstance(part, str))
        )
