"""Details of findings about `no_overlap(...)` and `peak(...)`: responsible rows, and texts for messages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from planspec.dsl.model import tree as t
from planspec.dsl.model.rows import Row
from planspec.dsl.model.value_text import row_key, show
from planspec.verifiers.meaning.interpret import Env, Interpreter
from planspec.verifiers.meaning.intervals import Run, followers

MAX_NAMES = 8
"""Maximum number of rows that a message lists."""


class IntervalDetails:
    """Explainer of the values of `no_overlap` and `peak` on one plan.

    Args:
        interpreter: evaluates expressions on the plan.
    """

    def __init__(self, interpreter: Interpreter) -> None:
        self._interpreter = interpreter
        self._currency = interpreter.task.currency

    def deciding_runs(self, expr: t.Intervals, env: Env) -> list[Run]:
        """Return the intervals that decide the value of a `no_overlap` or `peak`.

        They are the invalid intervals, if there are any. Otherwise they are the overlapping ones of a `no_overlap` (all
        if none overlap), or those in use at the moment of a `peak`. In an overlap, the interval that starts too early
        comes first.
        """
        groups = self._interpreter.runs(expr, env)
        invalid = [run for runs in groups for run in runs if not _has_value(run)]
        if invalid:
            return invalid
        if expr.function == "no_overlap":
            failing = [pair for runs in groups for pair in followers(runs) if _overlap(*pair)]
            if not failing:
                return [run for runs in groups for run in runs]
            return list(dict.fromkeys(run for pair in failing for run in reversed(pair)))
        return self._moment_of_peak(groups)[1]

    def shown_bindings(self, expr: t.Intervals, env: Env, *, failing: bool = False) -> Iterator[Env]:
        """Yield `env` extended by the variables that a message can show.

        For a `no_overlap`, these are an interval's row and the row of the earlier interval that ends last. For a
        `peak`, the only variable is its first moment.

        Args:
            expr: the `no_overlap` or `peak`.
            env: the variables around the expression.
            failing: whether to yield only rows that overlap.
        """
        groups = self._interpreter.runs(expr, env)
        if expr.function == "peak":
            at, _ = self._moment_of_peak(groups)
            if at is not None:
                yield {**env, expr.shown[0]: at}
        elif all(map(_has_value, (run for runs in groups for run in runs))):
            for pair in (pair for runs in groups for pair in followers(runs)):
                if not failing or _overlap(*pair):
                    rows = (self._interpreter.value(expr.body, run.env) for run in pair)
                    yield {**env, **dict(zip(expr.shown, rows, strict=True))}

    def overlap_text(self, expr: t.Intervals, env: Env) -> str:
        """Return text that explains why a `no_overlap` fails, with names and times of rows; empty if it holds."""
        if self._interpreter.holds(expr, env):
            return ""
        later, *others = self.deciding_runs(expr, env)
        if later.start is None or later.end is None:
            which = "start" if later.start is None else "end"
            return f"{self._name(later, expr)} has no {which}"
        if not others or not _has_value(later):
            return f"{self._name(later, expr)} ends at {self._end(later, expr)}, before it starts"
        earlier = others[0]
        start = show(later.start, expr.start.type, self._currency)
        text = f"{self._name(later, expr)} starts at {start}; {self._name(earlier, expr)} lasts until {self._end(earlier, expr)}"
        if expr.gap is None:
            return text
        gap = self._interpreter.value(expr.gap, earlier.env)
        if gap is None:
            return f"{text}, and nothing may follow it"
        return f"{text} and needs {show(gap, expr.gap.type, self._currency)} after it"

    def peak_text(self, expr: t.Intervals, env: Env) -> str:
        """Return text with the time of a peak and the rows that run then; empty if the peak is *none* or 0."""
        at, runs = self._moment_of_peak(self._interpreter.runs(expr, env))
        if at is None:
            return ""
        names = ", ".join(self._name(run, expr) for run in runs[:MAX_NAMES])
        return f" at {show(at, expr.start.type, self._currency)}: {names}{', ...' * (len(runs) > MAX_NAMES)}"

    def _moment_of_peak(self, groups: Sequence[Sequence[Run]]) -> tuple[Any, list[Run]]:
        """Return the first moment of a peak and the intervals in use then; `(None, [])` if the peak is *none* or 0."""
        if all(map(_has_value, (run for runs in groups for run in runs))):
            peaks = [(*self._interpreter.peak(runs), runs) for runs in groups]
            _, at, runs = max(peaks, key=lambda each: each[0], default=(0, None, ()))
            if at is not None:
                return at, [run for run in runs if run.start <= at < run.end]
        return None, []

    def _end(self, run: Run, expr: t.Intervals) -> str:
        return show(run.end, expr.end.type, self._currency)

    def _name(self, run: Run, expr: t.Intervals) -> str:
        """Return the name of an interval for messages: its plan row, such as `jobs[drums]`, or else its variables."""
        targets = [target for clause in expr.clauses for target in clause.targets]
        rows = [value for target in targets if isinstance(value := run.env[target], Row) and value._table.plan]
        if rows:
            return " and ".join(f"{row._table.name}[{row_key(row, self._currency)}]" for row in rows)
        return ", ".join(show(run.env[target], target.type, self._currency) for target in targets)


def _has_value(run: Run) -> bool:
    return run.is_valid and run.amount is not None


def _overlap(earlier: Run, later: Run) -> bool:
    """Return whether `later` starts before the end of `earlier`, or within the gap that must follow `earlier`."""
    return bool(earlier.until > later.start)
