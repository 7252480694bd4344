"""Diagnostics as text for terminals, single lines, or JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, JsonValue

from planspec.dsl.diagnostics.diagnostic import Diagnostic, Label, Severity
from planspec.dsl.diagnostics.excerpts import Mark, excerpt_rows, visible
from planspec.dsl.diagnostics.source import NOWHERE, Source, Span

ERROR = "\x1b[1;31m"
WARNING = "\x1b[1;33m"
BOLD = "\x1b[1m"
FRAME = "\x1b[1;34m"
HELP = "\x1b[1;36m"
RESET = "\x1b[0m"


class LabelJson(BaseModel):
    """A remark on a span of text; lines and columns are counted from 1, and ends are exclusive."""

    text: str
    primary: bool
    file: str
    line: int
    column: int
    end_line: int
    end_column: int


class DiagnosticJson(BaseModel):
    """One diagnostic; lines and columns are counted from 1 in characters, and ends are exclusive."""

    code: str
    slug: str
    severity: Literal["error", "warning"]
    message: str
    help: str | None
    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    labels: list[LabelJson]


def reported_span(diagnostic: Diagnostic) -> Span:
    """Return the span at which a diagnostic is reported: its primary span.

    A primary span without a label only connects labelled spans, as an operator connects its operands. In this case,
    the reported span covers all labelled spans on the lines of the primary span.
    """
    span = diagnostic.span
    if diagnostic.primary.text:
        return span
    line, last = span.line, span.source.position(span.end)[0]
    for label in diagnostic.secondary:
        if label.span.source is span.source and line <= label.span.line <= last:
            span = span.to(label.span)
    return span


def render_text(diagnostics: Iterable[Diagnostic], *, color: bool = False) -> str:
    """Return the diagnostics as text for a terminal, each with an excerpt of its source.

    Args:
        diagnostics: the diagnostics in the order of display.
        color: whether to use terminal colours.

    Returns:
        Blocks of lines with an empty line between them; each line ends in a newline.
    """
    return "\n".join(_Text(diagnostic, color).render() for diagnostic in diagnostics)


def render_line(diagnostic: Diagnostic) -> str:
    """Return a diagnostic on one line, as compilers print them: `path:line:column: error[PS201] message`."""
    span = reported_span(diagnostic)
    at = f"{visible(span.source.name)}:{span.line}:{span.column}: "
    return f"{at}{diagnostic.severity.value}[{diagnostic.code}] {visible(diagnostic.message)}"


def render_json(diagnostics: Iterable[Diagnostic]) -> list[dict[str, JsonValue]]:
    """Return the diagnostics as JSON objects in the form of `DiagnosticJson`."""
    return [diagnostic_json(diagnostic).model_dump(mode="json") for diagnostic in diagnostics]


def diagnostic_json(diagnostic: Diagnostic) -> DiagnosticJson:
    """Return a diagnostic as a Pydantic model, with its primary label first."""
    span = reported_span(diagnostic)
    line, column, end_line, end_column = line_and_column_range(span)
    labels = [_label_json(diagnostic.primary, primary=True)]
    labels.extend(_label_json(label, primary=False) for label in diagnostic.secondary)
    return DiagnosticJson(
        code=diagnostic.code,
        slug=diagnostic.slug,
        severity=diagnostic.severity.value,
        message=diagnostic.message,
        help=diagnostic.help,
        file=span.source.name,
        line=line,
        column=column,
        end_line=end_line,
        end_column=end_column,
        labels=labels,
    )


def line_and_column_range(span: Span) -> tuple[int, int, int, int]:
    """Return start line, start column, end line and end column of a span, each from 1."""
    return (*span.source.position(span.start), *span.source.position(span.end))


def summary_text(diagnostics: Iterable[Diagnostic]) -> str:
    """Return the number of errors and warnings: `2 errors, 1 warning`."""
    counts = dict.fromkeys(Severity, 0)
    for diagnostic in diagnostics:
        counts[diagnostic.severity] += 1
    parts = [f"{n} {severity.value}{'' if n == 1 else 's'}" for severity, n in counts.items() if n]
    return ", ".join(parts)


def _label_json(label: Label, *, primary: bool) -> LabelJson:
    line, column, end_line, end_column = line_and_column_range(label.span)
    return LabelJson(
        text=label.text,
        primary=primary,
        file=label.span.source.name,
        line=line,
        column=column,
        end_line=end_line,
        end_column=end_column,
    )


@dataclass(frozen=True, slots=True)
class _Text:
    diagnostic: Diagnostic
    color: bool

    def render(self) -> str:
        d = self.diagnostic
        tone = ERROR if d.severity is Severity.ERROR else WARNING
        head = self._paint(f"{d.severity.value}[{d.code}]", tone) + self._paint(f": {visible(d.message)}", BOLD)
        lines = [head]
        groups = self._groups()
        width = max((len(str(line)) for _, marks in groups for mark in marks for line in mark.lines), default=1)
        for number, (source, marks) in enumerate(groups):
            at = reported_span(d) if not number else marks[0].span
            if source is not NOWHERE.source:
                arrow = " " * width + ("--> " if not number else "::: ")
                where = f":{at.line}:{at.column}" if source.text else ""
                lines.append(self._paint(arrow, FRAME) + visible(source.name) + where)
            lines.extend(self._excerpt(source, marks, width, tone))
        unplaced = [label.text for label in (d.primary, *d.secondary) if label.text and not label.span.source.text]
        lines.extend(self._note(width, "note", text, BOLD) for text in unplaced)
        if d.help:
            lines.append(self._note(width, "help", d.help, HELP))
        return "".join(line.rstrip() + "\n" for line in lines)

    def _groups(self) -> list[tuple[Source, list[Mark]]]:
        """Return the labels grouped by source; the source of the primary label comes first."""
        groups: dict[int, tuple[Source, list[Mark]]] = {}
        for label, primary in (
            (self.diagnostic.primary, True),
            *((label, False) for label in self.diagnostic.secondary),
        ):
            source = label.span.source
            groups.setdefault(id(source), (source, []))[1].append(Mark(label.span, label.text, primary))
        return list(groups.values())

    def _excerpt(self, source: Source, marks: Sequence[Mark], width: int, tone: str) -> list[str]:
        if not source.text:
            return []
        bar = self._paint(" " * width + " |", FRAME)
        lines = [bar]
        for row in excerpt_rows(source, marks):
            if row.skipped:
                lines.append(self._paint("...", FRAME))
            elif row.number is not None:
                lines.append(self._paint(f"{row.number:>{width}} |", FRAME) + " " + row.text)
            else:
                cells = "".join(
                    self._paint(text, {"primary": tone, "secondary": FRAME}.get(kind, "")) for kind, text in row.runs
                )
                lines.append(bar + " " + cells)
        return lines

    def _note(self, width: int, word: str, text: str, tone: str) -> str:
        first, *rest = map(visible, text.split("\n"))
        frame = " " * (width + 1)
        shown = self._paint(frame + "= ", FRAME) + self._paint(f"{word}:", tone) + " " + first
        return "\n".join([shown, *(f"{frame}  {' ' * len(word)}  {line}" for line in rest)])

    def _paint(self, text: str, tone: str) -> str:
        return f"{tone}{text}{RESET}" if self.color and tone and text.strip() else text
