"""Facts that decide a task's verdict, their pages, and the fewest pages that show them all."""

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
from planspec.verifiers.environment.decisive_facts import RestingVerdict, WorldFact
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
"""Columns shown on pages, by table."""
SILENT = ("", "false")
"""Cell values that need no text; for `booked` both values are shown."""
_BY_OTHERS = {"spot": ("place", "hotel"), "includes": ("offer",)}
"""Tables without cells on pages, with the columns that link them to rows on pages."""
_WORDS = re.compile(r"(?<=[a-z])(?=[A-Z])")


class Need(NamedTuple):
    """A cell of the world's files; without a column, any cell of the row.

    Facts that a page implies by silence (a ticket is not for students) or states in its heading (the day) are
    shown by any page with a cell of the row.
    """

    file: str
    line: int
    column: str | None


def need_of(tables: Tables, fact: WorldFact) -> Need | None:
    """Return the place of a fact in the world's files, or None if the task itself states it.

    A spot stands for its place or hotel, and the contents of a ticket are shown with the ticket.

    Args:
        tables: tables of the world.
        fact: fact of a task in it.
    """
    if fact.row is None:
        return None
    name = _WORDS.sub("_", fact.name).lower()
    rows = tables.rows(name)
    if fact.row._index >= len(rows):
        return None
    row = rows[fact.row._index]
    if name in _BY_OTHERS:
        others = (tables.one(table, id=row[table]) for table in _BY_OTHERS[name] if row[table])
        other = next((row_ for row_ in others if row_ is not None), None)
        return None if other is None else Need(other.file, other.line, None)
    if name not in SHOWN_COLUMNS:
        return None
    is_shown = (
        fact.column is not None and fact.column in SHOWN_COLUMNS[name] and row.get(fact.column, "") not in (*SILENT, "0min")
    )  # fmt: skip
    return Need(row.file, row.line, fact.column if is_shown else None)


def needs(judge: Judge, tables: Tables) -> set[Need]:
    """Return the facts that decide the verdict on the author's plan, as far as pages can show them.

    Args:
        judge: judge of a task with a reference.
        tables: tables of its world.

    Raises:
        ValueError: the task has no reference.
    """
    plan = judge.reference_plan()
    if plan is None:
        raise ValueError(f"`{judge.task.id}` has no reference")
    resting = RestingVerdict(judge.task, OtherWorld(judge.task), plan)
    located = ((fact, need_of(tables, fact)) for fact in resting.facts())
    return {need for fact, need in located if need is not None and any(True for _ in resting.decisive(fact))}


@dataclass(frozen=True, slots=True)
class PageFacts:
    """The facts on a page.

    Attributes:
        cues: presentation of each cell, and of the first cell of each row.
    """

    cues: Mapping[Need, Cue]

    @classmethod
    def of_page(cls, page: Page) -> PageFacts:
        """Return the facts on a page."""
        cues: dict[Need, Cue] = {}
        for fact in page.facts:
            cues.setdefault(Need(*fact.cell), fact.cue)
            cues.setdefault(Need(fact.cell.file, fact.cell.line, None), fact.cue)
        return cls(cues)


@dataclass(frozen=True, slots=True)
class FewestPages:
    """The fewest pages with all facts that a task needs.

    Attributes:
        pages: a smallest set of pages; None if the search was cut off.
        proved: whether it is proved minimal.
        uncovered: needs that no page shows.
    """

    pages: tuple[PageSpec, ...] | None
    proved: bool
    uncovered: tuple[Need, ...]


def fewest_pages(
    required: Iterable[Need], page_facts: Sequence[tuple[PageSpec, PageFacts]], *, seconds: float = 10.0
) -> FewestPages:
    """Return a smallest set of pages that shows all needs: a set cover, by CP-SAT.

    Args:
        required: the needs.
        page_facts: pages of a city, each with its facts.
        seconds: time limit of the search.
    """
    from ortools.sat.python import cp_model

    from planspec.solvers.backends.cpsat.solver import new_solver

    needed = set(required)
    candidates = _useful(needed, page_facts)
    by = {
        need: [n for n, (_, covers) in enumerate(candidates) if need in covers]
        for need in sorted(needed, key=str)
    }
    model = cp_model.CpModel()
    taken = [model.new_bool_var(spec.path) for spec, _ in candidates]
    for pages in by.values():
        if pages:
            model.add_bool_or([taken[n] for n in pages])
    model.minimize(sum(taken))
    solver = new_solver(seconds=seconds)
    status = solver.solve(model)
    is_solved = status in (cp_model.OPTIMAL, cp_model.FEASIBLE)
    return FewestPages(
        tuple(spec for n, (spec, _) in enumerate(candidates) if solver.boolean_value(taken[n])) if is_solved else None,
        status == cp_model.OPTIMAL, tuple(need for need, pages in by.items() if not pages),
    )  # fmt: skip


def _useful(
    needed: set[Need], page_facts: Sequence[tuple[PageSpec, PageFacts]]
) -> list[tuple[PageSpec, frozenset[Need]]]:
    """Return the useful pages with the needs that they show.

    A page that shows no more than another is dropped.
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
    """Return the facts on each page of a city."""
    return [(page.spec, PageFacts.of_page(page)) for page in press.pages()]
