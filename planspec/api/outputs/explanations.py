"""Why a task has no plan or a hard one: conflicts, repairs, changes, and measures of difficulty."""

from __future__ import annotations

from typing import Any, Literal

from planspec.api.outputs.base import Output
from planspec.api.outputs.claims import DifferenceOutput, OpinionOutput, UniqueOutput
from planspec.errors import Reason


class AmountOutput(Output):
    """The amount by which a member of a way out has to give.

    `by` is in `unit` as margins are; `stated` is what the task has, and `needed` what would do, as people write it; null
    where both sides of the comparison depend on the plan. Unless `proved` less may do.
    """

    member: str
    by: int | str
    unit: str
    proved: bool
    stated: str | None
    needed: str | None


class RelaxationOutput(Output):
    """Rules and bounds without which there is a plan; `amounts` of comparisons by order and of ranges."""

    drop: list[str]
    weight: int
    amounts: list[AmountOutput] = []


class MemberOutput(Output):
    """A rule or bound: what it says, and what a violation of it says where that is the same for every plan."""

    text: str
    message: str | None
    level: Literal["hard", "bound", "background"]
    file: str
    line: int


class ConflictProofOutput(Output):
    """A proof, checked, that the members of a conflict cannot hold together: its steps, and the members whose clauses it uses."""

    steps: int
    uses: list[str]


class ConflictWords(Output):
    """Sentences about conflicts, which say no more than was proved: every place that shows conflicts shows these.

    `conflicts`: over each minimal conflict. `core`: over members among which the conflict is, where no minimal one was proved.
    `after`: whether there are other conflicts. `ways`: over the ways out. `ways_after`: whether there are others.
    """

    conflicts: list[str] = []
    core: str = ""
    after: str = ""
    ways: str = ""
    ways_after: str = ""


class WhyOutput(Output):
    """Why a task has no plan. `complete`: there are no other minimal conflicts. `proofs`: of each conflict in order, if they were asked for.

    `relaxed`: all cheapest relaxations are there. `core`: members among which the conflict is, where no minimal one was proved in time. `members`: what each id means.
    `by`: the back ends that prove that the conflicts cannot hold together. `disagreement`: the answers that contradict each other; the
    status is `unknown` then.
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
    """The nearest plan that satisfies every hard constraint, and what leads to it from the answer.

    `by`: the back ends that prove that it is the nearest, or that there is none. `disagreement`: the answers of back ends that
    contradict each other; the status is `unknown` then. `reason`: the limit that left it undecided.
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
    """A row of facts that is left out: the cells that tell it from others."""

    table: str
    row: dict[str, Any]


class TightenOutput(Output):
    """The rows that were left out so that the plan to keep is the only one.

    `free`: where it is impossible, how a plan that stays, or goes only with the one to keep, differs from that.
    `by`: the back ends that prove that the plan is the only one; that no fewer rows would do is proved by CP-SAT alone.
    """

    task: str
    status: Literal["tightened", "already-unique", "impossible", "unknown"]
    removed: list[RemovedOutput]
    proved_smallest: bool
    unique: UniqueOutput | None
    free: list[DifferenceOutput] = []
    by: list[str] = []


class CountOutput(Output):
    """The number of plans; a lower bound unless `exact`. `by`: the back ends that prove it."""

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
    """The hard constraint that the plan satisfies most narrowly, of those measured in one unit."""

    constraint: str
    margin: int | str
    unit: str | None


class GreedyOutput(Output):
    """The run of a greedy strategy in a table: `settled` of `rows` until no plan was left."""

    strategy: str
    table: str
    settled: int
    rows: int
    end: Literal["through", "stuck", "unknown"]


class DifficultyOutput(Output):
    """The difficulty of a task. `search`: CP-SAT's effort for a plan and for what uniqueness asks.

    `anchors`: rows in scope with a time that a hard constraint looks up in facts, such as booked starts. `hard` and `soft`:
    instances that apply; `total`: of both. `by`: the back ends that prove the status and the number of plans. `disagreement`: the
    answers of back ends that contradict each other.
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
