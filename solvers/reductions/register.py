"""The reductions by name, each with the questions that it may serve."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import Enum

from planspec.solvers.ir.domain import Domain
from planspec.solvers.ir.nodes import IntVar
from planspec.solvers.ir.problem import Problem, Rooted
from planspec.solvers.reductions.dominance import undominated


class Question(Enum):
    """What is asked of a problem.

    FEASIBLE: an assignment. BEST: one of the best. SUBSETS: which of the soft conditions hold together, and how good
    each objective can be where they do. EVERY: all assignments, or how they differ.
    """

    FEASIBLE = "feasible"
    BEST = "best"
    SUBSETS = "subsets"
    EVERY = "every"


@dataclass(frozen=True, slots=True)
class Reduction:
    """A way to take values away from variables that keeps the answers to some questions.

    Attributes:
        name: under which a reduced problem lists it; the origin of its conditions.
        serves: the questions whose answers stay.
        domains: the domains that are left of those variables that lose values. The problem's hard conditions alone
            say of each of its assignments that it is one of the whole problem.
    """

    name: str
    serves: frozenset[Question]
    domains: Callable[[Problem], Mapping[IntVar, Domain]]


DOMINANCE = Reduction(
    "dominance", frozenset({Question.FEASIBLE, Question.BEST, Question.SUBSETS}), undominated
)

REDUCTIONS: tuple[Reduction, ...] = (DOMINANCE,)
"""All of them, in the order in which they are applied."""


def reduced(problem: Problem, question: Question) -> Problem:
    """The problem with what the reductions that may serve a question add to it.

    Every assignment of the reduced problem is one of the problem itself.

    Raises:
        LimitReached: the limit of the block around is.
    """
    for reduction in REDUCTIONS:
        if question in reduction.serves:
            problem = apply(reduction, problem)
    return problem


def apply(reduction: Reduction, problem: Problem) -> Problem:
    """The problem over the domains that a reduction leaves."""
    model = problem.model
    found = [
        Rooted(model.member(var, domain), f"reduction:{reduction.name}")
        for var, domain in reduction.domains(problem).items()
    ]
    if not found:
        return problem
    return replace(problem, hard=[*problem.hard, *found], reductions=(*problem.reductions, reduction.name))
