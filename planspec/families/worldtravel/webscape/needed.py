"""Facts that decide a task's verdict, and the fewest pages that show all of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from planspec.api.judging import Judge
from planspec.families.worldtravel.webscape.facts import Cue
from planspec.families.worldtravel.webscape.plan_of_site import PageSpec
from planspec.families.worldtravel.webscape.rendering import Page, PageRenderer
from planspec.families.worldtravel.webscape.tables import Tables
from planspec.verifiers.environment.decisive_facts import VerdictDependencies, WorldFact
from planspec.verifiers.environment.other_worlds import WorldVariants

SHOWN_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "place": ("name", "area", "about", "composite"),
    "hotel": ("name", "area", "about", "stars", "rate", "features"),
    "offer": ("name", "booked", "ahead", "guided", "length"),
    "fare": ("name", "price", "from_age", "to_age", "eu", "student"),
    "family_ticket": ("price", "adults", "children"),
    "addon": ("name", "price"),
    "menu": ("course", "price"),
    "show": ("title", "genre", "language", "subtitles", "introduction", "length"),
    "running": ("genre", "length"),
    "light": ("from", "until"),
    "part": ("name", "steps", "least", "most"),
    "route": ("name", "colour", "least", "most"),
    "passes": ("part",),
    "city_pass": ("name", "price"),
    "covers": ("place", "rank"),
    "dwell": ("style", "profile", "least", "most"),
    "window": ("open", "close"),
    "part_window": ("open", "close"),
    "entry": ("at", "left", "language"),
    "leg": ("time", "cost"),
}
"""Columns that pages show, by table."""
SILENT = ("", "false")
"""Values that a page implies by leaving them out. The column `booked` is an exception: both its values are shown."""
_OWNER_COLUMNS = {"spot": ("place", "hotel"), "includes": ("offer",)}
"""Tables that no page shows, with the columns that link their rows to rows on pages."""
_WORDS = re.compile(r"(?<=[a-z])(?=[A-Z])")


class NeededCell(NamedTuple):
    """A cell of the city's tables that a page must show.

    Attributes:
        file: name of the file.
        line: line of the row.
        column: column of the cell. None if any cell of the row is enough: the page implies the fact by leaving it out
            (a ticket is not for students), or states it in its heading (the day).
    """

    file: str
    line: int
    column: str | None


def needed_cell(tables: Tables, fact: WorldFact) -> NeededCell | None:
    """Return the cell that a page must show for an agent to know a fact, or None if pages never show such facts.

    No page shows the table `spot`, so the cell of a place or hotel is returned instead. Likewise, the contents of a
    ticket (`includes`) are in the row of the ticket.

    Args:
        tables: tables of the city.
        fact: fact of a task in this city.
    """
    if fact.row is None:
        return None
    name = _WORDS.sub("_", fact.name).lower()
    rows = tables.rows(name)
    if fact.row._index >= len(rows):
        return None
    row = rows[fact.row._index]
    if name in _OWNER_COLUMNS:
        others = (tables.row_where(table, id=row[table]) for table in _OWNER_COLUMNS[name] if row[table])
        other = next((row_ for row_ in others if row_ is not None), None)
        return None if other is None else NeededCell(other.file, other.line, None)
    if name not in SHOWN_COLUMNS:
        return None
    is_shown = (
        fact.column is not None
        and fact.column in SHOWN_COLUMNS[name]
        and row.get(fact.column, "") not in (*SILENT, "0min")
    )
    return NeededCell(row.file, row.line, fact.column if is_shown else None)


def needed_cells(judge: Judge, tables: Tables) -> set[NeededCell]:
    """Return the cells that pages must show for an agent to know all facts that decide the verdict.

    Facts of kinds that no page shows are left out.

    Args:
        judge: judge of a task with a reference.
        tables: tables of the task's city.

    Raises:
        ValueError: the task has no reference.
    """
    plan = judge.reference_plan()
    if plan is None:
        raise ValueError(f"`{judge.task.id}` has no reference")
    resting = VerdictDependencies(judge.task, WorldVariants(judge.task), plan)
    located = ((fact, needed_cell(tables, fact)) for fact in resting.facts())
    return {cell for fact, cell in located if cell is not None and any(True for _ in resting.decisive_values(fact))}


@dataclass(frozen=True, slots=True)
class PageFacts:
    """Cells that a page shows, with their cues (ways in which they are shown).

    Attributes:
        cues: cue of each cell on the page. A `NeededCell` without a column has the cue of the first cell of its row.
    """

    cues: Mapping[NeededCell, Cue]

    @classmethod
    def of_page(cls, page: Page) -> PageFacts:
        """Return the cells that a page shows, with their cues (ways in which they are shown)."""
        cues: dict[NeededCell, Cue] = {}
        for fact in page.facts:
            cues.setdefault(NeededCell(*fact.cell), fact.cue)
            cues.setdefault(NeededCell(fact.cell.file, fact.cell.line, None), fact.cue)
        return cls(cues)


@dataclass(frozen=True, slots=True)
class FewestPages:
    """A smallest set of pages that together show all cells needed for a task.

    Attributes:
        pages: pages of the set; None if the search found none in time.
        proved: whether the set is proved to be a smallest one.
        uncovered: needed cells that no page shows.
    """

    pages: tuple[PageSpec, ...] | None
    proved: bool
    uncovered: tuple[NeededCell, ...]


def fewest_pages(
    required: Iterable[NeededCell], page_facts: Sequence[tuple[PageSpec, PageFacts]], *, seconds: float = 10.0
) -> FewestPages:
    """Return a smallest set of pages that together show all needed cells. CP-SAT solves this set cover.

    Args:
        required: needed cells.
        page_facts: pages of a city, each with the cells that it shows.
        seconds: time limit of the search, in seconds.
    """
    from ortools.sat.python import cp_model

    from planspec.solvers.backends.cpsat.solver import new_solver

    needed = set(required)
    candidates = _useful_pages(needed, page_facts)
    pages_by_cell = {
        cell: [n for n, (_, covers) in enumerate(candidates) if cell in covers] for cell in sorted(needed, key=str)
    }
    model = cp_model.CpModel()
    is_chosen = [model.new_bool_var(spec.path) for spec, _ in candidates]
    for pages in pages_by_cell.values():
        if pages:
            model.add_bool_or([is_chosen[n] for n in pages])
    model.minimize(sum(is_chosen))
    solver = new_solver(seconds=seconds)
    status = solver.solve(model)
    is_solved = status in (cp_model.OPTIMAL, cp_model.FEASIBLE)
    return FewestPages(
        tuple(spec for n, (spec, _) in enumerate(candidates) if solver.boolean_value(is_chosen[n]))
        if is_solved
        else None,
        status == cp_model.OPTIMAL,
        tuple(cell for cell, pages in pages_by_cell.items() if not pages),
    )


def _useful_pages(
    needed: set[NeededCell], page_facts: Sequence[tuple[PageSpec, PageFacts]]
) -> list[tuple[PageSpec, frozenset[NeededCell]]]:
    """Return the pages that show needed cells, each with the needed cells that it shows.

    A page is left out if another page shows the same needed cells and more.
    """
    first: dict[frozenset[NeededCell], PageSpec] = {}
    for spec, page in page_facts:
        first.setdefault(frozenset(needed & page.cues.keys()), spec)
    return [(spec, covers) for covers, spec in first.items() if covers and not any(covers < other for other in first)]


def facts_by_page(renderer: PageRenderer) -> list[tuple[PageSpec, PageFacts]]:
    """Return the pages of a city, each with the table cells that it shows."""
    return [(page.spec, PageFacts.of_page(page)) for page in renderer.pages()]
