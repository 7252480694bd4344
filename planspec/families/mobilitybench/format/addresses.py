"""Matching of addresses in answers with the right addresses.

An address is split into parts: at commas or, in Chinese and Japanese, after the names of provinces, cities and
districts. A string matches an address if it consists only of such parts. They must include the street with its number,
and the city or the district. A string with anything else, such as another number, does not match.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache

from planspec.verifiers.answers.names import folded_name

_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_PART = re.compile(r"[東东]京都|.*?(?:特别行政区|自治区|自治州|街道|省|市|区|區|县|旗|镇|乡|府|県)")
_LOCAL = re.compile(r"(?:自治州|地区|市|区|區|县|旗|都)$")
_ENDS = re.compile(r"(?:特别行政区|自治区|自治州|省|市|区|區|县|镇|乡)$")
_STREET = re.compile(r"路|街|道|巷|胡同|弄|通り|通|線|线|里|大道|高速")
_COUNTRY = ("中国", "中华人民共和国", "日本")
_NEAR = ("附近", "处", "旁")
_WORD = re.compile(r"[^\W_]+")
_SHORT = {
    "st": "street",
    "str": "strasse",
    "straße": "strasse",
    "rd": "road",
    "ave": "avenue",
    "av": "avenue",
    "blvd": "boulevard",
    "ln": "lane",
    "pl": "place",
    "ct": "court",
    "dr": "drive",
    "ter": "terrace",
    "hwy": "highway",
    "expy": "expressway",
    "n": "north",
    "s": "south",
    "e": "east",
    "w": "west",
}
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


def match_address(text: str, right_addresses: Iterable[str]) -> str | None:
    """Return the first right address that a string matches, or None if it matches none."""
    candidates = tuple(right_addresses)
    stripped = text.strip()
    if stripped in candidates:
        return stripped
    plain = folded_name(stripped)
    match = next(
        (
            candidate
            for candidate in candidates
            if folded_name(candidate) == plain and _digit_runs(candidate) == _digit_runs(stripped)
        ),
        None,
    )
    return (
        match
        if match is not None
        else next((candidate for candidate in candidates if stands_for(stripped, candidate)), None)
    )


def stands_for(text: str, address: str) -> bool:
    """Return whether a string names an address, possibly with abbreviations or without some parts."""
    if _WIDE.search(address):
        return _cjk_text_stands_for(text, address)
    return _words_stand_for(address_words(text), address_parts(address))


# ------------------------------------------------------------------ Chinese and Japanese


def _cjk_text_stands_for(text: str, address: str) -> bool:
    parts = cjk_parts(address)
    if len(parts) < 2:
        return False
    rest = _letters_and_digits(text)
    for country in _COUNTRY:
        rest = rest.removeprefix(country)
    for near in _NEAR:
        rest = rest.removesuffix(near)
    return any(_consists_of(rest, parts, 0, ends, False) for ends in (True, False))


def _consists_of(text: str, parts: Sequence[str], index: int, may_shorten: bool, has_local: bool) -> bool:
    """Return whether a text consists of parts of an address, in order, with the last part and a city or district.

    The function is recursive: `text` is what remains after the parts before `index`.

    Args:
        text: remaining text.
        parts: all parts of the address.
        index: index of the next part that the text may contain.
        may_shorten: whether the text may shorten parts, such as `武汉市` to `武汉`.
        has_local: whether a city or district has already been matched.
    """
    part = parts[index]
    if index == len(parts) - 1:
        return has_local and text in (part, part.removesuffix("号").removesuffix("番"))
    forms = [part]
    bare = _ENDS.sub("", part)
    if may_shorten and len(bare) > 1:
        forms.append(bare)
    is_local = has_local or _LOCAL.search(part) is not None
    if any(
        text.startswith(form) and _consists_of(text[len(form) :], parts, index + 1, may_shorten, is_local)
        for form in forms
    ):
        return True
    return _consists_of(text, parts, index + 1, may_shorten, has_local)


@lru_cache(maxsize=256)
def cjk_parts(address: str) -> tuple[str, ...]:
    """Split a Chinese or Japanese address into parts, from the province to the street with its number."""
    text = _letters_and_digits(address)
    parts: list[str] = []
    at = 0
    for match in _PART.finditer(text):
        # the last part begins at the first match with a street or a number, or at a single character
        street = _STREET.search(match[0].removesuffix("街道")) is not None
        if street or len(match[0]) == 1 or any(c.isdecimal() for c in match[0]):
            break
        parts.append(match[0])
        at = match.end()
    return (*parts, text[at:]) if text[at:] else tuple(parts)


def _letters_and_digits(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKC", text).casefold() if c.isalnum() or c == "-")


def _digit_runs(text: str) -> list[str]:
    return re.findall(r"\d+", unicodedata.normalize("NFKC", text))


# ------------------------------------------------------------------ Latin letters


def address_words(text: str) -> tuple[str, ...]:
    """Return the words of an address in folded case and with abbreviations expanded."""
    plain = unicodedata.normalize("NFKC", text).casefold().replace("'", "").replace("’", "").replace("ß", "ss")
    return tuple(folded_name(_SHORT.get(word, word)) for word in _WORD.findall(plain))


@lru_cache(maxsize=256)
def address_parts(address: str) -> tuple[tuple[str, ...], ...]:
    """Split an address at its commas and return the words of each part."""
    return tuple(part for part in map(address_words, address.split(",")) if part)


def _words_stand_for(words: Sequence[str], parts: Sequence[Sequence[str]]) -> bool:
    if len(parts) < 2:
        return False
    allowed = {word for part in parts for word in part}
    if any(word not in allowed and word not in _NOISE for word in words):
        return False
    door = parts[0]
    number = [word for word in door if word.isdecimal()]
    street = [word for word in door if not word.isdecimal()]
    if any(words.count(word) != 1 for word in number) or not _contains_phrase(street, words):
        return False
    # the province or state, which is the last of four parts, does not identify a town
    towns = parts[1:3] if len(parts) > 2 else parts[1:]
    return any(_contains_phrase(town, words) for town in towns)


def _contains_phrase(phrase: Sequence[str], text: Sequence[str]) -> bool:
    """Return whether the words of a phrase occur consecutively in a text."""
    size = len(phrase)
    return any(tuple(text[at : at + size]) == tuple(phrase) for at in range(len(text) - size + 1))
