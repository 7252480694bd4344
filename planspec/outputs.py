"""The JSON documents of the command line, as models; `planspec schema output/NAME` prints their schemas."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, JsonValue

from planspec.dsl.rendering import DiagnosticJson
from planspec.verifiers.verdict import Verdict


class Output(BaseModel):
    """What all of them share."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class TaskEntry(Output):
    """A task of `tasks list`."""

    id: str
    family: str | None
    suite: str | None
    title: str


class BackendOutput(Output):
    """What one back end proved."""

    status: str
    seconds: float


class ClaimOutput(Output):
    """What every asked back end proved."""

    status: str
    backends: dict[str, BackendOutput]


class UniqueOutput(ClaimOutput):
    """The same of uniqueness, with the second plan where there is one."""

    second: Any = None


class ReferenceOutput(Output):
    """The author's answer: whether there is one, and whether the verifier accepts it."""

    present: bool
    accepted: bool


class ValidateOutput(Output):
    """One task of `validate`."""

    task: str
    feasible: ClaimOutput
    unique: UniqueOutput
    reference: ReferenceOutput
    witness: Any = None


class SoftOutput(Output):
    """Weight of soft constraints."""

    satisfied: int
    total: int


class SolveOutput(Output):
    """What `solve` found. `objective` and `bound` are in the unit inside (minutes, minor units, metres)."""

    task: str
    status: Literal["optimal", "feasible", "infeasible", "unknown"]
    plan: Any
    objective: int | float | None
    bound: int | float | None
    soft: SoftOutput
    backend: str
    seconds: float


class ScoreOutput(Output):
    """What `score` made of many answers."""

    suite: str
    profile: str
    metrics: dict[str, JsonValue]
    plans: list[Verdict]


OUTPUTS: dict[str, Any] = {
    "check": list[DiagnosticJson],
    "tasks": list[TaskEntry],
    "verify": Verdict,
    "score": ScoreOutput,
    "solve": SolveOutput,
    "validate": list[ValidateOutput],
}
