"""Short posts of users. Most posts agree with the facts or state no facts. Some give an old price or time."""

from __future__ import annotations

from datetime import date
from typing import Literal, TypeAlias, assert_never

from planspec.families.veritrip.corpus.draft import DocumentDraft
from planspec.families.veritrip.corpus.filler import FORUM
from planspec.families.veritrip.corpus.surface import (
    DAY,
    duration_phrase,
    format_time,
    plural_days,
    price_phrase,
    time_in_digits,
    weekday_names,
)
from planspec.families.veritrip.facts import AnyPlace, Attraction, Hotel, Poi, Restaurant

WrongFact: TypeAlias = Literal["ticket", "opens", "closes", "price", "room"]
"""Facts about which a post can be wrong. `room` is the price of a hotel's first kind of room."""


def write_comment(draft: DocumentDraft, place: AnyPlace) -> None:
    """Write a post that names a place and states at most one other fact of the place. The fact is true."""
    _write_opening(draft, place)
    draft.publish_between(date(2024, 3, 1), date(2025, 10, 10))
    draft.add_paragraph(_true_sentence(draft, place) if draft.rng.random() < 0.7 else "")
    draft.fill(FORUM, 66)


def write_wrong_comment(draft: DocumentDraft, place: AnyPlace, wrong: WrongFact) -> None:
    """Write a post by someone who remembers an older visit and is wrong about one fact of a place."""
    _write_opening(draft, place)
    draft.publish_between(date(2022, 3, 1), date(2025, 2, 20))
    year = draft.rng.randint(2015, 2021)
    sentences: tuple[str, ...]
    match place, wrong:
        case Attraction(), "ticket":
            old = draw_wrong_price(draft, place.ticket)
            draft.add_claim(place.name, place.city, "ticket", old, False)
            price = price_phrase(old, draft.currency, draft.rng)
            sentences = (
                f"The ticket was {price} when we went in {year}, and I doubt that it has changed.",
                f"For the record, entry is {price}, that is what I paid in {year}.",
                f"Ignore the price tag people mention here, you get in for {price}, I have the stub from {year}.",
            )
        case ((Attraction() | Restaurant()), ("opens" | "closes")):
            right = place.opens if wrong == "opens" else place.closes
            old = draw_wrong_time(draft, right)
            draft.add_claim(place.name, place.city, wrong, format_time(old), False)
            verb = "opens" if wrong == "opens" else "closes"
            sentences = (
                f"I am quite sure that it {verb} at {time_in_digits(old, draft.rng)}, at least it did in {year}.",
                f"Back in {year} the sign said that it {verb} at {time_in_digits(old, draft.rng)}.",
            )
        case Restaurant(), "price":
            old = draw_wrong_price(draft, place.price)
            draft.add_claim(place.name, place.city, "price", old, False)
            price = price_phrase(old, draft.currency, draft.rng)
            sentences = (
                f"You eat there for {price} per person, we did in {year}.",
                f"A meal is {price} a head, unless the menu from {year} on my fridge lies.",
            )
        case Hotel(), "room":
            room = place.rooms[0]
            old = draw_wrong_price(draft, room.price)
            draft.add_claim(place.name, place.city, f"room:{room.kind}", old, False)
            price = price_phrase(old, draft.currency, draft.rng)
            sentences = (
                f"The {room.kind} is {price} a night, I stayed there in {year}.",
                f"They ask {price} per night for the {room.kind}, or did in {year}.",
            )
        case _:
            raise ValueError(f"a comment on {place.name} cannot be wrong about {wrong}")
    draft.add_paragraph(draft.pick(sentences))
    draft.fill(FORUM, 66)


def possible_wrong_facts(place: AnyPlace) -> tuple[tuple[WrongFact, str], ...]:
    """Return the facts about which a post on this place can be wrong, each with its field in `Statement`.

    The price of a double room, for example, is `("room", "room:double")`.
    """
    match place:
        case Attraction():
            whole = (place.opens, place.closes) == (0, DAY)
            hours: tuple[tuple[WrongFact, str], ...] = () if whole else (("opens", "opens"), ("closes", "closes"))
            return (("ticket", "ticket"), *hours)
        case Restaurant():
            return (("price", "price"), ("closes", "closes"))
        case Hotel():
            return (("room", f"room:{place.rooms[0].kind}"),) if place.rooms else ()
        case Poi():
            return ()
        case _:
            assert_never(place)


def draw_wrong_price(draft: DocumentDraft, right: int) -> int:
    """Draw a plausible price that differs from the right one."""
    if right == 0:
        return draft.rng.choice((5, 8, 10, 15, 20))
    share = draft.rng.choice((40, 50, 60, 70, 75, 80, 125))
    old = right * share // 100
    step = 10 if old >= 100 else 5 if old >= 20 else 1
    old = max(1, old // step * step)
    return old if old != right else right + step


def draw_wrong_time(draft: DocumentDraft, right: int) -> int:
    """Draw a plausible time of day that differs from the right one, in minutes after midnight."""
    steps = [right + step for step in (-120, -90, -60, -30, 30, 60, 90) if 0 < right + step < DAY]
    return draft.rng.choice(steps)


def _write_opening(draft: DocumentDraft, place: AnyPlace) -> None:
    draft.add_claim(place.name, place.city, "existence", "true")
    draft.origin = draft.pick(("forum", "forum", "review", "travel community"))
    name, city = place.name, place.city
    draft.title = draft.pick(
        (
            f"Re: {name}, anyone been lately?",
            f"Comment on {name} ({city})",
            f"Review of {name}, {city}",
            f"Question about {name} in {city}",
            f"[{city}] {name}",
        )
    )
    draft.add_paragraph(
        draft.pick(
            (
                f"Been to {name} with my sister, and we liked it.",
                f"{name} was on the way, so we had a look.",
                f"Since somebody asked about {name}: yes, go, if you are in {city} anyway.",
                f"Third time in {city}, first time at {name}.",
                f"Short report from {name}.",
                f"I see that {name} gets mixed reviews; mine is a good one.",
            )
        ),
        draft.pick(
            (
                "It was better than the pictures.",
                "Not spectacular, but we enjoyed it.",
                "The children gave it four stars, the grown-ups five.",
                "It was crowded around noon and calm later.",
                "I had expected less.",
                "Would do it again.",
            )
        ),
    )


def _true_sentence(draft: DocumentDraft, place: AnyPlace) -> str:
    """Return a sentence with a true fact of the place, and record its claim in the draft."""
    match place:
        case Attraction():
            return _true_sentence_on_sight(draft, place)
        case Restaurant():
            if place.dishes and draft.rng.random() < 0.5:
                dish = draft.pick(place.dishes)
                return draft.pick(
                    (
                        f"We had the {dish} and ordered it again.",
                        f"Everybody around us was eating the {dish}.",
                    )
                )
            draft.add_claim(place.name, place.city, "price", place.price)
            return f"We paid {price_phrase(place.price, draft.currency, draft.rng)} per person."
        case Hotel():
            if not place.rooms:
                return ""
            room = draft.pick(place.rooms)
            draft.add_claim(place.name, place.city, f"breakfast:{room.kind}", "true" if room.breakfast else "false")
            return f"We had a {room.kind}, and breakfast was {'included' if room.breakfast else 'not included'}."
        case Poi():
            return place.about if place.about.endswith(".") else f"{place.about}."
        case _:
            assert_never(place)


def _true_sentence_on_sight(draft: DocumentDraft, sight: Attraction) -> str:
    match draft.rng.randrange(3):
        case 0:
            draft.add_claim(sight.name, sight.city, "ticket", sight.ticket)
            if sight.ticket == 0:
                return "It is free, by the way."
            return f"The ticket was {price_phrase(sight.ticket, draft.currency, draft.rng)} last month."
        case 1:
            draft.add_claim(sight.name, sight.city, "closed_on", weekday_names(sight.closed_on))
            if not sight.closed_on:
                return "It is open every day, we checked."
            return f"Mind that it is closed on {plural_days(sight.closed_on)}."
        case _:
            draft.add_claim(sight.name, sight.city, "visit", f"{sight.least}-{sight.most}")
            return f"Plan {duration_phrase(sight.least, sight.most, draft.rng)} for it."
