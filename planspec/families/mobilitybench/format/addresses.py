"""Addresses as agents write them -> the right address that is meant.

An address is taken apart at its commas, or in Chinese and Japanese at the ends of its districts. What is said has to be made
of the same parts: the last one, which is the street with its number, and of the city and the district one at least.
Whatever else it says, such as another number, makes it another address.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache

from planspec.verifiers.answers.names import folded

_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_PART = re.compile(r"[東东]京都|.*?(?:特别行政区|自治区|自治州|街道|省|市|区|區|县|旗|镇|乡|府|県)")
_LOCAL = re.compile(r"(?:自治州|地区|市|区|區|县|旗|都)$")
_ENDS = re.compile(r"(?:特别行政区|自治区|自治州|省|市|区|區|县|镇|乡)$")
_STREET = re.compile(r"路|街|道|巷|胡同|弄|通り|通|線|线|里|大道|高速")
_COUNTRY = ("中国", "中华人民共和国", "日本")
_NEAR = ("附近", "处", "旁")
_WORD = re.compile(r"[^\W_]+")
_SHORT = {
    "st": "street", "str": "strasse", "straße": "strasse", "rd": "road", "ave": "avenue", "av": "avenue", "blvd": "boulevard",
    "ln": "lane", "pl": "place", "ct": "court", "dr": "drive", "ter": "terrace", "hwy": "highway", "expy": "expressway",
    "n": "north", "s": "south", "e": "east", "w": "west",
}  # fmt: skip
_NOISE = frozenset(
    {
        "the",
        "at",
        "in",
        "on",
        "near",
        "no",
        "number",
        "usa",
        "us",
        "uk",
        "germany",
        "deutschland",
        "canada",
        "australia",
    }
    | {"united", "states", "of", "america", "kingdom", "singapore", "japan", "china"}
)


def meant_address(said: str, right: Iterable[str]) -> str | None:
    """The right address that a text stands for; None if there is none."""
    every = tuple(right)
    text = said.strip()
    if text in every:
        return text
    plain = folded(text)
    same = next((one for one in every if folded(one) == plain and _figures(one) == _figures(text)), None)
    return same if same is not None else next((one for one in every if stands_for(text, one)), None)


def stands_for(said: str, right: str) -> bool:
    """A text tells the same address as another one, with less around its street or in other words."""
    if _WIDE.search(right):
        return _wide(said, right)
    return _words_stand_for(words(said), parts_of(right))


# ------------------------------------------------------------------ in Chinese and Japanese


def _wide(said: str, right: str) -> bool:
    parts = wide_parts(right)
    if len(parts) < 2:
        return False
    text = _tight(said)
    for country in _COUNTRY:
        text = text.removeprefix(country)
    for near in _NEAR:
        text = text.removesuffix(near)
    return any(_consumed(text, parts, 0, ends, False) for ends in (True, False))


def _consumed(text: str, parts: Sequence[str], at: int, ends: bool, local: bool) -> bool:
    """The text is made of some of the parts in their order, with the last one, and of a city or district.

    Args:
        text: what is left of it.
        parts: of the right address.
        at: how many of them are done.
        ends: a part may lack its last word, as in `武汉` for `武汉市`.
        local: a city or district has been said.
    """
    part = parts[at]
    if at == len(parts) - 1:
        return local and text in (part, part.removesuffix("号").removesuffix("番"))
    forms = [part]
    bare = _ENDS.sub("", part)
    if ends and len(bare) > 1:
        forms.append(bare)
    told = local or _LOCAL.search(part) is not None
    if any(
        text.startswith(form) and _consumed(text[len(form) :], parts, at + 1, ends, told) for form in forms
    ):
        return True
    return _consumed(text, parts, at + 1, ends, local)


@lru_cache(maxsize=256)
def wide_parts(right: str) -> tuple[str, ...]:
    """The parts of an address without blanks, from the province to the street with its number."""
    text = _tight(right)
    parts: list[str] = []
    at = 0
    for found in _PART.finditer(text):
        # what has a street or a number in it, or is a last word alone, begins the street's part
        street = _STREET.search(found[0].removesuffix("街道")) is not None
        if street or len(found[0]) == 1 or any(c.isdecimal() for c in found[0]):
            break
        parts.append(found[0])
        at = found.end()
    return (*parts, text[at:]) if text[at:] else tuple(parts)


def _tight(said: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKC", said).casefold() if c.isalnum() or c == "-")


def _figures(said: str) -> list[str]:
    return re.findall(r"\d+", unicodedata.normalize("NFKC", said))


# ------------------------------------------------------------------ in Latin letters


def words(text: str) -> tuple[str, ...]:
    """The words of an address without accents and case, and with what is cut short in full."""
    plain = (
        unicodedata.normalize("NFKC", text).casefold().replace("'", "").replace("’", "").replace("ß", "ss")
    )
    return tuple(folded(_SHORT.get(word, word)) for word in _WORD.findall(plain))


@lru_cache(maxsize=256)
def parts_of(right: str) -> tuple[tuple[str, ...], ...]:
    """The words of each part between commas."""
    return tuple(part for part in map(words, right.split(",")) if part)


def _words_stand_for(said: Sequence[str], parts: Sequence[Sequence[str]]) -> bool:
    if len(parts) < 2:
        return False
    known = {word for part in parts for word in part}
    if any(word not in known and word not in _NOISE for word in said):
        return False
    door = parts[0]
    number = [word for word in door if word.isdecimal()]
    street = [word for word in door if not word.isdecimal()]
    if any(said.count(word) != 1 for word in number) or not _stands(street, said):
        return False
    # the province or state, which stands last of four, tells no town
    towns = parts[1:3] if len(parts) > 2 else parts[1:]
    return any(_stands(town, said) for town in towns)


def _stands(phrase: Sequence[str], text: Sequence[str]) -> bool:
    """The words stand in the text, one after the other."""
    size = len(phrase)
    return any(tuple(text[at : at + size]) == tuple(phrase) for at in range(len(text) - size + 1))
