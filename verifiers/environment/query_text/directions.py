"""Warnings about queries that exchange the ends of a route: `from A to B` for a route from B to A."""

from __future__ import annotations

import re

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.model.types import RowType
from planspec.verifiers.environment.query_text.names import folded, value_names
from planspec.verifiers.environment.query_text.queries import Queries
from planspec.verifiers.environment.query_text.request_values import RequestValue, RequestValues

START = re.compile(r"(?:org|origin|start|from|depart)", re.IGNORECASE)
END = re.compile(r"(?:dest|target|to(?:_|$)|goal|arriv)", re.IGNORECASE)
"""Patterns of names of parameters that are the start (`START`) or the end (`END`) of a route."""
FROM = re.compile(r"(?:\b(?:from|vom|von|ab)(?: the| dem| der)? |从|由)$")
TO = re.compile(r"(?:\b(?:to|zum|zur|nach)(?: the| dem| der)? |到|去|至)$")


def report_exchanged_ends(queries: Queries, values: RequestValues, report: Report) -> None:
    """Warn of queries that exchange the ends of a route.

    Such a query has the start after the word `to`, or the end after `from`, in English, German or Chinese.
    """
    text = queries.folded
    for value in values.given:
        if not isinstance(value.type, RowType) or value.is_item or value.claim is not None:
            continue
        if sum(other.value is value.value for other in values.given) > 1:
            continue  # a round trip starts and ends at the same place
        own, other = (FROM, TO) if START.match(value.name.name) else (TO, FROM)
        if (own is FROM or END.match(value.name.name)) and _follows_word(value, text, other):
            report.warning(
                "PS442",
                f"the query has `{value.label}` at the other end of the way",
                value.span,
                "set here",
                help="mend the query, or exchange the givens",
            )


def _follows_word(value: RequestValue, text: str, word: re.Pattern[str]) -> bool:
    """Return whether every occurrence of a value's name in the text follows a given word, such as `from`."""
    starts = [m.start() for n in value_names(value.value, value.type) for m in re.finditer(re.escape(folded(n)), text)]
    before = [text[max(0, start - 20) : start] for start in starts]
    return bool(before) and all(map(word.search, before))
