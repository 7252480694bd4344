"""Pages on one hotel: its own site, a portal's listing with all its rooms, and a blogger's report."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Literal, TypeAlias

from planspec.families.veritrip.corpus.draft import DocumentDraft
from planspec.families.veritrip.corpus.filler import HOTEL, PORTAL, TRAVEL
from planspec.families.veritrip.corpus.nearby import distance_phrase
from planspec.families.veritrip.corpus.surface import date_phrase, price_phrase, with_article
from planspec.families.veritrip.facts import Hotel, Room

LodgingVoice: TypeAlias = Literal["official", "portal", "blog"]

NearbyPlaces: TypeAlias = Sequence[tuple[str, int]]

STARS = {1: "one-star", 2: "two-star", 3: "three-star", 4: "four-star", 5: "five-star"}


def write_hotel(draft: DocumentDraft, hotel: Hotel, voice: LodgingVoice, nearby: NearbyPlaces) -> None:
    """Write a page on a hotel in the style of one kind of publisher (`voice`).

    `official` and `portal` pages state every field; `blog` pages state only the fields of some rooms.

    Args:
        draft: draft to fill.
        hotel: hotel to describe.
        voice: kind of publisher.
        nearby: names of nearby places, with their distances in metres.
    """
    draft.add_claim(hotel.name, hotel.city, "existence", "true")
    stars = STARS.get(hotel.stars, "well-kept")
    match voice:
        case "official":
            draft.origin = "official site"
            draft.publish_between(date(2025, 7, 1), date(2025, 10, 10))
            draft.title = draft.pick(
                (
                    f"{hotel.name}: hotel rooms and rates",
                    f"{hotel.name}, {hotel.city}",
                    f"Stay with us: {hotel.name}, {hotel.city}",
                )
            )
            draft.add_paragraph(
                draft.pick(
                    (
                        f"Welcome to {hotel.name}, {with_article(stars)} hotel in {hotel.city}.",
                        f"{hotel.name} is {with_article(stars)} house in {hotel.city}.",
                    )
                ),
                lodging_address_sentence(
                    draft, hotel, "We are at {address}, {city}.", "Our address: {address}, {city}."
                ),
                _nearby_sentence(draft, nearby),
            )
            draft.add_paragraph("\n".join(room_text(draft, hotel, room, "official") for room in hotel.rooms))
            draft.fill(HOTEL, max(60, draft.words() + 22))
            draft.add_paragraph(f"Rates as of {date_phrase(draft.published, draft.rng)}.")
        case "portal":
            draft.origin = "booking portal"
            draft.publish_between(date(2025, 7, 1), date(2025, 10, 10))
            draft.title = draft.pick(
                (
                    f"{hotel.name} ({hotel.city}) - rooms from our partners",
                    f"{hotel.name}, hotel in {hotel.city}: book a room",
                    f"{hotel.name}, {hotel.city}: prices per night",
                )
            )
            draft.add_paragraph(
                f"{hotel.name} | {hotel.city} | {hotel.stars} stars",
                lodging_address_sentence(draft, hotel, "Address: {address}.", "Where: {address}, {city}."),
                _nearby_sentence(draft, nearby),
            )
            draft.add_paragraph("\n".join(room_text(draft, hotel, room, "portal") for room in hotel.rooms))
            draft.fill(HOTEL + PORTAL, max(60, draft.words() + 22))
        case "blog":
            draft.origin = "personal blog"
            draft.publish_between(date(2024, 9, 1), date(2025, 10, 10))
            draft.title = draft.pick(
                (
                    f"Where we slept in {hotel.city}: {hotel.name}",
                    f"Two nights at {hotel.name}",
                    f"{hotel.name}, an honest hotel report",
                )
            )
            draft.add_paragraph(
                draft.pick(
                    (
                        f"For our days in {hotel.city} we booked {hotel.name}.",
                        f"A friend had told us about {hotel.name} in {hotel.city}.",
                        f"After some searching we chose {hotel.name}, {with_article(stars)} hotel in {hotel.city}.",
                    )
                ),
                _nearby_sentence(draft, nearby[:1]),
            )
            rooms = draft.rng.sample(hotel.rooms, min(len(hotel.rooms), draft.rng.randint(1, 2)))
            draft.add_paragraph(*(room_text(draft, hotel, room, "blog") for room in rooms))
            draft.fill(TRAVEL + HOTEL[:4], max(70, draft.words() + 30))


def lodging_address_sentence(draft: DocumentDraft, hotel: Hotel, *forms: str) -> str:
    """Return a sentence on the address, and record its claim.

    Each template in `forms` contains `{address}` and may contain `{city}`.
    """
    draft.add_claim(hotel.name, hotel.city, "address", hotel.address)
    return draft.pick(forms).format(address=hotel.address, city=hotel.city)


def _nearby_sentence(draft: DocumentDraft, nearby: NearbyPlaces) -> str:
    if not nearby:
        return ""
    if len(nearby) == 1 or draft.rng.random() < 0.4:
        name, metres = nearby[0]
        return draft.pick(
            (
                f"The nearest landmark is {name}, {distance_phrase(metres)} away.",
                f"It is near {name} ({distance_phrase(metres)}).",
            )
        )
    places = ", ".join(f"{name} ({distance_phrase(metres)})" for name, metres in nearby)
    return draft.pick((f"Nearby: {places}.", f"Near the hotel: {places}."))


def room_text(draft: DocumentDraft, hotel: Hotel, room: Room, voice: LodgingVoice) -> str:
    """Return a line or sentence on the price, beds and breakfast of a room, and record the claims."""
    draft.add_claim(hotel.name, hotel.city, f"room:{room.kind}", room.price)
    draft.add_claim(hotel.name, hotel.city, f"breakfast:{room.kind}", "true" if room.breakfast else "false")
    price = price_phrase(room.price, draft.currency, draft.rng)
    guests = "1 guest" if room.sleeps == 1 else f"{room.sleeps} guests"
    match voice:
        case "official":
            meal = draft.pick(
                ("breakfast is included", "with breakfast")
                if room.breakfast
                else ("breakfast is not included", "without breakfast")
            )
            return draft.pick(
                (
                    f"{room.kind}: {price} per night for up to {guests}, {meal}.",
                    f"Our {room.kind} sleeps {room.sleeps} and costs {price} a night; {meal}.",
                    f"{room.kind} for {guests} at {price} a night, {meal}.",
                )
            )
        case "portal":
            meal = "breakfast included" if room.breakfast else draft.pick(("no breakfast", "breakfast not included"))
            return draft.pick(
                (
                    f"{room.kind} | sleeps {room.sleeps} | {price} per night | {meal}",
                    f"{room.kind} - {price} / night - {guests} - {meal}",
                )
            )
        case "blog":
            meal = (
                draft.pick(("breakfast was part of the deal", "with breakfast included"))
                if room.breakfast
                else draft.pick(("breakfast was not part of it", "breakfast not included"))
            )
            return draft.pick(
                (
                    f"The {room.kind} was {price} a night, {meal}.",
                    f"They charge {price} per night for the {room.kind}, {meal}.",
                )
            )
