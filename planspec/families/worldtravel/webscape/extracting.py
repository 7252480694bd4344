"""Facts read back from a page, by the notation of its site and its classes."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

from planspec.families.worldtravel.webscape.facts import FEW, ShownFact, members
from planspec.families.worldtravel.webscape.forms import read, value
from planspec.families.worldtravel.webscape.sites import Site

VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}


@dataclass(slots=True)
class PageElement:
    """An element of a page: its tag, attributes, and inner text."""

    tag: str
    attributes: dict[str, str]
    texts: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The text with single blanks."""
        return " ".join("".join(self.texts).split())


class _Elements(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[PageElement] = []
        self._open: list[PageElement] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = PageElement(tag, {name: value or "" for name, value in attrs})
        self.found.append(element)
        if tag not in VOID:
            self._open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append(PageElement(tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        if not any(element.tag == tag for element in self._open):
            raise ValueError(f"`</{tag}>` closes nothing")
        if self._open[-1].tag != tag:
            raise ValueError(f"`</{tag}>` stands where `</{self._open[-1].tag}>` should")
        self._open.pop()

    def handle_data(self, data: str) -> None:
        for element in self._open:
            element.texts.append(data)


def elements(html: str) -> list[PageElement]:
    """Return the elements of a page, in document order.

    Raises:
        ValueError: an element is not closed, or a closing tag matches none.
    """
    parser = _Elements()
    parser.feed(html)
    parser.close()
    if parser._open:
        raise ValueError(f"`<{parser._open[-1].tag}>` is not closed")
    return parser.found


def shown_value(fact: ShownFact, page_elements: list[PageElement], site: Site) -> Any:
    """Return the value or state that a page shows at a fact's place, as in `forms.value`.

    Raises:
        ValueError: the text is not in the site's notation.
    """
    element = page_elements[fact.element]
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


def expected_value(fact: ShownFact, cell: str) -> Any:
    """Return the value or state that a page must show at a fact's place, by the world's cell."""
    if fact.member is not None:
        cell = members(cell)[fact.member]
    if fact.form is not None:
        return value(fact.form, cell)
    if fact.cell.column == "left":
        number = int(cell)
        return "gone" if number == 0 else "few" if number <= FEW else "free"
    return cell
