"""Checking of definitions (named values and functions) in order of dependency."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from planspec.dsl.check.checker import Checker, TypeEnv
from planspec.dsl.check.messages import message_parts
from planspec.dsl.check.names import WORDS, Pending
from planspec.dsl.check.type_rules import is_open, mistake, type_with_article, with_definite_type
from planspec.dsl.diagnostics.diagnostic import Label, Report
from planspec.dsl.diagnostics.source import Span
from planspec.dsl.documents.declarations import DeclarationCollector
from planspec.dsl.documents.slices import parse_node
from planspec.dsl.model import tree as t
from planspec.dsl.model.intervals import outermost_intervals
from planspec.dsl.model.types import ScalarType, Special
from planspec.dsl.structure import document_keys
from planspec.dsl.structure.document import Document
from planspec.dsl.structure.sections import known_keys, word_of
from planspec.dsl.syntax import nodes as s
from planspec.dsl.syntax.parser import is_quoted_rule, parse
from planspec.dsl.yaml.reader import Mapping, Node, expression_span
from planspec.dsl.yaml.reader import Scalar as Word

LEADING_NAME = re.compile(r"\s*([^\W\d]\w*)")


class DefinitionChecker:
    """Checks the definitions of several documents in order of dependency, after all are declared."""

    def __init__(self, declarations: DeclarationCollector, checker: Checker, report: Report) -> None:
        self.declarations = declarations
        self.checker = checker
        self.names = checker.names
        self.report = report
        self._order: list[tuple[Pending, dict[str, t.Binding]]] = []

    def declare(self, documents: Iterable[Document]) -> None:
        """Declare the names of all definitions, and parse their texts."""
        for document in documents:
            section = document.sections.get("define")
            if section is None or (isinstance(section, Word) and not section.text):
                continue
            if not isinstance(section, Mapping):
                self.report.error(
                    "PS011",
                    "`define` must be a mapping",
                    section.span,
                    "not a mapping",
                    help="write `name: expression` in each line",
                )
                self.names.unsure = True
                continue
            for key, node in section.entries:
                self._declare(key, node)

    def _declare(self, key: Word, node: Node) -> None:
        signature = self._signature(key)
        body, kind, message = self._parts(key, node)
        if signature is None or not self.names.declare(signature.name, "a definition", key.span, self.report):
            return
        params = [
            t.Binding(name.name, self.declarations.type_of(tree, lists=True), name.span, tree.optional)
            for name, tree in signature.params or ()
        ]
        definition = t.Definition(signature.name, tuple(params), key.span)
        definition.kind = kind
        self.names.definitions[signature.name] = Pending(definition, signature, body, message)

    def _signature(self, key: Word) -> s.SignatureTree | None:
        own = Report()
        signature = parse("signature", expression_span(key), own)
        match = LEADING_NAME.match(key.text)
        if signature is None and match and match[1] in WORDS:
            self.names.declare(match[1], "a definition", key.span, self.report)
        elif signature is None:
            self.report.error(
                "PS106",
                f"`{key.text}` is no signature",
                key.span,
                own.diagnostics[0].primary.text,
                help="write `dwell(v visits): ...`: each parameter is a name and its type",
            )
            if match:
                self.names.broken.add(match[1])
        return signature

    def _parts(self, key: Word, node: Node) -> tuple[s.Tree | None, str | None, Node | None]:
        """Return the body, kind and message of a definition in its short or long form."""
        body, kind, message = node, None, None
        if isinstance(node, Mapping) and (
            not node.flow or any(k.text in document_keys.DEFINITION for k, _ in node.entries)
        ):
            parts = known_keys(node, document_keys.DEFINITION, "a definition", self.report)
            kind = word_of(parts.get("kind"), "a kind", self.report)
            message = parts.get("message")
            if "is" not in parts:
                if all(k.text in document_keys.DEFINITION for k, _ in node.entries):
                    self.report.error("PS010", f"the definition `{key.text}` has no `is`", key.span, "what is it?")
                return None, kind, message
            body = parts["is"]
        span = expression_span(body)
        if is_quoted_rule(span, texts_allowed=True):
            report_quoted_constraint(span, self.report)
            return None, kind, message
        tree = parse_node("expression", body, self.report)
        return tree, kind, message

    # -- checking ---------------------------------------------------------------------------------

    def check(self) -> None:
        """Check each body before its uses, and then the messages."""
        for pending in self.names.definitions.values():
            if not pending.checked:
                self._check_with_dependencies(pending)
        for pending, env in self._order:
            self._check_message(pending, env)

    def _check_with_dependencies(self, root: Pending) -> None:
        """Check a definition and its dependencies, without recursion."""
        stack: list[tuple[Pending, Iterator[tuple[str, Span]]]] = [(root, self._dependencies(root))]
        while stack:
            pending, needs = stack[-1]
            name, span = next(needs, ("", pending.definition.span))
            if not name:
                stack.pop()
                self._check_body(pending)
                continue
            other = self.names.definitions[name]
            if other.checked:
                continue
            if any(open_ is other for open_, _ in stack):
                self.report.error(
                    "PS206",
                    f"`{name}` needs itself",
                    span,
                    "used in its own definition",
                    secondary=[Label(other.definition.span, "defined here")],
                )
                other.definition.body = mistake(other.definition.span)
                other.checked = True
            else:
                stack.append((other, self._dependencies(other)))

    def _dependencies(self, pending: Pending) -> Iterator[tuple[str, Span]]:
        params = {param.name for param in pending.definition.params}
        mentioned = s.mentions(pending.body) if pending.body is not None else {}
        return iter([(n, at) for n, at in mentioned.items() if n in self.names.definitions and n not in params])

    def _check_body(self, pending: Pending) -> None:
        definition = pending.definition
        circular = pending.checked
        env: dict[str, t.Binding] = {}
        for param in definition.params:
            self.checker.new_variable(param.name, param.span, param.type, env, optional=param.optional)
            env.setdefault(param.name, param)
        body: t.Expr = mistake(definition.span)
        if pending.body is not None:
            pending.height = self.checker.height(pending.body)
            if self.checker.is_shallow(pending.body):
                body = with_definite_type(self.checker.expression(pending.body, env))
        if is_open(body.type):
            self.report.error(
                "PS315",
                f"the type of `{definition.name}` cannot be determined",
                body.span,
                type_with_article(body.type),
            )
            body = mistake(body.span)
        definition.body = mistake(definition.span) if circular else body
        pending.checked = True
        self._order.append((pending, env))

    def _check_message(self, pending: Pending, env: TypeEnv) -> None:
        definition = pending.definition
        body = definition.body
        if isinstance(pending.message, Node):
            seen = variables_of_message(env, body) if body.type is not Special.WRONG else None
            definition.message = message_parts(self.checker, pending.message, seen, body)
        if body.type is Special.WRONG:
            return
        if (definition.kind or pending.message) and body.type is not ScalarType.BOOL:
            self.report.error(
                "PS304",
                f"`{definition.name}` is no condition",
                body.span,
                "only a predicate has a kind or a message",
            )


def variables_of_message(env: TypeEnv, body: t.Expr) -> TypeEnv:
    """Return the variables of `env` and the variables of a constraint's body that its message may mention.

    The latter are the variables of an `all` or `all_different`, the rows of a `no_overlap`, and the moment of a
    compared `peak`. A variable of `env` hides one of the same name.
    """
    if isinstance(body, t.Aggregate) and body.function in ("all", "all_different"):
        return {**env, **{target.name: target for clause in body.clauses for target in clause.targets}}
    intervals = outermost_intervals(body)
    return env if intervals is None else {**{binding.name: binding for binding in intervals.shown}, **env}


def report_quoted_constraint(span: Span, report: Report) -> None:
    """Report a constraint that is a quoted string."""
    report.error(
        "PS104",
        "a whole constraint is in quotes",
        span,
        "this is a text, not a condition",
        help="take the quotes away; a condition with `: ` or ` #` in it goes into a block scalar (`>-`)",
    )
