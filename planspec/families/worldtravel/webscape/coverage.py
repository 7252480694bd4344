"""Check that pages are complete: search for cells of a world that should be on a page and are on none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from planspec.families.worldtravel.webscape.facts import set_members
from planspec.families.worldtravel.webscape.plan_of_site import PageSpec
from planspec.families.worldtravel.webscape.rendering import Page
from planspec.families.worldtravel.webscape.tables import Tables, WorldCell, WorldRow

SHOWN_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "place": ("name", "area", "about", "composite"),
    "hotel": ("name", "area", "about", "stars", "rate", "features"),
    "offer": ("name", "booked", "ahead", "guided", "length"),
    "fare": ("name", "price", "from_age", "to_age", "eu", "student"),
    "family_ticket": ("price", "adults", "children"), "addon": ("name", "price"), "menu": ("course", "price"),
    "show": ("title", "genre", "language", "subtitles", "introduction", "length"), "running": ("genre", "length"),
    "light": ("from", "until"), "part": ("name", "steps", "least", "most"), "route": ("name", "colour", "least", "most"),
    "passes": ("part",), "city_pass": ("name", "price"), "covers": ("place", "rank"),
    "dwell": ("style", "profile", "least", "most"), "window": ("open", "close"), "part_window": ("open", "close"),
    "entry": ("at", "left", "language"), "leg": ("time", "cost"),
}  # fmt: skip
"""Columns that pages show, by table."""
SILENT = ("", "false")
"""Values that need no text on a page. The column `booked` is an exception: both its values are shown."""


def missing_cells(tables: Tables, pages: Iterable[Page]) -> list[WorldCell]:
    """Return the cells that should be on a page and are on none.

    Rows of days without booking pages are left out. Sold-out starts that need no booking are left out, too.

    Args:
        tables: tables of the world.
        pages: all pages of the city.
    """
    shown: dict[WorldCell, set[int | None]] = {}
    days: dict[str, set[str]] = {}
    for page in pages:
        for fact in page.facts:
            shown.setdefault(fact.cell, set()).add(fact.member)
        if page.spec.kind in ("booking", "reservation") and not page.spec.variant:
            days.setdefault(page.spec.subject, set()).update(page.spec.days)
    missing = []
    for name, columns in SHOWN_COLUMNS.items():
        for row in tables.rows(name):
            if not _should_be_shown(tables, name, row, days):
                continue
            for column in columns:
                if row[column] in SILENT and not (column == "booked" and row[column]):
                    continue
                shown_members = shown.get(row.at(column), set())
                required = (
                    set(range(len(set_members(row[column]))))
                    if column in ("features", "subtitles")
                    else {None}
                )
                if not required <= shown_members:
                    missing.append(row.at(column))
    return missing


def _should_be_shown(tables: Tables, name: str, row: WorldRow, days: Mapping[str, set[str]]) -> bool:
    """Return whether a row should be on a page. Rows of days without pages need not be."""
    if name == "window":
        return row["day"] in days.get(row["place"], ())
    if name == "part_window":
        part = tables.row_where("part", id=row["part"])
        return part is not None and row["day"] in days.get(part["place"], ())
    if name == "entry":
        offer = tables.row_where("offer", id=row["offer"])
        assert offer is not None, "the world's check knows each offer"
        return row["day"] in days.get(offer["place"], ()) and (
            offer["booked"] == "true" or row["left"] != "0"
        )
    return True


def days_of(specs: Iterable[PageSpec], place: str) -> list[str]:
    """Return the days for which a place has booking or reservation pages, in order."""
    kinds = ("booking", "reservation")
    return sorted(
        {day for spec in specs if spec.subject == place and spec.kind in kinds for day in spec.days}
    )
