"""The primer for models: its task is checked and proved, and its expressions parse."""

from __future__ import annotations

import re

import planspec
from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.source import Span
from planspec.dsl.syntax.parser import parse
from planspec.dsl.yaml.source_files import source_from_text
from tests.paths import ROOT

PAGE = (ROOT / "docs" / "primer.md").read_text("utf-8")
TASK = re.compile(r"```yaml primer\.task\.yaml\n(.*?)```", re.DOTALL)
EXPRESSIONS = {
    "x ?? y",
    "a if c else b",
    "(x for v in visits if c)",
    "count(v for v in visits if v.guided)",
    "Fare[park].price",
}
"""Expressions of the text, apart from literals."""


def _document() -> str:
    match = TASK.search(PAGE)
    assert match is not None
    return match[1]


def test_the_primer_s_task_has_no_mistakes_and_plans() -> None:
    task = planspec.loads(_document())
    assert planspec.check(task) == ()
    assert planspec.lint(task) == ()
    claims = planspec.validate(task)
    assert (claims.feasible.status, claims.unique.status) == ("feasible", "multiple")


def test_every_rule_of_the_primer_excludes_a_plan() -> None:
    task = planspec.loads(_document())
    rules = [each.id for each in task.constraints if each.hard]
    assert rules == ["length", "order", "opening", "purse"]
    suggestions = planspec.test([task], suggest=True, limits=10).suggestions
    assert suggestions is not None
    noticed = {
        each.constraint for each in suggestions.mutants if each.change == "dropped" and each.status == "suggested"
    }
    assert noticed >= set(rules)


def test_the_expressions_of_the_primer_parse() -> None:
    prose = TASK.sub("", PAGE)
    shown = re.findall(r"`([^`]+)`", prose.replace("```", ""))
    assert set(shown) >= EXPRESSIONS
    for text in EXPRESSIONS | {"2026-07-01", "14:30", "1h30min", "12.50 EUR", "850m", "lodging.nights"}:
        assert text in shown
        source, report = source_from_text(text, "primer"), Report()
        assert parse("expression", Span(source, 0, len(text)), report) is not None
        assert not report.failed


def test_a_model_s_draft_of_the_primer_s_request_is_the_primer_s_task() -> None:
    from tests.planspec.drafting.test_drafts import Recorder

    document = _document()
    task = planspec.loads(document)
    sections = document[document.index("currency:") :]
    result = planspec.draft(task.query, model=Recorder(sections), drafts=1, budget=2)
    assert result.found == []
    assert result.text is not None
    assert planspec.compare(task, planspec.loads(result.text)).same
