"""The checker accepts a proof only if every step follows from the previous ones."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planspec.solvers.backends.outcome import Limits
from planspec.solvers.backends.sat.formula import Formula
from planspec.solvers.proofs import checker
from planspec.solvers.proofs.checker import InvalidProofError, check
from planspec.solvers.proofs.refutation import Refutation, lrat, refute

EVERY_SIGN = [(1, 2), (1, -2), (-1, 2), (-1, -2)]
PROOF = ["5 1 0 1 2 0", "6 0 5 3 4 0"]

literals = st.integers(1, 5).flatmap(lambda variable: st.sampled_from((variable, -variable)))
clauses = st.lists(literals, min_size=1, max_size=3, unique_by=abs).map(tuple)


def is_satisfiable(formula: list[tuple[int, ...]]) -> bool:
    """Try every assignment, and return whether one is a model of the formula."""
    variables = max(abs(literal) for clause in formula for literal in clause)
    return any(
        all(any((literal > 0) == values[abs(literal) - 1] for literal in clause) for clause in formula)
        for values in product((False, True), repeat=variables)
    )


def test_a_proof_written_by_hand_is_accepted_and_its_steps_counted() -> None:
    assert check(EVERY_SIGN, PROOF) == 2


def test_deletions_and_lines_after_the_empty_clause_do_not_matter() -> None:
    assert check(EVERY_SIGN, [PROOF[0], "5 d 1 2 0", PROOF[1], "nonsense"]) == 2


@pytest.mark.parametrize(
    ("proof", "message"),
    [
        ([], "it ends before the empty clause"),
        (PROOF[:1], "it ends before the empty clause"),
        (PROOF[1:], "line 1: clause 5 does not exist or does not decide a literal"),
        (["5 1 0 1 0", PROOF[1]], "line 1: its hints lead to no contradiction"),
        (["5 1 0 3 4 0"], "line 1: clause 3 does not exist or does not decide a literal"),
        (["5 0 1 2 3 4 0"], "line 1: clause 1 does not exist or does not decide a literal"),
        (["5 0 0"], "line 1: its hints lead to no contradiction"),
        (["5 1 0 9 0"], "line 1: clause 9 does not exist or does not decide a literal"),
        (["5 1 0 5 0"], "line 1: clause 5 does not exist or does not decide a literal"),
        (["5 1 0 -1 2 0"], "line 1: clause -1 does not exist or does not decide a literal"),
        (["3 1 0 1 2 0"], "line 1 is not a step"),
        (["5 1 0 1 2"], "line 1 is not a step"),
        (["5 1 0 1 0 2 0"], "line 1 is not a step"),
        (["5 1 1 2"], "line 1 is not a step"),
        (["5 one 0 1 2 0"], "line 1 is not a step"),
        ([""], "line 1 is not a step"),
        ([PROOF[0], PROOF[0]], "line 2 is not a step"),
    ],
)
def test_a_step_that_does_not_follow_is_refused_with_its_line(proof: list[str], message: str) -> None:
    with pytest.raises(InvalidProofError, match=f"^{message}$"):
        check(EVERY_SIGN, proof)


def test_a_formula_with_the_literal_0_is_refused() -> None:
    with pytest.raises(InvalidProofError, match="has 0"):
        check([(0,)], ["2 0 1 0"])


def test_a_step_that_keeps_a_formula_satisfiable_but_does_not_follow_is_refused() -> None:
    with pytest.raises(InvalidProofError):
        check([(1, 2)], ["2 3 0 0"])


@given(st.lists(clauses, min_size=1, max_size=14))
def test_the_prover_refutes_exactly_formulas_without_a_model_and_its_proofs_are_accepted(
    formula: list[tuple[int, ...]],
) -> None:
    encoded = Formula(variables=5)
    for clause in formula:
        encoded.add(*clause)
    result = refute(encoded, Limits(seconds=30))
    assert isinstance(result, Refutation) is not is_satisfiable(formula)
    if isinstance(result, Refutation):
        assert check(formula, lrat(result.steps)) == len(result.steps)
        used = [formula[number - 1] for number in sorted(result.used())]
        assert not is_satisfiable(used)
    else:
        assert all(any(result[abs(each)] is (each > 0) for each in clause) for clause in formula)


@given(st.lists(clauses, min_size=1, max_size=10), st.data())
def test_no_proof_text_refutes_a_satisfiable_formula(formula: list[tuple[int, ...]], data: st.DataObject) -> None:
    steps = data.draw(
        st.lists(
            st.tuples(st.lists(literals, max_size=2), st.lists(st.integers(-2, len(formula) + 6), max_size=4)),
            max_size=6,
        )
    )
    proof = [
        " ".join(map(str, (number, *clause, 0, *hints, 0)))
        for number, (clause, hints) in enumerate(steps, len(formula) + 1)
    ]
    try:
        check(formula, proof)
    except InvalidProofError:
        return
    assert not is_satisfiable(formula)


def test_the_checker_is_short_and_imports_nothing_from_planspec() -> None:
    text = Path(checker.__file__).read_text("utf-8")
    code = [line for line in text.partition("from __future__")[2].splitlines() if line.strip()]
    assert len(code) < 60
    imports = [line for line in code if line.startswith(("import ", "from "))]
    assert imports == ["from collections.abc import Iterable, Sequence"]
