"""The causes why TravelPlanner's public evaluator and the strict profile part on a plan.

A cause is never only supposed: quirks are mended in a draft of the plan until the evaluator says what the
strict profile says, and those without which it still would are left out again. What remains is the answer; if
mending all of them does not help, the difference is reported as unexplained.
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
"""The most characters of a text that are shown."""


def differences(
    task: Task,
    query: EvaluatorQuery,
    facts: ReferenceTables,
    days: Sequence[Day],
    strict: Verdict,
    official: Verdict,
) -> tuple[ProfileDifference, ...]:
    """A cause for each rule in which the verdicts part, and for each place if it shows in several."""
    by_rule = {finding.constraint: finding for finding in strict.findings if finding.level == "hard"}
    search = _Search(task, query, facts, days)
    made: list[ProfileDifference] = []
    for said in official.findings:
        meant = by_rule.get(said.constraint)
        if said.constraint in MENDS and meant is not None and meant.status != said.status:
            made += search.explain(said.constraint, meant, said)
    return tuple(made)


class _Search:
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
        wanted = strict.status == "satisfied"
        gate = []
        if strict.kind == "request" and official.message.startswith("it counts as failed"):
            gate = [part("not-asked", f"{QUIRKS['not-asked']}: {official.message.rpartition(': ')[2]}")]
        if gate and self.holds(rule, []) == wanted:
            return gate
        mends = mends_of(RewriteRequest(rule, self.query, self.facts, self.read, self.town))
        if self.holds(rule, mends) != wanted:
            return [*gate, part("unexplained", f"{QUIRKS['unexplained']}; official says: {official.message}")]
        for mend in reversed(mends):
            rest = [other for other in mends if other is not mend]
            if self.holds(rule, rest) == wanted:
                mends = rest
        return [*gate, *(part(mend.quirk, _message(mend)) for mend in mends)]

    def holds(self, rule: str, mends: Sequence[Mend]) -> bool:
        """The evaluator's word on a draft with these quirks mended; where it stops the rule does not hold."""
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
    if mend.said is None:
        return f"{where}: {QUIRKS[mend.quirk]}"
    said = mend.said if len(mend.said) <= LONGEST else mend.said[: LONGEST - 3] + "..."
    return f"{where}, `{said}`: {QUIRKS[mend.quirk]}"
