"""Opening of tasks for agents, in a setting that the task or its family has."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from planspec.api.catalog import Catalog
from planspec.api.judging import Judge
from planspec.api.loading import load
from planspec.dsl.diagnostics.suggestions import did_you_mean
from planspec.dsl.model.task import Task
from planspec.dsl.workspace.workspace import Workspace
from planspec.environments.agent_task import (
    SETTINGS,
    AgentTask,
    ExtendedSetting,
    Setting,
    UnknownSettingError,
    UnpreparedSettingError,
)
from planspec.environments.declared import declared_settings, open_declared, settings_in_reach
from planspec.family.registry import GENERIC, families, family_of


def require_no_site(opened: AgentTask, caller: str) -> None:
    """Check that agents can solve a task without a website.

    Args:
        opened: the task in its setting.
        caller: name of the caller, which does not open websites, for the message.

    Raises:
        UnpreparedSettingError: agents need a website in this setting.
    """
    if opened.hosted is not None:
        raise UnpreparedSettingError(
            f"in the setting `{opened.setting}` agents work at a site, which {caller} does not open; `planspec run` does, for each attempt, "
            "and `planspec serve-site` serves the same site by itself"
        )


def every_setting() -> list[str]:
    """Return the names of all settings.

    These are the settings of all families and of all libraries that a document in the current folder can import by id.
    """
    own = (name for family in (*families(), GENERIC) for name in SETTINGS.of(family))
    return list(dict.fromkeys([*settings_in_reach(Path.cwd()), *own]))


def open_task(
    name: str | Path | Task,
    setting: str | None = None,
    *,
    folder: Path | None = None,
    workspace: Workspace | None = None,
) -> AgentTask:
    """Open a task in a setting of the task or its family.

    Args:
        name: file or id of the task, or the task itself; `trip@2` is the conversation up to its second turn.
        setting: name of a setting; None for the first whose files the suite has.
        folder: folder of the suite to which the task belongs; None if unknown.
        workspace: workspace that opens documents.

    Raises:
        UnknownSettingError: the task has no such setting.
        NotFoundError: there is no such task; or `name` is a `Task` of a later turn whose file does not exist.
        DiagnosticError: the task has errors.
        UnsuitableTaskError: the task has `max_gap`, and no certificate proves the value of its best plan.
    """
    # without a workspace, `load` takes the task from the cache
    last = name if isinstance(name, Task) else load(name, workspace=workspace)
    name = last.span.source.name if isinstance(name, Task) else str(name)
    judges = (*map(Judge, _earlier_turns(last, name, workspace or Workspace())), Judge(last))
    if last.max_gaps:
        judges[-1].require_best()
    settings = settings_of(last)
    if setting is None:
        return _open_first(settings, name, judges, folder)
    if setting not in settings:
        near = did_you_mean(setting, settings)
        available = f"there is {', '.join(settings)}" + (f"; {near}" if near else "")
        raise UnknownSettingError(f"`{last.id.partition('@')[0]}` has no setting `{setting}`: {available}")
    return settings[setting](name, judges, folder)


def _earlier_turns(last: Task, name: str, workspace: Workspace) -> list[Task]:
    if last.turn is None or last.turn == 1:
        return []
    path = Catalog(workspace).named(name).path
    return [load(f"{path}@{turn}", workspace=workspace) for turn in range(1, last.turn)]


def settings_of(task: Task) -> Mapping[str, Setting]:
    """Return the settings of a task by name: first its own declared ones, then those of its family.

    A declared setting hides its family's setting of the same name, unless that one extends it. Without a family, the
    default settings are used only if the task declares none.
    """
    declared: dict[str, Setting] = {name: _declared_setting(name) for name in declared_settings(task)}
    family = family_of(task.family)
    if declared and not SETTINGS.is_in(family):
        return declared
    own = {k: v for k, v in SETTINGS.of(family).items() if isinstance(v, ExtendedSetting) == (k in declared)}
    return {**{k: v for k, v in declared.items() if k not in own}, **own}


def _declared_setting(setting: str) -> Setting:
    return partial(open_declared, setting=setting)


def _open_first(
    settings: Mapping[str, Setting], name: str, judges: tuple[Judge, ...], folder: Path | None
) -> AgentTask:
    """Open the task in the first setting whose files its suite has.

    Raises:
        UnpreparedSettingError: the suite lacks the files of every setting. The message is about the first setting.
    """
    refusals: list[UnpreparedSettingError] = []
    for setting in settings.values():
        try:
            return setting(name, judges, folder)
        except UnpreparedSettingError as error:
            refusals.append(error)
    raise refusals[0]
