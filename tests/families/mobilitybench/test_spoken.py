from datetime import date, timedelta

import pytest

from planspec.families.mobilitybench.spoken import (
    WORDED,
    Language,
    chinese_numeral,
    clock_wordings,
    count_wordings,
    day_wordings,
    length_wordings,
    wait_wordings,
)
from planspec.families.mobilitybench.wording import wording

TODAY = "2026-05-11"
LANGUAGES: tuple[Language, ...] = ("en", "zh", "de", "ja")
CLOCKS = [f"{minute // 60:02}:{minute % 60:02}" for minute in range(24 * 60)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_times_have_distinct_wordings(language: Language) -> None:
    clocks: dict[str, str] = {}
    for clock in CLOCKS:
        for form in clock_wordings(language, clock):
            assert clocks.setdefault(form, clock) == clock
    assert len(set(clocks.values())) == 24 * 60


@pytest.mark.parametrize(
    ("clock", "english", "chinese"),
    [
        ("08:00", "8 am", "早上八点"),
        ("12:00", "noon", "中午12点"),
        ("14:05", "2:05 pm", "下午两点零五分"),
        ("18:30", "half past six in the evening", "晚上六点半"),
        ("18:45", "a quarter to seven in the evening", "晚上六点三刻"),
        ("09:15", "a quarter past nine in the morning", "上午九点一刻"),
        ("00:20", "00:20", "凌晨零点二十分"),
    ],
)
def test_times_have_usual_wordings(clock: str, english: str, chinese: str) -> None:
    assert english in clock_wordings("en", clock)
    assert chinese in clock_wordings("zh", clock)


def test_a_quarter_to_noon_has_no_part_of_the_day() -> None:
    assert clock_wordings("en", "11:45") == ("11:45 am", "11:45")


@pytest.mark.parametrize("language", LANGUAGES)
def test_lengths_have_distinct_wordings(language: Language) -> None:
    lengths: dict[str, int] = {}
    for metres in range(100, 12_001, 50):
        for form in length_wordings(language, metres):
            assert lengths.setdefault(form, metres) == metres


def test_lengths_are_worded_in_metres_and_kilometres() -> None:
    assert length_wordings("en", 1500) == ("1500 meters", "1.5 kilometers")
    assert length_wordings("en", 1000) == ("1000 meters", "1 kilometer", "one kilometer")
    assert length_wordings("en", 500) == ("500 meters", "500 m", "half a kilometer")
    assert length_wordings("zh", 1500) == ("1500米", "1.5公里", "一公里半")
    assert length_wordings("zh", 2000) == ("2000米", "2公里", "两公里")
    assert length_wordings("zh", 1250) == ("1250米", "1.25公里")
    assert length_wordings("zh", 250) == ("250米",)
    assert length_wordings("zh", 200) == ("200米", "两百米")


def test_numbers_below_a_hundred_are_written_in_chinese() -> None:
    assert [chinese_numeral(n) for n in (0, 5, 10, 11, 20, 35, 90)] == [
        "零",
        "五",
        "十",
        "十一",
        "二十",
        "三十五",
        "九十",
    ]


def test_counts_have_usual_wordings() -> None:
    assert count_wordings("en", 3) == ("3", "three")
    assert count_wordings("zh", 2) == ("2个", "两个")
    assert count_wordings("zh", 3, "家") == ("3家", "三家")
    assert count_wordings("ja", 3) == ("3か所",)
    assert count_wordings("de", 3) == ("3", "drei")


@pytest.mark.parametrize("language", WORDED)
@pytest.mark.parametrize("today", [TODAY, "2026-05-15", "2026-12-30", "2026-02-28"])
def test_spans_of_days_have_distinct_wordings(language: Language, today: str) -> None:
    words = wording(language).words["days"]
    begin = date.fromisoformat(today)
    spans = [[n] for n in range(5)] + [list(range(1, n + 1)) for n in (2, 3, 4)] + [[3, 4]]
    spans_by_form: dict[str, list[int]] = {}
    for span in spans:
        forms = day_wordings(words, [(begin + timedelta(n)).isoformat() for n in span], today)
        assert forms
        for form in forms:
            assert spans_by_form.setdefault(form, span) == span


def test_days_are_worded_relative_to_today() -> None:
    english, chinese = wording("en").words["days"], wording("zh").words["days"]
    assert day_wordings(english, ["2026-05-11"], TODAY) == ("today", "right now")
    assert day_wordings(english, ["2026-05-13"], TODAY) == (
        "the day after tomorrow",
        "on Wednesday",
        "on May 13",
        "on the 13th",
    )
    assert day_wordings(chinese, ["2026-05-14"], TODAY) == (
        "大后天",
        "这周四",
        "周四",
        "5月14号",
        "5月14日",
    )
    assert "明天到周五" in day_wordings(chinese, [f"2026-05-{n}" for n in (12, 13, 14, 15)], TODAY)


def test_days_of_the_next_week_differ_from_those_of_this_week() -> None:
    english, chinese = wording("en").words["days"], wording("zh").words["days"]
    monday, friday = "2026-05-18", "2026-05-15"
    assert day_wordings(chinese, [monday], friday) == ("大后天", "下周一", "5月18号", "5月18日")
    assert day_wordings(english, [monday], friday) == ("on Monday", "on May 18", "on the 18th")
    assert "明天到下周一" in day_wordings(chinese, ["2026-05-16", "2026-05-17", monday], friday)


def test_saturday_and_sunday_are_a_weekend() -> None:
    english, weekend = wording("en").words["days"], ["2026-05-16", "2026-05-17"]
    assert "this weekend" in day_wordings(english, weekend, "2026-05-15")
    assert "this weekend" in day_wordings(english, weekend, TODAY)
    assert "this weekend" not in day_wordings(english, ["2026-05-12", "2026-05-13"], TODAY)


def test_the_first_days_of_a_month_are_spoken_with_their_ordinal_endings() -> None:
    english = wording("en").words["days"]
    for day, end in (("01", "1st"), ("02", "2nd"), ("03", "3rd"), ("04", "4th")):
        assert f"on the {end}" in day_wordings(english, [f"2026-06-{day}"], "2026-05-31")


def test_days_that_are_not_consecutive_are_refused() -> None:
    with pytest.raises(ValueError, match="2026-05-12, 2026-05-14"):
        day_wordings(wording("en").words["days"], ["2026-05-12", "2026-05-14"], TODAY)


@pytest.mark.parametrize(
    ("language", "half", "hour"),
    [
        ("en", "half an hour", "an hour"),
        ("zh", "半小时", "一个小时"),
        ("de", "einer halben Stunde", "einer Stunde"),
        ("ja", "30分", "1時間"),
    ],
)
def test_waits_have_usual_wordings(language: Language, half: str, hour: str) -> None:
    assert half in wait_wordings(language, "08:10", "08:40")
    assert hour in wait_wordings(language, "08:50", "09:50")
    assert wait_wordings(language, "08:10", "08:27") == ()
    assert wait_wordings(language, None, "08:27") == ()


def test_times_have_usual_german_and_japanese_wordings() -> None:
    assert "halb sieben abends" in clock_wordings("de", "18:30")
    assert "Viertel vor neun morgens" in clock_wordings("de", "08:45")
    assert clock_wordings("de", "13:05") == ("13:05 Uhr",)
    assert "ein Uhr mittags" in clock_wordings("de", "13:00")
    assert clock_wordings("ja", "18:30") == ("午後6時半", "夕方6時半", "18時半", "18:30")
    assert "朝8時15分" in clock_wordings("ja", "08:15")
