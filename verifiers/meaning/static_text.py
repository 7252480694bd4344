"""Texts of constraints whose placeholders do not depend on a plan."""

from __future__ import annotations

from collections.abc import Sequence

from planspec.dsl.model import tree as t
from planspec.dsl.model.traversal import free_variables
from planspec.dsl.model.types import Stage
from planspec.dsl.model.value_text import show
from planspec.verifiers.meaning.ground import Ground
from planspec.verifiers.meaning.interpret import Env


def static_text(ground: Ground, parts: Sequence[t.TextPart], env: Env) -> str | None:
    """Return text with its placeholders replaced by their values; None if a value depends on the plan."""
    placeholders = [part for part in parts if not isinstance(part, str)]
    if any(part.stage is not Stage.STATIC or not set(free_variables(part)) <= env.keys() for part in placeholders):
        return None
    value, currency = ground.interpreter.value, ground.task.currency
    return "".join(p if isinstance(p, str) else show(value(p, env), p.type, currency) for p in parts)
