"""Lists of several attractions of a city, with prices, opening hours and durations of visits."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from planspec.families.veritrip.corpus.attraction_pages import (
    closing_days_sentence,
    hours_sentence,
    ticket_sentence,
    visit_sentence,
)
from planspec.families.veritrip.corpus.draft import DocumentDraft
from planspec.families.veritrip.corpus.filler import PORTAL
from planspec.families.veritrip.facts import Attraction

SIGHTS_PER_LIST = 8


def write_price_list(draft: DocumentDraft, sights: Sequence[Attraction]) -> None:
    """Write the price list of a booking portal, a city directory or an official site."""
    city = sights[0].city
    draft.origin = draft.pick(("booking portal", "city directory", "official site"))
    draft.publish_between(date(2025, 6, 1), date(2025, 10, 10))
    first, last = sights[0].name, sights[-1].name
    draft.title = draft.pick(
        (
            f"{city}: tickets and hours from {first} to {last}",
            f"Price list of {len(sights)} sights in {city}: {first} and others",
            f"What {city} costs: {first}, {last} and more",
        )
    )
    draft.add_paragraph(
        draft.pick(
            (
                f"Tickets and opening hours of {len(sights)} sights in {city}.",
                f"This page lists sights of {city} with all that visitors ask for.",
            )
        )
    )
    for sight in sights:
        draft.add_claim(sight.name, city, "existence", "true")
        parts = [
            writer(draft, sight, "portal")
            for writer in (ticket_sentence, hours_sentence, closing_days_sentence, visit_sentence)
        ]
        draft.add_paragraph(f"{sight.name}\n" + "; ".join(parts))
    draft.fill(PORTAL, max(60, draft.words() + 15))
