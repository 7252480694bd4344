"""Words in MobilityBench answers for levels of traffic, vehicles, yes and no, and numbers.

The languages are English, Chinese, German and Japanese.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping

from planspec.dsl.model.values import InvalidValueError
from planspec.dsl.resources.english_words import ONES
from planspec.families.mobilitybench.spoken import GERMAN

LEVELS: Mapping[str, tuple[str, ...]] = {
    "smooth": (
        "smooth",
        "smoothly",
        "free",
        "freely",
        "free-flowing",
        "free flowing",
        "flowing",
        "clear",
        "light traffic",
        "uncongested",
        "not congested",
        "no congestion",
        "no traffic jam",
        "no traffic jams",
        "no jam",
        "no jams",
        "畅通",
        "通畅",
        "顺畅",
        "不堵",
        "不堵车",
        "不拥堵",
        "没有拥堵",
        "没有堵车",
        "无拥堵",
        "不会堵",
        "不会堵车",
        "frei",
        "freie fahrt",
        "staufrei",
        "flüssig",
        "fliessend",
        "fliesst",
        "kein stau",
        "keinen stau",
        "keine staus",
        "kein stockender verkehr",
        "空いている",
        "空いています",
        "空いてる",
        "スムーズ",
        "順調",
        "流れています",
        "流れている",
        "渋滞なし",
        "渋滞していません",
        "渋滞していない",
        "渋滞はありません",
        "渋滞はない",
        "混んでいません",
        "混んでいない",
        "混雑なし",
        "混雑していません",
        "混雑はありません",
    ),
    "slow": (
        "slow",
        "slowly",
        "slow-moving",
        "slow moving",
        "moderate",
        "moderate traffic",
        "缓行",
        "缓慢",
        "轻度拥堵",
        "langsam",
        "zähfliessend",
        "zäh",
        "stockend",
        "stockender verkehr",
        "やや混雑",
        "やや渋滞",
        "のろのろ",
        "徐行",
        "流れが悪い",
        "ゆっくり",
    ),
    "congested": (
        "congested",
        "congestion",
        "heavy",
        "heavy traffic",
        "jam",
        "jams",
        "jammed",
        "traffic jam",
        "traffic jams",
        "拥堵",
        "拥挤",
        "堵车",
        "堵塞",
        "中度拥堵",
        "stau",
        "staus",
        "gestaut",
        "staut",
        "verstopft",
        "überlastet",
        "渋滞",
        "混雑",
        "渋滞中",
        "渋滞しています",
        "渋滞している",
        "混雑しています",
        "混んでいます",
        "混んでいる",
        "混んでる",
    ),
    "severe": (
        "severe",
        "severely congested",
        "severe congestion",
        "severe traffic",
        "blocked",
        "standstill",
        "gridlock",
        "gridlocked",
        "严重拥堵",
        "严重堵车",
        "重度拥堵",
        "堵死",
        "水泄不通",
        "stillstand",
        "schwerer stau",
        "starker stau",
        "dichter stau",
        "gesperrt",
        "vollsperrung",
        "大渋滞",
        "激しい渋滞",
        "ひどい渋滞",
        "深刻な渋滞",
        "通行止め",
    ),
    "unknown_level": (
        "unknown",
        "unknown_level",
        "unknown level",
        "no data",
        "未知",
        "没有数据",
        "暂无数据",
        "unbekannt",
        "keine daten",
        "不明",
        "データなし",
    ),
}
"""Words for each level of traffic. Keys are the constraint library's names; words include the map's names."""
RIDDEN = frozenset({"bus", "subway", "tram", "ferry", "train", "flight"})
VEHICLES: Mapping[str, frozenset[str]] = {
    word: vehicles
    for vehicles, words in (
        (frozenset({"drive"}), "drive driving car taxi auto pkw 驾车 开车 自驾 打车 車 自動車 クルマ"),
        (frozenset({"walk"}), "walk walking foot onfoot fuss zufuss 步行 走路 徒歩 歩き 歩いて"),
        (frozenset({"cycle"}), "cycle cycling bicycle bicycling bike biking fahrrad rad 骑行 骑车 自行车 自転車"),
        (frozenset({"bus"}), "bus 公交 公交车 巴士 バス"),
        (frozenset({"subway"}), "subway metro underground tube mrt u-bahn ubahn 地铁 地下鉄"),
        (frozenset({"tram"}), "tram streetcar lightrail strassenbahn 有轨电车 电车 轻轨 路面電車"),
        (frozenset({"ferry"}), "ferry boat fähre 轮渡 渡轮 フェリー 船"),
        (
            frozenset({"train"}),
            "train railway rail highspeedtrain zug bahn eisenbahn ice 火车 高铁 动车 電車 列車 新幹線",
        ),
        (frozenset({"flight"}), "flight plane airplane fly flugzeug flug 飞机 航班 飛行機"),
        (RIDDEN, "transit publictransport publictransit öpnv öffentlicheverkehrsmittel 公共交通 公共交通機関"),
    )
    for word in words.split()
}
"""Vehicles that a word may mean. Keys are words without blanks."""
TRUTHS: Mapping[str, bool] = {
    **dict.fromkeys(
        (
            "true",
            "yes",
            "possible",
            "可以",
            "能",
            "能够",
            "可能",
            "来得及",
            "赶得上",
            "是",
            "ja",
            "möglich",
            "machbar",
            "das klappt",
            "es klappt",
            "reicht",
            "はい",
            "可能",
            "可能です",
            "間に合う",
            "間に合います",
            "できる",
            "できます",
        ),
        True,
    ),
    **dict.fromkeys(
        (
            "false",
            "no",
            "impossible",
            "not possible",
            "不可以",
            "不能",
            "不能够",
            "不可能",
            "来不及",
            "赶不上",
            "不行",
            "否",
            "nein",
            "nicht möglich",
            "unmöglich",
            "klappt nicht",
            "das klappt nicht",
            "reicht nicht",
            "いいえ",
            "不可能",
            "不可能です",
            "間に合わない",
            "間に合いません",
            "できない",
            "できません",
            "無理",
            "無理です",
        ),
        False,
    ),
}
_DIGITS = dict(zip("零〇一二两三四五六七八九", (0, 0, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9), strict=True))
_NUMERAL = re.compile(r"([一二两三四五六七八九])?十([一二三四五六七八九])?|[零〇一二两三四五六七八九]")
_NO = re.compile(
    r"(?<![a-z])(?:not|no|never|without|neither|nor|nicht|kein(?:e[nmrs]?)?|ohne|nie|niemals|weder)(?![a-z])|n['’]t|[不没無无非未]|ません|ない|なし|なく"
)
_ASKING = re.compile(
    r"\?|[吗呢]|是否|([\u4e00-\u9fff]{1,3})[不没]\1|有没有|怎么样|怎样|如何|为什么|为啥|什么"
    r"|(?<![a-z])whether(?![a-z])|^(?:how|what|which|when|where|why|who|wie|was|wann|wo|warum|wer|welche[mnrs]?|ob)(?![a-z])"
    r"|か[。.!！]?$|かな[。.]?$|どう|なぜ"
    r"|^(?:ist|sind|wird|gibt|kann|komme|staut|hat) (?:es|die|der|das|dort|da|hier|man|ich|auf|sich)(?![a-z])"
)
_TURNED = re.compile(
    r"^(?:is|are|was|were|will|would|does|do|did|can|could|should|has|have|had|am)(?:n['’]t)? "
    r"(?P<rest>.*)"
)
_SUBJECT = re.compile(r"(?:it|there|the|this|that|these|they|i|you|we|my|our|any|traffic)(?![a-z])")
_STATE = re.compile(
    r"(?:be|been|being|not|now|currently|very|quite|still|mostly|rather|fairly|expected|likely)(?![a-z])"
)
_VERB = re.compile(r"(?<![a-z])(?:is|are|was|were|has|looks)(?![a-z])")
_NUMBERS = ONES[:11]


_NONE = frozenset({"kein", "keine", "keinen"})
_ONE = frozenset({"eine", "einen", "eins", "einmal"})


def normalise_text(text: str) -> str:
    """Normalise the characters, the case and the blanks of a text."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def to_arabic_digits(text: str) -> str:
    """Replace the Chinese numbers below a hundred in a text by digits, for example `十二` by `12`."""

    def digits(match: re.Match[str]) -> str:
        if "十" not in match[0]:
            return str(_DIGITS[match[0]])
        return str(10 * _DIGITS.get(match[1] or "一", 1) + _DIGITS.get(match[2] or "零", 0))

    return _NUMERAL.sub(digits, text)


def number_of_word(word: str) -> int | None:
    """Return the number that an English or German word names, or None if it is not a number word."""
    if word in _NUMBERS:
        return _NUMBERS.index(word)
    if word in _NONE:
        return 0
    if word in _ONE:
        return 1
    return GERMAN.index(word) if word in GERMAN else None


def is_question(message: str) -> bool:
    """Return whether a text in one of the four languages is a question."""
    text = normalise_text(message)
    if _ASKING.search(text):
        return True
    inverted = _TURNED.match(text)
    if inverted is None:
        return False
    rest = inverted["rest"]
    if _SUBJECT.match(rest):
        return True
    # in a question, a subject follows the verb; "is congested" has no subject, and "Will Street is clear" starts
    # with a name, as its second verb shows
    statement = _STATE.match(rest) or _LEVEL.match(rest) or _VERB.search(rest)
    return len(rest.split()) > 2 and statement is None


def _phrase_pattern(words: Iterable[str]) -> str:
    longest_first = sorted(words, key=lambda word: (-len(word), word))
    return "|".join(
        rf"(?<![a-z]){re.escape(word)}(?![a-z])" if word.isascii() else re.escape(word) for word in longest_first
    )


_LEVEL_OF = {word: level for level, words in LEVELS.items() for word in words}
_LEVEL = re.compile(_phrase_pattern(_LEVEL_OF))


def level_of(message: str) -> str:
    """Return the level of traffic named in a string, as a key of `LEVELS`.

    Raises:
        InvalidValueError: the text names no level or several, is a question, or contains a negation.
    """
    text = normalise_text(message)
    if is_question(text):
        raise InvalidValueError("it is a question")
    levels = dict.fromkeys(_LEVEL_OF[match[0]] for match in _LEVEL.finditer(text))
    if len(levels) > 1:
        raise InvalidValueError(f"it names several levels: {', '.join(levels)}")
    if not levels:
        raise InvalidValueError(f"it is not a level of traffic; the levels are {', '.join(LEVELS)}")
    if _NO.search(_LEVEL.sub(" ", text)):
        raise InvalidValueError("it contains a negation")
    return next(iter(levels))


_DECORATION = re.compile(
    r"[+-]?\d+(?:\.\d+)?\s*(?:(?:°\s*c|°|c|度|%|级|grad|degrees?|celsius|km/h|mm)(?![a-z]))?"
    r"|(?<![a-z])(?:the|weather|forecast|condition|conditions|is|will|be|it|and|with|to|temperatures?|high|low|humidity|today|tomorrow|degrees?|celsius|das|wetter|ist|wird|es|und|bei|mit|heute|morgen|grad|temperatur(?:en)?|bis|höchstens|tiefstens|vorhersage)(?![a-z])"
    r"|天气|天気|气温|気温|温度|湿度|今天|今日|明天|明日|当前|現在|最高|最低|到|至|から|まで|です|でしょう|予報|[はのでがと、,]|[~～—–-]"
)


def bare_weather(text: str) -> str:
    """Return the words for the weather in a text: remove temperatures, filler words, blanks and punctuation."""
    rest = _DECORATION.sub(" ", normalise_text(text))
    return "".join(c for c in rest if c.isalnum())
