"""Chinese pages of the corpus.

A Chinese page keeps the style (`voice`) and all claims of the English draft that it replaces.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from planspec.families.veritrip.corpus import chinese_filler as filler
from planspec.families.veritrip.corpus.chinese_denials import DenialKind, DenialPage, denial_of
from planspec.families.veritrip.corpus.chinese_surface import (
    POI_KINDS,
    ROOMS,
    closing_days_text,
    duration_text,
    long_date,
    price_text,
    spoken_time,
)
from planspec.families.veritrip.corpus.chinese_words import ChineseWords, add_filler
from planspec.families.veritrip.corpus.draft import DocumentDraft
from planspec.families.veritrip.corpus.misleading_pages import CHINESE_NAMES as VANISHED
from planspec.families.veritrip.corpus.nearby import NeighbourSearch
from planspec.families.veritrip.corpus.noise import CHINESE_OTHER_CITIES
from planspec.families.veritrip.facts import AnyPlace, Attraction, Hotel, Poi, Restaurant, Service

SHARES = {"CNY": 75, "USD": 15}
"""Percentage of a country's pages that are in Chinese, by the country's currency. The others are in English."""
SHORTEST_GUIDE = 320
"""Minimal number of characters of a guide. Guides in the paper have more than 300."""

Claims: TypeAlias = Mapping[str, str]
"""Claims of a draft on one subject: values by field."""
_FIELDS = {
    "existence",
    "ticket",
    "opens",
    "closes",
    "closed_on",
    "visit",
    "address",
    "price",
    "cuisine",
    "dishes",
    "number",
    "date",
    "origin",
    "to",
    "depart",
    "arrive",
}


class ChineseWriter:
    """Writer that rewrites the drafts of a country in Chinese.

    Args:
        words: facts of the country, and names in both languages.
    """

    def __init__(self, words: ChineseWords) -> None:
        self.words = replace(words, names={**VANISHED, **CHINESE_OTHER_CITIES, **words.names})
        base = words.base
        self._names = {place.name: place for place in reversed(base.places)}
        self._cities = frozenset(base.cities)
        self._places: dict[tuple[str, str], AnyPlace] = {(p.name, p.city): p for p in reversed(base.places)}
        self._services: dict[tuple[str, str], Service] = {
            (f"{s.number} {s.date.isoformat()}", s.origin_city): s for s in base.services
        }
        self._landmarks = NeighbourSearch((*base.attractions, *base.pois))

    def write_share(self, drafts: Sequence[DocumentDraft], seed: int) -> None:
        """Rewrite a share of the drafts in Chinese. `SHARES` sets the share.

        The choice does not depend on whether their claims are true.
        """
        seen = {draft.text() for draft in drafts}
        for number, draft in enumerate(drafts):
            rng = random.Random(f"{seed}|language|{self.words.base.currency}|{number}")
            if rng.randrange(100) < SHARES.get(self.words.base.currency, 0) and self._can_express(draft):
                self.write(draft, rng)
                while draft.text() in seen:
                    draft.add_paragraph(_filler_sentence(filler.FORUM, rng, draft.city, self.words))
                seen.add(draft.text())

    def _can_express(self, draft: DocumentDraft) -> bool:
        """Return whether all claims of a draft can be expressed in Chinese.

        Their subjects must be in the fact base, unless the page is only about the existence of places.
        """
        if self._denial_kind(draft) is not None:
            return True
        return bool(draft.claims) and all(
            self._is_known(subject, city)
            and (field in _FIELDS or field.startswith(("room:", "breakfast:")))
            and (field != "existence" or value == "true")
            for subject, city, field, value, _ in draft.claims
        )

    def _denial_kind(self, draft: DocumentDraft) -> DenialKind | None:
        return denial_of(draft.claims, self._names, self._cities)

    def _is_known(self, subject: str, city: str) -> bool:
        return (subject, city) in self._services or self.place(subject, city) is not None

    def place(self, name: str, city: str) -> AnyPlace | None:
        """Return the place with a name in a city, or None if the fact base has none.

        For a city to which no trip goes, the result is a copy of the place with that name in another city.
        """
        match = self._places.get((name, city))
        if match is None and city not in self._cities and (namesake := self._names.get(name)) is not None:
            return replace(namesake, city=city)
        return match

    def write(self, draft: DocumentDraft, rng: random.Random) -> None:
        """Rewrite the title and text of a draft in Chinese. Its claims, date and style do not change."""
        claims_by_subject: dict[tuple[str, str], dict[str, str]] = {}
        for subject, city, field, value, _ in draft.claims:
            claims_by_subject.setdefault((subject, city), {})[field] = value
        page = _ChinesePage(self, draft, rng)
        draft.blocks = []
        subjects = list(claims_by_subject)
        first = self.place(*subjects[0])
        if (denial := self._denial_kind(draft)) is not None:
            DenialPage(draft, self.words, rng).write(denial)
        elif subjects[0] in self._services:
            page.write_timetable(claims_by_subject)
        elif draft.kind == "guide":
            page.write_guide(claims_by_subject)
        elif draft.kind == "comment":
            page.write_comment(claims_by_subject)
        elif len(subjects) > 1:
            page.write_listing(claims_by_subject)
        else:
            assert first is not None
            page.write_single(first, claims_by_subject[subjects[0]])
        if rng.randrange(3) == 0:
            draft.add_paragraph(f"（以上内容写于{draft.published.year}年{draft.published.month}月。）")


@dataclass(frozen=True, slots=True)
class _ChinesePage:
    writer: ChineseWriter
    draft: DocumentDraft
    rng: random.Random

    @property
    def words(self) -> ChineseWords:
        return self.writer.words

    def pick(self, *options: str) -> str:
        return self.rng.choice(options)

    def add_paragraph(self, *sentences: str) -> None:
        """Add a paragraph of sentences, without blanks between them as usual in Chinese."""
        self.draft.add_paragraph("".join(sentences))

    def city(self) -> str:
        return self.words.chinese_name(self.draft.city)

    # ------------------------------------------------------------------ one place

    def write_single(self, place: AnyPlace, claims: Claims) -> None:
        """Write a page on one place, in the style of the draft."""
        name, city, draft = self.words.both_names(place.name), self.city(), self.draft
        short = self.words.chinese_name(place.name)
        match draft.origin:
            case "official site":
                draft.title = self.pick(f"{name}官方参观信息", f"{name} | {city}", f"{city}{name}：开放时间与价格")
                self.add_paragraph(
                    self.pick(
                        f"欢迎来到{city}{name}！",
                        f"这里是{city}{name}的官方信息页面。",
                        f"{city}{name}期待您的光临。",
                    ),
                    self._description(place),
                )
                self._add_facts(place, claims, with_headings=self.rng.random() < 0.5)
                self._fill((*filler.HOTEL,) if isinstance(place, Hotel) else filler.OFFICIAL, 2, 5)
                draft.add_paragraph(f"更新日期：{long_date(draft.published)}")
            case "booking portal" | "dining portal" | "city directory" | "map notes":
                draft.title = self.pick(
                    f"{name}_{city}旅游攻略", f"{city}{name}怎么样？价格、时间、地址一览", f"【{city}】{name}"
                )
                draft.add_paragraph(f"{name}｜{city}", self._description(place))
                self._add_facts(place, claims, with_headings=False, prefix=self.pick("· ", "◆ ", ""))
                self._add_nearby(place)
                self._fill(self._filler_of(place), 2, 4)
            case "news notice":
                draft.title = self.pick(
                    f"{name}发布最新参观提示", f"{city}：{name}秋季开放安排公布", f"去{name}的游客请注意"
                )
                self.add_paragraph(
                    f"本报{city}{draft.published.month}月{draft.published.day}日讯　记者从{name}了解到，秋季开放安排已经公布。",
                    *self._fact_sentences(place, claims),
                )
                draft.add_paragraph(self._description(place))
                self._fill(filler.NEWS, 2, 4)
            case _:
                draft.title = self.pick(
                    f"{city}｜{name}到底值不值得去？",
                    f"周末去了{name}，说点真心话",
                    f"{name}保姆级攻略",
                    f"在{city}的{short}待了半天（{place.name}）",
                )
                self.add_paragraph(
                    self.pick(
                        f"终于来打卡{name}啦！",
                        f"被朋友安利了很久的{name}，这次总算去成了。",
                        f"来{city}不去{name}，总觉得少了点什么。",
                    ),
                    self._description(place) if self.rng.random() < 0.6 else "",
                )
                self.add_paragraph(*self._fact_sentences(place, claims))
                self._add_nearby(place)
                self._fill(filler.BLOG, 3, 6)
                draft.add_paragraph(
                    " ".join(
                        f"#{tag}"
                        for tag in (
                            f"{city}旅游",
                            short.replace(" ", ""),
                            self.pick("周末去哪儿", "旅行日记", "出行攻略"),
                        )
                    )
                )

    def _description(self, place: AnyPlace) -> str:
        """Return a description of the place in Chinese.

        If there is none, return a quotation in English or an empty string.
        """
        if description := self.words.about.get(place.name):
            return description
        match place:
            case Attraction() if place.introduction and self.rng.random() < 0.5:
                return f"英文简介：{place.introduction}"
            case Poi() if place.about:
                return f"英文简介：{place.about}"
            case _:
                return ""

    def _add_nearby(self, place: AnyPlace) -> None:
        near = self.writer._landmarks.nearest(place, 2) if place.city in self.words.base.cities else ()
        if near and self.rng.random() < 0.6:
            places = "、".join(f"{self.words.both_names(name)}（约{_distance_text(metres)}）" for name, metres in near)
            self.draft.add_paragraph(f"附近还有{places}。")

    def _filler_of(self, place: AnyPlace) -> Sequence[str]:
        match place:
            case Hotel():
                return (*filler.HOTEL, *filler.PORTAL[:4])
            case Restaurant():
                return filler.DINING
            case Poi():
                return filler.TOWN
            case _:
                return filler.PORTAL

    # ------------------------------------------------------------------ facts

    def _add_facts(self, place: AnyPlace, claims: Claims, *, with_headings: bool, prefix: str = "") -> None:
        """Add the facts: as paragraphs under headings, or as lines of one paragraph, each beginning with `prefix`."""
        lines = self._fact_lines(place, claims)
        if with_headings:
            for head, text in lines:
                self.draft.add_paragraph(f"【{head}】\n{text}")
        elif lines:
            self.draft.add_paragraph("\n".join(f"{prefix}{head}：{text}" for head, text in lines))

    def _fact_lines(self, place: AnyPlace, claims: Claims) -> list[tuple[str, str]]:
        """Return the facts as pairs of heading and text, in the order of the claims."""
        lines: dict[str, str] = {}
        currency, rng = self.draft.currency, self.rng
        for field, value in claims.items():
            match field:
                case "ticket":
                    lines["门票"] = "免费" if value == "0" else f"{price_text(value, currency, rng)}/人"
                case "opens" | "closes":
                    lines["开放时间" if isinstance(place, Attraction) else "营业时间"] = _hours_text(claims)
                case "closed_on":
                    lines["闭馆日"] = closing_days_text(value)
                case "visit":
                    lines["建议游玩时间"] = duration_text(value, rng)
                case "address":
                    lines["地址"] = value
                case "price":
                    lines["人均"] = price_text(value, currency, rng)
                case "cuisine":
                    lines["菜系"] = self.words.cuisine_name(value)
                case "dishes":
                    lines["招牌菜"] = "、".join(map(self.words.both_names, value.split("|"))) if value else "每日特选"
                case _:
                    pass
        lines |= self._room_lines(place, claims)
        if isinstance(place, Poi):
            lines.setdefault("类别", POI_KINDS.get(place.kind, place.kind.replace("_", " ")))
        return list(lines.items())

    def _room_lines(self, place: AnyPlace, claims: Claims) -> dict[str, str]:
        rooms = {}
        sleeps = {room.kind: room.sleeps for room in place.rooms} if isinstance(place, Hotel) else {}
        for kind in dict.fromkeys(field.partition(":")[2] for field in claims if ":" in field):
            price, morning = claims.get(f"room:{kind}"), claims.get(f"breakfast:{kind}")
            parts = [f"可住{sleeps[kind]}人"] if kind in sleeps else []
            parts += [f"{price_text(price, self.draft.currency, self.rng)}/晚"] if price is not None else []
            parts += ["含早餐" if morning == "true" else "不含早餐"] if morning is not None else []
            rooms[f"{ROOMS.get(kind, '')}（{kind}）" if kind in ROOMS else kind] = "，".join(parts)
        return rooms

    def _fact_sentences(self, place: AnyPlace, claims: Claims) -> list[str]:
        """Return the facts as sentences in spoken Chinese."""
        currency, rng, sentences = self.draft.currency, self.rng, []
        for field, value in claims.items():
            match field:
                case "ticket" if value == "0":
                    sentences.append(self.pick("最开心的是不要门票，免费进！", "门票免费。", "不用买票，直接进。"))
                case "ticket":
                    price = price_text(value, currency, rng)
                    sentences.append(self.pick(f"门票{price}一位。", f"买票花了{price}一个人。", f"票价是{price}。"))
                case "opens":
                    sentences.append(self._opening_sentence(claims))
                case "closes" if "opens" not in claims:
                    sentences.append(f"{spoken_time(value, rng)}关门。")
                case "closed_on":
                    sentences.append(f"{closing_days_text(value)}，别跑空。" if value else "每天开放，没有固定闭馆日。")
                case "visit":
                    sentences.append(
                        self.pick(
                            f"建议留出{duration_text(value, rng)}。",
                            f"慢慢逛大概要{duration_text(value, rng)}。",
                        )
                    )
                case "address":
                    sentences.append(self.pick(f"导航搜{value}就能到。", f"地址是{value}。"))
                case "price":
                    price = price_text(value, currency, rng)
                    sentences.append(self.pick(f"人均{price}。", f"一个人差不多{price}。"))
                case "cuisine":
                    sentences.append(f"主打{self.words.cuisine_name(value)}。")
                case "dishes":
                    sentences.append(
                        f"必点{'、'.join(map(self.words.both_names, value.split('|')))}。"
                        if value
                        else "菜单每天都换。"
                    )
                case _:
                    pass
        sentences += [f"{room}{description}。" for room, description in self._room_lines(place, claims).items()]
        return sentences

    def _opening_sentence(self, claims: Claims) -> str:
        if "closes" not in claims:
            return f"{spoken_time(claims['opens'], self.rng)}开门。"
        if (claims["opens"], claims["closes"]) == ("00:00", "24:00"):
            return "全天24小时开放。"
        opens, closes = spoken_time(claims["opens"], self.rng), spoken_time(claims["closes"], self.rng)
        return self.pick(f"{opens}开门，{closes}关门。", f"开放时间是{opens}到{closes}。")

    # ------------------------------------------------------------------ several

    def write_listing(self, claims_by_subject: Mapping[tuple[str, str], Claims]) -> None:
        """Write a page that lists several places."""
        draft, city = self.draft, self.city()
        places = [self.writer._places[subject] for subject in claims_by_subject]
        first = places[0]
        what, fill = {
            Hotel: ("酒店", (*filler.HOTEL, *filler.PORTAL)),
            Restaurant: ("餐厅", filler.DINING),
            Poi: ("地点", filler.TOWN),
        }.get(type(first), ("景点", filler.PORTAL))
        draft.title = self.pick(
            f"{city}{what}大全：{self.words.both_names(first.name)}等{len(places)}家",
            f"{city}{what}推荐｜从{self.words.both_names(first.name)}到{self.words.both_names(places[-1].name)}",
            f"{city}这{len(places)}个{what}值得收藏（{first.name}等）",
        )
        draft.add_paragraph(
            self.pick(
                f"本页整理了{city}的{len(places)}个{what}，方便对照。",
                f"来{city}之前，先把这份{what}清单存好。",
                f"{city}{what}名录，按页分列。",
            )
        )
        table = self.rng.random() < 0.4
        for number, (place, claims) in enumerate(zip(places, claims_by_subject.values(), strict=True), 1):
            lines = self._fact_lines(place, claims)
            name = self.words.both_names(place.name)
            about = self._description(place)
            if table:
                draft.add_paragraph(
                    f"{number}｜{name}｜"
                    + "｜".join(f"{head}：{text}" for head, text in lines)
                    + (f"｜{about}" if about else "")
                )
            else:
                draft.add_paragraph(
                    "\n".join(
                        [
                            f"{number}. {name}",
                            *([about] if about else []),
                            *(f"  {head}：{text}" for head, text in lines),
                        ]
                    )
                )
        self._fill(fill, 2, 4)

    def write_timetable(self, claims_by_subject: Mapping[tuple[str, str], Claims]) -> None:
        """Write a timetable of the trains or flights in one direction or from one station."""
        draft, rng = self.draft, self.rng
        services = [self.writer._services[subject] for subject in claims_by_subject]
        first, last = services[0], services[-1]
        train = first.vehicle == "train"
        what = "高铁动车" if train else "航班"
        day = long_date(first.date)
        start = self.words.both_names(first.origin_city)
        ends = {service.to_city for service in services}
        stations = {service.origin for service in services}
        if len(ends) == 1:
            way = f"{start}到{self.words.both_names(first.to_city)}"
        else:
            way = f"{self.words.both_names(first.origin) if len(stations) == 1 else start}出发"
        draft.title = self.pick(
            f"{way}{what}时刻表 {day}",
            f"{day}{way}{what}时刻及票价",
            f"{way}{what}查询（{first.depart // 60:02}:{first.depart % 60:02}起）{day}",
        )
        draft.add_paragraph(
            self.pick(
                f"以下为{day}{way}的{what}，共{len(services)}趟。",
                f"{way}，{day}，{what}信息如下。",
                f"查询日期：{day}　线路：{way}",
            )
        )
        style = rng.randrange(3)
        lines = []
        for service, claims in zip(services, claims_by_subject.values(), strict=True):
            fare = price_text(claims["price"], draft.currency, rng)
            origin, to = self.words.both_names(claims["origin"]), self.words.both_names(claims["to"])
            depart, arrive = claims["depart"], claims["arrive"]
            match style:
                case 0:
                    lines.append(f"{service.number}　{origin} {depart} → {to} {arrive}　{fare}")
                case 1:
                    word = "次列车" if train else "次航班"
                    lines.append(
                        f"{service.number}{word}{depart}从{origin}{'发车' if train else '起飞'}，{arrive}到达{to}，票价{fare}。"
                    )
                case _:
                    lines.append(f"{depart}-{arrive}｜{service.number}｜{origin}—{to}｜{fare}")
        draft.add_paragraph("\n".join(lines))
        if len(services) > 1:
            draft.add_paragraph(
                f"首班{claims_by_subject[next(iter(claims_by_subject))]['depart']}，末班{claims_by_subject[next(reversed(list(claims_by_subject)))]['depart']}。"
                if first.depart <= last.depart
                else ""
            )
        self._fill(filler.RAIL if train else filler.AIR, 2, 4)

    def write_guide(self, claims_by_subject: Mapping[tuple[str, str], Claims]) -> None:
        """Write an itinerary by a traveller."""
        draft, city = self.draft, self.city()
        places = [(self.writer._places[subject], claims) for subject, claims in claims_by_subject.items()]
        beds = [place for place, _ in places if isinstance(place, Hotel)]
        stops = [(place, claims) for place, claims in places if not isinstance(place, Hotel)]
        days = max(1, min(4, round(len(stops) / 3)))
        with_headings = [self.words.both_names(place.name) for place, _ in stops[:2]]
        draft.title = self.pick(
            f"{city}{days}天{max(0, days - 1)}晚不踩雷路线｜{with_headings[0] if with_headings else city}",
            f"第一次来{city}看这篇就够了：{'、'.join(with_headings)}",
            f"{city}旅游攻略（{days}日）附吃住",
        )
        likes = self.rng.randint(101, 9800)
        draft.add_paragraph(
            f"👍 {likes}　发布于{draft.published.year}年{draft.published.month}月{draft.published.day}日"
        )
        self.add_paragraph(
            self.pick(
                f"好多朋友问我{city}怎么玩，干脆写下来。",
                f"刚从{city}回来，趁热整理一份攻略。",
                "这条路线我们一家走过，老人小孩都不累。",
            ),
            *(f"住在{self.words.both_names(bed.name)}。" for bed in beds),
        )
        size = -(-len(stops) // days)
        for day in range(days):
            part = stops[day * size : (day + 1) * size]
            if not part:
                continue
            mark = self.pick(f"📍Day{day + 1}", f"第{'一二三四'[day]}天", f"【D{day + 1}】")
            lines = []
            for place, claims in part:
                verb = "晚饭去" if isinstance(place, Restaurant) else self.pick("去", "逛", "打卡")
                lines.append(
                    f"{verb}{self.words.both_names(place.name)}。{''.join(self._fact_sentences(place, claims))}{self._description(place) if self.rng.random() < 0.3 else ''}"
                )
            draft.add_paragraph("\n".join([mark, *lines]))
        self._fill(filler.GUIDE, 3, 6)
        while len(draft.text()) < SHORTEST_GUIDE:
            draft.add_paragraph(_filler_sentence(filler.GUIDE, self.rng, draft.city, self.words))

    def write_comment(self, claims_by_subject: Mapping[tuple[str, str], Claims]) -> None:
        """Write a post in a forum."""
        draft, city = self.draft, self.city()
        place, claims = next((self.writer._places[subject], claims) for subject, claims in claims_by_subject.items())
        name = self.words.both_names(place.name)
        draft.title = self.pick(
            f"回复：最近有人去过{name}吗？",
            f"{name}点评",
            f"【{city}】{name}求反馈",
            f"{name}（{city}）用户评价",
        )
        self.add_paragraph(
            self.pick(
                f"上周刚去了{name}，来说说。",
                f"{name}，个人觉得可以去。",
                f"看到有人问{name}，简单说两句。",
                f"第二次去{name}了。",
            ),
            self.pick(
                "比照片好看。",
                "一般般，但不后悔。",
                "中午人多，下午就清静了。",
                "孩子给四星，大人给五星。",
                "本来没抱太大期望，结果挺惊喜。",
            ),
        )
        self.add_paragraph(*self._fact_sentences(place, claims))
        self._fill(filler.FORUM, 2, 5)

    # ------------------------------------------------------------------ filler

    def _fill(self, sentences: Sequence[str], min_count: int, max_count: int) -> None:
        add_filler(self.draft, self.rng, sentences, self.city(), min_count, max_count)


def _hours_text(claims: Claims) -> str:
    opens, closes = claims.get("opens"), claims.get("closes")
    if (opens, closes) == ("00:00", "24:00"):
        return "全天24小时"
    if opens is None or closes is None:
        return f"{opens}起" if opens is not None else f"至{closes}"
    return f"{opens}-{closes}"


def _distance_text(metres: int) -> str:
    return f"{metres}米" if metres < 1000 else f"{metres / 1000:.1f}公里"


def _filler_sentence(sentences: Sequence[str], rng: random.Random, city: str, words: ChineseWords) -> str:
    return rng.choice(sentences).replace("{city}", words.chinese_name(city))
