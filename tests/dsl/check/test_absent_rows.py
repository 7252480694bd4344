"""A constant key that no row has is reported, unless the expression tests whether the row exists."""

from __future__ import annotations

from pathlib import Path

import pytest

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.documents.documents import check_document
from planspec.dsl.workspace.workspace import Workspace
from tests.dsl.expressions import HEAD

LIBRARY = """\
planspec: library/1
id: shops
tables:
  Shop: {stars: int}
plan: {p: {one: true, shop: Shop}}
constraints:
  elsewhere:
    hard: p.shop != Shop["Grand hotel"]
"""
TASK = """\
planspec: task/1
id: trip
query: Where to?
uses: [shops]
tables:
  Shop: [{id: bar, stars: 2}, {id: NAME, stars: 3}]
scope: {p: {shop: Shop}}
"""


def diagnostics_in(folder: Path, text: str) -> list[tuple[str, str]]:
    """Check a document and return code and underlined text of each diagnostic."""
    path = folder / f"x.{'library' if 'library/1' in text[:30] else 'task'}.yaml"
    path.write_text(text, "utf-8")
    report, workspace = Report(), Workspace()
    document = workspace.open(path, report)
    assert document is not None
    check_document(document, workspace, report)
    return [(d.code, d.span.text) for d in report.ordered() if d.code not in ("PS210", "PS412")]


ABSENT = """\
Place["Museum"].stars                                    | "Museum"
Slot[museum, 09:30].left                                 | museum, 09:30
Slot[Place["musem"], 09:00].left                         | "musem"
count(p for p in Place if p.id == "Museum")              | "Museum"
count(p for p in Place if "Museum" != p.id)              | "Museum"
count(p for p in Place if p.id in {"museum", "park "})   | "park "
count(v for v in visits if v.place not in {Place["zoo"]}) | "zoo"
Place["museum"].stars                                    |
Slot[museum].left                                        |
Place["Museum"].stars ?? 3                               |
Place["Museum"] is none                                  |
1 if Place["zoo"].stars is none else Place["zoo"].stars  |
count(p for p in Place if p.name == "Museum")            |
"""


@pytest.mark.parametrize("line", ABSENT.splitlines())
def test_a_key_without_a_row_is_reported_unless_the_expression_tests_for_none(line: str, tmp_path: Path) -> None:
    expression, _, absent = (part.strip() for part in line.partition(" |"))
    warnings = diagnostics_in(tmp_path, f"{HEAD}define:\n  wanted: >-\n    {expression}\n")
    assert warnings == ([("PS207", absent)] if absent else [])


def test_a_definition_that_is_an_absent_row_is_not_reported_if_its_uses_have_a_default(tmp_path: Path) -> None:
    define = 'define:\n  zoo: Place["zoo"]\n  stars: zoo.stars ?? 3\n'
    assert diagnostics_in(tmp_path, HEAD + define) == []


def test_an_absent_row_is_not_reported_as_the_argument_of_an_optional_parameter(tmp_path: Path) -> None:
    define = 'define:\n  f(p Place?): p is none\n  wanted: f(Place["zoo"])\n'
    assert diagnostics_in(tmp_path, HEAD + define) == []


def test_absent_rows_of_a_library_are_reported_when_its_tables_are_loaded(tmp_path: Path) -> None:
    assert diagnostics_in(tmp_path, LIBRARY) == []
    (tmp_path / "libraries").mkdir()
    (tmp_path / "libraries" / "shops.library.yaml").write_text(LIBRARY, "utf-8")
    (tmp_path / "x.library.yaml").unlink()
    assert diagnostics_in(tmp_path, TASK.replace("NAME", "Grand hotel")) == []
    assert diagnostics_in(tmp_path, TASK.replace("NAME", "Grand Hotel")) == [("PS207", '"Grand hotel"')]
