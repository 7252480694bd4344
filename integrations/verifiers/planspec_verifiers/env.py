"""The environment for verifiers: a model talks to the user of a task.

The user speaks once in each turn.
"""

from __future__ import annotations

import verifiers.v1 as vf

from planspec_verifiers.taskset import INFO, PlanspecTask


class PlanspecEnvConfig(vf.EnvConfig):
    """Configuration of the environment.

    Attributes:
        agent: the planning agent. By default its program is verifiers' plain chat loop on this machine. A
            program that executes the model's code could read the files with the hidden facts of tasks.
    """

    agent: vf.AgentConfig = vf.AgentConfig(harness={"id": "null"}, runtime={"type": "subprocess"})


class PlanspecEnv(vf.Env[PlanspecEnvConfig]):
    """An environment for planspec tasks. All turns of a task form one conversation."""

    async def run(self, task: PlanspecTask, agents: vf.Agents) -> None:
        """Play a task. The model's last message in each turn is its answer."""
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
