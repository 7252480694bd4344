"""Formulas and their maps as text, and the hashes of that."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from hashlib import sha256

from planspec.solvers.backends.sat.formula import Formula
from planspec.solvers.proofs.obligation import Cell, Obligation


def dimacs(formula: Formula) -> Iterator[str]:
    """The lines of a formula in DIMACS' format for CNF."""
    yield f"p cnf {formula.variables} {len(formula.clauses)}\n"
    for clause in formula.clauses:
        yield f"{' '.join(map(str, clause))} 0\n"


def map_text(obligation: Obligation) -> str:
    """The map of a formula as JSON: which variables are which bits of which cell, and where each clause comes from.

    A cell's code is `low` plus the value of its bits, the least significant first; a bit is a literal, where `1` is always
    true. `meanings` has the values of codes; other codes stand for themselves. `clauses` has runs of clauses from one
    origin, by their first and last number; without an origin they define variables.
    """
    formula = obligation.formula
    cells = ",\n  ".join(json.dumps(_cell(cell), ensure_ascii=False) for cell in obligation.cells)
    origins = ",\n  ".join(
        json.dumps({"from": first, "to": last, "origin": origin or None}, ensure_ascii=False)
        for first, last, origin in formula.origins()
    )
    return (
        f'{{"variables": {formula.variables},\n "cells": [\n  {cells}],\n'
        f' "clauses": [\n  {origins}]}}\n'
    )  # fmt: skip


def _cell(cell: Cell) -> dict[str, object]:
    made: dict[str, object] = {"table": cell.table, "row": cell.row, "column": cell.column}
    made |= {"low": cell.number.low, "bits": cell.number.bits}
    return made | ({"meanings": cell.meanings} if cell.meanings else {})


def hash_of(lines: Iterable[str]) -> str:
    """SHA-256 of a text in UTF-8."""
    made = sha256()
    for line in lines:
        made.update(line.encode())
    return made.hexdigest()
