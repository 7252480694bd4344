"""Pages on one attraction: its official page, a portal's listing, a blogger's report and a news notice."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Literal, TypeAlias

from planspec.families.veritrip.corpus.draft import DocumentDraft
from planspec.families.veritrip.corpus.filler import BLOG, OFFICIAL_SIGHT, PORTAL
from planspec.families.veritrip.corpus.surface import (
    DAY,
    date_phrase,
    duration_phrase,
    format_time,
    plural_days,
    price_phrase,
    spoken_time,
    time_in_digits,
    weekday_names,
)
from planspec.families.veritrip.facts import Attraction

SightVoice: TypeAlias = Literal["official", "portal", "blog", "news"]


def write_attraction(draft: DocumentDraft, sight: Attraction, voice: SightVoice) -> None:
    """Write a page on an attraction in the style of one kind of publisher (`voice`).

    `official` and `portal` pages state every field; `blog` and `news` pages state some.
    """
    draft.add_claim(sight.name, sight.city, "existence", "true")
    match voice:
        case "official":
            _write_official_page(draft, sight)
        case "portal":
            _write_listing(draft, sight)
        case "blog":
            _write_report(draft, sight)
        case "news":
            _write_notice(draft, sight)


_Forms: TypeAlias = dict[SightVoice, tuple[str, ...]]


def _write_official_page(draft: DocumentDraft, sight: Attraction) -> None:
    name = sight.name
    draft.origin = "official site"
    draft.publish_between(date(2025, 7, 1), date(2025, 10, 10))
    draft.title = draft.pick(
        (
            f"{name}: visitor information",
            f"Plan your visit to {name}",
            f"{name}, {sight.city}: tickets and opening hours",
        )
    )
    welcome = draft.pick(
        (
            f"Welcome to {name} in {sight.city}.",
            f"This is the official information page of {name}, {sight.city}.",
            f"{name} looks forward to your visit in {sight.city}.",
        )
    )
    draft.add_paragraph(welcome, with_full_stop(sight.introduction))
    parts = [
        ticket_sentence(draft, sight, "official"),
        hours_sentence(draft, sight, "official"),
        closing_days_sentence(draft, sight, "official"),
        visit_sentence(draft, sight, "official"),
        address_sentence(draft, sight, "official"),
    ]
    if draft.rng.random() < 0.5:
        draft.add_paragraph(*parts[:3])
        draft.add_paragraph(*parts[3:])
    else:
        heads = ("Admission", "Opening hours", "Closing days", "Time to plan", "Where we are")
        for head, part in zip(heads, parts, strict=True):
            draft.add_paragraph(f"{head}\n{part}")
    draft.fill(OFFICIAL_SIGHT, max(60, draft.words() + 25))
    draft.add_paragraph(f"Last updated: {date_phrase(draft.published, draft.rng)}.")


def _write_listing(draft: DocumentDraft, sight: Attraction) -> None:
    draft.origin = "booking portal"
    draft.publish_between(date(2025, 6, 1), date(2025, 10, 10))
    draft.title = draft.pick(
        (
            f"{sight.name} - tickets, hours and tips",
            f"{sight.name}, {sight.city} (2025)",
            f"Tickets for {sight.name} in {sight.city}",
        )
    )
    draft.add_paragraph(draft.pick((f"{sight.name} | {sight.city}", f"{sight.name} in {sight.city} at a glance")))
    draft.add_paragraph(with_full_stop(sight.introduction))
    writers = [ticket_sentence, hours_sentence, closing_days_sentence, visit_sentence, address_sentence]
    draft.rng.shuffle(writers)
    draft.add_paragraph("\n".join(writer(draft, sight, "portal") for writer in writers))
    if sight.interests:
        draft.add_paragraph(f"Good for: {', '.join(sight.interests)}")
    draft.fill(PORTAL, max(60, draft.words() + 18))


def _write_report(draft: DocumentDraft, sight: Attraction) -> None:
    name = sight.name
    draft.origin = "personal blog"
    draft.publish_between(date(2024, 9, 1), date(2025, 10, 10))
    draft.title = draft.pick(
        (
            f"A morning at {name}",
            f"{name} and I, a love story in {sight.city}",
            f"What nobody told me about {name}",
            f"Slow travel in {sight.city}: {name}",
            f"{name}: was it worth it?",
            f"{sight.city} diary, page {draft.rng.randint(2, 60)}: {name}",
        )
    )
    draft.add_paragraph(
        draft.pick(
            (
                f"Finally made it to {name}!",
                f"Everybody who goes to {sight.city} says you have to see {name}, so we went.",
                f"Our day in {sight.city} belonged to {name}.",
                f"I had {name} on my list for years.",
                f"There are places you tick off and places you remember. For me {name} is the second kind.",
            )
        ),
        with_full_stop(sight.introduction) if draft.rng.random() < 0.6 else "",
        BLOG[draft.rng.randrange(len(BLOG))].format(city=sight.city),
    )
    writers: list[Callable[[DocumentDraft, Attraction, SightVoice], str]] = [
        ticket_sentence,
        hours_sentence,
        closing_days_sentence,
        visit_sentence,
        address_sentence,
    ]
    chosen = draft.rng.sample(writers, draft.rng.randint(2, 4))
    draft.add_paragraph(*(writer(draft, sight, "blog") for writer in chosen))
    draft.fill(BLOG, max(70, draft.words() + draft.rng.randrange(10, 60)))


def _write_notice(draft: DocumentDraft, sight: Attraction) -> None:
    draft.origin = "news notice"
    draft.publish_between(date(2025, 3, 1), date(2025, 10, 10))
    draft.title = draft.pick(
        (
            f"{sight.name} confirms its visiting hours",
            f"{sight.city} notice: what visitors to {sight.name} should know",
            f"Autumn season at {sight.name}",
        )
    )
    draft.add_paragraph(
        f"{sight.city.upper()}, {date_phrase(draft.published, draft.rng)} -",
        draft.pick(
            (
                f"The management of {sight.name} has published its arrangements for the autumn.",
                f"Visitors to {sight.name} will find few changes this season, a spokeswoman said.",
                f"{sight.name} expects many guests in October and has repeated its rules for visitors.",
            )
        ),
    )
    writers: list[Callable[[DocumentDraft, Attraction, SightVoice], str]] = [
        ticket_sentence,
        closing_days_sentence,
        visit_sentence,
    ]
    draft.add_paragraph(
        hours_sentence(draft, sight, "news"),
        *(writer(draft, sight, "news") for writer in draft.rng.sample(writers, draft.rng.randint(1, 2))),
    )
    draft.add_paragraph(with_full_stop(sight.introduction))
    draft.fill(OFFICIAL_SIGHT, max(60, draft.words() + 15))


def ticket_sentence(draft: DocumentDraft, sight: Attraction, voice: SightVoice) -> str:
    """Return a sentence on the ticket price, and record its claim in the draft."""
    draft.add_claim(sight.name, sight.city, "ticket", sight.ticket)
    name = sight.name
    if sight.ticket == 0:
        forms: _Forms = {
            "official": (
                "Admission is free for everyone.",
                f"There is no charge to visit {name}.",
                "Entry is free of charge; no ticket is needed.",
            ),
            "portal": ("Ticket: free", "Admission: free of charge", "Ticket price: free entry"),
            "blog": (
                "Best of all, it costs nothing to get in.",
                f"And {name} is free, which I still find hard to believe.",
                "No ticket, no fee, you simply walk in.",
            ),
            "news": (
                f"Admission to {name} remains free.",
                "Entry is still free of charge, the statement says.",
            ),
        }
        return draft.pick(forms[voice])
    price = price_phrase(sight.ticket, draft.currency, draft.rng)
    forms = {
        "official": (
            f"The ticket price is {price} per person.",
            f"Admission to {name}: {price} for each visitor.",
            f"Entry costs {price} for one person, and tickets are sold at the gate and online.",
        ),
        "portal": (
            f"Ticket: {price}",
            f"Ticket price: {price} per person",
            f"Admission: {price} (one person)",
        ),
        "blog": (
            f"We paid {price} each for the ticket.",
            f"The ticket set me back {price}, and I would pay it again.",
            f"Entry is {price} per head.",
        ),
        "news": (
            f"A ticket costs {price}, unchanged from the spring.",
            f"The price of admission to {name} stays at {price}.",
        ),
    }
    return draft.pick(forms[voice])


def hours_sentence(draft: DocumentDraft, sight: Attraction, voice: SightVoice) -> str:
    """Return a sentence on the opening hours, and record its claims in the draft."""
    draft.add_claim(sight.name, sight.city, "opens", format_time(sight.opens))
    draft.add_claim(sight.name, sight.city, "closes", format_time(sight.closes))
    name = sight.name
    if (sight.opens, sight.closes) == (0, DAY):
        forms: _Forms = {
            "official": (f"{name} is open 24 hours a day.", "The grounds are open around the clock."),
            "portal": ("Opening hours: 24 hours a day", "Open: around the clock"),
            "blog": (
                "It is open around the clock, so come when the crowds are asleep.",
                "You can go at any hour; it is open 24 hours a day.",
            ),
            "news": (f"{name} stays open 24 hours a day.", "The place remains open around the clock."),
        }
        return draft.pick(forms[voice])
    opens, closes = time_in_digits(sight.opens, draft.rng), time_in_digits(sight.closes, draft.rng)
    spoken_times = spoken_time(sight.opens, draft.rng), spoken_time(sight.closes, draft.rng)
    forms = {
        "official": (
            f"{name} is open from {opens} to {closes}.",
            f"Opening hours: {opens} to {closes}.",
            f"We open our gates at {opens} and close them at {closes}.",
        ),
        "portal": (
            f"Opening hours: {opens} - {closes}",
            f"Open: {opens} to {closes}",
            f"Hours: {opens}-{closes}",
        ),
        "blog": (
            f"The doors open at {spoken_times[0]} and they send you out at {spoken_times[1]}.",
            f"It opens at {spoken_times[0]} and closes at {spoken_times[1]}, plan around that.",
            f"We were there when it opened at {spoken_times[0]}; closing time is {spoken_times[1]}.",
        ),
        "news": (
            f"{name} opens at {spoken_times[0]} and closes at {spoken_times[1]}.",
            f"Visitors are welcome from {spoken_times[0]} until {spoken_times[1]}.",
        ),
    }
    return draft.pick(forms[voice])


def closing_days_sentence(draft: DocumentDraft, sight: Attraction, voice: SightVoice) -> str:
    """Return a sentence on the closing days, and record its claim in the draft."""
    draft.add_claim(sight.name, sight.city, "closed_on", weekday_names(sight.closed_on))
    if not sight.closed_on:
        forms: _Forms = {
            "official": ("We are open every day of the week.", "There is no closing day during the week."),
            "portal": ("Closed: never, open daily", "Closing day: none"),
            "blog": ("It is open every day, so no excuse.", "There is no closing day to worry about."),
            "news": ("It receives visitors every day of the week.", "There is no weekly closing day."),
        }
        return draft.pick(forms[voice])
    days = plural_days(sight.closed_on)
    forms = {
        "official": (f"Closed on {days}.", f"Please note that we are closed on {days}."),
        "portal": (f"Closed: {days}", f"Closing day: {days}"),
        "blog": (
            f"Do not come on {days}, it is closed.",
            f"It is closed on {days}; we nearly made that mistake.",
        ),
        "news": (f"As before, it is closed on {days}.", f"The doors stay shut on {days}."),
    }
    return draft.pick(forms[voice])


def visit_sentence(draft: DocumentDraft, sight: Attraction, voice: SightVoice) -> str:
    """Return a sentence on the duration of a visit, and record its claim in the draft."""
    draft.add_claim(sight.name, sight.city, "visit", f"{sight.least}-{sight.most}")
    time = duration_phrase(sight.least, sight.most, draft.rng)
    forms = {
        "official": (
            f"The recommended time for a visit is {time}.",
            f"We recommend {time} for your visit.",
            f"Most visitors stay {time}, which is what we recommend.",
        ),
        "portal": (f"Recommended visit: {time}", f"Suggested duration: {time}", f"Time needed: {time}"),
        "blog": (
            f"Give it {time}, that is what the staff recommend too.",
            f"You need {time} to see it properly.",
        ),
        "news": (f"The recommended length of a visit is {time}.", f"Visitors are advised to plan {time}."),
    }
    return draft.pick(forms[voice])


def address_sentence(draft: DocumentDraft, sight: Attraction, voice: SightVoice) -> str:
    """Return a sentence on the address, and record its claim in the draft."""
    draft.add_claim(sight.name, sight.city, "address", sight.address)
    place = sight.address
    forms = {
        "official": (f"Address: {place}, {sight.city}.", f"You find us at {place}, {sight.city}."),
        "portal": (f"Address: {place}", f"Where: {place}, {sight.city}"),
        "blog": (f"For your map: {place}.", f"The address to show your driver is {place}."),
        "news": (f"The address is {place}.", f"It is found at {place}."),
    }
    return draft.pick(forms[voice])


def with_full_stop(text: str) -> str:
    """Add a full stop to a text that ends without one."""
    return text if not text or text[-1] in ".!?" else f"{text}."
