"""Diagnostics are written as a SARIF log (the format of code analysis)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from planspec.dsl.diagnostics.codes import CODES
from planspec.dsl.diagnostics.diagnostic import Diagnostic, Label, Severity
from planspec.dsl.diagnostics.sarif import render_sarif
from planspec.dsl.diagnostics.source import Source, Span

SOURCE = Source("tasks/a trip/é.yaml", "a: 1\nb: x\n")
DIAGNOSTIC = Diagnostic(
    "PS201",
    Severity.ERROR,
    "unknown name `x`",
    Label(Span(SOURCE, 8, 9), "unknown"),
    (Label(Span(SOURCE, 0, 1), "used here"), Label(Span(SOURCE, 3, 4), "")),
    "did you mean `y`?",
)


def run_of(*diagnostics: Diagnostic, version: str | None = None) -> Any:
    """Return the only run in the SARIF log of some diagnostics."""
    log = json.loads(json.dumps(render_sarif(diagnostics, version=version)))
    assert log["version"] == "2.1.0"
    assert log["$schema"].endswith("sarif-schema-2.1.0.json")
    (run,) = log["runs"]
    return run


def test_the_sarif_rules_are_all_codes_in_order() -> None:
    rules = run_of()["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == list(CODES)
    for rule in rules:
        assert rule["fullDescription"]["text"] == CODES[rule["id"]].why
        assert rule["name"].isalnum()
        assert ("help" in rule) == bool(CODES[rule["id"]].wrong)


def test_a_sarif_result_refers_to_its_rule_and_its_location() -> None:
    run = run_of(DIAGNOSTIC)
    (result,) = run["results"]
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"] == "PS201"
    assert result["level"] == "error"
    assert result["message"]["text"] == "unknown name `x`\nunknown\ndid you mean `y`?"
    assert result["locations"] == [
        {
            "physicalLocation": {
                "artifactLocation": {"uri": "tasks/a%20trip/%C3%A9.yaml"},
                "region": {"startLine": 2, "startColumn": 4, "endLine": 2, "endColumn": 5},
            }
        }
    ]


def test_columns_are_counted_in_characters() -> None:
    assert run_of()["columnKind"] == "unicodeCodePoints"


def test_secondary_labels_are_related_locations() -> None:
    (result,) = run_of(DIAGNOSTIC)["results"]
    assert [(each["id"], each.get("message")) for each in result["relatedLocations"]] == [
        (0, {"text": "used here"}),
        (1, None),
    ]


def test_a_warning_is_of_level_warning() -> None:
    diagnostic = Diagnostic("PS405", Severity.WARNING, "m", Label(Span(SOURCE, 0, 1), ""))
    (result,) = run_of(diagnostic)["results"]
    assert result["level"] == "warning"
    assert "relatedLocations" not in result


def test_an_absolute_path_is_a_file_uri(tmp_path: Path) -> None:
    source = Source(str(tmp_path / "a b.yaml"), "a: 1\n")
    (result,) = run_of(Diagnostic("PS201", Severity.ERROR, "m", Label(Span(source, 0, 1), "")))["results"]
    uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri.startswith("file:///")
    assert uri.endswith("/a%20b.yaml")


def test_the_sarif_log_has_planspecs_version_if_one_is_given() -> None:
    assert run_of(version="1.2.3")["tool"]["driver"]["version"] == "1.2.3"
    assert "version" not in run_of()["tool"]["driver"]
