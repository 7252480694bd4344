"""How agents declare what they read on pages: the sorts of facts, how their rows are named, and what a declared value means."""

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
from planspec.families.worldtravel.webscape.tables import Row, Tables

STATUS = "status"
"""The word for whether a start has places left: `available` or `sold out`."""
AVAILABLE, SOLD_OUT = "available", "sold out"
START = "start"
RowKey: TypeAlias = tuple[str, ...]
"""The sort of a fact, and by which texts its row is named, in plain letters."""


@dataclass(frozen=True, slots=True)
class Sort:
    """A sort of facts that agents may declare: an object with `of`, the keys that name its row, and values by their names.

    Attributes:
        of: its name.
        table: whose rows it is about.
        keys: what names a row.
        values: the column of each value.
        named: the texts of the keys, of a row.
    """

    of: str
    table: str
    keys: tuple[str, ...]
    values: Mapping[str, str]
    named: Callable[[Tables, Row], Sequence[str]]


def _same(*names: str) -> Mapping[str, str]:
    return {name: name for name in names}


def _name(tables: Tables, table: str, id_: str) -> str:
    row = tables.one(table, id=id_)
    assert row is not None, "the world's check knows each id"
    return row["name"]


def _place(tables: Tables, row: Row, column: str = "place") -> str:
    return _name(tables, "place", row[column])


def _ticket(tables: Tables, row: Row) -> tuple[str, str]:
    offer = tables.one("offer", id=row["offer"])
    assert offer is not None
    return _place(tables, offer), offer["name"]


def _spot(tables: Tables, id_: str) -> str:
    spot = tables.one("spot", id=id_)
    assert spot is not None
    return _place(tables, spot) if spot["place"] else _name(tables, "hotel", spot["hotel"])


def _part(tables: Tables, row: Row) -> tuple[str, str]:
    part = tables.one("part", id=row["part"])
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
"""All of them."""
SORT_OF = {sort.of: sort for sort in SORTS}
SORT_OF_FILE = {f"{sort.table}.csv": sort for sort in SORTS}


@lru_cache(maxsize=8)
def rows_named(tables: Tables) -> Mapping[Row, RowKey]:
    """How agents name each row that they may declare something of."""
    return {
        row: (sort.of, *map(plain, sort.named(tables, row)))
        for sort in SORTS
        for row in tables.rows(sort.table)
    }


def plain(text: str) -> str:
    """A text by which a row is named, in small letters without marks; an enumeration's member as the pages write it."""
    said = WORDS.get(text, text).replace("_", " ")
    bare = "".join(
        letter for letter in unicodedata.normalize("NFKD", said) if not unicodedata.combining(letter)
    )
    return " ".join(bare.casefold().split())


def declarations(note: object) -> Iterator[tuple[RowKey, Mapping[str, Any]] | None]:
    """What a note declares, each with how it names its row; None for what is no declaration."""
    if not isinstance(note, list):
        yield None
        return
    for one in note:
        of = one.get("of", START) if isinstance(one, dict) else None
        sort = SORT_OF.get(of) if isinstance(of, str) else None
        values = (
            {} if sort is None else {name: one[name] for name in sort.values if one.get(name) is not None}
        )
        if sort is None or not values or not all(isinstance(one.get(key), str) for key in sort.keys):
            yield None
            continue
        if sort.of == START and STATUS not in values and "left" in values:
            status = SOLD_OUT if meanings("count", values["left"]) == [0] else status_of(str(values["left"]))
            values |= {} if status is None else {STATUS: status}
        yield (sort.of, *(_named(key, one[key]) for key in sort.keys)), values


def _named(key: str, said: str) -> str:
    """A text by which a row is named: days and times as the world writes them, whichever site's way they are written in."""
    if key == "date":
        said = _WEEKDAY.sub("", said.strip(), count=1)
        days = [day for day in _read("day", said) if isinstance(day, date)]
        return days[0].isoformat() if days else plain(said)
    if key == "time":
        times = [minutes for minutes in _read("clock", said.strip()) if isinstance(minutes, int)]
        return f"{times[0] // 60:02d}:{times[0] % 60:02d}" if times else plain(said)
    return plain(said)


def status_of(said: str) -> str | None:
    """Whether a text says of a start that it is sold out or available; None if it says neither."""
    words = plain(said).replace("-", " ")
    if _GONE.search(words):
        return SOLD_OUT
    return AVAILABLE if _LEFT.search(words) else None


_WEEKDAY = re.compile(
    rf"^(?:{'|'.join(WEEKDAYS)}|{'|'.join(day[:3] for day in WEEKDAYS)})\b,? +(?=\d{{4}}-|\d\d\.|[A-Z][a-z]+ \d)",
    re.IGNORECASE,
)
"""A weekday before a day of which the site's own writing has none."""
_GONE = re.compile(
    r"\b(?:sold|soldout|none left|no (?:places|seats|tickets)|fully booked|booked out|unavailable|gone|struck|taken|0 left)\b"
)
_LEFT = re.compile(r"\b(?:available|free|left|open|few|last|places|seats)\b|[1-9]")


def meanings(form: Form, said: object) -> list[Any]:
    """What a declared value may mean, as `forms.value` has values: the world's own writing, or that of any site.

    Args:
        form: of the fact.
        said: a text or a number; an amount, minutes or a count as a number.
    """
    match said:
        case bool():
            return []
        case int() | float() | Decimal() if form == "money":
            return [round(said * 100)]
        case int() | float() | Decimal() if form in (
            "length",
            "count",
            "steps",
            "below",
            "early",
        ) and said == int(said):
            return [int(said)]
        case str() if form in ("word", "text"):
            return [plain(said)]
        case str() if form in ("count", "steps", "below") and len(numbers := re.findall(r"\d+", said)) == 1:
            return [int(numbers[0])]
        case str() if form == "early" and any(word in plain(said) for word in (ON_TIME, NO_QUEUE)):
            return [0]
        case str():
            return list(dict.fromkeys(_read(form, said.strip())))
        case _:
            return []


def _read(form: Form, said: str) -> Iterator[Any]:
    ways: list[Callable[[], Any]] = [lambda: value(form, said)]
    ways += [lambda habits=site.habits: read(form, said, habits) for site in SITES]  # type: ignore[misc]
    for way in ways:
        try:
            yield way()
        except ValueError:
            continue
