"""Sentences of guides, in the voice of their writer, and of notes on meals. Facts inside sentences are recorded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from planspec.families.worldtravel.webscape.facts import FactWriter
from planspec.families.worldtravel.webscape.forms import NO_STEPS
from planspec.families.worldtravel.webscape.phrasing import PhraseDeck, article, phrases
from planspec.families.worldtravel.webscape.tables import WorldRow

STYLES = ("brief", "standard", "deep")
PROFILES = ("adults", "family", "seniors")
_SOBER = "memorial"
_FORUMS = 2
"""Number of blogs of which one is a thread of a forum."""
_SHARED = 2
"""Number of level parts from which they share a sentence."""


@dataclass(frozen=True, slots=True)
class Stay:
    """A paragraph on the lengths of visits.

    Attributes:
        text: the paragraph.
        key: style of the visits, or profile of the visitors, that the paragraph is about.
    """

    text: Markup
    key: str


def kind_of_sight(place: WorldRow) -> str:
    """Return the kind of a sight, such as `church`, for the choice of phrases."""
    name = f"{place['name'].lower()} "
    kind: str = next(kind for kind, words in phrases("guides")["kinds"] if any(word in name for word in words))
    return kind


class GuideText:
    """Sentences of a guide.

    Args:
        place: row of the sight.
        writer: writer of the page.
        deck: phrases of the page.
    """

    def __init__(self, place: WorldRow, writer: FactWriter, deck: PhraseDeck) -> None:
        self._place = place
        self._writer = writer
        self._deck = deck
        self._threads = deck.every(_FORUMS)
        self._bank = phrases("guides")
        self._names: Mapping[str, Sequence[str]] = self._bank["names"]
        self.kind = kind_of_sight(place)

    def line(self, voice: str, key: str) -> Markup:
        """Return a phrase of a bank that names at most the place. No fact is recorded.

        Banks by kind of place give a phrase of the place's kind.
        """
        bank = self._lines(voice, key)
        return Markup(self._dealer(voice).deal(f"{voice} {key}", bank)).format(  # noqa: S704 our own phrases
            name=self._place["name"], the=article(self._place) + self._place["name"]
        )

    def lines(self, voice: str, key: str, count: int) -> list[Markup]:
        """Return several phrases of a bank, or fewer if it has fewer."""
        bank = self._lines(voice, key)
        count = min(count, len(bank))
        return [Markup(self._dealer(voice).deal(f"{voice} {key}", bank, count)) for _ in range(count)]  # noqa: S704 our own phrases

    def _dealer(self, voice: str) -> PhraseDeck:
        return self._threads if voice == "forum" else self._deck

    def _lines(self, voice: str, key: str) -> Sequence[str]:
        sober = self._bank["sober"].get(key) if self.kind == _SOBER else None
        bank = sober or self._bank[voice][key]
        lines: Sequence[str] = bank[self.kind] if isinstance(bank, Mapping) else bank
        return lines

    # ------------------------------------------------------------------ lengths of visits

    def stays(self, voice: str, dwell: Mapping[str, Mapping[str, WorldRow]]) -> list[Stay]:
        """Return a paragraph for each style of visit, with the lengths by profile.

        Args:
            voice: `diary` or `official`.
            dwell: rows by style and profile.
        """
        banks = self._bank["official" if self.kind == _SOBER else voice]["stay"]
        return [
            Stay(self._stay(f"{voice} {style}", banks.get(style, banks["standard"]), {"style": rows}, rows), style)
            for style, rows in dwell.items()
        ]

    def stays_by_profile(self, dwell: Mapping[str, Mapping[str, WorldRow]]) -> list[Stay]:
        """Return a paragraph for each profile, as in a forum."""
        found = []
        for profile in next(iter(dwell.values()), {}):
            rows = {style: by[profile] for style, by in dwell.items() if profile in by}
            bank = self._lines("forum", profile) if profile in PROFILES else ()
            found.append(Stay(self._stay(f"forum {profile}", bank, {profile: rows}, rows), profile))
        return found

    def meals(self, dwell: Mapping[str, Mapping[str, WorldRow]]) -> list[Markup]:
        """Return a sentence for each style of meal, with the lengths by profile."""
        self._names = self._bank["meals"]["names"]
        bank = self._bank["meals"]["sentences"]
        return [self._stay(f"meal {style}", bank, {"style": rows}, rows) for style, rows in dwell.items()]

    def _stay(
        self,
        name: str,
        bank: Sequence[str],
        shared: Mapping[str, Mapping[str, WorldRow]],
        rows: Mapping[str, WorldRow],
    ) -> Markup:
        """Return a sentence with one name for all rows, and the name and length of each row."""
        ((slot, _),) = shared.items()
        column = "style" if slot == "style" else "profile"
        expected = PROFILES if column == "style" else STYLES
        if set(rows) != set(expected):
            return self._plain_stay(column, rows)
        phrase = self._dealer(name.partition(" ")[0]).deal(name, bank)
        slots: dict[str, Any] = {}
        self._add(slots, slot, phrase, list(rows.values()), column)
        for key, row in rows.items():
            self._add(slots, key, phrase, [row], "profile" if column == "style" else "style")
            for length in (f"{key}_time", f"{key.capitalize()}_time"):
                if f"{{{length}}}" in phrase:
                    slots[length] = self._writer.write_duration(row, "prose")
        return Markup(phrase).format(**slots)  # noqa: S704 our own phrases

    def _add(self, slots: dict[str, Any], slot: str, phrase: str, rows: Sequence[WorldRow], column: str) -> None:
        """Add the name of rows, which have equal cells, with a capital if the phrase has one."""
        names = self._names.get(rows[0][column], ())
        name = self._deck.deal(f"name {rows[0][column]}", names, 3) if names else None
        for key in (slot, slot.capitalize()):
            if f"{{{key}}}" in phrase:
                shown = name if name is None or key == slot else name[0].upper() + name[1:]
                slots[key] = self._writer.write_shared(rows, column, "word", "prose", shown)

    def _plain_stay(self, column: str, rows: Mapping[str, WorldRow]) -> Markup:
        other = "profile" if column == "style" else "style"
        name = self._writer.write_shared(list(rows.values()), column, "word", "prose")
        lengths = (
            Markup("{} {}").format(
                self._writer.write(row, other, "word", "prose"), self._writer.write_duration(row, "prose")
            )
            for row in rows.values()
        )
        return Markup("{}: {}.").format(name, Markup(", ").join(lengths))

    # ------------------------------------------------------------------ other facts

    def light(self, voice: str, row: WorldRow) -> Markup:
        """Return a sentence on the best light for photographs."""
        phrase = self._dealer(voice).deal(f"{voice} light", self._lines(voice, "light"))
        ends = {column: self._writer.write(row, column, "clock", "prose") for column in ("from", "until")}
        return Markup(phrase).format(**ends)  # noqa: S704 our own phrases

    def parts(self, rows: Sequence[WorldRow], manner: str = "") -> list[Markup]:
        """Return sentences on parts. Parts without steps and times share a sentence.

        Args:
            rows: rows of the parts.
            manner: `official_` for the wording of an official guide.
        """
        level = [row for row in rows if row["steps"] == "0" and not row["least"]]
        others = [self.part(row, manner) for row in rows if len(level) < _SHARED or row not in level]
        return others if len(level) < _SHARED else [self._parts_together(level, manner), *others]

    def _parts_together(self, rows: Sequence[WorldRow], manner: str) -> Markup:
        names = [Markup("<b>{}</b>").format(self._writer.write(row, "name", cue="prose")) for row in rows]
        key = f"{manner}together"
        phrase = self._deck.deal(f"parts {key}", self._bank["parts"][key])
        steps = self._writer.write_shared(
            rows, "steps", "steps", "prose", NO_STEPS.capitalize() if "{steps_}" in phrase else None
        )
        listed = Markup("; ").join(names)
        return Markup(phrase).format(names=listed, steps=steps, steps_=steps)  # noqa: S704 our own phrases

    def part(self, row: WorldRow, manner: str = "") -> Markup:
        """Return a sentence on a part and the steps to it, and on the time there if the world has it.

        Args:
            row: row of the part.
            manner: `official_` for the wording of an official guide.
        """
        bank = self._bank["parts"]
        key = f"{manner}level" if row["steps"] == "0" else f"{manner}stairs"
        slots = {
            "name": Markup("<b>{}</b>").format(self._writer.write(row, "name", cue="prose")),
            "steps": self._writer.write(row, "steps", "steps", "prose"),
        }
        phrase = self._deck.deal(f"parts {key}", bank[key])
        sentence = Markup(phrase).format(**slots)  # noqa: S704 our own phrases
        if not row["least"]:
            return sentence
        words = self._deck.deal("parts times", bank[f"{manner}times"])
        time = self._writer.write_duration(row, "prose")
        return sentence + Markup(words).format(time=time, Time=time)  # noqa: S704 our own phrases

    def route(self, row: WorldRow, stops: Markup) -> Markup:
        """Return a sentence on a route.

        Args:
            row: row of the route.
            stops: names of its parts.
        """
        return Markup(self._deck.deal("routes", self._bank["routes"])).format(  # noqa: S704 our own phrases
            name=Markup("<b>{}</b>").format(self._writer.write(row, "name", cue="prose")),
            colour=self._writer.write(row, "colour", "word", "prose"),
            time=self._writer.write_duration(row, "prose"),
            stops=stops,
        )

    def usual_length(self, row: WorldRow) -> Markup:
        """Return a sentence on the usual length of a kind of performance."""
        return Markup(self._deck.deal("running", self._bank["stage"]["running"])).format(  # noqa: S704 our own phrases
            genre=self._writer.write(row, "genre", "word", "prose"),
            length=self._writer.write(row, "length", "length", "prose"),
        )

    def work(self, row: WorldRow) -> Mapping[str, str]:
        """Return the composer (`by`) and a line on the story (`about`) of a show; empty if the work is unknown."""
        details: Mapping[str, str] = phrases("programmes")["works"].get(row["title"], {})
        return {"by": details.get("by", ""), "about": details.get("about", "")}

    def finds(self, voice: str) -> str:
        """Return a sentence with the things to find that the floor plan names; empty if there are none."""
        names: Sequence[str] = phrases("plans").get(self._place["name"], ())
        phrase = self._deck.deal(f"{voice} finds", self._bank["finds"][voice])
        return phrase.format(finds=", ".join(names)) if names else ""

    def on_show(self, count: int) -> list[Markup]:
        """Return small displays of the place: colour without times, prices or tickets."""
        return self.lines("magazine", "on_show", count)
