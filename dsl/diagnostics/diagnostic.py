"""The model of a mistake in an author's text, and the collector to which phases report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum

from planspec.dsl.diagnostics.codes import CODES
from planspec.dsl.diagnostics.source import Span
from planspec.dsl.resources.limits import DIAGNOSTICS
from planspec.errors import PlanspecError


class Severity(Enum):
    """The severity of a diagnostic: errors stop a command, warnings do not."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Label:
    """A remark on a span of text."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A mistake in an author's text. `code` is a key of `CODES`, and `message` the headline."""

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
        """The location of the mistake."""
        return self.primary.span


class DiagnosticError(PlanspecError):
    """A document has errors. The exception holds all diagnostics that were found.

    Args:
        diagnostics: findings, at least one of which is an error.
    """

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        first = next((d for d in self.diagnostics if d.severity.value == "error"), None)
        where = f"{first.span.source.name}:{first.span.line}:{first.span.column}: " if first else ""
        super().__init__(where + (f"{first.code} {first.message}" if first else "invalid input"))


@dataclass(slots=True)
class Report:
    """Collector of the diagnostics of all phases, without duplicates."""

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
            DiagnosticError: the file has too many diagnostics.
        """
        self._add_counted(Diagnostic(code, Severity.ERROR, message, Label(span, label), tuple(secondary), help))

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
            DiagnosticError: the file has too many diagnostics.
        """
        self._add_counted(Diagnostic(code, Severity.WARNING, message, Label(span, label), tuple(secondary), help))

    def _add_counted(self, diagnostic: Diagnostic) -> None:
        """Add a diagnostic, and stop if its file has too many."""
        self.add(diagnostic)
        span = diagnostic.span
        if self._counts[span.source.name] >= DIAGNOSTICS:
            label = Label(span, "the last one reported")
            message = f"there are more than {DIAGNOSTICS:,} mistakes: the rest was not checked"
            self.add(Diagnostic("PS020", Severity.ERROR, message, label))
            raise DiagnosticError(self.ordered())

    def add(self, diagnostic: Diagnostic) -> None:
        """Add a diagnostic unless it has been added before."""
        assert diagnostic.code in CODES, diagnostic.code
        span = diagnostic.span
        key = (diagnostic.code, *span.sort_key, diagnostic.message)
        if key not in self._seen:
            self._seen.add(key)
            self._counts[span.source.name] += 1
            self.diagnostics.append(diagnostic)

    @property
    def failed(self) -> bool:
        """Whether an error was reported."""
        return any(d.severity is Severity.ERROR for d in self.diagnostics)

    def stop_if_failed(self) -> None:
        """Raise an error if the phase failed.

        Raises:
            DiagnosticError: an error was reported.
        """
        if self.failed:
            raise DiagnosticError(self.ordered())

    def ordered(self) -> tuple[Diagnostic, ...]:
        """Return all diagnostics, ordered by file and position."""
        return tuple(sorted(self.diagnostics, key=lambda d: (*d.span.sort_key, d.code)))
