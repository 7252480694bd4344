"""Writer of a fact base as CSV files, which `reading` can read."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from planspec.dsl.resources.english_words import WEEKDAYS
from planspec.families.veritrip.base_database import format_clock
from planspec.families.veritrip.fact_bases import CountryBase
from planspec.families.veritrip.facts import AnyPlace, FactBase
from planspec.families.veritrip.reading import COLUMNS
from planspec.files import replace_text


def save_base(base: FactBase, folder: Path) -> None:
    """Write a CSV file for each table, creating the folder.

    Raises:
        OSError: A file cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    rows: dict[str, Iterable[Sequence[object]]] = {
        "transportation": (
            (
                s.number,
                s.vehicle,
                s.date.isoformat(),
                s.origin,
                s.to,
                s.origin_city,
                s.to_city,
                format_clock(s.depart),
                format_clock(s.arrive % (24 * 60)),
                s.price,
            )
            for s in base.services
        ),
        "attractions": (
            (
                a.name,
                a.city,
                a.latitude,
                a.longitude,
                a.address,
                a.introduction,
                a.ticket,
                format_clock(a.opens),
                _format_closing(a.closes),
                "|".join(WEEKDAYS[day] for day in sorted(a.closed_on)),
                a.least,
                a.most,
                "|".join(a.interests),
            )
            for a in base.attractions
        ),
        "restaurants": (
            (
                r.name,
                r.city,
                r.latitude,
                r.longitude,
                r.area,
                r.cuisine,
                "|".join(r.dishes),
                r.price,
                r.rating,
                format_clock(r.opens),
                _format_closing(r.closes),
            )
            for r in base.restaurants
        ),
        "accommodations": (
            (
                h.name,
                h.city,
                h.latitude,
                h.longitude,
                h.address,
                h.stars,
                room.kind,
                room.sleeps,
                room.price,
                "true" if room.breakfast else "false",
            )
            for h in base.hotels
            for room in h.rooms
        ),
        "pois": ((p.name, p.city, p.latitude, p.longitude, p.kind, p.about) for p in base.pois),
    }
    for name, table in rows.items():
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(COLUMNS[name])
        writer.writerows(table)
        replace_text(folder / f"{name}.csv", text.getvalue())


def save_origins(bases: Mapping[str, CountryBase], folder: Path) -> None:
    """Write `README.md`, and `origins.csv` for each country, which marks places as real or invented.

    Raises:
        OSError: A file cannot be written.
    """
    lines = []
    for country, country_base in bases.items():
        invented = set(country_base.invented)
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(("table", "city", "name", "origin", "chinese"))
        for table, places in _places_by_table(country_base.base).items():
            are_invented = [(table, place.city, place.name) in invented for place in places]
            writer.writerows(
                (
                    table,
                    p.city,
                    p.name,
                    "invented" if is_invented else "real",
                    country_base.chinese.get(p.name, ""),
                )
                for p, is_invented in zip(places, are_invented, strict=True)
            )
            lines.append(
                f"| {country} | {table} | {len(places):,} | {are_invented.count(False):,} | {are_invented.count(True):,} |"
            )
        replace_text(folder / country / "origins.csv", text.getvalue())
    replace_text(folder / "README.md", _README.format(rows="\n".join(lines)))


_README = """\
# Facts

The fact base, only for the judge. `origins.csv` marks each place as real or invented.

| country | table | places | real | invented |
|---|---|---|---|---|
{rows}

- **Real** places have a name that exists, or existed in recent years, as far as known; coordinates are from memory. Their
  prices, hours, visit times, ratings and rooms are plausible and unchecked.
- **Invented** places do not exist: names, addresses, coordinates and all other data were drawn by chance. If a name
  equals that of a real place, this is a coincidence.
- **Trains and flights** are all invented; stations and airports are real.
- Chinese names of real places are the usual ones as far as known; Chinese names of invented places are invented.

Do not plan a real trip with these facts.
"""


def _places_by_table(base: FactBase) -> dict[str, Sequence[AnyPlace]]:
    return {
        "attractions": base.attractions,
        "restaurants": base.restaurants,
        "hotels": base.hotels,
        "pois": base.pois,
    }


def _format_closing(minutes: int) -> str:
    """Format a closing time as HH:MM. For example, `24:00` is midnight, and `01:00` is on the next day."""
    return format_clock(minutes if minutes <= 24 * 60 else minutes - 24 * 60)
