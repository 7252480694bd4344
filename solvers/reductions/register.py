"""The register of reductions, with the kinds of questions whose answers each reduction preserves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum

from planspec.dsl.resources.collecting import rarely_collecting
from planspec.solvers.ir.problem import Problem, Rooted
from planspec.solvers.reductions import counts, symmetry
from planspec.solvers.reductions.dominance import undominated_domains
from planspec.solvers.reductions.reads import Reads, SharedReads


class Question(Enum):
    """A kind of question about a problem: which assignments the answer needs.

    - FEASIBLE: any assignment.
    - BEST: a best assignment.
    - SUBSETS: which soft conditions can hold together, and the best value of each objective under them.
    - EVERY: all assignments, or properties of all of them.
    """

    FEASIBLE = "feasible"
    BEST = "best"
    SUBSETS = "subsets"
    EVERY = "every"


@dataclass(frozen=True, slots=True)
class Reduction:
    """A transformation that makes problems smaller and preserves the answers to some questions.

    Attributes:
        name: name of the reduction. `Problem.reductions` lists it.
        serves: kinds of questions whose answers are preserved.
        apply: function that returns the smaller problem, or the same problem if the reduction does not apply. Each
            assignment of the result is an assignment of the original problem; if the result has a `translation`, it
            must first be translated. The second argument is a function, shared by all reductions, that returns the
            nodes that read each variable.
    """

    name: str
    serves: frozenset[Question]
    apply: Callable[[Problem, Reads], Problem]


def _undominated(problem: Problem, reads: Reads) -> Problem:
    memberships = [
        Rooted(problem.model.member(var, domain), "reduction:dominance")
        for var, domain in undominated_domains(problem, reads).items()
    ]
    if not memberships:
        return problem
    return replace(problem, hard=[*problem.hard, *memberships], reductions=(*problem.reductions, "dominance"))


ONE_OF_EACH = frozenset({Question.FEASIBLE, Question.BEST, Question.SUBSETS})
"""Kinds of questions that can be answered without all assignments, so that reductions may remove some."""
DOMINANCE = Reduction("dominance", ONE_OF_EACH, _undominated)
COUNTS = Reduction(counts.NAME, ONE_OF_EACH, counts.count_classes)
SYMMETRY = Reduction(symmetry.NAME, frozenset({Question.BEST}), symmetry.sort_rows)

REDUCTIONS: tuple[Reduction, ...] = (DOMINANCE, COUNTS, SYMMETRY)
"""All reductions, in the order in which they are applied."""


@rarely_collecting()
def apply_reductions(problem: Problem, question: Question) -> Problem:
    """Return a smaller problem, with all reductions applied that preserve the answer to a kind of question.

    Open the result with `planspec.solvers.reductions.session.open_session`.

    Raises:
        LimitReachedError: a limit of the surrounding `Deadline` was reached.
    """
    reads = SharedReads()
    for reduction in REDUCTIONS:
        if question in reduction.serves:
            problem = reduction.apply(problem, reads)
    return problem
