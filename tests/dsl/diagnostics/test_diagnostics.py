"""Every kind of mistake is reported once, at the right place and with help; every code has a case."""

from __future__ import annotations

from pathlib import Path

import pytest

from planspec.dsl.diagnostics.codes import CODES
from planspec.dsl.diagnostics.rendering import render_text
from tests.dsl.cases import Case, read_case, short_form

CASES = [read_case(path) for path in sorted(Path(__file__).with_name("cases").glob("*.case"))]

ELSEWHERE = {
    "files, and how much is in them: tests/dsl/documents/test_bad_input.py": {"PS001", "PS007", "PS020"},
    "what is static, worked out: tests/verifiers/meaning/test_ground.py": {
        "PS403",
        "PS405",
        "PS406",
        "PS413",
        "PS414",
    },
    "the scope, worked out: tests/verifiers/meaning/test_scope_cuts.py": {"PS411"},
    "what takes too long: tests/verifiers/meaning/test_meter.py": {"PS415", "PS416"},
    "what a back end cannot state: solvers": {"PS501", "PS502", "PS503"},
    "what only a solver knows: tests/solvers/questions/test_lint.py": {f"PS42{n}" for n in range(1, 10)} | {"PS440"},
    "what no show and no tool tells: tests/solvers/questions/test_sufficiency.py": {
        "PS430",
        "PS431",
        "PS432",
    },
    "what a query and its rules do not share: tests/verifiers/environment/query_text/test_findings.py": {
        "PS441",
        "PS442",
        "PS443",
    },
    "what no wording says: tests/planspec/api/requests/test_writing.py": {"PS332"},
    "what a model reads in a query: tests/planspec/drafting/test_auditing.py": {"PS444"},
    "what is expected: tests/planspec/api/test_expectations.py": {"PS436"},
    "what a query should ask for: tests/planspec/api/test_best_values.py": {"PS437", "PS438"},
    "what agents may answer: tests/planspec/api/test_refusals.py": {"PS439"},
    "documents beside each other: tests/planspec/commands/test_check.py": {"PS602"},
    "what an audit finds: tests/planspec/api/auditing/test_audit.py": {"PS620", "PS621", "PS622"},
    "cases: tests/planspec/api/cases/test_answers.py": {f"PS60{n}" for n in range(3, 9)},
    "records that make tasks: tests/dsl/workspace/test_task_tables.py": {"PS610"},
    "plans and answers": {"PS701", "PS702"},
    "our own bugs": {"PS901"},
}
"""Codes that `check` never reports on a readable document, grouped by the tests that cover them."""


@pytest.mark.parametrize("case", CASES, ids=[case.path.stem for case in CASES])
def test_a_mistake_is_reported_once_at_its_position(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # makes paths in texts relative
    diagnostics = case.diagnostics(tmp_path)
    text = short_form(diagnostics)
    case.update(text)
    assert text == case.expected
    assert {diagnostic.code for diagnostic in diagnostics} == {case.code}
    assert len({(d.span.source.name, d.span.start, d.span.end) for d in diagnostics}) == len(diagnostics)


@pytest.mark.parametrize("case", CASES, ids=[case.path.stem for case in CASES])
def test_every_mistake_can_be_printed_with_its_lines(case: Case, tmp_path: Path) -> None:
    diagnostics = case.diagnostics(tmp_path)
    text = render_text(diagnostics)
    assert all(f"[{d.code}]" in text and d.message in text for d in diagnostics)


def test_every_code_has_a_case() -> None:
    covered = {case.code for case in CASES}
    elsewhere = set().union(*ELSEWHERE.values())
    assert covered | elsewhere == set(CODES)
    assert not covered & elsewhere


def test_every_code_has_an_explanation_and_an_example() -> None:
    slugs = [code.slug for code in CODES.values()]
    assert len(set(slugs)) == len(slugs)
    for code in CODES.values():
        assert code.why.endswith("."), code
        assert code.code == "PS901" or (code.wrong and code.right and code.wrong != code.right), code


def test_headlines_labels_and_help_are_phrases() -> None:
    for case in CASES:
        for line in case.expected.splitlines():
            assert not line.endswith((".", "!", " ")) or line.endswith(("...", "`: ")), (case.path.name, line)
