"""Facts on a page: the cells of the city's tables that they show, their positions, and how they are presented."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from random import Random
from typing import Any, Literal, TypeVar

from markupsafe import Markup, escape

from planspec.dsl.resources.english_words import WEEKDAYS
from planspec.families.worldtravel.webscape.forms import NO_QUEUE, Form, format_cell, minutes_of_length, share_a_unit
from planspec.families.worldtravel.webscape.sites import Site
from planspec.families.worldtravel.webscape.tables import WorldCell, WorldRow

T = TypeVar("T")

Cue = Literal["text", "prose", "badge", "grey", "strike", "colour", "drawing", "position"]
"""Way in which a page shows a fact.

`text` is separate text, and `prose` is text within a sentence. `strike` is struck-through text, and `colour` is a
colour with a legend.
"""
FEW = 9
"""Maximum number of free places that a page shows as a number. For more, it only says that there are free places.
"""
_MARK = re.compile(r' data-fact="(\d+)"')
_TAG = re.compile(r"<[a-zA-Z]")


@dataclass(frozen=True, slots=True)
class ShownFact:
    """A fact on a page.

    Attributes:
        cell: position of the fact's cell in the city's tables.
        form: form of the text that shows the fact; None if the class of an element shows it.
        state: state that an element's class shows: `gone`, `few`, `free` or the text of the cell; empty if a text
            shows the fact.
        cue: way in which the fact is presented.
        member: index of the shown member if the cell has several values such as `spa; pool`; None for the whole cell.
        element: index of the fact's element among all elements of the page, in document order.
    """

    cell: WorldCell
    form: Form | None
    state: str
    cue: Cue
    member: int | None
    element: int

    def document(self, text: str) -> dict[str, Any]:
        """Return the fact as JSON.

        Args:
            text: text of the fact's cell.
        """
        shown: dict[str, Any] = {"form": self.form} if self.form is not None else {"state": self.state}
        if self.member is not None:
            shown["member"] = self.member
        cell = self.cell
        return {
            "fact": text,
            "table": cell.table,
            "row": cell.line,
            "column": cell.column,
            "cue": self.cue,
            **shown,
            "element": self.element,
        }


@dataclass(frozen=True, slots=True)
class _RecordedFact:
    cell: WorldCell
    form: Form | None
    state: str
    cue: Cue
    member: int | None = None


@dataclass
class FactWriter:
    """Writer of facts in a page. It formats them in the notation of a site and records them.

    Args:
        site: site of the page.
        random: source of the choices among phrases.
        visual_only: whether states that only a class shows are hidden from screen readers.
    """

    site: Site
    random: Random
    visual_only: bool = False
    _recorded: list[_RecordedFact] = field(default_factory=list)

    def write(self, row: WorldRow, column: str, form: Form = "text", cue: Cue = "text") -> Markup:
        """Return the HTML of a cell, and record the fact. The result is empty for an empty cell.

        The text of the cell is in an element such as `f-clock` (see `markup.FACT_ELEMENTS`). A sold-out start time is
        marked as a disabled control for screen readers.
        """
        if not row[column]:
            return Markup()
        is_sold_out = column == "at" and "left" in row and availability(row) == "gone" and not self.visual_only
        aria = Markup(' role="button" aria-disabled="true"') if is_sold_out else Markup()
        return self._cell_element(_RecordedFact(row.at(column), form, "", cue), row[column], aria)

    def write_duration(self, row: WorldRow, cue: Cue = "text", words: str = "{} to {}") -> Markup:
        """Return the HTML of a range of durations, and record its two facts. Equal bounds are shown as one value.

        Bounds in minutes share the unit, as in `45 to 55 min`.

        Args:
            row: row with the columns `least` and `most`.
            cue: way in which the two facts are presented.
            words: format of the text if the two values differ.
        """
        if row["least"] == row["most"]:
            inner = self._cell_element(_RecordedFact(row.at("most"), "length", "", cue), row["most"])
            return self._element(_RecordedFact(row.at("least"), "length", "", cue), inner)
        first: Form = "minutes" if share_a_unit((row["least"], row["most"]), self.site.notation) else "length"
        ends = (self.write(row, "least", first, cue), self.write(row, "most", "length", cue))
        return Markup(words).format(*ends)  # noqa: S704 words from our own templates

    def write_shared(
        self,
        rows: Sequence[WorldRow],
        column: str,
        form: Form = "text",
        cue: Cue = "text",
        phrase: str | None = None,
    ) -> Markup:
        """Return the HTML of one text for the equal cells of several rows, and record a fact for each row.

        The elements of the facts are nested in each other.

        Args:
            rows: rows with equal cells.
            column: column of the cells.
            form: form of the text.
            cue: way in which the facts are presented.
            phrase: other words for a member of an enumeration, one of `forms.PHRASES`.
        """
        inner = escape(phrase or format_cell(form, rows[0][column], self.site.notation))
        for row in reversed(rows):
            inner = self._element(_RecordedFact(row.at(column), form, "", cue), inner)
        return inner

    def write_arrival(self, offer: WorldRow, phrase: str, on_time_phrase: str, cue: Cue = "text") -> Markup:
        """Return the HTML of a sentence on how early people must arrive before a start time. Record the fact.

        The result is empty for an empty cell.

        For an offer without booking, the sentence is about the queue. It begins with a capital and ends with
        a full stop if `phrase` does.

        Args:
            offer: offer with the column `ahead`.
            phrase: format of the sentence for a duration, if the offer is booked.
            on_time_phrase: format of the sentence for a duration of 0, if the offer is booked.
            cue: way in which the fact is presented.
        """
        if not offer["ahead"]:
            return Markup()
        waits = bool(minutes_of_length(offer["ahead"]))
        recorded = _RecordedFact(offer.at("ahead"), "early", "", cue)
        if offer["booked"] == "true":
            text = self._element(recorded, escape(format_cell("early", offer["ahead"], self.site.notation)))
            return Markup(phrase if waits else on_time_phrase).format(text)  # noqa: S704 words from our own templates
        words = "be in the queue {} before the time you choose" if waits else "there is {}"
        words = words[0].upper() + words[1:] if phrase[0].isupper() or phrase[0] == "{" else words
        words += "." if phrase.endswith(".") else ""
        plain = format_cell("length", offer["ahead"], self.site.notation) if waits else NO_QUEUE
        return Markup(words).format(self._element(recorded, escape(plain)))  # noqa: S704 constant words

    def write_fare(self, row: WorldRow) -> tuple[Markup, Markup]:
        """Return two texts as HTML: a fare's name, and the conditions that the name does not contain.

        Record the facts.

        The names `Adult 15+`, `Under 6` and `Child 6-14` contain ages. The names `Student` and `EU citizen`
        contain a condition.
        """
        name = row["name"]
        ages = _ages_in_name(row)
        parts, last = [], 0
        for column, (form, match) in sorted(ages.items(), key=lambda age: age[1][1].start()):
            parts += [
                escape(name[last : match.start()]),
                self._cell_element(_RecordedFact(row.at(column), form, "", "text"), row[column]),
            ]
            last = match.end()
        named = self._element(
            _RecordedFact(row.at("name"), "text", "", "text"), Markup().join([*parts, escape(name[last:])])
        )
        rest = [column for column in ("from_age", "to_age") if row[column] and column not in ages]
        limits = []
        if rest:
            limit_texts = (self.write(row, column, "count") for column in rest)
            words = "ages {} to {}" if len(rest) > 1 else "from {} years" if rest == ["from_age"] else "up to {} years"
            limits.append(Markup(words).format(*limit_texts))  # noqa: S704 constant words
        for column, phrase, condition in (
            ("eu", "eu citizen", "EU citizens only"),
            ("student", "student", "students only"),
        ):
            if row[column] == "true":
                mark = self.state_attributes(row, column, "true", "text")
                if phrase in name.lower():
                    named = Markup("<span{}>{}</span>").format(mark, named)
                else:
                    limits.append(Markup("<span{}>{}</span>").format(mark, condition))
        return named, Markup(", ").join(limits)

    def weekday_before(self, day: str) -> str:
        """Return the weekday of a day, such as `Mon `, to be shown before the day. No fact is recorded.

        The text is empty if the site writes days with their weekday.
        """
        return "" if self.site.notation.has_weekdays else f"{WEEKDAYS[date.fromisoformat(day).weekday()][:3]} "

    def hour(self, hour: str) -> str:
        """Return the heading of a row of start times in an hour such as `09`, in the site's notation.

        No fact is recorded.
        """
        number = int(hour)
        match self.site.notation.clock:
            case "half":
                return f"{number % 12 or 12}{'am' if number % 24 < 12 else 'pm'}"
            case "h":
                return f"{number}h"
            case "colon" | "dot":
                return hour

    def format(self, form: Form, cell: str) -> str:
        """Return a value in the site's notation without recording a fact."""
        return format_cell(form, cell, self.site.notation)

    def write_members(self, row: WorldRow, column: str, form: Form = "word", cue: Cue = "text") -> list[Markup]:
        """Return the HTML of each member of a cell with several values such as `spa; pool`, and record the facts."""
        return [
            self._cell_element(_RecordedFact(row.at(column), form, "", cue, index), member)
            for index, member in enumerate(set_members(row[column]))
        ]

    def write_member(
        self, row: WorldRow, column: str, index: int, cue: Cue = "text", phrase: str | None = None
    ) -> Markup:
        """Return the HTML of one member of a cell with several values, and record the fact.

        Args:
            row: row of the cell.
            column: column of the cell.
            index: index of the member.
            cue: way in which the fact is presented.
            phrase: other words for the member, one of `forms.PHRASES`.
        """
        recorded = _RecordedFact(row.at(column), "word", "", cue, index)
        member = set_members(row[column])[index]
        return self._element(recorded, escape(phrase or format_cell("word", member, self.site.notation)))

    def _cell_element(self, recorded: _RecordedFact, cell: str, attributes: str = "") -> Markup:
        return self._element(
            recorded, escape(format_cell(recorded.form or "text", cell, self.site.notation)), attributes
        )

    def _element(self, recorded: _RecordedFact, text: Markup, attributes: str = "") -> Markup:
        name = f"f-{recorded.form or 'text'}"
        return Markup("<{}{}{}>{}</{}>").format(name, attributes, self._record(recorded), text, name)

    def state_attributes(self, row: WorldRow, column: str, state: str, cue: Cue, more_classes: str = "") -> Markup:
        """Return the HTML attributes of an element whose class shows a fact, and record the fact.

        Args:
            row: row of the fact.
            column: column of the fact.
            state: state that the class shows: `gone`, `few` or `free` for the number of free places, or the
                text of the cell.
            cue: way in which the fact is presented.
            more_classes: further classes of the element.
        """
        classes = " ".join([*([more_classes] if more_classes else []), self.site.token(state)])
        aria = Markup()
        if column == "colour" and cue == "colour" and not self.visual_only:
            aria = Markup(' role="img" aria-label="{}"').format(state)
        return Markup(' class="{}"{}{}').format(
            classes, aria, self._record(_RecordedFact(row.at(column), None, state, cue))
        )

    def start_attributes(self, entry: WorldRow, cue: Cue, more_classes: str = "") -> Markup:
        """Return the HTML attributes of an element for a start time, and record whether the time is available."""
        return self.state_attributes(entry, "left", availability(entry), cue, more_classes)

    def choose(self, phrases: Sequence[T]) -> T:
        """Choose one of several phrases. The same page always gets the same phrases."""
        return self.random.choice(list(phrases))

    def _record(self, recorded: _RecordedFact) -> Markup:
        self._recorded.append(recorded)
        return Markup(' data-fact="{}"').format(len(self._recorded) - 1)

    def extract_facts(self, marked: str) -> tuple[str, list[ShownFact]]:
        """Remove the marks of facts from a rendered page (`marked`).

        Return the page, and the facts with their positions.
        """
        element = 0
        facts = []
        last = 0
        for mark in _MARK.finditer(marked):
            element += len(_TAG.findall(marked, last, mark.start()))
            last = mark.start()
            recorded = self._recorded[int(mark[1])]
            facts.append(
                ShownFact(recorded.cell, recorded.form, recorded.state, recorded.cue, recorded.member, element - 1)
            )
        return _MARK.sub("", marked), facts


def _ages_in_name(fare: WorldRow) -> dict[str, tuple[Form, re.Match[str]]]:
    """Return the ages in a fare's name, by column: the form of the age, and its match in the name.

    Names contain ages in forms such as `15+`, `6-14`, `up to 35` or `Under 6`. `Under 6` means up to 5.
    """
    ages: dict[str, tuple[Form, re.Match[str]]] = {}
    for column in ("from_age", "to_age"):
        if not fare[column]:
            continue
        if match := re.search(rf"\b{fare[column]}\b", fare["name"]):
            ages[column] = "count", match
        elif column == "to_age" and (match := re.search(rf"(?<=\bUnder ){int(fare[column]) + 1}\b", fare["name"])):
            ages[column] = "below", match
    return ages


def set_members(cell: str) -> list[str]:
    """Return the members of a cell with several values such as `spa; pool`."""
    return [member for member in cell.split("; ") if member]


def availability(entry: WorldRow) -> str:
    """Return the availability of a start time as pages show it: `gone`, `few` or `free`.

    The page shows a number only for `few`.
    """
    number = int(entry["left"])
    return "gone" if number == 0 else "few" if number <= FEW else "free"
