"""Calls to a model. Each reply counts towards a budget and is logged under a hash of its prompt, for replay."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

from planspec.agents.agent import Agent, UnknownAgentError, agent
from planspec.agents.desk import Desk
from planspec.agents.failures import AttemptFailedError
from planspec.agents.optional import agent_info, close, constrained
from planspec.agents.view import NO_TOOLS, Limits, TaskView
from planspec.drafting.forms import ReplyForm
from planspec.dsl.resources.limits import RECORDS_BYTES
from planspec.dsl.resources.reading import open_regular
from planspec.errors import PlanspecError
from planspec.runs.prices import usd
from planspec.traces.json_text import text_of
from planspec.traces.record import Trace

if TYPE_CHECKING:
    from planspec.runs.record import ModelPrice

CallKind: TypeAlias = Literal[
    "draft", "revise", "question", "judge", "words", "again", "cases", "paraphrase", "wishes", "person"
]
"""Purpose of a call. `person` is a question to the user."""
ROLE = "You turn requests in plain words into planning tasks in planspec's language."
SECONDS = 600.0
"""Time limit for one reply, in seconds."""
STEPS = 20
"""Maximum number of requests to the model's service for one reply."""


class BudgetSpentError(Exception):
    """The budget is used up."""


class StuckModelError(BudgetSpentError):
    """The model sent the same unusable reply too often. The message has the reason why it is unusable."""


class ModelFailedError(PlanspecError):
    """The model gave no reply, or the cost of a reply is unknown although the budget limits the cost."""

    exit_code: ClassVar[int] = 3


class InvalidReplyLogError(PlanspecError, ValueError):
    """The file is not a log of replies."""


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of all calls together.

    Attributes:
        calls: maximum number of calls; replayed replies do not count.
        usd: maximum cost in USD, checked before each call; None for no limit. With a limit, a reply of unknown cost
            is an error.
    """

    calls: int = 60
    usd: float | None = None


@dataclass(slots=True)
class ModelCalls:
    """Calls to one model, with a log of the replies and a budget.

    Attributes:
        model: the model; None to use only replayed replies.
        budget: limits of the calls.
        log: file to which new replies are appended; None for no log.
        replies: replies to replay, by key.
        prices: prices of models, by name.
        on_call: called before each call with its kind and number.
        made: number of calls that were made.
        replayed: number of replies that were replayed.
        usd: cost of the calls so far; None if the cost of one is unknown.
        input: reported number of input tokens.
        output: reported number of output tokens.
    """

    model: Agent | None
    budget: Budget = field(default_factory=Budget)
    log: Path | None = None
    replies: dict[str, str] = field(default_factory=dict)
    prices: Mapping[str, ModelPrice] = field(default_factory=dict)
    on_call: Callable[[CallKind, int], None] = lambda _kind, _number: None
    made: int = 0
    replayed: int = 0
    usd: float | None = 0.0
    input: int = 0
    output: int = 0
    _refusal: str | None = field(default=None, init=False)

    def reply(self, kind: CallKind, prompt: str, form: ReplyForm, draft: int = 1) -> str:
        """Return the reply to a prompt as text, from the log or from the model.

        If the service supports JSON schemas, the reply has to match one and is then converted to text. If the service
        rejects the schema, this reply and all later ones are unconstrained.

        Args:
            kind: purpose of the call.
            prompt: the whole prompt.
            form: form of the reply.
            draft: number of the draft, counted from 1. Independent drafts get independent replies to the same prompt.

        Raises:
            BudgetSpentError: the budget is used up.
            ModelFailedError: the model gave no reply.
            OSError: the log cannot be written.
        """
        key = reply_key(kind, prompt, draft)
        if key in self.replies:
            self.replayed += 1
            return form.text(self.replies[key])
        if self.model is None:
            raise ModelFailedError("the log has no reply to this prompt, and there is no model to ask")
        if self.made >= self.budget.calls or (self.budget.usd is not None and (self.usd or 0.0) >= self.budget.usd):
            raise BudgetSpentError
        self.made += 1
        self.on_call(kind, self.made)
        text = self._ask(self.model, kind, prompt, form, draft, key)
        self.replies[key] = text
        return form.text(text)

    def record_person(self, question: str, ask: Callable[[], str]) -> str:
        """Return the user's answer to a question, from the log or by asking.

        Raises:
            OSError: the log cannot be written.
        """
        key = reply_key("person", question, 0)
        if key not in self.replies:
            self.replies[key] = ask()
            self._append({"key": key, "kind": "person", "prompt": question, "reply": self.replies[key]})
        return self.replies[key]

    def _ask(self, model: Agent, kind: CallKind, prompt: str, form: ReplyForm, draft: int, key: str) -> str:
        constraining = constrained(model) if form.schema is not None and self._refusal is None else None
        view = TaskView(
            task=f"draft-{key[:12]}",
            family=None,
            setting="draft",
            query=prompt,
            brief=form.brief,
            limits=Limits(seconds=SECONDS, steps=STEPS),
            seed=draft,
            role=ROLE,
            given={"kind": kind},
        )
        facts: dict[str, object] = {}
        trace = None
        if constraining is not None:
            query = form.constrained(prompt)
            sent = replace(view, query=query, brief=form.schema_brief, schema=form.schema)
            try:
                trace = _traced(constraining, sent)
            except AttemptFailedError as failed:
                if failed.boundary not in ("provider", "decode"):
                    raise _no_reply(failed) from None
                self._refusal = facts["refused"] = failed.message
        if trace is None:
            try:
                trace = _traced(model, view)
            except AttemptFailedError as failed:
                raise _no_reply(failed) from None
            constraining = None
        text = trace.answer or ""
        facts["form"] = "schema" if constraining is not None and form.is_constrained(text) else "text"
        cost = usd(trace, self.prices)
        tokens_in = sum(each.input or 0 for each in trace.tokens)
        tokens_out = sum(each.output or 0 for each in trace.tokens)
        self.usd = None if cost is None or self.usd is None else round(self.usd + cost, 9)
        self.input, self.output = self.input + tokens_in, self.output + tokens_out
        line = {"key": key, "kind": kind, "draft": draft, "prompt": prompt, "reply": text}
        self._append(line | facts | {"input": tokens_in, "output": tokens_out, "usd": cost})
        if cost is None and self.budget.usd is not None:
            raise ModelFailedError(
                "the cost of a reply is unknown, so a budget in USD cannot be kept: its model has no price, or reports no tokens"
            )
        return text

    def _append(self, line: Mapping[str, object]) -> None:
        if self.log is None:
            return
        with self.log.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")


def open_writer(model: Agent | str) -> Agent:
    """Return the agent with the given spec if it can reply to prompts.

    Raises:
        UnknownAgentError: there is no such agent, or it solves tasks without reading prompts.
    """
    opened = agent(model) if isinstance(model, str) else model
    if agent_info(opened).privileged:
        raise UnknownAgentError(
            f"`{model}` solves a task from its rules, and reads no words: name a model, or a program as `command:...`"
        )
    return opened


def _traced(model: Agent, view: TaskView) -> Trace:
    """Return the trace of one reply by the model.

    Raises:
        AttemptFailedError: the model gave no reply.
    """
    desk = Desk(NO_TOOLS, view.limits, seed=view.seed)
    try:
        text = text_of(model.answer(view, desk))
    finally:
        close(model)
    return desk.trace(view.task, "draft", text, None)


def _no_reply(failed: AttemptFailedError) -> ModelFailedError:
    return ModelFailedError(f"the model gave no reply ({failed.boundary}): {failed.message}")


def reply_key(kind: CallKind, prompt: str, draft: int) -> str:
    """Return the key of a reply: the SHA-256 of the call's purpose, the number of the draft, and the prompt."""
    return hashlib.sha256(json.dumps([kind, draft, prompt]).encode()).hexdigest()


def read_replies(path: Path) -> dict[str, str]:
    """Return the replies in a log, by key.

    An incomplete last line is left out: the process that wrote it was stopped.

    Raises:
        InvalidReplyLogError: another line is not a reply.
        OSError: the file cannot be read.
    """
    replies: dict[str, str] = {}
    for number, line, is_whole in _lines(path):
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            record = None
        key, reply = (record.get("key"), record.get("reply")) if isinstance(record, dict) else (None, None)
        if isinstance(key, str) and isinstance(reply, str):
            replies[key] = reply
        elif is_whole:
            raise InvalidReplyLogError(f"`{path}`, line {number} is not a reply with its `key`")
    return replies


def _lines(path: Path) -> Iterator[tuple[int, bytes, bool]]:
    """Yield the number, from 1, and the bytes of each line that is not blank, and whether it has a line end."""
    with open_regular(path, RECORDS_BYTES) as lines:
        for number, line in enumerate(lines, 1):
            if line.strip():
                yield number, line, line.endswith(b"\n")
