"""Loop for one draft: the model writes it, planspec checks it, and mistakes go back to the model until none remains."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias, TypeVar

from planspec.api.judging import Judge
from planspec.drafting.bases import VOCABULARY
from planspec.drafting.calls import CallKind, ModelCalls, StuckModelError
from planspec.drafting.extraction import UnusableReplyError, sections_of
from planspec.drafting.findings import DraftCheck, Problem, Step
from planspec.drafting.forms import ReplyForm, document_form, opinions_form
from planspec.drafting.opinions import (
    JudgedPlan,
    Opinion,
    Rows,
    plan_text,
    read_opinions,
    verdict_on,
    violations,
    violations_text,
)
from planspec.drafting.prompts import Prompts
from planspec.dsl.model.task import Task

T = TypeVar("T")
Outcome: TypeAlias = Literal["corrected", "unchanged", "open"]
MOST_TRIES = 3
"""Maximum number of tries to get a well-formed reply to a question about plans, words or cases."""
MOST_STUBBORN = 3
"""Maximum number of corrections to make a draft agree with one opinion on a plan."""
MOST_IDENTICAL = 6
"""Maximum number of identical documents with the same mistake in a row, after which the loop ends with an error."""


@dataclass(frozen=True, slots=True)
class Found:
    """A mistake or possible mistake (doubt) that a step found in a draft.

    Attributes:
        step: the step.
        draft: number of the draft, counted from 1; 0 for the draft written from the rules in words.
        round: number of the draft's round, counted from 1.
        text: message to the model.
    """

    step: Step
    draft: int
    round: int
    text: str


@dataclass(slots=True)
class Draft:
    """A draft, and the state of the loop that corrects it.

    Attributes:
        number: number of the draft, counted from 1; 0 for the draft written from a description of the rules.
        prompts: prompts about the draft.
        check: checks of the draft.
        written: sections that the model wrote.
        task: task of the draft; None until it passes the checks.
        rounds: number of rounds so far.
    """

    number: int
    prompts: Prompts
    check: DraftCheck
    written: dict[str, str] = field(default_factory=dict)
    task: Task | None = None
    rounds: int = 0

    @property
    def sound(self) -> Task:
        """The task. The draft must have passed its checks."""
        assert self.task is not None, "a settled draft has a task"
        return self.task

    @property
    def document(self) -> str:
        """Text of the sections written by the model."""
        return "".join(self.written.values())

    @property
    def plan_prompts(self) -> Prompts:
        """Prompts about plans. If the model writes the whole task, they include its tables."""
        if self.check.base.part != "task":
            return self.prompts
        words = "".join(text for name, text in self.written.items() if name in VOCABULARY)
        return replace(self.prompts, words=words)

    @property
    def form(self) -> ReplyForm:
        """The form of replies that contain the whole draft."""
        return document_form(self.check.base.allowed)


@dataclass(slots=True)
class DraftLoop:
    """Requests drafts from a model, and sends mistakes and doubts (possible mistakes) back to it.

    Attributes:
        calls: the model.
        found: mistakes and possible mistakes, in order.
        notes: remarks for the user.
        open: disagreements that remain.
        judged: plans that the model or the user judged, by the text of their rows. Later drafts must agree with these
            opinions.
        answers: the user's answers to questions about the request.
        on_step: called with each mistake or possible mistake.
    """

    calls: ModelCalls
    found: list[Found] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    open: list[str] = field(default_factory=list)
    judged: dict[str, JudgedPlan] = field(default_factory=dict)
    answers: list[str] = field(default_factory=list)
    on_step: Callable[[Found], None] = lambda _found: None

    def write(self, draft: Draft) -> None:
        """Let the model write a draft, and correct it until every check passes.

        Args:
            draft: the draft to fill.

        Raises:
            BudgetSpentError: the budget is used up, or the model repeats an unusable reply.
            ModelFailedError: there is no reply.
        """
        prompt = draft.prompts.draft()
        kind: CallKind = "draft" if draft.prompts.sentences is None else "again"
        self._correct_until_sound(draft, self.calls.reply(kind, prompt, draft.form, draft.number))

    def revise(self, draft: Draft, problem: Problem, kind: CallKind = "revise") -> Outcome:
        """Send a mistake to the model, and let it correct the draft.

        Returns:
            `corrected` if the model wrote a different draft, `unchanged` if it sent the same one again.

        Raises:
            BudgetSpentError: the budget is used up, or the model repeats an unusable reply.
            ModelFailedError: there is no reply.
        """
        before = dict(draft.written)
        self._record(draft, problem)
        self._correct_until_sound(draft, self._revision(draft, draft.document, problem, kind))
        return "unchanged" if _same(before, draft.written) else "corrected"

    def accept(self, draft: Draft, reply: str) -> None:
        """Replace the draft by a reply, and correct it until every check passes.

        Raises:
            BudgetSpentError: the budget is used up, or the model repeats an unusable reply.
            ModelFailedError: there is no reply.
        """
        self._correct_until_sound(draft, reply)

    def judge(self, draft: Draft, plans: Sequence[Rows], remarks: Sequence[str] = ()) -> dict[int, Opinion] | None:
        """Return the model's opinions on plans, by plan number from 1; None if no reply was well formed."""
        prompt = draft.plan_prompts.judge([plan_text(rows) for rows in plans], remarks)
        query = draft.check.base.query
        form = opinions_form(len(plans))
        return self.read("judge", prompt, form, lambda reply: read_opinions(reply, len(plans), query))

    def read(
        self, kind: CallKind, prompt: str, form: ReplyForm, reader: Callable[[str], T], number: int = 1
    ) -> T | None:
        """Ask the model, and return its parsed reply; None if no reply was well formed.

        Args:
            kind: purpose of the call.
            prompt: the prompt.
            form: form of the reply.
            reader: parses a reply. If it raises an `UnusableReplyError`, the model gets the message and tries again.
            number: number, counted from 1. Equal prompts with different numbers get independent replies.

        Raises:
            BudgetSpentError: the budget is used up, or the model repeats an unusable reply.
            ModelFailedError: there is no reply.
        """
        for _ in range(MOST_TRIES):
            try:
                return reader(self.calls.reply(kind, prompt, form, number))
            except UnusableReplyError as unusable:
                prompt += f"\nYour last reply could not be used: {unusable}\n"
        return None

    def obey(self, draft: Draft, step: Step) -> bool:
        """Let the model correct a draft until it agrees with every stored opinion; return whether it does."""
        for key in list(self.judged):
            for _ in range(MOST_STUBBORN):
                problem = contradiction(draft, self.judged[key], step)
                if problem is None:
                    break
                if self.revise(draft, problem) == "unchanged":
                    self._leave_open(problem)
                    break
        return all(contradiction(draft, each, step) is None for each in self.judged.values())

    def add_judged(self, name: str, rows: Rows, opinion: Opinion) -> None:
        """Store an opinion on a plan, with which later drafts must agree."""
        self.judged[plan_text(rows)] = JudgedPlan(name, rows, opinion)

    def _leave_open(self, problem: Problem) -> None:
        if problem.text not in self.open:
            self.open.append(problem.text)

    def _correct_until_sound(self, draft: Draft, reply: str) -> None:
        last: tuple[str, list[str]] | None = None
        count = 0
        while True:
            problem, document = self._problem(draft, reply)
            if problem is None:
                return
            self._record(draft, problem)
            same = problem.text, document.split()
            count = count + 1 if same == last else 1
            last = same
            if count == MOST_IDENTICAL:
                raise StuckModelError(f"the model sent the same document {count} times, although: {problem.text}")
            reply = self._revision(draft, document, problem, "revise")

    def _problem(self, draft: Draft, reply: str) -> tuple[Problem | None, str]:
        """Return the first problem in a reply, or None, and the document in the reply."""
        try:
            written = sections_of(reply, draft.check.base.allowed)
        except UnusableReplyError as unusable:
            return Problem("form", str(unusable)), reply
        task, problem = draft.check.problem(written)
        if task is not None:
            draft.written, draft.task = written, task
        return problem, "".join(written.values())

    def _revision(self, draft: Draft, document: str, problem: Problem, kind: CallKind) -> str:
        draft.rounds += 1
        prompt = draft.prompts.revise(document, problem.text, draft.rounds, may_stay=problem.may_stay)
        return self.calls.reply(kind, prompt, draft.form, draft.number)

    def _record(self, draft: Draft, problem: Problem) -> None:
        found = Found(problem.step, draft.number, draft.rounds + 1, problem.text)
        self.found.append(found)
        self.on_step(found)


def contradiction(draft: Draft, plan: JudgedPlan, step: Step) -> Problem | None:
    """Return the difference between a draft's verdict and an opinion as a problem; None if they agree."""
    verdict = verdict_on(Judge(draft.sound), plan.rows)
    found = violations(verdict)
    if any(each.level == "shape" for each in found):
        return None  # the opinion does not apply to a draft with other tables
    shown = f"The plan:\n{plan_text(plan.rows)}"
    opinion = f"{str(plan.opinion)[0].upper()}{str(plan.opinion)[1:]}"
    if plan.opinion.allowed and found:
        rules = violations_text(draft.sound, found)
        return Problem(step, f"{opinion}, and your rules refuse it:\n{rules}\n{shown}", may_stay=True)
    if not plan.opinion.allowed and not found:
        about = f" ({plan.name})" if plan.name else ""
        return Problem(step, f"{opinion}, and your rules accept it{about}.\n{shown}", may_stay=True)
    if plan.opinion.allowed and verdict.in_scope is False:
        return Problem(step, f"{opinion}, and it is not within your `scope`.\n{shown}", may_stay=True)
    return None


def _same(first: dict[str, str], second: dict[str, str]) -> bool:
    return {name: text.split() for name, text in first.items()} == {name: text.split() for name, text in second.items()}
