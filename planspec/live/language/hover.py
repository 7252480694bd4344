"""What stands at a place: its type, unit and stage, its value where that is known, and what its author says of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import assert_never

from planspec.dsl.check.builtins import BUILTINS
from planspec.dsl.diagnostics.source import Source, Span
from planspec.dsl.model import tree as t
from planspec.dsl.model.rows import Row
from planspec.dsl.model.traversal import free_variables
from planspec.dsl.model.types import RowType, ScalarType, Special, Stage, Table, Type
from planspec.dsl.model.value_text import show
from planspec.dsl.yaml.reader import Scalar
from planspec.errors import DiagnosticError
from planspec.live.language.analysis import Analysis, path_to
from planspec.live.language.desk import Desk, OpenDocument
from planspec.live.language.places import place_of
from planspec.live.language.positions import offset_of, range_of
from planspec.live.language.recording import Sighting
from planspec.live.language.shapes import Json, Position, markdown
from planspec.live.language.symbols import Occurrence, Symbol
from planspec.verifiers.meaning.interpret import Interpreter
from planspec.verifiers.meaning.meter import Meter

STEPS = 200_000
"""The most steps that a value may take to be worked out for a hover."""
LONGEST = 300
"""The most characters of a value that is shown."""
UNITS = {ScalarType.DURATION: "counted in minutes", ScalarType.DISTANCE: "counted in metres"}
COMMENT = re.compile(r"[ \t]*#[ \t]?(.*)")


def hover(desk: Desk, document: OpenDocument, position: Position) -> Json | None:
    """What an editor shows over a place."""
    analysis = desk.analysis(document, position)
    if analysis is None:
        return None
    offset = offset_of(analysis.source, position)
    occurrence = analysis.occurrence_at(offset)
    if occurrence is not None:
        seen = analysis.sighting_at(offset)
        lines = list(_symbol(desk, analysis, occurrence, seen))
        return _hover(lines, occurrence.span) if lines else None
    found = _key(analysis, offset)
    if found is not None:
        return found
    seen = analysis.sighting_at(offset)
    if seen is None or seen.made.type is Special.WRONG:
        return None
    return _hover(list(_expression(analysis, seen, seen.span.text)), seen.span)


def _hover(lines: list[str], span: Span) -> Json:
    return {"contents": markdown("\n\n".join(lines)), "range": range_of(span)}


def _code(text: str) -> str:
    return f"```planspec\n{text}\n```"


def type_text(of: Type, *, optional: bool = False) -> str:
    """A type as an author writes it."""
    return f"{of}?" if optional and of is not ScalarType.BOOL else str(of)


def _expression(analysis: Analysis, seen: Sighting, text: str) -> Iterator[str]:
    made = seen.made
    flat = " ".join(text.split())
    shown = flat if len(flat) <= 60 else f"{flat[:57]}..."
    yield _code(f"{shown}: {type_text(made.type, optional=made.partial)}")
    yield from _facts(analysis, made)


def _facts(analysis: Analysis, made: t.Expr) -> Iterator[str]:
    """Stage, unit and value of an expression."""
    value = value_text(analysis, made)
    words = ["of the plan" if made.stage is Stage.PLANNED else "static", *unit_text(analysis, made.type)]
    yield " · ".join(words) + ("" if value is None else f" · `{value}`")


def unit_text(analysis: Analysis, of: Type) -> Iterator[str]:
    """What is said of a type's unit."""
    if of is ScalarType.MONEY and analysis.names.currency is not None:
        yield f"in {analysis.names.currency}"
    elif isinstance(of, ScalarType) and of in UNITS:
        yield UNITS[of]


def value_text(analysis: Analysis, made: t.Expr) -> str | None:
    """The value of a static expression without variables; None where it is not known, or takes long to work out."""
    task = analysis.task
    if task is None or made.stage is not Stage.STATIC or free_variables(made):
        return None
    if isinstance(made, t.AllRows | t.AllMembers | t.RowNamed):
        return None
    try:
        value = Interpreter(task, meter=Meter(STEPS, static=True)).value(made, {})
    except DiagnosticError:
        return None
    return shown_value(value, made.type, analysis)


def shown_value(value: object, of: Type, analysis: Analysis) -> str:
    """A value as the language writes it, cut where it is long."""
    if value is None:
        return "none"
    text = show(value, of, analysis.names.currency)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


# -- symbols ----------------------------------------------------------------------------------------------


def _symbol(desk: Desk, analysis: Analysis, occurrence: Occurrence, seen: Sighting | None) -> Iterator[str]:
    symbol = occurrence.symbol
    lines = list(_meaning(analysis, occurrence, seen))
    yield from lines
    declared = desk.declaration(symbol, analysis) if lines else None
    if declared is None:
        return
    said = comment_of(declared)
    if said:
        yield said
    if declared.source is not analysis.source:
        yield f"declared in `{declared.source.name}`"


def _meaning(analysis: Analysis, occurrence: Occurrence, seen: Sighting | None) -> Iterator[str]:
    symbol = occurrence.symbol
    match symbol.kind:
        case "builtin":
            row = BUILTINS[symbol.name]
            yield _code(row.signature)
            yield row.doc
        case "name":
            yield from _name(analysis, symbol)
        case "column":
            yield from _column(analysis, symbol, seen)
        case "member":
            enum = analysis.names.enums.get(symbol.owner)
            yield _code(f"{symbol.owner}.{symbol.name}")
            if enum is not None:
                yield f"member of `{enum.name}`: {', '.join(enum.members)}"
        case "row":
            yield from _row(analysis, symbol)
        case "variable":
            yield from _variable(analysis, occurrence, seen)
        case "constraint":
            yield _code(f"constraint {symbol.name}")
            yield from _constraint(analysis, symbol.name)
        case "document":
            yield _code(f"{symbol.owner} {symbol.name}")
        case "shape" | "show" | "tool" | "setting" | "brief" | "case":
            yield _code(f"{symbol.kind} {symbol.name}")
        case _:
            assert_never(symbol.kind)


def _column(analysis: Analysis, symbol: Symbol, seen: Sighting | None) -> Iterator[str]:
    table = analysis.names.tables.get(symbol.owner)
    column = None if table is None else table.columns.get(symbol.name)
    if table is None or column is None:
        return
    kind = "key " if column.key else ""
    yield _code(f"{table.name}.{column.name}: {kind}{type_text(column.type, optional=column.optional)}")
    words = [
        "column of a plan's table" if table.plan else "column of facts",
        *unit_text(analysis, column.type),
    ]
    if column.has_default:
        words.append(f"default `{shown_value(column.default, column.type, analysis)}`")
    yield " · ".join(words)
    if seen is not None and isinstance(seen.made, t.FieldOf):
        value = value_text(analysis, seen.made)
        if value is not None:
            yield f"here `{value}`"


def _variable(analysis: Analysis, occurrence: Occurrence, seen: Sighting | None) -> Iterator[str]:
    binding = _binding(analysis, occurrence, seen)
    if binding is None:
        return
    yield _code(f"{binding.name}: {type_text(binding.type, optional=binding.optional)}")
    of = binding.type
    table = analysis.names.tables.get(of.table) if isinstance(of, RowType) else None
    planned = ["row of the plan"] if table is not None and table.plan else []
    yield " · ".join(["variable", *planned, *unit_text(analysis, of)])


def _name(analysis: Analysis, symbol: Symbol) -> Iterator[str]:
    names, name = analysis.names, symbol.name
    if name in names.givens:
        given = names.givens[name]
        yield _code(f"{name}: {type_text(given.type, optional=given.optional)}")
        words = ["given", "static", *unit_text(analysis, given.type)]
        if analysis.task is not None and name in analysis.task.givens:
            words.append(f"`{shown_value(analysis.task.givens[name], given.type, analysis)}`")
        elif given.has_default:
            words.append(f"default `{shown_value(given.default, given.type, analysis)}`")
        yield " · ".join(words)
    elif name in names.definitions:
        definition = names.definitions[name].definition
        params = ", ".join(f"{p.name} {type_text(p.type, optional=p.optional)}" for p in definition.params)
        head = f"{name}({params})" if names.definitions[name].signature.params is not None else name
        if not names.definitions[name].checked:
            yield _code(head)
            return
        body = definition.body
        if body.type is Special.WRONG:
            yield _code(head)
            yield "its definition has a mistake"
            return
        yield _code(f"{head}: {type_text(body.type, optional=body.partial)}")
        if definition.params:
            yield " · ".join(
                [
                    "function",
                    "of the plan" if body.stage is Stage.PLANNED else "static",
                    *unit_text(analysis, body.type),
                ]
            )
        else:
            yield from _facts(analysis, body)
        flat = " ".join(body.span.text.split())
        yield _code(flat if len(flat) <= LONGEST else f"{flat[:LONGEST]}...")
    elif name in names.tables:
        yield from _table(analysis, names.tables[name])
    elif name in names.enums:
        yield _code(f"{name}: {' | '.join(names.enums[name].members)}")
        yield "enum"


def _table(analysis: Analysis, table: Table) -> Iterator[str]:
    columns = [
        f"  {column.name}: {'key ' if column.key else ''}{type_text(column.type, optional=column.optional)}"
        for column in table.columns.values()
    ]
    yield _code("\n".join([f"{table.name}:", *columns]))
    facts = analysis.names.facts.get(table.name)
    if table.plan:
        yield "table of the plan, with one row" if table.one else "table of the plan"
    elif facts is not None and analysis.names.rows_known:
        yield f"table of facts · {len(facts.rows):,} row{'' if len(facts.rows) == 1 else 's'}"
    else:
        yield "table of facts"


def _row(analysis: Analysis, symbol: Symbol) -> Iterator[str]:
    names = analysis.names
    table = names.tables.get(symbol.owner)
    if table is None:
        return
    yield _code(f"{table.name}.{symbol.name}")
    row = row_named(analysis, table, symbol.name)
    if row is None:
        yield f"row of `{table.name}`"
        return
    cells = [
        f"| {name} | {shown_value(getattr(row, name), column.type, analysis).replace('|', '&#124;')} |"
        for name, column in table.columns.items()
        if getattr(row, name) is not None
    ]
    yield "\n".join([f"| `{table.name}` | |", "|---|---|", *cells[:30]])


def row_named(analysis: Analysis, table: Table, name: str) -> Row | None:
    """The row of a table of facts that a name means."""
    facts = analysis.names.facts.get(table.name)
    if facts is None or len(table.key) != 1:
        return None
    return facts.by_key.get((name,)) or next(
        (row for (key,), row in facts.by_key.items() if str(key) == name), None
    )


def _constraint(analysis: Analysis, name: str) -> Iterator[str]:
    task = analysis.task
    found = None if task is None else next((x for x in task.constraints if x.id == name), None)
    if found is None:
        return
    yield ("hard" if found.hard else "soft") + (f" · kind {found.kind}" if found.kind else "")
    flat = " ".join(found.span.text.split())
    yield _code(flat if len(flat) <= LONGEST else f"{flat[:LONGEST]}...")


def _binding(analysis: Analysis, occurrence: Occurrence, seen: Sighting | None) -> t.Binding | None:
    if seen is not None and isinstance(seen.made, t.Var):
        return seen.made.binding
    return analysis.binding_at(occurrence.span)


def comment_of(declared: Span) -> str:
    """The comment above a declaration, or behind it on its line."""
    source: Source = declared.source
    number = declared.line
    lines: list[str] = []
    above = number - 1
    while above >= source.first_line and (found := COMMENT.fullmatch(source.line_text(above))) is not None:
        lines.insert(0, found[1])
        above -= 1
    own = source.line_text(number)
    behind = re.search(r"(?:^|\s)#\s?([^\n]*)$", own)
    if (
        not lines
        and behind is not None
        and '"' not in own[behind.start() :]
        and "'" not in own[: behind.start()]
    ):
        lines = [behind[1]]
    return " ".join(line.strip() for line in lines).strip()


# -- keys -------------------------------------------------------------------------------------------------


def _key(analysis: Analysis, offset: int) -> Json | None:
    """What a key of the document means."""
    path = path_to(analysis.document.root, offset)
    keyed = [key for key, _ in path if key is not None]
    if not keyed:
        return None
    last = keyed[-1]
    if not last.span.start <= offset <= last.span.end:
        return _version(analysis, path[-1][1], last) if len(keyed) == 1 else None
    place = place_of(analysis.document.kind, [key.text for key in keyed[:-1]])
    key = None if place is None else place.keys.get(last.text)
    return None if key is None else _hover([f"**{key.name}**", key.doc], last.span)


def _version(analysis: Analysis, node: object, key: Scalar) -> Json | None:
    if key.text != "planspec" or not isinstance(node, Scalar):
        return None
    return _hover([f"A {analysis.document.kind}, in version 1 of the language."], node.span)
