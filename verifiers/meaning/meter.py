"""The meter of an evaluation: it counts steps, and past the last one there is a diagnostic instead of a hang."""

from __future__ import annotations

from planspec.dsl.diagnostics.diagnostic import Diagnostic, Label, Severity
from planspec.dsl.diagnostics.source import NOWHERE, Span
from planspec.dsl.resources.limits import STATIC_STEPS
from planspec.errors import DiagnosticError


class StepLimitError(DiagnosticError):
    """An evaluation takes more steps than it may.

    Args:
        span: what was evaluated.
        most: how many steps there were.
        static: it is the same on every plan, so that the task is to blame and not the answer.
    """

    def __init__(self, span: Span, most: int, *, static: bool = False) -> None:
        label = Label(span, f"more than {most:,} steps")
        message = "this takes too many steps to work out"
        help_text = "range over less, or name what is worked out again and again under `define:`"
        super().__init__([Diagnostic("PS415", Severity.ERROR, message, label, help=help_text)])
        self.span = span
        self.most = most
        self.static = static


class Meter:
    """Counts the steps of an evaluation.

    Args:
        most: how many there may be.
        static: of what is the same on every plan.
    """

    __slots__ = ("left", "most", "static")

    def __init__(self, most: int = STATIC_STEPS, *, static: bool = False) -> None:
        self.most = most
        self.left = most
        self.static = static

    def spend(self, steps: int, span: Span = NOWHERE) -> None:
        """Count steps.

        Raises:
            StepLimitError: there were too many.
        """
        self.left -= steps
        if self.left < 0:
            raise StepLimitError(span, self.most, static=self.static)
