"""Definitions and constraints: their texts -> checked templates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping as MappingOf

from planspec.dsl import tree as t
from planspec.dsl.checker import Checker, Env, wrong
from planspec.dsl.declarations import Declarations
from planspec.dsl.diagnostics import Label, Report
from planspec.dsl.workspace import Document
from planspec.dsl.messages import message_parts
from planspec.dsl.names import Names, Pending, did_you_mean
from planspec.dsl.parsing import parse
from planspec.dsl.source import Span
from planspec.dsl.types import Scalar, Special
from planspec.dsl.yaml_hints import cut_hint
from planspec.dsl.yaml_source import Mapping, Node, Scalar as Word, expression_span

DEFINITION_KEYS = ("is", "kind", "message")
CONSTRAINT_KEYS = ("for", "when", "hard", "soft", "weight", "kind", "message", "margin")


class Rules:
    """Checks definitions on demand and constraints in order."""

    def __init__(self, names: Names, declarations: Declarations, report: Report) -> None:
        self.names = names
        self.declarations = declarations
        self.report = report
        self.checker = Checker(names, report, self._body)

    # -- definitions ------------------------------------------------------------------------------

    def declare_definitions(self, documents: Iterable[Document]) -> None:
        """Claim the names and parse the texts of all definitions."""
        for document in documents:
            section = document.sections.get("define")
            if not isinstance(section, Mapping):
                if isinstance(section, Word) and section.text or section is not None and not isinstance(section, Word):
                    self.report.error("PS011", "`define` is a mapping", section.span, "not a mapping")
                continue
            for key, node in section.entries:
                self._declare(key, node)

    def _declare(self, key: Word, node: Node) -> None:
        before = len(self.report.diagnostics)
        signature = parse("signature", key.span, self.report)
        if signature is None:
            self.report.diagnostics[before:] = []
            self.report.error(
                "PS106", f"`{key.text}` is no signature", key.span, "a name, or a name with parameters",
                help="write `dwell(v visits): ...`: each parameter is a name and its type",
            )  # fmt: skip
            return
        if not self.names.declare(signature.name, "a definition", key.span, self.report):
            return
        params = []
        for name, tree in signature.params or ():
            type_ = self.declarations.type_of(tree, lists=True)
            params.append(t.Binding(name.name, type_ or Special.WRONG, name.span, tree.optional))
        definition = t.Definition(signature.name, tuple(params), key.span)
        body_node: Node = node
        message: Word | None = None
        if isinstance(node, Mapping) and any(k.text == "is" for k, _ in node.entries):
            parts = _known(node, DEFINITION_KEYS, "a definition", self.report)
            body_node = parts["is"]
            kind = parts.get("kind")
            definition.kind = kind.text if isinstance(kind, Word) else None
            found = parts.get("message")
            message = found if isinstance(found, Word) else None
        tree = parse("expression", expression_span(body_node), self.report, cut_hint(key.span.source, body_node))
        self.names.definitions[signature.name] = Pending(definition, signature, tree, message)

    def check_definitions(self) -> None:
        """Check the bodies that nothing has needed yet."""
        used = set(self.names.used)
        for pending in self.names.definitions.values():
            self.checker.ensure(pending, pending.definition.span)
        self.names.used = used

    def _body(self, checker: Checker, pending: Pending) -> None:
        definition = pending.definition
        env: dict[str, t.Binding] = {}
        for param in definition.params:
            made = checker.binding(_Named(param.span, param.name), param.type, env, optional=param.optional)
            if made.name in env:
                continue
            env[param.name] = param
        if pending.body is None:
            definition.body = wrong(definition.span)
            return
        body = checker.expression(pending.body, env)
        if body.type is Special.UNIT_ZERO:
            from planspec.dsl.checker import retyped

            body = retyped(body, Scalar.INT)
        if body.type in (Special.NONE, Special.EMPTY):
            self.report.error("PS315", f"nothing says of which type `{definition.name}` is", body.span, str(body.type))
            body = wrong(body.span)
        definition.body = body
        if isinstance(pending.message, Word):
            definition.message = message_parts(checker, pending.message, _visible(env, body))
        if (definition.kind or definition.message) and body.type not in (Scalar.BOOL, Special.WRONG):
            self.report.error("PS304", f"`{definition.name}` is no condition", body.span, "only a predicate has a kind or a message")

    # -- constraints ------------------------------------------------------------------------------

    def constraints(self, documents: Iterable[Document]) -> list[t.Constraint]:
        """All constraints, those that the task takes `without` left out."""
        documents = list(documents)
        entries: dict[str, tuple[Document, Word, Node]] = {}
        for document in documents:
            section = document.sections.get("constraints")
            if section is None or isinstance(section, Word) and not section.text:
                continue
            if not isinstance(section, Mapping):
                self.report.error("PS011", "`constraints` is a mapping of ids", section.span, "not a mapping")
                continue
            for key, node in section.entries:
                if key.text in entries:
                    self.report.error(
                        "PS202", f"the constraint id `{key.text}` is taken", key.span, "again here",
                        secondary=[Label(entries[key.text][1].span, "first here")],
                    )  # fmt: skip
                    continue
                entries[key.text] = (document, key, node)
        dropped = self._dropped(documents, entries)
        made = []
        for name, (_, key, node) in entries.items():
            constraint = self._constraint(key, node)
            if constraint is not None and name not in dropped:
                made.append(constraint)
        return made

    def _dropped(self, documents: list[Document], entries: MappingOf[str, object]) -> set[str]:
        from planspec.dsl.workspace import texts

        dropped = set()
        for document in documents:
            for word in texts(document.sections.get("without"), "`without`", self.report):
                if word.text in entries:
                    dropped.add(word.text)
                else:
                    self.report.error(
                        "PS209", f"there is no constraint `{word.text}`", word.span, "in no used library",
                        help=did_you_mean(word.text, entries),
                    )  # fmt: skip
        return dropped

    def _constraint(self, key: Word, node: Node) -> t.Constraint | None:
        if not isinstance(node, Mapping):
            self.report.error("PS011", f"the constraint `{key.text}` is a mapping", node.span, "not a mapping", help="write `{hard: condition}`")
            return None
        parts = _known(node, CONSTRAINT_KEYS, "a constraint", self.report)
        levels = [k for k in ("hard", "soft") if k in parts]
        if len(levels) != 1:
            text = "is both hard and soft" if levels else "says neither `hard:` nor `soft:`"
            self.report.error("PS010", f"the constraint `{key.text}` {text}", key.span, "one of the two is needed")
            if not levels:
                return None
        clauses: tuple[t.Clause, ...] = ()
        env: Env = {}
        if "for" in parts:
            binder = parse("binder", expression_span(parts["for"]), self.report, cut_hint(key.span.source, parts["for"]))
            if binder is None:
                return None
            clauses, env = self.checker.clauses(binder.clauses, {}, static="`for:`")
        when = self._when(parts["when"], env) if "when" in parts else None
        body_node = parts[levels[0]]
        tree = parse("expression", expression_span(body_node), self.report, cut_hint(key.span.source, body_node))
        body = self.checker.condition(tree, env) if tree is not None else wrong(key.span)
        visible = _visible(env, body)
        message = None
        if isinstance(text := parts.get("message"), Word):
            message = message_parts(self.checker, text, visible)
        margin = None
        if "margin" in parts:
            margin_tree = parse("expression", expression_span(parts["margin"]), self.report)
            if margin_tree is not None:
                margin = self._margin(self.checker.expression(margin_tree, visible))
        kind = parts.get("kind")
        kind_text = kind.text if isinstance(kind, Word) else None
        if kind_text is None and isinstance(body, t.Apply):
            kind_text = body.definition.kind
        return t.Constraint(
            key.text, clauses, when, levels[0] == "hard", self._weight(parts, levels), body, kind_text, message, margin,
            expression_span(body_node),
        )  # fmt: skip

    def _when(self, node: Node, env: Env) -> t.Expr | None:
        tree = parse("expression", expression_span(node), self.report, cut_hint(node.span.source, node))
        return self.checker.static(self.checker.condition(tree, env), "`when:`") if tree is not None else None

    def _margin(self, made: t.Expr) -> t.Expr | None:
        if made.type is Special.WRONG:
            return None
        if made.type not in (Scalar.INT, Scalar.DECIMAL, Scalar.DURATION, Scalar.MONEY, Scalar.DISTANCE, Special.UNIT_ZERO):
            self.report.error("PS303", "a margin is a number with or without a unit", made.span, str(made.type))
            return None
        return made

    def _weight(self, parts: MappingOf[str, Node], levels: list[str]) -> int:
        node = parts.get("weight")
        if node is None:
            return 1
        if levels[0] == "hard":
            self.report.error("PS009", "only a soft constraint has a weight", node.span, "of a hard constraint")
        text = node.text if isinstance(node, Word) else ""
        if not text.isdecimal() or not 0 < int(text[:20]) <= 10**6:
            self.report.error("PS016", "a weight is a whole number from 1 to 1,000,000", node.span, "not one")
            return 1
        return int(text)


class _Named:
    """The part of a name node that `Checker.binding` reads."""

    def __init__(self, span: Span, name: str) -> None:
        self.span = span
        self.name = name


def _visible(env: Env, body: t.Expr) -> Env:
    """What a message sees: `env` and the variables of the body's outermost `all`."""
    if isinstance(body, t.Aggregate) and body.function == "all":
        return {**env, **{target.name: target for clause in body.clauses for target in clause.targets}}
    return env


def _known(node: Mapping, keys: tuple[str, ...], what: str, report: Report) -> dict[str, Node]:
    for key, _ in node.entries:
        if key.text not in keys:
            report.error(
                "PS009", f"{what} has no key `{key.text}`", key.span, "unknown key",
                help=did_you_mean(key.text, keys) or f"it may have {', '.join(keys)}",
            )  # fmt: skip
    return {key.text: value for key, value in node.entries}
