"""Judging of answers in every form that agents give, and encoding of plans as answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from decimal import Decimal
from functools import cached_property, partial
from os import PathLike
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, TypeAlias

from planspec.api.loading import TaskLike, describe_argument, task_of
from planspec.api.profiles import JudgedAnswer, OfficialProfile, Profile, StrictProfile, unjudged_verdict
from planspec.api.refusals import KnownConflicts, RefusalJudge
from planspec.deprecation import former_parameters
from planspec.dsl.diagnostics.suggestions import did_you_mean
from planspec.dsl.model.environment import RefusalMode
from planspec.dsl.model.expectation import is_refusal
from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import Task
from planspec.dsl.model.types import Table
from planspec.dsl.resources.limits import ANSWER_BYTES
from planspec.dsl.resources.reading import read_bytes
from planspec.errors import InexpressiblePlanError, NotFoundError, UnknownProfileError, UnsuitableTaskError
from planspec.family.descriptor import Family
from planspec.family.registry import family_of
from planspec.verifiers.answers.envelope import Answer, Undelivered, open_answer, read_answer
from planspec.verifiers.answers.format import TABLES, NoAnswerError, PlanFormat, plain_json
from planspec.verifiers.answers.tables import clipped_text, json_kind
from planspec.verifiers.meaning.ground import Ground
from planspec.verifiers.meaning.judge import Details
from planspec.verifiers.meaning.plan_rows import Plan
from planspec.verifiers.meaning.verdict import Finding, Verdict, is_right_refusal
from planspec.verifiers.official.protocol import OFFICIAL, STRICT, ProfileDifference

if TYPE_CHECKING:
    from planspec.api.best_values import BestValues
    from planspec.verifiers.compiled.compile import Compiled
    from planspec.verifiers.metrics.scored import Scored

AnswerLike: TypeAlias = bytes | str | Mapping[str, Any] | list[Any] | Plan | PathLike[str]
"""An answer: JSON as text or decoded, also as `{"task": ..., "plan": ...}`; the path of a file with it; or a plan."""


NO_REFUSALS = "the answer says that there is no plan, which agents may not do here (`refusals: none`)"
"""Reason why a refusal counts as no answer."""


class Judge:
    """A judge of answers to one task. It computes static parts of the task once.

    Every answer goes through the same steps. It is parsed, its envelope (a JSON object with the task's id and the
    answer) is removed, and the profile decodes and judges the rest.

    Args:
        task: a checked task, or its path or id.
        profile: `strict`, the task's rules as written in planspec, or `official`, the family's public evaluator.
        setting: setting in which the answers are given. It decides whether they may be refusals (claims that there is
            no plan). None for the default setting.

    Attributes:
        refusals: whether an answer may be a refusal.

    Raises:
        UnknownProfileError: the family has no such profile.
        UnsuitableTaskError: the task lacks what the family's public evaluator needs.
        NotFoundError: there is no such task, or it has no such setting.
        DiagnosticError: the task or its instances have errors. Errors of its scope are raised when it is
            first needed: by a verdict with details, and by `ground.rows`.
        TypeError: `task` is neither a task, a path nor an id.
    """

    def __init__(self, task: TaskLike, profile: str = STRICT, *, setting: str | None = None) -> None:
        self.task: Task = task_of(task)
        if setting is not None:
            _require_setting(self.task, setting)
        self.refusals: RefusalMode = self.task.environment.refusals_in(setting)
        self.family: Family = family_of(self.task.family)
        self.format: PlanFormat = self.family.format.load()
        self._profile: Profile = _profile_of(self.task, self.family, profile)
        bare = self.format is TABLES and "plan" in {table.name for table in self.task.plan_tables}
        self._read = partial(read_answer, lists=self.format.lists, bare=bare, fits=self._looks_like_answer)
        self._open = partial(open_answer, lists=self.format.lists, bare=bare, fits=self._looks_like_answer)

    def __repr__(self) -> str:
        return f"<Judge of {self.task.id}, {self._profile.name}>"

    def _looks_like_answer(self, data: Any) -> bool:
        """Return whether JSON data has a plan table, or the family's answer format."""
        tables = isinstance(data, Mapping) and any(table.name in data for table in self.task.plan_tables)
        return tables or self.format.is_answer(data)

    def answer(self, data: AnswerLike, *, details: Details = "all") -> Verdict:
        """Judge an answer: JSON as text (also fenced) or decoded, with or without envelope; a path; or a plan.

        Raises:
            TypeError: `data` has another type.
            OSError: the file cannot be read.
        """
        if isinstance(data, Plan):
            return self._with_max_gap(self.plan(data, details=details))
        return self.judge(self.reading(data), details=details)

    def reading(self, data: bytes | str | Mapping[str, Any] | list[Any] | PathLike[str]) -> Answer | Undelivered:
        """Parse an answer, and remove its envelope. Return `Undelivered` if it cannot be parsed.

        Raises:
            TypeError: `data` is neither JSON, as text or decoded, nor a path.
            OSError: the file cannot be read.
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
                    f"not {describe_argument(data)}"
                )

    def judge(self, read: Answer | Undelivered, *, details: Details = "all") -> Verdict:
        """Judge an answer that `reading` returned."""
        return self._with_max_gap(self._judge(read, details).verdict)

    def _with_max_gap(self, verdict: Verdict) -> Verdict:
        """Return a verdict that fails if the plan's gap to the best plan exceeds the task's `max_gap`.

        Raises:
            UnsuitableTaskError: the task has `max_gap`, and its best plan is not certified.
        """
        if not (self.task.max_gaps and self._profile.name == STRICT) or is_right_refusal(verdict):
            return verdict
        from planspec.api.best_values import with_max_gap

        return with_max_gap(verdict, self.ground, self.require_best())

    def require_best(self) -> BestValues:
        """Return the values of the best plan, which every verdict on a task with `max_gap` needs.

        Raises:
            UnsuitableTaskError: no certificate proves the values of the best plan.
        """
        best_values = self.best_values
        if best_values is None or not best_values.by:
            raise UnsuitableTaskError(
                f"`{self.task.id}` has `max_gap`, and no certificate proves what its best plan is: "
                "`planspec validate --certify` writes one, and `verify --best` finds the best plan now"
            )
        return best_values

    def judge_with_plan(self, read: Answer | Undelivered, *, details: Details = "all") -> JudgedAnswer:
        """Judge an answer that `reading` returned, and return the verdict with the answer's plan.

        The plan is None for a refusal or a missing answer.
        """
        judged = self._judge(read, details)
        judged = replace(judged, verdict=self._with_max_gap(judged.verdict))
        if judged.plan is None and isinstance(read, Answer) and judged.verdict.status != "undelivered":
            return replace(judged, plan=self.read(read.plan))
        return judged

    def _judge(self, read: Answer | Undelivered, details: Details) -> JudgedAnswer:
        if isinstance(read, Undelivered):
            return JudgedAnswer(self.undelivered(read.reason))
        findings = [finding.as_finding() for finding in read.findings]
        if read.task is not None and not self._is_for_task(read.task):
            findings.append(_other_task_note(read.task, self.task.id))
        judged = self._judge_data(read.plan, findings, details)
        return judged if read.alone else replace(judged, verdict=judged.verdict.amid_text())

    def _is_for_task(self, name: str) -> bool:
        """Return whether a name in an envelope refers to this task, by id or file, with or without its turn."""
        if name == self.task.id:
            return True
        _, at, turn = self.task.id.partition("@")
        return PurePath(name).name == f"{self.task.file.name}{at}{turn}"

    def decoded(self, data: Any, findings: Iterable[Finding] = (), *, details: Details = "all") -> Verdict:
        """Judge the decoded JSON of an answer without envelope."""
        return self._judge_data(data, findings, details).verdict

    def _judge_data(self, data: Any, findings: Iterable[Finding], details: Details) -> JudgedAnswer:
        answer = self._unwrap(data)
        if isinstance(answer, Undelivered):
            return JudgedAnswer(self.undelivered(answer.reason))
        if is_refusal(answer) and self.refusals == "none" and self._profile.name == STRICT:
            return JudgedAnswer(self.undelivered(NO_REFUSALS))
        return self._profile.judge(answer, findings, details)

    def _unwrap(self, data: Any) -> Any:
        """Return the answer in a record of a benchmark's public tools, such as the list in `{"plan": [...]}`.

        Return `Undelivered` if the data has the wrong form.
        """
        if self.format.lists and isinstance(data, Mapping) and "plan" in data:
            data = data["plan"]
            if not data:
                return Undelivered("the answer's plan is empty")
        if not isinstance(data, Mapping) and not (self.format.lists and isinstance(data, list)):
            return Undelivered(f"the answer is {json_kind(data)}, not an object")
        return data

    def plan(self, plan: Plan, findings: Iterable[Finding] = (), *, details: Details = "all") -> Verdict:
        """Judge the rows of a plan.

        Raises:
            InexpressiblePlanError: the profile is `official`, and the family's format cannot express the
                plan.
            TypeError: the plan belongs to another task.
        """
        return self._profile.judge_plan(own_plan(self.task, plan), findings, details)

    def undelivered(self, reason: str) -> Verdict:
        """Return the verdict for an answer that contains no plan."""
        return self._profile.undelivered(reason)

    def unjudged(self, reason: str) -> Verdict:
        """Return a failing verdict, in which no constraint is satisfied, for a plan that cannot be judged."""
        return unjudged_verdict(self.undelivered(reason), reason)

    @former_parameters(read="answer", strict="strict_verdict", own="own_verdict")
    def differences(
        self, answer: Answer | Undelivered, strict_verdict: Verdict, own_verdict: Verdict
    ) -> tuple[ProfileDifference, ...]:
        """Explain, by constraint, where this judge's verdict differs from that of the profile `strict`.

        Args:
            answer: answer that `reading` returned.
            strict_verdict: verdict of the profile `strict`.
            own_verdict: verdict of this judge.
        """
        data = None if isinstance(answer, Undelivered) else answer.plan
        return self._profile.differences(data, strict_verdict, own_verdict)

    def read(self, data: Any) -> Plan | None:
        """Return the plan of an answer, even with faults; None for a refusal or a missing answer."""
        if isinstance(data, bytes | str):
            read = self._read(data)
            data = None if isinstance(read, Undelivered) else read.plan
        answer = None if is_refusal(data) or not data else self._unwrap(data)
        if not answer or isinstance(answer, Undelivered):
            return None
        try:
            return self.format.decode(self.task, answer)[0]
        except NoAnswerError:
            return None

    def know_conflicts(self, minimal: Iterable[frozenset[str]]) -> None:
        """Store the minimal conflicts of the task. Later refusals are judged by them, without a solver.

        Args:
            minimal: ids of the constraint instances in each minimal conflict; empty for a task with a plan.
        """
        self._profile.strict.refusal_judge = RefusalJudge(KnownConflicts(tuple(minimal)))

    @property
    def ground(self) -> Ground:
        """Grounded task: the instances of its constraints, with all parts computed that do not depend on the plan.

        The profile `official` grounds the task on first use, because its evaluator does not need it.

        Raises:
            DiagnosticError: the instances have errors.
        """
        return self._profile.strict.ground

    @property
    def compiled(self) -> Compiled:
        """The task's compiled verifier, compiled on first use."""
        return self._profile.strict.compiled

    @cached_property
    def best_values(self) -> BestValues | None:
        """Values of the best plan from the certificate beside the task's file; None if no certificate has them.

        The attribute may be set to values that a solver found.
        """
        from planspec.api.best_values import certified_best_values

        return certified_best_values(self, self.task.file) if self.task.objectives else None

    def beside_best(self, verdict: Verdict) -> Verdict:
        """Return a verdict in which objectives are compared with the best known plan.

        It is meant for the author of the task. Agents must not see it before their last answer is judged.
        """
        if not verdict.objectives or self.best_values is None:
            return verdict
        from planspec.api.best_values import with_best

        return with_best(verdict, self.ground, self.best_values)

    def scored(self, verdict: Verdict) -> Scored:
        """Return a verdict of this judge with the data about the task that metrics need."""
        from planspec.api.labels import labels_of
        from planspec.verifiers.metrics.scored import Scored

        infeasible = self.task.expected == "infeasible"
        return Scored.of(verdict, self._profile.hard_counts(), labels_of(self.task), infeasible=infeasible)

    def encode(self, plan: Plan) -> Any:
        """Encode a plan as an answer in the family's format."""
        return self.format.encode(self.task, plan)

    def passing_answer(self, plan: Plan) -> Any:
        """Encode a plan as an answer. Return None if the family's format cannot express it, or if it does not pass."""
        try:
            answer = self.encode(plan)
        except InexpressiblePlanError:
            return None
        return answer if self.decoded(answer).status == "pass" else None

    def reference_data(self) -> Any:
        """Return the author's answer as JSON without its envelope; None if there is none, or it cannot be read."""
        read = None if self.task.reference is None else self.reading(self.task.reference)
        return read.plan if isinstance(read, Answer) else None

    def reference_plan(self) -> Plan | None:
        """Return the plan of the author's answer; None if there is no such answer or the verifier rejects it."""
        plan, verdict = self._reference
        return plan if verdict is not None and verdict.status == "pass" else None

    def reference_verdict(self) -> Verdict | None:
        """Return the strict verdict on the author's answer; None if there is no such answer."""
        return self._reference[1]

    @cached_property
    def _reference(self) -> tuple[Plan | None, Verdict | None]:
        if self.task.reference is None:
            return None, None
        strict = self._profile.strict
        read = self.reading(self.task.reference)
        if isinstance(read, Undelivered):
            return None, strict.undelivered(read.reason)
        if is_refusal(read.plan):
            return None, strict.judge(read.plan, (), "all").verdict
        try:
            plan, wrong = self.format.decode(self.task, read.plan)
        except NoAnswerError as error:
            return None, strict.undelivered(str(error))
        return plan, strict.judge_plan(plan, [finding.as_finding() for finding in wrong], "all")


def _require_setting(task: Task, setting: str) -> None:
    """Check that a task has a setting. If the family's Python code defines the settings, any name is accepted.

    Raises:
        NotFoundError: the task has no such setting.
    """
    declared = tuple(task.environment.settings) or ("text", "tools")
    if setting not in declared and "settings" not in family_of(task.family).parts:
        close = did_you_mean(setting, declared)
        raise NotFoundError(
            f"`{task.id}` has no setting `{setting}`: there is {', '.join(declared)}" + (f"; {close}" if close else "")
        )


def _other_task_note(name: str, task: str) -> Finding:
    """Return a note that the envelope of an answer names another task."""
    message = f"the answer says that it is for `{clipped_text(name)}`; it is judged as one for `{task}`"
    return Finding(constraint="answer", level="shape", kind="other-task", status="not-applicable", message=message)


def _profile_of(task: Task, family: Family, name: str) -> Profile:
    """Return the profile of a task by name.

    Raises:
        UnknownProfileError: the family has no such profile.
        UnsuitableTaskError: the task lacks what the family's public evaluator needs.
    """
    if name == STRICT:
        return StrictProfile(task, family)
    if name == OFFICIAL and family.official is not None:
        return OfficialProfile(task, family, family.official.load()(task))
    subject = f"the family `{task.family}`" if task.family else "a task without a family"
    raise UnknownProfileError(f"{subject} has no profile `{name}`; there is {' and '.join(profiles(task.family))}")


def verify(task: TaskLike, answer: AnswerLike, *, profile: str = "strict") -> Verdict:
    """Judge one answer.

    Objectives are compared with the best plan if the task's certificate has its values.

    Args:
        task: the task, or its path or id.
        answer: JSON as text (also fenced in Markdown) or decoded, bare or in an envelope; the `pathlib.Path`
            of a file with such text; or a plan. A str is always the answer itself: no answer can make planspec open a
            file.
        profile: `strict`, the task's rules as written in planspec, or `official`, the family's public evaluator.

    Raises:
        UnknownProfileError: the family has no such profile.
        UnsuitableTaskError: the task lacks what the family's public evaluator needs.
        NotFoundError: there is no such task.
        DiagnosticError: the task has errors.
        TypeError: `task` or `answer` has a wrong type.
    """
    judge = Judge(task, profile)
    return judge.beside_best(judge.answer(answer))


def encode(task: TaskLike, plan: Plan) -> Any:
    """Encode a plan as JSON data in the answer format of the task's family, for `verify` and `json.dumps`.

    Args:
        task: the task, or its path or id.
        plan: the plan, such as `Solution.plan` or `Validation.witness`.

    Raises:
        TypeError: `plan` is not a plan of the task.
        InexpressiblePlanError: the family's format cannot express the plan.
    """
    if not isinstance(plan, Plan):
        raise TypeError(f"a Plan is encoded, not {describe_argument(plan)}")
    checked = task_of(task)
    return plain_json(family_of(checked.family).format.load().encode(checked, own_plan(checked, plan)))


def own_plan(task: Task, plan: Plan) -> Plan:
    """Return the same plan with the rows of this task object, because rows are compared by identity.

    Raises:
        TypeError: the plan belongs to another task.
    """
    tables = {table.name: table for table in task.plan_tables}
    if plan.tables.keys() != tables.keys():
        raise TypeError(
            f"the plan is of another task: it has {', '.join(plan.tables) or 'no tables'}, "
            f"and a plan of `{task.id}` has {', '.join(tables)}"
        )
    if all(_is_own_row(task, tables[name], row) for name, rows in plan.tables.items() for row in rows):
        return plan
    return TABLES.decode(task, TABLES.encode(task, plan))[0]


def _is_own_row(task: Task, table: Table, row: Row) -> bool:
    """Return whether a row belongs to the task's table and refers to the task's own facts.

    Tasks with the same library share table objects, so comparing tables is not enough.
    """
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
    """Return the names of the profiles of a family's tasks.

    Raises:
        UnknownFamilyError: no installed package provides the family.
    """
    return (STRICT,) if family_of(family).official is None else (STRICT, OFFICIAL)
