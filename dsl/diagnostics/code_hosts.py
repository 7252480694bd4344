"""Diagnostics in the formats of code hosts: GitHub workflow commands, GitLab code quality, JUnit XML."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from xml.etree import ElementTree as ET  # used only for writing

from pydantic import JsonValue

from planspec.dsl.diagnostics.diagnostic import Diagnostic, Severity
from planspec.dsl.diagnostics.excerpts import visible
from planspec.dsl.diagnostics.rendering import line_and_column_range, render_text, reported_span

GITLAB_SEVERITY = {Severity.ERROR: "major", Severity.WARNING: "minor"}


def github_line(diagnostic: Diagnostic) -> str:
    """Return a diagnostic as a GitHub workflow command, which annotates its lines in a pull request."""
    span = reported_span(diagnostic)
    line, column, end_line, end_column = line_and_column_range(span)
    parts = {"file": span.source.name, "line": str(line), "endLine": str(end_line)}
    if line == end_line:
        parts |= {"col": str(column), "endColumn": str(end_column)}
    parts["title"] = f"{diagnostic.code} {diagnostic.slug}"
    properties = ",".join(f"{name}={_escaped(value, ':,')}" for name, value in parts.items())
    return f"::{diagnostic.severity.value} {properties}::{_escaped(_sentence(diagnostic))}"


def gitlab_report(diagnostics: Iterable[Diagnostic]) -> list[dict[str, JsonValue]]:
    """Return diagnostics as a GitLab code quality report with unique fingerprints."""
    seen: Counter[str] = Counter()
    entries: list[dict[str, JsonValue]] = []
    for diagnostic in diagnostics:
        span = reported_span(diagnostic)
        # without the line number, so that the fingerprint does not change with the text above
        identity = f"{span.source.name}\n{diagnostic.code}\n{diagnostic.message}\n{span.text}"
        seen[identity] += 1
        digest = hashlib.sha256(f"{identity}\n{seen[identity]}".encode("utf-8", "surrogatepass")).hexdigest()
        entries.append(
            {
                "description": _sentence(diagnostic),
                "check_name": diagnostic.code,
                "fingerprint": digest,
                "severity": GITLAB_SEVERITY[diagnostic.severity],
                "location": {"path": span.source.name, "lines": {"begin": span.line}},
            }
        )
    return entries


def junit_report(diagnostics: Iterable[Diagnostic], files: Sequence[str]) -> str:
    """Return diagnostics as JUnit XML. Each file is a test case, which fails if the file has diagnostics.

    Args:
        diagnostics: the diagnostics.
        files: checked files; diagnostics may also be in files that these use.
    """
    by_file: dict[str, list[Diagnostic]] = {name: [] for name in files}
    for diagnostic in diagnostics:
        by_file.setdefault(reported_span(diagnostic).source.name, []).append(diagnostic)
    failed = sum(map(bool, by_file.values()))
    counts = {"tests": str(len(by_file)), "failures": str(failed)}
    root = ET.Element("testsuites", counts)
    suite = ET.SubElement(root, "testsuite", {"name": "planspec check", **counts})
    for name, file_diagnostics in by_file.items():
        case = ET.SubElement(suite, "testcase", {"classname": "planspec", "name": visible(name)})
        if file_diagnostics:
            head = {"type": file_diagnostics[0].code, "message": visible(file_diagnostics[0].message)}
            ET.SubElement(case, "failure", head).text = render_text(file_diagnostics)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode")


def _sentence(diagnostic: Diagnostic) -> str:
    parts = (diagnostic.message, diagnostic.primary.text, diagnostic.help)
    return "; ".join(part for part in parts if part)


def _escaped(text: str, extra: str = "") -> str:
    """Return a text escaped for a workflow command."""
    for char in "%\r\n" + extra:
        text = text.replace(char, f"%{ord(char):02X}")
    return text
