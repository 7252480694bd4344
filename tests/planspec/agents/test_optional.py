"""Agents declare properties in a record, in attributes of the previous release, or by optional methods."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from planspec.agents import Agent, AgentInfo, Answer, Desk, TaskView, agent, agent_info
from planspec.agents.agent import why_uncontained
from planspec.agents.baselines import GreedyPlanner, Oracle, PrivilegedAgent
from planspec.agents.command import Command
from planspec.agents.optional import IN_PROCESS, about, close, conceal


class PlainAgent:
    """An agent that has only the method `answer`."""

    def answer(self, view: TaskView, desk: Desk) -> Answer:
        """Return an empty answer."""
        return {}


class DeclaringAgent(PlainAgent):
    info = AgentInfo(families=frozenset({"veritrip"}), sightless="it is blind", in_process=False)


class FormerAgent(PlainAgent):
    """An agent that declares its properties as in the previous release."""

    referees = 1
    families = ("worldtravel",)
    siteless = "it has no browser"
    uncontained = None


class OwnOracle(Oracle):
    """A subclass of a shipped agent that belongs to another distribution."""

    info = AgentInfo(privileged=True, siteless="it stays at home")


class Proxy(PlainAgent):
    """An agent that forwards all attributes to another one."""

    def __init__(self, inner: Agent) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        """Return the attribute of the wrapped agent."""
        return getattr(self._inner, name)


def test_an_agent_without_a_record_has_the_default_properties_and_is_not_contained() -> None:
    assert agent_info(PlainAgent()) == AgentInfo(uncontained=IN_PROCESS)


def test_a_shipped_agent_is_contained_unless_it_declares_a_reason_why_not() -> None:
    assert agent_info(agent("empty")) == AgentInfo()
    assert agent_info(agent("oracle")) == AgentInfo(privileged=True)
    greedy = agent_info(agent("greedy"))
    assert greedy.families is not None and {"worldtravel", "veritrip"} <= greedy.families
    assert greedy.siteless and greedy.sightless and greedy.uncontained is None and not greedy.gets_task
    assert agent_info(Command("true", contained=False)).uncontained == "contained=off"


def test_a_declared_record_is_used_unchanged() -> None:
    assert agent_info(DeclaringAgent()) is DeclaringAgent.info


def test_a_subclass_of_a_shipped_agent_does_not_inherit_its_containment() -> None:
    info = agent_info(OwnOracle())
    assert info == replace(OwnOracle.info, uncontained=IN_PROCESS) and info.gets_task


def test_attributes_of_the_previous_release_are_fields_and_warn() -> None:
    with pytest.warns(DeprecationWarning, match="`FormerAgent` has .*`referees`, `families`"):
        info = agent_info(FormerAgent())
    assert info == AgentInfo(
        referees=True, families=frozenset({"worldtravel"}), siteless="it has no browser", in_process=False
    )


def test_an_attribute_of_the_previous_release_overrides_an_inherited_record() -> None:
    class UnprivilegedAgent(PrivilegedAgent, PlainAgent):
        def __init__(self) -> None:
            self.privileged = False

    with pytest.warns(DeprecationWarning, match="`UnprivilegedAgent` has the attributes `privileged`;"):
        assert not agent_info(UnprivilegedAgent()).gets_task


def test_an_attribute_of_the_previous_release_may_permit_what_an_inherited_record_excludes() -> None:
    class BrowsingAgent(GreedyPlanner):
        siteless = None

    with pytest.warns(DeprecationWarning, match="`siteless`"):
        info = agent_info(BrowsingAgent())
    assert info.siteless is None and info.sightless and info.uncontained == IN_PROCESS


@pytest.mark.parametrize(
    ("spec", "name", "value"),
    [
        ("oracle", "privileged", True),
        ("himap", "referees", False),
        ("himap", "families", frozenset({"travelplanner"})),
        ("greedy", "sightless", "it reads tool results as text"),
        ("repair:of=greedy", "siteless", "it calls tools, and a site has none"),
        ("minimal-repair:of=empty", "uncontained", None),
        ("command:run=true,contained=off", "uncontained", "contained=off"),
    ],
)
def test_former_attributes_of_shipped_agents_still_work_with_a_warning(spec: str, name: str, value: object) -> None:
    with pytest.warns(DeprecationWarning, match=f"{name}` is now `.*info.{name}`"):
        assert getattr(agent(spec), name) == value
    with pytest.warns(DeprecationWarning, match="agent_info"):
        assert why_uncontained(agent("empty")) is None


def test_a_repairing_agent_is_privileged_and_otherwise_has_the_properties_of_the_repaired_agent() -> None:
    inner, outer = agent_info(agent("greedy")), agent_info(agent("repair:of=greedy"))
    assert outer == replace(inner, privileged=True, families=None)


def test_optional_methods_are_called_if_an_agent_has_them() -> None:
    calls: list[object] = []

    class AgentWithOptionalMethods(PlainAgent):
        def about(self) -> Mapping[str, Any]:
            return {"model": "m"}

        def conceal(self, folders: object) -> None:
            calls.append(folders)

        def close(self) -> None:
            calls.append("closed")

    for one in (AgentWithOptionalMethods(), Proxy(AgentWithOptionalMethods())):
        assert about(one) == {"model": "m"}
        conceal(one, [])
        close(one)
    assert calls == [[], "closed"] * 2
    assert about(PlainAgent()) == {}
    conceal(PlainAgent(), [])
    close(PlainAgent())


def test_a_proxy_of_a_shipped_agent_is_not_contained() -> None:
    assert agent_info(Proxy(agent("oracle"))) == AgentInfo(privileged=True, uncontained=IN_PROCESS)
