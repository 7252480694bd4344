"""Pages that list several hotels or restaurants of a city with all their facts."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from planspec.families.veritrip.corpus.dining_pages import (
    cuisine_sentence,
    dishes_sentence,
    opening_hours_text,
    price_sentence,
)
from planspec.families.veritrip.corpus.draft import DocumentDraft
from planspec.families.veritrip.corpus.filler import DINING, HOTEL, PORTAL
from planspec.families.veritrip.corpus.lodging_pages import STARS, lodging_address_sentence, room_text
from planspec.families.veritrip.facts import Hotel, Restaurant


def write_hotel_list(draft: DocumentDraft, hotels: Sequence[Hotel]) -> None:
    """Write a page of a booking portal, in one of three layouts."""
    city = hotels[0].city
    draft.origin = "booking portal"
    draft.publish_between(date(2025, 7, 1), date(2025, 10, 10))
    first, last = hotels[0].name, hotels[-1].name
    draft.title = draft.pick(
        (
            f"Hotels in {city}: {first} to {last}",
            f"{len(hotels)} places to stay in {city}, from {first} on",
            f"{city} rooms compared: {first}, {hotels[len(hotels) // 2].name} and others",
        )
    )
    draft.add_paragraph(
        draft.pick(
            (
                f"Rooms in {city} from our partners, with prices per night.",
                f"We compared {len(hotels)} houses in {city} for you.",
                f"This page lists hotels in {city} with all their rooms.",
            )
        )
    )
    layout = draft.rng.randrange(3)
    for number, hotel in enumerate(hotels, 1):
        draft.add_claim(hotel.name, city, "existence", "true")
        stars = STARS.get(hotel.stars, "well-kept")
        address = lodging_address_sentence(draft, hotel, "{address}")
        rooms = [room_text(draft, hotel, room, "official" if layout == 2 else "portal") for room in hotel.rooms]
        match layout:
            case 0:
                draft.add_paragraph(
                    "\n".join([f"{number}. {hotel.name} ({stars}), {address}", *(f"   {room}" for room in rooms)])
                )
            case 1:
                draft.add_paragraph(
                    "\n".join(
                        [
                            hotel.name.upper() if hotel.name.isascii() else hotel.name,
                            f"{hotel.name} | {hotel.stars} stars | {address}",
                            *rooms,
                        ]
                    )
                )
            case _:
                draft.add_paragraph(f"{hotel.name} is a {stars} house at {address}.", *rooms)
    draft.fill(HOTEL + PORTAL, draft.words() + 24)


def write_restaurant_list(draft: DocumentDraft, restaurants: Sequence[Restaurant]) -> None:
    """Write a list of restaurants by a portal or a magazine."""
    city = restaurants[0].city
    magazine = draft.rng.random() < 0.4
    draft.origin = "city magazine" if magazine else "dining portal"
    draft.publish_between(date(2025, 6, 1), date(2025, 10, 10))
    draft.title = draft.pick(
        (
            f"Where to eat in {city}: {restaurants[0].name} and {len(restaurants) - 1} more",
            f"{city} restaurants: {restaurants[0].name} to {restaurants[-1].name}",
            f"{len(restaurants)} tables in {city}, among them {restaurants[len(restaurants) // 2].name}",
        )
    )
    draft.add_paragraph(
        draft.pick(
            (
                f"Our list of restaurants in {city}, with what they are known for.",
                f"Restaurants in {city} with prices for one person and opening hours.",
                f"{len(restaurants)} kitchens of {city} at a glance.",
            )
        )
    )
    for number, restaurant in enumerate(restaurants, 1):
        draft.add_claim(restaurant.name, city, "existence", "true")
        if magazine:
            draft.add_paragraph(
                f"{restaurant.name}, {restaurant.area}.",
                cuisine_sentence(draft, restaurant, ("The cuisine is {cuisine}.", "On the menu: {cuisine}.")),
                dishes_sentence(draft, restaurant, ("Order {dishes}.", "Guests come for {dishes}.")),
                price_sentence(
                    draft,
                    restaurant,
                    ("A meal comes to {price} for one person.", "Expect to pay {price} per person."),
                ),
                opening_hours_text(draft, restaurant, True),
            )
        else:
            served = cuisine_sentence(draft, restaurant, ("Cuisine: {cuisine}", "Kitchen: {cuisine}"))
            known_for = dishes_sentence(draft, restaurant, ("known for {dishes}", "recommended: {dishes}"))
            bill = price_sentence(draft, restaurant, ("{price} per person", "a meal for one: {price}"))
            lines = (
                f"{number}. {restaurant.name} | {restaurant.area} | {restaurant.rating} of 5",
                f"   {served}; {known_for}",
                f"   {bill}; {opening_hours_text(draft, restaurant, False)}",
            )
            draft.add_paragraph("\n".join(lines))
    draft.fill(DINING, draft.words() + 20)
