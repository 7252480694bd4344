"""A key of a document needs only one entry for checking, editors and the formatter."""

from __future__ import annotations

import pytest

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.editing.formatter import format_text
from planspec.dsl.editing.schema import document_schema
from planspec.dsl.structure import document_keys
from planspec.dsl.structure.document import document
from planspec.dsl.structure.document_keys import DOCUMENT, KINDS, Key
from planspec.dsl.yaml.source_files import source_from_text

WORLD = "planspec: world/1\nid: w\naims: 1+1\n"


def codes(text: str) -> list[str]:
    """Return the codes of the diagnostics of a document."""
    report = Report()
    document(source_from_text(text, "world.yaml"), None, report)
    return [diagnostic.code for diagnostic in report.diagnostics]


def test_a_new_key_of_a_document_needs_only_its_entry_in_the_table_of_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    assert codes(WORLD) == ["PS009"]
    assert format_text(WORLD) == WORLD
    aims = Key("aims", "objectives", "What is wished for.", ("world",))
    monkeypatch.setattr(document_keys, "DOCUMENT", {**DOCUMENT, "world": {**DOCUMENT["world"], "aims": aims}})
    assert codes(WORLD) == []
    assert document_schema("world")["properties"]["aims"]["description"] == "What is wished for."
    assert format_text(WORLD) == WORLD.replace("1+1", "1 + 1")


def test_no_key_is_listed_twice_for_a_kind_of_document() -> None:
    rows = [(kind, row.name) for row in document_keys._ROWS for kind in row.documents]
    assert len(set(rows)) == len(rows) == sum(len(DOCUMENT[kind]) for kind in KINDS)
