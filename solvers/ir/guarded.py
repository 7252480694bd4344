"""A function under a guard as one function: its linear relaxation is far tighter than that of an implication."""

from __future__ import annotations

from itertools import product
from math import prod
from typing import TypeAlias

from planspec.solvers.ir.nodes import Bool, InDomain, IntVar, Linear, Tabled

CELLS = 5_000
"""The most cells of a function of several variables under a guard."""

Cells: TypeAlias = dict[tuple[int, ...], int]


def guarded(guard: Bool, value: Linear) -> tuple[tuple[IntVar, ...], Cells] | None:
    """The function that is `value` where a variable is in a domain and 0 elsewhere, by its variables and cells.

    None where the guard is no membership, the value no function given by its table, or the cells are too many.
    """
    if not isinstance(guard, InDomain) or len(value.terms) != 1:
        return None
    atom, factor = value.terms[0]
    if not isinstance(atom, Tabled):
        return None
    if atom.vars == (guard.var,):
        return atom.vars, {(code,): _at(atom, factor, (code,)) + value.constant for code in guard.domain}
    over = (guard.var, *atom.vars)
    if guard.var in atom.vars or prod(var.domain.size for var in over) > CELLS:
        return None
    return over, {
        (code, *codes): _at(atom, factor, codes) + value.constant
        for code in guard.domain
        for codes in product(*(var.domain for var in atom.vars))
    }


def _at(atom: Tabled, factor: int, codes: tuple[int, ...]) -> int:
    return factor * atom.values.get(codes, atom.default)
