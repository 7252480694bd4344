"""TravelPlanner's public evaluator, reproduced with its quirks.

The rules reproduce OSU-NLP-Group/TravelPlanner at commit da7c1d4. The constraint library `travelplanner` expresses
their intended meaning. This module serves the comparison with published numbers; no solver uses it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from planspec.families.travelplanner.official.commonsense import CommonsenseRules
from planspec.families.travelplanner.official.facts import ReferenceTables
from planspec.families.travelplanner.official.hard import HardRules
from planspec.families.travelplanner.official.reading import (
    Day,
    EvaluatorCrashError,
    EvaluatorQuery,
    Rule,
    RuleResult,
)


class Evaluator:
    """Judge of plans that reproduces the public evaluator. Days after the requested ones are ignored.

    Args:
        facts: the evaluator's tables.
    """

    def __init__(self, facts: ReferenceTables) -> None:
        self.facts = facts
        self._commonsense = CommonsenseRules(facts)
        self._hard = HardRules(facts)

    def commonsense(self, query: EvaluatorQuery, plan: Sequence[Day]) -> dict[str, RuleResult]:
        """Return the results of the eight commonsense rules, by the evaluator's names."""
        return _run_rules(self._commonsense.rules, query, plan)

    def hard(self, query: EvaluatorQuery, plan: Sequence[Day]) -> dict[str, RuleResult]:
        """Return the results of the five hard rules, by the evaluator's names.

        The public evaluator applies them only if `passes_gate`.
        """
        return _run_rules(self._hard.rules, query, plan)

    def rule(self, name: str, query: EvaluatorQuery, plan: Sequence[Day]) -> RuleResult:
        """Return the result of one rule. `name` is its name in the public evaluator."""
        rules = self._commonsense.rules if name in self._commonsense.rules else self._hard.rules
        return _run_rules({name: rules[name]}, query, plan)[name]

    def total_cost(self, query: EvaluatorQuery, plan: Sequence[Day]) -> float:
        """Return the plan's cost as the evaluator computes it, in dollars.

        Raises:
            ValueError: the evaluator would stop with an exception.
        """
        try:
            return self._hard.total_cost(query, list(plan[: query.days]))
        except EvaluatorCrashError as crash:
            raise ValueError(str(crash)) from None


def passes_gate(commonsense: Mapping[str, RuleResult]) -> bool:
    """Return whether the evaluator applies the hard rules to a plan with these commonsense results."""
    return all(commonsense[name].holds is True for name in ("is_not_absent", "is_valid_information_in_sandbox"))


def _run_rules(rules: Mapping[str, Rule], query: EvaluatorQuery, plan: Sequence[Day]) -> dict[str, RuleResult]:
    days = list(plan[: query.days])
    results = {}
    for name, rule in rules.items():
        try:
            results[name] = rule(query, days)
        except EvaluatorCrashError as crash:
            results[name] = RuleResult(None, str(crash), crashes=True)
    return results


__all__ = ["Evaluator", "EvaluatorQuery", "RuleResult", "passes_gate"]
