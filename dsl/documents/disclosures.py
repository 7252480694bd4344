"""Disclosures: `hidden` names data that agents must not see, and `tells` names facts that the query mentions."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping as MappingOf

from planspec.dsl.check.checker import Checker
from planspec.dsl.diagnostics.source import Span
from planspec.dsl.diagnostics.suggestions import did_you_mean, nearest_passage
from planspec.dsl.model.environment import HiddenName, Tell
from planspec.dsl.structure.sections import texts, word_of
from planspec.dsl.yaml.reader import Mapping, Node, Scalar

TRUSTED = "trusted"


class DisclosureCollector:
    """Collects the data that documents hide, and the data that their queries mention.

    Args:
        checker: the checker, which holds the names.
        hidden: names that earlier documents hide.
        tells: facts that the queries of earlier documents mention.

    Attributes:
        hidden: hidden names with their spans, including names from earlier documents.
        tells: facts that the queries mention, including those of earlier documents.
    """

    def __init__(self, checker: Checker, hidden: MappingOf[HiddenName, Span], tells: Iterable[Tell]) -> None:
        self._names = checker.names
        self._report = checker.report
        self.hidden = dict(hidden)
        self.tells = list(tells)

    def add_hidden_names(self, section: Node | None) -> None:
        """Add the names under `hidden`."""
        for word in texts(section, "`hidden`", self._report):
            name = self._named_fact(word, "hide")
            if name is not None:
                self.hidden.setdefault(name, word.span)

    def add_claims(self, section: Node, query: str) -> None:
        """Add the facts that a query mentions according to the section `tells`.

        An entry is `name: passage of the query`, `name: trusted` (not checked), or only `name` if the query contains
        the value of the fact.
        """
        if not isinstance(section, Mapping):
            for word in texts(section, "`tells`", self._report):
                name = self._named_fact(word, "tell")
                if name is not None:
                    self.tells.append(Tell(name, None, False, word.span))
            return
        for key, node in section.entries:
            passage = word_of(node, f"`{key.text}`", self._report)
            name = None if passage is None else self._named_fact(key, "tell")
            if name is None or passage is None:
                continue
            trusted = passage == TRUSTED
            if not trusted and _casefolded(passage) not in _casefolded(query):
                near = nearest_passage(passage, query)
                self._report.error(
                    "PS320",
                    "the query does not say this",
                    node.span,
                    "no passage of the query",
                    help=f"it says `{near}`: quote that"
                    if near
                    else f"quote the words that say `{key.text}`, or say `trusted`",
                )
            self.tells.append(Tell(name, None if trusted else passage, trusted, key.span))

    def _named_fact(self, word: Scalar, verb: str) -> HiddenName | None:
        """Return the table, column or given that a word names; None if a mistake was reported."""
        names = self._names
        name, dot, column = word.text.partition(".")
        table = names.tables.get(name)
        if name in names.broken or (names.unsure and table is None and name not in names.givens):
            return None
        if table is not None and not table.plan and (not dot or column in table.columns):
            return HiddenName(name, column if dot else None)
        if name in names.givens and not dot:
            return HiddenName(name)
        static = [x for x in names.tables.values() if not x.plan]
        options = [
            *names.givens,
            *(x.name for x in static),
            *(f"{x.name}.{c}" for x in static for c in x.columns),
        ]
        label = "a table of the plan" if table is not None and table.plan else "no table, column or given"
        self._report.error(
            "PS201",
            f"there is nothing called `{word.text}` to {verb}",
            word.span,
            label,
            help=did_you_mean(word.text, options),
        )
        return None


def _casefolded(text: str) -> str:
    return " ".join(text.split()).casefold()
