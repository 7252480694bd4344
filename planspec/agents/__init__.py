"""Agents that answer tasks: the protocol, baselines, models, and how each is held to its limits."""

from planspec.agents.agent import Agent, AgentSpec, Answer, UnknownAgentError, agent, described, known
from planspec.agents.desk import Desk
from planspec.agents.failures import BOUNDARIES, AttemptFailedError, Boundary
from planspec.agents.view import Limits, TaskView

__all__ = [
    "BOUNDARIES",
    "Agent",
    "AgentSpec",
    "Answer",
    "AttemptFailedError",
    "Boundary",
    "Desk",
    "Limits",
    "TaskView",
    "UnknownAgentError",
    "agent",
    "described",
    "known",
]
