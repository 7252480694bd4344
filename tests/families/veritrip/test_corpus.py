"""The corpus states every fact and contradicts some, within bounds. The same seed gives the same corpus."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planspec.families.veritrip.corpus import (
    KINDS,
    Corpus,
    Statement,
    filler,
    load,
    min_document_count,
    save,
    write_corpus,
)
from planspec.families.veritrip.corpus.trust import facts_without_truth
from planspec.families.veritrip.facts import FactBase
from tests.families.veritrip.random_bases import bases
from tests.families.veritrip.reading_text import duration_ranges, prices, times
from tests.families.veritrip.small_base import CITIES, facts_of, small_base
from tests.paths import ROOT
from tests.random_examples import examples

BASE = small_base()
SIZE = 700


@cache
def noisy_corpus() -> Corpus:
    """Return a noisy corpus. It is written on first use, since every xdist worker imports this module."""
    return write_corpus(BASE, 1, SIZE, False)


@cache
def clean_corpus() -> Corpus:
    """Return a corpus in which no document contradicts a fact."""
    return write_corpus(BASE, 1, SIZE, True)


@cache
def dollar_corpus() -> Corpus:
    """Return a corpus on a base with prices in dollars."""
    return write_corpus(small_base("USD"), 2, SIZE, False)


@pytest.fixture
def corpus(request: pytest.FixtureRequest) -> Corpus:
    selected: Corpus = request.param()
    return selected


def true_facts(corpus: Corpus) -> set[tuple[str, str, str, str]]:
    """Return the facts that are stated truly in some document that is not misleading."""
    kinds = {document.id: document.kind for document in corpus.documents}
    return {
        (statement.subject, statement.city, statement.field, statement.value)
        for statement in corpus.statements
        if statement.true and kinds[statement.document] != "misleading"
    }


def contradicting_documents(corpus: Corpus) -> set[int]:
    """Return the ids of documents with a false statement."""
    return {statement.document for statement in corpus.statements if not statement.true}


@pytest.mark.parametrize("clean", [False, True])
@pytest.mark.parametrize("extra", [0, 1, 7, 400])
def test_every_fact_is_truly_stated_at_every_size(extra: int, clean: bool) -> None:
    size = min_document_count(BASE) + extra
    corpus = write_corpus(BASE, 3, size, clean)
    assert len(corpus.documents) == size
    assert facts_of(BASE) <= true_facts(corpus)


def test_a_true_statement_agrees_with_the_base_or_denies_a_place_that_it_lacks() -> None:
    facts = facts_of(BASE)
    places = {fact[:2] for fact in facts}
    for statement in noisy_corpus().statements:
        fact = (statement.subject, statement.city, statement.field, statement.value)
        if (statement.subject, statement.city) in places:
            assert statement.true == (fact in facts), statement
        elif statement.city in CITIES:
            assert statement.field == "existence"
            assert statement.true == (statement.value == "false"), statement
        else:
            assert not statement.true, "a namesake in a city of which the base has nothing"


@pytest.mark.sampled(3)
@pytest.mark.slow
@pytest.mark.parametrize(
    "corpus", [noisy_corpus, clean_corpus, dollar_corpus], ids=["messy", "clean", "dollars"], indirect=True
)
def test_a_document_expresses_its_statements(corpus: Corpus) -> None:
    texts = {document.id: document.text for document in corpus.documents}
    heads = {document.id: f"{document.title}\n{document.text}" for document in corpus.documents}
    for statement in corpus.statements:
        text = texts[statement.document]
        subject = (
            statement.subject.rsplit(" ", 1)[0]
            if statement.field in _OF_SERVICES and _is_service(statement)
            else statement.subject
        )
        assert subject in heads[statement.document], statement
        match statement.field:
            case "ticket" | "price":
                assert int(statement.value) in prices(text), statement
            case "opens" | "closes" | "depart" | "arrive":
                assert statement.value in times(text), statement
            case "visit":
                assert statement.value in duration_ranges(text), statement
            case "closed_on":
                assert all(f"{day}s" in text for day in statement.value.split("|") if day), statement
                assert statement.value or "every day" in text or "daily" in text or "losing day" in text, statement
            case "address" | "cuisine" | "origin" | "to" | "number" | "date":
                assert statement.value in text, statement
            case "dishes":
                assert all(dish in text for dish in statement.value.split("|")), statement
            case "existence":
                denied = any(word in text for word in ("closed for good", "not exist", "not in ", "locked gates"))
                assert denied or statement.value == "true", statement
            case _ if statement.field.startswith("room:"):
                assert int(statement.value) in prices(text), statement
                assert statement.field.removeprefix("room:") in text
            case _:
                assert statement.field.startswith("breakfast:")
                assert "reakfast" in text, statement


_OF_SERVICES = {"number", "date", "origin", "to", "depart", "arrive", "price"}


def _is_service(statement: Statement) -> bool:
    """Return whether a statement is about a train or flight."""
    return statement.subject[-10:-6] == "2025"


@pytest.mark.parametrize(
    "corpus", [noisy_corpus, clean_corpus, dollar_corpus], ids=["messy", "clean", "dollars"], indirect=True
)
def test_no_document_has_a_price_or_a_time_without_a_statement(corpus: Corpus) -> None:
    by_document = defaultdict(list)
    for one in corpus.statements:
        by_document[one.document].append(one)
    for document in corpus.documents:
        stated_prices = {
            int(s.value) for s in by_document[document.id] if s.field in ("ticket", "price") or "room:" in s.field
        }
        assert prices(document.text) <= stated_prices | {0}, document
        hours = {s.value for s in by_document[document.id] if s.field in ("opens", "closes", "depart", "arrive")}
        written = times(document.text)
        if "noon" in document.text and "12:00" not in hours:
            written.discard("12:00")
        assert written <= hours | ({"00:00", "24:00"} if hours & {"00:00", "24:00"} else set()), document


def test_the_rule_for_conflicting_documents_finds_the_true_value_of_every_fact() -> None:
    assert contradicting_documents(noisy_corpus())
    assert facts_without_truth(BASE, noisy_corpus()) == []
    assert facts_without_truth(small_base("USD"), dollar_corpus()) == []


def test_the_smallest_corpus_has_no_contradiction() -> None:
    assert not contradicting_documents(write_corpus(BASE, 1, min_document_count(BASE), False))


@pytest.mark.slow
def test_the_truth_is_found_in_a_corpus_of_many_documents_on_few_places() -> None:
    base = small_base(sights=1, days=1)
    corpus = write_corpus(base, 5, 2500, False)
    assert facts_without_truth(base, corpus) == []
    assert facts_of(base) <= true_facts(corpus)


def test_misleading_pages_and_comments_contradict_facts_in_many_ways() -> None:
    kinds = {document.id: document.kind for document in noisy_corpus().documents}
    wrong = Counter((kinds[s.document], s.field.split(":")[0]) for s in noisy_corpus().statements if not s.true)
    for field in ("ticket", "opens", "closes", "closed_on", "visit", "existence"):
        assert wrong["misleading", field], field
    assert wrong["comment", "price"]
    assert wrong["comment", "room"]
    assert {kind for kind, _ in wrong} == {"misleading", "comment"}


def test_every_misleading_document_states_something_false() -> None:
    misleading = {document.id for document in noisy_corpus().documents if document.kind == "misleading"}
    assert misleading
    assert misleading <= contradicting_documents(noisy_corpus())


def test_a_closed_place_is_not_in_the_base() -> None:
    names = {place.name for place in BASE.places}
    gone = {s.subject for s in noisy_corpus().statements if s.field == "existence" and s.value == "false" and s.true}
    assert gone - names, "some places have closed for good"
    assert gone & names, "some sights are looked for in another city"


def test_the_clean_corpus_differs_only_in_documents_that_contradict_facts() -> None:
    assert not contradicting_documents(clean_corpus())
    assert len(clean_corpus().documents) == len(noisy_corpus().documents)
    wrong = contradicting_documents(noisy_corpus())
    for noisy, clean in zip(noisy_corpus().documents, clean_corpus().documents, strict=True):
        assert noisy.id == clean.id
        assert (noisy == clean) == (noisy.id not in wrong)
        assert clean.kind != "misleading"
        if noisy.kind == "comment":
            assert clean.kind == "comment"
    same = [s for s in noisy_corpus().statements if s.document not in wrong]
    assert same == [s for s in clean_corpus().statements if s.document not in wrong]


def test_all_eight_kinds_of_documents_occur_and_ids_do_not_reveal_the_kind() -> None:
    assert {document.kind for document in noisy_corpus().documents} == set(KINDS)
    assert [document.id for document in noisy_corpus().documents] == list(range(1, SIZE + 1))
    for start in range(0, SIZE, 100):
        assert len({document.kind for document in noisy_corpus().documents[start : start + 100]}) >= 6
    other = write_corpus(BASE, 2, SIZE, False)
    assert [d.kind for d in other.documents] != [d.kind for d in noisy_corpus().documents]


@pytest.mark.parametrize(
    "corpus", [noisy_corpus, clean_corpus, dollar_corpus], ids=["messy", "clean", "dollars"], indirect=True
)
def test_documents_have_60_to_400_words_and_no_two_are_the_same(corpus: Corpus) -> None:
    for document in corpus.documents:
        assert 60 <= len(document.text.split()) <= 400, document
        assert document.title.strip() and "\n" not in document.title
        assert "{" not in document.text and "  " not in document.text
    honest = [document for document in corpus.documents if document.kind != "misleading"]
    assert len({document.text for document in honest}) == len(honest)


@pytest.mark.parametrize("corpus", [noisy_corpus, clean_corpus], ids=["messy", "clean"], indirect=True)
def test_no_document_repeats_a_sentence(corpus: Corpus) -> None:
    voices = (
        filler.BLOG,
        filler.FORUM,
        filler.HOTEL,
        filler.DINING,
        filler.PORTAL,
        filler.TOWN,
        filler.GUIDE,
    )
    for document in corpus.documents:
        for sentence in (sentence for voice in voices for sentence in voice):
            assert document.text.count(sentence.format(city=document.city)) <= 1, document


def test_guides_have_a_number_of_days_a_number_of_likes_and_over_300_characters() -> None:
    guides = [document for document in noisy_corpus().documents if document.kind == "guide"]
    assert guides
    for guide in guides:
        assert len(guide.text) > 300
        assert "likes" in guide.text.lower()
        assert "Day 1" in guide.text
        assert "\n1. " in guide.text


def test_documents_are_written_in_different_styles() -> None:
    origins = {document.origin for document in noisy_corpus().documents}
    assert {
        "official site",
        "booking portal",
        "personal blog",
        "forum",
        "city guide",
        "news notice",
    } <= origins
    titles = {document.title for document in noisy_corpus().documents}
    assert len(titles) > SIZE * 2 // 3


def test_too_small_a_size_is_refused_and_the_minimum_is_named() -> None:
    least = min_document_count(BASE)
    with pytest.raises(ValueError, match=f"at least {least} are needed"):
        write_corpus(BASE, 1, least - 1, False)


def test_an_empty_base_has_only_an_empty_corpus() -> None:
    empty = FactBase("CNY", (), (), (), (), ())
    assert write_corpus(empty, 1, 0, False).documents == ()
    with pytest.raises(ValueError, match="empty"):
        write_corpus(empty, 1, 5, False)


@pytest.mark.parametrize("sort_name", ["services", "attractions", "restaurants", "hotels", "pois"])
def test_a_corpus_can_be_written_for_a_base_with_one_kind_of_records(sort_name: str) -> None:
    sorts = ("services", "attractions", "restaurants", "hotels", "pois")
    base = FactBase("CNY", *(getattr(BASE, sort) if sort == sort_name else () for sort in sorts))
    corpus = write_corpus(base, 1, min_document_count(base) + 60, False)
    assert facts_of(base) <= true_facts(corpus)
    assert facts_without_truth(base, corpus) == []


@pytest.mark.slow
def test_the_bytes_of_files_do_not_depend_on_the_hash_seed(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path\n"
        "from planspec.families.veritrip.corpus import save, write_corpus\n"
        "from tests.families.veritrip.small_base import small_base\n"
        "save(write_corpus(small_base(), 1, 700, False), Path(sys.argv[1]))\n"
    )
    save(noisy_corpus(), tmp_path / "here")
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
        subprocess.run([sys.executable, "-c", program, str(tmp_path / seed)], check=True, env=environment, cwd=tmp_path)
        for name in ("documents.jsonl", "hidden.jsonl"):
            assert (tmp_path / seed / name).read_bytes() == (tmp_path / "here" / name).read_bytes()


def test_a_saved_corpus_is_loaded_unchanged(tmp_path: Path) -> None:
    save(noisy_corpus(), tmp_path)
    assert load(tmp_path) == noisy_corpus()


def test_agents_see_neither_the_kind_nor_the_truth_of_a_document(tmp_path: Path) -> None:
    save(noisy_corpus(), tmp_path)
    for line in (tmp_path / "documents.jsonl").read_text(encoding="utf-8").split("\n")[:-1]:
        assert set(json.loads(line)) == {"id", "title", "text", "city", "published", "origin"}


@pytest.mark.parametrize("line", ["{", "[]", '{"id": 1}', '{"id": 1, "kind": "guide"}'])
def test_a_file_with_other_contents_is_refused(tmp_path: Path, line: str) -> None:
    save(noisy_corpus(), tmp_path)
    (tmp_path / "documents.jsonl").write_text(line + "\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"documents\.jsonl"):
        load(tmp_path)


@given(bases(), st.integers(0, 99), st.integers(0, 80))
@settings(max_examples=examples(40))
def test_every_fact_of_any_base_is_stated_and_its_truth_is_found(base: FactBase, seed: int, extra: int) -> None:
    size = min_document_count(base) + (extra if min_document_count(base) else 0)
    noisy_corpus, clean = (write_corpus(base, seed, size, wish) for wish in (False, True))
    for corpus in (noisy_corpus, clean):
        assert facts_of(base) <= true_facts(corpus)
        assert [document.id for document in corpus.documents] == list(range(1, size + 1))
        assert all(len(document.text.split()) >= 60 for document in corpus.documents)
        assert facts_without_truth(base, corpus) == []
    wrong = contradicting_documents(noisy_corpus)
    assert not contradicting_documents(clean)
    assert all(a == b for a, b in zip(noisy_corpus.documents, clean.documents, strict=True) if a.id not in wrong)
