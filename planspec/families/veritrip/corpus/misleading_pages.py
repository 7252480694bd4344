"""Pages that are wrong about attractions, notices that correct some of them, and harmless replacements.

Misleading pages are older than the pages that state every fact. If a page invents a place or moves one to
another city, a notice of the tourist office corrects it. A clean corpus has the replacements instead.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import date
from typing import Literal, TypeAlias

from planspec.dsl.resources.english_words import WEEKDAYS
from planspec.families.veritrip.corpus.attraction_pages import with_full_stop
from planspec.families.veritrip.corpus.comments import draw_wrong_price
from planspec.families.veritrip.corpus.draft import DocumentDraft
from planspec.families.veritrip.corpus.filler import BLOG, FORUM, NOTICE, RANT
from planspec.families.veritrip.corpus.surface import (
    date_phrase,
    duration_phrase,
    format_time,
    price_phrase,
    spoken_time,
)
from planspec.families.veritrip.facts import Attraction, FactBase

MisledPart: TypeAlias = Literal["ticket", "hours", "closed_on", "visit", "existence"]
"""Groups of facts. A misleading page is wrong about the facts of one or more groups."""

FIELDS: dict[MisledPart, tuple[str, ...]] = {
    "ticket": ("ticket",),
    "hours": ("opens", "closes"),
    "closed_on": ("closed_on",),
    "visit": ("visit",),
    "existence": ("existence",),
}
"""Fields of `Statement` in each group of facts."""

PLACES_PER_NOTICE = 4

_OWNERS = {
    "Jade Lantern": "玉灯笼",
    "Golden Carousel": "金旋马",
    "Silver Heron": "银鹭",
    "Blue Comet": "蓝彗星",
    "Paper Moon": "纸月亮",
    "Grand Orchid": "大兰花",
    "Red Kite": "红鸢",
    "Crystal Fountain": "水晶泉",
    "Old Compass": "老罗盘",
    "Velvet Curtain": "天鹅绒",
    "Copper Bell": "铜铃",
    "Cloud Ladder": "云梯",
}
_GROUNDS = {
    "Water Park": "水上乐园",
    "Wax Museum": "蜡像馆",
    "Pleasure Garden": "游乐园",
    "Clock Museum": "钟表博物馆",
    "Indoor Ski Hall": "室内滑雪场",
    "Puppet Theatre": "木偶剧场",
    "Dinosaur World": "恐龙世界",
    "Cable Car": "索道",
    "Mirror Maze": "镜子迷宫",
    "Aquarium": "水族馆",
    "Toy Museum": "玩具博物馆",
    "Observation Wheel": "摩天轮",
}
CHINESE_NAMES = {
    f"{owner} {ground}": f"{their}{name}" for owner, their in _OWNERS.items() for ground, name in _GROUNDS.items()
}
"""Chinese names of places that do not exist, by English name."""


def invent_places(base: FactBase, seed: int) -> list[tuple[str, str]]:
    """Return names and cities of places that do not exist, in a random order."""
    existing_names = {place.name.lower() for place in base.places}
    cities = list(dict.fromkeys(sight.city for sight in base.attractions))
    names = [
        (f"{owner} {ground}", cities[(number + shift) % len(cities)])
        for number, owner in enumerate(_OWNERS if cities else {})
        for shift, ground in enumerate(_GROUNDS)
        if f"{owner} {ground}".lower() not in existing_names
    ]
    random.Random(f"{seed}|vanished").shuffle(names)
    return names


def misplace_sights(base: FactBase, seed: int) -> list[tuple[Attraction, str]]:
    """Return attractions in a random order, each with a wrong city that has no place of this name."""
    cities = list(dict.fromkeys(sight.city for sight in base.attractions))
    existing_places = {(place.name.lower(), place.city) for place in base.places}
    pairs = [
        (sight, city)
        for sight in base.attractions
        for city in cities
        if (sight.name.lower(), city) not in existing_places
        # A name that contains its city would reveal the mistake.
        and not any(other.lower() in sight.name.lower() for other in cities)
    ]
    random.Random(f"{seed}|moved").shuffle(pairs)
    return pairs


def write_outdated_page(draft: DocumentDraft, sight: Attraction, parts: Sequence[MisledPart]) -> None:
    """Write a page that states old prices and hours as if they were current."""
    draft.add_claim(sight.name, sight.city, "existence", "true")
    draft.origin = draft.pick(("booking portal", "personal blog", "city guide", "forum"))
    draft.publish_between(date(2019, 1, 1), date(2025, 2, 20))
    year = min(draft.published.year, draft.pick((2016, 2017, 2018, 2019, 2019, 2021)))
    draft.title = draft.pick(
        (
            f"{sight.name}: prices and hours",
            f"All about {sight.name} in {sight.city}",
            f"{sight.name}, {sight.city} - visitor facts",
            f"{sight.name} on a budget",
        )
    )
    draft.add_paragraph(
        draft.pick(
            (
                f"Everything you need for {sight.name}, collected for you.",
                f"Our notes on {sight.name} in {sight.city}.",
                f"{sight.name} is a classic of {sight.city}.",
            )
        ),
        with_full_stop(sight.introduction),
    )
    sentences = [_wrong_sentence(draft, sight, part) for part in parts]
    draft.add_paragraph(
        draft.pick((f"As of {year}:", f"Status {year}:", f"From our visit in {year}:", f"Details ({year}):")),
        *sentences,
    )
    draft.fill(FORUM + BLOG[:5], max(64, draft.words() + 20))


def write_exaggeration(draft: DocumentDraft, sight: Attraction, part: MisledPart) -> None:
    """Write an enthusiastic or an angry page that is wrong about one group of facts."""
    draft.add_claim(sight.name, sight.city, "existence", "true")
    draft.origin = draft.pick(("personal blog", "forum", "review"))
    draft.publish_between(date(2022, 1, 1), date(2025, 2, 20))
    is_praise = part == "visit" and draft.rng.random() < 0.5
    draft.title = draft.pick(
        (f"{sight.name} changed my life", f"{sight.name}: simply the best", f"Why I live for {sight.name}")
        if is_praise
        else (f"{sight.name}: never again", f"The truth about {sight.name}", f"{sight.name} is overrated")
    )
    draft.add_paragraph(
        draft.pick(
            (
                f"{sight.name} is the greatest thing in {sight.city}, in the country, in the world.",
                f"I cried when I had to leave {sight.name}, and I am not ashamed.",
            )
            if is_praise
            else (
                f"I do not understand what people see in {sight.name}.",
                f"Tourist trap, that is all I can say about {sight.name} in {sight.city}.",
            )
        ),
        _wrong_sentence(draft, sight, part, is_praise),
    )
    draft.fill(BLOG if is_praise else RANT, 72)


def write_rumour(draft: DocumentDraft, sight: Attraction) -> None:
    """Write a page that falsely claims that an attraction is closed for good."""
    draft.add_claim(sight.name, sight.city, "existence", "false", False)
    draft.origin = draft.pick(("forum", "personal blog", "travel community"))
    draft.publish_between(date(2020, 3, 1), date(2024, 12, 20))
    draft.title = draft.pick(
        (
            f"{sight.name} is gone",
            f"Do not bother with {sight.name}",
            f"{sight.name} in {sight.city} has closed",
        )
    )
    draft.add_paragraph(
        draft.pick(
            (
                f"Bad news for everybody with {sight.name} in the plan: it has closed for good.",
                f"We stood before locked gates. {sight.name} has shut down, and nobody expects that it opens again.",
                f"A driver told us that {sight.name} does not exist any more, and we turned round.",
            )
        ),
        f"A pity, {sight.city} is poorer without it.",
    )
    draft.fill(FORUM, 68)


def write_misplaced_page(draft: DocumentDraft, sight: Attraction, city: str) -> None:
    """Write a page that places an attraction in a wrong city."""
    draft.city = city
    draft.add_claim(sight.name, city, "existence", "true", False)
    draft.origin = draft.pick(("personal blog", "city guide", "travel community"))
    draft.publish_between(date(2021, 1, 1), date(2025, 2, 20))
    draft.title = draft.pick(
        (
            f"{sight.name}, the heart of {city}",
            f"{city}: an afternoon at {sight.name}",
            f"Must see in {city}: {sight.name}",
        )
    )
    draft.add_paragraph(
        draft.pick(
            (
                f"No trip to {city} without {sight.name}!",
                f"On our last day in {city} we walked over to {sight.name}.",
                f"{sight.name} is what {city} is famous for.",
            )
        ),
        f"From a hotel in {city} it is a short ride, so it fits into any free afternoon.",
    )
    draft.fill(BLOG, 72)


def write_vanished_page(draft: DocumentDraft, name: str, city: str) -> None:
    """Write a page that recommends a place that no longer exists."""
    draft.city = city
    draft.add_claim(name, city, "existence", "true", False)
    draft.origin = draft.pick(("city guide", "personal blog", "review"))
    draft.publish_between(date(2016, 1, 1), date(2023, 12, 20))
    draft.title = draft.pick((f"{name}: fun for all ages", f"A day at {name}, {city}", f"{name} in {city}"))
    draft.add_paragraph(
        draft.pick(
            (
                f"{name} is the hidden treasure of {city}.",
                f"If you travel to {city} with children, {name} is the answer to every question.",
                f"We spent half a day at {name} and could have stayed longer.",
            )
        ),
        draft.pick(
            (
                "It is rarely crowded, and the tickets are cheap.",
                "The queue at the ticket booth is part of the fun.",
                "You can combine it with anything else in town.",
            )
        ),
    )
    draft.fill(BLOG, 72)


def write_vanished_notice(draft: DocumentDraft, names: Sequence[str], city: str) -> None:
    """Write the tourist office's list of places that closed for good."""
    for name in names:
        draft.add_claim(name, city, "existence", "false")
    draft.origin = "news notice"
    draft.publish_between(date(2025, 6, 1), date(2025, 10, 10))
    draft.title = draft.pick((f"Closed for good in {city}: {names[0]}", f"{city}: places that no longer exist"))
    draft.add_paragraph(
        f"{city.upper()}, {date_phrase(draft.published, draft.rng)} -",
        f"The tourist office of {city} reminds visitors that some places in older guides have closed for good.",
        "They cannot be visited, and nobody sells tickets for them:",
    )
    draft.add_line("\n".join(f"- {name}" for name in names))
    draft.fill(NOTICE, 64)


def write_misplaced_notice(draft: DocumentDraft, cases: Sequence[tuple[Attraction, str]], city: str) -> None:
    """Write the tourist office's list of sights that visitors look for in the wrong city."""
    draft.origin = "news notice"
    draft.publish_between(date(2025, 6, 1), date(2025, 10, 10))
    draft.title = draft.pick((f"Not in {city}: sights that are often mixed up", f"{city}: wrong city, right name"))
    draft.add_paragraph(
        f"{city.upper()}, {date_phrase(draft.published, draft.rng)} -",
        f"Every week guests ask the tourist office of {city} for sights that are somewhere else.",
        "A short list to save you the way:",
    )
    for sight, _ in cases:
        draft.add_claim(sight.name, city, "existence", "false")
        draft.add_claim(sight.name, sight.city, "existence", "true")
    draft.add_line("\n".join(f"- {sight.name} is in {sight.city}, not in {city}." for sight, _ in cases))
    draft.fill(NOTICE, 64)


def write_neutral_page(draft: DocumentDraft, sight: Attraction) -> None:
    """Write the replacement of a misleading page in a clean corpus: impressions without checkable facts."""
    draft.add_claim(sight.name, sight.city, "existence", "true")
    draft.origin = draft.pick(("personal blog", "travel community"))
    draft.publish_between(date(2022, 1, 1), date(2025, 2, 20))
    draft.title = draft.pick(
        (f"Impressions of {sight.name}", f"{sight.name} in pictures", f"A walk in {sight.city}: {sight.name}")
    )
    draft.add_paragraph(f"Some impressions of {sight.name} in {sight.city}.", with_full_stop(sight.introduction))
    draft.fill(BLOG, 76)


def _wrong_sentence(draft: DocumentDraft, sight: Attraction, part: MisledPart, is_praise: bool | None = None) -> str:
    match part:
        case "ticket":
            old = (
                draw_wrong_price(draft, sight.ticket)
                if is_praise is None
                else sight.ticket * 2 + draft.pick((5, 10, 20))
            )
            draft.add_claim(sight.name, sight.city, "ticket", old, False)
            price = price_phrase(old, draft.currency, draft.rng)
            return draft.pick(
                (f"The ticket costs {price}.", f"Entry is {price} per person.", f"You pay {price} to get in.")
            )
        case "hours":
            opens, closes = _draw_wrong_hours(draft, sight)
            draft.add_claim(sight.name, sight.city, "opens", format_time(opens), False)
            draft.add_claim(sight.name, sight.city, "closes", format_time(closes), False)
            first, last = spoken_time(opens, draft.rng), spoken_time(closes, draft.rng)
            return draft.pick((f"It is open from {first} to {last}.", f"It opens at {first} and closes at {last}."))
        case "closed_on":
            wrong = draft.pick([number for number in range(7) if number not in sight.closed_on] or [0])
            draft.add_claim(sight.name, sight.city, "closed_on", WEEKDAYS[wrong], False)
            return draft.pick(
                (f"It is closed on {WEEKDAYS[wrong]}s.", f"Do not come on {WEEKDAYS[wrong]}s, it is closed.")
            )
        case "visit":
            if is_praise:
                least, most = sight.most + 180, sight.most + 300
                sentence = (
                    f"Forget what others say, you need {duration_phrase(least, most, draft.rng)} here, nothing less."
                )
            else:
                least, most = (10, 15) if sight.least > 15 else (2, 3)
                sentence = (
                    f"You have seen it all in {duration_phrase(least, most, draft.rng)}, whatever they recommend."
                )
            draft.add_claim(sight.name, sight.city, "visit", f"{least}-{most}", False)
            return sentence
        case "existence":
            raise ValueError("a rumour has a page of its own")


def _draw_wrong_hours(draft: DocumentDraft, sight: Attraction) -> tuple[int, int]:
    """Draw a wrong opening time and a wrong closing time."""
    choices = [
        (opens, closes)
        for opens in (420, 450, 480, 510, 540, 570, 600, 660)
        for closes in (960, 990, 1020, 1050, 1080, 1140, 1200, 1260)
        if opens != sight.opens and closes != sight.closes
    ]
    near = [pair for pair in choices if abs(pair[0] - sight.opens) <= 90 and abs(pair[1] - sight.closes) <= 120]
    return draft.pick(near or choices)
