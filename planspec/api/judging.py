"""Answers, read as agents give them and judged; plans, written as answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from decimal import Decimal
from functools import cached_property, partial
from os import PathLike
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, TypeAlias

from planspec.api.loading import TaskLike, described, task_of
from planspec.api.profiles import JudgedAnswer, OfficialProfile, Profile, StrictProfile, unjudged
from planspec.api.refusals import is_refusal
from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import Task
from planspec.dsl.model.types import Table
from planspec.dsl.resources.limits import ANSWER_BYTES
from planspec.dsl.resources.reading import read_bytes
from planspec.errors import InexpressiblePlanError, UnknownProfileError
from planspec.families.family import Family
from planspec.families.registry import family_of
from planspec.verifiers.answers.envelope import Answer, Undelivered, open_answer, read_answer
from planspec.verifiers.answers.format import TABLES, NoAnswerError, PlanFormat, plain_json
from planspec.verifiers.answers.tables import clipped, what
from planspec.verifiers.meaning.ground import Ground
from planspec.verifiers.meaning.judge import Details
from planspec.verifiers.meaning.plan_rows import Plan
from planspec.verifiers.meaning.verdict import Finding, Verdict
from planspec.verifiers.official.protocol import OFFICIAL, STRICT, ProfileDifference

if TYPE_CHECKING:
    from planspec.verifiers.compiled.compile import Compiled
    from planspec.verifiers.metrics.scored import Scored

AnswerLike: TypeAlias = bytes | str | Mapping[str, Any] | list[Any] | Plan | PathLike[str]
"""JSON as text or decoded, bare or in an envelope; the path of a file with such text; or a plan's rows."""


class Judge:
    """Judges many answers to one task, and works out once what is static.

    An answer goes one way: it is read, its envelope is taken off, and the profile decodes and judges what is left.

    Args:
        task: a checked task, or the path or id of one.
        profile: `strict`, the library's meaning, or `official`, what the family's public evaluator says.

    Raises:
        UnknownProfileError: the family has no such profile.
        UnsuitableTaskError: the task has not what the family's public evaluator needs.
        NotFoundError: there is no such task.
        DiagnosticError: the task or its instances have errors. Those of its scope are raised where the scope is first
            needed: by a verdict with details, and by `ground.rows`.
        TypeError: it is no task.
    """

    def __init__(self, task: TaskLike, profile: str = STRICT) -> None:
        self.task: Task = task_of(task)
        self.family: Family = family_of(self.task.family)
        self.format: PlanFormat = self.family.format.load()
        self._profile: Profile = _profile_of(self.task, self.family, profile)
        bare = self.format is TABLES and "plan" in {table.name for table in self.task.plan_tables}
        self._read = partial(read_answer, lists=self.format.lists, bare=bare, fits=self._fits)
        self._open = partial(open_answer, lists=self.format.lists, bare=bare, fits=self._fits)

    def __repr__(self) -> str:
        return f"<Judge of {self.task.id}, {self._profile.name}>"

    def _fits(self, data: Any) -> bool:
        """JSON has a table of the plan, or what answers of the family have."""
        tables = isinstance(data, Mapping) and any(table.name in data for table in self.task.plan_tables)
        return tables or self.format.is_answer(data)

    def answer(self, data: AnswerLike, *, details: Details = "all") -> Verdict:
        """The verdict on an answer as an agent gave it: JSON, fenced, in an envelope or bare; decoded JSON; or a plan.

        Raises:
            TypeError: it is none of these.
            OSError: it is the path of a file that cannot be read.
        """
        if isinstance(data, Plan):
            return self.plan(data, details=details)
        return self.judge(self.reading(data), details=details)

    def reading(
        self, data: bytes | str | Mapping[str, Any] | list[Any] | PathLike[str]
    ) -> Answer | Undelivered:
        """An answer's JSON without its envelope, or why there is none.

        Raises:
            TypeError: it is no answer's JSON, as text or decoded.
            OSError: it is the path of a file that cannot be read.
        """
        match data:
            case bytes() | str():
                return self._read(data)
            case Mapping() | list() | bool() | int() | float() | Decimal() | None:
                return self._open(data)
            case PathLike():
                return self._read(read_bytes(data, ANSWER_BYTES))
            case _:
                raise TypeError(
                    "an answer is JSON text, decoded JSON, the pathlib.Path of a file with it, or a Plan, "
                    f"not {described(data)}"
                )

    def judge(self, read: Answer | Undelivered, *, details: Details = "all") -> Verdict:
        """The verdict on an answer that was read."""
        return self._judged(read, details).verdict

    def judge_with_plan(self, read: Answer | Undelivered, *, details: Details = "all") -> JudgedAnswer:
        """The verdict on an answer that was read, and its plan; None of a refusal, and of what is no answer."""
        judged = self._judged(read, details)
        if judged.plan is None and isinstance(read, Answer) and judged.verdict.status != "undelivered":
            return replace(judged, plan=self.read(read.plan))
        return judged

    def _judged(self, read: Answer | Undelivered, details: Details) -> JudgedAnswer:
        if isinstance(read, Undelivered):
            return JudgedAnswer(self.undelivered(read.reason))
        findings = [finding.as_finding() for finding in read.findings]
        if read.task is not None and not self._is_for_task(read.task):
            findings.append(_other_task(read.task, self.task.id))
        judged = self._decoded(read.plan, findings, details)
        return judged if read.alone else replace(judged, verdict=judged.verdict.amid_text())

    def _is_for_task(self, named: str) -> bool:
        """An envelope names this task: by its id, or by the path of its file, each with its turn."""
        if named == self.task.id:
            return True
        _, at, turn = self.task.id.partition("@")
        return PurePath(named).name == f"{PurePath(self.task.span.source.name).name}{at}{turn}"

    def decoded(self, data: Any, findings: Iterable[Finding] = (), *, details: Details = "all") -> Verdict:
        """The verdict on an answer's JSON, without its envelope."""
        return self._decoded(data, findings, details).verdict

    def _decoded(self, data: Any, findings: Iterable[Finding], details: Details) -> JudgedAnswer:
        planned = self._unwrapped(data)
        if isinstance(planned, Undelivered):
            return JudgedAnswer(self.undelivered(planned.reason))
        return self._profile.judge(planned, findings, details)

    def _unwrapped(self, data: Any) -> Any:
        """The answer that the format decodes, taken out of a record of the public tools; or why there is none."""
        if self.format.lists and isinstance(data, Mapping) and "plan" in data:
            data = data["plan"]
            if not data:
                return Undelivered("the answer's plan is empty")
        if not isinstance(data, Mapping) and not (self.format.lists and isinstance(data, list)):
            return Undelivered(f"the answer is {what(data)}, not an object")
        return data

    def plan(self, plan: Plan, findings: Iterable[Finding] = (), *, details: Details = "all") -> Verdict:
        """The verdict on a plan's rows.

        Raises:
            InexpressiblePlanError: the profile is `official`, and the family's answers cannot say the plan.
            TypeError: it is a plan of another task.
        """
        return self._profile.judge_plan(own_plan(self.task, plan), findings, details)

    def undelivered(self, reason: str) -> Verdict:
        """The verdict where there is no plan."""
        return self._profile.undelivered(reason)

    def unjudged(self, reason: str) -> Verdict:
        """The verdict where a plan cannot be judged: it fails, and no rule is said to hold."""
        return unjudged(self.undelivered(reason), reason)

    def differences(
        self, read: Answer | Undelivered, strict: Verdict, own: Verdict
    ) -> tuple[ProfileDifference, ...]:
        """Why this judge's verdict on an answer is not the strict one, rule by rule; nothing without an answer.

        Args:
            read: the answer.
            strict: the verdict of the profile `strict` on it.
            own: the verdict of this judge.
        """
        return self._profile.differences(None if isinstance(read, Undelivered) else read.plan, strict, own)

    def read(self, data: Any) -> Plan | None:
        """The rows of an answer's JSON, whatever is wrong with it; None of a refusal and of what is no answer."""
        if isinstance(data, bytes | str):
            read = self._read(data)
            data = None if isinstance(read, Undelivered) else read.plan
        planned = None if is_refusal(data) or not data else self._unwrapped(data)
        if not planned or isinstance(planned, Undelivered):
            return None
        try:
            return self.format.decode(self.task, planned)[0]
        except NoAnswerError:
            return None

    @property
    def ground(self) -> Ground:
        """Everything static of the task; the public evaluator does without.

        Raises:
            DiagnosticError: its instances have errors.
        """
        return self._profile.strict.ground

    @property
    def compiled(self) -> Compiled:
        """The task's fast verifier, compiled when it is first asked for."""
        return self._profile.strict.compiled

    def scored(self, verdict: Verdict) -> Scored:
        """A verdict of this judge with what metrics ask of its task."""
        from planspec.verifiers.metrics.scored import Scored, labels_of

        return Scored.of(verdict, self._profile.hard_counts(), labels_of(self.task))

    def encode(self, plan: Plan) -> Any:
        """A plan as an answer in the family's format."""
        return self.format.encode(self.task, plan)

    def passing_answer(self, plan: Plan) -> Any:
        """A plan as an answer that passes; None where no answer of the family says it."""
        try:
            answer = self.encode(plan)
        except InexpressiblePlanError:
            return None
        return answer if self.decoded(answer).status == "pass" else None

    def reference_plan(self) -> Plan | None:
        """The author's answer as a plan, if there is one and the verifier accepts it."""
        plan, verdict = self._reference
        return plan if verdict is not None and verdict.status == "pass" else None

    def reference_verdict(self) -> Verdict | None:
        """The verdict on the author's answer in the profile strict; None if there is no such answer."""
        return self._reference[1]

    @cached_property
    def _reference(self) -> tuple[Plan | None, Verdict | None]:
        if self.task.reference is None:
            return None, None
        strict = self._profile.strict
        read = self._open(self.task.reference)
        if isinstance(read, Undelivered):
            return None, strict.undelivered(read.reason)
        try:
            plan, wrong = self.format.decode(self.task, read.plan)
        except NoAnswerError as error:
            return None, strict.undelivered(str(error))
        return plan, strict.judge_plan(plan, [finding.as_finding() for finding in wrong], "all")


def _other_task(named: str, task: str) -> Finding:
    """The note on an answer whose envelope names another task than the one it is judged for."""
    message = f"the answer says that it is for `{clipped(named)}`; it is judged as one for `{task}`"
    return Finding(
        constraint="answer", level="shape", kind="other-task", status="not-applicable", message=message
    )


def _profile_of(task: Task, family: Family, name: str) -> Profile:
    """The profile of a task by its name.

    Raises:
        UnknownProfileError: the family has no such profile.
        UnsuitableTaskError: the task has not what the family's public evaluator needs.
    """
    if name == STRICT:
        return StrictProfile(task, family)
    if name == OFFICIAL and family.official is not None:
        return OfficialProfile(task, family, family.official.load()(task))
    whose = f"the family `{task.family}`" if task.family else "a task without a family"
    raise UnknownProfileError(
        f"{whose} has no profile `{name}`; there is {' and '.join(profiles(task.family))}"
    )


def verify(task: TaskLike, answer: AnswerLike, *, profile: str = "strict") -> Verdict:
    """The verdict on one answer.

    Args:
        task: the task, or its path or id.
        answer: JSON as text (also fenced in Markdown) or decoded, bare or in an envelope; the `pathlib.Path` of a file
            with such text (a str is always the answer itself, so that no answer can name a file); or a plan's rows.
        profile: `strict`, the library's meaning, or `official`, what the family's public evaluator says.

    Raises:
        UnknownProfileError: the family has no such profile.
        UnsuitableTaskError: the task has not what the family's public evaluator needs.
        NotFoundError: there is no such task.
        DiagnosticError: the task has errors.
        TypeError: it is no task, or no answer.
    """
    return Judge(task, profile).answer(answer)


def encode(task: TaskLike, plan: Plan) -> Any:
    """A plan as JSON data: an answer in the format of the task's family, as `verify` and `json.dumps` take it.

    Args:
        task: the task, or its path or id.
        plan: its rows, such as `Solution.plan` or `Validation.witness`.

    Raises:
        TypeError: it is no plan.
        InexpressiblePlanError: the family's answers cannot say it.
    """
    if not isinstance(plan, Plan):
        raise TypeError(f"a Plan is encoded, not {described(plan)}")
    found = task_of(task)
    return plain_json(family_of(found.family).format.load().encode(found, own_plan(found, plan)))


def own_plan(task: Task, plan: Plan) -> Plan:
    """The plan over the rows of this very task, since rows are told apart by identity.

    Raises:
        TypeError: it is a plan of another task.
    """
    tables = {table.name: table for table in task.plan_tables}
    if plan.tables.keys() != tables.keys():
        raise TypeError(
            f"the plan is of another task: it has {', '.join(plan.tables) or 'no tables'}, "
            f"and a plan of `{task.id}` has {', '.join(tables)}"
        )
    if all(_is_own(task, tables[name], row) for name, rows in plan.tables.items() for row in rows):
        return plan
    return TABLES.decode(task, TABLES.encode(task, plan))[0]


def _is_own(task: Task, table: Table, row: Row) -> bool:
    """The row is of the task's table and refers to the task's own facts; tables of tasks with one library are the same."""
    if row._table is not table:
        return False
    values = (getattr(row, name) for name in table.columns)
    parts = (part for value in values for part in (value if isinstance(value, tuple) else (value,)))
    return all(
        part._index < len(facts.rows) and facts.rows[part._index] is part
        for part in parts
        if isinstance(part, Row) and (facts := task.facts.get(part._table.name)) is not None
    )


def profiles(family: str | None) -> tuple[str, ...]:
    """The profiles of a family's tasks.

    Raises:
        UnknownFamilyError: nothing that is installed brings it.
    """
    return (STRICT,) if family_of(family).official is None else (STRICT, OFFICIAL)
