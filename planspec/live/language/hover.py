"""Hovers: type, unit, stage, value and comment of the name or expression at a position."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import assert_never

from planspec.dsl.check.builtins import BUILTINS
from planspec.dsl.diagnostics.diagnostic import DiagnosticError
from planspec.dsl.diagnostics.source import Source, Span
from planspec.dsl.model import tree as t
from planspec.dsl.model.rows import Row
from planspec.dsl.model.traversal import free_variables
from planspec.dsl.model.types import RowType, ScalarType, Special, Stage, Table, Type
from planspec.dsl.model.value_text import show
from planspec.dsl.yaml.reader import Scalar
from planspec.live.language.analysis import Analysis, path_to
from planspec.live.language.editor import EditorState, OpenDocument
from planspec.live.language.places import document_part
from planspec.live.language.positions import offset_of, range_of
from planspec.live.language.recording import ExpressionCheck
from planspec.live.language.shapes import Json, Position, markdown
from planspec.live.language.symbols import Occurrence, Symbol
from planspec.verifiers.meaning.interpret import Interpreter
from planspec.verifiers.meaning.meter import Meter

MAX_STEPS = 200_000
"""Maximum number of evaluation steps to compute a value for a hover."""
MAX_LENGTH = 300
"""Maximum number of characters of a value or expression in a hover."""
UNITS = {ScalarType.DURATION: "counted in minutes", ScalarType.DISTANCE: "counted in metres"}
COMMENT = re.compile(r"[ \t]*#[ \t]?(.*)")


def hover(editor: EditorState, document: OpenDocument, position: Position) -> Json | None:
    """Return the hover at a position, or None if there is nothing to show."""
    analysis = editor.analysis(document, position)
    if analysis is None:
        return None
    offset = offset_of(analysis.source, position)
    occurrence = analysis.occurrence_at(offset)
    if occurrence is not None:
        check = analysis.find_check(offset)
        lines = list(_symbol_lines(editor, analysis, occurrence, check))
        return _hover_json(lines, occurrence.span) if lines else None
    key_hover = _key_hover(analysis, offset)
    if key_hover is not None:
        return key_hover
    check = analysis.find_check(offset)
    if check is None or check.checked.type is Special.WRONG:
        return None
    return _hover_json(list(_expression_lines(analysis, check, check.span.text)), check.span)


def _hover_json(lines: list[str], span: Span) -> Json:
    return {"contents": markdown("\n\n".join(lines)), "range": range_of(span)}


def _code_block(text: str) -> str:
    return f"```planspec\n{text}\n```"


def type_text(type_: Type, *, optional: bool = False) -> str:
    """Return a type in the language's syntax."""
    return f"{type_}?" if optional and type_ is not ScalarType.BOOL else str(type_)


def _expression_lines(analysis: Analysis, check: ExpressionCheck, text: str) -> Iterator[str]:
    checked = check.checked
    one_line = " ".join(text.split())
    shown = one_line if len(one_line) <= 60 else f"{one_line[:57]}..."
    yield _code_block(f"{shown}: {type_text(checked.type, optional=checked.partial)}")
    yield from _property_line(analysis, checked)


def _property_line(analysis: Analysis, checked: t.Expr) -> Iterator[str]:
    """Yield one line with the stage, unit and value of an expression, or no line if it has none of these."""
    value = value_text(analysis, checked)
    words = [
        "of the plan" if checked.stage is Stage.PLANNED else "static",
        *unit_texts(analysis, checked.type),
    ]
    yield " · ".join(words) + ("" if value is None else f" · `{value}`")


def unit_texts(analysis: Analysis, type_: Type) -> Iterator[str]:
    """Yield the description of a type's unit, if the type has one."""
    if type_ is ScalarType.MONEY and analysis.names.currency is not None:
        yield f"in {analysis.names.currency}"
    elif isinstance(type_, ScalarType) and type_ in UNITS:
        yield UNITS[type_]


def value_text(analysis: Analysis, checked: t.Expr) -> str | None:
    """Return the value of a static expression as text.

    Return None if the expression contains variables, or if its value is unknown or takes too long to compute.
    """
    task = analysis.task
    if task is None or checked.stage is not Stage.STATIC or free_variables(checked):
        return None
    if isinstance(checked, t.AllRows | t.AllMembers | t.RowNamed):
        return None
    try:
        value = Interpreter(task, meter=Meter(MAX_STEPS, static=True)).value(checked, {})
    except DiagnosticError:
        return None
    return format_value(value, checked.type, analysis)


def format_value(value: object, type_: Type, analysis: Analysis) -> str:
    """Return a value in the language's syntax, shortened if it is long."""
    if value is None:
        return "none"
    text = show(value, type_, analysis.names.currency)
    return text if len(text) <= MAX_LENGTH else f"{text[:MAX_LENGTH]}..."


# -- symbols ------------------------------------------------------------------------------------------------


def _symbol_lines(
    editor: EditorState, analysis: Analysis, occurrence: Occurrence, check: ExpressionCheck | None
) -> Iterator[str]:
    symbol = occurrence.symbol
    lines = list(_meaning_lines(analysis, occurrence, check))
    yield from lines
    declaration = editor.declaration(symbol, analysis) if lines else None
    if declaration is None:
        return
    comment = comment_of(declaration)
    if comment:
        yield comment
    if declaration.source is not analysis.source:
        yield f"declared in `{declaration.source.name}`"


def _meaning_lines(analysis: Analysis, occurrence: Occurrence, check: ExpressionCheck | None) -> Iterator[str]:
    symbol = occurrence.symbol
    match symbol.kind:
        case "builtin":
            row = BUILTINS[symbol.name]
            yield _code_block(row.signature)
            yield row.doc
        case "name":
            yield from _name_lines(analysis, symbol)
        case "column":
            yield from _column_lines(analysis, symbol, check)
        case "member":
            enum = analysis.names.enums.get(symbol.owner)
            yield _code_block(f"{symbol.owner}.{symbol.name}")
            if enum is not None:
                yield f"member of `{enum.name}`: {', '.join(enum.members)}"
        case "row":
            yield from _row_lines(analysis, symbol)
        case "variable":
            yield from _variable_lines(analysis, occurrence, check)
        case "constraint":
            yield _code_block(f"constraint {symbol.name}")
            yield from _constraint_lines(analysis, symbol.name)
        case "document":
            yield _code_block(f"{symbol.owner} {symbol.name}")
        case "shape" | "show" | "tool" | "setting" | "brief" | "case":
            yield _code_block(f"{symbol.kind} {symbol.name}")
        case _:
            assert_never(symbol.kind)


def _column_lines(analysis: Analysis, symbol: Symbol, check: ExpressionCheck | None) -> Iterator[str]:
    table = analysis.names.tables.get(symbol.owner)
    column = None if table is None else table.columns.get(symbol.name)
    if table is None or column is None:
        return
    kind = "key " if column.key else ""
    yield _code_block(f"{table.name}.{column.name}: {kind}{type_text(column.type, optional=column.optional)}")
    words = [
        "column of a plan's table" if table.plan else "column of facts",
        *unit_texts(analysis, column.type),
    ]
    if column.has_default:
        words.append(f"default `{format_value(column.default, column.type, analysis)}`")
    yield " · ".join(words)
    if check is not None and isinstance(check.checked, t.FieldOf):
        value = value_text(analysis, check.checked)
        if value is not None:
            yield f"here `{value}`"


def _variable_lines(analysis: Analysis, occurrence: Occurrence, check: ExpressionCheck | None) -> Iterator[str]:
    binding = _variable_binding(analysis, occurrence, check)
    if binding is None:
        return
    yield _code_block(f"{binding.name}: {type_text(binding.type, optional=binding.optional)}")
    type_ = binding.type
    table = analysis.names.tables.get(type_.table) if isinstance(type_, RowType) else None
    planned = ["row of the plan"] if table is not None and table.plan else []
    yield " · ".join(["variable", *planned, *unit_texts(analysis, type_)])


def _name_lines(analysis: Analysis, symbol: Symbol) -> Iterator[str]:
    names, name = analysis.names, symbol.name
    if name in names.givens:
        given = names.givens[name]
        yield _code_block(f"{name}: {type_text(given.type, optional=given.optional)}")
        words = ["given", "static", *unit_texts(analysis, given.type)]
        if analysis.task is not None and name in analysis.task.givens:
            words.append(f"`{format_value(analysis.task.givens[name], given.type, analysis)}`")
        elif given.has_default:
            words.append(f"default `{format_value(given.default, given.type, analysis)}`")
        yield " · ".join(words)
    elif name in names.definitions:
        definition = names.definitions[name].definition
        params = ", ".join(f"{p.name} {type_text(p.type, optional=p.optional)}" for p in definition.params)
        head = f"{name}({params})" if names.definitions[name].signature.params is not None else name
        if not names.definitions[name].checked:
            yield _code_block(head)
            return
        body = definition.body
        if body.type is Special.WRONG:
            yield _code_block(head)
            yield "its definition has a mistake"
            return
        yield _code_block(f"{head}: {type_text(body.type, optional=body.partial)}")
        if definition.params:
            yield " · ".join(
                [
                    "function",
                    "of the plan" if body.stage is Stage.PLANNED else "static",
                    *unit_texts(analysis, body.type),
                ]
            )
        else:
            yield from _property_line(analysis, body)
        one_line = " ".join(body.span.text.split())
        yield _code_block(one_line if len(one_line) <= MAX_LENGTH else f"{one_line[:MAX_LENGTH]}...")
    elif name in names.tables:
        yield from _table_lines(analysis, names.tables[name])
    elif name in names.enums:
        yield _code_block(f"{name}: {' | '.join(names.enums[name].members)}")
        yield "enum"


def _table_lines(analysis: Analysis, table: Table) -> Iterator[str]:
    columns = [
        f"  {column.name}: {'key ' if column.key else ''}{type_text(column.type, optional=column.optional)}"
        for column in table.columns.values()
    ]
    yield _code_block("\n".join([f"{table.name}:", *columns]))
    facts = analysis.names.facts.get(table.name)
    if table.plan:
        yield "table of the plan, with one row" if table.one else "table of the plan"
    elif facts is not None and analysis.names.rows_known:
        yield f"table of facts · {len(facts.rows):,} row{'' if len(facts.rows) == 1 else 's'}"
    else:
        yield "table of facts"


def _row_lines(analysis: Analysis, symbol: Symbol) -> Iterator[str]:
    names = analysis.names
    table = names.tables.get(symbol.owner)
    if table is None:
        return
    yield _code_block(f"{table.name}.{symbol.name}")
    row = find_row(analysis, table, symbol.name)
    if row is None:
        yield f"row of `{table.name}`"
        return
    cells = [
        f"| {name} | {format_value(getattr(row, name), column.type, analysis).replace('|', '&#124;')} |"
        for name, column in table.columns.items()
        if getattr(row, name) is not None
    ]
    yield "\n".join([f"| `{table.name}` | |", "|---|---|", *cells[:30]])


def find_row(analysis: Analysis, table: Table, name: str) -> Row | None:
    """Return the row of a table of facts by its name, or None."""
    facts = analysis.names.facts.get(table.name)
    if facts is None or len(table.key) != 1:
        return None
    return facts.by_key.get((name,)) or next((row for (key,), row in facts.by_key.items() if str(key) == name), None)


def _constraint_lines(analysis: Analysis, name: str) -> Iterator[str]:
    task = analysis.task
    constraint = None if task is None else next((x for x in task.constraints if x.id == name), None)
    if constraint is None:
        return
    yield ("hard" if constraint.hard else "soft") + (f" · kind {constraint.kind}" if constraint.kind else "")
    one_line = " ".join(constraint.span.text.split())
    yield _code_block(one_line if len(one_line) <= MAX_LENGTH else f"{one_line[:MAX_LENGTH]}...")


def _variable_binding(analysis: Analysis, occurrence: Occurrence, check: ExpressionCheck | None) -> t.Binding | None:
    if check is not None and isinstance(check.checked, t.Var):
        return check.checked.binding
    return analysis.binding_at(occurrence.span)


def comment_of(declaration: Span) -> str:
    """Return the comment above a declaration or, without one, the comment at the end of the line."""
    source: Source = declaration.source
    number = declaration.line
    lines: list[str] = []
    above = number - 1
    while above >= source.first_line and (match := COMMENT.fullmatch(source.line_text(above))) is not None:
        lines.insert(0, match[1])
        above -= 1
    own = source.line_text(number)
    trailing = re.search(r"(?:^|\s)#\s?([^\n]*)$", own)
    if not lines and trailing is not None and '"' not in own[trailing.start() :] and "'" not in own[: trailing.start()]:
        lines = [trailing[1]]
    return " ".join(line.strip() for line in lines).strip()


# -- keys -------------------------------------------------------------------------------------------------


def _key_hover(analysis: Analysis, offset: int) -> Json | None:
    """Return the hover of a key in the document, or None."""
    path = path_to(analysis.document.root, offset)
    keyed = [key for key, _ in path if key is not None]
    if not keyed:
        return None
    last = keyed[-1]
    if not last.span.start <= offset <= last.span.end:
        return _version_hover(analysis, path[-1][1], last) if len(keyed) == 1 else None
    part = document_part(analysis.document.kind, [key.text for key in keyed[:-1]])
    key = None if part is None else part.keys.get(last.text)
    return None if key is None else _hover_json([f"**{key.name}**", key.doc], last.span)


def _version_hover(analysis: Analysis, node: object, key: Scalar) -> Json | None:
    if key.text != "planspec" or not isinstance(node, Scalar):
        return None
    return _hover_json([f"A {analysis.document.kind}, in version 1 of the language."], node.span)
