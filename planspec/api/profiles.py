"""The two ways to judge an answer: by the library's meaning, and as the family's public evaluator does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from planspec.api.refusals import REFUSAL, is_refusal, refusal, right_refusal
from planspec.dsl.model.task import Task
from planspec.families.family import Family
from planspec.verifiers.answers.format import TABLES, CheckedAnswer, NoAnswerError, PlanFormat
from planspec.verifiers.meaning.ground import Ground, ground
from planspec.verifiers.meaning.judge import Details, judge
from planspec.verifiers.meaning.meter import StepLimitError
from planspec.verifiers.meaning.plan_rows import Plan
from planspec.verifiers.meaning.turn_of_origin import standing_since
from planspec.verifiers.meaning.verdict import Finding, Verdict, undelivered
from planspec.verifiers.official.protocol import OFFICIAL, STRICT, Official, ProfileDifference

if TYPE_CHECKING:
    from planspec.verifiers.compiled.compile import Compiled


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """A verdict, with the plan that it is about.

    Attributes:
        verdict: on the answer.
        plan: the answer's rows; None where they were not needed, or there are none.
    """

    verdict: Verdict
    plan: Plan | None = None


class Profile(Protocol):
    """Judges answers to one task by one meaning of its rules."""

    name: ClassVar[str]

    @property
    def strict(self) -> StrictProfile:
        """The library's meaning of the same task."""

    def judge(self, data: Any, findings: Iterable[Finding], details: Details) -> JudgedAnswer:
        """The verdict on an answer's JSON, an object or a list as the family's format has it.

        Args:
            data: the answer without its envelope.
            findings: from reading the answer.
            details: the findings to work out.
        """

    def judge_plan(self, plan: Plan, findings: Iterable[Finding], details: Details) -> Verdict:
        """The verdict on a plan's rows."""

    def undelivered(self, reason: str) -> Verdict:
        """The verdict where there is no plan."""

    def asked(self) -> Mapping[str, int]:
        """The number of hard rules that are asked of a plan, by their kinds."""

    def differences(self, data: Any, strict: Verdict, own: Verdict) -> tuple[ProfileDifference, ...]:
        """Why this profile's verdict on an answer is not the strict one, rule by rule."""


def unjudged(verdict: Verdict, message: str, findings: Iterable[Finding] = ()) -> Verdict:
    """The verdict on an answer that cannot be judged, made of the one where there is none: it fails."""
    finding = Finding(
        constraint="answer", level="shape", kind="not-judged", status="violated", message=message
    )
    return replace(verdict, status="fail", findings=(*findings, finding))


class StrictProfile:
    """The library's meaning, which every task has.

    Args:
        task: the task.
        family: of the task.

    Raises:
        DiagnosticError: its instances have errors; those of its scope are raised where it is first needed.
    """

    name: ClassVar[str] = STRICT

    def __init__(self, task: Task, family: Family) -> None:
        self.task = task
        self.ground: Ground = ground(task, scope=False)
        self._format: PlanFormat = family.format.load()
        self._check = None if family.checks is None else family.checks.load()
        self._judged = 0

    @property
    def strict(self) -> StrictProfile:
        return self

    def judge(self, data: Any, findings: Iterable[Finding], details: Details) -> JudgedAnswer:
        if is_refusal(data):
            right, message = refusal(self.ground, data[REFUSAL])
            return JudgedAnswer(right_refusal(self.task.id, message) if right else self.undelivered(message))
        try:
            answer = self._decode(data)
        except NoAnswerError as error:
            return JudgedAnswer(self.undelivered(str(error)))
        found = [*findings, *(finding.as_finding() for finding in answer.findings)]
        verdict = self.judge_plan(answer.plan, found, details)
        if verdict.status == "fail" and self._format is not TABLES and not any(answer.plan.tables.values()):
            # else rules on all rows would hold of none
            wrong = (finding.message for finding in answer.findings if finding.fails)
            return JudgedAnswer(answer.extend(self.undelivered(next(wrong, "the answer plans nothing"))))
        return JudgedAnswer(answer.extend(verdict), answer.plan)

    def _decode(self, data: Any) -> CheckedAnswer:
        """An answer's rows, with what the family checks beside the rules.

        Raises:
            NoAnswerError: there is no plan in it.
        """
        if self._check is not None:
            return self._check(self.task, data)
        plan, wrong = self._format.decode(self.task, data)
        return CheckedAnswer(plan, tuple(wrong), lambda verdict: verdict)

    def judge_plan(self, plan: Plan, findings: Iterable[Finding], details: Details) -> Verdict:
        self._judged += 1
        findings = tuple(findings)
        if self._judged == 1:  # compiling takes as long as judging a few plans without
            with suppress(StepLimitError):
                return self._judge_with(self._common, plan, findings, details)
        try:
            return self._judge_with(self.compiled, plan, findings, details)
        except StepLimitError as out:
            if out.static:
                raise
            return self._not_judged(findings, out)

    def _judge_with(
        self, code: Compiled | None, plan: Plan, findings: Iterable[Finding], details: Details
    ) -> Verdict:
        """The verdict by compiled code, or by the interpreter."""
        statuses, measures = (None, None) if code is None else code.judge_and_measure(plan)
        return judge(
            self.ground, plan, findings, statuses, details=details, since=self._since, measures=measures,
            explaining=lambda: (code or self.compiled).explaining(plan),
        )  # fmt: skip

    @property
    def _common(self) -> Compiled | None:
        """The verifier in code that the task shares with others; None if there is none."""
        from planspec.verifiers.compiled.common_store import common_code

        return common_code(self.ground)

    @cached_property
    def compiled(self) -> Compiled:
        """The task's fast verifier, compiled when it is first asked for."""
        from planspec.verifiers.compiled.compile import compile_task

        return compile_task(self.ground)

    @cached_property
    def _since(self) -> Mapping[str, int]:
        """The turn from which on each instance applies, by its id; empty for a task without turns."""
        return standing_since(self.ground)

    def undelivered(self, reason: str) -> Verdict:
        applicable = [instance.constraint.hard for instance in self.ground.instances if instance.applicable]
        hard = sum(applicable)
        return undelivered(self.task.id, reason, hard=hard, soft=len(applicable) - hard)

    def _not_judged(self, findings: Iterable[Finding], out: StepLimitError) -> Verdict:
        """The verdict on a plan that takes too long to judge: it fails, and no rule is said to hold."""
        rule = " ".join(out.span.text.split())
        message = f"not judged: `{rule[:100]}` takes more than {out.most:,} steps on this plan"
        return unjudged(self.undelivered(message), message, findings)

    def asked(self) -> Mapping[str, int]:
        from planspec.verifiers.metrics.scored import asked_of

        return asked_of(self.ground)

    def differences(self, data: Any, strict: Verdict, own: Verdict) -> tuple[ProfileDifference, ...]:  # noqa: ARG002
        return ()


class OfficialProfile:
    """Judges as the family's public evaluator does, without our instances of the rules.

    Args:
        task: the task.
        family: of the task.
        evaluator: the public evaluator, made for the task.
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
        """The verdict on a plan's rows.

        Raises:
            InexpressiblePlanError: the family's answers cannot say the plan.
        """
        return self._evaluator.judge(self._format.encode(self.task, plan), findings)

    def undelivered(self, reason: str) -> Verdict:
        return self._evaluator.undelivered(reason)

    def asked(self) -> Mapping[str, int]:
        return self._evaluator.asked()

    def differences(self, data: Any, strict: Verdict, own: Verdict) -> tuple[ProfileDifference, ...]:
        return self._evaluator.differences(data, strict, own)
