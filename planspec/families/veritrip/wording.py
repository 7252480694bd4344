"""Natural-language wording of queries, with some attractions shown only in pictures."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

from planspec.families.veritrip.query import Query

CURRENCY_SIGNS = {"CNY": "¥", "USD": "$"}
INTRODUCTIONS = {
    "Solo traveler": ("I am travelling alone", "It is just me"),
    "Couple": ("My partner and I want to get away", "The two of us are planning a trip"),
    "Friends": ("A group of us friends is planning a trip", "My friends and I want to travel"),
    "Family (with elderly)": (
        "I am travelling with my parents, who do not walk fast any more",
        "We are a family with grandparents",
    ),
    "Family (with children)": ("We are a family with small children", "We want a trip that our children enjoy"),
    "Family (with elderly and children)": (
        "Three generations of us are travelling together",
        "Grandparents and children come along",
    ),
    "Two families": ("Two families are travelling together", "We go with another family"),
}
PACE_SENTENCES = (
    "A relaxed pace suits us.",
    "Days may be full.",
    "Please do not rush us from place to place.",
    "",
)
SINGULAR_FORMS = (
    (r"we are one person", "I am alone"),
    (r", one person in all|, for one person", ""),
    (r"\b[Ww]e are\b", "I am"),
    (r"\b[Ww]e\b", "I"),
    (r"\bus\b", "me"),
    (r"\bOur\b", "My"),
    (r"\bour\b", "my"),
)
SIGHT_VERBS = ("We must see", "We hope to visit", "Be sure to include")
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")


def wording(query: Query, shown: Sequence[str], currency: str, random: Random) -> str:
    """Return a query in words. The text has the placeholder `{budget}` for the budget.

    Args:
        query: query to describe.
        shown: attractions that are shown in pictures instead of being named.
        currency: currency of the budget.
        random: source of the choices among phrases.
    """
    people = "one person" if query.people_number == 1 else f"{query.people_number} people"
    days = "for one day" if query.days == 1 else f"for {query.days} days"
    dates = f"on {query.start_date}" if query.days == 1 else f"from {query.start_date} to {query.end_date}"
    parts = [
        f"{random.choice(INTRODUCTIONS[query.persona or 'Solo traveler'])}.",
        random.choice(
            (
                f"We start in {query.start_city} and want to see {query.target_city} {dates}, {people} in all.",
                f"Please plan a trip from {query.start_city} to {query.target_city} {dates} {days}; we are {people}.",
                f"The trip goes from {query.start_city} to {query.target_city}, {dates}, for {people}.",
            )
        ),
        _sight_sentences(query, shown, random),
        _meal_sentence(query, random),
        _other_preferences(query, random),
        "We bring a pet." if query.have_pet else "",
        random.choice(PACE_SENTENCES),
        random.choice(
            (
                f"Our budget is {CURRENCY_SIGNS[currency]}{{budget}} for everything.",
                f"All in all it should cost about {CURRENCY_SIGNS[currency]}{{budget}}.",
            )
        ),
    ]
    text = " ".join(part for part in parts if part)
    return _use_singular(text) if query.people_number == 1 else text


OPENINGS = {
    "Solo traveler": (
        "I am a photography enthusiast travelling solo",
        "I have a few days off and travel on my own",
        "This is a solo trip",
    ),
    "Couple": (
        "My partner and I are planning a romantic getaway",
        "We are a couple and celebrate an anniversary",
        "We are two, and want some time for ourselves",
    ),
    "Friends": (
        "We are old classmates who meet again",
        "A few friends and I have found a date at last",
        "We are a group of colleagues",
    ),
    "Family (with elderly)": (
        "We take grandmother and grandfather along",
        "My parents are over seventy and come with us",
        "The elderly in our family want to see the world",
    ),
    "Family (with children)": (
        "The school has given us a few days, so we take the children",
        "Our little ones travel with us",
        "We travel with children who get bored quickly",
    ),
    "Family (with elderly and children)": (
        "The whole family comes along, from the baby to the grandparents",
        "We are three generations under one roof",
        "Both the grandparents and the kids are with us",
    ),
    "Two families": (
        "Our neighbours and we travel together, two families with children",
        "Two families share this trip",
        "My sister's family joins ours",
    ),
}
PERSONA_PACES = {
    "Family (with elderly)": (
        "Please keep the walks short.",
        "It may be full, but friendly to old legs.",
        "We need breaks.",
    ),
    "Family (with children)": ("No day should be too long for the children.", "A slow pace, please.", ""),
    "Family (with elderly and children)": ("Please plan it relaxed.", "Nobody should have to hurry.", ""),
}
ANY_PACE = (
    "Feel free to fill the days.",
    "A relaxed, go-with-the-flow plan suits us.",
    "Please plan each day in detail.",
    "We do not mind getting up early.",
    "",
)


def varied_wording(query: Query, shown: Sequence[str], currency: str, random: Random) -> str:
    """Return a query in more varied words, with its preferences in varying order.

    The text has the placeholder `{budget}` for the budget.

    Args:
        query: query to describe.
        shown: attractions, then restaurants, that are shown in pictures instead of being named.
        currency: currency of the budget.
        random: source of the choices among phrases.
    """
    people = "one person" if query.people_number == 1 else f"{query.people_number} people"
    start, target, first, last = query.start_city, query.target_city, query.start_date, query.end_date
    persona = query.persona or "Solo traveler"
    if query.days == 1:
        way = random.choice(
            (
                f"On {first} we go from {start} to {target} and back, {people} in all.",
                f"It is a day trip from {start} to {target} on {first} for {people}.",
            )
        )
    else:
        way = random.choice(
            (
                f"We travel from {start} to {target} on {first} and return on {last}; we are {people}.",
                f"Our trip starts in {start} on {first}, leads to {target} and ends on {last}. It is for {people}.",
                f"From {first} to {last} we want to be in {target}, {people} in all; home is {start}.",
                f"The destination is {target}, we set out from {start}: {query.days} days, {first} to {last}, {people}.",
            )
        )
    sights = [name for name in shown if name in query.attractions]
    restaurants = [name for name in shown if name not in query.attractions]
    wishes = [
        _sight_sentences(query, sights, random),
        _named_meal_sentence(query, restaurants, random),
        _shown_restaurant_sentence(sights, restaurants),
        _other_preferences(query, random),
    ]
    if random.random() < 0.5:
        wishes = [*wishes[3:], *wishes[:3]]
    budget = random.choice(
        (
            f"Our budget is {CURRENCY_SIGNS[currency]}{{budget}} for everything.",
            f"We have {CURRENCY_SIGNS[currency]}{{budget}} in all.",
            f"All costs together should stay around {CURRENCY_SIGNS[currency]}{{budget}}.",
            f"The whole trip may cost {CURRENCY_SIGNS[currency]}{{budget}}.",
        )
    )
    parts = [
        f"{random.choice((*OPENINGS[persona], *INTRODUCTIONS[persona]))}.",
        way,
        *wishes,
        "We bring a pet." if query.have_pet else "",
        random.choice(PERSONA_PACES.get(persona, ANY_PACE)),
        budget,
    ]
    text = " ".join(part for part in parts if part)
    return _use_singular(text) if query.people_number == 1 else text


def _named_meal_sentence(query: Query, shown: Sequence[str], random: Random) -> str:
    named = tuple(name for name in query.meals if name not in shown)
    return _meal_sentence(query.model_copy(update={"p_meal": "|".join(named)}), random) if named else ""


def _shown_restaurant_sentence(sights: Sequence[str], restaurants: Sequence[str]) -> str:
    """Return a sentence on the restaurants shown in pictures.

    Their pictures come after the pictures of the sights.
    """
    if not restaurants:
        return ""
    if not sights and len(restaurants) == 1:
        return "We want to eat at the place in the picture."
    ordinals = _join_names([f"the {ORDINALS[len(sights) + n]}" for n in range(len(restaurants))])
    return f"We want to eat at the {'place' if len(restaurants) == 1 else 'places'} of {ordinals} picture{'s' if len(restaurants) > 1 else ''}."


def replace_name_by_picture(text: str, query: Query, shown: str) -> str:
    """Replace the name of one attraction in a request by a reference to its picture.

    Args:
        text: words of the query, as `wording` returns them.
        query: the query.
        shown: the attraction to show.
    """
    subject = "I" if query.people_number == 1 else "We"
    rest = [name for name in query.attractions if name != shown]
    names = re.escape(f" {_join_names(query.attractions)}.")
    verbs = "|".join(verb.replace("We", subject) for verb in SIGHT_VERBS)
    picture = f"{subject} also want" if rest else f"{subject} want"
    return re.sub(
        f"({verbs}){names}",
        lambda match: (
            (f"{match[1]} {_join_names(rest)}. " if rest else "") + f"{picture} to visit the place in the picture."
        ),
        text,
        count=1,
    )


def _sight_sentences(query: Query, shown: Sequence[str], random: Random) -> str:
    named = [name for name in query.attractions if name not in shown]
    parts = []
    if named:
        parts.append(f"{random.choice(SIGHT_VERBS)} {_join_names(named)}.")
    if len(shown) == 1:
        parts.append(
            "We also want to visit the place in the picture." if named else "We want to visit the place in the picture."
        )
    elif shown:
        ordinals = _join_names([f"the {ORDINALS[n]}" for n in range(len(shown))])
        parts.append(f"We want to visit the places in the pictures ({ordinals}).")
    return " ".join(parts)


def _meal_sentence(query: Query, random: Random) -> str:
    if not query.meals:
        return ""
    return f"{random.choice(('We would love to taste', 'At some meal we want to have', 'For food we think of'))} {_join_names(query.meals)}."


def _other_preferences(query: Query, random: Random) -> str:
    parts = []
    if query.p_accommodation is not None:
        room = query.p_accommodation.lower()
        parts.append(random.choice((f"A hotel with a {room} would be nice.", f"We like to stay in a {room}.")))
    if query.p_interest is not None:
        parts.append(f"We are interested in {query.p_interest.lower()}.")
    if query.p_intercity_traffic is not None:
        parts.append(
            "We prefer high-speed rail." if query.p_intercity_traffic == "High-speed rail" else "We prefer to fly."
        )
    if query.p_innercity_traffic is not None:
        parts.append(
            "In the city we take public transportation."
            if query.p_innercity_traffic.startswith("Public")
            else "In the city we go by taxi."
        )
    return " ".join(parts)


def _join_names(names: list[str] | tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _use_singular(text: str) -> str:
    """Rewrite a text from the first person plural to the singular: `we` becomes `I`."""
    for plural, single in SINGULAR_FORMS:
        text = re.sub(plural, single, text)
    return text
