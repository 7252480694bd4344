"""Sentences of guides, in the style of a kind of writer, and of notes on meals. Facts in sentences are recorded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from string import ascii_lowercase
from typing import Any

from markupsafe import Markup

from planspec.dsl.resources.english_words import MONTHS, WEEKDAYS
from planspec.families.worldtravel.webscape.facts import FactWriter
from planspec.families.worldtravel.webscape.forms import STEP_FREE
from planspec.families.worldtravel.webscape.phrasing import PhraseDeck, article, phrases
from planspec.families.worldtravel.webscape.tables import WorldRow

STYLES = ("brief", "standard", "deep")
PROFILES = ("adults", "family", "seniors")
_SOBER = "memorial"
_FORUMS = 2
"""One in this many blogs is written as a thread of a forum."""
_DOCUMENTS = {"diary": "blogs", "forum": "blogs", "magazine": "magazines", "official": "officials"}
"""For each kind of writer (voice), the document of phrases about single sights."""
_DAYS_BEFORE = 40
"""Minimum number of days between the date of a text and the first day of the calendar."""
_SEASONS = ("Winter", "Spring", "Summer", "Autumn")


def kind_of_sight(place: WorldRow) -> str:
    """Return the kind of a sight, such as `church`, for the choice of phrases."""
    name = f"{place['name'].lower()} "
    kind: str = next(kind for kind, words in phrases("guides")["kinds"] if any(word in name for word in words))
    return kind


def joined(names: Sequence[Markup], separator: str = ", ") -> Markup:
    """Join names for a sentence: `a`, `a and b`, or `a, b and c`."""
    first, last = names[:-1], names[-1]
    joint = " and " if separator == ", " or len(first) == 1 else f"{separator}and "
    return Markup("{}{}{}").format(Markup(separator).join(first), joint, last) if first else last  # noqa: S704 a constant text


class GuideText:
    """Writer of the sentences of a guide to a sight.

    Args:
        place: row of the sight.
        writer: writer of the page.
        deck: source of phrases for the page.
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
        """Return a phrase of a kind of writer (`voice`): one about this sight or, if there is none, a general one.

        The phrase contains no fact except the name of the place, and no fact is recorded. General phrases may depend on
        the kind of place.
        """
        sight_phrase = self._sight_phrases(voice).get(key)
        phrase = sight_phrase or self._deck_of_voice(voice).deal(f"{voice} {key}", self._general_phrases(voice, key))
        return Markup(phrase).format(  # noqa: S704 phrases from our own files
            name=self._place["name"], the=article(self._place) + self._place["name"]
        )

    def lines(self, voice: str, key: str, count: int) -> Sequence[Markup]:
        """Return phrases of a kind of writer (`voice`): those about this sight or, if there are none, general ones.

        There are `count` general phrases, or all of them if there are fewer.
        """
        sight_phrases = self._sight_phrases(voice).get(key)
        if sight_phrases:
            return [Markup(phrase) for phrase in sight_phrases]  # noqa: S704 phrases from our own files
        bank = self._general_phrases(voice, key)
        count = min(count, len(bank))
        return [Markup(self._deck_of_voice(voice).deal(f"{voice} {key}", bank, count)) for _ in range(count)]  # noqa: S704 phrases from our own files

    def _sight_phrases(self, voice: str) -> Mapping[str, Any]:
        sight_phrases: Mapping[str, Any] = phrases(_DOCUMENTS[voice]).get(self._place["name"], {})
        return sight_phrases

    def _deck_of_voice(self, voice: str) -> PhraseDeck:
        return self._threads if voice == "forum" else self._deck

    def _general_phrases(self, voice: str, key: str) -> Sequence[str]:
        sober = self._bank["sober"].get(key) if self.kind == _SOBER else None
        bank = sober or self._bank[voice][key]
        lines: Sequence[str] = bank[self.kind] if isinstance(bank, Mapping) else bank
        return lines

    def written(self, first_day: str, number: int, later: int = 0) -> str:
        """Return the date of a text, such as `14 February 2026`, well before the first day of the calendar.

        Args:
            first_day: first day of the calendar.
            number: number of the page, from which the date is drawn.
            later: number of days after the first text of the page.
        """
        day = self._publication_date(first_day, number) + timedelta(later)
        return f"{day.day} {MONTHS[day.month - 1]} {day.year}"

    def season(self, first_day: str, number: int | None = None) -> str:
        """Return the season of a text, such as `Spring 2026`. If `number` is None, return the first day's season."""
        day = date.fromisoformat(first_day) if number is None else self._publication_date(first_day, number)
        return f"{_SEASONS[day.month % 12 // 3]} {day.year + (number is not None and day.month == 12)}"

    @staticmethod
    def _publication_date(first_day: str, number: int) -> date:
        return date.fromisoformat(first_day) - timedelta(_DAYS_BEFORE + number % 90)

    # ------------------------------------------------------------------ lengths of visits

    def label(self, rows: Sequence[WorldRow], column: str, variant: str = "") -> Markup:
        """Return the capitalised name of the style or visitors' profile that all rows share. Record the facts.

        A profile has the same name everywhere on the page. Official guides have special names, which depend on the kind
        of sight.
        """
        official_names = self._bank["official_names"] if variant == "official" else {}
        names = {**self._names, **official_names.get("all", {}), **official_names.get(self.kind, {})}.get(
            rows[0][column], ()
        )
        member = rows[0][column]
        name = self._labels.get(member) or (self._deck.deal(f"name {member}", names, 3) if names else None)
        if name and column == "profile":
            self._labels[member] = name
        return self._writer.write_shared(rows, column, "word", "text", name and name[0].upper() + name[1:])

    def thread(self) -> Mapping[str, str]:
        """Return the texts of a forum's thread: `subject`, `question`, `pin`, `hint`, `tip` and `thanks`."""
        threads = self._bank["sober" if self.kind == _SOBER else "forum"]["threads"]
        thread: Mapping[str, str] = self._threads.deal("threads", threads)
        names = {"name": self._place["name"], "the": article(self._place) + self._place["name"]}
        return {**thread, "subject": thread["subject"].format(**names), **self._sight_phrases("forum")}

    def meals(self, dwell: Mapping[str, Mapping[str, WorldRow]]) -> list[Markup]:
        """Return a sentence for each style of meal on how long it takes each profile of guests, such as families."""
        self._names = self._bank["meals"]["names"]
        bank = self._bank["meals"]["sentences"]
        return [self._lengths_sentence(f"meal {style}", bank, {"style": rows}, rows) for style, rows in dwell.items()]

    def _lengths_sentence(
        self,
        name: str,
        bank: Sequence[str],
        shared: Mapping[str, Mapping[str, WorldRow]],
        rows: Mapping[str, WorldRow],
    ) -> Markup:
        """Return a sentence on how long visits take.

        All rows share a style of visit or a profile of visitors. The sentence names it once, and for each row the
        other of the two and the duration.
        """
        ((slot, _),) = shared.items()
        column = "style" if slot == "style" else "profile"
        expected = PROFILES if column == "style" else STYLES
        if set(rows) != set(expected):
            return self._plain_lengths_sentence(column, rows)
        phrase = self._deck_of_voice(name.partition(" ")[0]).deal(name, bank)
        slots: dict[str, Any] = {}
        self._fill_name_slot(slots, slot, phrase, list(rows.values()), column)
        for key, row in rows.items():
            self._fill_name_slot(slots, key, phrase, [row], "profile" if column == "style" else "style")
            for length in (f"{key}_time", f"{key.capitalize()}_time"):
                if f"{{{length}}}" in phrase:
                    slots[length] = self._writer.write_duration(row, "prose")
        return Markup(phrase).format(**slots)  # noqa: S704 phrases from our own files

    def _fill_name_slot(
        self, slots: dict[str, Any], slot: str, phrase: str, rows: Sequence[WorldRow], column: str
    ) -> None:
        """Fill the placeholder `slot` of a phrase with the name of the value that the rows share in a column.

        The name is capitalised if the placeholder is.
        """
        names = self._names.get(rows[0][column], ())
        name = self._deck.deal(f"name {rows[0][column]}", names, 3) if names else None
        for key in (slot, slot.capitalize()):
            if f"{{{key}}}" in phrase:
                shown = name if name is None or key == slot else name[0].upper() + name[1:]
                slots[key] = self._writer.write_shared(rows, column, "word", "prose", shown)

    def _plain_lengths_sentence(self, column: str, rows: Mapping[str, WorldRow]) -> Markup:
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
        """Return a sentence on the hours with the best light for photographs, and record the facts."""
        sight_phrase = self._sight_phrases(voice).get("light")
        phrase = sight_phrase or self._deck_of_voice(voice).deal(
            f"{voice} light", self._general_phrases(voice, "light")
        )
        ends = {column: self._writer.write(row, column, "clock", "prose") for column in ("from", "until")}
        return Markup(phrase).format(**ends)  # noqa: S704 phrases from our own files

    def detail(self, key: str) -> Markup:
        """Return the official guide's text for a key such as `arrive`; empty if there is none."""
        is_known = key in self._sight_phrases("official") or key in self._bank["official"]
        return self.line("official", key) if is_known else Markup()

    def question(self, index: int, default: str) -> str:
        """Return a visitors' question on this sight; `default` if it has none.

        `index` is 0 for arrival, 1 for access, 2 for quieter corners, and 3 for rules.
        """
        questions: Sequence[str] = self._sight_phrases("official").get("questions", ())
        return questions[index] if questions else default

    def access(self, parts: Sequence[WorldRow]) -> Markup:
        """Return sentences on the steps to all parts, and record the parts' names and steps."""
        level = [part for part in parts if part["steps"] == "0"]
        names = {
            letter: Markup("<b>{}</b>").format(self._writer.write(part, "name", cue="prose"))
            for letter, part in zip(ascii_lowercase, parts, strict=False)
        }
        steps = {
            letter: self._writer.write(part, "steps", "steps", "prose")
            for letter, part in zip(ascii_lowercase, parts, strict=False)
            if part["steps"] != "0"
        }
        phrase = self._sight_phrases("official").get("access")
        shown = STEP_FREE.capitalize() if phrase and phrase.startswith("{free}") else STEP_FREE
        free = self._writer.write_shared(level, "steps", "steps", "prose", shown) if level else Markup()
        if phrase:
            slots = {f"{letter}_steps": text for letter, text in steps.items()}
            return Markup(phrase).format(**names, **slots, free=free)  # noqa: S704 phrases from our own files
        rows = [(names[letter], text) for letter, text in steps.items()]
        if level:
            rows.insert(0, (joined([name for letter, name in names.items() if letter not in steps]), free))
        return Markup(" ").join(Markup("{}: {}.").format(*row) for row in rows)

    @staticmethod
    def short_day(day: str) -> tuple[str, str]:
        """Return the weekday and the date of a day, such as `Tue` and `1 Sep`."""
        on = date.fromisoformat(day)
        return WEEKDAYS[on.weekday()][:3], f"{on.day} {MONTHS[on.month - 1][:3]}"

    def steps(self, part: WorldRow) -> Markup:
        """Return the number of steps to a part, or a text such as `step-free`. Record the fact."""
        return self._writer.write_shared([part], "steps", "steps", phrase=STEP_FREE if part["steps"] == "0" else None)

    def usual_lengths(self, rows: Sequence[WorldRow], shows: Sequence[WorldRow], variant: str = "") -> Markup:
        """Return a sentence on the usual lengths of kinds of performances, and record the facts.

        In an official guide, the sentence is about the other performances if some shows have special lengths.
        """
        official = variant == "official"
        lengths = []
        for turn, row in enumerate(rows):
            length = self._writer.write(row, "length", "length", "prose")
            genre = self._writer.write(row, "genre", "word", "prose")
            verb = "" if turn else "last "
            lengths.append(
                Markup("{}s {}about {}").format(genre, verb, length)
                if official
                else Markup("{} for {}").format(length, genre)
            )
        key = "running" if not official else "official" if any(show["length"] for show in shows) else "official_all"
        phrase = self._deck.deal(key, self._bank["stage"][key])
        return Markup(phrase).format(lengths=joined(lengths))  # noqa: S704 phrases from our own files

    def work(self, row: WorldRow) -> Mapping[str, str]:
        """Return the composer (`by`) of a show and a line on its plot (`about`); empty if the work is unknown."""
        details: Mapping[str, str] = phrases("programmes")["works"].get(row["title"], {})
        return {"by": details.get("by", ""), "about": details.get("about", "")}

    def portrait(self, voice: str) -> str:
        """Return a paragraph on this sight in the style `walk` or `entry`; empty for a sight without one."""
        text: str = phrases("places").get(self._place["name"], {}).get(voice, "")
        return text

    def finds(self) -> Sequence[tuple[str, str]]:
        """Return the details that the floor plan names, each with a remark, which may be empty."""
        names: Sequence[str] = phrases("plans").get(self._place["name"], ())
        remarks: Sequence[str] = self._sight_phrases("official").get("finds", ("",) * len(names))
        return list(zip(names, remarks, strict=True))
