"""Invented names of places, in English and, for China, in Chinese.

No name is meant to be that of a real place.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import TypeAlias

Name: TypeAlias = tuple[str, str]
"""A name in English and in Chinese; the second is empty if there is none."""

# fmt: off
_FIRST: tuple[Name, ...] = (
    ("Qing", "清"), ("Yun", "云"), ("Cui", "翠"), ("Zhu", "竹"), ("Song", "松"), ("Mei", "梅"), ("Lan", "兰"), ("He", "荷"),
    ("Feng", "枫"), ("Bai", "白"), ("Bi", "碧"), ("Jin", "锦"), ("Yu", "玉"), ("Rui", "瑞"), ("Fu", "福"), ("An", "安"),
    ("Xing", "兴"), ("De", "德"), ("Ming", "明"), ("Hong", "鸿"), ("Xi", "溪"), ("Lin", "林"), ("Tao", "桃"), ("Liu", "柳"),
    ("Shuang", "双"), ("Long", "龙"), ("Que", "雀"), ("Yan", "雁"),
)
_SECOND: tuple[Name, ...] = (
    ("shan", "山"), ("he", "河"), ("hu", "湖"), ("yuan", "源"), ("xiang", "祥"), ("sheng", "盛"), ("tai", "泰"), ("yue", "月"),
    ("chun", "春"), ("ping", "坪"), ("quan", "泉"), ("tang", "塘"), ("qiao", "桥"), ("men", "门"), ("tian", "田"), ("gang", "岗"),
    ("wan", "湾"), ("pu", "浦"), ("xia", "霞"), ("hua", "华"), ("ting", "亭"), ("lai", "来"), ("kang", "康"), ("mao", "茂"),
    ("rong", "荣"), ("yang", "阳"),
)
_PEOPLE: tuple[str, ...] = (
    "Abernethy", "Aldermoor", "Ashcombe", "Barlow", "Beckwith", "Bellamy", "Birchfield", "Blackwood", "Bramwell", "Brightwater", "Brookline Hill", "Calloway",
    "Camden Row", "Carrington", "Castlebay", "Cedar Hollow", "Chadwick", "Claremont", "Coldbrook", "Copperfield", "Crestwood", "Danforth", "Deerpath", "Dunmore",
    "Eastbrook", "Edgefield", "Ellsworth", "Elmhurst", "Everdale", "Fairbourne", "Falconer", "Fernwood", "Fieldstone", "Foxglove", "Garrison", "Glenhaven",
    "Goldfinch", "Graystone", "Greenbriar", "Hadley", "Halloway", "Harborview", "Hartwell", "Hawthorne", "Hazelton", "Heatherton", "Hollis", "Huxley",
    "Ironbridge", "Ivybrook", "Juniper", "Kendrick", "Kingsley", "Lakemont", "Larkspur", "Laurelton", "Lexford", "Lindenwood", "Lockhart", "Longmeadow",
    "Lynwood", "Maplecrest", "Marlow", "Mayfair Hill", "Meadowlark", "Merriweather", "Millbrook", "Montclaire", "Moorland", "Northgate", "Oakhurst", "Old Orchard",
    "Osprey", "Palmerston", "Pembroke", "Pinecrest", "Prescott", "Quarry Hill", "Quincy Row", "Ravenswood", "Redfern", "Ridgeway", "Riverbend", "Rockport Lane",
    "Rosedale", "Rowan", "Sandpiper", "Saxonfield", "Sherbourne", "Silverlake Row", "Southwick", "Springwell", "Stanhope", "Starling", "Stonebridge", "Sumner",
    "Sycamore", "Talbot", "Tamarack", "Thornbury", "Timberlake", "Tidewater", "Trelawney", "Underhill", "Upland", "Valebrook", "Vanderlyn", "Wakefield",
    "Walnut Grove", "Waverly", "Wellesford", "Westmere", "Whitcombe", "Whitestone", "Wildwood", "Willowby", "Winslow", "Wolcott", "Woodbine", "Wyndham Hill",
    "Yarrow", "Yorkfield", "Zephyr", "Ashgrove", "Bayberry", "Canterfield", "Dovecote", "Elderberry", "Fallbrook", "Gatewood", "Highmoor", "Inverlea",
    "Jasperton", "Kestrel", "Lowell Row", "Mistral", "Newhaven Row", "Overbrook", "Plumfield", "Queensbury", "Rushmere", "Saltmarsh", "Thistledown", "Umberland",
    "Vinewood", "Windermere Row", "Aspen Court", "Briarcliff", "Clearwater", "Driftwood", "Emberly", "Flint Hill", "Granger", "Hollyhock", "Indigo", "Kingfisher",
)
_ADJECTIVES: tuple[str, ...] = (
    "Amber", "Blue", "Brass", "Bright", "Broken", "Copper", "Crooked", "Dusty", "Early", "Electric", "Faded", "Flying", "Gentle", "Golden", "Green", "Hidden",
    "Hungry", "Idle", "Iron", "Jolly", "Little", "Lonely", "Lucky", "Merry", "Midnight", "Noble", "Olive", "Painted", "Plain", "Purple", "Quiet", "Red",
    "Rusty", "Salty", "Scarlet", "Silver", "Sleepy", "Smoky", "Sunny", "Velvet", "Wandering", "Wooden",
)
_NOUNS: tuple[str, ...] = (
    "Anchor", "Apron", "Barrel", "Basil", "Bell", "Bicycle", "Bottle", "Buoy", "Candle", "Carrot", "Cat", "Clover", "Crane", "Crumb", "Cup", "Door",
    "Dumpling", "Fiddle", "Fig", "Fork", "Fox", "Goose", "Griddle", "Hearth", "Heron", "Kettle", "Ladle", "Lantern", "Lemon", "Lighthouse", "Mill", "Moon",
    "Oar", "Onion", "Oven", "Pear", "Pepper", "Pier", "Plum", "Pot", "Rabbit", "Radish", "Rooster", "Skillet", "Spoon", "Table", "Thistle", "Tomato", "Whale", "Wharf",
)
# fmt: on


def chinese_names() -> list[Name]:
    """Return two-syllable names such as `Qingshan`, each paired with its Chinese characters.

    No two names have the same spelling.
    """
    words: dict[str, str] = {}
    for first, one in _FIRST:
        for second, other in _SECOND:
            if one != other and first.lower() != second:
                words.setdefault(first + second, one + other)
    return list(words.items())


def english_names() -> list[Name]:
    """Return family and estate names, each paired with an empty Chinese name."""
    return [(name, "") for name in _PEOPLE]


def inn_names(random: Random) -> list[Name]:
    """Return names in the style of old inns, such as `The Copper Kettle`, in a random order."""
    names = [(f"The {a} {n}", "") for a in _ADJECTIVES for n in _NOUNS]
    random.shuffle(names)
    return names


def combine_names(words: Sequence[Name], kinds: Sequence[Name], random: Random) -> Iterator[tuple[Name, int]]:
    """Yield each combination of a word and a kind, in a random order.

    Yields:
        Name and index of the kind.
    """
    pairs = [(word, kind) for word in words for kind in range(len(kinds))]
    random.shuffle(pairs)
    for (english, chinese), kind in pairs:
        english_kind, chinese_kind = kinds[kind]
        yield (_join_words(english, english_kind), f"{chinese}{chinese_kind}" if chinese else ""), kind


def _join_words(word: str, kind: str) -> str:
    return f"{word}{kind}" if kind.startswith("'") else f"{word} {kind}".strip()
