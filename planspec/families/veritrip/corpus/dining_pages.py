"""Pages on one restaurant: a portal's listing, a magazine's portrait and a blogger's report."""

from __future__ import annotations

from datetime import date
from typing import Literal, TypeAlias

from planspec.families.veritrip.corpus.draft import DocumentDraft
from planspec.families.veritrip.corpus.filler import DINING, TRAVEL
from planspec.families.veritrip.corpus.surface import DAY, clock, hhmm, listed, money, spoken, with_article
from planspec.families.veritrip.facts import Restaurant

DiningVoice: TypeAlias = Literal["portal", "portrait", "blog"]


def write_restaurant(draft: DocumentDraft, place: Restaurant, voice: DiningVoice) -> None:
    """Write a page in a voice; `portal` and `portrait` state every field, the blogger some."""
    name, city = place.name, place.city
    draft.claim(name, city, "existence", "true")
    match voice:
        case "portal":
            draft.origin = "dining portal"
            draft.dated(date(2025, 6, 1), date(2025, 10, 10))
            draft.title = draft.pick(
                (
                    f"{name} - {place.cuisine} in {place.area}, {city}",
                    f"{name}, {city}: menu and opening hours",
                    f"{name} ({city}), restaurant",
                )
            )
            draft.paragraph(draft.pick((f"{name} | {place.area}, {city}", f"{name}, {place.area}, {city}")))
            draft.line(f"Rating: {place.rating} of 5")
            rows = [
                cuisine(draft, place, ("Cuisine: {cuisine}", "Kitchen: {cuisine}")),
                dishes(
                    draft, place, ("Known for: {dishes}", "Recommended dishes: {dishes}", "Order: {dishes}")
                ),
                price(
                    draft,
                    place,
                    (
                        "Price per person: {price}",
                        "A meal for one: {price}",
                        "Average bill: {price} per person",
                    ),
                ),
                opening_hours(draft, place, False),
            ]
            draft.chance.shuffle(rows)
            draft.paragraph("\n".join(rows))
            draft.fill(DINING, max(60, draft.words() + 20))
        case "portrait":
            draft.origin = "city magazine"
            draft.dated(date(2025, 4, 1), date(2025, 10, 10))
            draft.title = draft.pick(
                (
                    f"At the table: {name}",
                    f"{place.area} on a plate: {name}, {city}",
                    f"Eating out in {city}: {name}",
                )
            )
            draft.paragraph(
                draft.pick(
                    (
                        f"{name} is in {place.area}, {city}.",
                        f"In {place.area}, people in {city} will send you to {name}.",
                    )
                ),
                cuisine(
                    draft,
                    place,
                    ("On the menu: {cuisine}.", "The cuisine is {cuisine}.", "Its cuisine: {cuisine}."),
                ),
                dishes(
                    draft,
                    place,
                    ("The house is known for {dishes}.", "Order {dishes}.", "Guests come for {dishes}."),
                ),
            )
            draft.paragraph(
                price(
                    draft,
                    place,
                    ("Expect to pay {price} per person.", "A meal comes to {price} for one person."),
                ),
                opening_hours(draft, place, True),
                f"Guests give it {place.rating} of 5.",
            )
            draft.fill(DINING, max(60, draft.words() + 25))
        case "blog":
            _blog(draft, place)


def _blog(draft: DocumentDraft, place: Restaurant) -> None:
    name, city = place.name, place.city
    draft.origin = "personal blog"
    draft.dated(date(2024, 9, 1), date(2025, 10, 10))
    draft.title = draft.pick(
        (
            f"Dinner at {name}",
            f"{city} for hungry people: {name}",
            f"I still think about {place.dishes[0]} at {name}" if place.dishes else f"Lunch at {name}",
        )
    )
    draft.paragraph(
        draft.pick(
            (
                f"We ended up at {name} in {place.area}, tired and hungry.",
                f"{name} in {city} was on every list, and now it is on mine.",
                f"A colleague from {city} swears by {name}.",
            )
        ),
        dishes(draft, place, ("We shared {dishes}.", "What to eat: {dishes}.")) if place.dishes else "",
    )
    sentences = [
        price(draft, place, ("The bill was {price} per person.", "Count on {price} a head.")),
        opening_hours(draft, place, True) if draft.chance.random() < 0.5 else "",
        cuisine(draft, place, ("It is {cuisine} cooking done with care.", "If you like {cuisine}, go."))
        if draft.chance.random() < 0.6
        else "",
    ]
    draft.paragraph(*sentences)
    draft.fill(TRAVEL[:5] + DINING, max(70, draft.words() + 25))


def price(draft: DocumentDraft, place: Restaurant, forms: tuple[str, ...]) -> str:
    """Write a sentence on the price of a meal; the forms hold `{price}`."""
    draft.claim(place.name, place.city, "price", place.price)
    return draft.pick(forms).format(price=money(place.price, draft.currency, draft.chance))


def cuisine(draft: DocumentDraft, place: Restaurant, forms: tuple[str, ...]) -> str:
    """Write a sentence on the cuisine; the forms hold `{cuisine}`."""
    draft.claim(place.name, place.city, "cuisine", place.cuisine)
    return draft.pick(forms).format(cuisine=place.cuisine)


def dishes(draft: DocumentDraft, place: Restaurant, forms: tuple[str, ...]) -> str:
    """Write a sentence on the specialities; the forms hold `{dishes}`."""
    draft.claim(place.name, place.city, "dishes", "|".join(place.dishes))
    return draft.pick(forms).format(dishes=listed(place.dishes) or "the daily menu")


def opening_hours(draft: DocumentDraft, place: Restaurant, prose: bool) -> str:
    """Write a sentence, or a line, on the opening hours."""
    draft.claim(place.name, place.city, "opens", hhmm(place.opens))
    draft.claim(place.name, place.city, "closes", hhmm(place.closes))
    if (place.opens, place.closes) == (0, DAY):
        return "It is open 24 hours a day." if prose else "Opening hours: 24 hours a day"
    if prose:
        opens, closes = spoken(place.opens, draft.chance), spoken(place.closes, draft.chance)
        return draft.pick(
            (
                f"It opens at {opens} and closes at {closes}.",
                f"The kitchen is open from {opens} until {closes}.",
                f"Doors open at {opens}; they close at {closes}.",
            )
        )
    opens, closes = clock(place.opens, draft.chance), clock(place.closes, draft.chance)
    return draft.pick(
        (f"Opening hours: {opens} - {closes}", f"Open: {opens} to {closes}", f"Hours: {opens}-{closes}")
    )


def described(place: Restaurant) -> str:
    """Describe a restaurant as `a Sichuan restaurant in Chaoyang`."""
    return f"{with_article(place.cuisine)} restaurant in {place.area}"
