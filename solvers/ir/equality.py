"""Whether two problems are the same, node by node."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

from planspec.solvers.ir.nodes import Bool
from planspec.solvers.ir.problem import Problem


def same_problem(one: Problem, other: Problem) -> bool:
    """Two problems say the same of the same assignments: they were built alike out of equal parts.

    Problems that say the same in different words are not found out.
    """
    return _same([(getattr(one, name), getattr(other, name)) for name in _names(Problem) if name != "model"])


def same_condition(one: Bool, other: Bool) -> bool:
    """Two conditions over equal variables were built alike out of equal parts."""
    return _same([(one, other)])


def same_ranking(one: Problem, other: Problem) -> bool:
    """Two problems rank the same assignments alike, whichever they admit."""
    return _same([(one.soft, other.soft), (one.objectives, other.objectives)])


def _same(left: list[tuple[Any, Any]]) -> bool:
    known: set[tuple[int, int]] = set()
    while left:
        a, b = left.pop()
        if a is b:
            continue
        if type(a) is not type(b):
            return False
        if isinstance(a, list | tuple):
            if len(a) != len(b):
                return False
            left += zip(a, b, strict=True)
        elif isinstance(a, Mapping):
            if a.keys() != b.keys():
                return False
            left += ((part, b[key]) for key, part in a.items())
        elif is_dataclass(a) and not isinstance(a, type):
            pair = id(a), id(b)
            if pair not in known:
                known.add(pair)
                left += ((getattr(a, name), getattr(b, name)) for name in _names(type(a)))
        elif a != b:
            return False
    return True


@cache
def _names(of: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(of))
