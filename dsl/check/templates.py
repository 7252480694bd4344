"""Parsing of templates, whose placeholders can choose a text by their value: `{n | one: # box | other: # boxes}`."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Literal

from planspec.dsl.check.checker import Checker, TypeEnv
from planspec.dsl.check.messages import Placeholder, checked_placeholder, split_message
from planspec.dsl.check.type_rules import type_with_article, without_factor
from planspec.dsl.diagnostics.source import Span
from planspec.dsl.diagnostics.suggestions import did_you_mean
from planspec.dsl.model.tree import Expr
from planspec.dsl.model.types import EnumType, ListType, ScalarType, SetType, Stage, Type
from planspec.dsl.model.wording import CATEGORIES, OTHER, Template, TemplatePlaceholder
from planspec.dsl.yaml.reader import Node, Scalar, decoded_position

BAR, COLON, QUOTES = "|", ":", "\"'"
NONE = "none"


class TemplateChecker:
    """Checks the templates of one language.

    Args:
        checker: checks the expressions.
        categories: plural categories of the language.
    """

    def __init__(self, checker: Checker, categories: Collection[str]) -> None:
        self._checker = checker
        self._categories = categories

    def template(self, node: Node, env: TypeEnv, *, specials: Collection[Literal["each", "count"]] = ()) -> Template:
        """Return the parts of a template.

        Args:
            node: the template.
            env: variables that the placeholders see.
            specials: placeholder names that stand for a value of the caller, not for an expression.
        """
        parts: list[str | TemplatePlaceholder] = []
        for part in split_message(node, self._checker.report):
            if isinstance(part, str):
                parts.append(part)
                continue
            placeholder = self._placeholder(part, env, specials)
            if placeholder is not None:
                parts.append(placeholder)
        return tuple(parts)

    def _placeholder(
        self, unparsed: Placeholder, env: TypeEnv, specials: Collection[Literal["each", "count"]]
    ) -> TemplatePlaceholder | None:
        node, report = unparsed.node, self._checker.report
        pieces = list(_pieces(node.text, unparsed.start, unparsed.end))
        (start, end), *options = pieces
        form: str | None = None
        choices: dict[str, str] = {}
        for first, last in options:
            key, colon, text = node.text[first:last].partition(COLON)
            key = key.strip()
            if not colon and (form is not None or choices or not key):
                help_text = "write `{expression | form}` or `{expression | one: text | other: text}`"
                report.error(
                    "PS107",
                    "this part of the placeholder has no colon",
                    _span(node, first, last),
                    "in this template",
                    help=help_text,
                )
                return None
            if colon:
                choices[key] = _unquoted(text.strip())
            else:
                form = key
        span = _span(node, unparsed.start, unparsed.end)
        name = node.text[start:end].strip()
        value: Expr | Literal["each", "count"] | None
        if name == "each" and "each" in specials:
            value = "each"
        elif name == "count" and "count" in specials:
            value = "count"
        else:
            value = checked_placeholder(self._checker, node, start, end, env)
            if value is None or self._checker.require_static(value, "a template").stage is not Stage.STATIC:
                return None
        placeholder = TemplatePlaceholder(value, form, choices, span)
        return placeholder if self._has_valid_choices(placeholder) else None

    def _has_valid_choices(self, placeholder: TemplatePlaceholder) -> bool:
        """Return whether each choice can occur and each value except *none* has a text; report the mistakes."""
        report, value, choices = self._checker.report, placeholder.value, placeholder.choices
        type_: Type = ScalarType.INT if isinstance(value, str) else value.type
        if not choices:
            if type_ is ScalarType.BOOL:
                report.error(
                    "PS330",
                    "true and false have no words of their own",
                    placeholder.span,
                    "a condition",
                    help="write `{... | true: ... | false: ...}`",
                )
            return type_ is not ScalarType.BOOL
        allowed = allowed_choices(type_, self._categories)
        for key in choices:
            if key not in (*allowed, NONE):
                kind = (
                    "no plural category of this language"
                    if key in CATEGORIES and is_counted(type_)
                    else "no value that this can have"
                )
                help_text = did_you_mean(key, [*allowed, NONE]) or f"it has {', '.join(allowed)}"
                report.error(
                    "PS330",
                    f"`{key}` is {kind}",
                    placeholder.span,
                    type_with_article(type_) if not isinstance(value, str) else "a number",
                    help=help_text,
                )
                return False
        complete = OTHER in choices or (
            len(allowed) > 1 and all(key in choices for key in allowed if key != OTHER) and not is_counted(type_)
        )
        if not complete:
            report.error(
                "PS330",
                "some values have no text here",
                placeholder.span,
                f"no text for `{OTHER}`",
                help=f"add `| {OTHER}: ...`; `#` stands for the value",
            )
        return complete


def is_counted(type_: Type) -> bool:
    """Return whether the plural category of a value depends on a number: its own, or the number of its items."""
    return isinstance(type_, SetType | ListType) or (
        isinstance(type_, ScalarType)
        and type_ not in (ScalarType.BOOL, ScalarType.TEXT, ScalarType.DATE, ScalarType.TIME, ScalarType.MOMENT)
    )


def allowed_choices(type_: Type, categories: Collection[str]) -> tuple[str, ...]:
    """Return the keys by which a value selects its text, such as `one` and `other` for a number; never `none`."""
    type_ = without_factor(type_)
    if type_ is ScalarType.BOOL:
        return ("true", "false", OTHER)
    if isinstance(type_, EnumType):
        return (*type_.members, OTHER)
    return tuple(categories) if is_counted(type_) else (OTHER,)


def _pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each part of a text between bars (`|`), ignoring bars in quotes."""
    quote, begin = "", start
    for at in range(start, end):
        char = text[at]
        if quote:
            quote = "" if char == quote else quote
        elif char in QUOTES and begin == start and text.find(char, at + 1, end) != -1:
            quote = char
        elif char == BAR:
            yield begin, at
            begin = at + 1
    yield begin, end


def _span(node: Scalar, start: int, end: int) -> Span:
    return Span(node.span.source, decoded_position(node, start), decoded_position(node, max(start, end - 1)) + 1)


def _unquoted(text: str) -> str:
    """Return a text without its quotes, which an author adds to keep blanks at the ends."""
    return text[1:-1] if len(text) > 1 and text[0] in QUOTES and text[0] == text[-1] else text
