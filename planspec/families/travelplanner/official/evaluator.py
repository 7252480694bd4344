"""The rules of TravelPlanner's public evaluator, quirks included.

They describe OSU-NLP-Group/TravelPlanner at commit da7c1d4. The intended meaning of the rules is in the
library `travelplanner`. This module serves the comparison with published numbers; no solver uses it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from planspec.families.travelplanner.official.commonsense import Commonsense
from planspec.families.travelplanner.official.facts import ReferenceTables
from planspec.families.travelplanner.official.hard import Hard
from planspec.families.travelplanner.official.reading import (
    Day,
    EvaluatorCrashError,
    EvaluatorQuery,
    RuleResult,
)


class Evaluator:
    """Judges plans as the public evaluator does. Only as many days are read as the query asks for.

    Args:
        facts: the evaluator's tables.
    """

    def __init__(self, facts: ReferenceTables) -> None:
        self.facts = facts
        self._commonsense = Commonsense(facts)
        self._hard = Hard(facts)

    def commonsense(self, query: EvaluatorQuery, plan: Sequence[Day]) -> dict[str, RuleResult]:
        """Return the results of the eight commonsense rules by public name."""
        return _all(self._commonsense.rules, query, plan)

    def hard(self, query: EvaluatorQuery, plan: Sequence[Day]) -> dict[str, RuleResult]:
        """Return the results of the five hard rules by public name; see `gated` for when the evaluator asks them."""
        return _all(self._hard.rules, query, plan)

    def rule(self, name: str, query: EvaluatorQuery, plan: Sequence[Day]) -> RuleResult:
        """Return the result of one rule, given its public name."""
        rules = self._commonsense.rules if name in self._commonsense.rules else self._hard.rules
        return _all({name: rules[name]}, query, plan)[name]

    def total_cost(self, query: EvaluatorQuery, plan: Sequence[Day]) -> float:
        """Return the plan's cost as the evaluator computes it, in dollars.

        Raises:
            ValueError: the evaluator would stop with an exception.
        """
        try:
            return self._hard.total(query, list(plan[: query.days]))
        except EvaluatorCrashError as crash:
            raise ValueError(str(crash)) from None


def gated(commonsense: Mapping[str, RuleResult]) -> bool:
    """Return whether the evaluator asks the hard rules of the plan."""
    return all(
        commonsense[name].holds is True for name in ("is_not_absent", "is_valid_information_in_sandbox")
    )


def _all(
    rules: Mapping[str, Callable[[EvaluatorQuery, list[Day]], RuleResult]],
    query: EvaluatorQuery,
    plan: Sequence[Day],
) -> dict[str, RuleResult]:
    days = list(plan[: query.days])
    results = {}
    for name, rule in rules.items():
        try:
            results[name] = rule(query, days)
        except EvaluatorCrashError as crash:
            results[name] = RuleResult(None, str(crash), crashes=True)
    return results


__all__ = ["Evaluator", "EvaluatorQuery", "RuleResult", "gated"]
