"""Every kind of mistake is said once, at the right place, in words that help: one case for each code at least."""

from __future__ import annotations

from pathlib import Path

import pytest

from planspec.dsl.codes import CODES
from planspec.dsl.rendering import render_text
from tests.dsl.cases import Case, read_case, written

CASES = [read_case(path) for path in sorted(Path(__file__).with_name("diagnostics").glob("*.case"))]

ELSEWHERE = {
    "PS001": "tests/dsl/test_bad_input.py",
    "PS007": "tests/dsl/test_bad_input.py",
    "PS403": "tests/verifiers/test_ground.py",
    "PS405": "tests/verifiers/test_ground.py",
    "PS406": "tests/verifiers/test_ground.py",
    "PS501": "",
    "PS502": "",
    "PS503": "",
    "PS701": "",
    "PS702": "",
    "PS901": "",
}
"""Codes that no document raises when it is checked, and the tests that see them."""


@pytest.mark.parametrize("case", CASES, ids=[case.path.stem for case in CASES])
def test_a_mistake_is_said_once_and_where_it_is(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # so that paths in texts are relative
    found = case.said(tmp_path)
    text = written(found)
    case.update(text)
    assert text == case.expected
    assert {diagnostic.code for diagnostic in found} == {case.code}
    assert len({(d.span.source.name, d.span.start, d.span.end) for d in found}) == len(found)


@pytest.mark.parametrize("case", CASES, ids=[case.path.stem for case in CASES])
def test_every_mistake_can_be_printed_with_its_lines(case: Case, tmp_path: Path) -> None:
    found = case.said(tmp_path)
    text = render_text(found)
    assert all(f"[{d.code}]" in text and d.message in text for d in found)


def test_every_code_has_a_case() -> None:
    covered = {case.code for case in CASES} | set(ELSEWHERE)
    assert covered == set(CODES)
    assert not {case.code for case in CASES} & set(ELSEWHERE)
