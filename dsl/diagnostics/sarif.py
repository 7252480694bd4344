"""Diagnostics as SARIF 2.1.0, the exchange format of code hosts and editors for checkers' findings."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePath
from urllib.parse import quote

from pydantic import JsonValue

from planspec.dsl.diagnostics.codes import CODES, Code
from planspec.dsl.diagnostics.diagnostic import Diagnostic, Label
from planspec.dsl.diagnostics.rendering import line_and_column_range, reported_span

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
RULE_INDEX = {code: index for index, code in enumerate(CODES)}

Json = dict[str, JsonValue]
Place = tuple[int, int, int, int]
"""Start line, start column, end line and end column, each from 1."""


def render_sarif(diagnostics: Iterable[Diagnostic], *, version: str | None = None) -> Json:
    """Return a SARIF log with one run: every code as a rule, every diagnostic as a result.

    Args:
        diagnostics: the results in order.
        version: version of the tool; left out if None.
    """
    return sarif_log(map(_result, diagnostics), version=version)


def sarif_log(results: Iterable[Json], *, version: str | None = None) -> Json:
    """Return a SARIF log with one run: every code as a rule, and results of `sarif_result`."""
    driver: Json = {"name": "planspec", "rules": [_rule(code) for code in CODES.values()]}
    if version is not None:
        driver["version"] = version
    run: Json = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": list(results),
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def sarif_result(code: str, level: str, texts: Iterable[str | None], file: str, place: Place) -> Json:
    """Return a result.

    Args:
        code: code of the diagnostic.
        level: `error` or `warning`.
        texts: parts of the message; missing and empty ones are left out.
        file: name of the document.
        place: start line, start column, end line and end column, each from 1.
    """
    return {
        "ruleId": code,
        "ruleIndex": RULE_INDEX[code],
        "level": level,
        "message": {"text": "\n".join(text for text in texts if text)},
        "locations": [{"physicalLocation": _location(file, place)}],
    }


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
    span = reported_span(diagnostic)
    texts = (diagnostic.message, diagnostic.primary.text, diagnostic.help)
    place = line_and_column_range(span)
    result = sarif_result(diagnostic.code, diagnostic.severity.value, texts, span.source.name, place)
    if diagnostic.secondary:
        result["relatedLocations"] = [_related(number, label) for number, label in enumerate(diagnostic.secondary)]
    return result


def _related(number: int, label: Label) -> Json:
    place = _location(label.span.source.name, line_and_column_range(label.span))
    related: Json = {"id": number, "physicalLocation": place}
    if label.text:
        related["message"] = {"text": label.text}
    return related


def _location(file: str, place: Place) -> Json:
    line, column, end_line, end_column = place
    return {
        "artifactLocation": {"uri": _uri(file)},
        "region": {"startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column},
    }


def _uri(name: str) -> str:
    """Return a file name as a portable URI reference: relative to the working directory, or absolute."""
    path = PurePath(name)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())
