"""Reader of statements on a user's documents, in the format of a generated corpus's `hidden.jsonl`."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from planspec.families.veritrip.corpus.fact_values import Fact
from planspec.families.veritrip.corpus.records import Statement
from planspec.families.veritrip.facts_check.evidence import FIELDS
from planspec.families.veritrip.own_corpus.mistakes import Mistakes
from planspec.families.veritrip.query import Text
from planspec.suite_writing.folder import SkippedLine
from planspec.suite_writing.lines import numbered_lines

CITED_FIELDS = frozenset(field for fields in FIELDS.values() for field in fields)
"""Fields whose citations are checked."""


class StatementLine(BaseModel):
    """A line with a statement of a document, or with the kind of a document. Kinds are ignored."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    document: int
    kind: Text | None = None
    subject: Text | None = None
    city: Text | None = None
    field: Text | None = None
    value: Text | None = None
    true: bool | None = Field(
        default=None, description="whether the value agrees with the fact base; computed if it is left out"
    )


def read_statements(
    path: Path, documents: Collection[int], truths: Mapping[Fact, Collection[str]], mistakes: Mistakes
) -> list[Statement]:
    """Read the statements on attractions from a file.

    Args:
        path: JSON lines with `document`, `subject`, `city`, `field` and `value`. `true` is optional.
        documents: ids of the documents.
        truths: true values of the fact base.
        mistakes: collects the mistakes.

    Raises:
        OSError: The file cannot be read.
    """

    def why_invalid(line: StatementLine) -> str | None:
        if line.kind is not None:
            return None
        missing = next((name for name in ("subject", "city", "field", "value") if getattr(line, name) is None), None)
        if missing is not None:
            return f"{missing}: it is missing"
        if line.document not in documents:
            return f"document: there is no document {line.document}"
        if line.field in CITED_FIELDS:
            return _why_not_canonical(line.field, line.value or "")
        return None

    statements = []
    for number, line in numbered_lines(path, StatementLine, why_invalid):
        if isinstance(line, SkippedLine):
            mistakes.add(path, number, line.reason)
            continue
        if line.kind is not None or line.field not in CITED_FIELDS:
            continue
        fact = line.subject or "", line.city or "", line.field or ""
        true = line.value in truths.get(fact, ()) if line.true is None else line.true
        statements.append(Statement(line.document, *fact, line.value or "", true))
    return statements


_ValueForm = Literal["number", "time", "days", "span", "truth"]
_VALUE_FORMS: dict[str, _ValueForm] = {
    "ticket": "number",
    "opens": "time",
    "closes": "time",
    "closed_on": "days",
    "visit": "span",
    "existence": "truth",
}


def _why_not_canonical(field: str | None, value: str) -> str | None:
    """Return why a value is not in canonical form, or None if it is.

    Citations agree only with canonical values.
    """
    match _VALUE_FORMS[field or ""]:
        case "number":
            return (
                None
                if value.isascii() and value.isdecimal()
                else "value: it must be a whole number, without a currency"
            )
        case "time":
            hours, colon, minutes = value.partition(":")
            fit = (
                colon
                and hours.isdecimal()
                and minutes.isdecimal()
                and len(minutes) == 2
                and int(hours) <= 24
                and int(minutes) < 60
            )
            return None if fit else "value: it must be a time such as 09:00"
        case "days":
            from planspec.dsl.resources.english_words import WEEKDAYS

            return (
                None
                if not value or set(value.split("|")) <= set(WEEKDAYS)
                else "value: it must be weekdays such as `Monday|Tuesday`, or empty"
            )
        case "span":
            least, _, most = value.partition("-")
            return None if least.isdecimal() and most.isdecimal() else "value: it must be minutes such as 60-90"
        case "truth":
            return None if value in ("true", "false") else "value: it must be `true` or `false`"
