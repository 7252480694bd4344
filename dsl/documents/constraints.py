"""Checking of constraints. A constraint is checked once for all its instances."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Mapping as MappingOf
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from planspec.dsl.check.checker import Checker, TypeEnv
from planspec.dsl.check.messages import message_parts
from planspec.dsl.check.type_rules import (
    NUMBERS,
    mistake,
    type_with_article,
    with_definite_type,
    without_factor,
)
from planspec.dsl.diagnostics.diagnostic import Label, Report
from planspec.dsl.diagnostics.suggestions import did_you_mean
from planspec.dsl.documents.definitions import report_quoted_constraint, variables_of_message
from planspec.dsl.documents.slices import parse_node
from planspec.dsl.model import tree as t
from planspec.dsl.model.types import ScalarType, Special
from planspec.dsl.structure import document_keys
from planspec.dsl.structure.document import Document
from planspec.dsl.structure.sections import flag_of, known_keys, texts, word_of
from planspec.dsl.syntax.parser import is_quoted_rule
from planspec.dsl.yaml.exotic_blanks import BLANK_AFTER_KEY, WAY_OUT, blank_name
from planspec.dsl.yaml.reader import Mapping, Node, expression_span
from planspec.dsl.yaml.reader import Scalar as Word


@dataclass(frozen=True, slots=True)
class DeclaredRule:
    """A declared constraint and its checked form.

    Attributes:
        key: id of the constraint.
        node: the YAML node of its declaration.
        checked: the checked constraint; `None` if it has a mistake or is not checked yet.
        own: whether a document that is being checked declares it, not one checked earlier.
    """

    key: Word
    node: Node
    checked: t.Constraint | None = None
    own: bool = True


class ConstraintChecker:
    """Checks the constraints of several documents, in order, and adds them to those of earlier documents.

    Attributes:
        declared: constraints by id, without revoked ones.
        dropped: ids of the constraints that a document removes (`without`).
    """

    def __init__(
        self,
        checker: Checker,
        report: Report,
        declared: MappingOf[str, DeclaredRule],
        dropped: AbstractSet[str],
    ) -> None:
        self.checker = checker
        self.report = report
        self.declared = dict(declared)
        self.dropped = set(dropped)

    def check(self, documents: Iterable[Document]) -> None:
        """Check the constraints of further documents."""
        documents = list(documents)
        for document in documents:
            self._revoke(document)
            section = document.sections.get("constraints")
            if section is None or (isinstance(section, Word) and not section.text):
                continue
            if not isinstance(section, Mapping):
                self.report.error("PS011", "`constraints` must be a mapping of ids", section.span, "not a mapping")
                self.checker.names.unsure = True
                continue
            for key, node in section.entries:
                if key.text in self.declared:
                    first = self.declared[key.text].key.span
                    apart = first.source is not key.span.source
                    self.report.error(
                        "PS202",
                        f"the constraint id `{key.text}` is taken",
                        key.span,
                        "again here",
                        secondary=[Label(first, "first here")],
                        help=f"choose another id{f'; `without: [{key.text}]` takes the first one out of a task' * apart}",
                    )
                    self._constraint(key, node)
                    continue
                self.declared[key.text] = DeclaredRule(key, node)
        self._drop_rules(documents)
        for name, rule in self.declared.items():
            if rule.own:
                self.declared[name] = replace(rule, checked=self._constraint(rule.key, rule.node))

    def in_force(self) -> Iterator[t.Constraint]:
        """Yield the constraints in force: all except those that a document removes."""
        for name, rule in self.declared.items():
            if rule.checked is not None and name not in self.dropped:
                yield rule.checked

    def own_in_force(self) -> Iterator[t.Constraint]:
        """Yield the constraints in force that are declared in the documents being checked."""
        return (rule for rule in self.in_force() if self.declared[rule.id].own)

    def _revoke(self, document: Document) -> None:
        """Remove the constraints of other documents that the document's turns revoke.

        The constraints that the document itself declares and revokes are not in its sections.
        """
        gone: dict[str, Word] = {}
        for word in document.revoked:
            if word.text in self.declared:
                gone[word.text] = word
                rule = self.declared.pop(word.text)
                if rule.own:
                    self._constraint(rule.key, rule.node)
            elif word.text in gone:
                self.report.error(
                    "PS209",
                    f"`{word.text}` is dropped already",
                    word.span,
                    "again here",
                    secondary=[Label(gone[word.text].span, "first here")],
                )
            elif not self.checker.names.unsure:
                own = document.sections.get("constraints")
                ids = [key.text for key, _ in own.entries] if isinstance(own, Mapping) else []
                self.report.error(
                    "PS209",
                    f"there is no constraint `{word.text}`",
                    word.span,
                    "none is in force at this turn",
                    help=did_you_mean(word.text, [*self.declared, *ids]),
                )

    def _drop_rules(self, documents: list[Document]) -> None:
        for document in documents:
            for word in texts(document.sections.get("without"), "`without`", self.report):
                if word.text in self.declared:
                    self.dropped.add(word.text)
                elif not self.checker.names.unsure:
                    self.report.error(
                        "PS209",
                        f"there is no constraint `{word.text}`",
                        word.span,
                        "in no used library",
                        help=did_you_mean(word.text, self.declared),
                    )

    def _constraint(self, key: Word, node: Node) -> t.Constraint | None:
        if not isinstance(node, Mapping):
            self.report.error(
                "PS011",
                f"the constraint `{key.text}` must be a mapping",
                node.span,
                "not a mapping",
                help=_blank_after_key_help(node) or "put the condition under `hard:` or `soft:`",
            )
            return None
        parts = known_keys(node, document_keys.CONSTRAINT, "a constraint", self.report)
        levels = [k for k in ("hard", "soft") if k in parts]
        if len(levels) > 1:
            at = next(k for k, _ in reversed(node.entries) if k.text in levels)
            self.report.error("PS011", f"the constraint `{key.text}` is both hard and soft", at.span, "one of the two")
        if not levels:
            if all(k.text in document_keys.CONSTRAINT for k, _ in node.entries):
                self.report.error(
                    "PS010",
                    f"the constraint `{key.text}` says neither `hard:` nor `soft:`",
                    key.span,
                    "one of the two is needed",
                )
            return None
        clauses: tuple[t.Clause, ...] = ()
        env: TypeEnv = {}
        if "for" in parts:
            binder = parse_node("binder", parts["for"], self.report)
            if binder is None or not self.checker.is_shallow(binder):
                self._only_syntax(parts, ("when", *levels))
                return None
            clauses, env = self.checker.clauses(binder.clauses, {}, static="`for:`")
        when = None
        if "when" in parts:
            way = f"put it into the constraint: `{levels[0]}: {expression_span(parts['when']).text[:60]} implies ...`"
            when = self.checker.require_static(self._condition(parts["when"], env), "`when:`", way)
        body_node = parts[levels[0]]
        body = self._condition(body_node, env)
        seen = variables_of_message(env, body)
        message = None
        if "message" in parts:
            message = message_parts(
                self.checker, parts["message"], seen if body.type is not Special.WRONG else None, body
            )
        kind = word_of(parts.get("kind"), "a kind", self.report)
        if kind is None and isinstance(body, t.Apply):
            kind = body.definition.kind
        return t.Constraint(
            key.text,
            clauses,
            when,
            levels[0] == "hard",
            self._checked_weight(parts, levels, env),
            body,
            kind,
            message,
            self._checked_margin(parts.get("margin"), seen),
            expression_span(body_node),
            self._checked_wording(parts.get("says"), env),
            self._is_background(parts.get("background"), levels[0]),
        )

    def _condition(self, node: Node, env: TypeEnv) -> t.Expr:
        """Return a constraint's condition. A quoted string is never a condition."""
        span = expression_span(node)
        if is_quoted_rule(span, texts_allowed=False):
            report_quoted_constraint(span, self.report)
            return mistake(span)
        tree = parse_node("expression", node, self.report)
        if tree is None or not self.checker.is_shallow(tree):
            return mistake(span)
        return self.checker.condition(tree, env)

    def _only_syntax(self, parts: MappingOf[str, Node], names: Iterable[str]) -> None:
        """Report syntax errors in parts whose variables are unknown, so that they cannot be checked further."""
        for node in (parts[name] for name in names if name in parts):
            parse_node("expression", node, self.report)
        if "message" in parts:
            message_parts(self.checker, parts["message"], None)

    def _checked_margin(self, node: Node | None, env: TypeEnv) -> t.Expr | None:
        tree = parse_node("expression", node, self.report) if node else None
        if tree is None or not self.checker.is_shallow(tree):
            return None
        margin = with_definite_type(self.checker.expression(tree, env))
        if margin.type is Special.WRONG:
            return None
        if without_factor(margin.type) not in NUMBERS:
            self.report.error(
                "PS303",
                "a margin is a number with or without a unit",
                margin.span,
                type_with_article(margin.type),
            )
            return None
        return margin

    def _checked_wording(self, node: Node | None, env: TypeEnv) -> tuple[t.TextPart, ...] | None:
        """Return the parts of the text under `says`, which must not depend on the plan; None if there is no text."""
        if node is None:
            return None
        parts = message_parts(self.checker, node, env)
        return tuple(p if isinstance(p, str) else self.checker.require_static(p, "`says:`") for p in parts)

    def _is_background(self, node: Node | None, level: str) -> bool:
        if node is None:
            return False
        if level == "soft":
            self.report.error("PS009", "only a hard constraint is in the background", node.span, "of a soft constraint")
        return flag_of(node, "`background`", self.report)

    def _checked_weight(self, parts: MappingOf[str, Node], levels: Sequence[str], env: TypeEnv) -> t.Expr | None:
        node = parts.get("weight")
        if node is None:
            return None
        if levels[0] == "hard":
            self.report.error("PS009", "only a soft constraint has a weight", node.span, "of a hard constraint")
        tree = parse_node("expression", node, self.report)
        if tree is None or not self.checker.is_shallow(tree):
            return None
        return self.checker.require_static(
            self.checker.checked_as(tree, env, ScalarType.INT, " as a weight"), "a weight"
        )


def _blank_after_key_help(node: Node) -> str | None:
    """Return help if an unusual blank, such as a no-break space, separates a key from its value; otherwise None."""
    match = BLANK_AFTER_KEY.match(node.text) if isinstance(node, Word) else None
    return None if match is None else f"behind the colon stands {blank_name(match[1][0])}: {WAY_OUT}"
