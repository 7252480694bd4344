"""Drafting of a task from a request, up to a text that the user can accept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from planspec.api.judging import Judge
from planspec.api.loading import TaskLike, task_of
from planspec.api.solving import limits_of
from planspec.drafting.bases import Base, base_over_library
from planspec.drafting.calls import BudgetSpentError, ModelCalls, StuckModelError
from planspec.drafting.findings import DraftCheck, Question, draft_path, id_of
from planspec.drafting.loop import Draft, DraftLoop, Found
from planspec.drafting.opinions import cases_section
from planspec.drafting.output import CallsOutput, DraftOutput, DraftStatus, FoundOutput
from planspec.drafting.prompts import Prompts
from planspec.drafting.rounds import Rounds, other_draft
from planspec.drafting.vocabulary import has_scope, vocabulary
from planspec.dsl.workspace.workspace import Workspace

if TYPE_CHECKING:
    from planspec.solvers.backends.outcome import Limits

PASSES = 3
"""Maximum number of passes over the tests of a draft. A further pass is made only if a test changed the draft."""
SEARCH_S = 20.0
"""Time limit of each search, in seconds."""


@dataclass(frozen=True, slots=True)
class DraftRequest:
    """A request, and the documents on which its draft is based.

    Attributes:
        query: the request in plain words.
        out: path of the draft. Libraries are looked up from its folder; None for the current folder.
        id: id of the draft; None to use its file's name.
        library: id or path of a library. With a library, the model writes only the values of its givens.
        world: id or path of a world.
        like: task whose tables, scope and libraries the draft takes over.
        drafts: number of independent drafts.
    """

    query: str
    out: Path | None = None
    id: str | None = None
    library: str | None = None
    world: str | None = None
    like: TaskLike | None = None
    drafts: int = 2


@dataclass(slots=True)
class _Session:
    loop: DraftLoop
    rounds: Rounds
    first: Draft
    drafts: int
    others: list[Draft] = field(default_factory=list)

    def run(self) -> None:
        """Write the drafts, and test the first one until no test changes it."""
        self.loop.write(self.first)
        if self.first.check.base.part != "values" or self.rounds.ask is not None:
            self.rounds.question(self.first)
        for _ in range(PASSES):
            before = self.first.document
            self._test()
            if self.first.document == before:
                return

    def _test(self) -> None:
        loop, rounds, first = self.loop, self.rounds, self.first
        for number in range(2, self.drafts + 1):
            if len(self.others) < number - 1:
                other = other_draft(number, first, rounds.limits)
                loop.write(other)
                self.others.append(other)
            rounds.reconcile(first, self.others[number - 2])
        rounds.say_back(first)
        if first.check.base.part != "values":
            rounds.cases(first)
            rounds.boundary(first)


def run_draft(
    request: DraftRequest,
    calls: ModelCalls,
    *,
    limits: Limits | float | None = None,
    ask: Callable[[Question], str] | None = None,
    accept: Callable[[DraftOutput], bool] | None = None,
    on_step: Callable[[Found], None] = lambda _found: None,
) -> DraftOutput:
    """Draft a task from a request in plain words.

    Args:
        request: the request.
        calls: the model, with its log and budget.
        limits: limits of each search; a number is seconds, by default 20.
        ask: asks the user a question about the request, and returns the answer; None to ask the model.
        accept: shows the user the finished draft, and returns whether the user accepts it.
        on_step: called with each mistake or possible mistake that is found.

    Returns:
        The draft, with all mistakes and possible mistakes that were found. It is not written to a file.

    Raises:
        DiagnosticError: a library or world has errors.
        NotFoundError: there is no such task as `like`.
        UnsuitableTaskError: the task `like` has turns.
        ModelFailedError: the model gave no reply.
        OSError: the log cannot be written.
        ValueError: the request is empty, or fewer than one draft is requested.
    """
    if not request.query.strip():
        raise ValueError("the request is empty")
    if request.drafts < 1:
        raise ValueError("at least one draft is needed")
    searches = limits_of(SEARCH_S if limits is None else limits)
    workspace = Workspace()
    base = _base(request, workspace)
    loop = DraftLoop(calls, on_step=on_step)
    first = Draft(1, Prompts(base, _words(base, workspace), loop.answers), DraftCheck(base, searches, workspace))
    rounds = Rounds(loop, searches, ask)
    session = _Session(loop, rounds, first, request.drafts)
    status: DraftStatus = "agreed"
    try:
        session.run()
    except StuckModelError as stuck:
        loop.open.append(str(stuck))
    except BudgetSpentError:
        status = "budget"
    loop.open = [each for each in loop.open if each]
    if status == "agreed" and loop.open:
        status = "open"
    return _finish(session, status, accept)


def _base(request: DraftRequest, workspace: Workspace) -> Base:
    id_ = request.id or id_of(request.out)
    like = None if request.like is None else task_of(request.like)
    path = draft_path(request.out, id_)
    base = base_over_library(
        id_,
        " ".join(request.query.split()) if "\n" not in request.query.strip() else request.query.strip(),
        path,
        library=request.library,
        world=request.world,
        like=like,
    )
    if base.part == "values" and not has_scope(base, workspace):
        base = replace(base, may_scope=True)
    return base


def _words(base: Base, workspace: Workspace) -> str:
    return "" if base.part == "task" and not base.sections else vocabulary(base, workspace)


def _finish(session: _Session, status: DraftStatus, accept: Callable[[DraftOutput], bool] | None) -> DraftOutput:
    first, loop = session.first, session.loop
    undecided = list(dict.fromkeys(each for draft in (first, *session.others) for each in draft.check.undecided))
    output = DraftOutput(
        task=first.check.base.id,
        status=status,
        text=_text(session, mark=True),
        open=loop.open,
        undecided=undecided,
        notes=list(dict.fromkeys(loop.notes)),
        words=session.rounds.words,
        found=[FoundOutput(step=each.step, draft=each.draft, round=each.round, text=each.text) for each in loop.found],
        mutants=session.rounds.mutants,
        calls=calls_output(loop.calls),
    )
    if accept is None or output.text is None or status == "budget" or not accept(output):
        return output
    return output.model_copy(update={"text": _text(session, mark=False), "accepted": True})


def _text(session: _Session, *, mark: bool) -> str | None:
    """Return the text of the first draft, with a `cases` section, or None if the draft has errors.

    The cases are plans that the model and the draft judge alike.
    """
    first = session.first
    if first.task is None:
        return None
    cases = cases_section(Judge(first.task), list(session.loop.judged.values()))
    with_cases = {**first.written, "cases": cases} if cases else first.written
    for written in (with_cases, first.written):
        task, _ = first.check.task(written, mark=mark)
        if task is not None:
            return first.check.base.text(written, mark=mark)
    return None


def calls_output(calls: ModelCalls) -> CallsOutput:
    """Return the counts and cost of calls to a model as JSON output."""
    usd = None if calls.usd is None or (calls.made and not calls.prices) else calls.usd
    return CallsOutput(made=calls.made, replayed=calls.replayed, input=calls.input, output=calls.output, usd=usd)
