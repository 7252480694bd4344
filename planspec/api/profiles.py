"""Profiles, by which answers are judged: `strict` uses the task's rules, `official` the family's public evaluator."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from planspec.api.refusals import RefusalJudge, refusal_verdict
from planspec.dsl.model.expectation import REFUSAL, is_refusal
from planspec.dsl.model.task import Task
from planspec.family.descriptor import Family
from planspec.verifiers.answers.format import TABLES, CheckedAnswer, NoAnswerError, PlanFormat
from planspec.verifiers.meaning.ground import Ground, ground
from planspec.verifiers.meaning.judge import Details, judge
from planspec.verifiers.meaning.meter import StepLimitError
from planspec.verifiers.meaning.objectives import objective_values
from planspec.verifiers.meaning.plan_rows import Plan
from planspec.verifiers.meaning.turn_of_origin import first_turns_of_instances
from planspec.verifiers.meaning.verdict import Finding, Verdict, undelivered
from planspec.verifiers.official.protocol import OFFICIAL, STRICT, Official, ProfileDifference

if TYPE_CHECKING:
    from planspec.verifiers.compiled.compile import Compiled


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """A verdict on an answer, with the answer's plan.

    Attributes:
        verdict: verdict on the answer.
        plan: the answer's plan; None if there is none, or if the verdict did not need it.
    """

    verdict: Verdict
    plan: Plan | None = None


class Profile(Protocol):
    """A way to judge answers to one task: by the task's rules or by the family's public evaluator."""

    name: ClassVar[str]

    @property
    def strict(self) -> StrictProfile:
        """The profile `strict` of the same task."""

    def judge(self, data: Any, findings: Iterable[Finding], details: Details) -> JudgedAnswer:
        """Judge the JSON of an answer, which is an object or a list, depending on the family's format.

        Args:
            data: answer without its envelope.
            findings: findings from reading the answer.
            details: which findings to include in the verdict.
        """

    def judge_plan(self, plan: Plan, findings: Iterable[Finding], details: Details) -> Verdict:
        """Judge the rows of a plan."""

    def undelivered(self, reason: str) -> Verdict:
        """Return the verdict for an answer that contains no plan."""

    def hard_counts(self) -> Mapping[str, int]:
        """Return the number of hard constraint instances, by kind."""

    def differences(self, data: Any, strict_verdict: Verdict, own_verdict: Verdict) -> tuple[ProfileDifference, ...]:
        """Explain, by constraint, where this profile's verdict differs from that of the profile `strict`."""


def unjudged_verdict(verdict: Verdict, message: str, findings: Iterable[Finding] = ()) -> Verdict:
    """Return the failing verdict for an answer that cannot be judged.

    Args:
        verdict: verdict for an answer without a plan.
        message: why the answer cannot be judged.
        findings: findings so far.
    """
    finding = Finding(constraint="answer", level="shape", kind="not-judged", status="violated", message=message)
    return replace(verdict, status="fail", findings=(*findings, finding))


class StrictProfile:
    """The profile that judges by the task's rules as written in planspec. Every task has it.

    Attributes:
        refusal_judge: judge of answers that say that there is no plan. It may be replaced.

    Args:
        task: the task.
        family: family of the task.

    Raises:
        DiagnosticError: the task's constraint instances have errors. Errors in its scope are raised when the scope is
            first needed.
    """

    name: ClassVar[str] = STRICT

    def __init__(self, task: Task, family: Family) -> None:
        self.task = task
        self.ground: Ground = ground(task, scope=False)
        self._format: PlanFormat = family.format.load()
        self._check = None if family.checks is None else family.checks.load()
        self._judged = 0
        self.refusal_judge = RefusalJudge()

    @property
    def strict(self) -> StrictProfile:
        return self

    def judge(self, data: Any, findings: Iterable[Finding], details: Details) -> JudgedAnswer:
        if is_refusal(data):
            judgement, message = self.refusal_judge.judge(self.ground, data[REFUSAL])
            missing = self.undelivered(message)
            if judgement is None:
                return JudgedAnswer(missing)
            if judgement.right is None:
                return JudgedAnswer(replace(unjudged_verdict(missing, message), refusal=judgement))
            return JudgedAnswer(refusal_verdict(missing, judgement, message))
        try:
            answer = self._decode(data)
        except NoAnswerError as error:
            return JudgedAnswer(self.undelivered(str(error)))
        all_findings = [*findings, *(finding.as_finding() for finding in answer.findings)]
        verdict = self.judge_plan(answer.plan, all_findings, details)
        if verdict.status == "fail" and self._format is not TABLES and not any(answer.plan.tables.values()):
            # otherwise constraints over all rows would hold vacuously
            wrong = (finding.message for finding in answer.findings if finding.fails)
            return JudgedAnswer(answer.extend(self.undelivered(next(wrong, "the answer plans nothing"))))
        return JudgedAnswer(answer.extend(verdict), answer.plan)

    def _decode(self, data: Any) -> CheckedAnswer:
        """Decode an answer's rows and run the family's additional checks.

        Raises:
            NoAnswerError: the answer has no plan.
        """
        if self._check is not None:
            return self._check(self.task, data)
        plan, wrong = self._format.decode(self.task, data)
        return CheckedAnswer(plan, tuple(wrong), lambda verdict: verdict)

    def judge_plan(self, plan: Plan, findings: Iterable[Finding], details: Details) -> Verdict:
        self._judged += 1
        findings = tuple(findings)
        if self._judged == 1:  # compiling takes as long as judging a few plans, so the first ones are interpreted
            with suppress(StepLimitError):
                return self._judge_with(self._common_code, plan, findings, details)
        try:
            return self._judge_with(self.compiled, plan, findings, details)
        except StepLimitError as error:
            if error.static:
                raise
            return self._unjudged_verdict(findings, error)

    def _judge_with(self, code: Compiled | None, plan: Plan, findings: Iterable[Finding], details: Details) -> Verdict:
        """Judge a plan by compiled code, or by the interpreter if `code` is None."""
        statuses, measures = (None, None) if code is None else code.judge_and_measure(plan)
        return judge(
            self.ground,
            plan,
            findings,
            statuses,
            details=details,
            first_turns=self._first_turns,
            measures=measures,
            interpreter_factory=lambda: (code or self.compiled).explaining_interpreter(plan),
        )

    @property
    def _common_code(self) -> Compiled | None:
        """Compiled verifier, from storage, that the task shares with similar tasks; None if there is none."""
        from planspec.verifiers.compiled.common_store import common_verifier

        return common_verifier(self.ground)

    @cached_property
    def compiled(self) -> Compiled:
        """The task's compiled verifier, compiled on first use."""
        from planspec.verifiers.compiled.compile import compile_task

        return compile_task(self.ground)

    @cached_property
    def _first_turns(self) -> Mapping[str, int]:
        """Number of the first turn in which each constraint instance applies, by id; empty for a task without turns."""
        return first_turns_of_instances(self.ground)

    def undelivered(self, reason: str) -> Verdict:
        applicable = [instance.constraint.hard for instance in self.ground.instances if instance.applicable]
        hard = sum(applicable)
        objectives = objective_values(self.task, None)
        return undelivered(self.task.id, reason, hard=hard, soft=len(applicable) - hard, objectives=objectives)

    def _unjudged_verdict(self, findings: Iterable[Finding], error: StepLimitError) -> Verdict:
        """Return the failing verdict for a plan that takes too many steps; no constraint counts as satisfied."""
        rule = " ".join(error.span.text.split())
        message = f"not judged: `{rule[:100]}` takes more than {error.most:,} steps on this plan"
        return unjudged_verdict(self.undelivered(message), message, findings)

    def hard_counts(self) -> Mapping[str, int]:
        from planspec.verifiers.metrics.scored import hard_counts_of

        return hard_counts_of(self.ground)

    def differences(
        self,
        data: Any,  # noqa: ARG002
        strict_verdict: Verdict,  # noqa: ARG002
        own_verdict: Verdict,  # noqa: ARG002
    ) -> tuple[ProfileDifference, ...]:
        return ()


class OfficialProfile:
    """The profile that judges by the family's public evaluator. It does not ground the task's constraints.

    Args:
        task: the task.
        family: family of the task.
        evaluator: public evaluator for the task.
    """

    name: ClassVar[str] = OFFICIAL

    def __init__(self, task: Task, family: Family, evaluator: Official) -> None:
        self.task = task
        self._family = family
        self._evaluator = evaluator
        self._format: PlanFormat = family.format.load()

    @cached_property
    def strict(self) -> StrictProfile:
        return StrictProfile(self.task, self._family)

    def judge(self, data: Any, findings: Iterable[Finding], details: Details) -> JudgedAnswer:  # noqa: ARG002
        return JudgedAnswer(self._evaluator.judge(data, findings))

    def judge_plan(self, plan: Plan, findings: Iterable[Finding], details: Details) -> Verdict:  # noqa: ARG002
        """Judge the rows of a plan.

        Raises:
            InexpressiblePlanError: the family's answer format cannot express the plan.
        """
        return self._evaluator.judge(self._format.encode(self.task, plan), findings)

    def undelivered(self, reason: str) -> Verdict:
        return self._evaluator.undelivered(reason)

    def hard_counts(self) -> Mapping[str, int]:
        return self._evaluator.hard_counts()

    def differences(self, data: Any, strict_verdict: Verdict, own_verdict: Verdict) -> tuple[ProfileDifference, ...]:
        return self._evaluator.differences(data, strict_verdict, own_verdict)
