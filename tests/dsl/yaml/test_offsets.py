"""Each character of a decoded scalar is mapped to its position in the file."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.yaml.offsets import decode
from planspec.dsl.yaml.reader import Mapping, Node, Scalar, Sequence, compose, decoded_position
from planspec.dsl.yaml.source_files import source_from_text


def scalars(node: Node) -> Iterator[Scalar]:
    """Yield the scalars (texts) of a node, in order."""
    match node:
        case Scalar():
            yield node
        case Mapping():
            for key, value in node.entries:
                yield key
                yield from scalars(value)
        case Sequence():
            for item in node.items:
                yield from scalars(item)


def only_scalar(text: str) -> Scalar:
    """Return the value of the only key in a text."""
    root = compose(source_from_text(text, "t.yaml"), Report())
    assert isinstance(root, Mapping)
    ((_, node),) = root.entries
    assert isinstance(node, Scalar)
    return node


ALPHABETS = {
    "plain": "ab  \n\t:#'\",é😀-",
    "single": "ab  \n\t:#'\",é😀-",
    "double": "ab  \n\t:#'\\\",é😀nt0x4",
    "literal": "ab   \n\n\t:#'\",é😀",
    "folded": "ab   \n\n\n\t:#'\",é😀",
}


@st.composite
def layouts(draw: st.DrawFn) -> str:
    """Draw a document with one scalar of any style, in any layout and at any indentation."""
    style = draw(st.sampled_from(sorted(ALPHABETS)))
    indent = " " * draw(st.integers(1, 7))
    raw = draw(st.text(ALPHABETS[style], max_size=25))
    broken = raw.replace("\n", "\n" + indent)
    match style:
        case "plain":
            body = "a" + broken
        case "single":
            body = "'" + broken.replace("'", "''") + "'"
        case "double":
            body = '"' + broken.replace('"', '\\"') + '"'
        case _:
            header = draw(st.sampled_from(["", "-", "+", "  # c", "- # c"]))
            body = ("|" if style == "literal" else ">") + header + "\n" + indent + broken
    shapes = ["k: {}{}", "- {}{}", "é: 1\nk: {}{}", "k:\n- {}{}"]
    if style in ("plain", "single", "double"):
        shapes.append("x: {{a: [{}, 2]}}{}")
    behind = draw(st.sampled_from(["", "\n", "\n\n", "\n# c\n"]))
    return draw(st.sampled_from(shapes)).format(body, behind)


def compose_or_reject(text: str) -> Node:
    """Return the node of a text. Hypothesis rejects the example if the text has mistakes."""
    report = Report()
    node = compose(source_from_text(text, "t.yaml"), report)
    assume(node is not None and not report.diagnostics)
    assert node is not None
    return node


@given(layouts())
def test_a_decoded_character_has_its_position_in_the_file(text: str) -> None:
    for node in scalars(compose_or_reject(text)):
        before = node.content.start - 1
        for index, char in enumerate(node.text.rstrip("\n")):
            at = decoded_position(node, index)
            stands = text[at]
            folded = char == " " and stands == "\n"
            escaped = node.style == "double" and stands == "\\"
            assert stands == char or folded or escaped, (node.style, index)
            assert at > before
            before = at
        assert before < decoded_position(node, len(node.text)) or not node.text.strip("\n")


@given(layouts())
def test_each_scalar_of_a_random_layout_is_decoded_with_its_offsets(text: str) -> None:
    for node in scalars(compose_or_reject(text)):
        if node.style in ("plain", "single", "double"):
            assert decode(node.content.text, node.text, node.style) is not None


@pytest.mark.parametrize(
    ("raw", "index", "expected"),
    [
        ("abc", 1, "bc"),
        ("'it''s x'", 5, "x"),
        ("'it''s x'", 3, "s x"),
        (r'"\u00e9\tx"', 0, r"\u00e9\tx"),
        (r'"\u00e9\tx"', 1, r"\tx"),
        (r'"\u00e9\tx"', 2, "x"),
        ("one\n\n  two", 3, "\n  two"),
        ("one\n  two", 4, "two"),
        ("|\n  {a}\n   {b}\n", 5, "{b}"),
        (">\n  one\n  two\n\n  three\n", 4, "two"),
        (">\n  one\n  two\n\n  three\n", 8, "three"),
        (">\n  one\n    two\n  three\n", 6, "two"),
        ('"a \\\n   b"', 2, "b"),
    ],
)
def test_decoded_characters_have_the_positions_given_by_hand(raw: str, index: int, expected: str) -> None:
    text = f"k: {raw}\n"
    assert text[decoded_position(only_scalar(text), index) :].startswith(expected)


def test_the_position_after_the_last_character_is_before_the_closing_quote() -> None:
    text = 'k: "ab"\n'
    assert decoded_position(only_scalar(text), 2) == text.rindex('"')


def test_an_index_outside_of_the_text_has_the_position_of_its_beginning() -> None:
    node = only_scalar("k: abc\n")
    assert decoded_position(node, 99) == decoded_position(node, -1) == node.span.start


def test_a_slice_that_does_not_decode_to_the_given_text_has_no_offsets() -> None:
    assert decode("abc", "abd", "plain") is None
    assert decode("'a'", "b", "single") is None
    assert decode("  a\n", "a\nb", "literal") is None
