"""Assignment of a provenance (publisher, basis, days in force) and closing sentences to each document."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta

from planspec.families.veritrip.corpus.closing import closing
from planspec.families.veritrip.corpus.draft import DocumentDraft
from planspec.families.veritrip.corpus.provenance import (
    Basis,
    CitedDocument,
    Provenance,
    language_of,
)

AGENCIES = (
    "Wayfare",
    "Tripline",
    "Ticketharbour",
    "Roomfinder",
    "Ostrich Travel",
    "Cityhopper",
    "Farewell Tickets",
    "Blue Suitcase",
)
WRITERS = (
    "Slow Shoes",
    "Window Seat",
    "Two Spoons",
    "The Long Way Round",
    "Maps and Buns",
    "Postcards Home",
    "Second Breakfast",
    "Off Peak",
)
"""Names of publishers. A name does not reveal whether its publisher can be trusted."""
RAILWAY = "Railway timetable office"
_OPERATORS = ("official site", "railway timetable", "station notice", "airport timetable", "airline site")
_REGISTERS = ("booking portal", "dining portal", "city directory", "map notes")
_NOTICE = "news notice"
_DAYS_IN_FORCE = 5, 120
"""Minimum and maximum number of days from the coming into force of a true notice to the first day of travel."""


def airport_of(city: str) -> str:
    """Return the name of a city's airport, such as `Airport of Boston`, which publishes the city's flights."""
    return f"Airport of {city}"


def assign_provenances(drafts: Sequence[DocumentDraft], official_count: int, seed: int, first_travel_day: date) -> None:
    """Assign a provenance (publisher, basis of its knowledge, days in force) to each draft.

    Args:
        drafts: drafts of a corpus.
        official_count: number of official drafts. The first `official_count` drafts together state every
            fact, and get the basis `operator` or `register`.
        seed: seed of the choices.
        first_travel_day: first day of travel.
    """
    official: dict[tuple[str, str], DocumentDraft] = {}
    for number, draft in enumerate(drafts):
        rng = random.Random(f"{seed}|imprint|{number}")
        draft.source = source = _draw_source(draft, number < official_count, rng, first_travel_day, official)
        if number < official_count and draft.claims and source.basis == "operator":
            official.setdefault(draft.claims[0][:2], draft)


def append_closings(drafts: Sequence[DocumentDraft]) -> None:
    """Append sentences on its provenance to each draft that has one. All titles and texts must be final."""
    for number, draft in enumerate(drafts):
        source, reprinted = draft.source, draft.reprinted
        if source is None:
            continue
        if reprinted is not None and reprinted.source is not None:
            cited = CitedDocument(reprinted.title, reprinted.source.publisher, reprinted.published)
            source = replace(source, cited=cited)
        draft.blocks.append(closing(source, language_of(draft.text()), number))


def _draw_source(
    draft: DocumentDraft,
    is_official: bool,
    rng: random.Random,
    first_travel_day: date,
    official: dict[tuple[str, str], DocumentDraft],
) -> Provenance:
    subject, city = draft.claims[0][:2] if draft.claims else ("", draft.city)
    since = min(draft.published, first_travel_day - timedelta(days=rng.randint(*_DAYS_IN_FORCE)))
    if not all(true for *_, true in draft.claims) and draft.origin in _REGISTERS:
        return Provenance(
            rng.choice(AGENCIES),
            "register",
            since - timedelta(days=90),
            min(since + timedelta(days=200), first_travel_day - timedelta(days=2)),
        )
    if draft.origin in _OPERATORS:
        return Provenance(_operator_name(draft, subject), "operator", since)
    if draft.origin == _NOTICE:
        reprinted = official.get((subject, city))
        if reprinted is not None and _is_confirmed_by(draft, reprinted):
            draft.reprinted = reprinted
            return Provenance(f"{draft.city} Courier", "reprint")
        return Provenance(f"Tourist office of {draft.city}", "register", since)
    if is_official or draft.origin in _REGISTERS:
        return Provenance(rng.choice(AGENCIES), "register", since)
    basis: Basis = "visit" if rng.random() < 0.8 else "hearsay"
    return Provenance(rng.choice(WRITERS), basis)


def _operator_name(draft: DocumentDraft, subject: str) -> str:
    if draft.kind != "transport":
        return subject
    return airport_of(draft.city) if draft.origin.startswith("air") else RAILWAY


def _is_confirmed_by(draft: DocumentDraft, other: DocumentDraft) -> bool:
    """Return whether `other` makes all claims of `draft`."""
    return set(draft.claims) <= set(other.claims)
