"""Counts of the checked cells of an answer."""

from __future__ import annotations

import dataclasses

import pytest
from pydantic import TypeAdapter, ValidationError

from planspec.families.veritrip.facts_check.verdict import CellStatus, CheckedCell, Citation, FactCheck


def cell(status: CellStatus, citation: Citation | None = None) -> CheckedCell:
    """Return a checked cell with this status."""
    return CheckedCell(table="itineraryTable", row=0, column="name", status=status, said="x", citation=citation)


CHECK = FactCheck(
    cells=(
        cell("correct", "supported"),
        cell("wrong", "contradicted"),
        cell("correct"),
        cell("unreadable", "uncited"),
        cell("correct", "uncited"),
    )
)


def test_every_status_is_counted() -> None:
    assert CHECK.counts == {"correct": 3, "wrong": 1, "unsupported": 0, "unreadable": 1}
    assert sum(CHECK.counts.values()) == len(CHECK.cells)


def test_cells_that_need_no_citation_are_not_counted() -> None:
    assert CHECK.citations == {"supported": 1, "contradicted": 1, "silent": 0, "uncited": 2}


def test_an_answer_without_cells_has_zero_counts() -> None:
    empty = FactCheck(cells=())
    assert set(empty.counts.values()) == set(empty.citations.values()) == {0}


def test_a_fact_check_is_unchanged_by_a_round_trip_and_invalid_data_are_refused() -> None:
    adapter = TypeAdapter(FactCheck)
    text = adapter.dump_json(CHECK)
    assert adapter.validate_json(text) == CHECK
    for wrong in (text.replace(b'"wrong"', b'"lost"'), text.replace(b'"said"', b'"told"')):
        with pytest.raises(ValidationError):
            adapter.validate_json(wrong)


def test_the_schema_describes_every_field_of_a_cell() -> None:
    schema = TypeAdapter(FactCheck).json_schema()["$defs"]["CheckedCell"]
    assert set(schema["properties"]) == {field.name for field in dataclasses.fields(CheckedCell)}
    assert schema["additionalProperties"] is False
