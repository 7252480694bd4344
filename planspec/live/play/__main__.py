"""The process in which `planspec play` drafts a task. It can be killed at any time.

The first line of standard input is the request, a `DraftJob`. Each further line is an answer from the user, as a JSON
string. The lines of standard output are events of `planspec.live.play.record`. The process exits when its input ends.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import IO, TextIO

from planspec.api.judging import Judge
from planspec.drafting import Budget, DraftOutput, Question, draft, log_beside
from planspec.drafting.loop import Found
from planspec.errors import PlanspecError
from planspec.live.panel.panels import plan_with_verdict
from planspec.live.play.jobs import DraftJob
from planspec.live.play.record import CallShown, DifferenceShown, DraftShown, EndShown, ProblemShown, QuestionShown
from planspec.report.record import PageModel, ShownFinding
from planspec.report.texts import line, visible_text
from planspec.verifiers.meaning.differences import PlanDifference

MOST_DIFFERENCES = 200
"""Maximum number of differences between two plans that are shown."""
PLANS = ("Plan 1", "Plan 2")
DIFFERS = "differs"
"""Status of a finding that marks a row in which two plans differ."""


@dataclass(frozen=True, slots=True)
class _Drafter:
    """A draft in progress. It sends events to a page, on which the user answers its questions."""

    job: DraftJob
    send: Callable[[PageModel], None]
    answers: SimpleQueue[str] = field(default_factory=SimpleQueue)

    def run(self) -> None:
        """Draft the task, and send its events."""
        job, settings = self.job, self.job.settings
        out = Path(job.out)
        log = log_beside(out)
        result = draft(
            job.query,
            model=settings.model,
            out=out,
            library=job.library,
            world=job.world,
            like=job.like,
            drafts=job.drafts,
            budget=Budget(settings.calls, settings.usd),
            log=log,
            resume=log if log.is_file() else None,
            prices=settings.prices,
            limits=settings.seconds,
            ask=self._ask,
            accept=self._accept,
            on_step=lambda problem: self.send(_problem_event(problem)),
            on_call=lambda kind, number: self.send(CallShown(call=number, purpose=kind)),
        )
        self.send(shown_draft(result, file=out.name if result.out is not None else None))

    def _ask(self, question: Question) -> str:
        return self._answer(shown_question(question))

    def _accept(self, result: DraftOutput) -> bool:
        return self._answer(shown_draft(result, asks=True)) == "yes"

    def _answer(self, question: PageModel) -> str:
        """Send a question, and wait for the answer. Earlier answers, such as from a second click, are ignored."""
        while not self.answers.empty():
            self.answers.get()
        self.send(question)
        return self.answers.get()


def shown_question(question: Question) -> QuestionShown:
    """Convert a question and its two plans for display. Findings mark the rows in which a plan differs."""
    judge = Judge(question.task)
    shown = question.differences[:MOST_DIFFERENCES]
    first, second = (
        plan_with_verdict(judge, name, plan, judge.plan(plan)).model_copy(
            update={"findings": tuple(_marks(shown, number))}
        )
        for number, (name, plan) in enumerate(zip(PLANS, question.plans, strict=True))
    )
    return QuestionShown(
        question="Two plans keep the rules of the draft. May both be?",
        plans=(first, second),
        differences=tuple(
            DifferenceShown(place=line(each.place), first=_side(each, 0), second=_side(each, 1)) for each in shown
        ),
    )


def _marks(differences: tuple[PlanDifference, ...], number: int) -> Iterator[ShownFinding]:
    """Yield a finding for each difference, at the row of the first or second plan (`number` 0 or 1)."""
    for each in differences:
        if each.field is None and (each.before, each.after)[number] is None:
            continue
        text = "only here" if each.field is None else f"{each.field} {_side(each, number)}"
        yield ShownFinding(constraint=line(text), level="hard", status=DIFFERS, rows=((each.table, each.key),))


def _side(difference: PlanDifference, number: int) -> str:
    """Return what the first or second plan (`number` 0 or 1) has at a difference, as text."""
    cell = (difference.before, difference.after)[number]
    if difference.field is None:
        return "no row" if cell is None else ", ".join(f"{name} {value}" for name, value in cell.items())
    return line("none" if cell is None else cell)


def shown_draft(result: DraftOutput, *, asks: bool = False, file: str | None = None) -> DraftShown:
    """Convert the result of a draft for display on the page.

    Args:
        result: the result.
        asks: whether the user is asked to accept the draft.
        file: name of the file that was written; None if none was.
    """
    return DraftShown(
        finished=result.status,
        summary=line(str(result).splitlines()[-1], 1000),
        words=tuple((line(name), line(text, 1000)) for name, text in result.words.items()),
        open=tuple(map(visible_text, result.open)),
        undecided=tuple(map(visible_text, result.undecided)),
        notes=tuple(map(visible_text, result.notes)),
        text=result.text,
        asks=asks,
        file=file,
        error="" if asks or file is not None else "No draft is without errors, so no file was written.",
    )


def _problem_event(problem: Found) -> ProblemShown:
    return ProblemShown(step=problem.step, draft=problem.draft, round=problem.round, text=visible_text(problem.text))


def main() -> None:
    """Read a draft request from the first line of standard input, and draft the task.

    Events are written until the draft is done or standard input closes.
    """
    output = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # text printed by an agent must not be taken for events
    source = os.fdopen(os.dup(0), "rb")
    drafter = _Drafter(DraftJob.model_validate_json(source.readline()), lambda event: _send(output, event))
    Thread(target=_read_answers, args=(source, drafter.answers), daemon=True).start()
    try:
        drafter.run()
    except (PlanspecError, OSError, ValueError, ModuleNotFoundError) as error:
        _send(output, EndShown(ended=visible_text(error)))
    except Exception as error:  # noqa: BLE001 any failure becomes an event
        _send(output, EndShown(ended=line(f"the draft failed: {type(error).__name__}: {error}", 1000)))
    output.flush()
    os._exit(0)  # threads may still wait for services


def _send(output: TextIO, event: PageModel) -> None:
    try:
        output.write(event.model_dump_json(exclude_defaults=True) + "\n")
        output.flush()
    except OSError:
        os._exit(1)  # nobody reads the events any more


def _read_answers(source: IO[bytes], answers: SimpleQueue[str]) -> None:
    """Queue the user's answers, and end the process when the input ends."""
    for text in source:
        answers.put(json.loads(text))
    os._exit(1)


if __name__ == "__main__":
    main()
