"""City guides: numbered days with sights, a restaurant for the evening, and the number of likes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from planspec.families.veritrip.corpus.attraction_pages import with_full_stop
from planspec.families.veritrip.corpus.dining_pages import restaurant_phrase
from planspec.families.veritrip.corpus.draft import DocumentDraft
from planspec.families.veritrip.corpus.filler import GUIDE
from planspec.families.veritrip.corpus.surface import (
    DAY,
    capitalize,
    date_phrase,
    duration_phrase,
    format_time,
    join_items,
    plural_days,
    price_phrase,
    spoken_time,
    weekday_names,
)
from planspec.families.veritrip.facts import Attraction, Hotel, Restaurant

_DAY_COUNTS = ("One day", "Two days", "Three days", "Four days")


@dataclass(frozen=True, slots=True)
class GuideTown:
    """Places of a city from which a guide may choose.

    Attributes:
        city: name of the city.
        sights: attractions, at least one.
        restaurants: restaurants of the city.
        hotels: hotels of the city.
    """

    city: str
    sights: Sequence[Attraction]
    restaurants: Sequence[Restaurant]
    hotels: Sequence[Hotel]


def write_guide(draft: DocumentDraft, town: GuideTown) -> None:
    """Write an itinerary of one to four days. Every place in it exists, and every claim is true."""
    city = town.city
    draft.origin = draft.pick(("city guide", "personal blog", "travel community"))
    draft.publish_between(date(2024, 6, 1), date(2025, 10, 10))
    days = min(draft.rng.choice((2, 2, 3, 3, 3, 4)), len(town.sights))
    stops = min(2 if days > 2 else 3, len(town.sights) // days)
    sights = draft.rng.sample(town.sights, days * stops)
    restaurants = draft.rng.sample(town.restaurants, min(days, len(town.restaurants)))
    theme = sights[0].interests[0].lower() if sights[0].interests else "a bit of everything"
    draft.title = draft.pick(
        (
            f"{_DAY_COUNTS[days - 1]} in {city}: {sights[0].name} and more",
            f"{city} in {days} {'day' if days == 1 else 'days'}, a plan that works",
            f"{_DAY_COUNTS[days - 1]} in {city} for friends of {theme}",
            f"My {city} itinerary, tested with family",
            f"{city} for the first time: {join_items([sight.name for sight in sights[:2]])}",
        )
    )
    likes = draft.rng.randint(101, 9800)
    draft.add_paragraph(
        draft.pick(
            (
                f"{likes:,} likes - {date_phrase(draft.published, draft.rng)}",
                f"Likes: {likes}. Posted {date_phrase(draft.published, draft.rng)}.",
            )
        )
    )
    draft.add_paragraph(
        draft.pick(
            (
                f"People keep asking me for my {city} plan, so here it is in writing.",
                f"This is how I would spend {_DAY_COUNTS[days - 1].lower()} in {city} with guests.",
                f"A route through {city} for people who like {theme} and do not like to hurry.",
                f"We did exactly this in {city} and would do it again.",
            )
        ),
        _hotel_sentence(draft, town.hotels),
    )
    for number in range(days):
        names = [sight.name for sight in sights[number * stops : (number + 1) * stops]]
        head = draft.pick((f"Day {number + 1}", f"Day {number + 1}: {join_items(names)}"))
        lines = [
            f"{place}. {_stop_text(draft, sight, place)}"
            for place, sight in enumerate(sights[number * stops : (number + 1) * stops], 1)
        ]
        if number < len(restaurants):
            lines.append(f"{stops + 1}. {_restaurant_sentence(draft, restaurants[number])}")
        draft.add_paragraph("\n".join([head, *lines]))
    draft.fill(GUIDE, max(90, draft.words() + 20))


def _hotel_sentence(draft: DocumentDraft, hotels: Sequence[Hotel]) -> str:
    if not hotels or draft.rng.random() < 0.4:
        return ""
    hotel = draft.pick(hotels)
    draft.add_claim(hotel.name, hotel.city, "existence", "true")
    return draft.pick((f"We stayed at {hotel.name}.", f"For the nights I suggest {hotel.name}."))


def _restaurant_sentence(draft: DocumentDraft, place: Restaurant) -> str:
    draft.add_claim(place.name, place.city, "existence", "true")
    draft.add_claim(place.name, place.city, "cuisine", place.cuisine)
    text = draft.pick(
        (
            f"Dinner at {place.name}, {restaurant_phrase(place)}.",
            f"Eat at {place.name}, {restaurant_phrase(place)}.",
            f"In the evening {place.name}, {restaurant_phrase(place)}.",
        )
    )
    if draft.rng.random() < 0.4:
        draft.add_claim(place.name, place.city, "price", place.price)
        text += f" Count on {price_phrase(place.price, draft.currency, draft.rng)} per person."
    return text


def _stop_text(draft: DocumentDraft, sight: Attraction, number: int) -> str:
    """Return the text on an attraction as stop `number` of a tour, with one or two facts."""
    draft.add_claim(sight.name, sight.city, "existence", "true")
    hour = ("Morning", "Midday", "Afternoon")[min(number - 1, 2)]
    head = draft.pick(
        (f"{sight.name}.", f"{hour}: {sight.name}.", f"{capitalize(sight.name)}!", f"Go to {sight.name}.")
    )
    writers = [_ticket_sentence, _hours_sentence, _closing_days_sentence, _visit_sentence]
    sentences = [writer(draft, sight) for writer in draft.rng.sample(writers, draft.rng.choice((1, 1, 2)))]
    if draft.rng.random() < 0.4:
        sentences.append(with_full_stop(sight.introduction))
    return " ".join([head, *sentences])


def _ticket_sentence(draft: DocumentDraft, sight: Attraction) -> str:
    draft.add_claim(sight.name, sight.city, "ticket", sight.ticket)
    if sight.ticket == 0:
        return draft.pick(("Free entry.", "No ticket needed, it is free."))
    price = price_phrase(sight.ticket, draft.currency, draft.rng)
    return draft.pick((f"Ticket {price}.", f"The ticket is {price}.", f"Entry costs {price} each."))


def _hours_sentence(draft: DocumentDraft, sight: Attraction) -> str:
    draft.add_claim(sight.name, sight.city, "opens", format_time(sight.opens))
    draft.add_claim(sight.name, sight.city, "closes", format_time(sight.closes))
    if (sight.opens, sight.closes) == (0, DAY):
        return "Open 24 hours a day."
    opens, closes = spoken_time(sight.opens, draft.rng), spoken_time(sight.closes, draft.rng)
    return draft.pick((f"Open from {opens} to {closes}.", f"It opens at {opens} and closes at {closes}."))


def _closing_days_sentence(draft: DocumentDraft, sight: Attraction) -> str:
    draft.add_claim(sight.name, sight.city, "closed_on", weekday_names(sight.closed_on))
    if not sight.closed_on:
        return draft.pick(("Open every day.", "No closing day."))
    return draft.pick(
        (
            f"Closed on {plural_days(sight.closed_on)}!",
            f"Not on {plural_days(sight.closed_on)}, it is closed then.",
        )
    )


def _visit_sentence(draft: DocumentDraft, sight: Attraction) -> str:
    draft.add_claim(sight.name, sight.city, "visit", f"{sight.least}-{sight.most}")
    time = duration_phrase(sight.least, sight.most, draft.rng)
    return draft.pick((f"Plan {time}.", f"You need {time} here."))
