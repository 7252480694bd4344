"""Checking of result trees: YAML templates of tool results and shown data, with expressions as leaves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Mapping as MappingOf
from typing import Literal

from planspec.dsl.check.checker import Checker, TypeEnv
from planspec.dsl.check.messages import message_parts
from planspec.dsl.check.type_rules import is_open, type_with_article, with_definite_type, with_type
from planspec.dsl.diagnostics.diagnostic import Label, Report
from planspec.dsl.diagnostics.source import Span
from planspec.dsl.diagnostics.suggestions import did_you_mean
from planspec.dsl.documents.expression_lists import listed_expressions
from planspec.dsl.documents.reach import report_planned
from planspec.dsl.documents.slices import parse_node
from planspec.dsl.model import tree as t
from planspec.dsl.model.environment import (
    REFUSAL_CODES,
    ConditionalTree,
    CurrencyTree,
    Elements,
    Leaf,
    ListTree,
    MapTree,
    ObjectTree,
    Refusal,
    RefusalCode,
    ResultField,
    ResultTree,
    Shape,
    ShapeCall,
    SortKey,
    TextTree,
)
from planspec.dsl.model.types import (
    ORDERED,
    EnumType,
    ListType,
    RowType,
    ScalarType,
    ScaledType,
    SetType,
    Special,
    Stage,
    Type,
)
from planspec.dsl.resources.limits import DEPTH
from planspec.dsl.structure import document_keys
from planspec.dsl.structure.sections import known_keys, word_of
from planspec.dsl.syntax import nodes as s
from planspec.dsl.syntax.parser import quoted_expression
from planspec.dsl.yaml.reader import Mapping, Node, Scalar, Sequence, expression_span

SPLICE = "+"
FORMS: MappingOf[str, Literal["key", "amount"]] = {"key": "key", "amount": "amount"}
"""Functions such as `key(hotel)`, allowed only as the outermost call of a leaf, and the form that they give to it."""
CURRENCY = "currency"


class ResultTreeChecker:
    """Checks the result trees of shows (data shown to agents), shapes (reusable trees) and tools.

    Args:
        checker: the checker of the document.
        shapes: shapes by name; the tree of a shape with a mistake is not set.
    """

    def __init__(self, checker: Checker, shapes: MappingOf[str, Shape]) -> None:
        self._checker = checker
        self._report: Report = checker.report
        self._shapes = shapes
        self._waiting: dict[Shape, Node] = {}
        self._checking: list[Shape] = []

    # ------------------------------------------------------------------ shapes

    def check_shapes(self, declared: Iterable[tuple[Shape, Node]]) -> None:
        """Check the trees of shapes in order of dependency."""
        self._waiting.update(declared)
        for shape in tuple(self._waiting):
            self._check_shape(shape)

    def _check_shape(self, shape: Shape) -> None:
        """Check the tree of a shape, unless it is already checked or being checked."""
        node = self._waiting.pop(shape, None)
        if node is None:
            return
        self._checking.append(shape)
        env: dict[str, t.Binding] = {}
        for param in shape.params:
            self._checker.new_variable(param.name, param.span, param.type, env, optional=param.optional)
            env[param.name] = param
        tree = self.tree(node, env)
        if tree is not None:
            shape.tree = tree
        self._checking.pop()

    # ------------------------------------------------------------------ trees

    def tree(self, node: Node, env: TypeEnv) -> ResultTree | None:
        """Check a result tree and return it; None if a mistake was reported."""
        if isinstance(node, Sequence):
            self._report.error(
                "PS011",
                "a result is an object or an expression, not a YAML list",
                node.span,
                "a list",
                help="of constants write a set in parentheses, as in `({1, 2})`; of other things `each: x in ...` with `as:`",
            )
            return None
        if isinstance(node, Scalar):
            return self._leaf_tree(node, env)
        if _is_part(node):
            return self._mapping_tree(node, env)
        return self.object(node, env)

    def object(self, node: Mapping, env: TypeEnv) -> ObjectTree | None:
        """Check an object. Return it with its own fields and those that shapes insert."""
        entries = node.entries
        if len(entries) == 1 and entries[0][0].text == "fields":  # under `fields:`, keywords are also field names
            inner = entries[0][1]
            if not isinstance(inner, Mapping):
                self._report.error("PS011", "`fields` must be a mapping", inner.span, "not a mapping")
                return None
            entries = inner.entries
        fields: list[ResultField] = []
        names: set[str] = set()
        sound = True
        for key, value in entries:
            if key.text == SPLICE:
                for field in self._spliced_fields(value, env):
                    sound &= self._new_names(field.tree, names, field.span)
                    fields.append(field)
                continue
            names.add(key.text)
            field_or_none = self._field(key, value, env)
            sound &= field_or_none is not None
            if field_or_none is not None:
                fields.append(field_or_none)
        return ObjectTree(tuple(fields), node.span) if sound else None

    def _field(self, key: Scalar, node: Node, env: TypeEnv) -> ResultField | None:
        """Check a field. A field with `when:` and without `else:` is left out if the condition is false."""
        if isinstance(node, Mapping) and _is_part(node):
            parts = known_keys(node, document_keys.RESULT, "a part of a result", self._report)
            if "when" in parts and "else" not in parts:
                when = self.condition(parts["when"], env)
                tree = self.part_tree(node.span, parts, env)
                return None if tree is None or when is None else ResultField(key.text, tree, when, key.span)
        tree = self.tree(node, env)
        return None if tree is None else ResultField(key.text, tree, None, key.span)

    def _spliced_fields(self, node: Node, env: TypeEnv) -> Iterator[ResultField]:
        """Yield the fields that calls of shapes insert: `a(x), b(y)`, or a YAML list of calls."""
        for listed in listed_expressions(node, self._report):
            tree = listed.tree
            if tree is None or not self._checker.is_shallow(tree):
                continue
            if isinstance(tree, s.CallOf) and tree.function.name in self._shapes:
                call = self._shape_call(tree, self._shapes[tree.function.name], env)
                if call is not None:
                    yield ResultField(None, call, None, listed.span)
                continue
            self._report.error(
                "PS011",
                "only the fields of a shape take the place of others",
                listed.span,
                "no call of a shape",
                help="write `+: shape(argument)`",
            )

    def _new_names(self, tree: ResultTree, names: set[str], span: Span) -> bool:
        """Add the field names of a shape to `names`. Return whether all were new, and report those that were not."""
        sound = True
        for name in field_names(tree):
            if name in names:
                self._report.error("PS003", f"the field `{name}` is repeated", span, "brings it again")
                sound = False
            names.add(name)
        return sound

    def _mapping_tree(self, node: Mapping, env: TypeEnv) -> ResultTree | None:
        parts = known_keys(node, document_keys.RESULT, "a part of a result", self._report)
        if "when" not in parts:
            if "else" in parts:
                self._report.error("PS010", "`else` stands behind a `when`", parts["else"].span, "without one")
            return self.part_tree(node.span, parts, env)
        when = self.condition(parts["when"], env)
        then = self.part_tree(node.span, parts, env)
        if "else" not in parts:
            self._report.error(
                "PS010",
                "only a field can be left out",
                parts["when"].span,
                "a `when` without `else`",
                help="say `else: none`, or what stands in its place",
            )
            return None
        otherwise = self.tree(parts["else"], env)
        if when is None or then is None or otherwise is None:
            return None
        return ConditionalTree(when, then, otherwise, node.span)

    def part_tree(self, span: Span, parts: MappingOf[str, Node], env: TypeEnv) -> ResultTree | None:
        """Return the tree of a mapping with exactly one of the keywords `each`, `text` and `make`."""
        makers = [name for name in ("each", "text", "make") if name in parts]
        if len(makers) != 1:
            self._report.error(
                "PS011" if makers else "PS010",
                "a part of a result says one of `each`, `text` and `make`",
                parts[makers[1]].span if makers else span,
                "one of them too many" if makers else "none of them",
                help=None if makers else "an object whose fields have names such as `when` stands under `fields:`",
            )
            return None
        if makers != ["each"]:
            for name in ("as", "by", "sort", "limit", "empty"):
                if name in parts:
                    self._report.error(
                        "PS009", f"`{name}` belongs to `each`", parts[name].span, f"beside `{makers[0]}`"
                    )
        match makers[0]:
            case "text":
                return TextTree(self.texts(parts["text"], env), span)
            case "make":
                return self.tree(parts["make"], env)
            case _:
                return self._elements_tree(span, parts, env)

    # ------------------------------------------------------------------ lists and maps

    def _elements_tree(self, span: Span, parts: MappingOf[str, Node], env: TypeEnv) -> ResultTree | None:
        binders, inner = self._binders(parts["each"], env)
        if not binders:
            for name in ("as", "sort", "by"):
                if name in parts:
                    self._only_syntax(parts[name])
            return None
        targets = tuple(target for clause in binders[0] for target in clause.targets)
        each = Elements(
            tuple(binders),
            targets,
            tuple(self._sort_keys(parts.get("sort"), inner)),
            self._checked_limit(parts.get("limit")),
        )
        if "as" not in parts:
            self._report.error(
                "PS010",
                "`each` makes nothing",
                parts["each"].span,
                "no `as`",
                help="write what each gives, such as `as: x.name` or `as: {id: key(x)}`",
            )
            return None
        item = self.tree(parts["as"], inner)
        empty = self.check_refusal(parts["empty"], env, conditional=False) if "empty" in parts else None
        by = tuple(self._keys(parts["by"], inner)) if "by" in parts else ()
        if item is None or ("by" in parts and not by):
            return None
        if by:
            return MapTree(each, by, item, empty, span)
        return ListTree(each, item, empty, span)

    def _binders(self, node: Node, env: TypeEnv) -> tuple[list[tuple[t.Clause, ...]], TypeEnv]:
        """Check the binders of `each`. Return their clauses, and the variables visible after them."""
        binders: list[tuple[t.Clause, ...]] = []
        inner: TypeEnv = env
        items = node.items if isinstance(node, Sequence) else (node,)
        for item in items:
            tree = parse_node("binder", item, self._report)
            if tree is None or not self._checker.is_shallow(tree):
                return [], env
            checked = self.clauses(tree, env)
            if checked is None:
                return [], env
            clauses, visible = checked
            if binders and not self._check_same_variable(binders[0], clauses, item):
                return [], env
            if (
                len(items) > 1
                and len(clauses) == 1
                and not binders
                and not self._check_ordered(clauses[0].targets[0].type, item.span)
            ):
                return [], env
            inner = inner if binders else visible
            binders.append(clauses)
        return binders, inner

    def clauses(self, tree: s.BinderTree, env: TypeEnv) -> tuple[tuple[t.Clause, ...], dict[str, t.Binding]] | None:
        """Return the static clauses of a binder and the variables visible after them; None if a mistake was reported."""
        clauses, visible = self._checker.clauses(tree.clauses, env)
        parts = [part for clause in clauses for part in _parts(clause)]
        for part in parts:
            report_planned(part, self._report)
        sound = all(part.type is not Special.WRONG and part.stage is Stage.STATIC for part in parts)
        return (clauses, visible) if sound else None

    def _check_same_variable(self, first: tuple[t.Clause, ...], other: tuple[t.Clause, ...], node: Node) -> bool:
        a, b = ([x for clause in clauses for x in clause.targets] for clauses in (first, other))
        if len(a) == len(b) == 1 and a[0].name == b[0].name and a[0].type == b[0].type:
            return True
        self._report.error(
            "PS307",
            "the binders of one `each` bind one variable of one type",
            node.span,
            "another variable or type",
            help="write `each: [d in days, d in trip]`",
        )
        return False

    def _sort_keys(self, node: Node | None, env: TypeEnv) -> Iterator[SortKey]:
        for listed in [] if node is None else listed_expressions(node, self._report):
            key = None if listed.tree is None else self._expression(listed.tree, env)
            if key is not None and self._check_ordered(key.type, listed.span):
                yield SortKey(key, listed.descending)

    def _check_ordered(self, type_: Type, span: Span) -> bool:
        if (
            type_ in ORDERED
            or type_ is ScalarType.BOOL
            or type_ is ScalarType.TEXT
            or isinstance(type_, RowType | EnumType)
        ):
            return True
        self._report.error("PS317", "lists are sorted by values that have an order", span, type_with_article(type_))
        return False

    def _keys(self, node: Node, env: TypeEnv) -> Iterator[t.Expr]:
        for listed in listed_expressions(node, self._report):
            key = None if listed.tree is None else self._expression(listed.tree, env)
            if key is None:
                continue
            if isinstance(key.type, SetType | ListType):
                self._report.error("PS303", "a field is called by one value", listed.span, type_with_article(key.type))
            else:
                yield key

    def _checked_limit(self, node: Node | None) -> int | None:
        text = word_of(node, "`limit`", self._report)
        if text is None or node is None:
            return None
        if text.isascii() and text.isdecimal() and 0 < int(text) < 10**9:
            return int(text)
        self._report.error("PS016", "`limit` is a whole number from 1", node.span, "no such number")
        return None

    # ------------------------------------------------------------------ leaves

    def _leaf_tree(self, node: Scalar, env: TypeEnv) -> ResultTree | None:
        if node.style == "plain" and not node.text:
            self._report.error(
                "PS010", "there is nothing here", node.span, "an expression is needed", help="null is `none`"
            )
            return None
        tree = parse_node("expression", node, self._report)
        if tree is None or not self._checker.is_shallow(tree):
            return None
        span = expression_span(node)
        if isinstance(tree, s.Text) and self._is_quoted_expression(span, env):
            self._report.error(
                "PS104",
                "a whole expression is in quotes",
                span,
                "this is a text",
                help='write it in parentheses, `(...)`, without the quotes; a text that reads so is written `("...")`',
            )
            return None
        if isinstance(tree, s.CallOf) and tree.function.name not in env:
            name = tree.function.name
            if name in self._shapes:
                return self._shape_call(tree, self._shapes[name], env)
            if name in FORMS and name not in self._checker.names.places:
                return self._formed_leaf(tree, FORMS[name], env)
        if isinstance(tree, s.Name) and tree.name == CURRENCY and not self._checker.is_resolvable(CURRENCY, env):
            return CurrencyTree(span)
        expr = self._expression(tree, env)
        return None if expr is None else Leaf(expr, "value", span)

    def _is_quoted_expression(self, span: Span, env: TypeEnv) -> bool:
        """Return whether a quoted string is a set, or an expression that mentions a visible name."""
        inner = quoted_expression(span)
        if inner is None or isinstance(inner, s.Braces):
            return inner is not None
        spaces = {name.partition(".")[0] for name in env}
        return any(name in spaces or self._checker.is_resolvable(name, env) for name in s.mentions(inner))

    def _formed_leaf(self, tree: s.CallOf, form: Literal["key", "amount"], env: TypeEnv) -> Leaf | None:
        if len(tree.args) != 1 or tree.keywords or isinstance(tree.args[0], s.Generator):
            self._report.error("PS208", f"`{form}` takes one value", tree.span, f"write `{form}(x)`")
            return None
        expr = self._expression(tree.args[0], env)
        if expr is None:
            return None
        if form == "amount" and expr.type is not ScalarType.MONEY:
            self._report.error(
                "PS303",
                f"`amount` is of money, not of {type_with_article(expr.type)}",
                expr.span,
                type_with_article(expr.type),
            )
            return None
        item = expr.type.item if isinstance(expr.type, SetType | ListType) else expr.type
        if form == "key" and not isinstance(item, RowType):
            self._report.error(
                "PS303",
                f"`key` is of a row, not of {type_with_article(expr.type)}",
                expr.span,
                type_with_article(expr.type),
            )
            return None
        return Leaf(expr, form, tree.span)

    def _shape_call(self, tree: s.CallOf, shape: Shape, env: TypeEnv) -> ShapeCall | None:
        if len(tree.args) != len(shape.params) or tree.keywords:
            takes = ", ".join(f"{p.name} {p.type}" for p in shape.params) or "nothing"
            self._report.error(
                "PS208",
                f"the shape `{shape.name}` takes {len(shape.params)} arguments: {takes}",
                tree.span,
                f"{len(tree.args)} given",
                secondary=[Label(shape.span, "declared here")],
            )
            return None
        args = []
        for arg, param in zip(tree.args, shape.params, strict=True):
            value = self._checker.checked_as(arg, env, param.type, f" for `{param.name}`")
            if value.type is Special.WRONG:
                return None
            report_planned(value, self._report)
            args.append(value)
        if len(self._checking) < DEPTH:
            self._check_shape(shape)
        if shape in self._checking:
            self._report.error(
                "PS206",
                f"the shape `{shape.name}` needs itself",
                tree.span,
                "used in its own definition",
            )
        elif shape in self._waiting:
            self._report.error("PS006", "shapes nest too deep", tree.span, f"more than {DEPTH} of them")
        if not hasattr(shape, "tree"):
            return None
        return ShapeCall(shape, tuple(args), tree.span)

    def _expression(self, tree: s.Tree, env: TypeEnv) -> t.Expr | None:
        """Check an expression that must be static and representable in JSON; None if a mistake was reported."""
        if not self._checker.is_shallow(tree):
            return None
        expr = with_definite_type(self._checker.expression(tree, env))
        if expr.type is Special.WRONG:
            return None
        if isinstance(expr.type, ScaledType):
            self._checker.report_inexact(expr, "a result")
            return None
        if is_open(expr.type) and expr.type is not Special.NONE:
            expr = with_type(expr, SetType(ScalarType.TEXT))
        report_planned(expr, self._report)
        return expr

    def condition(self, node: Node, env: TypeEnv) -> t.Expr | None:
        """Check a condition that must be static, and return it; None if a mistake was reported."""
        tree = parse_node("expression", node, self._report)
        if tree is None or not self._checker.is_shallow(tree):
            return None
        expr = self._checker.condition(tree, env)
        if expr.type is Special.WRONG:
            return None
        report_planned(expr, self._report)
        return expr

    def texts(self, node: Node, env: TypeEnv) -> tuple[t.TextPart, ...]:
        """Check a text with placeholders that must not depend on the plan, and return its parts."""
        parts = message_parts(self._checker, node, env)
        for part in parts:
            if not isinstance(part, str):
                report_planned(part, self._report)
        return parts

    # ------------------------------------------------------------------ refusals

    def check_refusal(self, node: Node, env: TypeEnv, *, conditional: bool) -> Refusal | None:
        """Check a tool's refusal, `{if: ..., code: ..., say: ...}`, and return it; None if a mistake was reported.

        Args:
            node: the refusal.
            env: the variables visible in it.
            conditional: whether `if` is required. If false, it is not allowed.
        """
        keys = document_keys.REFUSAL
        if not isinstance(node, Mapping):
            self._report.error(
                "PS011",
                "a refusal must be a mapping",
                node.span,
                "not a mapping",
                help="write `{code: not-found, say: ...}`",
            )
            return None
        parts = known_keys(node, keys if conditional else [k for k in keys if k != "if"], "a refusal", self._report)
        when = self.condition(parts["if"], env) if "if" in parts else None
        if conditional and "if" not in parts:
            self._report.error("PS010", "the refusal does not say when", node.span, "no `if`")
        code = word_of(parts.get("code"), "`code`", self._report) or "not-found"
        if code not in REFUSAL_CODES:
            self._report.error(
                "PS016",
                f"there is no code `{code}`",
                parts["code"].span,
                "unknown code",
                help=did_you_mean(code, REFUSAL_CODES) or f"it is one of {', '.join(REFUSAL_CODES)}",
            )
            return None
        if "say" not in parts:
            self._report.error("PS010", "the refusal does not say why", node.span, "no `say`")
            return None
        if conditional and when is None:
            return None
        refusal_code: RefusalCode = code
        return Refusal(when, refusal_code, self.texts(parts["say"], env), node.span)

    def _only_syntax(self, node: Node) -> None:
        """Report syntax errors in a node whose variables are unknown, so that it cannot be checked further."""
        if isinstance(node, Scalar):
            listed_expressions(node, self._report)


def _is_part(node: Mapping) -> bool:
    """Return whether a mapping has a keyword such as `each`, so that its keys are not field names."""
    return any(key.text in document_keys.RESULT for key, _ in node.entries)


def _parts(clause: t.Clause) -> Iterator[t.Expr]:
    yield clause.source
    if clause.condition is not None:
        yield clause.condition


def field_names(tree: ResultTree) -> Iterable[str]:
    """Yield the field names that an object may have; nothing for other trees."""
    match tree:
        case ObjectTree(fields=fields):
            for field in fields:
                if field.name is None:
                    yield from field_names(field.tree)
                else:
                    yield field.name
        case ShapeCall(shape=shape):
            yield from field_names(shape.tree)
        case ConditionalTree(then=then, otherwise=otherwise):
            yield from dict.fromkeys([*field_names(then), *field_names(otherwise)])
