"""Presolve: narrowing of domains by bounds propagation, and detection of fields that always equal `other + c`."""

from __future__ import annotations

from collections.abc import Sequence

from planspec.solvers.ir.domain import Domain
from planspec.solvers.ir.nodes import (
    AtMostZero,
    InDomain,
    IntVar,
    IsZero,
    Linear,
    bounds,
    conjuncts,
)
from planspec.solvers.ir.problem import Rooted
from planspec.solvers.lowering.decision_rows import DecisionRows, FieldKey, PresolveFacts

ROUNDS = 10
"""Maximum number of rounds of propagation; two or three usually reach a fixpoint."""


def presolve_facts(roots: Sequence[Rooted], slots: DecisionRows) -> PresolveFacts:
    """Return what conditions imply: narrowed domains, and fields that always equal another field plus a constant.

    Args:
        roots: the conditions, which must all hold.
        slots: rows that the plan may have, as decision variables.
    """
    domains = {var.id: var.domain for var in slots.variables.values()}
    linears: list[tuple[Linear, bool]] = []
    for root in roots:
        for part in conjuncts(root.condition):
            match part:
                case InDomain(var=var, domain=domain):
                    domains[var.id] = domains[var.id] & domain
                case AtMostZero(linear=linear):
                    linears.append((linear, False))
                case IsZero(linear=linear):
                    linears.append((linear, True))
    for _ in range(ROUNDS):
        changed = [_propagate(linear, equal, domains) for linear, equal in linears]  # a list, to propagate all of them
        if not any(changed):
            break
    if any(domain.size == 0 for domain in domains.values()):
        return PresolveFacts()  # infeasible: back ends prove it from the original constraints
    field_keys = {var.id: field_key for field_key, var in slots.variables.items()}
    narrowed = {
        field_keys[var.id]: domains[var.id]
        for var in slots.variables.values()
        if domains[var.id].size < var.domain.size
    }
    return PresolveFacts(narrowed, _aliases(linears, field_keys, slots, domains))


def _propagate(linear: Linear, equal: bool, domains: dict[int, Domain]) -> bool:
    """Narrow the domain of each variable in `linear <= 0` (`== 0` if `equal`) by the bounds of the other variables.

    Return whether a domain has changed.
    """
    changed = False
    low = high = linear.constant
    ends = []
    for atom, c in linear.terms:
        a, b = bounds(atom)
        if isinstance(atom, IntVar):
            if domains[atom.id].size == 0:
                return False
            a, b = domains[atom.id].low, domains[atom.id].high
        least, most = (c * a, c * b) if c > 0 else (c * b, c * a)
        ends.append((least, most))
        low += least
        high += most
    for (atom, c), (least, most) in zip(linear.terms, ends, strict=True):
        if not isinstance(atom, IntVar):
            continue
        others_low, others_high = low - least, high - most
        top = -others_low  # c * x <= -others_low
        allowed = Domain.interval(None, top // c) if c > 0 else Domain.interval(-(top // -c), None)
        if equal:
            bottom = -others_high  # c * x >= -others_high
            allowed = allowed & (
                Domain.interval(-(-bottom // c), None) if c > 0 else Domain.interval(None, -bottom // -c)
            )
        domain = domains[atom.id]
        if allowed.size == 0 or allowed.low > domain.low or allowed.high < domain.high:
            domains[atom.id] = domain & allowed
            changed = domains[atom.id] != domain
            if domains[atom.id].size == 0:
                return changed
    return changed


def _aliases(
    linears: Sequence[tuple[Linear, bool]],
    field_keys: dict[int, FieldKey],
    slots: DecisionRows,
    domains: dict[int, Domain],
) -> dict[FieldKey, tuple[FieldKey, int]]:
    """Return, for each field that equals an earlier field plus a constant, the earlier field and the constant.

    A field is left out if its domain excludes a value that the equation allows. `linears` has pairs of an expression
    and whether it must equal 0; otherwise it must be at most 0. `domains` has the domains by variable id.
    """
    aliases: dict[FieldKey, tuple[FieldKey, int]] = {}
    position = {field_key: i for i, field_key in enumerate(slots.codes)}
    for linear, equal in linears:
        if not equal or len(linear.terms) != 2:
            continue
        (a, c), (b, d) = linear.terms
        if not (isinstance(a, IntVar) and isinstance(b, IntVar)) or c + d != 0 or linear.constant % c:
            continue
        if a.id not in field_keys or b.id not in field_keys:
            continue
        x, y = field_keys[a.id], field_keys[b.id]  # a - b + constant / c == 0
        if x in slots.grids or y in slots.grids:
            continue
        offset = -linear.constant // c
        if position[x] < position[y]:
            x, y, a, b, offset = y, x, b, a, -offset
        if x in aliases or y in aliases or any(root == x for root, _ in aliases.values()):
            continue
        if domains[b.id].shifted(offset) <= domains[a.id]:
            aliases[x] = (y, offset)
    return aliases
