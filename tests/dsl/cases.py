"""Golden cases: a few small files, and what is said about the first of them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from planspec.dsl.diagnostics.diagnostic import Diagnostic, Report
from planspec.dsl.documents.documents import check_document
from planspec.dsl.workspace.workspace import Workspace

UPDATE = "PLANSPEC_UPDATE_CASES"
"""Set it to write what is said into the cases; then read every line that changed."""


@dataclass(frozen=True, slots=True)
class Case:
    """A case file: sections that begin with `=== name`, the last of them named `expected`."""

    path: Path
    files: dict[str, str]
    expected: str

    @property
    def code(self) -> str:
        """The diagnostic code that the case is about."""
        return self.path.stem.partition("-")[0]

    def said(self, folder: Path) -> tuple[Diagnostic, ...]:
        """What checking the first file says, with all files in `folder`."""
        for name, text in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        return said(folder / next(iter(self.files)))

    def update(self, expected: str) -> None:
        """Write what is said as what is expected, if that is asked for."""
        if os.environ.get(UPDATE):
            head, _, _ = self.path.read_text("utf-8").partition("=== expected\n")
            self.path.write_text(f"{head}=== expected\n{expected}", "utf-8")


def read_case(path: Path) -> Case:
    """The case of a file."""
    files: dict[str, str] = {}
    name = ""
    for line in path.read_text("utf-8").splitlines(keepends=True):
        if line.startswith("=== "):
            name = line[4:].strip()
            files[name] = ""
        else:
            files[name] += line
    return Case(path, files, files.pop("expected"))


def said(path: Path) -> tuple[Diagnostic, ...]:
    """What checking a document says, by file and place."""
    workspace, report = Workspace(), Report()
    document = workspace.open(path, report)
    if document is not None:
        check_document(document, workspace, report)
    return report.ordered()


def written(diagnostics: tuple[Diagnostic, ...]) -> str:
    """Diagnostics in few words: headline, underlined text, labels, help."""
    lines = []
    for found in diagnostics:
        span = found.span
        lines.append(f"{found.severity.value}[{found.code}] {found.message}")
        lines.append(
            f"  {Path(span.source.name).name}:{span.line}:{span.column} {_quoted(span.text)}: {found.primary.text}"
        )
        lines += [f"  also {_quoted(label.span.text)}: {label.text}" for label in found.secondary]
        if found.help is not None:
            lines.append(f"  help: {found.help}")
    return "".join(f"{line}\n" for line in lines)


def _quoted(text: str) -> str:
    """A stretch of a source on one line, its middle left out if it is long."""
    text = text.replace("\n", "↵")
    return f"`{text}`" if len(text) <= 90 else f"`{text[:60]} ... {text[-20:]}`"
