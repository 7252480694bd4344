"""Literals in the expressions of a task, and results of calculations with them.

The scope (bounds of the search) is left out, because type checking it can take longer than all the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from operator import add, mul, sub
from typing import Any, TypeAlias

from planspec.dsl.model import tree as t
from planspec.dsl.model.memory import Kind
from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import Objective, Task
from planspec.dsl.model.traversal import children, part_expressions
from planspec.dsl.model.types import Type

Part: TypeAlias = t.Constraint | t.Definition | Objective
CALCULATE: Mapping[str, Callable[[Any, Any], Any]] = {"+": add, "-": sub, "*": mul}


@dataclass(frozen=True, slots=True, eq=False)
class PartNodes:
    """Nodes in a task's expressions: literals, rows named by key, and simple calculations.

    A calculation is simple if it adds, subtracts or multiplies two operands, and each operand is a literal or a given
    parameter.
    """

    literals: tuple[t.Literal, ...]
    rows: tuple[t.RowNamed, ...]
    calculations: tuple[t.Arith, ...]


Parts: TypeAlias = tuple[Part, ...]
NODES: Kind[Parts, PartNodes] = Kind("literals, named rows and calculations of the parts of a task")


def task_nodes(task: Task) -> tuple[PartNodes, PartNodes]:
    """Return the nodes in the task's own document, and those in other documents, which several tasks share."""
    own: list[Part] = []
    common: list[Part] = []
    for part in _parts(task):
        (own if part.span.source is task.span.source else common).append(part)
    memory, key = task.shared.of(NODES), tuple(common)
    nodes = memory.get(key)
    if nodes is None:
        nodes = memory[key] = part_nodes(common)
    return part_nodes(own), nodes


def named_rows(task: Task, nodes: PartNodes) -> Iterator[Row]:
    """Yield the rows of static tables to which nodes refer by name."""
    for node in nodes.rows:
        facts = task.facts.get(node.table.name)
        row = None if facts is None else facts.by_key.get((node.key,))
        if row is not None:
            yield row


def results(task: Task, nodes: PartNodes) -> Iterator[tuple[Any, Type]]:
    """Yield the result and type of each calculation in `nodes`, such as `2 * rounds`.

    Each operand is a literal or a given parameter. The calculation is skipped if an operand has no numeric value in the
    task.
    """
    for node in nodes.calculations:
        left, right = (_operand(side, task) for side in (node.left, node.right))
        if left is not None and right is not None:
            yield CALCULATE[node.op](left, right), node.type


def _parts(task: Task) -> Iterator[Part]:
    yield from task.constraints
    yield from task.definitions.values()
    yield from task.objectives


def part_nodes(parts: Iterable[Part]) -> PartNodes:
    """Return the literals, named rows and simple calculations in parts of a task."""
    roots: list[t.Expr] = []
    for part in parts:
        roots += [part.body] if isinstance(part, t.Definition) else part_expressions(part)
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
