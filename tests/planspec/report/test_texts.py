"""Texts of agents are escaped and cleaned before they are shown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planspec.report.texts import json_text, line, number, percent, visible_text


def test_control_characters_are_made_visible() -> None:
    assert visible_text("a\x00b\x1b\x85") == "a\u27e8U+0000\u27e9b\u27e8U+001B\u27e9\u27e8U+0085\u27e9"


def test_line_feeds_and_tabs_are_kept_and_carriage_returns_before_line_feeds_removed() -> None:
    assert visible_text("a\r\nb\tc\rd") == "a\nb\tc\u27e8U+000D\u27e9d"


def test_direction_marks_are_written_as_their_codes() -> None:
    assert visible_text("\u202eabc\u2069") == "\u27e8U+202E\u27e9abc\u27e8U+2069\u27e9"


def test_letters_of_any_script_are_unchanged() -> None:
    assert visible_text("\u05d0\u05d1 \u5317\u4eac \U0001f600") == "\u05d0\u05d1 \u5317\u4eac \U0001f600"


def test_a_lone_surrogate_is_replaced() -> None:
    assert visible_text("a\ud83db") == "a\ufffdb"


def test_a_long_text_is_cut_and_its_missing_characters_counted() -> None:
    assert visible_text("x" * 1005, 5) == "xxxxx\u2026 (1,000 more characters)"


@given(st.text(st.characters(), max_size=60))
def test_every_shown_text_can_be_encoded_as_utf_8(text: str) -> None:
    visible_text(text).encode("utf-8")


def test_a_line_has_no_line_feed() -> None:
    assert line(" a\n\n b\t") == "a b"


def test_json_is_written_without_escapes_of_letters() -> None:
    assert json_text({"ort": "K\u00f6ln"}) == '{\n "ort": "K\u00f6ln"\n}'


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (None, "\u2013"),
        (0.0, "0\u00a0%"),
        (1.0, "100\u00a0%"),
        (0.5, "50\u00a0%"),
        (0.047, "4.7\u00a0%"),
        (0.9961, "99.6\u00a0%"),
    ],
)
def test_a_share_near_0_or_1_has_one_more_digit(share: float | None, text: str) -> None:
    assert percent(share) == text


@pytest.mark.parametrize(
    ("value", "text"), [(None, "\u2013"), (1234.4, "1,234"), (12.34, "12.3"), (0.03142, "0.0314"), (7.0, "7")]
)
def test_a_number_has_its_significant_digits(value: float | None, text: str) -> None:
    assert number(value) == text
