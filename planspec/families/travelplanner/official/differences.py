"""Causes of the differences between TravelPlanner's public evaluator and the strict profile on a plan.

Each cause is proved. Quirks are mended in a draft of the plan until the evaluator agrees with the strict
profile; mends that are not needed for that are then removed. The rest is the answer. If mending all quirks
does not help, the difference is reported as unexplained.
"""

from __future__ import annotations

from collections.abc import Sequence

from planspec.dsl.model.task import Task
from planspec.families.travelplanner.official.counterfactuals import MENDS
from planspec.families.travelplanner.official.counterfactuals import mends as mends_of
from planspec.families.travelplanner.official.draft import Mend, PlanDraft, read_strictly
from planspec.families.travelplanner.official.evaluator import Evaluator, EvaluatorQuery
from planspec.families.travelplanner.official.facts import ReferenceTables
from planspec.families.travelplanner.official.query import name
from planspec.families.travelplanner.official.quirks import QUIRKS
from planspec.families.travelplanner.official.reading import Day
from planspec.families.travelplanner.official.rewriting import RewriteRequest
from planspec.verifiers.meaning.verdict import Finding, Verdict
from planspec.verifiers.official.protocol import ProfileDifference

LONGEST = 80
"""Largest number of characters shown of a text."""


def differences(
    task: Task,
    query: EvaluatorQuery,
    facts: ReferenceTables,
    days: Sequence[Day],
    strict: Verdict,
    official: Verdict,
) -> tuple[ProfileDifference, ...]:
    """Return a cause for each rule in which the verdicts differ, and for each place if there are several."""
    by_rule = {finding.constraint: finding for finding in strict.findings if finding.level == "hard"}
    search = _DifferenceSearch(task, query, facts, days)
    made: list[ProfileDifference] = []
    for public in official.findings:
        expected = by_rule.get(public.constraint)
        if public.constraint in MENDS and expected is not None and expected.status != public.status:
            made += search.explain(public.constraint, expected, public)
    return tuple(made)


class _DifferenceSearch:
    def __init__(
        self, task: Task, query: EvaluatorQuery, facts: ReferenceTables, days: Sequence[Day]
    ) -> None:
        self.query, self.facts, self.days = query, facts, list(days)
        self.currency = task.currency or ""
        town = task.givens.get("town")
        self.town = None if town is None else name(town)
        self.read = read_strictly(task, self.days)

    def explain(self, rule: str, strict: Finding, official: Finding) -> list[ProfileDifference]:
        def part(quirk: str, message: str) -> ProfileDifference:
            return ProfileDifference(
                constraint=rule, strict=strict.status, official=official.status, quirk=quirk, message=message
            )

        if "not-applicable" in (strict.status, official.status):
            return [part("always-asked", QUIRKS["always-asked"])]
        expected = strict.status == "satisfied"
        gate = []
        if strict.kind == "request" and official.message.startswith("it counts as failed"):
            gate = [part("not-asked", f"{QUIRKS['not-asked']}: {official.message.rpartition(': ')[2]}")]
        if gate and self.holds(rule, []) == expected:
            return gate
        mends = mends_of(RewriteRequest(rule, self.query, self.facts, self.read, self.town))
        if self.holds(rule, mends) != expected:
            return [*gate, part("unexplained", f"{QUIRKS['unexplained']}; official says: {official.message}")]
        for mend in reversed(mends):
            rest = [other for other in mends if other is not mend]
            if self.holds(rule, rest) == expected:
                mends = rest
        return [*gate, *(part(mend.quirk, _message(mend)) for mend in mends)]

    def holds(self, rule: str, mends: Sequence[Mend]) -> bool:
        """Return whether a rule holds on a draft with these quirks mended; it does not if the evaluator stops."""
        draft = PlanDraft(
            self.query, [dict(day) for day in self.days[: self.query.days]], self.facts, self.currency
        )
        for mend in mends:
            mend.apply(draft)
        days = [day for number, day in enumerate(draft.days, 1) if number not in draft.left_out]
        return Evaluator(draft.facts).rule(rule, draft.query, days).holds is True


def _message(mend: Mend) -> str:
    if mend.day is None:
        return QUIRKS[mend.quirk]
    where = f"day {mend.day}, {mend.name}"
    if mend.text is None:
        return f"{where}: {QUIRKS[mend.quirk]}"
    shown = mend.text if len(mend.text) <= LONGEST else mend.text[: LONGEST - 3] + "..."
    return f"{where}, `{shown}`: {QUIRKS[mend.quirk]}"
