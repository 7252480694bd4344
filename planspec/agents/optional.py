"""Optional parts of an agent, besides its method `answer`: a record of its needs and limits, and further methods."""

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
"""Reason why an agent class from another distribution is not contained."""
_FORMER_ATTRIBUTES = ("privileged", "referees", "families", "siteless", "sightless", "uncontained")
"""Fields of `AgentInfo` that were attributes of agents in the previous release."""
_MISSING = object()


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentInfo:
    """Needs and limits of an agent: the attribute `info` of its class or of the agent itself.

    Attributes:
        privileged: whether the agent also gets the task itself, through its method `privilege`, like the oracle and
            other baselines. The scores of such agents do not measure a model.
        referees: whether the agent gets the task for a part of it that judges the proposals of its other parts. The
            other parts never see the task.
        families: the only families whose tasks the agent answers; None for all.
        siteless: reason why the agent cannot use a website; None if it can. An agent with a reason is not run on tasks
            that offer only a website.
        sightless: reason why the agent cannot see pictures; None if it can. An agent with a reason is not run on tasks
            whose tools return only pictures.
        uncontained: reason why programs that the agent starts can see hidden files, such as references; None if
            they cannot, or if the agent starts none.
        in_process: whether the agent's answers come from code in planspec's own process, which could see
            hidden files. False if the answers come from a contained program or from a service. Ignored for
            agents that ship with planspec.
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
        """Whether the agent gets the task itself, for its answer or for its referee."""
        return self.privileged or self.referees


class OptionalMethods(Protocol):
    """Optional methods of an agent."""

    def privilege(self, opened: OpenedTask) -> None:
        """Receive the task of an attempt, before its first turn. Called only if `AgentInfo.gets_task`."""

    def about(self) -> Mapping[str, Any]:
        """Return a record of the agent as JSON, such as a model's name, without secrets."""

    def conceal(self, folders: Iterable[Path]) -> None:
        """Hide folders and files from the programs that the agent starts.

        Raises:
            UnknownAgentError: the agent's options give its programs one of them.
        """

    def close(self) -> None:
        """Close the resources that stay open between the turns of an attempt, such as a program."""

    def constrained(self) -> Agent | None:
        """Return a copy of this agent whose service constrains replies to the schema of a view.

        Returns:
            The copy, or None if the service cannot constrain replies.
        """


def agent_info(agent: Agent) -> AgentInfo:
    """Return the needs and limits that an agent declares.

    The result's field `uncontained` has a reason for each agent that can read files besides its view. If an agent of
    another distribution declares no reason, the reason is `IN_PROCESS`, unless its `in_process` is off.

    Agents written for the previous release declare fields as attributes of their own, such as `siteless`.
    These replace the fields of `info`, with a warning.
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
    """Give the task itself to an agent that declares that it needs the task."""
    cast("OptionalMethods", agent).privilege(opened)


def about(agent: Agent) -> dict[str, Any]:
    """Return an agent's own record about itself; empty if the agent has none."""
    return dict(cast("OptionalMethods", agent).about()) if _has(agent, "about") else {}


def conceal(agent: Agent, folders: Iterable[Path]) -> None:
    """Hide folders and files from the programs that an agent starts, if it can start any.

    Raises:
        UnknownAgentError: the agent's options give its programs one of them.
    """
    if _has(agent, "conceal"):
        cast("OptionalMethods", agent).conceal(folders)


def close(agent: Agent) -> None:
    """Close the resources that an agent keeps open during an attempt, if it has any."""
    if _has(agent, "close"):
        cast("OptionalMethods", agent).close()


def constrained(agent: Agent) -> Agent | None:
    """Return a copy of an agent whose service constrains replies to the schema of a view; None if it cannot do so."""
    return cast("OptionalMethods", agent).constrained() if _has(agent, "constrained") else None


def _has(agent: Agent, method: str) -> bool:
    """Return whether an agent has a method, possibly through `__getattr__` from an agent that it wraps."""
    return callable(getattr(agent, method, None))


class FormerAttribute:
    """An attribute that became a field of `AgentInfo`; reading it warns, and assigning it replaces the field."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, agent: Any, owner: type) -> Any:
        holder: Any = owner if agent is None else agent
        value: object = getattr(holder.info, self._name)
        message = f"`{owner.__name__}.{self._name}` is now `{owner.__name__}.info.{self._name}`"
        warnings.warn(message, DeprecationWarning, stacklevel=2)
        return value


def _former_fields(agent: Agent, *, passed_on: bool) -> dict[str, Any]:
    """Return the fields that an agent declares as separate attributes, as in the previous release.

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
        found["in_process"] = False  # the attribute of the previous release described the agent as a whole
    return found
