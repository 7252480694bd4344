"""Search for mistakes in a draft, in steps: form, checks, quotations, checks by a solver, and conflicts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from planspec.api.checking import DocumentCheck
from planspec.api.conflict_outputs import conflict_words
from planspec.api.proofs import lint_report, why
from planspec.api.solving import validate
from planspec.drafting.bases import Base
from planspec.drafting.extraction import TRUSTED, Sections, mapping_of, scalar_fields
from planspec.dsl.diagnostics.diagnostic import Diagnostic, DiagnosticError, Severity
from planspec.dsl.diagnostics.rendering import render_text
from planspec.dsl.documents.documents import task_from_path
from planspec.dsl.model.task import Task
from planspec.dsl.resources.paths import shown_path
from planspec.dsl.workspace.workspace import Workspace
from planspec.dsl.yaml.nodes import Mapping as YamlMapping
from planspec.verifiers.environment.query_text.findings import query_findings
from planspec.verifiers.meaning.differences import PlanDifference, differences
from planspec.verifiers.meaning.ground import ground
from planspec.verifiers.meaning.plan_rows import Plan

if TYPE_CHECKING:
    from planspec.solvers.backends.outcome import Limits

Step: TypeAlias = Literal[
    "form", "check", "quote", "deep", "validate", "question", "compare", "words", "cases", "boundary"
]
"""Name of the step that finds a mistake."""
ELSEWHERE = frozenset({"PS430", "PS431", "PS432", "PS439", "PS440"})
"""Diagnostic codes ignored in drafts. They concern what agents see, which a draft does not define, and claims."""
DRAFT_NAME = "draft.task.yaml"
"""Name of a draft's file in prompts."""
UNTOLD = "PS430"
"""Diagnostic code of a fact that agents cannot learn. In a task written by a model, the fact may be invented."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A mistake in a draft, or a doubt: a possible mistake.

    Attributes:
        step: step that found the problem.
        text: message to the model.
        may_stay: whether the model may keep its document by sending it again unchanged. The user then gets a note.
    """

    step: Step
    text: str
    may_stay: bool = False


@dataclass(frozen=True, slots=True)
class Question:
    """Question whether the request allows both of two plans that satisfy a draft's rules.

    `str()` gives the text for the user.

    Attributes:
        task: task of the draft.
        plans: the two plans.
        differences: differences of the second plan from the first.
    """

    task: Task
    plans: tuple[Plan, Plan]
    differences: tuple[PlanDifference, ...]

    @property
    def difference_text(self) -> str:
        """The differences, one on each line."""
        return "\n".join(map(str, self.differences))

    def __str__(self) -> str:
        return f"Two plans keep the rules of the draft. They differ in:\n{self.difference_text}\nMay both be?"


@dataclass(slots=True)
class DraftCheck:
    """Checks the texts of drafts of one request.

    Attributes:
        base: the fixed part of the drafts.
        limits: limits of each search.
        workspace: opens libraries and worlds.
        seen: doubts (possible mistakes) already sent to the model, which are not reported again.
        undecided: questions that were not decided in time.
        quotes: whether to require a quotation from the request for each given, and to compare request and rules.
    """

    base: Base
    limits: Limits
    workspace: Workspace = field(default_factory=Workspace)
    seen: set[str] = field(default_factory=set)
    undecided: list[str] = field(default_factory=list)
    quotes: bool = True

    def task(self, written: Sections, *, mark: bool = True) -> tuple[Task | None, tuple[Diagnostic, ...]]:
        """Return the task of a draft and its diagnostics. The task is None if the draft has errors."""
        path = self.base.path
        self.workspace.hold(path, self.base.text(written, mark=mark))
        try:
            checked = DocumentCheck(self.workspace, None)(path)
            diagnostics = checked.diagnostics
            if any(each.severity is Severity.ERROR for each in diagnostics):
                return None, diagnostics
            return task_from_path(path, self.workspace), diagnostics
        except DiagnosticError as error:
            return None, error.diagnostics
        finally:
            self.workspace.release(path)

    def problem(self, written: Sections) -> tuple[Task | None, Problem | None]:
        """Return the task of a draft, or None if it has errors, and the first mistake or possible mistake, or None.

        Raises:
            DiagnosticError: a library or world has errors.
        """
        task, diagnostics = self.task(written)
        errors = [each for each in diagnostics if each.severity is Severity.ERROR]
        if task is None:
            own = [each for each in errors if _is_own(each, self.base.text(written))]
            if not own:
                raise DiagnosticError(errors)  # a new draft cannot correct errors in a library or world
            return None, Problem("check", self._rendered(own))
        if not self.quotes:
            return task, None
        missing = _unquoted(written)
        if missing:
            names = ", ".join(f"`{name}`" for name in missing)
            return task, Problem("quote", f"`tells` does not quote the request for the givens {names}")
        doubt = self._doubts("check", diagnostics) or self._deep(task, written)
        return task, doubt or self._conflict(task)

    def _doubts(self, step: Step, diagnostics: Iterable[Diagnostic]) -> Problem | None:
        """Return the doubts (possible mistakes) that the model has not seen, as one problem, or None."""
        new = [each for each in diagnostics if f"{each.code} {each.message}" not in self.seen]
        self.seen |= {f"{each.code} {each.message}" for each in new}
        return Problem(step, self._rendered(new), may_stay=True) if new else None

    def _rendered(self, diagnostics: Sequence[Diagnostic]) -> str:
        """Return diagnostics as text with a fixed file name, so that prompts do not depend on the output file."""
        return render_text(diagnostics).replace(shown_path(self.base.path), DRAFT_NAME)

    def _deep(self, task: Task, written: Sections) -> Problem | None:
        report = lint_report(ground(task), self.limits, every_untold=False)
        if not report.finished:
            self.undecided.append("what `check --deep` asks")
        own = [
            each
            for each in report.diagnostics
            if (each.code not in ELSEWHERE or (each.code == UNTOLD and self.base.part == "task"))
            and _is_own(each, task.span.source.text)
        ]
        return self._doubts("deep", own) or self._doubts("quote", self._untold_values(task, written))

    def _untold_values(self, task: Task, written: Sections) -> Iterator[Diagnostic]:
        """Yield warnings about values of givens that the request does not mention in a recognised form.

        The draft's own quotations from the request are ignored.
        """
        if "tells" not in written:
            return
        bare, _ = self.task({name: text for name, text in written.items() if name != "tells"})
        if bare is None:
            return
        reported = {each.message for each in query_findings(task, rules=False)}
        for each in query_findings(bare, rules=False):
            if each.code == "PS442" and each.message not in reported:
                yield replace(each, help="it is quoted; does the quotation say this value?")

    def _conflict(self, task: Task) -> Problem | None:
        """Return the conflict between rules that no plan satisfies together, as a problem; None if there is a plan."""
        claims = validate(task, limits=self.limits)
        if claims.feasible.status == "unknown":
            self.undecided.append("whether there is a plan")
        if claims.feasible.status != "infeasible" or task.expects == "infeasible":
            return None
        return Problem("validate", f"No plan in scope satisfies every rule.\n{self._conflict_text(task)}")

    def _conflict_text(self, task: Task) -> str:
        conflict = why(task, limits=self.limits)
        words = conflict_words(conflict)
        lines = []
        for heading, mus in zip(words.conflicts, conflict.mus_sets, strict=True):
            lines += [heading, *(f"  {member.id}: {member.text}" for member in mus)]
        for way in conflict.relaxations[:3]:
            lines.append(f"It would be enough to give up: {', '.join(member.id for member in way.drop)}")
        return "\n".join(lines)

    def second_plan(self, task: Task) -> Question | None:
        """Return two different plans of a draft; None if no second plan was found."""
        claims = validate(task, limits=self.limits)
        if claims.witness is None or claims.second is None:
            return None
        plans = (claims.witness, claims.second)
        return Question(task, plans, differences(task, *plans))


def _is_own(diagnostic: Diagnostic, text: str) -> bool:
    """Return whether a diagnostic is about the draft itself, not about a document that it uses."""
    return diagnostic.span.source.text == text


def _unquoted(written: Sections) -> list[str]:
    """Return the names of a draft's givens that have no quotation from the request."""
    givens = _keys(written.get("given"))
    if "tells" not in written or not givens:
        return givens
    ((_, section),) = mapping_of(written["tells"]).entries
    quoted = {name for name, passage in scalar_fields(section).items() if passage.strip() and passage != TRUSTED}
    return [name for name in givens if name not in quoted]


def _keys(section: str | None) -> list[str]:
    if section is None:
        return []
    ((_, node),) = mapping_of(section).entries
    return [key.text for key, _ in node.entries] if isinstance(node, YamlMapping) else []


def rules_text(written: Sections) -> str:
    """Return the givens, definitions and rules of a draft as text."""
    names = ("given", "define", "constraints", "minimize", "maximize")
    return "".join(written[name] for name in names if name in written)


def rule_names(written: Sections) -> list[str]:
    """Return the names of the givens, definitions and rules of a draft."""
    names = ("given", "define", "constraints")
    keys = [key.partition("(")[0].strip() for name in names for key in _keys(written.get(name))]
    return list(dict.fromkeys([*keys, *(name for name in ("minimize", "maximize") if name in written)]))


def own_rules(task: Task) -> list[str]:
    """Return the ids of a draft's own hard constraints."""
    return [each.id for each in task.constraints if each.hard and each.span.source is task.span.source]


def draft_path(out: Path | None, id: str) -> Path:
    """Return the assumed path of a draft: the path of its file, or a path in the current folder."""
    return Path(f"{id}.task.yaml") if out is None else out


ID = re.compile(r"[^a-z0-9]+")


def id_of(out: Path | None) -> str:
    """Return the id of a draft: the name of its file, or `draft`."""
    name = "" if out is None else out.name.removesuffix(".yaml").removesuffix(".task")
    return ID.sub("-", name.lower()).strip("-") or "draft"
