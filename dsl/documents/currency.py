"""The currency of a set of documents."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from planspec.dsl.diagnostics.diagnostic import Label, Report
from planspec.dsl.structure.document import Document
from planspec.dsl.yaml.reader import Scalar


class Currency(NamedTuple):
    """The currency of a set of documents, or its absence.

    Attributes:
        name: three letters, such as `EUR`; `None` if no document declares one.
        is_consistent: whether the declarations are valid and agree.
    """

    name: str | None
    is_consistent: bool


def currency_of(documents: Iterable[Document], report: Report) -> Currency:
    """Return the currency that the documents declare."""
    declared: Scalar | None = None
    is_consistent = True
    for document in documents:
        node = document.sections.get("currency")
        if node is None:
            continue
        if not isinstance(node, Scalar) or len(node.text) != 3 or not (node.text.isascii() and node.text.isupper()):
            report.error("PS011", "a currency is three capital letters", node.span, "such as EUR")
            is_consistent = False
        elif declared is not None and declared.text != node.text:
            report.error(
                "PS314",
                "there is one currency",
                node.span,
                "another one",
                secondary=[Label(declared.span, "declared here")],
            )
            is_consistent = False
        else:
            declared = node
    return Currency(None if declared is None else declared.text, is_consistent)
