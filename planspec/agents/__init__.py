"""Agents that answer tasks: the protocol, baselines, models, and how each is held to its limits."""

from planspec.agents.agent import Agent, AgentSpec, Answer, UnknownAgent, agent, described, known
from planspec.agents.desk import Desk
from planspec.agents.failures import BOUNDARIES, Boundary, Failed
from planspec.agents.view import Limits, TaskView

__all__ = [
    "BOUNDARIES",
    "Agent",
    "AgentSpec",
    "Answer",
    "Boundary",
    "Desk",
    "Failed",
    "Limits",
    "TaskView",
    "UnknownAgent",
    "agent",
    "described",
    "known",
]
