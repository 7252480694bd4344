"""The diagnostics of texts that YAML refuses, cuts or splits have useful help."""

from __future__ import annotations

import pytest

from planspec.dsl.diagnostics.diagnostic import Diagnostic, Report
from planspec.dsl.yaml import composer as yaml_composer
from planspec.dsl.yaml.hints import cut_help
from planspec.dsl.yaml.reader import Mapping, Scalar, compose
from planspec.dsl.yaml.source_files import source_from_text
from tests.dsl.yaml.yaml_readers import READERS


def only_diagnostic(text: str) -> Diagnostic:
    """Return the only diagnostic of a text."""
    report = Report()
    compose(source_from_text(text, "t.yaml"), report)
    (diagnostic,) = report.diagnostics
    return diagnostic


def hint_for_hard(text: str) -> str | None:
    """Return the hint for the value of `hard`, or None."""
    report = Report()
    source = source_from_text(text, "t.yaml")
    root = compose(source, report)
    assert not report.diagnostics
    assert isinstance(root, Mapping)
    return cut_help(source, next(node for key, node in root.entries if key.text == "hard"))


SYNTAX = [
    # texts in which a colon is special
    ("message: Note: bring a coat\n", "a `: ` in the middle of a text", ":", "put the text in quotes or into a block"),
    ("r: {}\nhard: x if a: b\n", "a `: ` in the middle of a text", ":", "put it into a block scalar"),
    ("hard: a == b\n  and c: d\n", "a `: ` in the middle of a text", ":", "put it into a block scalar"),
    ("a: {b: c: d}\n", "a second `: ` in one value", ":", "over several lines"),
    ("a: {b:[1]}\n", "a colon without a space behind it", ":", "a key ends in `: `"),
    ("a: 1\nhard:x\nc: 1\n", "a colon without a space behind it", ":", "a key ends in `: `"),
    (": x\n", "a key is missing", ":", None),
    ("{: x}\n", "a key is missing", ":", None),
    # texts whose first character is special
    ('hard: "a" == b\nx: y\n', 'text goes on behind the closing `"`', "== b", 'YAML reserves the leading `"`'),
    ("hard: 'a' == b  # c\n", "text goes on behind the closing `'`", "== b", "YAML reserves the leading `'`"),
    ("hard: {a, b} == c\n", "text goes on behind the closing `}`", "== c", "YAML reserves the leading `{`"),
    ("hard: [a] == c\n", "text goes on behind the closing `]`", "== c", "YAML reserves the leading `[`"),
    ('- "a" + b\n- c\n', 'text goes on behind the closing `"`', "+ b", "put it into a block scalar"),
    ("a: @b\n", "no text begins with `@`", "@", "put it into a block scalar"),
    ("a: b\n%YAML 1.1\n", "a line begins with `%`", "%", "indent the line, or take it out"),
    ("a: b\n%c\n", "a line begins with `%`", "%", "indent the line, or take it out"),
    ("a: %b\n", "no text begins with `%`", "%", "put it into a block scalar"),
    ("a: `b`\n", "no text begins with a backquote", "`", "put it into a block scalar"),
    ("a: *x.y\n", "no text begins with `*`", "*", "put it into a block scalar"),
    ("a: & b\n", "no text begins with `&`", "&", "put it into a block scalar"),
    ("a: !x{ b\n", "no text begins with `!`", "!", "put it into a block scalar"),
    ("a: ]x\n", "no text begins with `]`", "]", "put it into a block scalar"),
    ("a: , b\n", "a value is missing before `,`", ",", "put it into a block scalar"),
    ("a: ? b\n", "`?` stands alone", "?", "put it into a block scalar"),
    ("a: - b\n", "a list begins behind a key", "-", "begin the list on the next line"),
    ("hard: > x\n", "text behind a leading `>`", "> x", "on the next line, indented"),
    ("hard: >= x # c\n", "text behind a leading `>`", ">= x", "on the next line, indented"),
    ("type: | a\n", "text behind a leading `|`", "| a", "on the next line, indented"),
    ("a: |0\n x\n", "an indentation indicator is not supported", "0", "take the number out"),
    # brackets in block and flow style
    ('x: {p: Place["St"]}\ny: 1\n', "YAML ends a value here", "[", "over several lines"),
    ("x: {a: b in {1, 2}}\n", "YAML ends a value here", "{", "over several lines"),
    ('x: {a: "x" + y}\n', 'text goes on behind the closing `"`', "+ y}", "this value in a block scalar"),
    ("x: {a: b\ny: 1\n", "a `{` is not closed", "{", "add `}`"),
    ("x: [a, b\n", "a `[` is not closed", "[", "add `]`"),
    ("x: [a, b}\n", "`}` does not close `[`", "}", None),
    ("x: {b: 1}}\n", "`}` closes nothing", "}", None),
    ("x: [1]]\n", "`]` closes nothing", "]", None),
    ("x: [a, , b]\n", "a value is missing before `,`", ",", "take it out"),
    ("x: {a: >-\n b}\n", "a block scalar inside brackets", ">", "without its brackets"),
    ("x: [- a]\n", "a list item inside brackets", "-", "without its brackets"),
    # quotes that are not closed, or that contain mistakes
    ('a: "x\nb: y\n', "a quote is not closed", '"', 'close it with `"`'),
    ("a: 'tis\nb: y\n", "a quote is not closed", "'", "close it with `'`"),
    ("a: 'it's'\n", "text goes on behind the closing `'`", "s'", "put it into a block scalar"),
    ('a: "x\\q"\n', "an escape that does not exist", "\\q", "write `\\\\`"),
    ('a: "x\\u12g"\n', "an escape that does not exist", "\\u12", "write `\\\\`"),
    # comments and lines
    (
        "hard: all(x # c\n  for y in z)\n",
        "a comment ends the value, and text goes on behind it",
        "for y in z)",
        "line above the key",
    ),
    (
        "a: 1\nhard a == b\nc: 1\n",
        "a line that is neither a key nor part of a value",
        "hard a == b",
        "indent it deeper",
    ),
    ("a: 1\nhard a", "a line that is neither a key nor part of a value", "hard a", "indent it deeper"),
    ("a: b\n  c: d\n", "this line is indented as if it belonged to the value above", "c", "begin in the same column"),
    ("a:\n  b: 1\n c: 2\n", "this line does not fit the mapping above", "c: 2", "begin in the same column"),
    ("- a\nb: c\n", "a line that is no item of the list above", "b: c", "begin in the same column"),
    ("a: b\n...\nc: d\n", "text goes on behind the document", "c: d", "one document"),
    ("a:\n\tb: 1\n", "a tab in the indentation", "\t", "indent with spaces"),
    ("a: foo\n\tbar\n", "a tab in the indentation", "\t", "indent with spaces"),
    ("a: >-\n\tfoo\n", "a tab in the indentation", "\t", "indent with spaces"),
    ("a:\n  b: 1\n\tc: 2\n", "a tab in the indentation", "\t", "indent with spaces"),
    ("x" * 1100 + ": a\n", "a key is longer than 1,024 characters", "x" * 1100, None),
]


@pytest.mark.parametrize("loader", READERS)
@pytest.mark.parametrize(("text", "message", "underlined", "help_part"), SYNTAX)
def test_a_syntax_error_explains_yaml_and_helps(
    text: str,
    message: str,
    underlined: str,
    help_part: str | None,
    loader: object,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(yaml_composer, "LOADER", loader)
    diagnostic = only_diagnostic(text)
    assert (diagnostic.code, diagnostic.message, diagnostic.span.text) == ("PS002", message, underlined)
    if help_part is None:
        assert diagnostic.help is None
    else:
        assert diagnostic.help is not None
        assert help_part in diagnostic.help


def test_a_comment_that_hides_a_closing_brace_is_named() -> None:
    diagnostic = only_diagnostic("a: {b: 1, c: nr #1}\nd: e\n")
    assert (diagnostic.message, diagnostic.span.column) == ("a `{` is not closed", 4)
    assert "a comment, which hides the `}`" in (diagnostic.help or "")


def test_a_comment_that_cuts_a_value_is_underlined() -> None:
    diagnostic = only_diagnostic("hard: all(x # all of them\n  for y in z)\n")
    assert [(label.span.text, label.text) for label in diagnostic.secondary] == [
        ("# all of them", "the value ends here")
    ]


def test_a_mismatched_closing_bracket_is_reported_with_the_open_one() -> None:
    (label,) = only_diagnostic("x: [a, b}\n").secondary
    assert (label.span.text, label.text) == ("[", "opened here")


def test_the_help_for_a_leading_star_or_ampersand_suggests_a_block_scalar() -> None:
    for text in ("hard: *x\n", "hard: &x y\n", "hard: !x y\n"):
        assert "block scalar" in (only_diagnostic(text).help or "")


# ---- cuts that YAML accepts


def entries_of(text: str) -> tuple[list[tuple[str, str]], list[tuple[str, str, str]]]:
    """Return the entries of the first value, and code, underlined text and help of each diagnostic."""
    report = Report()
    root = compose(source_from_text(text, "t.yaml"), report)
    assert isinstance(root, Mapping)
    node = root.entries[0][1]
    assert isinstance(node, Mapping)
    entries = [(key.text, value.text) for key, value in node.entries if isinstance(value, Scalar)]
    return entries, [(d.code, d.span.text, d.help or "") for d in report.ordered()]


@pytest.mark.parametrize(
    ("text", "entries", "underlined"),
    [
        ("x: {place: f(a, b)}\n", [("place", "f(a, b)")], "f(a, b)"),
        ("x: {place: f(a, g(b, c), d), day: e}\n", [("place", "f(a, g(b, c), d)"), ("day", "e")], "f(a, g(b, c), d)"),
        ('x: {place: f("a, b", c)}\n', [("place", 'f("a, b", c)')], 'f("a, b", c)'),
        ("x: {place: f(a,\n  b), day: d}\n", [("place", "f(a, b)"), ("day", "d")], "f(a,\n  b)"),
        (
            "x: {walk(v visits, w visits): 1, c: 2}\n",
            [("walk(v visits, w visits)", "1"), ("c", "2")],
            "walk(v visits, w visits)",
        ),
    ],
)
def test_a_call_that_yaml_cuts_at_a_comma_is_reported_once_and_read_as_one(
    text: str, entries: list[tuple[str, str]], underlined: str
) -> None:
    read_entries, reported = entries_of(text)
    assert read_entries == entries
    ((code, span, help_text),) = reported
    assert (code, span) == ("PS019", underlined)
    assert "over several lines" in help_text


def test_each_of_two_values_that_yaml_cuts_at_a_comma_is_reported() -> None:
    entries, reported = entries_of("x: {a: f(p, q), b: g(r, q)}\n")
    assert entries == [("a", "f(p, q)"), ("b", "g(r, q)")]
    assert [span for _, span, _ in reported] == ["f(p, q)", "g(r, q)"]


def test_a_colon_without_a_space_is_reported_and_the_pair_is_read() -> None:
    entries, reported = entries_of("x: {place: p, day:d}\n")
    assert entries == [("place", "p"), ("day", "d")]
    assert reported == [("PS019", ":", "write `day: d`")]


@pytest.mark.parametrize(
    "text",
    [
        "x: {a: ':(', b: c, d}\n",
        "x: {a: sad :(, b: c}\n",
        "x: {a: b), c: d, e}\n",
        "x: {f(a, b), c}\n",
        "x: {12:30, 13:00}\n",
        "x: {a: 12:30, 13:00}\n",
    ],
)
def test_a_value_that_is_not_cut_is_unchanged(text: str) -> None:
    assert entries_of(text)[1] == []


def test_a_comment_after_an_incomplete_expression_is_reported() -> None:
    for body in ("f(a # b)", 'say == "a # b"', "a and # b", "a == # b"):
        assert "start of a comment" in (hint_for_hard(f"hard: {body}\n") or "")


def test_a_comment_after_a_complete_expression_is_not_reported() -> None:
    assert hint_for_hard("hard: a = b # c\n") is None
    assert hint_for_hard("hard: f(a) b  # c\n") is None


def test_a_value_without_a_following_line_has_no_hint() -> None:
    assert hint_for_hard("hard: f(a\n") is None
    assert hint_for_hard("hard: f(a") is None


def test_an_expression_that_flow_yaml_cuts_at_a_comma_is_reported() -> None:
    source = source_from_text("x: {hard: f(a, b: c}\n", "t.yaml")
    root = compose(source, Report())
    assert isinstance(root, Mapping)
    inner = root.entries[0][1]
    assert isinstance(inner, Mapping)
    assert "over several lines" in (cut_help(source, inner.entries[0][1]) or "")


def test_a_mapping_in_place_of_an_expression_is_reported() -> None:
    assert "YAML reads `Note:` as a key" in (hint_for_hard("hard:\n  Note: bring a coat\n") or "")
    assert "YAML reads a leading `- `" in (hint_for_hard("hard:\n  - x\n") or "")
    assert "a space behind a key's colon: `a: `" in (hint_for_hard("hard: {a:1, b:2}\n") or "")


def test_a_set_a_block_scalar_or_a_quoted_text_has_no_hint() -> None:
    for text in (
        "hard: {a, b}\n",
        "hard: {12:30, 13:00}\n",
        "hard: >-\n  f(a # b)\n",
        "hard: '(a' # b\n",
        "hard: [a]\n",
    ):
        assert hint_for_hard(text) is None
