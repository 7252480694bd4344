"""Loops in which a model works on a task: step by step, or following a plan."""

from planspec.agents.loops.loop import Loop, LoopName, loop
from planspec.agents.loops.plan_execute import PlanExecute
from planspec.agents.loops.react import ReAct

__all__ = ["Loop", "LoopName", "PlanExecute", "ReAct", "loop"]
