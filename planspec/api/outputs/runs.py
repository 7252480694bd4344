"""Output models for runs: scores, rewards, exports, and verdicts that changed on rescoring."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from pydantic import JsonValue

from planspec.api.outputs.base import Output

if TYPE_CHECKING:
    pass


class FailureOutput(Output):
    """Number of attempts that failed at a boundary such as `provider`; task, message and code line of the first."""

    boundary: str
    attempts: int
    task: str
    message: str
    place: str | None = None


class RunOutput(Output):
    """The output of `run`: the folder of its records, the family's metrics, attempts by status, and failures.

    Attributes:
        usd: cost of requests to models in USD; null if a price, or an attempt's number of tokens, is unknown.
        stopped: reason why the run was stopped early; null if it was not.
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
    """The reward of one trajectory of a role.

    Attributes:
        round: round of bargaining between the agent's parts, counted from 1; null if the trajectory spans all rounds.
        stage: index of the trajectory among the stages of the attempt's trace; null if the trace has no stages.
        advantage: reward minus the group's mean, divided by the group's standard deviation; null in a group of
            one.
        terms: terms of the reward by name.
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
    """The output of `rewards`: the rewards of a run.

    Attributes:
        rewards: rewards of the trajectories, in the order of the attempts.
        groups: statistics for each role and task over all repeats.
        unserved: number of attempts left out because they failed at the provider.
    """

    run: str
    rewards: list[RoleRewardOutput]
    groups: list[RewardGroupOutput]
    unserved: int


class RowsOutput(Output):
    """The output of `export rows`: the file, the table in it, and the number of rows."""

    file: str
    table: Literal["tasks", "attempts", "findings", "calls", "messages", "generations", "conversations"]
    rows: int


class HarborOutput(Output):
    """The output of `export harbor`: the folder, and the tasks, each in a subfolder named by its id."""

    folder: str
    tasks: list[str]


class DatasetOutput(Output):
    """The output of `export dataset`: the folder, and the ids of its tasks."""

    folder: str
    tasks: list[str]


class OrsOutput(Output):
    """The output of `export ors`: the folder of the server, and its tasks."""

    folder: str
    tasks: list[str]


class SubmissionOutput(Output):
    """The output of `export submission`: the file, the number of its records, and the tasks without an attempt."""

    file: str
    records: int
    missing: list[str]


class TableOutput(Output):
    """The output of `export table`: the file with its rows and columns.

    Attributes:
        unsaid: data that the columns cannot express, each with the number of tasks that have it.
    """

    file: str
    rows: int
    columns: list[str]
    unsaid: dict[str, int]


class MovedConstraintOutput(Output):
    """A constraint that is violated in only one of two verdicts, before and after rescoring.

    Attributes:
        before: status before; null if the constraint did not exist.
        after: status after; null if the constraint no longer exists.
    """

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
    """The family's metrics before and after rescoring. `before` is null if it needs a suite that no longer exists."""

    before: dict[str, JsonValue] | None
    after: dict[str, JsonValue]


class RescoreOutput(Output):
    """Comparison of a run's recorded verdicts with new ones.

    Attributes:
        out: folder of the new run with the new verdicts.
        moved: attempts whose verdict changed.
        gone: tasks of the run that are no longer in the suite.
        added: tasks of the suite that the run did not attempt.
    """

    run: str
    out: str
    suite: str
    attempts: int
    moved: list[MovedVerdictOutput]
    metrics: RescoredMetricsOutput
    gone: list[str]
    added: list[str]


OUTPUTS: dict[str, Any] = {
    "run": RunOutput,
    "rescore": RescoreOutput,
    "rewards": RewardsOutput,
    "export-rows": RowsOutput,
    "export-dataset": DatasetOutput,
    "export-harbor": HarborOutput,
    "export-ors": OrsOutput,
    "export-submission": SubmissionOutput,
    "export-table": TableOutput,
}
"""Pydantic models of the JSON output of commands, by name."""
