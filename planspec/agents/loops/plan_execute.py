"""Plan-and-Execute: a planner writes steps, a worker carries out each, and a reporter writes the answer.

The three parts and their records follow the published framework of that name. Unlike there, the steps of a group run
one after the other. A step does not see the results of other steps in its group.
"""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from planspec.agents.failures import AttemptFailedError
from planspec.agents.loops import conversing, task_messages
from planspec.agents.loops.conversing import Speaker
from planspec.agents.models.asking import Talk
from planspec.agents.models.chat import Message, System, User
from planspec.agents.models.reply_json import InvalidReplyError, extract_json
from planspec.agents.prompts import Prompts
from planspec.agents.prompts.system import schema_text
from planspec.agents.tools import Tool
from planspec.agents.view import TaskView
from planspec.traces.record import Stage

PLANNER, WORKER, REPORTER = "planner", "worker", "reporter"
MAX_STEPS = 40
"""Maximum number of steps in a planner's reply."""


class PlannerReply(BaseModel):
    """A reply of the planner."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    intent: str | None = None
    constraints: dict[str, JsonValue] | None = None
    thinking: str | None = None
    steps: list[list[str] | str] = Field(min_length=1, max_length=MAX_STEPS)

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """Groups of independent steps, in order. A step outside any group forms its own group."""
        groups = ((group,) if isinstance(group, str) else tuple(group) for group in self.steps)
        return tuple(group for group in groups if group)


@dataclass(frozen=True, slots=True)
class StepResult:
    """A step, and the text that its worker returned; the text is None if the worker failed."""

    step: str
    text: str | None


@dataclass(frozen=True, slots=True)
class _Opening:
    """The first messages to a part of the agent, and their indices in the trace."""

    messages: list[Message]
    indices: list[int]


class PlanExecute:
    """The loop `plan`.

    Args:
        prompts: templates of the messages to the three parts.
    """

    templates: tuple[str, ...] = (
        "planner.j2",
        "worker.j2",
        "worker_step.j2",
        "reporter.j2",
        "reporter_results.j2",
        *task_messages.TEMPLATES,
        *conversing.TEMPLATES,
    )

    def __init__(self, prompts: Prompts) -> None:
        self._prompts = prompts

    def answer(self, view: TaskView, talk: Talk) -> str:
        """Return the reporter's text."""
        groups = self._run_planner(view, talk)
        results: list[StepResult] = []
        for number, group in enumerate(groups, start=1):
            earlier = list(results)
            for position, step in enumerate(group, start=1):
                results.append(self._run_worker(view, talk, f"{number}.{position}", step, earlier))
        return self._run_reporter(view, talk, results)

    def _run_planner(self, view: TaskView, talk: Talk) -> tuple[tuple[str, ...], ...]:
        part = Speaker(PLANNER, talk.desk.record_stage(Stage(name=PLANNER)))
        system = self._prompts.render(
            "planner.j2", role=view.role, tools=view.tools.tools(), calls=view.limits.tool_calls, brief=view.brief
        )
        messages = [System(system), *task_messages.messages_of(view, self._prompts)]
        indices = task_messages.record_messages(messages, talk.desk, stage=part.stage_index)
        for count in range(1, conversing.MAX_UNREADABLE + 1):
            reply = talk.ask(messages, stage=PLANNER, context=indices, stage_index=part.stage_index)
            messages.append(reply.message())
            indices.append(
                talk.desk.record_message("assistant", reply.text, stage=part.stage_index, generation=reply.place)
            )
            try:
                plan = _read_plan(reply.text or "")
            except InvalidReplyError as fault:
                correction, index = conversing.report_fault(talk, self._prompts, str(fault), count, part.stage_index)
                messages.append(correction)
                indices.append(index)
                continue
            extra: dict[str, JsonValue] = {} if plan.constraints is None else {"constraints": plan.constraints}
            talk.desk.record_stage(
                Stage(
                    name=PLANNER,
                    intent=plan.intent,
                    thinking=plan.thinking or reply.thinking,
                    steps=plan.groups,
                    text=reply.text,
                    extra=extra,
                ),
                part.stage_index,
            )
            return plan.groups
        raise AssertionError("the last reply is read or raises")

    def _run_worker(self, view: TaskView, talk: Talk, id: str, step: str, earlier: list[StepResult]) -> StepResult:
        part = Speaker(WORKER, talk.desk.record_stage(Stage(name=WORKER, id=id, extra={"step": step})))
        tools = view.tools.tools()
        opening = self._open_part(
            view,
            talk,
            part,
            self._prompts.render("worker.j2", role=view.role, tools=tools),
            "worker_step.j2",
            earlier,
            step=step,
        )
        try:
            text: str | None = self._converse(talk, opening, tools, part)
        except AttemptFailedError as failed:
            if failed.boundary != "decode":
                raise
            text = None  # the results of other workers still count, and the trace shows this failure
        talk.desk.record_stage(Stage(name=WORKER, id=id, text=text, extra={"step": step}), part.stage_index)
        return StepResult(step, text)

    def _run_reporter(self, view: TaskView, talk: Talk, results: list[StepResult]) -> str:
        part = Speaker(REPORTER, talk.desk.record_stage(Stage(name=REPORTER)))
        system = self._prompts.render("reporter.j2", role=view.role, brief=view.brief, schema=schema_text(view))
        opening = self._open_part(view, talk, part, system, "reporter_results.j2", results)
        text = self._converse(talk, opening, [], part)
        talk.desk.record_stage(Stage(name=REPORTER, text=text), part.stage_index)
        return text

    def _open_part(
        self,
        view: TaskView,
        talk: Talk,
        part: Speaker,
        system: str,
        template: str,
        results: list[StepResult],
        **more: str,
    ) -> _Opening:
        query, images = task_messages.conversation_text(view, self._prompts)
        rows = [(result.step, result.text) for result in results]
        request = self._prompts.render(template, query=query, results=rows, **more)
        messages: list[Message] = [System(system), User(request, images)]
        return _Opening(messages, task_messages.record_messages(messages, talk.desk, stage=part.stage_index))

    def _converse(self, talk: Talk, opening: _Opening, tools: list[Tool], part: Speaker) -> str:
        return conversing.converse(talk, self._prompts, opening.messages, opening.indices, tools, part)


def _read_plan(text: str) -> PlannerReply:
    """Parse the planner's reply.

    Raises:
        InvalidReplyError: the reply is not a plan.
    """
    try:
        plan = PlannerReply.model_validate(extract_json(text))
    except ValidationError as error:
        faults = [f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in error.errors()[:3]]
        raise InvalidReplyError("; ".join(faults)) from None
    if not plan.groups:
        raise InvalidReplyError("steps: the list is empty")
    return plan
