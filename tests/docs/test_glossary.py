"""The glossary explains the words that the pages use."""

from __future__ import annotations

import re

import pytest

from tests.paths import ROOT

DOCS = ROOT / "docs"
OWN, _, OTHERS = (DOCS / "glossary.md").read_text(encoding="utf-8").partition("## Words of other languages")
ENTRY = re.compile(r"^- \[([^]]+)\]\(([\w-]+\.md)(?:#([\w-]+))?\): (.+)$", flags=re.MULTILINE)
ENTRIES = ENTRY.findall(OWN)
HEADING = re.compile(r"^(#+) (.*)$", flags=re.MULTILINE)


def section(page: str, anchor: str) -> str:
    """Return the text under a heading and its subheadings, or the whole page if the anchor is empty."""
    text = (DOCS / page).read_text(encoding="utf-8")
    if not anchor:
        return text
    headings = list(HEADING.finditer(text))
    at = next(i for i, heading in enumerate(headings) if slug(heading[2]) == anchor)
    ends = (later.start() for later in headings[at + 1 :] if len(later[1]) <= len(headings[at][1]))
    return text[headings[at].start() : next(ends, len(text))]


def slug(title: str) -> str:
    """Return the anchor of a heading in Markdown."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def test_every_item_of_the_list_is_an_entry() -> None:
    assert len(ENTRIES) == sum(line[:1] == "-" for line in OWN.splitlines()) > 0


def test_words_of_other_languages_link_to_headings() -> None:
    links = re.findall(r"\]\(([\w-]+\.md)#([\w-]+)\)", OTHERS)
    assert len(links) >= 5
    assert all(section(page, anchor) for page, anchor in links)


def test_each_word_has_one_entry_in_alphabetical_order() -> None:
    words = [word for word, _, _, _ in ENTRIES]
    assert words == sorted(set(words))


@pytest.mark.parametrize(("word", "page", "anchor", "meaning"), ENTRIES, ids=[entry[0] for entry in ENTRIES])
def test_a_word_is_explained_in_one_sentence_and_used_on_the_linked_page(
    word: str, page: str, anchor: str, meaning: str
) -> None:
    assert not meaning.endswith(".")
    assert ". " not in meaning
    assert re.search(rf"\b{word}(?:s|es)?\b", section(page, anchor), flags=re.IGNORECASE)


def test_the_readme_links_to_the_glossary() -> None:
    assert "(docs/glossary.md)" in (ROOT / "README.md").read_text(encoding="utf-8")
