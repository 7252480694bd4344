"""Wording of requests: sentences of travellers that express the content of a draft."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from random import Random

from planspec.families.worldtravel.generator.calendar import format_clock
from planspec.families.worldtravel.generator.city import CityFolder
from planspec.families.worldtravel.generator.documents import WordedQuery, specification_text
from planspec.families.worldtravel.generator.drawing import Draft
from planspec.families.worldtravel.generator.written_requests import WrittenRequests, section_names
from planspec.suite_writing.options import UnsuitableSuiteError

MAX_OVERLAP = 0.5
"""Maximum overlap of the word trigrams of two requests for a city. See `trigram_overlap`."""
TRIES = 300
"""Number of wordings that are tried for a request."""
ALL_HINTED_SHARE, HINTED_SHARE = 0.45, 0.25
"""Share of the requests that hint at all sights, and share of the other places that requests hint at.

A hint describes a place without its name.
"""

OPENINGS = (
    "{when} in {city}, for {who}.",
    "Please plan a trip to {city}, {when}, for {who}.",
    "{we_} will be in {city} on {when}: {who}.",
    "{we_} need a plan for {city}, {when}. Travelling: {who}.",
    "A trip to {city} is coming up, {when}. Who goes: {who}.",
    "Who: {who}. When: {when}. Where: {city}.",
    "Next stop: {city}, {when}. The party: {who}.",
    "Could somebody work out {when} in {city}, for {who}?",
    "It is {city} on {when}, and the party is {who}.",
    "On {when} there is time for {city}; travelling: {who}.",
)
"""First sentences of a request. The travellers are named at the end of the sentence, since they may be a list."""
LISTS = (
    "{we_} would like {things}.",
    "On {our} list: {things}.",
    "What {we} have in mind is {things}.",
    "These matter to {us}: {things}.",
    "The plan has to include {things}.",
    "{things_}: all of that, in whatever order works.",
    "Nothing may be left out of this: {things}.",
    "{we_} look forward to {things}.",
    "{we_} want to fit in {things}.",
    "It is all about {things}.",
)
ORDERS = (
    "{first_} has to come before {second}.",
    "Not {second} until {we} have been to {first}.",
    "{second_} only after {first}, please.",
    "{first_} should come earlier than {second}.",
)
PASSES = (
    "{we_} buy the {name}.",
    "Admission is by the {name}.",
    "{we_} travel with the {name}.",
    "The {name} is to be used.",
)
STAYS = (
    "For the night {we} want {stay}.",
    "To sleep, {we} look for {stay}.",
    "{we_} would book {stay}.",
    "As for the bed: {stay}.",
    "The hotel: {stay}.",
    "Accommodation should be {stay}.",
)
NIGHTS = (
    " That makes {n} nights.",
    " {n_} nights are to be paid.",
    " Count {n} nights there.",
)
RIDES = {
    "taxi": (
        "{we_} walk up to {n} minutes at a stretch and take a taxi for anything longer.",
        "Whatever is more than {n} minutes on foot is a taxi ride.",
        "{n_} minutes of walking are fine, beyond that {we} call a cab (taxi).",
        "Taxis, please, except where it takes {n} minutes or less on foot.",
    ),
    "bus": (
        "{we_} walk up to {n} minutes at a stretch, and ride the bus otherwise.",
        "Whatever is more than {n} minutes on foot is done by bus.",
        "{n_} minutes of walking are fine, beyond that {we} take the bus.",
        "Buses, please, except where it takes {n} minutes or less on foot.",
    ),
    "foot": (
        "{we_} walk everywhere.",
        "All ways are made on foot.",
        "No taxi, no bus: {we} go on foot.",
        "Every way is a walk.",
    ),
}
BACKS = (
    "{we_} want to be back by {time}.",
    "The day ends at the hotel by {time}.",
    "By {time} everybody is back.",
    "Nobody wants to return later than {time}.",
)
BUDGETS = (
    "All of it together may cost {amount}.",
    "The budget is {amount} for everything.",
    "{we_} can spend {amount}, beds included.",
    "More than {amount} in total is not possible.",
)
NUMBERS = {2: "two", 3: "three", 4: "four", 10: "ten", 15: "fifteen", 20: "twenty", 25: "twenty-five"}


@dataclass(frozen=True, slots=True)
class _Voice:
    """Grammatical person in which a request is written: one traveller (`I`) or several (`we`)."""

    is_alone: bool

    def pronouns(self) -> dict[str, str]:
        """Return the pronouns of the travellers, by placeholder in the phrases."""
        we, us, our = ("I", "me", "my") if self.is_alone else ("we", "us", "our")
        return {"we": we, "we_": we.capitalize(), "us": us, "our": our}


class RequestWording:
    """Writer of requests that differ enough from one another.

    A request that the city's author wrote for the draft is used unchanged.

    Args:
        city: city with its phrases and its written requests.
    """

    def __init__(self, city: CityFolder) -> None:
        self._city = city
        self.written = WrittenRequests(city)
        self._earlier: list[frozenset[tuple[str, ...]]] = []

    def query(self, random: Random, draft: Draft, budget: int | None) -> WordedQuery:
        """Return a request in words that is not too similar to an earlier one.

        Args:
            random: source of the choice among phrases.
            draft: content of the request.
            budget: budget in minor units; None if the request names none.

        Raises:
            UnsuitableSuiteError: the city has too few phrases, or a written request is invalid.
        """
        specification = specification_text(draft, budget, self._city.head.currency)
        written = self.written.take(specification, section_names(specification))
        if written is not None:
            self._earlier.append(trigrams(written.text))
            return written
        for _ in range(TRIES):
            query = self._write_query(random, draft, budget)
            trigrams_ = trigrams(query.text)
            if all(trigram_overlap(trigrams_, other) <= MAX_OVERLAP for other in self._earlier):
                self._earlier.append(trigrams_)
                return query
        raise UnsuitableSuiteError(
            f"{self._city.folder}: there are too few phrases: each possible request for {', '.join(draft.places)} is too similar to another"
        )

    def _write_query(self, random: Random, draft: Draft, budget: int | None) -> WordedQuery:
        head, scenarios = self._city.head, self._city.scenarios
        words = _Voice(len(draft.party.travellers) == 1).pronouns()
        travellers = random.choice(draft.party.say)
        tells = {"Traveller": travellers}
        sentences = [
            random.choice(OPENINGS).format(
                who=travellers, city=head.name, when=_dates_text(random, draft.trip), **words
            )
        ]
        restaurants = {row["id"] for row in self._city.rows("place") if row["kind"] == "restaurant"}
        hinted = random.random() < ALL_HINTED_SHARE
        called: dict[str, str] = {}
        things = []
        for wish in random.sample(draft.wishes, len(draft.wishes)):
            scenario = scenarios.places[wish.place]
            by_interest = (hinted and wish.place not in restaurants) or random.random() < HINTED_SHARE
            called[wish.place] = random.choice(scenario.hinted if by_interest else scenario.named)
            comma = (
                "," if by_interest else ""
            )  # the comma separates the description of the place from the kind of visit
            things.append(f"{called[wish.place]}{comma} {random.choice(wish.kind.say)}".strip(" ,"))
        listed = _join_things(random, things)
        sentence = random.choice(LISTS).format(things=listed, things_=_capitalize(listed), **words)
        sentences.append(sentence)
        tells |= {"Wish": listed}
        tells |= {"WishPart": listed} if any(wish.kind.parts for wish in draft.wishes) else {}
        tells |= {"WishAddon": listed} if any(wish.kind.addons for wish in draft.wishes) else {}
        for first, second in draft.before:
            ends = {"first": called[first], "second": called[second]}
            sentence_ = random.choice(ORDERS).format(
                **ends, **{f"{k}_": _capitalize(v) for k, v in ends.items()}, **words
            )
            sentences.append(sentence_)
            tells["Before"] = sentence_
        if draft.passes:
            names = " and ".join(self._city.rows_by_id("city_pass")[name]["name"] for name in draft.passes)
            sentences.append(random.choice(PASSES).format(name=names, **words))
            tells["passes"] = sentences[-1]
        rest = self._further_sentences(random, draft, budget, words, tells)
        sentences += random.sample(rest, len(rest))
        text = " ".join(sentences)
        return WordedQuery(
            text,
            {name: sentence_ if sentence_ in text else _capitalize(sentence_) for name, sentence_ in tells.items()},
        )

    def _further_sentences(
        self,
        random: Random,
        draft: Draft,
        budget: int | None,
        words: Mapping[str, str],
        tells: dict[str, str],
    ) -> list[str]:
        """Return the sentences about the hotel, the transport and the budget.

        The sentences may be used in any order. Words that express a given (named input) are added to `tells`, by the
        name of the given.
        """
        stay = random.choice(draft.stay.say)
        nights = len(draft.trip)
        sentence = random.choice(STAYS).format(stay=stay, **words)
        if nights > 1:
            sentence += random.choice(NIGHTS).format(n=NUMBERS[nights], n_=NUMBERS[nights].capitalize())
            tells["nights"] = sentence.removeprefix(sentence[: sentence.rindex(".", 0, -1) + 2])
        tells |= {
            name: stay
            for name, value in (
                ("stars", draft.stay.stars),
                ("features", draft.stay.features),
                ("near", draft.stay.near),
            )
            if value
        }
        n = NUMBERS[draft.walk]
        ride = random.choice(RIDES[draft.ride]).format(n=n, n_=n.capitalize(), **words)
        tells |= {"ride": ride} | ({"walk_up_to": ride} if draft.ride != "foot" else {})
        sentences = [sentence, ride]
        if draft.back is not None:
            sentences.append(random.choice(BACKS).format(time=format_clock(draft.back), **words))
        if budget is not None:
            amount = (
                f"{budget // 100}" + (f".{budget % 100:02d}" if budget % 100 else "") + f" {self._city.head.currency}"
            )
            sentences.append(random.choice(BUDGETS).format(amount=amount, **words))
        return sentences


def trigrams(text: str) -> frozenset[tuple[str, ...]]:
    """Return the word trigrams of a text in lower case."""
    words = re.findall(r"\w+", text.casefold())
    return frozenset(zip(words, words[1:], words[2:], strict=False))


def trigram_overlap(a: frozenset[tuple[str, ...]], b: frozenset[tuple[str, ...]]) -> float:
    """Return the overlap coefficient of two trigram sets.

    It is the size of the intersection divided by the size of the smaller set.
    """
    return len(a & b) / max(1, min(len(a), len(b)))


def _dates_text(random: Random, trip: Sequence[date]) -> str:
    def day_text(day: date, form: str) -> str:
        return f"{day:%A}, {day.day} {day:%B}{form}"

    if len(trip) == 1:
        day = trip[0]
        return random.choice((day_text(day, f" {day.year}"), f"{day.day} {day:%B} {day.year} (a {day:%A})"))
    *days, last = trip
    return f"{', '.join(day_text(day, '') for day in days)}, and {day_text(last, f' {last.year}')}"


def _join_things(random: Random, things: Iterable[str]) -> str:
    *first, last = listed = list(things)
    comma = "; " if any("," in thing for thing in listed) else random.choice((", ", "; "))
    return f"{comma.join(first)}{comma}and {last}" if first else last


def _capitalize(text: str) -> str:
    return text[:1].upper() + text[1:]
