"""Closing sentences of a document: who publishes it, how the publisher knows the facts, and when it is in force.

A closing expresses the content of an imprint (lines such as `Published by: ...`) in sentences:

    The operator filed this entry in the register of Wayfare. It holds from 3 September 2025 to 12 October 2025.

Closings, like imprints, are parsed from the text of the document.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cache

from planspec.dsl.resources.english_words import MONTHS
from planspec.families.veritrip.corpus.provenance import (
    Basis,
    CitedDocument,
    Language,
    Provenance,
    imprint,
    read_imprint,
)


@dataclass(frozen=True, slots=True)
class _Sentences:
    """Sentence templates in one language, with fields in braces.

    Attributes:
        bases: sentences on the publisher `p`, by the basis of its knowledge.
        since: sentences on the first day in force, `s`.
        until: sentences on the first and the last day in force, `s` and `u`.
        cited: sentences on the cited document: its title `t`, its publisher `q` and its day `d`.
        day: template of a date.
        between: text between two sentences.
    """

    bases: Mapping[Basis, Sequence[str]]
    since: Sequence[str]
    until: Sequence[str]
    cited: Sequence[str]
    day: str
    between: str


_SENTENCES: dict[Language, _Sentences] = {
    "en": _Sentences(
        {
            "operator": (
                "This is a notice of the operator, {p}.",
                "{p}, the operator, gives notice of this.",
                "So announced by the operator, {p}.",
                "A notice from {p}, who runs it all.",
            ),
            "register": (
                "From the register of {p}, as the operator filed it.",
                "{p} keeps the register in which the operator filed this.",
                "The operator filed this entry in the register of {p}.",
                "A register entry at {p}, filed by the operator.",
            ),
            "visit": (
                "{p} was there, and writes from that visit.",
                "Written by {p} after a visit.",
                "This is what {p} saw on a visit.",
                "Notes from a visit, by {p}.",
            ),
            "hearsay": (
                "{p} has this from hearsay.",
                "{p} only heard so from others.",
                "Told by others and passed on by {p}.",
                "All of it is hearsay, says {p}.",
            ),
            "unnamed": ("Posted by {p}.", "Put online by {p}.", "A page of {p}.", "Text: {p}."),
            "reprint": (
                "Reprinted by {p}.",
                "{p} reprints here what stood elsewhere.",
                "This is a reprint in {p}.",
                "{p} prints this again.",
            ),
        },
        ("In force from {s}.", "It holds from {s}.", "This applies from {s} on.", "Valid since {s}."),
        (
            "In force from {s} until {u}.",
            "It holds from {s} to {u}.",
            "This applies from {s} until {u}.",
            "Valid from {s} until {u}.",
        ),
        (
            "It first stood in “{t}” by {q}, {d}.",
            "The source is “{t}”, published by {q} on {d}.",
            "{q} published it first, as “{t}”, on {d}.",
            "Taken from “{t}” ({q}, {d}).",
        ),
        rf"(\d\d?) ({'|'.join(MONTHS)}) (\d{{4}})",
        " ",
    ),
    "zh": _Sentences(
        {
            "operator": (
                "本页为经营方{p}的公告。",
                "以上由经营方{p}公告。",
                "经营方{p}特此公告。",
                "公告：经营方{p}。",
            ),
            "register": (
                "以上为{p}的登记信息，由经营方申报。",
                "经营方向{p}申报并登记了以上内容。",
                "摘自{p}的登记，经营方申报。",
                "登记于{p}，由经营方申报。",
            ),
            "visit": (
                "以上是{p}的亲身经历。",
                "{p}亲身去过之后所写。",
                "{p}亲自走了一趟，写下这些。",
                "亲身经历，作者{p}。",
            ),
            "hearsay": ("以上是{p}听别人说的。", "{p}也是听说的。", "听说的，{p}转述。", "{p}说，这都是听来的。"),
            "unnamed": ("本页由{p}发布。", "发布：{p}。", "撰稿：{p}。", "由{p}发到网上。"),
            "reprint": ("本页由{p}转载。", "{p}转载了这一页。", "转载：{p}。", "此文由{p}再次刊出，属转载。"),
        },
        ("自{s}起有效。", "{s}起施行。", "有效期自{s}起。", "从{s}开始有效。"),
        ("自{s}起至{u}有效。", "{s}至{u}施行。", "有效期自{s}起至{u}止。", "从{s}到{u}有效。"),
        (
            "原文是《{t}》，{q}，{d}。",
            "最早由{q}于{d}以《{t}》为题发布。",
            "出自《{t}》（{q}，{d}）。",
            "原载《{t}》，由{q}于{d}发布。",
        ),
        r"(\d{4})年(\d\d?)月(\d\d?)日",
        "",
    ),
}
VARIANTS = 4
"""Number of alternative wordings of each sentence."""
DAYS = "sud"
"""Letters that name the fields with days: first and last day in force (`s`, `u`), day of the cited document (`d`)."""
NAME = r"[^\n]+?"
"""Pattern of the fields that are not days: names and titles."""


def closing(source: Provenance, language: Language, number: int) -> str:
    """Return the closing sentences of a document.

    Return an imprint (labelled lines) instead if every wording of the closing would be parsed back wrongly.

    Args:
        source: provenance of the document.
        language: language of the document.
        number: number by which one of the wordings is chosen.
    """
    for shift in range(VARIANTS):
        text = _write(source, language, number + shift)
        if read_provenance(f"\n\n{text}") == source:
            return text
    return imprint(source, language)


def read_provenance(text: str) -> Provenance | None:
    """Read the provenance at the end of a document, as an imprint or as sentences; return None if there is none."""
    labelled = read_imprint(text)
    if labelled is not None:
        return labelled
    _, _, last = text.rstrip().rpartition("\n\n")
    readings = (_read(last, language) for language in _SENTENCES)
    return next((reading for reading in readings if reading is not None), None)


def text_without_provenance(text: str) -> str:
    """Return the text of a document without its imprint or closing."""
    return text if read_provenance(text) is None else text.rstrip().rpartition("\n\n")[0]


def _write(source: Provenance, language: Language, number: int) -> str:
    words = _SENTENCES[language]
    sentences = [words.bases[source.basis][number % VARIANTS].format(p=source.publisher)]
    number //= VARIANTS
    if source.since is not None and source.until is not None:
        days = _day_text(source.since, language), _day_text(source.until, language)
        sentences.append(words.until[number % VARIANTS].format(s=days[0], u=days[1]))
    elif source.since is not None:
        sentences.append(words.since[number % VARIANTS].format(s=_day_text(source.since, language)))
    if source.cited is not None:
        cited, day = source.cited, _day_text(source.cited.published, language)
        sentences.append(words.cited[number % VARIANTS].format(t=cited.title, q=cited.publisher, d=day))
    return words.between.join(sentences)


def _day_text(day: date, language: Language) -> str:
    if language == "zh":
        return f"{day.year}年{day.month}月{day.day}日"
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def _read(text: str, language: Language) -> Provenance | None:
    between = _SENTENCES[language].between
    for basis, pattern in _basis_patterns(language):
        match = pattern.match(text)
        if match is not None:
            rest = _read_rest(text[match.end() :].removeprefix(between), Provenance(match["p"], basis), language)
            if rest is not None:
                return rest
    return None


def _read_rest(text: str, source: Provenance, language: Language) -> Provenance | None:
    """Read the days in force and the cited document from the sentences after the first.

    Return None if there is any other text.
    """
    force, cited = _further_patterns(language)
    for pattern in force:
        match = pattern.match(text)
        if match is not None:
            days = [_read_day(day, language) for day in match.groupdict().values()]
            if None in days:
                return None
            source = replace(source, since=days[0], until=days[1] if len(days) > 1 else None)
            text = text[match.end() :].removeprefix(_SENTENCES[language].between)
            break
    if not text:
        return source
    for pattern in cited:
        match = pattern.fullmatch(text)
        day = None if match is None else _read_day(match["d"], language)
        if match is not None and day is not None:
            return replace(source, cited=CitedDocument(match["t"], match["q"], day))
    return None


def _read_day(text: str, language: Language) -> date | None:
    match = re.fullmatch(_SENTENCES[language].day, text)
    assert match is not None
    first, month, last = match.groups()
    year, number, day = (first, month, last) if language == "zh" else (last, str(MONTHS.index(month) + 1), first)
    try:
        return date(int(year), int(number), int(day))
    except ValueError:
        return None


@cache
def _basis_patterns(language: Language) -> tuple[tuple[Basis, re.Pattern[str]], ...]:
    """Return patterns that recognise the basis in a first sentence.

    Patterns with fixed words at the start come first, since patterns with a name at the start match more texts.
    """
    bases = _SENTENCES[language].bases.items()
    sentences = [(sentence, basis) for basis, sentences in bases for sentence in sentences]
    sentences.sort(key=lambda pair: pair[0].startswith("{p}"))
    ending = r"(?= |$)" if language == "en" else ""
    return tuple((basis, re.compile(_pattern(sentence, language) + ending)) for sentence, basis in sentences)


@cache
def _further_patterns(language: Language) -> tuple[tuple[re.Pattern[str], ...], tuple[re.Pattern[str], ...]]:
    words = _SENTENCES[language]
    force, cited = (
        tuple(re.compile(_pattern(sentence, language)) for sentence in sentences)
        for sentences in ((*words.until, *words.since), words.cited)
    )
    return force, cited


def _pattern(sentence: str, language: Language) -> str:
    day = re.sub(r"\((?!\?)", "(?:", _SENTENCES[language].day)
    parts = re.split(r"\{(\w)\}", sentence)
    fields = [f"(?P<{name}>{day if name in DAYS else NAME})" for name in parts[1::2]]
    literals = [re.escape(part) for part in parts[::2]]
    return "".join(literal + field for literal, field in zip(literals, [*fields, ""], strict=True))
