"""No sum of a shipped claim reaches 2^31, beyond which a solver has been wrong."""

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
from planspec.solvers.questions.claims import among_best
from planspec.solvers.questions.relaxed_scope import widen_beyond
from planspec.verifiers.meaning.ground import Ground

SUITES = (
    "examples",
    "travelplanner-small",
    "veritrip-near-misses",
    "veritrip",
    "mobilitybench",
    "worldtravel",
)


def largest(problem: Problem) -> int:
    """Return the greatest sum of absolute values that the terms of any linear form can reach."""
    most, seen = 0, set[int]()
    todo: list[object] = [rooted.condition for rooted in problem.hard]
    todo += [rooted.condition for rooted, _ in problem.soft]
    todo += [node for each in problem.objectives for node in (each.linear, each.defined)]
    while todo:
        node = todo.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, ir.Linear):
            most = max(most, abs(node.constant) + sum(abs(c) * size(atom) for atom, c in node.terms))
        if not isinstance(node, ir.IntVar):
            todo.extend(parts(node))
    return most


def size(atom: ir.Atom) -> int:
    match atom:
        case ir.Indicator():
            return 1
        case ir.IntVar(domain=domain):
            return max(abs(domain.low), abs(domain.high))
        case _:
            return max(abs(atom.low), abs(atom.high))


def problems(task: Ground, path: Path) -> list[Problem]:
    """Return the problems of every claim of the certificate.

    They are those about all plans and about the best, within the scope and, if it claims so, beyond it.
    """
    claims = [task, *([best] if (best := among_best(task)) is not None else [])]
    if read(certificate_path(path, task.task.id)).claims_beyond:
        claims += [widen_beyond(claim).ground for claim in claims]
    return [lower(claim).problem for claim in claims]


def check(names: list[str]) -> None:
    catalog = Catalog()
    for name in names:
        for reference in catalog.expand(name):
            for judge in judges(str(reference), workspace=catalog.workspace):
                assert max(map(largest, problems(judge.ground, reference.path))) < 2**31, judge.task.id


@pytest.mark.slow
def test_the_sums_of_one_task_of_each_kind_stay_below_2_to_the_31() -> None:
    check(["job-shop", "delivery", "veritrip-001", "berlin-001", "vienna-011", "mb-000001", "menu"])


@pytest.mark.thorough
@pytest.mark.parametrize("suite", SUITES)
def test_the_sums_of_every_shipped_task_stay_below_2_to_the_31(suite: str) -> None:
    check([suite])
