"""The quick and the thorough parser of an answer's JSON agree."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planspec.dsl.resources.limits import ANSWER_NAME, DEPTH
from planspec.verifiers.answers.answer_json import JsonParser, ParsedJson, parse_plain

NAMES = st.sampled_from(['"a"', '"b"', '"\\u0061"', '"]"', '"\\"{"', '"\\\\"', f'"{"n" * (ANSWER_NAME + 1)}"'])
WORDS = st.sampled_from(
    [
        "1",
        "1.50",
        "-0",
        "1e999999999999999999",
        "NaN",
        "true",
        "null",
        '"["',
        '"\\"]"',
        '"\\n: "',
        '"\\ud800"',
        '"\\\\ud"',
    ]
)


def objects(values: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Return a strategy for JSON objects with these values, as text."""
    members = st.lists(st.tuples(NAMES, values), max_size=3)
    return members.map(lambda pairs: "{" + ", ".join(f"{name}: {value}" for name, value in pairs) + "}")


def lists(values: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Return a strategy for JSON lists of these values, as text."""
    return st.lists(values, max_size=3).map(lambda items: "[" + ",".join(items) + "]")


TEXTS = st.recursive(WORDS, lambda values: objects(values) | lists(values), max_leaves=12)


def parse_thoroughly(text: str) -> ParsedJson | None:
    """Parse JSON with the thorough parser, or return None if it refuses the text."""
    try:
        return JsonParser(text).whole(text)
    except (ValueError, RecursionError, ArithmeticError):
        return None


@given(TEXTS, st.integers(0, DEPTH + 3))
def test_a_text_that_the_quick_reading_accepts_has_the_same_result_in_the_thorough_reading(
    text: str, depth: int
) -> None:
    text = "[" * depth + text + "]" * depth
    quick = parse_plain(text)
    if quick is not None:
        slow = parse_thoroughly(text)
        assert (repr(quick), quick.findings) == (repr(slow), ())


@pytest.mark.parametrize(
    "value",
    [
        [{"row": row, "note": 'a "quoted" [word]'} for row in range(3 * DEPTH)],
        {"texts": ["[" * 2 * DEPTH, '"' * 5, "\\"]},
        json.loads("[" * DEPTH + "]" * DEPTH),
    ],
)
def test_the_quick_reading_accepts_quotes_and_many_objects(value: object) -> None:
    assert parse_plain(json.dumps(value)) == ParsedJson(value, ())


def test_the_quick_reading_refuses_deep_lists_even_if_strings_have_closing_brackets() -> None:
    assert parse_plain("[" * DEPTH + '["]]]]"]' + "]" * DEPTH) is None
