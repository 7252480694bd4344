"""Comparison of a task's query with its rules: whether the query requires exactly what the rules require."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from planspec.api.comparison import compare
from planspec.api.loading import TaskLike, task_of
from planspec.api.solving import limits_of
from planspec.drafting.bases import base_of_task
from planspec.drafting.calls import BudgetSpentError, ModelCalls, StuckModelError
from planspec.drafting.drafts import SEARCH_S, calls_output
from planspec.drafting.findings import DraftCheck
from planspec.drafting.loop import Draft, DraftLoop, Found
from planspec.drafting.opinions import violations_text
from planspec.drafting.output import DisagreementOutput, DraftCheckOutput, FoundOutput, TextStatus
from planspec.drafting.prompts import Prompts
from planspec.drafting.rounds import MOST_DIFFERENCES
from planspec.drafting.vocabulary import vocabulary
from planspec.dsl.workspace.workspace import Workspace

if TYPE_CHECKING:
    from planspec.api.comparison_report import TaskComparison
    from planspec.dsl.model.task import Task
    from planspec.solvers.backends.outcome import Limits


@dataclass(slots=True)
class TextCheck:
    """Comparison of a task's rules with a model's formalisation of its query.

    Attributes:
        task: the task.
        loop: loop in which the model writes and corrects the formalisation.
        draft: the formalisation.
        limits: limits of each search.
        disagreements: plans on which words and rules disagree.
        undecided: questions that were not decided.
        how: method that proved the agreement, such as `solvers`; None if it was not proved.
    """

    task: Task
    loop: DraftLoop
    draft: Draft
    limits: Limits
    disagreements: list[DisagreementOutput] = field(default_factory=list)
    undecided: list[str] = field(default_factory=list)
    how: str | None = None

    @classmethod
    def of(cls, task: Task, loop: DraftLoop, limits: Limits) -> TextCheck:
        """Prepare the check of a task.

        Raises:
            UnsuitableTaskError: the task has turns, or no query.
            DiagnosticError: a library of the task has errors.
        """
        workspace, base = Workspace(), base_of_task(task)
        own = Draft(1, Prompts(base, vocabulary(base, workspace)), DraftCheck(base, limits, workspace))
        return cls(task, loop, own, limits)

    def run(self) -> None:
        """Let the model formalise the query. Compare its rules with the task's until they agree or differ on a plan."""
        self.loop.write(self.draft)
        for _ in range(MOST_DIFFERENCES):
            (comparison,) = compare(self.task, self.draft.sound, limits=self.limits).tasks
            if comparison.same:
                self.how = comparison.how
                return
            if comparison.rows is None:
                self.undecided.append("; ".join(comparison.reasons) or "the comparison was not decided in time")
                return
            if not self._correct(comparison):
                return
        self.undecided.append("the model's own formalisation did not come to rest")

    @property
    def status(self) -> TextStatus:
        """Result of a completed check."""
        if self.how is not None:
            return "agreed"
        return "disagreed" if self.disagreements else "undecided"

    def _correct(self, comparison: TaskComparison) -> bool:
        """Let the model judge a plan by the query. Return whether it then corrected its formalisation."""
        accepts = comparison.accepted_by == "first"
        refusing = self.draft.sound if accepts else self.task
        rules = violations_text(refusing, comparison.refused)
        remark = f"One formalisation of the request accepts plan 1. Another one refuses it by:\n{rules}"
        opinions = self.loop.judge(self.draft, [comparison.rows], [remark])
        if opinions is None:
            self.undecided.append("the model does not judge a plan on which words and rules differ")
            return False
        opinion = opinions[1]
        if opinion.allowed == accepts:
            self.loop.add_judged("", comparison.rows, opinion)
            if self.loop.obey(self.draft, "compare"):
                return True
            self.undecided.append("the model's own formalisation contradicts its opinion of a plan")
            return False
        found = DisagreementOutput(
            rules="too-strict" if opinion.allowed else "too-loose",
            sentence=opinion.sentence,
            rule=[line.strip() for line in rules.splitlines()],
            plan=comparison.rows,
        )
        self.disagreements.append(found)
        return False


def run_text_check(
    task: TaskLike,
    calls: ModelCalls,
    *,
    limits: Limits | float | None = None,
    on_step: Callable[[Found], None] = lambda _found: None,
) -> DraftCheckOutput:
    """Check whether the query of a task agrees with its rules. A model formalises the query without seeing the rules.

    Only hard constraints are compared. Both sides use the same libraries.

    Args:
        task: the task, or its path or id.
        calls: the model, with its log and budget.
        limits: limits of each search; a number is seconds, by default 20.
        on_step: called with each mistake that is found in the model's formalisation.

    Raises:
        DiagnosticError: the task has errors.
        NotFoundError: there is no such task.
        UnsuitableTaskError: the task has turns, or no query.
        ModelFailedError: the model gave no reply.
        OSError: the log cannot be written.
    """
    checked = task_of(task)
    searches = limits_of(SEARCH_S if limits is None else limits)
    loop = DraftLoop(calls, on_step=on_step)
    check = TextCheck.of(checked, loop, searches)
    is_spent = False
    try:
        check.run()
    except StuckModelError as stuck:
        check.undecided.append(str(stuck))
    except BudgetSpentError:
        is_spent = True
    return DraftCheckOutput(
        task=checked.id,
        status="budget" if is_spent else check.status,
        how=check.how,
        disagreements=check.disagreements,
        undecided=check.undecided,
        found=[FoundOutput(step=each.step, draft=each.draft, round=each.round, text=each.text) for each in loop.found],
        calls=calls_output(calls),
    )
