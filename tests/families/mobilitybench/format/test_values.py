"""Amounts, times, words and addresses in MobilityBench answers are read in usual notations of several languages."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from planspec.dsl.model.values import InvalidValueError
from planspec.families.mobilitybench.format.addresses import cjk_parts, match_address
from planspec.families.mobilitybench.format.cells import (
    read_count,
    read_day,
    read_degrees,
    read_level,
    read_metres,
    read_minor,
    read_minutes,
    read_point,
    read_truth,
)
from planspec.families.mobilitybench.format.clock import read_clock
from planspec.families.mobilitybench.format.words import LEVELS, VEHICLES, to_arabic_digits
from planspec.families.mobilitybench.spoken import Language, clock_wordings, length_wordings

GOOD: list[tuple[Any, Any, Any]] = [
    *(
        (read_minutes, text, 80)
        for text in (
            "1 Std. 20 Min.",
            "1 Stunde und 20 Minuten",
            "1時間20分",
            "約1時間20分",
            "etwa 80 Minuten",
            "80分間",
        )
    ),
    *((read_minutes, text, 90) for text in ("anderthalb Stunden", "1,5 Stunden", "1時間半", "eineinhalb Stunden")),
    (read_minutes, "eine Viertelstunde", 15),
    (read_minutes, "eine halbe Stunde", 30),
    (read_minutes, "eine Dreiviertelstunde", 45),
    (read_minutes, "eine Stunde", 60),
    (read_minutes, "zwei Stunden", 120),
    (read_minutes, "two hours", 120),
    *(
        (read_metres, text, 12_300)
        for text in ("12,3 km", "12,3 Kilometer", "12.3キロ", "12300メートル", "12キロ300メートル")
    ),
    (read_metres, "zwei Kilometern", 2_000),
    *(
        (read_count, text, 2)
        for text in (
            "umsteigen 2 Mal",
            "2 Mal umsteigen",
            "zweimal umsteigen",
            "zwei Umstiege",
            "乗り換え2回",
            "乗り換えは2回",
            "2回の乗り換え",
            "2 Ampeln",
            "信号2つ",
            "信号2か所",
        )
    ),
    *((read_count, text, 1) for text in ("einmal umsteigen", "ein Umstieg", "eine Ampel", "乗換1回")),
    *(
        (read_count, text, 0)
        for text in ("ohne Umsteigen", "kein Umstieg", "direkt", "乗り換えなし", "直通", "keine Ampeln")
    ),
    *((read_truth, text, True) for text in ("Ja", "das klappt", "はい", "間に合います。")),
    *((read_truth, text, False) for text in ("Nein", "nicht möglich", "いいえ", "間に合いません")),
    (read_degrees, "21 Grad", 21),
    (read_degrees, "minus 3 Grad", -3),
    (read_degrees, "氷点下3度", -3),
    (read_degrees, "マイナス3度", -3),
    *(
        (read_level, text, "smooth")
        for text in ("frei", "kein Stau", "der Verkehr fließt", "空いています", "混んでいません", "渋滞はありません")
    ),
    *((read_level, text, "slow") for text in ("zähfließend", "stockender Verkehr", "やや混雑")),
    *((read_level, text, "congested") for text in ("Stau", "渋滞しています", "混んでいます")),
    *((read_level, text, "severe") for text in ("Stillstand", "schwerer Stau", "大渋滞")),
    *(
        (read_minutes, text, 45)
        for text in (
            2700,
            2690,
            Decimal("2641.5"),
            "2700",
            "45 min",
            "45min",
            "About 45 minutes",
            "45分钟",
            "四十五分钟",
            "大约45分钟左右",
            "0.75 h",
            "44 min 10 s",
        )
    ),
    *(
        (read_minutes, text, 80)
        for text in (
            "1小时20分钟",
            "1 h 20 min",
            "1 hour and 20 minutes",
            "1 hr, 20 mins",
            "一小时二十分",
            "80 min",
            "1h20m",
            "1小时零20分",
            "4800",
        )
    ),
    *((read_minutes, text, 90) for text in ("1.5 hours", "一个半小时", "1个半小时")),
    (read_minutes, "半小时", 30),
    (read_minutes, "half an hour", 30),
    (read_minutes, "an hour", 60),
    (read_minutes, 0, 0),
    (read_minutes, "两小时", 120),
    (read_minutes, "1,200", 20),
    (read_minutes, 61, 2),
    *(
        (read_metres, text, 12_300)
        for text in (
            12300,
            Decimal("12300.4"),
            "12300",
            "12.3 km",
            "12.3公里",
            "12.3千米",
            "12,300 m",
            "about 12.3 kilometres",
            "12公里300米",
            "12 km 300 m",
            "12300米",
        )
    ),
    (read_metres, "850 m", 850),
    (read_metres, "1 mile", 1609),
    (read_metres, 0, 0),
    *(
        (read_count, text, 2)
        for text in (
            2,
            Decimal("2.0"),
            "2",
            "2 transfers",
            "two transfers",
            "2次",
            "两次",
            "2 traffic lights",
            "2个红绿灯",
        )
    ),
    *((read_count, text, 0) for text in (0, "direct", "直达", "no transfers", "none", "0次换乘")),
    (read_truth, True, True),
    (read_truth, "Yes", True),
    (read_truth, "来不及", False),
    (read_truth, "impossible", False),
    (read_truth, "可以。", True),
    (read_degrees, 21, 21),
    (read_degrees, "21", 21),
    (read_degrees, "21°C", 21),
    (read_degrees, "21℃", 21),
    (read_degrees, "−3 °C", -3),
    (read_degrees, "零下3度", -3),
    (read_degrees, Decimal("21.0"), 21),
    (read_degrees, -4, -4),
    (read_degrees, "minus 3 degrees", -3),
    (read_level, "Free", "smooth"),
    (read_level, "双向畅通。", "smooth"),
    (read_level, "不堵车", "smooth"),
    (read_level, "SLOW", "slow"),
    (read_level, "缓行", "slow"),
    (read_level, "traffic is at a standstill", "severe"),
    (read_level, "blocked", "severe"),
    (read_level, "严重拥堵", "severe"),
    (read_level, "Not congested", "smooth"),
    (read_level, "heavy traffic", "congested"),
    *((read_day, text, 739_747) for text in ("2026-05-11", "2026/5/11", "2026年5月11日")),
    *(
        (read_point, text, (116_407_400, 39_904_200))
        for text in (
            "116.407400,39.904200",
            "116.4074, 39.9042",
            "(116.4074，39.9042)",
            [116.4074, 39.9042],
            [Decimal("116.4074"), "39.9042"],
            {"longitude": "116.4074", "latitude": 39.9042},
            {"lng": 116.4074, "lat": 39.9042},
        )
    ),
]
NO_MINUTES: tuple[Any, ...] = (
    -1,
    True,
    "45-50 min",
    "45 or 50 min",
    "soon",
    "min",
    "",
    "1:20",
    "45 km",
    "20 min 1 h",
    [],
    {},
    10**15,
    10**5000,
    float("nan"),
    float("inf"),
    Decimal("NaN"),
    "9" * 200,
    "1 min 2 min",
    "<minutes>",
)
NO_DEGREES: tuple[Any, ...] = (
    "70°F",
    "hot",
    Decimal("21.5"),
    True,
    10**9,
    "12 to 21",
    float("nan"),
    Decimal("sNaN"),
    [],
)
NO_LEVEL_TEXTS: tuple[Any, ...] = (
    "Ist dort Stau?",
    "ist es frei",
    "渋滞していますか",
    "frei oder Stau",
    "nicht frei",
    "スムーズではない",
    "畅通 拥堵",
    "smooth or slow",
    "not slow",
    "not that congested",
    "fine",
    3,
    "",
    "并不拥堵吧不",
    "free, slow, congested",
)
NO_TRUTHS: tuple[Any, ...] = (1, 0, "maybe", "yes or no", "", [], "not yes")
BAD: list[tuple[Any, Any]] = [
    *((read_minutes, text) for text in NO_MINUTES),
    *((read_metres, text) for text in (-1, False, "12 or 13 km", "12 min", "far", "12 km 12 km", "1e5 m", [5], None)),
    *((read_count, text) for text in (Decimal("2.5"), "2.5", "2 or 3", "-1", -1, True, "a few", "2 km")),
    *((read_truth, text) for text in NO_TRUTHS),
    *((read_degrees, text) for text in NO_DEGREES),
    *((read_level, text) for text in NO_LEVEL_TEXTS),
    *((read_day, text) for text in ("2026-13-01", "2026-02-30", "May 11", "tomorrow", "11.05.2026", 20260511, True)),
    *(
        (read_point, text)
        for text in (
            "39.9042,116.4074",
            "200,95",
            "116.4",
            "here",
            "1,2,3",
            [1],
            [True, False],
            {},
            {"lat": 5},
            [10**5000, 1],
            "nan,nan",
            7,
        )
    ),
]


@pytest.mark.parametrize("language", ["zh", "de", "ja"])
def test_spoken_times_and_lengths_are_read(language: Language) -> None:
    for minutes in range(24 * 60):
        for form in clock_wordings(language, f"{minutes // 60:02}:{minutes % 60:02}"):
            assert read_clock(form).minutes == minutes, form
    for metres in range(100, 5_000, 50):
        for form in length_wordings(language, metres):
            if not form.endswith(("公里半", "百米")):
                assert read_metres(form) == metres, form


@pytest.mark.parametrize(
    ("text", "minutes", "day"),
    [
        ("0:10 Uhr am nächsten Tag", 10, 1),
        ("am nächsten Tag um 0:10 Uhr", 10, 1),
        ("翌日0時10分", 10, 1),
        ("um 8 Uhr 10", 490, None),
        ("halb neun abends", 1_230, None),
        ("Viertel vor eins mittags", 765, None),
        ("heute um 9 Uhr", 540, 0),
        ("12 Uhr nachts", 0, None),
        ("午前0時5分", 5, None),
        ("夕方6時半", 1_110, None),
        ("夜8時", 1_200, None),
    ],
)
def test_times_are_read_in_german_and_japanese(text: str, minutes: int, day: int | None) -> None:
    assert (read_clock(text).minutes, read_clock(text).day) == (minutes, day)


@pytest.mark.parametrize("text", ["25 Uhr", "halb dreißig", "13 Uhr morgens", "8:10 Uhr 20", "um acht herum", "26時の"])
def test_strings_that_only_resemble_times_are_not_times(text: str) -> None:
    with pytest.raises(InvalidValueError):
        read_clock(text)


@pytest.mark.parametrize(
    ("read", "text", "value"), GOOD, ids=[f"{case[0].__name__}-{place}" for place, case in enumerate(GOOD)]
)
def test_numbers_with_units_are_read_in_usual_notations(read: Any, text: Any, value: Any) -> None:
    assert read(text) == value


@pytest.mark.parametrize(("read", "value"), BAD, ids=[f"{case[0].__name__}-{place}" for place, case in enumerate(BAD)])
def test_unreadable_values_are_refused(read: Any, value: Any) -> None:
    with pytest.raises(InvalidValueError):
        read(value)


@pytest.mark.parametrize(
    ("value", "currency", "minor"),
    [
        (250, None, 250),
        ("250", None, 250),
        ("2.50 EUR", None, 250),
        ("€2.5", "EUR", 250),
        ("¥2", None, 200),
        ("2元", "CNY", 200),
        ("￥2.5", "CNY", 250),
        ("2元5角", None, 250),
        ("¥210", "JPY", 210),
        ("210円", None, 210),
        ("$3", "SGD", 300),
        ("US$3", None, 300),
        ("免费", None, 0),
        ("free", "EUR", 0),
        (Decimal("3.0"), None, 3),
        ("1,250 元", None, 125_000),
        ("约5元", None, 500),
        ("0", None, 0),
    ],
    ids=repr,
)
def test_money_without_a_unit_is_in_minor_units_and_with_one_in_main_units(
    value: Any, currency: str | None, minor: int
) -> None:
    assert read_minor(value, currency) == minor


@pytest.mark.parametrize(
    ("value", "currency"),
    [
        (Decimal("2.5"), None),
        ("2.5", None),
        ("$2", "EUR"),
        ("2 EUR", "CNY"),
        ("2.505 EUR", None),
        ("2-3元", None),
        (-1, None),
        (True, None),
        ("2 bananas", None),
        ("€2 EUR GBP", None),
        ("$2元", None),
        ("", None),
    ],
    ids=repr,
)
def test_ambiguous_amounts_of_money_are_refused(value: Any, currency: str | None) -> None:
    with pytest.raises(InvalidValueError):
        read_minor(value, currency)


@pytest.mark.parametrize(
    ("text", "minutes", "day"),
    [
        ("08:10", 490, None),
        ("8:10", 490, None),
        ("8:10 am", 490, None),
        ("8:10 a.m.", 490, None),
        ("8:10 PM", 1210, None),
        ("12:05 am", 5, None),
        ("12:05 pm", 725, None),
        ("8 pm", 1200, None),
        ("上午8点10分", 490, None),
        ("上午8:10", 490, None),
        ("下午3点半", 930, None),
        ("晚上8点", 1200, None),
        ("八点十分", 490, None),
        ("8点一刻", 495, None),
        ("14时05分", 845, None),
        ("中午12点", 720, None),
        ("凌晨1点", 60, None),
        ("凌晨12点10分", 10, None),
        ("24:10", 10, 1),
        ("次日00:15", 15, 1),
        ("00:15 (+1)", 15, 1),
        ("00:15 next day", 15, 1),
        ("about 8:10", 490, None),
        ("08:10:30", 490, None),
        ("10:00 same day", 600, 0),
        ("晚上12点", 0, 1),
        ("下午14点", 840, None),
    ],
)
def test_times_of_day_are_read(text: str, minutes: int, day: int | None) -> None:
    clock = read_clock(text)
    assert (clock.minutes, clock.day) == (minutes, day)


@pytest.mark.parametrize(
    "value",
    [
        "48:00",
        "08:60",
        "8",
        "13:00 pm",
        "0 am",
        "08:10-08:20",
        "08:10 or 09:10",
        "soon",
        810,
        True,
        "",
        "上午13点",
        "次日24:10",
        "2026-05-11 08:10",
        [],
    ],
)
def test_invalid_times_of_day_are_refused(value: Any) -> None:
    with pytest.raises(InvalidValueError):
        read_clock(value)


def test_chinese_numbers_below_a_hundred_become_digits() -> None:
    assert [to_arabic_digits(text) for text in ("十", "十五", "二十", "九十九", "七", "两点")] == [
        "10",
        "15",
        "20",
        "99",
        "7",
        "2点",
    ]


def test_words_for_levels_and_vehicles_are_unambiguous() -> None:
    words = [word for words in LEVELS.values() for word in words]
    assert len(set(words)) == len(words)
    assert all(read_level(level) == level for level in LEVELS)
    assert all(read_level(word) == level for level, words in LEVELS.items() for word in words)
    assert all(VEHICLES[v] == {v} for v in ("drive", "walk", "cycle", "bus", "subway", "tram", "ferry"))


# -- addresses ----------------------------------------------------------------------------------------

LONDON = "12 Elm Street, Millwood, London, England"
BERLIN = "Lindenstraße 7, Gartenstadt, Berlin"
WUHAN = "湖北省武汉市新洲区阳逻街道金江路12号"
BEIJING = "北京市春安区二环路5号"
TOKYO = "東京都青葉区桜通り3番"


@pytest.mark.parametrize(
    ("text", "right"),
    [
        (LONDON, LONDON),
        ("12 elm street, millwood, london", LONDON),
        ("12 Elm St, London", LONDON),
        ("No. 12 Elm Street in Millwood", LONDON),
        ("Elm Street 12, Millwood", LONDON),
        ("Lindenstrasse 7, Berlin", BERLIN),
        ("7 Lindenstraße, Gartenstadt", BERLIN),
        ("中国湖北省武汉市新洲区阳逻街道金江路12号", WUHAN),
        ("武汉市新洲区阳逻街道金江路12号附近", WUHAN),
        ("新洲区金江路12号", WUHAN),
        ("武汉新洲金江路12号", WUHAN),
        ("武汉市金江路12", WUHAN),
        ("春安区二环路5号", BEIJING),
        ("北京市 春安区 二环路 5号", BEIJING),
        ("青葉区桜通り3番", TOKYO),
    ],
)
def test_variants_of_the_right_address_match(text: str, right: str) -> None:
    assert match_address(text, [LONDON, BERLIN, WUHAN, BEIJING, TOKYO]) == right


@pytest.mark.parametrize(
    "text",
    [
        "14 Elm Street, Millwood, London",
        "12 Elm Street",
        "Elm Street, Millwood",
        "112 Elm Street, Millwood",
        "12 Elm Road, Millwood",
        "12 Elm Street, Oakwood, London",
        "12 Elm Street, 14 Elm Street, Millwood",
        "12 Elm Street, England",
        "12 and 12 Elm Street, Millwood",
        "Millwood, London",
        "London",
        "Lindenstraße 17, Berlin",
        "12 Elm Street or Lindenstraße 7, Millwood, Berlin",
        "",
        "湖北省武汉市新洲区阳逻街道金江路13号",
        "湖北省武汉市新洲区阳逻街道金江路112号",
        "湖北省武汉市江夏区金江路12号",
        "金江路12号",
        "湖北省金江路12号",
        "武汉市新洲区",
        "武汉市新洲区金江路12号或13号",
        "新洲区金江路12号、春安区二环路5号",
        "北京市春安区三环路5号",
        "东京都青葉区桜通り3番 5番",
        "洲区金江路12号",
    ],
)
def test_addresses_that_differ_from_the_right_one_do_not_match(text: str) -> None:
    assert match_address(text, [LONDON, BERLIN, WUHAN, BEIJING, TOKYO]) is None


def test_chinese_addresses_are_split_at_their_districts() -> None:
    assert cjk_parts(WUHAN) == ("湖北省", "武汉市", "新洲区", "阳逻街道", "金江路12号")
    assert cjk_parts("湖北省武汉市新洲区阳逻街道111省道") == (
        "湖北省",
        "武汉市",
        "新洲区",
        "阳逻街道",
        "111省道",
    )
    assert cjk_parts("成都市青羊区市民路3号") == ("成都市", "青羊区", "市民路3号")
    assert cjk_parts("西藏自治区拉萨市城关区") == ("西藏自治区", "拉萨市", "城关区")
