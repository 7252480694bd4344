"""A greedy planner that recognises questions about places and routes by patterns, in English and Chinese.

It runs the reference program of the recognised scenario on the tools, and answers with the first result.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from typing import Any

from pydantic import JsonValue

from planspec.agents.desk import Desk
from planspec.agents.requests import NUMBERS
from planspec.agents.tools import JsonResult, is_error
from planspec.agents.view import TaskView
from planspec.dsl.resources.english_words import WEEKDAYS
from planspec.families.mobilitybench.episode import Context, Scenario
from planspec.families.mobilitybench.program import (
    InvalidSlotsError,
    ProgramExecution,
    UnansweredCallError,
    execute,
    programs,
)
from planspec.families.mobilitybench.program_readings import today_of
from planspec.families.mobilitybench.reference import AnsweredRequest, UnanswerableRequestError, answer_of

Slots = dict[str, JsonValue]

_MODES = {
    "subway": r"\b(?:subway|metro)\b|地铁",
    "bus": r"\bby bus\b|\btake the bus\b|公交车|坐公交\b",
    "tram": r"\btram\b|电车",
    "ferry": r"\bferry\b|轮渡",
    "train": r"\bby train\b|\btake the train\b|火车|高铁",
    "flight": r"\bby (?:plane|air)\b|\btake a plane\b|飞机",
    "transit": r"\bpublic trans\w+\b|公共交通|公交",
    "cycle": r"\b(?:bike|bicycle|cycl\w+)\b|骑",
    "walk": r"\b(?:walk|on foot|walking)\b|步行|走路|走过去",
    "drive": r"\b(?:drive|driving|car)\b|驾车|自驾|开车",
}
_PREFERENCES = {
    "avoid_tolls": r"\btolls?\b|收费",
    "avoid_highways": r"\b(?:avoid|without|off the|no) (?:highways|motorways|expressways)|不走高速",
    "shortest": r"\bshortest\b|distance as short|least distance|距离最短|最近的路",
    "fastest": r"\bfastest\b|least time|quickly as|最快|时间最短",
    "fewest_lights": r"few\w* traffic lights|红绿灯.{0,3}少",
    "fewest_transfers": r"few\w* (?:transfers|changes)|change as rarely|换乘.{0,2}少",
    "least_walking": r"little walking|least walking|步行.{0,2}少",
    "cheapest": r"\bcheapest\b|costs the least|最便宜",
}
_FIGURES = {
    "lights": r"traffic lights|红绿灯",
    "tolls": r"\btolls?\b.*\?|过路费",
    "fare": r"\b(?:fare|ticket cost)\b|票价|车费",
    "transfers": r"\b(?:transfers|changes)\b|换乘几|几次换乘",
    "length": r"\bhow far\b|\bdistance\b|多远|多少公里",
    "time": r"\bhow (?:long|many minutes)\b|多久|多长时间|几分钟",
}
_TIMES = {
    "depart": r"when (?:do|should|must) I (?:have to )?(?:go|leave|set)|几点.{0,4}(?:走|出发)",
    "arrive": r"when (?:will|do|would) I (?:arrive|get|be)|几点.{0,4}到",
    "possible": r"\b(?:make|in time|on time)\b|来得及|赶得上",
}
_WEATHER = r"weather|rain|umbrella|temperature|cold|warm|天气|气温|下雨|温度"
_TRAFFIC = r"traffic(?! light)|jam\b|congest|road .*clear|堵|路况|拥堵"
_NEARBY = r"\b(?:near|nearby|around|close to|within|from here\. any|closest|nearest)\b|附近|周边|周围"
_WHERE = r"where am i|what is this place|what's this place|address .*(?:here|i'm at)|我在哪|当前位置在哪|这是哪"
_POINT = re.compile(
    r"(latitude|longitude|纬度|经度)\D{0,3}(-?\d+\.\d+)\D+?(?:latitude|longitude|纬度|经度)\D{0,3}(-?\d+\.\d+)",
    re.IGNORECASE,
)
_ENGLISH_WAY = (
    (r"\bfrom (.+?) to (.+)", ("origin", "destination")),
    (r"\bto (.+?) from (.+)", ("destination", "origin")),
    (r"\b(?:reach|to|into|at) (?!go\b|drive\b|be\b|have\b|avoid\b)(.+)", ("destination",)),
)
_CHINESE_WAY = (
    (r"从(.+?)(?:出发)?(?:驾车|自驾|开车|步行|骑行|乘.*?)?(?:到|去)(.+)", ("origin", "destination")),
    (r"(?:去|到)(.+)", ("destination",)),
)
_END = (
    r",? (?:by (?:car|bike|bicycle|bus|subway|metro|tram|ferry|train|plane|public)|on foot|with(?:out)? |that |when |via |and then |using |leaving|arriving|picking|if |as )"
    r"|[?？。,，:：;；]|\.(?:$| )|怎么走|的(?:路线|开车|驾车|步行)|驾车|自驾|开车|步行|骑行|乘|要|但是|途经|中间|见面| take\b| please\b"
)
_HERE = r"^(?:here|my (?:current )?location|where I am(?: now)?|我这里|我的位置|当前位置|这里)$"
_DAYS = tuple(map(str.lower, WEEKDAYS))
_ZH_DAYS = "一二三四五六日"


def plan(view: TaskView, desk: Desk) -> dict[str, Any]:
    """Answer a question. Return an empty answer if no pattern matches or the tools find nothing."""
    context = _parse_context(view)
    slots: Slots = {}
    scenario = Scenario.POI_SEARCH
    for scenario, slots in _readings(view.query, context):
        executed = _execute_program(scenario, slots, context, desk)
        if executed is None:
            continue
        results = [(call.tool, result) for call, result in zip(executed.program, executed.results, strict=True)]
        try:
            answer = answer_of(AnsweredRequest(view.task, scenario, slots, context, executed.program, results))
        except UnanswerableRequestError:
            continue
        return {
            "intent": scenario.value,
            "constraints": slots,
            "steps": list(executed.steps),
            "answer": answer,
        }
    return {"intent": scenario.value, "constraints": slots, "steps": [], "answer": {}}


def _parse_context(view: TaskView) -> Context:
    """Parse the user's context from the text that the agent gets."""
    lines = dict(line.split(": ", 1) for line in view.materials.get("Context", "").splitlines() if ": " in line)
    return Context(
        location=lines.get("The user is at (longitude,latitude)"),
        city=lines.get("City"),
        time=lines.get("Time"),
        travel_tool=lines.get("Travels by, unless the question says otherwise"),
        extra={"day": lines["Day"]} if "Day" in lines else {},
    )


def _execute_program(scenario: Scenario, slots: Slots, context: Context, desk: Desk) -> ProgramExecution | None:
    """Execute a scenario's program on the tools. Return None if they find nothing or the slots are invalid."""

    def ask(tool: str, arguments: Mapping[str, Any]) -> JsonResult:
        answer = desk.call(tool, dict(arguments))
        return answer if is_error(answer) else {"match": {"kind": "exact"}, "result": answer["result"]}

    try:
        return execute(programs()[scenario], slots, context, ask)
    except (InvalidSlotsError, UnansweredCallError):
        return None


# ------------------------------------------------------------------ meanings of a question


def _readings(query: str, context: Context) -> Iterator[tuple[Scenario, Slots]]:
    """Yield each scenario and slots that a question may mean, the most likely first."""
    text = query.strip()
    point = _POINT.search(text)
    if point is not None:
        first, second = point[2], point[3]
        swapped = point[1].lower() in ("latitude", "纬度")
        yield Scenario.GEOLOCATION, {"location": f"{second},{first}" if swapped else f"{first},{second}"}
    if _matches(_WHERE, text):
        yield Scenario.GEOLOCATION, {"location": "here"}
    if _matches(r"coordinates|坐标|longitude and latitude", text):
        yield Scenario.GEOLOCATION, {"place": _place_name(text)}
    if _matches(_WEATHER, text):
        yield from _weather_readings(text, context)
    if _matches(_TRAFFIC, text):
        yield from _traffic_readings(text)
    way = _parse_way(text)
    if way is not None:
        yield from _way_readings(text, way)
    if _matches(_NEARBY, text):
        yield from _nearby_readings(text)
    place = _place_name(text)
    parts = re.match(r"(.{2,6}?区)(?:哪里有|有哪些|的)?(.+)", place)
    if parts is not None:
        yield Scenario.POI_SEARCH, {"place": parts[2], "district": parts[1]}
    yield Scenario.POI_SEARCH, {"place": place}


def _weather_readings(text: str, context: Context) -> Iterator[tuple[Scenario, Slots]]:
    today = today_of(context)
    days: Slots = {} if today is None else {"days": _named_days(text, date.fromisoformat(today))}
    place = re.search(r"\bat ((?:the )?[A-Z][\w'&()-]*(?: [\w'&()-]+)*)", text)
    if place is not None:
        yield Scenario.WEATHER, {**days, "place": place[1]}
    yield Scenario.WEATHER, days


def _named_days(text: str, today: date) -> list[JsonValue]:
    """Return the days that a text names, or today if it names none."""
    lowered = text.lower()
    ahead = [
        (number - today.weekday()) % 7
        for number, name in enumerate(_DAYS)
        if name in lowered or f"周{_ZH_DAYS[number]}" in lowered or f"星期{_ZH_DAYS[number]}" in lowered
    ]
    tomorrow = "tomorrow" in lowered.replace("day after tomorrow", "") or "明天" in lowered
    ahead += [1] if tomorrow else []
    ahead += [2] if "day after tomorrow" in lowered or "后天" in lowered else []
    if _matches(r"from tomorrow|从明天|明天到", lowered) and ahead:
        ahead = list(range(1, max(ahead) + 1))
    return [(today + timedelta(days)).isoformat() for days in sorted(set(ahead)) or [0]]


def _traffic_readings(text: str) -> Iterator[tuple[Scenario, Slots]]:
    at: Slots = {} if (clock := _parse_time(text)) is None else {"at": clock}
    near = re.search(r"\b(?:outside|near|around|by|at) (.+?)(?:,| (?:clear|at \d|right|now|today|like)|\?|$)", text)
    if near is not None and _matches(r"\broad (?:outside|near|by|at)\b|traffic (?:near|around|outside)", text):
        yield Scenario.TRAFFIC, {**at, "near": near[1]}
    road = re.search(
        r"\b(?:on|along|of) ((?:the )?.+?)(?:,| (?:at \d|right|now|today|like)|\?|\.|$)", text
    ) or re.search(r"(?:现在|看一下|，|^)([^，。？现在]+?(?:路|街|巷|胡同|大道|环线|高速))", text)
    if road is not None:
        yield Scenario.TRAFFIC, {**at, "road": road[1]}


def _nearby_readings(text: str) -> Iterator[tuple[Scenario, Slots]]:
    slots: Slots = {}
    if (radius := _parse_radius(text)) is not None:
        slots["radius"] = radius
    kind = re.search(
        r"(?:find|search for|are there(?: any)?|any|show me|looking for|nearest|closest|is there an?|the|list) (?:the )?([a-z ]+?)"
        r"(?: near| around| within| close| in |\?|\.|$)",
        text,
        re.IGNORECASE,
    ) or re.search(r"(?:有|找|的|搜)(?!什么)([^有吗？的\d]+?)(?:吗|？|$)", text)
    if kind is None:
        return
    slots["place"] = _singular_form(kind[1].strip())
    around = re.search(
        r"\b(?:near|around|close to|of|from) (?!me\b|here\b|my )([A-Z\W\u3040-\u9fff].+?)(?:,|\?|\.(?:$| )| are there|$)",
        text,
    ) or re.search(r"(?:在|^)(.{2,}?)(?:附近|周边|周围)", text)
    if around is not None and not re.search(_HERE, around[1].strip()):
        yield Scenario.NEARBY_SEARCH, {**slots, "near": around[1].strip()}
    yield Scenario.NEARBY_SEARCH, slots


def _parse_radius(text: str) -> int | None:
    match = re.search(
        rf"(\d+(?:\.\d+)?|{'|'.join(NUMBERS)}) ?(kilomet\w+|km|meters?|metres?|m)\b", text, re.IGNORECASE
    ) or re.search(r"(\d+(?:\.\d+)?)(公里|米)", text)
    if match is None:
        return None
    figure = float(NUMBERS.get(match[1].lower(), 0) or match[1])
    return round(figure * (1000 if match[2].lower().startswith(("k", "公")) else 1))


# ------------------------------------------------------------------ ways


def _parse_way(text: str) -> Slots | None:
    """Parse origin, stops and destination of a route; None if the question is not about a route."""
    stops = re.search(r"(?:起点(?:是|为)?)([^，。]+)", text)
    for pattern, names in (*_ENGLISH_WAY, *_CHINESE_WAY):
        match = re.search(pattern, text)
        if match is None:
            continue
        slots: Slots = {}
        for name, name_text in zip(names, match.groups(), strict=True):
            place = _cut_name(name_text)
            if place and not (name == "origin" and re.search(_HERE, place)):
                slots[name] = place
        if "destination" not in slots:
            continue
        if stops is not None:
            slots["origin"] = stops[1]
        via = re.search(r"\b(?:via|with a stop at|stop at|through) (.+?)(?:[,?.]|$)", text) or re.search(
            r"(?:途经|中间要去|经过)([^，。怎]+)", text
        )
        if via is not None:
            slots["via"] = [part.strip() for part in re.split(r" and then | and |再去|和", via[1]) if part.strip()]
        return slots
    return None


def _way_readings(text: str, way: Slots) -> Iterator[tuple[Scenario, Slots]]:
    slots = dict(way)
    mode = next((mode for mode, words in _MODES.items() if _matches(words, text)), None)
    if mode is not None:
        slots["mode"] = mode
    clock = _parse_time(text)
    timed = next((query for query, words in _TIMES.items() if _matches(words, text)), None)
    if timed is not None and clock is not None:
        slot = "arrive_by" if timed == "depart" else "depart_at"
        yield Scenario.TIME, {**slots, "asked": timed, slot: clock}
    if clock is not None and _matches(r"\b(?:leav|set off|depart|start)\w*|出发", text):
        slots["depart_at"] = clock
    query = next((query for query, words in _FIGURES.items() if _matches(words, text)), None)
    if query is not None and _matches(r"\bhow\b|\?|多|几", text):
        yield Scenario.ROUTE_PROPERTY, {**slots, "asked": query}
    if "via" in slots:
        yield Scenario.MULTI_STOP, slots
    wishes: list[JsonValue] = [wish for wish, words in _PREFERENCES.items() if _matches(words, text)]
    if wishes:
        yield Scenario.OPTIONS, {**slots, "preferences": wishes}
    if _matches(r"without any transfers|no changes|without changing|不换乘", text):
        yield Scenario.OPTIONS, {**slots, "max_transfers": 0}
    avoided = re.search(r"\b(?:without using|avoids?|stays? off) ([A-Z].+?)(?:[,.?]|$)", text)
    if avoided is not None:
        yield Scenario.CUSTOMIZED, {**slots, "avoid_roads": [avoided[1]]}
    line = re.search(
        r"\b(?:that )?(?:uses|using|takes|on) ((?:Bus|Line|Tram|Metro|Ferry)[^,.?]+?)(?:,|\.|\?| from| to|$)",
        text,
    )
    if line is not None:
        yield Scenario.CUSTOMIZED, {**slots, "use_line": line[1]}
    yield Scenario.POINT_TO_POINT, slots
    slots.pop("mode", None)
    yield Scenario.POINT_TO_POINT, slots


# ------------------------------------------------------------------ words


def _matches(pattern: str, text: str) -> bool:
    return re.search(pattern, text, re.IGNORECASE) is not None


def _cut_name(text: str) -> str:
    """Return a place's name without the words that follow it."""
    return re.split(_END, text.strip(), maxsplit=1)[0].strip()


def _place_name(text: str) -> str:
    """Return the name of the place in a question about a place; `here` if no place is named."""
    text = re.sub(
        r"^(?:um |hey |please )?(?:where (?:exactly )?is|where would I find|find|can you look up|search for|show me|what(?:'s| is) the address of"
        r"|what are the coordinates of|I'm trying to find a place called|搜一下|帮我找|找一下|查一下|请问)\s*",
        "",
        text,
        flags=re.IGNORECASE,
    )
    text = re.sub(r"(?:在哪里|在哪儿|在哪|在地图上的坐标是什么|的坐标.*|怎么找|在什么地方)?[?？。.!]*$", "", text)
    return re.sub(r"(?: on the map| for me|, where is it)$", "", text).strip() or "here"


def _singular_form(kind: str) -> str:
    for ending, other in (("ies", "y"), ("ches", "ch"), ("s", "")):
        if kind.endswith(ending) and kind.isascii():
            return kind.removesuffix(ending) + other
    return kind


def _parse_time(text: str) -> str | None:
    """Return the first time of day in a text as HH:MM; None if there is none."""
    match = re.search(r"\b(\d{1,2}):(\d{2})(?: ?([ap])m)?\b", text, re.IGNORECASE) or re.search(
        r"\b(\d{1,2})()(?: ?([ap])m)\b", text, re.IGNORECASE
    )
    if match is None:
        chinese = re.search(r"(上午|早上|下午|晚上)?(\d{1,2})点(?:(\d{1,2})分|(半))?", text)
        if chinese is None:
            return None
        hour = int(chinese[2]) + (12 if chinese[1] in ("下午", "晚上") and int(chinese[2]) < 12 else 0)
        return f"{hour:02}:{int(chinese[3] or (30 if chinese[4] else 0)):02}"
    hour = int(match[1]) % 12 + (12 if match[3].lower() == "p" else 0) if match[3] else int(match[1])
    return f"{hour:02}:{int(match[2] or 0):02}"
