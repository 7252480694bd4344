"""Text formats of formulas (DIMACS) and of the maps that explain their variables, and hashes of these texts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from hashlib import sha256

from planspec.solvers.backends.sat.formula import Formula
from planspec.solvers.proofs.obligation import CellCode, Obligation


def dimacs(formula: Formula) -> Iterator[str]:
    """Yield the lines of a formula in the DIMACS format for CNF."""
    yield f"p cnf {formula.variables} {len(formula.clauses)}\n"
    for clause in formula.clauses:
        yield f"{' '.join(map(str, clause))} 0\n"


def map_text(obligation: Obligation) -> str:
    """Return the meaning of a formula as JSON: the literals that encode each cell of a plan, and each clause's origin.

    - A cell's code (the integer that stands for its value) is `low` plus the value of its bits, from the least to the
      most significant. A bit is a literal; `1` is always true.
    - `meanings` maps codes to values. Other codes are the values themselves.
    - `clauses` lists ranges of consecutive clauses with the same origin: first number, last number and origin. Clauses
      without an origin define variables.
    """
    formula = obligation.formula
    cells = ",\n  ".join(json.dumps(_cell(cell), ensure_ascii=False) for cell in obligation.cells)
    origins = ",\n  ".join(
        json.dumps({"from": first, "to": last, "origin": origin or None}, ensure_ascii=False)
        for first, last, origin in formula.origins()
    )
    return f'{{"variables": {formula.variables},\n "cells": [\n  {cells}],\n "clauses": [\n  {origins}]}}\n'


def _cell(cell: CellCode) -> dict[str, object]:
    data: dict[str, object] = {"table": cell.table, "row": cell.row, "column": cell.column}
    data |= {"low": cell.encoding.low, "bits": cell.encoding.bits}
    return data | ({"meanings": cell.meanings} if cell.meanings else {})


def hash_of(lines: Iterable[str]) -> str:
    """Return the SHA-256, in hexadecimal, of a text in UTF-8. The lines must include their line ends."""
    digest = sha256()
    for line in lines:
        digest.update(line.encode())
    return digest.hexdigest()
