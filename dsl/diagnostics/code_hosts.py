"""Diagnostics as code hosts take them: GitHub's workflow commands, GitLab's code quality, JUnit's XML."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from xml.etree import ElementTree as ET  # nothing is parsed, only written

from pydantic import JsonValue

from planspec.dsl.diagnostics.diagnostic import Diagnostic, Severity
from planspec.dsl.diagnostics.excerpts import visible
from planspec.dsl.diagnostics.rendering import place, region, render_text

GITLAB_SEVERITY = {Severity.ERROR: "major", Severity.WARNING: "minor"}


def github_line(diagnostic: Diagnostic) -> str:
    """A diagnostic as a command of GitHub's workflows, which marks its lines in a pull request."""
    span = place(diagnostic)
    line, column, end_line, end_column = region(span)
    parts = {"file": span.source.name, "line": str(line), "endLine": str(end_line)}
    if line == end_line:
        parts |= {"col": str(column), "endColumn": str(end_column)}
    parts["title"] = f"{diagnostic.code} {diagnostic.slug}"
    said = ",".join(f"{name}={_escaped(value, ':,')}" for name, value in parts.items())
    return f"::{diagnostic.severity.value} {said}::{_escaped(_sentence(diagnostic))}"


def gitlab_report(diagnostics: Iterable[Diagnostic]) -> list[dict[str, JsonValue]]:
    """Diagnostics as a code quality report of GitLab; each has a fingerprint of its own."""
    seen: Counter[str] = Counter()
    made: list[dict[str, JsonValue]] = []
    for diagnostic in diagnostics:
        span = place(diagnostic)
        # without the line, so that a mistake stays the same where text above it grows
        told = f"{span.source.name}\n{diagnostic.code}\n{diagnostic.message}\n{span.text}"
        seen[told] += 1
        digest = hashlib.sha256(f"{told}\n{seen[told]}".encode("utf-8", "surrogatepass")).hexdigest()
        made.append(
            {
                "description": _sentence(diagnostic), "check_name": diagnostic.code, "fingerprint": digest,
                "severity": GITLAB_SEVERITY[diagnostic.severity],
                "location": {"path": span.source.name, "lines": {"begin": span.line}},
            }
        )  # fmt: skip
    return made


def junit_report(diagnostics: Iterable[Diagnostic], files: Sequence[str]) -> str:
    """Diagnostics as JUnit's XML: a test case for each file, which fails where it has diagnostics.

    Args:
        diagnostics: what was found.
        files: that were checked; a diagnostic may stand in another one that they use.
    """
    found: dict[str, list[Diagnostic]] = {name: [] for name in files}
    for diagnostic in diagnostics:
        found.setdefault(place(diagnostic).source.name, []).append(diagnostic)
    failed = sum(map(bool, found.values()))
    counts = {"tests": str(len(found)), "failures": str(failed)}
    root = ET.Element("testsuites", counts)
    suite = ET.SubElement(root, "testsuite", {"name": "planspec check", **counts})
    for name, its in found.items():
        case = ET.SubElement(suite, "testcase", {"classname": "planspec", "name": visible(name)})
        if its:
            head = {"type": its[0].code, "message": visible(its[0].message)}
            ET.SubElement(case, "failure", head).text = render_text(its)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode")


def _sentence(diagnostic: Diagnostic) -> str:
    parts = (diagnostic.message, diagnostic.primary.text, diagnostic.help)
    return "; ".join(part for part in parts if part)


def _escaped(text: str, also: str = "") -> str:
    """A text as a workflow command takes it."""
    for char in "%\r\n" + also:
        text = text.replace(char, f"%{ord(char):02X}")
    return text
