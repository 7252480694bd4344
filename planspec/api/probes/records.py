"""Results of a search for probes: the probes of a task, and those that were skipped."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, TypeAlias

from planspec.verifiers.meaning.verdict import STRICT

ProbeKind: TypeAlias = Literal["reference", "far", "near", "other", "breaks", "empty", "refusal"]
"""Kind of a probe.

`reference`: the author's answer; `far`, `near`: plans that differ from it in as many, or as few, fields as a
solver finds; `other`: further plans; `breaks`: violates one constraint; `empty`: no rows; `refusal`: says that
there is no plan.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeViolation:
    """A constraint that a probe violates."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = STRICT
    constraint: str = field(metadata={"description": "id of the instance"})
    margin: str | None = field(metadata={"description": "such as -15min; null if the violation has no amount"})
    message: str = field(metadata={"description": "planspec's reason"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """A probe: an answer that is proved right or wrong."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = STRICT
    kind: ProbeKind
    answer: Any = field(metadata={"description": "the answer as JSON, in the form that an agent gives"})
    passes: bool = field(metadata={"description": "whether the answer is right"})
    constraint: str | None = field(
        default=None, metadata={"description": "id of the violated constraint, if kind is `breaks`"}
    )
    violations: tuple[ProbeViolation, ...] = field(
        default=(), metadata={"description": "violations of hard constraints and of the shape of plans"}
    )
    changes: tuple[str, ...] = field(
        default=(), metadata={"description": "fields and rows in which the plan differs from the reference"}
    )
    plan: Any = field(
        default=None,
        metadata={"description": "the plan's tables as JSON; null if the answer has that form, or no plan"},
    )
    is_extreme: bool = field(
        default=False,
        metadata={
            "description": "whether it is proved that no plan in the search is farther or nearer, or violates the "
            "constraint by less"
        },
    )
    objectives: tuple[str, ...] = field(
        default=(), metadata={"description": "values of the objectives beside the best known ones"}
    )
    by: tuple[str, ...] = field(
        metadata={
            "description": "what proves the probe: the verifier and, for `is_extreme`, back ends; only the verifier if "
            "the violation is one unit"
        }
    )

    def __str__(self) -> str:
        name = f"{self.kind} {self.constraint}" if self.constraint else self.kind
        return f"{name}: {'right' if self.passes else 'wrong'}"


@dataclass(frozen=True, slots=True, kw_only=True)
class SkippedProbe:
    """A probe that was not produced, with the reason."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = STRICT
    kind: ProbeKind
    constraint: str | None = None
    status: Literal["none", "unknown", "dropped"] = field(
        metadata={
            "description": "`none`: proved that there is no such answer; `unknown`: not found in time; `dropped`: "
            "the verifier judged it otherwise than intended, or its format cannot express it"
        }
    )
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Probes:
    """The probes of a task, and the skipped ones."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = STRICT
    probes: tuple[Probe, ...]
    skipped: tuple[SkippedProbe, ...]

    def __iter__(self) -> Iterator[Probe]:
        return iter(self.probes)

    def __len__(self) -> int:
        return len(self.probes)

    def count(self, status: str) -> int:
        """Return the number of skipped probes with a status."""
        return sum(skipped.status == status for skipped in self.skipped)
