"""Output models on runs: scores, rewards, exports, and verdicts that changed on rescoring."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from pydantic import JsonValue

from planspec.api.outputs.base import Output

if TYPE_CHECKING:
    pass


class FailureOutput(Output):
    """Attempts that failed at a boundary: number, first message, and its program line if known."""

    boundary: str
    attempts: int
    task: str
    message: str
    place: str | None = None


class RunOutput(Output):
    """`run`: the folder of its records, the family's metrics, attempts by status, and failures.

    `stopped`: why the run was stopped early, or null. `usd`: cost of requests to models; null if a price, or
    the tokens of an attempt, are unknown.
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
    """The reward of a role's trajectory: `round` of bargaining, index in the trace's stages, and terms.

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
    """The rewards of one role at one task over all repeats."""

    task: str
    role: str
    size: int
    mean: float
    std: float


class RewardsOutput(Output):
    """`rewards`: rewards of trajectories, groups, and the number of failures of the provider left out."""

    run: str
    rewards: list[RoleRewardOutput]
    groups: list[RewardGroupOutput]
    unserved: int


class RowsOutput(Output):
    """`export rows`: the file, the table that it holds, and the number of rows."""

    file: str
    table: Literal["tasks", "attempts", "findings", "calls", "messages", "generations", "conversations"]
    rows: int


class HarborOutput(Output):
    """`export harbor`: the folder, and the tasks, each in a folder named by its id."""

    folder: str
    tasks: list[str]


class OrsOutput(Output):
    """`export ors`: the folder of the server, and its tasks."""

    folder: str
    tasks: list[str]


class SubmissionOutput(Output):
    """`export submission`: the file, its records, and the tasks without an attempt."""

    file: str
    records: int
    missing: list[str]


class TableOutput(Output):
    """`export table`: the file, its rows and columns, and inexpressible data with numbers of tasks."""

    file: str
    rows: int
    columns: list[str]
    unsaid: dict[str, int]


class MovedConstraintOutput(Output):
    """A constraint violated either before or now: its status in each (null if absent)."""

    constraint: str
    level: Literal["hard", "soft", "shape"]
    before: Literal["satisfied", "violated", "not-applicable"] | None
    after: Literal["satisfied", "violated", "not-applicable"] | None
    message: str


class MovedVerdictOutput(Output):
    """An attempt whose verdict changed, and the constraints that changed with it."""

    task: str
    repeat: int
    before: Literal["pass", "fail", "undelivered"]
    after: Literal["pass", "fail", "undelivered"]
    because: list[MovedConstraintOutput]


class RescoredMetricsOutput(Output):
    """The family's metrics before and now; those before are null if their suite no longer exists."""

    before: dict[str, JsonValue] | None
    after: dict[str, JsonValue]


class RescoreOutput(Output):
    """A rescored run: the folder of new verdicts, changes, and tasks that only the run or suite has."""

    run: str
    out: str
    suite: str
    attempts: int
    moved: list[MovedVerdictOutput]
    metrics: RescoredMetricsOutput
    gone: list[str]
    added: list[str]
