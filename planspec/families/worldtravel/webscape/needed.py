"""What a task needs of a city's pages: where the facts stand on which the verdict on a plan rests, and the fewest pages that tell them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from planspec.api.judging import Judge
from planspec.families.worldtravel.webscape.coverage import SILENT, TOLD
from planspec.families.worldtravel.webscape.facts import Cue
from planspec.families.worldtravel.webscape.plan_of_site import PageSpec
from planspec.families.worldtravel.webscape.rendering import Page, Press
from planspec.families.worldtravel.webscape.tables import Tables
from planspec.verifiers.environment.decisive_facts import RestingVerdict, WorldFact
from planspec.verifiers.environment.other_worlds import OtherWorld

_BY_OTHERS = {"spot": ("place", "hotel"), "includes": ("offer",)}
"""Tables of which no page tells a cell, with the columns by which they belong to a row that pages tell of."""
_WORDS = re.compile(r"(?<=[a-z])(?=[A-Z])")


class Need(NamedTuple):
    """A cell of the world's files; without a column the row, of which a page has to tell something.

    What a page says by its silence, such as that a ticket is not for students, and what its heading says, such as the day, is
    told by any page that tells of the row.
    """

    file: str
    line: int
    column: str | None


def need_of(tables: Tables, fact: WorldFact) -> Need | None:
    """Where a fact stands in the world's files; None of what a task itself says.

    A spot is a place or a hotel by another name, and what a ticket includes is told with the ticket.

    Args:
        tables: of the world.
        fact: of a task in it.
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
        other = next((one for one in others if one is not None), None)
        return None if other is None else Need(other.file, other.line, None)
    if name not in TOLD:
        return None
    told = (
        fact.column is not None and fact.column in TOLD[name] and row.get(fact.column, "") not in (*SILENT, "0min")
    )  # fmt: skip
    return Need(row.file, row.line, fact.column if told else None)


def needs(judge: Judge, tables: Tables) -> set[Need]:
    """What the verdict on the author's plan rests on, of what pages can tell.

    Args:
        judge: of a task with a reference.
        tables: of its world.

    Raises:
        ValueError: the task has no reference.
    """
    plan = judge.reference_plan()
    if plan is None:
        raise ValueError(f"`{judge.task.id}` has no reference")
    resting = RestingVerdict(judge.task, OtherWorld(judge.task), plan)
    found = ((fact, need_of(tables, fact)) for fact in resting.facts())
    return {need for fact, need in found if need is not None and any(True for _ in resting.decisive(fact))}


@dataclass(frozen=True, slots=True)
class Told:
    """What a page tells.

    Attributes:
        cues: by which a reader sees each cell, and the first one of each row.
    """

    cues: Mapping[Need, Cue]

    @classmethod
    def by(cls, page: Page) -> Told:
        """What a page tells, by its facts."""
        cues: dict[Need, Cue] = {}
        for fact in page.facts:
            cues.setdefault(Need(*fact.cell), fact.cue)
            cues.setdefault(Need(fact.cell.file, fact.cell.line, None), fact.cue)
        return cls(cues)


@dataclass(frozen=True, slots=True)
class FewestPages:
    """The fewest pages that tell all that a task needs.

    Attributes:
        pages: some that do; None where the search was not ended.
        proved: that there are no fewer.
        untold: needs that no page tells.
    """

    pages: tuple[PageSpec, ...] | None
    proved: bool
    untold: tuple[Need, ...]


def fewest_pages(
    wanted: Iterable[Need], told: Sequence[tuple[PageSpec, Told]], *, seconds: float = 10.0
) -> FewestPages:
    """A least set of pages that tells all needs: a set cover, by CP-SAT.

    Args:
        wanted: the needs.
        told: the pages of a city, each with what it tells.
        seconds: of the search.
    """
    from ortools.sat.python import cp_model

    from planspec.solvers.backends.cpsat.solver import new_solver

    sought = set(wanted)
    candidates = _useful(sought, told)
    by = {
        need: [n for n, (_, covers) in enumerate(candidates) if need in covers]
        for need in sorted(sought, key=str)
    }
    model = cp_model.CpModel()
    taken = [model.new_bool_var(spec.path) for spec, _ in candidates]
    for pages in by.values():
        if pages:
            model.add_bool_or([taken[n] for n in pages])
    model.minimize(sum(taken))
    solver = new_solver(seconds=seconds)
    status = solver.solve(model)
    found = status in (cp_model.OPTIMAL, cp_model.FEASIBLE)
    return FewestPages(
        tuple(spec for n, (spec, _) in enumerate(candidates) if solver.boolean_value(taken[n])) if found else None,
        status == cp_model.OPTIMAL, tuple(need for need, pages in by.items() if not pages),
    )  # fmt: skip


def _useful(
    sought: set[Need], told: Sequence[tuple[PageSpec, Told]]
) -> list[tuple[PageSpec, frozenset[Need]]]:
    """The pages that tell something of what is needed, with what: of those that tell no more than another one, only that one."""
    first: dict[frozenset[Need], PageSpec] = {}
    for spec, page in told:
        first.setdefault(frozenset(sought & page.cues.keys()), spec)
    return [
        (spec, covers)
        for covers, spec in first.items()
        if covers and not any(covers < other for other in first)
    ]


def told_by(press: Press) -> list[tuple[PageSpec, Told]]:
    """What each page of a city tells."""
    return [(page.spec, Told.by(page)) for page in press.pages()]
