"""Constant keys that no row of a table has: the look-up is none on every plan, and the rule around it says nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.suggestions import did_you_mean
from planspec.dsl.model import tree as t
from planspec.dsl.model.facts import Facts
from planspec.dsl.model.memory import Kind
from planspec.dsl.model.task import Task, TaskPart
from planspec.dsl.model.traversal import children, part_expressions
from planspec.dsl.model.types import ScalarType
from planspec.dsl.model.value_text import show_key


@dataclass(frozen=True, slots=True)
class _ConstantKey:
    """A constant that stands for the key of a row, or for the one column of such a key.

    Attributes:
        table: the name of the table.
        key: the values of the key columns.
        node: where it stands.
    """

    table: str
    key: tuple[Any, ...]
    node: t.Expr


CONSTANT_KEYS: Kind[TaskPart | t.Definition, tuple[_ConstantKey, ...]] = Kind("constant keys of rules")


def absent_keys(task: Task, report: Report, *, incomplete: Iterable[str]) -> None:
    """Warn of constant keys that no row has, unless the rule asks whether the row is there.

    Args:
        task: without mistakes.
        report: takes PS419.
        incomplete: names of tables of which not all rows are known.
    """
    unknown = set(incomplete)
    known = task.shared.of(CONSTANT_KEYS)
    parts: list[TaskPart | t.Definition] = [*task.constraints, *task.objectives, *task.scope]
    parts += task.definitions.values()
    for part in parts:
        keys = known.get(part)
        if keys is None:
            keys = known[part] = tuple(_constant_keys(_roots(part)))
        for each in keys:
            if each.table not in unknown and _is_absent(task, each):
                _warn(task.facts[each.table], each, task.currency, report)


def _is_absent(task: Task, each: _ConstantKey) -> bool:
    table = task.tables[each.table]
    return (
        not table.plan
        and len(table.key) == len(each.key)
        and each.table in task.facts
        and each.key not in task.facts[each.table].by_key
    )


def _roots(part: TaskPart | t.Definition) -> Iterator[t.Expr]:
    if isinstance(part, t.Definition):
        yield part.body
    else:
        yield from part_expressions(part)


def _constant_keys(roots: Iterable[t.Expr]) -> Iterator[_ConstantKey]:
    """Those whose absence no part of the same rule asks about."""
    found: list[_ConstantKey] = []
    asked: set[tuple[str, tuple[Any, ...]]] = set()
    stack = [(root, False) for root in roots]
    while stack:
        node, guarded = stack.pop()
        for each in _keys_of(node):
            found.append(each)
            if guarded:
                asked.add((each.table, each.key))
        match node:
            case t.IsNone():
                stack.append((node.operand, True))
            case t.Coalesce():
                stack += [(node.left, True), (node.right, guarded)]
            case t.FieldOf() | t.Lookup():
                stack += [(child, guarded) for child in children(node)]
            case _:
                stack += [(child, False) for child in children(node)]
    return (each for each in found if (each.table, each.key) not in asked)


def _keys_of(node: t.Expr) -> Iterator[_ConstantKey]:
    match node:
        case t.Lookup(table=table, keys=keys) if not table.plan and len(keys) == len(table.key):
            if all(isinstance(key, t.Literal) for key in keys):
                values = tuple(key.value for key in keys if isinstance(key, t.Literal))
                yield _ConstantKey(table.name, values, node)
        case t.Compare(operands=operands, ops=ops) if set(ops) <= {"==", "!="}:
            tables = {name for operand in operands if (name := _key_column(operand)) is not None}
            if len(tables) == 1:
                (name,) = tables
                for operand in operands:
                    if isinstance(operand, t.Literal):
                        yield _ConstantKey(name, (operand.value,), operand)
        case t.InSet(item=item, collection=t.SetLiteral(items=items)) if _key_column(item) is not None:
            for member in items:
                if isinstance(member, t.Literal):
                    yield _ConstantKey(str(_key_column(item)), (member.value,), member)


def _key_column(node: t.Expr) -> str | None:
    """The table of which the expression is the key as a text: `row.id`, or `key(row)`; None for anything else."""
    match node:
        case t.FieldOf(row=row, column=column) if column.type is ScalarType.TEXT:
            table = getattr(row.type, "table", None)
            return table if table is not None and column.key else None
    return None


def _warn(facts: Facts, absent: _ConstantKey, currency: str | None, report: Report) -> None:
    table, span = facts.table, absent.node.span
    types = [table.columns[column].type for column in table.key]
    told = ", ".join(show_key(value, type_, currency) for value, type_ in zip(absent.key, types, strict=True))
    near = None
    if len(absent.key) == 1 and isinstance(absent.key[0], str):
        near = did_you_mean(absent.key[0], [key[0] for key in facts.by_key if isinstance(key[0], str)])
    report.warning(
        "PS419", f"`{table.name}` has no row `{told}`", span, "no row has this key",
        help=near or "if that is meant, write `??` behind it, or ask whether it `is none`",
    )  # fmt: skip
