"""Output models that explain tasks: conflicts, repairs, changes, and measures of difficulty."""

from __future__ import annotations

from typing import Any, Literal

from planspec.api.outputs.base import Output
from planspec.api.outputs.claims import DifferenceOutput, OpinionOutput, UniqueOutput
from planspec.errors import Reason


class AmountOutput(Output):
    """The amount by which a member of a way out must be relaxed.

    `by` is in `unit`, as margins are. `stated` is the task's value and `needed` a sufficient one, as text;
    both are null if both sides of the comparison depend on the plan. Unless `proved`, less may suffice.
    """

    member: str
    by: int | str
    unit: str
    proved: bool
    stated: str | None
    needed: str | None


class RelaxationOutput(Output):
    """A way out: constraints and bounds without which there is a plan; `amounts` for comparisons."""

    drop: list[str]
    weight: int
    amounts: list[AmountOutput] = []


class MemberOutput(Output):
    """A constraint or bound: its text, and its message if the message is the same for every plan."""

    text: str
    message: str | None
    level: Literal["hard", "bound", "background"]
    file: str
    line: int


class ConflictProofOutput(Output):
    """A checked proof that a conflict cannot hold: its number of steps, and the members that it uses."""

    steps: int
    uses: list[str]


class ConflictWords(Output):
    """Sentences about conflicts that claim no more than was proved; all displays of conflicts use them.

    `conflicts`: headings of the minimal conflicts. `core`: heading of the members that contain a conflict, if
    no minimal one was proved. `after`: whether there are other conflicts. `ways`: heading of the ways out.
    `ways_after`: whether there are others.
    """

    conflicts: list[str] = []
    core: str = ""
    after: str = ""
    ways: str = ""
    ways_after: str = ""


class WhyOutput(Output):
    """Why a task has no plan. `complete`: no other minimal conflicts. `proofs`: of conflicts, if requested.

    `relaxed`: whether all cheapest relaxations are listed. `core`: members that contain a conflict, if no
    minimal one was proved in time. `members`: the members by id. `by`: back ends that prove that the
    conflicts cannot hold together. `disagreement`: answers that contradict each other; the status is then
    `unknown`.
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
    """The nearest plan that satisfies every hard constraint, and the edits that lead to it from the answer.

    `by`: back ends that prove that it is the nearest, or that there is none. `disagreement`: answers of back
    ends that contradict each other; the status is then `unknown`. `reason`: the limit that left it undecided.
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
    """The rows that were removed so that the plan to keep is the only one.

    `free`: if impossible, how a plan that remains, or disappears only with the plan to keep, differs from it.
    `by`: back ends that prove that the plan is the only one; CP-SAT alone proves that no fewer rows suffice.
    """

    task: str
    status: Literal["tightened", "already-unique", "impossible", "unknown"]
    removed: list[RemovedOutput]
    proved_smallest: bool
    unique: UniqueOutput | None
    free: list[DifferenceOutput] = []
    by: list[str] = []


class CountOutput(Output):
    """The number of plans; a lower bound unless `exact`. `by`: back ends that prove it."""

    count: int
    exact: bool
    by: list[str] = []


class BackboneOutput(Output):
    """The number of open fields that are equal in every plan; an upper bound unless `complete`."""

    fixed: int
    open: int
    share: float | None
    complete: bool


class SlackOutput(Output):
    """The hard constraint with the smallest margin, among those measured in one unit."""

    constraint: str
    margin: int | str
    unit: str | None


class GreedyOutput(Output):
    """The run of a greedy strategy on a table: `settled` of `rows` before no plan remained."""

    strategy: str
    table: str
    settled: int
    rows: int
    end: Literal["through", "stuck", "unknown"]


class DifficultyOutput(Output):
    """The difficulty of a task. `search`: CP-SAT's effort for a plan and for uniqueness.

    `anchors`: number of rows in scope with a time that a hard constraint looks up in facts, such as booked
    starts. `hard`, `soft` and `total`: numbers of applicable instances. `by`: back ends that prove the status
    and the number of plans. `disagreement`: answers of back ends that contradict each other.
    """

    task: str
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
