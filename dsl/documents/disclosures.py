"""What an author says of facts: `hidden` keeps them from agents, and `tells` says that a query tells them."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping as MappingOf

from planspec.dsl.check.checker import Checker
from planspec.dsl.diagnostics.source import Span
from planspec.dsl.diagnostics.suggestions import did_you_mean, nearest_passage
from planspec.dsl.model.environment import HiddenName, Tell
from planspec.dsl.workspace.sections import texts, word_of
from planspec.dsl.yaml.reader import Mapping, Node, Scalar

TRUSTED = "trusted"


class Disclosures:
    """Gathers the facts that documents hide, and those that queries tell, on top of what others said.

    Args:
        checker: knows the names.
        hidden: what documents hide on which these stand.
        tells: what their queries tell.

    Attributes:
        hidden: the names, with their places.
        tells: what the queries so far tell.
    """

    def __init__(self, checker: Checker, hidden: MappingOf[HiddenName, Span], tells: Iterable[Tell]) -> None:
        self._names = checker.names
        self._report = checker.report
        self.hidden = dict(hidden)
        self.tells = list(tells)

    def hide(self, section: Node | None) -> None:
        """Take what a list `hidden` names."""
        for word in texts(section, "`hidden`", self._report):
            name = self._named_fact(word, "hide")
            if name is not None:
                self.hidden.setdefault(name, word.span)

    def tell(self, section: Node, query: str) -> None:
        """Take what a query tells: names with the words that say them, or names whose values stand in it."""
        if not isinstance(section, Mapping):
            for word in texts(section, "`tells`", self._report):
                name = self._named_fact(word, "tell")
                if name is not None:
                    self.tells.append(Tell(name, None, False, word.span))
            return
        for key, node in section.entries:
            said = word_of(node, f"`{key.text}`", self._report)
            name = None if said is None else self._named_fact(key, "tell")
            if name is None or said is None:
                continue
            trusted = said == TRUSTED
            if not trusted and _folded(said) not in _folded(query):
                near = nearest_passage(said, query)
                self._report.error(
                    "PS320", "the query does not say this", node.span, "no passage of the query",
                    help=f"it says `{near}`: quote that" if near else f"quote the words that say `{key.text}`, or say `trusted`",
                )  # fmt: skip
            self.tells.append(Tell(name, None if trusted else said, trusted, key.span))

    def _named_fact(self, word: Scalar, verb: str) -> HiddenName | None:
        """The table, column or given of a name; None after a report."""
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
            "PS201", f"there is nothing called `{word.text}` to {verb}", word.span, label,
            help=did_you_mean(word.text, options),
        )  # fmt: skip
        return None


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()
