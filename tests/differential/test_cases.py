"""The hand-written conditions: plain, negated, reified and rewarded, on every plan of a fixed scope."""

from __future__ import annotations

import pytest

from planspec.dsl.check.builtins import BUILTINS
from planspec.dsl.documents.documents import task_from_text
from planspec.verifiers.meaning.ground import ground
from tests.differential.agreement import all_agree
from tests.differential.cases import BUILTIN_CASES, CASES, case_task


def test_every_builtin_has_a_case() -> None:
    """A builtin without a differential case is not trusted."""
    assert set(BUILTIN_CASES) == set(BUILTINS)
    for name, bodies in BUILTIN_CASES.items():
        assert all(f"{name}(" in body for body in bodies)


@pytest.mark.parametrize("form", ["plain", "negated", "reified", "rewarded"])
@pytest.mark.parametrize("body", CASES)
def test_all_meanings_agree(body: str, form: str) -> None:
    """Interpreter, compiled verifier and lowering, with and without presolve."""
    text = {
        "plain": body, "negated": f"not ({body})", "reified": f"({body}) == (picks[2].item == a)", "rewarded": body,
    }[form]  # fmt: skip
    all_agree(ground(task_from_text(case_task(text, "soft" if form == "rewarded" else "hard"))))
