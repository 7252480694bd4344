"""What a page tells: each fact with the cell that it comes from, the place where it stands, and how it is told."""

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
from planspec.families.worldtravel.webscape.tables import Cell, Row

T = TypeVar("T")

Cue = Literal["text", "prose", "badge", "grey", "strike", "colour", "drawing", "position"]
"""How a reader sees it: written, within sentences, as a badge, greyed, struck through, by a colour that a legend explains, in a
drawing, or by where it stands."""
FEW = 9
"""Places left that a page counts; where there are more, it says that there are places."""
_MARK = re.compile(r' data-fact="(\d+)"')
_TAG = re.compile(r"<[a-zA-Z]")


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact on a page.

    Attributes:
        cell: that it comes from.
        form: of its text; none where the class of an element tells it.
        state: what the class says: `gone`, `few`, `free`, or a word; empty where a text tells it.
        cue: how a reader sees it.
        member: of a cell that is a set, such as `spa; pool`, which one is told; none where the whole cell is.
        element: where it stands: the place of an element among all of the page, in the order of the document.
    """

    cell: Cell
    form: Form | None
    state: str
    cue: Cue
    member: int | None
    element: int

    def document(self, text: str) -> dict[str, Any]:
        """The fact as JSON, with the text of its cell."""
        told: dict[str, Any] = {"form": self.form} if self.form is not None else {"state": self.state}
        if self.member is not None:
            told["member"] = self.member
        cell = self.cell
        return {
            "fact": text, "table": cell.table, "row": cell.line, "column": cell.column, "cue": self.cue, **told, "element": self.element,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Told:
    cell: Cell
    form: Form | None
    state: str
    cue: Cue
    member: int | None = None


@dataclass
class Teller:
    """Tells facts in a template, as a site writes them, and notes them.

    Args:
        site: on which the page stands.
        random: of what may be said in several ways.
        visual_only: whether what a class tells is left to the eye; if not, programs that read pages aloud are told, too.
    """

    site: Site
    random: Random
    visual_only: bool = False
    _told: list[_Told] = field(default_factory=list)

    def tell(self, row: Row, column: str, form: Form = "text", cue: Cue = "text") -> Markup:
        """A cell as text, in an element of its own (`f-clock`, ...: `hands` says what stands for it); nothing where the cell is empty.

        A start without places is a control that is switched off for programs that read pages aloud.
        """
        if not row[column]:
            return Markup()
        gone = column == "at" and "left" in row and left(row) == "gone" and not self.visual_only
        aloud = Markup(' role="button" aria-disabled="true"') if gone else Markup()
        return self._span(_Told(row.at(column), form, "", cue), row[column], aloud)

    def between(self, row: Row, cue: Cue = "text", words: str = "{} to {}") -> Markup:
        """How long a thing takes: `least` and `most`, or what both are.

        Args:
            row: of the thing.
            cue: how a reader sees it.
            words: around both, where they differ.
        """
        if row["least"] == row["most"]:
            inner = self._span(_Told(row.at("most"), "length", "", cue), row["most"])
            return self._element(_Told(row.at("least"), "length", "", cue), inner)
        ends = (self.tell(row, column, "length", cue) for column in ("least", "most"))
        return Markup(words).format(*ends)  # noqa: S704 a template's words

    def shared(self, rows: Sequence[Row], column: str, form: Form = "text", cue: Cue = "text") -> Markup:
        """Cells of several rows that say the same, as one text: an element for each, one within the other."""
        inner = escape(say(form, rows[0][column], self.site.habits))
        for row in reversed(rows):
            inner = self._element(_Told(row.at(column), form, "", cue), inner)
        return inner

    def early(self, offer: Row, some: str, none: str, cue: Cue = "text") -> Markup:
        """How long before a start one has to be there; nothing where the cell is empty.

        Where nobody books, one waits in a queue: that is said in words of the same kind, with a capital and a full stop where `some` has them.

        Args:
            offer: of which `ahead` says it.
            some: words around it, where one books.
            none: words around "on time", where it is nothing.
            cue: how a reader sees it.
        """
        if not offer["ahead"]:
            return Markup()
        waits = bool(minutes_of_length(offer["ahead"]))
        told = _Told(offer.at("ahead"), "early", "", cue)
        if offer["booked"] == "true":
            text = self._element(told, escape(say("early", offer["ahead"], self.site.habits)))
            return Markup(some if waits else none).format(text)  # noqa: S704 a template's words
        words = "be in the queue {} before the time you choose" if waits else "there is {}"
        words = words[0].upper() + words[1:] if some[0].isupper() or some[0] == "{" else words
        words += "." if some.endswith(".") else ""
        plain = say("length", offer["ahead"], self.site.habits) if waits else NO_QUEUE
        return Markup(words).format(self._element(told, escape(plain)))  # noqa: S704 words of above

    def fare(self, row: Row) -> tuple[Markup, Markup]:
        """A fare by its name, and for whom it is beside what the name says.

        `Adult 15+`, `Under 6` and `Child 6-14` have their ages, `Student` and `EU citizen` whom they are for.
        """
        name = row["name"]
        ages = _ages(row)
        parts, last = [], 0
        for column, (form, found) in sorted(ages.items(), key=lambda age: age[1][1].start()):
            parts += [
                escape(name[last : found.start()]),
                self._span(_Told(row.at(column), form, "", "text"), row[column]),
            ]
            last = found.end()
        named = self._element(
            _Told(row.at("name"), "text", "", "text"), Markup().join([*parts, escape(name[last:])])
        )
        rest = [column for column in ("from_age", "to_age") if row[column] and column not in ages]
        limits = []
        if rest:
            told = (self.tell(row, column, "count") for column in rest)
            words = (
                "ages {} to {}"
                if len(rest) > 1
                else "from {} years"
                if rest == ["from_age"]
                else "up to {} years"
            )
            limits.append(Markup(words).format(*told))  # noqa: S704 words of above
        for column, said, whom in (
            ("eu", "eu citizen", "EU citizens only"),
            ("student", "student", "students only"),
        ):
            if row[column] == "true":
                mark = self.attributes(row, column, "true", "text")
                if said in name.lower():
                    named = Markup("<span{}>{}</span>").format(mark, named)
                else:
                    limits.append(Markup("<span{}>{}</span>").format(mark, whom))
        return named, Markup(", ").join(limits)

    def weekday(self, day: str) -> str:
        """The weekday before a day, such as `Mon `, where the site writes days without one: no fact is noted."""
        return "" if self.site.habits.weekdays else f"{WEEKDAYS[date.fromisoformat(day).weekday()][:3]} "

    def written(self, form: Form, cell: str) -> str:
        """What stands in no cell, such as a day without hours, as the site writes it: no fact is noted."""
        return say(form, cell, self.site.habits)

    def members(self, row: Row, column: str, form: Form = "word", cue: Cue = "text") -> list[Markup]:
        """Each member of a cell that is a set, such as `spa; pool`, as text in an element of its own."""
        return [
            self._span(_Told(row.at(column), form, "", cue, index), member)
            for index, member in enumerate(members(row[column]))
        ]

    def _span(self, told: _Told, cell: str, attributes: str = "") -> Markup:
        return self._element(told, escape(say(told.form or "text", cell, self.site.habits)), attributes)

    def _element(self, told: _Told, text: Markup, attributes: str = "") -> Markup:
        name = f"f-{told.form or 'text'}"
        return Markup("<{}{}{}>{}</{}>").format(name, attributes, self._mark(told), text, name)

    def attributes(self, row: Row, column: str, state: str, cue: Cue, also: str = "") -> Markup:
        """The attributes of an element whose class tells something.

        Args:
            row: of the fact.
            column: likewise.
            state: what is told: `gone`, `few` or `free` of places left, or the cell's own word.
            cue: how a reader sees it.
            also: further classes.
        """
        classes = " ".join([*([also] if also else []), self.site.token(state)])
        aloud = Markup()
        if column == "colour" and cue == "colour" and not self.visual_only:
            aloud = Markup(' role="img" aria-label="{}"').format(state)
        return Markup(' class="{}"{}{}').format(
            classes, aloud, self._mark(_Told(row.at(column), None, state, cue))
        )

    def slot(self, entry: Row, cue: Cue, also: str = "") -> Markup:
        """The attributes of an element that stands for a start, and says by its look whether there are places left."""
        return self.attributes(entry, "left", left(entry), cue, also)

    def pick(self, several: Sequence[T]) -> T:
        """One of several ways to say a thing, the same for the same page."""
        return self.random.choice(list(several))

    def _mark(self, told: _Told) -> Markup:
        self._told.append(told)
        return Markup(' data-fact="{}"').format(len(self._told) - 1)

    def placed(self, marked: str) -> tuple[str, list[Fact]]:
        """A rendered page without its marks, and its facts with their places."""
        element = 0
        facts = []
        last = 0
        for mark in _MARK.finditer(marked):
            element += len(_TAG.findall(marked, last, mark.start()))
            last = mark.start()
            told = self._told[int(mark[1])]
            facts.append(Fact(told.cell, told.form, told.state, told.cue, told.member, element - 1))
        return _MARK.sub("", marked), facts


def _ages(fare: Row) -> dict[str, tuple[Form, re.Match[str]]]:
    """Where a fare's name tells its ages, and how: `15+`, `6-14`, `up to 35`, or `Under 6`, which is up to 5."""
    found: dict[str, tuple[Form, re.Match[str]]] = {}
    for column in ("from_age", "to_age"):
        if not fare[column]:
            continue
        if match := re.search(rf"\b{fare[column]}\b", fare["name"]):
            found[column] = "count", match
        elif column == "to_age" and (
            match := re.search(rf"(?<=\bUnder ){int(fare[column]) + 1}\b", fare["name"])
        ):
            found[column] = "below", match
    return found


def members(cell: str) -> list[str]:
    """The members of a cell that is a set."""
    return [member for member in cell.split("; ") if member]


def left(entry: Row) -> str:
    """What a page says of the places that are left: `gone`, `few` (and how many), or `free`."""
    number = int(entry["left"])
    return "gone" if number == 0 else "few" if number <= FEW else "free"


def cells(facts: Iterable[Fact]) -> set[Cell]:
    """The cells that facts come from."""
    return {fact.cell for fact in facts}
