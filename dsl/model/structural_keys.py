"""Structural keys: one number for each structure, equal for two mentions of the same value."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TypeAlias

from planspec.dsl.model import tree as t

Key: TypeAlias = int


class ValueKeys:
    """Numbers structures of expressions, equal ones alike.

    Numbering shares what occurs twice, so that a key stays small where definitions use definitions.
    """

    def __init__(self) -> None:
        self._keys: dict[tuple[Hashable, tuple[Key, ...]], Key] = {}
        self._shapes: list[tuple[Hashable, tuple[Key, ...]]] = []

    def of(self, node: t.Expr) -> Key:
        """The key of an expression: equal for two that mean the same by their structure."""
        match node:
            case t.Literal(value=value):
                return self._made(("literal", str(node.type), value))
            case t.Var(binding=binding):
                return self._made(("variable", id(binding)))
            case t.GivenRef(given=given):
                return self._made(("given", given.name))
            case t.RowNamed(table=table, key=key):
                return self._made(("row", table.name, key))
            case t.FieldOf(row=row, column=column):
                return self._made(("column", column.name), self.of(row))
            case t.Lookup(table=table, keys=keys):
                return self._made(("lookup", table.name), *map(self.of, keys))
            case t.OnlyRow(table=table):
                return self._made(("one", table.name))
            case t.Apply(definition=definition, args=args):
                return self._made(("call", definition.name), *map(self.of, args))
            case t.Arith(op=op, left=a, right=b):
                return self._made(("arithmetic", op), self.of(a), self.of(b))
            case t.Negate(operand=x):
                return self._made(("negative",), self.of(x))
            case t.Call(function=function, args=args):
                return self._made(("builtin", function), *map(self.of, args))
        return self._made(("only here", id(node)))

    def translated(self, key: Key, call: t.Apply) -> Key:
        """A key from inside a definition in terms of a call's arguments."""
        made: dict[Key, Key] = {}
        for param, arg in zip(call.definition.params, call.args, strict=True):
            made[self._made(("variable", id(param)))] = self.of(arg)
        stack = [key]
        while stack:
            top = stack[-1]
            label, parts = self._shapes[top]
            waiting = [part for part in parts if part not in made]
            if top not in made and not waiting:
                made[top] = self._made(label, *(made[part] for part in parts))
            if waiting:
                stack.extend(waiting)
            else:
                stack.pop()
        return made[key]

    def _made(self, label: Hashable, *parts: Key) -> Key:
        shape = (label, parts)
        if shape not in self._keys:
            self._keys[shape] = len(self._shapes)
            self._shapes.append(shape)
        return self._keys[shape]
