"""Nodes that are written as YAML and read again have the same data. Expressions keep their styles."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.source import Source
from planspec.dsl.yaml.nodes import Mapping, Node, Sequence
from planspec.dsl.yaml.reader import compose
from planspec.dsl.yaml.writing import yaml_text

KEYS = st.from_regex(r"[a-z]{1,4}", fullmatch=True)
LINES = st.lists(st.sampled_from(["a < b", "# no", "", "- x", "  y", "k: v"]), min_size=1, max_size=3)


def quoted(lines: list[str]) -> str:
    """Return lines as one YAML text in single quotes."""
    return "'" + " ".join(lines).replace("'", "''") + "'"


SCALARS = st.one_of(
    st.sampled_from(["", "null", "a", "a.b + 3", "count(x for x in y)", "9:00..17:00 step 30min", "'it''s'", '"a\\n"']),
    LINES.map(quoted),
)
FLOWS = st.lists(KEYS, max_size=3).map(lambda names: "[" + ", ".join(names) + "]") | st.dictionaries(
    KEYS, KEYS, max_size=3
).map(lambda pairs: "{" + ", ".join(f"{key}: {value}" for key, value in pairs.items()) + "}")


def composed(text: str) -> Mapping:
    """Return the mapping in a text, which must have no mistakes."""
    report = Report()
    root = compose(Source("x.yaml", text), report)
    assert isinstance(root, Mapping), (text, report.diagnostics)
    return root


def content(node: Node) -> Any:
    """Return the texts of a node, in lists and pairs."""
    if isinstance(node, Mapping):
        return [(key.text, content(value)) for key, value in node.entries]
    if isinstance(node, Sequence):
        return [content(item) for item in node.items]
    empty = node.style == "plain" and node.text in ("", "null")
    return None if empty else node.text


@given(st.dictionaries(KEYS, SCALARS | FLOWS, min_size=1, max_size=4))
def test_a_document_written_again_has_the_same_data(entries: dict[str, str]) -> None:
    root = composed("".join(f"{key}: {value}\n" for key, value in entries.items()))
    assert content(composed(yaml_text(root))) == content(root)


@pytest.mark.parametrize(
    "text",
    [
        "a: |\n  x > 1\n  and y\n",
        "a: |-\n  x\n\n  # no comment\n",
        "a: >-\n  all(x\n  for x in y)\n",
        "a: >\n  one\n  two\n",
        "a: |+\n  x\n\n",
        "a: |\n    x\n   y\n",
        "a:\n  - b: 1\n    c: [2, 3]\n  - {d: 4}\n  -\n",
        "a:\n  b:\n    c: '# x'\n    d: {}\n    e: []\n",
        "a: {b: , c: [x, ]}\n",
        "'a b': 'yes'\n? \"q\\\"\"\n: 1\n",
        "a: 'x\\y'\nb: \"\\u00e9\\t\"\nc: -3\nd: '- x'\ne: 'a: b'\nf: ''\n",
    ],
)
def test_blocks_and_quotes_keep_their_texts(text: str) -> None:
    report = Report()
    root = compose(Source("x.yaml", text), report)
    if not isinstance(root, Mapping):  # YAML that the language refuses
        assert report.failed
        return
    assert content(composed(yaml_text(root))) == content(root)
