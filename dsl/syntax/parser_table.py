"""The LALR table of the parser, generated in advance because building it takes longer than checking a task.

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

SHIFT = 0
"""Lark's number for an action of the table that shifts a token."""


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
    """Return the table as JSON. One grammar and one version of Lark give the same text in every process."""
    grammar = _read_text("grammar.lark")
    data, memo = build_parser(grammar).memo_serialize([TerminalDef, Rule])
    data["parser"]["parser"] = _in_fixed_order(data["parser"]["parser"])
    return json.dumps({"stamp": grammar_stamp(grammar), "data": data, "memo": memo}, separators=(",", ":")) + "\n"


def _in_fixed_order(table: dict[str, Any]) -> dict[str, Any]:
    """Return an LALR table with sorted tokens, and with states numbered in the order of a search from the start.

    Lark keeps states in sets, so that its own numbers depend on the hashes of strings, which differ between processes.

    Args:
        table: `tokens` has names by number, `states` a state's actions by the number of the token: `(0, state)` to shift,
            `(1, rule)` to reduce. `start_states` and `end_states` have states by the name of the start symbol.
    """
    names: dict[int, str] = table["tokens"]
    tokens = {name: number for number, name in enumerate(sorted(names.values()))}
    states = {state: number for number, state in enumerate(dict.fromkeys(map(table["start_states"].get, STARTS)))}
    renumbered: dict[int, dict[int, Any]] = {}
    pending = list(states)
    for state in pending:  # the body appends to `pending`
        actions = sorted((tokens[names[token]], action) for token, action in table["states"][state].items())
        renumbered[states[state]] = row = {}
        for token, (kind, target) in actions:
            if kind == SHIFT and target not in states:
                states[target] = len(states)
                pending.append(target)
            row[token] = (kind, states[target] if kind == SHIFT else target)
    return {
        "tokens": {number: name for name, number in tokens.items()},
        "states": renumbered,
        "start_states": {start: states[table["start_states"][start]] for start in STARTS},
        "end_states": {start: states[table["end_states"][start]] for start in STARTS},
    }


def _with_number_keys(pairs: list[tuple[str, Any]]) -> dict[Any, Any]:
    """Return the members of a JSON object, with keys that are numerals as numbers."""
    return {int(key) if key.isdigit() else key: value for key, value in pairs}


def _read_text(name: str) -> str:
    return files("planspec.dsl.syntax").joinpath(name).read_text("utf-8")


def write_table() -> None:
    """Write the table to a file in the grammar's folder."""
    replace_text(Path(__file__).parent / "grammar.json", table_text())
