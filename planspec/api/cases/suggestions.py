"""Suggested cases: answers found by a solver that distinguish a task from mutants that no case detects."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

from planspec.api.cases.answers import prepare_cases
from planspec.api.cases.changes import Edit, PlanChange, change_data
from planspec.api.cases.expectations import differences
from planspec.api.cases.mutation import AppliedMutant, JudgedCase, MutantKey, MutantResult, applied_mutants
from planspec.api.judging import Judge
from planspec.api.search import SUGGESTION_S, SUGGESTIONS_S
from planspec.dsl.diagnostics.diagnostic import DiagnosticError, Report
from planspec.dsl.documents.cases import rule_of
from planspec.dsl.documents.search_scope import no_scope_message
from planspec.dsl.model import tree as t
from planspec.dsl.model.case import REFERENCE, CaseSection, GivenAnswer
from planspec.dsl.yaml.reader import Mapping as YamlMapping
from planspec.dsl.yaml.reader import compose
from planspec.dsl.yaml.source_files import source_from_text
from planspec.errors import InexpressiblePlanError, InternalError, LimitReachedError
from planspec.suite_writing.writing import cell_text, flow_text, yaml_lines
from planspec.verifiers.answers.format import TABLES, plain_json
from planspec.verifiers.meaning.ground import Instance
from planspec.verifiers.meaning.meter import StepLimitError
from planspec.verifiers.meaning.plan_rows import Plan
from planspec.verifiers.meaning.verdict import STRICT, SourcePlace, Verdict

if TYPE_CHECKING:
    from planspec.solvers.backends.outcome import Limits
    from planspec.solvers.questions.budget import TimeBudget

Status: TypeAlias = Literal["suggested", "equal", "unknown"]

MOST_INSTANCES = 4
"""Maximum number of violated instances of a constraint that a case lists. With more, it lists the constraint."""
MOST_TRIALS = 200
"""Maximum number of plans judged to reduce the number of edits in a case."""
WIDTH = 116
"""Maximum length of a line in a case. Long cells may exceed it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MutantName:
    """The identification of a mutant: the constraint and the change."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = STRICT
    constraint: str = field(metadata={"description": "id of the constraint"})
    change: str = field(metadata={"description": "part that was dropped or weakened"})
    source: SourcePlace = field(metadata={"description": "its place in the source"})


@dataclass(frozen=True, slots=True, kw_only=True)
class SuggestedCase:
    """A suggested case. It detects mutants that no other case detects.

    Its expected verdict is that of the task's verifier.
    """

    __pydantic_config__: ClassVar[Mapping[str, Any]] = STRICT
    task: str = field(metadata={"description": "id of the task, with the turn if the task has turns"})
    file: str = field(metadata={"description": "file of the task"})
    name: str = field(metadata={"description": "name of the case"})
    text: str = field(metadata={"description": "YAML to paste under `cases:`, indented by two spaces"})
    passes: bool = field(metadata={"description": "whether the task accepts the answer"})
    notices: tuple[MutantName, ...] = field(metadata={"description": "mutants that the case notices"})

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class MutantSuggestion:
    """Result of the search for a case that detects a mutant."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = STRICT
    constraint: str = field(metadata={"description": "id of the constraint"})
    change: str = field(metadata={"description": "part that was dropped or weakened"})
    source: SourcePlace = field(metadata={"description": "its place in the source"})
    status: Status = field(
        metadata={
            "description": "`suggested` if a suggested case notices it; `equal` if it is proved that no plan in scope "
            "is accepted by only one of task and mutant; else `unknown`"
        }
    )
    case: str | None = field(default=None, metadata={"description": "name of the suggested case"})
    task: str | None = field(default=None, metadata={"description": "id of the suggested case's task"})
    scopes: int = field(default=0, metadata={"description": "number of tasks and turns that were searched"})
    by: tuple[str, ...] = field(default=(), metadata={"description": "back ends that prove the status `equal`"})
    reason: str | None = field(default=None, metadata={"description": "why the status is `unknown`"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestions:
    """Suggested cases for mutants that no case of the tasks detects."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = STRICT
    cases: tuple[SuggestedCase, ...] = field(metadata={"description": "suggested cases, task by task"})
    mutants: tuple[MutantSuggestion, ...] = field(metadata={"description": "the mutants that no case notices"})


OnSearch: TypeAlias = Callable[[str], None]
"""Function called before each search with the constraint and the change."""


def suggest_cases(
    judges: Iterable[Judge],
    mutants: Iterable[MutantResult],
    *,
    limits: Limits | None = None,
    total_s: float | None = SUGGESTIONS_S,
    on_search: OnSearch = lambda _: None,
) -> Suggestions:
    """Search for cases that detect mutants not detected by existing cases.

    For each mutant, the tasks are searched in order for a plan on which the task and the mutant differ.

    Args:
        judges: judges of tasks and turns, in order.
        mutants: mutants of these tasks. Those that a case detects are skipped.
        limits: limits on the search for each case; by default `SUGGESTION_S` seconds.
        total_s: time limit of all searches together, in seconds.
        on_search: called before each search.

    Raises:
        InternalError: the verifier and a back end disagree on a plan.
    """
    from planspec.solvers.backends.outcome import Limits
    from planspec.solvers.backends.register import backend
    from planspec.solvers.questions.budget import TimeBudget

    backend("cpsat")  # the import must not count towards the time limit
    open_ = {
        key: MutantSuggestion(constraint=key[0], change=key[1], source=key[2], status="unknown", reason="none")
        for key in (mutant.key for mutant in mutants if mutant.noticed is False)
    }
    search = _Search(open_, limits or Limits(seconds=SUGGESTION_S), TimeBudget(Limits(seconds=total_s)), on_search)
    for judge in judges:
        search.task(judge)
    return Suggestions(cases=tuple(search.cases), mutants=tuple(search.results.values()))


class _Search:
    """Search of one task after another for cases that detect mutants.

    Attributes:
        results: result for each mutant, by its key.
        cases: cases suggested so far.
    """

    def __init__(
        self,
        results: dict[MutantKey, MutantSuggestion],
        limits: Limits,
        total: TimeBudget,
        on_search: OnSearch,
    ) -> None:
        self.results = results
        self.cases: list[SuggestedCase] = []
        self._limits = limits
        self._total = total
        self._on_search = on_search
        self._names: set[str] = set()

    def task(self, judge: Judge) -> None:
        """Search for cases of one task or turn."""
        remaining = [mutant for mutant in applied_mutants(judge.ground) if self._is_open(mutant)]
        if not remaining:
            return
        self._names |= _case_names(judge.task.cases)
        writer = _CaseWriter(judge, self._names)
        self._suggest(writer, writer.reference_case(), remaining)
        missing_scope = no_scope_message(judge.task)
        for constraint in judge.ground.task.constraints:
            own = [mutant for mutant in remaining if mutant.constraint is constraint]
            if not missing_scope:
                self._search_constraint(writer, constraint, own, remaining)
                continue
            for mutant in own:
                self._store_failure(mutant, "unknown", reason="there is no scope to search")

    def _is_open(self, mutant: AppliedMutant) -> bool:
        result = self.results.get(mutant.key)
        return result is not None and result.status != "suggested"

    def _search_constraint(
        self,
        writer: _CaseWriter,
        constraint: t.Constraint,
        own: Sequence[AppliedMutant],
        remaining: Sequence[AppliedMutant],
    ) -> None:
        """Search for cases that detect mutants of one constraint.

        The mutant that drops the constraint comes last, because most cases for other mutants detect it as well.
        """
        from planspec.solvers.questions.variants import VariantSearch

        search = VariantSearch(writer.judge.ground, constraint, None if writer.base is None else writer.base.plan)
        for mutant in sorted(own, key=lambda each: each.mutant.constraint is None):
            if not self._is_open(mutant):
                continue
            clock = self._next_budget()
            if clock.over is not None:
                self._store_failure(mutant, "unknown", reason=str(LimitReachedError(clock.over)))
                continue
            self._on_search(f"{constraint.id}: {mutant.mutant.change}")
            try:
                instances = mutant.instances()
            except (DiagnosticError, StepLimitError) as error:
                self._store_failure(mutant, "unknown", reason=str(error))
                continue
            result = search.ask(instances, clock)
            if result.plan is None:
                self._store_failure(mutant, "equal" if result.status == "same" else "unknown", result.by, result.reason)
                continue
            case = writer.case(mutant, instances, result.plan)
            self._suggest(writer, case, remaining)
            if self._is_open(mutant):
                self._store_failure(mutant, "unknown", reason="the answer that was found cannot be written as a case")

    def _next_budget(self) -> TimeBudget:
        from planspec.solvers.questions.budget import TimeBudget

        seconds = [s for s in (self._limits.seconds, self._total.left) if s is not None]
        return TimeBudget(replace(self._limits, seconds=min(seconds, default=None)))

    def _store_failure(
        self, mutant: AppliedMutant, status: Status, by: Sequence[str] = (), reason: str | None = None
    ) -> None:
        """Store the result of a search that found no case.

        If a mutant was searched in several tasks, `unknown` takes precedence, and `by` lists common back ends.
        """
        before = self.results[mutant.key]
        if before.scopes and before.status == "unknown":
            status, by, reason = before.status, before.by, before.reason
        elif before.scopes:
            by = [name for name in before.by if name in by]
        self.results[mutant.key] = replace(before, status=status, scopes=before.scopes + 1, by=tuple(by), reason=reason)

    def _suggest(self, writer: _CaseWriter, case: _WrittenCase | None, remaining: Iterable[AppliedMutant]) -> None:
        """Suggest a case if it detects a mutant that no case detects so far."""
        if case is None:
            return
        noticed = [mutant for mutant in remaining if self._is_open(mutant) and mutant.is_detected([case.judged])]
        if not noticed:
            return
        keys = dict.fromkeys(mutant.key for mutant in noticed)
        task = writer.judge.task
        for key in keys:
            self.results[key] = replace(
                self.results[key], status="suggested", case=case.name, task=task.id, by=(), reason=None
            )
        self.cases.append(
            SuggestedCase(
                task=task.id,
                file=task.span.source.name,
                name=case.name,
                text="\n".join((*_comment_lines(noticed), *case.lines)) + "\n",
                passes=case.judged.case.passes,
                notices=tuple(MutantName(constraint=key[0], change=key[1], source=key[2]) for key in keys),
            )
        )
        writer.names.add(case.name)


# -- cases as text ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _WrittenCase:
    """A case as lines of YAML, and the judged case parsed from them."""

    name: str
    lines: tuple[str, ...]
    judged: JudgedCase


@dataclass(frozen=True, slots=True)
class _VerdictPair:
    """Verdicts of a task and of its mutant on the same plan.

    Attributes:
        accepts: whether the task accepts the plan.
        mutant_accepts: whether the mutant accepts it.
        other_soft: whether both accept the plan, but the violated instances of the soft constraint differ.
    """

    accepts: bool
    mutant_accepts: bool
    other_soft: bool

    @property
    def differ(self) -> bool:
        return self.accepts is not self.mutant_accepts or self.other_soft


@dataclass(frozen=True, slots=True, eq=False)
class _Base:
    """The answer that suggested cases take as a base and edit by `change:`.

    Attributes:
        source: value of `from:` in YAML, `reference` or a file; None if `from:` cannot name the answer.
        plan: plan of the answer.
    """

    source: str | None
    plan: Plan


def _base(judge: Judge) -> _Base | None:
    """Return the reference or, without one, an answer that a case expects to pass, preferably one in a file."""
    if judge.task.reference is not None:
        plan = judge.read(judge.task.reference)
        return None if plan is None else _Base(REFERENCE, plan)
    bases = []
    for prepared in prepare_cases(judge, Report()):
        answer = prepared.case.answer
        if prepared.case.passes and isinstance(answer, GivenAnswer):
            plan = prepared.judge(judge).plan
            if plan is not None:
                bases.append(_Base(answer.span.text if isinstance(answer.data, bytes) else None, plan))
    return min(bases, key=lambda base: base.source is None, default=None)


class _CaseWriter:
    """Writer of plans as cases of one task.

    Args:
        judge: judge of the task.
        names: case names already in use.

    Attributes:
        base: answer that suggested cases edit; None if there is none.
    """

    def __init__(self, judge: Judge, names: set[str]) -> None:
        self.judge = judge
        self.names = names
        self.base = _base(judge)

    def reference_case(self) -> _WrittenCase | None:
        """Return a case that expects the reference to pass; None if no reference passes."""
        if self.judge.reference_plan() is None or REFERENCE in _case_names(self.judge.task.cases):
            return None
        return self._read(REFERENCE, (f"  {REFERENCE}: {{passes: true}}",))

    def case(self, mutant: AppliedMutant, instances: Sequence[Instance], plan: Plan) -> _WrittenCase | None:
        """Return a case for a plan on which task and mutant differ; None if it cannot be written.

        Raises:
            InternalError: the verifiers of the task and the mutant agree on the plan.
        """
        opinions = self._verdict_pair(mutant, instances, plan)
        if opinions is None:
            return None
        if not opinions.differ:
            raise InternalError(
                f"a plan that should tell the task from a mutant of `{mutant.constraint.id}` does not",
                self.judge.task.hash,
            )
        answers: list[list[str]] = []
        if self.base is not None:
            change = PlanChange(self.judge.task, self.base.plan, plan)
            if change.edits is not None:
                edits = self._fewest_edits(change, change.edits, mutant, instances, opinions)
                plan = TABLES.decode(self.judge.task, change.tables(edits))[0]
                if self.base.source is not None:
                    answers.append(_change_lines(self.base.source, edits))
        answers += self._answers(plan)
        verdict = self.judge.plan(plan, details="none")
        name = self._unused_name(mutant.constraint.id, opinions, verdict)
        for answer in sorted(answers, key=lambda lines: sum(map(len, lines))):
            for most in (MOST_INSTANCES, None):
                lines = [f"{cell_text(name)}:", *(f"  {line}" for line in answer)]
                lines += (f"  {line}" for line in self._verdict_lines(verdict, mutant.constraint, most))
                written = self._read(name, tuple(f"  {line}" for line in lines))
                if written is not None and mutant.is_detected([written.judged]):
                    return written
        return None

    def _answers(self, plan: Plan) -> Iterator[list[str]]:
        """Yield the answer of a case in two versions: as plan tables, and in the family's format."""
        yield _answer_lines(TABLES.encode(self.judge.task, plan))
        if self.judge.format is not TABLES:
            with suppress(InexpressiblePlanError):
                yield _answer_lines(self.judge.encode(plan))

    def _verdict_pair(self, mutant: AppliedMutant, instances: Sequence[Instance], plan: Plan) -> _VerdictPair | None:
        """Return the verdicts of the task and of the mutant on a plan; None if judging it takes too many steps."""
        try:
            verdict = self.judge.plan(plan, details="none")
            violated = mutant.violated(plan, instances)
        except StepLimitError:
            return None
        own = {instance.id for instance in mutant.own}
        mine = {
            f.constraint
            for f in verdict.findings
            if f.status == "violated" and f.level != "shape" and f.constraint in own
        }
        accepts = verdict.status == "pass"
        if not mutant.constraint.hard:
            return _VerdictPair(accepts, accepts, accepts and mine != violated)
        others = any(
            f.status == "violated" and f.level != "soft" and (f.level == "shape" or f.constraint not in own)
            for f in verdict.findings
        )
        return _VerdictPair(accepts, not others and not violated, other_soft=False)

    def _fewest_edits(
        self,
        change: PlanChange,
        edits: Sequence[Edit],
        mutant: AppliedMutant,
        instances: Sequence[Instance],
        opinions: _VerdictPair,
    ) -> Sequence[Edit]:
        """Drop edits that do not affect the two verdicts: first many at once, then one by one."""
        size, trials = max(1, len(edits) // 2), 0
        while size:
            at = 0
            while at < len(edits) and trials < MOST_TRIALS:
                trials += 1
                fewer = (*edits[:at], *edits[at + size :])
                plan, wrong = TABLES.decode(self.judge.task, change.tables(fewer))
                is_same = self._verdict_pair(mutant, instances, plan) == opinions
                if is_same and not any(finding.fails for finding in wrong):
                    edits = fewer
                else:
                    at += size
            size //= 2
        return edits

    def _verdict_lines(self, verdict: Verdict, constraint: t.Constraint, most: int | None) -> Iterator[str]:
        """Yield the lines of a case with its expected verdict.

        Args:
            verdict: verdict of the task.
            constraint: constraint whose mutant the case detects.
            most: maximum number of instances of one constraint to list; None for no limit.
        """
        task = self.judge.task
        if task.turn is not None and task.turn < task.turns:
            yield f"at: {task.turn}"
        hard = [f.constraint for f in verdict.findings if f.level == "hard" and f.status == "violated"]
        if hard:
            yield from _names_lines("violates", _shortened_names(hard, most))
        else:
            yield "passes: true"
        if not constraint.hard:
            soft = [f.constraint for f in verdict.findings if f.level == "soft" and f.status == "violated"]
            yield from _names_lines("soft", _shortened_names(soft, most))

    def _unused_name(self, constraint: str, opinions: _VerdictPair, verdict: Verdict) -> str:
        violates = {rule_of(f.constraint) for f in verdict.findings if f.status == "violated"}
        verb = "misses" if opinions.accepts and constraint in violates else "keeps" if opinions.accepts else "breaks"
        stem = f"{verb}-{constraint.replace('_', '-')}"
        names = (stem, *(f"{stem}-{number}" for number in range(2, len(self.names) + 3)))
        return next(name for name in names if name not in self.names)

    def _read(self, name: str, lines: Sequence[str]) -> _WrittenCase | None:
        """Parse and judge a case from its text. Return None if it has errors or a different verdict."""
        task = self.judge.task
        report = Report()
        root = compose(source_from_text("\n".join(("cases:", *lines, "")), "cases.yaml"), report)
        if not isinstance(root, YamlMapping):
            return None
        folder = Path() if task.cases is None else task.cases.folder
        section = CaseSection(root.entries[0][1], folder, 0, 0)
        prepared = prepare_cases(self.judge, report, replace(task, cases=section))
        if len(prepared) != 1 or report.diagnostics:
            return None
        judged = prepared[0].judge(self.judge)
        if judged.plan is None or any(differences(prepared[0].case, judged.verdict)):
            return None
        return _WrittenCase(name, tuple(lines), JudgedCase(prepared[0].case, judged.verdict, judged.plan))


def _case_names(section: CaseSection | None) -> set[str]:
    node = None if section is None else section.node
    return {key.text for key, _ in node.entries} if isinstance(node, YamlMapping) else set()


def _shortened_names(instances: Sequence[str], most: int | None) -> list[str]:
    """Return the ids of violated instances. A constraint with more than `most` of them is listed by its own id."""
    by_rule: dict[str, list[str]] = {}
    for instance in instances:
        by_rule.setdefault(rule_of(instance), []).append(instance)
    return [
        name
        for rule, names in by_rule.items()
        for name in ([rule] if most is not None and len(names) > most else names)
    ]


def _names_lines(key: str, names: Sequence[str]) -> list[str]:
    line = f"{key}: {flow_text(names)}"
    return [line] if len(line) <= WIDTH else [f"{key}:", *yaml_lines(list(names), 2)]


def _answer_lines(answer: Any) -> list[str]:
    data = plain_json(answer)
    line = f"answer: {flow_text(data)}"
    return [line] if len(line) <= WIDTH else ["answer:", *yaml_lines(data, 2)]


def _change_lines(source: str, edits: Sequence[Edit]) -> list[str]:
    """Return the lines of a case whose answer is another answer with some edits."""
    if not edits:
        return [f"answer: {source}"]
    change = change_data(edits)
    line = f"change: {flow_text(change)}"
    if len(line) <= WIDTH:
        return [f"from: {source}", line]
    lines = [f"from: {source}", "change:"]
    for table, rows in change.items():
        line = f"  {cell_text(table)}: {flow_text(rows)}"
        lines += [line] if len(line) <= WIDTH else [f"  {cell_text(table)}:", *yaml_lines(rows, 4)]
    return lines


def _comment_lines(detected: Iterable[AppliedMutant]) -> Iterator[str]:
    """Yield comments that name the mutants detected by a case."""
    changes: dict[str, dict[str, None]] = {}
    for mutant in detected:
        changes.setdefault(mutant.constraint.id, {})[mutant.mutant.change] = None
    for constraint, each in changes.items():
        for change in each:
            text = f"  # notices {constraint}: {change}"
            yield text if len(text) <= WIDTH else f"{text[: WIDTH - 4]} ..."
