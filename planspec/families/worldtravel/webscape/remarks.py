"""Remarks of visitors, diners and hotel guests, and sentences on what a hotel offers."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from markupsafe import Markup

from planspec.families.worldtravel.webscape.facts import FactWriter, set_members
from planspec.families.worldtravel.webscape.guide_text import kind_of_sight
from planspec.families.worldtravel.webscape.phrasing import PhraseDeck, phrases
from planspec.families.worldtravel.webscape.tables import WorldRow


class Remark(NamedTuple):
    """A remark and the name of its writer."""

    text: str
    name: str


class Remarks:
    """Writer of a page's remarks and of its sentences on hotels.

    Remarks contain no facts such as times, prices, lengths, tickets or days.

    Args:
        writer: writer of the page.
        deck: source of phrases for the page.
        deck_of: function that returns the source of phrases for a place.
    """

    def __init__(self, writer: FactWriter, deck: PhraseDeck, deck_of: Callable[[WorldRow], PhraseDeck]) -> None:
        self._writer = writer
        self._deck = deck
        self._make_deck = deck_of
        self._decks: dict[str, PhraseDeck] = {}

    def of_sight(self, place: WorldRow) -> Remark:
        """Return a visitor's remark that suits the kind of a sight."""
        bank = phrases("reviews")
        kind = kind_of_sight(place)
        return Remark(self._deck.deal(f"remark {kind}", bank["sights"][kind]), self._deck.deal("names", bank["names"]))

    def of_table(self, place: WorldRow) -> Remark:
        """Return a diner's remark on a restaurant. A city's restaurants have different remarks on every page."""
        bank = phrases("reviews")
        deck = self._decks.setdefault(place["id"], self._make_deck(place))
        return Remark(deck.deal("tables", bank["tables"], 2), deck.deal("names", bank["names"], 2))

    def of_critic(self, place: WorldRow) -> str:
        """Return a critic's review of a restaurant, including a verdict; empty for a restaurant without a review."""
        review: str = phrases("reviews")["critics"].get(place["name"], "")
        return review

    def of_guest(self, hotel: WorldRow) -> Remark:
        """Return a guest's remark on a hotel."""
        bank = phrases("hotels")
        text = bank["guests_of"].get(hotel["name"]) or self._deck.deal("guests", bank["guests"])
        return Remark(text.strip("“”"), self._deck.deal("nights", bank["nights"]))

    def of_hotel(self, hotel: WorldRow) -> Markup:
        """Return sentences on what a hotel offers, and record its features.

        Features that the hotel's description already mentions are only listed.
        """
        bank = phrases("hotels")
        members = list(enumerate(set_members(hotel["features"])))
        listed = [member for member in members if self._is_mentioned(hotel, bank["mentioned"].get(member[1], ()))]
        described = sorted(
            (m for m in members if m not in listed), key=lambda member: member[1] not in bank["openings"]
        )
        sentences = [
            self._feature_sentence(
                hotel, index, feature, bank["openings"].get(feature) or bank["sentences"].get(feature)
            )
            for index, feature in described
        ]
        if listed:
            names = [self._writer.write_member(hotel, "features", index, "prose") for index, _ in listed]
            phrase = self._deck.deal("hotel in brief", bank["in_brief"])
            line = Markup(phrase).format(features=Markup(" · ").join(names))  # noqa: S704 phrases from our own files
            sentences.append(Markup("<br>{}").format(line) if sentences else line)
        return Markup(" ").join(sentences)

    @staticmethod
    def _is_mentioned(hotel: WorldRow, words: Sequence[str]) -> bool:
        return any(re.search(rf"\b{word}\b", hotel["about"].lower()) for word in words)

    def _feature_sentence(self, hotel: WorldRow, index: int, feature: str, bank: list[str] | None) -> Markup:
        if bank is None:
            return Markup("There is also: {}.").format(self._writer.write_member(hotel, "features", index, "prose"))
        phrase = self._deck.deal(f"hotel {feature}", bank)
        name = self._deck.deal(f"hotel name {feature}", phrases("hotels")["names"][feature])
        slots = {
            slot: self._writer.write_member(hotel, "features", index, "prose", words)
            for slot, words in ((feature, name), (feature.capitalize(), name.capitalize()))
            if f"{{{slot}}}" in phrase
        }
        return Markup(phrase).format(**slots)  # noqa: S704 phrases from our own files
