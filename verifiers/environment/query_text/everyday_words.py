"""Other words with which people name members of enums: ways to get about, and rooms."""

from __future__ import annotations

from collections.abc import Iterator

from planspec.verifiers.environment.query_text.names import folded, occurs

FLY = ("fly", "flight", "plane", "airplane", "by air", "fliegen", "flug", "飞机", "航班", "飛行機")
RAIL = ("rail", "railway", "train", "bahn", "zug", "火车", "高铁", "列车", "電車", "新幹線")
DRIVE = ("drive", "driving", "car", "auto", "自驾", "驾车", "开车", "車で")
WALK = ("walk", "walking", "foot", "zu fuß", "步行", "走路", "徒歩")
CYCLE = ("bike", "bicycle", "cycle", "cycling", "fahrrad", "rad", "骑行", "骑车", "自転車")
PUBLIC = ("public", "bus", "metro", "subway", "tram", "öffis", "公共交通", "公交", "地铁")
WORDS = {
    "airplane": FLY, "plane": FLY, "flight": FLY, "train": RAIL, "rail": RAIL, "drive": DRIVE, "car": DRIVE,
    "driving": DRIVE, "self_driving": DRIVE, "walk": WALK, "foot": WALK, "on_foot": WALK, "cycle": CYCLE, "bike": CYCLE,
    "bicycle": CYCLE, "public": PUBLIC, "transit": PUBLIC, "public_transport": PUBLIC, "taxi": ("cab", "出租车", "打车"),
    "bus": ("公交", "バス"), "entire_room": ("whole", "entire"),
}  # fmt: skip
GENERIC = frozenset({"room", "rooms", "kind", "type", "mode", "food", "menu"})
"""Words of members that do not tell one from another."""
LEAST = 4
"""Least number of letters of a word of a member that states the member alone."""


def is_named(member: str, text: str) -> bool:
    """Return whether a folded text names an enum member: by itself, one of its words, or an everyday word."""
    return occurs(member, text) or any(occurs(word, text) for word in _words(member))


def everyday_words(member: str) -> tuple[str, ...]:
    """Return the other words for an enum member, without its own."""
    return WORDS.get(member, ())


def _words(member: str) -> Iterator[str]:
    yield from everyday_words(member)
    parts = folded(member).split()
    if len(parts) > 1:
        yield from (part for part in parts if len(part) >= LEAST and part not in GENERIC)
