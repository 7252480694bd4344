"""Metrics of TravelPlanner, with the formulas of its public evaluation.

Over `N` answers, delivered or not, with the constraints of kind `commonsense` and the constraints of kind
`request` that apply to the task:

    delivery rate        delivered / N
    commonsense micro    satisfied commonsense rules / asked commonsense rules      (8 for each answer)
    commonsense macro    answers that satisfy every commonsense rule / N
    hard micro           satisfied requests / asked requests                        (with the budget)
    hard macro           answers that violate no asked request / N
    final pass rate      answers whose verdict is `pass` / N

An undelivered answer satisfies nothing. The public evaluation has the same formulas, with the counts of its
own data sets as denominators. Under the profile `official`, a plan that fails `is_not_absent` or
`is_valid_information_in_sandbox` is asked no request, and all requests count as failed; under `strict` no
rule depends on another. A plan with an unreadable part can satisfy every rule of `strict` and not pass; under
`official` the final passes are exactly the plans without a violated rule.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Annotated, Self

from pydantic import Field

from planspec.verifiers.metrics.generic import Metrics, given
from planspec.verifiers.metrics.metric import Exact, Metric, MetricFields, PassRate, Rate, asked
from planspec.verifiers.metrics.scored import LabelValue, Scored

COMMONSENSE = "commonsense"
REQUEST = "request"
UNKNOWN = "unknown"
"""Group of tasks without a label."""


class TravelPlannerRates(MetricFields):
    """The six rates; each is null if its denominator is 0."""

    delivery_rate: Rate = Field(description="share of the tasks with a plan that could be judged")
    commonsense_micro: Annotated[Exact | None, Metric("share", "higher", asked(COMMONSENSE))] = Field(
        description="share of the commonsense rules that are satisfied"
    )
    commonsense_macro: Rate = Field(description="share of the plans that satisfy them all")
    hard_micro: Annotated[Exact | None, Metric("share", "higher", asked(REQUEST))] = Field(
        description="share of the asked requests that are satisfied"
    )
    hard_macro: Rate = Field(description="share of the plans that violate none that is asked")
    final_pass_rate: PassRate = Field(description="share of the plans whose verdict is pass")


class TravelPlannerGroup(TravelPlannerRates):
    """The six rates of a group of tasks."""

    n: int = Field(description="tasks of the group, with and without an answer")


class TravelPlannerMetrics(TravelPlannerRates, Metrics):
    """The six rates of all tasks and of groups, and the number of violations by rule."""

    levels: dict[str, TravelPlannerGroup] = Field(
        description="by the task's label `level`; `unknown` without one"
    )
    days: dict[str, TravelPlannerGroup] = Field(description="by the number of days")
    failures: dict[str, int] = Field(
        description="of each hard rule how many delivered plans violate it, those first that most do; what was not "
        "delivered is in `n` and not in `delivered`"
    )

    @classmethod
    def over(cls, run: Iterable[Scored]) -> Self:
        """Compute the metrics; the module has the formulas.

        Args:
            run: verdict on each task, including those without an answer.
        """
        run = tuple(run)
        failures = Counter(
            rule for scored in run if given(scored.verdict) for rule in sorted(_violated(scored))
        )
        return cls(
            n=len(run),
            delivered=sum(given(scored.verdict) for scored in run),
            **_rates(run),
            levels=_grouped(run, "level", _level),
            days=_grouped(run, "days", _number),
            failures=dict(failures.most_common()),
        )


def by_label(run: Sequence[Scored], label: str) -> dict[str, TravelPlannerGroup]:
    """Return the rates of each group of tasks with the same label, in the order of the labels."""
    return _grouped(run, label, _number)


def _rates(run: Sequence[Scored]) -> dict[str, Fraction | None]:
    return {
        "delivery_rate": _share(sum(given(scored.verdict) for scored in run), len(run)),
        "commonsense_micro": _micro(run, COMMONSENSE),
        "commonsense_macro": _share(sum(_all(scored, COMMONSENSE) for scored in run), len(run)),
        "hard_micro": _micro(run, REQUEST),
        "hard_macro": _share(sum(_all(scored, REQUEST) for scored in run), len(run)),
        "final_pass_rate": _share(sum(scored.verdict.status == "pass" for scored in run), len(run)),
    }


def _share(part: int, whole: int) -> Fraction | None:
    return Fraction(part, whole) if whole else None


def _micro(run: Iterable[Scored], kind: str) -> Fraction | None:
    satisfied = requested = 0
    for scored in run:
        requested += scored.asked.get(kind, 0)
        satisfied += sum(
            finding.kind == kind and finding.level == "hard" and finding.status == "satisfied"
            for finding in scored.verdict.findings
        )
    return _share(satisfied, requested)


def _all(scored: Scored, kind: str) -> bool:
    """Return whether the plan is delivered and violates no rule of the kind."""
    return given(scored.verdict) and not any(
        finding.kind == kind and finding.level == "hard" and finding.status == "violated"
        for finding in scored.verdict.findings
    )


def _violated(scored: Scored) -> set[str]:
    return {
        finding.constraint
        for finding in scored.verdict.findings
        if finding.level == "hard" and finding.status == "violated"
    }


def _grouped(
    run: Sequence[Scored], label: str, order: Callable[[LabelValue], tuple[int, int | str]]
) -> dict[str, TravelPlannerGroup]:
    groups: dict[LabelValue, list[Scored]] = {}
    for scored in run:
        groups.setdefault(scored.labels.get(label, UNKNOWN), []).append(scored)
    return {
        str(name): TravelPlannerGroup(n=len(groups[name]), **_rates(groups[name]))
        for name in sorted(groups, key=order)
    }


_LEVELS = ("easy", "medium", "hard")


def _level(name: LabelValue) -> tuple[int, int | str]:
    """Return a sort key: easy to hard, then other labels, then tasks without one."""
    if name in _LEVELS:
        return 0, _LEVELS.index(str(name))
    return (2, "") if name == UNKNOWN else (1, str(name))


def _number(name: LabelValue) -> tuple[int, int | str]:
    return (0, int(name)) if isinstance(name, int) else (1, str(name))
