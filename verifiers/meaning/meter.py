"""Counter of evaluation steps, which raises an exception when a limit is exceeded."""

from __future__ import annotations

from planspec.dsl.diagnostics.diagnostic import Diagnostic, DiagnosticError, Label, Severity
from planspec.dsl.diagnostics.source import NOWHERE, Span
from planspec.dsl.resources.limits import STATIC_STEPS


class StepLimitError(DiagnosticError):
    """An evaluation exceeds its limit of steps.

    Args:
        span: position of the expression in the task.
        most: limit of steps.
        static: whether the evaluation does not depend on the plan. The task, not the answer, is then at fault.
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
        most: limit of steps.
        static: whether the evaluation does not depend on the plan.
    """

    __slots__ = ("left", "most", "static")

    def __init__(self, most: int = STATIC_STEPS, *, static: bool = False) -> None:
        self.most = most
        self.left = most
        self.static = static

    def spend(self, steps: int, span: Span = NOWHERE) -> None:
        """Count steps.

        Raises:
            StepLimitError: the limit is exceeded.
        """
        self.left -= steps
        if self.left < 0:
            raise StepLimitError(span, self.most, static=self.static)
