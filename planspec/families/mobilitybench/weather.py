"""Words for weather conditions in English, Chinese, German and Japanese, with their synonyms."""

from __future__ import annotations

from collections.abc import Mapping

from planspec.families.mobilitybench.calls import folded

SYNONYMS: tuple[tuple[str, ...], ...] = (
    (
        "sunny",
        "clear",
        "clear sky",
        "fine",
        "sunshine",
        "晴",
        "晴天",
        "晴朗",
        "sonnig",
        "klar",
        "sonne",
        "晴れ",
        "快晴",
    ),
    (
        "cloudy",
        "partly cloudy",
        "partly sunny",
        "多云",
        "晴间多云",
        "bewolkt",
        "wolkig",
        "teilweise bewolkt",
        "曇り",
        "くもり",
    ),
    ("overcast", "gloomy", "阴", "阴天", "bedeckt", "trub", "曇天", "とんより"),
    ("rain", "rainy", "雨", "有雨", "下雨", "regen", "regnerisch", "regnet"),
    ("light rain", "slight rain", "drizzle", "小雨", "细雨", "毛毛雨", "leichter regen", "nieselregen", "弱い雨"),
    ("moderate rain", "steady rain", "中雨", "massiger regen", "やや強い雨"),
    ("heavy rain", "大雨", "starker regen", "starkregen", "強い雨"),
    ("rainstorm", "torrential rain", "暴雨", "wolkenbruch", "豪雨"),
    ("shower", "showers", "rain shower", "rain showers", "阵雨", "schauer", "regenschauer", "にわか雨"),
    (
        "thunderstorm",
        "thunderstorms",
        "thundershower",
        "thundershowers",
        "thunder shower",
        "thunder showers",
        "雷阵雨",
        "雷雨",
        "雷暴",
        "gewitter",
    ),
    ("sleet", "rain and snow", "雨夹雪", "schneeregen", "みそれ"),
    ("snow", "snowy", "雪", "有雪", "下雪", "schnee", "schneefall"),
    ("light snow", "小雪", "leichter schneefall"),
    ("moderate snow", "中雪", "massiger schneefall"),
    ("heavy snow", "大雪", "starker schneefall"),
    ("blizzard", "snowstorm", "暴雪", "schneesturm", "吹雪"),
    ("fog", "foggy", "mist", "misty", "雾", "有雾", "大雾", "nebel", "neblig", "霧"),
    ("haze", "hazy", "smog", "霾", "雾霾", "dunst", "dunstig", "もや"),
    ("sand", "blowing sand", "扬沙"),
    ("dust", "floating dust", "浮尘"),
    ("sandstorm", "dust storm", "沙尘暴"),
    ("windy", "wind", "大风", "windig", "強風"),
)
"""Synonyms of each condition, beginning with the map's word. No word belongs to two conditions."""
_BY_WORD: Mapping[str, tuple[str, ...]] = {word: words for words in SYNONYMS for word in words}


def weather_words(condition: str) -> tuple[str, ...]:
    """Return all words for a weather condition, or only `condition` itself if it is unknown."""
    return _BY_WORD.get(folded(condition), (condition,))
