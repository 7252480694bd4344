"""The verbs `draft`, `check_text` and `paraphrase`, with a model, a budget and a log of replies."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from planspec.agents.agent import Agent
from planspec.agents.optional import conceal
from planspec.api.loading import TaskLike, task_of
from planspec.drafting.calls import Budget, ModelCalls, open_writer, read_replies
from planspec.drafting.drafts import DraftRequest, run_draft
from planspec.drafting.findings import Question
from planspec.drafting.loop import Found
from planspec.drafting.output import DraftCheckOutput, DraftOutput, ParaphrasesOutput
from planspec.drafting.paraphrases import run_paraphrases
from planspec.drafting.text_check import run_text_check
from planspec.files import replace_text

if TYPE_CHECKING:
    from planspec.drafting.calls import CallKind
    from planspec.runs.record import ModelPrice
    from planspec.solvers.backends.outcome import Limits


def draft(
    query: str,
    *,
    model: Agent | str | None,
    out: str | PathLike[str] | None = None,
    library: str | None = None,
    world: str | None = None,
    like: TaskLike | None = None,
    drafts: int = 2,
    budget: Budget | int | None = None,
    log: str | PathLike[str] | None = None,
    resume: str | PathLike[str] | None = None,
    prices: Mapping[str, ModelPrice] | None = None,
    limits: Limits | float | None = None,
    ask: Callable[[Question], str] | None = None,
    accept: Callable[[DraftOutput], bool] | None = None,
    on_step: Callable[[Found], None] = lambda _found: None,
    on_call: Callable[[CallKind, int], None] = lambda _kind, _number: None,
) -> DraftOutput:
    """Draft a task from a request. A model writes it; the checker, solvers and further calls to the model test it.

    Args:
        query: the request in natural language.
        model: an agent, or its spec such as `openai:model=...`; None to use only the replies of a log.
        out: file to write. Libraries are looked up from its folder. Not written if all drafts have errors.
        library: id or path of a library; the model then writes the values of its givens.
        world: id or path of a world.
        like: task from which the draft takes tables, scope and libraries.
        drafts: number of independent drafts, which are compared by solvers.
        budget: limits of the calls; a number is the maximum number of calls, by default 60.
        log: file to which replies are appended; by default the file of `resume`, if given.
        resume: log whose replies are used in place of calls.
        prices: prices of models, for the cost.
        limits: limits of each search; a number is seconds, by default 20.
        ask: asks the user a question about the request, and returns the answer; None to ask the model.
        accept: shows the user the finished draft, and returns whether the user accepts it.
        on_step: called with each mistake or possible mistake that is found.
        on_call: called before each call with its purpose and number.

    Raises:
        DiagnosticError: a library or world has errors.
        NotFoundError: there is no such task as `like`.
        UnsuitableTaskError: the task `like` has turns.
        UnknownAgentError: there is no such model.
        InvalidReplyLogError: the file to resume is not a log of replies.
        ModelFailedError: the model gave no reply.
        OSError: a file cannot be read or written.
        ValueError: the request is empty, or fewer than one draft is requested.
    """
    path = None if out is None else Path(out)
    request = DraftRequest(query, out=path, library=library, world=world, like=like, drafts=drafts)
    calls = _calls(model, budget, log, resume, prices, on_call)
    result = run_draft(request, calls, limits=limits, ask=ask, accept=accept, on_step=on_step)
    if path is None or result.text is None:
        return result
    replace_text(path, result.text)
    return result.model_copy(update={"out": str(path)})


def log_beside(out: Path) -> Path:
    """Return the log of replies beside a draft: `trip.replies.jsonl` for `trip.task.yaml`."""
    return out.with_name(f"{out.name.removesuffix('.yaml').removesuffix('.task').removesuffix('.tasks')}.replies.jsonl")


def check_text(
    task: TaskLike,
    *,
    model: Agent | str | None,
    budget: Budget | int | None = None,
    log: str | PathLike[str] | None = None,
    resume: str | PathLike[str] | None = None,
    prices: Mapping[str, ModelPrice] | None = None,
    limits: Limits | float | None = None,
    on_step: Callable[[Found], None] = lambda _found: None,
    on_call: Callable[[CallKind, int], None] = lambda _kind, _number: None,
) -> DraftCheckOutput:
    """Check whether the query of a task agrees with its rules. A model formalises the query without seeing the rules.

    Only hard constraints are compared. Both sides use the same libraries.

    Args:
        task: the task, or its path or id. Its file is hidden from programs that the model starts.
        model: an agent, or its spec; None to use only the replies of a log.
        budget: limits of the calls; a number is the maximum number of calls, by default 60.
        log: file to which replies are appended.
        resume: log whose replies are used in place of calls.
        prices: prices of models, for the cost.
        limits: limits of each search; a number is seconds, by default 20.
        on_step: called with each mistake that is found in the model's formalisation.
        on_call: called before each call with its purpose and number.

    Raises:
        DiagnosticError: the task has errors.
        NotFoundError: there is no such task.
        UnsuitableTaskError: the task has turns, or no query.
        UnknownAgentError: there is no such model, or its options give its programs the task.
        InvalidReplyLogError: the file to resume is not a log of replies.
        ModelFailedError: the model gave no reply.
        OSError: a file cannot be read or written.
    """
    checked = task_of(task)
    calls = _calls(model, budget, log, resume, prices, on_call)
    if calls.model is not None and checked.file.is_file():
        conceal(calls.model, [checked.file.absolute()])
    return run_text_check(checked, calls, limits=limits, on_step=on_step)


def paraphrase(
    task: TaskLike,
    *,
    model: Agent | str | None,
    count: int = 1,
    out: str | PathLike[str] | None = None,
    budget: Budget | int | None = None,
    log: str | PathLike[str] | None = None,
    resume: str | PathLike[str] | None = None,
    prices: Mapping[str, ModelPrice] | None = None,
    limits: Limits | float | None = None,
    on_step: Callable[[Found], None] = lambda _found: None,
    on_call: Callable[[CallKind, int], None] = lambda _kind, _number: None,
) -> ParaphrasesOutput:
    """Let a model reword the query of a task, and accept the wordings whose meaning agrees with the task's rules.

    Each wording is judged by the method of `check_text`. Its amounts and names are compared with those of the task.

    Args:
        task: the task, or its path or id. Its file is hidden from programs that the model starts.
        model: an agent, or its spec; None to use only the replies of a log.
        count: number of wordings.
        out: file of the tasks with accepted wordings, one document for each. It is not written if there are none.
        budget: limits of the calls; a number is the maximum number of calls, by default 60.
        log: file to which replies are appended.
        resume: log whose replies are used in place of calls.
        prices: prices of models, for the cost.
        limits: limits of each search; a number is seconds, by default 20.
        on_step: called with each mistake that is found in a formalisation.
        on_call: called before each call with its purpose and number.

    Raises:
        DiagnosticError: the task has errors.
        NotFoundError: there is no such task.
        UnsuitableTaskError: the task has turns, or no query.
        UnknownAgentError: there is no such model, or its options give its programs the task.
        InvalidReplyLogError: the file to resume is not a log of replies.
        ModelFailedError: the model gave no reply.
        OSError: a file cannot be read or written.
        ValueError: fewer than one wording is requested.
    """
    checked = task_of(task)
    path = None if out is None else Path(out)
    calls = _calls(model, budget, log, resume, prices, on_call)
    if calls.model is not None and checked.file.is_file():
        conceal(calls.model, [checked.file.absolute()])
    folder = None if path is None else path.parent
    result = run_paraphrases(checked, calls, count=count, folder=folder, limits=limits, on_step=on_step)
    if path is None or not result.accepted:
        return result
    replace_text(path, result.accepted)
    return result.model_copy(update={"out": str(path)})


def _calls(
    model: Agent | str | None,
    budget: Budget | int | None,
    log: str | PathLike[str] | None,
    resume: str | PathLike[str] | None,
    prices: Mapping[str, ModelPrice] | None,
    on_call: Callable[[CallKind, int], None],
) -> ModelCalls:
    limits = budget if isinstance(budget, Budget) else Budget() if budget is None else Budget(calls=budget)
    file = log if log is not None else resume
    return ModelCalls(
        None if model is None else open_writer(model),
        limits,
        None if file is None else Path(file),
        {} if resume is None else read_replies(Path(resume)),
        dict(prices or {}),
        on_call,
    )
