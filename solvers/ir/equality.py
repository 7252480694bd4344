"""Comparison of problems node by node: whether they have the same structure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

from planspec.solvers.ir.nodes import Bool
from planspec.solvers.ir.problem import Problem


def same_problem(one: Problem, other: Problem) -> bool:
    """Return whether two problems have the same structure and equal parts.

    Problems with the same structure are equivalent. Equivalent problems may also have different structures.
    """
    return _have_same_structure(
        [(getattr(one, name), getattr(other, name)) for name in _names(Problem) if name != "model"]
    )


def same_condition(one: Bool, other: Bool) -> bool:
    """Return whether two conditions over equal variables have the same structure and equal parts."""
    return _have_same_structure([(one, other)])


def same_ranking(one: Problem, other: Problem) -> bool:
    """Return whether two problems have soft conditions and objectives of the same structure and with equal parts.

    Their hard conditions may differ.
    """
    return _have_same_structure([(one.soft, other.soft), (one.objectives, other.objectives)])


def _have_same_structure(pairs: list[tuple[Any, Any]]) -> bool:
    seen: set[tuple[int, int]] = set()
    while pairs:
        a, b = pairs.pop()
        if a is b:
            continue
        if type(a) is not type(b):
            return False
        if isinstance(a, list | tuple):
            if len(a) != len(b):
                return False
            pairs += zip(a, b, strict=True)
        elif isinstance(a, Mapping):
            if a.keys() != b.keys():
                return False
            pairs += ((part, b[key]) for key, part in a.items())
        elif is_dataclass(a) and not isinstance(a, type):
            pair = id(a), id(b)
            if pair not in seen:
                seen.add(pair)
                pairs += ((getattr(a, name), getattr(b, name)) for name in _names(type(a)))
        elif a != b:
            return False
    return True


@cache
def _names(class_: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(class_))
