"""The search for probes of a task.

Right answers are the reference and other plans that satisfy every hard constraint. Wrong answers violate one constraint
by the smallest amount that a solver finds, have no rows, or say that there is no plan. planspec's verifier judges each
probe before it is returned.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal

from planspec.api.judging import Judge
from planspec.api.loading import TaskLike
from planspec.api.probes.records import Probe, ProbeKind, Probes, ProbeViolation, SkippedProbe
from planspec.dsl.diagnostics.diagnostic import DiagnosticError
from planspec.dsl.documents.cases import rule_of
from planspec.dsl.documents.search_scope import no_scope_message
from planspec.dsl.model import tree as t
from planspec.dsl.model.expectation import REFUSAL
from planspec.errors import InexpressiblePlanError, LimitReachedError
from planspec.verifiers.answers.format import TABLES, plain_json
from planspec.verifiers.meaning.differences import PlanDifference, differences
from planspec.verifiers.meaning.margin import margin_text
from planspec.verifiers.meaning.meter import StepLimitError
from planspec.verifiers.meaning.plan_rows import Plan
from planspec.verifiers.meaning.verdict import Verdict

if TYPE_CHECKING:
    from planspec.solvers.questions.budget import TimeBudget

DEADLINE_S = 60.0
"""Default time limit of the search for the probes of a task, in seconds."""
MOST_RIGHT = 4
"""Default maximum number of right plans besides the reference."""
SLOW_CONSTRAINTS = 4
"""Maximum number of shares into which the remaining time is divided. A constraint gets one, and most need little of it."""
VERIFIER = "verifier"
"""Name of planspec's verifier, in the same list as the back ends that prove a probe's verdict."""


def probe_answers(
    task: TaskLike | Judge, *, deadline: float | None = DEADLINE_S, most: int = MOST_RIGHT, no_worse: bool = False
) -> Probes:
    """Return answers to a task with proved verdicts.

    Args:
        task: the task, its path or id, or its judge.
        deadline: time limit of all searches together, in seconds; None for no limit.
        most: maximum number of right answers besides the reference.
        no_worse: whether right answers must be at least as good as the reference, by soft weight and objectives.
            Scorers that accept only best plans need this, and tasks with `max_gap` always do.

    Raises:
        NotFoundError: there is no such task.
        DiagnosticError: the task has errors.
        UnsuitableTaskError: the task has `max_gap`, and no certificate proves the value of its best plan.
        ValueError: `deadline` or `most` is negative.
    """
    if most < 0 or (deadline is not None and deadline < 0):
        raise ValueError("`deadline` and `most` are 0 or more")
    from planspec.solvers.backends.outcome import Limits
    from planspec.solvers.backends.register import backend
    from planspec.solvers.questions.budget import TimeBudget

    judge = task if isinstance(task, Judge) else Judge(task)
    backend("cpsat")  # the import must not count towards the time limit
    search = _ProbeSearch(judge, TimeBudget(Limits(seconds=deadline)), no_worse=no_worse or bool(judge.task.max_gaps))
    search.run(most)
    return Probes(probes=tuple(search.probes), skipped=tuple(search.skipped))


def reference_answer(judge: Judge) -> Any:
    """Return the author's answer as JSON, in the form of an agent's answer; None without one."""
    plan = judge.reference_plan()
    return plain_json(judge.task.reference if plan is None or judge.format is not TABLES else judge.encode(plan))


class _ProbeSearch:
    """A search for the probes of one task.

    Args:
        judge: judge of the task.
        clock: limit on all searches together.
        no_worse: whether right plans must be as good as the reference.
    """

    def __init__(self, judge: Judge, clock: TimeBudget, *, no_worse: bool) -> None:
        self.probes: list[Probe] = []
        self.skipped: list[SkippedProbe] = []
        self._judge = judge
        self._clock = clock
        self._no_worse = no_worse
        self._base = judge.reference_plan()

    def run(self, most: int) -> None:
        """Search for all probes, with at most `most` right plans besides the reference."""
        task = self._judge.task
        if task.reference is not None:
            self._add("reference", reference_answer(self._judge), passes=True, plan=self._base)
        missing_scope = no_scope_message(task)
        hard = [constraint for constraint in task.constraints if constraint.hard]
        if missing_scope:
            self._skip("far", None, "unknown", missing_scope)
            for constraint in hard:
                self._skip("breaks", constraint.id, "unknown", missing_scope)
        else:
            self._right_plans(most, self._clock.share(3))
            for number, constraint in enumerate(hard):
                self._near_misses(constraint, self._clock.share(min(len(hard) - number, SLOW_CONSTRAINTS)))
        self._empty_answers()
        self._refusal()

    def _right_plans(self, most: int, clock: TimeBudget) -> None:
        """Search for right plans: the farthest from the reference, the nearest to it, and others."""
        from planspec.solvers.questions.other_plans import OtherPlans

        if most and self._base is None and not self._first_plan(clock.share(2)):
            return
        base = self._base
        if not most or base is None:
            return
        try:
            plans = OtherPlans(self._judge.ground, base, clock.share(2), no_worse=self._no_worse)
        except (DiagnosticError, LimitReachedError) as error:
            self._skip("far", None, "unknown", str(error))
            return
        kinds: list[ProbeKind] = ["far", "near"]
        kinds += ["other"] * (most - 2)
        searches = {"far": plans.farthest, "near": plans.nearest, "other": plans.another}
        for number, kind in enumerate(kinds[:most]):
            found = searches[kind](clock.share(most - number))
            if found.plan is None:
                status, by = ("none", f" ({', '.join(found.by)})") if found.status == "none" else ("unknown", "")
                reason = found.reason or f"there is no other plan in the scope{by}"
                self._skip(kind, None, "none" if status == "none" else "unknown", reason)
                return
            self._add_plan(kind, found.plan, passes=True, by=found.by, is_extreme=bool(found.by))

    def _first_plan(self, clock: TimeBudget) -> bool:
        """Find a plan for a task whose reference is missing or wrong. Return whether one was found."""
        from planspec.solvers.questions.prove import solve

        try:
            solution = solve(self._judge.ground, limits=clock.rest)
        except DiagnosticError as error:
            self._skip("other", None, "unknown", str(error))
            return False
        if solution.plan is None:
            proved = solution.status.value == "infeasible"
            reason = (
                "the task has no plan in its scope" if proved else str(LimitReachedError(solution.reason or "time"))
            )
            self._skip("other", None, "none" if proved else "unknown", reason)
            return False
        self._base = solution.plan
        self._add_plan("other", solution.plan, passes=True)
        return True

    def _near_misses(self, constraint: t.Constraint, clock: TimeBudget) -> None:
        """Search for a plan that narrowly violates each part of a constraint, such as either end of a range."""
        from planspec.solvers.questions.near_misses import NearMissSearch

        search = NearMissSearch(self._judge.ground, constraint, self._base)
        failures = []
        plans: list[Any] = []
        for number, part in enumerate(search.parts):
            miss = search.ask(part, clock.share(len(search.parts) - number))
            if miss.plan is None:
                failures.append(miss)
                continue
            tables = TABLES.encode(self._judge.task, miss.plan)
            if tables in plans:
                continue
            plans.append(tables)
            name = constraint.id
            self._add_plan("breaks", miss.plan, passes=False, by=miss.by, is_extreme=miss.is_least, constraint=name)
        if plans or not failures:
            return
        undecided = next((miss for miss in failures if miss.status == "unknown"), None)
        if undecided is not None:
            self._skip("breaks", constraint.id, "unknown", undecided.reason or "no plan was found")
            return
        where = "beyond the bounds of the scope" if failures[0].scope == "beyond" else "in the scope"
        reason = f"no plan breaks it alone, {where} ({', '.join(failures[0].by)})"
        self._skip("breaks", constraint.id, "none", reason)

    def _empty_answers(self) -> None:
        """Add answers without rows. The verifier decides whether they are right."""
        tables: dict[str, Any] = {table.name: {} if table.one else [] for table in self._judge.task.plan_tables}
        answers: list[Any] = [[]] if self._judge.format.lists else [{}, tables]
        for answer in answers:
            self._add("empty", answer, passes=None)

    def _refusal(self) -> None:
        """Add the answer that there is no plan. Skip it if the task has no plan but does not let agents say so."""
        judge = self._judge
        if judge.refusals == "none" and judge.task.expected == "infeasible":
            self._skip("refusal", None, "dropped", "the task has no plan, and agents may not say so (`refusals: none`)")
            return
        self._add("refusal", {REFUSAL: True}, passes=None)

    def _add_plan(
        self,
        kind: ProbeKind,
        plan: Plan,
        *,
        passes: bool,
        by: tuple[str, ...] = (),
        is_extreme: bool = False,
        constraint: str | None = None,
    ) -> None:
        try:
            answer = self._judge.encode(plan)
        except InexpressiblePlanError as error:
            self._skip(kind, constraint, "dropped", str(error))
            return
        self._add(kind, answer, passes=passes, plan=plan, by=by, is_extreme=is_extreme, constraint=constraint)

    def _add(
        self,
        kind: ProbeKind,
        answer: Any,
        *,
        passes: bool | None,
        plan: Plan | None = None,
        by: tuple[str, ...] = (),
        is_extreme: bool = False,
        constraint: str | None = None,
    ) -> None:
        """Add an answer if the verifier judges it as intended; otherwise record it as skipped.

        Args:
            kind: kind of the probe.
            answer: the answer.
            passes: whether the answer is intended to pass; None if the verifier decides.
            plan: the answer's plan.
            by: back ends that prove `is_extreme`.
            is_extreme: whether the plan is the farthest or nearest, or violates the constraint by the least amount.
            constraint: the only constraint that the answer should violate; None for other kinds.
        """
        data = json.loads(json.dumps(plain_json(answer)))
        try:
            verdict = self._judge.beside_best(self._judge.answer(data))
        except (DiagnosticError, StepLimitError) as error:
            self._skip(kind, constraint, "unknown", str(error))
            return
        fault = _fault(verdict, passes, constraint)
        if fault is not None:
            self._skip(kind, constraint, *fault)
            return
        if any(probe.answer == data for probe in self.probes):
            self._skip(kind, constraint, "dropped", "the answer equals that of another probe")
            return
        task, reference = self._judge.task, self._judge.reference_plan()
        edits = () if plan is None or reference is None else differences(task, reference, plan)
        tables = None if plan is None or self._judge.format is TABLES else plain_json(TABLES.encode(task, plan))
        probe = Probe(
            kind=kind,
            answer=data,
            passes=verdict.status == "pass",
            constraint=constraint,
            violations=_violations(verdict),
            changes=tuple(map(_change_text, edits)),
            plan=tables,
            objectives=tuple(value.text for value in verdict.objectives if value.value is not None),
            is_extreme=is_extreme,
            by=(VERIFIER, *by),
        )
        self.probes.append(probe)

    def _skip(
        self, kind: ProbeKind, constraint: str | None, status: Literal["none", "unknown", "dropped"], reason: str
    ) -> None:
        self.skipped.append(SkippedProbe(kind=kind, constraint=constraint, status=status, reason=reason))


def _fault(
    verdict: Verdict, passes: bool | None, constraint: str | None
) -> tuple[Literal["unknown", "dropped"], str] | None:
    """Return why a verdict is undecided (`unknown`) or not as intended (`dropped`), with a text; None if as intended."""
    undecided = next((finding.message for finding in verdict.findings if finding.kind == "not-judged"), None)
    if undecided is not None:
        return "unknown", undecided
    if passes is not None and (verdict.status == "pass") is not passes:
        reasons = "; ".join(violation.message for violation in _violations(verdict)[:2])
        return "dropped", f"the verifier {'accepts' if not passes else 'refuses'} it" + (reasons and f": {reasons}")
    if constraint is not None:
        others = {rule_of(violation.constraint) for violation in _violations(verdict)} - {constraint}
        if others or verdict.status == "undelivered":
            return "dropped", f"it also violates {', '.join(sorted(others))}"
    return None


def _violations(verdict: Verdict) -> tuple[ProbeViolation, ...]:
    return tuple(
        ProbeViolation(
            constraint=finding.constraint,
            margin=None if finding.margin is None else margin_text(finding.margin, finding.unit),
            message=finding.message,
        )
        for finding in verdict.findings
        if finding.status == "violated" and finding.level != "soft"
    )


def _change_text(edit: PlanDifference) -> str:
    """Return a difference as text, such as `visits[museum].start 10:00 -> 11:30`."""
    if edit.field is None:
        return f"{edit.place} {'added' if edit.before is None else 'removed'}"
    before, after = ("none" if cell is None else str(cell) for cell in (edit.before, edit.after))
    return f"{edit.place} {before} -> {after}"
