"""Slots of a query, such as `origin` and `mode`, read from the columns of the public table and the query's words.

A word counts only if it is unambiguous. For example, two o'clock without morning or afternoon is not read as a time.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal

from planspec.families.mobilitybench import calls
from planspec.families.mobilitybench.episode import Episode, Scenario
from planspec.families.mobilitybench.public.result_translation import result_of
from planspec.families.mobilitybench.public.translation import (
    UntranslatableCall,
    driving_preferences,
    transit_choice,
)
from planspec.families.mobilitybench.steps import step_of

HAN = re.compile(r"[\u3400-\u9fff]")
FIGURES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (figure, re.compile(words, re.IGNORECASE))
    for figure, words in (
        ("length", r"多远|公里|千米|距离|多少米|路程|里程|how far|distance|kilomet|\bmiles?\b"),
        (
            "time",
            r"多久|多长时间|多少时间|几个?小时|多少分钟|几分钟|耗时|用时|时长|how long|travel time|minutes",
        ),
        ("transfers", r"换乘|transfers?\b|changes?\b"),
        ("lights", r"红绿灯|traffic lights?"),
        ("tolls", r"过路费|高速费|通行费|tolls?\b"),
        ("fare", r"车费|票价|车票|\bfare"),
    )
)
"""Figures of a route, such as its length, each with a pattern of the words that request it in a query."""
LEAVING = re.compile(
    r"(?:几点|什么时候|何时|啥时候|多会儿?)[^，。？,?]{0,8}(?:出发|走|动身|出门)|出发时间|when[^.?]*(?:leave|depart|set off)",
    re.IGNORECASE,
)
ARRIVING = re.compile(
    r"(?:几点|什么时候|何时|啥时候)[^，。？,?]{0,8}(?:到|抵达)|到达时间|when[^.?]*(?:arrive|get there|be there)",
    re.IGNORECASE,
)
MODE_WORDS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (mode, re.compile(words, re.IGNORECASE))
    for mode, words in (
        ("walk", r"步行|走路|走着|徒步|\bwalk|on foot"),
        ("cycle", r"骑行|骑车|自行车|单车|\bcycl|\bbik|bicycle"),
        ("transit", r"(?:公交|地铁)(?!车?站)|公共交通|坐车|\btransit|\bbus\b|subway|metro"),
        ("drive", r"驾车|开车|自驾|\bdriv|by car"),
    )
)
"""Travel modes, each with a pattern of the words for it in a query."""
NEGATION = re.compile(r"[不别避除非勿无没]|\bnot?\b|n't|without|avoid|except", re.IGNORECASE)
"""Pattern of negations. A query without a negation excludes no line."""
AVOIDED = re.compile(r"(?:不要|不坐|不乘坐?|避开|避免)(?:坐|乘坐|乘|走|换乘|经过)?(.+)")
REQUIRED = re.compile(r"(?:只?要|必须|只)(?:坐|乘坐|乘)(.+)")
DIGITS = {c: n for n, c in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0}
_NUMBER = r"\d{1,2}|[〇零一二两三四五六七八九十]{1,3}"
SPOKEN = re.compile(
    rf"(?P<part>凌晨|清晨|早晨|早上|上午|中午|下午|午后|傍晚|晚上|夜里|今晚|明早|今早)?的?"
    rf"(?P<hour>{_NUMBER})(?:点钟?|时)(?P<past>半|一刻|三刻|(?:{_NUMBER})分?)?(?!\d|[个小间])"
)
WRITTEN = re.compile(r"(?<![\d:])(\d{1,2})[:：]([0-5]\d)(?!\d)\s*(am|pm|a\.m\.|p\.m\.)?", re.IGNORECASE)
BRITISH = re.compile(r"(?<![\d:])(\d{1,2})\s*(am|pm|a\.m\.|p\.m\.)", re.IGNORECASE)
MORNING = frozenset(("凌晨", "清晨", "早晨", "早上", "上午", "明早", "今早"))
TODAY = frozenset(("今天", "今日", "现在", "当前", "today", "now"))


def language_of(query: str) -> Literal["zh", "en"] | None:
    """Return `zh` if the query has a Chinese character, `en` if it has only Latin letters, otherwise None."""
    if HAN.search(query):
        return "zh"
    return "en" if re.search("[A-Za-z]", query) else None


def constraints_of(episode: Episode) -> dict[str, Any]:
    """Return the slots of a query, for example `{"road": "中关村大街"}`. Slots without a value are omitted.

    Args:
        episode: episode with its query, its reference program, and the columns in `truth`.
    """
    truth = episode.truth
    slots: dict[str, Any] = {}
    match episode.scenario:
        case Scenario.POI_SEARCH:
            slots["place"] = next((call.arguments.get("keywords") for call in episode.program), episode.query)
        case Scenario.GEOLOCATION:
            slots["location"] = "here"
        case Scenario.NEARBY_SEARCH:
            slots |= {"place": truth.get("near_poi_info"), "near": truth.get("query_poi")}
        case Scenario.WEATHER:
            slots |= {"city": _named_city(episode), "days": days_of(episode)}
        case Scenario.TRAFFIC:
            slots["road"] = truth.get("road")
        case _:
            slots |= _route_slots(episode)
    return {slot: value for slot, value in slots.items() if value is not None and value != []}


STEPS: Mapping[Scenario, str] = {
    Scenario.MULTI_STOP: "pass_through",
    Scenario.OPTIONS: "keep_to_options",
    Scenario.CUSTOMIZED: "keep_to_options",
    Scenario.ROUTE_PROPERTY: "read_figure",
    Scenario.TIME: "work_out_time",
}
"""For each of these scenarios, the atomic step that an agent performs without a tool."""


def steps_of(episode: Episode) -> tuple[str, ...]:
    """Return the atomic steps of the reference program: those that its tools perform, and the step in `STEPS`."""
    steps = [step_of(call.tool) for call in episode.program if call.tool in calls.TOOLS]
    own_step = STEPS.get(episode.scenario)
    return tuple(dict.fromkeys([*steps, own_step] if own_step and steps else steps))


def planner_of(episode: Episode) -> str | None:
    """Return the name of the route planner that the reference program calls; None if there is not exactly one."""
    planners = {call.tool for call in episode.program if call.tool in calls.MODES}
    return planners.pop() if len(planners) == 1 else None


def requested_figures(query: str) -> list[str]:
    """Return the figures of a route that the query requests, such as `length`, in the order of their mention."""
    positions = ((match.start(), figure) for figure, words in FIGURES if (match := words.search(query)))
    return [figure for _, figure in sorted(positions)]


def requested_time(query: str) -> Literal["depart", "arrive"] | None:
    """Return `depart` if the query asks when to leave, `arrive` if it asks for the arrival; None if both or neither."""
    leaving, arriving = bool(LEAVING.search(query)), bool(ARRIVING.search(query))
    if leaving == arriving:
        return None
    return "depart" if leaving else "arrive"


def preferences_of(episode: Episode) -> tuple[list[str], dict[str, Any], str | None]:
    """Translate the preferences of a query for a route to arguments of our tool.

    Returns:
        Our preferences; further arguments of our tool; and the reason why some preference cannot be expressed, or
        None if all can be.
    """
    cell = episode.truth.get("strategy_list")
    words = [word for word in (cell if isinstance(cell, list) else [cell]) if word not in (None, "")]
    if not words:
        return [], {}, None
    if planner_of(episode) != "bus_planning":
        preferences = driving_preferences(words)
        return (
            ([], {}, preferences.reason)
            if isinstance(preferences, UntranslatableCall)
            else (list(preferences), {}, None)
        )
    arguments: dict[str, Any] = {}
    for word in words:
        choice = transit_choice(word)
        if isinstance(choice, UntranslatableCall):
            return [], {}, choice.reason
        arguments |= choice
    preference = arguments.pop("preference", None)
    return [preference] if preference else [], arguments, None


def lines_of(episode: Episode) -> tuple[list[str], list[str], str | None]:
    """Return the lines to avoid, the lines to use, and the reason why they are unknown, or None if they are known.

    A language model filled the column with the lines. If a cell repeats the instruction to the model, the text after
    `输出:` is read.
    """
    cell = episode.truth.get("llm_ner_ans")
    if not isinstance(cell, str):
        return [], [], "no column has the lines"
    avoided, required = [], []
    for part in re.split(r"[,，、;；]", re.split(r"输出[:：]", cell)[-1].strip()):
        if match := AVOIDED.fullmatch(part.strip()):
            avoided.append(match[1].strip())
        elif match := REQUIRED.fullmatch(part.strip()):
            required.append(match[1].strip())
        else:
            return [], [], f"`{part.strip()[:40]}` names no line"
    if avoided and not NEGATION.search(episode.query):
        return [], [], f"the column excludes `{avoided[0]}`, and the query excludes nothing"
    return avoided, required, None


def days_of(episode: Episode) -> list[str]:
    """Return a list with today's date if the query asks about today's weather, otherwise an empty list."""
    if episode.truth.get("time") not in TODAY:
        return []
    results = (result_of(episode, record) for record in episode.snapshot if record.tool == "weather_query")
    return [day["day"] for result in results if result is not None for day in result["weather"]][:1]


def minute_in(query: str) -> int | None:
    """Return the time of day in a query, in minutes after midnight; None if there is not exactly one clear time."""
    minutes = [_spoken_minute(match) for match in SPOKEN.finditer(query)]
    minutes += [_written_minute(int(match[1]), int(match[2]), match[3]) for match in WRITTEN.finditer(query)]
    minutes += [_written_minute(int(match[1]), 0, match[2]) for match in BRITISH.finditer(query)]
    return minutes[0] if len(minutes) == 1 else None


def clock_text(minute: int) -> str:
    """Convert minutes after midnight to HH:MM. The minutes may be negative or beyond a day."""
    return f"{minute // 60 % 24:02}:{minute % 60:02}"


def _route_slots(episode: Episode) -> dict[str, Any]:
    truth, query = episode.truth, episode.query
    slots: dict[str, Any] = {
        "origin": truth.get("query_start_poi"),
        "via": _as_list(truth.get("query_transit_poi")),
        "destination": truth.get("query_end_poi"),
        "mode": _travel_mode(episode),
    }
    match episode.scenario:
        case Scenario.ROUTE_PROPERTY:
            slots["asked"] = next(iter(requested_figures(query)), None)
        case Scenario.TIME:
            requested, minute = requested_time(query), minute_in(query)
            slots["asked"] = requested
            if requested is not None and minute is not None:
                slots["arrive_by" if requested == "depart" else "depart_at"] = clock_text(minute)
        case Scenario.OPTIONS:
            slots["preferences"] = preferences_of(episode)[0]
        case Scenario.CUSTOMIZED:
            avoided, required, _ = lines_of(episode)
            slots |= {"avoid_lines": avoided, "use_line": next(iter(required), None)}
    return slots


def _travel_mode(episode: Episode) -> str | None:
    """Return the travel mode named in the query, or None if the reference program does not use it."""
    named = {mode for mode, words in MODE_WORDS if words.search(episode.query)}
    planned = calls.MODES.get(planner_of(episode) or "")
    return planned if planned in named else None


def _named_city(episode: Episode) -> Any:
    city = episode.truth.get("city")
    return city if isinstance(city, str) and city.removesuffix("市") in episode.query else None


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _spoken_minute(match: re.Match[str]) -> int | None:
    hour, past = _parse_number(match["hour"]), match["past"]
    if hour is None or hour > 24:
        return None
    fixed: Mapping[str | None, int] = {None: 0, "半": 30, "一刻": 15, "三刻": 45}
    minute = fixed[past] if past in fixed else _parse_number((past or "").removesuffix("分"))
    if minute is None or minute > 59:
        return None
    part = match["part"]
    if part is None:
        return hour * 60 + minute if hour > 12 or hour == 0 else None
    if part in MORNING:
        return hour % 24 * 60 + minute if hour < 12 else None
    if part == "中午":
        return (hour if hour >= 10 else hour + 12) * 60 + minute if hour <= 13 else None
    if hour == 12 and part in ("晚上", "夜里", "今晚"):
        return minute
    if part == "夜里" and hour < 6:
        return hour * 60 + minute
    return (hour + 12 if hour < 12 else hour) % 24 * 60 + minute


def _written_minute(hour: int, minute: int, half: str | None) -> int | None:
    if half:
        return (hour % 12 + (12 if half[0] in "pP" else 0)) * 60 + minute if 1 <= hour <= 12 else None
    return hour * 60 + minute if 12 < hour < 24 or hour == 0 else None


def _parse_number(text: str) -> int | None:
    """Parse a number below 100 in digits or in Chinese; None if the string is not such a number."""
    if text.isdecimal():
        return int(text)
    tens, ten, ones = text.rpartition("十")
    if (tens and tens not in DIGITS) or (ones and ones not in DIGITS):
        return None
    return (DIGITS.get(tens, 1) * 10 if ten else 0) + DIGITS.get(ones, 0) if text else None
