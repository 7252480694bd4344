"""Pages read back: the value at each fact's place, and the cells of the world that no page shows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from planspec.families.worldtravel.webscape.extracting import PageElement
from planspec.families.worldtravel.webscape.facts import FEW, ShownFact, members
from planspec.families.worldtravel.webscape.forms import read, value
from planspec.families.worldtravel.webscape.needed import SHOWN_COLUMNS, SILENT
from planspec.families.worldtravel.webscape.plan_of_site import PageSpec
from planspec.families.worldtravel.webscape.rendering import Page
from planspec.families.worldtravel.webscape.sites import Site
from planspec.families.worldtravel.webscape.tables import Tables, WorldCell, WorldRow


def shown_value(fact: ShownFact, page_elements: list[PageElement], site: Site) -> Any:
    """Return the value or state that a page shows at a fact's place, as in `forms.value`.

    Raises:
        ValueError: the text is not in the site's notation.
    """
    element = page_elements[fact.element]
    if fact.form is not None:
        return read(fact.form, element.text, site.habits)
    states = [
        state
        for token in element.attributes.get("class", "").split()
        if (state := site.state(token)) is not None
    ]
    if len(states) != 1:
        raise ValueError(f"the classes `{element.attributes.get('class', '')}` tell {states or 'nothing'}")
    return states[0]


def expected_value(fact: ShownFact, cell: str) -> Any:
    """Return the value or state that a page must show at a fact's place, by the world's cell."""
    if fact.member is not None:
        cell = members(cell)[fact.member]
    if fact.form is not None:
        return value(fact.form, cell)
    if fact.cell.column == "left":
        number = int(cell)
        return "gone" if number == 0 else "few" if number <= FEW else "free"
    return cell


def missing_cells(tables: Tables, pages: Iterable[Page]) -> list[WorldCell]:
    """Return the cells that no page shows.

    Only days with booking pages count. Starts that need no booking and have no places do not count.

    Args:
        tables: tables of the world.
        pages: all pages of its city.
    """
    shown: dict[WorldCell, set[int | None]] = {}
    days: dict[str, set[str]] = {}
    for page in pages:
        for fact in page.facts:
            shown.setdefault(fact.cell, set()).add(fact.member)
        if page.spec.kind in ("booking", "reservation") and not page.spec.variant:
            days.setdefault(page.spec.of, set()).update(page.spec.days)
    missing = []
    for name, columns in SHOWN_COLUMNS.items():
        for row in tables.rows(name):
            if not _shown(tables, name, row, days):
                continue
            for column in columns:
                if row[column] in SILENT and not (column == "booked" and row[column]):
                    continue
                shown_members = shown.get(row.at(column), set())
                required = (
                    set(range(len(members(row[column])))) if column in ("features", "subtitles") else {None}
                )
                if not required <= shown_members:
                    missing.append(row.at(column))
    return missing


def _shown(tables: Tables, name: str, row: WorldRow, days: Mapping[str, set[str]]) -> bool:
    """Return whether pages show the row: it is on one of their days."""
    if name == "window":
        return row["day"] in days.get(row["place"], ())
    if name == "part_window":
        part = tables.one("part", id=row["part"])
        return part is not None and row["day"] in days.get(part["place"], ())
    if name == "entry":
        offer = tables.one("offer", id=row["offer"])
        assert offer is not None, "the world's check knows each offer"
        return row["day"] in days.get(offer["place"], ()) and (
            offer["booked"] == "true" or row["left"] != "0"
        )
    return True


def days_of(specs: Iterable[PageSpec], place: str) -> list[str]:
    """Return the days with booking or reservation pages of a place."""
    kinds = ("booking", "reservation")
    return sorted({day for spec in specs if spec.of == place and spec.kind in kinds for day in spec.days})
