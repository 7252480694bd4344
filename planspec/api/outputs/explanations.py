"""Output models that explain tasks: conflicts, repairs, changes, and measures of difficulty."""

from __future__ import annotations

from typing import Any, Literal

from planspec.api.outputs.base import Output
from planspec.api.outputs.claims import DifferenceOutput, OpinionOutput, ReadingDifferenceOutput, UniqueOutput
from planspec.errors import Reason


class AmountOutput(Output):
    """The amount by which a constraint or bound must be relaxed as part of a way out (a relaxation that has a plan).

    Attributes:
        by: the amount, in the unit of margins.
        proved: whether no smaller amount is proved to suffice.
        stated: value in the task, as text; null if both sides of the comparison depend on the plan.
        needed: relaxed value that would suffice, as text; null if `stated` is null.
    """

    member: str
    by: int | str
    unit: str
    proved: bool
    stated: str | None
    needed: str | None


class RelaxationOutput(Output):
    """A way out: constraints and bounds to give up, and amounts by which comparisons must be relaxed."""

    drop: list[str]
    weight: int
    amounts: list[AmountOutput] = []


class MemberOutput(Output):
    """A constraint or bound in a conflict, with its text. `message` is null if it depends on the plan."""

    text: str
    message: str | None
    level: Literal["hard", "bound", "background"]
    file: str
    line: int


class ConflictProofOutput(Output):
    """A checked proof that the members of a conflict cannot hold together.

    `steps` is the number of steps of the proof. `uses` has the ids of the members that occur in it.
    """

    steps: int
    uses: list[str]


class ConflictWords(Output):
    """Sentences about conflicts for pages and commands. They state only what was proved.

    Attributes:
        conflicts: heading of each minimal conflict.
        core: heading of a set of members that contains a conflict; empty if a minimal conflict was proved.
        after: sentence on whether there are other conflicts.
        ways: heading of the ways out.
        ways_after: remark on whether there are other ways out.
    """

    conflicts: list[str] = []
    core: str = ""
    after: str = ""
    ways: str = ""
    ways_after: str = ""


class WhyOutput(Output):
    """The reasons why a task has no plan.

    Attributes:
        mus: minimal conflicts, each as ids of its members.
        complete: whether there are no other minimal conflicts.
        relaxations: cheapest ways out.
        relaxed: whether `relaxations` has all cheapest ways out.
        core: ids of a set of members that contains a conflict, if no minimal conflict was proved in time.
        members: constraints and bounds in the conflicts and ways out, by id.
        proofs: proofs of the conflicts, if requested.
        by: back ends that prove that the members of each conflict cannot hold together.
        disagreement: answers of back ends that contradict each other. The status is then `unknown`.
        words: sentences about the conflicts.
    """

    task: str
    status: Literal["infeasible", "feasible", "unknown"]
    mus: list[list[str]]
    complete: bool
    relaxations: list[RelaxationOutput]
    relaxed: bool = False
    core: list[str] = []
    members: dict[str, MemberOutput] = {}
    proofs: list[ConflictProofOutput] = []
    by: list[str] = []
    disagreement: list[OpinionOutput] = []
    words: ConflictWords = ConflictWords()


class RepairOutput(Output):
    """The plan that satisfies every hard constraint and is nearest to an answer.

    Attributes:
        edits: edits that turn the answer into the plan.
        proved_smallest: whether the plan is proved to be the nearest.
        by: back ends that prove that the plan is the nearest, or that there is none.
        disagreement: answers of back ends that contradict each other. The status is then `unknown`.
        reason: limit at which the search stopped, if the status is undecided.
    """

    task: str
    status: Literal["repaired", "already-valid", "infeasible", "unknown"]
    edits: list[DifferenceOutput]
    proved_smallest: bool
    plan: Any
    by: list[str] = []
    disagreement: list[OpinionOutput] = []
    reason: Reason | None = None


class RemovedOutput(Output):
    """A removed row of facts, given by its identifying cells."""

    table: str
    row: dict[str, Any]


class TightenOutput(Output):
    """The rows of facts whose removal makes a given plan, the kept plan, the only one.

    Attributes:
        free: if the status is `impossible`, the differences between the kept plan and another plan. No removal can
            exclude that plan without also excluding the kept one.
        by: back ends that prove that the plan is the only one; CP-SAT alone proves that no fewer rows
            suffice.
    """

    task: str
    status: Literal["tightened", "already-unique", "impossible", "unknown"]
    removed: list[RemovedOutput]
    proved_smallest: bool
    unique: UniqueOutput | None
    free: list[DifferenceOutput] = []
    by: list[str] = []


class CountOutput(Output):
    """The number of plans.

    Attributes:
        exact: whether the number is exact. Otherwise it is a lower bound.
        by: back ends that prove the number.
    """

    count: int
    exact: bool
    by: list[str] = []


class BackboneOutput(Output):
    """Number of open fields (fields that the plan must fill) with the same value in every plan.

    If `complete` is false, `fixed` is an upper bound of this number.
    """

    fixed: int
    open: int
    share: float | None
    complete: bool


class SlackOutput(Output):
    """The hard constraint with the smallest margin, for margins of one unit, such as minutes."""

    constraint: str
    margin: int | str
    unit: str | None


class GreedyOutput(Output):
    """Result of a greedy strategy that fixes a plan table row by row. It fixed `settled` of `rows` rows.

    `end` is `through` if it fixed all rows that a plan needs, `stuck` if no plan has the fixed rows, or `unknown` at
    a limit.
    """

    strategy: str
    table: str
    settled: int
    rows: int
    end: Literal["through", "stuck", "unknown"]


class DifficultyOutput(Output):
    """The difficulty of a task.

    Attributes:
        reading: reading of the suite in which the task was read; null for the task as written.
        search: CP-SAT's search effort for finding a plan and for proving uniqueness.
        anchors: number of rows in scope for which a hard constraint takes a time from the facts, such as a booked
            start.
        hard: number of applicable hard constraint instances.
        soft: number of applicable soft constraint instances.
        total: number of applicable constraint instances.
        by: back ends that prove the status and the number of plans.
        disagreement: answers of back ends that contradict each other.
        differences: plans on which this reading differs from earlier readings with another status or number of plans.
    """

    task: str
    reading: str | None = None
    status: Literal["feasible", "infeasible", "unknown"]
    solutions: CountOutput | None
    backbone: BackboneOutput | None
    slack: list[SlackOutput]
    anchors: int
    hard: int
    soft: int
    total: int
    search: dict[str, int | float]
    greedy: list[GreedyOutput]
    finished: bool
    by: list[str] = []
    disagreement: list[OpinionOutput] = []
    differences: list[ReadingDifferenceOutput] = []


OUTPUTS: dict[str, Any] = {
    "why": WhyOutput | list[WhyOutput],
    "repair": RepairOutput,
    "tighten": TightenOutput | list[TightenOutput],
    "difficulty": list[DifficultyOutput],
}
"""Pydantic models of the JSON output of commands, by name."""
