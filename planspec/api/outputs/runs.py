"""What is found of runs: scores, rewards, exports, and what moved when they were judged again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from pydantic import JsonValue

from planspec.api.outputs.base import Output

if TYPE_CHECKING:
    pass


class FailureOutput(Output):
    """The number of attempts that failed at a boundary, and the first message, with the line of the program where there is one."""

    boundary: str
    attempts: int
    task: str
    message: str
    place: str | None = None


class RunOutput(Output):
    """`run`: where its records are, the family's metrics, attempts by status, and what failed.

    `stopped` says why the run was stopped before its end; null where it was not. `usd` is what requests to models cost; null where
    a price, or the tokens of an attempt, are not known.
    """

    run: str
    name: str | None = None
    suite: str
    agent: str
    metrics: dict[str, Any]
    attempts: dict[str, int] = {}
    failures: list[FailureOutput] = []
    usd: float | None = None
    stopped: str | None = None


class RoleRewardOutput(Output):
    """What one trajectory of a role earned: its `round` of bargaining, its place in the trace's stages, the terms of the reward.

    `advantage` is null in a group of one.
    """

    task: str
    repeat: int
    role: str
    round: int | None
    stage: int | None
    reward: float
    advantage: float | None
    terms: dict[str, float]


class RewardGroupOutput(Output):
    """What one role earned at one task over all repeats."""

    task: str
    role: str
    size: int
    mean: float
    std: float


class RewardsOutput(Output):
    """`rewards`: of each trajectory, their groups, and how many attempts failed at the provider and are left out."""

    run: str
    rewards: list[RoleRewardOutput]
    groups: list[RewardGroupOutput]
    unserved: int


class RowsOutput(Output):
    """`export rows`: the file, which table it holds, and how many rows."""

    file: str
    table: Literal["tasks", "attempts", "findings", "calls", "messages", "generations", "conversations"]
    rows: int


class HarborOutput(Output):
    """`export harbor`: the folder, and the tasks, each in a folder of its id."""

    folder: str
    tasks: list[str]


class OrsOutput(Output):
    """`export ors`: the folder of the server, and the tasks that it serves."""

    folder: str
    tasks: list[str]


class SubmissionOutput(Output):
    """`export submission`: the file, its records, and the tasks without an attempt."""

    file: str
    records: int
    missing: list[str]


class TableOutput(Output):
    """`export table`: the file, its rows and columns, and what the columns cannot say by the number of tasks that have it."""

    file: str
    rows: int
    columns: list[str]
    unsaid: dict[str, int]


class MovedConstraintOutput(Output):
    """A constraint that is violated before or now and not both: its status in each (null: it was not there)."""

    constraint: str
    level: Literal["hard", "soft", "shape"]
    before: Literal["satisfied", "violated", "not-applicable"] | None
    after: Literal["satisfied", "violated", "not-applicable"] | None
    message: str


class MovedVerdictOutput(Output):
    """An attempt whose verdict moved, and the constraints that moved with it."""

    task: str
    repeat: int
    before: Literal["pass", "fail", "undelivered"]
    after: Literal["pass", "fail", "undelivered"]
    because: list[MovedConstraintOutput]


class RescoredMetricsOutput(Output):
    """The family's metrics before and now; those before are null where their suite is not there any more."""

    before: dict[str, JsonValue] | None
    after: dict[str, JsonValue]


class RescoreOutput(Output):
    """A run judged again: the folder of the new verdicts, what moved, and tasks that only the run or the suite has."""

    run: str
    out: str
    suite: str
    attempts: int
    moved: list[MovedVerdictOutput]
    metrics: RescoredMetricsOutput
    gone: list[str]
    added: list[str]
