"""One model of what is wrong with an author's text, and the collector that phases report to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum

from planspec.dsl.diagnostics.codes import CODES
from planspec.dsl.diagnostics.source import Span
from planspec.dsl.resources.limits import DIAGNOSTICS
from planspec.errors import DiagnosticError


class Severity(Enum):
    """The severity of a diagnostic: errors stop a command, warnings do not."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Label:
    """A remark under a stretch of text."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One mistake: a code of the table, a headline, where it is, what would help."""

    code: str
    severity: Severity
    message: str
    primary: Label
    secondary: tuple[Label, ...] = ()
    help: str | None = None

    def __repr__(self) -> str:
        where = f"{self.span.source.name}:{self.span.line}:{self.span.column}"
        return f"<Diagnostic {self.severity.value} {self.code} at {where}: {self.message}>"

    @property
    def slug(self) -> str:
        """The code's short name, such as `unknown-name`."""
        return CODES[self.code].slug

    @property
    def span(self) -> Span:
        """The place of the mistake."""
        return self.primary.span


@dataclass(slots=True)
class Report:
    """The mistakes that the phases found so far, each once."""

    diagnostics: list[Diagnostic] = field(default_factory=list)
    _counts: Counter[str] = field(default_factory=Counter, repr=False)
    _seen: set[tuple[str, str, int, int, int, str]] = field(default_factory=set, repr=False)

    def error(
        self,
        code: str,
        message: str,
        span: Span,
        label: str = "",
        *,
        secondary: Sequence[Label] = (),
        help: str | None = None,
    ) -> None:
        """Report an error of `code` at `span`.

        Raises:
            DiagnosticError: it is one too many of its file.
        """
        self._made(Diagnostic(code, Severity.ERROR, message, Label(span, label), tuple(secondary), help))

    def warning(
        self,
        code: str,
        message: str,
        span: Span,
        label: str = "",
        *,
        secondary: Sequence[Label] = (),
        help: str | None = None,
    ) -> None:
        """Report a warning of `code` at `span`.

        Raises:
            DiagnosticError: it is one too many of its file.
        """
        self._made(Diagnostic(code, Severity.WARNING, message, Label(span, label), tuple(secondary), help))

    def _made(self, diagnostic: Diagnostic) -> None:
        """Keep what was found, and end the work on a file that has too much of it."""
        self.add(diagnostic)
        span = diagnostic.span
        if self._counts[span.source.name] >= DIAGNOSTICS:
            label = Label(span, "the last one that is reported")
            message = f"there are more than {DIAGNOSTICS:,} mistakes: the rest was not looked at"
            self.add(Diagnostic("PS020", Severity.ERROR, message, label))
            raise DiagnosticError(self.ordered())

    def add(self, diagnostic: Diagnostic) -> None:
        """Keep a diagnostic unless the same one is there."""
        assert diagnostic.code in CODES, diagnostic.code
        span = diagnostic.span
        key = (diagnostic.code, *span.place, diagnostic.message)
        if key not in self._seen:
            self._seen.add(key)
            self._counts[span.source.name] += 1
            self.diagnostics.append(diagnostic)

    @property
    def failed(self) -> bool:
        """An error was reported."""
        return any(d.severity is Severity.ERROR for d in self.diagnostics)

    def stop_if_failed(self) -> None:
        """End the phase.

        Raises:
            DiagnosticError: an error was reported.
        """
        if self.failed:
            raise DiagnosticError(self.ordered())

    def ordered(self) -> tuple[Diagnostic, ...]:
        """All diagnostics by file and place."""
        return tuple(sorted(self.diagnostics, key=lambda d: (*d.span.place, d.code)))
