"""Search among documents: one SQLite file with an FTS5 table, ranked by BM25."""

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

from planspec.families.veritrip.corpus.records import DOCUMENTS, load_visible
from planspec.files import building

INDEX = "documents.sqlite"
"""The file of the index in the folder of its corpus."""

_FORM = 2
"""The form of an index; one of an older form is built anew."""

SNIPPET_TOKENS = 100
TITLE_WEIGHT, TEXT_WEIGHT, CODE_WEIGHT, CITY_WEIGHT = 4, 1, 8, 3
"""The weights of a hit in the title, in the text, of a code (a date, or a train's number) in either, and of the
city. A code counts more since BM25 holds the length of a timetable against each number in it."""

RECIPROCAL_RANK = 60
"""The constant of reciprocal-rank fusion, as in Cormack, Clarke and Büttcher (2009)."""

_DEPTH = 50
"""The depth to which the rankings are fused."""

_POOL = 100
"""How many of the best documents by BM25 are looked at for the terms that they have."""

_MOST_TERMS = 64
"""The most terms of a query; further words are left out."""

_HIT = "\x02"
"""Marks a hit in FTS5's highlighted text; documents lose this character when they are indexed."""

_SIGNS = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
"""Characters of Chinese, which has no blanks between its words."""
_BREAK = "\x1f"
"""Parts each such character from what is beside it in the index, so that each is a token; it is never shown."""
_SIGN = re.compile(f"[{_SIGNS}]")
_BESIDE_SIGN = re.compile(f"(?<=[{_SIGNS}])(?=[^\\s])|(?<=[^\\s])(?=[{_SIGNS}])")
_WORDS = re.compile(f"[{_SIGNS}]+|(?:(?![{_SIGNS}])[^\\W_])+")
_PIECES = re.compile(f"[^\\s{_BREAK}]+|[\\s{_BREAK}]+")
_PARTICLES = re.compile("[的了吗呢吧啊呀是]|请问|什么|怎么|多少|如何|几点|哪里|哪个|这个|那个")
"""Chinese words that say nothing; a query is parted there."""
_MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
_MONTH = "(?P<{0}>" + "|".join(f"{name[:3]}(?:{name[3:]}|t)?" for name in _MONTHS) + r")\.?"
_DATES = re.compile(
    r"(?<!\d)(?P<y1>\d{4})-(?P<m1>\d{1,2})-(?P<d1>\d{1,2})(?!\d)"
    rf"|(?<!\d)(?P<y2>\d{{4}})?\s*(?(y2)年)\s*(?P<m2>\d{{1,2}})\s*月\s*(?P<d2>\d{{1,2}})\s*[日号]"
    rf"|\b{_MONTH.format('m3')}\s+(?P<d3>\d{{1,2}})(?:st|nd|rd|th)?\b(?!:)(?:,?\s+(?P<y3>20\d\d)\b)?"
    rf"|(?<!\d)(?P<d4>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH.format('m4')}\b(?:,?\s+(?P<y4>20\d\d)\b)?",
    re.IGNORECASE,
)
"""Dates as people write them, in English and Chinese, with or without the year."""
_GLOSSARY = (
    ("train", "高铁"), ("trains", "高铁"), ("rail", "高铁"), ("flight", "航班"), ("flights", "航班"), ("timetable", "时刻"), ("schedule", "时刻"),
    ("ticket", "门票"), ("tickets", "门票"), ("admission", "门票"), ("fare", "票价"), ("price", "价格"), ("opening", "开放"), ("hours", "时间"), ("closed", "闭馆"),
    ("hotel", "酒店"), ("hotels", "酒店"), ("hostel", "旅舍"), ("breakfast", "早餐"), ("room", "房"), ("restaurant", "餐厅"), ("restaurants", "餐厅"),
    ("guide", "攻略"), ("itinerary", "路线"), ("review", "点评"), ("museum", "博物"), ("park", "公园"), ("temple", "寺"), ("address", "地址"), ("airport", "机场"),
    ("station", "车站"), ("visit", "游玩"),
)  # fmt: skip
"""Words of travellers in both languages: either finds the other."""
OTHER_LANGUAGE: dict[str, tuple[str, ...]] = {}
for _english, _chinese in _GLOSSARY:
    OTHER_LANGUAGE[_english] = (*OTHER_LANGUAGE.get(_english, ()), _chinese)
    OTHER_LANGUAGE[_chinese] = (*OTHER_LANGUAGE.get(_chinese, ()), _english)
_CODES = re.compile(r"\b(?:[A-Z]{1,3}|[A-Z][0-9]|[0-9][A-Z])[0-9]{2,5}\b")

# fmt: off
_STOP_WORDS = frozenset((
    "a", "about", "an", "and", "any", "are", "as", "at", "be", "been", "by", "can", "could", "did",
    "do", "does", "for", "from", "give", "had", "has", "have", "how", "i", "if", "in", "into", "is",
    "it", "its", "me", "my", "of", "on", "or", "our", "please", "s", "should", "so", "some",
    "tell", "that", "the", "their", "there", "these", "they", "this", "to", "us", "was", "we", "were",
    "what", "when", "where", "which", "who", "will", "with", "would", "you", "your",
))
# fmt: on

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
    """A document that was found.

    Attributes:
        document: its id.
        title: of the document.
        text: up to 100 tokens around the best hits.
    """

    document: int
    title: str
    text: str


class DocumentRanking(Protocol):
    """Another way to rank the documents of an index, as by dense vectors."""

    def ranked(self, query: str, k: int) -> Sequence[int]:
        """The ids of the best documents, the best first."""


def build_index(rows: Iterable[Mapping[str, Any]], path: Path, digest: str = "") -> None:
    """Writes the index of these documents into one file; the time is about linear in their length.

    Args:
        rows: as in `documents.jsonl`: id, title, text, city, published, origin.
        path: replaced, once the new file is whole, if it exists.
        digest: of the file from which the documents come, to be kept in the index.

    Raises:
        OSError: the file cannot be replaced.
        sqlite3.Error: the file cannot be written, or two documents have one id.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    # Processes that begin together may all build; each finishes its own file, and the last one stays.
    with building(path) as part, closing(sqlite3.connect(part, isolation_level=None)) as made:
        made.execute("pragma journal_mode = off")
        made.execute("pragma synchronous = off")
        made.executescript(f"begin; {_SCHEMA}")
        made.execute("insert into source values (?)", (digest,))
        made.executemany(
            "insert into documents values (:id, :title, :text, :city, :published, :origin, :codes)",
            (_indexed(row) for row in rows),
        )
        made.execute("insert into words (words) values ('rebuild')")
        made.execute("insert into words (words) values ('optimize')")
        made.execute("commit")


def open_corpus(folder: Path) -> DocumentIndex:
    """Opens the index of a saved corpus; it is built first where it is absent or of other documents.

    Raises:
        OSError: `documents.jsonl` cannot be read.
        ValueError: it is not what `save` writes.
        sqlite3.Error: the index has to be built and cannot be written.
    """
    path = folder / INDEX
    with (folder / DOCUMENTS).open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    digest = f"{digest}/{_FORM}"
    if not path.is_file() or _digest(path) != digest:
        build_index(load_visible(folder), path, digest)
    return DocumentIndex(path)


class DocumentIndex:
    """An index that is only read; several threads may use one, each gets a connection of its own.

    Args:
        path: a file that `build_index` wrote; it must not change while it is open.

    Raises:
        FileNotFoundError: there is none.
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
        """Closes the connections of all threads; the index opens new ones when it is used again."""
        with self._lock:
            opened, self._opened = self._opened, []
            self._local = threading.local()
        for connection in opened:
            connection.close()

    def search(self, query: str, k: int = 10, dense: DocumentRanking | None = None) -> list[Snippet]:
        """The documents that fit best, the best first; at most `k`.

        Args:
            query: free text; quotes, operators and the like are read as plain words or left out. A document needs one
                of its words; those that say nothing (`the`, `of`) count only where there are no others. Of Chinese every two
                characters that stand side by side are a word.
            k: how many at most.
            dense: another ranking of the same documents; both are fused by reciprocal ranks. It is not asked where the
                query holds a figure, since vectors hardly tell one date, price or train from another.
        """
        if k < 1:
            return []
        terms = terms_of(query)
        if dense is None or any(character.isdigit() for term in terms for character in term):
            return self._snippets(self._ranked(terms, k), terms)
        scores: Counter[int] = Counter()
        for ranking in (self._ranked(terms, _DEPTH), dense.ranked(query, _DEPTH)):
            for place, document in enumerate(ranking):
                # Whole numbers: sums of fractions in floating point would depend on their order.
                scores[document] += 10**12 // (RECIPROCAL_RANK + 1 + place)
        best = sorted(scores, key=lambda document: (-scores[document], document))[:k]
        return self._snippets(best, terms)

    def document(self, number: int) -> dict[str, Any] | None:
        """All that agents may see of a document, or None if there is none of this id."""
        if not 0 < number < 2**63:
            return None
        select = "select id, title, text, city, published, origin from documents where id = ?"
        row = self._connection().execute(select, (number,)).fetchone()
        if row is None:
            return None
        return _shown(dict(zip(("id", "title", "text", "city", "published", "origin"), row, strict=True)))

    def rows(self) -> list[dict[str, Any]]:
        """All documents, by id."""
        select = "select id, title, text, city, published, origin from documents order by id"
        names = ("id", "title", "text", "city", "published", "origin")
        return [_shown(dict(zip(names, row, strict=True))) for row in self._connection().execute(select)]

    def _connection(self) -> sqlite3.Connection:
        found: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if found is None:
            # Only `close` uses a connection of another thread.
            found = sqlite3.connect(self._uri, uri=True, check_same_thread=False)
            self._local.connection = found
            with self._lock:
                self._opened.append(found)
        return found

    def _ranked(self, terms: Sequence[str], k: int) -> list[int]:
        """The documents that fit best: by BM25, times the share of the query's terms that they have."""
        if not terms:
            return []
        connection = self._connection()
        select = (
            "select rowid, bm25(words, ?, ?, ?, ?) from words where words match ? order by 2, rowid limit ?"
        )
        weights = (TITLE_WEIGHT, TEXT_WEIGHT, CODE_WEIGHT, CITY_WEIGHT)
        scores: dict[int, float] = dict(
            connection.execute(select, (*weights, _match(terms), max(k, _POOL))).fetchall()
        )
        if len(terms) > 1:
            having: Counter[int] = Counter()
            among = ", ".join(map(str, scores))
            for term in terms:
                only = f"select rowid from words where words match ? and rowid in ({among})"  # noqa: S608 numbers
                having.update(row[0] for row in connection.execute(only, (_match([term]),)))
            scores = {document: score * having[document] for document, score in scores.items()}
        return sorted(scores, key=lambda document: (scores[document], document))[:k]

    def _snippets(self, documents: Sequence[int], terms: Sequence[str]) -> list[Snippet]:
        """Those documents, each with a part of its text."""
        connection = self._connection()
        marked: dict[int, str] = {}
        if terms:
            select = "select highlight(words, 1, ?, '') from words where words match ? and rowid = ?"
            for document in documents:
                row = connection.execute(select, (_HIT, _match(terms), document)).fetchone()
                if row is not None:
                    marked[document] = row[0]
        found = []
        for document in documents:
            title, text = connection.execute(
                "select title, text from documents where id = ?", (document,)
            ).fetchone()
            found.append(Snippet(document, _whole(title), excerpt(marked.get(document, text))))
        return found


def terms_of(query: str) -> list[str]:
    """The words of a query that count, each once, without those that say nothing unless there are no others."""
    dates = [code for found in _DATES.finditer(query) for code in _date_codes(found)[:1]]
    words = list(
        dict.fromkeys(word.lower() for word in _WORDS.findall(_DATES.sub(" ", query) if dates else query))
    )
    telling = [word for word in words if word not in _STOP_WORDS]
    terms = dict.fromkeys([*dates, *(term for word in telling for term in _pairs(word))])
    return (list(terms) or [term for word in words for term in _pairs(word, parted=False)])[:_MOST_TERMS]


def _date_codes(found: re.Match[str]) -> list[str]:
    """The codes of a date: with its year, if it has one, and without; none if it is no date."""
    said = {name[0]: value for name, value in found.groupdict().items() if value is not None}
    month, day = said.get("m", ""), int(said.get("d", 0))
    number = int(month) if month.isdecimal() else 1 + next(
        n for n, name in enumerate(_MONTHS) if name.startswith(month.lower()[:3])
    )  # fmt: skip
    if not (1 <= number <= 12 and 1 <= day <= 31):
        return []
    short = f"{number:02}{day:02}"
    return [f"day{said['y']}{short}", f"day{short}"] if "y" in said else [f"day{short}"]


def _pairs(word: str, *, parted: bool = True) -> list[str]:
    """Every two characters of a Chinese text that stand side by side; another word is itself.

    Args:
        word: a term.
        parted: the text is parted at words that say nothing.
    """
    if not _SIGN.match(word):
        return [word]
    runs = [run for run in _PARTICLES.split(word) if run] if parted else [word]
    return [pair for run in runs for pair in ([run[n : n + 2] for n in range(len(run) - 1)] or [run])]


def excerpt(marked: str, tokens: int = SNIPPET_TOKENS) -> str:
    """The part with the most different hits, on one line.

    Args:
        marked: a text with a mark before each hit.
        tokens: words of the part at most; each Chinese character is one.
    """
    pieces = [piece for piece in _PIECES.findall(marked) if piece]
    if pieces and not pieces[0].strip():
        pieces = pieces[1:]
    words, gaps = pieces[::2], pieces[1::2]
    gaps += [""] * (len(words) - len(gaps))
    if len(words) <= tokens:
        return _line(words, gaps)
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
    # The middle one of equally good parts in a row shows the text before and after the hits.
    start = starts[len(starts) // 2]
    part = _line(words[start : start + tokens], gaps[start : start + tokens])
    return f"{'... ' if start else ''}{part}{' ...' if start + tokens < len(words) else ''}"


def _line(words: Sequence[str], gaps: Sequence[str]) -> str:
    """Words with what stood between them, on one line, without the marks."""
    parts = [word + ("" if set(gap) <= {_BREAK} else " ") for word, gap in zip(words, gaps, strict=True)]
    return "".join(parts).strip().replace(_HIT, "")


def _match(terms: Sequence[str]) -> str:
    """The terms as an FTS5 query: quoted, so that none is an operator, and any of them suffices."""
    return " OR ".join(_quoted(one) for term in terms for one in (term, *OTHER_LANGUAGE.get(term, ())))


def _quoted(term: str) -> str:
    return f'"{" ".join(term) if _SIGN.match(term) else term}"'


def _indexed(row: Mapping[str, Any]) -> dict[str, Any]:
    title, text = _plain(row["title"]), _plain(row["text"])
    whole = f"{row['title']} {row['text']}"
    days = (code for found in _DATES.finditer(whole) for code in _date_codes(found))
    codes = " ".join(dict.fromkeys([*_CODES.findall(f"{title} {text}"), *days]))
    city = _parted(row["city"])
    return {**row, "title": title, "text": text, "city": city, "codes": codes}


def _plain(text: str) -> str:
    return _parted(text.replace(_HIT, " ").replace(_BREAK, " "))


def _parted(text: str) -> str:
    """The text as it is indexed."""
    return _BESIDE_SIGN.sub(_BREAK, text) if _SIGN.search(text) else text


def _whole(text: str) -> str:
    return text.replace(_BREAK, "")


def _shown(row: dict[str, Any]) -> dict[str, Any]:
    """A document as it was written."""
    return {name: _whole(cell) if isinstance(cell, str) else cell for name, cell in row.items()}


def _digest(path: Path) -> str | None:
    """The digest that an index keeps, or None if the file is no such index."""
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as opened:
            row = opened.execute("select digest from source").fetchone()
    except sqlite3.DatabaseError:
        return None
    return str(row[0]) if row else None
