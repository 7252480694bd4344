"""Text and metadata of an HTML page."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

_BLOCK_TAGS = frozenset(
    {
        "address",
        "article",
        "aside",
        "blockquote",
        "br",
        "caption",
        "dd",
        "div",
        "dl",
        "dt",
        "figcaption",
        "figure",
        "footer",
        "form",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hr",
        "li",
        "main",
        "nav",
        "ol",
        "p",
        "pre",
        "section",
        "table",
        "tbody",
        "td",
        "th",
        "thead",
        "tr",
        "ul",
    }
)
_INVISIBLE_TAGS = frozenset({"script", "style", "noscript", "template", "svg"})
_META_NAMES = {
    "date": "published",
    "published": "published",
    "article:published_time": "published",
    "dc.date": "published",
    "source": "source",
    "author": "source",
    "og:site_name": "source",
    "publisher": "source",
    "city": "city",
    "og:title": "title",
    "og:url": "url",
}
"""Fields of the metadata, by the names of `meta` elements. The first of several elements counts."""
_BLANKS = re.compile(r"[ \t\r\f\v\u00a0]+")


@dataclass(slots=True)
class HtmlText:
    """Text and metadata of an HTML page.

    Attributes:
        text: paragraphs separated by blank lines.
        metadata: pairs of line number and value for `title`, `url`, `published`, `source` and `city`, without missing
            ones.
    """

    text: str = ""
    metadata: dict[str, tuple[int, str]] = field(default_factory=dict)


def read_html(page: str) -> HtmlText:
    """Extract the text and metadata of an HTML page. Any text is accepted, and no resource is loaded."""
    reader = _HtmlReader()
    reader.feed(page)
    reader.close()
    lines = [_BLANKS.sub(" ", line).strip() for line in "".join(reader.parts).split("\n")]
    reader.page.text = re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
    return reader.page


class _HtmlReader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.page = HtmlText()
        self.parts: list[str] = []
        self._invisible_depth = 0
        self._title: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        if tag in _INVISIBLE_TAGS:
            self._invisible_depth += 1
        elif tag == "title" and not self._invisible_depth:
            self._title = []
        elif tag == "meta":
            name = _META_NAMES.get((attributes.get("name") or attributes.get("property") or "").lower())
            if name and attributes.get("content", "").strip():
                self._add_metadata(name, attributes["content"])
        elif tag == "link" and attributes.get("rel", "").lower() == "canonical":
            self._add_metadata("url", attributes.get("href", ""))
        if tag in _BLOCK_TAGS:
            self.parts.append("\n" if tag in {"br", "td", "th", "li", "tr"} else "\n\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in _INVISIBLE_TAGS:
            self._invisible_depth = max(0, self._invisible_depth - 1)
        elif tag == "title" and self._title is not None:
            # the element `title` takes precedence over `og:title`
            self.page.metadata["title"] = self.getpos()[0], " ".join("".join(self._title).split())
            self._title = None
        if tag in _BLOCK_TAGS - {"br", "td", "th", "li", "tr"}:
            self.parts.append("\n\n")

    def handle_data(self, data: str) -> None:
        if self._title is not None:
            self._title.append(data)
        elif not self._invisible_depth:
            self.parts.append(data.replace("\n", " "))

    def _add_metadata(self, name: str, value: str) -> None:
        self.page.metadata.setdefault(name, (self.getpos()[0], value.strip()))
