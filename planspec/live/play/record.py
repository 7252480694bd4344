"""Events of a draft, as shown on the page of `planspec play`."""

from __future__ import annotations

from typing import Literal

from planspec.live.panel.record import JudgedPlan
from planspec.report.record import PageModel


class CallShown(PageModel):
    """Start of a call to the model.

    Attributes:
        call: number of the call, counted from 1.
        purpose: purpose of the call, such as `revise`.
    """

    call: int
    purpose: str


class ProblemShown(PageModel):
    """A mistake or possible mistake that was sent back to the model."""

    step: str
    draft: int
    round: int
    text: str


class DifferenceShown(PageModel):
    """A field in which two plans differ, or a row that only one of them has.

    Attributes:
        place: address of the field or row.
        first: value in the first plan.
        second: value in the second plan.
    """

    place: str
    first: str
    second: str


class QuestionShown(PageModel):
    """The question whether the request allows both of two plans.

    Attributes:
        plans: the two plans. Findings on them mark their differences.
    """

    question: str
    plans: tuple[JudgedPlan, JudgedPlan]
    differences: tuple[DifferenceShown, ...]


class DraftShown(PageModel):
    """A finished draft.

    Attributes:
        finished: status: `agreed`, `open` (disagreements remain) or `budget` (budget used up).
        summary: one line about the result and the calls.
        words: descriptions of rules and givens, by name.
        text: text of the draft; None if all drafts have errors.
        asks: whether the user must accept the draft on the page.
        file: name of the file that was written; None before that.
        task: number of the task on the page; None before the file was written.
        error: reason why no file can be written; empty otherwise.
    """

    finished: Literal["agreed", "open", "budget"]
    summary: str
    words: tuple[tuple[str, str], ...] = ()
    open: tuple[str, ...] = ()
    undecided: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    text: str | None = None
    asks: bool = False
    file: str | None = None
    task: int | None = None
    error: str = ""


class EndShown(PageModel):
    """The end of a draft without a result.

    Attributes:
        ended: reason for the end.
        stopped: whether the user stopped the draft on the page.
    """

    ended: str
    stopped: bool = False
