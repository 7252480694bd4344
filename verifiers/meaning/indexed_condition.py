"""Conditions of generators (loops over rows) that an index lookup already ensures in part."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from planspec.dsl.model import tree as t
from planspec.verifiers.meaning.meter import Meter


class PartlyIndexedCondition:
    """The condition of a generator, in part ensured by an index lookup.

    An ensured part is evaluated for the first row only. For each further row, the same number of steps is counted, so
    that the step count does not depend on the index.

    Args:
        clause: clause with the condition.
        parts: parts of the condition, each with whether the lookup ensures it.
        value: function that evaluates an expression.
        meter: counts the steps, including those of `value`.
    """

    __slots__ = ("_meter", "_parts", "_value", "_whole")

    def __init__(
        self,
        clause: t.Clause,
        parts: Sequence[tuple[t.Expr, bool]],
        value: Callable[[t.Expr, Mapping[t.Binding, Any]], Any],
        meter: Meter,
    ) -> None:
        self._value = value
        self._meter = meter
        self._whole = clause.condition if len(parts) > 1 else None
        self._parts: list[tuple[t.Expr, bool, int | None]] = [(part, answered, None) for part, answered in parts]

    def holds(self, env: Mapping[t.Binding, Any]) -> bool:
        """Return whether the condition is true for a row."""
        meter = self._meter
        if self._whole is not None:
            meter.left -= 1
            if meter.left < 0:
                meter.spend(0, self._whole.span)
        for place, (part, is_ensured, steps) in enumerate(self._parts):
            if steps is not None and meter.left >= steps:
                meter.left -= steps
                continue
            left = meter.left
            if not self._value(part, env):
                return False
            if is_ensured:
                self._parts[place] = part, True, left - meter.left
        return True
