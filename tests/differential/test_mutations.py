"""Broken on purpose: for each mutant of a lowering, a compiler or an operator, the hand-written cases notice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from planspec.dsl.documents.documents import task_from_text
from planspec.dsl.model import indexes
from planspec.solvers.ir import builder as model
from planspec.solvers.ir import nodes as ir
from planspec.solvers.ir.builder import Model
from planspec.solvers.ir.domain import Domain
from planspec.solvers.ir.nodes import TRUE
from planspec.solvers.lowering import aggregates, atoms, lower, problem, symbolic
from planspec.solvers.lowering import arithmetic as numbers
from planspec.solvers.lowering import steps as neighbours
from planspec.solvers.lowering.decision_rows import Facts
from planspec.verifiers.meaning import interpret
from planspec.verifiers.meaning.ground import ground
from tests.differential.agreement import compiled_agrees, lowering_agrees
from tests.differential.cases import CASES, case_task

Patch = Callable[[pytest.MonkeyPatch], None]


def swapped(original: Callable[..., Any], **words: str) -> Callable[..., Any]:
    """The same method with one comparison operator taken for another."""
    return lambda self, op, *rest: original(self, words.get(op_name(op), op), *rest)


def op_name(op: str) -> str:
    """An operator as a keyword."""
    return {"<=": "le", "<": "lt", "==": "eq", "!=": "ne", ">": "gt", ">=": "ge"}[op]


def truncating(op: Any, left: Any, right: Any) -> Any:
    """Division as C does it."""
    if left is not None and right is not None and right > 0 and op == "//":
        return -(-left // right) if left < 0 else left // right
    return ORIGINAL_ARITH(op, left, right)


ORIGINAL_ARITH = interpret.arith
LINEAR = atoms.Atoms._linear

MUTANTS: dict[str, Patch] = {
    "strict comparison taken for a weak one": lambda m: m.setattr(
        atoms.Atoms, "_linear", swapped(LINEAR, lt="<=")
    ),
    "inequality taken for a strict comparison": lambda m: m.setattr(
        atoms.Atoms, "_linear", swapped(LINEAR, ne="<")
    ),
    "definedness forgotten": lambda m: m.setattr(symbolic.Algebra, "defined", lambda self, value: TRUE),
    "absent rows count": lambda m: m.setattr(aggregates, "members", all_present),
    "keys may repeat": lambda m: m.setattr(problem, "key_rules", lambda *a: []),
    "several rows taken for one": lambda m: m.setattr(
        aggregates, "alone", lambda low, options: list(options)
    ),
    "ties in first and last ignored": lambda m: m.setattr(lower.Lowering, "ordered", weak_order),
    "steps over all pairs": lambda m: m.setattr(neighbours, "_adjacent", lambda *a: TRUE),
    "steps without their groups": lambda m: m.setattr(neighbours, "_together", lambda *a: TRUE),
    "a sum forgets its filter": lambda m: m.setattr(aggregates, "_sum", unguarded_sum),
    "a quotient is not floored": lambda m: m.setattr(numbers, "arith", truncating),
    "a quotient of a sum is not floored": lambda m: m.setattr(Model, "quotient", truncated_quotient),
    "the least taken for the greatest": lambda m: m.setattr(aggregates, "_extreme", turned_extreme),
    "filters that are none count as true": lambda m: m.setattr(interpret.Interpreter, "meets", lenient),
    "presolve cuts a value off": lambda m: m.setattr(problem, "facts_of", too_narrow),
    "a default where a value is": lambda m: m.setattr(
        lower.Lowering, "_filled", lambda self, v, first, second: second
    ),
    "a negation lost": lambda m: m.setattr(model.Model, "negate", keeps_members),
    "an index finds one row of each key": lambda m: m.setattr(indexes, "group", only_first),
    "none differs from everything": lambda m: m.setattr(interpret.Interpreter, "_compare", pythonic),
}


MEMBERS = aggregates.members


def all_present(low: Any, source: Any, env: Any, clause: Any = None) -> Any:
    """Every row that may be there, as if it were."""
    return ((TRUE, value) for _, value in MEMBERS(low, source, env, clause))


def weak_order(self: Any, op: str, a: Any, b: Any) -> Any:
    """`<` taken for `<=`."""
    ways = self.algebra.spread((a, b))
    weak = {"<": "<=", ">": ">="}[op]
    return self.model.disj(self.model.conj((g, self.atoms.compare(weak, x, y, None))) for g, (x, y) in ways)


UNGUARDED = aggregates._sum


def unguarded_sum(low: Any, terms: Any) -> Any:
    """A sum whose terms are all present."""
    return UNGUARDED(low, [(TRUE, value) for _, value in terms])


QUOTIENT = Model.quotient


def truncated_quotient(self: Model, dividend: Any, divisor: int) -> Any:
    """A quotient one too high for what is negative."""
    return (
        QUOTIENT(self, self.plus(dividend, self.constant(divisor - 1)), divisor)
        if dividend.low < 0
        else QUOTIENT(self, dividend, divisor)
    )


EXTREME = aggregates._extreme


def turned_extreme(low: Any, terms: Any, *, greatest: bool) -> Any:
    """Max for min."""
    return EXTREME(low, terms, greatest=not greatest)


def lenient(self: Any, condition: Any, env: Any) -> bool:
    """A filter that none passes."""
    return self._value(condition, env) is not False


def too_narrow(roots: Any, slots: Any) -> Any:
    """Facts that cut the least value off."""
    places = {p: Domain.of(list(v.domain)[1:]) for p, v in slots.places.items() if v.domain.size > 1}
    return Facts(places)


NEGATE = model.Model.negate


def keeps_members(self: Model, item: Any) -> Any:
    """A membership is its own opposite."""
    return item if isinstance(item, ir.Member) else NEGATE(self, item)


GROUP = indexes.group


def only_first(rows: Any, columns: Any) -> Any:
    """An index that forgets rows."""
    return {key: found[:1] for key, found in GROUP(rows, columns).items()}


COMPARE = interpret.Interpreter._compare


def pythonic(self: Any, expr: Any, env: Any) -> Any:
    """Python's reading of `!=` where a side is none."""
    if expr.ops == ("!=",):
        left, right = (self.value(operand, env) for operand in expr.operands)
        return left != right
    return COMPARE(self, expr, env)


def noticed(patch: pytest.MonkeyPatch, mutate: Patch) -> str | None:
    """The first case that tells the mutant from the original; None if none does."""
    texts = [text for body in CASES for text in (body, f"not ({body})")]
    prepared = [(text, ground(task_from_text(case_task(text)))) for text in texts]
    mutate(patch)
    for text, made in prepared:
        try:
            compiled_agrees(made)
            for early in (False, True):
                lowering_agrees(made, presolve=early)
        except Exception:  # noqa: BLE001 a crash is noticed, too
            return text
    return None


@pytest.mark.parametrize("name", MUTANTS)
def test_the_harness_notices(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some case parts the meanings."""
    assert noticed(monkeypatch, MUTANTS[name]) is not None


def test_nothing_is_noticed_where_nothing_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same procedure passes on what is not mutated."""
    assert noticed(monkeypatch, lambda _: None) is None
