"""Literals in the parts of a task, and results of calculations with them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from operator import add, mul, sub
from typing import Any, TypeAlias

from planspec.dsl.model import tree as t
from planspec.dsl.model.memory import Kind
from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import Objective, ScopeRow, Task
from planspec.dsl.model.traversal import children, part_expressions
from planspec.dsl.model.types import Type

Part: TypeAlias = t.Constraint | t.Definition | Objective | ScopeRow
CALCULATE: Mapping[str, Callable[[Any, Any], Any]] = {"+": add, "-": sub, "*": mul}


@dataclass(frozen=True, slots=True)
class PartNodes:
    """Nodes of a part of a task: its literals, named rows, and calculations with two literals or givens."""

    literals: tuple[t.Literal, ...]
    rows: tuple[t.RowNamed, ...]
    calculations: tuple[t.Arith, ...]


NODES: Kind[Part, PartNodes] = Kind("literals and calculations of the parts of a task")


def literals(task: Task) -> Iterator[t.Literal]:
    """Yield the literals of constraints, definitions, objectives and the scope."""
    return (literal for part in _parts(task) for literal in nodes_of(task, part).literals)


def named_rows(task: Task) -> Iterator[Row]:
    """Yield the rows of static tables that constraints, definitions, objectives and the scope name."""
    for part in _parts(task):
        for node in nodes_of(task, part).rows:
            facts = task.facts.get(node.table.name)
            key = node.key if isinstance(node.key, tuple) else (node.key,)
            row = None if facts is None else facts.by_key.get(key)
            if row is not None:
                yield row


def results(task: Task) -> Iterator[tuple[Any, Type]]:
    """Yield the results of calculations with two literals or givens, such as `2 * rounds`."""
    for part in _parts(task):
        for node in nodes_of(task, part).calculations:
            left, right = (_operand(side, task) for side in (node.left, node.right))
            if left is not None and right is not None:
                yield CALCULATE[node.op](left, right), node.type


def nodes_of(task: Task, part: Part) -> PartNodes:
    """Return the literals and calculations in a part of a task, which tasks on the same documents share."""
    memory = task.shared.of(NODES)
    nodes = memory.get(part)
    if nodes is None:
        nodes = memory[part] = _part_nodes(part)
    return nodes


def _parts(task: Task) -> Iterator[Part]:
    yield from task.constraints
    yield from task.definitions.values()
    yield from task.objectives
    yield from task.scope


def _part_nodes(part: Part) -> PartNodes:
    """Return the literals and simple calculations in a part of a task."""
    roots = [part.body] if isinstance(part, t.Definition) else list(part_expressions(part))
    nodes = list(_nodes(roots))
    return PartNodes(
        tuple(node for node in nodes if isinstance(node, t.Literal)),
        tuple(node for node in nodes if isinstance(node, t.RowNamed)),
        tuple(node for node in nodes if isinstance(node, t.Arith) and node.op in CALCULATE and _is_simple(node)),
    )


def _is_simple(node: t.Arith) -> bool:
    return all(isinstance(side, t.Literal | t.GivenRef) for side in (node.left, node.right))


def _operand(node: t.Expr, task: Task) -> int | Fraction | None:
    value = None
    if isinstance(node, t.Literal):
        value = node.value
    elif isinstance(node, t.GivenRef):
        value = task.givens.get(node.given.name)
    return value if isinstance(value, int | Fraction) and not isinstance(value, bool) else None


def _nodes(roots: Iterable[t.Expr]) -> Iterator[t.Expr]:
    stack = list(roots)
    while stack:
        node = stack.pop()
        yield node
        stack.extend(children(node))
