"""The reductions by name, each with the questions that it may serve."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum

from planspec.solvers.ir.problem import Problem, Rooted
from planspec.solvers.reductions import counts
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
    """A way to make a problem smaller that keeps the answers to some questions.

    Attributes:
        name: under which a reduced problem lists it; the origin of its conditions.
        serves: the questions whose answers stay.
        apply: the smaller problem; the same one where there is nothing to take away. Each of its assignments is one of the whole
            problem, or stands for one by its `translation`.
    """

    name: str
    serves: frozenset[Question]
    apply: Callable[[Problem], Problem]


def _undominated(problem: Problem) -> Problem:
    found = [
        Rooted(problem.model.member(var, domain), "reduction:dominance")
        for var, domain in undominated(problem).items()
    ]
    if not found:
        return problem
    return replace(problem, hard=[*problem.hard, *found], reductions=(*problem.reductions, "dominance"))


ONE_OF_EACH = frozenset({Question.FEASIBLE, Question.BEST, Question.SUBSETS})
DOMINANCE = Reduction("dominance", ONE_OF_EACH, _undominated)
COUNTS = Reduction(counts.NAME, ONE_OF_EACH, counts.counted)

REDUCTIONS: tuple[Reduction, ...] = (DOMINANCE, COUNTS)
"""All of them, in the order in which they are applied."""


def reduced(problem: Problem, question: Question) -> Problem:
    """The problem as the reductions that may serve a question leave it.

    It is to be opened by `planspec.solvers.reductions.session`.

    Raises:
        LimitReachedError: the limit of the block around is.
    """
    for reduction in REDUCTIONS:
        if question in reduction.serves:
            problem = reduction.apply(problem)
    return problem
