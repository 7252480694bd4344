"""The verbs: load, check, verify, solve, validate; tasks may be given by path or id."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from functools import cached_property, partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from planspec.api.catalog import Catalog, documents_in
from planspec.api.overlay import with_objective
from planspec.api.refusals import REFUSAL, is_refusal, refusal, right_refusal
from planspec.dsl.diagnostics.diagnostic import Diagnostic, Label, Report
from planspec.dsl.documents.documents import check_document, task_from_path, task_from_text
from planspec.dsl.model.task import Task
from planspec.dsl.resources.limits import ANSWER_BYTES
from planspec.dsl.resources.reading import read_bytes
from planspec.dsl.workspace.document import Document
from planspec.dsl.workspace.workspace import Workspace
from planspec.dsl.yaml.reader import read_source
from planspec.errors import DiagnosticError, Inexpressible, UnknownProfile
from planspec.families.registry import family_of
from planspec.solvers.backends.register import PROVERS
from planspec.verifiers.answers.envelope import Answer, Undelivered, open_answer, read_answer
from planspec.verifiers.answers.format import TABLES, NoAnswer, plain_json
from planspec.verifiers.answers.tables import what
from planspec.verifiers.meaning.ground import Ground, ground
from planspec.verifiers.meaning.judge import judge
from planspec.verifiers.meaning.meter import OutOfSteps
from planspec.verifiers.meaning.plan_rows import Plan
from planspec.verifiers.meaning.scope_cuts import scope_cuts
from planspec.verifiers.meaning.turn_of_origin import standing_since
from planspec.verifiers.meaning.verdict import Finding, Verdict, undelivered
from planspec.verifiers.official.protocol import OFFICIAL, STRICT, Official

if TYPE_CHECKING:
    from planspec.solvers.backends.outcome import Limits
    from planspec.solvers.questions.prove import Solution, Validation
    from planspec.verifiers.compiled.compile import Compiled
    from planspec.verifiers.metrics.scored import Scored


TaskLike: TypeAlias = Task | str | PathLike[str]
"""A checked task, or the path or id of one."""
AnswerLike: TypeAlias = bytes | str | Mapping[str, Any] | list[Any] | Plan | PathLike[str]
"""JSON as text or decoded, bare or in an envelope; the path of a file with such text; or a plan's rows."""


class Judge:
    """Judges many answers to one task, and works out once what is static.

    Args:
        task: a checked task, or the path or id of one.
        profile: `strict`, the library's meaning, or `official`, what the family's public evaluator says.

    Raises:
        UnknownProfile: the family has no such profile.
        UnfitTask: the task has not what the family's public evaluator needs.
        DiagnosticError: its scope or instances have errors.
    """

    def __init__(self, task: TaskLike, profile: str = STRICT) -> None:
        task = task_of(task)
        self.family = family_of(task.family)
        known = profiles(task.family)
        if profile not in known:
            whose = f"the family `{task.family}`" if task.family else "a task without a family"
            raise UnknownProfile(f"{whose} has no profile `{profile}`; there is {' and '.join(known)}")
        self.task = task
        self.official: Official | None = None
        if profile == OFFICIAL and self.family.official is not None:
            self.official = self.family.official.load()(task)
        if self.official is None:
            self.ground = ground(task)
        self._judged = 0
        checks = self.family.checks if self.official is None else None
        self.checks = None if checks is None else checks.load()
        self.format = self.family.format.load()
        own = self.format is TABLES and "plan" in {table.name for table in task.plan_tables}
        self._read = partial(read_answer, lists=self.format.lists, bare=own)
        self._open = partial(open_answer, lists=self.format.lists, bare=own)

    def answer(self, data: AnswerLike, *, details: Any = "all") -> Verdict:
        """The verdict on an answer as an agent gave it: JSON, fenced, in an envelope or bare; decoded JSON; or a plan.

        Raises:
            TypeError: it is none of these.
            OSError: it is the path of a file that cannot be read.
        """
        if isinstance(data, Plan):
            return self.plan(data, details=details)
        read = self.reading(data)
        if isinstance(read, Undelivered):
            return self.undelivered(read.reason)
        return self.decoded(read.plan, [f.as_finding() for f in read.findings], details=details)

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
                    f"not {_got(data)}"
                )

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
        checked = None
        try:
            if self.checks is not None:
                checked = self.checks(self.task, data)
                plan, wrong = checked.plan, checked.findings
            else:
                plan, wrong = self.format.decode(self.task, data)
        except NoAnswer as error:
            return self.undelivered(str(error))
        verdict = self.plan(plan, [*findings, *(f.as_finding() for f in wrong)], details=details)
        if verdict.status == "fail" and self.format is not TABLES and not any(plan.tables.values()):
            # else rules on all rows would hold of none
            return self.undelivered(next((f.message for f in wrong if f.fails), "the answer plans nothing"))
        return verdict if checked is None else checked.extend(verdict)

    def read(self, data: Any) -> Plan | None:
        """The rows of an answer's JSON, whatever is wrong with it; None of a refusal and of what is no answer."""
        if isinstance(data, bytes | str):
            read = self._read(data)
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
            TypeError: it is a plan of another task.
        """
        plan = own_plan(self.task, plan)
        if self.official is not None:
            return self.official.judge(self.encode(plan), findings)
        return self._strict(plan, findings, details=details)

    def _strict(self, plan: Plan, findings: Iterable[Finding] = (), *, details: Any = "all") -> Verdict:
        self._judged += 1
        findings = tuple(findings)
        if self._judged == 1:  # compiling takes as long as judging a few plans without
            with suppress(OutOfSteps):
                return judge(self.ground, plan, findings, details=details, since=self.since)
        try:
            statuses, measures = self.compiled.judge_and_measure(plan)
            known = {i.id: s for i, s in zip(self.ground.instances, statuses, strict=True) if s is not None}
            return judge(
                self.ground, plan, findings, known, details=details, since=self.since, measures=measures
            )
        except OutOfSteps as out:
            if out.static:
                raise
            return self._not_judged(findings, out)

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
        from planspec.verifiers.compiled.compile import compile_task

        return compile_task(self.ground)

    def undelivered(self, reason: str) -> Verdict:
        """The verdict where there is no plan."""
        if self.official is not None:
            return self.official.undelivered(reason)
        hard = sum(1 for i in self.ground.instances if i.applicable and i.constraint.hard)
        soft = sum(1 for i in self.ground.instances if i.applicable and not i.constraint.hard)
        return undelivered(self.task.id, reason, hard=hard, soft=soft)

    def _not_judged(self, findings: Iterable[Finding], out: OutOfSteps) -> Verdict:
        """The verdict on a plan that takes too long to judge: it fails, and no rule is said to hold."""
        rule = " ".join(out.span.text.split())
        message = f"not judged: `{rule[:100]}` takes more than {out.most:,} steps on this plan"
        finding = Finding(
            constraint="answer", level="shape", kind="not-judged", status="violated", message=message
        )
        blank = self.undelivered(message)
        return replace(blank, status="fail", findings=(*findings, finding))

    def scored(self, verdict: Verdict) -> Scored:
        """A verdict of this judge with what protocols ask of its task."""
        from planspec.verifiers.metrics.scored import Scored, asked_of, labels_of

        asked = asked_of(self.ground) if self.official is None else self.official.asked()
        return Scored.of(verdict, asked, labels_of(self.task))

    def encode(self, plan: Plan) -> Any:
        """A plan as an answer in the family's format."""
        return self.format.encode(self.task, plan)

    def passing_answer(self, plan: Plan) -> Any:
        """A plan as an answer that passes; None where no answer of the family says it."""
        try:
            answer = self.encode(plan)
        except Inexpressible:
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
        if self.official is not None:
            return Judge(self.task)._reference
        read = self._open(self.task.reference)
        if isinstance(read, Undelivered):
            return None, self.undelivered(read.reason)
        try:
            plan, wrong = self.format.decode(self.task, read.plan)
        except NoAnswer as error:
            return None, self.undelivered(str(error))
        return plan, self._strict(plan, [f.as_finding() for f in wrong])


def profiles(family: str | None) -> tuple[str, ...]:
    """The profiles of a family's tasks.

    Raises:
        UnknownFamily: nothing that is installed brings it.
    """
    return (STRICT,) if family_of(family).official is None else (STRICT, OFFICIAL)


def load(
    name: str | PathLike[str],
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
        TypeError: it is neither a path nor an id.
        ValueError: it is to minimise and to maximise.
    """
    catalog = Catalog(workspace)
    found = catalog.named(name_of(name))
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


def name_of(name: str | PathLike[str]) -> str:
    """The path or id by which a task is named.

    Raises:
        TypeError: it is neither.
    """
    if not isinstance(name, str | PathLike):
        raise TypeError(f"a task is named by the path of its file or by its id, not by {_got(name)}")
    if "\n" in str(name):
        raise TypeError("a task is named by the path of its file or by its id; `loads` takes its text")
    return str(name)


def loads(text: str, *, name: str = "task.yaml", workspace: Workspace | None = None) -> Task:
    """The checked task of a text.

    Args:
        text: the YAML document. What it names by relative paths and ids is looked for in the current folder.
        name: how diagnostics call it.
        workspace: opens what the task uses.

    Raises:
        TypeError: it is no text.
        DiagnosticError: it, or a text that it uses, has errors.
    """
    if not isinstance(text, str):
        raise TypeError(f"a task's text is a str, not {_got(text)}; `load` takes a path")
    return task_from_text(text, name, workspace=workspace, path=Path.cwd() / name)


def task_of(task: TaskLike) -> Task:
    """A task that is given itself, or by its path or id.

    Raises:
        TypeError: it is neither.
        NotFound: there is no such task, or no such turn.
        DiagnosticError: its text, or a text that it uses, has errors.
    """
    if isinstance(task, Task):
        return task
    if isinstance(task, str | PathLike):
        return load(task)
    raise TypeError(f"a task is a Task, the path of its file, or its id, not {_got(task)}")


def limits_of(limits: Limits | float | None) -> Limits:
    """Limits that are given themselves, or as seconds.

    Raises:
        TypeError: they are neither.
    """
    from planspec.solvers.backends.outcome import Limits

    match limits:
        case None:
            return Limits()
        case Limits():
            return limits
        case bool():
            pass
        case int() | float():
            if not limits > 0:
                raise ValueError(f"a limit of {limits} seconds leaves no time: give more than 0")
            return Limits(seconds=limits)
    raise TypeError(f"limits are planspec.Limits(seconds=...), or a number of seconds, not {_got(limits)}")


def encode(task: TaskLike, plan: Plan) -> Any:
    """A plan as JSON data: an answer in the format of the task's family, as `verify` and `json.dumps` take it.

    Args:
        task: the task, or its path or id.
        plan: its rows, such as `Solution.plan` or `Validation.witness`.

    Raises:
        TypeError: it is no plan.
        Inexpressible: the family's answers cannot say it.
    """
    if not isinstance(plan, Plan):
        raise TypeError(f"a Plan is encoded, not {_got(plan)}")
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
    if all(rows[0]._table is tables[name] for name, rows in plan.tables.items() if rows):
        return plan
    return TABLES.decode(task, TABLES.encode(task, plan))[0]


def _got(value: object) -> str:
    """The wrong argument for a message: its type, and its beginning."""
    text = repr(value)
    return f"{type(value).__name__} {text if len(text) <= 60 else text[:57] + '...'}"


def check(
    paths: TaskLike | Iterable[TaskLike],
    *,
    workspace: Workspace | None = None,
    deep: Callable[[Ground], Iterable[Diagnostic]] | None = None,
    told: Callable[[int, int, Path], None] | None = None,
) -> tuple[Diagnostic, ...]:
    """Everything that is wrong with documents: files, or folders of them.

    Tasks are grounded too, so that empty domains and constraints that no plan can change are found.

    Args:
        paths: files, folders, ids of tasks and suites, or checked tasks; or one of these.
        workspace: opens them.
        deep: what else to ask of each task without errors (of its last turn), such as `lint`.
        told: hears of each document before it is checked: its number from 1, how many there are, its path.

    Raises:
        NotFound: an id means nothing.
        TypeError: something is no path.
    """
    workspace = workspace or Workspace()
    named = list(paths) if isinstance(paths, Iterable) and not isinstance(paths, str | PathLike) else [paths]
    report = Report()

    def grounded(task: Task, own: Report) -> None:
        try:
            known = ground(task)
            asked = deep if task.turn in (None, task.turns) else None
            extra = [*known.diagnostics, *scope_cuts(known), *(asked(known) if asked else ())]
        except DiagnosticError as error:
            extra = list(error.diagnostics)
        for diagnostic in extra:
            own.add(diagnostic)

    for task in named:
        if isinstance(task, Task):
            grounded(task, report)
    found_paths = [
        path for name in named if not isinstance(name, Task) for path in _documents(name, workspace)
    ]
    known_ids: dict[tuple[str, str], Document] = {}
    for number, path in enumerate(found_paths, 1):
        if told is not None:
            told(number, len(found_paths), path)
        own = Report()
        found = workspace.open(path, own)
        if found is not None:
            _check_alone(found, known_ids, own)
            check_document(found, workspace, own, grounded)
        for diagnostic in own.diagnostics:
            report.add(diagnostic)
    return report.ordered()


def _check_alone(found: Document, known: dict[tuple[str, str], Document], report: Report) -> None:
    """Warn of an id that another document of the kind has, of those that were seen before."""
    other = known.setdefault((found.kind, found.id), found)
    if found.id and other is not found:
        report.warning(
            "PS602", f"two documents are the {found.kind} `{found.id}`", found.sections["id"].span, "again here",
            secondary=[Label(other.sections["id"].span, "first here")], help="give one of them another id",
        )  # fmt: skip


def _documents(name: str | PathLike[str], workspace: Workspace) -> Iterable[Path]:
    """The documents that a path or id means."""
    if not isinstance(name, str | PathLike):
        raise TypeError(f"documents are named by paths and ids, not by {_got(name)}")
    path = Path(name)
    if path.exists() or path.suffix in (".yaml", ".yml"):
        return documents_in([path])
    return [task.path for task in Catalog(workspace).expand(str(name))]


def verify(task: TaskLike, answer: AnswerLike, *, profile: str = "strict") -> Verdict:
    """The verdict on one answer.

    Args:
        task: the task, or its path or id.
        answer: JSON as text (also fenced in Markdown) or decoded, bare or in an envelope; the `pathlib.Path` of a file
            with such text (a str is always the answer itself, so that no answer can name a file); or a plan's rows.
        profile: `strict`, the library's meaning, or `official`, what the family's public evaluator says.

    Raises:
        UnknownProfile: the family has no such profile.
        UnfitTask: the task has not what the family's public evaluator needs.
        NotFound: there is no such task.
        DiagnosticError: the task has errors.
        TypeError: it is no task, or no answer.
    """
    return Judge(task, profile).answer(answer)


def solve(task: TaskLike, *, backend: str = "cpsat", limits: Limits | float | None = None) -> Solution:
    """A plan that satisfies every hard constraint, with the most soft weight, then the best objective.

    Args:
        task: the task, or its path or id.
        backend: `cpsat`, `smt` or `brute`.
        limits: time, workers, seed; or seconds.

    Raises:
        NotFound: there is no such task.
        DiagnosticError: the task has errors, or no encoding.
        InternalError: the back end's plan does not pass the verifier.
    """
    from planspec.solvers.questions import prove

    made = task_of(task)
    found = prove.solve(ground(made), backend=backend, limits=limits_of(limits))
    return replace(found, format=family_of(made.family).format.load())


def validate(
    task: TaskLike, *, backends: Sequence[str] = PROVERS, limits: Limits | float | None = None
) -> Validation:
    """Prove whether a task has a plan and only one, by each back end on its own.

    Raises:
        DiagnosticError: the task has no encoding.
        InternalError: a plan does not pass the verifier, or the back ends contradict each other.
    """
    from planspec.solvers.questions import prove

    return prove.validate(ground(task_of(task)), backends=backends, limits=limits_of(limits))
