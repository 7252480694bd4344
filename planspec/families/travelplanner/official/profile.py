"""The profile `official` of TravelPlanner: verdicts of the public evaluator."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

from planspec.dsl.model.task import Task
from planspec.dsl.model.types import ScalarType
from planspec.dsl.model.value_text import show
from planspec.dsl.model.values import minor_digits
from planspec.errors import InexpressiblePlanError, UnsuitableTaskError
from planspec.families.travelplanner.format.codec import FORMAT
from planspec.families.travelplanner.official.evaluator import (
    Evaluator,
    EvaluatorQuery,
    RuleResult,
    passes_gate,
)
from planspec.families.travelplanner.official.facts import ReferenceTables, facts_from_database
from planspec.families.travelplanner.official.query import query_of
from planspec.verifiers.answers.tables import json_kind
from planspec.verifiers.meaning.verdict import (
    Finding,
    FindingStatus,
    MetricValue,
    Tally,
    Verdict,
    undelivered,
)
from planspec.verifiers.official.protocol import OFFICIAL, ProfileDifference

COMMONSENSE = (
    "is_reasonable_visiting_city",
    "is_valid_restaurants",
    "is_valid_attractions",
    "is_valid_accommodation",
    "is_valid_transportation",
    "is_valid_information_in_current_city",
    "is_valid_information_in_sandbox",
    "is_not_absent",
)
REQUESTS = ("valid_cuisine", "valid_room_rule", "valid_transportation", "valid_room_type", "valid_cost")
STOPS = "the public evaluator would stop here: "
NOT_ASKED = "it counts as failed: of a plan that fails {} the public evaluator asks no request"


class TravelPlannerOfficial:
    """The profile `official` of TravelPlanner.

    Args:
        task: a task of the family.

    Raises:
        UnsuitableTaskError: givens are missing, or the task's tables do not come from an imported database.
    """

    def __init__(self, task: Task) -> None:
        self.task = task
        self.query: EvaluatorQuery = query_of(task)
        self.evaluator = Evaluator(facts_of(task))

    def judge(self, data: Any, findings: Iterable[Finding] = ()) -> Verdict:
        """Judge an answer. It passes exactly if the public evaluator would count it in its final pass rate.

        `in_scope` of the verdict is always false, since the evaluator has no scope.
        """
        days = days_of(self.task, data)
        if isinstance(days, str):
            return self.undelivered(days)
        commonsense = self.evaluator.commonsense(self.query, days)
        requests = (
            self.evaluator.hard(self.query, days)
            if passes_gate(commonsense)
            else _skipped_requests(self.query, commonsense)
        )
        judged = [
            *(_finding(rule, "commonsense", commonsense[rule]) for rule in COMMONSENSE),
            *(_finding(rule, "request", requests[rule]) for rule in REQUESTS),
        ]
        counted = [f.status for f in judged if f.status != "not-applicable"]
        satisfied = counted.count("satisfied")
        return Verdict(
            task=self.task.id,
            profile=OFFICIAL,
            status="pass" if satisfied == len(counted) else "fail",
            hard=Tally(satisfied=satisfied, total=len(counted)),
            soft=EMPTY_TALLY,
            in_scope=False,
            metrics={"total": self._total_cost(days)},
            findings=(*(replace(f, status="not-applicable") for f in findings), *judged),
        )

    def undelivered(self, reason: str) -> Verdict:
        """Return the verdict on a missing answer. Every applicable rule counts as failed."""
        hard = sum(self.hard_counts().values())
        return undelivered(self.task.id, reason, hard=hard, soft=0, profile=OFFICIAL)

    def hard_counts(self) -> Mapping[str, int]:
        """Return the number of applicable rules by kind.

        All commonsense rules, the hard rules that the query requests, and the budget rule apply.
        """
        return {"commonsense": len(COMMONSENSE), "request": sum(map(self.query.applies, REQUESTS))}

    def differences(self, data: Any, strict: Verdict, official: Verdict) -> tuple[ProfileDifference, ...]:
        """Return the causes of the differences between two verdicts; empty for an answer without a plan."""
        from planspec.families.travelplanner.official.differences import differences

        days = days_of(self.task, data)
        if isinstance(days, str):
            return ()
        return differences(self.task, self.query, self.evaluator.facts, days, strict, official)

    def _total_cost(self, days: list[Mapping[str, Any]]) -> MetricValue:
        """Return the plan's cost as the evaluator computes it, or None if the evaluator would crash."""
        try:
            dollars = Fraction(str(self.evaluator.total_cost(self.query, days)))
        except ValueError:
            return None
        currency = self.task.currency
        return show(round(dollars * 10 ** minor_digits(currency or "")), ScalarType.MONEY, currency)


EMPTY_TALLY = Tally(satisfied=0, total=0)


def days_of(task: Task, data: Any) -> list[Mapping[str, Any]] | str:
    """Return the days of an answer, or the reason why the answer has no plan.

    A day that is not a JSON object becomes an empty object. An answer in the form of plan tables is converted to days.
    """
    if isinstance(data, Mapping) and any(table.name in data for table in task.plan_tables):
        plan, findings = FORMAT.decode(task, data)
        if any(finding.fails for finding in findings):
            return f"the answer's tables cannot be read: {findings[0].message}"
        try:
            data = FORMAT.encode(task, plan)
        except InexpressiblePlanError as reason:
            return str(reason)
    if isinstance(data, Mapping) and "plan" in data:
        data = data["plan"]
    if not isinstance(data, list | tuple):
        return f"the answer is {json_kind(data)}, not a list of days"
    if not data:
        return "the answer is an empty list"
    return [day if isinstance(day, Mapping) else {} for day in data]


def facts_of(task: Task) -> ReferenceTables:
    """Return the evaluator's tables, read from the database that the task uses.

    Raises:
        UnsuitableTaskError: the task's tables do not come from an imported database.
    """
    bases = dict.fromkeys(source.base for source in task.sources if source.base)
    for base in bases:
        try:
            return facts_from_database(base)
        except ValueError:
            continue
    raise UnsuitableTaskError(
        f"`{task.id}` has no profile `official`: its tables come from no base that `planspec import travelplanner` wrote"
    )


def status_of(result: RuleResult) -> FindingStatus:
    """Convert the result of a rule to the status of a finding. A rule counts as violated if the evaluator crashes."""
    if result.holds is None and not result.crashes:
        return "not-applicable"
    return "satisfied" if result.holds else "violated"


def _finding(rule: str, kind: str, result: RuleResult) -> Finding:
    status = status_of(result)
    if status == "satisfied" or (status == "not-applicable" and not result.reason):
        return _finding_without_message(rule, kind, status)
    message = STOPS + result.reason if result.crashes else result.reason
    return Finding(constraint=rule, level="hard", kind=kind, status=status, message=message)


@lru_cache(maxsize=256)
def _finding_without_message(rule: str, kind: str, status: FindingStatus) -> Finding:
    return Finding(constraint=rule, level="hard", kind=kind, status=status, message="")


def _skipped_requests(query: EvaluatorQuery, commonsense: Mapping[str, RuleResult]) -> dict[str, RuleResult]:
    """Return failing results for all requested rules, for a plan on which the evaluator skips these rules."""
    gates = [
        f"`{rule}`"
        for rule in ("is_not_absent", "is_valid_information_in_sandbox")
        if commonsense[rule].holds is not True
    ]
    failed = RuleResult(False, NOT_ASKED.format(" and ".join(gates)))
    return {rule: failed if query.applies(rule) else RuleResult(None) for rule in REQUESTS}
