"""The brief's rule for conflicting documents finds the true values in noisy corpora. Simpler rules do not."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from dataclasses import replace
from datetime import date
from functools import cache
from typing import get_args

import pytest

from planspec.errors import InternalError
from planspec.families.veritrip.corpus import (
    Corpus,
    CorpusDocument,
    Statement,
    min_document_count,
    write_corpus,
)
from planspec.families.veritrip.corpus.closing import closing, read_provenance, text_without_provenance
from planspec.families.veritrip.corpus.fact_values import Fact
from planspec.families.veritrip.corpus.needed import needed_facts
from planspec.families.veritrip.corpus.provenance import (
    Basis,
    CitedDocument,
    Language,
    Provenance,
    imprint,
    language_of,
    read_imprint,
)
from planspec.families.veritrip.corpus.trust import (
    NoiseMeasure,
    StatedFacts,
    contradictable_facts,
    facts_without_truth,
    measure_noise,
    travel_days,
    truths_of,
)
from planspec.families.veritrip.corpus.truth_check import noise_lines, require_truth
from planspec.families.veritrip.environment.environment import TRUST
from planspec.families.veritrip.fact_bases import country_bases, fact_bases
from planspec.families.veritrip.generating import SuiteSize, write_corpora
from tests.families.veritrip.small_base import small_base
from tests.paths import ROOT

pytestmark = pytest.mark.slow

SHIPPED = ROOT / "tasks" / "veritrip"
BASE = small_base()
DAYS = (date(2025, 10, 15), date(2025, 10, 30))
FACT: Fact = ("Moss Museum", "Aldorf", "ticket")


@cache
def noisy_corpus() -> Corpus:
    """Return a corpus with contradicting documents."""
    return write_corpus(BASE, 1, 700)


@cache
def default_noise() -> dict[str, tuple[NoiseMeasure, NoiseMeasure]]:
    """Measure the noise of the default corpora, by country.

    Each pair has the measure on all facts, and on the facts on which plans of the shipped queries depend.
    """
    needed: set[Fact] = set()
    for line in (SHIPPED / "queries.jsonl").read_text("utf-8").splitlines():
        query = json.loads(line)
        certificate = json.loads((SHIPPED / "tasks" / "certificates" / f"{query['id']}.json").read_text("utf-8"))
        needed |= set(needed_facts(certificate["witness"], query["start_city"], query["target_city"]))
    bases = fact_bases(0)
    corpora_by_country = write_corpora(country_bases(0, SuiteSize().documents), SuiteSize())
    return {
        country: (
            measure_noise(base, corpora_by_country[country]),
            measure_noise(base, corpora_by_country[country], needed),
        )
        for country, base in bases.items()
    }


# ------------------------------------------------------------------ the default corpora


@pytest.mark.parametrize("country", ["china", "usa"])
def test_a_third_of_the_facts_that_the_shipped_queries_need_is_contradicted_and_the_rule_finds_them_all(
    country: str,
) -> None:
    _, needed = default_noise()[country]
    assert needed.facts > 300
    assert needed.share > 1 / 3
    assert needed.rate("rule") == 1


@pytest.mark.parametrize("reader", ["newest", "majority", "official_look", "best_basis"])
def test_simpler_rules_often_find_false_values(reader: str) -> None:
    for everything, needed in default_noise().values():
        for measured in (everything, needed):
            rate = measured.rate(reader)
            assert rate is not None
            assert rate < 3 / 4, (reader, float(rate))
    both = [needed for _, needed in default_noise().values()]
    if reader != "best_basis":
        rate = (both[0] + both[1]).rate(reader)
        assert rate is not None
        assert rate < 0.4


def test_false_statements_are_the_majority_on_most_contradicted_facts() -> None:
    for everything, _ in default_noise().values():
        assert everything.outnumbered > everything.contradicted * 0.7


# ------------------------------------------------------------------ corpora of a small base


def test_more_noise_contradicts_more_facts() -> None:
    shares = [measure_noise(BASE, write_corpus(BASE, 1, 700, noise=level)).share for level in (0, 0.3, 0.6)]
    assert shares == sorted(shares)
    assert shares[0] < shares[1] < shares[2]


def test_false_documents_are_often_newer_and_sound_official() -> None:
    misleading = [d for d in noisy_corpus().documents if d.kind == "misleading"]
    true = max(d.published for d in noisy_corpus().documents if d.kind != "misleading")
    assert sum(d.published > true for d in misleading) > len(misleading) / 3
    assert {"official site", "booking portal", "railway timetable"} <= {d.origin for d in misleading}


def test_about_half_of_the_statements_of_noise_pages_are_true() -> None:
    misleading = {d.id for d in noisy_corpus().documents if d.kind == "misleading"}
    truth: dict[int, Counter[bool]] = defaultdict(Counter)
    for statement in noisy_corpus().statements:
        if statement.document in misleading and statement.field != "existence":
            truth[statement.document][statement.true] += 1
    assert sum(count[True] > 0 and count[False] > 0 for count in truth.values()) > len(truth) / 2


def test_misleading_documents_have_every_basis_and_cite_existing_documents() -> None:
    sources = [read_provenance(d.text) for d in noisy_corpus().documents if d.kind == "misleading"]
    assert None not in sources
    readable = [source for source in sources if source is not None]
    assert {source.basis for source in readable} == set(get_args(Basis))
    first, last = travel_days(BASE)
    operators = [source for source in readable if source.basis == "operator"]
    assert any(source.since is not None and source.since > last for source in operators), "another season"
    assert any(source.until is not None and source.until < first for source in operators), "expired"
    assert any(source.is_in_force(first) for source in operators), "replaced"
    titles = {(d.title, d.published) for d in noisy_corpus().documents}
    cited = [source.cited for source in readable if source.cited is not None]
    assert cited
    assert all((one.title, one.published) in titles for one in cited)


def test_a_clean_corpus_keeps_the_documents_that_noise_replaces() -> None:
    clean = write_corpus(BASE, 1, 700, clean=True)
    quiet = write_corpus(BASE, 1, 700, noise=0)
    noisy = {d.id for d, other in zip(noisy_corpus().documents, quiet.documents, strict=True) if d != other}
    assert len(noisy) > 100
    assert {d.kind for d in noisy_corpus().documents if d.id in noisy} == {"misleading"}
    assert measure_noise(BASE, clean).contradicted == 0
    lies = {s.document for s in quiet.statements if not s.true}
    same = [(d.id, a == d) for d, a in zip(clean.documents, quiet.documents, strict=True) if d.id not in lies]
    assert all(equal for _, equal in same)


def test_a_few_listing_pages_contradict_many_places_and_other_listing_pages_are_true() -> None:
    base = small_base(sights=8)
    corpus = write_corpus(base, 3, min_document_count(base) + 40)
    assert facts_without_truth(base, corpus) == []
    lists = {
        d.id: d
        for d in corpus.documents
        if "Tourist office" in d.text and len({s.subject for s in corpus.statements if s.document == d.id}) > 3
    }
    truth: dict[int, set[bool]] = defaultdict(set)
    for statement in corpus.statements:
        if statement.document in lists:
            truth[statement.document].add(statement.true)
    kinds = {number: lists[number].kind for number in lists}
    assert {kinds[number] for number, truths in truth.items() if False in truths} == {"misleading"}
    assert {kinds[number] for number, truths in truth.items() if False not in truths} == {"attraction"}
    assert (
        measure_noise(base, corpus).share
        > measure_noise(base, write_corpus(base, 3, min_document_count(base) + 40, noise=0)).share
    )


def test_namesakes_are_in_cities_that_no_trip_visits() -> None:
    cities = {place.city for place in BASE.places}
    far = {(s.subject, s.city) for s in noisy_corpus().statements if s.city not in cities}
    assert far
    assert {name for name, _ in far} <= {sight.name for sight in BASE.attractions}
    assert not any(s.true for s in noisy_corpus().statements if s.city not in cities)


def test_a_corpus_whose_truth_cannot_be_found_is_refused() -> None:
    lie = next(s for s in noisy_corpus().statements if s.true and s.field == "ticket")
    wrong = replace(lie, value="77777", true=False)
    broken = Corpus(
        noisy_corpus().documents,
        tuple(
            wrong if s.field == "ticket" and s.subject == lie.subject and s.true else s
            for s in noisy_corpus().statements
        ),
    )
    assert (lie.subject, lie.city, "ticket") in facts_without_truth(BASE, broken)
    with pytest.raises(
        InternalError, match="does not find the true values of 1 facts in the documents, such as `ticket` of"
    ):
        require_truth({"here": BASE}, {"here": broken})


def test_the_facts_that_can_be_contradicted_are_those_on_which_cells_depend() -> None:
    fields = {field.partition(":")[0] for _, _, field in contradictable_facts(BASE)}
    assert fields == {
        "ticket",
        "opens",
        "closes",
        "closed_on",
        "visit",
        "room",
        "breakfast",
        "depart",
        "arrive",
        "price",
    }
    assert set(contradictable_facts(BASE)) <= truths_of(BASE).keys()


def test_the_noise_of_a_corpus_is_described_in_words() -> None:
    noise = require_truth({"here": BASE}, {"here": noisy_corpus()})
    text = next(iter(noise_lines(noise)))
    assert f"{noise.contradicted} of {noise.facts} facts are contradicted" in text
    assert "rule 1.00" in text
    assert list(noise_lines(measure_noise(BASE, write_corpus(BASE, 1, 700, clean=True)))) == ["no fact is contradicted"]


# ------------------------------------------------------------------ steps of the rule for conflicting documents


def page(number: int, source: Provenance, published: str = "2025-09-01", title: str = "") -> CorpusDocument:
    """Return a document with an imprint of this source."""
    text = f"A page.\n\n{imprint(source, 'en')}"
    return CorpusDocument(
        number,
        "attraction",
        "Aldorf",
        title or f"Page {number}",
        text,
        date.fromisoformat(published),
        "forum",
    )


def trusted_value(*pages: tuple[CorpusDocument, str]) -> str | None:
    """Return the value that the rule for conflicting documents selects, given pages with the values that they state."""
    corpus = Corpus(
        tuple(document for document, _ in pages),
        tuple(Statement(document.id, *FACT, value, True) for document, value in pages),
    )
    facts = StatedFacts.of(corpus, DAYS)
    return facts.value_by_rule(facts.by_fact[FACT])


OPERATOR = Provenance("Moss Museum", "operator", date(2025, 6, 1))
ENTRY = Provenance("Wayfare", "register", date(2025, 9, 30))
VISIT, HEARSAY, UNNAMED = (Provenance("Slow Shoes", basis) for basis in ("visit", "hearsay", "unnamed"))


def test_documents_of_operators_registers_visitors_and_hearsay_rank_in_this_order() -> None:
    assert trusted_value((page(1, OPERATOR), "10"), (page(2, ENTRY), "20"), (page(3, VISIT), "30")) == "10"
    assert trusted_value((page(2, ENTRY), "20"), (page(3, VISIT), "30"), (page(4, HEARSAY), "40")) == "20"
    assert trusted_value((page(3, VISIT), "30"), (page(4, HEARSAY), "40"), (page(5, UNNAMED), "40")) == "30"


def test_documents_in_force_only_before_or_after_the_trip_are_ignored() -> None:
    later = replace(OPERATOR, since=date(2025, 11, 15))
    earlier = Provenance("Moss Museum", "operator", date(2025, 4, 1), date(2025, 10, 10))
    assert trusted_value((page(1, later), "10"), (page(2, earlier), "15"), (page(3, ENTRY), "20")) == "20"
    assert trusted_value((page(1, later), "10")) is None


def test_the_latest_notice_in_force_determines_the_value() -> None:
    older = replace(OPERATOR, since=date(2024, 1, 1))
    assert trusted_value((page(1, older, "2025-10-14"), "10"), (page(2, OPERATOR, "2025-06-02"), "20")) == "20"
    assert trusted_value((page(1, OPERATOR), "10"), (page(2, OPERATOR), "20")) is None


def test_the_latest_visit_determines_the_value() -> None:
    assert trusted_value((page(1, VISIT, "2024-05-01"), "10"), (page(2, VISIT, "2025-05-01"), "20")) == "20"


def test_a_reprint_counts_as_the_document_that_it_cites_and_only_for_the_statements_in_it() -> None:
    notice = page(1, OPERATOR)
    cited = CitedDocument(notice.title, "Moss Museum", notice.published)
    reprint = Provenance("Tripline", "reprint", cited=cited)
    assert trusted_value((notice, "10"), (page(2, reprint, "2025-10-14"), "20"), (page(3, ENTRY), "20")) == "10"
    # a chain of two reprints
    first = page(2, reprint)
    second = replace(reprint, cited=CitedDocument(first.title, "Tripline", first.published))
    assert trusted_value((notice, "10"), (first, "10"), (page(3, second), "10"), (page(4, ENTRY), "20")) == "10"
    # a reprint of an absent document, and of itself
    absent = replace(reprint, cited=CitedDocument("Nothing", "Nobody", notice.published))
    assert trusted_value((page(2, absent), "20")) is None
    loop = page(5, replace(reprint, cited=CitedDocument("Page 5", "Tripline", date(2025, 9, 1))))
    assert trusted_value((loop, "20")) is None


def test_a_document_without_an_imprint_counts_only_if_no_other_states_the_value() -> None:
    bare = CorpusDocument(9, "attraction", "Aldorf", "Bare", "No imprint.", date(2025, 10, 1), "forum")
    assert trusted_value((bare, "50"), (page(3, VISIT), "30")) == "30"
    assert trusted_value((bare, "50")) == "50"


# ------------------------------------------------------------------ imprints


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(
    "source",
    [
        OPERATOR,
        Provenance("A, B and C.", "register", date(2024, 2, 29), date(2025, 1, 1)),
        VISIT,
        HEARSAY,
        UNNAMED,
        Provenance(
            "Blue | Suitcase", "reprint", cited=CitedDocument('On: a "title", 2020-01-01', "X, Y", date(2025, 1, 2))
        ),
    ],
)
def test_a_written_imprint_is_read_back_unchanged(source: Provenance, language: Language) -> None:
    assert read_imprint(f"A text.\n\n{imprint(source, language)}") == source
    closings = {closing(source, language, number) for number in range(16)}
    assert len(closings) >= 4
    for text in closings:
        assert read_provenance(f"A text.\n\n{text}") == source
        assert read_imprint(f"A text.\n\n{text}") is None, "it is in sentences"
        assert text_without_provenance(f"A text.\n\n{text}") == "A text."


def test_a_name_that_could_be_misread_is_read_back_from_an_imprint_unchanged() -> None:
    source = Provenance("X, the operator, gives notice of this. Y", "operator")
    texts = [closing(source, "en", number) for number in range(4)]
    assert all(read_provenance(f"A.\n\n{text}") == source for text in texts)


def test_documents_end_with_sentences() -> None:
    documents = noisy_corpus().documents
    assert all(read_provenance(document.text) is not None for document in documents)
    assert not [document.id for document in documents if read_imprint(document.text) is not None]


def test_an_imprint_is_read_only_from_texts_that_have_one() -> None:
    for text in ("", "Published by nobody.", "A text.\n\nPublished by: X\nBasis: whim"):
        assert read_provenance(text) is None
    assert read_provenance("A text.\n\nPosted by X. It holds from 31 February 2025.") is None


def test_the_language_of_a_text_is_detected() -> None:
    assert language_of("故宫博物院的门票是六十元。") == "zh"
    assert (
        language_of("The Palace Museum (故宫) asks 60 yuan, and it is closed on Mondays in autumn and winter.") == "en"
    )


def test_the_brief_states_the_rule_in_the_words_of_the_imprints() -> None:
    for basis in get_args(Basis):
        words = imprint(Provenance("X", basis), "en").splitlines()[1].removeprefix("Basis: ").split(",")[0]
        assert words in TRUST, words
