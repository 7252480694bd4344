"""No sum in a problem of a shipped claim reaches 2^31. Beyond this value, CP-SAT has returned wrong results."""

from __future__ import annotations

from pathlib import Path

import pytest

from planspec.api.catalog import Catalog
from planspec.api.certificates import certificate_path, read
from planspec.api.conversation import judges
from planspec.solvers.backends.brute import parts
from planspec.solvers.ir import nodes as ir
from planspec.solvers.ir.problem import Problem
from planspec.solvers.lowering.problem import lower
from planspec.solvers.questions.claims import variant_for_best
from planspec.solvers.questions.relaxed_scope import widen_beyond
from planspec.verifiers.meaning.ground import Ground

SUITES = (
    "examples",
    "scheduling",
    "travelplanner-small",
    "veritrip-near-misses",
    "veritrip",
    "mobilitybench",
    "worldtravel",
)


def maximum_sum(problem: Problem) -> int:
    """Return the largest possible sum of the absolute values of terms, over all linear expressions of a problem."""
    greatest, seen = 0, set[int]()
    todo: list[object] = [rooted.condition for rooted in problem.hard]
    todo += [rooted.condition for rooted, _ in problem.soft]
    todo += [node for each in problem.objectives for node in (each.linear, each.defined)]
    while todo:
        node = todo.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, ir.Linear):
            greatest = max(
                greatest,
                abs(node.constant) + sum(abs(c) * maximum_absolute_value(atom) for atom, c in node.terms),
            )
        if not isinstance(node, ir.IntVar):
            todo.extend(parts(node))
    return greatest


def maximum_absolute_value(atom: ir.Atom) -> int:
    """Return the largest absolute value that a term can have."""
    match atom:
        case ir.Indicator():
            return 1
        case ir.IntVar(domain=domain):
            return max(abs(domain.low), abs(domain.high))
        case _:
            return max(abs(atom.low), abs(atom.high))


def claim_problems(task: Ground, path: Path) -> list[Problem]:
    """Return the problems of a certificate's claims.

    The claims are about all plans and about the best plans, within the scope and, if the certificate has
    such claims, beyond it.
    """
    claims = [task, *([best] if (best := variant_for_best(task)) is not None else [])]
    if read(certificate_path(path, task.task.id)).claims_beyond:
        claims += [widen_beyond(claim).ground for claim in claims]
    return [lower(claim).problem for claim in claims]


def assert_small_sums(names: list[str]) -> None:
    """Check that all sums in the problems of the tasks' certified claims are below 2 to the 31."""
    catalog = Catalog()
    for name in names:
        for reference in catalog.expand(name):
            for judge in judges(str(reference), workspace=catalog.workspace):
                assert max(map(maximum_sum, claim_problems(judge.ground, reference.path))) < 2**31, judge.task.id


@pytest.mark.slow
def test_the_sums_of_one_task_of_each_kind_stay_below_2_to_the_31() -> None:
    assert_small_sums(["job-shop", "mb-000001", "menu"])


@pytest.mark.thorough
@pytest.mark.parametrize("suite", SUITES)
def test_the_sums_of_every_shipped_task_stay_below_2_to_the_31(suite: str) -> None:
    assert_small_sums([suite])
