"""The elements of a page: their tags, attributes and texts."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}


@dataclass(slots=True)
class PageElement:
    """An element of a page.

    Attributes:
        tag: name of the element.
        attributes: attributes by name.
        texts: pieces of the text inside the element.
    """

    tag: str
    attributes: dict[str, str]
    texts: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The text inside the element, with single blanks."""
        return " ".join("".join(self.texts).split())


class _ElementParser(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[PageElement] = []
        self._open: list[PageElement] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = PageElement(tag, {name: value or "" for name, value in attrs})
        self.elements.append(element)
        if tag not in VOID:
            self._open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(PageElement(tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        if not any(element.tag == tag for element in self._open):
            raise ValueError(f"`</{tag}>` closes nothing")
        if self._open[-1].tag != tag:
            raise ValueError(f"`</{tag}>` where `</{self._open[-1].tag}>` is expected")
        self._open.pop()

    def handle_data(self, data: str) -> None:
        for element in self._open:
            element.texts.append(data)


def elements(html: str) -> list[PageElement]:
    """Return the elements of a page in document order.

    Raises:
        ValueError: an element is not closed, or a closing tag has no element.
    """
    parser = _ElementParser()
    parser.feed(html)
    parser.close()
    if parser._open:
        raise ValueError(f"`<{parser._open[-1].tag}>` is not closed")
    return parser.elements
