"""Broken on purpose: for each mutant of a lowering, a compiler, an operator or a reduction, a hand-written case notices."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from planspec.dsl.documents.documents import task_from_text
from planspec.dsl.model import facts
from planspec.solvers.backends.outcome import Status
from planspec.solvers.ir import builder as model
from planspec.solvers.ir import nodes as ir
from planspec.solvers.ir.builder import NodeBuilder
from planspec.solvers.ir.domain import Domain
from planspec.solvers.ir.nodes import TRUE
from planspec.solvers.lowering import aggregates, atoms, lower, problem, symbolic
from planspec.solvers.lowering import arithmetic as numbers
from planspec.solvers.lowering import steps as neighbours
from planspec.solvers.lowering.decision_rows import PresolveFacts
from planspec.solvers.questions.prove import solve
from planspec.solvers.reductions import dominance, reads
from planspec.solvers.reductions.register import Question, reduced
from planspec.verifiers.meaning import interpret
from planspec.verifiers.meaning.ground import ground
from tests.differential.agreement import all_agree
from tests.differential.cases import CASES, case_task

Patch = Callable[[pytest.MonkeyPatch], None]


@dataclass(frozen=True, slots=True)
class Mutant:
    """A change that breaks one meaning, and the case on which the meanings then part."""

    patch: Patch
    case: str


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

MUTANTS: dict[str, Mutant] = {
    "strict comparison taken for a weak one": Mutant(
        lambda m: m.setattr(atoms.Atoms, "_linear", swapped(LINEAR, lt="<=")),
        "any(p.start < q.start for p in picks for q in picks)",
    ),
    "inequality taken for a strict comparison": Mutant(
        lambda m: m.setattr(atoms.Atoms, "_linear", swapped(LINEAR, ne="<")),
        "day_of_week(2026-07-01 + sum(p.n for p in picks)) != 3",
    ),
    "definedness forgotten": Mutant(
        lambda m: m.setattr(symbolic.Algebra, "defined", lambda self, value: TRUE),
        "sum(p.item.price for p in picks) <= 3.00 EUR",
    ),
    "absent rows count": Mutant(
        lambda m: m.setattr(aggregates, "members", all_present), "all(p.n >= 0 for p in picks)"
    ),
    "keys may repeat": Mutant(
        lambda m: m.setattr(problem, "key_rules", lambda *a: []), "all(p.n >= 0 for p in picks)"
    ),
    "several rows taken for one": Mutant(
        lambda m: m.setattr(aggregates, "alone", lambda low, options: list(options)),
        "the(p for p in picks if p.n >= 0).item == a",
    ),
    "ties in first and last ignored": Mutant(
        lambda m: m.setattr(lower.Lowering, "ordered", weak_order),
        "first(p for p in picks, by=p.start).item == b",
    ),
    "steps over all pairs": Mutant(
        lambda m: m.setattr(neighbours, "_adjacent", lambda *a: TRUE),
        "all(p.item != q.item for p, q in steps(x for x in picks, by=x.start))",
    ),
    "steps without their groups": Mutant(
        lambda m: m.setattr(neighbours, "_together", lambda *a: TRUE),
        "all(p.n < q.n for p, q in steps(x for x in picks, by=x.start, per=x.item))",
    ),
    "a sum forgets its filter": Mutant(
        lambda m: m.setattr(aggregates, "_sum", unguarded_sum), "sum(p.n for p in picks) == 1"
    ),
    "a quotient is not floored": Mutant(
        lambda m: m.setattr(numbers, "arith", truncating), "(picks[2].n * 3) // 2 == -2"
    ),
    "a quotient of a sum is not floored": Mutant(
        lambda m: m.setattr(NodeBuilder, "quotient", truncated_quotient),
        "ceil_div(sum(p.n for p in picks), 2) == 1",
    ),
    "the least taken for the greatest": Mutant(
        lambda m: m.setattr(aggregates, "_extreme", turned_extreme), "min(p.start for p in picks) >= 12:00"
    ),
    "filters that are none count as true": Mutant(
        lambda m: m.setattr(interpret.Interpreter, "meets", lenient),
        "all(p.n > 0 for p in picks if p.hue == red)",
    ),
    "presolve cuts a value off": Mutant(
        lambda m: m.setattr(problem, "facts_of", too_narrow), "all(p.n >= 0 for p in picks)"
    ),
    "a default where a value is": Mutant(
        lambda m: m.setattr(lower.Lowering, "_filled", lambda self, v, first, second: second),
        "sum(p.item.price ?? 1.00 EUR for p in picks) <= 3.00 EUR",
    ),
    "a negation lost": Mutant(
        lambda m: m.setattr(model.NodeBuilder, "negate", keeps_members), "all(p.n >= 0 for p in picks)"
    ),
    "an index finds one row of each key": Mutant(
        lambda m: m.setattr(facts, "group", only_first),
        "sum(f.n for p in picks if p.hue is none for f in Fact if f.item == p.item) == 2",
    ),
    "none differs from everything": Mutant(
        lambda m: m.setattr(interpret.Interpreter, "_compare", pythonic), "picks[3].n != 2"
    ),
}


MEMBERS = aggregates.members


def all_present(low: Any, source: Any, env: Any, clause: Any = None) -> Any:
    """Every row that may be there, as if it were."""
    return ((TRUE, value) for _, value in MEMBERS(low, source, env, clause))


def weak_order(self: Any, op: str, a: Any, b: Any) -> Any:
    """`<` taken for `<=`."""
    ways = self.algebra.spread((a, b))
    weak = {"<": "<=", ">": ">="}[op]
    return self.model.disj(self.model.conj((g, self.atoms.compare(weak, x, y))) for g, (x, y) in ways)


UNGUARDED = aggregates._sum


def unguarded_sum(low: Any, terms: Any) -> Any:
    """A sum whose terms are all present."""
    return UNGUARDED(low, [(TRUE, value) for _, value in terms])


QUOTIENT = NodeBuilder.quotient


def truncated_quotient(self: NodeBuilder, dividend: Any, divisor: int) -> Any:
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
    return PresolveFacts(places)


NEGATE = model.NodeBuilder.negate


def keeps_members(self: NodeBuilder, item: Any) -> Any:
    """A membership is its own opposite."""
    return item if isinstance(item, ir.InDomain) else NEGATE(self, item)


GROUP = facts.group


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


@pytest.mark.parametrize("name", MUTANTS)
def test_the_harness_notices(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """On the same case nothing parts where nothing is broken; a crash would be no comparison."""
    mutant = MUTANTS[name]
    assert mutant.case in CASES
    sound, broken = (ground(task_from_text(case_task(mutant.case))) for _ in range(2))
    all_agree(sound)
    mutant.patch(monkeypatch)
    with pytest.raises(AssertionError):
        all_agree(broken)


# -- reductions --------------------------------------------------------------------------------------------------------

SHELF = """\
planspec: task/1
id: shelf
query: Pick two things.
tables:
  Thing:
    columns: {{price: int, weight: int, kind: int}}
    rows:
      - {{id: a, price: 1, weight: 3, kind: 1}}
      - {{id: b, price: 2, weight: 4, kind: 1}}
      - {{id: c, price: 3, weight: 2, kind: 2}}
      - {{id: d, price: 4, weight: 4, kind: 1}}
plan: {{picks: {{n: key int, thing: Thing}}}}
scope: {{picks: [{{for: k in 1..2, n: k, thing: (t for t in Thing)}}]}}
constraints:
  rule:
    hard: {rule}
minimize: sum(p.thing.price for p in picks)
"""

REDUCING: dict[str, Mutant] = {
    "dominance forgets that rows must differ": Mutant(
        lambda m: m.setattr(dominance, "_rivals", lambda *a: (1, lambda code: True)),
        "all_different(p.thing for p in picks)",
    ),
    "dominance takes more for less": Mutant(
        lambda m: m.setattr(reads, "opposite", lambda sides: sides), "sum(p.thing.weight for p in picks) <= 5"
    ),
    "dominance looks at the objective alone": Mutant(
        lambda m: m.setattr(dominance, "_rows", lambda columns, count: [()] * count),
        "any(p.thing.kind == 2 for p in picks)",
    ),
}


def best_agree(rule: str) -> None:
    """The cheapest plan costs the same with values left out as by brute force over all plans."""
    made = [ground(task_from_text(SHELF.format(rule=rule))) for _ in range(2)]
    short, whole = solve(made[0]), solve(made[1], backend="brute", reduce=False)
    assert whole.status is Status.OPTIMAL
    assert (short.status, short.objective) == (whole.status, whole.objective)


@pytest.mark.parametrize("name", REDUCING)
def test_a_broken_reduction_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the reduction as it is nothing parts, and values are left out."""
    mutant = REDUCING[name]
    lowered = problem.lower(ground(task_from_text(SHELF.format(rule=mutant.case))))
    assert reduced(lowered.problem, Question.BEST).reductions == ("dominance",)
    best_agree(mutant.case)
    mutant.patch(monkeypatch)
    with pytest.raises(AssertionError):
        best_agree(mutant.case)
