"""For each mutant (an evaluator with an error), some hand-written condition makes the evaluators disagree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from planspec.dsl.documents.documents import task_from_text
from planspec.dsl.model import facts
from planspec.dsl.model import tree as t
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
from planspec.solvers.reductions.register import Question, apply_reductions
from planspec.verifiers.meaning import interpret
from planspec.verifiers.meaning.ground import ground
from tests.differential.agreement import assert_all_agree
from tests.differential.cases import CASES, case_task

Patch = Callable[[pytest.MonkeyPatch], None]


METHODS: Any = interpret.Interpreter._methods


@dataclass(frozen=True, slots=True)
class Mutant:
    """A change that breaks one evaluator, and a condition on which the evaluators then disagree."""

    patch: Patch
    case: str


def with_operators_swapped(original: Callable[..., Any], **operators: str) -> Callable[..., Any]:
    """Return a method that replaces comparison operators before it calls the original.

    Keywords name the operators, such as `le="<"`.
    """
    return lambda self, op, *rest: original(self, operators.get(operator_keyword(op), op), *rest)


def operator_keyword(op: str) -> str:
    """Return the keyword for a comparison operator, such as `le` for `<=`."""
    return {"<=": "le", "<": "lt", "==": "eq", "!=": "ne", ">": "gt", ">=": "ge"}[op]


def truncate_quotient(op: Any, left: Any, right: Any) -> Any:
    """Divide like C, which rounds negative quotients towards zero."""
    if left is not None and right is not None and right > 0 and op == "//":
        return -(-left // right) if left < 0 else left // right
    return ORIGINAL_ARITH(op, left, right)


ORIGINAL_ARITH = interpret.arith
LINEAR = atoms.Atoms._compare_numbers

MUTANTS: dict[str, Mutant] = {
    "a strict comparison is read as a weak one": Mutant(
        lambda m: m.setattr(atoms.Atoms, "_compare_numbers", with_operators_swapped(LINEAR, lt="<=")),
        "any(p.start < q.start for p in picks for q in picks)",
    ),
    "an inequality is read as a strict comparison": Mutant(
        lambda m: m.setattr(atoms.Atoms, "_compare_numbers", with_operators_swapped(LINEAR, ne="<")),
        "day_of_week(2026-07-01 + sum(p.n for p in picks)) != 3",
    ),
    "definedness forgotten": Mutant(
        lambda m: m.setattr(symbolic.Algebra, "defined", lambda self, value: TRUE),
        "sum(p.item.price for p in picks) <= 3.00 EUR",
    ),
    "absent rows count": Mutant(
        lambda m: m.setattr(aggregates, "members", members_without_presence), "all(p.n >= 0 for p in picks)"
    ),
    "keys may repeat": Mutant(lambda m: m.setattr(problem, "key_rules", lambda *a: []), "all(p.n >= 0 for p in picks)"),
    "several rows are read as one": Mutant(
        lambda m: m.setattr(aggregates, "options_if_alone", lambda low, options: list(options)),
        "the(p for p in picks if p.n >= 0).item == a",
    ),
    "ties in first and last ignored": Mutant(
        lambda m: m.setattr(lower.Lowering, "compare_order", weak_order),
        "first(p for p in picks, by=p.start).item == b",
    ),
    "steps over all pairs": Mutant(
        lambda m: m.setattr(neighbours, "_adjacent", lambda *a: TRUE),
        "all(p.item != q.item for p, q in steps(x for x in picks, by=x.start))",
    ),
    "steps without their groups": Mutant(
        lambda m: m.setattr(neighbours, "_same_group", lambda *a: TRUE),
        "all(p.n < q.n for p, q in steps(x for x in picks, by=x.start, per=x.item))",
    ),
    "a sum forgets its filter": Mutant(
        lambda m: m.setattr(aggregates, "_sum", unguarded_sum), "sum(p.n for p in picks) == 1"
    ),
    "a quotient is not floored": Mutant(
        lambda m: m.setattr(numbers, "arith", truncate_quotient), "(picks[2].n * 3) // 2 == -2"
    ),
    "a quotient of a sum is not floored": Mutant(
        lambda m: m.setattr(NodeBuilder, "quotient", truncated_quotient),
        "ceil_div(sum(p.n for p in picks), 2) == 1",
    ),
    "the least is read as the greatest": Mutant(
        lambda m: m.setattr(aggregates, "_extreme", swapped_extreme), "min(p.start for p in picks) >= 12:00"
    ),
    "filters that are none count as true": Mutant(
        lambda m: m.setattr(interpret.Interpreter, "meets", passes_if_none),
        "all(p.n > 0 for p in picks if p.hue == red)",
    ),
    "presolve removes a value": Mutant(
        lambda m: m.setattr(problem, "presolve_facts", presolve_without_least), "all(p.n >= 0 for p in picks)"
    ),
    "a default where a value is": Mutant(
        lambda m: m.setattr(lower.Lowering, "_fill_table", lambda self, v, first, second: second),
        "sum(p.item.price ?? 1.00 EUR for p in picks) <= 3.00 EUR",
    ),
    "a negation lost": Mutant(
        lambda m: m.setattr(model.NodeBuilder, "negate", negate_all_but_memberships),
        "all(p.n >= 0 for p in picks)",
    ),
    "an index finds one row of each key": Mutant(
        lambda m: m.setattr(facts, "group", index_of_first_rows),
        "sum(f.n for p in picks if p.hue is none for f in Fact if f.item == p.item) == 2",
    ),
    "none differs from everything": Mutant(
        lambda m: m.setitem(METHODS, t.Compare, compare_like_python), "picks[3].n != 2"
    ),
}


MEMBERS = aggregates.members


def members_without_presence(low: Any, source: Any, env: Any) -> Any:
    """Return all rows that may be present. The conditions under which they are present are wrongly left out."""
    return ((TRUE, value) for _, value in MEMBERS(low, source, env))


def weak_order(self: Any, op: str, a: Any, b: Any) -> Any:
    """Compare with `<=` instead of `<`."""
    choices = self.algebra.combine_cases((a, b))
    weak = {"<": "<=", ">": ">="}[op]
    return self.model.disj(self.model.conj((g, self.atoms.compare(weak, x, y))) for g, (x, y) in choices)


UNGUARDED = aggregates._sum


def unguarded_sum(low: Any, terms: Any) -> Any:
    """Return a sum of all terms, wrongly including terms of absent rows."""
    return UNGUARDED(low, [(TRUE, value) for _, value in terms])


QUOTIENT = NodeBuilder.quotient


def truncated_quotient(self: NodeBuilder, dividend: Any, divisor: int) -> Any:
    """Return a quotient that is rounded towards zero, and thus one too high for negative dividends."""
    return (
        QUOTIENT(self, self.plus(dividend, self.constant(divisor - 1)), divisor)
        if dividend.low < 0
        else QUOTIENT(self, dividend, divisor)
    )


EXTREME = aggregates._extreme


def swapped_extreme(low: Any, terms: Any, *, greatest: bool) -> Any:
    """Return the maximum instead of the minimum, and the reverse."""
    return EXTREME(low, terms, greatest=not greatest)


def passes_if_none(self: Any, condition: Any, env: Any) -> bool:
    """Return whether a filter is true or *none*, which should not pass."""
    return METHODS[type(condition)](self, condition, env) is not False


def presolve_without_least(roots: Any, slots: Any) -> Any:
    """Return presolve facts that wrongly remove the smallest value of each variable."""
    places = {p: Domain.of(list(v.domain)[1:]) for p, v in slots.variables.items() if v.domain.size > 1}
    return PresolveFacts(places)


NEGATE = model.NodeBuilder.negate


def negate_all_but_memberships(self: NodeBuilder, item: Any) -> Any:
    """Negate a condition, but wrongly return a membership test unchanged."""
    return item if isinstance(item, ir.InDomain) else NEGATE(self, item)


GROUP = facts.group


def index_of_first_rows(rows: Any, columns: Any) -> Any:
    """Return an index that wrongly has only the first row for each key."""
    return {key: group[:1] for key, group in GROUP(rows, columns).items()}


COMPARE = interpret.Interpreter._compare


def compare_like_python(self: Any, expr: Any, env: Any) -> Any:
    """Evaluate `!=` as Python does if a side is *none*."""
    if expr.ops == ("!=",):
        left, right = (self.value(operand, env) for operand in expr.operands)
        return left != right
    return COMPARE(self, expr, env)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_makes_the_evaluators_disagree(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The evaluators agree on the same case without the mutant. A crash does not count as a difference."""
    mutant = MUTANTS[name]
    assert mutant.case in CASES
    sound, broken = (ground(task_from_text(case_task(mutant.case))) for _ in range(2))
    assert_all_agree(sound)
    mutant.patch(monkeypatch)
    with pytest.raises(AssertionError):
        assert_all_agree(broken)


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

REDUCTION_MUTANTS: dict[str, Mutant] = {
    "dominance forgets that rows must differ": Mutant(
        lambda m: m.setattr(dominance, "_needed_dominators", lambda *a: (1, lambda code: True)),
        "all_different(p.thing for p in picks)",
    ),
    "dominance reads more as less": Mutant(
        lambda m: m.setattr(reads, "opposite", lambda sides: sides), "sum(p.thing.weight for p in picks) <= 5"
    ),
    "dominance considers only the objective": Mutant(
        lambda m: m.setattr(dominance, "_transpose", lambda columns, count: [()] * count),
        "any(p.thing.kind == 2 for p in picks)",
    ),
}


def assert_best_plans_agree(rule: str) -> None:
    """Check that the cheapest plan after reductions costs as much as the one that brute force finds without them."""
    tasks = [ground(task_from_text(SHELF.format(rule=rule))) for _ in range(2)]
    smaller, whole = solve(tasks[0]), solve(tasks[1], backend="brute", reduce=False)
    assert whole.status is Status.OPTIMAL
    assert (smaller.status, smaller.objective) == (whole.status, whole.objective)


@pytest.mark.parametrize("name", REDUCTION_MUTANTS)
def test_a_mutant_of_a_reduction_changes_the_best_plan(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the mutant, the reduction removes values and keeps the costs."""
    mutant = REDUCTION_MUTANTS[name]
    lowered = problem.lower(ground(task_from_text(SHELF.format(rule=mutant.case))))
    assert apply_reductions(lowered.problem, Question.BEST).reductions == ("dominance",)
    assert_best_plans_agree(mutant.case)
    mutant.patch(monkeypatch)
    with pytest.raises(AssertionError):
        assert_best_plans_agree(mutant.case)
