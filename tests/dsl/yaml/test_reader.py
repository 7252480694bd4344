"""YAML is read as text: nodes, their positions, and refused texts."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import yaml
from hypothesis import assume, given
from hypothesis import strategies as st

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.yaml import composer as yaml_composer
from planspec.dsl.yaml.reader import (
    Mapping,
    Node,
    Scalar,
    Sequence,
    compose,
    decoded_position,
    expression_span,
)
from planspec.dsl.yaml.source_files import source_from_text
from tests.dsl.yaml.yaml_readers import READERS


@pytest.fixture(params=READERS)
def _each_yaml_reader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run a test with each available YAML reader."""
    monkeypatch.setattr(yaml_composer, "LOADER", request.param)


def read(text: str) -> Node:
    """Return the node of a text, which must have no mistakes."""
    report = Report()
    node = compose(source_from_text(text, "t.yaml"), report)
    assert not report.diagnostics
    assert node is not None
    return node


def value(text: str, key: str = "k") -> Node:
    """Return the value of a key in a text."""
    node = read(text)
    assert isinstance(node, Mapping)
    return next(value_ for name, value_ in node.entries if name.text == key)


def scalar(text: str) -> Scalar:
    """Return the value of the key `k`, which must be a scalar (text)."""
    node = value(text)
    assert isinstance(node, Scalar)
    return node


def mistakes_in(text: str) -> list[tuple[str, str, str]]:
    """Return code, headline and underlined text of every mistake in a text."""
    report = Report()
    compose(source_from_text(text, "t.yaml"), report)
    return [(d.code, d.message, d.span.text) for d in report.ordered()]


def plain_node(node: Node) -> object:
    """Convert a node to strings, lists and mappings."""
    match node:
        case Scalar():
            return node.text
        case Mapping():
            return {key.text: plain_node(node_) for key, node_ in node.entries}
        case Sequence():
            return [plain_node(item) for item in node.items]


def scalars(node: Node) -> Iterator[Scalar]:
    """Yield the scalars (texts) of a node, in order."""
    match node:
        case Scalar():
            yield node
        case Mapping():
            for key, node_ in node.entries:
                yield key
                yield from scalars(node_)
        case Sequence():
            for item in node.items:
                yield from scalars(item)


# ---- nodes


@pytest.mark.usefixtures("_each_yaml_reader")
class TestNodes:
    def test_scalars_remain_text(self) -> None:
        node = read("a: 12:30\nb: no\nc: 010\nd: 1_000\ne: ~\nf: 2026-07-01\ng: null\n")
        assert plain_node(node) == {
            "a": "12:30",
            "b": "no",
            "c": "010",
            "d": "1_000",
            "e": "~",
            "f": "2026-07-01",
            "g": "null",
        }

    def test_a_missing_value_is_an_empty_scalar_at_its_place(self) -> None:
        node = scalar("k:   # later\nx: 1\n")
        assert (node.text, node.style, node.span.text) == ("", "plain", "")
        assert node.span.start == len("k:")

    def test_a_key_without_a_colon_has_an_empty_value_at_its_own_end(self) -> None:
        node = value("k: {a , b # c\n }\n")
        assert isinstance(node, Mapping)
        assert [(key.text, node_.span.start - key.span.end) for key, node_ in node.entries] == [
            ("a", 0),
            ("b", 0),
        ]

    def test_an_empty_item_is_placed_behind_its_dash(self) -> None:
        node = value("k:\n  -\n  - b\n")
        assert isinstance(node, Sequence)
        assert [item.span.start for item in node.items] == [6, 11]

    def test_spans_of_block_collections_end_with_their_last_text(self) -> None:
        text = "k:\n  a: 1   # one\n  b:\n    - x\n    - y  # two\n\n# three\nz: 1\n"
        assert value(text).span.text == "a: 1   # one\n  b:\n    - x\n    - y"

    def test_spans_of_flow_collections_are_their_brackets(self) -> None:
        assert value("k: {a: [1, 2 ], b: c }  # d\n").span.text == "{a: [1, 2 ], b: c }"

    def test_the_pair_in_a_flow_sequence_ends_with_its_value(self) -> None:
        node = value("k: [a: b , c]\n")
        assert isinstance(node, Sequence)
        assert [item.span.text for item in node.items] == ["a: b", "c"]

    @pytest.mark.parametrize(
        ("raw", "style", "text", "content"),
        [
            ("a b", "plain", "a b", "a b"),
            ("a\n  b", "plain", "a b", "a\n  b"),
            ("'a''b'", "single", "a'b", "'a''b'"),
            ('"a\\tb"', "double", "a\tb", '"a\\tb"'),
            ("|\n  a\n   b", "literal", "a\n b\n", "  a\n   b"),
            (">- # c\n\n  a\n  b", "folded", "\na b", "\n  a\n  b"),
            ("|-", "literal", "", ""),
        ],
    )
    @pytest.mark.parametrize("behind", ["\n", "\n\n\n", "\n# c\n", "\nz: 1\n"])
    def test_a_scalar_keeps_its_slice_and_its_style(
        self, raw: str, style: str, text: str, content: str, behind: str
    ) -> None:
        node = scalar(f"é: 😀\nk: {raw}{behind}")
        assert (node.style, node.text, node.span.text, node.content.text) == (style, text, raw, content)
        assert expression_span(node).text == content

    def test_the_span_of_an_empty_block_leaves_out_the_comment_of_its_header(self) -> None:
        node = scalar("k: >- # nothing\nz: 1\n")
        assert (node.span.text, node.content.text) == (">-", "")

    def test_an_expression_in_braces_keeps_its_text(self) -> None:
        assert expression_span(value("k: {breakfast, lunch}\n")).text == "{breakfast, lunch}"

    def test_equal_members_of_a_set_are_not_repeated_keys(self) -> None:
        assert expression_span(value("k: {f(a, b), g(c, b)}\n")).text == "{f(a, b), g(c, b)}"

    def test_document_markers_are_ignored(self) -> None:
        assert plain_node(read("---\na: 1\n...\n")) == {"a": "1"}


def test_the_byte_order_mark_is_removed_and_line_ends_are_newlines() -> None:
    source = source_from_text("\ufeffa: b\r\nc: d\r\n", "t.yaml")
    assert source.text == "a: b\nc: d\n"


@given(
    st.recursive(
        st.text("ab 1:#-é😀,'\"\n", max_size=12),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.text("abcé", min_size=1, max_size=3), inner, max_size=3)
        ),
        max_leaves=12,
    ),
    st.sampled_from([None, True, False]),
    st.sampled_from([None, "'", '"', "|", ">"]),
    st.integers(2, 6),
)
def test_texts_that_pyyaml_writes_are_read_as_pyyaml_reads_them(
    data: object, flow: bool | None, style: str | None, indent: int
) -> None:
    text = yaml.safe_dump({"k": data}, default_flow_style=flow, default_style=style, indent=indent, allow_unicode=True)
    assume(
        "&" not in text
        and "!!" not in text
        and "? " not in text
        and not any(f"{m}{i}" in text for m in "|>" for i in range(10))
    )
    expected = yaml.load(text, Loader=yaml.BaseLoader)
    assert plain_node(read(text)) == expected


# ---- refused texts

REFUSED = [
    ("a: !!str b\n", "PS004", "a tag is not supported", "!!str"),
    ("a: ! b\n", "PS004", "a tag is not supported", "!"),
    ("a: !<x,y> b\n", "PS004", "a tag is not supported", "!<x,y>"),
    ("a: &x b\n", "PS004", "an anchor is not supported", "&x"),
    ("a: &x\n  - b\n", "PS004", "an anchor is not supported", "&x"),
    ("a: *x\n", "PS004", "an alias is not supported", "*x"),
    ("*x : b\n", "PS004", "an alias is not supported", "*x"),
    ("%YAML 1.1\n---\na: b\n", "PS004", "a directive is not supported", "%YAML 1.1"),
    ("# c\n\n%FOO bar\n---\na: b\n", "PS004", "a directive is not supported", "%FOO bar"),
    ("a: b\n---\nc: d\n", "PS004", "a second document", "---"),
    ("a: |2\n   b\n", "PS004", "an indentation indicator is not supported", "2"),
    ("a: >-4\n     b\n", "PS004", "an indentation indicator is not supported", "4"),
    ("? a\n: b\n", "PS004", "a key needs no `?`", "?"),
    ("c: d\n? a\n: b\n", "PS004", "a key needs no `?`", "?"),
    ("{? a : b}\n", "PS004", "a key needs no `?`", "?"),
    ("[a]: b\n", "PS004", "a key is a word", "[a]"),
    ("{{a: b}: c}\n", "PS004", "a key is a word", "{a: b}"),
    ("a: b\x85c: d\n", "PS004", "an exotic line break", "\x85"),
    ("a: b\u2028\n", "PS004", "an exotic line break", "\u2028"),
    ("a: b\u2029\n", "PS004", "an exotic line break", "\u2029"),
    ("a: b\rc: d\n", "PS004", "an exotic line break", "\r"),
    ("a: 1\nb: 2\na: 3\n", "PS003", "the key `a` is repeated", "a"),
    ("{a: 1, 'a': 3}\n", "PS003", "the key `a` is repeated", "'a'"),
    ("a: b\x00\n", "PS002", "a character that no YAML may hold", "\x00"),
    ("a: b\ufeff\n", "PS002", "a character that no YAML may hold", "\ufeff"),
    ("a: b\ud800\n", "PS002", "a character that no YAML may hold", "\ud800"),
    ("", "PS002", "the document is empty", ""),
    ("# nothing\n", "PS002", "the document is empty", ""),
    ("---\n", "PS002", "the document is empty", ""),
]


@pytest.mark.usefixtures("_each_yaml_reader")
@pytest.mark.parametrize(("text", "code", "message", "underlined"), REFUSED)
def test_a_refused_part_is_underlined(text: str, code: str, message: str, underlined: str) -> None:
    assert mistakes_in(text) == [(code, message, underlined)]


def test_a_repeated_key_points_at_the_first() -> None:
    report = Report()
    node = compose(source_from_text("a: 1\nb: 2\na: 3\n", "t.yaml"), report)
    (diagnostic,) = report.diagnostics
    assert (diagnostic.span.line, diagnostic.primary.text) == (3, "again here")
    assert [(label.span.line, label.text) for label in diagnostic.secondary] == [(1, "first here")]
    assert node is not None
    assert plain_node(node) == {"a": "1", "b": "2"}


def test_every_key_and_value_has_its_own_mistake_reported() -> None:
    text = "a: !t 1\nb: &x 2\nc: *x\na: 4\nd: |1\n  x\n? e\n: f\n"
    assert [(code, underlined) for code, _, underlined in mistakes_in(text)] == [
        ("PS004", "!t"),
        ("PS004", "&x"),
        ("PS004", "*x"),
        ("PS003", "a"),
        ("PS004", "1"),
        ("PS004", "?"),
    ]


def test_mistakes_before_a_syntax_error_are_reported_with_it() -> None:
    assert [code for code, _, _ in mistakes_in("a: 1\na: 2\nb: {c\nd: 1\n")] == ["PS003", "PS002"]


def test_forbidden_characters_do_not_hide_other_mistakes() -> None:
    assert [code for code, _, _ in mistakes_in("a: \x00b\nc: 1\nc: 2\n")] == ["PS002", "PS003"]


def test_only_a_forbidden_line_break_is_reported_if_yaml_fails_because_of_it() -> None:
    assert [code for code, _, _ in mistakes_in("a: b\x85 c: d\n")] == ["PS004"]


def test_a_text_with_refused_characters_gives_no_node() -> None:
    assert compose(source_from_text("a: b\x85\n", "t.yaml"), Report()) is None


def test_a_question_mark_in_a_comment_is_not_an_explicit_key() -> None:
    assert plain_node(read("a: 1 # why? \n# ? what\nb: 2\n")) == {"a": "1", "b": "2"}


def test_a_tag_before_a_comment_and_a_block_is_refused_and_the_block_read() -> None:
    report = Report()
    node = compose(source_from_text("a: &x # c\n  |\n  b\n", "t.yaml"), report)
    assert [d.span.text for d in report.diagnostics] == ["&x"]
    assert node is not None
    assert plain_node(node) == {"a": "b\n"}


@pytest.mark.parametrize("escape", [r"\ud800", r"\UFFFFFFFF", r"\U00110000"])
@pytest.mark.usefixtures("_each_yaml_reader")
def test_an_escape_without_a_character_is_refused(escape: str) -> None:
    ((code, _, underlined),) = mistakes_in(f'a: "x{escape}"\n')
    assert code == "PS002"
    assert escape in underlined


# ---- size and depth


@pytest.mark.sampled(3)
@pytest.mark.usefixtures("_each_yaml_reader")
@pytest.mark.parametrize(
    "text", ["[" * 50_000, "- " * 50_000, "{a: " * 50_000, "[" * 50_000 + "]" * 50_000, "[{a: " * 20_000]
)
def test_deep_nesting_is_refused_at_the_first_level_too_deep(text: str) -> None:
    report = Report()
    assert compose(source_from_text(text, "t.yaml"), report) is None
    (diagnostic,) = report.diagnostics
    assert diagnostic.code == "PS006"
    assert diagnostic.span.text == next(char for char in text[diagnostic.span.start :])


@pytest.mark.usefixtures("_each_yaml_reader")
def test_the_deepest_level_that_is_allowed_is_read() -> None:
    report = Report()
    assert compose(source_from_text("[" * 100 + "]" * 100, "t.yaml"), report) is not None
    assert compose(source_from_text("[" * 101 + "]" * 101, "t.yaml"), report) is None
    assert [(d.code, d.span.start) for d in report.diagnostics] == [("PS006", 100)]


def test_the_depth_limit_can_exceed_the_recursion_limit() -> None:
    depth = 900
    assert compose(source_from_text("[" * depth + "]" * depth, "t.yaml"), Report(), max_depth=2_000) is not None


def test_aliases_of_aliases_are_not_expanded() -> None:
    lines = ["a0: &a0 [x, x]"] + [f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]" for i in range(1, 40)]
    report = Report()
    node = compose(source_from_text("\n".join(lines), "t.yaml"), report)
    assert isinstance(node, Mapping)
    assert len(list(scalars(node))) == 2 + 40 + 39 * 2 - 0
    assert {d.code for d in report.diagnostics} == {"PS004"}


@pytest.mark.slow
def test_a_text_full_of_open_brackets_is_read_in_few_steps() -> None:
    text = "{a: b, " + "(, " * 30_000 + "c: d}"
    node = read(text)
    assert isinstance(node, Mapping)
    assert len(node.entries) == 30_002


# ---- nothing crashes

PARTS = [
    "a",
    "b: ",
    "- ",
    "\n",
    "\n  ",
    "\n    ",
    "{",
    "}",
    "[",
    "]",
    ", ",
    ": ",
    "'",
    '"',
    " # ",
    "|",
    "> ",
    ">-\n  ",
    "& ",
    "&x ",
    "*x ",
    "!t ",
    "! ",
    "%",
    "@",
    "`",
    "? ",
    "---",
    "\n---\n",
    "...",
    "\t",
    "\\",
    "\\x4",
    " ",
    "é",
    "😀",
    "\x85",
    "\r",
    "f(a, b)",
    "c:d",
    "{a: f(b, c), d: e}",
    "\x00",
    "x == y",
]


@pytest.mark.usefixtures("_each_yaml_reader")
@given(st.lists(st.sampled_from(PARTS), max_size=12).map("".join))
def test_any_text_yields_ordered_nodes_or_a_diagnostic_within_the_text(text: str) -> None:
    source = source_from_text(text, "t.yaml")
    report = Report()
    node = compose(source, report)
    assert node is not None or report.failed
    for diagnostic in report.diagnostics:
        for span in (diagnostic.span, *(label.span for label in diagnostic.secondary)):
            assert 0 <= span.start <= span.end <= len(source.text)
    if node is not None:
        at = 0
        for leaf in scalars(node):
            assert at <= leaf.span.start <= leaf.content.start <= leaf.content.end <= len(source.text)
            at = leaf.span.end
            for index in range(len(leaf.text) + 1):
                assert leaf.span.start <= decoded_position(leaf, index) <= len(source.text)
