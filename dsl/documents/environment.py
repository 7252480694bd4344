"""Checking of the section `environment`: shows (data shown to agents), tools, and settings that select from both."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from collections.abc import Mapping as MappingOf
from typing import TypeVar

from planspec.dsl.check.checker import Checker, TypeEnv
from planspec.dsl.diagnostics.diagnostic import Label, Report
from planspec.dsl.diagnostics.source import Span
from planspec.dsl.diagnostics.suggestions import did_you_mean
from planspec.dsl.documents.declarations import DeclarationCollector
from planspec.dsl.documents.disclosures import DisclosureCollector
from planspec.dsl.documents.result_trees import ResultTreeChecker
from planspec.dsl.documents.slices import parse_node
from planspec.dsl.documents.tool_parameters import ToolParameterChecker
from planspec.dsl.model import tree as t
from planspec.dsl.model.environment import (
    REFUSAL_MODES,
    Brief,
    DeclaredSetting,
    DeclaredTool,
    Elements,
    Environment,
    HiddenName,
    Leaf,
    ListTree,
    ObjectTree,
    Refusal,
    RefusalMode,
    ResultField,
    Shape,
    Show,
    ShowFormat,
)
from planspec.dsl.model.types import RowType, SetType, Special, Stage, Table, Type
from planspec.dsl.structure import document_keys
from planspec.dsl.structure.document import Document
from planspec.dsl.structure.document_keys import Keys
from planspec.dsl.structure.sections import flag_of, known_keys, texts, word_of
from planspec.dsl.syntax.parser import parse
from planspec.dsl.yaml.reader import Mapping, Node, Scalar, Sequence, expression_span

D = TypeVar("D", DeclaredTool, Show, Brief, DeclaredSetting)
ALL, NONE = "all", "none"
FORMATS: MappingOf[str, ShowFormat] = {"json": "json", "csv": "csv", "text": "text"}


class EnvironmentChecker:
    """Checks the sections `environment` of several documents, and adds them to those of earlier documents.

    Args:
        checker: the checker of the last document.
        declarations: resolves types.
        before: environment of the earlier documents.

    Attributes:
        changed: whether the later documents declare anything.
    """

    def __init__(self, checker: Checker, declarations: DeclarationCollector, before: Environment) -> None:
        self._checker = checker
        self._report: Report = checker.report
        self._declarations = declarations
        self._disclosures = DisclosureCollector(checker, before.hidden, before.tells)
        self._shapes = dict(before.shapes)
        self._shows = dict(before.shows)
        self._tools = dict(before.tools)
        self._briefs = dict(before.briefs)
        self._settings = dict(before.settings)
        self._default = before.default
        self._role = before.role
        self._refusals = before.refusals
        self._trees = ResultTreeChecker(checker, self._shapes)
        self._parameters = ToolParameterChecker(checker, declarations)
        self._named: list[tuple[Scalar, str]] = []
        self.changed = False

    @property
    def environment(self) -> Environment:
        """The environment, merged from the `environment` sections of all documents."""
        shows = {
            name: show if show.whole is None else whole_table_show(show.whole, show.span, self._disclosures.hidden)
            for name, show in self._shows.items()
        }
        return Environment(
            self._disclosures.hidden,
            self._shapes,
            shows,
            self._tools,
            self._briefs,
            self._settings,
            self._default,
            tuple(self._disclosures.tells),
            self._role,
            self._refusals,
        )

    def check(self, documents: Iterable[Document]) -> None:
        """Check the environments of further documents in order."""
        for document in documents:
            section = document.sections.get("environment")
            if section is not None and not (isinstance(section, Scalar) and not section.text):
                self.changed = True
                self._check_document(section)
            self.changed |= bool(document.shows)
            for shows in document.shows:  # one section for each turn so far
                self._check_shows(shows)
            tells = document.sections.get("tells")
            for node, query in document.tells or (((tells, document.sections.get("query")),) if tells else ()):
                self._disclosures.add_claims(node, query.text if isinstance(query, Scalar) else "")
        self._check_names()

    def _check_document(self, section: Node) -> None:
        if not isinstance(section, Mapping):
            self._report.error("PS011", "`environment` must be a mapping", section.span, "not a mapping")
            return
        parts = known_keys(section, document_keys.ENVIRONMENT, "an environment", self._report)
        if "role" in parts:
            self._role = self._role_text(parts["role"])
        self._refusals = self._refusal_mode(parts.get("refusals")) or self._refusals
        self._disclosures.add_hidden_names(parts.get("hidden"))
        if "shapes" in parts:
            self._check_shapes(parts["shapes"])
        if "shows" in parts:
            self._check_shows(parts["shows"])
        for key, node in self._entries(parts.get("tools"), "tools"):
            self._declare(self._tools, key, node, "tool", document_keys.TOOL, self._tool)
        for key, node in self._entries(parts.get("briefs"), "briefs"):
            text = word_of(node, f"the brief `{key.text}`", self._report)
            brief = None if text is None else Brief(text.strip(), key.span)
            self._store_declaration(self._briefs, key, brief, "brief", replaces=False)
        for key, node in self._entries(parts.get("settings"), "settings"):
            self._declare(self._settings, key, node, "setting", document_keys.SETTING, self._setting)
        default = parts.get("default")
        if isinstance(default, Scalar):
            self._default = default.text
            self._named.append((default, "setting"))

    def _entries(self, node: Node | None, what: str) -> Iterator[tuple[Scalar, Node]]:
        if node is None or (isinstance(node, Scalar) and not node.text):
            return
        if not isinstance(node, Mapping):
            self._report.error("PS011", f"`{what}` must be a mapping", node.span, "not a mapping")
            return
        yield from node.entries

    def _declare(
        self,
        declared: dict[str, D],
        key: Scalar,
        node: Node,
        what: str,
        keys: Keys,
        check: Callable[[Scalar, MappingOf[str, Node]], D | None],
    ) -> None:
        """Check and store a declaration in long form. Its name must be new, or it must have `replace`."""
        if key.text in (ALL, NONE):
            self._report.error("PS202", f"no {what} is called `{key.text}`", key.span, "a word of settings")
            return
        if not isinstance(node, Mapping):
            self._report.error("PS011", f"the {what} `{key.text}` must be a mapping", node.span, "not a mapping")
            return
        parts = known_keys(node, keys, f"a {what}", self._report)
        declaration = check(key, parts)
        self._store_declaration(
            declared,
            key,
            declaration,
            what,
            replaces=flag_of(parts.get("replace"), "`replace`", self._report),
        )

    def _store_declaration(
        self, declared: dict[str, D], key: Scalar, declaration: D | None, what: str, *, replaces: bool
    ) -> None:
        first = declared.get(key.text)
        if first is not None and not replaces:
            self._report.error(
                "PS202",
                f"the name of the {what} `{key.text}` is taken",
                key.span,
                "again here",
                secondary=[Label(first.span, "first here")],
                help="choose another name, or say `replace: true`",
            )
            return
        if first is None and replaces:
            self._report.error(
                "PS201",
                f"there is no {what} `{key.text}` to replace",
                key.span,
                "none before this one",
                help=did_you_mean(key.text, declared),
            )
        if declaration is not None:
            declared[key.text] = declaration

    # ------------------------------------------------------------------ shapes

    def _check_shapes(self, section: Node) -> None:
        """Declare all shapes of a section, then check them in order of dependency."""
        declared: list[tuple[Shape, Node]] = []
        for key, node in self._entries(section, "shapes"):
            shape = self._shape(key)
            if shape is not None:
                self._shapes[shape.name] = shape
                declared.append((shape, node))
        self._trees.check_shapes(declared)

    def _shape(self, key: Scalar) -> Shape | None:
        signature = parse("signature", expression_span(key), self._report)
        if signature is None:
            return None
        if signature.params is None:
            self._report.error(
                "PS106",
                f"the shape `{signature.name}` has no parameters",
                key.span,
                "a bare name",
                help=f"write `{signature.name}()`, or `{signature.name}(p Place)`",
            )
            return None
        first = self._shapes.get(signature.name)
        if first is not None or signature.name in self._checker.names.definitions:
            where = first.span if first is not None else self._checker.names.definitions[signature.name].definition.span
            self._report.error(
                "PS202",
                f"the name `{signature.name}` is taken",
                key.span,
                "again here",
                secondary=[Label(where, "first here")],
                help="choose another name",
            )
            return None
        params = tuple(
            t.Binding(name.name, self._declarations.type_of(tree, lists=True), name.span, tree.optional)
            for name, tree in signature.params
        )
        return Shape(signature.name, params, key.span)

    # ------------------------------------------------------------------ shows

    def _check_shows(self, section: Node) -> None:
        for key, node in self._entries(section, "shows"):
            if key.text in (ALL, NONE):
                self._report.error("PS202", f"no show is called `{key.text}`", key.span, "a word of settings")
            elif isinstance(node, Mapping):
                self._declare(self._shows, key, node, "show", document_keys.SHOW, self._show)
            elif isinstance(node, Scalar) and node.text == ALL:
                self._store_declaration(self._shows, key, self._whole_table(key), "show", replaces=False)
            else:
                self._store_declaration(self._shows, key, self._listed_givens(key, node), "show", replaces=False)

    def _whole_table(self, key: Scalar) -> Show | None:
        """Return the show `Room: all`: every row with every column that is not hidden."""
        table = self._checker.names.tables.get(key.text)
        if table is None or table.plan:
            if not self._checker.names.unsure and key.text not in self._checker.names.broken:
                static = [name for name, x in self._checker.names.tables.items() if not x.plan]
                self._report.error(
                    "PS201",
                    f"there is no table of facts `{key.text}`",
                    key.span,
                    "unknown table" if table is None else "a table of the plan",
                    help=did_you_mean(key.text, static),
                )
            return None
        return whole_table_show(table, key.span, {})

    def _listed_givens(self, key: Scalar, node: Node) -> Show | None:
        """Return the `Show` of an entry such as `givens: [trip, party]`, which lists values by name."""
        fields = []
        for word in texts(node, f"`{key.text}`", self._report):
            tree = self._trees.tree(word, {})
            if tree is not None:
                fields.append(ResultField(word.text, tree, None, word.span))
        if not fields:
            return None
        return Show(
            key.text,
            (default_title(key.text),),
            (),
            None,
            ObjectTree(tuple(fields), node.span),
            "json",
            key.span,
        )

    def _show(self, key: Scalar, parts: MappingOf[str, Node]) -> Show | None:
        env: TypeEnv = {}
        clauses: tuple[t.Clause, ...] = ()
        if "for" in parts:
            binder = parse_node("binder", parts["for"], self._report)
            if binder is None or not self._checker.is_shallow(binder):
                return None
            checked = self._trees.clauses(binder, {})
            if checked is None:
                return None
            clauses, env = checked
        when = self._trees.condition(parts["when"], env) if "when" in parts else None
        if "else" in parts:
            self._report.error("PS009", "a show without its `when` is not given", parts["else"].span, "an `else`")
        tree = self._trees.part_tree(
            key.span, {name: node for name, node in parts.items() if name not in ("when", "else")}, env
        )
        title = self._trees.texts(parts["title"], env) if "title" in parts else (default_title(key.text),)
        format_ = word_of(parts.get("format"), "`format`", self._report)
        if format_ is not None and format_ not in FORMATS:
            self._report.error(
                "PS016",
                f"there is no format `{format_}`",
                parts["format"].span,
                "unknown format",
                help=did_you_mean(format_, FORMATS) or "it is json, csv or text",
            )
            return None
        if tree is None or ("when" in parts and when is None):
            return None
        form = FORMATS[format_] if format_ is not None else "text" if "text" in parts else "json"
        if form == "csv" and not isinstance(tree, ListTree):
            self._report.error("PS011", "only a list can be CSV", parts["format"].span, "not made by `each`")
            return None
        return Show(key.text, title, clauses, when, tree, form, key.span)

    # ------------------------------------------------------------------ tools and settings

    def _tool(self, key: Scalar, parts: MappingOf[str, Node]) -> DeclaredTool | None:
        params, env = self._parameters.parameters(parts.get("params"))
        refusals: list[Refusal] = []
        refuse = parts.get("refuse")
        for node in refuse.items if isinstance(refuse, Sequence) else () if refuse is None else (refuse,):
            refusal = self._trees.check_refusal(node, env, conditional=True)
            if refusal is not None:
                refusals.append(refusal)
        doc = word_of(parts.get("doc"), "`doc`", self._report) or ""
        returns = parts.get("returns")
        if returns is None:
            self._report.error("PS010", f"the tool `{key.text}` returns nothing", key.span, "no `returns`")
            return None
        if not isinstance(returns, Mapping):
            self._report.error(
                "PS011",
                "a tool returns an object",
                returns.span,
                "not a mapping",
                help="give the value a name",
            )
            return None
        tree = self._trees.object(returns, env)
        return None if tree is None else DeclaredTool(key.text, doc, params, tuple(refusals), tree, key.span)

    def _setting(self, key: Scalar, parts: MappingOf[str, Node]) -> DeclaredSetting | None:
        calls = word_of(parts.get("calls"), "`calls`", self._report)
        if calls is not None and not (calls.isascii() and calls.isdecimal() and int(calls) < 10**9):
            self._report.error("PS016", "`calls` is a whole number", parts["calls"].span, "no such number")
            calls = None
        return DeclaredSetting(
            key.text,
            self._chosen_names(parts.get("shows"), "show"),
            self._chosen_names(parts.get("tools"), "tool"),
            None if calls is None else int(calls),
            self._brief(parts.get("brief")),
            key.span,
            self._role_text(parts.get("role")),
            self._refusal_mode(parts.get("refusals")),
        )

    def _refusal_mode(self, node: Node | None) -> RefusalMode | None:
        """Return the value of `refusals`; None if it is absent or invalid."""
        word = node.text if isinstance(node, Scalar) else ""
        mode = next((mode for mode in REFUSAL_MODES if mode == word), None)
        if node is not None and mode is None:
            help_text = did_you_mean(word, REFUSAL_MODES)
            self._report.error(
                "PS016", "`refusals` is `none`, `allowed` or `conflicts`", node.span, "none of them", help=help_text
            )
        return mode

    def _role_text(self, node: Node | None) -> str:
        return (word_of(node, "`role`", self._report) or "").strip()

    def _brief(self, node: Node | None) -> str:
        """Return the text for agents under `brief` of a setting: a text, or named texts joined by blank lines."""
        if node is None or isinstance(node, Scalar):
            return "" if node is None else node.text.strip()
        words = texts(node, "`brief`", self._report)
        self._named += [(word, "brief") for word in words]
        return "\n\n".join(self._briefs[word.text].text for word in words if word.text in self._briefs)

    def _chosen_names(self, node: Node | None, what: str) -> tuple[str, ...] | None:
        """Return the names under `shows` or `tools` of a setting; None for all (`all`, or without the key)."""
        if isinstance(node, Scalar) and node.text == ALL:
            return None
        if node is None:
            return None
        words = [] if isinstance(node, Scalar) and node.text == NONE else texts(node, f"`{what}s`", self._report)
        self._named += [(word, what) for word in words]
        return tuple(word.text for word in words)

    def _check_names(self) -> None:
        """Report names in settings that nothing declares."""
        declared: MappingOf[str, MappingOf[str, object]] = {
            "show": self._shows,
            "tool": self._tools,
            "brief": self._briefs,
            "setting": self._settings,
        }
        for word, what in self._named:
            if word.text not in declared[what] and not self._checker.names.unsure:
                self._report.error(
                    "PS201",
                    f"there is no {what} `{word.text}`",
                    word.span,
                    f"unknown {what}",
                    help=did_you_mean(word.text, declared[what]),
                )
        self._named.clear()


def whole_table_show(table: Table, span: Span, hidden: Container[HiddenName]) -> Show:
    """Return a show (data for agents) of a table's rows as CSV, without hidden columns. References become keys."""
    row = t.Binding("row", table.type, span)
    rows = t.AllRows(SetType(table.type), span, Stage.STATIC, False, table)
    variable = t.Var(table.type, span, Stage.STATIC, False, row)
    fields = tuple(
        ResultField(
            name,
            Leaf(
                t.FieldOf(column.type, span, Stage.STATIC, column.optional, variable, column),
                "key" if _holds_rows(column.type) else "value",
                span,
            ),
            None,
            span,
        )
        for name, column in table.columns.items()
        if column.type is not Special.WRONG and HiddenName(table.name, name) not in hidden
    )
    each = Elements(((t.Clause((row,), rows, None),),), (row,), (), None)
    tree = ListTree(each, ObjectTree(fields, span), None, span)
    return Show(table.name, (table.name,), (), None, tree, "csv", span, table)


def _holds_rows(type_: Type) -> bool:
    """Return whether values of the type are rows or sets of rows, which agents see as keys."""
    return isinstance(type_.item if isinstance(type_, SetType) else type_, RowType)


def default_title(name: str) -> str:
    """Return the default title of a show (data for agents): its name with blanks for underscores."""
    return name.replace("_", " ")
