"""Environments of agents: data shown to them (shows), tools, and settings that select from both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args

from planspec.dsl.diagnostics.source import Span
from planspec.dsl.model.tree import Binding, Clause, Expr, TextPart
from planspec.dsl.model.types import Table

# ------------------------------------------------------------------ trees of results


@dataclass(frozen=True, slots=True, eq=False)
class Leaf:
    """The value of an expression as JSON.

    Booleans and integers become JSON Booleans and numbers, *none* becomes null, a set or list becomes a list, a row its
    name, and any other value its text in the language. The form `key` turns a row into its key, and the form `amount`
    turns money into a number of main units.
    """

    expr: Expr
    form: Literal["value", "key", "amount"]
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class TextTree:
    """A string with placeholders."""

    parts: tuple[TextPart, ...]
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class CurrencyTree:
    """The world's currency as JSON; null if the world has none."""

    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class ShapeCall:
    """A call of a shape (a named result tree with parameters)."""

    shape: Shape
    args: tuple[Expr, ...]
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class ResultField:
    """A field of an object.

    Attributes:
        name: name of the field; `None` if the tree is a call of a shape, whose fields are inserted here.
        when: condition for the field's presence; `None` if it is always present.
    """

    name: str | None
    tree: ResultTree
    when: Expr | None
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class ObjectTree:
    """An object with its fields in order."""

    fields: tuple[ResultField, ...]
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class SortKey:
    """A sort key of a list. Strings are ordered by code point, rows by name, and *none* comes last."""

    expr: Expr
    descending: bool


@dataclass(frozen=True, slots=True, eq=False)
class Elements:
    """The elements of a list or a map.

    Attributes:
        binders: groups of clauses. If there are several groups, each binds the same single variable, and the
            elements are the distinct values from all groups in ascending order.
        sort: sort keys. Without sort keys, elements have the order of their tables.
        limit: maximum number of elements after sorting; `None` for all.
    """

    binders: tuple[tuple[Clause, ...], ...]
    targets: tuple[Binding, ...]
    sort: tuple[SortKey, ...]
    limit: int | None


@dataclass(frozen=True, slots=True, eq=False)
class ListTree:
    """A list with an item for each element.

    Attributes:
        empty: refusal of the call if the list is empty; `None` if an empty list is a valid result.
    """

    each: Elements
    item: ResultTree
    empty: Refusal | None
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class MapTree:
    """Nested objects, one level for each expression in `by`. The innermost fields hold the items.

    Attributes:
        each: variables, and the bindings for which there are items.
        empty: refusal of the call if there are no items; `None` if no items are a valid result.
    """

    each: Elements
    by: tuple[Expr, ...]
    item: ResultTree
    empty: Refusal | None
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class ConditionalTree:
    """Two trees; the condition `when` selects `then` or `otherwise`."""

    when: Expr
    then: ResultTree
    otherwise: ResultTree
    span: Span


ResultTree: TypeAlias = Leaf | TextTree | CurrencyTree | ShapeCall | ObjectTree | ListTree | MapTree | ConditionalTree


@dataclass(slots=True, eq=False)
class Shape:
    """A named result tree with parameters, which other trees call; `tree` is set once it is checked."""

    name: str
    params: tuple[Binding, ...]
    span: Span
    tree: ResultTree = field(init=False)


# ------------------------------------------------------------------ tools

RefusalMode: TypeAlias = Literal["none", "allowed", "conflicts"]
"""Whether agents may answer that there is no plan: no (`none`), yes (`allowed`), or with conflicting rules (`conflicts`).

With `conflicts`, agents get a list of the rules that they may name.
"""
REFUSAL_MODES: tuple[RefusalMode, ...] = get_args(RefusalMode)

RefusalCode: TypeAlias = Literal["not-found", "invalid-arguments", "upstream"]
REFUSAL_CODES: tuple[RefusalCode, ...] = ("not-found", "invalid-arguments", "upstream")


@dataclass(frozen=True, slots=True, eq=False)
class Refusal:
    """The refusal of a call: the code and the text that the agent gets.

    Attributes:
        when: condition for the refusal; `None` if the position in the tool implies it.
    """

    when: Expr | None
    code: RefusalCode
    say: tuple[TextPart, ...]
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Parameter:
    """A parameter of a tool; expressions refer to it as `arg.NAME`.

    Attributes:
        name: name in the call's JSON.
        binding: variable for its value in the tool's expressions; it is optional if the value may be *none*.
        present_binding: variable for the value in the keys `where` and `called`, in which it is never *none*.
        doc: description for agents.
        required: whether a call without the parameter is refused.
        default: value if a call leaves the parameter out.
        where: condition on the value. A value that does not satisfy it is refused as if it did not exist.
        name_expressions: expressions whose values name a row: strings, or other rows whose names are then used.
            If empty, the row's own key and name are used.
        noun: noun for the row in refusals.
        lists_names: whether the schema of the parameter lists the names of the rows.
        one_of: values by the word that agents use for them; empty if agents use the language's notation.
    """

    name: str
    binding: Binding
    present_binding: Binding
    doc: str
    required: bool
    default: Any
    where: Expr | None
    name_expressions: tuple[Expr, ...]
    noun: str
    lists_names: bool
    one_of: Mapping[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class DeclaredTool:
    """A tool with which agents query static tables.

    Attributes:
        refuse: refusals, checked in order before a result is computed.
    """

    name: str
    doc: str
    params: tuple[Parameter, ...]
    refuse: tuple[Refusal, ...]
    returns: ObjectTree
    span: Span


ShowFormat: TypeAlias = Literal["json", "csv", "text"]


@dataclass(frozen=True, slots=True, eq=False)
class Show:
    """A text that agents get together with the query.

    Attributes:
        whole: table that the show lists completely, except for hidden columns; `None` for other shows.
        clauses: clauses of the show, which has one text for each of their bindings.
        when: condition for the show; `None` if agents always see it.
    """

    name: str
    title: tuple[TextPart, ...]
    clauses: tuple[Clause, ...]
    when: Expr | None
    tree: ResultTree
    format: ShowFormat
    span: Span
    whole: Table | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Brief:
    """A named text for agents, which settings can include."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class DeclaredSetting:
    """A setting: the shows and tools that agents get for the task.

    Attributes:
        shows: names of the shows that agents see; `None` for all.
        tools: names of the tools that agents may call; `None` for all.
        calls: maximum number of calls in one attempt; `None` without a limit.
        brief: text for agents in addition to the query; empty if there is none.
        role: the agent's role in this setting; empty to use the environment's.
        refusals: whether agents may answer that there is no plan in this setting; `None` to use the environment's
            value.
    """

    name: str
    shows: tuple[str, ...] | None
    tools: tuple[str, ...] | None
    calls: int | None
    brief: str
    span: Span
    role: str = ""
    refusals: RefusalMode | None = None


@dataclass(frozen=True, slots=True)
class HiddenName:
    """A table, a column or a given that is hidden from agents.

    Attributes:
        name: name of the table or given.
        column: name of the column; `None` for a whole table or a given.
    """

    name: str
    column: str | None = None

    def __str__(self) -> str:
        return self.name if self.column is None else f"{self.name}.{self.column}"


@dataclass(frozen=True, slots=True, eq=False)
class Tell:
    """An author's claim that the query mentions a table, a column or a given.

    Attributes:
        passage: words of the query that mention it; `None` if the query contains the value or `trusted` is
            set.
        trusted: whether the author vouches for the claim, as for text in a picture.
    """

    name: HiddenName
    passage: str | None
    trusted: bool
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Environment:
    """The environment of a task: all declarations about what agents see.

    Attributes:
        briefs: texts that settings can include.
        tells: claims that the queries so far mention certain data.
        settings: settings by name. The first is the default unless `default` names another.
        role: the agent's role as text; empty if there is none.
        refusals: whether agents may answer that there is no plan.
    """

    hidden: Mapping[HiddenName, Span] = field(default_factory=dict)
    shapes: Mapping[str, Shape] = field(default_factory=dict)
    shows: Mapping[str, Show] = field(default_factory=dict)
    tools: Mapping[str, DeclaredTool] = field(default_factory=dict)
    briefs: Mapping[str, Brief] = field(default_factory=dict)
    settings: Mapping[str, DeclaredSetting] = field(default_factory=dict)
    default: str | None = None
    tells: tuple[Tell, ...] = ()
    role: str = ""
    refusals: RefusalMode = "none"

    def refusals_in(self, setting: str | None) -> RefusalMode:
        """Return whether agents may answer in a setting that there is no plan. `None` is the default setting."""
        name = setting or self.default or next(iter(self.settings), "")
        declared = self.settings.get(name)
        return self.refusals if declared is None or declared.refusals is None else declared.refusals

    def role_in(self, setting: DeclaredSetting) -> str:
        """Return the agent's role in a setting; empty if there is none."""
        return setting.role or self.role

    def shows_in(self, setting: DeclaredSetting) -> tuple[Show, ...]:
        """Return the shows (data that agents see) of a setting, in the order of their declaration."""
        return tuple(show for name, show in self.shows.items() if setting.shows is None or name in setting.shows)

    def tools_in(self, setting: DeclaredSetting) -> tuple[DeclaredTool, ...]:
        """Return the tools of a setting, in the order of their declaration."""
        return tuple(tool for name, tool in self.tools.items() if setting.tools is None or name in setting.tools)
