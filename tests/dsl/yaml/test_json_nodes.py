"""JSON texts become nodes with positions, like YAML texts."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.source import Source
from planspec.dsl.yaml.json_nodes import json_node
from planspec.dsl.yaml.nodes import Mapping, Node, Scalar, Sequence
from planspec.dsl.yaml.reader import compose
from planspec.dsl.yaml.writing import yaml_text

TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=12)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


def data_of(node: Node) -> Any:
    """Return the JSON data of a node."""
    if isinstance(node, Mapping):
        return {key.text: data_of(value) for key, value in node.entries}
    if isinstance(node, Sequence):
        return [data_of(item) for item in node.items]
    if node.style == "double":
        return node.text
    return None if not node.text else json.loads(node.text)


@given(VALUES, st.booleans(), st.sampled_from([None, 1]))
def test_a_node_has_the_data_of_its_text(value: Any, ascii_only: bool, indent: int | None) -> None:
    source = Source("x.json", json.dumps(value, ensure_ascii=ascii_only, indent=indent))
    assert data_of(json_node(source)) == value


def test_a_node_has_the_place_of_its_token() -> None:
    source = Source("x.jsonl", '{"a": [1, "two"], "b": "x\\ny"}', first_line=7)
    node = json_node(source)
    assert isinstance(node, Mapping)
    [(first, items), (_, second)] = node.entries
    assert (first.span.line, first.span.column, first.span.text) == (7, 3, "a")
    assert isinstance(items, Sequence)
    assert [item.span.text for item in items.items] == ["1", "two"]
    assert items.span.text == '[1, "two"]'
    assert isinstance(second, Scalar)
    assert (second.span.text, second.text, second.content.text) == ('"x\\ny"', "x\ny", "x\ny")


def test_an_expression_with_escapes_is_read_without_them() -> None:
    node = json_node(Source("x.jsonl", '{"hard": "a == \\"b\\""}', first_line=3))
    assert isinstance(node, Mapping)
    scalar = node.entries[0][1]
    assert isinstance(scalar, Scalar)
    assert (scalar.content.text, scalar.content.line) == ('a == "b"', 3)


@given(st.dictionaries(st.from_regex(r"[a-z]{1,6}", fullmatch=True), VALUES, min_size=1, max_size=4))
def test_nodes_written_as_yaml_have_the_same_data(value: dict[str, Any]) -> None:
    text = yaml_text(json_node(Source("x.json", json.dumps(value))))  # type: ignore[arg-type]
    report = Report()
    again = compose(Source("x.yaml", text), report)
    # YAML refuses some characters and reports them.
    if not report.failed:
        assert again is not None
        assert plain(again) == plain(json_node(Source("x.json", json.dumps(value))))


def plain(node: Node) -> Any:
    """Convert a node to strings, lists and dicts.

    A mapping without values, also an empty one, becomes a list of keys.
    """
    if isinstance(node, Mapping):
        return {key.text: plain(value) for key, value in node.entries}
    return [plain(item) for item in node.items] if isinstance(node, Sequence) else node.text.replace("null", "")
