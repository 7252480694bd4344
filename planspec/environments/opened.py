"""A task opened for an agent: its view turn by turn, and the judge of its answers."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from planspec.agents.tools import Toolset
from planspec.agents.view import NO_TOOLS, Limits, TaskView
from planspec.api.catalog import Catalog
from planspec.api.judging import Judge
from planspec.api.loading import load
from planspec.dsl.diagnostics.suggestions import did_you_mean
from planspec.dsl.model.environment import DeclaredSetting
from planspec.dsl.model.task import Task
from planspec.dsl.workspace.workspace import Workspace
from planspec.environments.declared import declared_settings, open_declared, settings_in_reach
from planspec.environments.hosting import Hosting
from planspec.environments.reading import Reader
from planspec.environments.turns import TurnView
from planspec.errors import PlanspecError
from planspec.families.registry import GENERIC, families, family_of
from planspec.traces.record import Trace
from planspec.verifiers.meaning.verdict import Verdict

if TYPE_CHECKING:
    from planspec.verifiers.environment.perception import Shown


@dataclass(frozen=True, slots=True)
class AgentTask:
    """A task under a setting.

    Attributes:
        name: by which it was loaded: a file or id.
        judges: of each turn in order; one for a task without turns.
        setting: the setting's name.
        brief: how an answer is written.
        schema: of answers.
        materials: texts that are given at the last turn, by title.
        images: pictures that are given, by title.
        tools: what may be called at the last turn.
        turns: what is given and may be called at each turn, where turns differ in that; else empty.
        calls: the most calls of an attempt that have a result; None without limit.
        declared: the setting where the task itself declares it, so that all that agents see is a function of its facts.
        given: what is given beyond the query.
        folder: of the suite, where the family keeps more beside the task.
        resolve: makes an answer that stands alone of one that refers to calls of its trace, where the family has such.
        wider: the judge of an attempt in which tools told more than the facts of the task have, where the family has such;
            None of an attempt in which they did not.
        final: the verdict on an attempt, from that on its answer and its trace, where the family counts more than the answer.
        pictured: where the tools answer with pictures: the declared setting whose tools they stand for, and what the pictures tell.
        hosted: opens a site for an attempt, where agents work at one and have no tools; what they book there is an answer, too.
        reader: puts what an agent declares that it read beside what it was shown, where the family can.
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
    pictured: tuple[DeclaredSetting, Shown] | None = None
    hosted: Hosting | None = None
    reader: Reader | None = None

    def __post_init__(self) -> None:
        if self.turns:
            object.__setattr__(self, "materials", self.turns[-1].materials)
            object.__setattr__(self, "tools", self.turns[-1].tools)

    def at_turn(self, turn: int) -> TurnView:
        """What is given and may be called at a turn, from 0."""
        return self.turns[turn] if self.turns else TurnView(self.materials, self.tools)

    def new_at(self, turn: int) -> Mapping[str, str]:
        """The texts that a turn, from 0, gives and the one before did not, or gave otherwise."""
        now = self.at_turn(turn).materials
        before = self.at_turn(turn - 1).materials if turn else {}
        return {title: text for title, text in now.items() if before.get(title) != text}

    def words(self, turn: int) -> tuple[str, ...]:
        """The texts that a turn, from 0, says to an agent beside the brief: what is new, each under its title, and the query last."""
        shown = [f"# {title}\n\n{text}" for title, text in self.new_at(turn).items()]
        if self.given and not turn:
            shown.append(json.dumps(dict(self.given), ensure_ascii=False))
        return (*shown, self.judges[turn].task.query)

    def messages(self, turn: int) -> list[dict[str, str]]:
        """The messages that begin a turn, from 0, as chat services take them; the first turn's begin with the brief."""
        user = {"role": "user", "content": "\n\n".join(self.words(turn))}
        return [user] if turn else [{"role": "system", "content": self.brief}, user]

    def standing(self, said: str, trace: Trace) -> Any:
        """An answer as the judge takes it: references to calls are looked up."""
        return said if self.resolve is None else self.resolve(said, trace)

    def verdict(self, said: str, trace: Trace, *, details: Any = "all") -> Verdict:
        """The verdict on an attempt's last answer: by the facts of the task, else by those and what the attempt was told."""
        standing = self.standing(said, trace)
        answered = self.judge.answer(standing, details=details)
        if answered.status != "pass" and self.wider is not None:
            judge = self.wider(trace)
            answered = answered if judge is None else judge.answer(standing, details=details)
        return answered if self.final is None else self.final(answered, trace)

    @property
    def judge(self) -> Judge:
        """The judge of the last turn, which is the one that counts."""
        return self.judges[-1]

    def view(self, turn: int, answers: Sequence[str | None], limits: Limits, seed: int) -> TaskView:
        """The agent's view at a turn.

        Args:
            turn: from 0.
            answers: what was answered at the turns before.
            limits: of the attempt.
            seed: of the attempt.
        """
        task = self.judge.task
        now = self.at_turn(turn)
        queries = [judge.task.query for judge in self.judges]
        return TaskView(
            task=task.id.partition("@")[0], family=task.family, setting=self.setting, query=queries[turn], brief=self.brief, turn=turn,
            earlier=tuple(zip(queries[:turn], answers, strict=True)), schema=self.schema, materials=now.materials,
            images=self.images, tools=now.tools, given=self.given, limits=limits, seed=seed,
        )  # fmt: skip


Setting: TypeAlias = Callable[[str, tuple[Judge, ...], Path | None], AgentTask]
"""From a task's name, the judges of its turns and the suite's folder to what an agent gets."""


class UnknownSettingError(PlanspecError, LookupError):
    """The family has no such setting."""


class UnpreparedSettingError(UnknownSettingError):
    """The family has the setting, but this suite lacks what it needs; the text says how to make it."""


def require_no_site(opened: AgentTask, who: str) -> None:
    """Nothing, where agents need no site.

    Args:
        opened: the task under its setting.
        who: would open none.

    Raises:
        UnpreparedSettingError: they need one.
    """
    if opened.hosted is not None:
        raise UnpreparedSettingError(
            f"in the setting `{opened.setting}` agents work at a site, which {who} does not open; `planspec run` does, for each attempt, "
            "and `planspec serve-site` serves the same site by itself"
        )


def every_setting() -> list[str]:
    """The names of the settings that any family has, and of those that the libraries in reach declare."""
    own = (name for family in (*families(), GENERIC) for name in family.settings.load())
    return list(dict.fromkeys([*settings_in_reach(Path.cwd()), *own]))


def open_task(
    name: str | Path | Task,
    setting: str | None = None,
    *,
    folder: Path | None = None,
    workspace: Workspace | None = None,
) -> AgentTask:
    """A task under a setting that it declares or that its family has.

    Args:
        name: its file or id; `trip@2` is the conversation up to its second turn. Or the task itself.
        setting: the first that the suite is prepared for if None.
        folder: of the suite that it is a task of.
        workspace: opens it.

    Raises:
        UnknownSettingError: the task has no such setting.
        NotFoundError: there is no such task, or no file with the turns before a turn that is given itself.
        DiagnosticError: it has errors.
    """
    last = (
        name if isinstance(name, Task) else load(name, workspace=workspace)
    )  # without a workspace as the cache has it
    name = last.span.source.name if isinstance(name, Task) else str(name)
    judges = (*map(Judge, _turns_before(last, name, workspace or Workspace())), Judge(last))
    known = settings_of(last)
    if setting is None:
        return _bounded(_first(known, name, judges, folder))
    if setting not in known:
        near = did_you_mean(setting, known)
        there = f"there is {', '.join(known)}" + (f"; {near}" if near else "")
        raise UnknownSettingError(f"`{last.id.partition('@')[0]}` has no setting `{setting}`: {there}")
    return _bounded(known[setting](name, judges, folder))


def _bounded(opened: AgentTask) -> AgentTask:
    """The task with the calls that its family allows, where its setting does not say how many."""
    allowed = family_of(opened.judges[-1].task.family).tool_calls
    return opened if allowed is None or opened.calls is not None else replace(opened, calls=allowed)


def _turns_before(last: Task, name: str, workspace: Workspace) -> list[Task]:
    if last.turn is None or last.turn == 1:
        return []
    path = Catalog(workspace).named(name).path
    return [load(f"{path}@{turn}", workspace=workspace) for turn in range(1, last.turn)]


def settings_of(task: Task) -> Mapping[str, Setting]:
    """The settings in which agents meet a task, by name: those that it declares, then those of its family.

    The family's stand for themselves where the task declares none; a task without either has its query alone.
    """
    declared: dict[str, Setting] = {name: _declared(name) for name in declared_settings(task)}
    family = family_of(task.family)
    if declared and family.settings.name == GENERIC.settings.name:
        return declared
    return {**declared, **{k: v for k, v in family.settings.load().items() if k not in declared}}


def _declared(setting: str) -> Setting:
    return partial(open_declared, setting=setting)


def _first(
    known: Mapping[str, Setting], name: str, judges: tuple[Judge, ...], folder: Path | None
) -> AgentTask:
    """The task under the first setting that its suite is prepared for.

    Raises:
        UnpreparedSettingError: it is for none; the text is of the first.
    """
    refusals: list[UnpreparedSettingError] = []
    for setting in known.values():
        try:
            return setting(name, judges, folder)
        except UnpreparedSettingError as error:
            refusals.append(error)
    raise refusals[0]
