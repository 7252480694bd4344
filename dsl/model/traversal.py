"""Traversal of checked trees: a node's children, their replacement, and a node's shape (all except its children).

All three are derived from the fields of the node classes, so that a new kind of node needs no code here. Only the
order of fields matters: the clauses of a node must come before the fields in which their variables are visible.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from operator import attrgetter
from typing import Any, TypeAlias, TypeVar, assert_never, get_type_hints

from planspec.dsl.model import tree as t
from planspec.dsl.model.task import Objective, ScopeRow, Task, TaskPart
from planspec.dsl.model.types import Column, EnumType, Table
from planspec.dsl.syntax.node_fields import NodeField, node_fields, reader

E = TypeVar("E", bound=t.Typed)
Children: TypeAlias = tuple[t.Expr, ...]
Shape: TypeAlias = tuple[Hashable, ...]
Targets: TypeAlias = tuple[t.Binding, ...]
NodeLabel: TypeAlias = Callable[[Any, Mapping[t.Binding, Hashable]], Hashable]

DECLARED = (Table, Column, EnumType, t.Given, t.Definition)
"""Classes of declarations. Nodes that refer to a declaration are compared by its name."""
_NONE_RENAMED: Mapping[t.Binding, Hashable] = {}


@dataclass(frozen=True, slots=True)
class _Layout:
    """The fields of one class of nodes.

    Attributes:
        binders: fields that hold clauses.
        parts: the other fields with nodes.
        labels: functions from a node to its values in fields without nodes, which are part of its shape.
    """

    children: Callable[[Any], Children]
    clauses: Callable[[Any], tuple[t.Clause, ...]]
    binders: tuple[NodeField, ...]
    parts: tuple[NodeField, ...]
    labels: tuple[NodeLabel, ...]


def children(node: t.Expr) -> Children:
    """Return a node's children in the order of evaluation. The body of a called definition is not a child."""
    return _layout(node).children(node)


def clauses(node: t.Expr) -> tuple[t.Clause, ...]:
    """Return the clauses of a node, which bind variables; empty if it has none."""
    return _layout(node).clauses(node)


def rebuild(
    node: E, child: Callable[[t.Expr], t.Expr], bound: Callable[[Targets], Targets] = lambda targets: targets
) -> E:
    """Return a copy of a node with other children.

    Args:
        node: the node.
        child: returns the replacement of a child; called in the order of evaluation.
        bound: returns the replacements of a clause's variables; called after its source and before its condition.
    """
    layout = _layout(node)
    values: dict[str, Any] = {}
    for field in layout.binders:
        values[field.name] = tuple(_clause(clause, child, bound) for clause in getattr(node, field.name))
    for field in layout.parts:
        value = getattr(node, field.name)
        if isinstance(value, tuple):
            values[field.name] = tuple(map(child, value))
        elif value is not None:
            values[field.name] = child(value)
    return replace(node, **values) if values else node


def shape(node: t.Expr, renamed: Mapping[t.Binding, Hashable] = _NONE_RENAMED) -> Shape:
    """Return the shape of a node: everything except its children.

    Two expressions have the same structure if their shapes are equal, and their children have pairwise the
    same structure.

    Args:
        node: the node.
        renamed: values that stand for variables. A variable without an entry equals only itself.
    """
    kind: type = type(node)
    return (kind, *[label(node, renamed) for label in _layout(node).labels])


def clause_expressions(clauses: tuple[t.Clause, ...]) -> Iterator[t.Expr]:
    """Yield the sources and conditions of clauses."""
    for clause in clauses:
        yield clause.source
        if clause.condition is not None:
            yield clause.condition


def walk(*roots: t.Expr, done: set[t.Definition] | None = None) -> Iterator[t.Expr]:
    """Yield the nodes, all their descendants, and the bodies of the definitions that they use, each body once.

    Args:
        roots: expressions.
        done: definitions whose bodies are skipped; updated with the visited definitions.
    """
    seen = set[t.Definition]() if done is None else done
    stack = list(roots)
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, t.Apply) and node.definition not in seen:
            seen.add(node.definition)
            stack.append(node.definition.body)
            stack.extend(part for part in node.definition.message or () if not isinstance(part, str))
        stack.extend(children(node))


def free_variables(expr: t.Expr) -> tuple[t.Binding, ...]:
    """Return the variables that an expression reads but does not bind, without duplicates."""
    if isinstance(expr, t.Var):
        return (expr.binding,)
    bound = {target for clause in clauses(expr) for target in clause.targets}
    read = dict.fromkeys(binding for part in children(expr) for binding in free_variables(part))
    return tuple(binding for binding in read if binding not in bound)


def task_expressions(task: Task) -> Iterator[t.Expr]:
    """Yield the root expressions of a task, except its definitions."""
    parts: list[TaskPart] = [*task.constraints, *task.objectives, *task.scope]
    for part in parts:
        yield from part_expressions(part)


def part_expressions(part: TaskPart) -> Iterator[t.Expr]:
    """Yield the root expressions of a constraint, an objective or an entry of the scope."""
    match part:
        case t.Constraint():
            yield from clause_expressions(part.clauses)
            for root in (part.when, part.weight, part.body, part.margin):
                if root is not None:
                    yield root
            for text in (part.message, part.says):
                yield from (piece for piece in text or () if not isinstance(piece, str))
        case Objective():
            yield part.expression
        case ScopeRow():
            yield from clause_expressions(part.clauses)
            yield from (field.domain for field in part.fields.values())
        case _:
            assert_never(part)


def every_node(task: Task) -> Iterator[t.Expr]:
    """Yield the nodes of a task, including nodes of its definitions."""
    yield from walk(*task_expressions(task))
    for definition in task.definitions.values():
        yield from walk(definition.body, *(part for part in definition.message or () if not isinstance(part, str)))


# -- layouts of the node classes --------------------------------------------------------------------


_LAYOUTS: dict[type, _Layout] = {}


def _layout(node: t.Typed) -> _Layout:
    kind: type = type(node)
    layout = _LAYOUTS.get(kind)
    if layout is None:
        layout = _LAYOUTS[kind] = _layout_of(kind)
    return layout


def _layout_of(kind: type) -> _Layout:
    node_fields_ = node_fields(kind, (t.Typed, t.Clause))
    binders = tuple(field for field in node_fields_ if t.Clause in field.kinds)
    parts = tuple(field for field in node_fields_ if field not in binders)
    for field in node_fields_:
        if field.form == "nested" or (field in binders and field.form != "many"):
            raise TypeError(f"{kind.__name__}.{field.name}: a checked node holds nodes one by one or in a tuple")
    common = {field.name for field in fields(t.Typed)}
    hints = get_type_hints(kind)
    labels: list[NodeLabel] = [_clauses_label(field.name) for field in binders]
    for field in parts if len(node_fields_) > 1 else ():  # with a single field, its count is the number of children
        labels += () if field.form == "one" else (_count_label(field.name),)
    for name in (field.name for field in fields(kind)):
        if name not in common and all(name != field.name for field in node_fields_):
            labels.append(_node_label(name, hints[name]))
    bound_clauses, part_nodes = reader(binders), reader(parts)
    return _Layout(
        (lambda node: (*clause_expressions(bound_clauses(node)), *part_nodes(node))) if binders else part_nodes,
        bound_clauses,
        binders,
        parts,
        tuple(labels),
    )


def _node_label(name: str, hint: Any) -> NodeLabel:
    """Return a function that gives, for a node, the part of its shape for a field without nodes.

    Args:
        name: name of the field.
        hint: annotation of the field.
    """
    get = attrgetter(name)
    if hint == tuple[t.Binding, ...]:  # variables that only messages see
        return lambda node, _: len(get(node))
    if hint is t.Binding:
        return lambda node, renamed: renamed.get(get(node), get(node))
    if hint in DECLARED:
        named = attrgetter(f"{name}.name")
        return lambda node, _: named(node)
    if hint is Any:  # in Python, True == 1, but they are different constants
        return lambda node, _: (type(get(node)), get(node))
    return lambda node, _: get(node)


def _count_label(name: str) -> NodeLabel:
    """Return a function from a node to the number of nodes in one of its fields."""
    get = attrgetter(name)
    return lambda node, _: len(value) if isinstance(value := get(node), tuple) else value is not None


def _clauses_label(name: str) -> NodeLabel:
    get = attrgetter(name)
    return lambda node, _: tuple((len(clause.targets), clause.condition is None) for clause in get(node))


def _clause(clause: t.Clause, child: Callable[[t.Expr], t.Expr], bound: Callable[[Targets], Targets]) -> t.Clause:
    source = child(clause.source)
    targets = bound(clause.targets)
    return t.Clause(targets, source, None if clause.condition is None else child(clause.condition))
