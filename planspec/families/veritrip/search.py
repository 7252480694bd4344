"""Full-text search in documents: one SQLite file with an FTS5 table, ranked by BM25."""

from __future__ import annotations

import hashlib
import re
import sqlite3
import threading
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, Self

from planspec.dsl.resources.english_words import MONTHS
from planspec.families.veritrip.corpus.records import DOCUMENTS, load_visible
from planspec.files import building

INDEX = "documents.sqlite"
"""Name of the index file in the folder of a corpus."""

_FORMAT_VERSION = 2
"""Version of the index format. An index of another version is rebuilt."""

SNIPPET_TOKENS = 100
TITLE_WEIGHT, TEXT_WEIGHT, CODE_WEIGHT, CITY_WEIGHT = 4, 1, 8, 3
"""Weights of a hit in the indexed columns: title, text, codes, and city.

A code is a date or the number of a train or flight. Codes count more because BM25 penalises each number in a
timetable by the timetable's length.
"""

RECIPROCAL_RANK = 60
"""Constant of reciprocal-rank fusion, with the value of Cormack, Clarke and Büttcher (2009)."""

_FUSED_COUNT = 50
"""Number of documents from the top of each ranking that are fused."""

_RERANKED_COUNT = 100
"""Number of the best documents by BM25 that are ranked again, by how many of the query's terms they contain.
"""

_MOST_TERMS = 64
"""Maximal number of terms of a query; further words are ignored."""

_HIT = "\x02"
"""Marker before each hit in FTS5's highlighted text. It is removed from documents when they are indexed."""

_HAN_RANGES = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
"""Ranges of Chinese characters, which are written without blanks between words."""
_BREAK = "\x1f"
"""Separator around each Chinese character in the index, which makes each a token. It never appears in results."""
_HAN = re.compile(f"[{_HAN_RANGES}]")
_NEXT_TO_HAN = re.compile(f"(?<=[{_HAN_RANGES}])(?=[^\\s])|(?<=[^\\s])(?=[{_HAN_RANGES}])")
_WORDS = re.compile(f"[{_HAN_RANGES}]+|(?:(?![{_HAN_RANGES}])[^\\W_])+")
_PIECES = re.compile(f"[^\\s{_BREAK}]+|[\\s{_BREAK}]+")
_PARTICLES = re.compile("[的了吗呢吧啊呀是]|请问|什么|怎么|多少|如何|几点|哪里|哪个|这个|那个")
"""Chinese words without content, at which queries are split."""
_MONTH = "(?P<{0}>" + "|".join(f"{name[:3]}(?:{name[3:]}|t)?" for name in map(str.lower, MONTHS)) + r")\.?"
_DATES = re.compile(
    r"(?<!\d)(?P<y1>\d{4})-(?P<m1>\d{1,2})-(?P<d1>\d{1,2})(?!\d)"
    rf"|(?<!\d)(?P<y2>\d{{4}})?\s*(?(y2)年)\s*(?P<m2>\d{{1,2}})\s*月\s*(?P<d2>\d{{1,2}})\s*[日号]"
    rf"|\b{_MONTH.format('m3')}\s+(?P<d3>\d{{1,2}})(?:st|nd|rd|th)?\b(?!:)(?:,?\s+(?P<y3>20\d\d)\b)?"
    rf"|(?<!\d)(?P<d4>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH.format('m4')}\b(?:,?\s+(?P<y4>20\d\d)\b)?",
    re.IGNORECASE,
)
"""Pattern of dates as people write them, in English and Chinese, with or without a year."""
_GLOSSARY = (
    ("train", "高铁"),
    ("trains", "高铁"),
    ("rail", "高铁"),
    ("flight", "航班"),
    ("flights", "航班"),
    ("timetable", "时刻"),
    ("schedule", "时刻"),
    ("ticket", "门票"),
    ("tickets", "门票"),
    ("admission", "门票"),
    ("fare", "票价"),
    ("price", "价格"),
    ("opening", "开放"),
    ("hours", "时间"),
    ("closed", "闭馆"),
    ("hotel", "酒店"),
    ("hotels", "酒店"),
    ("hostel", "旅舍"),
    ("breakfast", "早餐"),
    ("room", "房"),
    ("restaurant", "餐厅"),
    ("restaurants", "餐厅"),
    ("guide", "攻略"),
    ("itinerary", "路线"),
    ("review", "点评"),
    ("museum", "博物"),
    ("park", "公园"),
    ("temple", "寺"),
    ("address", "地址"),
    ("airport", "机场"),
    ("station", "车站"),
    ("visit", "游玩"),
)
"""Pairs of an English travel word and its Chinese translation. A search for one also finds the other."""
OTHER_LANGUAGE: dict[str, tuple[str, ...]] = {}
for _english, _chinese in _GLOSSARY:
    OTHER_LANGUAGE[_english] = (*OTHER_LANGUAGE.get(_english, ()), _chinese)
    OTHER_LANGUAGE[_chinese] = (*OTHER_LANGUAGE.get(_chinese, ()), _english)
_CODES = re.compile(r"\b(?:[A-Z]{1,3}|[A-Z][0-9]|[0-9][A-Z])[0-9]{2,5}\b")

_STOP_WORDS = frozenset(
    (
        "a",
        "about",
        "an",
        "and",
        "any",
        "are",
        "as",
        "at",
        "be",
        "been",
        "by",
        "can",
        "could",
        "did",
        "do",
        "does",
        "for",
        "from",
        "give",
        "had",
        "has",
        "have",
        "how",
        "i",
        "if",
        "in",
        "into",
        "is",
        "it",
        "its",
        "me",
        "my",
        "of",
        "on",
        "or",
        "our",
        "please",
        "s",
        "should",
        "so",
        "some",
        "tell",
        "that",
        "the",
        "their",
        "there",
        "these",
        "they",
        "this",
        "to",
        "us",
        "was",
        "we",
        "were",
        "what",
        "when",
        "where",
        "which",
        "who",
        "will",
        "with",
        "would",
        "you",
        "your",
    )
)

_SCHEMA = """
create table source (digest text not null);
create table documents (
    id integer primary key, title text not null, text text not null, city text not null, published text not null,
    origin text not null, codes text not null
);
create virtual table words using fts5 (
    title, text, codes, city, content = 'documents', content_rowid = 'id', tokenize = "porter unicode61 remove_diacritics 2"
);
"""


@dataclass(frozen=True, slots=True)
class Snippet:
    """A document found by a search.

    Attributes:
        document: id of the document.
        title: title of the document.
        text: excerpt of up to 100 tokens around the best hits.
    """

    document: int
    title: str
    text: str


class DocumentRanking(Protocol):
    """Ranking of an index's documents by another method, such as dense vectors."""

    def rank(self, query: str, k: int) -> Sequence[int]:
        """Return the ids of the `k` best documents, best first."""


def build_index(rows: Iterable[Mapping[str, Any]], path: Path, digest: str = "") -> None:
    """Write an index of documents into one file. The time is about linear in the length of the documents.

    Args:
        rows: rows of `documents.jsonl`, with id, title, text, city, published and origin.
        path: index file. An existing one is replaced once the new one is complete.
        digest: digest of the documents' file, by which `open_corpus` recognises an outdated index.

    Raises:
        OSError: The file cannot be replaced.
        sqlite3.Error: The file cannot be written, or two documents have the same id.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    # Processes that start together may all build the index. Each writes its own file, and the last one remains.
    with building(path) as part, closing(sqlite3.connect(part, isolation_level=None)) as database:
        database.execute("pragma journal_mode = off")
        database.execute("pragma synchronous = off")
        database.executescript(f"begin; {_SCHEMA}")
        database.execute("insert into source values (?)", (digest,))
        database.executemany(
            "insert into documents values (:id, :title, :text, :city, :published, :origin, :codes)",
            (_index_row(row) for row in rows),
        )
        database.execute("insert into words (words) values ('rebuild')")
        database.execute("insert into words (words) values ('optimize')")
        database.execute("commit")


def open_corpus(folder: Path) -> DocumentIndex:
    """Open the index of a saved corpus. It is built first if it is absent or belongs to other documents.

    Raises:
        OSError: `documents.jsonl` cannot be read.
        ValueError: `documents.jsonl` was not written by `save`.
        sqlite3.Error: The index has to be built and cannot be written.
    """
    path = folder / INDEX
    with (folder / DOCUMENTS).open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    digest = f"{digest}/{_FORMAT_VERSION}"
    if not path.is_file() or _stored_digest(path) != digest:
        build_index(load_visible(folder), path, digest)
    return DocumentIndex(path)


class DocumentIndex:
    """A read-only index of documents. Several threads may use it. Each thread gets its own connection.

    Args:
        path: file written by `build_index`, which must not change while it is open.

    Raises:
        FileNotFoundError: There is no such file.
    """

    def __init__(self, path: Path) -> None:
        if not path.is_file():
            raise FileNotFoundError(f"there is no index at {path}: write one with `build_index`")
        self._uri = f"{path.resolve().as_uri()}?mode=ro&immutable=1"
        self._local = threading.local()
        self._opened: list[sqlite3.Connection] = []
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections of all threads. The index opens new ones when it is used again."""
        with self._lock:
            opened, self._opened = self._opened, []
            self._local = threading.local()
        for connection in opened:
            connection.close()

    def search(self, query: str, k: int = 10, dense: DocumentRanking | None = None) -> list[Snippet]:
        """Return the best matching documents, best first.

        Args:
            query: free text without operators: punctuation is ignored. A document must contain at least one
                of the words. Stop words such as `the` count only if there are no other words. In Chinese,
                each pair of adjacent characters forms a word.
            k: maximal number of documents.
            dense: another ranking of the same documents, fused with BM25 by reciprocal ranks. It is not used
                if the query has digits, since vectors hardly distinguish dates, prices or trains.
        """
        if k < 1:
            return []
        terms = terms_of(query)
        if dense is None or any(character.isdigit() for term in terms for character in term):
            return self._make_snippets(self._rank(terms, k), terms)
        scores: Counter[int] = Counter()
        for ranking in (self._rank(terms, _FUSED_COUNT), dense.rank(query, _FUSED_COUNT)):
            for position, document in enumerate(ranking):
                # Integers: floating-point sums would depend on their order.
                scores[document] += 10**12 // (RECIPROCAL_RANK + 1 + position)
        best = sorted(scores, key=lambda document: (-scores[document], document))[:k]
        return self._make_snippets(best, terms)

    def document(self, number: int) -> dict[str, Any] | None:
        """Return a document's row of `documents.jsonl`, or None if no document has this id."""
        if not 0 < number < 2**63:
            return None
        select = "select id, title, text, city, published, origin from documents where id = ?"
        row = self._connection().execute(select, (number,)).fetchone()
        if row is None:
            return None
        return _restore_row(dict(zip(("id", "title", "text", "city", "published", "origin"), row, strict=True)))

    def rows(self) -> list[dict[str, Any]]:
        """Return the rows of all documents, sorted by id."""
        select = "select id, title, text, city, published, origin from documents order by id"
        names = ("id", "title", "text", "city", "published", "origin")
        return [_restore_row(dict(zip(names, row, strict=True))) for row in self._connection().execute(select)]

    def _connection(self) -> sqlite3.Connection:
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            # `close` is the only use of a connection outside its thread.
            connection = sqlite3.connect(self._uri, uri=True, check_same_thread=False)
            self._local.connection = connection
            with self._lock:
                self._opened.append(connection)
        return connection

    def _rank(self, terms: Sequence[str], k: int) -> list[int]:
        """Return the ids of the `k` best documents. The score is BM25 times the number of terms that the document contains."""
        if not terms:
            return []
        connection = self._connection()
        select = "select rowid, bm25(words, ?, ?, ?, ?) from words where words match ? order by 2, rowid limit ?"
        weights = (TITLE_WEIGHT, TEXT_WEIGHT, CODE_WEIGHT, CITY_WEIGHT)
        scores: dict[int, float] = dict(
            connection.execute(select, (*weights, _match_query(terms), max(k, _RERANKED_COUNT))).fetchall()
        )
        if len(terms) > 1:
            having: Counter[int] = Counter()
            among = ", ".join(map(str, scores))
            for term in terms:
                only = f"select rowid from words where words match ? and rowid in ({among})"  # noqa: S608 `among` has only numbers
                having.update(row[0] for row in connection.execute(only, (_match_query([term]),)))
            scores = {document: score * having[document] for document, score in scores.items()}
        return sorted(scores, key=lambda document: (scores[document], document))[:k]

    def _make_snippets(self, documents: Sequence[int], terms: Sequence[str]) -> list[Snippet]:
        """Return a snippet of each document."""
        connection = self._connection()
        marked: dict[int, str] = {}
        if terms:
            select = "select highlight(words, 1, ?, '') from words where words match ? and rowid = ?"
            for document in documents:
                row = connection.execute(select, (_HIT, _match_query(terms), document)).fetchone()
                if row is not None:
                    marked[document] = row[0]
        snippets = []
        for document in documents:
            title, text = connection.execute("select title, text from documents where id = ?", (document,)).fetchone()
            snippets.append(Snippet(document, _remove_breaks(title), excerpt(marked.get(document, text))))
        return snippets


def terms_of(query: str) -> list[str]:
    """Return the distinct terms of a query. Stop words count only if there are no other words."""
    dates = [code for match in _DATES.finditer(query) for code in _date_codes(match)[:1]]
    words = list(dict.fromkeys(word.lower() for word in _WORDS.findall(_DATES.sub(" ", query) if dates else query)))
    content_words = [word for word in words if word not in _STOP_WORDS]
    terms = dict.fromkeys([*dates, *(term for word in content_words for term in _terms_of_word(word))])
    fallback_terms = (term for word in words for term in _terms_of_word(word, split_at_particles=False))
    return (list(terms) or list(fallback_terms))[:_MOST_TERMS]


def _date_codes(match: re.Match[str]) -> list[str]:
    """Return the codes of a matched date: one without the year, and one with the year if it has one.

    The list is empty for dates that do not exist, such as `2025-13-01`.
    """
    parts = {name[0]: value for name, value in match.groupdict().items() if value is not None}
    month, day = parts.get("m", ""), int(parts.get("d", 0))
    number = (
        int(month)
        if month.isdecimal()
        else 1 + next(n for n, name in enumerate(MONTHS) if name.lower().startswith(month.lower()[:3]))
    )
    if not (1 <= number <= 12 and 1 <= day <= 31):
        return []
    short = f"{number:02}{day:02}"
    return [f"day{parts['y']}{short}", f"day{short}"] if "y" in parts else [f"day{short}"]


def _terms_of_word(word: str, *, split_at_particles: bool = True) -> list[str]:
    """Return the terms of a word: all pairs of adjacent characters if it is Chinese, and otherwise the word.

    Args:
        word: word of a query.
        split_at_particles: whether a run of Chinese characters is first split at particles and question words,
            which have no content.
    """
    if not _HAN.match(word):
        return [word]
    runs = [run for run in _PARTICLES.split(word) if run] if split_at_particles else [word]
    return [pair for run in runs for pair in ([run[n : n + 2] for n in range(len(run) - 1)] or [run])]


def excerpt(marked: str, tokens: int = SNIPPET_TOKENS) -> str:
    """Return the part of a text with the most distinct hits, on one line.

    Args:
        marked: text with a marker before each hit.
        tokens: maximal number of words. A Chinese character counts as one.
    """
    pieces = [piece for piece in _PIECES.findall(marked) if piece]
    if pieces and not pieces[0].strip():
        pieces = pieces[1:]
    words, gaps = pieces[::2], pieces[1::2]
    gaps += [""] * (len(words) - len(gaps))
    if len(words) <= tokens:
        return _join_line(words, gaps)
    hits = [_WORDS.findall(word.lower()) if _HIT in word else [] for word in words]
    inside: Counter[str] = Counter(hit for group in hits[:tokens] for hit in group)
    best, starts = (len(inside), inside.total()), [0]
    for first in range(1, len(words) - tokens + 1):
        inside.subtract(hits[first - 1])
        inside.update(hits[first + tokens - 1])
        inside += Counter()
        score = (len(inside), inside.total())
        if score > best:
            best, starts = score, [first]
        elif score == best and starts[-1] == first - 1:
            starts.append(first)
    # Among equally good parts in a row, the middle one shows text on both sides of the hits.
    start = starts[len(starts) // 2]
    part = _join_line(words[start : start + tokens], gaps[start : start + tokens])
    return f"{'... ' if start else ''}{part}{' ...' if start + tokens < len(words) else ''}"


def _join_line(words: Sequence[str], gaps: Sequence[str]) -> str:
    """Join words and the gaps between them into one line without markers."""
    parts = [word + ("" if set(gap) <= {_BREAK} else " ") for word, gap in zip(words, gaps, strict=True)]
    return "".join(parts).strip().replace(_HIT, "")


def _match_query(terms: Sequence[str]) -> str:
    """Return the FTS5 query of terms and their translations, joined by OR.

    Quotes prevent terms from being parsed as operators.
    """
    return " OR ".join(_quote_term(one) for term in terms for one in (term, *OTHER_LANGUAGE.get(term, ())))


def _quote_term(term: str) -> str:
    return f'"{" ".join(term) if _HAN.match(term) else term}"'


def _index_row(row: Mapping[str, Any]) -> dict[str, Any]:
    title, text = _clean_text(row["title"]), _clean_text(row["text"])
    whole = f"{row['title']} {row['text']}"
    days = (code for match in _DATES.finditer(whole) for code in _date_codes(match))
    codes = " ".join(dict.fromkeys([*_CODES.findall(f"{title} {text}"), *days]))
    city = _separate_han(row["city"])
    return {**row, "title": title, "text": text, "city": city, "codes": codes}


def _clean_text(text: str) -> str:
    return _separate_han(text.replace(_HIT, " ").replace(_BREAK, " "))


def _separate_han(text: str) -> str:
    """Insert separators around Chinese characters."""
    return _NEXT_TO_HAN.sub(_BREAK, text) if _HAN.search(text) else text


def _remove_breaks(text: str) -> str:
    return text.replace(_BREAK, "")


def _restore_row(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row of the index as it was before separators were inserted around Chinese characters."""
    return {name: _remove_breaks(cell) if isinstance(cell, str) else cell for name, cell in row.items()}


def _stored_digest(path: Path) -> str | None:
    """Return the digest stored in an index, or None if the file is not an index."""
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as opened:
            row = opened.execute("select digest from source").fetchone()
    except sqlite3.DatabaseError:
        return None
    return str(row[0]) if row else None
