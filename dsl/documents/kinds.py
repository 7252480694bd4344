"""Kinds of constraints. If a document lists kinds, every constraint's kind must be in the list."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from planspec.dsl.diagnostics.diagnostic import Label, Report
from planspec.dsl.diagnostics.suggestions import did_you_mean
from planspec.dsl.structure.document import Document
from planspec.dsl.structure.sections import texts
from planspec.dsl.yaml.reader import Mapping, Scalar


def listed_kinds(documents: Iterable[Document], report: Report) -> dict[str, Scalar]:
    """Return the kinds that the documents list, in the order of reports."""
    kinds: dict[str, Scalar] = {}
    for document in documents:
        for word in texts(document.sections.get("kinds"), "`kinds`", report):
            kinds.setdefault(word.text, word)
    return kinds


def check_kinds(documents: Iterable[Document], listed: dict[str, Scalar], report: Report) -> None:
    """Report each kind that is not in `listed`. If `listed` is empty, every kind is valid."""
    if not listed:
        return
    for word in _used_kinds(documents):
        if word.text and word.text not in listed:
            report.error(
                "PS214",
                f"there is no kind `{word.text}`",
                word.span,
                "not among `kinds`",
                secondary=[Label(next(iter(listed.values())).span, "the kinds are listed here")],
                help=did_you_mean(word.text, listed) or "add it to the document's own `kinds:`",
            )


def _used_kinds(documents: Iterable[Document]) -> Iterator[Scalar]:
    for document in documents:
        for name in ("define", "constraints"):
            section = document.sections.get(name)
            for _, entry in section.entries if isinstance(section, Mapping) else ():
                for key, value in entry.entries if isinstance(entry, Mapping) else ():
                    if key.text == "kind" and isinstance(value, Scalar):
                        yield value
