"""Sentences on pages state facts in readable words. Their invented details cannot be mistaken for facts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from datetime import date
from functools import cache
from html import unescape
from html.parser import HTMLParser
from string import Formatter
from typing import Any

import pytest

from planspec.dsl.resources.english_words import MONTHS, WEEKDAYS
from planspec.families.worldtravel.webscape.declaring import normalize_name
from planspec.families.worldtravel.webscape.extracting import VOID
from planspec.families.worldtravel.webscape.forms import PHRASES, cents, parse_text
from planspec.families.worldtravel.webscape.ground_plans import HEIGHT, ground_plan
from planspec.families.worldtravel.webscape.phrasing import PHRASES as FOLDER
from planspec.families.worldtravel.webscape.phrasing import PhraseDeck, phrases
from planspec.families.worldtravel.webscape.plan_of_site import PAGES
from planspec.families.worldtravel.webscape.rendering import Page, PageRenderer, fitting_layouts, layouts
from planspec.families.worldtravel.webscape.sites import SITES
from planspec.families.worldtravel.webscape.tables import Tables
from tests.paths import ROOT

WORDED = ("booking", "reservation", "ways", "attractions", "restaurants", "hotels", "guide", "floor_plan", "dining")
QUANTITY = re.compile(
    r"€ ?\d|EUR \d|\d €|\d(?: min\b| minutes\b| h\b|h\d| steps?\b| stars?\b)|\d\d?[:.h]\d\d\b(?!\.\d)|\b\d+ (?:am|pm)\b"
)
DATES = re.compile(rf"\b(?:{'|'.join((*WEEKDAYS, *(month for month in MONTHS if month != 'May')))})\b")

DIARY = ("title", "opening", "caption", "moment", "times", "last", "tip")
FORUM = ("subject", "question", "pin", "hint", "thanks")
VISIT = ("address", "arrive", "tickets", "pace", "round", "access", "photo", "quiet", "rest", "contact")
_POSTED = re.compile(r"\b(\d\d?) ([A-Z][a-z]+) (\d{4})\b")
_BLOCKS = "p|div|section|article|li|ul|ol|td|th|tr|table|h\\d|header|small|aside|details|summary|br|dd|dt|i|menu|bdi"


@cache
def renderer(city: str) -> PageRenderer:
    """Return the renderer of a city's pages."""
    tables = Tables(ROOT / "tasks" / f"worldtravel-{city}" / "world")
    return PageRenderer(tables, city, tables.city["name"])


class _TextOutsideFacts(HTMLParser):
    """Collects the text of a page's body outside elements that show a fact by their text."""

    def __init__(self, page: Page) -> None:
        super().__init__(convert_charrefs=True)
        self._facts = {fact.element for fact in page.facts if fact.form is not None}
        self._count = 0
        self._open: list[bool] = []
        self._text: list[str] = []
        self.feed(page.html)

    @property
    def text(self) -> str:
        return "".join(self._text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "body":
            self._text.clear()
        if tag not in VOID:
            self._open.append(self._count in self._facts)
        self._count += 1

    def handle_endtag(self, tag: str) -> None:
        self._open.pop()

    def handle_data(self, data: str) -> None:
        if not any(self._open):
            self._text.append(data)


def text_without_facts(page: Page) -> str:
    """Return the text of a page outside elements that show facts."""
    return _TextOutsideFacts(page).text


def strings(value: Any) -> Iterator[str]:
    """Yield the strings in nested lists and mappings."""
    match value:
        case str():
            yield value
        case dict():
            for item in value.values():
                yield from strings(item)
        case list():
            for item in value:
                yield from strings(item)


@pytest.mark.sampled(9)
@pytest.mark.slow
@pytest.mark.parametrize("kind", WORDED)
def test_every_quantity_on_a_page_is_a_fact(kind: str) -> None:
    """On pages with sentences, amounts, times, lengths, steps and stars are facts, on each site and in each layout."""
    for turn, layout in enumerate(layouts(kind)):  # type: ignore[arg-type]
        city = ("vienna", "florence")[turn % 2]
        specs = [spec for spec in renderer(city).specs if spec.kind == kind]
        for number, site in enumerate(SITES):
            page = renderer(city).make_page(specs[(turn * 8 + number) % len(specs)], site, layout)
            assert QUANTITY.findall(text_without_facts(page)) == [], (page.spec.path, layout, site.id)


def test_a_quantity_outside_a_fact_is_found() -> None:
    spec = next(spec for spec in renderer("florence").specs if spec.kind == "menu")
    page = renderer("florence").make_page(spec, SITES[0], "classic")
    assert QUANTITY.findall(text_without_facts(page))
    assert "set menu" not in text_without_facts(page)


@pytest.mark.parametrize(
    "name", sorted(path.name.removesuffix(".yaml") for path in FOLDER.iterdir() if path.name.endswith(".yaml"))
)
def test_phrases_contain_no_number_and_no_date(name: str) -> None:
    found = list(strings(phrases(name)))
    assert len(found) > 20
    assert [text for text in found if re.search(r"\d|€", text) or DATES.search(text)] == []


@pytest.mark.parametrize("site", SITES, ids=lambda site: site.id)
def test_each_phrase_for_a_member_reads_as_the_member_on_pages_and_in_declarations(site: Any) -> None:
    names = {**phrases("guides")["names"], **phrases("hotels")["names"]}
    for member, words in (*names.items(), *phrases("guides")["meals"]["names"].items()):
        for word in words:
            for shown in (word, word[0].upper() + word[1:]):
                assert parse_text("word", shown, site.notation) == member
            assert normalize_name(word) == normalize_name(member)
    assert {*PHRASES.values()} <= {*names}


def test_all_phrases_are_used_before_one_is_repeated() -> None:
    bank = [f"p{n}" for n in range(7)]
    dealt = [PhraseDeck("seed", turn).deal("bank", bank) for turn in range(14)]
    assert Counter(dealt[:7]) == Counter(dealt[7:]) == Counter(bank)
    assert dealt[:7] != dealt[7:]
    pairs = [deck.deal("bank", bank, 2) for deck in (PhraseDeck("seed", turn) for turn in range(3)) for _ in (1, 2)]
    assert len(set(pairs)) == 6


@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.parametrize("city", PAGES)
def test_no_two_blogs_of_a_city_state_durations_in_the_same_sentence(city: str) -> None:
    sentences: Counter[str] = Counter()
    for spec in renderer(city).specs:
        if spec.kind == "guide" and spec.variant == "blog":
            page = renderer(city).page(spec)
            rest = re.sub(r"\s+", " ", text_without_facts(page))
            sentences.update({part for part in re.split(r"(?<=[.!?]) ", rest) if part.count(" ") > 6 and ", ," in part})
    assert {sentence: count for sentence, count in sentences.items() if count > 1} == {}


@pytest.mark.parametrize("city", PAGES)
def test_guides_and_menus_have_fitting_layouts(city: str) -> None:
    tables = renderer(city).tables
    for spec, (_, layout, _) in renderer(city)._looks.items():
        if spec.kind == "guide":
            assert layout in fitting_layouts(spec.variant)
        if spec.kind == "menu":
            prices = [cents(row["price"]) for row in tables.rows_where("menu", place=spec.subject)]
            assert layout in fitting_layouts("grand" if max(prices) >= 10000 else "plain")
    written = {name for author in ("blog", "magazine", "official") for name in fitting_layouts(author)}
    assert written == {*layouts("guide")}
    assert {*fitting_layouts("grand"), *fitting_layouts("plain")} == {*layouts("menu")}


@pytest.mark.parametrize("city", PAGES)
def test_each_part_of_a_sight_has_a_zone_and_a_number_inside_the_floor_plan(city: str) -> None:
    tables = renderer(city).tables
    for place in tables.rows_where("place", kind="attraction"):
        parts = tables.rows_where("part", place=place["id"])
        if not parts:
            continue
        plan = ground_plan(place, parts)
        zones = [zone for plate in plan.plates for zone in plate.zones]
        assert sorted(zone.number for zone in zones) == [*range(1, len(parts) + 1)], place["name"]
        assert all(zone.part is parts[zone.number - 1] and zone.rooms for zone in zones)
        assert len({zone.middle for zone in zones}) == len(zones)
        for plate in plan.plates:
            left, top, width, height = plate.box
            for zone in plate.zones:
                assert left <= zone.middle.x <= left + width, place["name"]
                assert top <= zone.middle.y <= top + height, place["name"]
        assert len(plan.finds) >= 1, place["name"]
        assert all(0 <= y <= HEIGHT and 0 <= x <= 1000 for _, _, (x, y) in plan.finds)
        assert not {at for _, _, at in plan.finds} & {zone.middle for zone in zones}


def test_a_hotel_page_states_its_features_in_sentences() -> None:
    spec = next(spec for spec in renderer("rome").specs if spec.kind == "hotels")
    for layout in layouts("hotels"):
        page = renderer("rome").make_page(spec, SITES[0], layout)
        cues = {fact.cue for fact in page.facts if fact.cell.column == "features"}
        assert cues == {"prose"}


@pytest.mark.parametrize("city", PAGES)
def test_each_place_has_its_own_texts(city: str) -> None:
    """Sights have paragraphs that name what their plan shows, restaurants have a review, and hotels a guest's
    remark.
    """
    tables = renderer(city).tables
    for place in tables.rows_where("place", kind="attraction"):
        texts = phrases("places")[place["name"]]
        assert len(texts["finds"]) == len(phrases("plans")[place["name"]])
        assert min(len(texts[voice].split()) for voice in ("walk", "entry")) > 40
        assert {*DIARY, *FORUM, "nicks"} == phrases("blogs")[place["name"]].keys() - {"light"}
        assert {"title", "lede", "story", "scene", "closer", "pull"} == phrases("magazines")[place["name"]].keys()
        official = phrases("officials")[place["name"]]
        assert len(official["notes"]) >= 3
        assert len(official["finds"]) == len(texts["finds"])
        assert {*VISIT} <= official.keys()
        assert len(official["questions"]) == 4
        parts = tables.rows_where("part", place=place["id"])
        stairs = {f"{letter}_steps" for letter, part in zip("abcdefg", parts, strict=False) if part["steps"] != "0"}
        slots = [name for _, name, _, _ in Formatter().parse(official["access"]) if name is not None]
        assert {*slots} - {"free"} == {*"abcdefg"[: len(parts)], *stairs}, place["name"]
        assert ("free" in slots) == (len(stairs) < len(parts)), place["name"]
        if tables.row_where("light", place=place["id"]) is not None:
            assert "light" in official
            assert "light" in phrases("blogs")[place["name"]]
    critics, guests = phrases("reviews")["critics"], phrases("hotels")["guests_of"]
    assert {place["name"] for place in tables.rows_where("place", kind="restaurant")} <= critics.keys()
    assert {hotel["name"] for hotel in tables.rows("hotel")} <= guests.keys()
    assert len({*guests.values()}) == len(guests)


def test_no_commenter_writes_about_two_sights() -> None:
    names = Counter(nick.casefold() for texts in phrases("blogs").values() for nick in texts["nicks"])
    assert len(names) == 7 * len(phrases("blogs"))
    assert max(names.values()) == 1


@pytest.mark.parametrize("city", PAGES)
def test_an_official_guide_states_the_steps_of_each_part_and_links_its_days(city: str) -> None:
    """The steps are written as sentences, and each calendar day links to its booking page."""
    tables = renderer(city).tables
    for turn, place in enumerate(tables.rows_where("place", kind="attraction")):
        spec = next(s for s in renderer(city).specs if s.path == f"guide/{place['id']}_official.html")
        for layout in fitting_layouts("official"):
            page = renderer(city).make_page(spec, SITES[turn % len(SITES)], layout)
            lines = {row.line for row in tables.rows_where("part", place=place["id"])}
            steps = [fact for fact in page.facts if (fact.cell.file, fact.cell.column) == ("part.csv", "steps")]
            assert {fact.cell.line for fact in steps} == lines
            assert {fact.cue for fact in steps} == {"prose"}
            days = [f'href="../booking/{place["id"]}_{day}.html"' for day in tables.days[:14]]
            assert [day for day in days if day not in page.html] == []


@pytest.mark.parametrize("layout", fitting_layouts("blog"))
def test_a_blog_has_the_durations_in_a_table_and_its_own_text_about_the_place(layout: str) -> None:
    spec = next(spec for spec in renderer("rome").specs if spec.kind == "guide" and spec.variant == "blog")
    page = renderer("rome").make_page(spec, SITES[0], layout)
    cues = {fact.cue for fact in page.facts if fact.cell.column in ("least", "most")}
    assert cues == {"text"}
    assert not any(fact.cell.column == "about" for fact in page.facts)
    day = _POSTED.search(page.html)
    assert day is not None
    posted = date(int(day[3]), MONTHS.index(day[2]) + 1, int(day[1]))
    assert posted.isoformat() < renderer("rome").tables.days[0], "a text on a sight is older than any day of a trip"


@pytest.mark.parametrize("city", PAGES)
def test_guides_share_few_sentences(city: str) -> None:
    """Less than 5% of the sentences, with names and numbers masked, occur in several guides."""
    names = [row["name"] for table in ("place", "part") for row in renderer(city).tables.rows(table)]
    name = re.compile("|".join(map(re.escape, sorted(names, key=len, reverse=True))))
    pages_: dict[str, set[str]] = {}
    for spec in renderer(city).specs:
        if spec.kind == "guide":
            for sentence in _sentences(renderer(city).page(spec)):
                masked = re.sub(r"\d[\d:.,h]*", "#", name.sub("N", sentence))
                pages_.setdefault(masked, set()).add(spec.path)
    shared = {sentence for sentence, paths in pages_.items() if len(paths) > 1}
    assert len(pages_) > 200
    assert len(shared) < 0.05 * len(pages_), shared


def _sentences(page: Page) -> Iterator[str]:
    """Yield the sentences of a page's paragraphs, outside links."""
    text = re.sub(r"<svg.*?</svg>|<a .*?</a>", "", page.html[page.html.index("<body") :], flags=re.DOTALL)
    blocks = re.split(rf"</?(?:{_BLOCKS}|x-[\w-]+|{page.site.id}-[\w-]+)\b[^>]*>", text)
    for block in blocks:
        words = " ".join(unescape(re.sub(r"<[^>]+>", "", block)).split())
        for sentence in re.split(r"(?<=[.!?”]) +(?=[A-Z“])", words):
            if sentence.count(" ") > 2 and sentence[-1] in ".!?”":
                yield sentence


def test_a_restaurant_has_the_same_first_remark_on_each_page() -> None:
    """Each diner's remark is about only one restaurant."""
    pages_ = [renderer("rome").page(spec) for spec in renderer("rome").specs if spec.kind in ("restaurants", "dining")]
    remarks: dict[str, set[str]] = {}
    for page in pages_:
        if page.spec.kind == "dining":
            for remark in phrases("reviews")["tables"]:
                if remark in page.html:
                    remarks.setdefault(remark, set()).add(page.spec.subject)
    assert remarks
    assert all(len(places) == 1 for places in remarks.values())
    overview = next(page for page in pages_ if page.spec.kind == "restaurants")
    assert sum(remark in overview.html for remark in remarks) == 5


def test_a_hotel_lists_what_its_description_mentions() -> None:
    spec = next(spec for spec in renderer("vienna").specs if spec.kind == "hotels")
    html = re.sub(r"<[^>]+>", "", renderer("vienna").page(spec).html)
    assert "At a glance: modern · breakfast · family rooms" in html
