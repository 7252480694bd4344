"""A site's markup changes elements and classes but not the text, and the style fits the changed markup."""

from __future__ import annotations

import re
from itertools import combinations

import pytest

from planspec.families.worldtravel.webscape.extracting import elements
from planspec.families.worldtravel.webscape.markup import MARKUP_VARIANTS, MarkupWriter, markup_writer
from planspec.families.worldtravel.webscape.rendering import PageRenderer, layouts
from planspec.families.worldtravel.webscape.sites import SITES
from planspec.families.worldtravel.webscape.tables import Tables
from tests.paths import ROOT

pytestmark = pytest.mark.slow

PAGE = '<html><head><style>{style}</style></head><body><ul class="ab-list"><li class="is-off">one <b>two</b></li></ul></body></html>'
TEXT = re.compile(r"<style>.*?</style>|<[^>]*>", re.DOTALL)


def writer(**parts: str) -> MarkupWriter:
    """Return a writer that replaces elements by these parts."""
    return MarkupWriter(parts, lambda name: f"w-{name}", lambda name: name.startswith("is-"))


def style(page: str) -> str:
    """Return the style sheet in a page."""
    return page.partition("<style>")[2].partition("</style>")[0]


def test_plain_elements_get_other_names_classes_and_wrappers() -> None:
    result = writer(ul="div.list@list", li="div.item>span").write(PAGE.replace("{style}", ""))
    assert (
        '<div class="w-ab-list w-list" role="list"><div class="is-off w-item"><span class="w-in">one <b>two</b></span></div></div>'
        in result
    )
    assert [element.tag for element in elements(result)][-4:] == ["div", "div", "span", "b"]


def test_a_selector_matches_the_replacement_of_its_element_only() -> None:
    result = style(
        writer(ul="div.list", section="div.part").write(
            PAGE.replace("{style}", ".ab-list, div p { color: red; } ul > .is-off::before { content: none; }")
        )
    )
    assert ".w-ab-list, div:where(:not(.w-list, .w-part)) p {" in result
    assert "div:where(.w-list) > .is-off::before, " in result
    assert "div:where(.w-list) > :where(.w-in) > .is-off::before" in result


def test_rules_inside_media_rules_are_rewritten_but_media_conditions_are_not() -> None:
    result = style(
        writer(p="div.text").write(PAGE.replace("{style}", "@media (max-width: 720px) { p { margin: 0; } }"))
    )
    assert "@media (max-width: 720px) { div:where(.w-text) { margin: 0; } }" in result


def test_the_replacement_of_a_table_has_the_layout_of_a_table() -> None:
    result = style(writer(td="x-cell").write(PAGE.replace("{style}", "")))
    assert ":where(x-cell) { display:table-cell;" in result


@pytest.mark.sampled(4)
@pytest.mark.parametrize("site", SITES, ids=lambda site: site.id)
def test_only_the_classes_of_the_site_show_states(site) -> None:  # type: ignore[no-untyped-def]
    """Each variant of markup is checked."""
    tables = Tables(ROOT / "tasks" / "worldtravel-florence" / "world")
    renderer = PageRenderer(tables, "florence", "Florence")
    for markup_variant in range(len(MARKUP_VARIANTS)):
        for kind in ("booking", "guide"):
            spec = next(spec for spec in renderer.specs if spec.kind == kind)
            page = renderer.make_page(spec, site, layouts(kind)[markup_variant % 6], markup_variant)
            telling = {fact.element for fact in page.facts if fact.form is None}
            for n, element in enumerate(elements(page.html)):
                states = [
                    token for token in element.attributes.get("class", "").split() if site.state(token) is not None
                ]
                assert len(states) == (n in telling), (page.layout, element)


@pytest.mark.thorough
def test_each_markup_has_the_same_text() -> None:
    tables = Tables(ROOT / "tasks" / "worldtravel-florence" / "world")
    renderer = PageRenderer(tables, "florence", "Florence")
    spec = next(spec for spec in renderer.specs if spec.kind == "ways")
    for site in SITES:
        result = [
            renderer.make_page(spec, site, "origins", markup_variant).html
            for markup_variant in range(len(MARKUP_VARIANTS))
        ]
        assert len({" ".join(TEXT.sub(" ", html).split()) for html in result}) == 1, site.id
        assert all(tags(a) != tags(b) for a, b in combinations(result, 2)), site.id
        assert markup_writer(site, 0) is markup_writer(site, 0)


def tags(html: str) -> list[str]:
    """Return the names of the elements in a page, in order."""
    return [element.tag for element in elements(html)]
