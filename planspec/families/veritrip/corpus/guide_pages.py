"""City guides: numbered days with sights, a table for the evening, and the number of likes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from planspec.families.veritrip.corpus.attraction_pages import ended
from planspec.families.veritrip.corpus.dining_pages import described
from planspec.families.veritrip.corpus.draft import DocumentDraft
from planspec.families.veritrip.corpus.filler import GUIDE
from planspec.families.veritrip.corpus.surface import (
    DAY,
    capital,
    day,
    hhmm,
    listed,
    money,
    plural_days,
    span,
    spoken,
    weekday_names,
)
from planspec.families.veritrip.facts import Attraction, Hotel, Restaurant

_COUNTS = ("One day", "Two days", "Three days", "Four days")


@dataclass(frozen=True, slots=True)
class GuideTown:
    """A city with the choices of a guide; it has at least one sight."""

    city: str
    sights: Sequence[Attraction]
    tables: Sequence[Restaurant]
    beds: Sequence[Hotel]


def write_guide(draft: DocumentDraft, town: GuideTown) -> None:
    """Write an itinerary of one to four days; every place in it exists, and every statement is true."""
    city = town.city
    draft.origin = draft.pick(("city guide", "personal blog", "travel community"))
    draft.dated(date(2024, 6, 1), date(2025, 10, 10))
    days = min(draft.chance.choice((2, 2, 3, 3, 3, 4)), len(town.sights))
    stops = min(2 if days > 2 else 3, len(town.sights) // days)
    sights = draft.chance.sample(town.sights, days * stops)
    tables = draft.chance.sample(town.tables, min(days, len(town.tables)))
    theme = sights[0].interests[0].lower() if sights[0].interests else "a bit of everything"
    draft.title = draft.pick(
        (
            f"{_COUNTS[days - 1]} in {city}: {sights[0].name} and more",
            f"{city} in {days} {'day' if days == 1 else 'days'}, a plan that works",
            f"{_COUNTS[days - 1]} in {city} for friends of {theme}",
            f"My {city} itinerary, tested with family",
            f"{city} for the first time: {listed([sight.name for sight in sights[:2]])}",
        )
    )
    likes = draft.chance.randint(101, 9800)
    draft.paragraph(
        draft.pick(
            (
                f"{likes:,} likes - {day(draft.published, draft.chance)}",
                f"Likes: {likes}. Posted {day(draft.published, draft.chance)}.",
            )
        )
    )
    draft.paragraph(
        draft.pick(
            (
                f"People keep asking me for my {city} plan, so here it is in writing.",
                f"This is how I would spend {_COUNTS[days - 1].lower()} in {city} with guests.",
                f"A route through {city} for people who like {theme} and do not like to hurry.",
                f"We did exactly this in {city} and would do it again.",
            )
        ),
        _bed(draft, town.beds),
    )
    for number in range(days):
        names = [sight.name for sight in sights[number * stops : (number + 1) * stops]]
        head = draft.pick((f"Day {number + 1}", f"Day {number + 1}: {listed(names)}"))
        lines = [
            f"{place}. {_stop(draft, sight, place)}"
            for place, sight in enumerate(sights[number * stops : (number + 1) * stops], 1)
        ]
        if number < len(tables):
            lines.append(f"{stops + 1}. {_table(draft, tables[number])}")
        draft.paragraph("\n".join([head, *lines]))
    draft.fill(GUIDE, max(90, draft.words() + 20))


def _bed(draft: DocumentDraft, beds: Sequence[Hotel]) -> str:
    if not beds or draft.chance.random() < 0.4:
        return ""
    hotel = draft.pick(beds)
    draft.claim(hotel.name, hotel.city, "existence", "true")
    return draft.pick((f"We stayed at {hotel.name}.", f"For the nights I suggest {hotel.name}."))


def _table(draft: DocumentDraft, place: Restaurant) -> str:
    draft.claim(place.name, place.city, "existence", "true")
    draft.claim(place.name, place.city, "cuisine", place.cuisine)
    text = draft.pick(
        (
            f"Dinner at {place.name}, {described(place)}.",
            f"Eat at {place.name}, {described(place)}.",
            f"In the evening {place.name}, {described(place)}.",
        )
    )
    if draft.chance.random() < 0.4:
        draft.claim(place.name, place.city, "price", place.price)
        text += f" Count on {money(place.price, draft.currency, draft.chance)} per person."
    return text


def _stop(draft: DocumentDraft, sight: Attraction, place: int) -> str:
    """Write a numbered stop with one or two facts."""
    draft.claim(sight.name, sight.city, "existence", "true")
    hour = ("Morning", "Midday", "Afternoon")[min(place - 1, 2)]
    head = draft.pick(
        (f"{sight.name}.", f"{hour}: {sight.name}.", f"{capital(sight.name)}!", f"Go to {sight.name}.")
    )
    writers = [_ticket, _hours, _closed, _visit]
    sentences = [
        writer(draft, sight) for writer in draft.chance.sample(writers, draft.chance.choice((1, 1, 2)))
    ]
    if draft.chance.random() < 0.4:
        sentences.append(ended(sight.introduction))
    return " ".join([head, *sentences])


def _ticket(draft: DocumentDraft, sight: Attraction) -> str:
    draft.claim(sight.name, sight.city, "ticket", sight.ticket)
    if sight.ticket == 0:
        return draft.pick(("Free entry.", "No ticket needed, it is free."))
    price = money(sight.ticket, draft.currency, draft.chance)
    return draft.pick((f"Ticket {price}.", f"The ticket is {price}.", f"Entry costs {price} each."))


def _hours(draft: DocumentDraft, sight: Attraction) -> str:
    draft.claim(sight.name, sight.city, "opens", hhmm(sight.opens))
    draft.claim(sight.name, sight.city, "closes", hhmm(sight.closes))
    if (sight.opens, sight.closes) == (0, DAY):
        return "Open 24 hours a day."
    opens, closes = spoken(sight.opens, draft.chance), spoken(sight.closes, draft.chance)
    return draft.pick((f"Open from {opens} to {closes}.", f"It opens at {opens} and closes at {closes}."))


def _closed(draft: DocumentDraft, sight: Attraction) -> str:
    draft.claim(sight.name, sight.city, "closed_on", weekday_names(sight.closed_on))
    if not sight.closed_on:
        return draft.pick(("Open every day.", "No closing day."))
    return draft.pick(
        (
            f"Closed on {plural_days(sight.closed_on)}!",
            f"Not on {plural_days(sight.closed_on)}, it is closed then.",
        )
    )


def _visit(draft: DocumentDraft, sight: Attraction) -> str:
    draft.claim(sight.name, sight.city, "visit", f"{sight.least}-{sight.most}")
    time = span(sight.least, sight.most, draft.chance)
    return draft.pick((f"Plan {time}.", f"You need {time} here."))
