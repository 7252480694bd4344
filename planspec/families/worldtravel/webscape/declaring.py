"""Parser of declarations: statements of agents on the facts that they read on pages."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import lru_cache
from typing import Any, TypeAlias

from planspec.dsl.resources.english_words import WEEKDAYS
from planspec.families.worldtravel.webscape.forms import NO_QUEUE, ON_TIME, PHRASES, WORDS, Form, parse_cell, parse_text
from planspec.families.worldtravel.webscape.sites import SITES
from planspec.families.worldtravel.webscape.tables import Tables, WorldRow

STATUS = "status"
"""Key in a declaration for the availability of a start time."""
AVAILABLE, SOLD_OUT = "available", "sold out"
START = "start"
RowKey: TypeAlias = tuple[str, ...]
"""Identification of a table row in declarations: the sort of fact, and the normalised texts that name the row."""


@dataclass(frozen=True, slots=True)
class FactSort:
    """A sort of facts that agents may declare, such as the price of a fare.

    A declaration is a JSON object. It has the name of the sort under `of`, texts that name a row, and the values that
    the agent read.

    Attributes:
        name: name of the sort.
        table: name of the table with the rows.
        keys: keys of the texts that name a row.
        values: columns by the keys of the values.
        row_texts: function that returns the texts naming a row, in the order of `keys`.
    """

    name: str
    table: str
    keys: tuple[str, ...]
    values: Mapping[str, str]
    row_texts: Callable[[Tables, WorldRow], Sequence[str]]


def _columns_of_same_name(*names: str) -> Mapping[str, str]:
    return {name: name for name in names}


def _name_of(tables: Tables, table: str, id_: str) -> str:
    row = tables.row_where(table, id=id_)
    assert row is not None, "the world's check knows each id"
    return row["name"]


def _place_name(tables: Tables, row: WorldRow, column: str = "place") -> str:
    return _name_of(tables, "place", row[column])


def _ticket_names(tables: Tables, row: WorldRow) -> tuple[str, str]:
    offer = tables.row_where("offer", id=row["offer"])
    assert offer is not None
    return _place_name(tables, offer), offer["name"]


def _spot_name(tables: Tables, id_: str) -> str:
    spot = tables.row_where("spot", id=id_)
    assert spot is not None
    return _place_name(tables, spot) if spot["place"] else _name_of(tables, "hotel", spot["hotel"])


def _part_names(tables: Tables, row: WorldRow) -> tuple[str, str]:
    part = tables.row_where("part", id=row["part"])
    assert part is not None
    return _place_name(tables, part), part["name"]


SORTS: tuple[FactSort, ...] = (
    FactSort(
        START,
        "entry",
        ("place", "date", "ticket", "time"),
        {STATUS: "left", **_columns_of_same_name("left", "language")},
        lambda t, r: (_ticket_names(t, r)[0], r["day"], _ticket_names(t, r)[1], r["at"]),
    ),
    FactSort(
        "ticket",
        "offer",
        ("place", "ticket"),
        _columns_of_same_name("booked", "ahead", "guided", "length"),
        lambda t, r: (_place_name(t, r), r["name"]),
    ),
    FactSort(
        "fare",
        "fare",
        ("place", "ticket", "fare"),
        _columns_of_same_name("price", "from_age", "to_age", "eu", "student"),
        lambda t, r: (*_ticket_names(t, r), r["name"]),
    ),
    FactSort(
        "family ticket",
        "family_ticket",
        ("place", "ticket"),
        _columns_of_same_name("price", "adults", "children"),
        _ticket_names,
    ),
    FactSort(
        "extra",
        "addon",
        ("place", "extra"),
        _columns_of_same_name("price"),
        lambda t, r: (_place_name(t, r), r["name"]),
    ),
    FactSort(
        "course",
        "menu",
        ("place", "course"),
        _columns_of_same_name("price"),
        lambda t, r: (_place_name(t, r), r["course"]),
    ),
    FactSort("pass", "city_pass", ("pass",), _columns_of_same_name("price"), lambda _, r: (r["name"],)),
    FactSort(
        "coverage",
        "covers",
        ("pass", "place"),
        _columns_of_same_name("rank"),
        lambda t, r: (_name_of(t, "city_pass", r["pass"]), _place_name(t, r)),
    ),
    FactSort(
        "length",
        "dwell",
        ("place", "style", "profile"),
        _columns_of_same_name("least", "most"),
        lambda t, r: (_place_name(t, r), r["style"], r["profile"]),
    ),
    FactSort(
        "hours",
        "window",
        ("place", "date"),
        _columns_of_same_name("open", "close"),
        lambda t, r: (_place_name(t, r), r["day"]),
    ),
    FactSort("light", "light", ("place",), _columns_of_same_name("from", "until"), lambda t, r: (_place_name(t, r),)),
    FactSort(
        "part",
        "part",
        ("place", "part"),
        _columns_of_same_name("steps", "least", "most"),
        lambda t, r: (_place_name(t, r), r["name"]),
    ),
    FactSort(
        "part hours",
        "part_window",
        ("place", "part", "date"),
        _columns_of_same_name("open", "close"),
        lambda t, r: (*_part_names(t, r), r["day"]),
    ),
    FactSort(
        "route",
        "route",
        ("place", "route"),
        _columns_of_same_name("colour", "least", "most"),
        lambda t, r: (_place_name(t, r), r["name"]),
    ),
    FactSort(
        "show",
        "show",
        ("house", "show"),
        _columns_of_same_name("genre", "language", "subtitles", "introduction", "length"),
        lambda t, r: (_place_name(t, r, "house"), r["title"]),
    ),
    FactSort(
        "piece",
        "running",
        ("house", "genre"),
        _columns_of_same_name("length"),
        lambda t, r: (_place_name(t, r, "house"), r["genre"]),
    ),
    FactSort(
        "hotel",
        "hotel",
        ("hotel",),
        _columns_of_same_name("stars", "rate", "area", "features"),
        lambda _, r: (r["name"],),
    ),
    FactSort(
        "way",
        "leg",
        ("from", "to", "mode"),
        _columns_of_same_name("time", "cost"),
        lambda t, r: (_spot_name(t, r["origin"]), _spot_name(t, r["to"]), r["mode"]),
    ),
)
"""All sorts of facts."""
SORT_OF_NAME = {sort.name: sort for sort in SORTS}
SORT_OF_FILE = {f"{sort.table}.csv": sort for sort in SORTS}


@lru_cache(maxsize=8)
def row_keys(tables: Tables) -> Mapping[WorldRow, RowKey]:
    """Return the rows about which agents may declare facts, each with the key by which declarations identify it."""
    return {
        row: (sort.name, *map(normalize_name, sort.row_texts(tables, row)))
        for sort in SORTS
        for row in tables.rows(sort.table)
    }


def normalize_name(text: str) -> str:
    """Return a name in lower case, without accents and underscores.

    Members of enumerations, and phrases for them, become the word that pages show for the member.
    """
    member = PHRASES.get(text.casefold(), text)
    words = WORDS.get(member, member).replace("_", " ")
    bare = "".join(letter for letter in unicodedata.normalize("NFKD", words) if not unicodedata.combining(letter))
    return " ".join(bare.casefold().split())


def declarations(note: object) -> Iterator[tuple[RowKey, Mapping[str, Any]] | None]:
    """Yield the key of the row and the declared values for each declaration in a note; None for an invalid one."""
    if not isinstance(note, list):
        yield None
        return
    for item in note:
        sort_name = item.get("of", START) if isinstance(item, dict) else None
        sort = SORT_OF_NAME.get(sort_name) if isinstance(sort_name, str) else None
        values = {} if sort is None else {name: item[name] for name in sort.values if item.get(name) is not None}
        if sort is None or not values or not all(isinstance(item.get(key), str) for key in sort.keys):
            yield None
            continue
        if sort.name == START and STATUS not in values and "left" in values:
            status = SOLD_OUT if possible_values("count", values["left"]) == [0] else status_of(str(values["left"]))
            values |= {} if status is None else {STATUS: status}
        yield (sort.name, *(_normalize_key(key, item[key]) for key in sort.keys)), values


def _normalize_key(key: str, text: str) -> str:
    """Normalise a text that names a row. `key` is the text's key in a declaration.

    Dates and times may be in the notation of any site. They are converted to the notation of the city's tables.
    """
    if key == "date":
        text = _WEEKDAY.sub("", text.strip(), count=1)
        days = [day for day in _parse_in_all_notations("day", text) if isinstance(day, date)]
        return days[0].isoformat() if days else normalize_name(text)
    if key == "time":
        times = [minutes for minutes in _parse_in_all_notations("clock", text.strip()) if isinstance(minutes, int)]
        return f"{times[0] // 60:02d}:{times[0] % 60:02d}" if times else normalize_name(text)
    return normalize_name(text)


def status_of(text: str) -> str | None:
    """Return `sold out` or `available` if a text about a start time means it, otherwise None."""
    words = normalize_name(text).replace("-", " ")
    if _GONE.search(words):
        return SOLD_OUT
    return AVAILABLE if _LEFT.search(words) else None


_WEEKDAY = re.compile(
    rf"^(?:{'|'.join(WEEKDAYS)}|{'|'.join(day[:3] for day in WEEKDAYS)})\b,? +(?=\d{{4}}-|\d\d\.|[A-Z][a-z]+ \d)",
    re.IGNORECASE,
)
"""Pattern of a weekday before a date in a notation without weekdays."""
_GONE = re.compile(
    r"\b(?:sold|soldout|none left|no (?:places|seats|tickets)|fully booked|booked out|unavailable|gone|struck|taken|0 left)\b"
)
_LEFT = re.compile(r"\b(?:available|free|left|open|few|last|places|seats)\b|[1-9]")


def possible_values(form: Form, declared: object) -> list[Any]:
    """Return the values that a declared text or number may mean, in the form in which `forms.parse_cell` returns them.

    The declared value may be in the notation of the city's tables or of any site.

    Args:
        form: form of the fact.
        declared: text, or a number for amounts, minutes and counts.
    """
    if form == "minutes":
        form = "length"
    match declared:
        case bool():
            return []
        case int() | float() | Decimal() if form == "money":
            return [round(declared * 100)]
        case int() | float() | Decimal() if form in (
            "length",
            "count",
            "steps",
            "below",
            "rank",
            "early",
        ) and declared == int(declared):
            return [int(declared)]
        case str() if form in ("word", "text"):
            return [normalize_name(declared)]
        case str() if form in ("count", "steps", "below", "rank") and len(numbers := re.findall(r"\d+", declared)) == 1:
            return [int(numbers[0])]
        case str() if form == "early" and any(word in normalize_name(declared) for word in (ON_TIME, NO_QUEUE)):
            return [0]
        case str():
            return list(dict.fromkeys(_parse_in_all_notations(form, declared.strip())))
        case _:
            return []


def _parse_in_all_notations(form: Form, text: str) -> Iterator[Any]:
    ways: list[Callable[[], Any]] = [lambda: parse_cell(form, text)]
    ways += [lambda notation=site.notation: parse_text(form, text, notation) for site in SITES]  # type: ignore[misc]
    for way in ways:
        try:
            yield way()
        except ValueError:
            continue
