"""Provenance of a document: its publisher, the basis of the publisher's knowledge, and the days in force.

Each document ends with its provenance, either in closing sentences (see `closing`) or as an imprint in its language:

    Published by: Museum of Science
    Basis: notice of the operator
    In force: from 2025-09-01

Imprints are parsed from the text, so that the rules in `trust` know no more than agents.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Literal, TypeAlias

Basis: TypeAlias = Literal["operator", "register", "visit", "hearsay", "unnamed", "reprint"]
"""Basis of a publisher's knowledge:

- `operator`: the publisher runs the place, train or flight;
- `register`: the publisher keeps a register of operators' filings;
- `visit`: the writer was there;
- `hearsay`: others told the writer;
- `unnamed`: no basis is named;
- `reprint`: the document repeats another document.
"""
Language: TypeAlias = Literal["en", "zh"]


@dataclass(frozen=True, slots=True)
class CitedDocument:
    """The document that a reprint repeats, as named in the reprint."""

    title: str
    publisher: str
    published: date


@dataclass(frozen=True, slots=True)
class Provenance:
    """The provenance of a document.

    Attributes:
        publisher: name of the publisher.
        basis: basis of its knowledge.
        since: first day in force; None if none is named.
        until: last day in force; None if there is no last day.
        cited: document that a reprint repeats; None for other documents.
    """

    publisher: str
    basis: Basis
    since: date | None = None
    until: date | None = None
    cited: CitedDocument | None = None

    def is_in_force(self, day: date) -> bool:
        """Return whether the document is in force on a day. A document without named days is always in force."""
        return (self.since is None or self.since <= day) and (self.until is None or day <= self.until)


@dataclass(frozen=True, slots=True)
class _ImprintWords:
    """Labels and values of an imprint in one language.

    Attributes:
        publisher: label of the publisher.
        basis: label of the basis of its knowledge.
        force: label of the days in force.
        title: label of the title of a reprinted document.
        cited: label of the publisher and the day of a reprinted document.
        bases: words for each basis.
        dates: function that writes the days in force.
        read_dates: pattern of the days in force.
        reference: function that writes publisher and day of a reprinted document.
        read_reference: pattern of publisher and day of a reprinted document.
    """

    publisher: str
    basis: str
    force: str
    title: str
    cited: str
    bases: dict[Basis, str]
    dates: Callable[[date, date | None], str]
    read_dates: re.Pattern[str]
    reference: Callable[[str, date], str]
    read_reference: re.Pattern[str]


_DAY = r"(\d{4}-\d\d-\d\d)"
_WORDS: dict[Language, _ImprintWords] = {
    "en": _ImprintWords(
        "Published by: ",
        "Basis: ",
        "In force: ",
        "Reprint of: ",
        "There published by: ",
        {
            "operator": "notice of the operator",
            "register": "register entry, filed by the operator",
            "visit": "visit of the writer",
            "hearsay": "hearsay",
            "unnamed": "not named",
            "reprint": "reprint",
        },
        lambda since, until: f"from {since}" + (f" until {until}" if until else ""),
        re.compile(rf"from {_DAY}(?: until {_DAY})?"),
        lambda publisher, published: f"{publisher}, {published}",
        re.compile(rf"(.*), {_DAY}"),
    ),
    "zh": _ImprintWords(
        "发布者：",
        "依据：",
        "有效期：",
        "转载自：",
        "原发布者：",
        {
            "operator": "经营方公告",
            "register": "登记信息，由经营方申报",
            "visit": "作者亲身经历",
            "hearsay": "听说",
            "unnamed": "未注明",
            "reprint": "转载",
        },
        lambda since, until: f"自 {since} 起" + (f"至 {until}" if until else ""),
        re.compile(rf"自 {_DAY} 起(?:至 {_DAY})?"),
        lambda publisher, published: f"{publisher}，{published}",
        re.compile(rf"(.*)，{_DAY}"),
    ),
}
_CHINESE = re.compile("[\u4e00-\u9fff]")
_MAX_CHARACTERS_PER_CHINESE = 20
"""Maximal ratio of all characters to Chinese characters in a text that counts as Chinese."""


def language_of(text: str) -> Language:
    """Detect the language of a text by its share of Chinese characters."""
    return "zh" if len(_CHINESE.findall(text)) * _MAX_CHARACTERS_PER_CHINESE > len(text) else "en"


def imprint(source: Provenance, language: Language) -> str:
    """Return the imprint of a document: labelled lines such as `Published by: Museum of Science`."""
    words = _WORDS[language]
    lines = [words.publisher + source.publisher, words.basis + words.bases[source.basis]]
    if source.since is not None:
        lines.append(words.force + words.dates(source.since, source.until))
    if source.cited is not None:
        lines += [
            words.title + source.cited.title,
            words.cited + words.reference(source.cited.publisher, source.cited.published),
        ]
    return "\n".join(lines)


def read_imprint(text: str) -> Provenance | None:
    """Parse the provenance at the end of a document; return None if there is no valid imprint."""
    _, _, last = text.rstrip().rpartition("\n\n")
    for words in _WORDS.values():
        if last.startswith(words.publisher):
            return _parse_imprint(last.split("\n"), words)
    return None


def _parse_imprint(lines: list[str], words: _ImprintWords) -> Provenance | None:
    fields: dict[str, str] = {}
    for line in lines:
        for label in (words.publisher, words.basis, words.force, words.title, words.cited):
            if line.startswith(label):
                fields[label] = line.removeprefix(label)
    basis = next((b for b, name in words.bases.items() if fields.get(words.basis) == name), None)
    if basis is None:
        return None
    since = until = None
    if (match := words.read_dates.fullmatch(fields.get(words.force, ""))) is not None:
        since, until = (None if part is None else date.fromisoformat(part) for part in match.groups())
    cited = None
    if (match := words.read_reference.fullmatch(fields.get(words.cited, ""))) is not None:
        cited = CitedDocument(fields.get(words.title, ""), match[1], date.fromisoformat(match[2]))
    return Provenance(fields[words.publisher], basis, since, until, cited)
