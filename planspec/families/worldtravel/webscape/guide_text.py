"""Sentences of guides, in the voice of their writer, and of notes on meals. Facts inside sentences are recorded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from planspec.families.worldtravel.webscape.facts import FactWriter
from planspec.families.worldtravel.webscape.forms import STEP_FREE
from planspec.families.worldtravel.webscape.phrasing import PhraseDeck, article, phrases
from planspec.families.worldtravel.webscape.tables import WorldRow

STYLES = ("brief", "standard", "deep")
PROFILES = ("adults", "family", "seniors")
_SOBER = "memorial"
_FORUMS = 2
"""Number of blogs of which one is a thread of a forum."""
_SHARED = 2
"""Number of level parts from which they share a sentence."""


def kind_of_sight(place: WorldRow) -> str:
    """Return the kind of a sight, such as `church`, for the choice of phrases."""
    name = f"{place['name'].lower()} "
    kind: str = next(kind for kind, words in phrases("guides")["kinds"] if any(word in name for word in words))
    return kind


def joined(names: Sequence[Markup], separator: str = ", ") -> Markup:
    """Return names as in a sentence: `a`, `a and b`, or `a, b and c`."""
    first, last = names[:-1], names[-1]
    joint = " and " if separator == ", " or len(first) == 1 else f"{separator}and "
    return Markup("{}{}{}").format(Markup(separator).join(first), joint, last) if first else last  # noqa: S704 a constant


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
        self._labels: dict[str, str] = {}
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

    def label(self, rows: Sequence[WorldRow], column: str) -> Markup:
        """Return a name, with a capital, for the equal styles or profiles of rows, and record the facts.

        A profile has the same name on the whole page.
        """
        names = self._names.get(rows[0][column], ())
        member = rows[0][column]
        name = self._labels.get(member) or (self._deck.deal(f"name {member}", names, 3) if names else None)
        if name and column == "profile":
            self._labels[member] = name
        return self._writer.write_shared(rows, column, "word", "text", name and name[0].upper() + name[1:])

    def thread(self) -> Mapping[str, str]:
        """Return a thread of a forum: `subject`, `question`, an answer for each profile, and `thanks`."""
        threads = self._bank["sober" if self.kind == _SOBER else "forum"]["threads"]
        thread: Mapping[str, str] = self._threads.deal("threads", threads)
        names = {"name": self._place["name"], "the": article(self._place) + self._place["name"]}
        return {**thread, "subject": thread["subject"].format(**names)}

    def posting(self) -> list[str]:
        """Return when each post of a thread was written: the question, five answers, and the thanks."""
        return ["in early spring", *self._bank["forum"]["posted"]]

    def answer(self, phrase: str, rows: Sequence[WorldRow]) -> Markup:
        """Return the sentences of a forum before the lengths of a profile, and record the profile of the rows."""
        slots: dict[str, Any] = {}
        self._add(slots, rows[0]["profile"], phrase, rows, "profile")
        return Markup(phrase).format(**slots)  # noqa: S704 our own phrases

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
        free = self._writer.write_shared(rows, "steps", "steps", "prose", STEP_FREE)
        separator = "; " if any("," in row["name"] for row in rows) else ", "
        return Markup(phrase).format(names=joined(names, separator), free=free)  # noqa: S704 our own phrases

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

    def usual_lengths(self, rows: Sequence[WorldRow]) -> Markup:
        """Return a sentence on the usual lengths of kinds of performances."""
        lengths = [
            Markup("{} for {}").format(
                self._writer.write(row, "length", "length", "prose"), self._writer.write(row, "genre", "word", "prose")
            )
            for row in rows
        ]
        phrase = self._deck.deal("running", self._bank["stage"]["running"])
        return Markup(phrase).format(lengths=joined(lengths))  # noqa: S704 our own phrases

    def work(self, row: WorldRow) -> Mapping[str, str]:
        """Return the composer (`by`) and a line on the story (`about`) of a show; empty if the work is unknown."""
        details: Mapping[str, str] = phrases("programmes")["works"].get(row["title"], {})
        return {"by": details.get("by", ""), "about": details.get("about", "")}

    def portrait(self, voice: str) -> str:
        """Return a paragraph on this sight in a voice, `walk` or `entry`; empty for a sight without one."""
        text: str = phrases("places").get(self._place["name"], {}).get(voice, "")
        return text

    def finds(self, voice: str) -> str:
        """Return a sentence with the things to find that the floor plan names; empty if there are none."""
        names: Sequence[str] = phrases("places").get(self._place["name"], {}).get("finds", ())
        phrase = self._dealer(voice).deal(f"{voice} finds", self._bank[voice]["finds"])
        return phrase.format(finds=joined([Markup(name) for name in names])) if names else ""  # noqa: S704 our own phrases

    def on_show(self, count: int) -> list[Markup]:
        """Return small displays of the place: colour without times, prices or tickets."""
        return self.lines("magazine", "on_show", count)
