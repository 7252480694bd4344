"""Diagnostics as SARIF 2.1.0, the exchange format of code hosts and editors for checkers' findings."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePath
from urllib.parse import quote

from pydantic import JsonValue

from planspec.dsl.diagnostics.codes import CODES, Code
from planspec.dsl.diagnostics.diagnostic import Diagnostic, Label
from planspec.dsl.diagnostics.rendering import line_and_column_range, reported_span
from planspec.dsl.diagnostics.source import Span

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
RULE_INDEX = {code: index for index, code in enumerate(CODES)}

Json = dict[str, JsonValue]


def render_sarif(diagnostics: Iterable[Diagnostic], *, version: str | None = None) -> Json:
    """Return a SARIF log with one run: every code as a rule, every diagnostic as a result.

    Args:
        diagnostics: the results in order.
        version: version of the tool; left out if None.
    """
    driver: Json = {"name": "planspec", "rules": [_rule(code) for code in CODES.values()]}
    if version is not None:
        driver["version"] = version
    run: Json = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(diagnostic) for diagnostic in diagnostics],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(code: Code) -> Json:
    rule: Json = {
        "id": code.code,
        "name": "".join(part.capitalize() for part in code.slug.split("-")),
        "shortDescription": {"text": code.slug.replace("-", " ")},
        "fullDescription": {"text": code.why},
    }
    if code.wrong:
        rule["help"] = {
            "text": f"Wrong:\n{code.wrong}\n\nRight:\n{code.right}",
            "markdown": f"Wrong:\n\n```yaml\n{code.wrong}\n```\n\nRight:\n\n```yaml\n{code.right}\n```",
        }
    return rule


def _result(diagnostic: Diagnostic) -> Json:
    parts = [diagnostic.message, diagnostic.primary.text, diagnostic.help or ""]
    result: Json = {
        "ruleId": diagnostic.code,
        "ruleIndex": RULE_INDEX[diagnostic.code],
        "level": diagnostic.severity.value,
        "message": {"text": "\n".join(part for part in parts if part)},
        "locations": [{"physicalLocation": _location(reported_span(diagnostic))}],
    }
    if diagnostic.secondary:
        result["relatedLocations"] = [_related(number, label) for number, label in enumerate(diagnostic.secondary)]
    return result


def _related(number: int, label: Label) -> Json:
    related: Json = {"id": number, "physicalLocation": _location(label.span)}
    if label.text:
        related["message"] = {"text": label.text}
    return related


def _location(span: Span) -> Json:
    line, column, end_line, end_column = line_and_column_range(span)
    return {
        "artifactLocation": {"uri": _uri(span.source.name)},
        "region": {"startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column},
    }


def _uri(name: str) -> str:
    """Return a file name as a portable URI reference: relative to the working directory, or absolute."""
    path = PurePath(name)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())
