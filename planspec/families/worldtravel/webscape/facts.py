"""Facts on a page, each with its cell, its place on the page, and its presentation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from random import Random
from typing import Any, Literal, TypeVar

from markupsafe import Markup, escape

from planspec.families.worldtravel.webscape.forms import NO_QUEUE, WEEKDAYS, Form, minutes_of_length, say
from planspec.families.worldtravel.webscape.sites import Site
from planspec.families.worldtravel.webscape.tables import WorldCell, WorldRow

T = TypeVar("T")

Cue = Literal["text", "prose", "badge", "grey", "strike", "colour", "drawing", "position"]
"""Presentation of a fact.

Text, within sentences, a badge, grey, struck through, a colour with a legend, in a drawing, or by position.
"""
FEW = 9
"""Largest number of places left that a page counts; above it, the page only says that there are places."""
_MARK = re.compile(r' data-fact="(\d+)"')
_TAG = re.compile(r"<[a-zA-Z]")


@dataclass(frozen=True, slots=True)
class ShownFact:
    """One fact on a page.

    Attributes:
        cell: cell of the world.
        form: form of its text; None if the class of an element shows it.
        state: state shown by the class: `gone`, `few`, `free`, or a word; empty if a text shows it.
        cue: presentation of the fact.
        member: index of the member if the cell is a set, such as `spa; pool`; None for the whole cell.
        element: index of its element among all of the page, in document order.
    """

    cell: WorldCell
    form: Form | None
    state: str
    cue: Cue
    member: int | None
    element: int

    def document(self, text: str) -> dict[str, Any]:
        """Return the fact as JSON, with the text of its cell."""
        shown: dict[str, Any] = {"form": self.form} if self.form is not None else {"state": self.state}
        if self.member is not None:
            shown["member"] = self.member
        cell = self.cell
        return {
            "fact": text, "table": cell.table, "row": cell.line, "column": cell.column, "cue": self.cue, **shown, "element": self.element,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class _NotedFact:
    cell: WorldCell
    form: Form | None
    state: str
    cue: Cue
    member: int | None = None


@dataclass
class Teller:
    """Writes facts in a template in the notation of a site, and records them.

    Args:
        site: site of the page.
        random: source of the choice among phrases.
        visual_only: whether states shown only by a class are hidden from screen readers.
    """

    site: Site
    random: Random
    visual_only: bool = False
    _noted: list[_NotedFact] = field(default_factory=list)

    def tell(self, row: WorldRow, column: str, form: Form = "text", cue: Cue = "text") -> Markup:
        """Return a cell as text in its own element (`f-clock`, ...; see `hands`), or nothing for an empty cell.

        A start without places is marked as a disabled control for screen readers.
        """
        if not row[column]:
            return Markup()
        gone = column == "at" and "left" in row and left(row) == "gone" and not self.visual_only
        aloud = Markup(' role="button" aria-disabled="true"') if gone else Markup()
        return self._span(_NotedFact(row.at(column), form, "", cue), row[column], aloud)

    def between(self, row: WorldRow, cue: Cue = "text", words: str = "{} to {}") -> Markup:
        """Return a duration: `least` and `most`, or one value if they are equal.

        Args:
            row: row with the duration.
            cue: presentation of the facts.
            words: text around both values if they differ.
        """
        if row["least"] == row["most"]:
            inner = self._span(_NotedFact(row.at("most"), "length", "", cue), row["most"])
            return self._element(_NotedFact(row.at("least"), "length", "", cue), inner)
        ends = (self.tell(row, column, "length", cue) for column in ("least", "most"))
        return Markup(words).format(*ends)  # noqa: S704 a template's words

    def shared(self, rows: Sequence[WorldRow], column: str, form: Form = "text", cue: Cue = "text") -> Markup:
        """Return equal cells of several rows as one text, with nested elements, one for each cell."""
        inner = escape(say(form, rows[0][column], self.site.habits))
        for row in reversed(rows):
            inner = self._element(_NotedFact(row.at(column), form, "", cue), inner)
        return inner

    def early(self, offer: WorldRow, some: str, none: str, cue: Cue = "text") -> Markup:
        """Return how long before a start one has to be present; nothing for an empty cell.

        Without booking there is a queue, described in similar words, with a capital and a full stop if `some`
        has them.

        Args:
            offer: offer with `ahead`.
            some: words around the duration, with booking.
            none: words around "on time", for a duration of 0.
            cue: presentation of the fact.
        """
        if not offer["ahead"]:
            return Markup()
        waits = bool(minutes_of_length(offer["ahead"]))
        noted = _NotedFact(offer.at("ahead"), "early", "", cue)
        if offer["booked"] == "true":
            text = self._element(noted, escape(say("early", offer["ahead"], self.site.habits)))
            return Markup(some if waits else none).format(text)  # noqa: S704 a template's words
        words = "be in the queue {} before the time you choose" if waits else "there is {}"
        words = words[0].upper() + words[1:] if some[0].isupper() or some[0] == "{" else words
        words += "." if some.endswith(".") else ""
        plain = say("length", offer["ahead"], self.site.habits) if waits else NO_QUEUE
        return Markup(words).format(self._element(noted, escape(plain)))  # noqa: S704 words of above

    def fare(self, row: WorldRow) -> tuple[Markup, Markup]:
        """Return a fare's name, and its conditions besides those in the name.

        The names `Adult 15+`, `Under 6` and `Child 6-14` contain ages, `Student` and `EU citizen` a
        condition.
        """
        name = row["name"]
        ages = _ages(row)
        parts, last = [], 0
        for column, (form, match) in sorted(ages.items(), key=lambda age: age[1][1].start()):
            parts += [
                escape(name[last : match.start()]),
                self._span(_NotedFact(row.at(column), form, "", "text"), row[column]),
            ]
            last = match.end()
        named = self._element(
            _NotedFact(row.at("name"), "text", "", "text"), Markup().join([*parts, escape(name[last:])])
        )
        rest = [column for column in ("from_age", "to_age") if row[column] and column not in ages]
        limits = []
        if rest:
            limit_texts = (self.tell(row, column, "count") for column in rest)
            words = (
                "ages {} to {}"
                if len(rest) > 1
                else "from {} years"
                if rest == ["from_age"]
                else "up to {} years"
            )
            limits.append(Markup(words).format(*limit_texts))  # noqa: S704 words of above
        for column, phrase, condition in (
            ("eu", "eu citizen", "EU citizens only"),
            ("student", "student", "students only"),
        ):
            if row[column] == "true":
                mark = self.attributes(row, column, "true", "text")
                if phrase in name.lower():
                    named = Markup("<span{}>{}</span>").format(mark, named)
                else:
                    limits.append(Markup("<span{}>{}</span>").format(mark, condition))
        return named, Markup(", ").join(limits)

    def weekday(self, day: str) -> str:
        """Return a weekday such as `Mon ` before a day, if the site writes days without one.

        No fact is recorded.
        """
        return "" if self.site.habits.weekdays else f"{WEEKDAYS[date.fromisoformat(day).weekday()][:3]} "

    def written(self, form: Form, cell: str) -> str:
        """Return a value in the site's notation, such as a day without hours, without recording a fact."""
        return say(form, cell, self.site.habits)

    def members(self, row: WorldRow, column: str, form: Form = "word", cue: Cue = "text") -> list[Markup]:
        """Return each member of a set cell, such as `spa; pool`, as text in its own element."""
        return [
            self._span(_NotedFact(row.at(column), form, "", cue, index), member)
            for index, member in enumerate(members(row[column]))
        ]

    def _span(self, noted: _NotedFact, cell: str, attributes: str = "") -> Markup:
        return self._element(noted, escape(say(noted.form or "text", cell, self.site.habits)), attributes)

    def _element(self, noted: _NotedFact, text: Markup, attributes: str = "") -> Markup:
        name = f"f-{noted.form or 'text'}"
        return Markup("<{}{}{}>{}</{}>").format(name, attributes, self._mark(noted), text, name)

    def attributes(self, row: WorldRow, column: str, state: str, cue: Cue, also: str = "") -> Markup:
        """Return the attributes of an element whose class shows a fact.

        Args:
            row: row of the fact.
            column: column of the fact.
            state: state to show: `gone`, `few` or `free` for places left, or the cell's own word.
            cue: presentation of the fact.
            also: further classes.
        """
        classes = " ".join([*([also] if also else []), self.site.token(state)])
        aloud = Markup()
        if column == "colour" and cue == "colour" and not self.visual_only:
            aloud = Markup(' role="img" aria-label="{}"').format(state)
        return Markup(' class="{}"{}{}').format(
            classes, aloud, self._mark(_NotedFact(row.at(column), None, state, cue))
        )

    def slot(self, entry: WorldRow, cue: Cue, also: str = "") -> Markup:
        """Return the attributes of an element that represents a start and shows its availability."""
        return self.attributes(entry, "left", left(entry), cue, also)

    def pick(self, several: Sequence[T]) -> T:
        """Return one of several phrases, the same for the same page."""
        return self.random.choice(list(several))

    def _mark(self, noted: _NotedFact) -> Markup:
        self._noted.append(noted)
        return Markup(' data-fact="{}"').format(len(self._noted) - 1)

    def placed(self, marked: str) -> tuple[str, list[ShownFact]]:
        """Return a rendered page without its marks, and its facts with their places."""
        element = 0
        facts = []
        last = 0
        for mark in _MARK.finditer(marked):
            element += len(_TAG.findall(marked, last, mark.start()))
            last = mark.start()
            noted = self._noted[int(mark[1])]
            facts.append(ShownFact(noted.cell, noted.form, noted.state, noted.cue, noted.member, element - 1))
        return _MARK.sub("", marked), facts


def _ages(fare: WorldRow) -> dict[str, tuple[Form, re.Match[str]]]:
    """Return the ages in a fare's name, with their forms: `15+`, `6-14`, `up to 35`, or `Under 6`, which is up to 5."""
    ages: dict[str, tuple[Form, re.Match[str]]] = {}
    for column in ("from_age", "to_age"):
        if not fare[column]:
            continue
        if match := re.search(rf"\b{fare[column]}\b", fare["name"]):
            ages[column] = "count", match
        elif column == "to_age" and (
            match := re.search(rf"(?<=\bUnder ){int(fare[column]) + 1}\b", fare["name"])
        ):
            ages[column] = "below", match
    return ages


def members(cell: str) -> list[str]:
    """Return the members of a set cell."""
    return [member for member in cell.split("; ") if member]


def left(entry: WorldRow) -> str:
    """Return the availability shown on pages: `gone`, `few` (with the number), or `free`."""
    number = int(entry["left"])
    return "gone" if number == 0 else "few" if number <= FEW else "free"


def cells(facts: Iterable[ShownFact]) -> set[WorldCell]:
    """Return the cells of facts."""
    return {fact.cell for fact in facts}
