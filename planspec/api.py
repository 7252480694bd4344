"""The verbs: load, verify, score, solve, validate."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planspec.catalog import Catalog
from planspec.dsl.diagnostics import Diagnostic, Report
from planspec.dsl.documents import check_document, task_from_path, task_from_text
from planspec.dsl.task import Task
from planspec.dsl.workspace import Workspace
from planspec.dsl.yaml_source import read_source
from planspec.errors import DiagnosticError, UnknownProfile
from planspec.overlay import with_objective
from planspec.refusals import REFUSAL, is_refusal, is_right_refusal, refusal, right_refusal
from planspec.verifiers.answer import Undelivered, read_answer
from planspec.verifiers.facts.registry import fact_checker
from planspec.verifiers.ground import Ground, ground
from planspec.verifiers.judge import judge
from planspec.verifiers.official.registry import STRICT, Official, official, profiles
from planspec.verifiers.plan import TABLES, NoAnswer, plan_format
from planspec.verifiers.plan_rows import Plan
from planspec.verifiers.standing import standing_since
from planspec.verifiers.table_reading import what
from planspec.verifiers.verdict import Finding, Tally, Verdict

if TYPE_CHECKING:
    from planspec.solvers.outcome import Limits
    from planspec.solvers.prove import Solution, Validation
    from planspec.verifiers.compile import Compiled
    from planspec.verifiers.protocols.scored import Scored


class Judge:
    """Judges many answers to one task: what is static is worked out once.

    Args:
        task: a checked task.
        profile: `strict`, the library's meaning, or `official`, what the family's public evaluator says.

    Raises:
        UnknownProfile: the family has no such profile.
        UnfitTask: the task has not what the family's public evaluator needs.
        DiagnosticError: its scope or instances have errors.
    """

    def __init__(self, task: Task, profile: str = STRICT) -> None:
        known = profiles(task.family)
        if profile not in known:
            whose = f"the family `{task.family}`" if task.family else "a task without a family"
            raise UnknownProfile(f"{whose} has no profile `{profile}`; there is {' and '.join(known)}")
        self.task = task
        self.official: Official | None = None if profile == STRICT else official(task)
        if self.official is None:
            self.ground = ground(task)
        self._judged = 0
        self.facts = fact_checker(task.family) if self.official is None else None
        self.format = plan_format(task.family)

    def answer(self, data: bytes | str | Mapping[str, Any], *, details: Any = "all") -> Verdict:
        """The verdict on an answer as an agent gave it: JSON, fenced, wrapped or bare; or decoded JSON."""
        if not isinstance(data, bytes | str):
            return self.decoded(data, details=details)
        read = read_answer(data, lists=self.format.lists)
        if isinstance(read, Undelivered):
            return self.undelivered(read.reason)
        return self.decoded(read.plan, [f.as_finding() for f in read.findings], details=details)

    def decoded(self, data: Any, findings: Iterable[Finding] = (), *, details: Any = "all") -> Verdict:
        """The verdict on an answer's JSON, without its envelope."""
        if self._has_plan(data):
            data = data["plan"]
            if not data:
                return self.undelivered("the answer's plan is empty")
        if is_refusal(data) and self.official is None:
            right, message = refusal(self.ground, data[REFUSAL])
            return right_refusal(self.task.id, message) if right else self.undelivered(message)
        if not isinstance(data, Mapping) and not (self.format.lists and isinstance(data, list)):
            return self.undelivered(f"the answer is {what(data)}, not an object")
        if self.official is not None:
            return self.official.judge(data, findings)
        facts = None
        try:
            if self.facts is not None:
                plan, wrong, facts = self.facts(self.task, data)
            else:
                plan, wrong = self.format.decode(self.task, data)
        except NoAnswer as error:
            return self.undelivered(str(error))
        verdict = self.plan(plan, [*findings, *(f.as_finding() for f in wrong)], details=details)
        if verdict.status == "fail" and self.format is not TABLES and not any(plan.tables.values()):
            # else rules on all rows would hold of none
            return self.undelivered(next((f.message for f in wrong if f.fails), "the answer plans nothing"))
        return verdict if facts is None else replace(verdict, facts=facts)

    def read(self, data: Any) -> Plan | None:
        """The rows of an answer's JSON, whatever is wrong with it; None of a refusal and of what is no answer."""
        if isinstance(data, bytes | str):
            read = read_answer(data, lists=self.format.lists)
            data = None if isinstance(read, Undelivered) else read.plan
        if is_refusal(data):
            return None
        if self._has_plan(data):
            data = data["plan"]
        if not data or not (isinstance(data, Mapping) or (self.format.lists and isinstance(data, list))):
            return None
        try:
            return self.format.decode(self.task, data)[0]
        except NoAnswer:
            return None

    def _has_plan(self, data: Any) -> bool:
        """It is an object around a list of days, such as a record of the public tools."""
        return self.format.lists and isinstance(data, Mapping) and "plan" in data

    def plan(self, plan: Plan, findings: Iterable[Finding] = (), *, details: Any = "all") -> Verdict:
        """The verdict on a plan's rows.

        Raises:
            Inexpressible: the profile is `official`, and the family's answers cannot say the plan.
        """
        if self.official is not None:
            return self.official.judge(self.encode(plan), findings)
        return self._strict(plan, findings, details=details)

    def _strict(self, plan: Plan, findings: Iterable[Finding] = (), *, details: Any = "all") -> Verdict:
        self._judged += 1
        if self._judged == 1:  # compiling takes as long as judging a few plans without
            return judge(self.ground, plan, findings, details=details, since=self.since)
        statuses, measures = self.compiled.judge_and_measure(plan)
        known = {i.id: s for i, s in zip(self.ground.instances, statuses, strict=True) if s is not None}
        return judge(self.ground, plan, findings, known, details=details, since=self.since, measures=measures)

    @cached_property
    def ground(self) -> Ground:
        """Everything static of the task; the public evaluator does without.

        Raises:
            DiagnosticError: its scope or instances have errors.
        """
        return ground(self.task)

    @cached_property
    def since(self) -> Mapping[str, int]:
        """The turn from which on each instance applies, by its id; empty for a task without turns.

        Raises:
            DiagnosticError: an earlier turn has errors.
        """
        return standing_since(self.ground)

    @cached_property
    def compiled(self) -> Compiled:
        """The task's fast verifier, compiled when it is first asked for."""
        from planspec.verifiers.compile import compile_task

        return compile_task(self.ground)

    def undelivered(self, reason: str) -> Verdict:
        """The verdict where there is no plan."""
        if self.official is not None:
            return self.official.undelivered(reason)
        hard = sum(1 for i in self.ground.instances if i.applicable and i.constraint.hard)
        soft = sum(1 for i in self.ground.instances if i.applicable and not i.constraint.hard)
        finding = Finding(
            constraint="answer", level="shape", kind="undelivered", status="violated", message=reason
        )
        return Verdict(
            task=self.task.id, profile="strict", status="undelivered", hard=Tally(satisfied=0, total=hard),
            soft=Tally(satisfied=0, total=soft), metrics={}, in_scope=False, findings=(finding,),
        )  # fmt: skip

    def scored(self, verdict: Verdict) -> Scored:
        """A verdict of this judge with what protocols ask of its task."""
        from planspec.verifiers.protocols.scored import Scored, asked_of, labels_of

        if is_right_refusal(verdict):
            # of a plan that cannot be nothing is asked
            return Scored(verdict=verdict, labels=labels_of(self.task))
        asked = asked_of(self.ground) if self.official is None else self.official.asked()
        return Scored(verdict=verdict, asked=asked, labels=labels_of(self.task))

    def encode(self, plan: Plan) -> Any:
        """A plan as an answer in the family's format."""
        return self.format.encode(self.task, plan)

    def reference(self) -> tuple[bool, bool]:
        """Whether the author gave a reference answer, and whether the verifier accepts it."""
        return self.task.reference is not None, self.reference_plan() is not None

    def reference_plan(self) -> Plan | None:
        """The author's answer as a plan, if there is one and the verifier accepts it."""
        if not isinstance(self.task.reference, (Mapping, list) if self.format.lists else Mapping):
            return None
        try:
            plan, wrong = self.format.decode(self.task, self.task.reference)
        except NoAnswer:
            return None
        accepted = self._strict(plan, [f.as_finding() for f in wrong]).status == "pass"
        return plan if accepted else None


def load(
    name: str | Path,
    *,
    workspace: Workspace | None = None,
    minimize: str | None = None,
    maximize: str | None = None,
) -> Task:
    """The checked task of a file, or of an id: of what lies here, else of what ships with planspec.

    `trip@2` is the second turn of `trip`; a task with turns that is named without one is its last.

    Args:
        name: the file or id.
        workspace: opens it.
        minimize: an expression that `solve` minimises, in place of what the task says itself.
        maximize: likewise; not both.

    Raises:
        NotFound: there is no such task, or no such turn.
        DiagnosticError: its text, or a text that it uses, or the expression has errors.
        ValueError: it is to minimise and to maximise.
    """
    catalog = Catalog(workspace)
    found = catalog.named(str(name))
    if minimize is not None or maximize is not None:
        if minimize is not None and maximize is not None:
            raise ValueError("a task minimises or maximises, not both")
        source = read_source(found.path, str(found.path), report=Report())
        if source is not None:
            key, said = ("minimize", minimize) if minimize is not None else ("maximize", maximize or "")
            text = with_objective(source.text, key, said)
            return task_from_text(
                text,
                f"{found.path} with --{key}",
                workspace=catalog.workspace,
                path=found.path,
                turn=found.turn,
            )
    return task_from_path(found.path, catalog.workspace, turn=found.turn)


def check(
    paths: Iterable[str | Path],
    *,
    workspace: Workspace | None = None,
    deep: Callable[[Ground], Iterable[Diagnostic]] | None = None,
) -> tuple[Diagnostic, ...]:
    """Everything that is wrong with documents: files, or folders of them.

    Tasks are grounded too, so that empty domains and constraints that no plan can change are found.

    Args:
        paths: files or folders.
        workspace: opens them.
        deep: what else to ask of each task without errors (of its last turn), such as `lint`.
    """
    from planspec.catalog import documents_in

    workspace = workspace or Workspace()
    report = Report()

    def grounded(task: Task, own: Report) -> None:
        try:
            known = ground(task)
            asked = deep if task.turn in (None, task.turns) else None
            extra = [*known.diagnostics, *(asked(known) if asked else ())]
        except DiagnosticError as error:
            extra = list(error.diagnostics)
        for diagnostic in extra:
            own.add(diagnostic)

    for path in documents_in(Path(p) for p in paths):
        own = Report()
        found = workspace.open(path, own)
        if found is not None:
            check_document(found, workspace, own, grounded)
        for diagnostic in own.diagnostics:
            report.add(diagnostic)
    return report.ordered()


def verify(task: Task, answer: bytes | str | Mapping[str, Any], *, profile: str = "strict") -> Verdict:
    """The verdict on one answer.

    Args:
        task: a checked task.
        answer: JSON text (an envelope, bare, or fenced in Markdown), or decoded JSON without an envelope.
        profile: `strict`, the library's meaning, or `official`, what the family's public evaluator says.

    Raises:
        UnknownProfile: the family has no such profile.
        UnfitTask: the task has not what the family's public evaluator needs.
        DiagnosticError: the task's scope or instances have errors.
    """
    return Judge(task, profile).answer(answer)


def solve(task: Task, *, backend: str = "cpsat", limits: Limits | None = None) -> Solution:
    """A plan that satisfies every hard constraint, with the most soft weight, then the best objective.

    Args:
        task: a checked task.
        backend: `cpsat`, `smt` or `brute`.
        limits: time, workers, seed.

    Raises:
        DiagnosticError: the task has no encoding.
        InternalError: the back end's plan does not pass the verifier.
    """
    from planspec.solvers import prove
    from planspec.solvers.outcome import Limits

    return prove.solve(ground(task), backend=backend, limits=limits or Limits())


def validate(
    task: Task, *, backends: Sequence[str] = ("cpsat", "smt"), limits: Limits | None = None
) -> Validation:
    """Whether a task has a plan and only one, proved by each back end on its own.

    Raises:
        DiagnosticError: the task has no encoding.
        InternalError: a plan does not pass the verifier, or the back ends contradict each other.
    """
    from planspec.solvers import prove
    from planspec.solvers.outcome import Limits

    return prove.validate(ground(task), backends=backends, limits=limits or Limits())
