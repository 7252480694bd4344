"""Facts that decide a task's verdict, and the fewest pages that show all of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from planspec.api.judging import Judge
from planspec.families.worldtravel.webscape.facts import Cue
from planspec.families.worldtravel.webscape.plan_of_site import PageSpec
from planspec.families.worldtravel.webscape.rendering import Page, Press
from planspec.families.worldtravel.webscape.tables import Tables
from planspec.verifiers.environment.decisive_facts import VerdictDependencies, WorldFact
from planspec.verifiers.environment.other_worlds import OtherWorld

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
_BY_OTHERS = {"spot": ("place", "hotel"), "includes": ("offer",)}
"""Tables that no page shows, with the columns that link their rows to rows on pages."""
_WORDS = re.compile(r"(?<=[a-z])(?=[A-Z])")


class Need(NamedTuple):
    """A cell of the world's files that a page must show. Without a column, any cell of the row will do.

    The column is None for facts that a page implies by silence (a ticket is not for students) or states in
    its heading (the day).
    """

    file: str
    line: int
    column: str | None


def need_of(tables: Tables, fact: WorldFact) -> Need | None:
    """Return the need that a page must meet to show a fact, or None if pages do not show such facts.

    A spot is shown by its place or hotel, and the contents of a ticket are shown by the ticket.

    Args:
        tables: tables of the world.
        fact: fact of a task in this world.
    """
    if fact.row is None:
        return None
    name = _WORDS.sub("_", fact.name).lower()
    rows = tables.rows(name)
    if fact.row._index >= len(rows):
        return None
    row = rows[fact.row._index]
    if name in _BY_OTHERS:
        others = (tables.row_where(table, id=row[table]) for table in _BY_OTHERS[name] if row[table])
        other = next((row_ for row_ in others if row_ is not None), None)
        return None if other is None else Need(other.file, other.line, None)
    if name not in SHOWN_COLUMNS:
        return None
    is_shown = (
        fact.column is not None and fact.column in SHOWN_COLUMNS[name] and row.get(fact.column, "") not in (*SILENT, "0min")
    )  # fmt: skip
    return Need(row.file, row.line, fact.column if is_shown else None)


def needs(judge: Judge, tables: Tables) -> set[Need]:
    """Return the needs for the facts that decide the verdict on the reference, as far as pages show them.

    Args:
        judge: judge of a task with a reference.
        tables: tables of the task's world.

    Raises:
        ValueError: the task has no reference.
    """
    plan = judge.reference_plan()
    if plan is None:
        raise ValueError(f"`{judge.task.id}` has no reference")
    resting = VerdictDependencies(judge.task, OtherWorld(judge.task), plan)
    located = ((fact, need_of(tables, fact)) for fact in resting.facts())
    return {
        need
        for fact, need in located
        if need is not None and any(True for _ in resting.decisive_values(fact))
    }


@dataclass(frozen=True, slots=True)
class PageFacts:
    """The needs that a page meets.

    Attributes:
        cues: cue of each cell on the page, and cue of the first cell for each row.
    """

    cues: Mapping[Need, Cue]

    @classmethod
    def of_page(cls, page: Page) -> PageFacts:
        """Return the needs that a page meets."""
        cues: dict[Need, Cue] = {}
        for fact in page.facts:
            cues.setdefault(Need(*fact.cell), fact.cue)
            cues.setdefault(Need(fact.cell.file, fact.cell.line, None), fact.cue)
        return cls(cues)


@dataclass(frozen=True, slots=True)
class FewestPages:
    """A smallest set of pages that meets all needs of a task.

    Attributes:
        pages: the set; None if the search found none within its limit.
        proved: whether the set is proved to be a smallest one.
        uncovered: needs that no page meets.
    """

    pages: tuple[PageSpec, ...] | None
    proved: bool
    uncovered: tuple[Need, ...]


def fewest_pages(
    required: Iterable[Need], page_facts: Sequence[tuple[PageSpec, PageFacts]], *, seconds: float = 10.0
) -> FewestPages:
    """Return a smallest set of pages that meets all needs. CP-SAT solves this set cover.

    Args:
        required: needs to meet.
        page_facts: pages of a city, each with the needs that it meets.
        seconds: time limit of the search, in seconds.
    """
    from ortools.sat.python import cp_model

    from planspec.solvers.backends.cpsat.solver import new_solver

    needed = set(required)
    candidates = _useful_pages(needed, page_facts)
    pages_by_need = {
        need: [n for n, (_, covers) in enumerate(candidates) if need in covers]
        for need in sorted(needed, key=str)
    }
    model = cp_model.CpModel()
    taken = [model.new_bool_var(spec.path) for spec, _ in candidates]
    for pages in pages_by_need.values():
        if pages:
            model.add_bool_or([taken[n] for n in pages])
    model.minimize(sum(taken))
    solver = new_solver(seconds=seconds)
    status = solver.solve(model)
    is_solved = status in (cp_model.OPTIMAL, cp_model.FEASIBLE)
    return FewestPages(
        tuple(spec for n, (spec, _) in enumerate(candidates) if solver.boolean_value(taken[n])) if is_solved else None,
        status == cp_model.OPTIMAL, tuple(need for need, pages in pages_by_need.items() if not pages),
    )  # fmt: skip


def _useful_pages(
    needed: set[Need], page_facts: Sequence[tuple[PageSpec, PageFacts]]
) -> list[tuple[PageSpec, frozenset[Need]]]:
    """Return the useful pages, each with the needs that it meets.

    A page is dropped if another page meets the same needs and more.
    """
    first: dict[frozenset[Need], PageSpec] = {}
    for spec, page in page_facts:
        first.setdefault(frozenset(needed & page.cues.keys()), spec)
    return [
        (spec, covers)
        for covers, spec in first.items()
        if covers and not any(covers < other for other in first)
    ]


def facts_by_page(press: Press) -> list[tuple[PageSpec, PageFacts]]:
    """Return the pages of a city, each with the needs that it meets."""
    return [(page.spec, PageFacts.of_page(page)) for page in press.pages()]
