"""The rules of TravelPlanner's public evaluator, quirks included.

They are stated as facts about OSU-NLP-Group/TravelPlanner at commit da7c1d4. What the rules mean to say is in the
library `travelplanner`; this module is for comparing numbers with published ones, and no solver ever sees it.
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
    """Judges plans as the public evaluator does: only as many days are read as the query asks for.

    Args:
        facts: its tables.
    """

    def __init__(self, facts: ReferenceTables) -> None:
        self.facts = facts
        self._commonsense = Commonsense(facts)
        self._hard = Hard(facts)

    def commonsense(self, query: EvaluatorQuery, plan: Sequence[Day]) -> dict[str, RuleResult]:
        """The eight commonsense rules by their public names."""
        return _all(self._commonsense.rules, query, plan)

    def hard(self, query: EvaluatorQuery, plan: Sequence[Day]) -> dict[str, RuleResult]:
        """The five hard rules by their public names; `gated` says when the evaluator asks them."""
        return _all(self._hard.rules, query, plan)

    def rule(self, name: str, query: EvaluatorQuery, plan: Sequence[Day]) -> RuleResult:
        """One rule by its public name."""
        rules = self._commonsense.rules if name in self._commonsense.rules else self._hard.rules
        return _all({name: rules[name]}, query, plan)[name]

    def total_cost(self, query: EvaluatorQuery, plan: Sequence[Day]) -> float:
        """The plan's cost to the evaluator, in dollars.

        Raises:
            ValueError: the evaluator would stop with an exception.
        """
        try:
            return self._hard.total(query, list(plan[: query.days]))
        except EvaluatorCrashError as crash:
            raise ValueError(str(crash)) from None


def gated(commonsense: Mapping[str, RuleResult]) -> bool:
    """The evaluator asks the hard rules of this plan."""
    return all(
        commonsense[name].holds is True for name in ("is_not_absent", "is_valid_information_in_sandbox")
    )


def _all(
    rules: Mapping[str, Callable[[EvaluatorQuery, list[Day]], RuleResult]],
    query: EvaluatorQuery,
    plan: Sequence[Day],
) -> dict[str, RuleResult]:
    days = list(plan[: query.days])
    made = {}
    for name, rule in rules.items():
        try:
            made[name] = rule(query, days)
        except EvaluatorCrashError as crash:
            made[name] = RuleResult(None, str(crash), crashes=True)
    return made


__all__ = ["Evaluator", "EvaluatorQuery", "RuleResult", "gated"]
