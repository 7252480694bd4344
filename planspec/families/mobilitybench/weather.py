"""The words for weather in English and Chinese; synonyms are equally right."""

from __future__ import annotations

from collections.abc import Mapping

from planspec.families.mobilitybench.calls import folded

CALLED: tuple[tuple[str, ...], ...] = (
    ("sunny", "clear", "clear sky", "fine", "sunshine", "晴", "晴天", "晴朗"),
    ("cloudy", "partly cloudy", "partly sunny", "多云", "晴间多云"),
    ("overcast", "gloomy", "阴", "阴天"),
    ("rain", "rainy", "雨", "有雨", "下雨"),
    ("light rain", "slight rain", "drizzle", "小雨", "细雨", "毛毛雨"),
    ("moderate rain", "steady rain", "中雨"),
    ("heavy rain", "大雨"),
    ("rainstorm", "torrential rain", "暴雨"),
    ("shower", "showers", "rain shower", "rain showers", "阵雨"),
    (
        "thunderstorm", "thunderstorms", "thundershower", "thundershowers", "thunder shower", "thunder showers",
        "雷阵雨", "雷雨", "雷暴",
    ),
    ("sleet", "rain and snow", "雨夹雪"),
    ("snow", "snowy", "雪", "有雪", "下雪"),
    ("light snow", "小雪"),
    ("moderate snow", "中雪"),
    ("heavy snow", "大雪"),
    ("blizzard", "snowstorm", "暴雪"),
    ("fog", "foggy", "mist", "misty", "雾", "有雾", "大雾"),
    ("haze", "hazy", "smog", "霾", "雾霾"),
    ("sand", "blowing sand", "扬沙"),
    ("dust", "floating dust", "浮尘"),
    ("sandstorm", "dust storm", "沙尘暴"),
    ("windy", "wind", "大风"),
)  # fmt: skip
"""No wording stands for two conditions; the first is the map's."""
_FOUND: Mapping[str, tuple[str, ...]] = {word: words for words in CALLED for word in words}


def weather_words(condition: str) -> tuple[str, ...]:
    """All right wordings of a condition; of one that is not known its own."""
    return _FOUND.get(folded(condition), (condition,))
