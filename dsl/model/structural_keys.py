"""Structural keys: numbers that are equal for expressions with the same structure."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TypeAlias

from planspec.dsl.model import tree as t
from planspec.dsl.model.traversal import children, shape
from planspec.dsl.model.types import Stage

Key: TypeAlias = int


class ValueKeys:
    """Assigns a number to each structure of an expression, so that equal structures have equal numbers.

    Common subexpressions share a number, so that keys stay small even if definitions use definitions.
    """

    def __init__(self) -> None:
        self._memo: dict[t.Expr, Key] = {}
        self._keys: dict[tuple[Hashable, tuple[Key, ...]], Key] = {}
        self._shapes: list[tuple[Hashable, tuple[Key, ...]]] = []

    def key_of(self, node: t.Expr) -> Key:
        """Return the key of an expression. Two expressions with the same structure have the same key."""
        key = self._memo.get(node)
        if key is None:
            key = self._memo[node] = self._number(shape(node), *map(self.key_of, children(node)))
        return key

    def translated(self, key: Key, call: t.Apply) -> Key:
        """Return the key of an expression of a definition's body after the arguments of a call are inserted."""
        translations: dict[Key, Key] = {}
        for param, arg in zip(call.definition.params, call.args, strict=True):
            translations[self._number(shape(_variable(param)))] = self.key_of(arg)
        stack = [key]
        while stack:
            top = stack[-1]
            label, parts = self._shapes[top]
            pending = [part for part in parts if part not in translations]
            if top not in translations and not pending:
                translations[top] = self._number(label, *(translations[part] for part in parts))
            if pending:
                stack.extend(pending)
            else:
                stack.pop()
        return translations[key]

    def _number(self, label: Hashable, *parts: Key) -> Key:
        shape = (label, parts)
        if shape not in self._keys:
            self._keys[shape] = len(self._shapes)
            self._shapes.append(shape)
        return self._keys[shape]


def _variable(binding: t.Binding) -> t.Var:
    return t.Var(binding.type, binding.span, Stage.STATIC, binding.optional, binding)
