"""Episodes for verifiers: one model talks to the user of the task, who speaks once in each turn."""

from __future__ import annotations

import verifiers.v1 as vf

from planspec_verifiers.taskset import INFO, PlanspecTask


class PlanspecEnvConfig(vf.EnvConfig):
    """Configuration of the environment.

    Attributes:
        agent: the planning agent. Its program is verifiers' plain chat loop on this machine. A program that
            executes what the model writes could read the world that a task hides.
    """

    agent: vf.AgentConfig = vf.AgentConfig(harness={"id": "null"}, runtime={"type": "subprocess"})


class PlanspecEnv(vf.Env[PlanspecEnvConfig]):
    """An episode with a planspec task, whose turns are one conversation."""

    async def run(self, task: PlanspecTask, agents: vf.Agents) -> None:
        """Play the task. The last message in each turn is the turn's answer."""
        if not task.data.later:
            await agents.agent.run(task)
            return
        async with agents.agent.interaction(task) as conversation:
            trace = conversation.trace
            ends: list[int] = trace.info.setdefault(INFO, {}).setdefault("ends", [])
            segment = await conversation.turn()
            for turn, message in enumerate(task.data.later, 1):
                if segment.terminated:
                    break
                ends.append(len(trace.assistant_messages))
                trace.state.turn = turn
                segment = await conversation.turn(message)
