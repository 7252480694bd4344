"""The declaration of a metric: the kind of its number and its better direction, where the metric is defined.

A metric is a field of a model below `MetricFields`, annotated with its declaration:

    class TripMetrics(Metrics):
        pass_rate: Annotated[Exact | None, Metric("rate", "higher", main=True)] = Field(description="...")
        walked: Annotated[Exact | None, Metric("quantity", "lower")] = Field(description="metres on foot; mean over tasks")

A table of counts, such as the cells of an answer by column and status, declares its `Tallies` alike.

Intervals, comparisons and reports read the declaration; no other module names a metric.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, Literal, TypeAlias, get_args

from pydantic import BaseModel, ConfigDict, PlainSerializer, WithJsonSchema

from planspec.verifiers.metrics.scored import Scored

Exact: TypeAlias = Annotated[
    Fraction, PlainSerializer(float, return_type=float, when_used="json"), WithJsonSchema({"type": "number"})
]
"""An exact number; a float in JSON and nowhere else."""
Kind: TypeAlias = Literal["rate", "share", "quantity"]
"""An attempt has a rate or has it not (1 or 0), has a share of a whole (from 0 to 1), or has a quantity of any size."""
Better: TypeAlias = Literal["higher", "lower"]
Weight: TypeAlias = Callable[[Scored], int]


def once(_: Scored) -> int:
    """The weight of a mean over attempts."""
    return 1


def asked(kind: str) -> Weight:
    """The weight of a rate over all hard constraints of a kind that apply to the task."""
    return lambda scored: scored.asked.get(kind, 0)


@dataclass(frozen=True, slots=True)
class Metric:
    """The declaration of a metric.

    Attributes:
        kind: of its number.
        better: the direction in which it gets better.
        weight: how often an attempt counts: once in a mean over attempts, as often as there are constraints in a rate
            over constraints. The weighted mean of what the attempts bring must be the metric of the run.
        main: groups of tasks are compared by it; one metric of a set at most.
    """

    kind: Kind
    better: Better
    weight: Weight = once
    main: bool = False


@dataclass(frozen=True, slots=True)
class Tallies:
    """The declaration of a table of counts: a row for each sort of thing, with `n` of it and how many are of each status.

    The counts of a run are the sums of those of its attempts, so that the share of a row has an interval over tasks.

    Attributes:
        title: of the table: `Cells by column`.
        things: the word for what is counted: `cells`.
        right: the status of those that are as they should be; the share of all others is compared.
    """

    title: str
    things: str
    right: str


PASS_RATE = Metric("rate", "higher", main=True)
"""The pass rate, whatever its name."""
Rate: TypeAlias = Annotated[Exact | None, Metric("rate", "higher")]
PassRate: TypeAlias = Annotated[Exact | None, PASS_RATE]
Share: TypeAlias = Annotated[Exact | None, Metric("share", "higher")]


class MetricFields(BaseModel):
    """A document whose numbers are metrics: each field with an exact number carries its declaration."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @classmethod
    def __pydantic_init_subclass__(cls, **_: object) -> None:
        """Refuse a metric without a declaration, and a second main one."""
        found = declared(cls)
        for name, field in cls.model_fields.items():
            if name not in found and _is_exact(field.annotation):
                raise TypeError(f"`{cls.__name__}.{name}` is a number and does not declare its `Metric`")
        if sum(metric.main for metric in found.values()) > 1:
            raise TypeError(f"`{cls.__name__}` has more than one main metric")


def declared(model: type[MetricFields]) -> dict[str, Metric]:
    """The metrics of a model by name; the bounds of a metric `m` that is known only between two are `m.least` and the like."""
    found: dict[str, Metric] = {}
    for name, field in model.model_fields.items():
        for metric in field.metadata:
            if isinstance(metric, Metric):
                found[name] = metric
                found |= {f"{name}.{part}": metric for part in _parts(field.annotation)}
    return found


def tallied(model: type[MetricFields]) -> dict[str, Tallies]:
    """The tables of counts of a model by name."""
    return {
        name: declaration
        for name, field in model.model_fields.items()
        for declaration in field.metadata
        if isinstance(declaration, Tallies)
    }


def _is_exact(annotation: Any) -> bool:
    """The field holds an exact number, or bounds that are; groups of other metrics declare their own."""
    return annotation is Fraction or bool(_parts(annotation)) or any(map(_is_exact, get_args(annotation)))


def _parts(annotation: Any) -> tuple[str, ...]:
    """The bounds of a number that is known only between two."""
    for model in (annotation, *get_args(annotation)):
        if isinstance(model, type) and issubclass(model, BaseModel) and not issubclass(model, MetricFields):
            return tuple(name for name, field in model.model_fields.items() if _is_exact(field.annotation))
    return ()
