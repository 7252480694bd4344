"""Remarks of visitors, diners and hotel guests, and sentences on what a hotel offers."""

from __future__ import annotations

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
    """Remarks and hotel sentences of a page.

    Remarks are colour: they contain no time, price, length, ticket or day.

    Args:
        writer: writer of the page.
        deck: phrases of the page.
    """

    def __init__(self, writer: FactWriter, deck: PhraseDeck) -> None:
        self._writer = writer
        self._deck = deck

    def of_sight(self, place: WorldRow) -> Remark:
        """Return a visitor's remark on a sight of this kind."""
        bank = phrases("reviews")
        kind = kind_of_sight(place)
        return Remark(self._deck.deal(f"remark {kind}", bank["sights"][kind]), self._deck.deal("names", bank["names"]))

    def of_table(self) -> Remark:
        """Return a diner's remark."""
        bank = phrases("reviews")
        return Remark(self._deck.deal("tables", bank["tables"], 2), self._deck.deal("names", bank["names"], 2))

    def of_guest(self) -> Remark:
        """Return a hotel guest's remark."""
        bank = phrases("hotels")
        return Remark(self._deck.deal("guests", bank["guests"]).strip("“”"), self._deck.deal("nights", bank["nights"]))

    def of_hotel(self, hotel: WorldRow) -> Markup:
        """Return sentences on what a hotel offers, and record its features."""
        bank = phrases("hotels")
        members = list(enumerate(set_members(hotel["features"])))
        openings = [member for member in members if member[1] in bank["openings"]]
        others = [member for member in members if member[1] not in bank["openings"]]
        return Markup(" ").join(
            self._feature(hotel, index, feature, bank["openings"].get(feature) or bank["sentences"].get(feature))
            for index, feature in (*openings, *others)
        )

    def _feature(self, hotel: WorldRow, index: int, feature: str, bank: list[str] | None) -> Markup:
        if bank is None:
            return Markup("There is also: {}.").format(self._writer.write_member(hotel, "features", index, "prose"))
        phrase = self._deck.deal(f"hotel {feature}", bank)
        name = self._deck.deal(f"hotel name {feature}", phrases("hotels")["names"][feature])
        slots = {
            slot: self._writer.write_member(hotel, "features", index, "prose", words)
            for slot, words in ((feature, name), (feature.capitalize(), name.capitalize()))
            if f"{{{slot}}}" in phrase
        }
        return Markup(phrase).format(**slots)  # noqa: S704 our own phrases
