"""Golden cases: each consists of a few small files and the expected diagnostics of the first file."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from planspec.dsl.check.builtins import BUILTINS
from planspec.dsl.diagnostics.diagnostic import Diagnostic, Report
from planspec.dsl.documents.documents import check_document
from planspec.dsl.workspace.workspace import Workspace

UPDATE = "PLANSPEC_UPDATE_CASES"
"""Name of an environment variable. If it is set, tests write the current diagnostics into the cases. Review every
change.
"""
BUILTIN_NAMES = ", ".join(sorted(BUILTINS))
"""Names of all builtins, as a diagnostic lists them. Expected diagnostics write `<builtins>` instead."""


@dataclass(frozen=True, slots=True)
class Case:
    """A golden case. Its file has sections that begin with `=== name`; the last one is `expected`.

    Attributes:
        path: path of the case's file.
        files: text of each file, keyed by name.
        expected: expected diagnostics in short form.
    """

    path: Path
    files: dict[str, str]
    expected: str

    @property
    def code(self) -> str:
        """Diagnostic code that the case tests."""
        return self.path.stem.partition("-")[0]

    def diagnostics(self, folder: Path) -> tuple[Diagnostic, ...]:
        """Write all files to a folder, and return the diagnostics of the first one."""
        for name, text in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        return diagnostics_of(folder / next(iter(self.files)))

    def update(self, expected: str) -> None:
        """Replace the expected diagnostics in the case's file if `UPDATE` is set."""
        if os.environ.get(UPDATE):
            head, _, _ = self.path.read_text("utf-8").partition("=== expected\n")
            self.path.write_text(f"{head}=== expected\n{expected.replace(BUILTIN_NAMES, '<builtins>')}", "utf-8")


def read_case(path: Path) -> Case:
    """Read a case from its file."""
    files: dict[str, str] = {}
    name = ""
    for line in path.read_text("utf-8").splitlines(keepends=True):
        if line.startswith("=== "):
            name = line[4:].strip()
            files[name] = ""
        else:
            files[name] += line
    return Case(path, files, files.pop("expected").replace("<builtins>", BUILTIN_NAMES))


def diagnostics_of(path: Path) -> tuple[Diagnostic, ...]:
    """Check a document and return its diagnostics, sorted by file and position."""
    workspace, report = Workspace(), Report()
    document = workspace.open(path, report)
    if document is not None:
        check_document(document, workspace, report)
    return report.ordered()


def short_form(diagnostics: tuple[Diagnostic, ...]) -> str:
    """Return diagnostics in short form: headline, underlined text, labels and help."""
    lines = []
    for diagnostic in diagnostics:
        span = diagnostic.span
        lines.append(f"{diagnostic.severity.value}[{diagnostic.code}] {diagnostic.message}")
        lines.append(
            f"  {Path(span.source.name).name}:{span.line}:{span.column} {_shorten_line(span.text)}: {diagnostic.primary.text}"
        )
        lines += [f"  also {_shorten_line(label.span.text)}: {label.text}" for label in diagnostic.secondary]
        if diagnostic.help is not None:
            lines.append(f"  help: {diagnostic.help}")
    return "".join(f"{line}\n" for line in lines)


def _shorten_line(text: str) -> str:
    """Return a text on one line, shortened in the middle if it is long."""
    text = text.replace("\n", "↵")
    return f"`{text}`" if len(text) <= 90 else f"`{text[:60]} ... {text[-20:]}`"
