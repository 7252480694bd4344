"""The parser's table, which is generated in advance because building it takes longer than checking a task.

`make grammar` regenerates `grammar.json` after a change of `grammar.lark`. The table is not used if it was
generated from another grammar or by another version of Lark.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

import lark
from lark import Lark, Transformer
from lark.grammar import Rule
from lark.lexer import TerminalDef

from planspec.files import replace_text

StartSymbol = Literal["expression", "domain", "column", "type", "signature", "binder"]
STARTS: tuple[StartSymbol, ...] = ("expression", "domain", "column", "type", "signature", "binder")


def parser(builder: Transformer[Any, Any]) -> Lark:
    """Return the parser. `builder` turns matches of the grammar's rules into nodes."""
    grammar = _read_text("grammar.lark")
    try:
        stored = json.loads(_read_text("grammar.json"), object_pairs_hook=_with_number_keys)
    except (OSError, ValueError):
        stored = {}
    if stored.get("stamp") == grammar_stamp(grammar):
        load: Callable[..., Lark] = Lark._load_from_dict
        return load(stored["data"], stored["memo"], transformer=builder)
    return build_parser(grammar, builder)


def build_parser(grammar: str, builder: Transformer[Any, Any] | None = None) -> Lark:
    """Build the parser from its grammar."""
    return Lark(
        grammar,
        start=list(STARTS),
        parser="lalr",
        lexer="contextual",
        keep_all_tokens=True,
        maybe_placeholders=False,
        transformer=builder,
    )


def grammar_stamp(grammar: str) -> str:
    """Return a string that identifies the parser table of a grammar."""
    return f"lark {lark.__version__}, grammar {sha256(grammar.encode()).hexdigest()}"


def table_text() -> str:
    """Return the table as JSON."""
    grammar = _read_text("grammar.lark")
    data, memo = build_parser(grammar).memo_serialize([TerminalDef, Rule])
    return json.dumps({"stamp": grammar_stamp(grammar), "data": data, "memo": memo}, separators=(",", ":")) + "\n"


def _with_number_keys(pairs: list[tuple[str, Any]]) -> dict[Any, Any]:
    """Return the members of a JSON object, with keys that are numerals as numbers."""
    return {int(key) if key.isdigit() else key: value for key, value in pairs}


def _read_text(name: str) -> str:
    return files("planspec.dsl.syntax").joinpath(name).read_text("utf-8")


def write_table() -> None:
    """Write the table beside the grammar."""
    replace_text(Path(__file__).parent / "grammar.json", table_text())
