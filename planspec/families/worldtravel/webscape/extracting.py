"""Facts read back from a page: what an element says, by the habits of its site and the words of its classes."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

from planspec.families.worldtravel.webscape.facts import FEW, Fact, members
from planspec.families.worldtravel.webscape.forms import read, value
from planspec.families.worldtravel.webscape.sites import Site

VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}


@dataclass(slots=True)
class Element:
    """An element of a page: its tag, its attributes, and all text in it."""

    tag: str
    attributes: dict[str, str]
    texts: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """With single blanks."""
        return " ".join("".join(self.texts).split())


class _Elements(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[Element] = []
        self._open: list[Element] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: told or "" for name, told in attrs})
        self.found.append(element)
        if tag not in VOID:
            self._open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append(Element(tag, {name: told or "" for name, told in attrs}))

    def handle_endtag(self, tag: str) -> None:
        if not any(element.tag == tag for element in self._open):
            raise ValueError(f"`</{tag}>` closes nothing")
        if self._open[-1].tag != tag:
            raise ValueError(f"`</{tag}>` stands where `</{self._open[-1].tag}>` should")
        self._open.pop()

    def handle_data(self, data: str) -> None:
        for element in self._open:
            element.texts.append(data)


def elements(html: str) -> list[Element]:
    """The elements of a page, in the order of the document.

    Raises:
        ValueError: an element is not closed, or one that is not open is.
    """
    parser = _Elements()
    parser.feed(html)
    parser.close()
    if parser._open:
        raise ValueError(f"`<{parser._open[-1].tag}>` is not closed")
    return parser.found


def told(fact: Fact, found: list[Element], site: Site) -> Any:
    """What a page says where a fact stands: a value as `forms.value` has it, or a state.

    Raises:
        ValueError: what stands there is nothing that the site would write.
    """
    element = found[fact.element]
    if fact.form is not None:
        return read(fact.form, element.text, site.habits)
    states = [
        state
        for token in element.attributes.get("class", "").split()
        if (state := site.state(token)) is not None
    ]
    if len(states) != 1:
        raise ValueError(f"the classes `{element.attributes.get('class', '')}` tell {states or 'nothing'}")
    return states[0]


def meant(fact: Fact, cell: str) -> Any:
    """What a page has to say where a fact stands, by the world's cell."""
    if fact.member is not None:
        cell = members(cell)[fact.member]
    if fact.form is not None:
        return value(fact.form, cell)
    if fact.cell.column == "left":
        number = int(cell)
        return "gone" if number == 0 else "few" if number <= FEW else "free"
    return cell
