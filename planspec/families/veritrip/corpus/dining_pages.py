"""Pages on one restaurant: a portal's listing, a magazine's portrait and a blogger's report."""

from __future__ import annotations

from datetime import date
from typing import Literal, TypeAlias

from planspec.families.veritrip.corpus.draft import DocumentDraft
from planspec.families.veritrip.corpus.filler import DINING, TRAVEL
from planspec.families.veritrip.corpus.surface import (
    DAY,
    format_time,
    join_items,
    price_phrase,
    spoken_time,
    time_in_digits,
    with_article,
)
from planspec.families.veritrip.facts import Restaurant

DiningVoice: TypeAlias = Literal["portal", "portrait", "blog"]


def write_restaurant(draft: DocumentDraft, place: Restaurant, voice: DiningVoice) -> None:
    """Write a page on a restaurant in the style of one kind of publisher (`voice`).

    `portal` and `portrait` pages state every field; `blog` pages state some.
    """
    name, city = place.name, place.city
    draft.add_claim(name, city, "existence", "true")
    match voice:
        case "portal":
            draft.origin = "dining portal"
            draft.publish_between(date(2025, 6, 1), date(2025, 10, 10))
            draft.title = draft.pick(
                (
                    f"{name} - {place.cuisine} in {place.area}, {city}",
                    f"{name}, {city}: menu and opening hours",
                    f"{name} ({city}), restaurant",
                )
            )
            draft.add_paragraph(draft.pick((f"{name} | {place.area}, {city}", f"{name}, {place.area}, {city}")))
            draft.add_line(f"Rating: {place.rating} of 5")
            rows = [
                cuisine_sentence(draft, place, ("Cuisine: {cuisine}", "Kitchen: {cuisine}")),
                dishes_sentence(
                    draft, place, ("Known for: {dishes}", "Recommended dishes: {dishes}", "Order: {dishes}")
                ),
                price_sentence(
                    draft,
                    place,
                    (
                        "Price per person: {price}",
                        "A meal for one: {price}",
                        "Average bill: {price} per person",
                    ),
                ),
                opening_hours_text(draft, place, False),
            ]
            draft.rng.shuffle(rows)
            draft.add_paragraph("\n".join(rows))
            draft.fill(DINING, max(60, draft.words() + 20))
        case "portrait":
            draft.origin = "city magazine"
            draft.publish_between(date(2025, 4, 1), date(2025, 10, 10))
            draft.title = draft.pick(
                (
                    f"At the table: {name}",
                    f"{place.area} on a plate: {name}, {city}",
                    f"Eating out in {city}: {name}",
                )
            )
            draft.add_paragraph(
                draft.pick(
                    (
                        f"{name} is in {place.area}, {city}.",
                        f"In {place.area}, people in {city} will send you to {name}.",
                    )
                ),
                cuisine_sentence(
                    draft,
                    place,
                    ("On the menu: {cuisine}.", "The cuisine is {cuisine}.", "Its cuisine: {cuisine}."),
                ),
                dishes_sentence(
                    draft,
                    place,
                    ("The house is known for {dishes}.", "Order {dishes}.", "Guests come for {dishes}."),
                ),
            )
            draft.add_paragraph(
                price_sentence(
                    draft,
                    place,
                    ("Expect to pay {price} per person.", "A meal comes to {price} for one person."),
                ),
                opening_hours_text(draft, place, True),
                f"Guests give it {place.rating} of 5.",
            )
            draft.fill(DINING, max(60, draft.words() + 25))
        case "blog":
            _write_report(draft, place)


def _write_report(draft: DocumentDraft, place: Restaurant) -> None:
    name, city = place.name, place.city
    draft.origin = "personal blog"
    draft.publish_between(date(2024, 9, 1), date(2025, 10, 10))
    draft.title = draft.pick(
        (
            f"Dinner at {name}",
            f"{city} for hungry people: {name}",
            f"I still think about {place.dishes[0]} at {name}" if place.dishes else f"Lunch at {name}",
        )
    )
    draft.add_paragraph(
        draft.pick(
            (
                f"We ended up at {name} in {place.area}, tired and hungry.",
                f"{name} in {city} was on every list, and now it is on mine.",
                f"A colleague from {city} swears by {name}.",
            )
        ),
        dishes_sentence(draft, place, ("We shared {dishes}.", "What to eat: {dishes}.")) if place.dishes else "",
    )
    sentences = [
        price_sentence(draft, place, ("The bill was {price} per person.", "Count on {price} a head.")),
        opening_hours_text(draft, place, True) if draft.rng.random() < 0.5 else "",
        cuisine_sentence(draft, place, ("It is {cuisine} cooking done with care.", "If you like {cuisine}, go."))
        if draft.rng.random() < 0.6
        else "",
    ]
    draft.add_paragraph(*sentences)
    draft.fill(TRAVEL[:5] + DINING, max(70, draft.words() + 25))


def price_sentence(draft: DocumentDraft, place: Restaurant, forms: tuple[str, ...]) -> str:
    """Return a sentence on the price of a meal, and record its claim. Each template in `forms` contains `{price}`."""
    draft.add_claim(place.name, place.city, "price", place.price)
    return draft.pick(forms).format(price=price_phrase(place.price, draft.currency, draft.rng))


def cuisine_sentence(draft: DocumentDraft, place: Restaurant, forms: tuple[str, ...]) -> str:
    """Return a sentence on the cuisine, and record its claim. Each template in `forms` contains `{cuisine}`."""
    draft.add_claim(place.name, place.city, "cuisine", place.cuisine)
    return draft.pick(forms).format(cuisine=place.cuisine)


def dishes_sentence(draft: DocumentDraft, place: Restaurant, forms: tuple[str, ...]) -> str:
    """Return a sentence on the specialities, and record its claim. Each template in `forms` contains `{dishes}`."""
    draft.add_claim(place.name, place.city, "dishes", "|".join(place.dishes))
    return draft.pick(forms).format(dishes=join_items(place.dishes) or "the daily menu")


def opening_hours_text(draft: DocumentDraft, place: Restaurant, as_prose: bool) -> str:
    """Return the opening hours as a sentence if `as_prose`, otherwise as a line. Record the claims in the draft."""
    draft.add_claim(place.name, place.city, "opens", format_time(place.opens))
    draft.add_claim(place.name, place.city, "closes", format_time(place.closes))
    if (place.opens, place.closes) == (0, DAY):
        return "It is open 24 hours a day." if as_prose else "Opening hours: 24 hours a day"
    if as_prose:
        opens, closes = spoken_time(place.opens, draft.rng), spoken_time(place.closes, draft.rng)
        return draft.pick(
            (
                f"It opens at {opens} and closes at {closes}.",
                f"The kitchen is open from {opens} until {closes}.",
                f"Doors open at {opens}; they close at {closes}.",
            )
        )
    opens, closes = time_in_digits(place.opens, draft.rng), time_in_digits(place.closes, draft.rng)
    return draft.pick((f"Opening hours: {opens} - {closes}", f"Open: {opens} to {closes}", f"Hours: {opens}-{closes}"))


def restaurant_phrase(place: Restaurant) -> str:
    """Return a phrase such as `a Sichuan restaurant in Chaoyang`."""
    return f"{with_article(place.cuisine)} restaurant in {place.area}"
