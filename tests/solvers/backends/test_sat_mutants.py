"""Each mutant of the encoder (a version with an error) changes the solutions of some small problem."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import product
from typing import Any

import pytest

from planspec.solvers.backends.outcome import Limits, Status
from planspec.solvers.backends.register import backend
from planspec.solvers.backends.sat import encoder as encoding
from planspec.solvers.backends.sat.encoder import ClauseEncoder
from planspec.solvers.backends.sat.gates import FALSE, Gates
from planspec.solvers.backends.sat.numbers import Arithmetic, BitNumber
from planspec.solvers.ir.builder import NodeBuilder
from planspec.solvers.ir.domain import Domain
from planspec.solvers.ir.evaluate import evaluate
from planspec.solvers.ir.nodes import Bool
from planspec.solvers.ir.problem import Problem, Rooted

Case = Callable[[NodeBuilder], Bool]


def variables(model: NodeBuilder) -> list[Any]:
    """Add three variables to a model, and return them."""
    x, y, z = (
        model.var(name, domain)
        for name, domain in (
            ("x", Domain.of([-3, -2, 0, 1, 4])),
            ("y", Domain.interval(0, 5)),
            ("z", Domain.interval(0, 1)),
        )
    )
    return [x, y, z]


def case_of(case: Callable[..., Bool]) -> Case:
    """Return a function that builds a condition over three variables of a model."""
    return lambda model: case(model, *variables(model))


CASES: dict[str, Case] = {
    "sum": case_of(
        lambda m, x, y, z: m.is_zero(m.sum((m.of(x), m.scale(m.of(y), 3), m.scale(m.of(z), -7), m.constant(-4))))
    ),
    "comparison": case_of(
        lambda m, x, y, z: m.at_most_zero(m.sum((m.of(x), m.scale(m.of(y), 2), m.of(z), m.constant(-5))))
    ),
    "carries": case_of(
        lambda m, x, y, z: m.at_most_zero(
            m.sum((m.scale(m.of(x), 5), m.scale(m.of(y), 7), m.scale(m.of(z), 3), m.constant(-29)))
        )
    ),
    "gaps": case_of(lambda m, x, y, z: m.disj((m.member(x, Domain.of([-2, 4])), m.member(y, Domain.of([1, 3]))))),
    "domain": case_of(lambda m, x, y, z: m.negate(m.member(x, Domain.of([0])))),
    "table": case_of(lambda m, x, y, z: m.in_table((x, y), {(-3, 1), (0, 5), (4, 0), (4, 4)})),
    "no table": case_of(lambda m, x, y, z: m.negate(m.in_table((x, y), {(-3, 1), (0, 5), (4, 0), (4, 4)}))),
    "function": case_of(
        lambda m, x, y, z: m.is_zero(m.minus(m.tabled((x, y), {(-3, 2): 4, (1, 1): -2, (4, 5): 9}, 3), m.constant(3)))
    ),
    "choice": case_of(
        lambda m, x, y, z: m.is_zero(
            m.minus(
                m.select(((m.member(x, Domain.of([-3, 4])), m.of(y)), (m.member(x, Domain.of([0])), m.constant(-2)))),
                m.of(z),
            )
        )
    ),
    "greatest": case_of(
        lambda m, x, y, z: m.is_zero(
            m.minus(
                m.extreme(
                    ((m.member(z, Domain.of([1])), m.of(x)), (m.member(y, Domain.of([0, 2, 5])), m.of(y))),
                    greatest=True,
                ),
                m.constant(4),
            )
        )
    ),
    "least": case_of(
        lambda m, x, y, z: m.is_zero(
            m.sum(
                (
                    m.extreme(
                        ((m.member(z, Domain.of([1])), m.of(x)), (m.member(y, Domain.of([2, 4, 5])), m.of(y))),
                        greatest=False,
                    ),
                    m.constant(3),
                )
            )
        )
    ),
    "least above": case_of(
        lambda m, x, y, z: m.is_zero(
            m.minus(
                m.extreme(
                    ((m.member(z, Domain.of([1])), m.of(x)), (m.member(y, Domain.of([2, 4, 5])), m.of(y))),
                    greatest=False,
                ),
                m.constant(2),
            )
        )
    ),
    "quotient": case_of(
        lambda m, x, y, z: m.is_zero(m.sum((m.quotient(m.plus(m.of(x), m.scale(m.of(y), 2)), 3), m.scale(m.of(z), -1))))
    ),
    "product": case_of(
        lambda m, x, y, z: m.at_most_zero(m.plus(m.product(m.of(x), m.plus(m.of(y), m.constant(-2))), m.constant(5)))
    ),
    "all": case_of(
        lambda m, x, y, z: m.negate(m.conj((m.at_most_zero(m.plus(m.of(x), m.of(y))), m.member(z, Domain.of([1])))))
    ),
    "none": case_of(
        lambda m, x, y, z: m.negate(m.disj((m.at_most_zero(m.minus(m.of(x), m.of(y))), m.member(z, Domain.of([1])))))
    ),
    "nested": case_of(
        lambda m, x, y, z: m.disj(
            (
                m.conj((m.member(x, Domain.of([1, 4])), m.at_most_zero(m.minus(m.of(y), m.of(x))))),
                m.conj((m.member(z, Domain.of([0])), m.is_zero(m.minus(m.of(x), m.of(y))))),
            )
        )
    ),
}
"""Conditions that together use every kind of node, some of them negated."""


def expected_solutions(case: Case) -> set[tuple[int, ...]]:
    """Return the solutions of a condition, by enumeration."""
    model = NodeBuilder()
    condition = case(model)
    return {
        values
        for values in product(*(var.domain for var in model.vars))
        if evaluate(condition, {var.id: value for var, value in zip(model.vars, values, strict=True)})
    }


def solutions_of(case: Case) -> set[tuple[int, ...]] | None:
    """Return the solutions that the back end finds, or None if it repeats a solution or returns a value outside a
    domain.
    """
    model = NodeBuilder()
    condition = case(model)
    session = backend("sat").open(Problem(model, [Rooted(condition, "case")], [], (), [], {}), Limits(seconds=30))
    solutions: set[tuple[int, ...]] = set()
    while (outcome := session.solve()).found:
        values = tuple(outcome.values[var.id] for var in model.vars)
        if values in solutions or any(value not in var.domain for var, value in zip(model.vars, values, strict=True)):
            return None
        solutions.add(values)
        session.add(
            model.disj(
                model.negate(model.member(var, Domain.of([value])))
                for var, value in zip(model.vars, values, strict=True)
            )
        )
    assert outcome.status is Status.INFEASIBLE
    return solutions


@pytest.mark.parametrize("name", CASES)
def test_the_encoder_has_exactly_the_expected_solutions(name: str) -> None:
    assert solutions_of(CASES[name]) == expected_solutions(CASES[name])


def constant_function(value: object) -> Callable[..., object]:
    """Return a function that returns a value for any arguments."""
    return lambda *_, **__: value


def at_most_one_more(self: Arithmetic, number: BitNumber, bound: int) -> int:
    """Encode a bound that is wrongly larger by one."""
    return AT_MOST(self, number, bound + 1)


AT_MOST, TOTAL, EITHER, PRODUCT, TABLED = (
    Arithmetic.at_most,
    Arithmetic.total,
    Arithmetic.either,
    Arithmetic.product,
    Arithmetic.tabled,
)
ADDED, CHOOSE, ALL_OF, DIFFER, LITERAL = (
    Gates.full_adder,
    Gates.choose,
    Gates.all_of,
    Gates.differ,
    ClauseEncoder._literal,
)


def adder_with_lossy_carry(self: Gates, a: int, b: int, c: int) -> tuple[int, int]:
    """Encode a full adder that wrongly ignores the incoming carry in the outgoing one."""
    return ADDED(self, a, b, c)[0], self.all_of((a, b))


def bits_without_offset(self: Arithmetic, number: BitNumber, low: int) -> tuple[int, ...]:
    """Encode the bits of a number, wrongly without its offset."""
    return number.bits


def product_without_offsets(self: Arithmetic, a: BitNumber, b: BitNumber) -> BitNumber:
    """Encode a product, wrongly without the offsets of its factors."""
    return BitNumber(
        PRODUCT(self, BitNumber(0, a.bits), BitNumber(0, b.bits)).low,
        PRODUCT(self, BitNumber(0, a.bits), BitNumber(0, b.bits)).bits,
    )


def table_without_default(
    self: Arithmetic, numbers: Iterable[BitNumber], values: Mapping[tuple[int, ...], int], default: int
) -> BitNumber:
    """Encode a table whose default is wrongly its smallest value."""
    return TABLED(self, list(numbers), values, min(values.values()))


def total_without_signs(self: Arithmetic, terms: Iterable[tuple[int, BitNumber]], constant: int = 0) -> BitNumber:
    """Encode a sum that wrongly takes the absolute values of its factors."""
    return TOTAL(self, [(abs(factor), number) for factor, number in terms], constant)


def require_without_negation(self: ClauseEncoder, condition: Any, origin: str) -> None:
    """Require a negated condition as if it were not negated."""
    REQUIRE(self, getattr(condition, "item", condition), origin)


REQUIRE, CLAUSE, DEFINE = ClauseEncoder.require, ClauseEncoder._clause, Gates._define

MUTANTS: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "bounds are one too high": lambda m: m.setattr(Arithmetic, "at_most", at_most_one_more),
    "a carry forgets one of three bits": lambda m: m.setattr(Gates, "full_adder", adder_with_lossy_carry),
    "a sum of three bits forgets the third": lambda m: m.setattr(
        Gates, "_sum_bit", lambda self, a, b, c: self.differ(a, b)
    ),
    "two of three are read as all": lambda m: m.setattr(Gates, "_majority", lambda self, *bits: ALL_OF(self, bits)),
    "a choice takes the other side": lambda m: m.setattr(Gates, "choose", lambda self, c, a, b: CHOOSE(self, -c, a, b)),
    "only the first of two cases counts": lambda m: m.setattr(Arithmetic, "either", lambda self, c, a, b: a),
    "differ means equal": lambda m: m.setattr(Gates, "differ", lambda self, a, b: -DIFFER(self, a, b)),
    "all are read as any": lambda m: m.setattr(Gates, "all_of", lambda self, xs: -ALL_OF(self, [-x for x in xs])),
    "factors lose their sign": lambda m: m.setattr(Arithmetic, "total", total_without_signs),
    "offsets are lost": lambda m: m.setattr(Arithmetic, "_offset_bits", bits_without_offset),
    "products begin at zero": lambda m: m.setattr(Arithmetic, "product", product_without_offsets),
    "a table's default is its least value": lambda m: m.setattr(Arithmetic, "tabled", table_without_default),
    "domains are not enforced": lambda m: m.setattr(
        encoding.ClauseEncoder,
        "_clause",
        lambda self, xs, origin: None if origin.startswith("domain:") else CLAUSE(self, xs, origin),
    ),
    "a greatest is never replaced": lambda m: m.setattr(Arithmetic, "less", constant_function(FALSE)),
    "equal is at most": lambda m: m.setattr(Arithmetic, "equal", AT_MOST),
    "negations are dropped": lambda m: m.setattr(ClauseEncoder, "require", require_without_negation),
    "a clause loses a literal": lambda m: m.setattr(
        encoding.ClauseEncoder, "_clause", lambda self, xs, origin: CLAUSE(self, xs[1:] or xs, origin)
    ),
    "gates hold in one direction only": lambda m: m.setattr(Gates, "_define", define_in_one_direction),
}


def define_in_one_direction(
    self: Gates, key: tuple[object, ...], clauses: Callable[[int], list[tuple[int, ...]]]
) -> int:
    """Encode a definition, wrongly as an implication in one direction."""
    return DEFINE(self, key, lambda out: [clause for clause in clauses(out) if out in clause])


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_mutant_of_the_encoder_is_detected(mutant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    MUTANTS[mutant](monkeypatch)
    assert any(solutions_of(case) != expected_solutions(case) for case in CASES.values())
