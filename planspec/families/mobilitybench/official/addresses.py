"""The city and district of an address, as MobilityBench's public toolkit finds them: by the package `cpca`.

The package is not needed: what it does is stated here for version 0.5.5. It goes through a text from the left, takes at
each place the longest name of a division that ends there, and of several divisions of that name the first one that lies
in the one found before, until it has found a district. Provinces and cities may be said without their last word. If nothing was found before, it takes the first of several namesakes in its table: the column `among` of ours.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

SHORT = {
    "内蒙古自治区": "内蒙古", "广西壮族自治区": "广西", "西藏自治区": "西藏", "新疆维吾尔自治区": "新疆",
    "宁夏回族自治区": "宁夏",
}  # fmt: skip
ENDINGS = ("特别行政区", "自治区", "省", "市")
TABLE = "divisions.csv"


@dataclass(frozen=True, slots=True)
class Divisions:
    """The administrative divisions of China.

    Attributes:
        names: by code of six digits: two for the province, two for the city, two for the district.
        codes: by name, full or short; of namesakes the first comes first.
        longest: the number of characters of the longest name.
    """

    names: Mapping[str, str]
    codes: Mapping[str, tuple[str, ...]]
    longest: int


def city_and_district(text: str, divisions: Divisions) -> tuple[str | None, str | None]:
    """The city and the district that an address names; None where it names none."""
    last = ""
    for name in _names(text, divisions):
        found = next((code for code in divisions.codes[name] if code.startswith(_stem(last))), None)
        if found is None:
            continue
        last = found
        if not last.endswith("00"):
            break
    if not last or last.endswith("0000"):
        return None, None
    city = divisions.names.get(last[:4] + "00")
    return city, None if last.endswith("00") else divisions.names[last]


@lru_cache(maxsize=1)
def divisions() -> Divisions:
    """The divisions of the table beside this module."""
    text = files("planspec.families.mobilitybench.official").joinpath(TABLE).read_text("utf-8")
    names: dict[str, str] = {}
    among: dict[str, list[tuple[int, str]]] = {}
    for row in csv.DictReader(text.splitlines()):
        names[row["code"]] = row["name"]
        among.setdefault(row["name"], []).append((int(row["among"] or 1), row["code"]))
    codes = {name: tuple(code for _, code in sorted(found)) for name, found in among.items()}
    # What a province and a city are called alike without their last words is the province: it is added last.
    for name in sorted(codes, key=lambda name: codes[name][0].endswith("0000")):
        codes[_short(name)] = codes[name]
    return Divisions(names, codes, max(map(len, codes)))


def _short(name: str) -> str:
    if name in SHORT:
        return SHORT[name]
    return next((name.removesuffix(ending) for ending in ENDINGS if name.endswith(ending)), name)


def _stem(code: str) -> str:
    """The digits that divisions within have in common."""
    if code.endswith("0000"):
        return code[:2]
    return code[:4] if code.endswith("00") else code


def _names(text: str, divisions: Divisions) -> Iterator[str]:
    """The names in a text by where they end; of two that begin at one place the longer one."""
    held: str | None = None
    begun = -1
    for end in range(1, len(text) + 1):
        name = next(
            (
                text[start:end]
                for start in range(max(0, end - divisions.longest), end)
                if text[start:end] in divisions.codes
            ),
            None,
        )
        if name is None:
            continue
        start = end - len(name)
        if held is None:
            held = name
        elif start == begun:
            yield name
            held = None
        else:
            yield held
            held = name
        begun = start
    if held is not None:
        yield held
