"""The one currency of documents."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from planspec.dsl.diagnostics.diagnostic import Label, Report
from planspec.dsl.workspace.document import Document
from planspec.dsl.yaml.reader import Scalar


class Currency(NamedTuple):
    """A currency, if there is one.

    Attributes:
        name: its three letters; None where no document says one.
        known: no document says something else.
    """

    name: str | None
    known: bool


def currency_of(documents: Iterable[Document], report: Report) -> Currency:
    """The currency that the documents say."""
    said: Scalar | None = None
    known = True
    for document in documents:
        node = document.sections.get("currency")
        if node is None:
            continue
        if (
            not isinstance(node, Scalar)
            or len(node.text) != 3
            or not (node.text.isascii() and node.text.isupper())
        ):
            report.error("PS011", "a currency is three capital letters", node.span, "such as EUR")
            known = False
        elif said is not None and said.text != node.text:
            report.error(
                "PS314", "there is one currency", node.span, "another one",
                secondary=[Label(said.span, "said here")],
            )  # fmt: skip
            known = False
        else:
            said = node
    return Currency(None if said is None else said.text, known)
