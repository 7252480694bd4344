"""Provenance of documents, derived from their voice and their subject."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta

from planspec.families.veritrip.corpus.draft import DocumentDraft
from planspec.families.veritrip.corpus.provenance import (
    Basis,
    CitedDocument,
    Provenance,
    imprint,
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
    "Slow Shoes", "Window Seat", "Two Spoons", "The Long Way Round", "Maps and Buns", "Postcards Home", "Second Breakfast", "Off Peak",
)  # fmt: skip
"""Names of publishers. They do not reveal whether the publisher can be trusted."""
RAILWAY = "Railway timetable office"
_OPERATORS = ("official site", "railway timetable", "station notice", "airport timetable", "airline site")
_REGISTERS = ("booking portal", "dining portal", "city directory", "map notes")
_NOTICE = "news notice"
_DAYS_IN_FORCE = 5, 120
"""Bounds of the number of days before the first trip on which true notices came into force."""


def airport_of(city: str) -> str:
    """Return the name of the publisher of a city's flights."""
    return f"Airport of {city}"


def sign_drafts(drafts: Sequence[DocumentDraft], stated: int, seed: int, first: date) -> None:
    """Give each draft a provenance.

    Args:
        drafts: drafts of a corpus.
        stated: number of drafts at the start that together state every fact. Their basis is `operator` or
            `register`.
        seed: seed of the choices.
        first: first day of travel.
    """
    official: dict[tuple[str, str], DocumentDraft] = {}
    for number, draft in enumerate(drafts):
        chance = random.Random(f"{seed}|imprint|{number}")
        draft.source = source = _draw_source(draft, number < stated, chance, first, official)
        if number < stated and draft.claims and source.basis == "operator":
            official.setdefault(draft.claims[0][:2], draft)


def append_imprints(drafts: Sequence[DocumentDraft]) -> None:
    """Append an imprint to each draft. All titles and texts must be final."""
    for draft in drafts:
        source, passed_on = draft.source, draft.passed_on
        if source is None:
            continue
        if passed_on is not None and passed_on.source is not None:
            cited = CitedDocument(passed_on.title, passed_on.source.publisher, passed_on.published)
            source = replace(source, cited=cited)
        draft.blocks.append(imprint(source, language_of(draft.text())))


def _draw_source(
    draft: DocumentDraft, stated: bool, chance: random.Random, first: date, official: dict[tuple[str, str], DocumentDraft]
) -> Provenance:  # fmt: skip
    subject, city = draft.claims[0][:2] if draft.claims else ("", draft.city)
    since = min(draft.published, first - timedelta(days=chance.randint(*_DAYS_IN_FORCE)))
    if not all(true for *_, true in draft.claims) and draft.origin in _REGISTERS:
        return Provenance(
            chance.choice(AGENCIES),
            "register",
            since - timedelta(days=90),
            min(since + timedelta(days=200), first - timedelta(days=2)),
        )
    if draft.origin in _OPERATORS:
        return Provenance(_operator_name(draft, subject), "operator", since)
    if draft.origin == _NOTICE:
        passed_on = official.get((subject, city))
        if passed_on is not None and _is_confirmed_by(draft, passed_on):
            draft.passed_on = passed_on
            return Provenance(f"{draft.city} Courier", "reprint")
        return Provenance(f"Tourist office of {draft.city}", "register", since)
    if stated or draft.origin in _REGISTERS:
        return Provenance(chance.choice(AGENCIES), "register", since)
    basis: Basis = "visit" if chance.random() < 0.8 else "hearsay"
    return Provenance(chance.choice(WRITERS), basis)


def _operator_name(draft: DocumentDraft, subject: str) -> str:
    if draft.kind != "transport":
        return subject
    return airport_of(draft.city) if draft.origin.startswith("air") else RAILWAY


def _is_confirmed_by(draft: DocumentDraft, other: DocumentDraft) -> bool:
    """Return whether another draft makes all claims of a draft."""
    return set(draft.claims) <= set(other.claims)
