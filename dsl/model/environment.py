"""What agents see of a task: shows, tools and settings, as trees of results over static tables and arguments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from planspec.dsl.diagnostics.source import Span
from planspec.dsl.model.tree import Binding, Clause, Expr, TextPart
from planspec.dsl.model.types import Table

# ------------------------------------------------------------------ trees of results


@dataclass(frozen=True, slots=True, eq=False)
class Leaf:
    """The value of an expression as JSON.

    Truths and whole numbers are JSON's own, none is null, a set or list is a list, a row is its name, and all else is the
    language's text. Under `key` a row is its key, and a set of rows a list of keys; money under `amount` is a plain number of
    main units.
    """

    expr: Expr
    form: Literal["value", "key", "amount"]
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class TextTree:
    """A text with holes."""

    parts: tuple[TextPart, ...]
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class CurrencyTree:
    """The world's currency; null where there is no money."""

    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class ShapeCall:
    """A named tree with arguments."""

    shape: Shape
    args: tuple[Expr, ...]
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class ResultField:
    """A field of an object.

    Attributes:
        name: of the field; None where the tree is a shape whose fields take its place.
        when: the field is there only where this is true; None for always.
    """

    name: str | None
    tree: ResultTree
    when: Expr | None
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class ObjectTree:
    """An object, its fields in order."""

    fields: tuple[ResultField, ...]
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class SortKey:
    """What a list is sorted by: texts by code point, rows by their names, none last."""

    expr: Expr
    descending: bool


@dataclass(frozen=True, slots=True, eq=False)
class Each:
    """The elements that a list or a map is made of.

    Attributes:
        binders: of each the clauses. Of several, which bind one variable of one type each, the distinct values of all in
            ascending order.
        sort: by what the elements are sorted; in the order of their tables without.
        limit: the most that are taken, after sorting; None for all.
    """

    binders: tuple[tuple[Clause, ...], ...]
    targets: tuple[Binding, ...]
    sort: tuple[SortKey, ...]
    limit: int | None


@dataclass(frozen=True, slots=True, eq=False)
class ListTree:
    """A list: an item for each element.

    Attributes:
        empty: refuses the call where the list is empty.
    """

    each: Each
    item: ResultTree
    empty: Refusal | None
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class MapTree:
    """Objects in objects: the fields are called by the keys of each element, the item stands under the last."""

    each: Each
    by: tuple[Expr, ...]
    item: ResultTree
    empty: Refusal | None
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class ConditionalTree:
    """A tree where a condition is true, and another one where it is not."""

    when: Expr
    then: ResultTree
    otherwise: ResultTree
    span: Span


ResultTree: TypeAlias = (
    Leaf | TextTree | CurrencyTree | ShapeCall | ObjectTree | ListTree | MapTree | ConditionalTree
)


@dataclass(slots=True, eq=False)
class Shape:
    """A named tree with parameters; `tree` is set once it is checked."""

    name: str
    params: tuple[Binding, ...]
    span: Span
    tree: ResultTree = field(init=False)


# ------------------------------------------------------------------ tools

RefusalCode: TypeAlias = Literal["not-found", "invalid-arguments", "upstream"]
REFUSAL_CODES: tuple[RefusalCode, ...] = ("not-found", "invalid-arguments", "upstream")


@dataclass(frozen=True, slots=True, eq=False)
class Refusal:
    """An answer that is none: the code, and what is said.

    Attributes:
        when: it is refused where this is true; None where the place says it.
    """

    when: Expr | None
    code: RefusalCode
    say: tuple[TextPart, ...]
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Parameter:
    """A parameter of a tool; expressions read it as `arg.NAME`.

    Attributes:
        name: in the call's JSON.
        binding: the variable of its value in the tool's expressions. It is optional where the value may be none.
        seen: the variable of a value that is there, in `where` and `called`.
        doc: for agents.
        required: a call without it is refused.
        default: the value where it is left out.
        where: the condition on a value, which sees it alone: other rows are no rows to it.
        called: the texts by which a row is called, or the rows as which it is called; empty for its own key and name.
        noun: for what is named, in refusals.
        told: the rows' names stand in the schema.
        one_of: the words of the outside, each with the value that it means; empty where the language's own are taken.
    """

    name: str
    binding: Binding
    seen: Binding
    doc: str
    required: bool
    default: Any
    where: Expr | None
    called: tuple[Expr, ...]
    noun: str
    told: bool
    one_of: Mapping[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class DeclaredTool:
    """A tool over static tables.

    Attributes:
        refuse: looked at in order before there is a result.
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
    """Something that is given together with the query.

    Attributes:
        whole: the table that all of it is of; hidden columns are no part of it. None for others.
        clauses: there is one for each of their bindings.
        when: it is given only where this is true; None for always.
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
    """A text for agents that settings name."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class DeclaredSetting:
    """A way in which agents meet the task.

    Attributes:
        shows: the names of what is given; None for all.
        tools: the names of what may be called; None for all.
        calls: the most calls of one attempt; None without limit.
        brief: what is said to agents beside the query; empty where nothing is.
    """

    name: str
    shows: tuple[str, ...] | None
    tools: tuple[str, ...] | None
    calls: int | None
    brief: str
    span: Span


@dataclass(frozen=True, slots=True)
class HiddenName:
    """A table, a column of one, or a given that agents are never told.

    Attributes:
        name: of the table or given.
        column: None for all of it.
    """

    name: str
    column: str | None = None

    def __str__(self) -> str:
        return self.name if self.column is None else f"{self.name}.{self.column}"


@dataclass(frozen=True, slots=True, eq=False)
class Tell:
    """What a query tells: a table, a column or a parameter.

    Attributes:
        passage: the words of the query that say it; None where the value itself stands there.
        trusted: the author vouches that the query says it, such as in a picture of letters.
    """

    name: HiddenName
    passage: str | None
    trusted: bool
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Environment:
    """Everything that a task says of what agents see.

    Attributes:
        briefs: the texts of which settings make what they say.
        tells: what the queries so far tell.
        settings: by name; the first is the default unless `default` names another.
    """

    hidden: Mapping[HiddenName, Span] = field(default_factory=dict)
    shapes: Mapping[str, Shape] = field(default_factory=dict)
    shows: Mapping[str, Show] = field(default_factory=dict)
    tools: Mapping[str, DeclaredTool] = field(default_factory=dict)
    briefs: Mapping[str, Brief] = field(default_factory=dict)
    settings: Mapping[str, DeclaredSetting] = field(default_factory=dict)
    default: str | None = None
    tells: tuple[Tell, ...] = ()

    def shown(self, setting: DeclaredSetting) -> tuple[Show, ...]:
        """What a setting gives, in the order in which it is declared."""
        return tuple(
            show for name, show in self.shows.items() if setting.shows is None or name in setting.shows
        )

    def callable(self, setting: DeclaredSetting) -> tuple[DeclaredTool, ...]:
        """What may be called under a setting, in the order in which it is declared."""
        return tuple(
            tool for name, tool in self.tools.items() if setting.tools is None or name in setting.tools
        )
