"""Chinese pages express the statements recorded for them, and state the same facts as English pages would."""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import cache
from math import sqrt

import pytest

from planspec.families.veritrip.corpus import Corpus, PageSizes, min_document_count, write_corpus
from planspec.families.veritrip.corpus.chinese_denials import denial_of
from planspec.families.veritrip.corpus.chinese_pages import SHARES, SHORTEST_GUIDE
from planspec.families.veritrip.corpus.chinese_surface import ROOMS, WEEKDAYS
from planspec.families.veritrip.corpus.chinese_words import ChineseWords
from planspec.families.veritrip.corpus.closing import text_without_provenance
from planspec.families.veritrip.corpus.noise import CHINESE_OTHER_CITIES
from planspec.families.veritrip.corpus.records import Statement
from planspec.families.veritrip.facts import FactBase
from tests.families.veritrip.reading_chinese import duration_ranges, prices, times
from tests.families.veritrip.small_base import facts_of, small_base

SIZE = 700
LISTS = PageSizes(services=30, pois=14, hotels=2, restaurants=3)
BASE = small_base()
DOLLARS = small_base("USD")


def words(base: FactBase) -> ChineseWords:
    """Return Chinese names for every other place and for every city."""
    names = {place.name: f"甲{number}号" for number, place in enumerate(base.places) if number % 2}
    return ChineseWords(base, names | {city: f"{city[:1]}市" for city in base.cities}, {})


def write_chinese_corpus(base: FactBase, *, clean: bool = False) -> Corpus:
    """Write documents on a base, some of them in Chinese. A clean corpus contradicts no fact."""
    return write_corpus(base, 1, SIZE, clean, pages=LISTS, chinese=words(base))


@cache
def corpus_by_name(name: str) -> Corpus:
    """Return one of three corpora. It is written on first use, since every xdist worker imports this module."""
    return write_chinese_corpus(DOLLARS if name == "dollars" else BASE, clean=name == "clean")


@pytest.fixture
def corpus(request: pytest.FixtureRequest) -> Corpus:
    return corpus_by_name(request.param)


EACH = pytest.mark.parametrize("corpus", ["yuan", "dollars", "clean"], indirect=True)


def is_chinese(text: str) -> bool:
    """Return whether a page is in Chinese. An English page may have some Chinese in its imprint."""
    return sum("\u4e00" <= sign <= "\u9fff" for sign in text) > len(text) / 8


def text_without_imprint(text: str) -> str:
    """Return a page without its imprint (the lines on its publisher), since titles in an imprint may contain times."""
    return text_without_provenance(text)


def test_both_languages_have_their_share_by_country() -> None:
    for name, base in (("yuan", BASE), ("dollars", DOLLARS)):
        documents = corpus_by_name(name).documents
        share = 100 * sum(is_chinese(document.text) for document in documents) / len(documents)
        assert abs(share - SHARES[base.currency]) < 8


def test_statements_do_not_depend_on_the_language() -> None:
    english = write_corpus(BASE, 1, SIZE, pages=LISTS)
    assert english.statements == corpus_by_name("yuan").statements
    attributes = [(d.id, d.kind, d.city, d.published, d.origin) for d in english.documents]
    assert attributes == [(d.id, d.kind, d.city, d.published, d.origin) for d in corpus_by_name("yuan").documents]


@EACH
def test_a_chinese_page_expresses_its_statements(corpus: Corpus) -> None:
    pages = {d.id: f"{d.title}\n{d.text}" for d in corpus.documents if is_chinese(d.text)}
    seen = Counter[str]()
    for statement in corpus.statements:
        if (text := pages.get(statement.document)) is None:
            continue
        field = statement.field.partition(":")[0]
        seen[field] += 1
        subject = statement.subject[:-11] if statement.subject[-10:-6] == "2025" else statement.subject
        assert subject in text, statement
        match field:
            case "ticket" | "price" | "room":
                assert int(statement.value) in prices(text), statement
            case "opens" | "closes" | "depart" | "arrive":
                assert statement.value in times(text), statement
            case "visit":
                assert statement.value in duration_ranges(text), statement
            case "closed_on":
                assert all(f"{WEEKDAYS[day]}" in text for day in statement.value.split("|") if day), statement
                assert "闭馆" in text or "每天开放" in text, statement
            case "date":
                year, month, day = map(int, statement.value.split("-"))
                assert f"{year}年{month}月{day}日" in text, statement
            case "breakfast":
                assert ("含早餐" if statement.value == "true" else "不含早餐") in text, statement
                kind = statement.field.partition(":")[2]
                assert kind in text and ROOMS.get(kind, kind) in text, statement
            case "dishes":
                assert all(dish in text for dish in statement.value.split("|")), statement
            case "existence":
                continue  # pages that deny a place have their own tests
            case _:
                assert statement.value in text, statement
    assert {"ticket", "opens", "visit", "closed_on", "room", "breakfast", "price", "depart"} <= set(seen)


@EACH
def test_a_chinese_page_has_no_price_or_time_without_a_statement(corpus: Corpus) -> None:
    by_document = defaultdict(list)
    for one in corpus.statements:
        by_document[one.document].append(one)
    for document in corpus.documents:
        if is_chinese(document.text):
            own = by_document[document.id]
            stated_prices = {int(s.value) for s in own if s.field in ("ticket", "price") or s.field.startswith("room:")}
            assert prices(text_without_imprint(document.text)) <= stated_prices | {0}, document
            hours = {s.value for s in own if s.field in ("opens", "closes", "depart", "arrive")}
            assert times(text_without_imprint(document.text)) <= hours | {"00:00", "24:00"}, document


@EACH
def test_no_two_pages_are_the_same_and_guides_are_long(corpus: Corpus) -> None:
    assert len({document.text for document in corpus.documents}) == len(corpus.documents)
    assert all(d.title.strip() and "\n" not in d.title for d in corpus.documents)
    guides = [d for d in corpus.documents if d.kind == "guide"]
    assert all(len(guide.text) >= 300 for guide in guides)
    assert all(len(guide.text) >= SHORTEST_GUIDE for guide in guides if is_chinese(guide.text))


def test_with_listing_pages_fewer_pages_state_every_fact() -> None:
    for base in (BASE, DOLLARS):
        assert min_document_count(base, LISTS) < min_document_count(base)
        corpus = write_corpus(base, 3, min_document_count(base, LISTS), pages=LISTS, chinese=words(base))
        stated = {(s.subject, s.city, s.field, s.value) for s in corpus.statements if s.true}
        assert facts_of(base) <= stated


def denials(corpus: Corpus) -> dict[int, list[Statement]]:
    """Return, by document, the statements of each page that states only whether places exist, and denies or invents one."""
    by_page = defaultdict(list)
    for statement in corpus.statements:
        by_page[statement.document].append(statement)
    return {
        number: own
        for number, own in by_page.items()
        if all(s.field == "existence" for s in own) and any(s.value == "false" or not s.true for s in own)
    }


@pytest.mark.parametrize(("name", "share"), [("yuan", 75), ("dollars", 15)])
def test_pages_that_deny_or_invent_a_place_are_chinese_as_often_as_others(name: str, share: int) -> None:
    """The expected shares are 75% and 15%. The bounds are three standard deviations."""
    corpus = corpus_by_name(name)
    texts = {d.id: d.text for d in corpus.documents}
    pages = denials(corpus)
    assert len(pages) > 20
    chinese_share = 100 * sum(is_chinese(texts[number]) for number in pages) / len(pages)
    assert abs(chinese_share - share) < 300 * sqrt(share * (100 - share) / len(pages)) / 100


def test_a_chinese_page_that_denies_a_place_states_the_denial() -> None:
    """All five kinds of pages occur: rumours, moved places, closed places, and notices about these two."""
    page_by_kind = {}
    pages = {d.id: d for d in corpus_by_name("yuan").documents}
    for number, own in denials(corpus_by_name("yuan")).items():
        if not is_chinese((page := pages[number]).text):
            continue
        kind = denial_of(
            [(s.subject, s.city, s.field, s.value, s.true) for s in own], {p.name for p in BASE.places}, BASE.cities
        )
        page_by_kind[kind] = page
        for statement in own:
            assert statement.subject in f"{page.title}{page.text}"
        match kind:
            case "rumour":
                assert any(word in page.text for word in ("永久关闭", "停业", "早就不在了"))
            case "vanished notice":
                assert "永久关闭" in page.text and page.text.count("\n- ") == len(own)
            case "moved notice":
                assert page.text.count(f"，不在{page.city[:1]}市。") == len(own) / 2
            case _:
                assert f"{page.city[:1]}市" in f"{page.title}{page.text}" and "关闭" not in page.text
    assert set(page_by_kind) == {"rumour", "moved", "vanished", "vanished notice", "moved notice"}


def test_the_chinese_page_of_a_namesake_elsewhere_names_its_city_and_no_neighbours() -> None:
    corpus = corpus_by_name("yuan")
    elsewhere = [d for d in corpus.documents if d.city not in BASE.cities]
    assert elsewhere
    pages = [d for d in elsewhere if is_chinese(d.text)]
    assert pages
    for page in pages:
        assert CHINESE_OTHER_CITIES[page.city] in f"{page.title}{page.text}"
        assert "附近还有" not in page.text


def test_a_line_about_the_month_does_not_reveal_whether_a_page_is_true() -> None:
    """One page in three has such a line, whether its statements are true or not."""
    corpus = corpus_by_name("yuan")
    false = {s.document for s in corpus.statements if not s.true}
    pages = [d for d in corpus.documents if is_chinese(d.text)]
    for part in ([d for d in pages if d.id in false], [d for d in pages if d.id not in false]):
        dated = sum("（以上内容写于" in d.text for d in part) / len(part)
        assert abs(dated - 1 / 3) < 3 * sqrt(2 / 9 / len(part))
