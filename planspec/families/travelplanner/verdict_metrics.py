"""Metrics of TravelPlanner, with the formulas of its public evaluation.

Over `N` answers, delivered or not, with the constraints of kind `commonsense` and the constraints of kind
`request` that apply to the task:

    delivery rate        delivered / N
    commonsense micro    satisfied commonsense rules / applicable commonsense rules (8 for each answer)
    commonsense macro    answers that satisfy every commonsense rule / N
    hard micro           satisfied requests / applicable requests                   (with the budget)
    hard macro           answers that violate no request / N                    (none if no task has a request)
    final pass rate      answers whose verdict is `pass` / N

An undelivered answer satisfies nothing. The public evaluation has the same formulas, with the counts of its
own data sets as denominators. Under the profile `official`, all requests count as failed if a plan fails
`is_not_absent` or `is_valid_information_in_sandbox`. Under `strict` no rule depends on another. A plan with an
unreadable part can satisfy every rule of `strict` and still not pass. Under `official` a plan passes exactly
if it violates no rule.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Annotated, Self

from pydantic import Field

from planspec.verifiers.metrics.generic import Metrics, is_delivered
from planspec.verifiers.metrics.metric import Exact, Metric, MetricFields, PassRate, Rate, constraint_weight
from planspec.verifiers.metrics.refusals import RefusalRates
from planspec.verifiers.metrics.scored import LabelValue, Scored

COMMONSENSE = "commonsense"
REQUEST = "request"
UNKNOWN = "unknown"
"""Name of the group of tasks that lack the label."""


class TravelPlannerRates(MetricFields):
    """The six rates. Each is null if its denominator is 0, and the hard rates are if no task has a request."""

    delivery_rate: Rate = Field(description="share of the tasks with a plan that could be judged")
    commonsense_micro: Annotated[Exact | None, Metric("share", "higher", constraint_weight(COMMONSENSE))] = Field(
        description="share of the commonsense rules that are satisfied"
    )
    commonsense_macro: Rate = Field(description="share of the plans that satisfy them all")
    hard_micro: Annotated[Exact | None, Metric("share", "higher", constraint_weight(REQUEST))] = Field(
        description="share of the asked requests that are satisfied"
    )
    hard_macro: Rate = Field(
        description="share of the plans that violate none that is asked; null if no task has a request"
    )
    final_pass_rate: PassRate = Field(description="share of the plans whose verdict is pass")


class TravelPlannerGroup(TravelPlannerRates):
    """The six rates of a group of tasks."""

    n: int = Field(description="tasks of the group, with and without an answer")


class TravelPlannerMetrics(RefusalRates, TravelPlannerRates, Metrics):
    """The six rates of all tasks and of each group of tasks, the rates of refusals, and the violations by rule."""

    levels: dict[str, TravelPlannerGroup] = Field(description="by the task's label `level`; `unknown` without one")
    days: dict[str, TravelPlannerGroup] = Field(description="by the number of days")
    failures: dict[str, int] = Field(
        description="number of delivered plans that violate each hard rule, most violated rule first"
    )

    @classmethod
    def over(cls, run: Iterable[Scored]) -> Self:
        """Compute the metrics by the formulas in the module's docstring.

        Args:
            run: scored verdict on each task, including those without an answer.
        """
        run = tuple(run)
        failures = Counter(
            rule for scored in run if is_delivered(scored.verdict) for rule in sorted(_violated_rules(scored))
        )
        return cls(
            n=len(run),
            delivered=sum(is_delivered(scored.verdict) for scored in run),
            **_rates(run),
            **dict(RefusalRates.of(run)),
            levels=_ordered_rates(run, "level", _level_order),
            days=_ordered_rates(run, "days", _label_order),
            failures=dict(failures.most_common()),
        )


def rates_by_label(run: Sequence[Scored], label: str) -> dict[str, TravelPlannerGroup]:
    """Return the rates of the tasks with each value of a label, by value in sorted order."""
    return _ordered_rates(run, label, _label_order)


def _rates(run: Sequence[Scored]) -> dict[str, Fraction | None]:
    return {
        "delivery_rate": _share(sum(is_delivered(scored.verdict) for scored in run), len(run)),
        "commonsense_micro": _micro_rate(run, COMMONSENSE),
        "commonsense_macro": _share(sum(_satisfies_all(scored, COMMONSENSE) for scored in run), len(run)),
        "hard_micro": _micro_rate(run, REQUEST),
        "hard_macro": _share(
            sum(_satisfies_all(scored, REQUEST) for scored in run),
            len(run) if any(scored.hard_counts.get(REQUEST) for scored in run) else 0,
        ),
        "final_pass_rate": _share(sum(scored.verdict.status == "pass" for scored in run), len(run)),
    }


def _share(part: int, whole: int) -> Fraction | None:
    return Fraction(part, whole) if whole else None


def _micro_rate(run: Iterable[Scored], kind: str) -> Fraction | None:
    satisfied = requested = 0
    for scored in run:
        requested += scored.hard_counts.get(kind, 0)
        satisfied += sum(
            finding.kind == kind and finding.level == "hard" and finding.status == "satisfied"
            for finding in scored.verdict.findings
        )
    return _share(satisfied, requested)


def _satisfies_all(scored: Scored, kind: str) -> bool:
    """Return whether the plan is delivered and violates no rule of a kind."""
    return is_delivered(scored.verdict) and not any(
        finding.kind == kind and finding.level == "hard" and finding.status == "violated"
        for finding in scored.verdict.findings
    )


def _violated_rules(scored: Scored) -> set[str]:
    return {
        finding.constraint
        for finding in scored.verdict.findings
        if finding.level == "hard" and finding.status == "violated"
    }


def _ordered_rates(
    run: Sequence[Scored], label: str, order: Callable[[LabelValue], tuple[int, int | str]]
) -> dict[str, TravelPlannerGroup]:
    groups: dict[LabelValue, list[Scored]] = {}
    for scored in run:
        groups.setdefault(scored.labels.get(label, UNKNOWN), []).append(scored)
    return {
        str(name): TravelPlannerGroup(n=len(groups[name]), **_rates(groups[name])) for name in sorted(groups, key=order)
    }


_LEVELS = ("easy", "medium", "hard")


def _level_order(value: LabelValue) -> tuple[int, int | str]:
    """Return a sort key for levels: easy to hard, then other levels, then tasks without a level."""
    if value in _LEVELS:
        return 0, _LEVELS.index(str(value))
    return (2, "") if value == UNKNOWN else (1, str(value))


def _label_order(value: LabelValue) -> tuple[int, int | str]:
    return (0, int(value)) if isinstance(value, int) else (1, str(value))
