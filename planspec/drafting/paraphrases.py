"""Paraphrases: a model rewords the query of a task. A wording is accepted only if its meaning agrees with the rules."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from planspec.api.loading import TaskLike, task_of
from planspec.api.solving import limits_of
from planspec.drafting.bases import base_of_task, paraphrased_document
from planspec.drafting.calls import BudgetSpentError, ModelCalls, StuckModelError
from planspec.drafting.drafts import SEARCH_S, calls_output
from planspec.drafting.extraction import FENCE, UnusableReplyError, document_text, mapping_of, scalar_fields
from planspec.drafting.forms import paraphrase_form, wishes_form
from planspec.drafting.loop import DraftLoop, Found
from planspec.drafting.opinions import Opinion, quotation
from planspec.drafting.output import (
    DisagreementOutput,
    FoundOutput,
    ParaphraseOutput,
    ParaphrasesOutput,
    ParaphrasesStatus,
)
from planspec.drafting.prompts import Prompts
from planspec.drafting.text_check import TextCheck
from planspec.drafting.vocabulary import vocabulary
from planspec.dsl.diagnostics.diagnostic import DiagnosticError
from planspec.dsl.documents.documents import task_from_text
from planspec.dsl.workspace.workspace import Workspace
from planspec.verifiers.environment.query_text.findings import query_findings

if TYPE_CHECKING:
    from planspec.dsl.model.task import Task
    from planspec.solvers.backends.outcome import Limits

MARKS = re.compile(r"[^\w\s.,;:!?()'\"%&/+*$\u2010-\u201f\u20a0-\u20bf\u00a0-\u00ff\u3000-\u303f\uff00-\uffef-]")
"""Characters that are rare in prose. A wording may contain only those that the query contains."""
NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
"""A number, amount or time in digits."""
SENTENCE_END = re.compile(r"(?<=[.!?;])\s+")
MOST_GROWTH = 3
"""Factor in the maximum length of a wording: this number times the query's length, plus `MOST_MORE` characters."""
MOST_MORE = 200


@dataclass(slots=True)
class _Paraphrasing:
    task: Task
    loop: DraftLoop
    limits: Limits
    folder: Path
    workspace: Workspace = field(default_factory=Workspace)
    results: list[ParaphraseOutput] = field(default_factory=list)

    def next(self) -> None:
        """Request one wording from the model, and judge it."""
        number = len(self.results) + 1
        id_ = f"{self.task.id}-p{number}"
        earlier = [(each.query, _reason(each)) for each in self.results]
        prompt = self._prompts.paraphrase(earlier)
        query = self.task.query
        read = self.loop.read("paraphrase", prompt, paraphrase_form(), lambda reply: wording(reply, query), number)
        if read is None:
            reason = "no reply was a wording of the query"
            self.results.append(ParaphraseOutput(id=id_, query="", status="refused", reason=reason))
            return
        self.results.append(self._judged(id_, read))

    @property
    def _prompts(self) -> Prompts:
        base = base_of_task(self.task)
        return Prompts(base, vocabulary(base, self.workspace))

    def _judged(self, id: str, query: str) -> ParaphraseOutput:
        result = ParaphraseOutput(id=id, query=query, status="undecided")
        bare = self._with_query(id, query, {})
        if bare is None:
            return result.model_copy(update={"status": "refused", "reason": "the task has errors with this query"})
        check = TextCheck.of(bare, self.loop, self.limits)
        try:
            check.run()
        except StuckModelError as stuck:
            return result.model_copy(update={"reason": str(stuck)})
        if check.disagreements:
            return self._differing(result, check.disagreements[0])
        if check.how is None:
            return result.model_copy(update={"reason": "; ".join(check.undecided)})
        tells = _quotations(check.draft.written.get("tells"), self.task)
        task = self._with_query(id, query, tells) or bare
        old = {each.message for each in query_findings(self.task)}
        new = [each.message for each in query_findings(task) if each.message not in old]
        lost = [*_lost_amounts(self.task.query, query), *self._lost_wishes(query)]
        if new or lost:
            update = {
                "status": "refused",
                "reason": "; ".join([*new, *(f'nothing in it says "{each}"' for each in lost)]),
            }
            return result.model_copy(update={**update, "original": lost[0] if lost else ""})
        return result.model_copy(update={"status": "accepted", "how": check.how, "text": task.document.text})

    def _with_query(self, id: str, query: str, tells: dict[str, str]) -> Task | None:
        """Return the task with another query and other quotations; None if it has errors."""
        path = self.folder / f"{re.sub(r'[^A-Za-z0-9-]+', '-', id)}.task.yaml"
        text = paraphrased_document(self.task, id, query, tells, self.folder)
        try:
            return task_from_text(text, path.name, path=path)
        except DiagnosticError:
            return None

    def _differing(self, result: ParaphraseOutput, disagreement: DisagreementOutput) -> ParaphraseOutput:
        """Return the result for a refused wording, with the changed words and the plan that shows the difference."""
        opinion = self._opinion(disagreement)
        if opinion is None or opinion.allowed == (disagreement.rules == "too-strict"):
            reason = "the query itself and the rules may differ: see `planspec draft --check`"
            return result.model_copy(update={"reason": reason})
        return result.model_copy(
            update={
                "status": "refused",
                "sentence": disagreement.sentence,
                "original": opinion.sentence,
                "rule": disagreement.rule,
                "plan": disagreement.plan,
                "reason": _meaning(disagreement, opinion),
            }
        )

    def _lost_wishes(self, query: str) -> list[str]:
        """Return the words of the query for each soft rule and objective that a wording leaves out.

        Solvers cannot find this, because only hard constraints are compared.
        """
        wishes = dict(_wishes(self.task))
        if not wishes:
            return []
        prompt = self._prompts.wishes(query, wishes)
        both = (self.task.query, query)
        found = self.loop.read("wishes", prompt, wishes_form(wishes), lambda reply: read_wishes(reply, wishes, *both))
        if found is None:
            return ["the model does not say where its wishes are"]
        return [first for first, second in found.values() if first and not second]

    def _opinion(self, disagreement: DisagreementOutput) -> Opinion | None:
        """Return the model's opinion on whether the query allows the plan that shows a difference."""
        opinions = self.loop.judge(TextCheck.of(self.task, self.loop, self.limits).draft, [disagreement.plan])
        return None if opinions is None else opinions[1]


def wording(reply: str, query: str) -> str:
    """Return the wording in a reply.

    Raises:
        UnusableReplyError: the wording is empty, is the query itself, is much longer, or has characters that are
            rare in prose.
    """
    blocks = [match["body"] for match in FENCE.finditer(reply)]
    text = (blocks[0] if len(blocks) == 1 else reply).strip()
    text = text[1:-1].strip() if len(text) > 1 and text[0] == text[-1] == '"' and '"' not in text[1:-1] else text
    if not text or " ".join(text.split()).casefold() == " ".join(query.split()).casefold():
        raise UnusableReplyError("it is not another wording of the request")
    if len(text) > MOST_GROWTH * len(query) + MOST_MORE:
        raise UnusableReplyError("it is far longer than the request")
    strange = sorted(set(MARKS.findall(text)) - set(query))
    if strange or not all(line.isprintable() for line in text.split("\n")):
        shown = ", ".join(f"U+{ord(each):04X}" for each in strange) or "control characters"
        raise UnusableReplyError(f"it has characters that the request has not: {shown}; write plain sentences")
    return text


def read_wishes(reply: str, names: Iterable[str], query: str, wording: str) -> dict[str, tuple[str, str]]:
    """Return, for each wish (soft rule or objective), the words for it in the query and in the wording.

    The words are empty if the reply quotes none.

    Raises:
        UnusableReplyError: the reply is not a mapping, or leaves out a wish.
    """
    entries = {key.text: scalar_fields(node) for key, node in mapping_of(document_text(reply)).entries}
    missing = [name for name in names if name not in entries]
    if missing:
        raise UnusableReplyError(f"your reply leaves out {', '.join(missing)}")
    return {
        name: (quotation(entries[name].get("first", ""), query), quotation(entries[name].get("second", ""), wording))
        for name in names
    }


def _wishes(task: Task) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each soft rule and objective of a task."""
    yield from ((each.id, f"soft: {_one_line(each.body.span.text)}") for each in task.constraints if not each.hard)
    for number, each in enumerate(task.objectives, 1):
        yield f"{each.word}-{number}", f"{each.word}: {_one_line(each.span.text)}"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _lost_amounts(query: str, wording: str) -> list[str]:
    """Return the sentences of a query that have a number, in digits, missing from the wording."""
    present = set(NUMBER.findall(wording))
    sentences = SENTENCE_END.split(query)
    return [_one_line(each) for each in sentences if not set(NUMBER.findall(each)) <= present]


def _quotations(section: str | None, task: Task) -> dict[str, str]:
    """Return the quotations in a formalisation's `tells` section, by given of the task."""
    if section is None:
        return {}
    ((_, node),) = mapping_of(section).entries
    return {name: text for name, text in scalar_fields(node).items() if name in task.given_declarations}


def _meaning(disagreement: DisagreementOutput, opinion: Opinion) -> str:
    """Return a sentence on how a wording's meaning differs from that of the query."""
    own = f'it says "{disagreement.sentence}"' if disagreement.sentence else "it says nothing"
    query = f'the query says "{opinion.sentence}"' if opinion.sentence else "the query says nothing"
    verb, other = ("allows", "forbids") if disagreement.rules == "too-strict" else ("forbids", "allows")
    return f"{own} and {verb} a plan that the query {other}: {query}"


def _reason(result: ParaphraseOutput) -> str:
    return "" if result.status == "accepted" else result.reason or result.status


def run_paraphrases(
    task: TaskLike,
    calls: ModelCalls,
    *,
    count: int = 1,
    folder: Path | None = None,
    limits: Limits | float | None = None,
    on_step: Callable[[Found], None] = lambda _found: None,
) -> ParaphrasesOutput:
    """Let a model reword the query of a task, and check each wording by the method of `check_text`.

    Args:
        task: the task, or its path or id.
        calls: the model, with its log and budget.
        count: number of wordings.
        folder: folder for the reworded tasks. Their paths are relative to it; None for the current folder.
        limits: limits of each search; a number is seconds, by default 20.
        on_step: called with each mistake that is found in a formalisation.

    Returns:
        The wordings, each accepted, refused or undecided. An accepted one has the text of the reworded task.

    Raises:
        DiagnosticError: the task has errors.
        NotFoundError: there is no such task.
        UnsuitableTaskError: the task has turns, or no query.
        ModelFailedError: the model gave no reply.
        OSError: the log cannot be written.
        ValueError: fewer than one wording is requested.
    """
    if count < 1:
        raise ValueError("at least one paraphrase is needed")
    checked = task_of(task)
    loop = DraftLoop(calls, on_step=on_step)
    searches = limits_of(SEARCH_S if limits is None else limits)
    work = _Paraphrasing(checked, loop, searches, (folder or Path()).absolute())
    is_spent = False
    try:
        for _ in range(count):
            work.next()
            loop.judged.clear()
    except BudgetSpentError:
        is_spent = True
    return ParaphrasesOutput(
        task=checked.id,
        status=_status(work.results, is_spent),
        paraphrases=work.results,
        found=[FoundOutput(step=each.step, draft=each.draft, round=each.round, text=each.text) for each in loop.found],
        calls=calls_output(calls),
    )


def _status(results: Sequence[ParaphraseOutput], is_spent: bool) -> ParaphrasesStatus:
    if is_spent:
        return "budget"
    found = {each.status for each in results}
    return "refused" if "refused" in found else "undecided" if "undecided" in found else "accepted"
