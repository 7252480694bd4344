"""Tables for functions that are 0 unless a guard holds. Their linear relaxation is tighter than an implication's."""

from __future__ import annotations

from itertools import product
from math import prod
from typing import TypeAlias

from planspec.solvers.ir.nodes import Bool, InDomain, IntVar, Linear, Tabled

CELLS = 5_000
"""Maximum number of cells in the table of a function of several variables."""

Cells: TypeAlias = dict[tuple[int, ...], int]
"""Values of an integer function, by the values of its variables."""


def guarded(guard: Bool, value: Linear) -> tuple[tuple[IntVar, ...], Cells] | None:
    """Tabulate the function that is `value` if the guard holds, else 0. Return its variables and its table.

    Return None if the guard is not a membership `x in {...}`, the value is not a multiple of a `Tabled` atom plus a
    constant, or the table would have too many cells.
    """
    if not isinstance(guard, InDomain) or len(value.terms) != 1:
        return None
    atom, factor = value.terms[0]
    if not isinstance(atom, Tabled):
        return None
    if atom.vars == (guard.var,):
        return atom.vars, {(code,): _value_at(atom, factor, (code,)) + value.constant for code in guard.domain}
    vars_ = (guard.var, *atom.vars)
    if guard.var in atom.vars or prod(var.domain.size for var in vars_) > CELLS:
        return None
    return vars_, {
        (code, *codes): _value_at(atom, factor, codes) + value.constant
        for code in guard.domain
        for codes in product(*(var.domain for var in atom.vars))
    }


def _value_at(atom: Tabled, factor: int, codes: tuple[int, ...]) -> int:
    return factor * atom.values.get(codes, atom.default)
