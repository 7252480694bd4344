"""Optional parts of an agent besides its method `answer`: needs and limits, and further methods."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

if TYPE_CHECKING:
    from planspec.agents.agent import Agent
    from planspec.agents.baselines import OpenedTask

IN_PROCESS = "it runs in planspec's own process"
"""Reason why an agent class from another distribution does not run in a sandbox."""
_FORMER_ATTRIBUTES = ("privileged", "referees", "families", "siteless", "sightless", "uncontained")
"""Fields of `AgentInfo` that were attributes of the agents in the previous release."""
_MISSING = object()


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentInfo:
    """Needs and limits of an agent, in the attribute `info` of its class or of the agent itself.

    Attributes:
        privileged: whether the agent also gets the task itself, with its rules, through its method `privilege`, as the
            oracle does. Scores of such agents do not measure a model.
        referees: whether a part of the agent (a referee) gets the task, to judge the proposals of its other parts. The
            other parts never see the task.
        families: the only families whose tasks the agent answers; None for all.
        siteless: reason why the agent cannot use a website; None if it can. Such an agent is not run on tasks that
            offer only a website.
        sightless: reason why the agent cannot see pictures; None if it can. Such an agent is not run on tasks whose
            tools return only pictures.
        uncontained: reason why programs started by the agent can see hidden files, such as references; None if they
            cannot, or if it starts none.
        in_process: whether the agent's answers come from code in planspec's own process, which could see hidden files.
            False if they come from a program in a sandbox or from a service. Ignored for agents that ship with
            planspec.
    """

    privileged: bool = False
    referees: bool = False
    families: frozenset[str] | None = None
    siteless: str | None = None
    sightless: str | None = None
    uncontained: str | None = None
    in_process: bool = True

    @property
    def gets_task(self) -> bool:
        """Whether the agent gets the task itself, for its answers or for a referee."""
        return self.privileged or self.referees


class OptionalMethods(Protocol):
    """Optional methods of an agent."""

    def privilege(self, opened: OpenedTask) -> None:
        """Receive the task of an attempt before its first turn. Called only if `AgentInfo.gets_task` is true."""

    def about(self) -> Mapping[str, Any]:
        """Return a description of the agent as JSON, such as the name of its model, without secrets."""

    def conceal(self, folders: Iterable[Path]) -> None:
        """Hide folders and files from the programs that the agent starts.

        Raises:
            UnknownAgentError: the agent's options make one of them visible to its programs.
        """

    def close(self) -> None:
        """Close the resources that stay open between the turns of an attempt, such as a program."""

    def constrained(self) -> Agent | None:
        """Return a copy of this agent whose replies the service constrains to the schema of a view.

        Returns:
            The copy, or None if the service cannot constrain replies.
        """


def agent_info(agent: Agent) -> AgentInfo:
    """Return the needs and limits that an agent declares.

    The field `uncontained` of the result has a reason for every agent that could read hidden files. If an agent from
    another distribution declares no reason and has `in_process` set, the reason is `IN_PROCESS`.

    Agents written for the previous release declare the fields as attributes, such as `siteless`. These replace the
    fields of `info`, with a warning.
    """
    match getattr(agent, "info", None):
        case AgentInfo() as info:
            former = _former_fields(agent, passed_on=False)
        case _:
            info, former = AgentInfo(), _former_fields(agent, passed_on=True)
    if former:
        info = replace(info, **former)
    is_own = type(agent).__module__.partition(".")[0] == __name__.partition(".")[0]
    if info.uncontained is None and info.in_process and not is_own:
        return replace(info, uncontained=IN_PROCESS)
    return info


def privilege(agent: Agent, opened: OpenedTask) -> None:
    """Give the task itself to an agent that has declared that it needs the task."""
    cast("OptionalMethods", agent).privilege(opened)


def about(agent: Agent) -> dict[str, Any]:
    """Return an agent's description of itself; empty if it has none."""
    return dict(cast("OptionalMethods", agent).about()) if _has(agent, "about") else {}


def conceal(agent: Agent, folders: Iterable[Path]) -> None:
    """Hide folders and files from the programs that an agent starts, if it has a method for that.

    Raises:
        UnknownAgentError: the agent's options make one of them visible to its programs.
    """
    if _has(agent, "conceal"):
        cast("OptionalMethods", agent).conceal(folders)


def close(agent: Agent) -> None:
    """Close the resources that an agent keeps open during an attempt, if it has any."""
    if _has(agent, "close"):
        cast("OptionalMethods", agent).close()


def constrained(agent: Agent) -> Agent | None:
    """Return a copy of an agent whose replies the service constrains to a schema; None if that is impossible."""
    return cast("OptionalMethods", agent).constrained() if _has(agent, "constrained") else None


def _has(agent: Agent, method: str) -> bool:
    """Return whether an agent has a method, possibly one that `__getattr__` forwards from a wrapped agent."""
    return callable(getattr(agent, method, None))


class FormerAttribute:
    """A former attribute, now a field of `AgentInfo`. Reading it warns, and assigning it replaces the field."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, agent: Any, owner: type) -> Any:
        holder: Any = owner if agent is None else agent
        value: object = getattr(holder.info, self._name)
        message = f"`{owner.__name__}.{self._name}` is now `{owner.__name__}.info.{self._name}`"
        warnings.warn(message, DeprecationWarning, stacklevel=2)
        return value


def _former_fields(agent: Agent, *, passed_on: bool) -> dict[str, Any]:
    """Return the fields of `AgentInfo` that an agent declares as attributes, as in the previous release.

    Args:
        agent: the agent.
        passed_on: whether to include attributes that `__getattr__` forwards from a wrapped agent.
    """
    found: dict[str, Any] = {}
    for name in _FORMER_ATTRIBUTES:
        static = inspect.getattr_static(agent, name, _MISSING)
        if isinstance(static, FormerAttribute) or (static is _MISSING and not passed_on):
            continue
        with suppress(AttributeError):
            found[name] = getattr(agent, name)
    if not found:
        return found
    warnings.warn(
        f"the agent `{type(agent).__name__}` has the attributes {', '.join(f'`{name}`' for name in found)};"
        " they are fields of its attribute `info` now, an `AgentInfo`",
        DeprecationWarning,
        stacklevel=3,
    )
    for name in found.keys() & {"privileged", "referees"}:
        found[name] = bool(found[name])
    if found.get("families") is not None:
        found["families"] = frozenset(found["families"])
    if "uncontained" in found:
        found["in_process"] = False  # in the previous release, the attribute described the agent as a whole
    return found
