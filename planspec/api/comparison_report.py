"""Results of comparing two versions of a suite, with their text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from planspec.api.claim_outputs import ContradictoryAnswer, opinions_in_words
from planspec.text import PlainFormatter
from planspec.verifiers.meaning.verdict import violation_lines

if TYPE_CHECKING:
    from planspec.api.catalog import TaskReference
    from planspec.dsl.model.task import Task
    from planspec.solvers.questions.disagreement import Version
    from planspec.solvers.questions.validation import BackendClaim
    from planspec.text import LineFormatter
    from planspec.verifiers.meaning.verdict import Finding

SAME: Mapping[bool | None, str] = {True: "same", False: "different", None: "unknown"}
COLORS: Mapping[bool | None, str] = {True: "green", False: "red", None: "yellow"}
HOW: Mapping[How, str] = {
    "text": "read from the same texts",
    "meaning": "the same hard constraints over the same facts, within the scope and beyond",
    "form": "their plans have different tables",
}
"""Text for each method that decided a comparison, except methods whose text has details."""
ORDINAL: Mapping[str, str] = {"first": "the first", "second": "the second"}


How: TypeAlias = Literal["text", "meaning", "solvers", "form", "reference", "witness", "none"]


@dataclass(frozen=True, slots=True)
class TaskComparison:
    """Comparison of two versions of one task.

    Attributes:
        task: id of the task, or of its turn.
        same: whether both versions accept the same plans; None if undecided.
        how: how it was decided. `text`: both have the same source texts. `meaning`: both have the same hard
            constraints over equal facts, except for names; this holds beyond any scope. `solvers`: each back
            end proved that no plan in scope is accepted by only one version. `form`: their plans have
            different tables. `reference`: only one version accepts the reference of a version. `witness`:
            only one version accepts a plan that a search found. `none`: undecided.
        scope: scope of the solvers' proofs: `both` if the versions have equal scopes, `each` if each scope
            was searched; None without such proofs.
        backends: result of each back end that was run.
        accepted_by: version that accepts a plan which the other refuses; None without such a plan.
        answer: this plan in the family's format; None without a plan, or if the format cannot express it.
        rows: this plan as its tables; None without a plan.
        refused: violations of this plan in the other version.
        reasons: how the tables of the plans differ, or why the comparison is undecided.
        disagreement: answers of back ends that contradict each other. `same` is then None.
    """

    task: str
    same: bool | None
    how: How
    scope: Literal["both", "each"] | None = None
    backends: Mapping[str, BackendClaim] = field(default_factory=dict, repr=False)
    accepted_by: Version | None = None
    answer: Any = field(default=None, repr=False)
    rows: Any = field(default=None, repr=False)
    refused: tuple[Finding, ...] = field(default=(), repr=False)
    reasons: tuple[str, ...] = ()
    disagreement: tuple[ContradictoryAnswer, ...] = ()

    def __repr__(self) -> str:
        return f"<TaskComparison of {self.task}: {SAME[self.same]} ({self.how})>"

    def __str__(self) -> str:
        """Return the text that `planspec compare` prints."""
        return "\n".join(comparison_lines(self, PlainFormatter()))


@dataclass(frozen=True, slots=True)
class SuiteComparison:
    """Comparison of two versions of a suite.

    Attributes:
        first: id of the first version.
        second: id of the second version.
        tasks: comparisons of the tasks that both versions have, in the order of the first version.
        only_first: ids of tasks that the second version lacks.
        only_second: ids of tasks that the first version lacks.
    """

    first: str
    second: str
    tasks: tuple[TaskComparison, ...]
    only_first: tuple[str, ...] = ()
    only_second: tuple[str, ...] = ()

    @property
    def same(self) -> bool | None:
        """Whether both versions have the same tasks and accept the same plans; None if undecided."""
        if self.only_first or self.only_second or any(task.same is False for task in self.tasks):
            return False
        return None if any(task.same is None for task in self.tasks) else True

    def __repr__(self) -> str:
        return f"<SuiteComparison of {self.first} and {self.second}: {summary(self)}>"

    def __str__(self) -> str:
        """Return the text that `planspec compare` prints."""
        return "\n".join((*map(str, self.tasks), *only_lines(self), summary(self)))


@dataclass(frozen=True, slots=True)
class TaskPair:
    """Two versions of a task or turn, each a reference to a task or a checked task."""

    task: str
    first: TaskReference | Task
    second: TaskReference | Task


@dataclass(frozen=True, slots=True)
class Pairing:
    """The tasks of two suites, paired by id."""

    first: str
    second: str
    pairs: tuple[TaskPair, ...]
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]


def comparison_lines(comparison: TaskComparison, paper: LineFormatter) -> Iterator[str]:
    """Yield the lines that `planspec compare` prints for one task."""
    status = paper.style(SAME[comparison.same], fg=COLORS[comparison.same])
    yield f"{comparison.task}: {status}, {_outcome_text(comparison)}"
    yield from (f"  {reason}" for reason in comparison.reasons)
    if comparison.disagreement:
        yield f"  {opinions_in_words(comparison.disagreement)}"
    if comparison.accepted_by is not None:
        yield from violation_lines(comparison.refused, paper)


def _outcome_text(comparison: TaskComparison) -> str:
    if comparison.how in HOW:
        return HOW[comparison.how]
    scope = "their scope" if comparison.scope == "both" else "the scope of either"
    who = ", ".join(f"{name} {claim.status} {claim.seconds:.2f} s" for name, claim in comparison.backends.items())
    if comparison.accepted_by is not None:
        what = "a reference" if comparison.how == "reference" else "a plan"
        found = "" if comparison.how == "reference" else f", found within {scope} ({who})"
        others = "second" if comparison.accepted_by == "first" else "first"
        return f"{ORDINAL[comparison.accepted_by]} accepts {what} that {ORDINAL[others]} refuses{found}"
    if comparison.how == "solvers":
        return f"no plan within {scope} tells them apart ({who})"
    return f"not decided within {scope} ({who})" if comparison.backends else "not decided"


def only_lines(comparison: SuiteComparison | Pairing) -> Iterator[str]:
    """Yield a line for each task that is in only one version."""
    yield from (f"{task}: in the first alone" for task in comparison.only_first)
    yield from (f"{task}: in the second alone" for task in comparison.only_second)


def summary(comparison: SuiteComparison) -> str:
    """Return a summary such as `11 same, 1 different`."""
    counts = Counter(SAME[task.same] for task in comparison.tasks)
    counts["in one alone"] = len(comparison.only_first) + len(comparison.only_second)
    order = ("same", "different", "unknown", "in one alone")
    return ", ".join(f"{counts[word]} {word}" for word in order if counts[word]) or "no tasks"
