"""The greedy planner of each family uses only the agent's view and the tools of its setting."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import pytest

import planspec
from planspec.agents import AgentSpec, AttemptFailedError, Desk, Limits, UnknownAgentError, agent
from planspec.agents.agent import GREEDY
from planspec.environments.environment import Environment
from planspec.family.registry import families, family_of
from planspec.runs.attempting import AttemptSpec, attempt
from planspec.runs.folder import RunFolder
from planspec.runs.running import RunOptions, begin
from tests.paths import ROOT
from tests.shipped import WORKSPACE

SMALL = ROOT / "tasks" / "travelplanner-small" / "tasks"


@dataclass
class CallOnlyDesk:
    """A desk (the interface between an agent and a task) that only forwards calls to the tools of an environment."""

    episode: Environment

    def call(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        return self.episode.call(name, arguments)


def planner_rewards(episode: Environment) -> dict[str, Any]:
    """Run a family's planner in an episode of an environment, and return the rewards."""
    outcome: dict[str, Any] = {}
    while not episode.done:
        view = episode.observation
        planner = GREEDY.of(family_of(view.family))
        assert planner is not None
        outcome = dict(episode.submit(planner(view, cast("Desk", CallOnlyDesk(episode)))))
    return outcome


EARNED = {
    ("berlin-002", None): (0, 12),
    ("berlin-009", None): (0, 14),
    (str(SMALL / "1.yaml"), None): (1, 15),
    (str(SMALL / "11.yaml"), None): (1, 38),
    (str(SMALL / "12.yaml"), None): (0, 25),
    ("veritrip-002", "facts"): (1, 5),
    ("veritrip-014", "facts"): (0, 5),
    ("mb-000012", None): (1, 3),
    ("mb-000015", None): (0, 2),
    ("mb-000024", None): (1, 2),
    ("mb-000034", None): (1, 1),
}
"""For each task and setting, the expected result: whether the planner passes, and its number of calls."""


@pytest.mark.parametrize(("task", "setting"), EARNED)
def test_a_planner_needs_only_an_environment(task: str, setting: str | None) -> None:
    """The planner must deliver a plan. The plan need not pass."""
    episode = planspec.environment(planspec.load(task, workspace=WORKSPACE), setting, floor=0.0)
    earned = planner_rewards(episode)
    assert (earned["pass"], earned["calls"], earned["delivered"]) == (*EARNED[task, setting], 1)
    assert not any(call.fault for call in episode.calls)


def test_every_shipped_family_has_a_greedy_planner() -> None:
    assert [family.name for family in families() if not GREEDY.is_in(family) and family.name != "generic"] == []


@pytest.mark.parametrize(
    ("task", "setting", "message"),
    [("berlin-001", "gold", "no tools"), (str(SMALL / "1.yaml"), "sole-planning", "no tools")],
)
def test_without_tools_a_planner_fails_with_the_reason(task: str, setting: str, message: str) -> None:
    episode = planspec.environment(planspec.load(task, workspace=WORKSPACE), setting)
    with pytest.raises(AttemptFailedError, match=message):
        planner_rewards(episode)


def test_an_attempt_of_the_greedy_agent_is_not_privileged() -> None:
    """The facts that an agent saw are counted only if it is not privileged (does not read hidden data)."""
    opened = planspec.environment(planspec.load(str(SMALL / "1.yaml"), workspace=WORKSPACE))._opened
    result = attempt(AttemptSpec("1", 0, 0), agent("greedy"), "greedy", opened, Limits(seconds=60))
    assert (result.status, result.privileged, len(result.trace.calls)) == ("pass", False, 15)
    assert result.facts is not None
    assert result.facts.seen_share == 1


def test_a_task_without_a_family_needs_a_strategy(tmp_path: Path) -> None:
    expected = RunOptions("examples", AgentSpec.read("greedy"))
    with pytest.raises(UnknownAgentError, match="planspec agents show greedy"):
        begin(expected, RunFolder(tmp_path / "run"))
    assert not (tmp_path / "run").exists()
