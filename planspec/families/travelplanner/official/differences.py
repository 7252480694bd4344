"""Causes of the differences between TravelPlanner's public evaluator and the strict profile on a plan.

A quirk is a point in which the evaluator differs from the strict profile. Causes are proved by a counterfactual: with
all quirks fixed in a draft of the plan, the evaluator agrees with the strict profile. Fixes that this agreement does
not need are then removed, and the quirks of the remaining fixes are the causes. If the evaluator disagrees even with
all quirks fixed, the difference is reported as unexplained.
"""

from __future__ import annotations

from collections.abc import Sequence

from planspec.dsl.model.task import Task
from planspec.families.travelplanner.official.counterfactuals import FIXES, fixes_for
from planspec.families.travelplanner.official.draft import PlanDraft, QuirkFix, read_strictly
from planspec.families.travelplanner.official.evaluator import Evaluator, EvaluatorQuery
from planspec.families.travelplanner.official.facts import ReferenceTables
from planspec.families.travelplanner.official.query import name_of
from planspec.families.travelplanner.official.quirks import QUIRKS
from planspec.families.travelplanner.official.reading import Day
from planspec.families.travelplanner.official.rewriting import RewriteRequest
from planspec.verifiers.meaning.verdict import Finding, Verdict
from planspec.verifiers.official.protocol import ProfileDifference

LONGEST = 80
"""Maximum number of characters of a quoted text in a message."""


def differences(
    task: Task,
    query: EvaluatorQuery,
    facts: ReferenceTables,
    days: Sequence[Day],
    strict: Verdict,
    official: Verdict,
) -> tuple[ProfileDifference, ...]:
    """Return the causes of the differences between two verdicts, for each rule on which they differ.

    A rule may have several causes, each at its own place in the plan.
    """
    by_rule = {finding.constraint: finding for finding in strict.findings if finding.level == "hard"}
    search = _DifferenceSearch(task, query, facts, days)
    causes: list[ProfileDifference] = []
    for public in official.findings:
        expected = by_rule.get(public.constraint)
        if public.constraint in FIXES and expected is not None and expected.status != public.status:
            causes += search.explain(public.constraint, expected, public)
    return tuple(causes)


class _DifferenceSearch:
    def __init__(self, task: Task, query: EvaluatorQuery, facts: ReferenceTables, days: Sequence[Day]) -> None:
        self.query, self.facts, self.days = query, facts, list(days)
        self.currency = task.currency or ""
        town = task.givens.get("town")
        self.town = None if town is None else name_of(town)
        self.read_days = read_strictly(task, self.days)

    def explain(self, rule: str, strict: Finding, official: Finding) -> list[ProfileDifference]:
        def difference(quirk: str, message: str) -> ProfileDifference:
            return ProfileDifference(
                constraint=rule, strict=strict.status, official=official.status, quirk=quirk, message=message
            )

        if "not-applicable" in (strict.status, official.status):
            return [difference("always-asked", QUIRKS["always-asked"])]
        expected = strict.status == "satisfied"
        gate = []
        if strict.kind == "request" and official.message.startswith("it counts as failed"):
            gate = [difference("not-asked", f"{QUIRKS['not-asked']}: {official.message.rpartition(': ')[2]}")]
        if gate and self.holds_with(rule, []) == expected:
            return gate
        fixes = fixes_for(RewriteRequest(rule, self.query, self.facts, self.read_days, self.town))
        if self.holds_with(rule, fixes) != expected:
            return [
                *gate,
                difference("unexplained", f"{QUIRKS['unexplained']}; official says: {official.message}"),
            ]
        for fix in reversed(fixes):
            rest = [other for other in fixes if other is not fix]
            if self.holds_with(rule, rest) == expected:
                fixes = rest
        return [*gate, *(difference(fix.quirk, _message(fix)) for fix in fixes)]

    def holds_with(self, rule: str, fixes: Sequence[QuirkFix]) -> bool:
        """Return whether the plan satisfies a rule once these fixes are applied; False if the evaluator crashes."""
        draft = PlanDraft(self.query, [dict(day) for day in self.days[: self.query.days]], self.facts, self.currency)
        for fix in fixes:
            fix.apply(draft)
        days = [day for number, day in enumerate(draft.days, 1) if number not in draft.left_out]
        return Evaluator(draft.facts).rule(rule, draft.query, days).holds is True


def _message(fix: QuirkFix) -> str:
    if fix.day is None:
        return QUIRKS[fix.quirk]
    where = f"day {fix.day}, {fix.name}"
    if fix.text is None:
        return f"{where}: {QUIRKS[fix.quirk]}"
    shown = fix.text if len(fix.text) <= LONGEST else fix.text[: LONGEST - 3] + "..."
    return f"{where}, `{shown}`: {QUIRKS[fix.quirk]}"
