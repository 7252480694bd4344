"""A task opened in a setting: the agent's view at each turn, and the judges of answers."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from planspec.agents.prompts.system import system_text
from planspec.agents.tools import Toolset
from planspec.agents.view import NO_TOOLS, Limits, TaskView, smallest_bound
from planspec.api.judging import Judge
from planspec.deprecation import former_fields, former_parameters
from planspec.dsl.model.environment import DeclaredSetting
from planspec.environments.hosting import Hosting
from planspec.environments.reading import Reader
from planspec.environments.turns import TurnView
from planspec.errors import PlanspecError
from planspec.family.descriptor import Lazy, Part
from planspec.traces.record import Trace
from planspec.verifiers.meaning.verdict import Verdict

if TYPE_CHECKING:
    from planspec.verifiers.environment.perception import PictureCues


@former_fields(standing="resolve_references")
@dataclass(frozen=True, slots=True)
class AgentTask:
    """A task opened in a setting, which determines what agents see and which tools they have.

    Attributes:
        name: file or id by which the task was loaded.
        judges: judges of the turns, in order. A task without turns has one.
        setting: name of the setting.
        brief: instructions on the answer format.
        schema: JSON schema of answers; None without a schema.
        materials: texts given to agents at the last turn, by title.
        images: pictures given to agents, by title.
        tools: tools of the last turn.
        turns: materials and tools of each turn; empty if all turns have the same.
        calls: limit on the calls of an attempt that return a result; None for no limit.
        declared: the setting as declared in the task; None for a setting in Python code.
        given: data given to agents in addition to the query, such as the address of a website.
        folder: folder of the suite, if the family stores files beside the task; else None.
        resolve: replaces references to tool calls in an answer by the results of these calls; None if the family has no
            such references.
        wider: returns a judge that also has the facts that only tools revealed in an attempt, or None without such
            facts. The attribute is None if the family has no such tools.
        final: adds results from the trace to the verdict on an answer; None if the family judges only the answer.
        pictured: for tools that return pictures, the declared setting that gives the same facts as text, and the
            contents of the pictures; None without such tools.
        hosted: opens a website for an attempt; None if agents use tools and no website. The actions on the website also
            count as an answer.
        reader: compares the facts that an agent declared with those that it was shown; None if the family does not
            support this.
        role: the agent's role in this setting. If empty, the role of the task's environment is used, if any.
    """

    name: str
    judges: tuple[Judge, ...]
    setting: str
    brief: str
    schema: Mapping[str, Any] | None = None
    materials: Mapping[str, str] = field(default_factory=dict)
    images: Mapping[str, bytes] = field(default_factory=dict)
    tools: Toolset = NO_TOOLS
    turns: tuple[TurnView, ...] = ()
    calls: int | None = None
    declared: DeclaredSetting | None = None
    given: Mapping[str, Any] = field(default_factory=dict)
    folder: Path | None = None
    resolve: Callable[[str, Trace], Any] | None = None
    wider: Callable[[Trace], Judge | None] | None = None
    final: Callable[[Verdict, Trace], Verdict] | None = None
    pictured: tuple[DeclaredSetting, PictureCues] | None = None
    hosted: Hosting | None = None
    reader: Reader | None = None
    role: str = ""

    def __post_init__(self) -> None:
        if not self.role:
            object.__setattr__(self, "role", self.judge.task.environment.role)
        if self.turns:
            object.__setattr__(self, "materials", self.turns[-1].materials)
            object.__setattr__(self, "tools", self.turns[-1].tools)

    def at_turn(self, turn: int) -> TurnView:
        """Return the materials and tools of a turn, counted from 0."""
        return self.turns[turn] if self.turns else TurnView(self.materials, self.tools)

    def new_materials(self, turn: int) -> Mapping[str, str]:
        """Return the texts of a turn, counted from 0, that are new or changed since the previous turn."""
        current = self.at_turn(turn).materials
        before = self.at_turn(turn - 1).materials if turn else {}
        return {title: text for title, text in current.items() if before.get(title) != text}

    def words(self, turn: int) -> tuple[str, ...]:
        """Return the texts of a turn: its new materials with their titles, and the query. The brief is left out."""
        shown = [f"# {title}\n\n{text}" for title, text in self.new_materials(turn).items()]
        if self.given and not turn:
            shown.append(json.dumps(dict(self.given), ensure_ascii=False))
        return (*shown, self.judges[turn].task.query)

    def view_limits(self, limits: Limits) -> Limits:
        """Return the limits for an agent's view: those of the attempt, with the setting's limit on calls."""
        return replace(limits, tool_calls=smallest_bound(limits.tool_calls, self.calls))

    def system_text(self, limits: Limits | None = None, *, answer_file: str | None = None) -> str:
        """Return the system prompt that planspec's own model agents get at the first turn.

        Args:
            limits: limits of the attempt to state in the text; None for the setting's own limits.
            answer_file: file that the agent writes the answer to; None for an agent that answers by a message.
        """
        view = self.view(0, (), limits or Limits(tool_calls=self.calls, steps=None), seed=0)
        return system_text(view, answer_file=answer_file)

    def messages(self, turn: int, limits: Limits | None = None) -> list[dict[str, str]]:
        """Return the messages that begin a turn, in the format of chat services.

        Turn 0 begins with the system prompt.

        Args:
            turn: turn, counted from 0.
            limits: limits of the attempt to state in the messages; None for the setting's own limits.
        """
        user = {"role": "user", "content": "\n\n".join(self.words(turn))}
        return [user] if turn else [{"role": "system", "content": self.system_text(limits)}, user]

    def resolve_references(self, answer: str, trace: Trace) -> Any:
        """Return an answer for the judge, in which references to tool calls are replaced by the calls' results."""
        return answer if self.resolve is None else self.resolve(answer, trace)

    @former_parameters(said="answer")
    def verdict(self, answer: str, trace: Trace, *, details: Any = "all") -> Verdict:
        """Judge an attempt's last answer.

        An answer that does not pass is judged again if tools revealed further facts.
        """
        resolved = self.resolve_references(answer, trace)
        verdict = self.judge.answer(resolved, details=details)
        if verdict.status != "pass" and self.wider is not None:
            judge = self.wider(trace)
            verdict = verdict if judge is None else judge.answer(resolved, details=details)
        return verdict if self.final is None else self.final(verdict, trace)

    @property
    def judge(self) -> Judge:
        """Judge of the last turn, whose verdict decides the attempt."""
        return self.judges[-1]

    def view(self, turn: int, answers: Sequence[str | None], limits: Limits, seed: int) -> TaskView:
        """Return the agent's view at a turn.

        Args:
            turn: turn, counted from 0.
            answers: answers to the earlier turns.
            limits: limits of the attempt.
            seed: seed of the attempt.
        """
        task = self.judge.task
        now = self.at_turn(turn)
        queries = [judge.task.query for judge in self.judges]
        return TaskView(
            task=task.id.partition("@")[0],
            family=task.family,
            setting=self.setting,
            query=queries[turn],
            brief=self.brief,
            turn=turn,
            earlier=tuple(zip(queries[:turn], answers, strict=True)),
            schema=self.schema,
            materials=now.materials,
            images=self.images,
            tools=now.tools,
            given=self.given,
            limits=limits,
            seed=seed,
            role=self.role,
        )


Setting: TypeAlias = Callable[[str, tuple[Judge, ...], Path | None], AgentTask]
"""Function that opens a task for agents.

It takes the task's name, the judges of its turns, and the folder of the suite or None.
"""


@dataclass(frozen=True, slots=True)
class ExtendedSetting:
    """A family's setting that extends the setting of the same name that the task declares.

    It replaces the declared setting. A task that declares no setting of this name does not have it.

    Attributes:
        open: function that opens a task in the setting.
    """

    open: Setting

    def __call__(self, name: str, judges: tuple[Judge, ...], folder: Path | None) -> AgentTask:
        return self.open(name, judges, folder)


SETTINGS: Part[Mapping[str, Setting]] = Part("settings", Lazy("planspec.environments.plain:SETTINGS"))
"""Settings in which agents solve a family's tasks, by name.

The default is the first setting whose files the suite has.
"""


class UnknownSettingError(PlanspecError, LookupError):
    """The task or its family has no such setting."""


class UnpreparedSettingError(UnknownSettingError):
    """The family has the setting, but the suite lacks its files; the message says how to create them."""
