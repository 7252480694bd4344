"""City and district of an address, as MobilityBench's public toolkit finds them with the package `cpca`.

This module reproduces version 0.5.5 of the package, which need not be installed. `cpca` scans a text from the left and
takes, at each position, the longest name of a division that ends there. If several divisions have this name, it takes
the first that lies in the division found before. If it has found no division yet, it takes the first in its table; the
column `among` of our table holds this order. `cpca` stops at a district. Names of provinces and cities may lack their
last word, such as 省 or 市.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

SHORT = {
    "内蒙古自治区": "内蒙古",
    "广西壮族自治区": "广西",
    "西藏自治区": "西藏",
    "新疆维吾尔自治区": "新疆",
    "宁夏回族自治区": "宁夏",
}
ENDINGS = ("特别行政区", "自治区", "省", "市")
TABLE = "divisions.csv"


@dataclass(frozen=True, slots=True)
class DivisionTable:
    """Administrative divisions of China.

    Attributes:
        names: name of each division, by its code. A code has six digits: two for the province, two for the city
            and two for the district.
        codes: codes by full or short name. Divisions with the same name are in order of precedence.
        longest: number of characters of the longest name.
    """

    names: Mapping[str, str]
    codes: Mapping[str, tuple[str, ...]]
    longest: int


def city_and_district(text: str, divisions: DivisionTable) -> tuple[str | None, str | None]:
    """Return the city and the district in an address, each None if missing."""
    last = ""
    for name in _division_names(text, divisions):
        match = next((code for code in divisions.codes[name] if code.startswith(_code_prefix(last))), None)
        if match is None:
            continue
        last = match
        if not last.endswith("00"):
            break
    if not last or last.endswith("0000"):
        return None, None
    city = divisions.names.get(last[:4] + "00")
    return city, None if last.endswith("00") else divisions.names[last]


@lru_cache(maxsize=1)
def divisions() -> DivisionTable:
    """Return the divisions of the table beside this module."""
    text = files("planspec.families.mobilitybench.official").joinpath(TABLE).read_text("utf-8")
    names: dict[str, str] = {}
    among: dict[str, list[tuple[int, str]]] = {}
    for row in csv.DictReader(text.splitlines()):
        names[row["code"]] = row["name"]
        among.setdefault(row["name"], []).append((int(row["among"] or 1), row["code"]))
    codes = {name: tuple(code for _, code in sorted(namesakes)) for name, namesakes in among.items()}
    # provinces are added last, so a short name that a province and a city share means the province
    for name in sorted(codes, key=lambda name: codes[name][0].endswith("0000")):
        codes[_short_name(name)] = codes[name]
    return DivisionTable(names, codes, max(map(len, codes)))


def _short_name(name: str) -> str:
    if name in SHORT:
        return SHORT[name]
    return next((name.removesuffix(ending) for ending in ENDINGS if name.endswith(ending)), name)


def _code_prefix(code: str) -> str:
    """Return the prefix that the codes of all divisions within a division share."""
    if code.endswith("0000"):
        return code[:2]
    return code[:4] if code.endswith("00") else code


def _division_names(text: str, divisions: DivisionTable) -> Iterator[str]:
    """Yield the names of divisions in a text, from left to right: the longest of names with the same start."""
    pending: str | None = None
    pending_start = -1
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
        if pending is None:
            pending = name
        elif start == pending_start:
            yield name
            pending = None
        else:
            yield pending
            pending = name
        pending_start = start
    if pending is not None:
        yield pending
