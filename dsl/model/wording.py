"""Wordings: templates from which a task's request is written in a natural language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, TypeAlias

from planspec.dsl.diagnostics.source import Span
from planspec.dsl.model.tree import Clause, Expr

_CATEGORIES = {
    "zero one two few many other": "ar",
    "zero one other": "lv",
    "one two few many other": "ga",
    "one two few other": "sl",
    "one two other": "he",
    "one few many other": "cs lt pl ru sk uk",
    "one few other": "hr ro sr",
    "one many other": "ca es fr it pt",
    "one other": "bg bn da de el en et fa fi hi hu nb nl sv ta tr ur vi",
    "other": "id ja ko ms th zh",
}
PLURALS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    dict(sorted((code, tuple(names.split())) for names, codes in _CATEGORIES.items() for code in codes.split()))
)
"""Plural categories of each language, by its code. Source: Unicode CLDR, cardinal plural rules."""
CATEGORIES = ("zero", "one", "two", "few", "many", "other")
"""All plural categories of CLDR."""
WITHOUT_BLANKS = frozenset({"zh", "ja", "th"})
"""Languages that put no blank between sentences."""
DATE_STYLES = ("short", "medium", "long", "full", "day", "weekday")
"""Formats of dates: four of CLDR from short to full, the day with its month, and the day of the week."""
LIST_STYLES = ("and", "or")
STYLES = (*DATE_STYLES, *LIST_STYLES)
"""Names in `{value | name}` that choose a format of dates or lists. Other names choose a grammatical form of a word."""
OTHER = "other"
"""Key of the text for all values that have no text of their own."""

SectionName: TypeAlias = Literal["given", "tables", "rules"]


@dataclass(frozen=True, slots=True, eq=False)
class TemplatePlaceholder:
    """A placeholder of a template.

    Attributes:
        value: expression whose value is shown, "each" for the joined phrases of the rows, or "count" for the number
            of rows.
        form: name of a format of dates or lists, or of a grammatical form of a word; None for the default.
        choices: texts by plural category, enum member, Boolean or `none`. In them `#` stands for the value. Empty if
            the value itself is shown.
        span: location of the placeholder.
    """

    value: Expr | Literal["each", "count"]
    form: str | None
    choices: Mapping[str, str]
    span: Span


Template: TypeAlias = tuple[str | TemplatePlaceholder, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Phrase:
    """A phrase with its variants for plural categories, such as `one` and `other`.

    Attributes:
        forms: templates by plural category; always with one for `other`.
        span: location of the phrase.
    """

    forms: Mapping[str, Template]
    span: Span


Variants: TypeAlias = tuple[Phrase, ...]
"""Alternative phrases with the same meaning, one of which is chosen at random with a given seed."""


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Templates for the rows of a table, or for the instances of a constraint.

    Attributes:
        clauses: bindings of the rows; None for the instances of a constraint, or for an objective.
        each: the phrase for a row; empty if one sentence describes all rows.
        text: the sentence for all rows; empty if each row has a sentence of its own.
        join: style in which the phrases of the rows are joined.
        span: location of the group.
    """

    clauses: tuple[Clause, ...] | None
    each: Variants
    text: Variants
    join: str
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Wording:
    """The templates of a wording document.

    Attributes:
        language: language with or without a region, such as `de` or `pt-BR`.
        words: forms of words by type or table, by member or key, and by form; the default form has the name `""`.
        unsaid: ids of givens, tables, constraints and objectives that requests leave out on purpose.
        order: sections in the order of the document.
        span: location of the language in the document.
    """

    id: str
    language: str
    span: Span
    words: Mapping[str, Mapping[str, Mapping[str, str]]] = field(default_factory=dict)
    begin: Variants = ()
    end: Variants = ()
    given: Mapping[str, Variants] = field(default_factory=dict)
    tables: Mapping[str, Group] = field(default_factory=dict)
    rules: Mapping[str, Group] = field(default_factory=dict)
    unsaid: frozenset[str] = frozenset()
    order: tuple[SectionName, ...] = ()


def base_language(language: str) -> str:
    """Return a language without its region or script, in lower case."""
    return language.replace("_", "-").partition("-")[0].lower()
