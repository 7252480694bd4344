"""Files of a generated suite's tables (its world): the author's tables, and tables that are computed or drawn."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence

from planspec.families.worldtravel.generator.calendar import Calendar, format_clock
from planspec.families.worldtravel.generator.city import TABLES, CityFolder
from planspec.families.worldtravel.generator.routes import legs, spots
from planspec.suite_writing.writing import yaml_scalar

LIBRARY = "worldtravel"
DRAWN = {"Window": "window", "PartWindow": "part_window", "Entry": "entry", "Spot": "spot", "Leg": "leg"}
"""File names by table, for the tables that the generator makes."""

SETS = {"Hotel": "features", "Show": "subtitles"}
"""Column with several values in a cell, separated by `; `, by table."""


def world_files(city: CityFolder, calendar: Calendar, name: str) -> dict[str, str]:
    """Return the texts of `world.yaml`, which declares the tables, and of a CSV file for each table, by file name.

    Args:
        city: city as its author wrote it.
        calendar: calendar of the city.
        name: id of the world.
    """
    tables = {table: file for table, file in TABLES.items() if city.rows(file)}
    files = {f"{file}.csv": (city.folder / f"{file}.csv").read_text("utf-8") for file in tables.values()}
    files |= {f"{file}.csv": text for file, text in _generated_files(city, calendar)}
    tables |= {table: file for table, file in DRAWN.items() if f"{file}.csv" in files}
    first, last = calendar.days[0], calendar.days[-1]
    lines = [
        "planspec: world/1",
        f"id: {name}",
        f"title: {yaml_scalar(f'{city.head.name}, {first} to {last}')}",
        f"uses: [{LIBRARY}]",
        f"currency: {city.head.currency}",
        "tables:",
        f"  City: {{rows: [{{id: {city.head.id}, name: {yaml_scalar(city.head.name)}, full: {yaml_scalar(city.head.full)}}}]}}",
        *(line for table, file in tables.items() for line in _table_lines(table, file)),
    ]
    return {"world.yaml": "\n".join(lines) + "\n", **files}


def _table_lines(name: str, file: str) -> Iterator[str]:
    yield f"  {name}:"
    yield f"    csv: {file}.csv"
    if name in SETS:
        yield f'    map: {{{SETS[name]}: {{split: "; "}}}}'


def table_text(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return the text of a CSV file."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return out.getvalue()


def _generated_files(city: CityFolder, calendar: Calendar) -> Iterator[tuple[str, str]]:
    yield "spot", table_text(("id", "place", "hotel"), spots(city))
    yield (
        "leg",
        table_text(
            ("origin", "to", "mode", "time", "cost"),
            (
                (
                    leg.origin,
                    leg.to,
                    leg.mode,
                    "" if leg.minutes is None else f"{leg.minutes}min",
                    _format_money(leg.cents, city),
                )
                for leg in legs(city)
            ),
        ),
    )
    yield (
        "window",
        table_text(
            ("place", "day", "open", "close"),
            ((w.owner, str(w.day), format_clock(w.open), format_clock(w.close)) for w in calendar.windows),
        ),
    )
    if calendar.parts:
        yield (
            "part_window",
            table_text(
                ("part", "day", "open", "close"),
                ((w.owner, str(w.day), format_clock(w.open), format_clock(w.close)) for w in calendar.parts),
            ),
        )
    yield (
        "entry",
        table_text(
            ("offer", "day", "at", "left", "language"),
            ((e.offer, str(e.day), format_clock(e.at), str(e.left), e.language) for e in calendar.entries),
        ),
    )


def _format_money(cents: int | None, city: CityFolder) -> str:
    return "" if cents is None else f"{cents // 100}.{cents % 100:02d} {city.head.currency}"
