"""Parser of pages. It returns the value that a page shows for each fact, and the cells of the world that no page
shows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from planspec.families.worldtravel.webscape.extracting import PageElement
from planspec.families.worldtravel.webscape.facts import FEW, ShownFact, set_members
from planspec.families.worldtravel.webscape.forms import parse_cell, parse_text
from planspec.families.worldtravel.webscape.needed import SHOWN_COLUMNS, SILENT
from planspec.families.worldtravel.webscape.plan_of_site import PageSpec
from planspec.families.worldtravel.webscape.rendering import Page
from planspec.families.worldtravel.webscape.sites import Site
from planspec.families.worldtravel.webscape.tables import Tables, WorldCell, WorldRow


def shown_value(fact: ShownFact, page_elements: list[PageElement], site: Site) -> Any:
    """Return the value or state that a page shows for a fact. Values have the form that `forms.parse_cell` returns.

    Raises:
        ValueError: the text is not in the site's notation, or the classes show no single state.
    """
    element = page_elements[fact.element]
    if fact.form is not None:
        return parse_text(fact.form, element.text, site.notation)
    states = [
        state for token in element.attributes.get("class", "").split() if (state := site.state(token)) is not None
    ]
    if len(states) != 1:
        raise ValueError(f"the classes `{element.attributes.get('class', '')}` tell {states or 'nothing'}")
    return states[0]


def expected_value(fact: ShownFact, cell: str) -> Any:
    """Return the value or state that a page must show for a fact, given the text of its cell."""
    if fact.member is not None:
        cell = set_members(cell)[fact.member]
    if fact.form is not None:
        return parse_cell(fact.form, cell)
    if fact.cell.column == "left":
        number = int(cell)
        return "gone" if number == 0 else "few" if number <= FEW else "free"
    return cell


def missing_cells(tables: Tables, pages: Iterable[Page]) -> list[WorldCell]:
    """Return the cells that should be on a page but are not.

    Rows of days without booking pages, and sold-out starts that need no booking, need not be on a page.

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
                required = set(range(len(set_members(row[column])))) if column in ("features", "subtitles") else {None}
                if not required <= shown_members:
                    missing.append(row.at(column))
    return missing


def _should_be_shown(tables: Tables, name: str, row: WorldRow, days: Mapping[str, set[str]]) -> bool:
    """Return whether some page must show a row. Rows of days without pages need not be shown."""
    if name == "window":
        return row["day"] in days.get(row["place"], ())
    if name == "part_window":
        part = tables.row_where("part", id=row["part"])
        return part is not None and row["day"] in days.get(part["place"], ())
    if name == "entry":
        offer = tables.row_where("offer", id=row["offer"])
        assert offer is not None, "the world's check knows each offer"
        return row["day"] in days.get(offer["place"], ()) and (offer["booked"] == "true" or row["left"] != "0")
    return True


def days_of(specs: Iterable[PageSpec], place: str) -> list[str]:
    """Return the days for which a place has booking or reservation pages, in order."""
    kinds = ("booking", "reservation")
    return sorted({day for spec in specs if spec.subject == place and spec.kind in kinds for day in spec.days})
