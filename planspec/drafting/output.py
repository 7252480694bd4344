"""Results of `draft` and of `draft --check`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Literal, TypeAlias

from planspec.api.outputs.base import Output
from planspec.drafting.findings import Step

DraftStatus: TypeAlias = Literal["agreed", "open", "budget"]
ParaphraseStatus: TypeAlias = Literal["accepted", "refused", "undecided"]
ParaphrasesStatus: TypeAlias = Literal["accepted", "refused", "undecided", "budget"]
TextStatus: TypeAlias = Literal["agreed", "disagreed", "undecided", "budget"]


class FoundOutput(Output):
    """A mistake, or a doubt (possible mistake), that a step found in a draft.

    Attributes:
        step: `form`, `check`, `quote`, `deep`, `validate`, `question`, `compare`, `words`, `cases` or `boundary`.
        draft: number of the draft, counted from 1; 0 for the draft written from a description of the rules.
        round: number of the draft's round, counted from 1.
        text: message to the model.
    """

    step: Step
    draft: int
    round: int
    text: str


class CallsOutput(Output):
    """Numbers and cost of the calls to the model. `usd` is null if the cost of a call is unknown."""

    made: int
    replayed: int
    input: int
    output: int
    usd: float | None


class DraftOutput(Output):
    """Result of `draft`.

    Attributes:
        task: id of the draft.
        status: `agreed` if no disagreement is open; `budget` if the budget was used up first.
        text: the draft; null if no draft is without errors.
        out: path of the written file; null if none was written.
        accepted: whether the user accepted the draft. The text of an accepted draft has no mark of a draft.
        open: disagreements that remain.
        undecided: questions that were not decided in time.
        notes: remarks for the user.
        words: rules and givens in plain words.
        found: mistakes and possible mistakes found on the way, in order.
        mutants: number of the draft's mutants that its cases detect, and number of all its mutants.
        calls: calls of the model.
    """

    task: str
    status: DraftStatus
    text: str | None
    out: str | None = None
    accepted: bool = False
    open: list[str] = []
    undecided: list[str] = []
    notes: list[str] = []
    words: dict[str, str] = {}
    found: list[FoundOutput] = []
    mutants: tuple[int, int] = (0, 0)
    calls: CallsOutput

    @property
    def exit_code(self) -> int:
        """Exit code: 0 agreed, 1 not agreed, 3 undecided or out of budget."""
        if self.status == "budget":
            return 3
        return 1 if self.open else 3 if self.undecided else 0

    def __repr__(self) -> str:
        return f"<DraftOutput of {self.task}: {self.status}>"

    def __str__(self) -> str:
        """Return the text that `planspec draft` prints."""
        return "\n".join(draft_lines(self))


class DisagreementOutput(Output):
    """A plan on which the words of a task and its rules disagree.

    Attributes:
        rules: `too-strict` if the rules refuse a plan that the words allow, `too-loose` if they accept one that the
            words forbid.
        sentence: decisive words of the query; empty if none were quoted.
        rule: rules that refuse the plan. They are rules of the task or of the model's formalisation.
        plan: rows of the plan's tables.
    """

    rules: Literal["too-strict", "too-loose"]
    sentence: str
    rule: list[str]
    plan: Any


class DraftCheckOutput(Output):
    """Result of `draft --check`.

    Attributes:
        task: id of the task.
        status: `agreed` if a formalisation of the words accepts the same plans.
        how: method that proved the agreement, one of those in the output of `compare`.
        disagreements: plans on which words and rules disagree.
        undecided: questions that were not decided.
        found: mistakes and possible mistakes found in the model's formalisation on the way.
        calls: calls of the model.
    """

    task: str
    status: TextStatus
    how: str | None = None
    disagreements: list[DisagreementOutput] = []
    undecided: list[str] = []
    found: list[FoundOutput] = []
    calls: CallsOutput

    @property
    def exit_code(self) -> int:
        """Exit code: 0 agreed, 1 not agreed, 3 undecided or out of budget."""
        return {"agreed": 0, "disagreed": 1}.get(self.status, 3)

    def __repr__(self) -> str:
        return f"<DraftCheckOutput of {self.task}: {self.status}>"

    def __str__(self) -> str:
        """Return the text that `planspec draft --check` prints."""
        return "\n".join(check_lines(self))


class ParaphraseOutput(Output):
    """Another wording of a task's query.

    Attributes:
        id: id of the task with this wording.
        query: the wording; empty if no reply had a usable one.
        status: `accepted` if a formalisation of the wording accepts the same plans as the task.
        reason: why it was refused, or what was not decided; empty if it was accepted.
        sentence: words of a refused wording that change the meaning; empty if the wording only omits something.
        original: words of the query whose meaning the wording changes; empty if the wording only adds something.
        rule: rules that refuse the plan. They are rules of the task or of the formalisation.
        plan: rows of a plan on which the query and the wording differ; null without one.
        how: method that proved the agreement, one of those in the output of `compare`.
        text: the task with an accepted wording.
    """

    id: str
    query: str
    status: ParaphraseStatus
    reason: str = ""
    sentence: str = ""
    original: str = ""
    rule: list[str] = []
    plan: Any = None
    how: str | None = None
    text: str | None = None


class ParaphrasesOutput(Output):
    """Result of `draft --paraphrase`.

    Attributes:
        task: id of the task.
        status: worst status of a wording; `budget` if the budget was used up before the last wording.
        out: the file of tasks with accepted wordings; null if none was written.
        paraphrases: the wordings, in order.
        found: mistakes and possible mistakes found in the model's formalisations on the way.
        calls: calls of the model.
    """

    task: str
    status: ParaphrasesStatus
    out: str | None = None
    paraphrases: list[ParaphraseOutput] = []
    found: list[FoundOutput] = []
    calls: CallsOutput

    @property
    def accepted(self) -> str:
        """Texts of the tasks with accepted wordings, as documents of one file; empty if there are none."""
        return "---\n".join(each.text for each in self.paraphrases if each.text is not None)

    @property
    def exit_code(self) -> int:
        """Exit code: 0 all accepted, 1 one refused, 3 undecided or out of budget."""
        return {"accepted": 0, "refused": 1}.get(self.status, 3)

    def __repr__(self) -> str:
        return f"<ParaphrasesOutput of {self.task}: {self.status}>"

    def __str__(self) -> str:
        """Return the text that `planspec draft --paraphrase` prints."""
        return "\n".join(paraphrase_lines(self))


def paraphrase_lines(output: ParaphrasesOutput) -> Iterator[str]:
    """Yield the lines that `planspec draft --paraphrase` prints."""
    for each in output.paraphrases:
        how = f" ({each.how})" if each.how else ""
        yield f"{each.id}: {each.status}{how}{f': {each.reason}' if each.reason else ''}"
        yield from (f"  {line}" for line in each.query.splitlines())
        yield from (f"  rule {rule}" for rule in each.rule)
        if each.plan is not None:
            yield from (f"  {line}" for line in _plan_lines(each.plan))
    accepted = sum(each.status == "accepted" for each in output.paraphrases)
    over = "the budget is over; " if output.status == "budget" else ""
    yield f"{output.task}: {accepted} of {len(output.paraphrases)} accepted; {over}{_calls_text(output.calls)}"


def draft_lines(output: DraftOutput) -> Iterator[str]:
    """Yield the lines that `planspec draft` prints."""
    if output.words:
        yield "the rules in words:"
        yield from (f"  {name}: {text}" for name, text in output.words.items())
    yield from _marked("open", output.open)
    yield from _marked("undecided", output.undecided)
    yield from _marked("note", output.notes)
    if output.mutants[1]:
        yield f"cases notice {output.mutants[0]} of {output.mutants[1]} mutants"
    if output.status == "budget" and output.found:
        yield from _marked(f"found last ({output.found[-1].step})", [output.found[-1].text])
    words = {"agreed": "agreed", "open": "not agreed", "budget": "the budget is over"}
    yield f"{output.task}: {words[output.status]}; {_found_text(output.found)}{_calls_text(output.calls)}"


def check_lines(output: DraftCheckOutput) -> Iterator[str]:
    """Yield the lines that `planspec draft --check` prints."""
    for each in output.disagreements:
        words = f'the query says "{each.sentence}"' if each.sentence else "the query"
        verb = "allows" if each.rules == "too-strict" else "forbids"
        yield f"{output.task}: {each.rules}: {words} and {verb} a plan that the rules {'refuse' if verb == 'allows' else 'accept'}"
        yield from (f"  rule {rule}" for rule in each.rule)
        yield from (f"  {line}" for line in _plan_lines(each.plan))
    yield from _marked("undecided", output.undecided)
    how = f" ({output.how})" if output.how else ""
    yield f"{output.task}: {output.status}{how}; {_found_text(output.found)}{_calls_text(output.calls)}"


def _plan_lines(plan: Any) -> Iterator[str]:
    from planspec.drafting.opinions import plan_text

    yield from plan_text(plan).splitlines()


def _marked(mark: str, texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        first, *rest = text.splitlines() or [""]
        yield f"{mark}: {first}"
        yield from (f"  {line}" for line in rest)


def _found_text(mistakes: list[FoundOutput]) -> str:
    counts: dict[str, int] = {}
    for each in mistakes:
        counts[each.step] = counts.get(each.step, 0) + 1
    return f"found by {', '.join(f'{step} {count}' for step, count in counts.items())}; " if counts else ""


def _calls_text(calls: CallsOutput) -> str:
    cost = f", {calls.usd:.4f} USD" if calls.usd else ""
    replayed = f", {calls.replayed} replayed" if calls.replayed else ""
    return f"{calls.made} calls{replayed}{cost}"
