"""Declarations of metrics, which say what kind of number a metric is and whether higher values are better.

A metric is a field of a subclass of `MetricFields`, annotated with its declaration:

    class TripMetrics(Metrics):
        pass_rate: Annotated[Exact | None, Metric("rate", "higher", main=True)] = Field(description="...")
        walked: Annotated[Exact | None, Metric("quantity", "lower")] = Field(description="metres on foot;
            mean over tasks")

A table of counts, such as an answer's cells by column and status, has a declaration of type `Tallies`.

Confidence intervals, comparisons and reports depend only on these declarations; no other module names a metric.
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
"""An exact number. It becomes a float only in JSON."""
Kind: TypeAlias = Literal["rate", "share", "quantity"]
"""The values that one attempt can have: 0 or 1 (`rate`), from 0 to 1 (`share`), or any number (`quantity`)."""
Better: TypeAlias = Literal["higher", "lower"]
Weight: TypeAlias = Callable[[Scored], int]


def weight_of_one(_: Scored) -> int:
    """Return 1, the weight of every attempt in a mean over attempts."""
    return 1


def constraint_weight(kind: str) -> Weight:
    """Return a weight function: the number of an attempt's applicable hard constraints of a kind."""
    return lambda scored: scored.hard_counts.get(kind, 0)


@dataclass(frozen=True, slots=True)
class Metric:
    """The declaration of a metric.

    Attributes:
        kind: values that one attempt can have: 0 or 1 (`rate`), from 0 to 1 (`share`), or any number (`quantity`).
        better: whether a `higher` or a `lower` value is better.
        weight: function that returns an attempt's weight in the mean over a run. It is 1 in a mean over attempts, and
            the number of constraints in a rate over constraints.
        main: whether this is the metric by which groups of tasks are compared. A model has at most one such metric.
    """

    kind: Kind
    better: Better
    weight: Weight = weight_of_one
    main: bool = False


@dataclass(frozen=True, slots=True)
class Tallies:
    """The declaration of a table of counts.

    The table has a row for each kind of item, with the number `n` of items and their numbers by status. The counts of
    a run are sums over its attempts.

    Attributes:
        title: title of the table, such as `Cells by column`.
        things: plural noun for the counted items, such as `cells`.
        right: status of correct items. Runs are compared by the share of items with any other status.
    """

    title: str
    things: str
    right: str


PASS_RATE = Metric("rate", "higher", main=True)
"""Declaration of the pass rate. The field with this metric can have any name."""
Rate: TypeAlias = Annotated[Exact | None, Metric("rate", "higher")]
PassRate: TypeAlias = Annotated[Exact | None, PASS_RATE]
Share: TypeAlias = Annotated[Exact | None, Metric("share", "higher")]


class MetricFields(BaseModel):
    """A Pydantic model with metrics as fields. Every field with an exact number must declare a `Metric`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @classmethod
    def __pydantic_init_subclass__(cls, **_: object) -> None:
        """Reject metrics without a declaration, and more than one main metric."""
        declarations = declared_metrics(cls)
        for name, field in cls.model_fields.items():
            if name not in declarations and _holds_number(field.annotation):
                raise TypeError(f"`{cls.__name__}.{name}` is a number and does not declare its `Metric`")
        if sum(metric.main for metric in declarations.values()) > 1:
            raise TypeError(f"`{cls.__name__}` has more than one main metric")


def declared_metrics(model: type[MetricFields]) -> dict[str, Metric]:
    """Return the metrics of a model by name.

    If the value of a metric `m` is a model with a lower and an upper bound, each bound is also a metric, with a name
    such as `m.least`.
    """
    metrics: dict[str, Metric] = {}
    for name, field in model.model_fields.items():
        for metric in field.metadata:
            if isinstance(metric, Metric):
                metrics[name] = metric
                metrics |= {f"{name}.{part}": metric for part in _parts(field.annotation)}
    return metrics


def declared_tallies(model: type[MetricFields]) -> dict[str, Tallies]:
    """Return the tables of counts of a model by name."""
    return {
        name: declaration
        for name, field in model.model_fields.items()
        for declaration in field.metadata
        if isinstance(declaration, Tallies)
    }


def _holds_number(annotation: Any) -> bool:
    """Return whether a field holds a number, either exactly or as a model with lower and upper bounds of the number.

    A model that groups other metrics does not count, since these metrics have their own declarations.
    """
    return annotation is Fraction or bool(_parts(annotation)) or any(map(_holds_number, get_args(annotation)))


def _parts(annotation: Any) -> tuple[str, ...]:
    """Return the names of the bounds, such as `least`, if a field's type is a model with bounds of a number.

    Return an empty tuple for any other type.
    """
    for model in (annotation, *get_args(annotation)):
        if isinstance(model, type) and issubclass(model, BaseModel) and not issubclass(model, MetricFields):
            return tuple(name for name, field in model.model_fields.items() if _holds_number(field.annotation))
    return ()
