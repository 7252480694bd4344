"""Agents that answer tasks: the protocol, baselines, models, and limits of attempts."""

from planspec.agents.agent import (
    Agent,
    AgentSpec,
    Answer,
    UnknownAgentError,
    agent,
    agent_names,
    describe_agent,
)
from planspec.agents.desk import Desk
from planspec.agents.failures import BOUNDARIES, AttemptFailedError, Boundary
from planspec.agents.optional import AgentInfo, agent_info
from planspec.agents.view import Limits, TaskView
from planspec.deprecation import former_names

__all__ = [
    "BOUNDARIES",
    "Agent",
    "AgentInfo",
    "AgentSpec",
    "Answer",
    "AttemptFailedError",
    "Boundary",
    "Desk",
    "Limits",
    "TaskView",
    "UnknownAgentError",
    "agent",
    "agent_info",
    "agent_names",
    "describe_agent",
]

_FORMER_NAMES = {
    "Failed": "AttemptFailedError",
    "UnknownAgent": "UnknownAgentError",
    "described": "describe_agent",
    "known": "agent_names",
}
"""Current names, by names of the previous release. Using a former name warns."""

__getattr__ = former_names(__name__, _FORMER_NAMES)
