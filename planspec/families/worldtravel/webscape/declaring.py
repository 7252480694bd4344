"""Declarations of agents on pages that they read: sorts of facts, names of rows, and meanings of values."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import lru_cache
from typing import Any, TypeAlias

from planspec.families.worldtravel.webscape.forms import NO_QUEUE, ON_TIME, WEEKDAYS, WORDS, Form, read, value
from planspec.families.worldtravel.webscape.sites import SITES
from planspec.families.worldtravel.webscape.tables import Tables, WorldRow

STATUS = "status"
"""Key of a start's availability: `available` or `sold out`."""
AVAILABLE, SOLD_OUT = "available", "sold out"
START = "start"
RowKey: TypeAlias = tuple[str, ...]
"""Sort of a fact, and the normalised texts that name its row."""


@dataclass(frozen=True, slots=True)
class Sort:
    """A sort of facts that agents may declare.

    A declaration is an object with `of`, keys that name its row, and values by name.

    Attributes:
        of: name of the sort.
        table: table of its rows.
        keys: keys that name a row.
        values: column of each value.
        named: function that returns the texts of the keys for a row.
    """

    of: str
    table: str
    keys: tuple[str, ...]
    values: Mapping[str, str]
    named: Callable[[Tables, WorldRow], Sequence[str]]


def _same(*names: str) -> Mapping[str, str]:
    return {name: name for name in names}


def _name(tables: Tables, table: str, id_: str) -> str:
    row = tables.row_where(table, id=id_)
    assert row is not None, "the world's check knows each id"
    return row["name"]


def _place(tables: Tables, row: WorldRow, column: str = "place") -> str:
    return _name(tables, "place", row[column])


def _ticket(tables: Tables, row: WorldRow) -> tuple[str, str]:
    offer = tables.row_where("offer", id=row["offer"])
    assert offer is not None
    return _place(tables, offer), offer["name"]


def _spot(tables: Tables, id_: str) -> str:
    spot = tables.row_where("spot", id=id_)
    assert spot is not None
    return _place(tables, spot) if spot["place"] else _name(tables, "hotel", spot["hotel"])


def _part(tables: Tables, row: WorldRow) -> tuple[str, str]:
    part = tables.row_where("part", id=row["part"])
    assert part is not None
    return _place(tables, part), part["name"]


SORTS: tuple[Sort, ...] = (
    Sort(START, "entry", ("place", "date", "ticket", "time"), {STATUS: "left", **_same("left", "language")},
         lambda t, r: (_ticket(t, r)[0], r["day"], _ticket(t, r)[1], r["at"])),
    Sort("ticket", "offer", ("place", "ticket"), _same("booked", "ahead", "guided", "length"),
         lambda t, r: (_place(t, r), r["name"])),
    Sort("fare", "fare", ("place", "ticket", "fare"), _same("price", "from_age", "to_age", "eu", "student"),
         lambda t, r: (*_ticket(t, r), r["name"])),
    Sort("family ticket", "family_ticket", ("place", "ticket"), _same("price", "adults", "children"), _ticket),
    Sort("extra", "addon", ("place", "extra"), _same("price"), lambda t, r: (_place(t, r), r["name"])),
    Sort("course", "menu", ("place", "course"), _same("price"), lambda t, r: (_place(t, r), r["course"])),
    Sort("pass", "city_pass", ("pass",), _same("price"), lambda _, r: (r["name"],)),
    Sort("coverage", "covers", ("pass", "place"), _same("rank"),
         lambda t, r: (_name(t, "city_pass", r["pass"]), _place(t, r))),
    Sort("length", "dwell", ("place", "style", "profile"), _same("least", "most"),
         lambda t, r: (_place(t, r), r["style"], r["profile"])),
    Sort("hours", "window", ("place", "date"), _same("open", "close"), lambda t, r: (_place(t, r), r["day"])),
    Sort("light", "light", ("place",), _same("from", "until"), lambda t, r: (_place(t, r),)),
    Sort("part", "part", ("place", "part"), _same("steps", "least", "most"), lambda t, r: (_place(t, r), r["name"])),
    Sort("part hours", "part_window", ("place", "part", "date"), _same("open", "close"),
         lambda t, r: (*_part(t, r), r["day"])),
    Sort("route", "route", ("place", "route"), _same("colour", "least", "most"),
         lambda t, r: (_place(t, r), r["name"])),
    Sort("show", "show", ("house", "show"), _same("genre", "language", "subtitles", "introduction", "length"),
         lambda t, r: (_place(t, r, "house"), r["title"])),
    Sort("piece", "running", ("house", "genre"), _same("length"), lambda t, r: (_place(t, r, "house"), r["genre"])),
    Sort("hotel", "hotel", ("hotel",), _same("stars", "rate", "area", "features"), lambda _, r: (r["name"],)),
    Sort("way", "leg", ("from", "to", "mode"), _same("time", "cost"),
         lambda t, r: (_spot(t, r["origin"]), _spot(t, r["to"]), r["mode"])),
)  # fmt: skip
"""All sorts."""
SORT_OF = {sort.of: sort for sort in SORTS}
SORT_OF_FILE = {f"{sort.table}.csv": sort for sort in SORTS}


@lru_cache(maxsize=8)
def rows_named(tables: Tables) -> Mapping[WorldRow, RowKey]:
    """Return the agents' name of each row that they may declare."""
    return {
        row: (sort.of, *map(plain, sort.named(tables, row)))
        for sort in SORTS
        for row in tables.rows(sort.table)
    }


def plain(text: str) -> str:
    """Normalise a text that names a row: lower case without marks; members of enumerations as on pages."""
    words = WORDS.get(text, text).replace("_", " ")
    bare = "".join(
        letter for letter in unicodedata.normalize("NFKD", words) if not unicodedata.combining(letter)
    )
    return " ".join(bare.casefold().split())


def declarations(note: object) -> Iterator[tuple[RowKey, Mapping[str, Any]] | None]:
    """Yield each declaration in a note as its row's name and values, or None for an invalid one."""
    if not isinstance(note, list):
        yield None
        return
    for item in note:
        of = item.get("of", START) if isinstance(item, dict) else None
        sort = SORT_OF.get(of) if isinstance(of, str) else None
        values = (
            {} if sort is None else {name: item[name] for name in sort.values if item.get(name) is not None}
        )
        if sort is None or not values or not all(isinstance(item.get(key), str) for key in sort.keys):
            yield None
            continue
        if sort.of == START and STATUS not in values and "left" in values:
            status = SOLD_OUT if meanings("count", values["left"]) == [0] else status_of(str(values["left"]))
            values |= {} if status is None else {STATUS: status}
        yield (sort.of, *(_named(key, item[key]) for key in sort.keys)), values


def _named(key: str, text: str) -> str:
    """Normalise a text that names a row. Days and times become the world's, from any site's notation."""
    if key == "date":
        text = _WEEKDAY.sub("", text.strip(), count=1)
        days = [day for day in _read("day", text) if isinstance(day, date)]
        return days[0].isoformat() if days else plain(text)
    if key == "time":
        times = [minutes for minutes in _read("clock", text.strip()) if isinstance(minutes, int)]
        return f"{times[0] // 60:02d}:{times[0] % 60:02d}" if times else plain(text)
    return plain(text)


def status_of(text: str) -> str | None:
    """Return whether a text calls a start sold out or available, or None."""
    words = plain(text).replace("-", " ")
    if _GONE.search(words):
        return SOLD_OUT
    return AVAILABLE if _LEFT.search(words) else None


_WEEKDAY = re.compile(
    rf"^(?:{'|'.join(WEEKDAYS)}|{'|'.join(day[:3] for day in WEEKDAYS)})\b,? +(?=\d{{4}}-|\d\d\.|[A-Z][a-z]+ \d)",
    re.IGNORECASE,
)
"""A weekday before a day in a notation without one."""
_GONE = re.compile(
    r"\b(?:sold|soldout|none left|no (?:places|seats|tickets)|fully booked|booked out|unavailable|gone|struck|taken|0 left)\b"
)
_LEFT = re.compile(r"\b(?:available|free|left|open|few|last|places|seats)\b|[1-9]")


def meanings(form: Form, declared: object) -> list[Any]:
    """Return the possible meanings of a declared value, as values of `forms.value`.

    The value may be in the notation of the world or of any site.

    Args:
        form: form of the fact.
        declared: text or number; amounts, minutes and counts may be numbers.
    """
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
            "early",
        ) and declared == int(declared):
            return [int(declared)]
        case str() if form in ("word", "text"):
            return [plain(declared)]
        case str() if (
            form in ("count", "steps", "below") and len(numbers := re.findall(r"\d+", declared)) == 1
        ):
            return [int(numbers[0])]
        case str() if form == "early" and any(word in plain(declared) for word in (ON_TIME, NO_QUEUE)):
            return [0]
        case str():
            return list(dict.fromkeys(_read(form, declared.strip())))
        case _:
            return []


def _read(form: Form, text: str) -> Iterator[Any]:
    ways: list[Callable[[], Any]] = [lambda: value(form, text)]
    ways += [lambda habits=site.habits: read(form, text, habits) for site in SITES]  # type: ignore[misc]
    for way in ways:
        try:
            yield way()
        except ValueError:
            continue
