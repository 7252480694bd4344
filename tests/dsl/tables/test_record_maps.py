"""Maps from the fields of records to sections of tasks: how values are read, and mistakes in maps and values."""

from __future__ import annotations

import json
from typing import Any

import pytest

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.source import Source
from planspec.dsl.tables.missing_fields import MissingFields
from planspec.dsl.tables.record_map_reading import record_map
from planspec.dsl.tables.record_maps import RecordMap
from planspec.dsl.yaml.json_nodes import json_node
from planspec.dsl.yaml.nodes import Mapping, Node, Sequence
from planspec.dsl.yaml.reader import compose


def read(text: str, report: Report) -> RecordMap | None:
    """Return the map in a text, or None if it has a mistake."""
    node = compose(Source("s.yaml", f"map: {text}\n"), report)
    assert isinstance(node, Mapping), report.diagnostics
    return record_map(node.entries[0][1], node, report)


def plain(node: Node) -> Any:
    """Convert a node to mappings, lists and strings."""
    if isinstance(node, Mapping):
        return {key.text: plain(value) for key, value in node.entries}
    return [plain(item) for item in node.items] if isinstance(node, Sequence) else node.text


def sections(text: str, record: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return the sections that a map makes from a record, and the label of each mistake."""
    report = Report()
    map_, node = read(text, report), json_node(Source("r.jsonl", json.dumps(record)))
    assert map_ is not None and isinstance(node, Mapping), report.diagnostics
    made = {name: plain(value) for name, (_, value) in map_.sections(node, report).items()}
    return made, [each.primary.text for each in report.diagnostics]


def rows(text: str, record: dict[str, Any]) -> tuple[Any, list[str]]:
    """Return the rows that a map makes from a record, and the label of each mistake."""
    made, mistakes = sections(f"{{tables: {{T: {text}}}}}", record)
    return made["tables"]["T"]["rows"] if "tables" in made else None, mistakes


@pytest.mark.parametrize(
    ("field", "record", "value"),
    [
        ("a.b", {"a.b": 3}, "3"),
        ("[a, b]", {"a": {"b": 3}}, "3"),
        ("[a, 1]", {"a": [1, 2]}, "2"),
        ("[a, 007]", {"a": {"007": "x"}}, "x"),
        ("[a, 1]", {"a": [1]}, None),
        ("a", {"a": None}, None),
        ("{from: a, empty: [n/a]}", {"a": "n/a"}, None),
        ('{from: a, empty: ""}', {"a": ""}, None),
        ('{from: a, empty: ["", "[]"]}', {"a": []}, None),
        ("{from: a, empty: [n/a]}", {"a": []}, []),
        ("a", {"a": ""}, ""),
        ("{from: a, unit: min}", {"a": 30}, "30min"),
        ("{from: a, one_of: {x: foot}}", {"a": "x"}, "foot"),
        ("{from: a, split: ;}", {"a": "x; y;"}, ["x", "y"]),
        ("{from: a, one_of: {x: foot, y: bus}, split: ;}", {"a": "x;y"}, ["foot", "bus"]),
        ("a", {"a": ["x", None]}, ["x", ""]),
    ],
)
def test_a_field_of_a_record_is_found_and_read_in_its_form(field: str, record: dict[str, Any], value: Any) -> None:
    made, mistakes = sections(f"{{given: {{g: {field}}}}}", record)
    assert (made.get("given", {}).get("g"), mistakes) == (value, [])


@pytest.mark.parametrize(
    ("text", "record", "expected"),
    [
        ("t", {"t": [{"a": 1, "b": None}]}, [{"a": "1"}]),
        ("{each: t, map: {x: [p, 0]}}", {"t": [{"p": [5]}]}, [{"x": "5"}]),
        ("{each: t, skip: 1, map: {x: []}}", {"t": ["h", "v"]}, [{"x": "v"}]),
        ("{each: t, keys: [a, b], value: n}", {"t": {"x": {"y": 1, "z": None}}}, [{"a": "x", "b": "y", "n": "1"}, {"a": "x", "b": "z"}]),
        ("{each: t, keys: [a], value: {from: n, one_of: {1: one}}}", {"t": {"x": 1}}, [{"a": "x", "n": "one"}]),
        ("{zip: {a: x, b: y}}", {"x": ["p", None], "y": [None, "q"]}, [{"a": "p"}, {"b": "q"}]),
        ("{zip: {a: x, b: y}}", {}, None),
    ],
)  # fmt: skip
def test_a_record_is_mapped_to_rows(text: str, record: dict[str, Any], expected: Any) -> None:
    assert rows(text, record) == (expected, [])


@pytest.mark.parametrize(
    ("text", "record", "label"),
    [
        ("{zip: {a: x, b: y}}", {"x": [1], "y": [1, 2]}, "the lists have different lengths: `a` 1, `b` 2"),
        ("{zip: {a: x}}", {"x": 3}, "the field `x` is no list"),
        ("{each: t, map: {x: y}}", {"t": [None]}, "a row is null"),
        ("{each: t, map: {x: y}}", {"t": [3]}, "a row is an object or a list"),
        ("t", {"t": 3}, "a list of rows is needed"),
        ("{each: t, keys: [a, b], value: n}", {"t": {"x": 1}}, "an object is needed, whose names are `b`"),
        ("{each: t, map: {x: {from: y, one_of: {k: v}}}}", {"t": [{"y": "z"}]}, "not under `one_of`"),
    ],
)
def test_values_that_cannot_be_mapped_to_rows_are_reported(text: str, record: dict[str, Any], label: str) -> None:
    assert rows(text, record)[1] == [label]


@pytest.mark.parametrize(
    "text",
    [
        "{given: {g: {from: a, split: []}}}",
        "{given: {g: {from: a, unit: ''}}}",
        "{given: {g: {one_of: {x: y}}}}",
        "{given: {g: {from: a, one_of: [x]}}}",
        "{given: {g: {}}}",
        "{given: g}",
        "{tables: {T: {each: t, zip: {a: x}}}}",
        "{tables: {T: {zip: {}}}}",
        "{tables: {T: {each: t, map: {a: x}, value: n}}}",
        f"{{tables: {{T: {{each: t, skip: {'9' * 5000}}}}}}}",
        "{tables: {T: {each: t, skip: -1}}}",
        "{tables: [T]}",
        "{reference: {from: a, as: plans}}",
        "{reference: {from: a, as: []}}",
        "{query: {from: a, as: answer}}",
        "{idd: x}",
        "[id]",
    ],
)
def test_a_mistake_in_a_map_is_reported(text: str) -> None:
    report = Report()
    read(text, report)
    assert report.failed


@pytest.mark.parametrize(
    ("answer", "expected", "mistakes"),
    [
        ('{"call":\n {"n": 1.0}}', {"call": {"n": "1.0"}}, []),
        ({"call": []}, {"call": []}, []),
        ('{"n": NaN}', '{"n": NaN}', ["NaN is no JSON"]),
        ('{"n": 1, "n": 2}', '{"n": 1, "n": 2}', ["a key is repeated"]),
        ("gold.json", "gold.json", ["a text without JSON"]),
        ("", "", ["a text without JSON"]),
        ("12", "12", ["neither an object nor a list"]),
    ],
)
def test_a_reference_answer_in_a_text_is_decoded_from_json(answer: Any, expected: Any, mistakes: list[str]) -> None:
    made, labels = sections("{reference: r}", {"r": answer})
    assert (made["reference"], labels) == (expected, mistakes)


@pytest.mark.parametrize(
    ("form", "answer", "expected", "mistakes"),
    [
        ("plan", {"plan": [{"n": 1}]}, {"task": "7", "plan": {"plan": [{"n": "1"}]}}, []),
        ("plan", '[{"n": 1}]', {"task": "7", "plan": [{"n": "1"}]}, []),
        ("plan", "My plan: {}", {"task": "7", "plan": "My plan: {}"}, ["a text without JSON"]),
        ("answer", {"task": "7", "plan": {"t": []}}, {"task": "7", "plan": {"t": []}}, []),
        ("answer", ' My plan:\r\n{"t": []} ', 'My plan:\n{"t": []}', []),
        ("answer", " ", " ", ["a text without JSON"]),
    ],
)
def test_a_reference_is_given_as_a_plan_or_as_an_answer(
    form: str, answer: Any, expected: Any, mistakes: list[str]
) -> None:
    made, labels = sections(f"{{reference: {{from: r, as: {form}}}}}", {"id": 7, "r": answer})
    assert (made["reference"], labels) == (expected, mistakes)


def test_the_string_null_is_not_a_reference_answer() -> None:
    assert sections("{reference: r}", {"r": "null"}) == ({}, [])


def test_fields_that_no_record_or_row_has_are_found() -> None:
    report = Report()
    map_ = read("{id: uid, query: promt, given: {g: note}, tables: {T: {each: t, map: {x: hwo}}}}", report)
    assert map_ is not None
    missing = MissingFields(map_)
    records: list[dict[str, Any]] = [
        {"uid": "1", "prompt": "q", "note": None, "t": []},
        {"uid": "2", "prompt": "q", "t": [{"who": 1}]},
    ]
    for record in records:
        missing.remove_fields_of(record)
    missing.report(report)
    assert [(each.message, each.help) for each in report.diagnostics] == [
        ("no record has the field `promt`", "did you mean `prompt`?"),
        ("no row of `T` has the field `hwo`", "did you mean `who`?"),
    ]
    assert (missing.count, missing.names) == (2, ["uid", "prompt", "note", "t"])
